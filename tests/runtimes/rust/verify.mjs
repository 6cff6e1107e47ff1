// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER: holds what was recorded against what the program is known to do. Prints TAP.
import { coroutinesOf, finish, recordedIn, test, testNothingMissing, testReportedBy, testSleepers, testSleepsAlone, testTurns, testWaits, testWhole, want, wantWork } from "../../harness/verify.mjs";

const { read, page } = recordedIn(process.argv[2]);

// As in known.rs: coroutines of a kind, turns, instructions of a unit; a nap in ns.
const [COUNT, TURNS, UNIT, NAP] = [4, 5, 3 * 200000, 2e6];
const KINDS = [["light", 1], ["middle", 5], ["heavy", 20]];
// What an executor, or the crate futures, takes for itself in a turn of one that is wrapped.
const WRAPPED_TURN = 5000;
// What tokio takes for itself, at most: to begin and end a task, and for a turn. A panic prints and unwinds.
const [ONCE, TURN, PANIC] = [5000, 5000, 100000];

/** The tasks of an async function. */
const tasks = (data, name) => coroutinesOf(data, (label) => label === `known::${name}`);

test("a program with tokio's tasks does what it does without", () => {
	want(/^520$/m.test(read("plain.output")) && /status 7/.test(read("plain.output")), read("plain.output") + read("plain.errors"));
	for (const name of ["off", "stripped", "known-ioctl", "known-user"])
		want(read(`${name}.output`) === read("plain.output"), `${name}: ${read(`${name}.output`)}${read(`${name}.errors`)}`);
});
test("of a program that was stripped it is said that its tasks can't be seen, and how they can", () => {
	want(/has tokio \(found "tokio-runtime-worker" in it\)/.test(read("stripped.errors")) && /strip = false/.test(read("stripped.errors")),
		read("stripped.errors"));
});

for (const mode of ["ioctl", "user"]) {
	const data = page(`known-${mode}`);

	testTurns(mode, "task", (kind) => tasks(data, kind),
		{ count: COUNT, turns: TURNS, unit: UNIT, life: ONCE + TURNS * TURN });
	testSleepers(mode, "the runtime", KINDS.flatMap(([kind]) => tasks(data, kind)), TURNS, NAP);
	// tokio's timer has milliseconds, rounded up.
	testSleepsAlone(mode, tasks(data, "naps"), TURNS, NAP, 1.1e6);
	testWaits(mode, tasks(data, "waits"), 20 * UNIT);
	test(`${mode}: one that wakes itself is ready, never awaiting`, () => {
		const [co] = tasks(data, "Countdown");
		want(co.awaiting === 0 && co.ready > 0, JSON.stringify(co));
	});
	test(`${mode}: one that gives way is awaiting until tokio wakes it, within 10 microseconds each time`, () => {
		const [co] = tasks(data, "gives_way");
		console.log(`# ${mode}: awaiting ${co.awaiting} ns in ${TURNS} turns`);
		want(co.awaiting <= TURNS * 10000 && co.ready > 0, JSON.stringify(co));
	});
	for (const [name, how, units, more] of [["gives_way", "gives way", TURNS, 0], ["Countdown", "is a future of the program's own", TURNS, 0],
		["cancelled", "is cancelled", 5, 0], ["pending", "is dropped as its runtime ends", 5, 0], ["fails", "panics", 5, PANIC],
		["local", "is local to its thread", 5 * TURNS, 0], ["one_by_one::{{closure}}", "has no name", 5 * TURNS, 0],
		["forked", "runs in a forked child", 5, 0]])
		test(`${mode}: one that ${how} has its work`, () => {
			const over = wantWork(tasks(data, name), 1, units * UNIT, ONCE + TURNS * TURN + more);
			console.log(`# ${mode}: ${name}: beyond its work ${over} instructions`);
		});
	test(`${mode}: each that runs on two threads in turns has its work`, () => {
		const over = wantWork(tasks(data, "threaded"), 2 * COUNT, TURNS * 5 * UNIT, ONCE + 2 * TURNS * TURN);
		console.log(`# ${mode}: threaded: beyond its work at most ${over} instructions`);
	});
	test(`${mode}: what blocks on a thread of its own is no task`, () => {
		want(coroutinesOf(data, (label) => /block|Launch/.test(label)).length === 0, data.labels.name.join());
	});
	testNothingMissing(mode, read(`known-${mode}.errors`));
	testReportedBy(mode, data, "tokio (without births)");
	testWhole(mode, data);
}

// Without names, tasks are known by their work alone. One that was cancelled by the end of its runtime does its work as the
// thread. Of those that the second had before it was attached to, there are none.
for (const name of ["probed", "attached"]) {
	const of = () => coroutinesOf(page(name), () => true);

	test(`${name}: each task that works has the instructions of its loops, and those that wait have next to none`, () => {
		const counts = of().map((co) => co.instructions).sort((a, b) => a - b);
		const worked = counts.filter((count) => count >= UNIT), waited = counts.filter((count) => count < UNIT);
		const known = [...Array(9).fill(5), ...Array(14).fill(25), ...Array(4).fill(100)];
		want(worked.length === known.length && waited.length >= 3, counts.join(" "));
		const over = worked.map((count, i) => count - known[i] * UNIT);
		console.log(`# ${name}: beyond the loops at most ${Math.max(...over)} instructions, ${waited.length} others at most ${Math.max(...waited)}`);
		want(over.every((count) => count >= 0 && count <= ONCE + 2 * TURNS * TURN + PANIC), over.join(" "));
	});
	test(`${name}: one that waits while another works is awaiting for that long, to within 10 %`, () => {
		const waits = of().filter((co) => co.instructions < UNIT && co.awaiting >= 20 * UNIT && co.awaiting <= 20 * UNIT * 1.1);
		want(waits.length === 1, JSON.stringify(waits));
	});
	test(`${name}: the program does what it does without`, () => {
		want(read(`${name}.output`).replace(/^.* before\n/, "") === read("plain.output"), read(`${name}.output`) + read(`${name}.errors`));
	});
	testReportedBy(name, page(name), "probes");
	testWhole(name, page(name));
}
test("probed: of a program that was stripped it is said that it can't be probed, and how it can", () => {
	want(/stripped has no function transition_to_running of tokio that could be probed: it was stripped/.test(read("probed-stripped.errors")),
		read("probed-stripped.errors"));
});

/** The futures of an async function that are wrapped. */
const wrapped = (data, name) => coroutinesOf(data, (label) => label === `wrapped::${name}`);

test("a program whose futures are wrapped does what it does without", () => {
	want(/^40$/m.test(read("wrapped-plain.output")) && /status 7/.test(read("wrapped-plain.output")),
		read("wrapped-plain.output") + read("wrapped-plain.errors"));
	for (const name of ["wrapped-ioctl", "wrapped-user"])
		want(read(`${name}.output`) === read("wrapped-plain.output"), `${name}: ${read(`${name}.output`)}${read(`${name}.errors`)}`);
});

for (const mode of ["ioctl", "user"]) {
	const data = page(`wrapped-${mode}`), name = `wrapped, ${mode}`;

	testTurns(name, "wrapped future", (kind) => wrapped(data, kind),
		{ count: COUNT, turns: TURNS, unit: UNIT, life: ONCE + TURNS * WRAPPED_TURN });
	testSleepsAlone(name, wrapped(data, "naps"), TURNS, NAP, 0.2e6);
	testWaits(name, wrapped(data, "waits"), 20 * UNIT);
	test(`${name}: one that wakes itself is ready, never awaiting`, () => {
		const [co] = wrapped(data, "Countdown");
		want(co.awaiting === 0 && co.ready > 0, JSON.stringify(co));
	});
	for (const [kind, how, units, turns, more] of [["Countdown", "wakes itself", TURNS, TURNS, 0], ["inner", "is within another", 20 * TURNS, TURNS, 0],
		["outer", "holds another", 10, TURNS, 0], ["cancelled", "is cancelled", 5, 1, 0], ["unborn", "never begins", 5, 1, 0],
		["forgotten", "is forgotten by all who could wake it", 5, 1, 0], ["fails", "panics", 5, 1, PANIC],
		["moved", "is polled by one thread after another", 7 * TURNS, TURNS + 1, 0], ["pooled", "is in a pool of the crate futures", 7 * TURNS, TURNS + 1, 0]])
		test(`${name}: one that ${how} has its work`, () => {
			const over = wantWork(wrapped(data, kind), 1, units * UNIT, ONCE + turns * WRAPPED_TURN + more);
			console.log(`# ${name}: ${kind}: beyond its work ${over} instructions`);
		});
	test(`${name}: one that has a name of its own has its work`, () => {
		wantWork(coroutinesOf(data, (label) => label === "named by hand"), 1, 5 * UNIT, ONCE);
	});
	test(`${name}: each in a pool of two threads of the crate futures has its work`, () => {
		const over = wantWork(wrapped(data, "threaded"), 2 * COUNT, TURNS * 5 * UNIT, ONCE + 4 * TURNS * WRAPPED_TURN);
		console.log(`# ${name}: threaded: beyond its work at most ${over} instructions`);
	});
	testNothingMissing(name, read(`wrapped-${mode}.errors`));
	testReportedBy(name, data, "Rust futures");
	testWhole(name, data);
}

finish();
