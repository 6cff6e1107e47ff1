// SPDX-License-Identifier: GPL-2.0
/*
 * How long things took of what is chosen, of few slices made up so that each case is
 * there: lasted.mjs MODULES, where MODULES is the folder that holds node_modules.
 */
import assert from "node:assert/strict";
import { finish, test } from "../../../tests/e2e/tap.mjs";
import { load } from "./load.mjs";

const { KINDS, Durations, quantile, spanLengths, spansOf } = await load("./durations", "./spans");
const FLAGS = { fresh: 1, ready: 2, first: 4, cut: 8, end: 16, merged: 32, beside: 64 };
const NONE = -1;
const LABEL = { text: 0, thread: 1 };

/**
 * Slices of one thread, by time: [begin, end, coroutine, more], where more may be { flags, woken, blocked, slices, thread }.
 * Coroutines have the label of their number; @coroutines says more of them.
 */
function recording(slices, { duration = 1000, resolution = 0, coroutines = [], labels = 3, more = 0 } = {}) {
	const of = (read, Type = Float64Array) => Type.from(slices, read);
	const woken = slices.flatMap(([, , , { woken: time } = {}], slice) => time === undefined ? [] : [[slice, time]]);
	const own = (coroutine) => slices.filter(([, , which]) => which === coroutine);
	const all = Array.from({ length: labels }, (_, coroutine) => ({
		flags: 0, unseen: 0, slices: own(coroutine).length, first: own(coroutine)[0]?.[0] ?? NaN, last: own(coroutine).at(-1)?.[1] ?? NaN,
		born: own(coroutine)[0]?.[0] ?? NaN, ...coroutines[coroutine],
	}));
	const ofAll = (name) => all.map((coroutine) => coroutine[name]);

	return {
		since: 0, until: duration,
		timeline: {
			n: slices.length, resolution, begin: of(([begin]) => begin), end: of(([, end]) => end), thread: of(() => 0, Int32Array),
			flags: of(([, , , { flags = 0 } = {}]) => flags, Int32Array), slices: of(([, , , { slices = 1 } = {}]) => slices),
			coroutine: of(([, , coroutine, { flags = 0, folded = false } = {}]) => flags & FLAGS.merged || folded ? NONE : coroutine, Int32Array),
			label: of(([, , coroutine]) => coroutine, Int32Array), first: [0, slices.length],
			preempted: of(() => 0), idle: of(() => 0), blocked: of(([, , , { blocked = 0 } = {}]) => blocked),
		},
		timelineWakes: { n: woken.length, slice: woken.map(([slice]) => slice), woken: woken.map(([, time]) => time) },
		coroutines: {
			n: labels, label: all.map((_, coroutine) => coroutine), flags: ofAll("flags"), slices: ofAll("slices"), unseen_gaps: ofAll("unseen"),
			first: ofAll("first"), last: ofAll("last"), born: ofAll("born"),
		},
		labels: { n: labels, name: all.map(String), kind: all.map(() => LABEL.text), coroutines: all.map((_, label) => 1 + (label ? 0 : more)) },
		threads: { name: ["t"], process: [0], tid: [1] }, processes: { n: 1 }, tables: { table: () => ({ title: () => "t" }) },
		words: { slice: FLAGS, coroutine: { born: 1, ended: 2, thread: 4, overlap: 8, renamed: 16 }, label: LABEL },
	};
}

/** Lengths of label 0 by kind, of a window; a text: why not all are known. */
function durations(profile, [from, to], selected = null) {
	const found = new Durations(profile, { from, to, selected });

	return Object.fromEntries(KINDS.map((what) => [what, found.missing(what, 0) ?? found.lengths(what, 0)])
		.filter(([, lengths]) => lengths.length));
}

const whole = [0, 1000];

await test("lasted: a gap is of a window if both slices are, as far as these are in it", () => {
	const profile = recording([[0, 10, 0], [100, 110, 0, { woken: 70 }], [200, 210, 0]]);
	const slices = (...held) => ({ running: held, held });

	assert.deepEqual(durations(profile, whole), { ...slices(10, 10, 10), ready: [30], awaiting: [60], suspended: [90] });
	assert.deepEqual(durations(profile, [9, 500]), { ...slices(1, 10, 10), ready: [30], awaiting: [60], suspended: [90] });
	assert.deepEqual(durations(profile, [10, 500]), { ...slices(10, 10), suspended: [90] });
	assert.deepEqual(durations(profile, [11, 500]), { ...slices(10, 10), suspended: [90] });
	assert.deepEqual(durations(profile, [11, 200]), slices(10));
	assert.deepEqual(durations(profile, [11, 201]), { ...slices(1, 10), suspended: [90] });
	assert.deepEqual(durations(profile, [11, 210]), { ...slices(10, 10), suspended: [90] });
});

await test("lasted: a first slice was ready since it was told, as far as that is in the window; no length is a wait, too", () => {
	const profile = recording([[50, 60, 0, { flags: FLAGS.fresh, woken: 20 }], [60, 70, 0], [80, 90, 0, { woken: 90 }]]);

	assert.deepEqual(durations(profile, [10, 65]), { running: [5, 10], held: [5, 10], ready: [30], suspended: [0] });
	assert.deepEqual(durations(profile, [45, 65]), { running: [5, 10], held: [5, 10], ready: [5], suspended: [0] });
	assert.deepEqual(durations(profile, [55, 65]), { running: [5, 5], held: [5, 5], suspended: [0] });
	assert.deepEqual(durations(profile, [65, 1000]), { running: [5, 10], held: [5, 10], suspended: [10] });
});

await test("lasted: what was blocked, and what ran", () =>
	assert.deepEqual(durations(recording([[0, 10, 0, { blocked: 4 }], [20, 25, 1, { blocked: 2 }]]), whole), { running: [6], held: [10], blocked: [4] }));

await test("lasted: where slices may be missing there is no gap; where nobody knows, none is known", () => {
	const slices = (flags) => [[0, 10, 0, { flags }], [100, 110, 0], [200, 210, 0]];
	const waits = (profile) => durations(profile, whole).suspended;

	assert.deepEqual(waits(recording(slices(FLAGS.cut), { coroutines: [{ unseen: 1 }] })), [90]);
	assert.match(waits(recording(slices(0), { coroutines: [{ unseen: 1 }] })), /may be missing/);
	assert.match(waits(recording(slices(0), { coroutines: [{ flags: 8 }] })), /overlap/);
	assert.match(waits(recording([[0, 10, 0], [20, 30, 0, { folded: true }]])), /no room/);
});

await test("lasted: of sums nothing is known, but of what is far from them all is", () => {
	const profile = recording([[0, 5, 0, { flags: FLAGS.merged, slices: 3 }], [5, 9, 0, { flags: FLAGS.beside }],
		[100, 120, 0], [200, 220, 0], [230, 233, 1, { flags: FLAGS.merged, slices: 2 }], [300, 320, 0]],
	{ resolution: 16, coroutines: [{ slices: 7 }] });

	for (const what of ["held", "running", "suspended"])
		assert.match(durations(profile, whole)[what], /sums only/);
	assert.deepEqual(durations(profile, [90, 230]), { running: [20, 20], held: [20, 20], suspended: [80] });
	assert.match(durations(profile, [90, 400]).suspended, /sums only/, "some of it may have run in what is put together");
	assert.deepEqual(durations(profile, [90, 400]).held, [20, 20, 20]);
	/* The last of it ended before 32. */
	assert.deepEqual(durations(profile, [33, 130]).held, [20]);
	assert.match(durations(profile, [31, 130]).held, /sums only/);
	assert.equal(new Durations(profile, { from: 0, to: 1000, selected: null }).known("held"), 16);
	assert.equal(new Durations(profile, { from: 0, to: 1000, selected: null }).known("suspended"), Infinity);
});

await test("lasted: a life is of a window if its first slice begins, and its last ends, in it", () => {
	const life = { flags: 1 | 2, born: 5 };
	const lives = (window, more) => durations(recording([[20, 30, 0, { flags: FLAGS.fresh, woken: 5 }], [80, 90, 0]], { coroutines: [life], ...more }), window).lifetime;

	assert.deepEqual([whole, [20, 90], [21, 1000], [30, 91], [0, 89]].map((window) => lives(window)), [[85], [85], undefined, undefined, undefined]);
	assert.match(lives(whole, { more: 1 }), /no room/);
});

await test("lasted: of a coroutine, or a label, there is nothing else", () => {
	const profile = recording([[0, 10, 0], [20, 25, 1], [30, 37, 0]]);

	assert.deepEqual(durations(profile, whole, { kind: "coroutine", index: 0 }).held, [7, 10]);
	assert.deepEqual(durations(profile, whole, { kind: "label", index: 1 }), {});
	assert.deepEqual(durations(profile, whole, { kind: "thread", index: 0 }).held, [7, 10]);
	assert.deepEqual(durations(profile, whole, { kind: "thread", index: 1 }), {});
});

await test("lasted: a quantile is the least that so many do not exceed", () => {
	const hundred = Array.from({ length: 100 }, (_, at) => at + 1);

	assert.deepEqual([0, 0.07, 0.5, 0.99, 0.999, 1].map((share) => quantile(hundred, share)), [1, 7, 50, 99, 100, 100]);
	assert.ok(Number.isNaN(quantile([], 0.5)));
});

/** Spans [coroutine, name, begin, end, depth], by coroutine; @calls: how many of each name the recording has. */
function withSpans(profile, spans, { calls = [0, 1].map((name) => spans.filter(([, of]) => of === name).length), lost = 0, folded = 0 } = {}) {
	return Object.assign(profile, {
		recording: { lost_spans: lost, dropped_spans: 0, folded_coroutines: folded, timeline_spans_least: 0 },
		spans: { spans: { n: calls.length, calls } },
		timelineSpans: {
			n: spans.length, coroutine: spans.map(([coroutine]) => coroutine), span: spans.map(([, name]) => name),
			end: Float64Array.from(spans, ([, , , end]) => end), wall: spans.map(([, , begin, end]) => end - begin), depth: spans.map(([, , , , depth = 0]) => depth),
		},
	});
}

const spanTimes = (profile, [from, to], selected = null) => spanLengths(profile, { from, to, selected });
const label = { kind: "label", index: 0 };
const thread = (index) => ({ kind: "thread", index });

await test("lasted: spans are of the time that they ended in, and of the coroutine", () => {
	const profile = withSpans(recording([[0, 100, 0], [100, 200, 1], [200, 300, 0]]), [[0, 0, 10, 40], [0, 1, 50, 250], [1, 0, 120, 140]]);

	assert.deepEqual(spanTimes(profile, whole), [[20, 30], [200]]);
	assert.deepEqual(spanTimes(profile, [40, 250]), [[20, 30], []]);
	assert.deepEqual(spanTimes(profile, [41, 251]), [[20], [200]]);
	assert.deepEqual(spanTimes(profile, whole, { kind: "coroutine", index: 1 }), [[20], []]);
	assert.deepEqual(spanTimes(profile, whole, label), [[30], [200]]);
	assert.deepEqual(spanTimes(profile, whole, thread(0)), [[20, 30], [200]]);
	assert.deepEqual(spanTimes(profile, whole, thread(1)), [[], []]);
});

await test("lasted: of a coroutine that had several labels, spans are of that which the slice has in which they ended", () => {
	const profile = withSpans(recording([[0, 100, 0], [200, 300, 0]], { coroutines: [{ flags: 16 }] }), [[0, 0, 10, 40], [0, 1, 50, 250]]);

	profile.timeline.label[1] = 2;
	assert.deepEqual(spanTimes(profile, whole, label), [[30], []]);
	assert.deepEqual(spanTimes(profile, whole, { kind: "label", index: 2 }), [[], [200]]);
	/* The slice that it ended in is cut. */
	assert.deepEqual(spanTimes(profile, [0, 280], label), [[30], []]);
	assert.deepEqual(spanTimes(profile, [0, 280], { kind: "label", index: 2 }), [[], [200]]);
	assert.deepEqual(spanTimes(profile, [110, 280], label), [[], []]);
});

await test("lasted: where a slice is not there by itself, it is not known on which thread a span in it ended", () => {
	const profile = withSpans(recording([[0, 5, 0, { flags: FLAGS.merged, slices: 3 }], [5, 9, 0, { flags: FLAGS.beside }], [100, 120, 0]],
		{ resolution: 16, coroutines: [{ slices: 7 }] }), [[0, 0, 2, 4], [0, 1, 3, 110]]);

	assert.deepEqual(spanTimes(profile, whole), [[2], [107]]);
	assert.match(spanTimes(profile, whole, thread(1))[0], /sums only/);
	assert.deepEqual(spanTimes(profile, whole, thread(1))[1], []);
	assert.deepEqual(spanTimes(profile, whole, thread(0))[1], [107]);
	assert.deepEqual(spanTimes(profile, whole, label), [[2], [107]]);
});

await test("lasted: of a span of which some calls are not there none are told, and of a tree of those nothing", () => {
	const spans = [[0, 0, 10, 40], [0, 1, 50, 250]];
	const of = (more) => withSpans(recording([[0, 300, 0]]), spans, more);

	assert.match(spanTimes(of({ calls: [2, 1], folded: 1 }), whole)[0], /no room/);
	assert.deepEqual(spanTimes(of({ calls: [2, 1], folded: 1 }), whole)[1], [200]);
	assert.match(spansOf(of({ calls: [2, 1], folded: 1 }), { from: 0, to: 100, selected: null }), /no room/);
	assert.match(spansOf(of({ calls: [2, 1] }), { from: 0, to: 100, selected: null }), /do not add up/);
	assert.match(spansOf(of({ lost: 1 }), { from: 0, to: 100, selected: null }), /were lost/);
});

process.exitCode = finish();
