// SPDX-License-Identifier: GPL-2.0
/*
 * What the page has one by one, beside slices: spans, samples and wakes, each at the
 * time that it was. Of spans it may have the longest only, of samples none.
 */

import { NONE, Profile } from "./profile";
import { areSlices, bucketBegin, bucketEnd } from "./stacks";

/** Spans of one depth, of one coroutine, by time: rows @lo to @hi - 1. */
export interface SpanRow {
	depth: number;
	lo: number;
	hi: number;
}

/** The first in [lo, hi) that is not below what is looked for; what @at gives must not fall. */
function first(lo: number, hi: number, least: number, at: (row: number) => number): number {
	while (lo < hi) {
		const middle = (lo + hi) >>> 1;

		if (at(middle) < least)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

export class Instants {
	private byCoroutine: Uint32Array | null = null;
	private begins: Float64Array | null = null;

	constructor(private profile: Profile) {}

	/* ---- spans */

	/** When each began. */
	get spanBegin(): Float64Array {
		const { end, wall } = this.profile.timelineSpans;

		return this.begins ??= end.map((time, row) => time - wall[row]);
	}

	/** The spans of a coroutine, the outermost first. */
	spansOf(coroutine: number): SpanRow[] {
		const { n, coroutine: of, depth } = this.profile.timelineSpans;
		const [from, to] = n ? [coroutine, coroutine + 1].map((least) => first(0, n, least, (row) => of[row])) : [0, 0];
		const rows: SpanRow[] = [];

		for (let lo = from; lo < to; lo = rows[rows.length - 1].hi)
			rows.push({ depth: depth[lo], lo, hi: first(lo, to, depth[lo] + 1, (row) => depth[row]) });
		return rows;
	}

	/** Of those of one depth, the first that may be there from @time on: each begins when the one before has ended, or later. */
	spanFrom({ lo, hi }: SpanRow, time: number): number {
		const { spanBegin } = this;
		const { end } = this.profile.timelineSpans;
		const at = first(lo, hi, time, (row) => spanBegin[row]);

		return at > lo && end[at - 1] > time ? at - 1 : at;
	}

	/** In how many others a span is at most: of one coroutine, or of any. */
	deepest(coroutine = NONE): number {
		const { n, depth } = this.profile.timelineSpans;

		if (coroutine !== NONE)
			return this.spansOf(coroutine).reduce((most, { depth: at }) => Math.max(most, at), -1);
		let most = -1;

		for (let row = 0; row < n; row++)
			most = Math.max(most, depth[row]);
		return most;
	}

	/* ---- samples */

	/** The samples of a lane, by time, from @time on: see Moments.sample(). */
	samplesFrom(lane: { thread: number; coroutine: number }, time: number): { at: number; hi: number } {
		const { n, thread, time: times, coroutine } = this.profile.timelineSamples;
		const ofThread = lane.coroutine === NONE;
		const [of, sought] = ofThread ? [thread, lane.thread] : [coroutine, lane.coroutine];
		const row = (at: number) => this.sample(lane, at);
		const lo = first(0, n, sought, (at) => of[row(at)]);
		const hi = first(lo, n, sought + 1, (at) => of[row(at)]);

		return { at: first(lo, hi, time, (at) => times[row(at)]), hi };
	}

	/** The row of a place of samplesFrom(). */
	sample({ coroutine }: { coroutine: number }, at: number): number {
		return coroutine === NONE ? at : this.samplesByCoroutine()[at];
	}

	private samplesByCoroutine(): Uint32Array {
		const { n, coroutine, time } = this.profile.timelineSamples;

		return this.byCoroutine ??= Uint32Array.from({ length: n }, (_, row) => row)
			.sort((a, b) => coroutine[a] - coroutine[b] || time[a] - time[b]);
	}

	/* ---- wakes */

	/** The wake that a slice began after, or NONE. */
	wakeOf(slice: number): number {
		const { n, slice: of } = this.profile.timelineWakes;
		const at = first(0, n, slice, (row) => of[row]);

		return at < n && of[at] === slice ? at : NONE;
	}

	/** What a slice woke, by time: rows of the table of wakes. */
	wokenBy(slice: number): number[] {
		const { timeline: { coroutine, begin, end }, timelineWakes: { n, waker, woken } } = this.profile;
		const rows: number[] = [];

		for (let row = 0; row < n; row++)
			if (waker[row] === coroutine[slice] && woken[row] >= begin[slice] && woken[row] <= end[slice])
				rows.push(row);
		return rows.sort((a, b) => woken[a] - woken[b]);
	}

	/* ---- slices */

	/** Whether a row of the timeline is one slice, drawn where it was: beside sums it is put in line with them. */
	isPlaced(slice: number): boolean {
		const { profile } = this;

		return slice !== NONE && areSlices(profile, bucketBegin(profile, slice), bucketEnd(profile, slice, profile.timeline.n));
	}
}

const made = new WeakMap<Profile, Instants>();

export function instantsOf(profile: Profile): Instants {
	if (!made.has(profile))
		made.set(profile, new Instants(profile));
	return made.get(profile)!;
}

/* ------------------------------------------------------------------------
 * the wait before a slice: see gaps.ts
 */

/** Time between the slice before and this one; parts are NaN where they are not known. */
export interface Wait {
	suspended: number;
	awaiting: number;
	ready: number;
	/** Why it is not known. */
	missing?: string;
}

/** As the reader has it: see gaps.h there. */
export function split(left: number, to: number, leftReady: boolean, woken: number): Wait {
	const from = Math.min(left, to);
	const suspended = to - from;

	if (leftReady || woken <= from)
		return { suspended, awaiting: 0, ready: suspended };
	return woken <= to ? { suspended, awaiting: woken - from, ready: to - woken } : { suspended, awaiting: NaN, ready: NaN };
}
