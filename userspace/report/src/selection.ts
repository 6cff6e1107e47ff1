// SPDX-License-Identifier: GPL-2.0
/*
 * What is chosen, and which samples fit it. The page has single samples or none: with
 * none it can't know those of a time, a thread, a coroutine, a filter.
 */

import { makeRows } from "./columns";
import { filterAmong } from "./conditions";
import * as format from "./format";
import { keepsOf } from "./scope";
import { NONE, Profile } from "./profile";
import { Grouping, State } from "./store";
import { ROOT } from "./tree";

/** A page holds all samples one by one if they are no more: MODEL_TIMELINE_SAMPLES of the reader. */
const SAMPLES_MOST = 50000;

/** What is chosen, and may be followed, or not. */
export type Selection = "time" | "label" | "coroutine" | "thread" | "only" | "filter";

export function chosen({ since, until }: Profile, { selected, only, from, to, filter }: State): Selection[] {
	return [
		...from > since || to < until ? ["time" as const] : [],
		...selected ? [selected.kind] : [],
		...only ? ["only" as const] : [],
		...filter.trim() ? ["filter" as const] : [],
	];
}

/** Whether each sample of the tree of calls is there by itself. */
export function holdsSamples({ samples, timelineSamples }: Profile): boolean {
	return !!samples && timelineSamples.n === samples.total[ROOT];
}

/** Why not; "": it is. */
export function unheldSamples(profile: Profile): string {
	const { recordings } = profile.recording;

	return holdsSamples(profile) ? ""
		: `there are more than the ${format.full(Math.floor(SAMPLES_MOST / recordings))}${recordings > 1 ? " of a recording" : ""} that a page holds one by one`;
}

/** The row that a sample has in each table, NONE where the table had no room for it. */
function rowsOf({ samples, timelineSamples: { thread, coroutine, call } }: Profile): Record<Grouping, (sample: number) => number> {
	const { tree } = samples!;

	return {
		label: (sample) => tree.label[tree.base + call[sample]],
		coroutine: (sample) => coroutine[sample], thread: (sample) => thread[sample],
	};
}

/** As --from and --to have it: with the begin, without the end, but for that of the recording. */
function inTime({ since, until, timelineSamples: { time } }: Profile, { from, to }: Pick<State, "from" | "to">): (sample: number) => boolean {
	return (sample) => (from <= since || time[sample] >= from) && (to >= until || time[sample] < to);
}

/** Words are of rows of the table as it is grouped; so are conditions for which it has a column, and others of what has one. */
function asked(profile: Profile, { by, filter }: State): { kind: Grouping; fits(row: number): boolean }[] {
	const kinds = [...new Set<Grouping>([by, "label", "thread", "coroutine"])];
	const sheets = makeRows(profile);

	return filterAmong(profile, kinds.map((kind) => sheets[kind]), filter).map(({ of, fits }) => ({ kind: kinds[of], fits }));
}

/** How many samples of what is chosen the rows of a table have; null: the page does not hold each. */
export function samplesOf(profile: Profile, by: Grouping, n: number, part: Pick<State, "from" | "to" | "selected" | "only">): Float64Array | null {
	if (!profile.samples || !holdsSamples(profile))
		return null;
	const rows = rowsOf(profile);
	const { selected, only } = part;
	const there = inTime(profile, part);
	const keeps = keepsOf(profile, only);
	const counts = new Float64Array(n);

	for (let sample = 0; sample < profile.timelineSamples.n; sample++)
		if (there(sample) && (!only || keeps.thread(rows.thread(sample))) && (!selected || rows[selected.kind](sample) === selected.index))
			counts[rows[by](sample)]++;
	return counts;
}

/** Coroutines of which it is not known whether they fit the filter. */
export function unfiltered(profile: Profile, state: State): number {
	return asked(profile, state).some(({ kind }) => kind === "coroutine") ? profile.recording.folded_coroutines : 0;
}

function inFilter(profile: Profile, state: State): (sample: number) => boolean {
	const rows = rowsOf(profile);
	const tests = asked(profile, state).map(({ kind, fits }) => {
		const row = rows[kind];
		const known = new Map<number, boolean>();

		return (sample: number) => {
			const at = row(sample);
			const fit = known.get(at) ?? (at !== NONE && fits(at));

			known.set(at, fit);
			return fit;
		};
	});

	return (sample) => tests.every((test) => test(sample));
}

/** The calls that samples were in that fit all that is chosen but for a label, one for each. */
export function fittingCalls(profile: Profile, state: State): number[] {
	const { timelineSamples: { n, call, thread } } = profile;
	const { selected, only } = state;
	const keeps = keepsOf(profile, only);
	const row = selected && selected.kind !== "label" ? rowsOf(profile)[selected.kind] : null;
	const time = inTime(profile, state);
	const filter = inFilter(profile, state);
	const calls: number[] = [];

	for (let sample = 0; sample < n; sample++)
		if (time(sample) && (!only || keeps.thread(thread[sample])) && (!row || row(sample) === selected!.index) && filter(sample))
			calls.push(call[sample]);
	return calls;
}
