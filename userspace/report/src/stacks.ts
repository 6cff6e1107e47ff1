// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks: the exact time of each label, in each state, in a range of a lane.
 * When in the range it was is not said: a stack is as wide as its range, and
 * each of its bands as high as its share of it.
 *
 * Where a range ends within a slice, or within slices that are put together,
 * their times are divided as the range is, rounded so that the parts of all
 * ranges sum to the whole to the nanosecond.
 */

import { NONE, Profile } from "./profile";
import { isLost } from "./pieces";

/** States in the order in which they stand in a stack; the last is time of which nothing is known. */
export const BAND_STATES = ["running", "preempted", "blocked", "idle", "lost"] as const;
export const RUNNING = 0;
export const IDLE = 3;
export const LOST = 4;
const NR = BAND_STATES.length;

/** A band: what is not distinguished by label has NONE. */
export interface Band {
	label: number;
	state: number;
	time: number;
	/** Of the label, or the coroutine, that is stressed. */
	stressed: boolean;
	lost: boolean;
}

export interface Stress {
	label: number;
	coroutine: number;
}

export const NO_STRESS: Stress = { label: NONE, coroutine: NONE };

/** Times of a row up to @time, of all of it @whole. */
export function upTo(whole: number, begin: number, end: number, time: number): number {
	return time >= end ? whole : time <= begin ? 0 : Math.round(whole * ((time - begin) / (end - begin)));
}

/** A row's time in each state. */
export function timesOf(profile: Profile, row: number, into: Float64Array): void {
	const { begin, end, preempted, blocked, idle } = profile.timeline;
	const time = end[row] - begin[row];

	if (isLost(profile, row)) {
		into.fill(0);
		into[LOST] = time;
		return;
	}
	into[RUNNING] = time - preempted[row] - blocked[row] - idle[row];
	into[1] = preempted[row];
	into[2] = blocked[row];
	into[IDLE] = idle[row];
	into[LOST] = 0;
}

/** One stack, made again and again: it is cleared by what it holds, not by what it could. */
export class Stack {
	/** All of it. */
	total = 0;
	/** The only row in it, or NONE if there are several, or none. */
	row = NONE;
	rows = 0;
	private times: Float64Array;
	private stressed: Float64Array;
	private labels: number[] = [];
	private seen: Uint8Array;
	private one = new Float64Array(NR);

	/** The last label stands for what has none. */
	constructor(private profile: Profile) {
		const { n } = profile.labels;

		this.times = new Float64Array((n + 1) * NR);
		this.seen = new Uint8Array(n + 1);
		this.stressed = new Float64Array(NR);
	}

	clear(): void {
		for (const label of this.labels) {
			for (let state = 0; state < NR; state++)
				this.times[label * NR + state] = 0;
			this.seen[label] = 0;
		}
		this.labels.length = 0;
		for (let state = 0; state < NR; state++)
			this.stressed[state] = 0;
		this.total = this.rows = 0;
		this.row = NONE;
	}

	/** What a row has from @from to @to, if its time is spread over @begin to @end. */
	add(row: number, begin: number, end: number, from: number, to: number, coroutine = NONE): void {
		const { one, profile: { timeline, labels } } = this;
		const label = timeline.label[row] === NONE ? labels.n : timeline.label[row];
		const whole = from <= begin && to >= end;
		const own = coroutine !== NONE && timeline.coroutine[row] === coroutine;

		timesOf(this.profile, row, one);
		if (!this.seen[label]) {
			this.seen[label] = 1;
			this.labels.push(label);
		}
		this.row = this.rows++ ? NONE : row;
		for (let state = 0; state < NR; state++) {
			const time = whole || !one[state] ? one[state]
				: upTo(one[state], begin, end, to) - upTo(one[state], begin, end, from);

			this.total += time;
			if (own)
				this.stressed[state] += time;
			else
				this.times[label * NR + state] += time;
		}
	}

	/** Adds its times to @sums, of each label and state; the coroutine's are of label @own. */
	addTo(sums: Float64Array, own: number): void {
		for (const label of this.labels)
			for (let state = 0; state < NR; state++)
				sums[label * NR + state] += this.times[label * NR + state];
		if (own !== NONE)
			for (let state = 0; state < NR; state++)
				sums[own * NR + state] += this.stressed[state];
	}

	/** What a label has of it, in all states. */
	of(label: number): number {
		let sum = 0;

		for (let state = 0; state < NR; state++)
			sum += this.times[label * NR + state];
		return sum;
	}

	/** The labels in it; labels.n stands for none. */
	get inIt(): readonly number[] {
		return this.labels;
	}

	private rank(label: number): number {
		const { labels } = this.profile;

		return label === labels.n ? Infinity : labels.rank[label] < 0 ? labels.n : labels.rank[label];
	}

	/** Its bands, from the bottom: what is stressed, time off the CPU, labels by rank, threads outside coroutines, idle and lost ones. */
	bands(stress: Stress): Band[] {
		const { labels, times } = this;
		const out: Band[] = [];
		const rest = new Float64Array(NR);
		const put = (label: number, state: number, time: number, stressed: boolean) => {
			if (time > 0)
				out.push({ label, state, time, stressed, lost: state === LOST });
		};
		const stressing = stress.label !== NONE;
		const running: number[] = [];

		for (let state = NR; state--;)
			put(stress.label, state, this.stressed[state], true);
		for (const label of labels) {
			const chosen = stressing && stress.coroutine === NONE && label === stress.label;

			for (let state = 1; state < NR; state++)
				if (chosen)
					put(label, state, times[label * NR + state], true);
				else
					rest[state] += times[label * NR + state];
			if (chosen)
				put(label, RUNNING, times[label * NR], true);
			else if (times[label * NR] > 0)
				running.push(label);
		}
		put(NONE, 2, rest[2], !stressing);
		put(NONE, 1, rest[1], !stressing);
		running.sort((a, b) => this.rank(a) - this.rank(b));
		for (const label of running)
			put(label, RUNNING, times[label * NR], !stressing);
		put(NONE, IDLE, rest[IDLE], !stressing);
		put(NONE, LOST, rest[LOST], !stressing);
		return out;
	}
}

/** The rows, from @row on, that share one bucket of time: the row behind them. */
export function bucketEnd({ timeline, words }: Profile, row: number, hi: number): number {
	const { flags } = timeline;
	let next = row + 1;

	while (next < hi && flags[next] & words.slice.beside)
		next++;
	return next;
}

/** The first of the rows that share the bucket that @row is in. */
export function bucketBegin({ timeline, words }: Profile, row: number): number {
	while (row > 0 && timeline.flags[row] & words.slice.beside)
		row--;
	return row;
}

/** Whether all these rows are slices, each where it was. */
export function areSlices({ timeline, words }: Profile, row: number, end: number): boolean {
	for (; row < end; row++)
		if (timeline.flags[row] & words.slice.merged)
			return false;
	return true;
}
