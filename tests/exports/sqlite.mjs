// SPDX-License-Identifier: GPL-2.0
/* Databases, as the program sqlite3 reads them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "../e2e/tap.mjs";
import { exported, here, lacks, model, run, sum, tablesOf } from "./support.mjs";

const missing = lacks("sqlite3", "sqlite3");

function sqliteTest(name, body) {
	return test(`sqlite: ${name}`, () => missing ?? body());
}

const ask = (file, sql) => JSON.parse(run("sqlite3", ["-json", "-readonly", file, sql]) || "[]");

/* Digits of fractions differ; JSON of the tables tells flags as a list, and numbers beyond 2^53 as text. */
const same = (found, wanted) => typeof wanted === "number" && !Number.isInteger(wanted) ?
	Math.abs(found - wanted) <= 1e-6 * Math.abs(wanted) : String(found) === (Array.isArray(wanted) ? wanted.join(" ") : String(wanted));

function equal(rows, wanted, table) {
	assert.equal(rows.length, wanted.length, table);
	rows.forEach((row, i) => {
		assert.deepEqual(Object.keys(row), Object.keys(wanted[i]), table);
		for (const [key, value] of Object.entries(row))
			assert.ok(same(value, wanted[i][key]), `${table}, row ${i}, ${key}: ${value}, not ${wanted[i][key]}`);
	});
}

/** The queries that coroprof-exports(5) shows. */
function documented() {
	const page = readFileSync(join(here, "../../userspace/man/man5/coroprof-exports.5"), "utf8");

	return [...page.matchAll(/^\.EX\n(SELECT .*)\n\.EE$/gm)].map(([, sql]) => sql);
}

/** Those of docs/exports.md. */
function introduced() {
	const page = readFileSync(join(here, "../../docs/exports.md"), "utf8");

	return [...page.matchAll(/^ {4}(SELECT .*);$/gm)].map(([, sql]) => sql);
}

export async function sqliteTests() {
	for (const name of ["standings", "calls", "empty"])
		await sqliteTest(`each cell of each table of '${name}' is there, with its standing`, () => {
			const data = model(name);
			const { file } = exported(name, ".slices.db");
			const tables = ask(file, "SELECT name FROM sqlite_schema WHERE type = 'table'").map((row) => row.name);

			assert.deepEqual(tables.filter((table) => !["header", "columns"].includes(table)).sort(), Object.keys(data).sort());
			for (const [table, rows] of Object.entries(data))
				equal(ask(file, `SELECT * FROM "${table}" ORDER BY row`), rows, table);
		});
	await sqliteTest("what has no value is NULL and no 0, and columns are described", () => {
		const { file } = exported("standings", ".db");

		assert.deepEqual(ask(file, 'SELECT DISTINCT typeof("branch-misses") type, "branch-misses_standing" standing FROM labels'),
			[{ type: "null", standing: "unsupported" }]);
		assert.deepEqual(ask(file, 'SELECT typeof("cache-misses") type, count(*) n FROM coroutines WHERE "cache-misses_standing" = \'not scheduled\' GROUP BY 1').map(({ type }) => type),
			["null"]);
		const { columns } = tablesOf("standings").labels;

		assert.deepEqual(ask(file, "SELECT name, title, says, kind, sums, refers FROM columns WHERE table_name = 'labels'"),
			columns.map(({ name, title, says, kind, sums, refers = null }) => ({ name, title, says, kind, sums, refers })));
		assert.deepEqual(ask(file, "SELECT name FROM sqlite_schema WHERE name = 'timeline'"), []);
	});
	await sqliteTest("the header tells what was lost", () => {
		const [{ slices, lost }] = model("lost").recording;
		const header = ask(exported("lost", ".db").file, "SELECT title, text FROM header");

		assert.ok(lost > 0);
		assert.ok(header.some(({ title, text }) => title === "slices" && text.startsWith(`${slices}, lost ${lost} `)));
		assert.ok(header.some(({ title }) => title === "SIMULATED"));
	});
	await sqliteTest("the queries of the manual answer with figures of the tables", () => {
		const data = model("server");
		const { file } = exported("server", ".slices.db");
		const [labels, waiting, wakes, blocked, longest, header] = documented().map((sql) => ask(file, sql));
		const most = (rows, column) => Math.max(...rows.map((row) => row[column] ?? 0));

		assert.equal(documented().length, 6);
		assert.deepEqual(labels.map((row) => [row.name, row.running, row["cache-misses"]]),
			[...data.labels].sort((a, b) => b.running - a.running).map((row) => [row.name, row.running, row["cache-misses"]]));
		assert.equal(waiting[0].ready, most(data.coroutines, "ready"));
		assert.equal(wakes[0].count, most(data.wakes, "count"));
		assert.equal(sum(blocked.map((row) => row.blocked)), data.recording[0].blocked);
		assert.equal(longest.length, 10);
		/* Slice by slice; those of threads outside coroutines hold nobody up. */
		assert.deepEqual(longest.map(({ took }) => took), data.timeline
			.filter(({ slices, label }) => slices && data.labels[label].kind !== "thread")
			.map(({ duration }) => duration).sort((a, b) => b - a).slice(0, 10));
		assert.equal(header[0].title, "summary");
	});
	await sqliteTest("the six queries of docs/exports.md answer with figures of the tables", () => {
		const data = model("server");
		const { file } = exported("server", ".slices.db");
		const [labels, , blocked, threads, wakes, longest] = introduced().map((sql) => ask(file, sql));
		const most = (rows, column) => Math.max(...rows.map((row) => row[column] ?? 0));
		const held = data.timeline.filter(({ slices, label }) => slices && data.labels[label].kind !== "thread");

		assert.equal(introduced().length, 6);
		assert.ok(same(labels[0].ms, most(data.labels, "running") / 1e6));
		assert.ok(same(blocked[0].ms, most(data.coroutines, "blocked") / 1e6));
		assert.equal(threads.length, data.threads.length);
		assert.equal(wakes[0].ready, most(data.wakes, "ready"));
		assert.ok(same(longest[0].ms, most(held, "duration") / 1e6));
	});
	/* Here no slice runs for 1 ms, and many are preempted or blocked for longer. */
	await sqliteTest("the query of docs/exports.md for labels that hold their thread has those of long slices, off the CPU as well", () => {
		const { labels, timeline } = model("server");
		const [, sql] = introduced();
		const found = ask(exported("server", ".slices.db").file, sql.replaceAll("10ms", "1ms"));
		const long = timeline.filter(({ slices, label, duration }) => slices && duration >= 1e6 && labels[label].kind !== "thread");

		assert.ok(labels.every(({ longest }) => longest < 1e6));
		assert.deepEqual(found.map(({ name }) => name).sort(), [...new Set(long.map(({ label }) => labels[label].name))].sort());
		assert.equal(sum(found.map(({ times }) => times)), long.length);
		assert.deepEqual(ask(exported("long", ".db").file, sql).map(({ name }) => name), ["rare"]);
	});
}
