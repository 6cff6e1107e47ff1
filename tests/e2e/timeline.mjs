// SPDX-License-Identifier: GPL-2.0
/* The timeline: that it draws, and how one moves in it. */
import assert from "node:assert/strict";
import { choose, colours, drawing, settle, state, taken, takes, visit } from "./browser.mjs";
import { test } from "./tap.mjs";

const GUTTER = 168;
const AXIS = 22;

async function box(page, selector = "canvas.lanes") {
	return page.locator(selector).boundingBox();
}

/** A point of the page in lane @lane at @share of its length. */
async function point(page, lane, share) {
	const { x, y, width } = await box(page);
	const { pitch } = await drawing(page);

	return [x + GUTTER + share * (width - GUTTER), y + AXIS + lane * pitch + pitch / 2];
}

async function span(page) {
	const { from, to } = await state(page);

	return to - from;
}

export async function timelineTests(browser, file, data) {
	await test("timeline: draws a lane for each thread", () => visit(browser, file, async (page) => {
		const { drawn, lanes } = await drawing(page);

		assert.equal(lanes, data.threads.n);
		assert.ok(drawn > 500, `${drawn} rectangles`);
		assert.ok(await colours(page, "canvas.lanes") > 12);
		assert.ok(await colours(page, "canvas.strip") > 3);
	}));

	await test("timeline: the wheel zooms around the pointer", () => visit(browser, file, async (page) => {
		const before = await span(page);
		const [x, y] = await point(page, 1, 0.25);

		await page.mouse.move(x, y);
		await page.mouse.wheel(0, -600);
		await settle(page);
		const { from, to } = await state(page);

		assert.ok(to - from < before / 2);
		assert.ok(Math.abs(from + 0.25 * (to - from) - 0.25 * before) < before / 500);
		assert.ok((await drawing(page)).drawn > 50);
	}));

	await test("timeline: keys zoom, move and show all", () => visit(browser, file, async (page) => {
		const all = await span(page);

		await page.locator("canvas.lanes").focus();
		for (const key of ["w", "W", "+"])
			await page.keyboard.press(key);
		const near = await state(page);

		assert.ok(near.to - near.from < all / 2);
		await page.keyboard.press("d");
		const right = await state(page);

		assert.ok(right.from > near.from);
		await page.keyboard.press("ArrowLeft");
		assert.ok(Math.abs((await state(page)).from - near.from) < 1);
		await page.keyboard.press("s");
		assert.ok(await span(page) > near.to - near.from);
		await page.keyboard.press("f");
		assert.equal(await span(page), all);
	}));

	await test("timeline: dragging moves, with shift it zooms, and so does the strip", () => visit(browser, file, async (page) => {
		await page.locator("canvas.lanes").focus();
		for (let i = 0; i < 4; i++)
			await page.keyboard.press("w");
		const before = await state(page);
		const [x, y] = await point(page, 1, 0.5);

		await page.mouse.move(x, y);
		await page.mouse.down();
		await page.mouse.move(x - 200, y, { steps: 4 });
		await page.mouse.up();
		const moved = await state(page);

		assert.ok(moved.from > before.from);
		assert.ok(Math.abs(moved.to - moved.from - (before.to - before.from)) < 1);
		await page.keyboard.down("Shift");
		await page.mouse.move(x, y);
		await page.mouse.down();
		await page.mouse.move(x + 100, y, { steps: 4 });
		await page.mouse.up();
		await page.keyboard.up("Shift");
		assert.ok(await span(page) < (moved.to - moved.from) / 4);
		const strip = await box(page, "canvas.strip");

		await page.locator("canvas.strip").dblclick({ position: { x: 400, y: 20 } });
		await page.mouse.move(strip.x + GUTTER + 100, strip.y + 20);
		await page.mouse.down();
		await page.mouse.move(strip.x + GUTTER + 300, strip.y + 20, { steps: 4 });
		await page.mouse.up();
		const { from, to } = await state(page);
		const scale = data.recording.duration / (strip.width - GUTTER);

		assert.ok(Math.abs(from - 100 * scale) < 2 * scale && Math.abs(to - 300 * scale) < 2 * scale);
	}));

	await test("timeline: a tooltip tells of the slice, a click selects its coroutine", () => visit(browser, file, async (page) => {
		const { timeline, coroutines, labels } = data;
		const slice = timeline.first[1] + 5;
		const begin = timeline.duration.slice(timeline.first[1], slice).reduce((a, b) => a + b, 0);

		await page.evaluate(([from, to]) => window.coroprof.store.set({ from, to }),
			[Math.max(0, begin - 1000), begin + timeline.duration[slice] + 1000]);
		await settle(page);
		const [x, y] = await point(page, 1, 0.5);

		await page.mouse.move(x, y);
		const coroutine = timeline.coroutine[slice];
		const name = `${labels.name[timeline.label[slice]]} #${coroutines.id[coroutine]}`;
		const tip = await page.locator(".tip").innerText();

		assert.ok(tip.startsWith(name), tip);
		assert.ok(tip.includes("worker-1"), tip);
		assert.ok(tip.includes("not counted in all of it"), tip);
		await page.mouse.click(x, y);
		await settle(page);
		assert.deepEqual((await state(page)).selected, { kind: "coroutine", index: coroutine });
		assert.ok((await page.locator(".details").innerText()).includes(name));
		const marked = page.locator('.grid-row[aria-selected="true"]');

		assert.equal(await marked.locator('[data-column="name"]').innerText(), labels.name[timeline.label[slice]]);
		await choose(page, "table", "Coroutines");
		const [, after] = await point(page, 1, 0.5);

		await page.mouse.click(x, after - (await drawing(page)).pitch);
		await page.mouse.click(x, after);
		await settle(page);
		assert.equal(await marked.locator('[data-column="id"]').innerText(), String(coroutines.id[coroutine]));
		await choose(page, "timeline", "Coroutines");
		assert.equal((await drawing(page)).lanes, 1);
	}));

	await test("timeline: lanes of the coroutines of a label", () => visit(browser, file, async (page) => {
		const label = 3;
		const seen = new Set(data.timeline.coroutine.filter((c) => data.coroutines.label[c] === label));

		await page.evaluate((index) => window.coroprof.store.select("label", index), label);
		await choose(page, "timeline", "Coroutines");
		assert.equal((await drawing(page)).lanes, seen.size);
		assert.ok((await drawing(page)).drawn > 20);
	}));

	await test("timeline: lanes of coroutines are those that are there in the time in view", () => visit(browser, file, async (page) => {
		const { first, last } = data.coroutines;
		const [from, to] = [0.4, 0.401].map((share) => Math.round(share * data.recording.duration));
		const there = first.filter((time, at) => time >= 0 && time <= to && last[at] >= from).length;

		await choose(page, "timeline", "Coroutines");
		const all = (await drawing(page)).lanes;

		await page.evaluate(([from, to]) => window.coroprof.store.set({ from, to }), [from, to]);
		await settle(page);
		assert.equal((await drawing(page)).lanes, there);
		assert.ok(there < all, `${there} of ${all}`);
	}));

	await test("timeline: a table takes the room that labels need, be its rows coroutines or threads, and lanes have the rest", () => visit(browser, file, async (page) => {
		const high = () => page.locator("canvas.lanes").evaluate((canvas) => canvas.clientHeight);

		await choose(page, "timeline", "Coroutines");
		await choose(page, "table", "Coroutines");
		const before = await high();

		await choose(page, "table", "Threads");
		assert.equal(await high(), before);
		const [table, grid] = await page.locator(".table-view, .grid").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));

		assert.ok(table < 400 && grid > 8 * 22, `${table}, ${grid}`);
	}));

	await test("timeline: steps from slice to slice by key, and says so", () => visit(browser, file, async (page) => {
		await page.evaluate(() => window.coroprof.store.select("coroutine", 2));
		await page.locator("canvas.lanes").focus();
		await page.keyboard.press(".");
		const at = await state(page);

		await page.keyboard.press(".");
		assert.ok((await state(page)).from > at.from);
		assert.match(await page.locator(".timeline-view [role=status]").innerText(), /#3: thread worker/);
	}));
}

export async function sizeTests(browser, file, data) {
	/* How long it takes is for `make bench` to say: the machine that tests may be busy. What is drawn bounds the work. */
	await test("size: opens 100,000 coroutines and 200,000 slices, and draws no more of them than a screen can show", async () => {
		await visit(browser, file, async (page) => {
			console.log(`# opened in ${(await taken(page)).toFixed(0)} ms`);
			assert.equal(data.coroutines.n, 100000);
			assert.equal(data.timeline.n, 200000);
			const ms = await takes(page, async () => {
				await page.evaluate(() => window.coroprof.store.set({ lanes: "threads", from: 0 }));
				await page.evaluate(() => window.coroprof.store.set({ from: 1 }));
				await settle(page);
			});
			const { drawn } = await drawing(page);

			console.log(`# all lanes in ${ms.toFixed(0)} ms, ${drawn} rectangles`);
			assert.ok(drawn > 0 && drawn < 4 * 2 * 1440, `${drawn} rectangles`);
			const sorted = await takes(page, () => page.evaluate(() =>
				window.coroprof.store.set({ by: "coroutine", sort: "slices" })));

			console.log(`# 100,000 rows sorted and shown in ${sorted.toFixed(0)} ms`);
			await choose(page, "timeline", "Coroutines");
			assert.ok((await drawing(page)).lanes > 50000);
		});
	});
}
