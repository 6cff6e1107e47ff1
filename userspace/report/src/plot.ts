// SPDX-License-Identifier: GPL-2.0
/*
 * Slices, the waits before them, and lives of coroutines as points: what is shown of each,
 * scales, and how many are in each bucket of a heat map. Only slices that the page has one
 * by one are points: of sums nobody knows how long each of the slices took.
 */

import * as format from "./format";
import { gapsOf } from "./gaps";
import { keepsOf } from "./scope";
import { isOutside, isThreadSlot, NONE, Profile } from "./profile";
import { areSlices, bucketEnd } from "./stacks";
import { Points as What, State, Store } from "./store";
import { sumOf } from "./pieces";

/** What can be reported of a slice; NaN where it is not known. */
export interface Measure {
	name: string;
	says: string;
	of(slice: number): number;
	show: (value: number) => string;
	/** Its scale is one of lengths: each step a factor; without, of time. */
	log: boolean;
	/** Why it is known of none. */
	missing?: string;
}

export function measuresOf(profile: Profile): Measure[] {
	const { timeline: { begin, end, preempted, blocked, idle, values }, total } = profile;
	const missing = (name: string) => {
		const column = total.table.column(name);

		return column.has(0) ? undefined : format.standing(column.standing(0)).mark;
	};
	const held = (slice: number) => end[slice] - begin[slice];
	const time = (name: string, says: string, of: Measure["of"]): Measure =>
		({ name, says, of: (slice) => sumOf(profile, slice, of), show: format.time, log: true });

	return [
		time("held", "from switch-in to switch-out", held),
		time("running", "on a CPU", (slice) => held(slice) - preempted[slice] - blocked[slice] - idle[slice]),
		time("preempted", "off the CPU although it could run", (slice) => preempted[slice]),
		time("blocked", "its thread slept in the kernel", (slice) => blocked[slice]),
		...values.map(({ column }): Measure => ({
			name: column.is.name, says: column.is.says, show: column.is.kind === "ns" ? format.time : format.events, log: true,
			of: (slice) => sumOf(profile, slice, (row) => column.has(row) ? column.figures[row] : NaN), missing: missing(column.is.name),
		})),
	];
}

/** When a slice began. */
export function timeMeasure({ timeline }: Profile): Measure {
	return { name: "time", says: "when the slice began", of: (slice) => timeline.begin[slice], show: format.time, log: false };
}

export interface Points {
	/** Rows of the timeline, or of coroutines. */
	slices: number[];
	/** Of the slices wanted, those that are there as sums only, or beside sums: nobody knows when they began. */
	merged: number;
}

/** Which slices are wanted: of the coroutine, or the label, or the thread that is selected. */
function wantedOf(profile: Profile, { selected, only }: Pick<State, "selected" | "only">): (slice: number) => boolean {
	const { timeline: { slices, label, coroutine, thread }, labels } = profile;
	const of = selected && { label, coroutine, thread }[selected.kind];
	const keeps = keepsOf(profile, only);
	const coroutines = !selected || selected.kind === "thread";
	const outside = labels.name.map((_, row) => isOutside(profile, row));

	/* Those outside coroutines only where just these are asked for. */
	return (slice) => !!slices[slice] && keeps.thread(thread[slice]) && !(of && of[slice] !== selected.index) &&
		!(coroutines && (label[slice] === NONE || outside[label[slice]]));
}

/** Slices of coroutines that begin in the time in view, or those that end in it. */
export function pointsOf({ profile, state, state: { from, to } }: Store, edge: "begin" | "end"): Points {
	const { timeline, until } = profile;
	const { n, slices, [edge]: at } = timeline;
	const wanted = wantedOf(profile, state);
	const found: Points = { slices: [], merged: 0 };

	for (let bucket = 0, next = 0; bucket < n; bucket = next) {
		next = bucketEnd(profile, bucket, n);
		/* Rows of a bucket that has sums stand one behind the other, not where they were. */
		const single = areSlices(profile, bucket, next);

		for (let slice = bucket; slice < next; slice++) {
			if (at[slice] < from || at[slice] >= to && to < until || !wanted(slice))
				continue;
			if (single)
				found.slices.push(slice);
			else
				found.merged += slices[slice];
		}
	}
	return found;
}

/* ------------------------------------------------------------------------
 * of all slices, where the page has most of them as sums
 */

/** Slices that began in a time, and had their thread for about as long. */
export interface GridBucket {
	begin: number;
	end: number;
	from: number;
	below: number;
	slices: number;
}

/** Whether the reader's buckets can report what is selected. */
export function hasGrid({ profile, state: { selected } }: Store): boolean {
	return profile.heat.n > 0 && (!selected || selected.kind === "label");
}

/** The buckets of the time in view; those at its edges are whole. */
export function gridOf({ profile: { heat }, state: { from, to, selected } }: Store): GridBucket[] {
	const found = new Map<string, GridBucket>();

	for (let row = 0; row < heat.n; row++) {
		if (heat.begin[row] >= to || heat.end[row] <= from || selected && heat.label[row] !== selected.index)
			continue;
		const key = `${heat.begin[row]} ${heat.from[row]}`;
		const bucket = found.get(key);

		if (bucket)
			bucket.slices += heat.slices[row];
		else
			found.set(key, { begin: heat.begin[row], end: heat.end[row], from: heat.from[row], below: heat.below[row], slices: heat.slices[row] });
	}
	return [...found.values()];
}

/* ------------------------------------------------------------------------
 * waits and lives
 */

function measure(name: string, says: string, of: Measure["of"], show = format.time): Measure {
	return { name, says, of, show, log: true };
}

function waitMeasures(profile: Profile): Measure[] {
	const of = (part: "suspended" | "awaiting" | "ready") => (slice: number) => gapsOf(profile).waitBefore(slice)[part];

	return [
		measure("wait", "from the end of the slice before, or from when it was first ready", of("suspended")),
		measure("awaiting", "until it was made ready", of("awaiting")),
		measure("ready", "from being made ready to running", of("ready")),
	];
}

/** Waits of what is selected that began, or ended, in the time in view; of those not known nobody knows when. */
function waitPoints(store: Store, edge: "begin" | "end"): Points {
	const { profile, state, state: { from, to } } = store;
	const { timeline: { n, slices, begin, flags, coroutine }, until, words } = profile;
	const wanted = wantedOf(profile, state);
	const found: Points = { slices: [], merged: 0 };
	const gaps = gapsOf(profile);

	for (let slice = 0; slice < n; slice++) {
		if (!wanted(slice))
			continue;
		const at = begin[slice] - (edge === "begin" && gaps.waitBefore(slice).suspended || 0);

		if (at < from || at >= to && to < until)
			continue;
		if (flags[slice] & words.slice.merged || coroutine[slice] === NONE)
			found.merged += slices[slice];
		else
			found.slices.push(slice);
	}
	return found;
}

function lifeMeasures({ coroutines: c }: Profile): Measure[] {
	return [
		measure("lifetime", "from when it was first ready, or first ran, to its end", (row) => c.last[row] - c.born[row]),
		measure("running", "on a CPU", (row) => c.running[row]),
		measure("suspended", "between its slices", (row) => c.suspended[row]),
		measure("slices", "stays on a thread", (row) => c.slices[row], format.count),
	];
}

/** The thread of a coroutine's last slice, if the page has that; else it is none that anyone asks for. */
function endedOn(profile: Profile, coroutine: number): number | undefined {
	const { timeline: { end, thread }, coroutines: { last } } = profile;
	const { lanes, placed } = gapsOf(profile);
	const slices = lanes.slicesOf(coroutine);
	const { [slices.length - 1]: slice } = slices;

	return slice !== undefined && placed[slice] && end[slice] === last[coroutine] ? thread[slice] : undefined;
}

/** Lives of which both ends were seen, of what is selected: of a thread, those that ended there. */
function lifePoints({ profile, state: { from, to, selected, only } }: Store, edge: "begin" | "end"): Points {
	const { coroutines: c, words: { coroutine: { born, ended } }, until } = profile;
	const found: Points = { slices: [], merged: 0 };
	const keeps = keepsOf(profile, only);
	const thread = selected?.kind === "thread" ? selected.index : only?.kind === "thread" ? only.index : NONE;
	const chosen = (row: number) => !selected || selected.kind === "thread" ||
		selected.kind === "label" && c.label[row] === selected.index || selected.kind === "coroutine" && row === selected.index;

	for (let row = 0; row < c.n; row++) {
		const at = edge === "begin" ? c.born[row] : c.last[row];

		if (isThreadSlot(profile, row) || !keeps.coroutine(row) || !chosen(row) || at < from || at >= to && to < until ||
			!(c.flags[row] & born && c.flags[row] & ended))
			continue;
		const on = thread === NONE ? NONE : endedOn(profile, row);

		if (on === undefined)
			found.merged++;
		else if (on === thread && (only?.kind !== "thread" || keeps.thread(thread)))
			found.slices.push(row);
	}
	return found;
}

/** What points are, and what is reported of them. */
export interface Kind {
	/** One of them, and what they did at the edge of the time in view. */
	noun: string;
	many: string;
	measures: Measure[];
	time: Measure;
	points(store: Store, edge: "begin" | "end"): Points;
	label(row: number): number;
	coroutine(row: number): number;
	/** From when to when it was. */
	stay(row: number): [number, number];
	/** Why some of what is wanted is no point. */
	says: string;
}

export function kindsOf(profile: Profile): Record<What, Kind> {
	const { timeline: t, coroutines: c } = profile;
	const waitOf = (row: number) => gapsOf(profile).waitBefore(row).suspended || 0;
	const slice = { label: (row: number) => t.label[row], coroutine: (row: number) => t.coroutine[row] };

	return {
		slices: {
			...slice, noun: "slice", many: "slices", measures: measuresOf(profile), time: timeMeasure(profile), points: pointsOf,
			stay: (row) => [t.begin[row], t.end[row]], says: "",
		},
		waits: {
			...slice, noun: "wait", many: "waits", measures: waitMeasures(profile), points: waitPoints,
			time: { name: "time", says: "when the wait began", of: (row) => t.begin[row] - waitOf(row), show: format.time, log: false },
			stay: (row) => [t.begin[row] - waitOf(row), t.begin[row]],
			says: " Before a slice whose wait is not known stands none: it is the first, or slices were lost.",
		},
		lives: {
			noun: "life", many: "lives", measures: lifeMeasures(profile), points: lifePoints,
			label: (row) => c.label[row], coroutine: (row) => row, stay: (row) => [c.born[row], c.last[row]],
			time: { name: "time", says: "when it was first ready, or first ran", of: (row) => c.born[row], show: format.time, log: false },
			says: " Lives of which an end is not in the recording are none of them.",
		},
	};
}

/** From what something has to where it stands, from 0 to 1, and back. What has 0 stands at 0 of lengths, below all others. */
export interface Scale {
	at(value: number): number;
	value(at: number): number;
	/** Round values to mark, so many at most. */
	marks(most: number): number[];
}

export function timeScale(from: number, to: number): Scale {
	const marks = (most: number) => {
		const step = format.roundStep((to - from) / most);

		return Array.from({ length: Math.max(0, Math.floor(to / step) - Math.ceil(from / step) + 1) }, (_, i) => (Math.ceil(from / step) + i) * step);
	};

	return { marks, at: (value) => (value - from) / (to - from || 1), value: (at) => from + at * (to - from) };
}

export function lengthScale(values: number[]): Scale {
	let [least, most] = [Infinity, 1];

	for (const value of values)
		if (value > 0) {
			least = Math.min(least, value);
			most = Math.max(most, value);
		}
	const from = Math.log(Math.min(least, most) / 1.2);
	const span = Math.log(most * 1.2) - from;

	/* Powers of ten, or each second one, and so on. */
	const marks = (most: number) => {
		const [first, last] = [Math.ceil(from / Math.LN10), Math.floor((from + span) / Math.LN10)];
		const by = Math.max(1, Math.ceil((last - first + 1) / most));

		return Array.from({ length: Math.max(0, Math.floor((last - first) / by) + 1) }, (_, i) => 10 ** (first + i * by));
	};

	return { marks, at: (value) => value > 0 ? (Math.log(value) - from) / span : 0, value: (at) => Math.exp(from + at * span) };
}

export interface Heat {
	columns: number;
	rows: number;
	/** By column, then row from the bottom. */
	counts: Uint32Array;
	most: number;
	/** Of which the figure is not known: they are in no bucket. */
	unknown: number;
}

/** The bucket of a point at such shares of a heat map's width and height. */
export function bucketAt({ columns, rows }: Heat, across: number, up: number): number {
	const place = (at: number, nr: number) => Math.max(0, Math.min(nr - 1, Math.floor(at * nr)));

	return place(across, columns) * rows + place(up, rows);
}

/** Beyond so many the numbers of a scale are powers of ten. */
const FINE = 1000;

/** Numbers to mark on a scale of what is in buckets: up to @most, which is the last. */
export function densities(most: number): number[] {
	const marks: number[] = [];

	for (let power = 1; power < most; power *= 10)
		for (const digit of most < FINE ? [1, 2, 5] : [1])
			/* The last two are apart. */
			if (digit * power * 1.3 < most)
				marks.push(digit * power);
	return most ? [...marks, most] : [];
}

export function heatOf(xs: number[], ys: number[], x: Scale, y: Scale, columns: number, rows: number): Heat {
	const heat: Heat = { columns, rows, counts: new Uint32Array(columns * rows), most: 0, unknown: 0 };

	xs.forEach((value, i) => {
		if (Number.isNaN(value) || Number.isNaN(ys[i])) {
			heat.unknown++;
			return;
		}
		const bucket = bucketAt(heat, x.at(value), y.at(ys[i]));

		heat.most = Math.max(heat.most, ++heat.counts[bucket]);
	});
	return heat;
}
