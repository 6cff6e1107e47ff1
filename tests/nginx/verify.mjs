// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER: holds what the guest left there against what nginx was told to do. Prints TAP.
import { readFileSync } from "node:fs";

const folder = process.argv[2];
const read = (name) => readFileSync(`${folder}/${name}`, "utf8");
const data = JSON.parse(read("nginx.html").match(/<script[^>]*application\/json[^>]*>([\s\S]*?)<\/script>/)[1]);
const at = (column, i) => Number(Array.isArray(column) ? column[i] : column);

const EACH = 35;	// requests of a kind
const tests = [];
const test = (name, fn) => tests.push([name, fn]);
function want(condition, text) {
	if (!condition) throw new Error(text);
}

function coroutines(pattern) {
	let sum = 0;
	data.labels.name.forEach((name, i) => (sum += pattern.test(name) ? at(data.labels.coroutines, i) : 0));
	return sum;
}

test("nginx answers all requests, and the same when recorded", () => {
	const expected = "request slept\nthread slept, 42\n".repeat(EACH);
	for (const name of ["plain", "recorded"]) want(read(`${name}.answers`) === expected, read(`${name}.answers`));
});
test("no worker of nginx dies", () => {
	for (const name of ["plain", "recorded"]) {
		const bad = read(`${name}.log`).match(/.*(exited on signal|\[alert\]|\[emerg\]).*/);
		want(!bad, `${name}: ${bad}`);
	}
});
for (const [pattern, what] of [
	[/^main chunk <.*content_by_lua.*>$/, "requests, each a coroutine"],
	[/^nap@.*handlers\.lua:3$/, "threads that sleep"],
	[/^add@.*handlers\.lua:8$/, "threads that add"],
]) {
	const expected = what.startsWith("requests") ? 2 * EACH : EACH;
	test(`${expected} ${what}, ${expected} seen`, () => {
		const seen = coroutines(pattern);
		want(seen === expected, `${seen} seen of ${expected}; labels: ${data.labels.name.join(", ")}`);
	});
}
test("nothing is lost, and the sums hold", () => {
	const r = data.recording;
	want(Number(r.lost) === 0 && r.failed_checks === 0 && !r.torn && !r.damage_total, JSON.stringify(r));
});

let failed = 0;
console.log(`1..${tests.length}`);
tests.forEach(([name, fn], i) => {
	try {
		fn();
		console.log(`ok ${i + 1} - ${name}`);
	} catch (error) {
		failed++;
		console.log(`not ok ${i + 1} - ${name}\n# ${error.message}`);
	}
});
process.exit(failed ? 1 : 0);
