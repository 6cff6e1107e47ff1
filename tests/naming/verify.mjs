// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER: holds what was recorded there against what the program is known to do. Prints TAP.
import { at, finish, load, test, want, wantWhole } from "../verify.mjs";

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

for (const mode of ["ioctl", "auto"]) {
	const data = load(`${process.argv[2]}/${mode}.html`);
	const get = (pattern) => figures(data, pattern);

	test(`${mode}: the thread is charged with its loops, not with finding names`, () => {
		// It is recorded from the first resume on, so the first loop is not.
		const { instructions } = get(/^\(thread/);
		const own = (COUNT - 1) * THREAD;
		console.log(`# ${mode}: ${instructions} instructions, ${own} of them its loops`);
		want(instructions >= own && instructions <= own + COUNT * LUA_THREAD, `${instructions}, its loops are ${own}`);
	});
	test(`${mode}: so are the coroutines`, () => {
		const { coroutines, instructions } = get(/^module7\.work@modules\.lua:7$/);
		const own = COUNT * COROUTINE;
		console.log(`# ${mode}: ${instructions} instructions, ${own} of them their loops`);
		want(coroutines === COUNT, `${coroutines} coroutines of ${COUNT}`);
		want(instructions >= own && instructions <= own + COUNT * LUA_COROUTINE, `${instructions}, their loops are ${own}`);
	});
	test(`${mode}: one search of the modules is in what the adapter ran, not ${COUNT}`, () => {
		const { instructions } = get(/^\(coroprof\)$/);
		console.log(`# ${mode}: ${instructions} instructions to find names`);
		want(instructions > 50000 && instructions < COUNT * 10000 + 500000, `${instructions}`);
		want(data.recording.naming.instructions === instructions, `as overhead: ${data.recording.naming.instructions}`);
	});
	test(`${mode}: nothing is lost, and the sums hold`, () => {
		wantWhole(data);
	});
}

finish();
