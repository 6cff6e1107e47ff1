// SPDX-License-Identifier: GPL-2.0
/*
 * What is reported of slices in a stretch of time, of few slices made up so that each
 * case is there: slices.mjs MODULES READER, where MODULES is the folder that holds node_modules, and READER is coroprof-read.
 */
import assert from "node:assert/strict";
import { finish, test } from "../../../tests/e2e/tap.mjs";
import { dataOf, load } from "./load.mjs";

const { follow, measuresOf, pointsOf, windowRows } = await load("./format", "./plot", "./window");
const MERGED = 1;
const BESIDE = 2;
const KINDS = { text: 0, thread: 1 };
const NAMES = ["a", "b", "outside"];
const OUTSIDE = 2;

const { standings, combine } = dataOf();

follow({
	ns: [[1000, "us"], [1, "ns"]], events: [[1000, "k"], [1, ""]], whole: 10, digits: [[0, 2]],
	share: { factor: 100, decimals: 1, least: 0.001, unit: "%" },
}, standings, combine);

/**
 * A recording of @slices of one thread: [begin, end, label, more], where @more may have times off the CPU,
 * flags, how many slices it is the sum of, and cycles.
 */
function recording(duration, slices) {
	const of = (read, Type = Float64Array) => Type.from(slices, ([begin, end, label, more = {}]) => read({ begin, end, label, ...more }));
	const cycles = of(({ cycles = NaN }) => cycles);
	const timeline = {
		n: slices.length, begin: of(({ begin }) => begin), end: of(({ end }) => end), label: of(({ label }) => label, Int32Array),
		thread: new Int32Array(slices.length), coroutine: of(({ label }) => label, Int32Array), first: [0, slices.length],
		slices: of(({ slices = 1 }) => slices), flags: of(({ flags = 0 }) => flags, Int32Array),
		...Object.fromEntries(["preempted", "blocked", "idle"].map((state) => [state, of((slice) => slice[state] ?? 0)])),
		values: [{ column: { is: { name: "cycles", says: "", kind: "events" }, has: (row) => !Number.isNaN(cycles[row]) }, estimate: cycles }],
	};

	return {
		since: 0, until: duration, timeline, tables: { table: () => ({ title: () => "test", column: () => ({ words: () => "cycles" }) }) }, processes: { n: 1, pid: [1], name: ["test"] }, threads: { n: 1, tid: [1], name: ["test"], process: [0] },
		labels: { n: NAMES.length, name: NAMES, coroutines: NAMES.map(() => 1), kind: NAMES.map((_, row) => row === OUTSIDE ? KINDS.thread : KINDS.text), table: { columns: [], find: () => undefined } },
		words: { slice: { merged: MERGED, beside: BESIDE }, label: KINDS, coroutine: {} }, timelineWakes: { n: 0 },
		total: { table: { column: () => ({ has: () => true, standing: () => 0 }) } },
		coroutines: {
			n: NAMES.length, label: NAMES.map((_, row) => row), slices: NAMES.map((_, row) => slices.filter(([, , label]) => label === row).length),
			...Object.fromEntries(["flags", "unseen_gaps"].map((name) => [name, NAMES.map(() => 0)])),
			...Object.fromEntries(["first", "last", "born"].map((name) => [name, NAMES.map(() => NaN)])),
		},
	};
}

/** What the table of labels shows of a window: [label "a", label "b", "outside"]. */
function shown(profile, [from, to], key, mode) {
	const columns = [{ key, title: key, says: "", kind: "number", width: 1 }];
	const { columns: [column] } = windowRows({ profile }, { by: "label", n: NAMES.length, columns }, { from, to });

	return NAMES.map((_, row) => column.show(row, mode).replace(/\u202f/g, " "));
}

await test("slices: a share of a counter is n/a in all rows if one row's is not known", () => {
	const slices = (cycles) => [[0, 10, 0, { cycles: 30 }], [10, 20, 1, { cycles }], [20, 30, 1, { cycles: 10 }], [80, 90, 0]];

	assert.deepEqual(shown(recording(100, slices(10)), [0, 50], "cycles", "share"), ["60.0 %", "40.0 %", "0.0 %"]);
	assert.deepEqual(shown(recording(100, slices(NaN)), [0, 50], "cycles", "share"), ["n/a", "n/a", "n/a"]);
	assert.deepEqual(shown(recording(100, slices(NaN)), [0, 50], "cycles", "total"), ["30", "n/a", "0"]);
});

await test("slices: a share of time is an estimate in all rows if one row's time is", () => {
	const profile = recording(100, [[0, 10, 0], [10, 30, 1, { blocked: 10 }], [40, 60, 0]]);

	assert.deepEqual(shown(profile, [0, 30], "running", "share"), ["50.0 %", "50.0 %", "0.0 %"]);
	assert.deepEqual(shown(profile, [0, 20], "running", "total"), ["10 ns", "~5 ns", "0 ns"]);
	assert.deepEqual(shown(profile, [0, 20], "running", "share"), ["~66.7 %", "~33.3 %", "~0.0 %"]);
});

/** Points of a window, and what is selected. */
const points = (profile, [from, to], selected = null, edge = "end") => pointsOf({ profile, state: { from, to, selected } }, edge);

await test("slices: a point's running time is without its idle time", () => {
	const profile = recording(100, [[0, 50, OUTSIDE, { idle: 30, blocked: 5, preempted: 4 }]]);

	assert.equal(measuresOf(profile).find(({ name }) => name === "running").of(0), 11);
});

await test("slices: those outside coroutines are points where their label is selected, and nowhere else", () => {
	const profile = recording(100, [[0, 10, 0], [10, 20, OUTSIDE], [20, 30, 1]]);
	const found = (selected) => points(profile, [0, 100], selected).slices;

	assert.deepEqual(found(null), [0, 2]);
	assert.deepEqual(found({ kind: "thread", index: 0 }), [0, 2]);
	assert.deepEqual(found({ kind: "label", index: OUTSIDE }), [1]);
	assert.deepEqual(found({ kind: "label", index: 1 }), [2]);
});

await test("slices: what stands beside sums is no point, as it is not where it was", () => {
	const sum = { flags: MERGED, slices: 3 };
	const profile = recording(100, [[0, 10, 0, sum], [10, 14, 1, { flags: BESIDE }], [20, 24, 1], [24, 30, 0, { flags: BESIDE }]]);

	assert.deepEqual(points(profile, [0, 100]), { slices: [2, 3], merged: 4 });
	assert.deepEqual(points(profile, [0, 100], { kind: "label", index: 1 }), { slices: [2], merged: 1 });
});

await test("slices: what ends with the recording is a point of no time before", () =>
	assert.deepEqual([[0, 50], [0, 100]].map((window) => points(recording(100, [[0, 10, 0], [60, 100, 1]]), window).slices), [[0], [0, 1]]));

await test("slices: over time stand those that began in it, however long they took", () => {
	const profile = recording(100, [[0, 20, 0], [20, 40, 1], [45, 90, 0], [90, 100, 1]]);
	const found = (window, edge) => points(profile, window, null, edge).slices;

	assert.deepEqual(found([10, 50], "begin"), [1, 2]);
	assert.deepEqual(found([10, 50], "end"), [0, 1]);
	assert.deepEqual([...found([0, 45], "begin"), ...found([45, 100], "begin")], [0, 1, 2, 3]);
});

/** Windows side by side that have all of the recording. */
const HALVES = [[0, 50], [50, 100]];

await test("slices: each is in the windows that it has time in, one without length in that where it is", () => {
	const inHalves = (...slices) => HALVES.map((window) => shown(recording(100, slices), window, "slices", "total")[0]);

	assert.deepEqual(inHalves([40, 50, 0]), ["1", "0"], "it ends at the edge");
	assert.deepEqual(inHalves([40, 51, 0]), ["1", "1"], "it ends after the edge");
	assert.deepEqual(inHalves([40, 49, 0]), ["1", "0"], "it ends before the edge");
	assert.deepEqual(inHalves([40, 50, 1], [50, 50, 0]), ["0", "1"], "it is at the edge");
	assert.deepEqual(inHalves([40, 100, 0]), ["1", "1"], "it ends with the recording");
	assert.deepEqual(inHalves([40, 100, 1], [100, 100, 0]), ["0", "1"], "it is at the end of the recording");
});

await test("slices: how many of a sum ended in a window is an estimate where it reaches the edge", () => {
	const inHalves = (begin, end) => HALVES.map((window) =>
		shown(recording(100, [[begin, end, 0, { flags: MERGED, slices: 4 }]]), window, "slices", "total")[0]);

	assert.deepEqual(inHalves(30, 49), ["4", "0"]);
	assert.deepEqual(inHalves(30, 50), ["~4", "~0"]);
	assert.deepEqual(inHalves(40, 60), ["~2", "~2"]);
	assert.deepEqual(inHalves(50, 60), ["0", "4"]);
	assert.deepEqual(inHalves(60, 100), ["0", "4"]);
});

await test("slices: a sum is an estimate where its slices may have ended beyond the edge that it is drawn before", () => {
	const sum = { flags: MERGED, slices: 4 };
	const inHalves = (key, resolution, ...slices) => HALVES.map((window) => {
		const profile = recording(100, slices);

		profile.timeline.resolution = resolution;
		return shown(profile, window, key, "total")[0];
	});

	/* Slices shorter than 16 that begin in 16 from 30 on: the last has ended before 62. */
	assert.deepEqual(inHalves("slices", 16, [30, 40, 0, sum]), ["~4", "~0"]);
	assert.deepEqual(inHalves("running", 16, [30, 40, 0, sum]), ["~10 ns", "~0 ns"]);
	assert.deepEqual(inHalves("running", 8, [30, 40, 0, sum]), ["10 ns", "0 ns"]);
	/* Before another slice begins. */
	assert.deepEqual(inHalves("running", 16, [30, 40, 0, sum], [45, 70, 1]), ["10 ns", "0 ns"]);
	/* All labels of a cell: in what order their slices were is not known. */
	assert.deepEqual(inHalves("slices", 16, [30, 35, 0, sum], [35, 40, 1, { ...sum, flags: MERGED | BESIDE }]), ["~4", "~0"]);
	/* Behind the end of the recording nothing is. */
	assert.deepEqual([[0, 50], [50, 100]].map((window) => {
		const profile = recording(100, [[90, 95, 0, sum]]);

		profile.timeline.resolution = 16;
		return shown(profile, window, "slices", "total")[0];
	}), ["0", "4"]);
});

await test("slices: time per slice is an estimate where a slice has time beyond the window", () => {
	const inHalves = (mode, ...slices) => HALVES.map((window) => shown(recording(100, slices), window, "running", mode)[0]);

	assert.deepEqual(inHalves("slice", [10, 20, 0], [60, 70, 0]), ["10 ns", "10 ns"]);
	assert.deepEqual(inHalves("slice", [10, 20, 0], [40, 60, 0]), ["~10 ns", "~10 ns"]);
	assert.deepEqual(inHalves("total", [10, 20, 0], [40, 60, 0]), ["20 ns", "10 ns"]);
	assert.equal(inHalves("slice", [10, 20, 0], [40, 50, 0])[0], "10 ns");
});

process.exitCode = finish();
