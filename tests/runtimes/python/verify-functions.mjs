// SPDX-License-Identifier: GPL-2.0
// Holds the functions that were recorded against what functions.py and calls.py are known to do.
import { at, coroutinesOf, recordedIn, test, testNothingMissing, testWhole, want, wantWhole, wantWork } from "../../harness/verify.mjs";

// As in functions.py: tasks of a kind, turns, instructions of a unit; a wait in ns, which is as many instructions.
const [TASKS, TURNS, UNIT, WAIT, DEPTH] = [3, 4, 3 * 50000, 20e6, 5];
// What Python takes for a call and what is in it, at most; and what asyncio's clock of whole milliseconds may add.
const [CALL, MILLISECOND] = [20000, 1.1e6];
// As in calls.py.
const [FEW, MANY] = [1000, 5000];

/** The calls of functions, of the program and of its child: the latter has called `one` alone. */
function functionsOf({ spans, instructions }) {
	const { table } = spans;
	const found = [];

	for (let i = 0; i < table.n; i++)
		found.push({
			name: table.name[i].replace(/@.*/, ""), where: table.name[i], process: at(table.process, i), calls: at(table.calls, i),
			outermost: at(table.outermost, i), wall: at(table.wall, i), running: at(table.running, i),
			own: at(table.own_values[instructions].count, i), total: at(table.values[instructions].count, i),
		});
	return found;
}

function known(name, data) {
	const all = functionsOf(data), { process } = all.find((f) => f.name === "foo");
	const of = (what) => all.find((f) => f.name === what && f.process === process) ?? want(false, `${what} is no span`);
	const within = (what, value, least, more) =>
		want(value >= least && value <= least + more, `${what}: ${value}, not ${least}, or at most ${more} more`);

	test(`${name}: of foo, burn_cpu, burn_async_io and burn_io there are 1, 1, 2 and 1 calls`, () => {
		const calls = ["foo", "burn_cpu", "burn_async_io", "burn_io"].map((what) => of(what).calls).join();
		want(calls === "1,1,2,1", calls);
	});
	test(`${name}: each takes the time that it burns, awaits or blocks, and foo the sum, ${4 * WAIT / 1e6} ms`, () => {
		within("burn_cpu", of("burn_cpu").wall, WAIT, 0.05 * WAIT);
		within("burn_io", of("burn_io").wall, WAIT, MILLISECOND);
		within("burn_async_io", of("burn_async_io").wall, 2 * WAIT, 2 * MILLISECOND);
		within("foo", of("foo").wall, 4 * WAIT, 4 * MILLISECOND);
		console.log(`# ${name}: foo took ${(of("foo").wall / 1e6).toFixed(2)} ms of ${4 * WAIT / 1e6}`);
	});
	test(`${name}: only what burns a CPU ran, and has the instructions`, () => {
		within("burn_cpu", of("burn_cpu").total, WAIT, CALL);
		within("foo", of("foo").total, WAIT, 20 * CALL);
		for (const what of ["burn_io", "burn_async_io"]) within(what, of(what).total, 1, 10 * CALL);
		want(of("burn_async_io").running < 0.05 * WAIT, JSON.stringify(of("burn_async_io")));
	});
	test(`${name}: calls of tasks that are open at once have their own work each, 1 : 5 : 20`, () => {
		for (const [what, callers, calls, units] of [["one", 1, 1, 1], ["five", 1, 1, 5], ["twenty", 0, 0, 20]]) {
			within(`calls of ${what}`, of(what).calls, TASKS * TURNS + (callers && calls), 0);
			within(what, of(what).own, of(what).calls * units * UNIT, of(what).calls * CALL);
		}
	});
	test(`${name}: a task's function is one call, however often it goes on`, () => {
		for (const [what, units] of [["light", 1], ["middle", 5], ["heavy", 20]]) {
			within(`calls of ${what}`, of(what).calls, TASKS, 0);
			within(what, of(what).total, TASKS * TURNS * units * UNIT, TASKS * TURNS * 3 * CALL);
		}
	});
	test(`${name}: a turn of a task is one slice, also when it is the first to call a function`, () => {
		for (const what of ["light", "middle", "heavy"]) {
			const slices = coroutinesOf(data, (label) => label.startsWith(`${what}@`)).map((task) => task.slices);
			want(slices.length === TASKS && slices.every((n) => n === TURNS + 1), `${what}: ${slices}, not ${TASKS} times ${TURNS + 1}`);
		}
	});
	test(`${name}: one that calls itself has the work of all its calls once`, () => {
		within("calls of down", of("down").calls, DEPTH, 0);
		within("outermost calls of down", of("down").outermost, 1, 0);
		within("down, total", of("down").total, DEPTH * UNIT, DEPTH * CALL);
		within("down, own", of("down").own, DEPTH * UNIT, DEPTH * CALL);
	});
	test(`${name}: what one throws into another before that begins ends no call of the same function`, () => {
		within("calls of again", of("again").calls, 2, 0);
		within("again", of("again").total, 5 * UNIT, 3 * CALL);
	});
	test(`${name}: a generator has its own work, and who reads it its own`, () => {
		// Each time it goes on, the last included, in which it ends.
		within("calls of numbers", of("numbers").calls, TURNS + 1, 0);
		within("numbers", of("numbers").total, TURNS * UNIT, TURNS * CALL);
		within("reads, own", of("reads").own, TURNS * 5 * UNIT, TURNS * CALL);
		within("reads", of("reads").total, TURNS * 6 * UNIT, 2 * TURNS * CALL);
	});
	test(`${name}: so has an asynchronous one`, () => {
		within("pieces", of("pieces").total, TURNS * UNIT, 4 * TURNS * CALL);
		within("gathers", of("gathers").own, TURNS * 5 * UNIT, 4 * TURNS * CALL);
	});
	test(`${name}: one that fails, one that is cancelled, and one on another thread have their work`, () => {
		within("fails", of("fails").total, 5 * UNIT, CALL);
		within("catches", of("catches").total, 5 * UNIT, 3 * CALL);
		within("cancelled", of("cancelled").total, 5 * UNIT, 5 * CALL);
		within("threaded", of("threaded").total, 6 * UNIT, 3 * CALL);
	});
	test(`${name}: a forked child has its own`, () => {
		const child = all.filter((f) => f.name === "one" && f.process !== process);
		want(child.length === 1 && child[0].calls === 1, JSON.stringify(child));
		within("one", child[0].total, UNIT, CALL);
	});
	testWhole(name, data);
}

/** As in greenlets.py: the functions of the greenlets of a kind, each of which has a label. */
export function testGreenletFunctions(name, layer, { read, page }, { count, turns, unit, kinds }) {
	test(`${name}: functions of greenlets whose turns alternate have the instructions of their own, 1 : 5 : 20`, () => {
		const data = page(`functions-${layer}`), { by_label: rows, table } = data.spans;
		const find = (kind, what) => Array.from({ length: rows.n }, (_, i) => i).find((i) =>
			data.labels.name[at(rows.label, i)].startsWith(`${kind}@`) && table.name[at(rows.span, i)].startsWith(`${what}@`));

		for (const [kind, units] of kinds)
			for (const [what, calls] of [[kind, count], ["turns", count], ["work", count * turns]]) {
				const i = find(kind, what), known = count * turns * units * unit;
				want(at(rows.calls, i) === calls, `${what} in ${kind}: ${at(rows.calls, i)} calls of ${calls}`);
				const total = at(rows.values[data.instructions].count, i);
				// What is beyond that in the others are greenlet and gevent.
				want(total >= known && (what !== "work" || total <= known + calls * 6 * CALL), `${what} in ${kind}: ${total}, its loops are ${known}`);
			}
		want(read(`functions-${layer}.output`) === read(`plain-${layer}.output`), read(`functions-${layer}.output`) + read(`functions-${layer}.errors`));
		wantWhole(data);
	});
}

/** Instructions that a call took. */
function each(page, how) {
	const spans = functionsOf(page(`calls-${how}`)), total = (what) => spans.find(({ name }) => name === what).total;

	return (total("many") - total("few")) / (MANY - FEW);
}

function costs(name, page) {
	test(`${name}: to record a call costs less than yappi takes for it`, () => {
		const took = Object.fromEntries(["nobody", "coroprof", "cprofile", "yappi"].map((how) => [how, each(page, how)]));
		const added = (how) => Math.round(took[how] - took.nobody);
		console.log(`# ${name}: a call takes ${Math.round(took.nobody)} instructions, and ${added("coroprof")} more when recorded from user mode, ` +
			`${added("cprofile")} with cProfile, ${added("yappi")} with yappi`);
		want(took.nobody > 0 && added("coroprof") > 0 && added("cprofile") > 0, JSON.stringify(took));
		want(added("coroprof") < added("yappi"), JSON.stringify(took));
	});
}

/** As in itself.py. */
function itself(name, { read, page }, run) {
	test(`${name}: a program that nobody has prepared records itself, and goes on`, () => {
		const output = read(`${run}.output`);
		want(/^went\ncoroprof records nothing.*\ncoroprof-read ended with .*\nstatus 7$/m.test(output), output + read(`${run}.errors`));
	});
	test(`${name}: a recording that nobody ends leaves no folder behind`, () => want(read(`${run}.left`) === "", read(`${run}.left`)));
	test(`${name}: its tasks have their tags, 0 among them, and each the work that goes with it`, () => {
		const tagged = coroutinesOf(page(`${run}/go`), (label) => label.startsWith("tagged@"));
		want(tagged.map(({ tag }) => tag).sort().join() === "0,1,2", tagged.map(({ tag }) => tag).join());
		for (const co of tagged) wantWork([co], 1, 4 * (co.tag + 1) * UNIT, 15 * CALL);
	});
	test(`${name}: tasks that name themselves are told apart, and so are their spans`, () => {
		const data = page(`${run}/go`);
		for (const n of [1, 2]) {
			const label = `request ${n}`, { by_label: rows } = data.spans;
			wantWork(coroutinesOf(data, (text) => text === label), 1, (1 + n) * UNIT, 15 * CALL);
			const row = Array.from({ length: rows.n }, (_, i) => i).find((i) => data.labels.name[at(rows.label, i)] === label);
			want(data.spans.table.name[at(rows.span, row)] === "parse" && at(rows.calls, row) === 1, `${label}: row ${row}`);
			const work = at(rows.values[data.instructions].count, row);
			want(work >= (1 + n) * UNIT && work <= (1 + n) * UNIT + 10 * CALL, `${label}: ${work}`);
		}
		wantWhole(data);
	});
	test(`${name}: a part has what was done in it, what it counts is what was asked for, and no more`, () => {
		const data = page(`${run}/part`), work = functionsOf(data).filter((f) => f.name === "work");
		want(data.counters.map((counter) => counter.name).join() === "instructions,task-clock", JSON.stringify(data.counters.map((c) => c.name)));
		want(work.length === 1 && work[0].calls === 2, JSON.stringify(work));
		want(work[0].total >= 8 * UNIT && work[0].total <= 8 * UNIT + 3 * CALL, `${work[0].total}`);
	});
}

export function testFunctions(folder) {
	const { read, page } = recordedIn(folder);
	const version = read("version").trim();

	test(`${version}: a program whose functions are recorded does what it does without`, () => {
		const plain = read("functions-plain.output");
		want(/^failed$/m.test(plain) && /^3$/m.test(plain) && /status 7/.test(plain), plain + read("functions-plain.errors"));
		for (const how of ["ioctl", "user", "all"])
			want(read(`functions-${how}.output`) === plain, read(`functions-${how}.output`) + read(`functions-${how}.errors`));
	});
	for (const mode of ["ioctl", "user"]) {
		known(`${version}, ${mode}`, page(`functions-${mode}`));
		testNothingMissing(`${version}, ${mode}`, read(`functions-${mode}.errors`));
	}
	test(`${version}: functions of the modules asked for are recorded, and of no others`, () => {
		for (const f of functionsOf(page("functions-user"))) want(f.where.includes("/python/functions.py:"), f.where);
		const all = functionsOf(page("functions-all"));
		want(all.some((f) => f.where.includes("threading.py")) && all.some((f) => f.name === "foo"), `${all.length} functions`);
		for (const f of all) want(!f.where.includes("/asyncio/"), f.where);
	});
	for (const mode of ["ioctl", "user"]) itself(`${version}, ${mode}`, { read, page }, `itself-${mode}`);
	costs(version, page);
}
