// SPDX-License-Identifier: GPL-2.0
// node-pool.cjs SOCKET: one request opens connections, as a pool does, TCP and to that path, and waits; another has TURNS
// answers by each meanwhile. Prints the number of answers.
"use strict";
const { once } = require("node:events");
const http = require("node:http");
const net = require("node:net");

const TURNS = 50;
const pool = [];
const echo = net.createServer((socket) => socket.pipe(socket));
const local = net.createServer((socket) => socket.pipe(socket));
let used, answers = 0;

function connect(where) {
	const socket = net.connect(where);

	socket.on("data", () => {
		answers++;
		socket.answered();
	});
	pool.push(socket);
	return once(socket, "connect");
}

const handlers = {
	async opens() {
		const done = new Promise((resolve) => used = resolve);

		await connect({ port: echo.address().port });
		await connect({ path: process.argv[2] });
		ask("uses");
		await done;
	},
	async uses() {
		for (const socket of pool) {
			for (let i = 0; i < TURNS; i++) {
				const answered = new Promise((resolve) => socket.answered = resolve);
				socket.write("x");
				await answered;
			}
			socket.destroy();
		}
	},
};

const server = http.createServer(async (request, response) => {
	await handlers[request.url.slice(1)]();
	response.end();
});

function ask(name, then) {
	http.get({ port: server.address().port, path: `/${name}` }, (response) => {
		response.resume();
		response.on("end", then ?? used);
	});
}

async function main() {
	for (const [one, where] of [[echo, 0], [local, process.argv[2]], [server, 0]]) {
		one.listen(where);
		await once(one, "listening");
	}
	ask("opens", () => {
		for (const one of [echo, local, server]) one.close();
		console.log(answers);
	});
}

main();
