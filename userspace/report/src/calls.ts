// SPDX-License-Identifier: GPL-2.0
/*
 * What the views of samples and of spans show: a tree of calls, what its nodes
 * can be weighed by, and a table of the functions, or spans, in it.
 */

import { labelName, processName } from "./columns";
import { Column } from "./decode";
import { Tip } from "./dom";
import { ColumnSpec, columnOf, figureColumn, formatOf, Sheet, sumColumn, SumOptions, textColumn } from "./figures";
import * as format from "./format";
import { NONE, Profile, Recording, Samples, Spans, SpanSums, valuesOf } from "./profile";
import { Mode } from "./store";
import { ROOT, Tree } from "./tree";

/** What the nodes of a tree weigh; NaN: not known. */
export interface Weight {
	key: string;
	title: string;
	of: Float64Array;
	/** With what marks it needs. */
	show(node: number): string;
	/** Why there is no figure at all. */
	missing?: string;
}

export interface Calls {
	tree: Tree;
	/** What the names are of, and one of what is weighed. */
	noun: string;
	weights: Weight[];
	modes: [Mode, string][];
	name(node: number): string;
	/** Nothing is known of it but that it was there. */
	vague(node: number): boolean;
	tip(node: number): Tip;
	/** Rows of one label, or of all. */
	sheet(label: number): Sheet;
	/** Where to sort by at first. */
	sort: string;
	/** What to mind, of all of it. */
	notes: string[];
}

function nodeName(profile: Profile, tree: Tree, node: number, name: (of: number) => string): string {
	if (node === ROOT)
		return "all coroutines";
	return tree.row(node) === NONE ? labelName(profile, tree.label[node]) : name(tree.name[node]);
}

function shareRow({ of }: Weight, node: number, above: number, what: string): [string, string] {
	return [`share of ${what}`, format.share(of[node] / of[above])];
}

/** Shares that a node has of its label and of all. */
function shares(profile: Profile, { tree }: Calls, weight: Weight, node: number): [string, string][] {
	const label = tree.label[node];

	return node === ROOT || Number.isNaN(weight.of[node]) ? [] : [
		...tree.row(node) === NONE ? [] : [shareRow(weight, node, tree.ofLabel(label), labelName(profile, label))],
		shareRow(weight, node, ROOT, "all"),
	];
}

/** What is said of a node, weighed so. */
export function callTip(profile: Profile, calls: Calls, weight: Weight, node: number): Tip {
	const tip = calls.tip(node);

	return { ...tip, rows: [...tip.rows!, ...shares(profile, calls, weight, node)] };
}

/* ------------------------------------------------------------------------
 * tables of one label
 */

/** A table of which only some rows are shown, in an order of its own. */
function someRows(spec: ColumnSpec, rows: ArrayLike<number>): ColumnSpec {
	const { figure, show, plain, tip, text, standing } = spec;

	return {
		...spec,
		figure: (row, mode) => figure(rows[row], mode), show: (row, mode) => show(rows[row], mode),
		plain: (row, mode) => plain(rows[row], mode), tip: (row) => tip(rows[row]),
		...text ? { text: (row: number) => text(rows[row]) } : {},
		...standing ? { standing: (row: number) => standing(rows[row]) } : {},
	};
}

/** Rows of one label, or all of them. */
function rowsOf(byLabel: { label: Int32Array }, all: number, label: number): number[] {
	return label === NONE ? [...Array(all).keys()] : [...byLabel.label.keys()].filter((row) => byLabel.label[row] === label);
}

function objectRow(object: string | null): [string, string][] {
	return object ? [["object", object]] : [];
}

/* ------------------------------------------------------------------------
 * samples
 */

const FRAME_SAYS: Record<string, string> = {
	unknown: "No object file was mapped at this address.",
	kernel: "The thread was in the kernel, called from here.",
	cut: "The stack was deeper than what was recorded of it.",
	other: "Functions for which there was no room.",
};

function frameNote({ functions }: Samples, frame: number): string | undefined {
	const why = functions.unresolved[frame];

	return why ? `Its functions are not known: ${why}.` : FRAME_SAYS[functions.table.column("kind").words(frame)];
}

function sampleSheet(samples: Samples, label: number): Sheet {
	const { functions, byLabel, tree, total } = samples;
	const all = label === NONE;
	const from = all ? functions : byLabel;
	const rows = rowsOf(byLabel, functions.n, label);
	const frame = (row: number) => all ? row : byLabel.function[rows[row]];
	const sum = total[all ? ROOT : tree.ofLabel(label)];
	const figures = (key: "own" | "total"): ColumnSpec[] => [
		someRows(figureColumn(from.table.column(key)), rows), someRows(shareColumn(from.table.column(key), sum), rows),
	];
	const title = functions.table.column("name").is.title;
	const name = textColumn("name", title, "", 420, (row) => functions.name[frame(row)]);

	name.tip = (row) => ({
		head: functions.name[frame(row)], rows: objectRow(functions.object[frame(row)]), note: frameNote(samples, frame(row)),
	});
	return {
		n: rows.length, name: name.text!,
		columns: [name, ...figures("own"), ...figures("total"),
			textColumn("object", functions.table.column("object").is.title, "", 320, (row) => functions.object[frame(row)] ?? "")],
		haystack: (row) => `${functions.name[frame(row)]} ${functions.object[frame(row)] ?? ""}`.toLowerCase(),
	};
}

function shareColumn({ is: { name, says }, figures }: Column, whole: number): ColumnSpec {
	const share = (row: number) => whole ? figures[row] / whole : NaN;

	return {
		key: name + "_share", title: "%", says: `${says}, as a share of all shown`, kind: "number", width: 76,
		figure: share,
		show: (row) => format.share(share(row)),
		plain: (row) => String(share(row)),
		tip: (row) => ({ head: says, rows: [["", format.share(share(row))]] }),
	};
}

export function sampleCalls(profile: Profile): Calls {
	const samples = profile.samples!;
	const { functions, tree, own, total } = samples;
	const name = (node: number) => nodeName(profile, tree, node, (frame) => functions.name[frame]);

	return {
		tree, noun: "function", name, sort: "own", modes: [],
		weights: [{ key: "samples", title: "samples", of: total, show: (node) => format.plural(total[node], "sample") }],
		vague: (node) => tree.row(node) !== NONE && functions.kind[tree.name[node]] !== profile.words.frame.function,
		tip(node) {
			const frame = tree.name[node];

			return {
				head: name(node),
				rows: [
					["samples", format.full(total[node])],
					...tree.row(node) === NONE ? [] : [["own", format.full(own[node])], ...objectRow(functions.object[frame])] as [string, string][],
				],
				note: frame === NONE ? undefined : frameNote(samples, frame),
			};
		},
		sheet: (label) => sampleSheet(samples, label),
		notes: sampleNotes(profile.recording),
	};
}

function sampleNotes({ samples, lost_samples: lost, throttled }: Recording): string[] {
	return [
		samples ? "" : "No samples were taken.",
		lost ? `${format.full(lost)} lost` : "",
		throttled ? `throttled ${format.full(throttled)}×` : "",
	].filter(Boolean);
}

/** How often samples were taken. */
export function pace({ sample_event: event, sample_period: period, sample_frequency: frequency }: Recording): string {
	return `${event ?? "an event not known"}, ${period ? `one each ${format.full(period)}`
		: frequency ? `${format.full(frequency)} a second` : "how often is not known"}`;
}

/* ------------------------------------------------------------------------
 * spans
 */

const EACH = "per call";
const EACH_OUTERMOST = "per outermost call";

/** Figures of nodes; those of labels are sums, of which a part may be missing. */
class NodeValues {
	readonly of: Float64Array;
	private marks: string[];
	private missing: Uint8Array;

	constructor(private tree: Tree, private column: Column) {
		const known = this.flags((row) => column.has(row));

		this.of = tree.tops(column.figures).map((sum, node) => known[node] ? sum : NaN);
		this.missing = this.flags((row) => !column.has(row));
		this.marks = this.marksOf();
	}

	/** Nodes that are so, and labels that have such ones. */
	private flags(test: (row: number) => boolean): Uint8Array {
		const { tree } = this;
		const out = new Uint8Array(tree.n);

		for (let node = tree.n - 1; node > ROOT; node--) {
			const row = tree.row(node);

			if (row !== NONE && test(row))
				out[node] = 1;
			if (tree.parent[node] < tree.base)
				out[tree.parent[node]] |= out[node];
		}
		return out;
	}

	/** The mark of a node; a sum has that of any of its parts. */
	private marksOf(): string[] {
		const { tree, column } = this;
		const marks = new Array<string>(tree.n).fill("");

		for (let node = tree.n - 1; node > ROOT; node--) {
			const row = tree.row(node);

			if (row !== NONE && column.has(row))
				marks[node] = format.standing(column.standing(row)).mark;
			if (tree.parent[node] < tree.base)
				marks[tree.parent[node]] ||= marks[node];
		}
		return marks;
	}

	/** Why there is no figure. */
	word(node: number): string {
		while (this.tree.row(node) === NONE && this.tree.children(node).length)
			[node] = this.tree.children(node);
		const row = this.tree.row(node);

		return row === NONE ? format.na() : format.standing(this.column.standing(row)).mark;
	}

	mark(node: number): string {
		return (this.tree.row(node) === NONE && this.missing[node] ? format.atLeast() : "") + this.marks[node];
	}
}

function timeWeight({ is: { name } }: Column, of: Float64Array): Weight {
	return { key: name, title: `${name} time`, of, show: (node) => format.time(of[node]) };
}

function counterWeights({ counters }: Profile, spans: Spans): Weight[] {
	const { tree, nodes } = spans;

	return valuesOf(nodes.table).map(({ column }) => {
		const values = new NodeValues(tree, column);
		const { of } = values;

		return {
			key: column.is.name, title: counters[column.is.counter!].name, of,
			show: (node) => Number.isNaN(of[node]) ? values.word(node) : values.mark(node) + formatOf(column)(of[node]),
			missing: Number.isNaN(of[ROOT]) ? values.word(ROOT) : undefined,
		};
	});
}

function spanWeights(profile: Profile, spans: Spans): Weight[] {
	const { tree, nodes } = spans;
	const calls = tree.sumUp(tree.lift(nodes.calls));

	return [
		timeWeight(nodes.table.column("running"), tree.tops(nodes.running)),
		timeWeight(nodes.table.column("wall"), tree.tops(nodes.wall)),
		{ key: "calls", title: "calls, with those within", of: calls, show: (node) => format.plural(calls[node], "call") },
		...counterWeights(profile, spans),
	];
}

/** Own figures are looked at beside the same whole as totals are. */
const wholeName = (name: string) => name.replace(/^own_/, "");

function sumsOf(rows: SpanSums, weights: Weight[], node: number, column: Column, recursive: boolean): SumOptions | null {
	const whole = weights.find(({ key }) => key === wholeName(column.is.name));
	const own = column.is.name.startsWith("own_");

	/* A total has each call within one of the same name once: it is of the outermost ones. */
	return whole && column.is.kind !== "count" ? {
		...own ? { over: rows.calls, each: EACH } : { over: rows.outermost, each: recursive ? EACH_OUTERMOST : EACH },
		whole: whole.of[node], running: own ? rows.own_running : rows.running,
	} : null;
}

function spanColumns(profile: Profile, rows: SpanSums, weights: Weight[], node: number): ColumnSpec[] {
	const recursive = rows.calls.some((calls, row) => calls !== rows.outermost[row]);
	const left = ["name", "span", "label", "process"];

	return rows.table.columns.filter(({ is }) => is.shown && !left.includes(is.name) && (recursive || is.name !== "outermost"))
		.map((column) => {
			const sums = sumsOf(rows, weights, node, column, recursive);

			return sums ? sumColumn(column, sums) : columnOf(profile, column, null);
		});
}

function spanSheet(profile: Profile, spans: Spans, weights: Weight[], label: number): Sheet {
	const { spans: table, byLabel, tree } = spans;
	const all = label === NONE;
	const rows = rowsOf(byLabel, table.n, label);
	const span = (row: number) => all ? row : byLabel.span[rows[row]];
	const process = (row: number) => processName(profile, table.process[span(row)]);
	const name = textColumn("name", table.table.column("name").is.title, "", 320, (row) => table.name[span(row)]);

	name.tip = (row) => ({
		head: name.text!(row),
		rows: objectRow(table.object[span(row)]),
		note: table.unresolved[span(row)] ? `Its name is not known: ${table.unresolved[span(row)]}.` : undefined,
	});
	return {
		n: rows.length, name: name.text!,
		columns: [
			name,
			...table.table.column("process").is.shown ? [textColumn("process", "process", "name and pid", 120, process)] : [],
			...spanColumns(profile, all ? table : byLabel, weights, all ? ROOT : tree.ofLabel(label))
				.map((column) => someRows(column, rows)),
		],
		haystack: (row) => `${name.text!(row)} ${table.object[span(row)] ?? ""} ${process(row)}`.toLowerCase(),
	};
}

const UNSEEN = "(spans not seen to end)";

function spanTip(spans: Spans, weights: Weight[], head: string, node: number): Tip {
	const { tree, nodes, spans: table } = spans;
	const row = tree.row(node);
	const known = row !== NONE && tree.name[node] !== NONE;
	const running = nodes.table.column("own_running");
	const { mark, says } = format.standing(known ? running.standing(row) : 0);
	const own = (data: Float64Array): string => known ? `, own ${mark}${format.time(data[row])}` : "";
	const [total, wall, calls, ...counters] = weights;

	return {
		head,
		rows: [
			["calls", known ? format.full(nodes.calls[row]) : calls.show(node)],
			["running", total.show(node) + own(nodes.own_running)],
			["wall", wall.show(node) + own(nodes.own_wall)],
			...counters.map((weight): [string, string] => [weight.title, weight.show(node)]),
			...known ? objectRow(table.object[tree.name[node]]) : [],
		],
		note: mark ? `Own figures: ${says}.`
			: row !== NONE && !known ? "These had begun before the recording, or were lost: only what was in them is known." : undefined,
	};
}

export function spanCalls(profile: Profile): Calls {
	const spans = profile.spans!;
	const { tree, spans: table } = spans;
	const weights = spanWeights(profile, spans);
	const name = (node: number) => nodeName(profile, tree, node, (span) => span === NONE ? UNSEEN : table.name[span]);

	return {
		tree, noun: "span", weights, name, sort: "own_running",
		modes: [["total", "Total"], ["slice", "Per call"], ["share", "Share"]],
		vague: (node) => tree.row(node) !== NONE && tree.name[node] === NONE,
		tip: (node) => spanTip(spans, weights, name(node), node),
		sheet: (label) => spanSheet(profile, spans, weights, label),
		notes: spanNotes(profile.recording),
	};
}

function spanNotes({ lost_spans: lost, dropped_spans: dropped, impossible_spans: impossible }: Recording): string[] {
	return [
		lost ? `${format.full(lost)} lost` : "",
		dropped ? `no room for ${format.full(dropped)}` : "",
		impossible ? `${format.full(impossible)} impossible` : "",
	].filter(Boolean);
}
