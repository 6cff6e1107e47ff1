// SPDX-License-Identifier: GPL-2.0
/*
 * Spans of what is chosen, of those that the page has one by one. A span is of a time if it
 * ended in it, whole, as with --from and --to of the reader, and of a thread if it ended
 * there. Which spans it had in it is known of those of the time: one that began before the
 * time may have had more, and so has at most what is said to be its own.
 */

import { isIn } from "./clip";
import * as format from "./format";
import { FOLDED, gapsOf, shareGaps, SUMS } from "./gaps";
import { seek } from "./lanes";
import { Part, quantile } from "./durations";
import { Cells, derivedTable } from "./derived";
import { instantsOf } from "./instants";
import { keepsOf } from "./scope";
import { needed, NONE, Profile, Spans } from "./profile";
import { COUNTED, exceeding, lacking, lengthStanding, named } from "./standings";
import { Tree } from "./tree";

const WHOLE: Part = { from: 0, to: Infinity, selected: null, only: null };
const LOST = "Not known: spans were lost, and it is not known in which others they were.";
const OTHER = "Not known: the spans that the page has one by one do not add up to those of the recording.";
const ENDED = "of those that ended in what is chosen, all of each, even if it began before";
const AT_MOST = "what it had in it is known of spans that ended in the time in view: of one that began before, it is at most so much";
const SHARES: Record<string, number> = { p50: 0.5, p90: 0.9, p99: 0.99, p99_9: 0.999, longest: 1 };

/** The label, or thread, of a span that the page can't know. */
const UNKNOWN = -2;

/** Why the page has not all spans one by one; "": it has. */
function shortOf({ recording: { timeline_spans_least: least, folded_coroutines: folded } }: Profile, all: boolean): string {
	return all ? "" : least ? `Not known: of spans shorter than ${format.time(least)} the page has sums only. The command beside "time" makes a page of this time.`
		: folded ? FOLDED : OTHER;
}

class SingleSpans {
	/** Spans of each coroutine, as they ended: of those that ended together, the inner ones first. */
	readonly byCoroutine: Uint32Array[];
	/** How many there are of each name. */
	readonly times: Uint32Array;

	constructor(private profile: Profile) {
		const { timelineSpans: { n, coroutine, span, depth, end }, spans } = profile;
		const order = Uint32Array.from({ length: n }, (_, row) => row)
			.sort((a, b) => coroutine[a] - coroutine[b] || end[a] - end[b] || depth[b] - depth[a] || a - b);

		this.times = new Uint32Array(spans!.spans.n);
		this.byCoroutine = [];
		for (let lo = 0, hi = 0; lo < n; lo = hi) {
			while (hi < n && coroutine[order[hi]] === coroutine[order[lo]])
				this.times[span[order[hi++]]]++;
			this.byCoroutine.push(order.subarray(lo, hi));
		}
	}

	/** Of the slices of a coroutine that the page has, the place of the first that ended then or later. */
	private placeFrom(slices: Uint32Array, time: number): number {
		return seek(this.profile.timeline, slices, 0, slices.length, Math.ceil(time) - 1);
	}

	/** That it ended on. */
	thread(row: number): number {
		const { timelineSpans: { coroutine, end }, timeline: { begin, thread } } = this.profile;
		const slices = gapsOf(this.profile).lanes.slicesOf(coroutine[row]);
		const slice = slices[this.placeFrom(slices, end[row])];

		return slice !== undefined && gapsOf(this.profile).placed[slice] && begin[slice] <= end[row] ? thread[slice] : UNKNOWN;
	}

	/** Of a coroutine, when it is at a time in a window, of which the slices in it are known; NONE: of none. */
	label(coroutine: number, time: number, part: Part): number {
		const { coroutines: c, timeline: { begin, end, label }, words } = this.profile;
		const slices = gapsOf(this.profile).lanes.slicesOf(coroutine);
		const inWindow = (slice: number) => isIn(this.profile, part, begin[slice], end[slice]);
		const last = this.placeFrom(slices, part.to);
		const before = slices[slices[last] !== undefined && inWindow(slices[last]) ? last : last - 1];
		const here = before !== undefined && inWindow(before);

		if (gapsOf(this.profile).hasAll(coroutine)) {
			const slice = slices[this.placeFrom(slices, time)];

			return slice !== undefined && inWindow(slice) ? label[slice] : here ? label[before] : NONE;
		}
		return !(c.flags[coroutine] & words.coroutine.renamed) &&
			(c.last[coroutine] > part.from && c.last[coroutine] <= part.to || here && gapsOf(this.profile).placed[before]) ? c.label[coroutine] : UNKNOWN;
	}
}

const singles = new WeakMap<Profile, SingleSpans>();

function singlesOf(profile: Profile): SingleSpans {
	if (!singles.has(profile))
		singles.set(profile, new SingleSpans(profile));
	return singles.get(profile)!;
}

/** Whether a span fits what is chosen: no, yes, or not known. */
function fits(profile: Profile, row: number, part: Part): boolean | undefined {
	const { timelineSpans: { coroutine, end }, until } = profile;
	const { from, to, selected, only } = part;

	if (end[row] < from || end[row] >= to && to < until || !keepsOf(profile, only).coroutine(coroutine[row]))
		return false;
	const thread = only?.kind === "thread" ? singlesOf(profile).thread(row) : NONE;

	if (only?.kind === "thread" && thread !== only.index)
		return thread === UNKNOWN ? undefined : false;
	if (!selected || selected.kind === "coroutine")
		return !selected || coroutine[row] === selected.index;
	const of = selected.kind === "thread" ? singlesOf(profile).thread(row) : singlesOf(profile).label(coroutine[row], end[row], part);

	return of === UNKNOWN ? undefined : of === selected.index;
}

/* ------------------------------------------------------------------------
 * how long they took
 */

/** Of each name how long each took, in order, or why that is not known. */
export function spanLengths(profile: Profile, part: Part): (number[] | string)[] {
	const { timelineSpans: { n, span, wall }, spans } = profile;
	const { times } = singlesOf(profile);
	const found = Array.from(spans!.spans.calls, (calls, of): number[] | string => shortOf(profile, times[of] === calls) || []);

	for (let row = 0; row < n; row++) {
		const lengths = found[span[row]];
		const fit = typeof lengths !== "string" && fits(profile, row, part);

		if (fit === undefined)
			found[span[row]] = SUMS;
		else if (fit)
			(lengths as number[]).push(wall[row]);
	}
	for (const lengths of found)
		if (typeof lengths !== "string")
			lengths.sort((a, b) => a - b);
	return found;
}

/* ------------------------------------------------------------------------
 * spans within spans
 */

/** Calls of one span within the same others; NONE for its name: of those that no one saw end. */
interface Node {
	parent: number;
	label: number;
	span: number;
	calls: number;
	wall: number;
	running: number;
	/** What the spans right in these calls had. */
	insideWall: number;
	insideRunning: number;
	atMost: boolean;
	/** Of the calls. */
	rows: number[];
}

class Nested {
	readonly nodes: Node[] = [];
	/** Some of it the page can't know. */
	unknown = false;
	private found = new Map<string, number>();
	private single: SingleSpans;

	constructor(private profile: Profile, private part: Part) {
		this.single = singlesOf(profile);
		for (const spans of this.single.byCoroutine)
			this.add(spans.filter((row) => fits(profile, row, { ...part, selected: null, only: null })));
		this.sumUp();
	}

	/** What is the parent of each, by its place; if it has none although it was in one, when that was known. */
	private parents(rows: Uint32Array): { parent: Int32Array; orphaned: Float64Array } {
		const { depth, end } = this.profile.timelineSpans;
		const { spanBegin } = instantsOf(this.profile);
		const parent = new Int32Array(rows.length).fill(NONE);
		const orphaned = new Float64Array(rows.length).fill(NaN);
		const pending: number[] = [];

		rows.forEach((row, at) => {
			while (pending.length && depth[rows[pending[pending.length - 1]]] > depth[row]) {
				const inner = pending.pop()!;

				if (spanBegin[rows[inner]] >= spanBegin[row])
					parent[inner] = at;
				else
					orphaned[inner] = end[row];
			}
			pending.push(at);
		});
		for (const at of pending)
			if (depth[rows[at]])
				orphaned[at] = Infinity;
		return { parent, orphaned };
	}

	/** The spans of a coroutine, as they ended. */
	private add(rows: Uint32Array): void {
		const { coroutine, end } = this.profile.timelineSpans;
		const chosen = Array.from(rows, (row) => this.isChosen(row));
		const wanted = [...chosen];
		const { parent, orphaned } = this.parents(rows);
		const nodes = new Int32Array(rows.length);

		parent.forEach((outer, at) => {
			if (outer !== NONE)
				wanted[outer] ||= wanted[at];
		});
		for (let at = rows.length - 1; at >= 0; at--) {
			const outer = parent[at];

			if (outer !== NONE && chosen[outer])
				this.addInside(this.nodes[nodes[outer]], rows[at]);
			if (!wanted[at])
				continue;
			const alone = !Number.isNaN(orphaned[at]);
			const label = outer === NONE ? this.labelOf(coroutine[rows[at]], alone ? orphaned[at] : end[rows[at]]) : this.nodes[nodes[outer]].label;
			const above = outer !== NONE ? nodes[outer] : alone ? this.node(NONE, label, NONE) : NONE;

			nodes[at] = this.node(above, label, this.profile.timelineSpans.span[rows[at]]);
			if (chosen[at])
				this.addCall(this.nodes[nodes[at]], rows[at]);
		}
	}

	/** A label is a part of what is shown, beside the others. */
	private isChosen(row: number): boolean {
		const { part, part: { selected } } = this;
		const fit = fits(this.profile, row, selected?.kind === "label" ? { ...part, selected: null } : part);

		this.unknown ||= fit === undefined;
		return !!fit;
	}

	private labelOf(coroutine: number, time: number): number {
		const label = this.single.label(coroutine, time, this.part);

		this.unknown ||= label === UNKNOWN;
		return label;
	}

	/** The node of these calls, if there are any. */
	find(parent: number, label: number, span: number): number | undefined {
		return this.found.get(`${parent} ${label} ${span}`);
	}

	private node(parent: number, label: number, span: number): number {
		const key = `${parent} ${label} ${span}`;

		if (!this.found.has(key))
			this.found.set(key, this.nodes.push({
				parent, label, span, calls: 0, wall: 0, running: 0, insideWall: 0, insideRunning: 0, atMost: false, rows: [],
			}) - 1);
		return this.found.get(key)!;
	}

	private addCall(node: Node, row: number): void {
		const { timelineSpans: { wall, running, coroutine }, coroutines: { first } } = this.profile;

		node.calls++;
		node.wall += wall[row];
		node.running += running[row];
		node.rows.push(row);
		node.atMost ||= instantsOf(this.profile).spanBegin[row] < Math.max(this.part.from, first[coroutine[row]]);
	}

	private addInside(node: Node, row: number): void {
		const { wall, running } = this.profile.timelineSpans;

		node.insideWall += wall[row];
		node.insideRunning += running[row];
	}

	/** What has no calls that are chosen has what is in it. */
	private sumUp(): void {
		for (let at = this.nodes.length - 1; at >= 0; at--) {
			const { parent, wall, running } = this.nodes[at];

			if (parent !== NONE && !this.nodes[parent].calls) {
				this.nodes[parent].wall += wall;
				this.nodes[parent].running += running;
			}
		}
	}

	isOutermost(at: number): boolean {
		for (let above = this.nodes[at].parent; above !== NONE; above = this.nodes[above].parent)
			if (this.nodes[above].span === this.nodes[at].span)
				return false;
		return true;
	}

	/** Labels that are shown even if they have none. */
	labels(): number[] {
		const { part: { selected }, profile: { coroutines } } = this;
		const label = selected?.kind === "label" ? selected.index : selected?.kind === "coroutine" ? coroutines.label[selected.index] : NONE;

		return label === NONE ? [] : [label];
	}
}

const own = (all: number, inside: number) => Math.max(0, all - inside);

/** Whether the recording lacks calls of a span. */
function lacks({ spans }: Profile, span: number): boolean {
	return span !== NONE && spans!.spans.table.column("calls").standing(span) > 0;
}

/** Figures of rows of a table, each a sum over nodes. */
class Sums {
	private figures = new Map<string, Float64Array>();
	private bound: Uint8Array;

	/** @span: of a row, NONE: of none. */
	constructor(private profile: Profile, private n: number, private span: (row: number) => number) {
		for (const name of ["calls", "outermost", "running", "own_running", "wall", "own_wall"])
			this.figures.set(name, new Float64Array(n));
		this.bound = new Uint8Array(n);
	}

	add(row: number, node: Node, outermost: boolean): void {
		const put = (name: string, figure: number) => { this.figures.get(name)![row] += figure; };

		put("calls", node.calls);
		put("own_running", node.calls && own(node.running, node.insideRunning));
		put("own_wall", node.calls && own(node.wall, node.insideWall));
		if (node.atMost)
			this.bound[row] = 1;
		if (!outermost)
			return;
		put("outermost", node.calls);
		put("running", node.running);
		put("wall", node.wall);
	}

	cells(name: string): Cells | null {
		const figures = this.figures.get(name);

		return figures ? { figures, standing: this.standings(name), says: name.startsWith("own_") ? AT_MOST : ENDED }
			: { figures: new Float64Array(this.n).fill(NaN), standing: new Uint8Array(this.n).fill(named("n/a")) };
	}

	/** As the reader has them: of a span of which the whole recording lacks some, a part may. */
	private standings(name: string): Uint8Array {
		return this.bound.map((bound, row) => {
			const part = lacks(this.profile, this.span(row));
			const more = name === "outermost" ? part : bound > 0 && name.startsWith("own_");

			return lacking(exceeding(COUNTED, more), part);
		});
	}

	of(name: string): Float64Array {
		return this.figures.get(name)!;
	}

	isBound(row: number): boolean {
		return !!this.bound[row];
	}
}

function nodeSums(profile: Profile, { nodes }: Nested): Sums {
	const sums = new Sums(profile, nodes.length, (row) => nodes[row].span);

	nodes.forEach((node, at) => sums.add(at, node, true));
	return sums;
}

/** The reader has the same of the whole recording. */
function addsUp(profile: Profile): boolean {
	const { nodes, tree } = profile.spans!;
	const all = new Nested(profile, WHOLE);
	const sums = nodeSums(profile, all);
	const place = new Int32Array(nodes.n);
	const own = nodes.table.column("own_wall");
	const bounds = [exceeding(COUNTED), lacking(exceeding(COUNTED))];

	if (all.unknown || all.nodes.length !== nodes.n)
		return false;
	for (let row = 0; row < nodes.n; row++) {
		const parent = tree.row(tree.parent[tree.base + row]);
		const at = all.find(parent === NONE ? NONE : place[parent], tree.label[tree.base + row], tree.name[tree.base + row]);

		if (at === undefined || ["calls", "wall", "running", "own_wall", "own_running"].some((name) =>
			sums.of(name)[at] !== nodes[name as "calls"][row]) || sums.isBound(at) !== bounds.includes(own.standing(row)))
			return false;
		place[row] = at;
	}
	return true;
}

const whys = new WeakMap<Profile, string>();

/** Why the page can't know the spans of a part; "": it can. */
function unheld(profile: Profile): string {
	const { recording: { lost_spans: lost, dropped_spans: dropped }, timelineSpans: { n }, spans } = profile;

	if (!whys.has(profile))
		whys.set(profile, lost || dropped ? LOST
			: shortOf(profile, n === spans!.spans.calls.reduce((a, b) => a + b, 0)) || (addsUp(profile) ? "" : OTHER));
	return whys.get(profile)!;
}

function derivedOf(profile: Profile, nested: Nested): Spans {
	const { spans: { table }, byLabel: { table: ofLabel }, nodes: { table: ofNodes } } = profile.spans!;
	const { nodes } = nested;
	const bySpan = new Sums(profile, table.n, (row) => row);
	const pairs = new Map<string, [number, number]>();

	for (const { label, span } of nodes)
		if (span !== NONE && label !== NONE)
			pairs.set(`${label} ${span}`, [label, span]);
	const keys = [...pairs.keys()];
	const inLabels = new Sums(profile, pairs.size, (row) => pairs.get(keys[row])![1]);
	const row = new Map(keys.map((key, at) => [key, at]));
	const lengths = Array.from({ length: table.n }, (): number[] => []);

	nodes.forEach((node, at) => {
		if (node.span === NONE || !node.calls)
			return;
		const outermost = nested.isOutermost(at);

		bySpan.add(node.span, node, outermost);
		if (node.label !== NONE)
			inLabels.add(row.get(`${node.label} ${node.span}`)!, node, outermost);
		lengths[node.span].push(...node.rows.map((at) => profile.timelineSpans.wall[at]));
	});
	for (const of of lengths)
		of.sort((a, b) => a - b);
	const rows = (place: number) => Int32Array.from(keys, (key) => pairs.get(key)![place]);
	const references: Record<string, Int32Array> = { label: rows(0), span: rows(1) };
	const quantiles = (share: number): Cells => ({ figures: lengths.map((of) => quantile(of, share)), says: ENDED,
		standing: lengths.map((of, span) => !of.length ? named("n/a") : lengthStanding(lacking(COUNTED, lacks(profile, span)), share)) });
	const sums = nodeSums(profile, nested);

	return {
		spans: needed("spans", derivedTable(table, table.n, ({ is: { name, texts, refers } }) =>
			texts || refers ? null : name in SHARES ? quantiles(SHARES[name]) : bySpan.cells(name))),
		byLabel: needed("label_spans", derivedTable(ofLabel, pairs.size, ({ is: { name } }) =>
			references[name] ? { figures: references[name] } : inLabels.cells(name))),
		nodes: needed("span_tree", derivedTable(ofNodes, nodes.length, ({ is: { name } }) => sums.cells(name))),
		tree: new Tree(Int32Array.from(nodes, ({ parent }) => parent), Int32Array.from(nodes, ({ label }) => label),
			Int32Array.from(nodes, ({ span }) => span), nested.labels()),
		part: true,
	};
}

/** Of slices that have other labels, as if they were those of the recording; or why the page can't know them. */
export function spansBy(profile: Profile, label: Int32Array, part: Part): Spans | string {
	const like = Object.create(profile, { timeline: { value: Object.create(profile.timeline, { label: { value: label } }) } }) as Profile;
	const why = unheld(profile) || (gapsOf(profile).hasEvery ? "" : SUMS);

	if (why)
		return why;
	shareGaps(profile, like);
	const nested = new Nested(like, part);

	return nested.unknown ? SUMS : derivedOf(like, nested);
}

const derived = new WeakMap<Profile, { key: string; of: Spans | string }>();

/** Those of what is chosen; or why the page can't know them. The last ones are kept. */
export function spansOf(profile: Profile, { from, to, selected, only }: Part): Spans | string {
	const key = JSON.stringify([from, to, selected, only]);

	if (derived.get(profile)?.key !== key) {
		const why = unheld(profile);
		const nested = why ? null : new Nested(profile, { from, to, selected, only });

		derived.set(profile, { key, of: !nested ? why : nested.unknown ? SUMS : derivedOf(profile, nested) });
	}
	return derived.get(profile)!.of;
}
