// SPDX-License-Identifier: GPL-2.0
/*
 * What slow slices of a label have, and the rest of them: figures and call trees of both, as
 * tables like those that --slow of the reader makes, in its words and with its marks.
 */

import { valueOf } from "./cut-figures";
import { holdsSamples, unheldSamples } from "./selection";
import { Column, Table } from "./decode";
import { Cells, derivedTable } from "./derived";
import { quantile } from "./durations";
import { isOutside, NONE, Profile, Samples } from "./profile";
import { functionSums, partOf } from "./sampled";
import { Divided, gapSums, GapSums, holderSums, REST, SLOW, threadSums } from "./slow";
import { asIs } from "./spell";
import { spansBy } from "./spans";
import { roleOf } from "./ratios";
import { combined, COUNTED, hasValue, lacking, named, ratioOf, summed, typical } from "./standings";
import { Tree } from "./tree";
import { wakesIn } from "./wakes";

const SIDES = [REST, SLOW] as const;
const STATES = ["running", "preempted", "blocked"];
const DEPENDENT = "slices of one coroutine are not independent of each other";
const NOT_EACH = "the page has not what each slice has of it: the command makes a page that has this";

/** Of one side. */
export interface Side {
	value: number;
	standing: number;
}

export interface Row {
	of: string;
	name: string;
	label: string | null;
	figure: string;
	time: boolean;
	sides: [Side, Side];
	verdict?: string;
	/** Why the page does not know it. */
	why?: string;
}

/* ------------------------------------------------------------------------
 * figures
 */

export interface Reported {
	rows: Row[];
	/** What of it the page can't know, and why. */
	lacks: string[];
	tree: Node[];
}

const UNKNOWN: Side = { value: 0, get standing() { return named("n/a"); } };

class Figures {
	readonly rows: Row[] = [];
	readonly lacks: string[] = [];
	private profile: Profile;
	private name: string;
	private gaps: GapSums[];

	constructor(private divided: Divided) {
		this.profile = divided.profile;
		this.name = this.profile.labels.name[divided.labels[0]];
		this.gaps = gapSums(divided);
	}

	/** Of sums and what they are divided by, which are as sure as the slices are. */
	private side(over: number, under: number, standing = this.mean()): Side {
		return under > 0 && hasValue(standing) ? { value: over / under, standing } : UNKNOWN;
	}

	/** Of how many slices there are. */
	private number(): number {
		return lacking(COUNTED, this.divided.atLeast);
	}

	/** Of a sum over them, divided by how many there are. */
	private mean(sum = COUNTED): number {
		return combined("quotient", lacking(sum, this.divided.atLeast), this.number());
	}

	/** What is 0, or not known, on both sides is not reported. */
	private add(row: Omit<Row, "label" | "time"> & { time?: boolean; label?: string | null }): boolean {
		if (!row.why && row.sides.every(({ value }) => !value))
			return false;
		this.rows.push({ time: false, label: row.of === "label" ? null : this.name, ...row });
		return true;
	}

	/* ---- of the label */

	states(): void {
		const { cut, held, nr } = this.divided;

		this.rows.push({ of: "label", name: this.name, label: null, figure: "held/slice", time: true,
			sides: [this.side(held[REST], nr[REST]), this.side(held[SLOW], nr[SLOW])] });
		STATES.forEach((state, at) => this.rows.push({ of: "label", name: this.name, label: null, figure: `${state}/held`, time: false,
			sides: [this.side(cut.time(REST, at), held[REST]), this.side(cut.time(SLOW, at), held[SLOW])] }));
	}

	/** All columns that two are compared by: see column.per of the reader. */
	label(): void {
		const { table } = this.profile.labels;

		for (const column of table.columns.filter(({ is }) => is.per !== undefined && !is.name.startsWith("lifetime"))) {
			const { name, kind, per } = column.is;
			const one = per ? table.find(per)?.is.one : "";
			const sides = SIDES.map((side) => this.cell(column, side)) as [Side & { why?: string }, Side & { why?: string }];

			this.add({ of: "label", name: this.name, figure: one ? `${name}/${one}` : name, time: kind === "ns", sides,
				why: sides.map(({ why }) => why).find(Boolean) });
		}
	}

	private cell(column: Column, side: 0 | 1): Side & { why?: string } {
		const { divided: { cut, nr, labels }, profile } = this;
		const { is: { name, counter, formula, per } } = column;
		const { [side]: gaps } = this.gaps;
		const at = STATES.indexOf(name);
		const values = profile.timeline.values.findIndex(({ column: of }) => of.is.name === name);
		const share = name.match(/^p(\d+)(?:_(\d+))?$/);

		if (at >= 0)
			return this.side(cut.time(side, at), nr[side]);
		if (per === "gaps")
			return this.gap(name as "suspended", gaps);
		if (share)
			return { value: cut.quantile(side, Number(`${share[1]}.${share[2] ?? 0}`) / 100) || 0, standing: this.mean() };
		if (name === "ready_p99")
			return this.ready(side, 0.99);
		if (values >= 0 && counter !== undefined && !cut.uncounted[values][side])
			return this.side(cut.counts[values][side], nr[side]);
		if (name === "ipc" || formula)
			return this.quotient(column, side);
		/* Of what the whole recording has nothing there is nothing to miss. */
		return { ...UNKNOWN, why: labels.some((label) => column.has(label) && column.figures[label]) ? NOT_EACH : undefined };
	}

	private gap(name: "suspended" | "awaiting" | "ready", { gaps, unseen, ...sums }: GapSums): Side & { why?: string } {
		if (this.divided.gapsWhy)
			return { ...UNKNOWN, why: this.divided.gapsWhy };
		const parted = name === "suspended" || sums.awaiting + sums.ready === sums.suspended;
		const all = parted && !unseen;

		return !all && !sums[name] ? UNKNOWN : this.side(sums[name], gaps, combined("quotient", typical(lacking(this.number(), !all)), this.number()));
	}

	private ready(side: 0 | 1, share: number): Side & { why?: string } {
		const { ones, side: sides } = this.divided;
		const lengths = ones.filter(({ row, wait }) => sides[row] === side && wait && !wait.missing && !Number.isNaN(wait.ready)).map(({ wait }) => wait!.ready).sort((a, b) => a - b);

		if (this.divided.gapsWhy)
			return { ...UNKNOWN, why: this.divided.gapsWhy };
		return lengths.length ? { value: quantile(lengths, share), standing: typical(lacking(this.number(), !!this.gaps[side].unseen)) } : UNKNOWN;
	}

	/** Of counters of the same slices. */
	private quotient(column: Column, side: 0 | 1): Side & { why?: string } {
		const { divided: { cut, nr }, profile } = this;
		const { values } = profile.timeline;
		const role = (of: string) => values.find(({ column: { is } }) => roleOf(profile, is.counter!) === of)?.column.is.name ?? "";
		const operand = (name: string) => {
			const at = values.findIndex(({ column: { is } }) => is.name === name);
			const state = STATES.indexOf(name);

			return name === "slices" ? nr[side] : state >= 0 ? cut.time(side, state) : at >= 0 && !cut.uncounted[at][side] ? cut.counts[at][side] : NaN;
		};
		const value = valueOf(column.is.formula ?? [{ column: role("instructions") }, { column: role("cycles") }, "/"], operand);

		return Number.isNaN(value) ? { ...UNKNOWN, why: NOT_EACH } : { value, standing: this.mean() };
	}

	/* ---- of what is on a side or not: spans, functions */

	/** @sides: of what it has, undefined: nothing. One that is on one side alone is reported once. */
	private thing(of: string, name: string, sides: [Side[] | undefined, Side[] | undefined], figures: { figure: string; time: boolean }[]): void {
		const single = sides.findIndex((side) => !side);
		const nothing = figures.map((): Side => ({ value: 0, standing: named("none") }));
		const [rest, slow] = sides.map((side) => side ?? nothing);

		for (const [at, { figure, time }] of figures.entries())
			if (this.add({ of, name, figure, time, sides: [rest[at], slow[at]], verdict: single < 0 ? undefined : single === REST ? "slow only" : "rest only" }) && single >= 0)
				return;
	}

	/** Of rows of a table, by name, on each side: figures divided by others. */
	spans(byLabel: Table, label: (side: number) => number): void {
		const [of, span] = [byLabel.column("label"), byLabel.column("span")];
		const columns = byLabel.columns.filter(({ is }) => is.per !== undefined && !is.each);
		const title = (row: number) => this.profile.tables.table("spans").title(span.index[row], asIs);
		const rows = SIDES.map((side) => [...Array(byLabel.n).keys()].filter((row) => of.index[row] === label(side)));
		const figures = columns.map(({ is: { name, per, kind } }) => ({ figure: `${name}/${per === "slices" ? "slice" : byLabel.find(per!)?.is.one ?? ""}`, time: kind === "ns" }));

		for (const name of new Set([...rows[SLOW], ...rows[REST]].map(title))) {
			const sides = SIDES.map((side) => {
				const own = rows[side].filter((row) => title(row) === name);

				return own.length ? columns.map((column) => this.ratio(byLabel, column, own, side)) : undefined;
			});

			this.thing("span", name, sides as [Side[], Side[]], figures);
		}
	}

	private ratio(table: Table, over: Column, rows: number[], side: 0 | 1): Side {
		const sum = (column: Column) => ({
			value: rows.reduce((all, row) => all + column.figures[row], 0), standing: summed(rows.map((row) => column.standing(row))),
		});
		const above = sum(over);
		const below = over.is.per === "slices" ? { value: this.divided.nr[side], standing: this.number() } : sum(table.column(over.is.per!));

		return below.value && above.value >= 0 ? this.side(above.value, below.value, combined("quotient", above.standing, below.standing)) : UNKNOWN;
	}

	functions(parts: [Samples, Samples], lost: number): void {
		const { nr } = this.divided;
		const { tables } = this.profile;
		const sums = parts.map((part) => {
			const { of, own, total } = functionSums(part, NONE);
			const found = new Map<string, [number, number]>();

			Array.from(of).forEach((row, at) => {
				const name = tables.table("functions").title(row, asIs);
				const sum = found.get(name) ?? [0, 0];

				found.set(name, [sum[0] + own[at], sum[1] + total[at]]);
			});
			return found;
		});
		const standing = combined("quotient", lost, this.number());

		for (const name of new Set([...sums[SLOW].keys(), ...sums[REST].keys()]))
			this.thing("function", name, SIDES.map((side) => sums[side].get(name)?.map((samples) => this.side(samples, nr[side], standing))) as [Side[], Side[]],
				["own/slice", "total/slice"].map((figure) => ({ figure, time: false })));
	}

	/* ---- who woke them, where they ran, who held that */

	/** By waker's name, or of what thread, or what held it: sums over the slices of each side. */
	sums(of: string, figure: string, sums: Iterable<[string, [number, number]]>, time = false, short = false): void {
		const { nr } = this.divided;
		const standing = this.mean(lacking(COUNTED, short));

		for (const [name, sum] of sums)
			this.add({ of, name, figure, time, sides: [this.side(sum[REST], nr[REST], standing), this.side(sum[SLOW], nr[SLOW], standing)] });
	}
}

/* ------------------------------------------------------------------------
 * samples, by the slice that each was taken in
 */

/** The calls of the samples of either side; null: not known of one. */
function sampleCalls({ profile, side, part: { from, to }, labels }: Divided): [number[], number[]] | null {
	const { timeline: { begin, end, first, coroutine: of }, timelineSamples: { n, time, thread, coroutine, call }, since, until } = profile;
	const { tree } = profile.samples!;
	const rows = profile.threads.tid.map((_, row) => Array.from(side.subarray(first[row], first[row + 1]).keys(), (at) => first[row] + at).filter((at) => side[at] !== NONE));
	const calls: [number[], number[]] = [[], []];

	for (let sample = 0; sample < n; sample++) {
		if (!labels.includes(tree.label[tree.base + call[sample]]) || from > since && time[sample] < from || to < until && time[sample] >= to)
			continue;
		if (coroutine[sample] === NONE)
			return null;
		const own = rows[thread[sample]];
		let [lo, hi] = [0, own.length];

		while (lo < hi) {
			const middle = (lo + hi) >>> 1;

			if (begin[own[middle]] < time[sample])
				lo = middle + 1;
			else
				hi = middle;
		}
		const slice = lo ? own[lo - 1] : NONE;

		if (slice !== NONE && end[slice] >= time[sample] && of[slice] === coroutine[sample])
			calls[side[slice]]?.push(call[sample]);
	}
	return calls;
}

/* ------------------------------------------------------------------------
 * call trees
 */

/** A call of both sides: see model_change_node of the reader. */
export interface Node {
	samples: boolean;
	name: string;
	parent: number;
	own: [number, number];
	total: [number, number];
}

/** A tree of one side, nodes after those that they are in; its roots are in the label. */
interface Calls {
	n: number;
	parent(row: number): number;
	name(row: number): string;
	own(row: number): number;
	total(row: number): number;
}

/** Calls of one name within one call are one. */
export class Merged {
	readonly nodes: Node[] = [];
	private found = new Map<string, number>();

	constructor(private label: string) {}

	private node(samples: boolean, parent: number, name: string): number {
		const key = `${samples} ${parent} ${name}`;

		if (!this.found.has(key))
			this.found.set(key, this.nodes.push({ samples, name, parent, own: [0, 0], total: [0, 0] }) - 1);
		return this.found.get(key)!;
	}

	add(samples: boolean, side: 0 | 1, calls: Calls): void {
		const place = new Int32Array(calls.n);

		for (let row = 0; row < calls.n; row++) {
			const outermost = calls.parent(row) === NONE;
			const root = outermost ? this.node(samples, NONE, this.label) : NONE;
			const node = this.nodes[place[row] = this.node(samples, outermost ? root : place[calls.parent(row)], calls.name(row))];

			node.own[side] += calls.own(row);
			node.total[side] += calls.total(row);
			if (outermost)
				this.nodes[root].total[side] += calls.total(row);
		}
	}
}

/** The calls of a label in a tree; NONE: all of them. Figures are of its nodes. */
function callsOf(tree: Tree, label: number, name: (row: number) => string, own: ArrayLike<number>, total: ArrayLike<number>): Calls {
	const nodes = Array.from({ length: tree.n - tree.base }, (_, row) => tree.base + row).filter((node) => label === NONE || tree.label[node] === label);
	const place = new Map(nodes.map((node, at) => [node, at]));

	return {
		n: nodes.length, parent: (row) => place.get(tree.parent[nodes[row]]) ?? NONE, name: (row) => name(tree.name[nodes[row]]),
		own: (row) => own[nodes[row]], total: (row) => total[nodes[row]],
	};
}

export function sampledCalls(profile: Profile, { tree, own, total }: Samples, label = NONE): Calls {
	const functions = profile.tables.table("functions");

	return callsOf(tree, label, (row) => functions.title(row, asIs), own, total);
}

/* ------------------------------------------------------------------------
 * all of it
 */

/** Labels of the sides, and with these those of all slices. */
interface Relabelled {
	numbers: [number, number, number];
	label: Int32Array;
}

/** As the reader does: the rest keeps its label, and the others get labels of their own. */
function relabelled({ profile: { labels: { n }, timeline: { label } }, labels, side }: Divided): Relabelled {
	const numbers: Relabelled["numbers"] = [labels[0], n, n + 1];

	return { numbers, label: label.map((of, row) => side[row] === NONE ? of : numbers[side[row]]) };
}

function reportSpans({ profile, part }: Divided, { numbers, label }: Relabelled, figures: Figures, tree: Merged): void {
	const spans = spansBy(profile, label, part);

	if (typeof spans === "string") {
		figures.lacks.push(`spans: ${spans}`);
		return;
	}
	const { nodes, tree: all } = spans;
	const title = (of: number) => of === NONE ? "(not seen to end)" : profile.tables.table("spans").title(of, asIs);

	figures.spans(spans.byLabel.table, (of) => numbers[of]);
	for (const of of SIDES)
		tree.add(false, of, callsOf(all, numbers[of], title, all.lift(nodes.own_running), all.lift(nodes.running)));
	figures.lacks.push("counters of spans: the page has the times of each only");
}

function reportSamples(divided: Divided, figures: Figures, tree: Merged): void {
	const { profile, labels } = divided;
	const calls = holdsSamples(profile) ? sampleCalls(divided) : null;

	if (!calls) {
		figures.lacks.push(`functions: ${unheldSamples(profile) || "of some samples the table has no room for the coroutine"}`);
		return;
	}
	const parts = calls.map((side) => partOf(profile.samples!, side, NONE)) as [Samples, Samples];
	const { byLabel } = profile.samples!;
	const own = byLabel.table.column("own");
	const lost = summed([COUNTED, ...[...byLabel.label.keys()].filter((row) => labels.includes(byLabel.label[row])).map((row) => own.standing(row))]);

	figures.functions(parts, lost);
	for (const side of SIDES)
		tree.add(true, side, sampledCalls(profile, parts[side]));
}

function reportBeside(divided: Divided, { numbers, label }: Relabelled, figures: Figures): void {
	const { profile, profile: { labels, timeline, tables }, part, nr } = divided;
	const wakes = wakesIn(profile, part, label);
	const wakers = new Map<string, [number, number]>();
	const threads = tables.table("threads");
	const tool = labels.name.map((_, row) => isOutside(profile, row));
	const { sums, short } = divided.gapsWhy ? { sums: [], short: false } : holderSums(divided, (row) => timeline.label[row] !== NONE && tool[timeline.label[row]]);

	for (const { waker, woken, count } of wakes ?? []) {
		const name = waker === NONE ? "(no coroutine)" : labels.name[waker];
		const sum = wakers.get(name) ?? [0, 0];

		if (woken !== numbers[REST] && woken !== numbers[SLOW])
			continue;
		sum[woken === numbers[SLOW] ? SLOW : REST] += count;
		wakers.set(name, sum);
	}
	if (!wakes)
		figures.lacks.push("who woke them: some of the wakes are not in the page one by one");
	figures.sums("waker", "wakes/slice", wakers);
	figures.sums("thread", "on thread/slice", [...threadSums(divided)].filter(([, [rest, slow]]) => rest + slow !== nr[REST] + nr[SLOW])
		.map(([thread, sum]): [string, [number, number]] => [threads.title(thread, asIs), sum]));
	if (divided.gapsWhy)
		figures.lacks.push(`who held their threads while they were ready: ${divided.gapsWhy}`);
	else
		figures.sums("holder", "held while ready/slice", sums, true, short);
}

/** Once there are slices on both sides. */
export function report(divided: Divided): Reported {
	const figures = new Figures(divided);
	const { profile } = divided;
	const tree = new Merged(profile.labels.name[divided.labels[0]]);
	const sides = relabelled(divided);

	figures.states();
	figures.label();
	if (profile.spans)
		reportSpans(divided, sides, figures, tree);
	if (profile.samples)
		reportSamples(divided, figures, tree);
	reportBeside(divided, sides, figures);
	return { rows: figures.rows, lacks: figures.lacks, tree: tree.nodes };
}

/* ------------------------------------------------------------------------
 * tables
 */

/** By column: numbers with their standings, or texts. */
function derived(whole: Table, n: number, cells: Record<string, Cells>, na: number): Table {
	return derivedTable(whole, n, ({ is: { name } }) => cells[name] ?? { figures: new Float64Array(n), standing: new Uint8Array(n).fill(na) });
}

function wordOf(table: Table, column: string, word: string): number {
	return table.column(column).is.words!.indexOf(word);
}

function tableOf(profile: Profile, rows: Row[]): Table {
	const whole = profile.tables.table("slow");
	const [na, none] = [named("n/a"), named("none")];
	const side = (of: 0 | 1): Cells => ({ figures: rows.map(({ sides }) => sides[of].value), standing: rows.map(({ sides }) => sides[of].standing) });
	const changes = rows.map(({ sides: [{ value: rest, standing: one }, { value: slow, standing: other }] }) => {
		const standing = combined("change", other, one);

		return !hasValue(standing) ? { value: 0, standing } : rest ? { value: (slow - rest) / rest, standing } : { value: 0, standing: slow ? none : standing };
	});

	return derived(whole, rows.length, {
		name: { texts: rows.map(({ name }) => name) }, label: { texts: rows.map(({ label }) => label) }, figure: { texts: rows.map(({ figure }) => figure) },
		why: { texts: rows.map(({ why, verdict }) => why ?? (verdict ? null : DEPENDENT)) },
		of: { figures: rows.map(({ of }) => wordOf(whole, "of", of)) }, unit: { figures: rows.map(({ time }) => wordOf(whole, "unit", time ? "ns" : "number")) },
		rest: side(REST), slow: side(SLOW), change: { figures: changes.map(({ value }) => value), standing: changes.map(({ standing }) => standing) },
		verdict: { figures: rows.map(({ verdict }) => verdict ? wordOf(whole, "verdict", verdict) : 0), standing: rows.map(({ verdict }) => verdict ? COUNTED : na) },
	}, na);
}

function slowOf({ profile, labels, asked, time, above, nr, atLeast }: Divided): Table {
	const whole = profile.tables.table("slow_of");
	const standing = lacking(COUNTED, atLeast);
	const count = (number: number): Cells => ({ figures: [number], standing: [standing] });

	return derived(whole, 1, {
		label: { texts: [profile.labels.name[labels[0]]] }, of: { figures: [wordOf(whole, "of", "slices")] }, by: { texts: [asked.by] }, asked: { texts: [asked.above] },
		above: { figures: [above] }, unit: { figures: [wordOf(whole, "unit", time ? "ns" : "number")] },
		slow: count(nr[SLOW]), rest: count(nr[REST]), left_out: count(nr[2]),
		slow_share: { figures: [nr[SLOW] / (nr[SLOW] + nr[REST])], standing: [ratioOf(standing)] },
	}, named("n/a"));
}

export function treeOf({ profile, nr, atLeast }: Pick<Divided, "profile" | "atLeast"> & { nr: ArrayLike<number> }, nodes: Node[]): Table {
	const whole = profile.tables.table("slow_tree");
	const na = named("n/a");
	const { lost_samples: samples, lost_spans: spans, dropped_spans: dropped } = profile.recording;
	const standing = nodes.map((node) => lacking(COUNTED, atLeast || !!(node.samples ? samples : spans || dropped)));
	const cells: Record<string, Cells> = {
		of: { figures: nodes.map((node) => wordOf(whole, "of", node.samples ? "samples" : "spans")) },
		name: { texts: nodes.map(({ name }) => name) },
		parent: { figures: nodes.map(({ parent }) => parent), standing: nodes.map(({ parent }) => parent === NONE ? na : COUNTED) },
	};

	for (const [at, name] of [[REST, "rest"], [SLOW, "slow"]] as const) {
		cells[`${name}_own`] = { figures: nodes.map(({ own }) => own[at]), standing };
		cells[`${name}_total`] = { figures: nodes.map(({ total }) => total[at]), standing };
		cells[`${name}_slices`] = { figures: nodes.map(() => nr[at]), standing };
	}
	return derived(whole, nodes.length, cells, na);
}

export interface SlowTables {
	of: Table;
	figures: Table;
	tree: Table;
	lacks: string[];
}

/** As the reader makes them; of one side alone there is nothing to say. */
export function slowTables(divided: Divided): SlowTables {
	const { nr } = divided;
	const { rows, lacks, tree } = nr[REST] && nr[SLOW] ? report(divided) : { rows: [], lacks: [], tree: [] };

	return { of: slowOf(divided), figures: tableOf(divided.profile, rows), tree: treeOf(divided, tree), lacks };
}
