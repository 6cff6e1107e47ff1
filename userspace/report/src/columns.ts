// SPDX-License-Identifier: GPL-2.0
/*
 * The columns of the table: for each what it is called, what figure a row has
 * in it, and how the figure reads. A figure that is not there is NaN and has a
 * word that says why.
 */

import { CounterData } from "./contract";
import { Tip } from "./dom";
import * as format from "./format";
import { isOutside, isThreadSlot, Known, NONE, Profile, Standing, STANDING_TEXT, Table, Values } from "./profile";
import { Grouping, Mode } from "./store";

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

export interface Rows {
	by: Grouping;
	table: Table;
	columns: ColumnSpec[];
	/** What the filter looks at, in small letters. */
	haystack(row: number): string;
	name(row: number): string;
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
			["per slice", shown(this.at(row, "slice"), kind, "slice")],
			["share of all", format.share(this.at(row, "share"))],
		];
	}
}

interface SumOptions {
	key: string;
	title: string;
	says: string;
	kind: Kind;
	data: Float64Array;
	whole: number;
	/** What goes in front of the figure. */
	prefix?(row: number): string;
	note?(row: number): string | undefined;
}

function sumColumn(table: Table, options: SumOptions): ColumnSpec {
	const { kind, prefix, note } = options;
	const sum = new Sum(options.data, table.slices, options.whole);

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

function countColumn(key: string, title: string, says: string, data: Float64Array, width = 84): ColumnSpec {
	return {
		key, title, says, kind: "count", width,
		figure: (row) => data[row],
		show: (row) => format.count(data[row]),
		plain: (row) => plainNumber(data[row]),
		tip: (row) => ({ head: title, rows: [["", format.full(data[row])]], note: says }),
	};
}

function timeColumn(key: string, title: string, says: string, data: Float64Array, width = 84): ColumnSpec {
	return {
		key, title, says, kind: "time", width,
		figure: (row) => data[row],
		show: (row) => format.time(data[row]),
		plain: (row) => plainNumber(data[row]),
		tip: (row) => ({ head: title, rows: [["", format.fullTime(data[row])]], note: says }),
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
function gapColumn(table: Table, whole: Table, key: Gap, applies: (row: number) => boolean): ColumnSpec {
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

function counterColumn(profile: Profile, table: Table, at: number): ColumnSpec {
	const counter = profile.counters[at];
	const { name } = counter;
	const values = table.values[at];
	const sum = new Sum(values.best, table.slices, profile.total.values[at].best[0]);

	return {
		key: "c" + at, title: name, kind: kindOf(counter),
		says: `${name}, in user mode${profile.counters[at].kernel ? " and kernel mode" : ""}`,
		width: headWidth(name, 66),
		figure: (row, mode) => sum.at(row, mode),
		show: (row, mode) => counterText(counter, values, row, sum.at(row, mode), mode),
		standing: (row) => STANDING_TEXT[values.standing[row]],
		plain(row, mode) {
			const value = sum.at(row, mode);

			return Number.isNaN(value) ? STANDING_TEXT[values.standing[row]] : String(value);
		},
		tip(row) {
			const tip = counterTip(profile.counters[at], values, row, table.running[row]);

			if (!Number.isNaN(values.best[row]))
				tip.rows!.push(["per slice", counterFigure(counter, sum.at(row, "slice"))],
					["share of all", format.share(sum.at(row, "share"))]);
			return tip;
		},
	};
}

interface RatioOptions {
	key: string;
	title: string;
	says: string;
	over: number;
	under: number;
	factor: number;
}

/** The quotient of two counters, NaN unless both have a figure. */
export function quotient(table: Table, over: number, under: number, row: number): number {
	const divisor = table.values[under].best[row];

	return divisor > 0 ? table.values[over].best[row] / divisor : NaN;
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

function ratioColumns(profile: Profile, table: Table): ColumnSpec[] {
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

/* ------------------------------------------------------------------------
 * the three tables
 */

function textColumn(key: string, title: string, says: string, width: number, text: (row: number) => string): ColumnSpec {
	return {
		key, title, says, kind: "text", width, text,
		figure: () => NaN,
		show: text,
		plain: text,
		tip: (row) => ({ head: text(row) }),
	};
}

const BAR: Pick<ColumnSpec, "key" | "title" | "says" | "kind" | "width"> = {
	key: "states", title: "states", kind: "bar", width: 96,
	says: "running, preempted, blocked and suspended, as shares of their sum; suspended as awaiting and ready where that is known",
};

/** The times a row's bar is made of, in the order of STATES; what is not available takes no room. */
export function stateTimes(table: Table, row: number): number[] {
	const { running, preempted, blocked, awaiting, ready } = table;

	return [running[row], preempted[row], blocked[row], unsplit(table, row), awaiting[row] || 0, ready[row] || 0];
}

type StateKey = "running" | "preempted" | "blocked" | Gap;

const IN_SLICES: StateKey[] = ["running", "preempted", "blocked"];
const BETWEEN: StateKey[] = ["suspended", "awaiting", "ready"];

function barColumn(table: Table, applies: (row: number) => boolean): ColumnSpec {
	const busy = (row: number) => {
		const times = stateTimes(table, row);
		const sum = times.reduce((a, b) => a + b, 0);

		return sum ? times[0] / sum : NaN;
	};

	return {
		...BAR,
		figure: busy,
		show: () => "",
		plain: (row) => Number.isNaN(busy(row)) ? format.NA : busy(row).toFixed(4),
		tip(row) {
			const times = stateTimes(table, row);
			const sum = times.reduce((a, b) => a + b, 0);
			const states = applies(row) ? [...IN_SLICES, ...BETWEEN] : IN_SLICES;

			return {
				head: "states",
				rows: states.map((state) => [state, Number.isNaN(table[state][row]) ? format.NA
					: `${format.time(table[state][row])}  ${format.share(table[state][row] / sum)}`]),
				note: times[3] ? "Hatched: suspended, not known whether awaiting or ready." : undefined,
			};
		},
	};
}

function timeColumns(profile: Profile, table: Table): ColumnSpec[] {
	const { total } = profile;
	const inSlices = (key: "running" | "preempted" | "blocked", says: string) =>
		sumColumn(table, { key, title: key, says, kind: "time", data: table[key], whole: total[key][0] });

	return [
		sumColumn(table, {
			key: "slices", title: "slices", kind: "count",
			says: "stays on a thread, from switch-in to switch-out",
			data: table.slices, whole: total.slices[0],
		}),
		inSlices("running", "on a CPU"),
		inSlices("preempted", "off the CPU inside slices although it could run"),
		inSlices("blocked", "off the CPU inside slices, its thread asleep in the kernel"),
	];
}

/** Times between slices, and counters. What the runtime never told comes last. */
function restColumns(profile: Profile, table: Table, applies: (row: number) => boolean): ColumnSpec[] {
	const { total } = profile;
	const gap = (key: Gap) => gapColumn(table, total, key, applies);
	const parts = [gap("awaiting"), gap("ready")];
	const told = gapKnown(total, "awaiting", 0) !== Known.NA || gapKnown(total, "ready", 0) !== Known.NA;
	const figures = figureColumns(profile, table);

	return [gap("suspended"), ...told ? [...parts, ...figures] : [...figures, ...parts]];
}

function figureColumns(profile: Profile, table: Table): ColumnSpec[] {
	const ratios = ratioColumns(profile, table);

	return [
		...ratios.filter(({ key }) => key === "ipc"),
		...profile.counters.map((_, at) => counterColumn(profile, table, at)),
		...ratios.filter(({ key }) => key !== "ipc"),
	];
}

/** Only of use when there is more than one. */
function processColumn(profile: Profile, text: (row: number) => string): ColumnSpec[] {
	return profile.processes.length > 1
		? [textColumn("process", "process", "name and pid", 120, text)] : [];
}

export function processName(profile: Profile, process: number): string {
	const found = profile.processes[process];

	return found ? `${found.comm || "?"} ${found.pid || "?"}` : "all";
}

export function threadName(profile: Profile, thread: number): string {
	const { comm, tid } = profile.threads;

	return `${comm[thread] || "?"} ${tid[thread]}`;
}

export function labelName(profile: Profile, label: number): string {
	return label === NONE ? "(not known)" : profile.labels.name[label];
}

export function coroutineName(profile: Profile, coroutine: number): string {
	return `${labelName(profile, profile.coroutines.label[coroutine])} #${profile.coroutines.id[coroutine]}`;
}

function labelRows(profile: Profile): Rows {
	const { labels } = profile;
	const name = (row: number) => labels.name[row];
	const process = (row: number) => processName(profile, labels.process[row]);
	const applies = (row: number) => !isOutside(profile, row);

	return {
		by: "label", table: labels, name,
		columns: [
			textColumn("name", "label", "", 240, name),
			...processColumn(profile, process),
			barColumn(labels, applies),
			countColumn("coroutines", "coroutines", "coroutines with this label at the end", labels.coroutines, 92),
			...timeColumns(profile, labels),
			...restColumns(profile, labels, applies),
			timeColumn("p50", "p50", "running time that half of the slices do not exceed, at most 25 % off", labels.p50, 76),
			timeColumn("p99", "p99", "running time that 99 % of the slices do not exceed, at most 25 % off", labels.p99, 76),
			timeColumn("max", "longest", "running time of the longest slice", labels.max, 76),
		],
		haystack: (row) => `${name(row)} ${process(row)} ${labels.object[row] ?? ""}`.toLowerCase(),
	};
}

function coroutineRows(profile: Profile): Rows {
	const { coroutines, labels } = profile;
	const process = (row: number) => processName(profile, coroutines.process[row]);
	const name = (row: number) => labelName(profile, coroutines.label[row]);
	const applies = (row: number) => !isThreadSlot(profile, row);
	const id = countColumn("id", "id", "number of the coroutine, unique in its process",
		Float64Array.from(coroutines.id, Number), 76);

	id.show = id.plain = (row) => String(coroutines.id[row]);
	return {
		by: "coroutine", table: coroutines, name: (row) => coroutineName(profile, row),
		columns: [
			textColumn("name", "label", "", 240, name),
			id,
			...processColumn(profile, process),
			barColumn(coroutines, applies),
			...timeColumns(profile, coroutines),
			...restColumns(profile, coroutines, applies),
			countColumn("threads", "threads", "threads it ran on", coroutines.threads, 76),
			countColumn("migrations", "moves", "slices on another thread than the one before", coroutines.migrations, 72),
			timeColumn("max", "longest", "running time of the longest slice", coroutines.max, 76),
			timeColumn("first", "first", "when its first slice seen began", coroutines.first, 84),
		],
		haystack: (row) => `${labels.name[coroutines.label[row]] ?? ""} #${coroutines.id[row]} ${process(row)}`.toLowerCase(),
	};
}

const CHECK_TEXT = ["not checked", "holds", "broken"];

function threadRows(profile: Profile): Rows {
	const { threads } = profile;
	const name = (row: number) => threadName(profile, row);
	const process = (row: number) => processName(profile, threads.process[row]);
	const sums = textColumn("check", "sums", "", 96, (row) => CHECK_TEXT[threads.check[row]]);

	sums.tip = (row) => ({
		head: "Do the slices sum to the thread's own figures?",
		rows: [["", CHECK_TEXT[threads.check[row]]]],
		note: threads.checkText[row] ?? undefined,
	});
	return {
		by: "thread", table: threads, name,
		columns: [
			textColumn("name", "thread", "name and id", 240, name),
			...processColumn(profile, process),
			barColumn(threads, () => false),
			...timeColumns(profile, threads),
			timeColumn("outside", "outside", "running outside any coroutine", threads.outside, 84),
			countColumn("lost", "lost", "slices that found the ring full; they are in no sum", threads.lost, 72),
			sums,
			...figureColumns(profile, threads),
		],
		haystack: (row) => `${name(row)} ${process(row)}`.toLowerCase(),
	};
}

export function makeRows(profile: Profile): Record<Grouping, Rows> {
	return {
		label: labelRows(profile),
		coroutine: coroutineRows(profile),
		thread: threadRows(profile),
	};
}
