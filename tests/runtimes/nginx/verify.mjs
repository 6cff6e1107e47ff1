// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER...: holds what each guest left there against what nginx was told to do. Prints TAP.
import { at, coroutinesOf, finish, recordedIn, test, testTurns, want, wantWhole, wantWork } from "../../harness/verify.mjs";

const EACH = 35;	// requests of a kind
// Requests of which there is one: /rest, /timer, /make; for each that works, those that fetch, and what these ask for.
const [ONES, FETCH] = [3, 2];
// As in handlers.lua: requests that work, turns, instructions of a unit, a nap in ns. What LuaJIT takes for a thread, at
// most, and nginx to make it yield.
const [WORKS, TURNS, UNIT, NAP, LIFE] = [4, 5, 3 * 50000, 20e6, 80000];
// What the first that asks by a socket in a worker is charged with, at most: its Lua is loaded then.
const FIRST = 400000;

function coroutines({ labels }, pattern) {
	let sum = 0;
	labels.name.forEach((name, i) => (sum += pattern.test(name) ? at(labels.coroutines, i) : 0));
	return sum;
}

for (const folder of process.argv.slice(2)) {
	const { read, page } = recordedIn(folder);
	const [version] = read("version").match(/nginx\/[0-9.]+/);

	test(`${version}: answers all requests, and the same when recorded`, () => {
		const answers = `${"request slept\nthread slept, 42\n".repeat(EACH)}${"worked\nlate\n".repeat(WORKS)}rested\ntimed\nmade\n`;
		for (const [name, times] of [["plain", 1], ["recorded", 1], ["attached", 2]])
			want(read(`${name}.answers`) === answers.repeat(times), `${name}: ${read(`${name}.answers`)}`);
	});
	test(`${version}: no worker dies`, () => {
		for (const name of ["plain", "recorded", "attached"]) {
			const bad = read(`${name}.log`).match(/.*(exited on signal|\[alert\]|\[emerg\]).*/);
			want(!bad, `${name}: ${bad}`);
		}
	});
	for (const [file, how, times] of [["nginx", "recorded from its start", 1], ["attached", "attached to, over a reload", 2]]) {
		const data = page(file), name = `${version}, ${how}`;
		for (const [pattern, what, each] of [
			[/^main chunk <.*content_by_lua.*>$/, "requests, each a coroutine", 2 * EACH + WORKS * (1 + FETCH) + ONES],
			[/^nap@.*handlers\.lua:\d+$/, "threads that sleep", EACH],
			[/^add@.*handlers\.lua:\d+$/, "threads that add", EACH],
		]) {
			const expected = each * times;
			test(`${name}: ${expected} ${what}, ${expected} seen`, () => {
				const seen = coroutines(data, pattern);
				want(seen === expected, `${seen} seen of ${expected}; labels: ${data.labels.name.join(", ")}`);
			});
		}
		const threads = (kind) => coroutinesOf(data, (label) => new RegExp(`^${kind}@.*handlers\\.lua:\\d+$`).test(label));
		testTurns(name, "thread", threads,
			{ count: WORKS * times, turns: TURNS, unit: UNIT, life: LIFE });
		test(`${name}: one that only sleeps is suspended for that long, each time to within a millisecond`, () => {
			const found = threads("naps");
			want(found.length === times, `${found.length} of ${times}`);
			for (const co of found) {
				console.log(`# ${name}: suspended ${co.suspended} ns, slept ${TURNS * NAP} ns`);
				// nginx has whole milliseconds, and begins with that in which its loop has turned.
				want(co.suspended >= TURNS * (NAP - 1e6) && co.suspended <= TURNS * (NAP + 1.1e6), JSON.stringify(co));
			}
		});
		/** Those of a kind: how many for a request, of how many units, and what is taken for one, at most. */
		const all = (kind, many, units, life = LIFE) => {
			const found = threads(kind);
			wantWork(found, many * times, units * UNIT, life);
			console.log(`# ${name}: ${kind}: beyond its loops ${found.map((co) => co.instructions - units * UNIT)} instructions, ` +
				`suspended ${found.map((co) => co.suspended)} ns`);
			return found;
		};
		test(`${name}: one that asks by a socket has its loops, and is suspended until the answer has come`, () => {
			const found = all("fetches", WORKS, 5, FIRST);
			const isFirst = (co) => co.instructions > 5 * UNIT + LIFE;
			want(found.filter(isFirst).length <= times, "not only the first of a worker has more");
			// What answers the first one has its Lua loaded meanwhile, too.
			for (const co of found)
				want(co.suspended >= NAP - 1e6 && co.suspended <= NAP + 1.1e6 + (isFirst(co) ? FIRST : 0), JSON.stringify(co));
		});
		test(`${name}: what a timer begins is a coroutine with its loops, and who waits for it by a semaphore is suspended meanwhile`, () => {
			// It sleeps for a millisecond after each loop.
			for (const co of all("timed", 1, TURNS)) want(co.suspended > 0 && co.suspended <= TURNS * 2.1e6, JSON.stringify(co));
			for (const co of all("waits", 1, 0))
				want(co.suspended >= NAP - 1e6 + TURNS * UNIT && co.suspended <= NAP + 1.1e6 + TURNS * (UNIT + 2.1e6), JSON.stringify(co));
		});
		test(`${name}: one that a thread makes and resumes has its loops, the thread its own`, () => {
			const makers = all("makes", 1, 2).map(({ id }) => id).sort();
			want(all("made", 1, 10).map(({ parent }) => parent).sort().join() === makers.join(), makers.join());
		});
		test(`${name}: nothing is lost, and the sums hold`, () => {
			wantWhole(data);
		});
	}
	test(`${version}, attached to: the worker before the reload and the one after it are recorded, the master is waited for`, () => {
		const processes = page("attached").processes;
		want(processes.n === 2, JSON.stringify(processes));
		want(/has no coroutine yet/.test(read("attached.errors")), read("attached.errors"));
	});
}

finish();
