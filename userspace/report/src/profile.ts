// SPDX-License-Identifier: GPL-2.0
/*
 * The recording in memory: what the page needs of the reader's tables. Each
 * column named here must be there, and of that kind; its type follows from the
 * kind. What a column means is said in its description.
 */

import { Column, Integer, Kind, NONE, Table, Tables } from "./decode";
import { Tree } from "./tree";

export { NONE };

/** What is needed of a table; "name" is a text that every row has. */
type Need = Record<string, Kind | "name">;

type Cells<K extends Kind | "name"> = K extends "name" ? string[] : K extends "text" ? (string | null)[]
	: K extends "id" ? Integer[] : K extends "row" | "word" | "flags" ? Int32Array : Float64Array;

type Rows<N extends Need> = { readonly n: number; readonly table: Table } & { readonly [C in keyof N]: Cells<N[C]> };

/** Of a table with one row. */
type Row<N extends Need> = { readonly [C in keyof N]: Cells<N[C]>[number] };

const TIMES = {
	slices: "count", running: "ns", preempted: "ns", blocked: "ns", idle: "ns", nr_preempted: "count", nr_blocked: "count", gaps: "count",
	suspended: "ns", awaiting: "ns", ready: "ns", unseen_gaps: "count", cut_gaps: "count",
} as const;

const SPAN_SUMS = { calls: "count", outermost: "count", running: "ns", own_running: "ns", wall: "ns", own_wall: "ns" } as const;

const NEEDS = {
	recording: {
		file: "text", command: "text", note: "text", host: "text", kernel: "text", arch: "text", simulated: "text",
		missing: "text", not_recorded: "text", unrecorded: "ns", nothing: "text", remedy: "text", cpus: "count", began: "id", duration: "ns", ended: "word", exit_status: "id", exit_signal: "id",
		file_size: "count", unread_bytes: "count", unread_records: "count", torn: "text", torn_offset: "id", damaged: "count", lost: "count",
		unreported: "count", unreported_running: "ns", failed_checks: "count", coroutines: "count", folded_coroutines: "count",
		dropped_counters: "count", dropped_wakes: "count", sampled: "word", sample_event: "text", sample_period: "count",
		sample_frequency: "count", sample_stack_max: "count", sample_note: "text", lines_note: "text", samples: "count",
		lost_samples: "count", throttled: "count", unsampled: "count", spans: "count", lost_spans: "count",
		dropped_spans: "count", impossible_spans: "count", timeline_resolution: "ns", timeline_spans_least: "ns", recordings: "count", part_begin: "ns",
	},
	total: TIMES,
	counters: { name: "name", role: "word", time: "word", kernel: "word", threads: "count", failed: "count", error: "text" },
	costs: { operation: "word", mode: "word", ns: "ns", instructions: "events" },
	info: { name: "name", value: "text" },
	damage: { text: "text" },
	modes: { mode: "word", threads: "count", why: "text", found: "text", fix: "text" },
	processes: { pid: "id", name: "text", reported_by: "text", lacks: "text" },
	threads: {
		...TIMES, process: "row", tid: "id", name: "name", begin: "time", end: "time", lost: "count", outside: "ns",
		damaged: "word", sums: "word", sums_why: "text", error: "text", switches: "row", sample_error: "text",
		sample_clock: "word", samples: "count", lost_samples: "count",
	},
	labels: {
		...TIMES, process: "row", kind: "word", name: "name", object: "text", address: "id", unresolved: "text",
		coroutines: "count", renamed: "count", unreported: "count", unreported_running: "ns", longest: "ns", p50: "ns",
		p95: "ns", p99: "ns",
	},
	latency: { what: "word", label: "row", span: "row", times: "count", p50: "ns", p90: "ns", p99: "ns", p99_9: "ns", longest: "ns" },
	worst: { what: "word", took: "ns", label: "row", coroutine: "row", id: "id", thread: "row", begin: "time", end: "time" },
	findings: { text: "text", label: "row", coroutine: "row", thread: "row", begin: "time", end: "time" },
	lengths: { label: "row", from: "ns", below: "ns", slices: "count" },
	coroutines: {
		...TIMES, id: "id", parent: "id", tag: "id", process: "row", label: "row", thread: "row", flags: "flags",
		migrations: "count", threads: "count", born: "time", first: "time", last: "time", longest: "ns",
	},
	timeline: {
		thread: "row", begin: "time", duration: "ns", preempted: "ns", blocked: "ns", idle: "ns", coroutine: "row", label: "row",
		slices: "count", flags: "flags",
	},
	heat: { label: "row", from: "ns", below: "ns", begin: "time", end: "time", slices: "count" },
	timeline_wakes: { slice: "row", woken: "time", waker: "row" },
	timeline_spans: { coroutine: "row", span: "row", depth: "count", end: "time", wall: "ns", running: "ns" },
	timeline_samples: { thread: "row", time: "time", coroutine: "row", call: "row" },
	wakes: { waker: "row", woken: "row", count: "count", ready: "ns", timed: "count" },
	functions: { kind: "word", name: "name", object: "text", unresolved: "text", own: "count", total: "count" },
	label_functions: { label: "row", function: "row", own: "count", total: "count" },
	sample_tree: { parent: "row", label: "row", function: "row", own: "count", total: "count" },
	lines: { file: "text", line: "id", function: "row", inlined: "word", own: "count", total: "count" },
	line_tree: { node: "row", line: "row", parent: "row", own: "count", total: "count" },
	spans: { ...SPAN_SUMS, process: "row", name: "name", object: "text", unresolved: "text" },
	label_spans: { ...SPAN_SUMS, label: "row", span: "row" },
	span_tree: { ...SPAN_SUMS, parent: "row", label: "row", span: "row" },
} as const satisfies Record<string, Need>;

type Needs = typeof NEEDS;

/** What the timeline is drawn of, whatever else is looked at. */
const DRAWN = ["thread", "begin", "duration", "preempted", "blocked", "idle", "label", "slices", "flags"];

/** The table whose one row is all of it. */
const TOTAL = "recording";

function cellsOf(column: Column, kind: Kind | "name"): unknown {
	switch (kind) {
	case "name":
	case "text":
		return column.text;
	case "id":
		return column.id;
	case "row":
	case "word":
	case "flags":
		return column.index;
	default:
		return column.figures;
	}
}

function check(column: Column, kind: Kind | "name"): void {
	const { table, is } = column;
	const where = `column ${is.name} of table ${table.name}`;

	if (is.kind !== (kind === "name" ? "text" : kind))
		throw new Error(`${where} is of the kind ${is.kind}; this page needs ${kind}`);
	if (kind === "name" && is.texts!.includes(null))
		throw new Error(`${where} has no text in row ${is.texts!.indexOf(null)}`);
}

/** Cells are unpacked when they are first asked for. */
function rowsOf<N extends Need>(table: Table, need: N): Rows<N> {
	const rows = { n: table.n, table };

	for (const [name, kind] of Object.entries(need)) {
		const column = table.column(name);

		check(column, kind);
		Object.defineProperty(rows, name, {
			enumerable: true, configurable: true,
			get() {
				const value = cellsOf(column, kind);

				/* From now on it is there as it is: loops over rows ask for it at each of them. */
				Object.defineProperty(rows, name, { enumerable: true, value });
				return value;
			},
		});
	}
	return rows as unknown as Rows<N>;
}

function rowOf<N extends Need>(table: Table, need: N): Row<N> {
	const rows = rowsOf(table, need);

	if (table.n !== 1)
		throw new Error(`table ${table.name} has ${table.n} rows, not one`);
	return Object.fromEntries(Object.keys(need).map((name) => [name, (rows[name] as unknown[])[0]])) as Row<N>;
}

/** Number of a word of a column, or flag. */
export type Words = Readonly<Record<string, number>>;

function wordsOf(table: Table, column: string): Words {
	return Object.fromEntries(table.column(column).is.words!.map((word, at) => [word, at]));
}

function flagsOf(table: Table, column: string): Words {
	return Object.fromEntries(table.column(column).is.words!.map((word, at) => [word, 1 << at]));
}

/** What one counter says about each row of a table. */
export interface Values {
	column: Column;
	/** Of the whole; NaN where there is no value. */
	estimate: Float64Array;
}

/** Columns that each counter has, such as "own_%s". */
export function valuesOf(table: Table, each = "%s"): Values[] {
	return table.columns.filter(({ is }) => is.each === each).map((column) => ({
		column, get estimate() { return column.figures; },
	}));
}

export type Threads = Rows<Needs["threads"]>;
export type Labels = Rows<Needs["labels"]> & {
	/** Place among the labels by running time, NONE for those that are no kind of coroutine. */
	rank: Int32Array;
};
export type Coroutines = Rows<Needs["coroutines"]>;
export type Wakes = Rows<Needs["wakes"]>;
export type Latency = Rows<Needs["latency"]>;
export type Worst = Rows<Needs["worst"]>;
export type Recording = Row<Needs["recording"]>;

/** What tables of what runs have: sums over slices and over the gaps between them. */
export type Timed = Rows<typeof TIMES>;

export type Timeline = Rows<Needs["timeline"]> & {
	/** Index of each thread's first slice, and the end of the last thread's. */
	first: Uint32Array;
	end: Float64Array;
	values: Values[];
	/** Counters that slices do not have. */
	uncounted: string[];
	resolution: number;
};

export interface Samples {
	functions: Rows<Needs["functions"]>;
	byLabel: Rows<Needs["label_functions"]>;
	/** Names are functions. */
	tree: Tree;
	/** Of each node of the tree. */
	own: Float64Array;
	total: Float64Array;
	/** Where debug information has them. */
	lines: Rows<Needs["lines"]>;
	/** What the nodes have of them. */
	inLines: Rows<Needs["line_tree"]>;
	/** The tree, and its figures, are of some samples; the tables are of all. */
	part: boolean;
}

/** Figures of spans: all from their begin to their end, and @own_ without the spans in them. */
export type SpanSums = Rows<typeof SPAN_SUMS>;

export interface Spans {
	spans: Rows<Needs["spans"]>;
	byLabel: Rows<Needs["label_spans"]>;
	/** Names are spans. */
	tree: Tree;
	/** Its rows are the rows of the data: see Tree.row(). */
	nodes: Rows<Needs["span_tree"]>;
	/** They are those of what is chosen: see spans.ts. */
	part: boolean;
}

export interface Counter {
	name: string;
	kernel: boolean;
	time: boolean;
	threads: number;
	failed: number;
	error: string | null;
}

export interface Profile {
	tables: Tables;
	recording: Recording;
	/** When what the page is of begins and ends, in times of the recording. */
	since: number;
	until: number;
	counters: Counter[];
	costs: Rows<Needs["costs"]>;
	info: [string, string][];
	damage: string[];
	total: Timed;
	processes: Rows<Needs["processes"]>;
	threads: Threads;
	labels: Labels;
	lengths: Rows<Needs["lengths"]>;
	latency: Latency;
	worst: Worst;
	findings: Rows<Needs["findings"]>;
	coroutines: Coroutines;
	timeline: Timeline;
	/** How many slices were how long, when: of all slices. */
	heat: Rows<Needs["heat"]>;
	/** What the page has one by one: see instants.ts. */
	timelineWakes: Rows<Needs["timeline_wakes"]>;
	timelineSpans: Rows<Needs["timeline_spans"]>;
	timelineSamples: Rows<Needs["timeline_samples"]>;
	wakes: Wakes;
	modes: Rows<Needs["modes"]>;
	samples: Samples | null;
	spans: Spans | null;
	/** What numbers of words and flags mean. */
	words: { label: Words; frame: Words; coroutine: Words; slice: Words; mode: Words; sums: Words; operation: Words };
}

function rankLabels({ kind, running }: Rows<Needs["labels"]>, { text, code }: Words): Int32Array {
	const rank = new Int32Array(kind.length).fill(NONE);
	const order = [...kind.keys()].filter((i) => kind[i] === text || kind[i] === code);

	order.sort((a, b) => running[b] - running[a] || a - b);
	order.forEach((label, place) => { rank[label] = place; });
	return rank;
}

/** Slices are sorted by thread. */
function firstOf(thread: Int32Array, threads: number): Uint32Array {
	const first = new Uint32Array(threads + 1);

	for (const of of thread)
		first[of + 1]++;
	for (let t = 0; t < threads; t++)
		first[t + 1] += first[t];
	return first;
}

function timelineOf(rows: Rows<Needs["timeline"]>, threads: number, counters: Counter[], resolution: number): Timeline {
	const { begin, duration } = rows;
	const end = new Float64Array(begin.length);

	for (let row = 0; row < end.length; row++)
		end[row] = begin[row] + duration[row];

	const values = valuesOf(rows.table);
	const uncounted = counters.slice(values.length).map(({ name }) => name);

	return Object.assign(rows, { first: firstOf(rows.thread, threads), end, values, uncounted, resolution });
}

function countersOf({ n, name, kernel, time, threads, failed, error }: Rows<Needs["counters"]>): Counter[] {
	return Array.from({ length: n }, (_, at) => ({
		name: name[at], kernel: !!kernel[at], time: !!time[at], threads: threads[at], failed: failed[at], error: error[at],
	}));
}

function samplesOf(rows: <T extends keyof Needs>(name: T) => Rows<Needs[T]>): Samples {
	const nodes = rows("sample_tree");
	const tree = new Tree(nodes.parent, nodes.label, nodes.function);

	return {
		functions: rows("functions"), byLabel: rows("label_functions"), tree,
		own: tree.lift(nodes.own), total: tree.tops(nodes.total),
		lines: rows("lines"), inLines: rows("line_tree"), part: false,
	};
}

function spansOf(rows: <T extends keyof Needs>(name: T) => Rows<Needs[T]>): Spans {
	const nodes = rows("span_tree");

	return {
		spans: rows("spans"), byLabel: rows("label_spans"),
		tree: new Tree(nodes.parent, nodes.label, nodes.span), nodes, part: false,
	};
}

/** What is needed of a table that is made in the place of the reader's. */
export function needed<T extends keyof Needs>(name: T, table: Table): Rows<Needs[T]> {
	return rowsOf(table, NEEDS[name] as Needs[T]);
}

/** Makes a profile of the data in the page, once. */
export async function decode(text: string, digits: string): Promise<Profile> {
	const tables = new Tables(text, digits);

	await tables.prepare("timeline", DRAWN);

	const all = Object.fromEntries(Object.entries(NEEDS).map(([name, need]) =>
		[name, rowsOf(tables.table(name === "total" ? TOTAL : name), need as Need)]));
	const rows = <T extends keyof Needs>(name: T) => all[name] as unknown as Rows<Needs[T]>;
	const recording = rowOf(tables.table("recording"), NEEDS.recording);
	const word = { label: wordsOf(tables.table("labels"), "kind") };
	const info = rows("info");

	return {
		tables, recording, since: recording.part_begin, until: recording.part_begin + (recording.duration || 0),
		counters: countersOf(rows("counters")), costs: rows("costs"), total: rows("total"),
		info: info.name.map((name, at): [string, string] => [name, info.value[at] ?? ""]),
		damage: rows("damage").text.map((said) => said ?? ""),
		processes: rows("processes"), threads: rows("threads"), lengths: rows("lengths"),
		latency: rows("latency"), worst: rows("worst"), findings: rows("findings"),
		labels: Object.assign(rows("labels"), { rank: rankLabels(rows("labels"), word.label) }),
		coroutines: rows("coroutines"), wakes: rows("wakes"), modes: rows("modes"),
		timeline: timelineOf(rows("timeline"), rows("threads").n, countersOf(rows("counters")), recording.timeline_resolution),
		heat: rows("heat"), timelineWakes: rows("timeline_wakes"), timelineSpans: rows("timeline_spans"), timelineSamples: rows("timeline_samples"),
		samples: recording.sampled ? samplesOf(rows) : null,
		spans: rows("spans").n || recording.lost_spans || recording.dropped_spans ? spansOf(rows) : null,
		words: {
			...word, frame: wordsOf(tables.table("functions"), "kind"),
			coroutine: flagsOf(tables.table("coroutines"), "flags"), slice: flagsOf(tables.table("timeline"), "flags"),
			mode: wordsOf(tables.table("modes"), "mode"), sums: wordsOf(tables.table("threads"), "sums"),
			operation: wordsOf(tables.table("costs"), "operation"),
		},
	};
}

/** Whether the label stands for what coroprof itself ran, which is in the sums of threads alone. */
export function isTool({ labels, words }: Profile, label: number): boolean {
	return label !== NONE && labels.kind[label] === words.label.tool;
}

/** Whether the label stands for what ran in no coroutine of the program. */
export function isOutside(profile: Profile, label: number): boolean {
	return label !== NONE && profile.labels.kind[label] === profile.words.label.thread || isTool(profile, label);
}

/** Whether a row of a table stands for what coroprof itself ran. */
export function isToolRow(profile: Profile, by: "label" | "coroutine" | "thread", row: number): boolean {
	return by !== "thread" && isTool(profile, by === "label" ? row : profile.coroutines.label[row]);
}

/** Whether the row of the coroutine table is a thread's own slot. */
export function isThreadSlot(profile: Profile, coroutine: number): boolean {
	return (profile.coroutines.flags[coroutine] & profile.words.coroutine.thread) !== 0;
}
