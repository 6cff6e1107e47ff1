// SPDX-License-Identifier: GPL-2.0
// Prints the processor's time for a request that is answered at once, in ns: where each instruction takes one, in instructions.
// With "hooks": while async_hooks has two functions count.
"use strict";
const http = require("node:http");

const COUNT = 200, WARM = 200;
const server = http.createServer(async (request, response) => {
	await null;
	response.end("answered\n");
});
const agent = new http.Agent({ keepAlive: true });

function ask(path) {
	return new Promise((done) => {
		http.get({ port: server.address().port, path, agent }, (response) => {
			response.resume();
			response.on("end", done);
		});
	});
}

async function asks(count) {
	for (let i = 0; i < count; i++) await ask(`/${i}`);
}

let seen = 0;
if (process.argv[2] === "hooks") {
	const counts = () => { seen++; };
	require("node:async_hooks").createHook({ before: counts, after: counts }).enable();
}

server.listen(0, "127.0.0.1", async () => {
	await asks(WARM);
	const before = process.cpuUsage();
	await asks(COUNT);
	const { user, system } = process.cpuUsage(before);
	console.log(Math.round((user + system) * 1000 / COUNT));
	if (process.argv[2] === "hooks" && seen < 2 * COUNT) throw new Error(`hooks: ${seen} calls`);
	agent.destroy();
	server.close();
});
