// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of one coroutine in order of time, with their callers: a flame chart. A sample
 * stands for the time up to the next one in its slice, or to the end of that; calls that
 * samples after each other have in common are one box.
 */

import { Lanes } from "./lanes";
import { instantsOf } from "./instants";
import { NONE, Profile } from "./profile";

export interface Box {
	/** Of the tree of samples. */
	node: number;
	from: number;
	to: number;
	samples: number;
}

/** What is said of such boxes. */
export const CHART_SAYS = "A sample stands for the time up to the next one in its slice, or to the end of that: what ran in between is not known.";

/** Samples of a coroutine: when, up to when, and where they were. */
function* stays(profile: Profile, lanes: Lanes, coroutine: number): Generator<{ time: number; to: number; node: number }> {
	const instants = instantsOf(profile);
	const { timeline, timelineSamples: { time, call }, samples } = profile;
	const lane = { thread: NONE, coroutine };

	for (let { at, hi } = instants.samplesFrom(lane, -Infinity); at < hi; at++) {
		const row = instants.sample(lane, at);
		const slice = lanes.sliceAt(coroutine, time[row], true);
		const next = at + 1 < hi ? time[instants.sample(lane, at + 1)] : Infinity;
		/* Of slices that are there as sums, nobody knows when they ended. */
		const end = instants.isPlaced(slice) ? timeline.end[slice] : time[row];

		if (call[row] !== NONE)
			yield { time: time[row], to: Math.min(next, end), node: samples!.tree.base + call[row] };
	}
}

/** By depth, the outermost first, each by time. */
export function chartOf(profile: Profile, lanes: Lanes, coroutine: number): Box[][] {
	const rows: Box[][] = [];

	if (!profile.samples || !profile.timelineSamples.n)
		return rows;
	const { tree } = profile.samples;

	for (const { time, to, node } of stays(profile, lanes, coroutine))
		for (let at = node; at >= tree.base; at = tree.parent[at]) {
			/* Depth 2 is the outermost call: above it are its label, and everything. */
			const row = (rows[tree.depth[at] - 2] ??= []);
			const last = row[row.length - 1];

			if (last && last.node === at && last.to === time) {
				last.to = to;
				last.samples++;
			} else {
				row.push({ node: at, from: time, to, samples: 1 });
			}
		}
	return rows;
}
