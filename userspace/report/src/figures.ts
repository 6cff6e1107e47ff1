// SPDX-License-Identifier: GPL-2.0
/*
 * What a column of a grid is: what it is called, what figure a row has in it,
 * and how the figure reads. A figure that is not there is NaN and has a word
 * that says why. Columns of the reader's tables become such by their
 * descriptions.
 */

import { Bar, Column, Table } from "./decode";
import { Tip } from "./dom";
import * as format from "./format";
import { Counter, Profile, Timed, Values } from "./profile";
import { asIs, Spell, visible } from "./spell";
import { combined, COUNTED, summed, typical } from "./standings";
import { Mode } from "./store";

export type Kind = "text" | "number" | "bar" | "share";

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
	standing?(row: number, mode: Mode): string;
	/** The figure as plain text for export. */
	plain(row: number, mode: Mode): string;
	tip(row: number): Tip;
	/** What a row is known by, with its name: on paper it is beside that again. */
	tells?: boolean;
	/** Of a share: of which column it is, and by which description. */
	part?: { of: string; is: Bar };
	/** Of a bar that is not of the row's times. */
	draw?(row: number): Node | null;
}

export const NONE_CHOSEN = "There is none in what is chosen.";

/** What a grid shows. */
export interface Sheet {
	n: number;
	columns: ColumnSpec[];
	/** What the filter looks at, in small letters. */
	haystack(row: number): string;
	/** "#13", if it is of coroutines. */
	mark?(row: number): string;
	name(row: number): string;
	/** What it shows, where conditions may be about more than that; which row of it each is, if not the same. */
	table?: Table;
	rowOf?(row: number): number;
	/** What conditions are about beside its columns, if it is of no table: by name. */
	texts?: Record<string, (row: number) => string>;
	/** The label whose colour the row has. */
	label?(row: number): number;
	/** What is said if it has no rows, where there may be some in the recording. */
	nothing?: string;
	/** What the row's bar is made of, in the order of STATES. */
	times?(row: number): number[];
}

/* ------------------------------------------------------------------------
 * figures of a column
 */

type Format = (value: number) => string;

const FORMATS: Record<string, Format> = {
	ns: format.time, time: format.moment, events: format.events, count: format.count, share: format.share, ratio: format.ratio,
};

export function formatOf({ is: { kind } }: Column): Format {
	return FORMATS[kind] ?? String;
}

function fullOf({ is: { kind } }: Column): Format {
	return kind === "ns" ? format.fullTime
		: kind === "count" || kind === "events" ? format.full : FORMATS[kind] ?? String;
}

/** A figure with the mark of its standing, or the word in its place. */
export function marked(column: Column, row: number, figure: number, show: Format): string {
	return format.marked(column.standing(row), figure, show);
}

/** By what the figure is divided by. */
export function markedRatio(column: Column, row: number, by: number, ratio: number, show: Format): string {
	return format.marked(combined("quotient", column.standing(row), by), ratio, show);
}

/** All of it is all, whatever is missing. */
export function markedShare(column: Column, row: number, share: number, whole: Column): string {
	return column === whole ? format.share(share) : markedRatio(column, row, whole.standing(0), share, format.share);
}

/** What a cell says. */
export function cellText(column: Column, row: number): string {
	return marked(column, row, column.figures[row], formatOf(column));
}

/** What there is in place of what a counter counted in a part: of one that counted nothing at all, why. */
export function withoutCount({ total }: Profile, { is }: Column): string {
	const whole = total.table.find(is.name);

	return whole && !whole.has(0) ? cellText(whole, 0) : format.na();
}

/** In full, with its mark. */
export function fullText(column: Column, row: number): string {
	return marked(column, row, column.figures[row], fullOf(column));
}

/** What its standing means, where that is not plain. */
export function standingNote(column: Column, row: number): string | undefined {
	const at = column.standing(row);
	const { says } = format.standing(at);

	return at ? says[0].toUpperCase() + says.slice(1) + "." : undefined;
}

/** Of a figure that is shown in full. */
const DIGIT = 10;
/** Of what may stand before it. */
const MARK = 18;
/** Of a share. */
const SHARE = 72;

/** Room for a title, or a text. */
export function headWidth(title: string, least: number): number {
	return Math.max(least, 18 + title.length * 7.5);
}

/** A figure that adds up: it has a total, a mean and a share of all. */
class Sum {
	constructor(readonly column: Column, readonly options: SumOptions) {}

	at(row: number, mode: Mode): number {
		const value = this.column.figures[row];
		const { over, whole } = this.options;

		if (mode === "slice")
			return over[row] ? value / over[row] : NaN;
		if (mode === "share")
			return whole ? value / whole : NaN;
		return value;
	}

	show(row: number, mode: Mode): string {
		return format.marked(this.standing(row, mode), this.at(row, mode), mode === "share" ? format.share : formatOf(this.column));
	}

	standing(row: number, mode: Mode): number {
		const { column, options: { sure, isMean, all } } = this;
		const own = column.standing(row);

		return mode === "total" ? own : mode === "share" ? combined("quotient", own, all)
			: combined("quotient", isMean ? typical(own) : own, sure(row));
	}

	rows(row: number): [string, string][] {
		return [
			[this.options.each, this.show(row, "slice")],
			["share of all", this.show(row, "share")],
		];
	}
}

/** What sums are looked at beside. */
export interface SumOptions {
	/** How many slices, or calls, each row has. */
	over: Float64Array;
	/** What a mean is called. */
	each: string;
	/** How far that can be relied on; @isMean: they are those alone of which there is a figure. */
	sure(row: number): number;
	isMean?: boolean;
	/** All of it, and how far that can be relied on. */
	whole: number;
	all: number;
	/** What a row is not counted during, to be reported beside an estimate. */
	running: Float64Array;
	/** Why there is no figure, if there is more to say than the standing does. */
	note?(row: number): string | undefined;
}

function plainNumber(column: Column, row: number, value: number): string {
	return Number.isNaN(value) ? marked(column, row, value, String) : String(value);
}

function markWidth({ is }: Column): number {
	return is.standing ? MARK : 0;
}

function standingOf(column: Column): { standing?: (row: number) => string } {
	return column.is.standing ? { standing: (row) => format.standing(column.standing(row)).name } : {};
}

/** What an estimate is made of. */
function estimateRows(column: Column, row: number, running: Float64Array): [string, string][] {
	const { table, is: { each, counter } } = column;
	const counted = each && table.ofCounter(`${each}_counted`, counter!);
	const share = each && table.ofCounter(`${each}_on_pmu`, counter!);

	return counted && share && column.figures[row] !== counted.figures[row] && column.has(row) ? [
		["counted", fullOf(counted)(counted.figures[row])],
		["while on the PMU", `${format.share(share.figures[row])} of ${format.time(running[row])}`],
	] : [];
}

function figureRows(column: Column, row: number, running: Float64Array): [string, string][] {
	const { name } = format.standing(column.standing(row));

	return [
		...column.is.standing || column.is.each ? [["standing", name] as [string, string]] : [],
		["total", fullText(column, row)],
		...estimateRows(column, row, running),
	];
}

export function sumColumn(column: Column, options: SumOptions): ColumnSpec {
	const { name, title, says, kind } = column.is;
	const sum = new Sum(column, options);
	const least = kind === "count" ? Math.max(SHARE, DIGIT * format.count(options.whole).length) : SHARE;

	return {
		key: name, title, says, kind: "number", width: headWidth(title, least + markWidth(column)),
		...column.is.standing ? { standing: (row: number, mode: Mode) => format.standing(sum.standing(row, mode)).name } : {},
		figure: (row, mode) => sum.at(row, mode),
		show: (row, mode) => sum.show(row, mode),
		plain: (row, mode) => plainNumber(column, row, sum.at(row, mode)),
		tip: (row) => ({
			head: title, rows: [...figureRows(column, row, options.running), ...column.has(row) ? sum.rows(row) : []],
			note: options.note?.(row) ?? standingNote(column, row) ?? says,
		}),
	};
}

/** The share that each row has of the sum of @of. */
export function shareColumn(of: ColumnSpec, is: Bar): ColumnSpec {
	const { name, title, says } = is;

	return {
		key: name, title, says, kind: "share", width: headWidth(title, 102), part: { of: of.key, is },
		figure: (row) => of.figure(row, "share"),
		show: (row) => of.show(row, "share"),
		standing: (row) => of.standing?.(row, "share") ?? "counted",
		plain: (row) => of.plain(row, "share"),
		tip: (row) => ({
			...of.tip(row), head: title,
			rows: [["", of.show(row, "share")], [of.title, of.show(row, "total")]],
		}),
	};
}

/** Room for others is less: times have all their digits. */
const WIDTHS: Record<string, number> = { count: 92, time: 124 };

/** A figure that is looked at for itself. */
export function figureColumn(column: Column, title = column.is.title): ColumnSpec {
	const { name, says, kind } = column.is;

	return {
		key: name, title, says, kind: "number", width: headWidth(title, (WIDTHS[kind] ?? 72) + markWidth(column)), ...standingOf(column),
		figure: (row) => column.figures[row],
		show: (row) => cellText(column, row),
		plain: (row) => plainNumber(column, row, column.figures[row]),
		tip: (row) => ({
			head: title,
			rows: [["", fullText(column, row)]],
			note: standingNote(column, row) ?? says,
		}),
	};
}

/** A figure that the page makes of what is chosen, for one that the reader made of all. */
export interface Derived {
	of(row: number): number;
	/** What it is of, in a word or two. */
	head: string;
	/** How far it can be relied on, counted if that is not said; and what stands in the place of one that is not there. */
	standing?(row: number): number;
	instead?(row: number): string;
	/** Why there is none. */
	why?(row: number): string | undefined;
}

export function derivedColumn(whole: ColumnSpec, column: Column, { of, head, standing, instead, why }: Derived): ColumnSpec {
	const sure = (row: number) => standing?.(row) ?? COUNTED;
	const said = (row: number, show: Format) => Number.isNaN(of(row)) ? instead?.(row) ?? format.na() : format.marked(sure(row), of(row), show);

	return {
		...whole, figure: of, show: (row) => said(row, formatOf(column)),
		plain: (row) => Number.isNaN(of(row)) ? said(row, String) : String(of(row)),
		standing: (row) => Number.isNaN(of(row)) ? "n/a" : format.standing(sure(row)).name,
		tip: (row) => ({ head: `${whole.title}, ${head}`, rows: [["", said(row, fullOf(column))]], note: Number.isNaN(of(row)) && why?.(row) || whole.says }),
	};
}

export function textColumn(key: string, title: string, says: string, width: number, said: (row: number, spell: Spell) => string): ColumnSpec {
	const [text, show] = [asIs, visible].map((spell) => (row: number) => said(row, spell));

	return {
		key, title, says, kind: "text", width, text, show,
		figure: () => NaN,
		plain: text,
		tip: (row) => ({ head: show(row) }),
	};
}

/** What a row of another table is called, a word, a text. */
function saidIn({ tables }: Profile, column: Column): (row: number, spell: Spell) => string {
	const { is } = column;

	if (is.refers) {
		const other = tables.table(is.refers);

		return (row, spell) => column.has(row) ? other.title(column.index[row], spell) : format.standing(column.standing(row)).mark;
	}
	return is.texts ? (row, spell) => column.text[row] ? spell(column.text[row]) : "" : (row) => column.words(row);
}

/** A column by its description. @sums: what its sums are looked at beside, NULL: they are not. */
export function columnOf(profile: Profile, column: Column, sums: SumOptions | null): ColumnSpec {
	const { name, title, says, kind, sums: how } = column.is;

	if (["text", "row", "word", "flags"].includes(kind))
		return textColumn(name, title, says, headWidth(title, 112), saidIn(profile, column));
	return sums && how === "add" ? sumColumn(column, sums) : figureColumn(column);
}

/* ------------------------------------------------------------------------
 * time between slices
 */

/** Suspended time of which it is not known whether it was awaiting or ready. */
function unsplit({ suspended, awaiting, ready }: Timed, row: number): number {
	return (suspended[row] || 0) - (awaiting[row] || 0) - (ready[row] || 0);
}

/** The times a row's bar is made of, in the order of STATES; what is not available takes no room. */
export function stateTimes(table: Timed, row: number): number[] {
	const { running, preempted, blocked, idle, awaiting, ready } = table;

	return [running[row], preempted[row], blocked[row], idle[row], unsplit(table, row), awaiting[row] || 0, ready[row] || 0];
}

/** Of a state, of the time of all of these; those that are parts of another are in that. */
export function stateShare({ table }: Timed, row: number, state: string, sum: number, states: string[]): string {
	const column = table.column(state);
	const all = summed(states.map((name) => table.column(name)).filter((of) => of.has(row)).map((of) => of.standing(row)));

	return column.has(row) && sum ? markedRatio(column, row, all, column.figures[row] / sum, format.share) : "";
}

/* ------------------------------------------------------------------------
 * counters
 */

/** Why a counter has no figure, or how well it is known. */
export function counterNote({ error }: Counter, column: Column, row: number): string | undefined {
	return !column.has(row) && error ? `Not counted: ${error}.` : standingNote(column, row);
}

export function counterTip(counter: Counter, { column }: Values, row: number, running: Float64Array): Tip {
	return { head: counter.name, rows: figureRows(column, row, running), note: counterNote(counter, column, row) };
}

/** Of slices in which switches were not reported. */
export function unreportedText(slices: number, running: number): string {
	return `${format.plural(slices, "slice")}, running ${format.time(running)}`;
}
