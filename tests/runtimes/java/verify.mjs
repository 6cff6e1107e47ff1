// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER: holds what was recorded against what the programs are known to do. Prints TAP.
import { coroutinesOf, finish, recordedIn, test, testSleepsAlone, testTurns, testWaits, testWhole, want, wantWhole, wantWork } from "../../harness/verify.mjs";

const { read, page } = recordedIn(process.argv[2]);

// As in Known.java: threads of a kind, turns, instructions of a unit; a nap in ns.
const [COUNT, TURNS, UNIT, NAP] = [4, 5, 3 * 200000, 2e6];
const KINDS = [["light", 1], ["middle", 5], ["heavy", 20]];
// What the JVM takes for itself, at most, interpreting: to begin and end a thread, and for a turn. What is done for the
// first time has classes loaded: once for a function, and much for an executor.
const [ONCE, TURN, FIRST] = [60000, 50000, 2e6];

/** The virtual threads of a name, or, without one, of a function. */
const threads = (data, name) => coroutinesOf(data, (label) => label === name || label.startsWith(`Known.${name}@Known.java:`));

test("a program with virtual threads does what it does without", () => {
	want(/^done$/m.test(read("plain.output")) && /status 7/.test(read("plain.output")), read("plain.output") + read("plain.errors"));
	for (const name of ["off", "known-ioctl", "known-user", "known-threads"])
		want(read(`${name}.output`) === read("plain.output"), `${name}: ${read(`${name}.output`)}${read(`${name}.errors`)}`);
});
test("the JVM says nothing of the adapter", () => {
	const own = (text) => text.split("\n").filter((line) => !line.startsWith("coroprof-read: ")).join("\n");

	for (const name of ["off", "known-ioctl", "known-user", "known-threads"])
		want(own(read(`${name}.errors`)) === read("plain.errors"), read(`${name}.errors`));
});

for (const mode of ["ioctl", "user", "threads"]) {
	const data = page(`known-${mode}`);

	testTurns(mode, "virtual thread", (kind) => threads(data, kind),
		{ count: COUNT, turns: TURNS, unit: UNIT, life: ONCE + TURNS * TURN });
	test(`${mode}: each was started by the one that started it`, () => {
		const [starts] = threads(data, "starts");
		for (const [kind] of KINDS)
			for (const co of threads(data, kind)) want(co.parent === starts.id, `${co.label}: ${co.parent}, not ${starts.id}`);
	});
	test(`${mode}: one that sleeps is awaiting until its time has come, and then ready`, () => {
		for (const [kind] of KINDS)
			for (const co of threads(data, kind)) {
				// Its time runs from before it gives its platform thread up: until then another may have the processor.
				want(co.awaiting + co.preempted >= TURNS * NAP, `${co.label}: awaiting ${co.awaiting} ns of ${TURNS * NAP}`);
				want(co.ready > 0 && co.awaiting + co.ready === co.suspended, JSON.stringify(co));
			}
	});
	testSleepsAlone(mode, threads(data, "naps"), TURNS, NAP, 0.2e6);
	testWaits(mode, threads(data, "waits"), 20 * UNIT);
	test(`${mode}: one that waits for a monitor is blocked, as Java 21 keeps its platform thread`, () => {
		const [co] = threads(data, "monitors");
		wantWork([co], 1, 5 * UNIT, FIRST);
		want(co.awaiting === 0 && co.blocked >= 20 * UNIT && co.blocked <= 20 * UNIT * 1.1, JSON.stringify(co));
	});
	for (const [name, how, units] of [["interrupted", "is interrupted", 5], ["fails", "fails", 5],
		["unnamed", "has no name", 5 * TURNS], ["lambda$submits$1", "is an executor's", 5 * TURNS]])
		test(`${mode}: one that ${how} has its work`, () => {
			const more = wantWork(threads(data, name), 1, units * UNIT, FIRST);
			console.log(`# ${mode}: ${name}: beyond its work ${more} instructions`);
		});
	testWhole(mode, data);
}
test("an HTTP server answers as it does without", () => {
	for (const name of ["server", "server-attached"])
		want(read(`${name}.output`) === read("server-plain.output"), `${name}: ${read(`${name}.output`)}`);
	want(read("server.output").match(/^waited$/gm)?.length === 5 && /status 3/.test(read("server.output")), read("server.output") + read("server.log"));
});
for (const [name, how] of [["server", "recorded from its start"], ["server-attached", "attached to by jcmd"]])
	test(`${how}: each request is a coroutine, and those that wait are awaiting`, () => {
		const data = page(name);
		// What never waits is called by the class of its task.
		const waiting = coroutinesOf(data, (label) => label.startsWith("Server.waits@Server.java:"));
		const others = coroutinesOf(data, (label) => label === "sun.net.httpserver.ServerImpl$Exchange");
		want(waiting.length === 5 && others.length >= 11, `${waiting.length} that wait, and ${others.length} others`);
		for (const co of waiting) want(co.awaiting >= 4e6 && co.awaiting <= 5.5e6, JSON.stringify(co));
		for (const co of others) want(co.awaiting === 0, JSON.stringify(co));
		wantWhole(data);
	});

finish();
