// SPDX-License-Identifier: GPL-2.0
/* Where things stand, in wide and narrow windows: nothing is cut off, nothing on top of something else. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { choose, settle, visit } from "./browser.mjs";
import { dataOf } from "./tables.mjs";
import { test } from "./tap.mjs";

const WIDTHS = [1400, 800];

const boxes = (page, selector) => page.locator(selector).evaluateAll((all) => all.filter((element) => element.checkVisibility()).map((element) => {
	const { x, y, width, height } = element.getBoundingClientRect();

	return { x, y, width, height, said: element.innerText, of: element.className };
}));

const within = (inner, outer) => inner.x >= outer.x - 1 && inner.y >= outer.y - 1 &&
	inner.x + inner.width <= outer.x + outer.width + 1 && inner.y + inner.height <= outer.y + outer.height + 1;

const apart = (a, b) => a.x + a.width <= b.x + 1 || b.x + b.width <= a.x + 1 || a.y + a.height <= b.y + 1 || b.y + b.height <= a.y + 1;

/** Of a recording of which the page has sums, so that bars have most to say. */
async function barTests(browser, { file, duration, out }) {
	for (const width of WIDTHS)
		await test(`layout: in ${width} pixels, colours and hints of the timeline are there, and chips are below the tabs`, () => visit(browser, file, async (page) => {
			for (const view of ["overview", "longest", "latency"]) {
				await page.evaluate((view) => window.coroprof.store.set({ view }), view);
				await settle(page);
				const [tabs] = await boxes(page, ".tabs");
				const [bar] = await boxes(page, ".tab-bar");
				const chips = await boxes(page, ".chips > *");

				assert.ok(chips.length >= 3, view);
				for (const chip of chips)
					assert.ok(within(chip, bar) && apart(chip, tabs), `${view}: ${chip.said}`);
				for (const bit of [...chips, tabs])
					assert.ok(apart(bit, (await boxes(page, ".help-button"))[0]), `${view}: ${bit.said} and the help`);
				assert.ok(bar.height < 100, `${view}: ${bar.height} pixels for tabs and chips`);
				assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, view);
				await page.screenshot({ path: join(out, `layout-${view}-${width}.png`) });
				if (view === "latency")
					continue;
				/* As of a recording with many samples. */
				await page.locator(".inside-notes").evaluate((notes) => { notes.textContent = "1,014,462 samples: too many for ticks"; });
				const [toolbar] = await boxes(page, ".timeline-view .toolbar");
				const shown = await boxes(page, ".timeline-view .legend > span, .timeline-view .aside");

				assert.ok(["preempted", "blocked", "idle"].every((state) => shown.some(({ said }) => said === state)), view);
				for (const bit of shown)
					assert.ok(within(bit, toolbar), `${view}: ${bit.said}`);
			}
		}, { size: { width, height: 900 }, hash: `#label=handle_request&time=1000-${Math.floor(duration / 2)}` }));
	await test("layout: in a narrow window some of the longest are in view, and details stand in columns", () => visit(browser, file, async (page) => {
		const [grid] = await boxes(page, ".longest-view .grid");
		const rows = (await boxes(page, ".longest-view .grid-body .grid-row")).filter((row) => row.y + row.height <= grid.y + grid.height + 1);
		const left = new Set((await boxes(page, ".details h3")).map(({ x }) => Math.round(x)));

		assert.ok(rows.length >= 2, `${rows.length} rows`);
		assert.equal(left.size, 2, [...left].join());
	}, { size: { width: 800, height: 900 }, hash: "#view=longest" }));
}

/** What a click must not move from under the pointer. */
const STILL = [".top", ".tabs", ".chips", ".timeline-view .toolbar", ".strip", ".timeline-view .lanes-scroller", ".table-view .toolbar", ".grid-head", ".grid", ".details"];

const placesOf = (page, selectors) => page.evaluate((all) => all.flatMap((selector) => [...document.querySelectorAll(selector)].map((part) => {
	const { x, y, width, height } = part.getBoundingClientRect();

	return `${selector} ${[x, y, width, height].join(" ")}`;
})), selectors);

async function stillTest(browser, file) {
	for (const width of [1400, 1000, 800])
		await test(`layout: in ${width} pixels nothing moves when a label, a coroutine, or a thread besides is selected`, () => visit(browser, file, async (page) => {
			const places = () => placesOf(page, STILL);
			const before = await places();

			await page.locator(".grid-body .cell").first().click();
			await settle(page);
			assert.equal(await page.locator(".chips .chip").count(), 1);
			assert.deepEqual(await places(), before, "a label");
			await page.evaluate(() => window.coroprof.store.set({ selected: { kind: "coroutine", index: 3 } }));
			await settle(page);
			assert.deepEqual(await places(), before, "a coroutine");
			await page.evaluate(() => window.coroprof.store.set({ only: { kind: "thread", index: 0 } }));
			await page.waitForFunction(() => !document.querySelector(".table-view[aria-busy]"));
			await settle(page);
			assert.equal(await page.locator(".chips .chip").count(), 2);
			assert.deepEqual((await places()).filter((place) => !/lanes|grid|table/.test(place)), before.filter((place) => !/lanes|grid|table/.test(place)), "a thread besides");
		}, { size: { width, height: 900 } }));
}

/** Of a recording that the page has in sums: how many slices are, and the command that shows each, need more or less room. */
async function zoomTest(browser, file) {
	for (const width of [1400, 1000, 800])
		await test(`layout: in ${width} pixels the wheel moves no lane, whatever is said of sums`, () => visit(browser, file, async (page) => {
			const places = () => placesOf(page, [".top", ".chips", ".timeline-view .toolbar", ".strip", ".timeline-view .lanes-scroller"]);
			const before = await places();
			const said = [];

			for (let step = 0; step < 6; step++) {
				said.push(await page.locator(".offer").innerText());
				assert.deepEqual(await places(), before, said.at(-1));
				await page.locator("canvas.lanes").hover({ position: { x: width / 3, y: 40 } });
				await page.mouse.wheel(0, -400);
				await settle(page);
			}
			assert.ok(/Zoom in/.test(said[0]) && /This shows each/.test(said.at(-1)), said.join("\n"));
		}, { size: { width, height: 900 } }));
}

/** Opened by its address, beside lanes that would like all the room. */
async function longestTest(browser, file) {
	for (const height of [900, 700])
		await test(`layout: in a window ${height} pixels high the longest have room beside the lanes`, () => visit(browser, file, async (page) => {
			const [grid] = await boxes(page, ".longest-view .grid");
			const rows = (await boxes(page, ".longest-view .grid-body .grid-row")).filter((row) => row.y + row.height <= Math.min(grid.y + grid.height, height) + 1);

			assert.ok(rows.length >= (height - 600) / 50, `${rows.length} rows`);
			assert.ok((await boxes(page, ".lanes-scroller"))[0].height > 80);
		}, { size: { width: 1400, height }, hash: "#view=longest" }));
}

/** What lanes and the table leave of the window is the flame graph's, or else the lanes'. */
async function roomTest(browser, { calls, plain }) {
	await test("layout: the overview has the flame graph of the label that is selected where there is room", () => visit(browser, calls, async (page) => {
		const flame = async () => (await page.locator(".hot-view").boundingBox());
		const said = async () => (await page.locator(".hot-view .found").innerText()).replace(/\s/gu, " ");
		const before = await flame();

		await page.waitForFunction(() => document.querySelector(".hot-view .found").innerText === "samples of all coroutines: 800 samples");
		assert.ok(before.height > 120 && before.y + before.height <= 1001, JSON.stringify(before));
		await page.locator('.table-view [data-column="name"]', { hasText: "odd" }).click();
		await page.waitForFunction(() => /samples of odd/.test(document.querySelector(".hot-view .found").innerText));
		assert.equal(await said(), "samples of odd: 400 samples");
		assert.notEqual(await page.locator(".hot-view canvas").evaluate((canvas) => canvas.dataset.zoom), "0");
		assert.deepEqual(await flame(), before);
		await page.setViewportSize({ width: 1400, height: 560 });
		await settle(page);
		assert.equal((await flame()).height, 0);
		assert.ok(await page.locator(".hot-view").evaluate((view) => view.inert), "keys do not go to what is not there");
	}, { size: { width: 1400, height: 1000 } }));

	await test("layout: without samples lanes take the height that the table leaves", () => visit(browser, plain, async (page) => {
		const [grid] = await boxes(page, ".table-view .grid");
		const rows = await boxes(page, ".grid-body .grid-row");
		const { pitch, lanes } = await page.locator(".timeline-view canvas.lanes").evaluate(({ dataset }) => ({ pitch: Number(dataset.pitch), lanes: Number(dataset.lanes) }));

		assert.equal(await page.locator(".hot-view").count(), 0);
		assert.ok(lanes * 70 < 500 && pitch > 70, `${lanes} lanes, each ${pitch} pixels high`);
		/* Room for as many coroutines: choosing these moves nothing. */
		const reserved = Math.max(0, 8 - rows.length) * rows.at(-1).height;

		assert.ok(pitch >= 160 || grid.y + grid.height - rows.at(-1).y - rows.at(-1).height < 40 + reserved, `${grid.height} pixels for ${rows.length} rows`);
	}, { size: { width: 1400, height: 1000 } }));
}

/** In the last one details have to be scrolled to. */
const WINDOWS = [[1400, 900], [1000, 700], [800, 600]];
/** So many rows of the overview's table are whole in any of them: style.css keeps the room. */
const ROWS = 3;
const PARTS = [".top", ".tab-bar", ".timeline-view .toolbar", ".strip", ".timeline-view .lanes-scroller", ".table-view .toolbar", ".table-view .grid", ".hot-view", ".details"];

/** Findings, lanes, table and flame graph together would like more room than there is. */
async function overviewTests(browser, recordings, out) {
	for (const [width, height] of WINDOWS)
		for (const [name, file] of Object.entries(recordings))
			await test(`layout: in ${width} x ${height} pixels the overview of ${name} has ${ROWS} rows of its table, a lane, and nothing that overlaps or moves`, () => visit(browser, file, async (page) => {
				const [grid] = await boxes(page, ".table-view .grid");
				const rows = await page.locator(".table-view .grid").getAttribute("aria-rowcount").then(Number) - 1;
				const whole = (await boxes(page, ".table-view .grid-body .grid-row")).filter((row) => row.y + row.height <= Math.min(grid.y + grid.height, height));
				const parts = (await boxes(page, PARTS.join())).filter((part) => part.height > 0);
				const places = () => placesOf(page, [...STILL, ".hot-view"]);
				const before = await places();

				await page.screenshot({ path: join(out, `layout-overview-${name.replace(/ /g, "-")}-${width}.png`) });
				assert.ok((await boxes(page, ".verdict li")).length >= 2);
				assert.ok(rows > ROWS && whole.length >= ROWS, `${whole.length} of ${rows} rows, in ${grid.height} pixels`);
				assert.ok(whole.length === rows || !parts.some(({ of }) => /hot-view/.test(of)), "the flame graph has what the table leaves");
				assert.ok(parts.find(({ of }) => of === "lanes-scroller").height >= 60, "an axis and a lane");
				for (const part of parts) {
					assert.ok(part.y + part.height <= (part.of === "details" ? await page.evaluate(() => document.documentElement.scrollHeight) : height) + 1, `${part.of} ends at ${part.y + part.height}`);
					for (const other of parts.filter((other) => other !== part))
						assert.ok(apart(part, other), `${part.of} and ${other.of}`);
				}
				for (const row of [0, ROWS - 1]) {
					await page.locator(`.table-view .grid-row[data-at="${row}"] .cell`).first().click();
					await settle(page);
					assert.deepEqual(await places(), before, `row ${row}`);
				}
			}, { size: { width, height } }));
}

/** What stands in the views that have a filter. */
const FILTERED = [...PARTS, ".chips", ".grid-head", ...[".toolbar", ".grid", ".filter", ".lanes-scroller"].map((part) => `.view:not([hidden]) ${part}`)];

/** A filter is typed character by character: fewer rows are left, or fewer lanes. */
async function filterTest(browser, recordings) {
	for (const [width, height] of WINDOWS)
		for (const [view, lanes, typed, recording] of [
			["overview", "threads", "name=worker-1", "many"], ["overview", "threads", "name=none", "server"], ["overview", "coroutines", "tag=1", "server"],
			["overview", "threads", "handle", "many"], ["table", "threads", "name=x", "server"], ["longest", "threads", "name=none", "many"],
			["latency", "threads", "handle", "many"], ["samples", "threads", "name=none", "server"], ["spans", "threads", "none", "server"],
		])
			await test(`layout: in ${width} x ${height} pixels nothing of the view ${view}, with ${lanes} of ${recording}, moves while ${typed} is typed`, () => visit(browser, recordings[recording], async (page) => {
				const own = `.${view === "overview" ? "table" : view}-view`;
				const places = () => placesOf(page, FILTERED);
				const rows = () => page.locator(`${own} .grid`).getAttribute("aria-rowcount").then(Number);
				const [before, all, left] = [await places(), await rows(), []];

				assert.ok(before.length > 6, before.join());
				for (let typing = 1; typing <= typed.length; typing++) {
					await page.locator(`${own} .filter`).fill(typed.slice(0, typing));
					await page.waitForFunction(() => !document.querySelector(".table-view[aria-busy]"));
					await settle(page);
					left.push(await rows());
					assert.deepEqual(await places(), before, typed.slice(0, typing));
				}
				assert.ok(left.some((rows) => rows < all), `of ${all} rows ${left.join()}`);
			}, { size: { width, height }, hash: `#view=${view}&lanes=${lanes}` }));
}

/** Few labels, many coroutines: what is chosen in the table's bar moves neither the bar nor what is above it. */
async function groupingTest(browser, recordings) {
	for (const [width, height] of WINDOWS)
		for (const [name, file] of Object.entries(recordings))
			await test(`layout: in ${width} x ${height} pixels nothing of the overview of ${name} moves when rows are coroutines or threads`, () => visit(browser, file, async (page) => {
				const parts = [".table-view .toolbar", ".timeline-view .toolbar", ".timeline-view .lanes-scroller", ".strip", ".table-view .grid"];
				const places = () => placesOf(page, parts);
				const rows = () => page.locator(".table-view .grid").getAttribute("aria-rowcount").then(Number);
				const before = await places(), counts = [await rows()];

				assert.ok(before.length >= parts.length, before.join());
				for (const grouping of ["Coroutines", "Threads", "Labels"]) {
					await choose(page, "table", grouping);
					await settle(page);
					counts.push(await rows());
					assert.deepEqual(await places(), before, grouping);
				}
				assert.ok(Math.max(...counts) > Math.min(...counts), counts.join());
			}, { size: { width, height } }));
}

/** What stands in place of a graph. */
async function graphTest(browser, file) {
	await test("layout: what is said in place of a graph stands between the bar and the table", () => visit(browser, file, async (page) => {
		const [said] = await boxes(page, ".samples-view > .grid-empty");

		assert.match(said.said, /Choose a function/);
		for (const other of [...await boxes(page, "header"), ...await boxes(page, ".samples-view .toolbar"), ...await boxes(page, ".samples-view .grid")])
			assert.ok(apart(said, other), other.said);
	}, { hash: "#view=samples&shape=sandwich" }));
}

export async function layoutTests(browser, { generator, callsGenerator, reader, out }) {
	const made = (name, program, ...scenario) => {
		const [recording, file] = ["cprof", "html"].map((end) => join(out, `layout-${name}.${end}`));

		execFileSync(program, [recording, ...scenario]);
		execFileSync(reader, ["-o", file, recording], { stdio: "ignore" });
		return file;
	};
	const file = made("many", generator, "400000");

	await barTests(browser, { file, duration: dataOf(file).recording.duration[0], out });
	await stillTest(browser, file);
	await zoomTest(browser, file);
	await longestTest(browser, made("processes", generator, "processes"));
	const calls = made("calls", callsGenerator);

	await roomTest(browser, { calls, plain: file });
	const server = made("server", callsGenerator, "server");

	await overviewTests(browser, { "one thread": server, "twelve threads": made("crowd", callsGenerator, "crowd"), sums: file }, out);
	await filterTest(browser, { many: file, server });
	await groupingTest(browser, { many: file, server });
	await graphTest(browser, calls);
}
