// SPDX-License-Identifier: GPL-2.0
/* How many samples each call and each function has: of all of them, or of a part. */

import { NONE, Samples } from "./profile";
import { Tree } from "./tree";

/** Functions, and for each how many samples it has: in itself, and on the stack, each once. */
export interface FunctionSums {
	of: ArrayLike<number>;
	own: ArrayLike<number>;
	total: ArrayLike<number>;
}

/** Of the samples that were in @calls, rows of the tree: the tree has those calls alone, and @label whether or not it has any. */
export function partOf(samples: Samples, calls: number[], label: number): Samples {
	const { tree } = samples;
	const own = new Float64Array(tree.n);

	for (const call of calls)
		own[tree.base + call]++;
	const total = tree.sumUp(own);
	const kept: number[] = [];
	const place = new Int32Array(tree.n).fill(NONE);

	for (let node = tree.base; node < tree.n; node++)
		if (total[node])
			place[node] = kept.push(node) - 1;
	const parent = Int32Array.from(kept, (node) => place[tree.parent[node]]);
	const [labels, names] = [tree.label, tree.name].map((of) => Int32Array.from(kept, (node) => of[node]));
	const part = new Tree(parent, labels, names, label === NONE ? [] : [label]);
	const lifted = part.lift(Float64Array.from(kept, (node) => own[node]));

	return { ...samples, tree: part, own: lifted, total: part.sumUp(lifted), part: true };
}

/** A function that is on the stack more than once has a sample once. */
function isOutermost({ parent, name, base }: Tree, node: number): boolean {
	for (let above = parent[node]; above >= base; above = parent[above])
		if (name[above] === name[node])
			return false;
	return true;
}

function summed({ functions, tree, own, total }: Samples, label: number): FunctionSums {
	const sums = { own: new Float64Array(functions.n), total: new Float64Array(functions.n) };

	for (let node = tree.base; node < tree.n; node++) {
		const of = tree.name[node];

		if (label !== NONE && tree.label[node] !== label)
			continue;
		sums.own[of] += own[node];
		sums.total[of] += isOutermost(tree, node) ? total[node] : 0;
	}
	const of = [...sums.total.keys()].filter((row) => sums.total[row]);

	return { of, own: of.map((row) => sums.own[row]), total: of.map((row) => sums.total[row]) };
}

/** Of one label, or NONE: of all. */
export function functionSums(samples: Samples, label: number): FunctionSums {
	const { functions, byLabel, part } = samples;

	if (part)
		return summed(samples, label);
	if (label === NONE)
		return { of: [...functions.own.keys()], own: functions.own, total: functions.total };
	const rows = [...byLabel.label.keys()].filter((row) => byLabel.label[row] === label);

	return { of: rows.map((row) => byLabel.function[row]), own: rows.map((row) => byLabel.own[row]), total: rows.map((row) => byLabel.total[row]) };
}
