// SPDX-License-Identifier: GPL-2.0
/*
 * The page has words for each cost that the reader says: costs.mjs MODULES READER, where MODULES is the folder
 * that holds node_modules, and READER is coroprof-read.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { finish, test } from "../../../tests/e2e/tap.mjs";
import { dataOf, load } from "./load.mjs";

const { costRows, follow } = await load("./modes", "./format");
const NONE = -1;
const recording = fileURLToPath(new URL("../../../tests/unit/cprof/kept/version3.cprof", import.meta.url));
const told = JSON.parse(execFileSync(process.argv[3], ["--format", "json", recording]));
const { about, columns, rows } = told.tables.costs;

/** What costRows() asks of a page, with a cost of @ns(row), in which threads were in all modes. */
function profileWith(ns) {
	const index = (name) => Int32Array.from(columns[name], (word) => word === null ? NONE : about[name].words.indexOf(word));
	const figures = { ns: Float64Array.from({ length: rows }, (_, row) => ns(row)), instructions: new Float64Array(rows).fill(NaN) };
	const column = (name) => ({
		is: { kind: about[name].kind, words: about[name].words }, figures: figures[name], standing: () => 0,
		has: (row) => !Number.isNaN(figures[name][row]), words: (row) => columns[name][row],
	});
	const operation = Object.fromEntries(about.operation.words.map((word, at) => [word, at]));

	return {
		costs: { operation: index("operation"), mode: index("mode"), ...figures, table: { column } }, spans: {}, words: { operation },
		modes: { mode: about.mode.words.map((_, at) => at), table: { column: () => ({ is: { words: about.mode.words } }) } },
	};
}

const { figures, standings, combine } = dataOf();

follow(figures, standings, combine);

await test("costs: each that the reader tells has a row, in words of its own", () => {
	const titles = costRows(profileWith((row) => row + 1)).map(([title]) => title);

	assert.equal(titles.length, rows);
	assert.equal(new Set(titles).size, rows);
	for (const word of about.operation.words)
		assert.ok(!titles.includes(word), `${word} has words`);
	for (const [title, word] of [["a probe", "probe"], ["a coroutine that probes see born", "probed-birth"], ["a coroutine that is born", "birth"],
		["a thread that needs a new ring, in addition", "ring"]])
		assert.equal(titles.indexOf(title), columns.operation.indexOf(word));
});

await test("costs: what was not measured, and belongs to no mode, has none", () => {
	assert.deepEqual(costRows(profileWith((row) => columns.operation[row] === "probe" ? 850 : NaN)).map(([title, text]) => [title, text.replace(/\s/g, " ")])
		.filter(([title]) => !title.startsWith("a switch") && !title.startsWith("a span")),
		[["a probe", "850 ns"]]);
});

process.exitCode = finish();
