// SPDX-License-Identifier: GPL-2.0
/*
 * Calls put together by what they are calls of, whatever label they are in: from
 * the outermost to those in them, from what was at work to what it was called
 * by, or both ways from one function.
 *
 * A node stands for calls of a tree, its members. What is below a node is made
 * when it is first asked for: inverted, a tree can have many more nodes than it has.
 */

import { combined, named } from "./standings";
import { ROOT, Tree } from "./tree";

const NONE = -1;

/** What the calls of a tree weigh; NaN: not known. */
export interface Figures {
	/** With the calls in it, and without. */
	total: Float64Array;
	own: Float64Array;
	/** How wide to draw what has this total: see Tree.widths(). */
	width: Float64Array;
	/** How far a total, or an own figure, can be relied on. */
	standing(node: number, own: boolean): number;
}

/** A sum, NaN if nothing of it is known, and how far it can be relied on. */
export class Sum {
	constructor(public value = NaN, public standing = named("none")) {}

	add(value: number, standing: number): void {
		this.standing = combined("sum", this.standing, standing);
		if (!Number.isNaN(value))
			this.value = (this.value || 0) + value;
	}
}

/** A call that a node stands for; from a caller's side, with what of it was called from there. */
interface Member {
	at: number;
	weight: number;
	width: number;
	sure: number;
}

type Side = "callees" | "callers";

export class Regrouped {
	/** NONE for the root. */
	readonly parent: number[] = [];
	/** NONE for nodes of no call, and for calls not known by name. */
	readonly name: number[] = [];
	readonly isCall: boolean[] = [];
	/** NONE: of several. */
	readonly label: number[] = [];
	/** Callers of the function in the middle have depths below 0. */
	readonly depth: number[] = [];
	readonly width: number[] = [];
	readonly sum: Sum[] = [];
	private members: Member[][] = [];
	private side: Side[] = [];
	private made = new Map<string, number[]>();

	constructor(private tree: Tree, private figures: Figures, label: number, members: Member[], side: Side,
		private split: boolean, middle = NONE) {
		this.add(NONE, middle, middle !== NONE, label, 0, side, members);
	}

	/** Those right below a node, further from the root, those that are widest first. */
	children(node: number): number[] {
		return this.next(node, this.side[node]);
	}

	/** Those that the function in the middle was called by; none of other nodes. */
	callers(node: number): number[] {
		return node === ROOT && this.isCall[ROOT] ? this.next(ROOT, "callers") : [];
	}

	/** What the function in the middle has in itself: not in what it calls. */
	itself(): Sum {
		const sum = new Sum();

		for (const { at } of this.members[ROOT])
			sum.add(this.figures.own[at], this.figures.standing(at, true));
		return sum;
	}

	/** What of the function in the middle was called by none. */
	uncalled(): Sum {
		const sum = new Sum();

		for (const { at, weight, sure } of this.members[ROOT])
			if (this.tree.row(this.tree.parent[at]) === NONE)
				sum.add(weight, sure);
		return sum;
	}

	private next(node: number, side: Side): number[] {
		const key = `${side} ${node}`;
		let below = this.made.get(key);

		if (!below) {
			below = this.expand(node, side);
			this.made.set(key, below);
		}
		return below;
	}

	private expand(node: number, side: Side): number[] {
		const labels = this.split && node === ROOT;
		const groups = new Map<number, Member[]>();

		for (const member of this.beside(node, side)) {
			const key = labels ? this.tree.label[member.at] : this.tree.name[member.at];
			const group = groups.get(key);

			if (group)
				group.push(member);
			else
				groups.set(key, [member]);
		}
		const depth = this.depth[node] + (side === "callers" && this.isCall[ROOT] ? -1 : 1);
		const nodes = [...groups].map(([key, members]) => this.add(node, labels ? NONE : key, !labels,
			labels ? key : this.label[node], depth, side, members));

		return nodes.sort((a, b) => this.width[b] - this.width[a] || a - b);
	}

	/** The calls one step further on that side, each once; those of a node of no call are its own. */
	private beside(node: number, side: Side): Iterable<Member> {
		const members = this.members[node];

		return !this.isCall[node] ? members : side === "callers" ? this.above(members) : this.below(members);
	}

	private *below(members: Member[]): Iterable<Member> {
		for (const { at } of members)
			for (const child of this.tree.children(at))
				yield totalOf(this.figures, child);
	}

	private above(members: Member[]): Iterable<Member> {
		const { tree } = this;
		const found = new Map<number, Member>();

		for (const { at, weight, width, sure } of members) {
			const parent = tree.parent[at];
			const known = found.get(parent);

			if (known) {
				known.weight += weight;
				known.width += width;
				known.sure = combined("sum", known.sure, sure);
			} else if (tree.row(parent) !== NONE) {
				found.set(parent, { at: parent, weight, width, sure });
			}
		}
		return found.values();
	}

	private add(parent: number, name: number, isCall: boolean, label: number, depth: number, side: Side, members: Member[]): number {
		const sum = new Sum();
		let width = 0;

		for (const member of members) {
			sum.add(member.weight, member.sure);
			width += member.width;
		}
		this.side.push(side);
		this.members.push(members);
		this.parent.push(parent);
		this.name.push(name);
		this.isCall.push(isCall);
		this.label.push(label);
		this.depth.push(depth);
		this.sum.push(sum);
		return this.width.push(width) - 1;
	}
}

function totalOf({ total, width, standing }: Figures, at: number): Member {
	return { at, weight: total[at], width: width[at], sure: standing(at, false) };
}

/** Calls in a label's coroutines, NONE: in all. */
function* callsIn(tree: Tree, label: number): Iterable<number> {
	for (let node = tree.base; node < tree.n; node++)
		if (label === NONE || tree.label[node] === label)
			yield node;
}

/** From the outermost calls to those in them. */
export function topDown(tree: Tree, figures: Figures, label: number): Regrouped {
	const members = [...callsIn(tree, label)].filter((node) => tree.parent[node] < tree.base)
		.map((node) => totalOf(figures, node));

	return new Regrouped(tree, figures, label, members, "callees", false);
}

/** From what was at work to what it was called by, each with what it had in itself. */
export function inverted(tree: Tree, figures: Figures, label: number, split: boolean): Regrouped {
	const members: Member[] = [];

	for (const at of callsIn(tree, label)) {
		const weight = figures.own[at];

		if (weight !== 0)
			members.push({ at, weight, width: Math.max(weight || 0, 0), sure: figures.standing(at, true) });
	}
	return new Regrouped(tree, figures, label, members, "callers", split);
}

/**
 * Both ways from one function. Its calls within calls of itself are among what
 * those call, and counted with them: once.
 */
export function sandwich(tree: Tree, figures: Figures, label: number, of: number): Regrouped {
	const inside = new Uint8Array(tree.n);
	const members: Member[] = [];

	for (const at of callsIn(tree, label)) {
		const within = inside[tree.parent[at]];

		inside[at] = within | Number(tree.name[at] === of);
		if (inside[at] && !within)
			members.push(totalOf(figures, at));
	}
	return new Regrouped(tree, figures, label, members, "callees", false, of);
}
