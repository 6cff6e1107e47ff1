// SPDX-License-Identifier: GPL-2.0
/* Figures of recordings that lack slices: their marks are there, wherever the figure is. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { settle, visit } from "./browser.mjs";
import { test } from "./tap.mjs";

/* Facts of details that are sums of slices, or the longest of them. */
const FACTS = ["coroutines", "slices", "longest"];

function factsOf(page) {
	return page.locator(".details dl").first().evaluate((list) => Object.fromEntries(
		[...list.querySelectorAll("dt")].map((name) => [name.innerText, name.nextElementSibling.innerText])));
}

async function detailsTest(browser, name, file) {
	await test(`marks: details of ${name} have the marks of the tables`, () => visit(browser, file, async (page) => {
		let compared = 0;
		const { coroutine, label } = await page.evaluate(() => {
			const { id, label } = window.coroprof.profile.coroutines;
			const coroutine = [...id.keys()].find((row) => id[row] < 2 ** 53);

			return { coroutine, label: label[coroutine] };
		});

		for (const selected of [null, { kind: "label", index: label }, { kind: "coroutine", index: coroutine }]) {
			await page.evaluate((selected) => window.coroprof.store.set({ selected }), selected);
			await settle(page);
			const facts = await factsOf(page);

			for (const fact of FACTS.filter((fact) => fact in facts)) {
				assert.match(facts[fact], /^>=\d/, `${selected?.kind}: ${fact}`);
				compared++;
			}
		}
		assert.ok(compared >= 6, `${compared} facts`);
		await page.evaluate((label) => window.coroprof.store.select("label", label), label);
		await settle(page);
		const quantiles = await page.locator(".details .quantiles td").allInnerTexts();

		assert.deepEqual(quantiles.map((text) => text.match(/^\D*/)[0]), ["~", "~", "~", ">="]);
		assert.match(await page.locator(".details").innerText(), /Of the slices that were recorded: others are missing/);
		const latency = await page.locator(".details table.latency td").allInnerTexts();

		assert.ok(latency.length && latency.every((text) => /^(~|>=)\d/.test(text)), latency.join(" "));
	}));
}

/** A mean, or a share, of what was seen is an estimate; a bound too small to be shown bounds all the same. */
async function ratiosTest(browser, name, file) {
	await test(`marks: means and shares of ${name} are estimates`, () => visit(browser, file, async (page) => {
		for (const [mode, mark] of [["total", ">="], ["slice", "~"], ["share", "~"]]) {
			await page.evaluate((mode) => window.coroprof.store.set({ view: "table", by: "label", mode }), mode);
			await settle(page);
			const cells = await page.locator(".grid-body .cell[data-column='running'], .grid-body .cell[data-column='preempted']").allInnerTexts();

			assert.ok(cells.length && cells.every((text) => new RegExp(`^${mark}<?\\d`).test(text)), `${mode}: ${cells.join(", ")}`);
		}
	}));
}

/** Marks before figures of a column, by mode, in the order of the alphabet: rows are sorted by each mode's figures. */
async function marksOf(page, by, key) {
	const all = {};

	for (const mode of ["total", "slice", "share"]) {
		await page.evaluate((set) => window.coroprof.store.set(set), { view: "table", by, mode });
		await settle(page);
		all[mode] = (await page.locator(`.table-view .grid-body .cell[data-column='${key}']`).allInnerTexts()).map((text) => text.match(/^(<=~|<=|>=|~|n|)/)[0]).sort();
	}
	return all;
}

/** A share is of all, and so of what the rows lack that are torn or lost, where its own row lacks nothing it can only be less. */
async function wholeTests(browser, name, file, lacking) {
	await test(`marks: shares of a row that lacks nothing are upper bounds where others of ${name} do, and means are exact`, () => visit(browser, file, async (page) => {
		const lacks = await page.evaluate(() => [...window.coroprof.profile.threads.table.column("running").figures.keys()]
			.map((row) => window.coroprof.profile.threads.table.column("running").standing(row) > 0));
		const { total, slice, share } = await marksOf(page, "thread", "running");
		const marks = (mark, otherwise = "") => lacks.map((lack) => lack ? mark : otherwise).sort();

		assert.ok(lacks.some(Boolean) && lacks.some((lack) => !lack), `${lacking}: ${lacks}`);
		assert.deepEqual(total, marks(">="));
		assert.deepEqual(slice, marks("~"));
		assert.deepEqual(share, marks("~", "<="));
	}));
}

/** A mean of the time in view is one of what was seen in it. */
async function partTest(browser, name, file) {
	await test(`marks: means, shares and percentiles of a time of ${name} are estimates, and no bounds`, () => visit(browser, file, async (page) => {
		const first = ".table-view .grid-body .cell[data-column='running']";

		await page.evaluate(() => window.coroprof.store.set({ view: "table", by: "label" }));
		await settle(page);
		const before = await page.locator(first).first().innerText();

		await page.evaluate(() => window.coroprof.store.set({ from: 0, to: Math.floor(window.coroprof.profile.until / 20) }));
		await page.waitForFunction(([first, before]) => document.querySelector(first).innerText !== before, [first, before]);
		const running = await marksOf(page, "label", "running");

		assert.ok(running.total.every((mark) => [">=", "~"].includes(mark)), running.total.join());
		for (const mode of ["slice", "share"])
			assert.ok(running[mode].length && running[mode].every((mark) => mark === "~"), `${mode}: ${running[mode].join()}`);
		assert.ok((await marksOf(page, "label", "p99")).total.every((mark) => mark === "~" || mark === "n"));
		assert.ok((await marksOf(page, "label", "longest")).total.every((mark) => mark === ">=" || mark === "n"));
	}));
}

/** Cells of a column of the table of calls, in each mode that the view has. */
async function callCells(page, view, mode, key) {
	await page.evaluate((set) => window.coroprof.store.set(set), { view, mode });
	await settle(page);
	const cells = await page.locator(`.${view}-view .grid-body .cell[data-column='${key}']`).allInnerTexts();

	assert.ok(cells.length, `${view} ${mode} ${key}`);
	return cells;
}

async function callsTip(page, view) {
	await page.locator(`.${view}-view canvas.flame`).hover({ position: { x: 300, y: 30 } });
	return page.locator(".tip").innerText();
}

/** Those lost may have been calls of any name, and in any call. */
async function spansTest(browser, file) {
	await test("marks: where spans were lost, calls and totals are at least what was seen, and means and shares are estimates", () => visit(browser, file, async (page) => {
		const all = async (mode, key, mark) => (await callCells(page, "spans", mode, key)).forEach((text) => assert.match(text, mark, `${mode} ${key}`));

		for (const key of ["calls", "running", "wall", "cycles"])
			await all("total", key, /^>=\d/u);
		await all("total", "outermost", /^~\d/u);
		for (const key of ["own_running", "own_wall", "own_cycles"])
			await all("total", key, /^(>=|~)\d/u);
		for (const mode of ["slice", "share"])
			for (const key of ["running", "own_running", "cycles"])
				await all(mode, key, /^~\d/u);
		const tip = await callsTip(page, "spans");

		assert.match(tip, /calls\s+>=[\d,]+/u);
		assert.match(tip, /running\s+>=[\d.]+/u);
		assert.match(tip, /share of all\s+~[\d.]+/u);
		await page.evaluate(() => window.coroprof.store.set({ shape: "merged" }));
		await settle(page);
		assert.match(await callsTip(page, "spans"), /running time\s+>=[\d.]+.*share of all coroutines\s+~[\d.]+/su);
	}));
}

async function samplesTest(browser, file) {
	await test("marks: where samples were lost, those of functions are at least so many, and shares are estimates", () => visit(browser, file, async (page) => {
		for (const key of ["own", "total"]) {
			assert.ok((await callCells(page, "samples", "total", key)).every((text) => /^>=\d/u.test(text)), key);
			assert.ok((await callCells(page, "samples", "total", `${key}_share`)).every((text) => /^~<?\d/u.test(text)), key);
		}
		const tip = await callsTip(page, "samples");

		assert.match(tip, /samples\s+>=[\d,]+/u);
		assert.match(tip, /share of all\s+~[\d.]+/u);
		await page.locator(".samples-view input[type='search']").fill("gen_leaf");
		await page.waitForFunction(() => /found/u.test(document.querySelector(".samples-view .found").textContent), undefined, { timeout: 60000 });
		assert.match(await page.locator(".samples-view .found").innerText(), /^found: ~[\d.]+/u);
	}));
}

/** A mark where nothing is missing is as wrong as none where something is. */
async function wholeCallsTest(browser, file) {
	await test("marks: where nothing was lost, no figure of spans and samples has a mark", () => visit(browser, file, async (page) => {
		for (const [view, keys] of [["spans", ["calls", "outermost", "running", "own_running", "wall", "own_wall"]], ["samples", ["own", "own_share", "total"]]]) {
			for (const key of keys)
				assert.ok((await callCells(page, view, "total", key)).every((text) => /^<?\d/u.test(text)), `${view} ${key}`);
			const tip = await callsTip(page, view);

			assert.match(tip, /share of all\s+\d/u);
			assert.match(tip, /(calls|samples)\s+\d/u);
		}
	}));
}

/** Shares of the bar of states, and wakes, of a label: with or without a mark. */
async function statesTest(browser, name, file, lossy) {
	await test(`marks: states in tips, and wakes, of ${name} ${lossy ? "are marked" : "have no mark"}`, () => visit(browser, file, async (page) => {
		const label = await page.evaluate(() => window.coroprof.profile.wakes.woken[0]);

		await page.evaluate((index) => window.coroprof.store.set({ view: "table", by: "label", selected: { kind: "label", index } }), label);
		await settle(page);
		await page.locator(".table-view .grid-body .cell[data-column='states']").first().hover();
		const shares = [...(await page.locator(".tip").innerText()).matchAll(/(\S*)\s%/gu)].map(([, share]) => share);

		assert.ok(shares.length >= 2, shares.join());
		assert.ok(shares.every((share) => share.startsWith("~") === lossy), shares.join());
		const cells = await page.locator(".details h3", { hasText: "Woken by" }).locator("xpath=..").locator("td").allInnerTexts();

		assert.ok(cells.length >= 2, cells.join());
		cells.forEach((text, at) => assert.match(text, lossy ? (at % 2 ? /^(~|n\/a)/u : /^>=\d/u) : /^(~|n\/a|\d)/u, cells.join()));
		assert.ok(lossy || cells.every((text, at) => at % 2 || /^\d/u.test(text)), cells.join());
	}));
}

/** What is left of ">=1,531" looks like another value. */
async function widthTests(browser, name, file) {
	for (const width of [1400, 800])
		await test(`marks: no figure of ${name} is cut off in ${width} pixels`, () => visit(browser, file, async (page) => {
			const views = [
				...["label", "coroutine", "thread"].flatMap((by) => ["total", "slice", "share"].map((mode) => ({ view: "table", by, mode }))),
				...["held", "ready", "lifetime"].map((what) => ({ view: "latency", what })),
			];

			for (const view of views) {
				await page.evaluate((view) => window.coroprof.store.set(view), view);
				await settle(page);
				const cells = await page.locator(".grid-body .cell:not([aria-colindex='1']), .details td").evaluateAll((all) => all
					.filter((cell) => cell.checkVisibility() && (/\d/.test(cell.innerText) || cell.dataset.column === "switches"))
					.map(({ scrollWidth, clientWidth, innerText }) => [scrollWidth - clientWidth, innerText]));

				assert.ok(cells.length, JSON.stringify(view));
				assert.deepEqual(cells.filter(([over]) => over > 0), [], JSON.stringify(view));
			}
		}, { size: { width, height: 900 } }));
}

/** A hint, or how many rows there are, of which a part is not seen says something else. */
async function toolbarTests(browser, recordings) {
	for (const [name, file] of Object.entries(recordings))
		for (const width of [1400, 1000, 800])
			await test(`marks: no text of a bar above a view of ${name} is cut off in ${width} pixels`, () => visit(browser, file, async (page) => {
				const views = await page.locator('[role="tab"]').evaluateAll((tabs) => tabs.map(({ id }) => id.replace("tab-", "")));

				assert.ok(views.includes("slices") && views.includes("spans"), views.join());
				for (const view of views) {
					await page.evaluate((view) => window.coroprof.store.set({ view }), view);
					await settle(page);
					const cut = await page.locator(".toolbar, .toolbar .found, .toolbar .legend, .toolbar .aside").evaluateAll((all) => all
						.filter((bar) => bar.checkVisibility() && bar.scrollWidth > bar.clientWidth + 1 && getComputedStyle(bar).overflowX === "hidden")
						.map(({ className, scrollWidth, clientWidth, innerText }) => `${className} ${scrollWidth} > ${clientWidth}: ${innerText}`));

					assert.deepEqual(cut, [], view);
					if (["overview", "timeline", "longest"].includes(view))
						assert.equal(await hintIn(page), width >= 1300, `${view}: the hint is there, whole`);
				}
			}, { size: { width, height: 900 } }));
}

/** Whether the timeline's hint is seen; a part of it is an error. */
async function hintIn(page) {
	const [hint, room, legend] = await page.locator(".timeline-view .keys, .timeline-view .hint, .timeline-view .legend").evaluateAll((all) =>
		["keys", "hint", "legend"].map((name) => all.find(({ classList }) => classList.contains(name)).getBoundingClientRect().toJSON()));

	if (!hint.height || hint.top >= room.bottom)
		return false;
	assert.ok(hint.left >= legend.right && hint.right <= room.right && hint.bottom <= room.bottom, "all of the hint, beside the legend");
	return true;
}

export async function marksTests(browser, { generator, callsGenerator, reader, out }) {
	const made = (program, name, scenario) => {
		const [recording, file] = ["cprof", "html"].map((end) => join(out, `marks-${name}.${end}`));

		execFileSync(program, [recording, ...scenario]);
		spawnSync(reader, ["-q", "-o", file, recording], { stdio: "ignore" });
		return file;
	};
	const files = { lost: made(generator, "lost", ["lost"]), torn: made(generator, "torn", ["torn"]),
		damaged: made(generator, "damaged", ["damaged"]), calls: made(callsGenerator, "calls", []) };

	for (const name of ["lost", "torn"])
		await detailsTest(browser, name, files[name]);
	for (const name of ["lost", "torn"])
		await ratiosTest(browser, name, files[name]);
	await wholeTests(browser, "a damaged file", files.damaged, "threads that lack slices");
	await partTest(browser, "a lossy recording", files.lost);
	const lostCalls = made(callsGenerator, "calls-lost", ["lost"]);

	await spansTest(browser, lostCalls);
	await samplesTest(browser, lostCalls);
	await wholeCallsTest(browser, files.calls);
	await statesTest(browser, "a lossy recording", files.lost, true);
	await statesTest(browser, "a whole recording", made(generator, "whole", ["server"]), false);
	await toolbarTests(browser, { "two threads": files.calls, "one in all states": made(callsGenerator, "server", ["server"]) });
	for (const name of Object.keys(files))
		await widthTests(browser, name, files[name]);
}
