// SPDX-License-Identifier: GPL-2.0
/* Where things stand, in wide and narrow windows: nothing is cut off, nothing on top of something else. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { settle, visit } from "./browser.mjs";
import { dataOf } from "./tables.mjs";
import { test } from "./tap.mjs";

const WIDTHS = [1400, 800];

const boxes = (page, selector) => page.locator(selector).evaluateAll((all) => all.filter((element) => element.checkVisibility()).map((element) => {
	const { x, y, width, height } = element.getBoundingClientRect();

	return { x, y, width, height, said: element.innerText };
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

async function stillTest(browser, file) {
	for (const width of [1400, 1000, 800])
		await test(`layout: in ${width} pixels nothing moves when a label, a coroutine, or a thread besides is selected`, () => visit(browser, file, async (page) => {
			const places = () => page.evaluate((all) => all.map((selector) => {
				const { x, y, width, height } = document.querySelector(selector).getBoundingClientRect();

				return `${selector} ${[x, y, width, height].join(" ")}`;
			}), STILL);
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
		assert.ok(pitch >= 160 || grid.y + grid.height - rows.at(-1).y - rows.at(-1).height < 40, `${grid.height} pixels for ${rows.length} rows`);
	}, { size: { width: 1400, height: 1000 } }));
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
	await longestTest(browser, made("processes", generator, "processes"));
	const calls = made("calls", callsGenerator);

	await roomTest(browser, { calls, plain: file });
	await graphTest(browser, calls);
}
