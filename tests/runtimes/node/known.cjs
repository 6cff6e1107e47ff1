// SPDX-License-Identifier: GPL-2.0
// known.cjs SPIN.node: a server whose requests have known work: COUNT of three kinds that run loops of 1, 5 and 20 units, TURNS
// times, and wait in between, for a timer or what runs on another thread. One only waits, one waits while another works,
// one fails, one is given up by its client, one works after it has answered. It asks itself, and knows nothing of coroprof.
"use strict";
const http = require("node:http");
const { promises: fs } = require("node:fs");
const { EventEmitter, once } = require("node:events");
const { setTimeout: sleep } = require("node:timers/promises");

const COUNT = 4, TURNS = 5, UNIT = 200000, NAP = 2;
const spin = require(process.argv[2]);
const events = new EventEmitter();

const work = (units) => spin(units * UNIT);

async function turns(units) {
	for (let i = 0; i < TURNS; i++) {
		work(units);
		if (i % 2) await fs.stat("/");
		else await sleep(NAP);
	}
	return units;
}

const handlers = {
	light: () => turns(1),
	middle: () => turns(5),
	heavy: () => turns(20),
	async naps() {
		for (let i = 0; i < TURNS; i++) await sleep(NAP);
		return "slept";
	},
	async waits() {
		const told = once(events, "told");
		events.emit("waits");
		await told;
		return "waited";
	},
	async fails() {
		await sleep(NAP);
		work(5);
		throw new Error("failed");
	},
	async given() {
		work(5);
		events.emit("given");
		await sleep(10 * NAP);
		work(5);
		events.emit("worked");
		return "nobody";
	},
	async late(response) {
		work(5);
		response.end("early\n");
		await once(response, "finish");
		work(20);
	},
};

async function answer(request, response) {
	try {
		const text = await handlers[request.url.split("/")[1]](response);

		if (!response.writableEnded) response.end(`${text}\n`);
	} catch (error) {
		response.statusCode = 500;
		response.end(`${error.message}\n`);
	}
}

const server = http.createServer(answer);
const agent = new http.Agent({ keepAlive: true });

function ask(path) {
	return new Promise((done, failed) => {
		http.get({ port: server.address().port, path, agent }, (response) => {
			let text = "";
			response.setEncoding("utf8");
			response.on("data", (data) => text += data);
			response.on("end", () => done(`${response.statusCode} ${text.trim()}`));
		}).on("error", failed);
	});
}

async function tells() {
	await once(events, "waits");
	await new Promise(setImmediate);
	work(20);
	events.emit("told");
}

async function givesUp() {
	const request = http.get({ port: server.address().port, path: "/given", agent }, () => {});
	const worked = once(events, "worked");

	request.on("error", () => {});
	await once(events, "given");
	request.destroy();
	await worked;
}

async function main() {
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	console.log(await ask("/naps"));
	console.log((await Promise.all([ask("/waits"), tells()]))[0]);
	console.log(await ask("/fails"), await ask("/late"));
	await givesUp();
	const kinds = [];
	for (let i = 0; i < COUNT; i++)
		for (const kind of ["light", "middle", "heavy"]) kinds.push(ask(`/${kind}/${i}`));
	console.log((await Promise.all(kinds)).join());
	console.log(process.env.NODE_OPTIONS, Object.keys(require.cache).length, process.execArgv.length);
	agent.destroy();
	server.close();
	process.exitCode = 7;
}

main();
