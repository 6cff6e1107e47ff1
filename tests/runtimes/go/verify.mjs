// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER: holds what was recorded against what the programs are known to do. Prints TAP.
import { coroutinesOf, finish, recordedIn, test, testWhole, want, wantWhole, wantWork } from "../../harness/verify.mjs";

const { read, page } = recordedIn(process.argv[2]);

// As in known.go: goroutines of a kind, turns, rounds of a unit's loop; a nap in ns.
const [COUNT, TURNS, ROUNDS, NAP] = [4, 5, 200000, 2e6];
const KINDS = [["light", 1], ["middle", 5], ["heavy", 20]];
// What Go takes for itself, at most: to begin and end a goroutine, and for a turn.
const [ONCE, TURN] = [20000, 10000];

const goroutines = (data, name) => coroutinesOf(data, (label) => label === `main.${name}`);

/** The instructions of a round of the loop: a whole number, which is that of the compiler. */
function roundOf(data) {
	const least = (name) => Math.min(...goroutines(data, name).map((co) => co.instructions));
	return Math.round((least("heavy") - least("light")) / (19 * TURNS * ROUNDS));
}

test("a program of Go does what it does without", () => {
	want(/^520$/m.test(read("plain.output")) && /status 7/.test(read("plain.output")), read("plain.output") + read("plain.errors"));
	for (const name of ["off", "known-1", "known-4"])
		want(read(`${name}.output`) === read("plain.output"), `${name}: ${read(`${name}.output`)}${read(`${name}.errors`)}`);
});

for (const procs of [1, 4]) {
	const data = page(`known-${procs}`);
	const unit = roundOf(data) * ROUNDS;

	test(`GOMAXPROCS=${procs}: each goroutine has the instructions of its loops, 1 : 5 : 20`, () => {
		want(unit > 0, `${unit} instructions`);
		const most = KINDS.map(([kind, units]) =>
			wantWork(goroutines(data, kind), COUNT, TURNS * units * unit, ONCE + TURNS * TURN));
		console.log(`# GOMAXPROCS=${procs}: ${unit / ROUNDS} instructions a round; beyond the loops at most ${Math.max(...most)}`);
	});
	for (const [name, units] of [["yields", TURNS], ["fails", 5], ["answers", 20]])
		test(`GOMAXPROCS=${procs}: the one that ${name} has its work`, () => {
			wantWork(goroutines(data, name), 1, units * unit, ONCE + TURNS * TURN);
		});
	test(`GOMAXPROCS=${procs}: one that sleeps is awaiting at least as long`, () => {
		for (const [kind] of KINDS)
			for (const co of goroutines(data, kind))
				want(co.awaiting >= TURNS * NAP && co.awaiting + co.ready === co.suspended, JSON.stringify(co));
	});
	test(`GOMAXPROCS=${procs}: one that only hands its processor on is ready, and never awaiting`, () => {
		const [co] = goroutines(data, "yields");
		want(co.slices > TURNS && co.awaiting === 0 && co.ready > 0, JSON.stringify(co));
	});
	test(`GOMAXPROCS=${procs}: one that waits for another that works is awaiting for as long`, () => {
		const [co] = goroutines(data, "waits");
		// An instruction a nanosecond.
		want(co.awaiting >= 20 * unit, JSON.stringify(co));
	});
	testWhole(`GOMAXPROCS=${procs}`, data);
}

// As in ways/: units of the three of a way; those of the coroutines of iter.Pull(), in turns.
const SIZES = [1, 5, 20];
const PULLED = [1, 5, 5, 20, 25, 100];
const WAYS = ["sleeps", "blocks", "calls", "talks", "locks", "yields", "spins", "alone", "last"];
const PULLING = ["pulls", "passes"];
// Who never waits for anything but a processor.
const NEVER_AWAITING = ["blocks", "calls", "yields", "spins", "last"];
// What Go takes for itself, at most: to begin threads and goroutines, for a slice, and for a call of the kernel.
const [BEGIN, SLICE, CALL] = [50000, 1500, 400];
// One goroutine pays for the heap's growth: since 1.26 that begins anywhere, and the runtime looks through all that is behind it.
const GROWTH = 140000;

const byWork = (a, b) => a.instructions - b.instructions;

/** What each has beyond its loops that its slices and calls do not explain. */
function beyond(found, units, unit, calls = () => 0) {
	want(found.length === units.length, `${found.length} goroutines of ${units.length}`);
	return found.sort(byWork).flatMap((co, i) => {
		const more = co.instructions - units[i] * unit;
		want(more >= 0, `${co.label}: ${co.instructions}, its loops are ${units[i] * unit}`);
		const rest = more - BEGIN - SLICE * co.slices - CALL * calls(i);
		return rest > 0 ? [`${co.label}: ${rest}`] : [];
	});
}

// With a profile the compiler has put schedule() into its callers.
const BUILDS = ["bookworm", "trixie", "sid", "profiled-trixie", "profiled-sid"];

for (const [suite, ways] of BUILDS.map((suite) => [suite, suite === "bookworm" ? WAYS : [...WAYS, ...PULLING]]))
	for (const procs of [1, 4]) {
		const name = `ways-${suite}-${procs}`, data = page(name);
		const [least, , most] = goroutines(data, "spins").sort(byWork);
		const unit = Math.round((most.instructions - least.instructions) / (19 * TURNS * ROUNDS)) * ROUNDS;

		test(`${name}: it does what it does without`, () => {
			want(read(`${name}.output`) === `130 ${ways.length}\nstatus 7\n`, read(`${name}.output`) + read(`${name}.errors`));
		});
		test(`${name}: whichever way a goroutine leaves, it has the instructions of its loops, 1 : 5 : 20`, () => {
			const over = ways.flatMap((way) => beyond(goroutines(data, way), SIZES.map((units) => units * TURNS), unit,
				(i) => (way === "calls" ? SIZES[i] * TURNS : 0)));
			if (ways !== WAYS)
				over.push(...beyond(coroutinesOf(data, (label) => label === "runtime.corostart"), PULLED, unit));
			const grown = over.filter((text) => Number(text.match(/\d+$/)[0]) <= GROWTH);
			want(over.length === grown.length && grown.length <= (suite.endsWith("sid") ? 1 : 0), over.join("\n"));
		});
		test(`${name}: who waits for a processor alone is ready, and never awaiting`, () => {
			for (const way of NEVER_AWAITING)
				for (const co of goroutines(data, way))
					// -1, n/a: one that a new thread began with, of which it can't be sure; what is known is ready.
					want(co.awaiting <= 0 && co.ready === co.suspended, JSON.stringify(co));
		});
		testWhole(name, data);
	}

// As in foreign/: rounds of a loop in C, of two instructions at least; far more than Go takes for itself.
const FOREIGN = 10e6 * 2;

for (const suite of ["bookworm", "trixie", "sid"])
	for (const procs of [1, 4]) {
		const name = `foreign-${suite}-${procs}`, data = page(name);
		const units = Number(read(`${name}.output`).match(/^\d+/));

		test(`${name}: what a thread of C's does, in C and in Go, is no goroutine's`, () => {
			want(/status 7/.test(read(`${name}.output`)) && units > 0, read(`${name}.output`) + read(`${name}.errors`));
			const all = coroutinesOf(data, (label) => label !== "main.spins");
			want(all.every((co) => co.instructions < FOREIGN), JSON.stringify(all));
			const threads = data.threads.values[data.instructions].count;
			want(threads.some((count) => count >= TURNS * FOREIGN), threads.join(" "));
		});
		test(`${name}: and a goroutine beside it has the instructions of its loops`, () => {
			const [co] = goroutines(data, "spins");
			const round = Math.round(co.instructions / (units * ROUNDS));
			want(beyond([co], [units], round * ROUNDS).length === 0, `${co.instructions}, ${units} units`);
		});
	}

test("with --threads a program of Go that has C in it is recorded as without: by probes", () => {
	const data = page("foreign-threads");

	want(goroutines(data, "spins").length === 1, data.labels.name.join());
	want(data.processes.reported_by.every((one) => one === "probes"), data.processes.reported_by.join());
});

// As in polls.go: who reads, units of each of them a turn, and of the one who works on, at the end.
const READERS = ["first", "second", "third", "fourth"];
const [UNITS, NAPS, LONG] = [5, 5e6, 100];
// Go's own thread asks the poller when nobody has for 10 ms, and looks for that every 10 ms at most.
const UNASKED = 20e6;
// On the one processor Go's sysmon thread looks around every 20 µs, some 60 times after each nap, before it does so less often;
// and the kernel's ticks. However long the goroutines work, so that it is no part of that.
const LOOKS = 300e3;

for (const suite of ["bookworm", "trixie", "sid"]) {
	const name = `polls-${suite}`, data = page(name);
	const of = (label) => goroutines(data, label)[0];
	const before = read(`${name}.output`).match(/\d+/g).slice(0, READERS.length).map(Number);
	// An instruction a nanosecond, and what the kernel does meanwhile.
	const unit = Math.round(of("first").instructions / (TURNS * UNITS * ROUNDS)) * ROUNDS;
	const wantTime = (ns, known, more, what) =>
		want(ns >= known && ns <= known * 1.02 + more, `${what} ${ns}, known are ${known}`);

	test(`${name}: one that waits for a pipe is ready while those work that are ready with it`, () => {
		want(before.toString() === [75, 50, 25, 0].toString() && /status 7/.test(read(`${name}.output`)),
			read(`${name}.output`) + read(`${name}.errors`));
		READERS.forEach((label, i) => wantTime(of(label).ready, before[i] * unit, TURNS * LOOKS, `${label} is ready`));
	});
	test(`${name}: and awaiting as long as its pipe is empty`, () => {
		READERS.forEach((label, i) => {
			// Behind its last turn there is no gap.
			const behind = (before[0] - before[i]) * (TURNS - 1) / TURNS;
			wantTime(of(label).awaiting, TURNS * NAPS + behind * unit, TURNS * LOOKS, `${label} is awaiting`);
		});
	});
	test(`${name}: one whose pipe is filled by one that works on is ready from when Go asks the poller`, () => {
		const { awaiting, ready, suspended } = of("waits");
		want(awaiting + ready === suspended && suspended >= NAPS + LONG * unit, `${awaiting} + ${ready}, ${suspended}`);
		want(awaiting >= NAPS && awaiting <= NAPS + UNASKED + 1e6, `awaiting ${awaiting}`);
	});
	testWhole(name, data);
}

test("where Go makes lists of goroutines ready is not known: that is said, and what these wait is suspended", () => {
	const data = page("polls-unknown");
	const [first] = goroutines(data, "first"), [last] = goroutines(data, "fourth");

	want(/when they become ready is not recorded/.test(read("polls-unknown.errors")) && /status 7/.test(read("polls-unknown.output")),
		read("polls-unknown.output") + read("polls-unknown.errors"));
	want(first.suspended > 0 && first.awaiting === -1 && first.ready === -1, JSON.stringify(first));
	// The scheduler goes on with it at once, and tells.
	want(last.awaiting + last.ready === last.suspended, JSON.stringify(last));
});
for (const suite of ["bookworm", "trixie", "sid"])
	test(`polls-${suite}: nothing is said to be unknown`, () => {
		want(!/when they become ready is not recorded/.test(read(`polls-${suite}.errors`)), read(`polls-${suite}.errors`));
	});

// As in short.go: what is short, and ends each time or goes on; an instruction a nanosecond, so that the rest is the kernel's.
const SHORT = [["short", 4000], ["hands", 4002]];

for (const suite of ["bookworm", "trixie", "sid"]) {
	const name = `short-${suite}`, data = page(name);
	const { labels } = data;
	const label = (of) => labels.name.indexOf(`main.${of}`);
	const cpu = (output) => Number(read(`${output}.output`).match(/^cpu (\d+)$/m)[1]);

	test(`${name}: the overhead is what the program runs longer than alone, to a quarter`, () => {
		const longer = cpu(name) - cpu(`${name}-alone`), { overhead } = data.recording;
		console.log(`# ${name}: ${overhead} ns of ${longer}`);
		want(overhead >= longer * 0.75 && overhead <= longer * 1.25, `${overhead} ns, it runs ${longer} ns longer`);
	});
	// What a probe costs was measured when the recording began, of another program: an estimate.
	for (const [of, slices] of SHORT)
		test(`${name}: of main.${of} the probes took more than half of what the kernel did, and no more than all, to a twentieth`, () => {
			const i = label(of);
			const kernel = labels.running[i] - labels.instructions_counted[i];
			console.log(`# ${name}: main.${of}: ${labels.probes[i]} ns of ${kernel}`);
			want(labels.slices[i] === slices, `${labels.slices[i]} slices, not ${slices}`);
			want(labels.probes[i] >= kernel / 2 && labels.probes[i] <= kernel * 1.05, `${labels.probes[i]} ns, in the kernel ${kernel}`);
		});
	test(`${name}: of what runs long that is next to nothing`, () => {
		const i = label("long");
		want(labels.probes[i] < labels.running[i] / 1000, `${labels.probes[i]} ns of ${labels.running[i]}`);
	});
	test(`${name}: a finding names who is short`, () => {
		want(data.findings.text.some((text) => /^main\.(short|hands) ran for .* its probes took/.test(text)), data.findings.text.join("\n"));
	});
	testWhole(name, data);
}

test("a server on net/http answers as it does without", () => {
	for (const name of ["server", "server-attached"])
		want(read(`${name}.output`) === read("server-plain.output"), `${name}: ${read(`${name}.output`)}`);
	want(read("server.output").match(/^waited$/gm)?.length === 5 && /status 0/.test(read("server.output")),
		read("server.output") + read("server.log"));
});
for (const [name, how] of [["server", "recorded from its start"], ["server-attached", "attached to as it runs"]])
	test(`${how}: goroutines of connections and requests have their names and work`, () => {
		const data = page(name);
		const connections = coroutinesOf(data, (label) => label === "net/http.(*conn).serve");
		const hashes = goroutines(data, "hash");
		want(connections.length >= 15, `${connections.length} connections of 15`);
		want(hashes.length === 5, `${hashes.length} goroutines of 5`);
		for (const co of connections)
			want(co.awaiting >= 0 && co.awaiting + co.ready === co.suspended, JSON.stringify(co));
		for (const co of hashes)
			want(Math.abs(co.instructions / hashes[0].instructions - 1) < 0.001, `${co.instructions}, not ${hashes[0].instructions}`);
		wantWhole(data);
	});
test("one that sleeps 20 ms alone is awaiting for that long, to within a millisecond", () => {
	const [co] = goroutines(page("server"), "quit.func1");
	want(co.awaiting >= 20e6 && co.awaiting <= 21e6, JSON.stringify(co));
});
test("who may not probe is told so, and the program runs", () => {
	want(/^520$/m.test(read("unprivileged.output")) && /CAP_PERFMON/.test(read("unprivileged.errors")),
		read("unprivileged.output") + read("unprivileged.errors"));
});
test("a function that is not there is named", () => {
	want(/no function main\.nowhere/.test(read("no-function.errors")) && /status 125/.test(read("no-function.output")),
		read("no-function.errors"));
});

finish();
