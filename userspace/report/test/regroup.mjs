// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that are put together keep their sums: regroup.mjs MODULES READER, where
 * MODULES is the folder that holds node_modules, and READER is coroprof-read.
 */
import assert from "node:assert/strict";
import { finish, test } from "../../../tests/e2e/tap.mjs";
import { dataOf, load } from "./load.mjs";

const { Tree, topDown, inverted, sandwich, partOf, functionSums, followStandings, named } = await load("./regroup", "./tree", "./sampled", "./standings");
const { standings, combine } = dataOf();

followStandings(standings, combine);

const [COUNTED, SCALED, NA] = ["counted", "scaled", "n/a"].map(named);
const ALL = -1;
const LABELS = 3;
const NAMES = 5;
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** The same numbers each time. */
function random(seed) {
	let state = seed;

	return (below) => {
		state = (state * 1103515245 + 12345) % 2147483648;
		return Math.floor(state / 65536) % below;
	};
}

/** Rows are [parent, label, name, own]. */
function profile(rows, standing = () => COUNTED) {
	const column = (at, Type = Int32Array) => Type.from(rows, (row) => row[at]);
	const tree = new Tree(column(0), column(1), column(2));
	const own = tree.lift(column(3, Float64Array));
	const total = tree.sumUp(own.map((value) => value || 0));

	return { tree, figures: { own, total, width: tree.widths(total), standing } };
}

/** Trees deep enough that each function is often within itself. */
function made(seed) {
	const pick = random(seed);
	const rows = [];

	for (let label = 0; label < LABELS; label++)
		for (let first = rows.length, i = 0; i < 120; i++)
			rows.push([pick(6) && i ? first + pick(i) : -1, label, pick(NAMES), pick(3) ? pick(1000) : 0]);
	return profile(rows);
}

/** Calls in a label's coroutines. */
function calls({ tree }, label) {
	return [...Array(tree.n).keys()].filter((node) => node >= tree.base && (label === ALL || tree.label[node] === label));
}

/** Names of the calls a call is in, itself first. */
function stack(tree, node) {
	return node < tree.base ? [] : [tree.name[node], ...stack(tree, tree.parent[node])];
}

function outermost(tree, node, name) {
	const [own, ...around] = stack(tree, node);

	return own === name && !around.includes(name);
}

const values = (graph, nodes) => nodes.map((node) => graph.sum[node].value);

/** Each node and all that is below, as names from the root to it. */
function everything(graph, node = 0, path = []) {
	return [[path, graph.sum[node].value], ...graph.children(node).flatMap((child) =>
		everything(graph, child, [...path, graph.name[child]]))];
}

/** What each path of names should have: @paths gives the path of each call, and what it has there. */
function expected(paths) {
	const sums = new Map();

	for (const [path, value] of paths)
		for (let length = 0; length <= path.length && value; length++) {
			const key = path.slice(0, length).join(" ");

			sums.set(key, (sums.get(key) ?? 0) + value);
		}
	return [...sums].sort();
}

const found = (graph) => everything(graph).filter(([, value]) => value).map(([path, value]) => [path.join(" "), value]).sort();

for (const seed of [1, 2, 3])
	for (const label of [ALL, 1]) {
		const given = made(seed);
		const { tree, figures } = given;
		const { own, total } = figures;
		const within = calls(given, label);
		const whole = total[label === ALL ? 0 : tree.ofLabel(label)];
		const what = `trees ${seed}, ${label === ALL ? "all labels" : "one label"}`;

		await test(`regroup: ${what}: own sums, inverted roots and the top-down root are the same`, () => {
			const roots = inverted(tree, figures, label, false);

			assert.ok(whole > 0);
			assert.equal(sum(within.map((node) => own[node])), whole);
			assert.equal(roots.sum[0].value, whole);
			assert.equal(sum(values(roots, roots.children(0))), whole);
			assert.equal(topDown(tree, figures, label).sum[0].value, whole);
		});

		await test(`regroup: ${what}: every path top-down has what is in it`, () =>
			assert.deepEqual(found(topDown(tree, figures, label)),
				expected(within.map((node) => [stack(tree, node).reverse(), own[node]]))));

		await test(`regroup: ${what}: every path inverted has what was at work at its begin`, () =>
			assert.deepEqual(found(inverted(tree, figures, label, false)),
				expected(within.map((node) => [stack(tree, node), own[node]]))));

		await test(`regroup: ${what}: inverted by label, each label has its own`, () => {
			const graph = inverted(tree, figures, label, true);
			const labels = graph.children(0);

			assert.equal(labels.length, label === ALL ? LABELS : 1);
			for (const node of labels) {
				assert.equal(graph.sum[node].value, total[tree.ofLabel(graph.label[node])]);
				assert.equal(sum(values(graph, graph.children(node))), graph.sum[node].value);
			}
		});

		await test(`regroup: ${what}: callers and callees have each function once, however deep in itself`, () => {
			for (let name = 0; name < NAMES; name++) {
				const graph = sandwich(tree, figures, label, name);
				const outer = within.filter((node) => outermost(tree, node, name));
				const value = graph.sum[0].value;

				assert.ok(outer.length < within.filter((node) => tree.name[node] === name).length, "it is within itself");
				assert.equal(value, sum(within.filter((node) => stack(tree, node).includes(name)).map((node) => own[node])));
				assert.equal(sum(values(graph, graph.children(0))) + graph.itself().value, value);
				assert.equal(sum(values(graph, graph.callers(0))) + (graph.uncalled().value || 0), value);
				assert.deepEqual(graph.callers(0).flatMap((node) => everything(graph, node, [graph.name[node]]))
					.filter(([, value]) => value).map(([path, value]) => [path.join(" "), value]).sort(),
				expected(outer.map((node) => [stack(tree, node).slice(1), total[node]])).filter(([path]) => path));
			}
		});
	}

await test("regroup: a function within itself is counted with the call around it", () => {
	/* f 1 { g 2 { f 4 { h 8 } } }, h 16 { f 32 } */
	const [f, g, h] = [0, 1, 2];
	const { tree, figures } = profile([[-1, 0, f, 1], [0, 0, g, 2], [1, 0, f, 4], [2, 0, h, 8], [-1, 0, h, 16], [4, 0, f, 32]]);
	const graph = sandwich(tree, figures, ALL, f);

	assert.equal(graph.sum[0].value, 1 + 2 + 4 + 8 + 32);
	assert.deepEqual(graph.children(0).map((node) => [graph.name[node], graph.sum[node].value]), [[g, 14]]);
	assert.equal(graph.itself().value, 1 + 32);
	assert.deepEqual(graph.callers(0).map((node) => [graph.name[node], graph.sum[node].value]), [[h, 32]]);
	assert.equal(graph.uncalled().value, 15);
	assert.deepEqual([...graph.children(0), ...graph.callers(0)].map((node) => graph.depth[node]), [1, -1]);
	assert.deepEqual([...graph.callers(graph.children(0)[0])], []);
});

await test("regroup: a sum is as sure as its parts are together, and says what it lacks", () => {
	const { tree, figures } = profile([[-1, 0, 0, 5], [-1, 1, 0, 6], [-1, 2, 1, NaN], [-1, 2, 0, NaN]],
		(node) => [COUNTED, SCALED, NA, NA][node - 4]);
	const graph = inverted(tree, figures, ALL, false);
	const nodes = graph.children(0);

	assert.deepEqual(nodes.map((node) => [graph.name[node], graph.sum[node].value, graph.sum[node].standing]),
		[[0, 11, SCALED], [1, NaN, NA]]);
});

await test("sampled: a part has its samples alone, and each function those it is on the stack of, once", () => {
	const { tree } = made(7);
	const pick = random(11);
	const samples = Array.from({ length: 90 }, () => pick(tree.n - tree.base)).filter((call) => tree.label[tree.base + call] !== 2);
	const part = partOf({ tree, functions: { n: NAMES }, part: false }, samples, 2);

	assert.equal(part.total[0], samples.length);
	assert.equal(part.total[part.tree.ofLabel(2)], 0, "a label that has none has its node");
	assert.ok([...part.total].every((total, node) => total || node < part.tree.base), "no call is without samples");
	for (const label of [ALL, 0, 1, 2]) {
		const of = samples.map((call) => tree.base + call).filter((node) => label === ALL || tree.label[node] === label);
		const sums = functionSums(part, label);
		const want = [...Array(NAMES).keys()].map((name) => [name, of.filter((node) => tree.name[node] === name).length,
			of.filter((node) => stack(tree, node).includes(name)).length]).filter(([, , total]) => total);

		assert.deepEqual(Array.from(sums.of, (name, row) => [name, sums.own[row], sums.total[row]]), want);
		assert.equal(part.total[label === ALL ? 0 : part.tree.ofLabel(label)], of.length);
	}
	/* Where a function is within itself, or the test is of nothing. */
	assert.ok(samples.some((call) => new Set(stack(tree, tree.base + call)).size < stack(tree, tree.base + call).length));
});

process.exitCode = finish();
