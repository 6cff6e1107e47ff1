// SPDX-License-Identifier: GPL-2.0
/*
 * Time between slices in a window of time, as the reader adds it up of it: see gaps.h
 * there. Of a gap before a slice four things can be said: how long it was; that there
 * is none, as the reader measures none there; that it is unseen; or why the page does not know.
 */

import { Lanes } from "./lanes";
import { instantsOf, split, Wait } from "./instants";
import { isOutside, NONE, Profile } from "./profile";
import { areSlices, bucketEnd } from "./stacks";
import { goesOn } from "./pieces";

export const FOLDED = "Not known: the table has no room for some of these coroutines.";
export const SUMS = "Not known of this time: of some of its slices the page has sums only. The command beside \"time\" makes a page of this time.";
const UNSEEN = "Not known: slices of some of these coroutines may be missing, and it is not known where.";
const OVERLAP = "Not known: slices of some of these coroutines overlap.";
/** The coroutine may have run in it: the reader counts it, and does not measure it. */
const UNSEEN_GAP = missing("slices of it may be missing");

/** Likewise, of one slice. */
const OF_ONE: Record<string, string> = {
	[FOLDED]: "the table has no room for its coroutine", [SUMS]: "the page has slices of this coroutine as sums only",
	[UNSEEN]: "slices of it may be missing, and it is not known where", [OVERLAP]: "slices of it overlap",
};

function missing(why: string): Wait {
	return { suspended: NaN, awaiting: NaN, ready: NaN, missing: why };
}

/** A bucket of slices that are put together. */
export interface Bucket {
	lo: number;
	hi: number;
	begin: number;
	/** When its last slice had ended, at the latest: it is not drawn for so long. */
	reach: number;
}

export class Gaps {
	/** Whether a row of the timeline is one slice, drawn where it was. */
	readonly placed: Uint8Array;
	/** By thread, then time. */
	readonly buckets: Bucket[] = [];
	readonly lanes: Lanes;
	/** Of each slice of a coroutine: the row of the one before that the page has. */
	private before: Int32Array;
	/** Of each coroutine: the page has all its slices one by one; why its gaps are not known, or "". */
	private whole: Uint8Array;
	/** Likewise, of all coroutines. */
	readonly hasEvery: boolean;
	private why: string[];
	/** Made when they are first asked for. */
	private waits: (Wait | undefined)[] = [];
	/** When buckets begin, and how far these and those before them reach at most. */
	private begins: Float64Array;
	private reaches: Float64Array;

	constructor(private profile: Profile) {
		const { timeline: { n }, coroutines } = profile;

		this.lanes = new Lanes(profile);
		this.placed = new Uint8Array(n);
		this.before = new Int32Array(n).fill(NONE);
		this.whole = new Uint8Array(coroutines.n);
		this.why = new Array<string>(coroutines.n).fill("");
		for (const { lo, hi } of this.lanes.threadLanes.lanes)
			this.place(lo, hi);
		const byTime = [...this.buckets].sort((a, b) => a.begin - b.begin);
		let most = -Infinity;

		this.begins = Float64Array.from(byTime, ({ begin }) => begin);
		this.reaches = Float64Array.from(byTime, ({ reach }) => most = Math.max(most, reach));
		for (let coroutine = 0; coroutine < coroutines.n; coroutine++)
			this.follow(coroutine);
		this.hasEvery = this.whole.every((whole) => whole);
	}

	/** A slice of a bucket begins in it, is shorter than that, and ends before the next on its thread begins. */
	private place(lo: number, hi: number): void {
		const { profile, profile: { timeline: { begin, end, resolution }, until } } = this;

		for (let bucket = lo, next = lo; bucket < hi; bucket = next) {
			next = bucketEnd(profile, bucket, hi);
			if (areSlices(profile, bucket, next))
				this.placed.fill(1, bucket, next);
			else
				this.buckets.push({ lo: bucket, hi: next, begin: begin[bucket], reach: Math.max(end[next - 1],
					Math.min(next < hi ? begin[next] : Infinity, begin[bucket] + 2 * (resolution || 0), until)) });
		}
	}

	/** Whether the coroutine may have run between two slices, as these say: another may say so too. */
	private unseen(before: number, slice: number): boolean {
		const { timeline: { flags }, words } = this.profile;

		return !!(flags[before] & words.slice.cut || flags[slice] & words.slice.first);
	}

	private follow(coroutine: number): void {
		const { placed, profile: { coroutines, words } } = this;
		const slices = this.lanes.slicesOf(coroutine);
		let [reported, pieces] = [0, 0];

		slices.forEach((slice, at) => {
			if (goesOn(this.profile, slice)) {
				pieces++;
				return;
			}
			this.before[slice] = at ? slices[at - 1] : NONE;
			reported += +(at > 0 && this.unseen(slices[at - 1], slice));
		});
		this.whole[coroutine] = +(slices.length - pieces === coroutines.slices[coroutine] && slices.every((slice) => placed[slice]));
		if (coroutines.flags[coroutine] & words.coroutine.overlap)
			this.why[coroutine] = OVERLAP;
		else if (coroutines.unseen_gaps[coroutine] !== reported && (coroutines.unseen_gaps[coroutine] || this.whole[coroutine]))
			this.why[coroutine] = UNSEEN;
	}

	/** Whether the page has all slices of a coroutine one by one. */
	hasAll(coroutine: number): boolean {
		return !!this.whole[coroutine];
	}

	/** Those that may have slices in a time. */
	bucketsIn({ from, to }: { from: number; to: number }): Bucket[] {
		return this.buckets.filter(({ begin, reach }) => begin < to && reach >= from);
	}

	/** Whether slices that are put together may have been there between two times. */
	private hasSums(from: number, to: number): boolean {
		let [lo, hi] = [0, this.begins.length];

		while (lo < hi) {
			const middle = (lo + hi) >>> 1;

			if (this.begins[middle] < to)
				lo = middle + 1;
			else
				hi = middle;
		}
		return lo > 0 && this.reaches[lo - 1] > from;
	}

	/** Before a placed slice, in a window that begins at @from: null if the reader measures none, or why it is not known. */
	wait(slice: number, from: number): Wait | null | string {
		const { before: { [slice]: before }, placed, profile, profile: { timeline: { begin, end, coroutine, label, resolution } } } = this;
		const { [slice]: of } = coroutine;

		if (isOutside(profile, label[slice]) || goesOn(profile, slice))
			return null;
		if (of === NONE)
			return FOLDED;
		const drawn = before !== NONE && !placed[before];
		/* One that is cut goes on from before the window. */
		if (begin[slice] < from)
			return null;
		const inside = before !== NONE && (from <= profile.since || end[before] + (drawn ? 2 * (resolution || 0) : 0) > from);

		if (!this.whole[of] && (inside && drawn || this.hasSums(inside ? end[before] : from, begin[slice])))
			return SUMS;
		return inside ? this.after(before, slice) : this.first(slice, from);
	}

	/** Before a slice, in the whole recording. */
	waitBefore(slice: number): Wait {
		return this.waits[slice] ??= this.oneWait(slice);
	}

	private oneWait(slice: number): Wait {
		const { timeline: { coroutine: { [slice]: of }, flags }, coroutines, words } = this.profile;

		if (of !== NONE && coroutines.flags[of] & words.coroutine.thread)
			return missing("its thread ran coroutines in between");
		const wait = this.placed[slice] ? this.wait(slice, this.profile.since) : SUMS;

		if (typeof wait === "string")
			return missing(OF_ONE[wait]);
		return wait ?? missing(flags[slice] & words.slice.fresh ? "it is the first slice, and the runtime did not report since when it was ready"
			: "the slice before it is not in the recording");
	}

	private woken(slice: number): number {
		const wake = instantsOf(this.profile).wakeOf(slice);

		return wake === NONE ? NaN : this.profile.timelineWakes.woken[wake];
	}

	private first(slice: number, from: number): Wait | null {
		const { timeline: { begin, flags }, words } = this.profile;
		const woken = flags[slice] & words.slice.fresh ? this.woken(slice) : NaN;

		return woken <= begin[slice] ? split(Math.max(woken, from), begin[slice], true, NaN) : null;
	}

	private after(before: number, slice: number): Wait | string {
		const { timeline: { begin, end, flags, coroutine }, words } = this.profile;

		if (this.why[coroutine[slice]])
			return this.why[coroutine[slice]];
		return this.unseen(before, slice) ? UNSEEN_GAP : split(end[before], begin[slice], !!(flags[before] & words.slice.ready), this.woken(slice));
	}
}

const made = new WeakMap<Profile, Gaps>();

export function gapsOf(profile: Profile): Gaps {
	if (!made.has(profile))
		made.set(profile, new Gaps(profile));
	return made.get(profile)!;
}

/** @like has the same slices, some of other labels of coroutines. */
export function shareGaps(profile: Profile, like: Profile): void {
	made.set(like, gapsOf(profile));
}
