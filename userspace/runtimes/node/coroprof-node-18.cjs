// SPDX-License-Identifier: LGPL-2.1-or-later
// Node.js: each request to a server of node:http or node:https is a coroutine. What it causes, by callbacks and promises,
// is told by async_hooks, and is the request's own until it is answered. The hooks are set only while somebody records.
// Nothing here may be seen by the program, or fail in it.
"use strict";
const { createHook, executionAsyncResource } = require("node:async_hooks");
const { subscribe, channel } = require("node:diagnostics_channel");
const { join } = require("node:path");

delete require.cache[__filename];

// Paths that are told apart. There are at most 65535 labels of all kinds.
const LABELS_MAX = 1000;
const labels = new Set();
// What a request opens and others use later, too: connections of a pool, its threads. What they do is the thread's, and
// what waits for it has a mark of its own.
const SHARED = new Set(["TCPWRAP", "PIPEWRAP", "TLSWRAP", "JSSTREAM", "UDPWRAP", "HTTP2SESSION", "MESSAGEPORT", "WORKER"]);
// What ran when each of the callbacks under way began, a request {co} or nothing.
const outer = [];
let addon, running, hook, enabled = false, known = false, broken = false;

/** The program's own object, whatever that is. */
class Given {
	constructor(object) {
		return object;
	}
}

/** The request that an object of the program's belongs to: a private field of it, which nobody else sees. */
class Mark extends Given {
	#request;

	static of(object) {
		return #request in object ? object.#request : undefined;
	}

	static set(object, request) {
		if (!(#request in object)) new Mark(object);
		object.#request = request;
	}
}

/** Leaves the program as it is, once something of ours has failed. */
function stop() {
	hook.disable();
	addon.enter(0);
}

/** The step as the program may call it: what fails there is not its own, and there may be no room on its stack to stop now. */
function guarded(step) {
	return (first, second, third, fourth) => {
		try {
			if (broken) stop();
			else step(first, second, third, fourth);
		} catch {
			broken = true;
		}
	};
}

/** "GET /users/17?all" is "GET /users/:n". */
function labelOf({ method, url }) {
	const path = url.split(/[?#]/, 1)[0].split("/").map((part) =>
		/^\d+$/.test(part) ? ":n" : /^(?=.*\d)[0-9a-f-]{8,}$/i.test(part) ? ":id" : part).join("/");
	const label = `${method} ${path}`;

	if (labels.has(label)) return label;
	if (labels.size >= LABELS_MAX) return `${method} (another path)`;
	labels.add(label);
	return label;
}

/** That request runs from now on, or none. One that is over has no coroutine. */
function run(request) {
	if (request === running) return;
	running = request;
	addon.enter(request?.co ?? 0);
}

function init(id, type, trigger, resource) {
	const request = Mark.of(executionAsyncResource());

	if (request?.co && !SHARED.has(type)) Mark.set(resource, request);
}

function before() {
	outer.push(running);
	run(Mark.of(executionAsyncResource()));
}

function after() {
	run(outer.pop());
}

function end(request) {
	if (!request?.co) return;
	addon.end(request.co);
	request.co = 0;
	if (running === request) running = undefined;
}

/** Who records is asked by a process that has had a coroutine. */
function makeKnown() {
	if (known) return;
	addon.end(addon.begin(""));
	known = true;
}

/** While nobody records, promises cost what they cost without us. */
function listen() {
	const recorded = Boolean(addon.recorded());

	if (recorded !== enabled) {
		outer.length = 0;
		run(undefined);
		recorded ? hook.enable() : hook.disable();
		enabled = recorded;
	}
	return recorded;
}

const given_up = new FinalizationRegistry(guarded(end));

function started({ request, response }) {
	makeKnown();
	if (!listen()) return;
	addon.charge();
	const one = { co: addon.begin(labelOf(request)) };
	Mark.set(executionAsyncResource(), one);
	Mark.set(response, one);
	given_up.register(response, one);
	running = one;
	addon.enter(one.co);
}

function finished({ response }) {
	end(Mark.of(response));
}

function begin() {
	const module = { exports: {} };

	process.dlopen(module, join(__dirname, "libcoroprof-preload.so"));
	addon = module.exports;
	if (!addon.begin) return;
	hook = createHook({ init: guarded(init), before: guarded(before), after: guarded(after) });
	for (const [name, step] of [["http.server.request.start", started], ["http.server.response.finish", finished]]) {
		if (subscribe) subscribe(name, guarded(step));
		else channel(name).subscribe(guarded(step));
	}
}

begin();
