// SPDX-License-Identifier: GPL-2.0
/*
 * Sums over the slices of what is chosen, by row of a table: of each slice what is in the
 * window, see clip.ts. What a bucket of several that reaches beyond the window has of it is divided as
 * its time is: an estimate, and marked.
 */

import { clip, Clipped, isIn, shareOf, Time } from "./clip";
import { Lane, Lanes } from "./lanes";
import { quantile } from "./durations";
import { NONE, Profile } from "./profile";
import { areSlices, BAND_STATES, bucketBegin, LOST, timesOf, upTo } from "./stacks";
import { Piece, pieces } from "./views/paint";
import { goesOn, isLost, nextPiece } from "./pieces";

const NR = BAND_STATES.length;

/** Sums of one table's rows in a window. */
export class Cut {
	readonly times: Float64Array;
	readonly slices: Float64Array;
	/** By counter of the timeline. */
	readonly counts: Float64Array[];
	/** Of each row: a part of its time in a state, of its slices, is an estimate; slices are not there one by one. */
	readonly near: Uint8Array;
	readonly someSlices: Uint8Array;
	readonly merged: Uint8Array;
	/** Of a bucket it has a part. */
	readonly parted: Uint8Array;
	/** Of slices that go on: where in the lengths of their row they are, and whether they were cut. */
	private pieces = new Map<number, { at: number; cut: boolean }>();
	/** So many of its slices reach beyond the window. */
	readonly cut: Float64Array;
	readonly uncounted: Uint8Array[];
	/** Running times of slices in it, in order. */
	readonly lengths: number[][];
	private one = new Float64Array(NR);
	private readonly window: Time;

	constructor(private profile: Profile, n: number, private from: number, private to: number, private rowOf: (slice: number) => number) {
		const each = () => profile.timeline.values;

		this.window = { from, to };
		this.times = new Float64Array(n * NR);
		this.slices = new Float64Array(n);
		this.near = new Uint8Array(n * NR);
		this.someSlices = new Uint8Array(n);
		this.merged = new Uint8Array(n);
		this.parted = new Uint8Array(n);
		this.cut = new Float64Array(n);
		this.counts = each().map(() => new Float64Array(n));
		this.uncounted = each().map(() => new Uint8Array(n));
		this.lengths = Array.from({ length: n }, () => []);
		this.addAll();
		for (const lengths of this.lengths)
			lengths.sort((a, b) => a - b);
	}

	private addAll(): void {
		const { profile, from, to } = this;
		const lanes = new Lanes(profile).threadLanes;

		for (const lane of lanes.lanes) {
			let held: Piece | null = null;
			let any = false;

			/* With those that end at its begin, which are slices of it without time in it. */
			for (const piece of pieces(profile, lanes, lane, from - 1)) {
				if (held)
					this.addPiece(held, piece.begin);
				else
					this.addBefore(lane, piece.lo, piece.begin);
				any = true;
				held = piece.begin >= to && to < profile.until ? null : piece;
				if (!held)
					break;
			}
			if (held)
				this.addPiece(held, Infinity);
			else if (!any)
				this.addBefore(lane, lane.hi, Infinity);
		}
	}

	private addPiece(piece: Piece, next: number): void {
		for (let at = piece.lo; at < piece.hi; at++)
			this.add(at, piece.begin, piece.end, piece.slice, piece.slice ? piece.end : this.reach(piece.begin, piece.end, next));
	}

	/**
	 * When the last slice of a bucket had ended, which is not when its sums are drawn to end: a slice of it
	 * begins in the bucket, and is shorter than that, and before @next comes on its thread.
	 */
	private reach(begin: number, end: number, next: number): number {
		const { timeline: { resolution }, until } = this.profile;

		return Math.max(end, Math.min(next, begin + 2 * (resolution || 0), until));
	}

	/** What is drawn before the window may have slices in it. */
	private addBefore(lane: Lane, row: number, next: number): void {
		const { profile, profile: { timeline: { begin, end } } } = this;
		const bucket = row > lane.lo ? bucketBegin(profile, row - 1) : row;

		if (bucket === row || areSlices(profile, bucket, row) || this.reach(begin[bucket], end[row - 1], next) <= this.from)
			return;
		for (let at = bucket; at < row; at++) {
			const of = isLost(profile, at) ? NONE : this.rowOf(at);

			if (of === NONE)
				continue;
			timesOf(profile, at, this.one);
			for (let state = 0; state < LOST; state++)
				this.near[of * NR + state] |= +(this.one[state] > 0);
			this.someSlices[of] = this.merged[of] = this.parted[of] = 1;
			profile.timeline.values.forEach((_, counter) => { this.uncounted[counter][of] = 1; });
		}
	}

	/** A slice, or what a bucket has of a label, whose last slice had ended at @reach. */
	private add(slice: number, begin: number, end: number, single: boolean, reach: number): void {
		const { from, to, one, profile } = this;
		const row = this.rowOf(slice);
		const cut = begin < from || end > to;
		const open = cut || reach > to;

		if (row === NONE || isLost(profile, slice) || end < from)
			return;
		if (single) {
			if (isIn(profile, this.window, begin, end))
				this.addSlice(row, slice);
			return;
		}
		timesOf(profile, slice, one);
		const split = open && end > from;

		for (let state = 0; state < LOST; state++) {
			this.times[row * NR + state] += cut ? upTo(one[state], begin, end, to) - upTo(one[state], begin, end, from) : one[state];
			this.near[row * NR + state] |= +(split && one[state] > 0);
		}
		/* The last of several that end with the window is one of the next. */
		const parted = open || !this.ends(end);

		this.parted[row] |= +parted;
		this.addMerged(row, slice, begin, end, parted);
	}

	private ends(end: number): boolean {
		return end >= this.from && (end < this.to || this.to >= this.profile.until);
	}

	/** It goes on with a slice, which is in the window as well. */
	private follows(slice: number): boolean {
		const { profile, profile: { timeline: { begin, end } } } = this;

		return goesOn(profile, slice) && isIn(profile, this.window, begin[slice - 2], end[slice - 2]);
	}

	/** Of what was cut in the piece before it is known by now. */
	private addLength(row: number, slice: number, { cut, times: [running] }: Clipped): void {
		const { [row]: lengths } = this.lengths;
		const before = this.follows(slice) ? this.pieces.get(slice - 2) : undefined;
		const whole = before ?? { at: lengths.length, cut: false };

		if (!before) {
			this.slices[row]++;
			lengths.push(0);
		}
		lengths[whole.at] += running;
		this.cut[row] += +(cut && !whole.cut);
		if (nextPiece(this.profile, slice) >= 0)
			this.pieces.set(slice, { at: whole.at, cut: cut || whole.cut });
	}

	private addSlice(row: number, slice: number): void {
		const clipped = clip(this.profile, slice, this.window);

		clipped.times.forEach((time, state) => {
			this.times[row * NR + state] += time;
			this.near[row * NR + state] |= +(clipped.shared && time > 0);
		});
		this.addLength(row, slice, clipped);
		this.profile.timeline.values.forEach(({ column, estimate }, counter) => {
			if (column.has(slice))
				this.counts[counter][row] += clipped.cut ? shareOf(estimate[slice], clipped) : estimate[slice];
			else
				this.uncounted[counter][row] = 1;
		});
	}

	private addMerged(row: number, slice: number, begin: number, end: number, parted: boolean): void {
		const { from, to, profile: { timeline: { slices, values } } } = this;

		this.slices[row] += parted ? upTo(slices[slice], begin, end, to) - upTo(slices[slice], begin, end, from) : slices[slice];
		this.someSlices[row] |= +parted;
		this.merged[row] = 1;
		values.forEach((_, counter) => { this.uncounted[counter][row] = 1; });
	}

	time(row: number, state: number): number {
		return this.times[row * NR + state];
	}

	isNear(row: number, state: number): boolean {
		return !!this.near[row * NR + state];
	}

	/** Of the running times of slices in it: the least that so many do not exceed. */
	quantile(row: number, share: number): number {
		return quantile(this.lengths[row], share);
	}
}
