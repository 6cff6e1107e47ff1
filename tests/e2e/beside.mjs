// SPDX-License-Identifier: GPL-2.0
/* Two labels beside each other: how they come there and leave, and that their figures are those of the reader. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { settle, state, visit } from "./browser.mjs";
import { tablesIn } from "./rows.mjs";
import { test } from "./tap.mjs";

const view = (page) => page.locator(".beside-view");
const plain = (text) => text.replace(/\u202f/g, " ");
const SIZES = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, k: 1e3, M: 1e6, G: 1e9, "": 1 };

export function run(program, args, out) {
	return execFileSync(program, args, { cwd: out, stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 30 }).toString();
}

function labelIndex(page, name) {
	return page.evaluate((name) => window.coroprof.profile.labels.name.indexOf(name), name);
}

function rowOf(page, name) {
	return page.locator('.table-view .grid-row [data-column="name"]', { hasText: new RegExp(`^${name}$`) });
}

async function chosen(page) {
	const { view, selected, beside } = await state(page);
	const { name } = await page.evaluate(() => ({ name: window.coroprof.profile.labels.name }));

	return { view, one: selected && name[selected.index], other: name[beside] ?? null };
}

async function wayTests(browser, file) {
	await test("beside: Ctrl and a click put a label beside the one that is selected, the address has both, Escape leaves", () => visit(browser, file, async (page) => {
		const tab = page.locator('[role="tab"]', { hasText: "Two labels" });

		assert.ok(!await tab.isVisible());
		await rowOf(page, "query_database").click();
		await rowOf(page, "write_log").click({ modifiers: ["Control"] });
		await settle(page);
		assert.deepEqual(await chosen(page), { view: "beside", one: "query_database", other: "write_log" });
		assert.ok(await tab.isVisible());
		await page.waitForFunction(() => /label=query_database/.test(location.hash) && /beside=write_log/.test(location.hash) && /view=beside/.test(location.hash));
		await page.keyboard.press("Escape");
		await settle(page);
		assert.deepEqual(await chosen(page), { view: "table", one: "query_database", other: null });
		assert.ok(!await tab.isVisible());
	}, { hash: "#view=table" }));
	await test("beside: Cmd and a click do the same; with none selected, the label is beside that which ran for longest", () => visit(browser, file, async (page) => {
		await rowOf(page, "write_log").click({ modifiers: ["Meta"] });
		await settle(page);
		assert.deepEqual(await chosen(page), { view: "beside", one: "write_log", other: "render_template" });
	}, { hash: "#view=overview" }));
	await test("beside: Shift and Enter put a label beside another by keys alone, menus choose which, and the help says so", () => visit(browser, file, async (page) => {
		await rowOf(page, "query_database").click();
		await page.keyboard.press("Shift+Enter");
		await settle(page);
		assert.deepEqual(await chosen(page), { view: "beside", one: "query_database", other: "render_template" });
		await view(page).getByLabel("The other label").selectOption({ label: "write_log" });
		await settle(page);
		assert.deepEqual(await chosen(page), { view: "beside", one: "query_database", other: "write_log" });
		assert.deepEqual(await view(page).locator(".beside h3").first().locator("..").locator("..").locator("..").locator("h3").allInnerTexts(), ["query_database", "write_log"]);
		await page.keyboard.press("?");
		assert.match(await page.locator("dialog.help").innerText(), /ctrl click[\s\S]*beside the one that is selected[\s\S]*shift Enter/);
		await page.keyboard.press("Escape");
		await settle(page);
		assert.equal((await state(page)).view, "beside", "that closes the help");
	}, { hash: "#view=table" }));
	await test("beside: a click without Ctrl selects, as before", () => visit(browser, file, async (page) => {
		await rowOf(page, "query_database").click();
		await rowOf(page, "write_log").click();
		assert.deepEqual(await chosen(page), { view: "table", one: "write_log", other: null });
	}, { hash: "#view=table" }));
}

/** "12.2 us" as a number, and how far it may be off: it has three digits. */
export function near(text, value, what) {
	const [, number, unit] = plain(text).replace(/,/g, "").match(/^~?([\d.]+) ?(ns|us|ms|s|k|M|G|)$/) ?? assert.fail(`${what}: ${text}`);
	const shown = Number(number) * SIZES[unit];

	assert.ok(Math.abs(shown - value) <= 0.006 * value + 0.006, `${what}: ${text}, the reader says ${value}`);
}

async function figuresTests(browser, { reader, out }, { recording, file }) {
	for (const time of [null, [142838231, 290437737]])
		await test(`beside: figures and means per slice are the reader's, and the ratio is theirs${time ? ", of the time in view" : ""}`, () => visit(browser, file, async (page) => {
			const seconds = (ns) => `${Math.floor(ns / 1e9)}.${String(ns % 1e9).padStart(9, "0")}`;
			const { labels } = tablesIn(run(reader, [...time ? ["--from", seconds(time[0]), "--to", seconds(time[1])] : [], "--format", "json", recording], out));
			const said = ["query_database", "write_log"].map((name) => labels.rows.find((row) => row.name === name));
			const shown = new Map((await view(page).locator(".beside-figures tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.innerText))))
				.map(([title, ...cells]) => [title, cells]));
			let compared = 0;

			for (const name of ["slices", "running", "preempted", "blocked", "suspended", "cycles", "instructions", "cache-misses", ...time ? [] : ["longest"]]) {
				const [total, each, otherTotal, otherEach, ratio] = shown.get(name === "longest" ? "ran, max" : name);
				const by = name === "suspended" ? "gaps" : "slices";
				const means = said.map((row) => row[name] / row[by]);

				near(total, said[0][name], name);
				near(otherTotal, said[1][name], name);
				if (each) {
					near(each, means[0], `${name} of a slice`);
					near(otherEach, means[1], `${name} of a slice`);
					near(ratio, means[1] / means[0], `ratio of ${name}`);
					compared++;
				} else {
					near(ratio, said[1][name] / said[0][name], `ratio of ${name}`);
				}
			}
			assert.equal(compared, 7);
			assert.deepEqual(shown.get("ready").slice(2), ["n/a", "n/a", "n/a"], "what the runtime did not tell of one has no ratio");
			/* One scale: bars of the same times stand in the same place. */
			const bars = await view(page).locator(".histogram").evaluateAll((all) => all.map((one) => ({
				ticks: [...one.querySelectorAll(".tick")].map((tick) => [tick.textContent, tick.getAttribute("x")]),
				count: [...one.querySelectorAll(".bar-count")].reduce((sum, bar) => sum + Number(bar.dataset.count), 0),
			})));

			assert.equal(bars.length, 2);
			assert.deepEqual(bars[0].ticks, bars[1].ticks);
			assert.ok(bars[0].ticks.length > 2);
			assert.deepEqual(bars.map(({ count }) => count), said.map(({ slices }) => slices));
		}, { hash: `#view=beside&label=query_database&beside=write_log${time ? `&time=${time.join("-")}` : ""}` }));
}

async function flamesTests(browser, { reader, out }, { recording, file }) {
	await test("beside: each label has its flame graph, in which a tip has both samples of a slice, as the reader counts them", () => visit(browser, file, async (page) => {
		const { labels, label_functions: functions } = tablesIn(run(reader, ["--format", "json", recording], out));
		const each = (label, name) => functions.rows.find((row) => row.label_name === label && row.function_name === name).total / labels.rows.find((row) => row.name === label).slices;
		const flames = view(page).locator(".change-flame");

		assert.equal(await flames.count(), 2);
		for (const at of [0, 1]) {
			await flames.nth(at).locator(".change-box", { hasText: /^gen_serve$/ }).first().hover();
			const tip = plain(await page.locator(".tip").innerText());

			/* Both trees have it once. */
			for (const label of ["odd", "even"])
				near(tip.match(new RegExp(`${label}, a slice\\s+(\\S+)`))[1], each(label, "gen_serve"), `${label} in flame graph ${at}`);
		}
		const widths = await flames.evaluateAll((all) => all.map((flame) => parseFloat([...flame.querySelectorAll(".change-box")].find((box) => box.innerText === "gen_parse").style.width)));
		const share = (label) => 100 * each(label, "gen_parse") * labels.rows.find((row) => row.name === label).slices / labels.rows.find((row) => row.name === label).samples;

		assert.ok(Math.abs(widths[0] - share("odd")) < 0.1 && Math.abs(widths[1] - share("even")) < 0.1, `${widths} of ${share("odd")}, ${share("even")}`);
	}, { hash: "#view=beside&label=odd&beside=even" }));
}

/** Two recordings and their pages: of a server, and of one that has samples. */
export function recordingsFor(group, { generator, callsGenerator, reader, out }) {
	const make = (program, name, scenario) => {
		const [recording, file] = ["cprof", "html"].map((end) => join(out, `${group}-${name}.${end}`));

		execFileSync(program, [recording, scenario]);
		run(reader, ["-o", file, recording], out);
		return { recording, file };
	};

	return { server: make(generator, "server", "server"), calls: make(callsGenerator, "calls", "slow") };
}

/** Pictures of a view for people's eyes, none wider than its window. */
export async function lookTests(browser, out, view, what, pages) {
	for (const [name, scheme, width, { file }, hash] of pages)
		await test(`look: ${what} beside each other, ${name}`, () => visit(browser, file, async (page) => {
			await page.screenshot({ path: join(out, `${view}-${name}.png`) });
			const past = await page.locator("html").evaluate((element) => element.scrollWidth - element.clientWidth);

			assert.ok(past <= 0, `the page is ${past} wider than there is room`);
		}, { scheme, size: { width, height: 900 }, hash: `#view=${view}&${hash}` }));
}

export async function besideTests(browser, { generator, callsGenerator, reader, out }) {
	const { server, calls } = recordingsFor("beside", { generator, callsGenerator, reader, out });

	await wayTests(browser, server.file);
	await figuresTests(browser, { reader, out }, server);
	await flamesTests(browser, { reader, out }, calls);
	await lookTests(browser, out, "beside", "two labels", [["light", "light", 1400, server, "label=query_database&beside=write_log"],
		["dark", "dark", 1000, calls, "label=odd&beside=even"], ["narrow", "light", 800, server, "label=query_database&beside=write_log"]]);
}
