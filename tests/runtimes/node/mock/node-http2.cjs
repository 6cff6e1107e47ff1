// SPDX-License-Identifier: GPL-2.0
// A server of HTTP/2, asked by several streams of one connection at a time. Each step of a handler says whose it is, in the log of
// the mock. Prints the answers.
"use strict";
const { appendFileSync } = require("node:fs");
const http2 = require("node:http2");

// Path, method, how often.
const SENT = [["/users/17", "GET", 5], ["/waits", "GET", 4], ["/body", "POST", 3], ["/plain", "BREW", 1]];

function step(request) {
	if (process.env.MOCK_LOG) appendFileSync(process.env.MOCK_LOG, `step ${request.url}\n`);
}

const server = http2.createServer(async (request, response) => {
	let size = 0;

	step(request);
	if (request.url === "/waits") {
		await new Promise((done) => setTimeout(done, 2));
		step(request);
	}
	request.on("data", (part) => {
		size += part.length;
		step(request);
	});
	request.on("end", () => {
		step(request);
		response.end(`${request.method} ${request.url} ${size}`);
	});
});

server.listen(0, "127.0.0.1", () => {
	const client = http2.connect(`http://127.0.0.1:${server.address().port}`), answers = [];
	const all = SENT.flatMap(([path, method, times]) => Array(times).fill([path, method]));

	for (const [path, method] of all) {
		const request = client.request({ ":path": path, ":method": method }, { endStream: method !== "POST" });
		let text = "";

		request.setEncoding("utf8");
		request.on("data", (part) => (text += part));
		request.on("end", () => {
			if (answers.push(text) < all.length) return;
			console.log(answers.sort().join("\n"));
			client.close();
			server.close();
		});
		if (method === "POST") setTimeout(() => request.end("x".repeat(1000)), 3);
	}
});
