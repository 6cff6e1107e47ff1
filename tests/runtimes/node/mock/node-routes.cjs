// SPDX-License-Identifier: GPL-2.0
// A server of one of the frameworks of Node.js, asked so many times for each route: node-routes.cjs FRAMEWORK [sent]. Prints the
// answers; with "sent", the label that each request is to have. With "many" more paths are asked for than are told apart first.
"use strict";
const http = require("node:http");
const { once } = require("node:events");

const framework = process.argv[2];
// Method, path, how often, and the route.
const SENT = [
	["GET", "/users/ann", 7, "/users/:id"], ["POST", "/users/ben", 3, "/users/:id"], ["GET", "/users/ann/posts/17", 5, "/users/:id/posts/:post"],
	["GET", "/plain", 2, "/plain"], ["GET", "/api/items/red", 4, "/api/items/:item"], ["GET", "/fails", 1, "/fails"],
	["GET", "/t/acme/posts/red", 3, "/t/:tenant/posts/:post"], ["GET", "/t/a%20b/posts/t", 2, "/t/:tenant/posts/:post"],
	["GET", "/late/ann", 3, "/late/:id"], ["GET", "/after/ann", 2, "/after/:id"], ["GET", "/absent/17", 6, undefined],
];

const soon = () => new Promise((done) => setTimeout(done, 1));

/** Its handlers answer at once, after a promise, and after a timer; before those of /late a layer waits. */
const frameworks = {
	express(name = "express") {
		const express = require(name), app = express(), api = express.Router(), posts = express.Router({ mergeParams: true });

		app.get("/users/:id", (request, response) => response.send(request.params.id));
		app.post("/users/:id", async (request, response) => {
			await soon();
			response.send("made");
		});
		app.get("/users/:id/posts/:post", (request, response) => setTimeout(() => response.send(request.params.post), 1));
		app.get("/plain", (request, response) => response.send("plain"));
		app.get("/fails", () => {
			throw new Error("as it is to");
		});
		app.use("/late", (request, response, next) => setTimeout(next, 1));
		app.get("/late/:id", (request, response) => response.send("late"));
		// A route that only hands the request on, later.
		app.all(/^.after/, (request, response, next) => setTimeout(next, 1));
		app.all(["/after/:any"], (request, response, next) => setTimeout(next, 1));
		app.all("/after/:some", (request, response, next) => setTimeout(next, 1));
		app.get("/after/:id", (request, response) => setTimeout(() => response.send("after"), 1));
		api.get("/items/:item", (request, response) => response.send(request.params.item));
		app.use("/api", api);
		posts.get("/posts/:post", (request, response) => response.send(request.params.tenant));
		app.use("/t/:tenant", posts);
		app.use((error, request, response, next) => response.status(500).send("failed"));
		return http.createServer(app);
	},
	express5() {
		return this.express("express5");
	},
	async fastify() {
		const app = require("fastify")();

		app.get("/users/:id", (request, reply) => reply.send(request.params.id));
		app.post("/users/:id", async () => {
			await soon();
			return "made";
		});
		app.get("/users/:id/posts/:post", async (request) => request.params.post);
		app.get("/plain", async () => "plain");
		app.get("/fails", async () => {
			throw new Error("as it is to");
		});
		app.get("/late/:id", { preHandler: soon }, async () => "late");
		app.get("/after/:id", async () => "after");
		app.register(async (api) => api.get("/items/:item", async (request) => request.params.item), { prefix: "/api" });
		app.register(async (posts) => posts.get("/posts/:post", async (request) => request.params.tenant), { prefix: "/t/:tenant" });
		await app.ready();
		return app.server;
	},
	koa() {
		const Koa = require("koa"), { Router = require("@koa/router") } = require("@koa/router"), app = new Koa(), router = new Router();
		const api = new Router(), posts = new Router();

		app.on("error", () => {});
		app.use(async (ctx, next) => {
			if (ctx.path.startsWith("/late")) await soon();
			return next();
		});
		for (const path of ["/users/:id", "/late/:id"]) router.get(path, (ctx) => (ctx.body = ctx.params.id));
		router.post("/users/:id", async (ctx) => {
			await soon();
			ctx.body = "made";
		});
		router.get("/users/:id/posts/:post", (ctx) => (ctx.body = ctx.params.post));
		router.get("/plain", (ctx) => (ctx.body = Object.keys(ctx).join()));
		router.get("/fails", () => {
			throw new Error("as it is to");
		});
		router.all("/after/:some", async (ctx, next) => {
			await soon();
			return next();
		});
		router.get("/after/:id", (ctx) => (ctx.body = "after"));
		api.get("/items/:item", (ctx) => (ctx.body = ctx.params.item));
		router.use("/api", api.routes());
		posts.get("/posts/:post", (ctx) => (ctx.body = ctx.params.tenant));
		router.use("/t/:tenant", posts.routes());
		app.use(router.routes());
		return http.createServer(app.callback());
	},
};

/** What it answers. All of one kind go by one connection. */
async function ask(port, method, path, agent) {
	const request = http.request({ port, method, path, agent, host: "127.0.0.1" }).end();
	const [response] = await once(request, "response");
	let text = "";

	for await (const part of response) text += part;
	return `${method} ${path} ${response.statusCode} ${text}`;
}

async function main() {
	const server = await frameworks[framework]();

	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const many = process.argv[3] === "many" ? Array.from({ length: 1010 }, (_, i) => ["GET", `/users/of-${i}z`, 1]) : [];

	for (const [method, path, times] of [...many, ...SENT]) {
		const agent = new http.Agent({ keepAlive: true });

		for (let i = 0; i < times; i++) console.log(await ask(server.address().port, method, path, agent));
		agent.destroy();
	}
	server.close();
}

if (process.argv[3] === "sent")
	for (const [method, path, times, route] of SENT)
		for (let i = 0; i < times; i++) console.log(`${method} ${route || path.replace("17", ":n")}`);
else main();
