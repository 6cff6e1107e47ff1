// SPDX-License-Identifier: LGPL-2.1-or-later
// Node.js: each request to a server of node:http, node:https or node:http2 is a coroutine. What it causes, by callbacks
// and promises, is told by async_hooks, and is the request's own until it is answered. The hooks are set while somebody records, and
// after that until the requests that were recorded are answered.
// Nothing here may be seen by the program, or fail in it.
"use strict";
const { createHook, executionAsyncId, executionAsyncResource } = require("node:async_hooks");
const { subscribe, channel } = require("node:diagnostics_channel");
const { join } = require("node:path");

const { routes } = require("./coroprof-node-routes.cjs");

delete require.cache[__filename];
delete require.cache[require.resolve("./coroprof-node-routes.cjs")];

/** Its methods are those of now, whatever the program makes of them later. */
function sealed(collection, ...methods) {
	for (const name of methods) collection[name] = collection[name];
	return collection;
}

// Paths that are told apart, and the number of each one's label; and likewise routes, of which clients make none. There are at most
// 65535 labels of all kinds.
const LABELS_MAX = 1000;
const labels = sealed(new Map(), "get", "set"), routeLabels = sealed(new Map(), "get", "set");
// What a request opens and others use later, too: connections of a pool, its threads. What they do is the thread's, and
// what waits for it has a mark of its own.
const SHARED = sealed(new Set(["TCPWRAP", "PIPEWRAP", "TLSWRAP", "JSSTREAM", "UDPWRAP", "HTTP2SESSION", "MESSAGEPORT", "WORKER"]),
	"has");
// The request that something belongs to, by the number that async_hooks gives it, which nothing else has later. A request has
// OWNED_MAX of them at most, and all have ALL_OWNED_MAX, beside one that each has: what one causes that goes on for long is marked instead, and forgotten
// with its mark.
const OWNED_MAX = 500, ALL_OWNED_MAX = 65536;
const owners = sealed(new Map(), "get", "set", "delete");
const requests = sealed(new WeakMap(), "get", "set");
// A client of HTTP/2 may send any word.
const METHODS = sealed(new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]), "has");
const symbolsOf = Object.getOwnPropertySymbols;
// A framework has found the route by the end of one of so many first slices, or that of the last.
const LOOKS_MAX = 8;
// What ran when each of the callbacks under way began, a request or nothing.
const outer = [];
let depth = 0;
// Requests that are not answered, and those of them that have marks.
let live = 0, marking = 0;
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
	return (argument) => {
		try {
			if (broken) stop();
			else step(argument);
		} catch {
			broken = true;
		}
	};
}

const [DIGIT_0, DIGIT_9, DASH, SLASH, HASH, QUESTION] = Array.from("09-/#?", (char) => char.charCodeAt());
const [LOWER_A, LOWER_F, TO_LOWER] = [0x61, 0x66, 0x20];

/** Of "/users/17?all" that is "/users/:n". In one pass, as it is done at each request. */
function pathOf(url) {
	let path = "", copied = 0, begin = 0, digits = 0, others = 0;

	for (let i = 0; ; i++) {
		const char = i < url.length ? url.charCodeAt(i) : QUESTION;

		if (char >= DIGIT_0 && char <= DIGIT_9) {
			digits++;
		} else if (char === SLASH || char === QUESTION || char === HASH) {
			const length = i - begin;
			const name = digits && digits === length ? ":n" :
				digits && digits + others === length && length >= 8 ? ":id" : undefined;

			if (name) {
				path += url.slice(copied, begin) + name;
				copied = i;
			}
			if (char !== SLASH) return path + url.slice(copied, i);
			begin = i + 1;
			digits = others = 0;
		} else if (((char | TO_LOWER) >= LOWER_A && (char | TO_LOWER) <= LOWER_F) || char === DASH) {
			others++;
		}
	}
}

function labelOf(known, method, path) {
	const label = `${method} ${path}`;
	let number = known.get(label);

	if (number === undefined) {
		if (known.size >= LABELS_MAX) return addon.label(`${method} (another ${known === labels ? "path" : "route"})`);
		number = addon.label(label);
		known.set(label, number);
	}
	return number;
}

/** Its framework has found that route: its present slice is labelled by that, too. A later one replaces one that has handed it on. */
function found(request, path) {
	if (request.route === path || !request.co) return;
	request.route = path;
	addon.rename(request.co, labelOf(routeLabels, request.method, path));
}

function look(request) {
	const message = request.message.deref(), context = request.context === undefined ? undefined : request.context.deref();
	const path = message === undefined ? undefined : routes.of(message, context, pathOf);

	request.looks--;
	if (path !== undefined) found(request, path);
}

/** That request runs from now on, or none. One that is over has no coroutine. */
function run(request) {
	const next = request !== undefined && request.co ? request : undefined;

	if (next === running) return;
	if (running !== undefined && running.looks > 1) look(running);
	running = next;
	addon.enter(next === undefined ? 0 : next.co);
}

function own(request, id) {
	owners.set(id, request);
	request.ids[request.owned++] = id;
}

function mark(request, resource) {
	if (!request.marks) {
		request.marks = true;
		marking++;
	}
	Mark.set(resource, request);
}

// The three hooks are called for each promise and each callback: none of them is wrapped.
function init(id, type, trigger, resource) {
	try {
		if (running === undefined || broken || SHARED.has(type)) return;
		if (running.owned < OWNED_MAX && owners.size < ALL_OWNED_MAX) own(running, id);
		else mark(running, resource);
	} catch {
		broken = true;
	}
}

function before(id) {
	try {
		if (broken) return stop();
		let request = owners.get(id);

		if (request === undefined && marking) request = Mark.of(executionAsyncResource());
		outer[depth++] = running;
		if (request !== running) run(request);
	} catch {
		broken = true;
	}
}

function after() {
	try {
		if (broken) return stop();
		const request = depth ? outer[--depth] : undefined;

		outer[depth] = undefined;
		if (request !== running) run(request);
	} catch {
		broken = true;
	}
}

/** While no request is under way that is recorded, promises and callbacks cost what they cost without us. */
function listen(on) {
	if (on === enabled) return;
	depth = 0;
	run(undefined);
	on ? hook.enable() : hook.disable();
	enabled = on;
}

function end(request) {
	if (!request.co) return;
	look(request);
	addon.end(request.co);
	request.co = 0;
	if (running === request) running = undefined;
	for (let i = 0; i < request.owned; i++)
		if (owners.get(request.ids[i]) === request) owners.delete(request.ids[i]);
	if (request.marks) marking--;
	if (!--live) listen(false);
}

/** Who records is asked by a process that has had a coroutine. */
function makeKnown() {
	if (known) return;
	addon.know();
	known = true;
}

/** What it refers to is the program's to keep. Its method is that of now. */
class Weak extends WeakRef {}
Weak.prototype.deref = WeakRef.prototype.deref;

const given_up = sealed(new FinalizationRegistry(guarded(end)), "register", "unregister");

/** Whether somebody records. */
function isRecorded() {
	makeKnown();
	const recorded = addon.recorded() !== 0;

	routes.watch(recorded);
	listen(recorded);
	return recorded;
}

/** A request that runs from now on, by what is there of it as long as it is. */
function begun(method, url, message, looks) {
	const one = { co: 0, ids: [], owned: 0, marks: false, method, looks, message: new Weak(message), context: undefined, route: undefined };

	one.co = addon.begin(labelOf(labels, method, pathOf(url)));
	live++;
	running = one;
	return one;
}

function started({ request, response }) {
	if (!isRecorded()) return;
	const one = begun(request.method, request.url, request, LOOKS_MAX);

	own(one, executionAsyncId());
	if (marking) Mark.set(executionAsyncResource(), one);
	requests.set(response, one);
	given_up.register(response, one, response);
}

/** Of HTTP/2, which has a stream for each. The callback that is under way is the connection's, which has many. */
function streamStarted({ stream, headers }) {
	if (!isRecorded()) return;
	const method = METHODS.has(headers[":method"]) ? headers[":method"] : "(another method)";
	const one = begun(method, `${headers[":path"]}`, stream, 1);
	const symbol = symbolsOf(stream).find((symbol) => symbol.description === "async_id_symbol");

	if (symbol !== undefined) own(one, stream[symbol]);
	requests.set(stream, one);
}

function streamClosed({ stream }) {
	const request = requests.get(stream);

	if (request !== undefined) end(request);
}

function finished({ response }) {
	const request = requests.get(response);

	if (request === undefined) return;
	given_up.unregister(response);
	end(request);
}

function begin() {
	const module = { exports: {} };

	process.dlopen(module, join(__dirname, "libcoroprof-preload.so"));
	addon = module.exports;
	if (!addon.begin) return;
	hook = createHook({ init, before, after });
	routes.begin(([response, path, context]) => {
		const request = requests.get(response) || requests.get(response.stream);

		if (request === undefined) return;
		if (context !== undefined) request.context = new Weak(context);
		found(request, path);
	}, guarded);
	for (const [name, step] of [["http.server.request.start", started], ["http.server.response.finish", finished],
		["http2.server.stream.created", streamStarted], ["http2.server.stream.close", streamClosed]]) {
		if (subscribe) subscribe(name, guarded(step));
		else channel(name).subscribe(guarded(step));
	}
}

begin();
