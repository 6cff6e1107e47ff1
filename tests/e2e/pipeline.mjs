// SPDX-License-Identifier: GPL-2.0
/* From a recording, by the reader, to the page. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { choose, column, drawing, settle, visit } from "./browser.mjs";
import { test } from "./tap.mjs";

const SCENARIOS = ["server", "empty", "torn", "cut", "standings", "lost", "hostile", "processes",
	"own-counters", "damaged", "failed-check", "not-recorded", "code", "many"];

/* What a page must say of a scenario. */
const MUST_SAY = {
	torn: /Not all of the file was read[\s\S]*The file is torn/,
	cut: /not ended in order/,
	standings: /scaled[\s\S]*unsupported/,
	lost: /slices? lost/,
	damaged: /The file is damaged/,
	"failed-check": /Sums are broken/,
	hostile: /</,
};

/** The data the reader put into a page. */
export function dataOf(file) {
	const text = readFileSync(file, "utf8");
	const [, json] = text.match(/<script type="application\/json" id="data">([\s\S]*?)<\/script>/);

	return JSON.parse(json);
}

/** Every row of a column, whether it was written as one number or not. */
function rows(data, n) {
	return Array.isArray(data) ? data.map(Number) : new Array(n).fill(Number(data));
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** Figures of the page's tables must add up to each other. */
function addsUp(data) {
	const of = (table, key) => sum(rows(table.times[key], table.n));

	for (const key of ["slices", "running", "preempted", "blocked"]) {
		assert.equal(of(data.labels, key), of(data.total, key), `labels: ${key}`);
		assert.equal(of(data.threads, key), of(data.total, key), `threads: ${key}`);
		if (!Number(data.recording.folded_coroutines))
			assert.equal(of(data.coroutines, key), of(data.total, key), `coroutines: ${key}`);
	}
	assert.equal(sum(rows(data.timeline.slices, data.timeline.n)), of(data.total, "slices"), "timeline: slices");
}

/** So must those of samples and of spans. */
function callsAddUp({ samples, spans, labels }) {
	if (samples) {
		const { frames, by_label: byLabel, tree, kept } = samples;

		for (const [name, { own, n }] of Object.entries({ frames, byLabel, tree }))
			assert.equal(sum(rows(own, n)), Number(kept), `samples: ${name}`);
		assert.equal(sum(rows(labels.samples, labels.n)), Number(kept), "samples: labels");
	}
	if (spans) {
		const { table, by_label: byLabel, tree } = spans;
		const of = (from, key) => sum(rows(from[key], from.n));

		for (const key of ["calls", "own_wall", "own_running"]) {
			assert.equal(of(byLabel, key), of(table, key), `spans: ${key} of labels`);
			assert.equal(of(tree, key), of(table, key), `spans: ${key} of the tree`);
		}
		assert.equal(of(table, "calls"), Number(spans.calls) - Number(spans.dropped), "spans");
	}
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
		const keys = ["calls", "outermost", "running", "own-running", "wall", "own-wall", "c0", "own-c0", "c1", "own-c1"];
		const spans = Object.fromEntries((await table(page, "spans")).map((row) => [row.name, keys.map((key) => row[key])]));

		assert.deepEqual(spans, {
			outer: ["800", "800", "32.0 ms", "16.0 ms", "64.0 ms", "32.0 ms", "192 M", "96.0 M", "~128 M", "~64.0 M"],
			inner: ["1,600", "800", "16.0 ms", "16.0 ms", "32.0 ms", "32.0 ms", "96.0 M", "96.0 M", "~64.0 M", "~64.0 M"],
		});
		assert.equal(data.samples.kept, 800);
		await page.evaluate(() => window.coroprof.store.set({ view: "samples" }));
		await settle(page);
		const samples = Object.fromEntries((await table(page, "samples")).map(({ name, own, total }) => [name, [own, total]]));

		/* In each of two threads 134, 133 and 133, less every tenth (14, 13, 13), which was in the kernel. */
		assert.deepEqual(samples, { gen_serve: ["240", "800"], gen_parse: ["240", "532"], gen_leaf: ["240", "266"], "[kernel]": ["80", "80"] });
		assert.match(await page.locator(".items").innerText(), /switches\s+1 of 2 user mode/);
		assert.match(await page.locator(".about").innerText(), /perf_event_paranoid is 3/);
	}));

	await test("reader: samples and spans of which some were lost", () => callsPage(browser, programs, ["lost"], async (page, data) => {
		assert.deepEqual([data.samples.lost, data.samples.throttled, data.spans.lost], [10, 2, 4]);
		const [outer] = (await table(page, "spans")).filter(({ name }) => name === "outer");

		assert.match(outer["own-running"], /^≤/);
		assert.match(outer["own-c1"], /^≤~/);
		assert.doesNotMatch(outer.running, /≤/);
		assert.match(await page.locator(".top").innerText(), /10 samples lost[\s\S]*4 spans lost/);
	}));
}

/** Threads outside coroutines are told by their tids, which here are larger than any coroutine's number. */
async function threadsHaveTids(page, { threads }) {
	await page.locator('.head[data-column="id"]').click();
	await settle(page);
	const ids = (await column(page, "id")).slice(0, threads.n).map(Number);

	assert.deepEqual(ids, rows(threads.tid, threads.n).sort((a, b) => b - a));
}

export async function pipelineTests(browser, { generator, callsGenerator, reader, out }) {
	await callsPipelineTests(browser, { callsGenerator, reader, out });
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

			assert.equal(status, ["torn", "damaged"].includes(scenario) ? 3 : 0, "exit status");
			const data = dataOf(file);

			addsUp(data);
			callsAddUp(data);
			await visit(browser, file, async (page) => {
				if (MUST_SAY[scenario])
					assert.match(await page.locator("body").innerText(), MUST_SAY[scenario]);
				assert.equal((await drawing(page)).lanes, data.threads.n);
				const shown = await column(page, "name");

				assert.ok(shown.length || !data.labels.n);
				await page.screenshot({ path: join(out, `${scenario}.png`) });
				await choose(page, "table", "Coroutines");
				if (scenario === "server")
					await threadsHaveTids(page, data);
				await choose(page, "table", "Threads");
			});
			return undefined;
		});
}
