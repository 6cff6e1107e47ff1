// SPDX-License-Identifier: GPL-2.0
// A server that is asked once, by itself. Prints NODE_OPTIONS.
"use strict";
const http = require("node:http");

const server = http.createServer((request, response) => response.end());

console.log(process.env.NODE_OPTIONS);
server.listen(0, "127.0.0.1", () => {
	http.get({ port: server.address().port, path: "/once" }, (response) => {
		response.resume();
		response.on("end", () => server.close());
	});
});
