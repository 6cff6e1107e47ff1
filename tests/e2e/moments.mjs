// SPDX-License-Identifier: GPL-2.0
/*
 * What the timeline shows in slices, and of one slice: spans, samples, wakes, the wait
 * before it, parents and children; of a recording of which each time is known, see
 * moments() in calls-gen.c.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { settle, state, visit } from "./browser.mjs";
import { dataOf } from "./tables.mjs";
import { test } from "./tap.mjs";

const GUTTER = 168;
const AXIS = 22;
const US = 1000;

function make({ callsGenerator, reader, out }) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `moments.${end}`));

	execFileSync(callsGenerator, [recording, "moments"]);
	execFileSync(reader, ["-o", file, recording], { stdio: ["ignore", "ignore", "pipe"] });
	return { recording, file };
}

/** What the lanes drew last: spans as [name, from, to, depth] in us, by time. */
async function drawn(page) {
	return page.locator(".timeline-view canvas.lanes").evaluate(({ spans, ticks, arrows }) => {
		const { spans: { spans: { name } }, timelineSpans: { span } } = window.coroprof.profile;
		const all = spans.map(({ row, from, to, depth }) => [name[span[row]], from / 1000, to / 1000, depth]);

		return { spans: all.sort((a, b) => a[1] - b[1] || a[3] - b[3]), ticks, arrows };
	});
}

/** Selects a coroutine by its number, and its slice at a time in us. */
async function select(page, id, at) {
	await page.evaluate(([id, at]) => {
		const { store, profile } = window.coroprof;

		store.select("coroutine", [...profile.coroutines.id].findIndex((of) => of === id), at);
	}, [id, at * US]);
	await settle(page);
}

/** A place of the page, of a time in us, in the lane @lane, @down pixels below its top. */
async function place(page, at, lane, down) {
	const { x, y, width } = await page.locator(".timeline-view canvas.lanes").boundingBox();
	const pitch = Number(await page.locator(".timeline-view canvas.lanes").getAttribute("data-pitch"));
	const { from, to } = await state(page);

	return [x + GUTTER + (at * US - from) / (to - from) * (width - GUTTER), y + AXIS + lane * pitch + down];
}

/** The facts of the slice that is looked at, by name; plain spaces. */
async function facts(page) {
	const section = page.locator(".details section", { has: page.locator("h3", { hasText: /^Slice$/ }) });

	return Object.fromEntries(await section.locator(".facts div").evaluateAll((rows) =>
		rows.map((row) => [...row.children].map((cell) => cell.textContent.replace(/\u202f/g, " ")))));
}

export async function momentsTests(browser, tools) {
	const { recording, file } = make(tools);
	const data = dataOf(file);

	await test("moments: spans are drawn in the slices of their coroutine, each where it was", () => visit(browser, file, async (page) => {
		const { spans, ticks } = await drawn(page);

		assert.deepEqual(spans, [
			["outer", 20, 100, 0], ["inner", 30, 90, 1],
			["outer", 300, 380, 0], ["inner", 320, 360, 1], ["inner", 330, 335, 2],
		]);
		assert.equal(ticks, 3);
		await page.evaluate(() => window.coroprof.store.set({ from: 331000, to: 340000 }));
		await settle(page);
		assert.deepEqual((await drawn(page)).spans, [
			["outer", 331, 340, 0], ["inner", 331, 340, 1], ["inner", 331, 335, 2],
		]);
		assert.equal((await drawn(page)).ticks, 0);
	}));

	await test("moments: the lane of one coroutine has its spans in its slices, no others", () => visit(browser, file, async (page) => {
		await page.evaluate(() => window.coroprof.store.set({ lanes: "coroutines" }));
		await settle(page);
		assert.deepEqual((await drawn(page)).spans, []);
		await select(page, 1, 10);
		const { spans, ticks } = await drawn(page);

		assert.deepEqual(spans.map(([name, from, to]) => [name, from, to]),
			[["outer", 20, 100], ["inner", 30, 90], ["outer", 300, 380], ["inner", 320, 360], ["inner", 330, 335]]);
		assert.equal(ticks, 2);
		await select(page, 4, 210);
		assert.deepEqual((await drawn(page)).spans, []);
	}));

	await test("moments: samples of one coroutine are drawn with their callers, in order of time", () => visit(browser, file, async (page) => {
		const calls = () => page.locator(".timeline-view canvas.lanes").evaluate(({ calls }) => {
			const { functions, tree } = window.coroprof.profile.samples;

			return calls.map(({ node, from, to, samples, depth }) => [functions.name[tree.name[node]], from / 1000, to / 1000, samples, depth]);
		});

		await select(page, 1, 10);
		assert.deepEqual(await calls(), []);
		await page.evaluate(() => window.coroprof.store.set({ lanes: "coroutines" }));
		await settle(page);
		/* Each to the end of its slice: none is for the time between slices. */
		assert.deepEqual(await calls(), [
			["gen_serve", 10, 100, 1, 0], ["gen_serve", 330, 400, 1, 0],
			["gen_parse", 10, 100, 1, 1], ["gen_parse", 330, 400, 1, 1], ["gen_leaf", 10, 100, 1, 2],
		]);
		const pitch = Number(await page.locator(".timeline-view canvas.lanes").getAttribute("data-pitch"));

		await page.mouse.move(...await place(page, 340, 0, pitch - 4 - 13 - 6));
		assert.match((await page.locator(".tip").innerText()).replace(/\u202f/g, " "), /^gen_parse\s*from\s*330 us\s*for\s*70\.0 us\s*samples\s*1/);
		await page.mouse.move(...await place(page, 200, 0, pitch - 4 - 13 - 6));
		await page.locator(".tip").waitFor({ state: "hidden" });
	}));

	await test("moments: tooltips tell of a span, and of a sample with its callers", () => visit(browser, file, async (page) => {
		const pitch = Number(await page.locator(".timeline-view canvas.lanes").getAttribute("data-pitch"));
		const tip = async (...where) => {
			await page.mouse.move(...await place(page, ...where));
			return (await page.locator(".tip").innerText()).replace(/\u202f/g, " ");
		};
		const rows = pitch - 4 - 3 * 13;
		const inner = await tip(340, 0, rows + 1 + 13 + 6);

		assert.match(inner, /^inner/);
		assert.match(inner, /wall\s*40\.0 us/);
		assert.match(inner, /running\s*20\.0 us/);
		assert.match(inner, /coroutine\s*odd #1/);
		assert.match(await tip(332.5, 0, rows + 1 + 2 * 13 + 6), /wall\s*5\.00 us/);
		assert.match(await tip(50, 0, rows + 1 + 6), /wall\s*360 us/);
		/* Where no span is, the slice is what is told. */
		assert.match(await tip(10, 0, rows / 2), /^odd #1/);
		const sample = await tip(10, 0, 3);

		assert.match(sample, /^gen_leaf/);
		assert.match(sample, /called by\s*gen_parse\s*gen_serve/);
		assert.match(sample, /sample at\s*10 us/);
	}));

	await test("moments: of a slice it is told what it waited for, who woke it, whom it woke, and its ratios", () => visit(browser, file, async (page) => {
		await select(page, 1, 350);
		const told = await facts(page);

		assert.equal(told.begin, "300 us");
		assert.equal(told.held, "100 us");
		assert.equal(told["waited before"], "200 us");
		assert.equal(told.awaiting, "150 us");
		assert.equal(told.ready, "50.0 us");
		assert.equal(told["woken by"], "even #4, 50.0 us before it began");
		assert.equal(told.woke, "even #2");
		assert.equal(told.cycles, "300 k");
		assert.equal(told.IPC, "0.50");
		/* From its begin on it was ready; the first slices of others were not told when. */
		await select(page, 2, 150);
		assert.equal((await facts(page)).ready, "50.0 us");
		await select(page, 3, 0);
		assert.match((await facts(page))["waited before"], /^n\/a: it is the first slice/);
		await select(page, 1, 0);
		assert.match((await facts(page))["waited before"], /^n\/a: it is the first slice/);
	}));

	await test("moments: details begin with the slice that is looked at, also of a part of the time", () => visit(browser, file, async (page) => {
		const titles = () => page.locator(".details h3").evaluateAll((all) => all.filter((title) => title.checkVisibility()).map((title) => title.innerText));

		await select(page, 1, 350);
		assert.deepEqual((await titles()).slice(0, 2), ["Slice", "All of its slices"]);
		await page.evaluate(() => window.coroprof.store.set({ from: 150000, to: 310000 }));
		await page.locator(".in-view .family").waitFor();
		assert.deepEqual((await titles()).slice(0, 2), ["Slice", "In the time in view"]);
		assert.ok(!(await titles()).includes("All of its slices"));
		await page.evaluate(() => window.coroprof.store.set({ at: -1 }));
		await settle(page);
		assert.ok(!(await titles()).includes("Slice"));
	}));

	await test("moments: when a slice began is told to the nanosecond", () => {
		const [many, page] = ["cprof", "html"].map((end) => join(tools.out, `moments-server.${end}`));

		execFileSync(tools.generator, [many, "server"]);
		execFileSync(tools.reader, ["-o", page, many], { stdio: ["ignore", "ignore", "pipe"] });
		return visit(browser, page, async (page) => {
			const begin = await page.evaluate(() => {
				const { store } = window.coroprof;
				const { begin, coroutine } = store.profile.timeline;
				const row = begin.findIndex((time, at) => time > 1e8 && coroutine[at] >= 0 && time % 1000);

				store.select("coroutine", coroutine[row], begin[row]);
				return begin[row];
			});

			await settle(page);
			const [figure, unit] = (await facts(page)).begin.split(/\s/u);

			assert.deepEqual([Math.round(Number(figure) * 1e6), unit], [begin, "ms"]);
		});
	});

	await test("moments: the waits before its slices are what the table says of a coroutine", () => visit(browser, file, async (page) => {
		for (const [id, times] of [[1, [0, 300]], [2, [100, 320]], [4, [200]]]) {
			const row = data.coroutines.id.indexOf(id);
			let [ready, awaiting] = [0, 0];

			for (const at of times) {
				await select(page, id, at);
				const told = await facts(page);

				ready += parseFloat(told.ready ?? 0);
				awaiting += parseFloat(told.awaiting ?? 0);
			}
			assert.equal(ready * US, data.coroutines.ready[row], `ready of ${id}`);
			assert.equal(awaiting * US, data.coroutines.awaiting[row], `awaiting of ${id}`);
		}
	}));

	await test("moments: arrows come from who woke the slice, when it did, and go to what it woke", () => visit(browser, file, async (page) => {
		const arrows = async () => (await drawn(page)).arrows;

		assert.deepEqual(await arrows(), []);
		await select(page, 1, 350);
		assert.deepEqual(await arrows(), [
			{ woken: 250 * US, waker: 0, begin: 300 * US, lane: 0 }, { woken: 310 * US, waker: 0, begin: 320 * US, lane: 1 },
		]);
		await page.locator(".details button", { hasText: "even #2" }).first().click();
		await settle(page);
		assert.equal((await facts(page)).begin, "320 us");
		assert.deepEqual(await arrows(), [{ woken: 310 * US, waker: 0, begin: 320 * US, lane: 1 }]);
		await page.evaluate(() => window.coroprof.store.set({ selected: null }));
		await settle(page);
		assert.deepEqual(await arrows(), []);
	}));

	await test("moments: it is said where there are more arrows than are drawn", () => {
		const [many, page] = ["cprof", "html"].map((end) => join(tools.out, `moments-wakes.${end}`));

		execFileSync(tools.callsGenerator, [many, "wakes"]);
		execFileSync(tools.reader, ["-o", page, many], { stdio: ["ignore", "ignore", "pipe"] });
		const arrows = (page) => page.locator(".timeline-view canvas.lanes").evaluate(({ arrows }) => arrows.length);

		return visit(browser, page, async (page) => {
			await select(page, 1, 50);
			assert.equal(await arrows(page), 64);
			assert.equal(await page.locator(".inside-notes").innerText(), "arrows to the first 64 of 70 slices that it made ready");
			await select(page, 2, 105);
			assert.equal(await arrows(page), 1);
			assert.equal(await page.locator(".inside-notes").innerText(), "");
		});
	});

	await test("moments: the slice is in the address, and a click selects another", () => visit(browser, file, async (page) => {
		const { begin } = await facts(page);

		assert.equal(begin, "320 us");
		await page.mouse.click(...await place(page, 50, 0, 20));
		await settle(page);
		assert.equal((await facts(page)).begin, "0 ns");
		await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get("at") === "0");
		await page.locator(".timeline-view canvas.lanes").focus();
		await page.keyboard.press(".");
		await settle(page);
		assert.equal((await facts(page)).begin, "300 us");
	}, { hash: "#coroutine=2&at=350000" }));

	await test("moments: the tree of a coroutine has its parents above and its children below it", () => visit(browser, file, async (page) => {
		const tree = async () => page.locator(".family").first().evaluate((list) => {
			const told = (item) => [item.querySelector("bdi").textContent, ...[...item.querySelectorAll(":scope > ul > li")].map(told)];

			return [...list.children].map(told);
		});

		await select(page, 2, 150);
		assert.deepEqual(await tree(), [["odd #1", ["even #2", ["even #4"]]]]);
		assert.equal(await page.locator(".family strong").innerText(), "even #2");
		await select(page, 1, 10);
		assert.deepEqual(await tree(), [["odd #1", ["even #2", ["even #4"]], ["odd #3"]]]);
		await page.locator(".family button", { hasText: "odd #3" }).click();
		await settle(page);
		assert.equal(await page.locator(".family strong").innerText(), "odd #3");
	}));

	await test("moments: the tree of a coroutine has what each ran in the time in view", () => visit(browser, file, async (page) => {
		const ran = () => page.locator(".family").evaluateAll((lists) => Object.fromEntries(
			lists.filter((list) => list.checkVisibility()).flatMap((list) => [...list.querySelectorAll(".relative")]).map((one) =>
				[one.querySelector("bdi").textContent, one.querySelector(".soft").textContent.trim().replace(/\u202f/g, " ")])));

		await select(page, 2, 150);
		assert.deepEqual(await ran(), { "odd #1": "200 us", "even #2": "160 us", "even #4": "100 us" });
		await page.evaluate(() => window.coroprof.store.set({ from: 150000, to: 310000 }));
		await page.locator(".in-view .family").waitFor();
		assert.deepEqual(await ran(), { "odd #1": "10.0 us", "even #2": "50.0 us", "even #4": "100 us" });
		await page.evaluate(() => window.coroprof.store.set({ from: 0, to: 400000 }));
		await page.locator(".in-view .family").waitFor({ state: "detached" });
		assert.deepEqual(await ran(), { "odd #1": "200 us", "even #2": "160 us", "even #4": "100 us" });
	}));

	await test("moments: what spans and samples the page has not is said", () => {
		const few = join(tools.out, "moments-few.html");

		execFileSync(tools.callsGenerator, [recording]);
		execFileSync(tools.reader, ["-o", few, recording], { stdio: ["ignore", "ignore", "pipe"] });
		return visit(browser, few, async (page) => {
			await page.evaluate(() => {
				const { profile, store } = window.coroprof;

				/* As of a recording with more than fit. */
				Object.assign(profile.recording, { timeline_spans_least: 4096, spans: profile.timelineSpans.n + 12 });
				Object.defineProperty(profile.timelineSamples, "n", { value: 0 });
				store.set({ from: 1 });
			});
			await settle(page);
			assert.equal((await page.locator(".inside-notes").innerText()).replace(/\u202f/g, " "),
				`without 12 spans shorter than 4.10 us; ${dataOf(few).recording.samples[0].toLocaleString("en").replace(/,/g, " ")} samples: too many for ticks`);
		});
	});

	await test("moments: that one of two recordings has no samples one by one is said, and spans without room", () => visit(browser, file, async (page) => {
		await page.evaluate(() => {
			const { profile: { recording, timelineSpans }, store } = window.coroprof;

			Object.assign(recording, { samples: recording.samples + 60000, spans: timelineSpans.n + 1 });
			store.set({ from: 1 });
		});
		await settle(page);
		assert.equal((await page.locator(".inside-notes").innerText()).replace(/\u202f/g, " "),
			"without 1 span for which there was no room; 60,000 samples: too many for ticks");
		await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
		assert.ok(await page.locator(".inside-notes").isVisible(), "on paper, too");
		assert.ok(!await page.locator(".timeline-view .keys").isVisible(), "paper has no wheel");
	}));
}
