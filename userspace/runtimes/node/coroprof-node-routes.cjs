// SPDX-License-Identifier: LGPL-2.1-or-later
// Routes of requests, as the frameworks of Node.js keep them: no function of theirs is wrapped or called. While nobody records,
// nothing is watched.
"use strict";
const { channel } = require("node:diagnostics_channel");
const { _cache: cache = {} } = require("node:module");
const { sep } = require("node:path");
const { defineProperty, getOwnPropertyDescriptor, keys } = Object;
const decode = decodeURIComponent;

const handles = channel("tracing:fastify.request.handler:start");
const KOA = `${sep}koa${sep}lib${sep}context.js`, MATCHED = "_matchedRoute";
let tell, watched = false, asked = 0;
const contexts = [];

/** A property that an object itself has, and no code makes. */
function plain(object, name) {
	const property = typeof object === "object" && object !== null ? getOwnPropertyDescriptor(object, name) : undefined;

	return property === undefined ? undefined : property.value;
}

/** Express decodes parameters. Another part may be text that can't be decoded. */
function decoded(part) {
	try {
		return decode(part);
	} catch {
		return part;
	}
}

/** The path of a mount, with names for its parameters: a router that merges them with its own has them. Those of the route are no part of it. */
function named(base, path, params) {
	const parts = base.split("/");

	for (const name of params ? keys(params).reverse() : []) {
		const value = plain(params, name), at = parts.findLastIndex((part, i) => i > 0 && decoded(part) === value);

		if (at > 0 && !path.includes(`:${name}`)) parts[at] = `:${name}`;
	}
	return parts.join("/");
}

/** Express, and what is made of it or like it. Where a router is mounted the path is the request's: numbers in it are folded. */
function express(request, fold) {
	const path = plain(plain(request, "route"), "path"), base = plain(request, "baseUrl");

	if (typeof path !== "string") return undefined;
	if (typeof base !== "string" || base === "") return path;
	const mount = fold(named(base, path, plain(request, "params")));

	return path === "/" ? mount : mount + path;
}

/** Fastify since its version 5 reports it itself. */
function tellFastify(message) {
	const path = plain(plain(message, "route"), "url");

	if (typeof path === "string") tell([plain(plain(message, "reply"), "raw"), path]);
}

function tellKoa([context, path]) {
	if (typeof path === "string") tell([plain(context, "res"), path, context]);
}

// The same, as the program may call them: nothing fails there.
let fastify, koa;

/** Routers of Koa store it in a context, which inherits from this until it has a property of its own. */
const matched = {
	configurable: true, enumerable: false,
	get() {
		return undefined;
	},
	set(value) {
		defineProperty(this, MATCHED, { value, configurable: true, enumerable: true, writable: true });
		koa([this, value]);
	},
};

function watchKoa(context) {
	if (watched && !getOwnPropertyDescriptor(context, MATCHED)) defineProperty(context, MATCHED, matched);
	else if (!watched && (getOwnPropertyDescriptor(context, MATCHED) || {}).set === matched.set) delete context[MATCHED];
}

/** Modules may be loaded at any time, but are mostly loaded by the first requests. */
function findKoa() {
	if (++asked & (asked - 1)) return;
	for (const name of keys(cache)) {
		const context = name.endsWith(KOA) && cache[name].exports;

		if (context && !contexts.includes(context)) {
			contexts.push(context);
			watchKoa(context);
		}
	}
}

exports.routes = {
	/** @report: is given the answer to a request and its route, as soon as it is known. @guarded: a step that the program may call. */
	begin(report, guarded) {
		tell = report;
		fastify = guarded(tellFastify);
		koa = guarded(tellKoa);
	},
	/** Somebody records, or nobody does. */
	watch(on) {
		if (on !== watched) {
			watched = on;
			on ? handles.subscribe(fastify) : handles.unsubscribe(fastify);
			contexts.forEach(watchKoa);
		}
		if (on) findKoa();
	},
	/** The route of a request, if it can be seen on it, or on the context in which Koa has it. */
	of(request, context, fold) {
		const path = plain(context, MATCHED);

		return typeof path === "string" ? path : express(request, fold);
	},
};
