// SPDX-License-Identifier: GPL-2.0
// node-owns.cjs: writes into the file MOCK_LOG, between the lines of the mock, "step LABEL" where a request of that label runs, and
// "step thread" where none does, as is known of each step. What was reported last before the line has to be that. Prints the number
// of steps.
"use strict";
const { AsyncResource } = require("node:async_hooks");
const { once } = require("node:events");
const { appendFileSync } = require("node:fs");
const http = require("node:http");
const { setImmediate: turn, setTimeout: sleep } = require("node:timers/promises");
const { Worker, isMainThread } = require("node:worker_threads");

const TURNS = 2000;
const log = process.env.MOCK_LOG;
const shared = {};
let steps = 0;

function step(label) {
	steps++;
	appendFileSync(log, `step ${label}\n`);
}

const handlers = {
	// Causes more than coroprof remembers of one request.
	async long() {
		for (let i = 0; i < TURNS; i++) {
			await turn();
			step("GET /long");
		}
	},
	// As much again, while the first goes on.
	async beside() {
		for (let i = 0; i < TURNS; i++) {
			await Promise.resolve().then(() => turn());
			step("GET /beside");
		}
		await new Promise((done) => process.nextTick(done));
		step("GET /beside");
	},
	// Is answered by another request, and works on.
	async answered(request, response) {
		shared.answered = response;
		const interval = setInterval(() => step(response.writableFinished ? "thread" : "GET /answered"), 1);
		await sleep(8);
		step("GET /answered");
		shared.slept = true;
		await once(response, "finish");
		await sleep(4);
		step("thread");
		clearInterval(interval);
	},
	async answers() {
		while (!shared.slept) await turn();
		step("GET /answers");
		const finished = once(shared.answered, "finish");
		shared.answered.end();
		step("GET /answers");
		await finished;
		step("GET /answers");
		await sleep(10);
		step("GET /answers");
	},
	// Leaves a timer behind, and a resource.
	async leaves() {
		shared.timer = setTimeout(() => step("thread"), 5);
		shared.left = new AsyncResource("left");
		step("GET /leaves");
	},
	async keeps() {
		shared.kept = new AsyncResource("kept");
		while (!shared.done) await sleep(1);
		step("GET /keeps");
	},
	// Runs what belongs to others.
	async runs() {
		await turn();
		shared.kept.runInAsyncScope(() => {
			step("GET /keeps");
			shared.left.runInAsyncScope(() => step("thread"));
			step("GET /keeps");
		});
		step("GET /runs");
	},
	async thenable() {
		await turn();
		await Promise.resolve().then(() => ({ then(done) { step("GET /thenable"); done(); } }));
		step("GET /thenable");
	},
	async throws() {
		const caught = new Promise((done) => process.once("uncaughtException", done));
		setTimeout(() => {
			step("GET /throws");
			process.nextTick(() => { throw new Error("as it must"); });
		}, 1);
		await caught;
		await turn();
		step("GET /throws");
	},
	// Its client sends while it runs.
	async body(request, response) {
		request.on("data", () => step("POST /body"));
		await once(request, "end");
		step("POST /body");
		response.end();
		await once(response, "finish");
		step("thread");
	},
	async worker() {
		await turn();
		step("GET /worker");
	},
};

const server = http.createServer(async (request, response) => {
	await handlers[request.url.slice(1)](request, response);
	if (!response.writableEnded) response.end();
});
// One connection at a time is used again and again.
const agent = new http.Agent({ keepAlive: true });

function ask(name) {
	return new Promise((done) => {
		http.get({ port: server.address().port, path: `/${name}`, agent }, (response) => {
			response.resume();
			response.on("end", done);
		});
	});
}

async function sends() {
	const request = http.request({ port: server.address().port, path: "/body", method: "POST", agent });
	const answered = once(request, "response");

	for (const part of ["one", "two"]) {
		request.write(part);
		await sleep(5);
	}
	request.end();
	const [response] = await answered;
	response.resume();
	await once(response, "end");
}

async function main() {
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	if (!isMainThread) {
		for (let i = 0; i < 3; i++) await ask("worker");
	} else {
		const interval = setInterval(() => step("thread"), 1);

		await Promise.all([ask("long"), ask("beside")]);
		await Promise.all([ask("answered"), ask("answers")]);
		await ask("leaves");
		step("thread");
		const keeps = ask("keeps");
		while (!shared.kept) await turn();
		shared.kept.runInAsyncScope(() => step("GET /keeps"));
		step("thread");
		await ask("runs");
		await ask("thenable");
		await ask("throws");
		await sleep(10);
		shared.timer.refresh();
		await sleep(10);
		shared.done = true;
		await keeps;
		await sends();
		clearInterval(interval);
		await once(new Worker(__filename), "exit");
	}
	agent.destroy();
	server.close();
	if (isMainThread) console.log(steps);
}

main();
