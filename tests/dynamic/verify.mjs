// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER: holds what was recorded there against what the programs are known to do. Prints TAP.
import { readFileSync } from "node:fs";
import { coroutinesOf, finish, recordedIn, test, testNothingMissing, testWhole, want, wantWork } from "../verify.mjs";

// As in known.rb: coroutines of a kind, turns, instructions of a unit, a nap in ns; and what Ruby takes for a fiber, at most.
const [COUNT, TURNS, UNIT, NAP] = [4, 5, 3 * 50000, 2e6];
const LIFE = 200000;

const { page, read } = recordedIn(process.argv[2]);
const source = readFileSync(new URL("known.rb", import.meta.url), "utf8").split("\n");

/** How a fiber is called whose block, or enumerator, has that comment. */
function label(kind) {
	return `/dynamic/known.rb:${1 + source.findIndex((line) => line.endsWith(` # ${kind}`))}`;
}

for (const mode of ["ioctl", "auto"]) {
	const name = `ruby, ${mode}`;
	const data = page(`ruby-${mode}`);
	const fibers = (kind) => coroutinesOf(data, (text) => text === label(kind) || text === `next@${label(kind)}`);

	test(`${name}: a program does what it does without`, () => {
		want(/^104$/m.test(read("plain-ruby.output")) && /status 7/.test(read("plain-ruby.output")), read("plain-ruby.output") + read("plain-ruby.errors"));
		want(read(`ruby-${mode}.output`) === read("plain-ruby.output"), read(`ruby-${mode}.output`) + read(`ruby-${mode}.errors`));
	});
	testNothingMissing(name, read(`ruby-${mode}.errors`));
	test(`${name}: each fiber has the instructions of its loops, 1 : 5 : 20`, () => {
		const most = [["light", 1], ["middle", 5], ["heavy", 20]].map(([kind, units]) =>
			wantWork(fibers(kind), COUNT, TURNS * units * UNIT, LIFE));
		console.log(`# ${name}: beyond the loops at most ${most} instructions in ${TURNS} turns`);
	});
	test(`${name}: so has one that fails, is given up, resumes another, runs on a thread, in a child of fork(), for an enumerator`, () => {
		const kinds = [["fails", 5], ["given_up", 5], ["inner", 10], ["outer", 2], ["threaded", 10], ["forked", 5], ["each", 10], ["waits", 2], ["works", 80]];
		const most = kinds.map(([kind, units]) => wantWork(fibers(kind), 1, units * UNIT, LIFE));
		console.log(`# ${name}: beyond the loops ${most} instructions`);
		want(fibers("inner")[0].parent === fibers("outer")[0].id, JSON.stringify(fibers("inner")));
	});
	test(`${name}: one that waits while the program sleeps, or that sleeps by a scheduler, is suspended for that long`, () => {
		for (const kind of ["naps", "sleeps"]) {
			const [co] = fibers(kind);
			console.log(`# ${name}: ${kind}: suspended ${co.suspended} ns, asleep ${TURNS * NAP} ns`);
			want(co.suspended >= TURNS * NAP && co.suspended <= TURNS * (NAP + 0.5e6), JSON.stringify(co));
		}
	});
	test(`${name}: what waits for another is awaiting until that has come, and ready while the other goes on`, () => {
		const [co] = fibers("waits");
		console.log(`# ${name}: awaiting ${co.awaiting} ns, the other slept ${NAP}; ready ${co.ready} ns, it worked ${80 * UNIT}`);
		want(co.awaiting >= NAP && co.awaiting <= NAP + 1e6, JSON.stringify(co));
		want(co.ready >= 80 * UNIT && co.ready <= 80 * UNIT + 0.4e6, JSON.stringify(co));
	});
	testWhole(name, data);
}

// As in known.erl; what Erlang takes for a process, at most.
const [ERLANG_NAP, ERLANG_LIFE] = [20e6, 60000];

for (const mode of ["ioctl", "auto"]) {
	const name = `erlang, ${mode}`;
	const data = page(`erlang-${mode}`);
	const processes = (kind) => coroutinesOf(data, (text) => text.startsWith(`known:${kind}/`) || text === kind);

	test(`${name}: a program does what it does without`, () => {
		want(/^104$/m.test(read("plain-erlang.output")) && /status 7/.test(read("plain-erlang.output")), read("plain-erlang.output") + read("plain-erlang.errors"));
		want(read(`erlang-${mode}.output`) === read("plain-erlang.output"), read(`erlang-${mode}.output`) + read(`erlang-${mode}.errors`));
	});
	testNothingMissing(name, read(`erlang-${mode}.errors`));
	test(`${name}: each process has the instructions of its loops, 1 : 5 : 20`, () => {
		const most = [["light", 1], ["middle", 5], ["heavy", 20]].map(([kind, units]) =>
			wantWork(processes(kind), COUNT, TURNS * units * UNIT, ERLANG_LIFE));
		console.log(`# ${name}: beyond the loops at most ${most} instructions in ${TURNS} turns`);
	});
	test(`${name}: so has one that fails, is killed, begins another, gives way, has a name`, () => {
		const kinds = [["fails", 5], ["killed", 5], ["inner", 10], ["outer", 2], ["gives_way", 5], ["some_name", 5]];
		const most = kinds.map(([kind, units]) => wantWork(processes(kind), 1, units * UNIT, ERLANG_LIFE));
		console.log(`# ${name}: beyond the loops ${most} instructions`);
		want(processes("inner")[0].parent === processes("outer")[0].id, JSON.stringify(processes("inner")));
	});
	test(`${name}: one that waits is suspended for that long`, () => {
		const [co] = processes("naps");
		console.log(`# ${name}: suspended ${co.suspended} ns, asked for ${TURNS * ERLANG_NAP} ns`);
		want(co.suspended >= TURNS * ERLANG_NAP && co.suspended <= TURNS * (ERLANG_NAP + 2e6), JSON.stringify(co));
	});
	testWhole(name, data);
}

finish();
