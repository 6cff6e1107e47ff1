// SPDX-License-Identifier: GPL-2.0
// node --expose-internals node-old.cjs COROPROF-NODE.CJS: can a Node.js that knows nothing newer than ES5 read that file, and
// does it do there what it must? Exit status 0, or an error.
"use strict";
const assert = require("node:assert");
const { readFileSync } = require("node:fs");

const file = process.argv[2];
const text = readFileSync(file, "utf8");
// The parser that Node.js has for its REPL. A module is the body of a function.
const { parse } = require("internal/deps/acorn/acorn/dist/acorn");
const body = `(function (process, require, __filename) {${text}\n})`;

assert.throws(() => parse("a?.b", { ecmaVersion: 5 }));
parse(body, { ecmaVersion: 5 });

/** NODE_OPTIONS, as that file leaves it behind in Node.js 12. */
function left(options, name) {
	const process = { versions: { node: "12.22.12" }, env: { NODE_OPTIONS: options } };
	const require = Object.assign((other) => assert.fail(`requires ${other}`), { cache: {} });

	(0, eval)(body)(process, require, name);
	return process.env.NODE_OPTIONS;
}

assert.strictEqual(left("--require /lib/one.cjs", "/lib/one.cjs"), undefined);
assert.strictEqual(left("--require /lib/one.cjs --no-warnings", "/lib/one.cjs"), "--no-warnings");
assert.strictEqual(left('--require "/a lib/one.cjs" -r x', "/a lib/one.cjs"), "-r x");
assert.strictEqual(left("--require /lib/one.cjs.more", "/lib/one.cjs"), "--require /lib/one.cjs.more");
