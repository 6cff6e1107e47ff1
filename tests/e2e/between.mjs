// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of a time: coroutines, gaps, waits, lives, ratios of counters and columns of one's own are, row
 * by row, those of the reader's tables of --from and --to, or n/a with the reason.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { visit } from "./browser.mjs";
import { csv, cutRows, place, windowsOf } from "./chosen.mjs";
import { dataOf } from "./tables.mjs";
import { test } from "./tap.mjs";

const METRIC = "waited = 1000 * (ready + awaiting) / running - p90 / longest";
/* Of a time these are cut, in the reader slices are whole; and points in time are since other begins. */
const OTHERWISE = ["running", "preempted", "blocked", "idle", "first", "last", "born", "lifetime", "waited"];
const BETWEEN = ["suspended", "awaiting", "ready", "ready_p99", "migrations"];
const NEAR = ["near", "scaled"];

function make({ generator, reader, out }, scenario, seed) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `between-${scenario}.${end}`));

	execFileSync(generator, [recording, String(scenario)]);
	spawnSync(reader, ["-o", file, "--metric", METRIC, recording], { stdio: "ignore" });
	return { reader, recording, file, seed, scenario, data: dataOf(file) };
}

/** The reader's row that a row of the page is. */
const keysOf = {
	label: { page: (row) => `${row.label} ${row.process ?? ""}`, reader: (row, processes) => `${row.name} ${processes ? row.process_name : ""}` },
	coroutine: {
		page: (row) => `${row.label} ${row.coroutine} ${row.process ?? ""}`,
		reader: (row, processes) => `${row.label_name} ${row.id} ${processes ? row.process_name : ""}`,
	},
};

/** The figure of a cell is that of the reader; how many were compared. */
function same(said, name, [shown, standing], want, wantStanding, lost) {
	if (want === "") {
		assert.ok(Number.isNaN(Number(shown)), `${said} is ${shown}, where the reader has none`);
		return 0;
	}
	if (lost && BETWEEN.includes(name) && shown === "n/a")
		return 0;
	assert.ok(NEAR.includes(wantStanding) ? place(Number(shown)) === place(Number(want)) : Math.abs(shown - want) <= 1e-6 * Math.abs(want),
		`${said} is ${shown}, not ${want}`);
	if (wantStanding === "at least")
		assert.notEqual(standing, "counted", `${said} is marked`);
	return 1;
}

async function rowTests(browser, made) {
	const { file, scenario, seed, data: { recording: { duration: [duration] }, processes } } = made;
	const lost = scenario === "lost";

	for (const by of ["label", "coroutine"])
		for (const [from, to] of windowsOf(duration, [0.4, 0.02], seed))
			await test(`between: ${by}s of ${scenario} from ${from} to ${to} ns have the figures of --from and --to`, () => visit(browser, file, async (page) => {
				const titles = await page.evaluate((by) => window.coroprof.store.profile[`${by}s`].table.columns.map(({ is: { name, title } }) => [name, title]), by);
				const { page: key, reader: readerKey } = keysOf[by];
				const want = Object.fromEntries(csv(made, `${by}s`, [from, to]).map((row) => [readerKey(row, processes.rows > 1), row]));
				const seen = new Map();

				for (const row of await cutRows(page, { by, within: -1, from, to })) {
					const own = want[key(row)];

					if (!own || row["outside"])
						continue;
					for (const [name, title] of titles)
						if (title in row && `${name}_standing` in own && !OTHERWISE.includes(name))
							seen.set(name, (seen.get(name) ?? 0) + same(`${key(row)}: ${name}`, name, [row[title], row[`${title} (standing)`]], own[name], own[`${name}_standing`], lost));
				}
				const told = { label: ["coroutines", "suspended", "ready_p99", "ipc", "slices"], coroutine: ["suspended", "migrations", "threads", "ipc"] }[by];

				for (const name of told)
					assert.ok(lost || seen.get(name), `${name}: none was compared of ${[...seen.keys()]}`);
			}, { hash: "#view=table" }));
}

/** By the figures of the same row, which are the reader's. */
async function metricTests(browser, { file, data: { recording: { duration: [duration] } } }) {
	await test("between: a column of one's own is made of the figures of what is chosen, and marked as they are", () => visit(browser, file, async (page) => {
		let [known, none] = [0, 0];

		for (const row of await cutRows(page, { by: "label", within: -1, from: Math.floor(duration / 3), to: Math.floor(duration / 2) })) {
			const [ready, awaiting, running, longest] = ["ready", "awaiting", "running", "ran, max"].map((name) => Number(row[name]));
			const p90 = (1000 * (ready + awaiting) / running - row.waited) * longest;

			if (Number.isNaN(ready)) {
				assert.equal(row.waited, "n/a", row.label);
				none++;
				continue;
			}
			assert.ok(p90 >= Number(row["ran, 50 %"]) && p90 <= Number(row["ran, 99 %"]) + 1, `${row.label}: ${p90}`);
			assert.equal(row["waited (standing)"] === "counted", ["ready", "awaiting", "running"].every((name) => row[`${name} (standing)`] === "counted"), row.label);
			known++;
		}
		assert.ok(known >= 3 && none, `${known} and ${none}`);
	}, { hash: "#view=table" }));
}

async function mergedTests(browser, { file, data: { recording: { duration: [duration] } } }) {
	await test("between: where the page has sums of slices, coroutines and waits are n/a, and say why", () => visit(browser, file, async (page) => {
		const rows = await cutRows(page, { by: "label", within: -1, from: Math.floor(duration / 3), to: Math.floor(duration / 2) });

		for (const row of rows.slice(0, 3))
			assert.deepEqual([row.coroutines, row.suspended, row["ready, 99 %"], row.IPC, row.waited], ["n/a", "n/a", "n/a", "n/a", "n/a"], row.label);
		await page.locator('.table-view .grid-body [data-column="coroutines"]').first().hover();
		assert.match(await page.locator(".tip").innerText(), /of what is chosen[\s\S]*has sums only[\s\S]*makes a page of this time/);
	}, { hash: "#view=table" }));
}

export async function betweenTests(browser, programs) {
	const server = make(programs, "server", 17);

	for (const made of [server, make(programs, "processes", 23), make(programs, "lost", 29)])
		await rowTests(browser, made);
	await metricTests(browser, server);
	await mergedTests(browser, make(programs, 600000, 31));
}
