// SPDX-License-Identifier: GPL-2.0
// Prints the processor's time for a request that is answered at once, in ns: where each instruction takes one, in instructions.
// With "hooks": while async_hooks has two functions count. With "beside": eight at once. By then Node.js has compiled it all.
"use strict";
const http = require("node:http");

const COUNT = 400, WARM = 5000, BESIDE = 8;
const beside = process.argv.includes("beside"), hooks = process.argv.includes("hooks");
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
	for (let i = 0; i < count; i++) await (beside ? Promise.all(Array.from({ length: BESIDE }, (_, j) => ask(`/${i}/${j}`))) : ask(`/${i}`));
}

let seen = 0;
if (hooks) {
	const counts = () => { seen++; };
	require("node:async_hooks").createHook({ before: counts, after: counts }).enable();
}

server.listen(0, "127.0.0.1", async () => {
	const at_once = beside ? BESIDE : 1;

	await asks(Math.round(WARM / at_once));
	const before = process.cpuUsage();
	await asks(COUNT / at_once);
	const { user, system } = process.cpuUsage(before);
	console.log(Math.round((user + system) * 1000 / COUNT));
	if (hooks && seen < 2 * COUNT) throw new Error(`hooks: ${seen} calls`);
	agent.destroy();
	server.close();
});
