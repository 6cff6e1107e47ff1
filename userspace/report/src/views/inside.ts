// SPDX-License-Identifier: GPL-2.0
/*
 * What is in slices: spans, each depth in a row of its own below them, and samples as
 * ticks on top. Each is drawn where it was. In the lane of a thread spans are drawn in
 * the slices of their coroutine; in that of a coroutine from begin to end, paler where
 * it was suspended; below them its samples with their callers, see chart.ts.
 */

import { Box, CHART_SAYS, chartOf } from "../chart";
import { coroutineName, threadName } from "../columns";
import { Tip } from "../dom";
import * as format from "../format";
import { Lane, Lanes, LaneSet } from "../lanes";
import { Fitter } from "../middle";
import { Instants, instantsOf, SpanRow } from "../instants";
import { inkOn, paler, palette, rankColour } from "../palette";
import { NONE, Profile } from "../profile";
import { printable, visible } from "../spell";
import { Lanes as LaneKind } from "../store";
import { Piece, Window } from "./paint";

/** Pixels of a row of spans. */
export const SPAN = 13;
/** Of a tick, and how near to one a sample is pointed at. */
const TICK = 7;
const NEAR = 3;
const TEXT_ROOM = 26;
/** So many depths have rows: of threads, of one coroutine; of calls in its samples. */
const ROWS = { threads: 4, coroutines: 24 };
const CALLS = 48;
/** Neighbours are distinguished. */
const SHADES = [0.12, 0.4, 0.26, 0.52];
/** Of a span while its coroutine is suspended. */
const FAINT = 0.72;
/** So many callers of a sample are reported. */
const CALLERS = 10;

/** Those of spans in coroutines of the label that ran for longest, as an example. */
export function spanShades(): string[] {
	return SHADES.slice(0, 2).map((shade) => paler(rankColour(0), shade));
}

export function spanTip(profile: Profile, row: number): Tip {
	const { timelineSpans: { span, depth, end, wall, running, coroutine }, spans } = profile;

	return {
		head: visible(spans!.spans.name[span[row]]),
		rows: [
			["coroutine", coroutineName(profile, coroutine[row])],
			["begin", format.moment(end[row] - wall[row])],
			["wall", format.time(wall[row])],
			["running", format.time(running[row])],
			["depth", format.full(depth[row])],
		],
		note: "A span, from its begin to its end.",
	};
}

export function sampleTip(profile: Profile, row: number): Tip {
	const { timelineSamples: { time, call, thread, coroutine }, samples } = profile;
	const { tree, functions } = samples!;
	const names: string[] = [];

	for (let node = call[row] === NONE ? 0 : tree.base + call[row]; node >= tree.base; node = tree.parent[node])
		names.push(visible(functions.name[tree.name[node]]));
	return {
		head: names[0] ?? "sample",
		rows: [
			["sample at", format.moment(time[row])],
			["coroutine", coroutine[row] === NONE ? format.na() : coroutineName(profile, coroutine[row])],
			["thread", threadName(profile, thread[row])],
			...names.slice(1, 1 + CALLERS).map((name, at): [string, string] => [at ? "" : "called by", name]),
		],
		note: names.length > 1 + CALLERS ? `and ${format.plural(names.length - 1 - CALLERS, "caller")} more` : undefined,
	};
}

/** Of a box of the chart. */
function boxTip(profile: Profile, { node, from, to, samples }: Box): Tip {
	const { tree, functions } = profile.samples!;

	return {
		head: visible(functions.name[tree.name[node]]),
		rows: [["from", format.moment(from)], ["for", format.time(to - from)], ["samples", format.full(samples)]],
		note: CHART_SAYS,
	};
}

/** The first box that is there at @time, or after. */
function boxFrom(row: Box[], time: number): number {
	let [lo, hi] = [0, row.length];

	while (lo < hi) {
		const middle = (lo + hi) >>> 1;

		if (row[middle].to < time)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

export class Inside {
	/** What was drawn since begin(), for tests: spans one by one, and pixels that have samples. */
	spans: { row: number; from: number; to: number; depth: number }[] = [];
	ticks = 0;
	calls: (Box & { depth: number })[] = [];
	private chart: { coroutine: number; rows: Box[][] } = { coroutine: NONE, rows: [] };
	private instants: Instants;
	private names: Fitter;
	private deepest: number;
	private ofCoroutine = new Map<number, SpanRow[]>();

	constructor(private profile: Profile, private lanes: Lanes, private context: CanvasRenderingContext2D) {
		this.instants = instantsOf(profile);
		this.names = new Fitter(context);
		this.deepest = this.instants.deepest();
	}

	reset(): void {
		this.names.reset();
	}

	begin(): void {
		this.spans = [];
		this.ticks = 0;
		this.calls = [];
		this.ofCoroutine.clear();
	}

	/** How many rows of calls of samples lanes have, below those of spans. */
	callRows(kind: LaneKind, only: number): number {
		return kind === "threads" || only === NONE ? 0 : Math.min(CALLS, this.chartOf(only).length);
	}

	private chartOf(coroutine: number): Box[][] {
		if (this.chart.coroutine !== coroutine)
			this.chart = { coroutine, rows: chartOf(this.profile, this.lanes, coroutine) };
		return this.chart.rows;
	}

	/** How many rows of spans lanes have: those of coroutines only where it is one. */
	rows(kind: LaneKind, only: number): number {
		return Math.min(ROWS[kind], kind === "threads" ? this.deepest + 1 : only === NONE ? 0 : this.instants.deepest(only) + 1);
	}

	private spansOf(coroutine: number): SpanRow[] {
		if (!this.ofCoroutine.has(coroutine))
			this.ofCoroutine.set(coroutine, this.instants.spansOf(coroutine));
		return this.ofCoroutine.get(coroutine)!;
	}

	/** Draws @rows of spans below @y, of what of the lane is drawn as @wide. */
	lane(set: LaneSet, lane: Lane, wide: Piece[], y: number, rows: number, window: Window): void {
		const { timeline } = this.profile;

		if (!rows)
			return;
		if (lane.coroutine !== NONE)
			this.coroutine(lane.coroutine, window, window, y, rows, FAINT);
		for (const piece of wide) {
			const slice = set.index ? set.index[piece.lo] : piece.lo;

			if (piece.slice && timeline.coroutine[slice] !== NONE && this.instants.isPlaced(slice))
				this.coroutine(timeline.coroutine[slice],
					{ from: Math.max(piece.begin, window.from), to: Math.min(piece.end, window.to) }, window, y, rows, 0);
		}
	}

	/** The spans of a coroutine, as far as they are in a range of time. */
	private coroutine(coroutine: number, stretch: { from: number; to: number }, window: Window, y: number, rows: number, faint: number): void {
		for (const row of this.spansOf(coroutine))
			if (row.depth < rows)
				this.row(row, stretch, window, y + row.depth * SPAN, faint);
	}

	private row(row: SpanRow, { from, to }: { from: number; to: number }, window: Window, y: number, faint: number): void {
		const { context, instants: { spanBegin }, profile: { timelineSpans: { end } } } = this;
		const scale = (window.right - window.left) / (window.to - window.from);
		const x = (time: number) => window.left + (Math.max(from, Math.min(to, time)) - window.from) * scale;
		let last = -1;

		for (let at = this.instants.spanFrom(row, from); at < row.hi && spanBegin[at] < to; at++) {
			const [x0, x1] = [x(spanBegin[at]), x(end[at])];

			if (x1 - x0 >= 1) {
				this.one(at, x0, x1, y, faint);
				if (!faint)
					this.spans.push({ row: at, from: Math.max(from, spanBegin[at]), to: Math.min(to, end[at]), depth: row.depth });
			} else if (Math.floor(x0) !== last) {
				/* Those that share a pixel are none of them. */
				last = Math.floor(x0);
				context.fillStyle = faint ? paler(palette().others, FAINT) : palette().others;
				context.fillRect(last, y, 1, SPAN - 1);
			}
		}
	}

	private one(row: number, x0: number, x1: number, y: number, faint: number): void {
		const colour = this.colour(row);

		this.bar(faint ? paler(colour, faint) : colour, faint ? "" : this.name(row), x0, x1, y);
	}

	private bar(colour: string, name: string, x0: number, x1: number, y: number): void {
		const { context } = this;

		context.fillStyle = colour;
		context.fillRect(x0, y, Math.max(x1 - x0 - (x1 - x0 > 3 ? 1 : 0), 1), SPAN - 1);
		if (!name || x1 - x0 < TEXT_ROOM)
			return;
		const text = this.names.fit(printable(name), x1 - x0 - 6);

		context.fillStyle = inkOn(colour);
		if (text)
			context.fillText(text, x0 + 3, y + (SPAN - 1) / 2);
	}

	private name(row: number): string {
		const { spans, timelineSpans } = this.profile;

		return visible(spans!.spans.name[timelineSpans.span[row]]);
	}

	private colour(row: number): string {
		const { timelineSpans: { coroutine, span }, coroutines, labels } = this.profile;
		const label = coroutines.label[coroutine[row]];

		return paler(rankColour(label === NONE ? NONE : labels.rank[label]), SHADES[span[row] % SHADES.length]);
	}

	/** The calls that samples of a coroutine were in, below @y. */
	stacks(coroutine: number, y: number, rows: number, { from, to, left, right }: Window): void {
		const { context } = this;
		const { tree, functions } = this.profile.samples ?? {};
		const x = (time: number) => left + (Math.max(from, Math.min(to, time)) - from) / (to - from) * (right - left);

		this.chartOf(coroutine).slice(0, rows).forEach((row, depth) => {
			let last = -1;

			for (let at = boxFrom(row, from); at < row.length && row[at].from <= to; at++) {
				const [x0, x1] = [x(row[at].from), x(row[at].to)];

				if (x1 - x0 >= 1) {
					const colour = paler(rankColour(tree!.name[row[at].node]), SHADES[depth % 2]);

					this.bar(colour, visible(functions!.name[tree!.name[row[at].node]]), x0, x1, y + depth * SPAN);
					this.calls.push({ ...row[at], depth });
				} else if (Math.floor(x0) !== last) {
					last = Math.floor(x0);
					context.fillStyle = palette().others;
					context.fillRect(last, y + depth * SPAN, 1, SPAN - 1);
				}
			}
		});
	}

	/** What is reported of the call at a depth of the chart, and where it is; null if none is. */
	callAt(coroutine: number, depth: number, time: number, pixel: number): { tip: Tip; begin: number; end: number } | null {
		const row = coroutine === NONE ? [] : this.chartOf(coroutine)[depth] ?? [];
		const box = row[boxFrom(row, time)];

		return box && box.from <= time + pixel ? { tip: boxTip(this.profile, box), begin: box.from, end: box.to } : null;
	}

	/** Ticks of samples on top of a lane: one for each pixel that has any. */
	samples(lane: Lane, y: number, { from, to, left, right }: Window): void {
		const { context, instants, profile: { timelineSamples: { n, time } } } = this;
		const scale = (right - left) / (to - from);
		let last = -1;

		if (!n)
			return;
		context.fillStyle = palette().ink;
		for (let { at, hi } = instants.samplesFrom(lane, from); at < hi; at++) {
			const when = time[instants.sample(lane, at)];
			const x = Math.floor(left + (when - from) * scale);

			if (when > to)
				break;
			if (x === last)
				continue;
			last = x;
			context.fillRect(x, y, 1, TICK);
			this.ticks++;
		}
	}

	/* ---- what the pointer is at */

	/** The sample at a time, @up pixels below the top of its lane; or NONE. */
	sampleAt(lane: Lane, time: number, down: number, pixel: number): number {
		const { instants, profile: { timelineSamples } } = this;
		let found = NONE;
		let least = NEAR * pixel;

		if (down > TICK + 1 || !timelineSamples.n)
			return NONE;
		for (let { at, hi } = instants.samplesFrom(lane, time - least); at < hi; at++) {
			const row = instants.sample(lane, at);

			if (timelineSamples.time[row] > time + NEAR * pixel)
				break;
			if (Math.abs(timelineSamples.time[row] - time) <= least) {
				least = Math.abs(timelineSamples.time[row] - time);
				found = row;
			}
		}
		return found;
	}

	/** The span of a coroutine of this depth from @time to @time + @pixel, if it is one; or NONE. */
	spanAt(coroutine: number, depth: number, time: number, pixel: number): number {
		const { instants, profile: { timelineSpans: { end } } } = this;
		const row = coroutine === NONE ? undefined : instants.spansOf(coroutine).find((of) => of.depth === depth);
		const at = row ? instants.spanFrom(row, time) : NONE;

		return row && at < row.hi && instants.spanBegin[at] <= time + pixel && end[at] >= time ? at : NONE;
	}

	/** What of spans and samples lanes do not show, in words. */
	notes(kind: LaneKind, only: number): string[] {
		const { recording, timelineSpans, timelineSamples, spans, samples } = this.profile;
		const least = recording.timeline_spans_least || 0;
		const deep = kind === "threads" ? this.deepest : only === NONE ? -1 : this.instants.deepest(only);
		const out = spans ? recording.spans - timelineSpans.n : 0;
		const untold = samples ? recording.samples - timelineSamples.n : 0;
		const calls = kind === "threads" || only === NONE ? 0 : this.chartOf(only).length;

		return [
			out > 0 ? `without ${format.plural(out, "span")} ${this.whyNot(least)}` : "",
			deep >= ROWS[kind] ? `spans of ${ROWS[kind]} depths${kind === "threads" ? ": the lane of a coroutine has more" : ""}` : "",
			calls > CALLS ? `the outermost ${CALLS} of ${calls} depths of calls` : "",
			untold > 0 ? `${format.plural(untold, "sample")}: too many for ticks` : "",
		].filter(Boolean);
	}

	/** Why spans are not in the timeline: there is no room for those of coroutines that are in no table, either. */
	private whyNot(least: number): string {
		const { dropped_spans: dropped, folded_coroutines: folded } = this.profile.recording;

		return [least ? `shorter than ${format.time(least)}` : "", !least || dropped || folded ? "for which there was no room" : ""]
			.filter(Boolean).join(", or ");
	}
}
