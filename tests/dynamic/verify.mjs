// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER...: holds what was recorded in each guest against what the programs are known to do. Prints TAP.
import { readFileSync } from "node:fs";
import { coroutinesOf, finish, recordedIn, test, testNothingMissing, testWhole, want, wantWork } from "../verify.mjs";

// As in known.rb: coroutines of a kind, turns, instructions of a unit, a nap in ns; and what Ruby takes for a fiber, at most.
const [COUNT, TURNS, UNIT, NAP] = [4, 5, 3 * 50000, 2e6];
const LIFE = 200000;
// As in known.erl and known.exs; what Erlang takes for a process, at most.
const [ERLANG_NAP, ERLANG_LIFE] = [20e6, 60000];

const source = readFileSync(new URL("known.rb", import.meta.url), "utf8").split("\n");

/** How a fiber is called whose block, or enumerator, has that comment. */
function label(kind) {
	return `/dynamic/known.rb:${1 + source.findIndex((line) => line.endsWith(` # ${kind}`))}`;
}

function testSame(name, read, language, mode) {
	const plain = read(`plain-${language}.output`), recorded = read(`${language}-${mode}.output`);

	test(`${name}: a program does what it does without`, () => {
		want(/^104$/m.test(plain) && /status 7/.test(plain), plain + read(`plain-${language}.errors`));
		want(recorded === plain, recorded + read(`${language}-${mode}.errors`));
	});
	testNothingMissing(name, read(`${language}-${mode}.errors`));
}

/** @found: the coroutines of a kind; each has the instructions of its loops. */
function testTurns(name, each, found, life) {
	test(`${name}: each ${each} has the instructions of its loops, 1 : 5 : 20`, () => {
		const most = [["light", 1], ["middle", 5], ["heavy", 20]].map(([kind, units]) =>
			wantWork(found(kind), COUNT, TURNS * units * UNIT, life));
		console.log(`# ${name}: beyond the loops at most ${most} instructions in ${TURNS} turns`);
	});
}

/** @kinds: those of which there is one, with the units of its loops. */
function testKinds(name, how, kinds, found, life) {
	test(`${name}: so has one that ${how}`, () => {
		const most = kinds.map(([kind, units]) => wantWork(found(kind), 1, units * UNIT, life));
		console.log(`# ${name}: beyond the loops ${most} instructions`);
		want(found("inner")[0].parent === found("outer")[0].id, JSON.stringify(found("inner")));
	});
}

function testRuby(name, { page, read }, mode) {
	const data = page(`ruby-${mode}`);
	const fibers = (kind) => coroutinesOf(data, (text) => text === label(kind) || text === `next@${label(kind)}`);

	testSame(name, read, "ruby", mode);
	testTurns(name, "fiber", fibers, LIFE);
	testKinds(name, "fails, is given up, resumes another, runs on a thread, in a child of fork(), for an enumerator",
		[["fails", 5], ["given_up", 5], ["inner", 10], ["outer", 2], ["threaded", 10], ["forked", 5], ["each", 10], ["waits", 2], ["works", 80]],
		fibers, LIFE);
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

/** Erlang, or what runs on it. @labels: what labels begin with that are no "MODULE:FUNCTION/" of module known */
function testErlang(name, { page, read }, mode, language, how, kinds, begins) {
	const data = page(`${language}-${mode}`);
	const processes = (kind) => coroutinesOf(data, (text) => text.startsWith(begins(kind)) || text === kind);

	testSame(name, read, language, mode);
	testTurns(name, "process", processes, ERLANG_LIFE);
	testKinds(name, how, kinds, processes, ERLANG_LIFE);
	test(`${name}: one that waits is suspended for that long`, () => {
		const [co] = processes("naps");
		console.log(`# ${name}: suspended ${co.suspended} ns, asked for ${TURNS * ERLANG_NAP} ns`);
		want(co.suspended >= TURNS * ERLANG_NAP && co.suspended <= TURNS * (ERLANG_NAP + 2e6), JSON.stringify(co));
	});
	testWhole(name, data);
}

for (const folder of process.argv.slice(2)) {
	const guest = recordedIn(folder);
	const [ruby, erlang, elixir] = guest.read("versions").trim().split("\n");

	for (const mode of ["ioctl", "auto"]) {
		testRuby(`${ruby}, ${mode}`, guest, mode);
		testErlang(`${erlang}, ${mode}`, guest, mode, "erlang", "fails, is killed, begins another, gives way, has a name",
			[["fails", 5], ["killed", 5], ["inner", 10], ["outer", 2], ["gives_way", 5], ["some_name", 5]],
			(kind) => `known:${kind}/`);
		testErlang(`${elixir} on ${erlang}, ${mode}`, guest, mode, "elixir", "fails, begins another, has a name, is a task, a server",
			[["fails", 5], ["inner", 10], ["outer", 2], ["some_name", 5], ["Task.Supervised.reply/", 5], ["Known.Server.init/1", 5]],
			(kind) => kind.endsWith("/") ? kind : `Known.${kind}/`);
	}
}

finish();
