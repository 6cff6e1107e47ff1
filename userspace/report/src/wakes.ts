// SPDX-License-Identifier: GPL-2.0
/* Who woke whom in a time, as the reader adds it up of it: of slices that began in it. */

import { isIn } from "./clip";
import { gapsOf } from "./gaps";
import { seek } from "./lanes";
import { keepsOf } from "./scope";
import { NONE, Profile } from "./profile";
import { State } from "./store";

type Window = Pick<State, "from" | "to" | "only">;

/** Labels, NONE: no coroutine, or not reported; how often, and how long what was woken was ready, as often as that is known. */
export interface Wake {
	waker: number;
	woken: number;
	count: number;
	ready: number;
	timed: number;
	/** There may have been more, in slices that are missing. */
	part: boolean;
}

/** Of a coroutine, as the slice of it says that had ended last before another ended, or else the first that followed; NONE if there is none in the window. */
function labelThen(profile: Profile, slices: Uint32Array, { from, to }: Window, slice: number): number {
	const { timeline, timeline: { begin, end, thread, label } } = profile;
	const has = (of: number | undefined) => of !== undefined && isIn(profile, { from, to }, begin[of], end[of]);
	let at = seek(timeline, slices, 0, slices.length, end[slice]) - 1;

	/* Of slices that end together, those of the thread that comes first are reported first. */
	while (at >= 0 && end[slices[at]] === end[slice] && thread[slices[at]] >= thread[slice])
		at--;
	return has(slices[at]) ? label[slices[at]] : has(slices[at + 1]) ? label[slices[at + 1]] : NONE;
}

function add(profile: Profile, sums: Map<string, Wake>, window: Window, wake: number, woken: ArrayLike<number>): boolean {
	const { timeline: { coroutine, label }, timelineWakes: { slice: slices, waker: wakers, table }, tables: { standings }, labels } = profile;
	const { lanes } = gapsOf(profile);
	const { [wake]: slice } = slices;
	const { [wake]: waker } = wakers;
	const of = waker === NONE ? NONE : labelThen(profile, lanes.slicesOf(waker), window, slice);
	const gap = gapsOf(profile).wait(slice, window.from);
	const key = `${of} ${woken[slice]}`;

	if (coroutine[slice] === NONE || typeof gap === "string" || waker === NONE && standings[table.column("waker").standing(wake)].name !== "none")
		return false;
	const sum = sums.get(key) ?? { waker: of, woken: woken[slice], count: 0, ready: 0, timed: 0, part: labels.table.column("slices").standing(label[slice]) > 0 };

	if (gap && !Number.isNaN(gap.ready)) {
		sum.ready += gap.ready;
		sum.timed++;
	}
	sum.count++;
	sums.set(key, sum);
	return true;
}

function sumUp(profile: Profile, window: Window, woken: ArrayLike<number>): Wake[] | null {
	const { from, to, only } = window;
	const { timeline: { begin, end, thread }, timelineWakes: { n, slice } } = profile;
	const sums = new Map<string, Wake>();
	const keeps = keepsOf(profile, only);

	if (gapsOf(profile).bucketsIn(window).length)
		return null;
	for (let wake = 0; wake < n; wake++)
		if (begin[slice[wake]] >= from && isIn(profile, { from, to }, begin[slice[wake]], end[slice[wake]]) && keeps.thread(thread[slice[wake]]) && !add(profile, sums, window, wake, woken))
			return null;
	return [...sums.values()].sort((a, b) => b.count - a.count || a.woken - b.woken || a.waker - b.waker);
}

/** The reader has the same of the whole recording. */
function addsUp(profile: Profile): boolean {
	const { wakes } = profile;
	const all = sumUp(profile, { from: 0, to: Infinity, only: null }, profile.timeline.label);
	const found = new Map(all?.map((wake) => [`${wake.waker} ${wake.woken}`, wake]));

	return !!all && all.length === wakes.n && all.every(({ timed, ready }) => timed || !ready) &&
		Array.from({ length: wakes.n }, (_, row) => row).every((row) => {
			const wake = found.get(`${wakes.waker[row]} ${wakes.woken[row]}`);

			return wake && wake.count === wakes.count[row] && wake.timed === wakes.timed[row] && (!wake.timed || wake.ready === wakes.ready[row]);
		});
}

const known = new WeakMap<Profile, boolean>();

/** Of a part; null: the page can't know, as it has not all of its slices one by one. @woken: what says slices apart that were woken, their label if not said. */
export function wakesIn(profile: Profile, window: Window, woken: ArrayLike<number> = profile.timeline.label): Wake[] | null {
	const { recording: { lost, dropped_wakes: dropped } } = profile;
	const isWhole = !gapsOf(profile).buckets.length;
	const wakes = isWhole || !lost && !dropped ? sumUp(profile, window, woken) : null;

	/* What is missing of a time that has all its slices is missing of the whole, if that has, too. */
	if (wakes && isWhole && !known.has(profile))
		known.set(profile, addsUp(profile));
	return known.get(profile) === false ? null : wakes;
}
