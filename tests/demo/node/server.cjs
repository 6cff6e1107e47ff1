// SPDX-License-Identifier: GPL-2.0
// A server of Node.js, as servers are: what a request asks for may go on behind promises and timers. It knows nothing of coroprof.
"use strict";
const { createHash } = require("node:crypto");
const http = require("node:http");
const { setTimeout: sleep } = require("node:timers/promises");

function digest(times) {
	let data = "";
	for (let i = 0; i < times; i++)
		data = createHash("sha256").update(data).digest("hex");
	return data;
}

async function hashes(times) {
	await sleep(0);
	return digest(times);
}

async function waits() {
	await sleep(5);
	return "waited";
}

const handlers = { "/cheap": () => digest(1), "/heavy": () => hashes(500), "/waits": waits };

const server = http.createServer(async (request, response) => {
	if (request.url === "/quit")
		server.close();
	const handler = handlers[request.url];
	response.setHeader("Connection", "close");
	response.end(`${handler ? await handler() : "nothing here"}\n`);
});

server.listen(8080, "127.0.0.1");
