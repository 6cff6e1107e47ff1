// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER: holds what the guest left there against what nginx was told to do. Prints TAP.
import { readFileSync } from "node:fs";
import { at, finish, load, test, want, wantWhole } from "../verify.mjs";

const folder = process.argv[2];
const read = (name) => readFileSync(`${folder}/${name}`, "utf8");
const dataOf = (name) => load(`${folder}/${name}`);

const EACH = 35;	// requests of a kind

function coroutines({ labels }, pattern) {
	let sum = 0;
	labels.name.forEach((name, i) => (sum += pattern.test(name) ? at(labels.coroutines, i) : 0));
	return sum;
}

test("nginx answers all requests, and the same when recorded", () => {
	const answers = "request slept\nthread slept, 42\n";
	for (const [name, times] of [["plain", 1], ["recorded", 1], ["attached", 2]])
		want(read(`${name}.answers`) === answers.repeat(EACH * times), `${name}: ${read(`${name}.answers`)}`);
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
		[/^main chunk <.*content_by_lua.*>$/, "requests, each a coroutine", 2],
		[/^nap@.*handlers\.lua:3$/, "threads that sleep", 1],
		[/^add@.*handlers\.lua:8$/, "threads that add", 1],
	]) {
		const expected = each * EACH * times;
		test(`${how}: ${expected} ${what}, ${expected} seen`, () => {
			const seen = coroutines(data, pattern);
			want(seen === expected, `${seen} seen of ${expected}; labels: ${data.labels.name.join(", ")}`);
		});
	}
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
