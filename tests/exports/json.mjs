// SPDX-License-Identifier: GPL-2.0
/* JSON, as python3 and node read it: it has the cells of CSV, and takes little of a disk. */
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { test } from "../e2e/tap.mjs";
import { exported, lacks, run } from "./support.mjs";

const missing = lacks("python3", "python3");
const TABLES = ["recording", "counters", "labels", "coroutines", "threads", "processes", "wakes", "worst", "spans", "timeline"];
const PER_COROUTINE = 300;

/* Each cell of CSV, which is text, as JSON has it: how it is looked up is what docs/exports.md says. */
const PYTHON = `
import csv, json, sys
name, path, cells = sys.argv[1:]
whole = json.load(open(path, encoding="utf-8"))
table = whole["tables"][name]
columns, about, standings = table["columns"], table["about"], table["standings"]

def cell(column, i):
    if column in columns:
        value = columns[column][i]
        return " ".join(value) if isinstance(value, list) else value
    of, end = column.rsplit("_", 1)
    if end == "standing":
        return standings[of][columns["standing"][i]]
    row = columns[of][i]
    return None if row is None else whole["names"][about[of]["refers"]][row]

def same(text, value):
    if value is None:
        return text == ""
    return float(text) == value if isinstance(value, float) else text == str(value)

rows = list(csv.DictReader(open(cells, encoding="utf-8", newline="")))
assert len(rows) == table["rows"] and all(len(values) == len(rows) for values in columns.values())
for i, row in enumerate(rows):
    for column, text in row.items():
        assert same(text, cell(column, i)), (column, i, text, cell(column, i))
for column, values in columns.items():
    types = {float if isinstance(value, int) else type(value) for value in values if value is not None}
    assert len(types) <= 1, (column, types)
    assert column not in about or about[column]["kind"] != "id" or types <= {str}, column
print(len(rows) * len(rows[0]) if rows else 0)
`;

const jsonTest = (name, body) => test(`json: ${name}`, () => missing ?? body());

export async function jsonTests() {
	for (const name of ["standings", "calls", "hostile", "lost", "processes"])
		await jsonTest(`python3 finds the cells of CSV of '${name}' in it, and one type in each column`, () => {
			let compared = 0;

			for (const table of TABLES) {
				const args = ["--table", table];

				compared += Number(run("python3", ["-c", PYTHON, table, exported(name, `.one.${table}.json`, args).file,
					exported(name, `.one.${table}.csv`, args).file]));
			}
			assert.ok(compared > 500, `${compared} cells`);
		});
	await test("json: ids of 2^63 stay what they are for who has doubles, in CSV as well", () => {
		const { tables: { coroutines: { columns: { id } } } } = JSON.parse(readFileSync(exported("server", ".json").file, "utf8"));
		const cells = readFileSync(exported("server", ".ids.csv", ["--table", "coroutines", "--columns", "id"]).file, "utf8")
			.trim().split("\r\n").slice(1).map((line) => line.split(",")[1]);

		assert.deepEqual(cells, id);
		assert.ok(id.some((text) => BigInt(text) >= 1n << 63n));
		assert.ok(id.every((text) => BigInt(text) < 1n << 63n ? String(BigInt(text)) === text : text.startsWith("0x")));
	});
	await test(`json: of 100000 coroutines takes at most ${PER_COROUTINE} bytes for each, and unpacked from .gz is the same`, () => {
		const { file } = exported("many", ".json");
		const packed = exported("many", ".json.gz").file;
		const text = readFileSync(file);
		const { rows } = JSON.parse(text).tables.coroutines;

		assert.ok(rows >= 100000, String(rows));
		assert.ok(text.length / rows <= PER_COROUTINE, `${text.length / rows} bytes`);
		assert.ok(statSync(packed).size * 2 < text.length);
		assert.ok(gunzipSync(readFileSync(packed)).equals(text));
	});
}
