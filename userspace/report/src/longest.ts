// SPDX-License-Identifier: GPL-2.0
/* The longest slices, waits and lives, of what is chosen, with the columns of the reader's table of them. */

import { coroutineMark, coroutineName, labelName, processName, threadName } from "./columns";
import { clip, shareOf } from "./clip";
import { Column } from "./decode";
import { ColumnSpec, Derived, derivedColumn, NONE_CHOSEN, Sheet, textColumn } from "./figures";
import * as format from "./format";
import { gapsOf } from "./gaps";
import { Durations, Part, What } from "./durations";
import { instantsOf } from "./instants";
import { keepsOf } from "./scope";
import { NONE, Profile } from "./profile";
import { ratiosOf } from "./ratios";
import { asIs, sought, Spell } from "./spell";
import { COUNTED, lacking, named, shared } from "./standings";

/** As many as the reader has: WORST_MOST there. */
const MOST = 100;
const WHOLE = "Of the longest of the whole recording only.";
const OF = "of what is chosen";

/** What one of them has in a column: a figure, or what is there instead, and why. */
interface Cell {
	figure: number;
	standing?: number;
	instead?: string;
	why?: string;
}

export interface Longest extends Sheet {
	what: What;
	/** Rows of the timeline, of lifetimes those of coroutines. */
	rows: number[];
	stay(row: number): [number, number];
	label(row: number): number;
	coroutine(row: number): number;
}

/** Of the reader's longest of the whole recording those that are of what is chosen. */
export interface Among {
	/** All that took longer are among them. */
	least: number;
	/** Whether a row of the reader's table is one. */
	there(row: number): boolean;
}

function ofChosen(profile: Profile, { selected, only }: Part): (row: number) => boolean {
	const { worst } = profile;
	const keeps = keepsOf(profile, only);

	return (row) => (!selected || worst[selected.kind][row] === selected.index) && (!only || keeps.label(worst.label[row]) && keeps.thread(worst.thread[row]));
}

/** Of a slice alone its row says whether it is of a time: of a wait, the slices around it do. */
function inTime({ since, until, worst: { begin, end, table } }: Profile, { from, to }: Part, what: What): ((row: number) => boolean) | null {
	const kinds = table.column("what");
	const all = from <= since && to >= until;
	const isCut = (row: number) => kinds.words(row) === what && (begin[row] < from && end[row] > from || begin[row] < to && end[row] > to);

	/* How long those took in it that are cut, and so which are the longest there, the whole recording's do not say. */
	if (all || what !== "held" && what !== "blocked" || begin.some((_, row) => isCut(row)))
		return all ? () => true : null;
	return (row) => begin[row] >= from && end[row] <= to;
}

/** Null where the page can't know: of several recordings there are as many of each. */
export function amongWorst(profile: Profile, part: Part, what: What): Among | null {
	const { worst: { n, took, table }, recording: { recordings } } = profile;
	const kinds = table.column("what");
	const timely = inTime(profile, part, what);
	const chosen = ofChosen(profile, part);
	const rows = Array.from({ length: n }, (_, row) => row).filter((row) => kinds.words(row) === what);

	return recordings > 1 || !timely ? null : {
		least: rows.length < MOST ? 0 : rows.reduce((least, row) => Math.min(least, took[row]), Infinity),
		there: (row) => kinds.words(row) === what && chosen(row) && timely(row),
	};
}

/** When a wait ended: it ends with ready, where that is known. */
function waitEnd(profile: Profile, what: What, slice: number): number {
	const { timeline: { begin } } = profile;
	const wait = what === "awaiting" ? gapsOf(profile).wait(slice, profile.since) : null;

	return begin[slice] - (wait && typeof wait === "object" ? wait.ready : 0);
}

function isWait(what: What): boolean {
	return what === "ready" || what === "awaiting" || what === "suspended";
}

/** Rows and how long they took, the longest first; of those that took as long, as the reader orders them. */
function pick(profile: Profile, durations: Durations, what: What): { row: number; took: number }[] {
	const { coroutines: c, timeline: t, threads } = profile;
	const least = Math.max(1, durations.known(what));
	const all = durations.rows[what].map((row, at) => ({ row, took: durations.ns[what][at] })).filter(({ took }) => took >= least);
	const life = what === "lifetime";
	const of = (row: number) => life ? row : t.coroutine[row];
	const end = (row: number) => life ? c.last[row] : isWait(what) ? waitEnd(profile, what, row) : clip(profile, row, durations.part).end;
	const id = (row: number) => of(row) === NONE ? 0n : BigInt(c.id[of(row)]);
	const process = (row: number) => life ? c.process[row] : threads.process[t.thread[row]];

	return all.sort((a, b) => b.took - a.took || end(a.row) - end(b.row) || process(a.row) - process(b.row) ||
		Number(id(a.row) - id(b.row))).slice(0, MOST);
}

/** Of a slice, or the one that a wait was before. */
function sliceCells(profile: Profile, row: number, time: Part): Record<string, Cell> {
	const { timeline: { values } } = profile;
	const clipped = clip(profile, row, time);
	const [running, preempted, blocked] = clipped.times;
	const figure = (value: number, near: boolean): Cell => ({ figure: value, standing: shared(COUNTED, near) });
	const part = (count: number) => clipped.cut ? shareOf(count, clipped) : count;

	return {
		running: figure(running, clipped.shared), preempted: figure(preempted, clipped.shared), blocked: figure(blocked, clipped.shared),
		...Object.fromEntries(values.map(({ column, estimate }): [string, Cell] =>
			[column.is.name, figure(column.has(row) ? part(estimate[row]) : NaN, clipped.cut)])),
		...Object.fromEntries(ratiosOf(profile, row, part).map(([title, value]): [string, Cell] => [title, figure(value, clipped.cut)])),
	};
}

/** All that it had in its life. */
function lifeCells({ coroutines: { table } }: Profile, row: number): Record<string, Cell> {
	return Object.fromEntries(table.columns.filter(({ is }) => !is.texts).map((column): [string, Cell] => {
		const standing = column.standing(row);

		return [column.is.name, column.has(row) ? { figure: column.figures[row], standing } : { figure: NaN, instead: format.standing(standing).mark }];
	}));
}

/** Who woke what a slice is of; where it is cut, that was before the time. */
function wakerName(profile: Profile, slice: number, { from }: Part, spell: Spell): string {
	const { timeline: { begin }, timelineWakes: { table, waker } } = profile;
	const wake = instantsOf(profile).wakeOf(slice);

	if (wake === NONE || begin[slice] < from)
		return format.standing(named("none")).mark;
	return waker[wake] === NONE ? format.standing(table.column("waker").standing(wake)).mark : coroutineName(profile, waker[wake], spell);
}

/** The thread of a lifetime is that which it ended on. */
function threadOf(profile: Profile, coroutine: number): number {
	const { coroutines, timeline } = profile;
	const slices = gapsOf(profile).lanes.slicesOf(coroutine);
	const last = slices[slices.length - 1];

	return last !== undefined && gapsOf(profile).placed[last] && timeline.end[last] === coroutines.last[coroutine] ? timeline.thread[last] : NONE;
}

export function longestOf(profile: Profile, whole: Sheet, durations: Durations, what: What): Longest {
	const { coroutines, timeline, worst: { table } } = profile;
	const found = pick(profile, durations, what);
	const none = format.standing(named("none")).mark;
	const life = what === "lifetime";
	const wait = isWait(what);
	const coroutine = (at: number) => life ? found[at].row : timeline.coroutine[found[at].row];
	const label = (at: number) => durations.labelOf(what)[found[at].row];
	const thread = (at: number) => life ? threadOf(profile, found[at].row) : timeline.thread[found[at].row];
	const name = (at: number, spell?: Spell) => coroutine(at) === NONE ? labelName(profile, label(at), spell) : coroutineName(profile, coroutine(at), spell);
	const mark = (at: number) => coroutine(at) === NONE ? "" : coroutineMark(profile, coroutine(at));
	const stay = (at: number): [number, number] => {
		const { row, took } = found[at];

		if (life)
			return [coroutines.born[row], coroutines.last[row]];
		if (wait)
			return [waitEnd(profile, what, row) - took, waitEnd(profile, what, row)];
		const { begin, end } = clip(profile, row, durations.part);

		return [begin, end];
	};
	const cells = found.map(({ row }) => life ? lifeCells(profile, row) : wait ? {} : sliceCells(profile, row, durations.part));
	const cell = (column: Column, at: number): Cell => {
		const { is: { name, title } } = column;
		const own = { took: found[at].took, begin: stay(at)[0], end: stay(at)[1] }[name];
		const cut = name === "took" && !life && !wait && clip(profile, found[at].row, durations.part).cut;

		return own !== undefined ? { figure: own, standing: lacking(COUNTED, cut) } : wait ? { figure: NaN, instead: none }
			: cells[at][name] ?? cells[at][title] ?? { figure: NaN, why: WHOLE };
	};
	const derived = (column: Column): Derived => ({
		head: OF, of: (at) => cell(column, at).figure, standing: (at) => cell(column, at).standing ?? COUNTED,
		instead: (at) => cell(column, at).instead ?? format.na(), why: (at) => cell(column, at).why,
	});
	const said: Record<string, (at: number, spell: Spell) => string> = {
		name, coroutine: name, label: (at, spell) => labelName(profile, label(at), spell),
		id: (at) => mark(at).replace("#", ""),
		thread: (at, spell) => thread(at) === NONE ? format.na() : threadName(profile, thread(at), spell),
		process: (at, spell) => processName(profile, life ? coroutines.process[found[at].row] : profile.threads.process[thread(at)], spell),
		waker: (at, spell) => life ? none : wakerName(profile, found[at].row, durations.part, spell),
	};
	const column = (spec: ColumnSpec) => said[spec.key] ? textColumn(spec.key, spec.title, spec.says, spec.width, said[spec.key])
		: derivedColumn(spec, table.column(spec.key), derived(table.column(spec.key)));

	return {
		what, rows: found.map(({ row }) => row), stay, coroutine, n: found.length, name, label, mark, nothing: NONE_CHOSEN,
		texts: Object.fromEntries(Object.entries(said).map(([key, text]) => [key, (at) => text(at, asIs)])),
		haystack: (at) => sought((spell) => `${name(at, spell)} ${labelName(profile, label(at), spell)}`),
		columns: whole.columns.map(column),
	};
}
