// SPDX-License-Identifier: GPL-2.0
/* CSV of every table, as sqlite3 reads it, and what JSON says that its columns are. */
import assert from "node:assert/strict";
import { test } from "../e2e/tap.mjs";
import { exported, lacks, run, tablesOf } from "./support.mjs";

const missing = lacks("sqlite3", "sqlite3");

function csvTest(name, body) {
	return test(`csv: ${name}`, () => missing ?? body());
}

/** Names of columns, and rows, of which every cell is text. */
function imported(file) {
	const lines = run("sqlite3", ["-json", ":memory:", `.import --csv "${file}" cells`, "SELECT name FROM pragma_table_info('cells')", "SELECT * FROM cells"])
		.trim().split(/(?<=\])\n(?=\[)/u).map((text) => JSON.parse(text));

	return { names: lines[0].map(({ name }) => name), rows: lines[1] ?? [] };
}

const plain = (value) => value === null ? "" : Array.isArray(value) ? value.join(" ") : String(value);
/* 5e-05 is 0.00005. */
const fraction = (text) => /^-?[\d.]+e-\d+$/u.test(text) ? String(Number(text)) : text;
const cells = (row, of) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, of(value)]));

export async function csvTests() {
	for (const name of ["standings", "calls", "hostile"])
		await csvTest(`each table of '${name}' has the cells of JSON, and each column says what it is`, () => {
			const tables = tablesOf(name);

			for (const [table, { columns, rows }] of Object.entries(tables)) {
				const { names, rows: found } = imported(exported(name, `.${table}.csv`, ["--table", table]).file);

				assert.deepEqual(names.filter((column) => columns.some((one) => one.name === column)), columns.map((one) => one.name), table);
				assert.ok(columns.every(({ title, says, kind }) => title && says && kind), table);
				assert.deepEqual(found.map((row) => cells(row, fraction)), rows.map((row) => cells(row, plain)), table);
			}
			assert.ok(Object.keys(tables).length > 20);
		});
}
