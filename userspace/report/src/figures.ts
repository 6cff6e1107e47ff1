// SPDX-License-Identifier: GPL-2.0
/*
 * What a column of a table is: what it is called, what figure a row has in it,
 * and how the figure reads. A figure that is not there is NaN and has a word
 * that says why.
 */

import { CounterData } from "./contract";
import { Tip } from "./dom";
import * as format from "./format";
import { Known, NONE, Profile, Standing, STANDING_TEXT, Table, Values } from "./profile";
import { Mode } from "./store";

export type Kind = "text" | "time" | "count" | "ratio" | "bar";

export interface ColumnSpec {
	key: string;
	title: string;
	says: string;
	kind: Kind;
	width: number;
	/** The figure to sort by and to show; NaN for none. */
	figure(row: number, mode: Mode): number;
	/** Text columns sort by this instead. */
	text?(row: number): string;
	/** What is shown. */
	show(row: number, mode: Mode): string;
	/** What says why there is no figure, or how well it is known. */
	standing?(row: number): string;
	/** The figure as plain text for export. */
	plain(row: number, mode: Mode): string;
	tip(row: number): Tip;
}

/** What a grid shows. */
export interface Sheet {
	n: number;
	columns: ColumnSpec[];
	/** What the filter looks at, in small letters. */
	haystack(row: number): string;
	name(row: number): string;
	/** The label whose colour the row has. */
	label?(row: number): number;
	/** What the row's bar is made of, in the order of STATES. */
	times?(row: number): number[];
}

function shown(value: number, kind: Kind, mode: Mode): string {
	if (mode === "share")
		return format.share(value);
	return kind === "time" ? format.time(value) : format.count(value);
}

function fullOf(value: number, kind: Kind): string {
	return kind === "time" ? format.fullTime(value) : format.full(value);
}

function plainNumber(value: number): string {
	return Number.isNaN(value) ? format.NA : String(value);
}

/** Room for a title, and so for a figure of usual length. */
function headWidth(title: string, least: number): number {
	return Math.max(least, 18 + title.length * 7.5);
}

/** A figure that adds up: it has a total, a mean per slice and a share of all. */
class Sum {
	constructor(
		readonly data: Float64Array,
		readonly slices: Float64Array,
		readonly whole: number,
		/** What the mean is called. */
		readonly each = "per slice",
	) {}

	at(row: number, mode: Mode): number {
		const value = this.data[row];

		if (mode === "slice")
			return this.slices[row] ? value / this.slices[row] : NaN;
		if (mode === "share")
			return this.whole ? value / this.whole : NaN;
		return value;
	}

	rows(row: number, kind: Kind): [string, string][] {
		return [
			["total", fullOf(this.data[row], kind)],
			[this.each, shown(this.at(row, "slice"), kind, "slice")],
			["share of all", format.share(this.at(row, "share"))],
		];
	}
}

export interface SumOptions {
	key: string;
	title: string;
	says: string;
	kind: Kind;
	data: Float64Array;
	whole: number;
	each?: string;
	/** What goes in front of the figure. */
	prefix?(row: number): string;
	note?(row: number): string | undefined;
}

export function sumColumn({ slices }: { slices: Float64Array }, options: SumOptions): ColumnSpec {
	const { kind, prefix, note } = options;
	const sum = new Sum(options.data, slices, options.whole, options.each);

	return {
		key: options.key, title: options.title, says: options.says, kind,
		width: headWidth(options.title, kind === "time" ? 74 : 60),
		figure: (row, mode) => sum.at(row, mode),
		show(row, mode) {
			const value = sum.at(row, mode);

			return Number.isNaN(value) ? format.NA
				: (prefix?.(row) ?? "") + shown(value, kind, mode);
		},
		plain: (row, mode) => plainNumber(sum.at(row, mode)),
		tip: (row) => ({ head: options.title, rows: sum.rows(row, kind), note: note?.(row) ?? options.says }),
	};
}

export function countColumn(key: string, title: string, says: string, data: Float64Array, width = 84): ColumnSpec {
	return {
		key, title, says, kind: "count", width,
		figure: (row) => data[row],
		show: (row) => format.count(data[row]),
		plain: (row) => plainNumber(data[row]),
		tip: (row) => ({ head: title, rows: [["", format.full(data[row])]], note: says }),
	};
}

export function timeColumn(key: string, title: string, says: string, data: Float64Array, width = 84): ColumnSpec {
	return {
		key, title, says, kind: "time", width,
		figure: (row) => data[row],
		show: (row) => format.time(data[row]),
		plain: (row) => plainNumber(data[row]),
		tip: (row) => ({ head: title, rows: [["", format.fullTime(data[row])]], note: says }),
	};
}

export function textColumn(key: string, title: string, says: string, width: number, text: (row: number) => string): ColumnSpec {
	return {
		key, title, says, kind: "text", width, text,
		figure: () => NaN,
		show: text,
		plain: text,
		tip: (row) => ({ head: text(row) }),
	};
}

/* ------------------------------------------------------------------------
 * time between slices
 */

export type Gap = "suspended" | "awaiting" | "ready";

const KNOWN_SHIFT = { suspended: 0, awaiting: 2, ready: 4 };

const GAP_SAYS = {
	suspended: "switched out, between slices: awaiting and ready together",
	awaiting: "between slices, before it was made ready",
	ready: "between slices, made ready but not yet run",
};

/** How well a time between slices is known, as Known. */
export function gapKnown(table: Table, key: Gap, row: number): number {
	return (table.known[row] >> KNOWN_SHIFT[key]) & 3;
}

/** Suspended time of which it is not known whether it was awaiting or ready. */
function unsplit({ suspended, awaiting, ready }: Table, row: number): number {
	return (suspended[row] || 0) - (awaiting[row] || 0) - (ready[row] || 0);
}

function gapNote(table: Table, key: Gap, row: number): string | undefined {
	const known = gapKnown(table, key, row);

	if (known === Known.AT_LEAST)
		return "At least this much: for some of the time between slices it is not known.";
	if (known === Known.EXACT)
		return undefined;
	return key === "suspended" ? "Not available: slices were lost in all of the gaps."
		: "Not available: the runtime did not tell when coroutines were made ready. Suspended is the sum of awaiting and ready.";
}

/** Between its own slices, a thread's slot runs coroutines: it is never suspended. */
export function gapColumn(table: Table, whole: Table, key: Gap, applies: (row: number) => boolean): ColumnSpec {
	const known = (row: number) => gapKnown(table, key, row);
	const column = sumColumn(table, {
		key, title: key, says: GAP_SAYS[key], kind: "time", data: table[key], whole: whole[key][0],
		prefix: (row) => known(row) === Known.AT_LEAST ? "≥" : "",
		note: (row) => gapNote(table, key, row),
	});

	return {
		...column,
		figure: (row, mode) => applies(row) ? column.figure(row, mode) : NaN,
		show: (row, mode) => applies(row) ? column.show(row, mode) : format.NOT_APPLICABLE,
		plain: (row, mode) => applies(row) ? column.plain(row, mode) : format.NOT_APPLICABLE,
		standing: (row) => applies(row) ? ["n/a", "at least", "exact"][known(row)] : "not applicable",
		tip: (row) => applies(row) ? column.tip(row) : {
			head: key, note: "Does not apply: these are threads outside any coroutine; in between they ran coroutines.",
		},
	};
}

/** The times a row's bar is made of, in the order of STATES; what is not available takes no room. */
export function stateTimes(table: Table, row: number): number[] {
	const { running, preempted, blocked, awaiting, ready } = table;

	return [running[row], preempted[row], blocked[row], unsplit(table, row), awaiting[row] || 0, ready[row] || 0];
}

/* ------------------------------------------------------------------------
 * counters
 */

const COUNTER_NOTES: Record<number, string> = {
	[Standing.UNSUPPORTED]: "It could not be counted.",
	[Standing.NOT_SCHEDULED]: "The counter was on the PMU for none of the time: others had its place.",
	[Standing.SCALED]: "An estimate: the counter was on the PMU for part of the time only.",
	[Standing.ABSENT]: "No slice here carried this counter.",
};

export function counterNote({ error }: CounterData, standing: number): string | undefined {
	if (standing === Standing.UNSUPPORTED && error)
		return `Not counted: ${error}.`;
	return COUNTER_NOTES[standing];
}

function kindOf({ time }: CounterData): "time" | "count" {
	return time ? "time" : "count";
}

export function counterFigure(counter: CounterData, value: number): string {
	return shown(value, kindOf(counter), "total");
}

export function counterTip(counter: CounterData, values: Values, row: number, running: number): Tip {
	const standing = values.standing[row];
	const rows: [string, string][] = [["standing", STANDING_TEXT[standing]]];

	if (standing === Standing.COUNTED)
		rows.push(["count", fullOf(values.count[row], kindOf(counter))]);
	if (standing === Standing.SCALED) {
		const share = values.share ? values.share[row] : NaN;

		rows.push(["estimate", fullOf(values.best[row], kindOf(counter))],
			["counted", fullOf(values.count[row], kindOf(counter))],
			["while on the PMU", `${format.share(share)} of ${format.time(running)}`]);
	}
	return { head: counter.name, rows, note: counterNote(counter, standing) };
}

/** A counter's figure as text: never a 0 that was not counted. */
export function counterText(counter: CounterData, values: Values, row: number, figure: number, mode: Mode): string {
	const standing = values.standing[row];

	if (standing === Standing.SCALED)
		return "~" + shown(figure, kindOf(counter), mode);
	if (standing === Standing.COUNTED)
		return shown(figure, kindOf(counter), mode);
	return STANDING_TEXT[standing];
}

export interface CounterOptions {
	key: string;
	title: string;
	says: string;
	values: Values;
	/** How many slices, or calls, each row has. */
	slices: Float64Array;
	running: Float64Array;
	whole: number;
	each?: string;
	/** What goes in front of a figure, and what says why. */
	prefix?(row: number): string;
	note?(row: number): string | undefined;
}

export function counterColumn(counter: CounterData, options: CounterOptions): ColumnSpec {
	const { values, key, title, says, prefix, note, each = "per slice" } = options;
	const sum = new Sum(values.best, options.slices, options.whole, each);
	const has = (row: number) => !Number.isNaN(values.best[row]);

	return {
		key, title, says, kind: kindOf(counter), width: headWidth(title, 66),
		figure: (row, mode) => sum.at(row, mode),
		show: (row, mode) => (has(row) ? prefix?.(row) ?? "" : "") + counterText(counter, values, row, sum.at(row, mode), mode),
		standing: (row) => STANDING_TEXT[values.standing[row]],
		plain(row, mode) {
			const value = sum.at(row, mode);

			return Number.isNaN(value) ? STANDING_TEXT[values.standing[row]] : String(value);
		},
		tip(row) {
			const tip = counterTip(counter, values, row, options.running[row]);

			if (has(row))
				tip.rows!.push([each, counterFigure(counter, sum.at(row, "slice"))],
					["share of all", format.share(sum.at(row, "share"))]);
			return { ...tip, head: title, note: note?.(row) ?? tip.note };
		},
	};
}

export function counterSays({ name, kernel }: CounterData): string {
	return `${name}, in user mode${kernel ? " and kernel mode" : ""}`;
}

interface RatioOptions {
	key: string;
	title: string;
	says: string;
	over: number;
	under: number;
	factor: number;
}

/**
 * The quotient of two counters, NaN unless both have a figure. An estimate of 0 says that the counter was on the PMU at
 * other times than what it counts: it is no quotient.
 */
export function quotient(table: Table, over: number, under: number, row: number): number {
	const dividend = table.values[over];
	const divisor = table.values[under].best[row];

	if (dividend.standing[row] === Standing.SCALED && dividend.best[row] === 0)
		return NaN;
	return divisor > 0 ? dividend.best[row] / divisor : NaN;
}

export function quotientScaled(table: Table, over: number, under: number, row: number): boolean {
	return [over, under].some((at) => table.values[at].standing[row] === Standing.SCALED);
}

function ratioColumn(profile: Profile, table: Table, options: RatioOptions): ColumnSpec {
	const { over, under, factor } = options;
	const value = (row: number) => quotient(table, over, under, row) * factor;
	const mark = (row: number) => quotientScaled(table, over, under, row) ? "~" : "";

	return {
		key: options.key, title: options.title, says: options.says, kind: "ratio",
		width: headWidth(options.title, 52),
		figure: value,
		show: (row) => Number.isNaN(value(row)) ? format.NA : mark(row) + format.ratio(value(row)),
		standing: (row) => Number.isNaN(value(row)) ? "n/a" : mark(row) ? "scaled" : "counted",
		plain: (row) => plainNumber(value(row)),
		tip: (row) => ({
			head: options.title,
			rows: [over, under].map((at): [string, string] =>
				[profile.counters[at].name, counterText(profile.counters[at], table.values[at], row,
					table.values[at].best[row], "total")]),
			note: options.says,
		}),
	};
}

export function ratioColumns(profile: Profile, table: Table): ColumnSpec[] {
	const { cycles, instructions, counters } = profile;
	const columns: ColumnSpec[] = [];

	if (instructions === NONE)
		return columns;
	if (cycles !== NONE)
		columns.push(ratioColumn(profile, table, {
			key: "ipc", title: "IPC", says: "instructions per cycle",
			over: instructions, under: cycles, factor: 1,
		}));
	counters.forEach((counter, at) => {
		if (/misses/.test(counter.name))
			columns.push(ratioColumn(profile, table, {
				key: "k" + at, title: counter.name.replace(/-?misses/, " m.") + "/kI",
				says: `${counter.name} per 1000 instructions`,
				over: at, under: instructions, factor: 1000,
			}));
	});
	return columns;
}

/** Of slices in which switches were not told. */
export function missedText(slices: number, running: number): string {
	return `${format.plural(slices, "slice")}, running ${format.time(running)}`;
}
