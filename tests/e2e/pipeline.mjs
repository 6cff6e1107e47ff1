// SPDX-License-Identifier: GPL-2.0
/* From a recording, by the reader, to the page. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { choose, column, drawing, settle, showFacts, visit } from "./browser.mjs";
import { dataOf, rawOf, withData } from "./tables.mjs";
import { test } from "./tap.mjs";

const SCENARIOS = ["server", "empty", "torn", "cut", "standings", "lost", "hostile", "processes",
	"own-counters", "damaged", "failed-check", "not-recorded", "code", "many"];

/* What a page must say of a scenario. */
const MUST_SAY = {
	torn: /Not all of the file was read[\s\S]*The file is torn/,
	cut: /not ended in order[\s\S]*What came after is not in it/,
	standings: /scaled[\s\S]*unsupported/,
	lost: /slices? lost/,
	damaged: /The file is damaged/,
	"failed-check": /Sums are broken/,
	hostile: /</,
};

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** Figures of the page's tables must add up to each other. */
function addsUp({ recording, labels, threads, coroutines, timeline }) {
	for (const key of ["slices", "running", "preempted", "blocked"]) {
		const [all] = recording[key];

		assert.equal(sum(labels[key]), all, `labels: ${key}`);
		assert.equal(sum(threads[key]), all, `threads: ${key}`);
		if (!recording.folded_coroutines[0])
			assert.equal(sum(coroutines[key]), all, `coroutines: ${key}`);
	}
	assert.equal(sum(timeline.slices), recording.slices[0], "timeline: slices");
}

/** So must those of samples and of spans. */
function callsAddUp({ recording, labels, ...tables }) {
	if (recording.sampled[0]) {
		for (const name of ["functions", "label_functions", "sample_tree"])
			assert.equal(sum(tables[name].own), recording.samples[0], `samples: ${name}`);
		assert.equal(sum(labels.samples), recording.samples[0], "samples: labels");
	}
	for (const key of ["calls", "own_wall", "own_running"]) {
		const all = sum(tables.spans[key]);

		assert.equal(sum(tables.label_spans[key]), all, `spans: ${key} of labels`);
		assert.equal(sum(tables.span_tree[key]), all, `spans: ${key} of the tree`);
	}
	assert.equal(sum(tables.spans.calls), recording.spans[0] - recording.dropped_spans[0], "spans");
}

/** The page of what calls-gen makes: @args are its own. */
async function callsPage(browser, { callsGenerator, reader, out }, args, use) {
	const name = ["calls", ...args].join("-");
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `${name}.${end}`));

	execFileSync(callsGenerator, [recording, ...args]);
	execFileSync(reader, ["-o", file, recording], { stdio: ["ignore", "ignore", "pipe"] });
	const data = dataOf(file);

	addsUp(data);
	callsAddUp(data);
	await visit(browser, file, async (page) => {
		await page.screenshot({ path: join(out, `${name}.png`) });
		await use(page, data);
	}, { hash: "#view=spans" });
}

async function callsPipelineTests(browser, programs) {
	const table = (page, view) => page.locator(`.${view}-view .grid-body .grid-row`).evaluateAll((all) => all.map((row) =>
		Object.fromEntries([...row.querySelectorAll("[data-column]")].map((cell) =>
			[cell.dataset.column, cell.innerText.replace(/\s/gu, " ")]))));

	await test("reader: samples and spans, to the figure", () => callsPage(browser, programs, [], async (page, data) => {
		const keys = ["calls", "outermost", "running", "own_running", "wall", "own_wall", "cycles", "own_cycles", "instructions", "own_instructions"];
		const spans = Object.fromEntries((await table(page, "spans")).map((row) => [row.name, keys.map((key) => row[key])]));

		assert.deepEqual(spans, {
			outer: ["800", "800", "32.0 ms", "16.0 ms", "64.0 ms", "32.0 ms", "192 M", "96.0 M", "~128 M", "~64.0 M"],
			inner: ["1,600", "800", "16.0 ms", "16.0 ms", "32.0 ms", "32.0 ms", "96.0 M", "96.0 M", "~64.0 M", "~64.0 M"],
		});
		await page.evaluate(() => window.coroprof.store.set({ mode: "slice" }));
		await settle(page);
		const each = Object.fromEntries((await table(page, "spans")).map((row) => [row.name, keys.slice(2, 8).map((key) => row[key])]));

		/* Totals are of outermost calls, and own figures of all: inner calls itself once. */
		assert.deepEqual(each, {
			outer: ["40.0 us", "20.0 us", "80.0 us", "40.0 us", "240 k", "120 k"],
			inner: ["20.0 us", "10.0 us", "40.0 us", "20.0 us", "120 k", "60.0 k"],
		});
		await page.evaluate(() => window.coroprof.store.set({ mode: "total" }));
		assert.equal(data.recording.samples[0], 800);
		await page.evaluate(() => window.coroprof.store.set({ view: "samples" }));
		await settle(page);
		const samples = Object.fromEntries((await table(page, "samples")).map(({ name, own, total }) => [name, [own, total]]));

		/* In each of two threads 134, 133 and 133, less every tenth (14, 13, 13), which was in the kernel. */
		assert.deepEqual(samples, { gen_serve: ["240", "800"], gen_parse: ["240", "532"], gen_leaf: ["240", "266"], "[kernel]": ["80", "80"] });
		await showFacts(page);
		assert.match(await page.locator(".sure").innerText(), /switches\s+1 of 2 from user mode/);
		assert.match(await page.locator(".about").innerText(), /perf_event_paranoid is 3/);
	}));

	await test("reader: samples and spans of which some were lost", () => callsPage(browser, programs, ["lost"], async (page, data) => {
		assert.deepEqual(["lost_samples", "throttled", "lost_spans"].map((key) => data.recording[key][0]), [10, 2, 4]);
		const [outer] = (await table(page, "spans")).filter(({ name }) => name === "outer");

		assert.match(outer.own_running, /^~\d/);
		assert.match(outer.own_instructions, /^~\d/);
		assert.match(outer.running, /^>=\d/);
		assert.match(await page.locator(".top").innerText(), /10 samples lost[\s\S]*4 spans lost/);
	}));
}

/** Threads outside coroutines are told by their tids, which here are larger than any coroutine's number. */
async function threadsHaveTids(page, { threads }) {
	await page.locator('.head[data-column="id"]').click();
	await settle(page);
	const ids = (await column(page, "id")).slice(0, threads.rows).map(Number);

	assert.deepEqual(ids, [...threads.tid].sort((a, b) => b - a));
}

/** What the page says when it has opened but cannot be shown. */
async function refusal(browser, file, change) {
	const data = rawOf(file);
	const changed = file.replace(".html", "-changed.html");

	change(data.tables);
	writeFileSync(changed, withData(file, data));
	const page = await browser.newPage();

	await page.goto(`file://${changed}`);
	const said = await page.locator(".notice").innerText();

	await page.close();
	return said;
}

async function missingTests(browser, { generator, reader, out }) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `missing.${end}`));
	const without = (name) => (table) => { table.columns = table.columns.filter((column) => column.name !== name); };

	execFileSync(generator, [recording, "standings"]);
	execFileSync(reader, ["-o", file, recording], { stdio: "ignore" });
	await test("reader: a column that it left out is named by the page", async () => {
		assert.match(await refusal(browser, file, ({ labels }) => without("blocked")(labels)),
			/column blocked of table labels is missing; it has: name, process, coroutines, slices/);
		assert.match(await refusal(browser, file, ({ timeline }) => without("begin")(timeline)),
			/column begin of table timeline is missing/);
	});
	await test("reader: a table that it left out is named by the page", async () => {
		assert.match(await refusal(browser, file, (tables) => { delete tables.wakes; }),
			/table wakes is missing; there are: recording, counters/);
	});
	await test("reader: a column of another kind is named by the page", async () => {
		assert.match(await refusal(browser, file, ({ threads }) => {
			threads.columns.find(({ name }) => name === "outside").kind = "count";
		}), /column outside of table threads is of the kind count; this page needs ns/);
	});
	await test("reader: a column with cells missing is named by the page", async () => {
		assert.match(await refusal(browser, file, ({ labels }) => {
			labels.rows++;
			for (const column of labels.columns)
				column.texts?.push("");
		}), /column \w+ of table labels has other bytes than those of 7 rows/);
	});
}

/** Rows of a table of text, by their first cell: { title: cell }. */
function textRows(text, first) {
	const lines = text.split("\n");
	const from = lines.findIndex((line) => line.startsWith(first));
	const cells = (line) => line.trim().split(/ {2,}/);
	const titles = cells(lines[from]);
	const rows = lines.slice(from + 1, lines.indexOf("", from + 1));

	return Object.fromEntries(rows.map(cells).map((row) => [row[0], Object.fromEntries(titles.map((title, at) => [title, row[at]]))]));
}

async function sameWordsTest(browser, { generator, reader, out }) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `words.${end}`));

	execFileSync(generator, [recording, "standings"]);
	execFileSync(reader, ["-o", file, recording], { stdio: "ignore" });
	await test("reader: the page says of each label what the text says", () => visit(browser, file, async (page) => {
		const text = textRows(execFileSync(reader, [recording], { stdio: ["ignore", "pipe", "ignore"] }).toString(), "label ");
		const table = page.locator(".table-view");
		const titles = await table.locator(".head").evaluateAll((all) =>
			Object.fromEntries(all.map((head) => [head.dataset.column, head.innerText.trim()])));
		const shown = await table.locator(".grid-body .grid-row").evaluateAll((rows) => rows.map((row) =>
			[...row.querySelectorAll("[data-column]")].map((cell) => [cell.dataset.column, cell.innerText])));
		let compared = 0;

		for (const cells of shown) {
			const [, name] = cells[0];

			for (const [column, said] of cells)
				if (column !== "name" && titles[column] in text[name]) {
					assert.equal(said.replace(/\u202f/g, " ").replace(/,/g, ""), text[name][titles[column]], `${name}: ${column}`);
					compared++;
				}
		}
		assert.equal(shown.length, Object.keys(text).length);
		assert.ok(compared >= 14 * shown.length, `${compared} of ${shown.length}`);
	}));
}

export async function pipelineTests(browser, { generator, callsGenerator, reader, out }) {
	await callsPipelineTests(browser, { callsGenerator, reader, out });
	await missingTests(browser, { generator, reader, out });
	await sameWordsTest(browser, { generator, reader, out });
	for (const scenario of SCENARIOS)
		await test(`reader: ${scenario}`, async () => {
			for (const program of [generator, reader])
				if (!existsSync(program))
					return `${program} is not built`;
			const recording = join(out, `${scenario}.cprof`);
			const file = join(out, `${scenario}.html`);

			execFileSync(generator, [recording, scenario]);
			const { status } = spawnSync(reader, ["-o", file, "-"],
				{ input: readFileSync(recording), stdio: ["pipe", "ignore", "ignore"] });

			assert.equal(status, ["torn", "cut", "damaged"].includes(scenario) ? 3 : 0, "exit status");
			const data = dataOf(file);

			addsUp(data);
			callsAddUp(data);
			await visit(browser, file, async (page) => {
				await showFacts(page);
				if (MUST_SAY[scenario])
					assert.match(await page.locator("body").innerText(), MUST_SAY[scenario]);
				assert.equal((await drawing(page)).lanes, data.threads.rows);
				const shown = await column(page, "name");

				assert.ok(shown.length || !data.labels.rows);
				await page.screenshot({ path: join(out, `${scenario}.png`) });
				await choose(page, "table", "Coroutines");
				if (scenario === "server")
					await threadsHaveTids(page, data);
				await choose(page, "table", "Threads");
			});
			return undefined;
		});
}
