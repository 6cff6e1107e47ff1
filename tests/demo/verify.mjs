// SPDX-License-Identifier: GPL-2.0
// verify.mjs PROFILE.html LOOP1.html LOOP2.html: holds what the pages say against what the programs are known to do.
// Prints TAP.
import { readFileSync } from "node:fs";

const load = (file) =>
	JSON.parse(readFileSync(file, "utf8").match(/<script[^>]*application\/json[^>]*>([\s\S]*?)<\/script>/)[1]);
const at = (column, i) => Number(Array.isArray(column) ? column[i] : column);

function label(data, pattern) {
	const i = data.labels.name.findIndex((name) => pattern.test(name));
	if (i < 0) throw new Error(`no label ${pattern}, only ${data.labels.name.join(", ")}`);
	const value = (name) => at(data.labels.values[data.counters.findIndex((c) => c.name === name)].count, i);
	return {
		coroutines: at(data.labels.coroutines, i),
		suspended: at(data.labels.times.suspended, i),
		each: value("instructions") / at(data.labels.coroutines, i),
		instructions: value("instructions"),
	};
}

const tests = [];
const test = (name, fn) => tests.push([name, fn]);
function want(condition, text) {
	if (!condition) throw new Error(text);
}

const [haproxy, first, second] = process.argv.slice(2).map(load);
const kinds = ["cheap", "heavy", "waits"];

test("HAProxy's handlers are told apart by name, a coroutine for each request", () => {
	for (const kind of kinds) {
		const { coroutines } = label(haproxy, new RegExp(`^${kind}@`));
		want(coroutines >= 30, `${kind}: ${coroutines} coroutines`);
	}
});
test("the heavy handler takes instructions in proportion to its work", () => {
	const ratio = label(haproxy, /^heavy@/).each / label(haproxy, /^cheap@/).each;
	want(ratio > 18 && ratio < 20.5, `heavy is ${ratio} times cheap, its work 20 times`);
});
test("the handler that waits is seen to wait", () => {
	const { suspended, coroutines } = label(haproxy, /^waits@/);
	// HAProxy counts its 20 ms from when it last looked at the clock, which is before the work it does meanwhile.
	want(suspended / coroutines >= 15e6, `${suspended / coroutines} ns each, asked for 20 ms`);
});
test("cache misses are unsupported on this PMU, not 0", () => {
	const i = haproxy.counters.findIndex((c) => c.name === "cache-misses");
	want(haproxy.counters[i].error, "no error is told");
	want(at(haproxy.total.values[i].standing, 0) === 0, "the standing is not 'unsupported'");
});
test("nothing is lost, the sums hold, nothing is simulated", () => {
	for (const data of [haproxy, first, second]) {
		const r = data.recording;
		want(Number(r.lost) === 0 && r.failed_checks === 0 && !r.torn && !r.damage_total, JSON.stringify(r));
		want(r.simulated === null, `simulated by ${r.simulated}`);
		for (let i = 0; i < data.threads.n; i++)
			want(at(data.threads.check, i) === 1, `thread ${i}: ${data.threads.check_text[i]}`);
	}
});

const loops = [["once", 1], ["twice", 2], ["ten_times", 10]];
for (const [name, times] of loops) {
	test(`${name}: the instructions of a known loop, to within 0.1 %`, () => {
		const known = times * 10 * 300000 * 3;
		const { instructions } = label(first, new RegExp(`^${name}$`));
		want(Math.abs(instructions - known) <= known / 1000, `${instructions}, known to be ${known}`);
	});
	test(`${name}: the same in two runs`, () => {
		const [a, b] = [first, second].map((data) => label(data, new RegExp(`^${name}$`)).instructions);
		want(a === b, `${a} and ${b}`);
	});
}

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
