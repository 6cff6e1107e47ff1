// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER: holds what was recorded against what the programs are known to do. Prints TAP.
import { coroutinesOf, finish, recordedIn, test, testReportedBy, testSleepsAlone, testWaits, testWhole, want, wantWhole, wantWork } from "../../harness/verify.mjs";

const { read, page } = recordedIn(process.argv[2]);

// As in known.cc: coroutines of a kind, turns, instructions of a unit; the nap of a fiber in ns.
const [COUNT, TURNS, UNIT, NAP] = [4, 5, 3 * 40000, 2e6];
const KINDS = [["light", 1], ["middle", 5], ["heavy", 20]];

/** The coroutines whose label holds @text. */
const coroutines = (data, text) => coroutinesOf(data, (label) => text.test(label));

// What each layer takes for itself, at most: for a coroutine, and for a turn. And how many slices each coroutine has; in the two
// layers that switch to a coroutine for themselves as well, all have as many as each other. Fibers wait for locks, too.
const LAYERS = [
	["Boost.Context's functions", (kind) => new RegExp(`raw::${kind}\\(`), 6000, 600, TURNS],
	["Boost.Context", (kind) => new RegExp(`context::${kind}\\b`), 15000, 1000, "equal"],
	// A source that is given up is unwound by an exception.
	["Boost.Coroutine2", (kind) => new RegExp(`coroutine2::${kind}\\b`), 50000, 1000, "equal"],
	["Boost.Coroutine", (kind) => new RegExp(`coroutine1::${kind}\\b`), 4000, 1000, TURNS + 1],
	["Boost.Fiber", (kind) => new RegExp(`fiber::${kind}\\b`), 20000, 4000, 0],
];

test("a program with Boost's coroutines does what it does without", () => {
	want(/status 7/.test(read("plain.output")), read("plain.output"));
	for (const name of ["off", "known-ioctl", "known-user"])
		want(read(`${name}.output`) === read("plain.output"), `${name}: ${read(`${name}.output`)}`);
});

for (const mode of ["ioctl", "user"]) {
	const data = page(`known-${mode}`);

	for (const [layer, pattern, once, turn, switched] of LAYERS) {
		test(`${mode}: ${layer}: each coroutine has the instructions of its loops, 1 : 5 : 20`, () => {
			const most = KINDS.map(([kind, units]) => {
				const [work, beyond] = [TURNS * units * UNIT, once + TURNS * turn];
				return wantWork(coroutines(data, pattern(kind)), COUNT, work, beyond);
			});
			console.log(`# ${mode}: ${layer}: beyond the loops at most ${Math.max(...most)} instructions in ${TURNS} turns`);
		});
		if (switched)
			test(`${mode}: ${layer}: each coroutine has a slice for each time that it is switched to, also the first one of its kind`, () => {
				const slices = KINDS.flatMap(([kind]) => coroutines(data, pattern(kind)).map((co) => co.slices));
				const each = switched === "equal" ? slices.at(-1) : switched;
				want(each > TURNS - 1 && slices.every((n) => n === each), `${slices}, not ${each} each`);
			});
	}
	test(`${mode}: Boost.Fiber: fibers move between the two threads`, () => {
		const moves = KINDS.flatMap(([kind]) => coroutines(data, new RegExp(`fiber::${kind}\\b`)).map((co) => co.migrations));
		console.log(`# ${mode}: slices of fibers on another thread than the one before: ${moves}`);
		want(moves.some((n) => n > 0), moves.join());
	});
	test(`${mode}: Boost.Fiber: each was awaiting for at least as long as it slept, and then ready`, () => {
		for (const [kind] of KINDS)
			for (const co of coroutines(data, new RegExp(`fiber::${kind}\\b`))) {
				want(co.awaiting >= TURNS * NAP, `${co.label}: awaiting ${co.awaiting} ns of ${TURNS * NAP}`);
				want(co.ready > 0 && co.awaiting + co.ready <= co.suspended, JSON.stringify(co));
			}
	});
	testSleepsAlone(`${mode}: Boost.Fiber`, coroutines(data, /fiber::naps\b/), TURNS, NAP, NAP / 10);
	testWaits(`${mode}: Boost.Fiber`, coroutines(data, /fiber::waits\b/), 20 * UNIT);
	test(`${mode}: Boost.Fiber: a thread all of whose fibers sleep is idle, and no coroutine is blocked`, () => {
		const blocked = coroutinesOf(data, () => true).reduce((sum, co) => sum + co.blocked, 0);
		const idle = data.threads.times.idle.reduce((sum, time) => sum + Number(time), 0);
		console.log(`# ${mode}: coroutines blocked ${blocked} ns, threads idle ${idle} ns`);
		want(coroutinesOf(data, (label) => /dispatcher/.test(label)).length === 0, data.labels.name.join());
		// One fiber slept alone for as long.
		want(blocked < TURNS * NAP && idle >= TURNS * NAP, `blocked ${blocked} ns, idle ${idle} ns`);
	});
	test(`${mode}: what a coroutine does as it is unwound is its own, and so is what it does before it throws`, () => {
		wantWork(coroutines(data, /context::unwound/), 1, 5 * UNIT, 100000);
		wantWork(coroutines(data, /coroutine2::throws/), 1, 5 * UNIT, 100000);
	});
	test(`${mode}: a coroutine in the middle of which the program forks goes on in both`, () => {
		const found = coroutines(data, /raw::forked\(/);
		const work = found.map((co) => Math.floor(co.instructions / UNIT)).sort();
		want(found.length === 2 && found[0].process !== found[1].process, JSON.stringify(found));
		want(String(work) === "1,2", `units of work: ${work}`);
	});
	testWhole(mode, data);
}
test("a program with coroutines of C++20 does what it does without", () => {
	want(read("coroutines-plain.output") === "own 520\nasio 11520\nstatus 3\n", read("coroutines-plain.output"));
	for (const mode of ["ioctl", "user"])
		want(read(`coroutines-${mode}.output`) === read("coroutines-plain.output"), read(`coroutines-${mode}.output`));
});

for (const mode of ["ioctl", "user"]) {
	const data = page(`coroutines-${mode}`);
	const named = (text) => coroutines(data, text);

	// What a coroutine's own code takes beyond the loops: for its life, and for a turn.
	for (const [type, space, once, turn] of [["a program's own type", "own", 3000, 200], ["Asio", "tasks", 5000, 3000]])
		test(`${mode}: C++20, ${type}: each coroutine has the instructions of its loops, 1 : 5 : 20`, () => {
			const most = KINDS.map(([kind, units]) => wantWork(named(new RegExp(`^${space}::${kind}\\(`)), COUNT,
				TURNS * units * UNIT, once + TURNS * turn));
			console.log(`# ${mode}: C++20, ${type}: beyond the loops at most ${Math.max(...most)} instructions in ${TURNS} turns`);
		});
	test(`${mode}: C++20: a program that wakes its coroutines has them awaiting, and then ready`, () => {
		for (const [kind] of KINDS)
			for (const co of named(new RegExp(`^own::${kind}\\(`)))
				want(co.awaiting > 0 && co.ready > 0 && co.awaiting + co.ready <= co.suspended, JSON.stringify(co));
	});
	test(`${mode}: Asio: each coroutine that sleeps is suspended for at least as long`, () => {
		for (const [kind] of KINDS)
			for (const co of named(new RegExp(`^tasks::${kind}\\(`)))
				want(co.suspended >= TURNS * NAP, `${co.label}: suspended ${co.suspended} ns of ${TURNS * NAP}`);
	});
	test(`${mode}: Asio: what a coroutine awaits, and what it spawns, is not charged to it`, () => {
		// The one that is awaited throws, the other catches.
		wantWork(named(/^tasks::awaits\(/), 1, UNIT, 100000);
		wantWork(named(/^tasks::awaited\(/), 1, 20 * UNIT, 100000);
		wantWork(named(/^tasks::spawns\(/), 1, UNIT, 20000);
		wantWork(named(/^tasks::spawned\(/), 1, 20 * UNIT, 20000);
		want(named(/^tasks::awaited\(/)[0].parent === named(/^tasks::awaits\(/)[0].id, "the one that awaits is the parent");
	});
	test(`${mode}: Asio: one that takes a timer is called by that, without what a timer is made of`, () => {
		want(named(/^tasks::nap\(boost::asio::basic_waitable_timer<\.\.\.>&\)$/).length > 0, data.labels.name.join());
	});
	test(`${mode}: Asio: one that still waits when its executor is destroyed has what it did`, () => {
		wantWork(named(/^tasks::waits_for_ever\(/), 1, 5 * UNIT, 20000);
	});
	testReportedBy(`${mode}: C++20`, data, "C++20 (without wakes); Asio (without wakes)");
	test(`${mode}: C++20: nothing is lost, and the sums hold`, () => wantWhole(data));
}
test("the recursor answers as it does without", () => {
	for (const name of ["dns", "dns-attached"])
		want(read(`${name}.output`) === read("dns-plain.output"), `${name}: ${read(`${name}.output`)}`);
	want(read("dns.output").match(/^good\d+: 10\.0\.0/gm)?.length === 40, read("dns.output"));
	want(read("dns.output").match(/^fail\d+: error 2/gm)?.length === 10, read("dns.output"));
});
for (const [name, how] of [["dns", "recorded from its start"], ["dns-attached", "attached to"]]) {
	testReportedBy(`the recursor, ${how}`, page(name), "Boost (without wakes, ends)");
	test(`the recursor, ${how}: its queries are coroutines`, () => {
		const data = page(name);
		const found = coroutines(data, /pdns_recursor/).filter((co) => co.slices > 1);
		const each = found.reduce((sum, co) => sum + co.instructions, 0) / found.length;
		console.log(`# recursor, ${how}: ${found.length} coroutines, ${Math.round(each)} instructions each`);
		// Others keep house.
		want(found.length >= 50 && found.length < 100, `${found.length} coroutines for 50 queries`);
		want(each > 20000 && each < 400000, `${each} instructions each`);
		want(Number(data.recording.unreported) === 0, `${data.recording.unreported} slices`);
		wantWhole(data);
	});
}

finish();
