// SPDX-License-Identifier: GPL-2.0
// What the tests of recorded programs have in common: the figures of a page, and results as TAP.
import { readFileSync } from "node:fs";
import { dataOf } from "../e2e/tables.mjs";

/** Rows of a table as objects. */
function listed({ rows, ...columns }) {
	return Array.from({ length: rows }, (_, i) => Object.fromEntries(Object.entries(columns).map(([name, cells]) => [name, cells[i]])));
}

/** A table, with its times and what each counter has counted. */
function timed(table, counters) {
	const values = (before) => counters.map(({ name }) => ({ count: table[`${before}${name}_counted`], standing: table[`${before}${name}_standing`] }));

	return { ...table, n: table.rows, times: table, values: values(""), own_values: values("own_") };
}

/** The tables that the reader put into a page. */
export function load(file) {
	const tables = dataOf(file);
	const [recording] = listed(tables.recording);
	const counters = listed(tables.counters);
	const named = (name) => timed(tables[name], counters);
	const costs = listed(tables.costs);

	return {
		...Object.fromEntries(Object.keys(tables).map((name) => [name, named(name)])),
		recording: {
			...recording, unreported_ns: recording.unreported_running, damage_total: recording.damaged,
			info: listed(tables.info).map(({ name, value }) => [name, value]),
			switch_cost: costs.slice(0, 2), span_cost: costs.slice(2, 4), naming: costs[6],
		},
		counters, cycles: tables.counters.role.indexOf(1), instructions: tables.counters.role.indexOf(2),
		total: named("recording"), modes: listed(tables.modes),
		threads: { ...named("threads"), check: tables.threads.sums, check_text: tables.threads.sums_why, comm: tables.threads.name },
		samples: recording.sampled ? {
			lost: recording.lost_samples, kept: recording.samples, period: recording.sample_period ?? 0,
			frames: named("functions"), by_label: named("label_functions"),
			tree: { ...named("sample_tree"), frame: tables.sample_tree.function },
		} : undefined,
		spans: tables.spans.rows ? { table: named("spans"), by_label: named("label_spans"), tree: named("span_tree") } : undefined,
	};
}

/** What a guest has left in a folder: its files, and its pages. */
export function recordedIn(folder) {
	return {
		read: (file) => readFileSync(`${folder}/${file}`, "utf8"),
		page: (name) => load(`${folder}/${name}.html`),
	};
}

/** Row @i of a column; -1: there is none. */
export function at(column, i) {
	return Number(column[i] ?? -1);
}

const tests = [];

export function test(name, body) {
	tests.push([name, body]);
}

export function want(condition, text) {
	if (!condition) throw new Error(text);
}

// In the column "kind" of labels: threads outside any coroutine.
const THREAD = 3;

/** The coroutines whose label's name @matches, each with its figures and the instructions counted of it. */
export function coroutinesOf({ labels, coroutines: rows, instructions }, matches) {
	const { count } = rows.values[instructions];
	const found = [];

	for (let i = 0; i < rows.n; i++) {
		const label = at(rows.label, i);
		if (!matches(labels.name[label]) || at(labels.kind, label) === THREAD) continue;
		found.push({
			...Object.fromEntries(Object.entries(rows.times).map(([key, column]) => [key, at(column, i)])),
			label: labels.name[label], instructions: at(count, i),
		});
	}
	return found;
}

/** Instructions of each are the known ones, and at most so @many more that its runtime takes. Returns the most. */
export function wantWork(found, count, known, many) {
	want(found.length === count, `${found.length} coroutines of ${count}`);
	for (const co of found)
		want(co.instructions >= known && co.instructions <= known + many, `${co.label}: ${co.instructions}, its loops are ${known}`);
	return Math.max(...found.map((co) => co.instructions - known));
}

/** Nothing was lost or damaged on the way, and slices sum to what the threads counted. */
export function wantWhole({ recording }) {
	want(Number(recording.lost) === 0 && recording.failed_checks === 0 && !recording.torn && !recording.damage_total,
		JSON.stringify(recording));
}

export function testWhole(name, data) {
	test(`${name}: no switch was missed, nothing is lost, and the sums hold`, () => {
		want(Number(data.recording.unreported) === 0, `${data.recording.unreported} slices`);
		wantWhole(data);
	});
}

/** @who: what reports the coroutines of each process, and what it does not see. */
export function testReportedBy(name, { processes }, who) {
	test(`${name}: reported by ${who}`, () => {
		want(processes.n > 0 && processes.reported_by.every((one) => one === who), processes.reported_by.join(", "));
	});
}

/** @errors: what coroprof-read, and the program, wrote to standard error. */
export function testNothingMissing(name, errors) {
	test(`${name}: nothing is said to be missing`, () => {
		want(!/not recorded/.test(errors), errors);
	});
}

/** A program whose output and status are the same without coroprof (plain-PROGRAM) and recorded. */
export function testSame(name, { read }, program, mode) {
	const plain = read(`plain-${program}.output`), recorded = read(`${program}-${mode}.output`);

	test(`${name}: a program does what it does without`, () => {
		want(/^104$/m.test(plain) && /status 7/.test(plain), plain + read(`plain-${program}.errors`));
		want(recorded === plain, recorded + read(`${program}-${mode}.errors`));
	});
	testNothingMissing(name, read(`${program}-${mode}.errors`));
}

/** @found: the coroutines of a kind. There are @count of each of three, in @turns turns of 1, 5 and 20 units. */
export function testTurns(name, each, found, { count, turns, unit, life }) {
	test(`${name}: each ${each} has the instructions of its loops, 1 : 5 : 20`, () => {
		const most = [["light", 1], ["middle", 5], ["heavy", 20]].map(([kind, units]) =>
			wantWork(found(kind), count, turns * units * unit, life));
		console.log(`# ${name}: beyond the loops at most ${Math.max(...most)} instructions in ${turns} turns`);
	});
}

/** @kinds: those of which there is one, with the units of its loops; "outer" goes on with "inner". */
export function testKinds(name, how, kinds, found, { unit, life }) {
	test(`${name}: so has one that ${how}`, () => {
		const most = kinds.map(([kind, units]) => wantWork(found(kind), 1, units * unit, life));
		console.log(`# ${name}: beyond the loops ${most} instructions`);
		want(found("inner")[0].parent === found("outer")[0].id, JSON.stringify(found("inner")));
	});
}

/** Of @found the one that waits @turns times for @nap ns is suspended for that long, and at most @more each time. */
export function testNaps(name, how, [co], turns, nap, more) {
	test(`${name}: one that ${how} is suspended for that long`, () => {
		console.log(`# ${name}: suspended ${co.suspended} ns, slept ${turns * nap} ns`);
		want(co.suspended >= turns * nap && co.suspended <= turns * (nap + more), JSON.stringify(co));
	});
}

/** Of @found each sleeps @turns times for @nap ns: it is awaiting until @sees sees that, and ready until it runs. */
export function testSleepers(name, sees, found, turns, nap) {
	test(`${name}: one that sleeps is awaiting until ${sees} sees that it has slept, and then ready`, () => {
		for (const co of found) {
			want(co.awaiting >= turns * nap, `${co.label}: awaiting ${co.awaiting} ns of ${turns * nap}`);
			want(co.ready > 0 && co.awaiting + co.ready === co.suspended, JSON.stringify(co));
		}
	});
}

/** Of @found the one that sleeps alone does so @turns times for @nap ns: it is awaiting for at most @more longer each time. */
export function testSleepsAlone(name, [co], turns, nap, more) {
	test(`${name}: one that sleeps alone is awaiting for that long, each time to within ${more / 1e6} ms`, () => {
		console.log(`# ${name}: awaiting ${co.awaiting} ns, slept ${turns * nap} ns`);
		want(co.awaiting >= turns * nap && co.awaiting <= turns * (nap + more), JSON.stringify(co));
	});
}

/** Of @found the one that waits for another, which works for so many instructions: one takes a nanosecond. */
export function testWaits(name, [co], work) {
	test(`${name}: one that waits for another is awaiting while that works, to within 10 %`, () => {
		console.log(`# ${name}: awaiting ${co.awaiting} ns, the other worked ${work} ns`);
		want(co.awaiting >= work && co.awaiting <= work * 1.1, JSON.stringify(co));
	});
}

/** Runs all tests, and ends the program with its exit status. */
export function finish() {
	let failed = 0;

	console.log(`1..${tests.length}`);
	tests.forEach(([name, body], i) => {
		try {
			body();
			console.log(`ok ${i + 1} - ${name}`);
		} catch (error) {
			failed++;
			console.log(`not ok ${i + 1} - ${name}\n# ${error.message.replaceAll("\n", "\n# ")}`);
		}
	});
	process.exit(failed ? 1 : 0);
}
