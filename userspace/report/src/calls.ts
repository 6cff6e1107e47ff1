// SPDX-License-Identifier: GPL-2.0
/*
 * What the views of samples and of spans show: a tree of calls, what its nodes
 * can be weighed by, and a table of the functions, or spans, in it.
 */

import { labelName, processName } from "./columns";
import { Tip } from "./dom";
import {
	ColumnSpec, counterColumn, counterFigure, counterSays, countColumn, Sheet, sumColumn, textColumn,
} from "./figures";
import * as format from "./format";
import { Frame, NONE, Profile, Samples, Spans, SpanTable, Standing, STANDING_TEXT, Values } from "./profile";
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
 * samples
 */

const FRAME_SAYS: Record<number, string> = {
	[Frame.UNKNOWN]: "No object file was mapped at this address.",
	[Frame.KERNEL]: "The thread was in the kernel, called from here.",
	[Frame.CUT]: "The stack was deeper than what was recorded of it.",
	[Frame.OTHER]: "Functions for which there was no room.",
};

function frameNote({ frames }: Samples, frame: number): string | undefined {
	const why = frames.unresolved[frame];

	return why ? `Its functions are not known: ${why}.` : FRAME_SAYS[frames.kind[frame]];
}

function objectRow(object: string | null): [string, string][] {
	return object ? [["object", object]] : [];
}

function sampleSheet(samples: Samples, label: number): Sheet {
	const { frames, byLabel, tree, total } = samples;
	const all = label === NONE;
	const rows = Uint32Array.from(all ? frames.own.keys() : [...byLabel.label.keys()].filter((row) => byLabel.label[row] === label));
	const own = Float64Array.from(rows, (row) => (all ? frames : byLabel).own[row]);
	const whole = Float64Array.from(rows, (row) => (all ? frames : byLabel).total[row]);
	const frame = (row: number) => all ? row : byLabel.frame[rows[row]];
	const sum = total[all ? ROOT : tree.ofLabel(label)];
	const figures = (key: string, title: string, says: string, data: Float64Array): ColumnSpec[] => [
		countColumn(key, title, says, data, 92),
		shareColumn(key + "-share", says, data, sum),
	];
	const name = textColumn("name", "function", "", 420, (row) => frames.name[frame(row)]);

	name.tip = (row) => ({
		head: frames.name[frame(row)], rows: objectRow(frames.object[frame(row)]), note: frameNote(samples, frame(row)),
	});
	return {
		n: rows.length, name: name.text!,
		columns: [
			name,
			...figures("own", "own", "samples taken in it", own),
			...figures("total", "total", "samples with it on the stack, each once", whole),
			textColumn("object", "object", "", 320, (row) => frames.object[frame(row)] ?? ""),
		],
		haystack: (row) => `${frames.name[frame(row)]} ${frames.object[frame(row)] ?? ""}`.toLowerCase(),
	};
}

function shareColumn(key: string, says: string, data: Float64Array, whole: number): ColumnSpec {
	const share = (row: number) => whole ? data[row] / whole : NaN;

	return {
		key, title: "%", says: `${says}, as a share of all shown`, kind: "ratio", width: 76,
		figure: share,
		show: (row) => format.share(share(row)),
		plain: (row) => String(share(row)),
		tip: (row) => ({ head: says, rows: [["", format.share(share(row))]] }),
	};
}

export function sampleCalls(profile: Profile): Calls {
	const samples = profile.samples!;
	const { frames, tree, own, total } = samples;
	const name = (node: number) => nodeName(profile, tree, node, (frame) => frames.name[frame]);

	return {
		tree, noun: "function", name, sort: "own", modes: [],
		weights: [{ key: "samples", title: "samples", of: total, show: (node) => format.plural(total[node], "sample") }],
		vague: (node) => tree.row(node) !== NONE && frames.kind[tree.name[node]] !== Frame.FUNCTION,
		tip(node) {
			const frame = tree.name[node];

			return {
				head: name(node),
				rows: [
					["samples", format.full(total[node])],
					...tree.row(node) === NONE ? [] : [["own", format.full(own[node])], ...objectRow(frames.object[frame])] as [string, string][],
				],
				note: frame === NONE ? undefined : frameNote(samples, frame),
			};
		},
		sheet: (label) => sampleSheet(samples, label),
		notes: sampleNotes(samples),
	};
}

function sampleNotes({ kept, lost, throttled }: Samples): string[] {
	return [
		kept ? "" : "No samples were taken.",
		lost ? `${format.full(lost)} lost` : "",
		throttled ? `throttled ${format.full(throttled)}×` : "",
	].filter(Boolean);
}

/** How often samples were taken. */
export function pace({ event, period, frequency }: Samples): string {
	return `${event ?? "an event not known"}, ${period ? `one each ${format.full(period)}`
		: frequency ? `${format.full(frequency)} a second` : "how often is not known"}`;
}

/* ------------------------------------------------------------------------
 * spans
 */

const EACH = "per call";

const AT_MOST = "At most this much: spans that may have been in some of these were lost, or had begun before the recording.";

/** Counts of nodes; those of labels are sums, of which a part may be missing. */
class NodeValues {
	readonly of: Float64Array;
	private scaled: Uint8Array;
	private missing: Uint8Array;

	constructor(private tree: Tree, private values: Values) {
		const known = this.flags((row) => !Number.isNaN(values.best[row]));

		this.of = tree.tops(values.best).map((sum, node) => known[node] ? sum : NaN);
		this.scaled = this.flags((row) => values.standing[row] === Standing.SCALED);
		this.missing = this.flags((row) => Number.isNaN(values.best[row]));
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

	/** The standing of a node without a figure. */
	standing(node: number): number {
		while (this.tree.row(node) === NONE && this.tree.children(node).length)
			[node] = this.tree.children(node);
		return this.values.standing[this.tree.row(node)] ?? Standing.ABSENT;
	}

	mark(node: number): string {
		return (this.tree.row(node) === NONE && this.missing[node] ? "≥" : "") + (this.scaled[node] ? "~" : "");
	}
}

function timeWeight(key: string, title: string, of: Float64Array): Weight {
	return { key, title, of, show: (node) => format.time(of[node]) };
}

function counterWeights(profile: Profile, { tree, nodes }: Spans): Weight[] {
	return profile.counters.map((counter, at) => {
		const values = new NodeValues(tree, nodes.values[at]);
		const { of } = values;

		return {
			key: "c" + at, title: counter.name, of,
			show: (node) => Number.isNaN(of[node]) ? STANDING_TEXT[values.standing(node)]
				: values.mark(node) + counterFigure(counter, of[node]),
			missing: Number.isNaN(of[ROOT]) ? STANDING_TEXT[values.standing(ROOT)] : undefined,
		};
	});
}

function spanWeights(profile: Profile, spans: Spans): Weight[] {
	const { tree, nodes } = spans;
	const calls = tree.sumUp(tree.lift(nodes.calls));

	return [
		timeWeight("running", "running time", tree.tops(nodes.running)),
		timeWeight("wall", "wall time", tree.tops(nodes.wall)),
		{ key: "calls", title: "calls, with those within", of: calls, show: (node) => format.plural(calls[node], "call") },
		...counterWeights(profile, spans),
	];
}

/** Pairs of columns, total and own, for each figure. */
function spanColumns(profile: Profile, table: SpanTable, wholes: number[]): ColumnSpec[] {
	const slices = table.calls;
	const prefix = (row: number) => table.atMost[row] ? "≤" : "";
	const note = (row: number) => table.atMost[row] ? AT_MOST : undefined;
	const bounded = (column: ColumnSpec): ColumnSpec => ({
		...column, standing: (row) => [column.standing?.(row), table.atMost[row] ? "at most" : ""].filter(Boolean).join(", ") || "exact",
	});
	const times = (key: string, says: string, data: Float64Array, own: Float64Array, whole: number) => [
		sumColumn({ slices }, { key, title: key, says: `${says}, with all in it`, kind: "time", data, whole, each: EACH }),
		bounded(sumColumn({ slices }, { key: "own-" + key, title: "own " + key, says: `${says}, without the spans in it`,
			kind: "time", data: own, whole, each: EACH, prefix, note })),
	];

	return [
		...times("running", "time on a CPU", table.running, table.ownRunning, wholes[0]),
		...times("wall", "time from begin to end", table.wall, table.ownWall, wholes[1]),
		...profile.counters.flatMap((counter, at) => {
			const common = { slices, running: table.running, whole: wholes[3 + at], each: EACH };

			return [
				counterColumn(counter, { ...common, key: "c" + at, title: counter.name,
					says: `${counterSays(counter)}, with all in it`, values: table.values[at] }),
				bounded(counterColumn(counter, { ...common, key: "own-c" + at, title: "own " + counter.name, running: table.ownRunning,
					says: `${counterSays(counter)}, without the spans in it`, values: table.ownValues[at], prefix, note })),
			];
		}),
	];
}

/** Some rows of a table of spans. */
function pick(table: SpanTable, rows: number[]): SpanTable {
	const of = (data: Float64Array) => Float64Array.from(rows, (row) => data[row]);
	const values = (all: Values[]) => all.map(({ standing, count, best, share }): Values => ({
		standing: Uint8Array.from(rows, (row) => standing[row]), count: of(count), best: of(best), share: share && of(share),
	}));

	return {
		n: rows.length, calls: of(table.calls), outermost: of(table.outermost), wall: of(table.wall), ownWall: of(table.ownWall),
		running: of(table.running), ownRunning: of(table.ownRunning), atMost: Uint8Array.from(rows, (row) => table.atMost[row]),
		values: values(table.values), ownValues: values(table.ownValues),
	};
}

function spanSheet(profile: Profile, spans: Spans, weights: Weight[], label: number): Sheet {
	const { table, byLabel, tree } = spans;
	const rows = [...byLabel.label.keys()].filter((row) => byLabel.label[row] === label);
	const shown: SpanTable = label === NONE ? table : pick(byLabel, rows);
	const span = (row: number) => label === NONE ? row : byLabel.span[rows[row]];
	const whole = label === NONE ? ROOT : tree.ofLabel(label);
	const process = (row: number) => processName(profile, table.process[span(row)]);
	const name = textColumn("name", "span", "", 320, (row) => table.name[span(row)]);
	const recursive = shown.calls.some((calls, row) => calls !== shown.outermost[row]);

	name.tip = (row) => ({
		head: name.text!(row),
		rows: objectRow(table.object[span(row)]),
		note: table.unresolved[span(row)] ? `Its name is not known: ${table.unresolved[span(row)]}.` : undefined,
	});
	return {
		n: shown.n, name: name.text!,
		columns: [
			name,
			...profile.processes.length > 1 ? [textColumn("process", "process", "name and pid", 120, process)] : [],
			countColumn("calls", "calls", "how often it began and ended, within itself as well", shown.calls, 76),
			...recursive ? [countColumn("outermost", "outermost",
				"calls that were not within one of the same name; total figures are of these", shown.outermost, 92)] : [],
			...spanColumns(profile, shown, weights.map(({ of }) => of[whole])),
		],
		haystack: (row) => `${name.text!(row)} ${table.object[span(row)] ?? ""} ${process(row)}`.toLowerCase(),
	};
}

const UNSEEN = "(spans not seen to end)";

function spanTip(spans: Spans, weights: Weight[], head: string, node: number): Tip {
	const { tree, nodes, table } = spans;
	const row = tree.row(node);
	const known = row !== NONE && tree.name[node] !== NONE;
	const mark = known && nodes.atMost[row] ? "≤" : "";
	const own = (data: Float64Array): string => known ? `, own ${mark}${format.time(data[row])}` : "";
	const [running, wall, calls, ...counters] = weights;

	return {
		head,
		rows: [
			["calls", known ? format.full(nodes.calls[row]) : calls.show(node)],
			["running", running.show(node) + own(nodes.ownRunning)],
			["wall", wall.show(node) + own(nodes.ownWall)],
			...counters.map((weight): [string, string] => [weight.title, weight.show(node)]),
			...known ? objectRow(table.object[tree.name[node]]) : [],
		],
		note: mark ? AT_MOST.replace("At most this much", "Own figures are upper bounds")
			: row !== NONE && !known ? "These had begun before the recording, or were lost: only what was in them is known." : undefined,
	};
}

export function spanCalls(profile: Profile): Calls {
	const spans = profile.spans!;
	const { tree, table } = spans;
	const weights = spanWeights(profile, spans);
	const name = (node: number) => nodeName(profile, tree, node, (span) => span === NONE ? UNSEEN : table.name[span]);

	return {
		tree, noun: "span", weights, name, sort: "own-running",
		modes: [["total", "Total"], ["slice", "Per call"], ["share", "Share"]],
		vague: (node) => tree.row(node) !== NONE && tree.name[node] === NONE,
		tip: (node) => spanTip(spans, weights, name(node), node),
		sheet: (label) => spanSheet(profile, spans, weights, label),
		notes: spanNotes(spans),
	};
}

function spanNotes({ lost, dropped, impossible }: Spans): string[] {
	return [
		lost ? `${format.full(lost)} lost` : "",
		dropped ? `no room for ${format.full(dropped)}` : "",
		impossible ? `${format.full(impossible)} impossible` : "",
	].filter(Boolean);
}
