// SPDX-License-Identifier: GPL-2.0
/*
 * Rows are sorted as comparing each with each would: order.mjs MODULES, where MODULES
 * is the folder that holds node_modules.
 */
import assert from "node:assert/strict";
import { finish, test } from "../../../tests/e2e/tap.mjs";
import { load } from "./load.mjs";

const { sorted, sortRows } = await load("./order");
const FIGURES = [0, -0, 1, -1, 0.5, 3, 255, 256, 65535, 65536, 2 ** 32, 2 ** 53 - 1, -(2 ** 53), 1e300, -1e300, 5e-324, Infinity, -Infinity, NaN];

/** By comparing; those without a figure are last in either direction, the same stay as they are. */
function compared(figures, descending) {
	const sign = descending ? -1 : 1;

	return [...figures.keys()].sort((a, b) => {
		const [x, y] = [figures[a], figures[b]];

		if (Number.isNaN(x) || Number.isNaN(y))
			return Number.isNaN(x) - Number.isNaN(y) || a - b;
		return x === y ? a - b : sign * (x < y ? -1 : 1);
	});
}

await test("order: figures of all sizes, none, and the same ones", () => {
	const mixed = Array.from({ length: 500 }, (_, at) => FIGURES[at * 7 % FIGURES.length] + (at % 3 ? 0 : at % 11));

	for (const figures of [[], [NaN], [1, 1, 1], FIGURES, [...FIGURES].reverse(), mixed])
		for (const descending of [false, true])
			assert.deepEqual([...sorted(Float64Array.from(figures), descending)], compared(figures, descending));
});

await test("order: texts with numbers in them, as people count; rows that are not all", () => {
	const texts = ["b", "a10", "a9", "B", "a9", "", "c"];
	const column = { text: (row) => texts[row] };

	assert.deepEqual([...sortRows(Uint32Array.from([0, 1, 2, 4, 5]), column, "total", false)].map((row) => texts[row]), ["", "a9", "a9", "a10", "b"]);
	assert.deepEqual([...sortRows(Uint32Array.from([1, 2, 3, 4]), column, "total", true)], [3, 1, 2, 4]);
	assert.deepEqual([...sortRows(Uint32Array.from([6, 4, 2]), { figure: (row) => row }, "total", false)], [2, 4, 6]);
});

process.exitCode = finish();
