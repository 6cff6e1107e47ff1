// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER: holds what the guest left there against what nginx was told to do. Prints TAP.
import { readFileSync } from "node:fs";
import { at, coroutinesOf, finish, load, test, want, wantWhole, wantWork } from "../verify.mjs";

const folder = process.argv[2];
const read = (name) => readFileSync(`${folder}/${name}`, "utf8");
const dataOf = (name) => load(`${folder}/${name}`);

const EACH = 35;	// requests of a kind
// As in handlers.lua: requests that work, turns, instructions of a unit, a nap in ns. What LuaJIT takes for a thread, at
// most, and nginx to make it yield.
const [WORKS, TURNS, UNIT, NAP, LIFE] = [4, 5, 3 * 50000, 20e6, 80000];

function coroutines({ labels }, pattern) {
	let sum = 0;
	labels.name.forEach((name, i) => (sum += pattern.test(name) ? at(labels.coroutines, i) : 0));
	return sum;
}

test("nginx answers all requests, and the same when recorded", () => {
	const answers = `${"request slept\nthread slept, 42\n".repeat(EACH)}${"worked\n".repeat(WORKS)}rested\n`;
	for (const [name, times] of [["plain", 1], ["recorded", 1], ["attached", 2]])
		want(read(`${name}.answers`) === answers.repeat(times), `${name}: ${read(`${name}.answers`)}`);
});
test("no worker of nginx dies", () => {
	for (const name of ["plain", "recorded", "attached"]) {
		const bad = read(`${name}.log`).match(/.*(exited on signal|\[alert\]|\[emerg\]).*/);
		want(!bad, `${name}: ${bad}`);
	}
});
for (const [file, how, times] of [["nginx.html", "recorded from its start", 1], ["attached.html", "attached to, over a reload", 2]]) {
	const data = dataOf(file);
	for (const [pattern, what, each] of [
		[/^main chunk <.*content_by_lua.*>$/, "requests, each a coroutine", 2 * EACH + WORKS + 1],
		[/^nap@.*handlers\.lua:\d+$/, "threads that sleep", EACH],
		[/^add@.*handlers\.lua:\d+$/, "threads that add", EACH],
	]) {
		const expected = each * times;
		test(`${how}: ${expected} ${what}, ${expected} seen`, () => {
			const seen = coroutines(data, pattern);
			want(seen === expected, `${seen} seen of ${expected}; labels: ${data.labels.name.join(", ")}`);
		});
	}
	const threads = (kind) => coroutinesOf(data, (label) => new RegExp(`^${kind}@.*handlers\\.lua:\\d+$`).test(label));
	test(`${how}: each thread has the instructions of its loops, 1 : 5 : 20`, () => {
		const most = [["light", 1], ["middle", 5], ["heavy", 20]].map(([kind, units]) =>
			wantWork(threads(kind), WORKS * times, TURNS * units * UNIT, LIFE));
		console.log(`# ${how}: beyond the loops at most ${Math.max(...most)} instructions in ${TURNS} turns`);
	});
	test(`${how}: one that only sleeps is suspended for that long, each time to within a millisecond`, () => {
		const found = threads("naps");
		want(found.length === times, `${found.length} of ${times}`);
		for (const co of found) {
			console.log(`# ${how}: suspended ${co.suspended} ns, slept ${TURNS * NAP} ns`);
			// nginx has whole milliseconds, and begins with that in which its loop has turned.
			want(co.suspended >= TURNS * (NAP - 1e6) && co.suspended <= TURNS * (NAP + 1.1e6), JSON.stringify(co));
		}
	});
	test(`${how}: nothing is lost, and the sums hold`, () => {
		wantWhole(data);
	});
}
test("attached to: the worker before the reload and the one after it are recorded, the master is waited for", () => {
	const processes = dataOf("attached.html").processes;
	want(processes.n === 2, JSON.stringify(processes));
	want(/has no coroutine yet/.test(read("attach.log")), read("attach.log"));
});

finish();
