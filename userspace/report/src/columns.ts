// SPDX-License-Identifier: GPL-2.0
/* The columns of the tables of labels, coroutines and threads. */

import { Column, Integer } from "./decode";
import { cellText, ColumnSpec, columnOf, counterNote, headWidth, shareColumn, Sheet, stateShare, stateTimes, SumOptions, textColumn } from "./figures";
import * as format from "./format";
import { modeTip } from "./modes";
import { STATES_IN_SLICES } from "./palette";
import { isOutside, isThreadSlot, NONE, Profile, Timed } from "./profile";
import { countsOfLabels, Scale, sparkline } from "./sparkline";
import { sought, Spell, visible } from "./spell";
import { Grouping } from "./store";

export interface Rows extends Sheet {
	by: Grouping;
}

const BAR: Pick<ColumnSpec, "key" | "title" | "says" | "kind" | "width"> = {
	key: "states", title: "own time", kind: "bar", width: 84,
	says: "running, preempted, blocked, idle and suspended, as shares of their sum: each row's own time is all of its bar, however long it is; suspended as awaiting and ready where that is known",
};

const IN_SLICES = ["running", "preempted", "blocked", "idle"] as const;
const BETWEEN = ["suspended", "awaiting", "ready"] as const;

function barColumn(rows: Timed, applies: (row: number) => boolean): ColumnSpec {
	const sum = (row: number) => stateTimes(rows, row).reduce((a, b) => a + b, 0);
	const busy = (row: number) => sum(row) ? rows.running[row] / sum(row) : NaN;

	return {
		...BAR,
		figure: busy,
		show: () => "",
		plain: (row) => Number.isNaN(busy(row)) ? format.na() : busy(row).toFixed(4),
		tip(row) {
			const states = (applies(row) ? [...IN_SLICES, ...BETWEEN] : IN_SLICES)
				.filter((state) => state !== "idle" || rows.idle[row]);

			return {
				head: BAR.title,
				rows: states.map((state) => {
					return [state, [cellText(rows.table.column(state), row), stateShare(rows, row, state, sum(row), states)].filter(Boolean).join("  ")];
				}),
				note: stateTimes(rows, row)[STATES_IN_SLICES] ? "Hatched: suspended, not known whether awaiting or ready." : undefined,
			};
		},
	};
}

const UNTOLD = "Not available: the runtime did not report when coroutines were made ready. Suspended is the sum of awaiting and ready.";

/** What there is to say of a figure that its standing does not. */
function noteOf(profile: Profile, column: Column): (row: number) => string | undefined {
	const { is } = column;
	const parted = is.name === "awaiting" || is.name === "ready";

	if (is.counter !== undefined)
		return (row) => counterNote(profile.counters[is.counter!], column, row);
	return (row) => parted && !column.has(row) && column.table.column("suspended").has(row) ? UNTOLD : undefined;
}

/** Times between slices are of gaps, of which a coroutine has one less than slices, or more unseen ones. */
function isBetween({ is: { name } }: Column): boolean {
	return (BETWEEN as readonly string[]).includes(name);
}

/** Sums are looked at beside those of the whole recording; counts of other things than slices are not. */
function sumsOf(profile: Profile, rows: Timed, column: Column): SumOptions | null {
	const whole = profile.total.table.find(column.is.name);

	const between = isBetween(column);

	return whole && (column.is.kind !== "count" || column.is.name === "slices") ? {
		each: between ? "per gap" : "per slice", whole: whole.figures[0], all: whole.standing(0), note: noteOf(profile, column),
		sure: (row) => rows.table.column(between ? "gaps" : "slices").standing(row), isMean: between,
		get over() { return between ? rows.gaps : rows.slices; },
		get running() { return rows.running; },
	} : null;
}

/** What the runtime never reported comes last. */
function inOrder({ total: { table } }: Profile, columns: Column[]): Column[] {
	const untold = ({ is: { name } }: Column) => (name === "awaiting" || name === "ready") && !table.column(name).has(0);

	return [...columns.filter((column) => !untold(column)), ...columns.filter(untold)];
}

/** The columns of a table that are shown, by their descriptions; @instead of some there are others. */
function columnsOf(profile: Profile, rows: Timed, instead: Record<string, ColumnSpec>): ColumnSpec[] {
	const shown = rows.table.columns.filter(({ is }) => is.shown && !(is.name in instead));

	return inOrder(profile, shown).map((column) => columnOf(profile, column, sumsOf(profile, rows, column)));
}

/** What comes before figures: @names, shares of them as the reader describes those, and the states. */
function withBars({ table }: Timed, names: ColumnSpec[], states: ColumnSpec, figures: ColumnSpec[]): ColumnSpec[] {
	const shares = figures.flatMap((column) => table.find(column.key)?.is.bar ? [shareColumn(column, table.column(column.key).is.bar!)] : []);

	return [...names, ...shares, states, ...figures];
}

export function processName({ tables }: Profile, process: number, spell: Spell = visible): string {
	return process === NONE ? "all" : tables.table("processes").title(process, spell);
}

export function threadName({ tables }: Profile, thread: number, spell: Spell = visible): string {
	return tables.table("threads").title(thread, spell);
}

export function labelName(profile: Profile, label: number, spell: Spell = visible): string {
	return label === NONE ? "(not known)" : spell(profile.labels.name[label]);
}

/** What distinguishes it from others: the coroutine's number; of a thread's own slot, the thread's id. */
function coroutineNumber({ coroutines, threads }: Profile, coroutine: number): Integer {
	const thread = coroutines.thread[coroutine];

	return thread === NONE ? coroutines.id[coroutine] : threads.tid[thread];
}

export function coroutineMark(profile: Profile, coroutine: number): string {
	return (profile.coroutines.thread[coroutine] === NONE ? "#" : "thread ") + coroutineNumber(profile, coroutine);
}

export function coroutineName(profile: Profile, coroutine: number, spell: Spell = visible): string {
	return `${labelName(profile, profile.coroutines.label[coroutine], spell)} ${coroutineMark(profile, coroutine)}`;
}

/** What is reported beside the picture, of the columns of these names. */
const REPORTED = ["slices", "p50", "p99", "longest"];

/** How long slices ran, drawn; @columns have what is reported of it, null is not known. */
export function lengthsColumn(columns: ColumnSpec[], countsOf: (row: number) => Float64Array | null): ColumnSpec {
	const reported = REPORTED.map((key) => columns.find((column) => column.key === key)!);
	const tail = (row: number) => reported[2].figure(row, "total") / reported[1].figure(row, "total");
	const rows = (row: number) => reported.map((column): [string, string] => [column.title, column.show(row, "total")]);
	const title = "lengths";

	return {
		key: "lengths", title, kind: "bar", width: 76,
		says: "How many slices ran how long: from left to right on a scale of powers of ten that all rows have, the most frequent as high as the row",
		figure: tail, show: () => "",
		plain: (row) => Number.isNaN(tail(row)) ? format.na() : tail(row).toFixed(2),
		draw(row) {
			const counts = countsOf(row);

			return counts && sparkline(counts, `Running time of slices: ${rows(row).map((each) => each.join(" ")).join(", ")}`);
		},
		tip: (row) => ({ head: "Running time of slices", rows: rows(row) }),
	};
}

/** It stands beside running. */
function withLengths(profile: Profile, columns: ColumnSpec[]): ColumnSpec[] {
	const at = columns.findIndex(({ key }) => key === "running") + 1;
	let counts: Float64Array[] | undefined;
	const countsOf = (row: number) => {
		counts ??= countsOfLabels(profile, new Scale(profile));
		return counts[row].some(Boolean) ? counts[row] : null;
	};

	return [...columns.slice(0, at), lengthsColumn(columns, countsOf), ...columns.slice(at)];
}

function labelRows(profile: Profile): Rows {
	const { labels } = profile;
	const name = (row: number, spell?: Spell) => labelName(profile, row, spell);
	const names = textColumn("name", labels.table.column("name").is.title, "", 196, name);

	return {
		by: "label", n: labels.n, name, table: labels.table,
		label: (row) => row, times: (row) => stateTimes(labels, row),
		columns: withLengths(profile, withBars(labels, [names], barColumn(labels, (row) => !isOutside(profile, row)), columnsOf(profile, labels, { name: names }))),
		haystack: (row) => sought((spell) => `${name(row, spell)} ${processName(profile, labels.process[row], spell)} ${labels.object[row] ?? ""}`),
	};
}

/** Threads outside coroutines have the thread's id. */
function idColumn(profile: Profile): ColumnSpec {
	const { coroutines } = profile;
	const { title, says } = coroutines.table.column("id").is;
	const said = (row: number) => String(coroutineNumber(profile, row));

	return {
		key: "id", title, says: `${says}; of a thread outside coroutines, the thread's id`, kind: "number", width: 84, tells: true,
		figure: (row) => Number(coroutineNumber(profile, row)), show: said, plain: said,
		tip: (row) => ({ head: coroutineName(profile, row) }),
	};
}

function coroutineRows(profile: Profile): Rows {
	const { coroutines } = profile;
	const mark = (row: number) => coroutineMark(profile, row);
	const name = (row: number, spell?: Spell) => labelName(profile, coroutines.label[row], spell);
	const names = textColumn("name", coroutines.table.column("label").is.title, "", 240, name);
	const id = idColumn(profile);

	return {
		by: "coroutine", n: coroutines.n, table: coroutines.table, mark, name: (row) => coroutineName(profile, row),
		label: (row) => coroutines.label[row], times: (row) => stateTimes(coroutines, row),
		columns: withBars(coroutines, [names, id], barColumn(coroutines, (row) => !isThreadSlot(profile, row)),
			columnsOf(profile, coroutines, { label: names, id })),
		haystack: (row) => sought((spell) => `${name(row, spell)} ${mark(row)} ${processName(profile, coroutines.process[row], spell)}`),
	};
}

function threadRows(profile: Profile): Rows {
	const { threads } = profile;
	const name = (row: number, spell?: Spell) => threadName(profile, row, spell);
	const names = textColumn("name", threads.table.column("tid").is.title, "name and id", 240, name);
	const columns = columnsOf(profile, threads, { name: names, tid: names });
	const modes = profile.tables.table("modes");
	const said = Array.from({ length: modes.n }, (_, row) => headWidth(modes.title(row), 0));
	const own: Record<string, Partial<ColumnSpec>> = {
		sums: {
			tip: (row) => ({
				head: "Do the slices sum to the thread's own figures?",
				rows: [["", threads.table.column("sums").words(row)]], note: threads.sums_why[row] ?? undefined,
			}),
		},
		switches: { tip: (row) => modeTip(profile, threads.switches[row]), width: Math.max(112, ...said) },
	};

	return {
		by: "thread", n: threads.n, name, table: threads.table, times: (row) => stateTimes(threads, row),
		columns: withBars(threads, [names], barColumn(threads, () => false),
			columns.map((column) => ({ ...column, ...own[column.key] }))),
		haystack: (row) => sought((spell) => `${name(row, spell)} ${processName(profile, threads.process[row], spell)}`),
	};
}

const made = new WeakMap<Profile, Record<Grouping, Rows>>();

/** One for all who ask. */
export function makeRows(profile: Profile): Record<Grouping, Rows> {
	if (!made.has(profile))
		made.set(profile, { label: labelRows(profile), coroutine: coroutineRows(profile), thread: threadRows(profile) });
	return made.get(profile)!;
}
