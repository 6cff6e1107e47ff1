// SPDX-License-Identifier: GPL-2.0
/*
 * The wait before a slice, and which spans are there at a time, of few made up so that each
 * case is there: moments.mjs MODULES, where MODULES is the folder that holds node_modules.
 */
import assert from "node:assert/strict";
import { finish, test } from "../../../tests/e2e/tap.mjs";
import { load } from "./load.mjs";

const { chartOf, gapsOf, Lanes, Instants, Tree } = await load("./lanes", "./gaps", "./instants", "./chart", "./tree");
const FLAGS = { fresh: 1, ready: 2, first: 4, cut: 8, merged: 16, beside: 32 };
const THREAD = 1;

/** One thread that runs @slices of one coroutine, [begin, end, flags, woken], and others in between. */
function recording(slices, { flags = 0, slices: all = slices.length, unseen = 0, spans = [] } = {}) {
	const of = (read, Type = Float64Array) => Type.from(slices, read);
	const woken = slices.flatMap(([, , , time], slice) => time === undefined ? [] : [[slice, time]]);

	return {
		since: 0, until: 1000,
		timeline: {
			n: slices.length, resolution: 0, label: of(() => -1, Int32Array), begin: of(([begin]) => begin), end: of(([, end]) => end),
			flags: of(([, , mine = 0]) => mine, Int32Array), coroutine: of(() => 0, Int32Array), first: [0, slices.length],
		},
		timelineWakes: { n: woken.length, slice: woken.map(([slice]) => slice), woken: woken.map(([, time]) => time), waker: woken.map(() => -1) },
		timelineSpans: {
			n: spans.length, coroutine: spans.map(([coroutine]) => coroutine), depth: spans.map(([, depth]) => depth),
			end: Float64Array.from(spans, ([, , , end]) => end), wall: spans.map(([, , begin, end]) => end - begin),
		},
		coroutines: { n: 1, flags: [flags], slices: [all], unseen_gaps: [unseen] },
		threads: { name: ["t"], process: [0], tid: [1] }, processes: { n: 1 },
		words: { slice: FLAGS, coroutine: { thread: THREAD } }, tables: { table: () => ({ title: () => "t" }) },
	};
}

function wait(slice, ...made) {
	const profile = recording(...made);
	const { suspended, awaiting, ready, missing } = gapsOf(profile).waitBefore(slice);

	return missing ?? [suspended, awaiting, ready];
}

await test("moments: a wait is awaiting until the wake, and ready from there", () => {
	assert.deepEqual(wait(1, [[0, 10], [100, 110, 0, 70]]), [90, 60, 30]);
	assert.deepEqual(wait(1, [[0, 10], [100, 110, 0, 5]]), [90, 0, 90]);
	assert.deepEqual(wait(1, [[0, 10], [100, 110, 0, 10]]), [90, 0, 90]);
	assert.deepEqual(wait(1, [[0, 10], [100, 110, 0, 100]]), [90, 90, 0]);
});

await test("moments: who left ready was ready all the time", () => {
	assert.deepEqual(wait(1, [[0, 10, FLAGS.ready], [100, 110]]), [90, 0, 90]);
});

await test("moments: without a wake, or with one that comes later, its parts are not known", () => {
	assert.deepEqual(wait(1, [[0, 10], [100, 110]]), [90, NaN, NaN]);
	assert.deepEqual(wait(1, [[0, 10], [100, 110, 0, 105]]), [90, NaN, NaN]);
});

await test("moments: a wait may have no length: whether it was ready is known as of any other", () => {
	assert.deepEqual(wait(1, [[0, 10], [10, 20]]), [0, NaN, NaN]);
	assert.deepEqual(wait(1, [[0, 10], [10, 20, 0, 10]]), [0, 0, 0]);
	assert.deepEqual(wait(1, [[0, 10], [10, 20, 0, 5]]), [0, 0, 0]);
	assert.deepEqual(wait(1, [[0, 10, FLAGS.ready], [10, 20]]), [0, 0, 0]);
});

await test("moments: a first slice has waited since it was ready, if that was told", () => {
	assert.deepEqual(wait(0, [[50, 60, FLAGS.fresh, 20]]), [30, 0, 30]);
	assert.match(wait(0, [[50, 60, FLAGS.fresh]]), /first slice/);
	assert.match(wait(0, [[50, 60]]), /not in the recording/);
});

await test("moments: where slices may be missing, or are sums, the wait is not known", () => {
	const two = [[0, 10], [100, 110]];

	assert.match(wait(1, two, { unseen: 1 }), /may be missing/);
	assert.match(wait(1, two, { flags: THREAD }), /its thread/);
	assert.match(wait(1, [[0, 10, FLAGS.cut], [100, 110]]), /may be missing/);
	assert.match(wait(1, [[0, 10], [100, 110, FLAGS.first]]), /may be missing/);
	/* The slice before is drawn in line with the sum that it is beside. */
	assert.match(wait(2, [[0, 5, FLAGS.merged], [5, 10, FLAGS.beside], [100, 110]], { slices: 3 }), /sums only/);
});

await test("moments: a span is found while it lasts, at its depth", () => {
	const profile = recording([], { spans: [[0, 0, 0, 100], [0, 0, 200, 300], [0, 1, 10, 20], [0, 1, 20, 30], [2, 0, 0, 5]] });
	const instants = new Instants(profile);
	const [outer, inner] = instants.spansOf(0);
	const at = (row, time) => instants.spanFrom(row, time);

	assert.deepEqual([outer, inner], [{ depth: 0, lo: 0, hi: 2 }, { depth: 1, lo: 2, hi: 4 }]);
	assert.deepEqual([0, 50, 100, 200, 299, 300].map((time) => at(outer, time)), [0, 0, 1, 1, 1, 2]);
	assert.deepEqual([5, 19, 20, 29, 30].map((time) => at(inner, time)), [2, 2, 3, 3, 4]);
	assert.deepEqual(instants.spansOf(1), []);
	assert.equal(instants.deepest(), 1);
	assert.equal(instants.deepest(2), 0);
	assert.equal(instants.deepest(1), -1);
});

/* Calls 0 "main", 1 "parse" in it, 2 "leaf" in that, 3 "write" in main. */
function sampled(slices, samples) {
	const profile = recording(slices);

	return Object.assign(profile, {
		samples: { tree: new Tree([-1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 2, 3]) },
		timelineSamples: {
			n: samples.length, time: samples.map(([time]) => time), call: samples.map(([, call]) => call),
			thread: samples.map(() => 0), coroutine: samples.map(() => 0),
		},
	});
}

/** By depth: [call, from, to, samples]. */
function chart(...made) {
	const profile = sampled(...made);

	return chartOf(profile, new Lanes(profile), 0).map((row) =>
		row.map(({ node, from, to, samples }) => [node - profile.samples.tree.base, from, to, samples]));
}

await test("moments: calls that samples have in common are one box as long as no slice ends", () => {
	assert.deepEqual(chart([[0, 100], [200, 300]], [[10, 2], [20, 1], [40, 3], [210, 3]]), [
		[[0, 10, 100, 3], [0, 210, 300, 1]],
		[[1, 10, 40, 2], [3, 40, 100, 1], [3, 210, 300, 1]],
		[[2, 10, 20, 1]],
	]);
});

await test("moments: a sample in a slice that is not there by itself stands for no time", () => {
	assert.deepEqual(chart([[0, 50, FLAGS.merged], [50, 100, FLAGS.beside]], [[60, 0]]), [[[0, 60, 60, 1]]]);
	assert.deepEqual(chart([[0, 50]], []), []);
});

process.exitCode = finish();
