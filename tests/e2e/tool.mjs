// SPDX-License-Identifier: GPL-2.0
/*
 * What coroprof itself ran in a program, (coroprof), is nowhere in what the page shows of the program: of all of a recording,
 * and of a part of its time. What the program ran is known from the generator.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { choose, column, drawing, settle, visit } from "./browser.mjs";
import { test } from "./tap.mjs";

const TOOL = "(coroprof)";
const MS = 1e6;
const PARTS = [["all", null], ["a part of the time", [1003 * MS, 2007.5 * MS]]];

export async function toolTests(browser, { modules, reader, out }) {
	const [recording, json, file] = ["cprof", "json", "html"].map((end) => join(out, `tool.${end}`));

	execFileSync(join(modules, "picture-gen"), [recording, json, "tool"]);
	assert.equal(spawnSync(reader, ["-o", file, recording], { stdio: "ignore" }).status, 0, "exit status of the reader");
	const told = JSON.parse(readFileSync(json, "utf8")).slice(1);
	const name = new Map(told.filter(({ name }) => name).map(({ name, text }) => [name, text]));
	const origin = Math.min(...told.filter(({ channel }) => channel).map(({ begin }) => begin));
	const slices = told.filter(({ channel }) => channel).map((slice) => ({ ...slice, of: name.get(slice.label), begin: slice.begin - origin, end: slice.end - origin }));

	for (const [what, time] of PARTS) {
		const [from, to] = time ?? [0, Infinity];
		const cut = ({ begin, end }) => Math.max(0, Math.min(end, to) - Math.max(begin, from));
		const program = slices.filter((slice) => slice.of !== TOOL && cut(slice));
		const running = (label) => program.filter(({ of }) => of === label).reduce((sum, slice) => sum + cut(slice) - (slice.outside ? slice.asleep * cut(slice) / (slice.end - slice.begin) : 0), 0);
		const hash = (view) => `#view=${view}${time ? `&time=${time.join("-")}` : ""}`;
		const titled = (rest) => `tool: of ${what} ${rest}`;

		await test(titled("no table has a row of it, shares are those of the program alone, and sum to all"), () => visit(browser, file, async (page) => {
			for (const by of ["label", "coroutine"]) {
				await page.evaluate((by) => window.coroprof.store.set({ by, mode: "share", sort: "running", descending: true }), by);
				await page.waitForFunction(() => !document.querySelector(".table-view[aria-busy]"));
				await settle(page);
				const names = await column(page, "name");
				const shares = (await column(page, "running")).map((text) => parseFloat(text.replace(/^[~<>=]+\s*/, "")));

				assert.ok(names.length > 2 && !names.includes(TOOL), names.join());
				assert.ok(Math.abs(shares.reduce((a, b) => a + b, 0) - 100) < 0.1 * shares.length, shares.join());
				if (by === "label")
					names.forEach((label, at) => {
						const all = names.reduce((sum, each) => sum + running(each), 0);

						assert.ok(Math.abs(shares[at] - 100 * running(label) / all) < 0.1, `${label} has ${shares[at]} %`);
					});
				else
					assert.match(await page.locator(".table-view .found").innerText(), /^6(?! of)/, "of six coroutines");
				await page.locator(".table-view .filter").fill("coroprof");
				await settle(page);
				assert.equal((await column(page, "name")).length, 0);
				await page.locator(".table-view .filter").fill("");
			}
		}, { hash: hash("table") }));

		await test(titled("no latency, none of the longest, no point and no legend is of it"), () => visit(browser, file, async (page) => {
			for (const view of ["latency", "longest", "slices"])
				for (const plot of ["heat", "scatter"]) {
					await page.evaluate(([view, plot]) => window.coroprof.store.set({ view, plot }), [view, plot]);
					await page.waitForFunction(() => !document.querySelector(":not([hidden]) > [aria-busy]"));
					await settle(page);
					assert.ok(!(await page.locator("main").innerText()).includes(TOOL), `${view}, ${plot}`);
				}
			const points = await page.locator("canvas.plot").evaluate(({ drawn }) => drawn.xs.length);
			const began = program.filter((slice) => !slice.outside && slice.begin >= from && slice.begin < to).length;

			assert.equal(points, began);
		}, { hash: hash("latency") }));

		await test(titled("no lane of coroutines is of it, nothing names it as a waker, and where a thread ran it that is named"), () => visit(browser, file, async (page) => {
			const { pitch } = await drawing(page);
			const box = await page.locator("canvas.lanes").boundingBox();
			const { from: left, to: right } = await page.evaluate(() => window.coroprof.store.state);

			assert.ok(!(await page.locator(".timeline-view").innerText()).includes(TOOL));
			await page.evaluate(() => window.coroprof.store.set({ from: 1500e6, to: 1510e6 }));
			await settle(page);
			/* Of these 10 ms the first two are its own. */
			await page.mouse.move(box.x + 168 + (box.width - 168) * 0.1, box.y + 22 + pitch / 2);
			assert.match(await page.locator(".tip").innerText(), /\(coroprof\)/);
			await page.evaluate(([from, to]) => window.coroprof.store.set({ from, to }), [left, right]);
			await choose(page, "timeline", "Coroutines");
			assert.equal((await drawing(page)).lanes, 6);
			for (const kind of ["label", "coroutine"]) {
				const rows = await page.evaluate((kind) => {
					const { [`${kind}s`]: rows, labels, words } = window.coroprof.store.profile;

					return Array.from({ length: rows.n }, (_, row) => row).filter((row) => labels.kind[kind === "label" ? row : rows.label[row]] !== words.label.tool);
				}, kind);

				for (const index of rows) {
					await page.evaluate(([kind, index]) => window.coroprof.store.set({ selected: { kind, index } }), [kind, index]);
					await settle(page);
					assert.ok(!(await page.locator(".details").innerText()).includes(TOOL), `details of ${kind} ${index}`);
				}
			}
		}, { hash: hash("timeline") }));
	}
}
