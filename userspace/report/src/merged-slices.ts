// SPDX-License-Identifier: GPL-2.0
/* Slices that the page has as sums only: how many are in view, and the command that shows each. */

import { seek } from "./lanes";
import { Profile } from "./profile";

/** A page holds so many slices one by one: MODEL_TIMELINE_SLICES of the reader. */
export const SLICES_MOST = 200000;

/** Sums over the rows of the timeline before each. */
export class MergedSlices {
	private slices: Float64Array;
	private merged: Float64Array;

	constructor(private profile: Profile) {
		const { timeline, words } = profile;
		const { n, slices, flags } = timeline;

		this.slices = new Float64Array(n + 1);
		this.merged = new Float64Array(n + 1);
		for (let row = 0; row < n; row++) {
			this.slices[row + 1] = this.slices[row] + slices[row];
			this.merged[row + 1] = this.merged[row] + (flags[row] & words.slice.merged ? slices[row] : 0);
		}
	}

	/** How many slices are between two times, and how many of these are not there one by one. */
	between(from: number, to: number): { slices: number; merged: number } {
		const { timeline, threads } = this.profile;
		const sum = { slices: 0, merged: 0 };

		for (let thread = 0; thread < threads.n; thread++) {
			const [lo, hi] = [timeline.first[thread], timeline.first[thread + 1]];
			const begin = seek(timeline, null, lo, hi, from);
			const end = Math.min(hi, seek(timeline, null, lo, hi, to) + 1);

			sum.slices += this.slices[end] - this.slices[begin];
			sum.merged += this.merged[end] - this.merged[begin];
		}
		return sum;
	}
}

/** As a shell takes it for one word. */
function quoted(word: string): string {
	return /^[\w./][\w./+-]*$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

/** Seconds to the nanosecond. */
function seconds(ns: number): string {
	const whole = Math.floor(ns / 1e9);

	return `${whole}.${String(ns - whole * 1e9).padStart(9, "0")}`;
}

/** What makes a page of what is slow, of the part that this page is of, or of a time of it; null as below. */
export function slowCommand({ recording }: Profile, label: string, asked: { of: string; by: string; above: string }, time: { from: number; to: number } | null = null): string | null {
	const { file, recordings, part_begin: begin, duration } = recording;
	const { from, to } = time ?? { from: begin, to: begin + duration };
	/* From its begin to its end a slice holds its thread, and a coroutine lives. */
	const by = asked.of === "lives" && asked.by === "held" ? "lifetime" : asked.by;
	const part = time || begin > 0 ? `--from ${seconds(from)} --to ${seconds(to)} ` : "";

	return !file || recordings > 1 ? null : `coroprof-read -o slow.html ${part}` +
		`--slow ${quoted(`${label}:of=${asked.of},by=${by},above=${asked.above}`)} ${quoted(file)}`;
}

/** What makes a page of that time alone; null where the page can't know, as of several recordings. */
export function commandFor({ recording }: Profile, from: number, to: number): string | null {
	const { file, recordings } = recording;

	if (!file || recordings > 1)
		return null;
	return `coroprof-read -o part.html --from ${seconds(Math.max(0, Math.floor(from)))} ` +
		`--to ${seconds(Math.ceil(to))} ${quoted(file)}`;
}
