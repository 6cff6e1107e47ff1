// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER...: holds what was recorded in each guest against what the programs are known to do. Prints TAP.
import { basename } from "node:path";
import { at, coroutinesOf, finish, recordedIn, test, testKinds, testNaps, testSame, testTurns, testWhole, want, wantWhole, wantWork } from "../../harness/verify.mjs";

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

// As in known.lua: coroutines of a kind, turns, instructions of a unit; a nap in ns. What Lua takes for a coroutine, at most;
// LuaJIT also looks for what it could compile meanwhile.
const KNOWN = { count: 4, turns: 5, unit: 3 * 50000 }, NAP = 2e6;
const LIFE = { "lua5.1": 15000, "lua5.4": 15000, luajit: 80000 };

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
function testInterpreter(name, guest, program, mode) {
	const data = guest.page(`${program}-${mode}`), known = { ...KNOWN, life: LIFE[program] };
	const coroutines = (kind) => coroutinesOf(data, (label) => label.startsWith(`${kind}@`));

	testSame(name, guest, program, mode);
	test(`${name}: Lua in it is not said to be missing`, () => {
		want(!/has Lua/.test(guest.read(`${program}-${mode}.errors`)), guest.read(`${program}-${mode}.errors`));
	});
	testTurns(name, "coroutine", coroutines, known);
	testKinds(name, "fails, that is given up, that another resumes, and that one",
		[["fails", 5], ["given_up", 5], ["inner", 10], ["outer", 2]], coroutines, known);
	if (program === "lua5.4")
		test(`${name}: what one does as it is closed is its own`, () => {
			const most = wantWork(coroutines("closes"), 1, 10 * KNOWN.unit, known.life);
			console.log(`# ${name}: beyond its loop and that of its __close ${most} instructions`);
		});
	testNaps(name, "waits while the program sleeps", coroutines("naps"), KNOWN.turns, NAP, 0.5e6);
	testWhole(name, data);
}

for (const folder of process.argv.slice(2)) {
	const guest = recordedIn(folder);
	const versions = guest.read("versions").trim().split("\n");

	for (const mode of ["ioctl", "user"]) {
		testNames(`liblua5.4 of ${basename(folder)}, ${mode}`, guest.page(`names-${mode}`));
		Object.keys(LIFE).forEach((program, i) => testInterpreter(`${versions[i]} of ${basename(folder)}, ${mode}`, guest, program, mode));
	}
}

finish();
