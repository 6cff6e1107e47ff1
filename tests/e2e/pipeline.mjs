// SPDX-License-Identifier: GPL-2.0
/* From a recording, by the reader, to the page. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { choose, column, drawing, visit } from "./browser.mjs";
import { test } from "./tap.mjs";

const SCENARIOS = ["server", "empty", "torn", "cut", "standings", "lost", "hostile", "processes",
	"own-counters", "damaged", "failed-check", "not-recorded", "code", "many"];

/* What a page must say of a scenario. */
const MUST_SAY = {
	torn: /The file is torn/,
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

export async function pipelineTests(browser, { generator, reader, out }) {
	for (const scenario of SCENARIOS)
		await test(`reader: ${scenario}`, async () => {
			for (const program of [generator, reader])
				if (!existsSync(program))
					return `${program} is not built`;
			const recording = join(out, `${scenario}.cprof`);
			const file = join(out, `${scenario}.html`);

			execFileSync(generator, [recording, scenario]);
			execFileSync(reader, ["-o", file, recording], { stdio: ["ignore", "ignore", "pipe"] });
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
				await choose(page, "table", "Threads");
			});
			return undefined;
		});
}
