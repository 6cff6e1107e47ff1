// SPDX-License-Identifier: GPL-2.0
/*
 * Slices of a label that have more of something than a threshold, and the rest, by the rules
 * of --slow of the reader: see its slow.h and split.h. Only where the page has all slices of
 * the time in view one by one.
 */

import { isIn } from "./clip";
import { Cut } from "./cut";
import { gapsOf } from "./gaps";
import { Durations, durationsOf, Part, quantile } from "./durations";
import { Wait } from "./instants";
import { goesOn, nextPiece, sumOf } from "./pieces";
import { NONE, Profile } from "./profile";
import { State } from "./store";

export const REST = 0;
export const SLOW = 1;
/** Of which it is not known: on neither side. */
const UNKNOWN = 2;

/** What slices are divided by, beside counters. */
export const TIMES = ["held", "running", "preempted", "blocked", "suspended", "awaiting", "ready"] as const;
const GAPS = ["suspended", "awaiting", "ready"] as const;

const UNITS: Record<string, number> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
/** So many lengths the reader keeps one by one; of more it distinguishes the highest bits. */
const FEW = 128;
const STEPS = 64;

export interface Asked {
	by: string;
	above: string;
}

/** A page made by --slow shows what it was made for until something else is asked for. */
export function isAsWritten({ tables }: Profile, { above }: Pick<State, "above">): boolean {
	return tables.table("slow_of").n > 0 && !above;
}

/** All labels of the name of one: the reader takes them together. */
export function namesakes({ labels, words }: Profile, label: number): number[] {
	const { text, code } = words.label;
	const isKind = (row: number) => labels.kind[row] === text || labels.kind[row] === code;

	return [...labels.name.keys()].filter((row) => isKind(row) && labels.name[row] === labels.name[label]);
}

export function isTime(profile: Profile, by: string): boolean {
	return (TIMES as readonly string[]).includes(by) || profile.counters.some(({ name, time }) => name === by && time);
}

/** What the page can divide slices by. */
export function measures(profile: Profile): string[] {
	return [...TIMES, ...profile.timeline.values.map(({ column }) => column.is.name)];
}

/** "p99": 0.99; undefined if it is no quantile. */
function shareOf(above: string): number | undefined {
	const [, percent] = above.match(/^p(\d+(?:\.\d+)?)$/) ?? [];
	const share = Number(percent) / 100;

	return share > 0 && share < 1 ? share : undefined;
}

function figureOf(above: string, time: boolean): number | undefined {
	const [, number, unit] = above.match(/^(\d+(?:\.\d+)?(?:e\d+)?)([a-z]*)$/) ?? [];
	const factor = time ? UNITS[unit] : unit === "" ? 1 : undefined;

	return number && factor ? Math.floor(Number(number) * factor) : undefined;
}

export function isThreshold(above: string, time: boolean): boolean {
	return shareOf(above) !== undefined || figureOf(above, time) !== undefined;
}

/** The threshold that the reader makes of a quantile of lengths in order: what it can't distinguish from that is not more. */
export function thresholdAt(lengths: ArrayLike<number>, share: number): number {
	const found = quantile(lengths, share);
	const rank = Math.ceil(share * lengths.length * (1 - 1e-12));
	const step = 2 ** Math.max(0, Math.floor(Math.log2(found / STEPS)));

	return lengths.length <= FEW || rank <= 1 || rank >= lengths.length ? found : (Math.floor(found / step) + 1) * step - 1;
}

/** One of the label, with what it has of what slices are divided by; NaN: not known. */
interface One {
	row: number;
	value: number;
	wait: Wait | null;
	/** The recording began or ended in it: it has so much, or more. */
	least: boolean;
}

export interface Divided {
	profile: Profile;
	part: Part;
	labels: number[];
	asked: Asked;
	time: boolean;
	above: number;
	/** What each has of what they are divided by, in order. */
	values: number[];
	/** How many are in the rest, slow, and on neither side. */
	nr: [number, number, number];
	ones: One[];
	/** By row of the timeline: REST, SLOW, UNKNOWN; NONE if it is of another label. */
	side: Int8Array;
	/** Row 0 is of the rest, 1 of the slow ones. */
	cut: Cut;
	held: [number, number];
	/** Slices of it are missing. */
	atLeast: boolean;
	/** Why the gaps before some are not known, although the reader may know them; "": they are. */
	gapsWhy: string;
}

/** Of all pieces of a slice. */
function flagsOf(profile: Profile, row: number): number {
	const { flags } = profile.timeline;
	let all = flags[row];

	for (let next = nextPiece(profile, row); next >= 0; next = nextPiece(profile, next))
		all |= flags[next];
	return all;
}

function heldOf({ timeline: { begin, end } }: Profile, row: number): number {
	return end[row] - begin[row];
}

function valueOf(profile: Profile, by: string, row: number, wait: Wait | null): number {
	const { timeline, timeline: { preempted, blocked, idle } } = profile;
	const counter = timeline.values.find(({ column }) => column.is.name === by)?.column;
	const off = (slice: number) => preempted[slice] + blocked[slice] + idle[slice];
	const gap = GAPS.find((part) => part === by);

	if (gap)
		return wait && !wait.missing ? wait[gap] : NaN;
	if (counter)
		return sumOf(profile, row, (slice) => counter.has(slice) && !counter.standing(slice) ? counter.figures[slice] : NaN);
	return sumOf(profile, row, (slice) => by === "running" ? heldOf(profile, slice) - off(slice)
		: by === "preempted" ? preempted[slice] : by === "blocked" ? blocked[slice] : heldOf(profile, slice));
}

/** It reaches beyond the part: what it has of it, the whole recording says. */
function isCut(profile: Profile, { from, to }: Part, row: number): boolean {
	const { begin, end } = profile.timeline;
	let last = row;

	for (let next = nextPiece(profile, row); next >= 0; next = nextPiece(profile, next))
		last = next;
	return begin[row] < from || end[last] > to || goesOn(profile, row);
}

function isOfGap(by: string): boolean {
	return (GAPS as readonly string[]).includes(by);
}

function onesOf(profile: Profile, durations: Durations, labels: Set<number>, by: string): One[] {
	const { timeline: { label }, words: { slice: { unreported, first, cut } } } = profile;
	const ones: One[] = [];

	durations.rows.held.forEach((row, at) => {
		if (!labels.has(label[row]))
			return;
		const flags = flagsOf(profile, row);
		const found = durations.waits[at];
		const wait = typeof found === "string" ? null : found;
		const unknown = flags & unreported || isCut(profile, durations.part, row);

		ones.push({ row, wait, value: unknown ? NaN : valueOf(profile, by, row, wait), least: !isOfGap(by) && (flags & (first | cut)) !== 0 });
	});
	return ones;
}

/** Why the page can't divide slices of this part; "": it can. */
function unheld(profile: Profile, part: Part): string {
	return profile.recording.recordings > 1 ? "the page is of several recordings"
		: gapsOf(profile).bucketsIn(part).length ? "of some slices of this time the page has sums only" : "";
}

/** Likewise, the gaps before these. */
function gapsWhy({ timeline: { label } }: Profile, { rows, waits }: Durations, labels: number[]): string {
	const found = waits.find((wait, at) => typeof wait === "string" && labels.includes(label[rows.held[at]]));

	return typeof found === "string" ? found.replace(/^Not known.*?: /, "").replace(/\.$/, "") : "";
}

/** Why the page can't divide slices of a label by a figure; "": it can. */
export function undivided(profile: Profile, label: number, by: string, part: Part): string {
	return unheld(profile, part) || (!measures(profile).includes(by) ? "the page has not what each slice has of it" : isOfGap(by) ? gapsWhy(profile, durationsOf(profile, part), namesakes(profile, label)) : "");
}

/** As with --slow, of the part; where all are on one side, a side has none. */
export function divide(profile: Profile, label: number, asked: Asked, part: Part): Divided {
	const labels = namesakes(profile, label);
	const durations = durationsOf(profile, part);
	const ones = onesOf(profile, durations, new Set(labels), asked.by);
	const values = ones.filter(({ value, least }) => !least && !Number.isNaN(value)).map(({ value }) => value).sort((a, b) => a - b);
	const time = isTime(profile, asked.by);
	const share = shareOf(asked.above);
	const above = share === undefined ? figureOf(asked.above, time) ?? NaN : thresholdAt(values, share);
	const side = new Int8Array(profile.timeline.n).fill(NONE);
	const nr: Divided["nr"] = [0, 0, 0];
	const held: Divided["held"] = [0, 0];

	for (const { row, value, least } of ones) {
		const on = value > above ? SLOW : least || Number.isNaN(value) ? UNKNOWN : REST;

		nr[on]++;
		side[row] = on;
		for (let next = nextPiece(profile, row); next >= 0; next = nextPiece(profile, next))
			side[next] = on;
		if (on !== UNKNOWN)
			held[on] += sumOf(profile, row, (slice) => heldOf(profile, slice));
	}
	const cut = new Cut(profile, 2, part.from, part.to, (row) => side[row] === UNKNOWN ? NONE : side[row]);
	const slices = profile.labels.table.column("slices");

	return { profile, part, labels, asked, time, above, values, nr, ones, side, cut, held, atLeast: labels.some((row) => slices.standing(row) > 0),
		gapsWhy: gapsWhy(profile, durations, labels) };
}

/* ------------------------------------------------------------------------
 * beside: gaps, threads, and who held them
 */

export interface GapSums {
	gaps: number;
	unseen: number;
	suspended: number;
	awaiting: number;
	ready: number;
}

/** Of both sides, the gaps before their slices. */
export function gapSums({ profile, ones, side, part }: Divided): GapSums[] {
	const sums = [REST, SLOW].map((): GapSums => ({ gaps: 0, unseen: 0, suspended: 0, awaiting: 0, ready: 0 }));

	for (const { row, wait } of ones) {
		const { [side[row]]: sum } = sums;

		if (!sum || !wait || !isIn(profile, part, profile.timeline.begin[row], profile.timeline.end[row]))
			continue;
		if (wait.missing) {
			sum.unseen++;
			continue;
		}
		sum.gaps++;
		sum.suspended += wait.suspended;
		sum.awaiting += wait.awaiting || 0;
		sum.ready += wait.ready || 0;
	}
	return sums;
}

/** How many slices of either side ran on each thread: of threads of one number and process, the first. */
export function threadSums({ profile, ones, side }: Divided): Map<number, [number, number]> {
	const { threads, timeline: { thread } } = profile;
	const names = threads.tid.map((tid, row) => `${threads.process[row]} ${tid}`);
	const sums = new Map<number, [number, number]>();

	for (const { row } of ones) {
		const of = names.indexOf(names[thread[row]]);
		const sum = sums.get(of) ?? [0, 0];

		if (side[row] === UNKNOWN)
			continue;
		sum[side[row]]++;
		sums.set(of, sum);
	}
	return new Map([...sums].sort(([a], [b]) => a - b));
}

/** So many slices of a thread are looked back at: SPLIT_RECENT of the reader. */
const RECENT = 1024;

/** For how long labels, by name, held the thread while slices of either side were ready; @short: waits were longer than is looked back. */
export function holderSums({ profile, ones, side, part }: Divided, outside: (row: number) => boolean): { sums: Map<string, [number, number]>; short: boolean } {
	const { timeline: { begin, end, thread, first, label, slices }, labels } = profile;
	const sums = new Map<string, [number, number]>();
	let short = false;

	for (const { row, wait } of ones) {
		if (side[row] === UNKNOWN || !wait || wait.missing || Number.isNaN(wait.ready))
			continue;
		const since = begin[row] - wait.ready;

		for (let at = row - 1, seen = 0; at >= first[thread[row]] && end[at] > part.from; at--) {
			if (outside(at) || !slices[at] && !goesOn(profile, at))
				continue;
			if (seen++ === RECENT) {
				short = true;
				break;
			}
			if (end[at] <= since)
				break;
			const name = label[at] === NONE ? "(no label)" : labels.name[label[at]];
			const sum = sums.get(name) ?? [0, 0];

			sum[side[row]] += Math.max(0, Math.min(end[at], begin[row]) - Math.max(begin[at], since, part.from));
			sums.set(name, sum);
		}
	}
	return { sums, short };
}
