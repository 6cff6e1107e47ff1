// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER...: holds what was recorded in each guest against what the programs are known to do. Prints TAP.
import { basename } from "node:path";
import { at, coroutinesOf, finish, recordedIn, test, testWhole, want, wantWhole, wantWork } from "../verify.mjs";

// As in work.c: coroutines; turns of three instructions, of the thread between two resumes and of a coroutine.
const [COUNT, THREAD, COROUTINE] = [100, 3 * 20000, 3 * 1000];
// What Lua itself takes, at most, and the switches: to make a coroutine and resume it; to run one.
const [LUA_THREAD, LUA_COROUTINE] = [9000, 4000];

function figures(data, pattern) {
	const i = data.labels.name.findIndex((name) => pattern.test(name));
	if (i < 0) throw new Error(`no label ${pattern}, only ${data.labels.name.join(", ")}`);
	const column = data.counters.findIndex((c) => c.name === "instructions");
	return { coroutines: at(data.labels.coroutines, i), instructions: at(data.labels.values[column].count, i) };
}

// As in known.lua and known.php: coroutines of a kind, turns, instructions of a unit, a nap in ns. What Lua takes for a coroutine, at most;
// LuaJIT also looks for what it could compile meanwhile.
const [KNOWN, TURNS, UNIT, NAP] = [4, 5, 3 * 50000, 2e6];
const LIFE = { "lua5.1": 15000, "lua5.4": 15000, luajit: 80000, php: 60000 };

/** The program work. @name: whose library of Lua that was, and how switches were made */
function testNames(name, data) {
	const get = (pattern) => figures(data, pattern);

	test(`${name}: the thread is charged with its loops, not with finding names`, () => {
		// It is recorded from the first resume on, so the first loop is not.
		const { instructions } = get(/^\(thread/);
		const own = (COUNT - 1) * THREAD;
		console.log(`# ${name}: ${instructions} instructions, ${own} of them its loops`);
		want(instructions >= own && instructions <= own + COUNT * LUA_THREAD, `${instructions}, its loops are ${own}`);
	});
	test(`${name}: so are the coroutines`, () => {
		const { coroutines, instructions } = get(/^module7\.work@modules\.lua:7$/);
		const own = COUNT * COROUTINE;
		console.log(`# ${name}: ${instructions} instructions, ${own} of them their loops`);
		want(coroutines === COUNT, `${coroutines} coroutines of ${COUNT}`);
		want(instructions >= own && instructions <= own + COUNT * LUA_COROUTINE, `${instructions}, their loops are ${own}`);
	});
	test(`${name}: one search of the modules is in what the adapter ran, not ${COUNT}`, () => {
		const { instructions } = get(/^\(coroprof\)$/);
		console.log(`# ${name}: ${instructions} instructions to find names`);
		want(instructions > 50000 && instructions < COUNT * 10000 + 500000, `${instructions}`);
		want(data.recording.naming.instructions === instructions, `as overhead: ${data.recording.naming.instructions}`);
	});
	test(`${name}: nothing is lost, and the sums hold`, () => {
		wantWhole(data);
	});
}

/** An interpreter. @program: its files are called so, @name: its version, and how switches were made */
function testInterpreter(name, { read, page }, program, mode) {
	const data = page(`${program}-${mode}`);
	const coroutines = (kind) => coroutinesOf(data, (label) => label.startsWith(`${kind}@`));

	test(`${name}: a program does what it does without`, () => {
		const plain = read(`plain-${program}.output`);
		want(/^104$/m.test(plain) && /status 7/.test(plain), plain + read(`plain-${program}.errors`));
		want(read(`${program}-${mode}.output`) === plain, read(`${program}-${mode}.output`) + read(`${program}-${mode}.errors`));
		want(!/not recorded|has Lua/.test(read(`${program}-${mode}.errors`)), read(`${program}-${mode}.errors`));
	});
	test(`${name}: each coroutine has the instructions of its loops, 1 : 5 : 20`, () => {
		const most = [["light", 1], ["middle", 5], ["heavy", 20]].map(([kind, units]) =>
			wantWork(coroutines(kind), KNOWN, TURNS * units * UNIT, LIFE[program]));
		console.log(`# ${name}: beyond the loops at most ${Math.max(...most)} instructions in ${TURNS} turns`);
	});
	test(`${name}: so has one that fails, that is given up, that another resumes, and that one; in a child of fork(), too`, () => {
		for (const [kind, units] of [["fails", 5], ["given_up", 5], ["inner", 10], ["outer", 2], ...(program === "php" ? [["forked", 5]] : [])])
			wantWork(coroutines(kind), 1, units * UNIT, LIFE[program]);
		want(coroutines("inner")[0].parent === coroutines("outer")[0].id, JSON.stringify(coroutines("inner")));
	});
	if (program === "lua5.4")
		test(`${name}: what one does as it is closed is its own`, () => {
			const most = wantWork(coroutines("closes"), 1, 10 * UNIT, LIFE[program]);
			console.log(`# ${name}: beyond its loop and that of its __close ${most} instructions`);
		});
	test(`${name}: one that waits while the program sleeps is suspended for that long`, () => {
		const [co] = coroutines("naps");
		console.log(`# ${name}: suspended ${co.suspended} ns, the program slept ${TURNS * NAP} ns`);
		want(co.suspended >= TURNS * NAP && co.suspended <= TURNS * (NAP + 0.5e6), JSON.stringify(co));
	});
	testWhole(name, data);
}

for (const folder of process.argv.slice(2)) {
	const guest = recordedIn(folder);
	const versions = guest.read("versions").trim().split("\n");

	for (const mode of ["ioctl", "auto"]) {
		testNames(`liblua5.4 of ${basename(folder)}, ${mode}`, guest.page(mode));
		Object.keys(LIFE).forEach((program, i) => testInterpreter(`${versions[i]} of ${basename(folder)}, ${mode}`, guest, program, mode));
	}
}

finish();
