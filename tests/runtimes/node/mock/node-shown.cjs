// SPDX-License-Identifier: GPL-2.0
// A server that prints what can be seen on objects of its own, in a request: a promise and a resource of async_hooks.
"use strict";
const { AsyncResource } = require("node:async_hooks");
const http = require("node:http");

// What Node.js itself leaves on them when async_hooks are in use.
const nodes = (name) => /^Symbol\((async_id|trigger_async_id|destroyed)/.test(String(name));
const names = (object) => Reflect.ownKeys(object).filter((name) => !nodes(name)).map(String).join();
const server = http.createServer((request, response) => {
	console.log(names(Promise.resolve(1)), names(new AsyncResource("mine")), names(request), names(response));
	response.end();
});

server.listen(0, "127.0.0.1", () => {
	http.get({ port: server.address().port }, (response) => {
		response.resume();
		response.on("end", () => server.close());
	});
});
