// SPDX-License-Identifier: GPL-2.0
/*
 * What the views of samples and of spans show: a tree of calls, what its nodes
 * can be weighed by, and a table of the functions, or spans, in it.
 */

import { Selection, chosen, fittingCalls, unheldSamples } from "./selection";
import { labelName, processName } from "./columns";
import { Column } from "./decode";
import { Tip } from "./dom";
import { ColumnSpec, columnOf, figureColumn, formatOf, fullText, NONE_CHOSEN, Sheet, sumColumn, SumOptions, textColumn } from "./figures";
import * as format from "./format";
import { baseName, CallLine, isInlined, lineText, linesOf } from "./lines";
import { NONE, Profile, Recording, Samples, Spans, SpanSums, valuesOf } from "./profile";
import { UniqueNames } from "./names";
import { Sum } from "./regroup";
import { functionSums, partOf } from "./sampled";
import { spansOf } from "./spans";
import { sought, Spell, visible } from "./spell";
import { combined, COUNTED, hasValue, named } from "./standings";
import { Mode, Store } from "./store";
import { ROOT, Tree } from "./tree";

const WHOLE = "all coroutines";

/** What the nodes of a tree weigh; NaN: not known. */
export interface Weight {
	key: string;
	title: string;
	of: Float64Array;
	/** Without the calls in it. */
	own: Float64Array;
	/** How far @of, or @own, of a call can be relied on. */
	standing(node: number, own: boolean): number;
	/** @of any node. */
	sum(node: number): Sum;
	/** With what marks it needs. */
	show(node: number): string;
	/** Likewise, of a sum over nodes. */
	text(sum: Sum): string;
	/** Why there is no figure at all. */
	missing?: string;
}

/** A table of functions, or spans. */
export interface CallSheet extends Sheet {
	/** Which one is in a row. */
	of(row: number): number;
	figures(row: number): CallFigure[];
}

/** A figure of a row; sums have a mean, where there is one, and a share of all. */
export interface CallFigure {
	title: string;
	total: string;
	mean?: string;
	share?: string;
	/** Otherwise a word is in its place. */
	known: boolean;
}

export interface Note {
	text: string;
	tip?: Tip;
}

export interface Calls {
	tree: Tree;
	/** What the names are of. */
	noun: string;
	/** One of what there must be any of. */
	single: string;
	weights: Weight[];
	modes: [Mode, string][];
	name(node: number): string;
	/** What a function, or span, is called, and what else is known of it; NONE: it is not known which. */
	nameOf(of: number): string;
	about(of: number): Partial<Tip>;
	/** Nothing is known of it but that it was there. */
	vague(of: number): boolean;
	/** What it is called in the page's address. */
	names: UniqueNames;
	/** Its source lines in coroutines of a label, NONE: in all; why there are none; null where lines are not asked for. */
	lines(of: number, label: number): CallLine[] | string | null;
	tip(node: number): Tip;
	/** Rows of one label, or of all. */
	sheet(label: number): CallSheet;
	/** Where to sort by at first. */
	sort: string;
	/** What to mind, of all of it. */
	notes: Note[];
	/** It is of what fits all that is chosen; or of the whole recording. What that is called. */
	part: boolean;
	whole: string;
}

function textOf({ value, standing }: Sum, show: (value: number) => string): string {
	return Number.isNaN(value) ? format.na() : format.marked(standing, value, show);
}

/** What of a sum another one is. */
export function shareText(part: Sum, whole: Sum): string {
	const share = part.value / whole.value;

	return Number.isNaN(share) ? format.na() : format.marked(combined("quotient", part.standing, whole.standing), share, format.share);
}

function columnStanding(column: Column | undefined, row: number): number {
	return column ? column.standing(row) : COUNTED;
}

/** Those of the nodes of a tree; labels have none of their own. */
function nodeStanding(tree: Tree, total: Column, own: Column | undefined): Weight["standing"] {
	return (node, inItself) => tree.row(node) === NONE ? COUNTED : columnStanding(inItself ? own : total, tree.row(node));
}

function nodeName(profile: Profile, tree: Tree, node: number, whole: string, name: (of: number) => string): string {
	if (node === ROOT)
		return whole;
	return tree.row(node) === NONE ? labelName(profile, tree.label[node]) : name(tree.name[node]);
}

function shareRow({ sum }: Weight, node: number, above: number, what: string): [string, string] {
	return [`share of ${what}`, shareText(sum(node), sum(above))];
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
		...standing ? { standing: (row: number, mode: Mode) => standing(rows[row], mode) } : {},
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

/** Of a node, so many lines are reported. */
const LINES_REPORTED = 4;

/** Rows of the lines' tree by the node they are of. */
class NodeLines {
	private byNode: Map<number, number[]> | null = null;

	constructor(private samples: Samples) {}

	/** Reported when it is asked for, as most nodes never are. */
	rows(node: number): [string, string][] {
		const { inLines, lines, tree } = this.samples;

		if (!this.byNode) {
			this.byNode = new Map();
			for (let row = 0; row < inLines.n; row++)
				if (this.byNode.has(inLines.node[row]))
					this.byNode.get(inLines.node[row])!.push(row);
				else
					this.byNode.set(inLines.node[row], [row]);
		}
		const rows = (this.byNode.get(tree.row(node)) ?? []).sort((a, b) => inLines.total[b] - inLines.total[a]);
		const reported = rows.filter((row) => lines.file[inLines.line[row]] !== null).slice(0, LINES_REPORTED);

		return reported.map((row) => [isInlined(this.samples, inLines.line[row]) ? "inlined, at line" : "at line",
			`${lineText(this.samples, inLines.line[row])}, ${format.plural(inLines.total[row], "sample")}`]);
	}
}

/** Of samples of a label, NONE: of any: where some are missing, nobody knows of what they were. */
function standingOfSamples({ labels: { n, table } }: Profile, label: number): number {
	const standing = (row: number) => table.column("samples").standing(row);

	return label !== NONE ? standing(label) : [...Array(n).keys()].reduce((all, row) => combined("sum", all, standing(row)), COUNTED);
}

/** Where it begins. */
function sourceOf({ functions: { table } }: Samples, frame: number): string {
	const [file, line] = ["file", "line"].map((name) => table.columns.find(({ is }) => is.name === name));
	const path = file?.text[frame];

	return path ? `${baseName(path)}${line!.id[frame] ? `:${line!.id[frame]}` : ""}` : "";
}

function placeRows(samples: Samples, frame: number): [string, string][] {
	const source = frame === NONE ? "" : sourceOf(samples, frame);

	return [...source ? [["source", source]] as [string, string][] : [], ...objectRow(samples.functions.object[frame])];
}

function sampleSheet(profile: Profile, samples: Samples, label: number): CallSheet {
	const { functions, tree, total } = samples;
	const sums = functionSums(samples, label);
	const frame = (row: number) => sums.of[row];
	const sum = total[label === NONE ? ROOT : tree.ofLabel(label)];
	const standing = standingOfSamples(profile, label);
	const figures = (key: "own" | "total"): ColumnSpec[] => [
		countColumn(functions.table.column(key), sums[key], standing), shareColumn(functions.table.column(key), sums[key], sum, standing),
	];
	const title = functions.table.column("name").is.title;
	const name = textColumn("name", title, "", 420, (row, spell) => spell(functions.name[frame(row)]));

	const [own, ownShare] = figures("own");
	const [whole, wholeShare] = figures("total");
	const shown = (column: ColumnSpec, row: number) => column.show(row, "total");

	name.tip = (row) => ({
		head: visible(functions.name[frame(row)]), rows: placeRows(samples, frame(row)), note: frameNote(samples, frame(row)),
	});
	return {
		n: sums.of.length, name: (row) => name.show(row, "total"), of: frame, table: functions.table, rowOf: frame, nothing: samples.part ? NONE_CHOSEN : undefined,
		figures: (row) => [[own, ownShare], [whole, wholeShare]].map(([column, share]) =>
			({ title: column.title, total: shown(column, row), share: shown(share, row), known: true })),
		columns: [name, own, ownShare, whole, wholeShare,
			...samples.lines.n ? [textColumn("source", functions.table.column("file").is.title, "", 180, (row) => sourceOf(samples, frame(row)))] : [],
			textColumn("object", functions.table.column("object").is.title, "", 320, (row) => functions.object[frame(row)] ?? "")],
		haystack: (row) => sought((spell) => `${spell(functions.name[frame(row)])} ${functions.object[frame(row)] ?? ""}`),
	};
}

/** As the column is described, of other rows, which all have a standing. */
function countColumn(column: Column, counts: ArrayLike<number>, standing: number): ColumnSpec {
	const { title, says } = column.is;
	const { mark, name } = format.standing(standing);

	return {
		...figureColumn(column), standing: () => name,
		figure: (row) => counts[row], show: (row) => mark + format.count(counts[row]), plain: (row) => String(counts[row]),
		tip: (row) => ({ head: title, rows: [["", mark + format.full(counts[row])]], note: says }),
	};
}

function shareColumn({ is: { name, says } }: Column, counts: ArrayLike<number>, whole: number, standing: number): ColumnSpec {
	const share = (row: number) => whole ? counts[row] / whole : NaN;
	const text = (row: number) => shareText(new Sum(counts[row], standing), new Sum(whole || NaN, standing));

	return {
		key: name + "_share", title: "%", says: `${says}, as a share of all shown`, kind: "number", width: 76,
		figure: share,
		show: text,
		plain: (row) => String(share(row)),
		tip: (row) => ({ head: says, rows: [["", text(row)]] }),
	};
}

function sampleCalls(profile: Profile, samples = profile.samples!, whole = WHOLE): Calls {
	const { functions, tree, own, total } = samples;
	const nameOf = (frame: number) => visible(functions.name[frame]);
	const name = (node: number) => nodeName(profile, tree, node, whole, nameOf);
	const show = (value: number) => format.plural(value, "sample");
	const standing = [NONE, ...profile.labels.kind.keys()].map((label) => standingOfSamples(profile, label));
	const at = (node: number) => standing[1 + tree.label[node]];
	const marked = (node: number, value: number) => format.standing(at(node)).mark + format.full(value);
	const nodeLines = new NodeLines(samples);

	return {
		tree, noun: "function", single: "sample", name, nameOf, sort: "own", modes: [],
		names: new UniqueNames(functions.name, (frame) => functions.object[frame] ?? ""),
		weights: [{
			key: "samples", title: "samples", of: total, own, show: (node) => textOf(new Sum(total[node], at(node)), show),
			standing: at, sum: (node) => new Sum(total[node], at(node)),
			/* Nothing of it is none: a sample is known, or is not there. */
			text: ({ value, standing }) => textOf(new Sum(value || 0, hasValue(standing) ? standing : COUNTED), show),
		}],
		vague: (frame) => functions.kind[frame] !== profile.words.frame.function,
		about: (frame) => ({ rows: placeRows(samples, frame), note: frameNote(samples, frame) }),
		lines: (frame, label) => linesOf(profile, frame, label, samples.part, format.standing(standing[1 + label]).mark),
		tip(node) {
			const frame = tree.name[node];

			return {
				head: name(node),
				rows: [
					["samples", marked(node, total[node])],
					...tree.row(node) === NONE ? [] : [
						["own", marked(node, own[node])], ...samples.part ? [] : nodeLines.rows(node), ...placeRows(samples, frame),
					] as [string, string][],
				],
				note: frame === NONE ? undefined : frameNote(samples, frame),
			};
		},
		sheet: (label) => sampleSheet(profile, samples, label),
		notes: sampleNotes(profile), part: samples.part, whole,
	};
}

function said(...texts: string[]): Note[] {
	return texts.filter(Boolean).map((text) => ({ text }));
}

function sampleNotes(profile: Profile): Note[] {
	const { samples, lost_samples: lost, throttled } = profile.recording;

	return [
		...said(samples ? "" : "No samples were taken.", lost ? `${format.full(lost)} lost` : "",
			throttled ? `throttled ${format.full(throttled)}×` : ""),
		...unknownNote(profile),
	];
}

/** A smaller share is not worth a word. */
const UNKNOWN_LEAST = 0.01;
/** So many files are named. */
const UNKNOWN_REPORTED = 8;

/** How much was sampled in functions that are not known, and why. */
function unknownNote({ samples, words: { frame } }: Profile): Note[] {
	const { functions: { kind, own, name, object, unresolved } } = samples!;
	const rows = [...kind.keys()].filter((row) => kind[row] === frame.object || kind[row] === frame.unknown).sort((a, b) => own[b] - own[a]);
	const share = rows.reduce((sum, row) => sum + own[row], 0) / own.reduce((sum, of) => sum + of, 0);

	return share >= UNKNOWN_LEAST ? [{
		text: `functions of ${format.share(share)} of samples not known`,
		tip: {
			head: "Functions that are not known",
			rows: rows.slice(0, UNKNOWN_REPORTED).map((row) => [object[row] ?? name[row], `${format.plural(own[row], "sample")}: ${unresolved[row] ?? FRAME_SAYS.unknown}`]),
			note: "coroprof-read looks for functions when it makes the page: make it where the program was recorded, from its files as they were then.",
		},
	}] : [];
}

/** How often samples were taken. */
export function pace({ sample_event: event, sample_period: period, sample_frequency: frequency }: Recording): string {
	return `${event ?? "an event not known"}, ${period ? `one each ${format.full(period)}`
		: frequency ? `${format.full(frequency)} a second` : "how often is not known"}`;
}

/* ------------------------------------------------------------------------
 * spans
 */

const UNSEEN = "(spans not seen to end)";
const UNSEEN_SAYS = "These had begun before the recording, or were lost: only what was in them is known.";
const UNLABELLED = "Their slices did not end in the time in view, nor did others of these coroutines: the label is known only behind it.";
const EACH = "per call";
const EACH_OUTERMOST = "per outermost call";
const UNCOUNTED = "Of the whole recording only: the page has no counts of single spans.";

/** Figures of nodes; those of labels are sums, of which a part may be missing. */
class NodeValues {
	readonly of: Float64Array;
	private sure: Int32Array;

	constructor(private tree: Tree, private column: Column, figures = tree.tops(column.figures)) {
		this.sure = this.standings();
		this.of = figures.map((sum, node) => hasValue(this.sure[node]) ? sum : NaN);
	}

	private standings(): Int32Array {
		const { tree, column } = this;
		const out = new Int32Array(tree.n).fill(named("none"));

		for (let node = tree.n - 1; node > ROOT; node--) {
			if (tree.row(node) !== NONE)
				out[node] = columnStanding(column, tree.row(node));
			if (tree.parent[node] < tree.base)
				out[tree.parent[node]] = combined("sum", out[tree.parent[node]], out[node]);
		}
		return out.map((of) => of === named("none") ? COUNTED : of);
	}

	/** Why there is no figure. */
	word(node: number): string {
		while (this.tree.row(node) === NONE && this.tree.children(node).length)
			[node] = this.tree.children(node);
		const row = this.tree.row(node);

		return row === NONE ? format.na() : format.standing(this.column.standing(row)).mark;
	}

	sum(node: number): Sum {
		return new Sum(this.of[node], this.sure[node]);
	}

	show(node: number, show: (value: number) => string): string {
		return Number.isNaN(this.of[node]) ? this.word(node) : textOf(this.sum(node), show);
	}
}

/** Of a column, and of own figures, by nodes. */
function weightOf(key: string, title: string, tree: Tree, values: NodeValues, column: Column, own: Column, show: (value: number) => string): Weight {
	return {
		key, title, of: values.of, own: tree.lift(own.figures), show: (node) => values.show(node, show), sum: (node) => values.sum(node),
		standing: nodeStanding(tree, column, own), text: (sum) => textOf(sum, show),
	};
}

function timeWeight({ tree, nodes: { table } }: Spans, name: string): Weight {
	const [column, own] = [name, `own_${name}`].map((key) => table.column(key));

	return weightOf(name, `${name} time`, tree, new NodeValues(tree, column), column, own, format.time);
}

/** Wall time that was no running time. Where spans are missing, it is one of both: what was lost ran for no longer than it lasted. */
function offWeight(running: Weight, wall: Weight): Weight {
	const without = (from: Float64Array, what: Float64Array) => from.map((time, node) => time - what[node]);
	const of = without(wall.of, running.of);
	const sum = (node: number) => new Sum(of[node], combined("sum", wall.sum(node).standing, running.sum(node).standing));

	return { ...wall, key: "off", title: "time not running", of, own: without(wall.own, running.own), sum, show: (node) => textOf(sum(node), format.time) };
}

function counterWeights({ counters }: Profile, { tree, nodes: { table } }: Spans): Weight[] {
	return valuesOf(table).map(({ column }) => {
		const values = new NodeValues(tree, column);
		const own = table.ofCounter("own_%s", column.is.counter!)!;

		return {
			...weightOf(column.is.name, counters[column.is.counter!].name, tree, values, column, own, formatOf(column)),
			missing: Number.isNaN(values.of[ROOT]) ? values.word(ROOT) : undefined,
		};
	});
}

function spanWeights(profile: Profile, spans: Spans): Weight[] {
	const { tree, nodes } = spans;
	const column = nodes.table.column("calls");
	const values = new NodeValues(tree, column, tree.sumUp(tree.lift(nodes.calls)));

	const [running, wall] = ["running", "wall"].map((name) => timeWeight(spans, name));

	return [
		running, wall, offWeight(running, wall),
		weightOf("calls", "calls, with those within", tree, values, column, column, (value) => format.plural(value, "call")),
		...counterWeights(profile, spans),
	];
}

/** Own figures are looked at beside the same whole as totals are. */
const wholeName = (name: string) => name.replace(/^own_/, "");

function sumsOf(rows: SpanSums, weights: Weight[], node: number, column: Column, recursive: boolean, part: boolean): SumOptions | null {
	const whole = weights.find(({ key }) => key === wholeName(column.is.name));
	const own = column.is.name.startsWith("own_");

	/* A total has each call within one of the same name once: it is of the outermost ones. */
	return whole && column.is.kind !== "count" ? {
		...own ? { over: rows.calls, each: EACH } : { over: rows.outermost, each: recursive ? EACH_OUTERMOST : EACH },
		sure: (row) => rows.table.column(own ? "calls" : "outermost").standing(row),
		whole: whole.of[node], all: whole.sum(node).standing, running: own ? rows.own_running : rows.running,
		...part ? { note: (row: number) => column.has(row) ? undefined : UNCOUNTED } : {},
	} : null;
}

function spanColumns(profile: Profile, rows: SpanSums, weights: Weight[], node: number, part: boolean): ColumnSpec[] {
	const recursive = rows.calls.some((calls, row) => calls !== rows.outermost[row]);
	const left = ["name", "span", "label", "process"];

	return rows.table.columns.filter(({ is }) => is.shown && !left.includes(is.name) && (recursive || is.name !== "outermost"))
		.map((column) => {
			const sums = sumsOf(rows, weights, node, column, recursive, part);

			return sums ? sumColumn(column, sums) : columnOf(profile, column, null);
		});
}

function aboutSpan({ spans: { object, unresolved } }: Spans, span: number): Partial<Tip> {
	return span === NONE ? { note: UNSEEN_SAYS } : {
		rows: objectRow(object[span]), note: unresolved[span] ? `Its name is not known: ${unresolved[span]}.` : undefined,
	};
}

function spanSheet(profile: Profile, spans: Spans, weights: Weight[], label: number): CallSheet {
	const { spans: table, byLabel, tree, part } = spans;
	const all = label === NONE;
	const rows = rowsOf(byLabel, table.n, label).filter((row) => !part || (all ? table : byLabel).calls[row]);
	const span = (row: number) => all ? row : byLabel.span[rows[row]];
	const process = (row: number, spell: Spell) => processName(profile, table.process[span(row)], spell);
	const name = textColumn("name", table.table.column("name").is.title, "", 320, (row, spell) => spell(table.name[span(row)]));

	const columns = spanColumns(profile, all ? table : byLabel, weights, all ? ROOT : tree.ofLabel(label), part)
		.map((column) => someRows(column, rows));
	const sums = ["own_running", "running", "own_wall", "wall", ...valuesOf(table.table).flatMap(({ column: { is } }) => [is.name, `own_${is.name}`])];
	const figure = (column: ColumnSpec, row: number): CallFigure => ({
		title: column.title, total: column.show(row, "total"), known: !Number.isNaN(column.figure(row, "total")),
		...sums.includes(column.key) ? { mean: column.show(row, "slice"), share: column.show(row, "share") } : {},
	});

	name.tip = (row) => ({ head: visible(name.text!(row)), ...aboutSpan(spans, span(row)) });
	return {
		n: rows.length, name: (row) => name.show(row, "total"), of: span, table: table.table, rowOf: span, nothing: part ? NONE_CHOSEN : undefined,
		figures: (row) => columns.map((column) => figure(column, row)),
		columns: [
			name,
			...table.table.column("process").is.shown ? [textColumn("process", "process", "name and pid", 120, process)] : [],
			...columns,
		],
		haystack: (row) => sought((spell) => `${spell(name.text!(row))} ${table.object[span(row)] ?? ""} ${process(row, spell)}`),
	};
}


function spanTip(spans: Spans, weights: Weight[], head: string, node: number): Tip {
	const { tree, nodes, spans: table } = spans;
	const row = tree.row(node);
	const known = row !== NONE && tree.name[node] !== NONE;
	const running = nodes.table.column("own_running");
	const { mark, says } = format.standing(known ? running.standing(row) : 0);
	const own = (data: Float64Array): string => known ? `, own ${mark}${format.time(data[row])}` : "";
	const [total, wall, off, calls, ...counters] = weights;

	return {
		head,
		rows: [
			["calls", known ? fullText(nodes.table.column("calls"), row) : calls.show(node)],
			["running", total.show(node) + own(nodes.own_running)],
			["wall", wall.show(node) + own(nodes.own_wall)],
			["not running", off.show(node)],
			...counters.map((weight): [string, string] => [weight.title, weight.show(node)]),
			...known ? objectRow(table.object[tree.name[node]]) : [],
		],
		note: mark ? `Own figures: ${says}.`
			: row !== NONE && !known ? UNSEEN_SAYS : node !== ROOT && tree.label[node] === NONE ? UNLABELLED : undefined,
	};
}

/** What distinguishes spans of the same name. */
function spanOrigin({ processes }: Profile, { spans: { process, object } }: Spans, span: number): string {
	return processes.n > 1 && process[span] !== NONE ? String(processes.pid[process[span]]) : object[span] ?? "";
}

function spanCalls(profile: Profile, spans = profile.spans!, whole = WHOLE): Calls {
	const { tree, spans: table } = spans;
	const weights = spanWeights(profile, spans);
	const nameOf = (span: number) => span === NONE ? UNSEEN : visible(table.name[span]);
	const name = (node: number) => nodeName(profile, tree, node, whole, nameOf);

	return {
		tree, noun: "span", single: "span", weights, name, nameOf, sort: "own_running",
		names: new UniqueNames(table.name, (span) => spanOrigin(profile, spans, span)),
		modes: [["total", "Total"], ["slice", "Per call"], ["share", "Share"]],
		vague: (span) => span === NONE,
		about: (span) => aboutSpan(spans, span),
		lines: () => null,
		tip: (node) => spanTip(spans, weights, name(node), node),
		sheet: (label) => spanSheet(profile, spans, weights, label),
		notes: spanNotes(profile.recording), part: spans.part, whole,
	};
}

function spanNotes({ lost_spans: lost, dropped_spans: dropped, impossible_spans: impossible }: Recording): Note[] {
	return said(lost ? `${format.full(lost)} lost` : "", dropped ? `no room for ${format.full(dropped)}` : "",
		impossible ? `${format.full(impossible)} impossible` : "");
}

/** The label whose calls are shown, NONE for all: also for those of a coroutine that had several. */
export function shownLabel(store: Store, { tree, part }: Calls): number {
	const label = store.selectedLabel();
	const several = part && store.selectedCoroutine() !== NONE && tree.allLabels().length > 1;

	return tree.ofLabel(label) === NONE || several ? NONE : label;
}

export function shownWeight({ state }: Store, { weights }: Calls): Weight {
	return weights.find(({ key, missing }) => key === state.weight && !missing) ?? weights[0];
}

const made = new WeakMap<Profile, Map<string, Calls>>();

/** The calls that a view shows, made once; null if the view shows none, or there are none. */
export function callsOf(profile: Profile, view: string): Calls | null {
	const make = view === "samples" && profile.samples ? sampleCalls : view === "spans" && profile.spans ? spanCalls : null;
	const known = made.get(profile) ?? new Map<string, Calls>();

	made.set(profile, known);
	if (make && !known.has(view))
		known.set(view, make(profile));
	return known.get(view) ?? null;
}

/** What calls of a view follow of what is chosen beside a label, and why they do not; "": they do. */
export function callsFollow(store: Store, view: string): { follows: Selection[]; why: string } {
	const { profile, state } = store;
	const asked = chosen(profile, state).some((choice) => choice !== "label" && choice !== "filter");
	const spans = view === "spans" && asked && profile.spans ? spansOf(profile, state) : null;
	const why = typeof spans === "string" ? spans : view === "samples" ? unheldSamples(profile) : "";

	return { follows: why ? ["label"] : ["time", "label", "coroutine", "thread", "only", ...view === "samples" ? ["filter" as const] : []], why };
}

const parts = new WeakMap<Profile, { key: string; calls: Calls }>();

function partOfCalls(store: Store, view: string): Calls {
	const { profile, state } = store;
	/* A label is what of the graph is zoomed to: the others are beside it. */
	const whole = state.selected?.kind === "label" ? "all labels" : "all that is chosen";

	return view === "spans" ? spanCalls(profile, spansOf(profile, state) as Spans, whole)
		: sampleCalls(profile, partOf(profile.samples!, fittingCalls(profile, state), store.selectedLabel()), whole);
}

/** Likewise, of what fits all that is chosen, where the page can know that: the last one is kept. */
export function chosenCalls(store: Store, view: string): Calls | null {
	const { profile, state } = store;
	const whole = callsOf(profile, view);
	const { follows, why } = callsFollow(store, view);
	const beside = whole?.tree.ofLabel(store.selectedLabel()) !== NONE ? ["label"] : [];

	if (!whole || why || chosen(profile, state).every((choice) => !follows.includes(choice) || beside.includes(choice)))
		return whole;
	const key = JSON.stringify([view, state.from, state.to, state.selected, state.only, state.filter, state.by]);

	if (parts.get(profile)?.key !== key)
		parts.set(profile, { key, calls: { ...partOfCalls(store, view), names: whole.names } });
	return parts.get(profile)!.calls;
}
