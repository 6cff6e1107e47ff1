// SPDX-License-Identifier: GPL-2.0
/* What a flame graph draws: nodes, how wide they are, what is beside them, and what is said of them. */

import { Calls, callTip, shareText, Weight } from "./calls";
import { labelName } from "./columns";
import { Tip } from "./dom";
import { NONE, Profile } from "./profile";
import { inverted, Regrouped, sandwich, topDown } from "./regroup";
import { Shape } from "./store";
import { ROOT, Tree } from "./tree";

export interface Graph {
	/** Of graphs with the same one, nodes have the same numbers. */
	nodes: Tree | Regrouped;
	/** How many rows it can have, where that is known before it is drawn. */
	rows?: number;
	parent(node: number): number;
	/** Rows from the root; those of callers, drawn above it, are below 0. */
	depth(node: number): number;
	width(node: number): number;
	children(node: number): ArrayLike<number>;
	/** Of a function in the middle. */
	callers(node: number): ArrayLike<number>;
	isCall(node: number): boolean;
	/** NONE: of several. */
	label(node: number): number;
	/** What it is a call of, NONE if that is not known. */
	of(node: number): number;
	name(node: number): string;
	/** What it weighs. */
	show(node: number): string;
	tip(node: number): Tip;
}

/** The calls as they are, each label's apart. */
export function wholeGraph(profile: Profile, calls: Calls, weight: Weight): Graph {
	const { tree } = calls;
	const width = tree.widths(weight.of);

	tree.sort(width);
	return {
		nodes: tree, rows: 1 + tree.depth.reduce((most, depth) => Math.max(most, depth), 0),
		parent: (node) => tree.parent[node], depth: (node) => tree.depth[node], width: (node) => width[node],
		children: (node) => tree.children(node), callers: () => [],
		isCall: (node) => tree.row(node) !== NONE, label: (node) => tree.label[node], of: (node) => tree.name[node],
		name: calls.name, show: weight.show, tip: (node) => callTip(profile, calls, weight, node),
	};
}

/** Calls put together; of those of a label, or of all. @of: the function in the middle. */
export function regroup({ tree }: Calls, { of: total, own, standing }: Weight, shape: Shape, label: number, of: number): Regrouped {
	const figures = { total, own, width: tree.widths(total), standing };

	return shape === "sandwich" ? sandwich(tree, figures, label, of)
		: shape === "merged" ? topDown(tree, figures, label) : inverted(tree, figures, label, shape === "inverted-labels");
}

export function regroupedGraph(profile: Profile, calls: Calls, weight: Weight, nodes: Regrouped): Graph {
	const name = (node: number) => nodes.isCall[node] ? calls.nameOf(nodes.name[node])
		: node === ROOT && nodes.label[node] === NONE ? calls.whole : labelName(profile, nodes.label[node]);
	const show = (node: number) => weight.text(nodes.sum[node]);
	const share = (node: number) => nodes.sum[node].value / nodes.sum[ROOT].value;

	return {
		nodes, name, show,
		parent: (node) => nodes.parent[node], depth: (node) => nodes.depth[node], width: (node) => nodes.width[node],
		children: (node) => nodes.children(node), callers: (node) => nodes.callers(node),
		isCall: (node) => nodes.isCall[node], label: (node) => nodes.label[node], of: (node) => nodes.name[node],
		tip(node) {
			const about = nodes.isCall[node] ? calls.about(nodes.name[node]) : {};

			return {
				head: name(node), note: about.note,
				rows: [[weight.title, show(node)],
					...node === ROOT || Number.isNaN(share(node)) ? [] : [[`share of ${name(ROOT)}`, shareText(nodes.sum[node], nodes.sum[ROOT])] as [string, string]],
					...about.rows ?? []],
			};
		},
	};
}
