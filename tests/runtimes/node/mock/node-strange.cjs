// SPDX-License-Identifier: GPL-2.0
// A server whose requests throw when they are asked for their path. It answers two, its own, all the same.
"use strict";
const http = require("node:http");

Object.defineProperty(http.IncomingMessage.prototype, "url", {
	get() { throw new Error("not yours"); },
	set() {},
});
const server = http.createServer(async (request, response) => {
	await null;
	response.end("answered");
});

function ask() {
	return new Promise((done) => http.get({ port: server.address().port }, (response) => {
		response.setEncoding("utf8");
		response.on("data", (text) => console.log(text));
		response.on("end", done);
	}));
}

server.listen(0, "127.0.0.1", async () => {
	await ask();
	await ask();
	server.close();
});
