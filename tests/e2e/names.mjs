// SPDX-License-Identifier: GPL-2.0
/*
 * Labels that differ in what can't be seen, or have no characters at all: wherever they are drawn, no two may have the
 * same pixels. And numbers of coroutines, which are found as a whole.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { choose, column, drawing, settle, visit } from "./browser.mjs";
import { test } from "./tap.mjs";

const GUTTER = 168;
const AXIS = 22;

/** Which of @pictures, of names each, are the same. */
function alike(names, pictures) {
	const seen = new Map();

	return pictures.flatMap((picture, at) => {
		const key = picture.toString("base64");
		const before = seen.get(key);

		seen.set(key, names[at]);
		return before === undefined ? [] : [[before, names[at]]];
	});
}

/** How something is drawn. Colours tell labels apart as well: they are taken away. */
async function pictures(page, locator) {
	await page.mouse.move(2, 2);
	await page.evaluate(() => {
		for (const swatch of document.querySelectorAll(".swatch"))
			swatch.style.visibility = "hidden";
		for (const around of document.querySelectorAll(".grid-row, .cell, .label-legend button"))
			around.style.background = "none";
	});
	const boxes = await locator.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
	const shown = [];

	for (const { x, y, width, height } of boxes)
		shown.push(await page.screenshot({ clip: { x, y, width, height }, animations: "disabled" }));
	return shown;
}

export async function namesTests(browser, { modules, generator, reader, out }) {
	const [recording, json, file] = ["cprof", "json", "html"].map((end) => join(out, `names.${end}`));

	execFileSync(join(modules, "picture-gen"), [recording, json, "names"]);
	assert.equal(spawnSync(reader, ["-o", file, recording], { stdio: "ignore" }).status, 0, "exit status of the reader");
	const names = JSON.parse(readFileSync(json, "utf8")).slice(1).filter(({ name }) => name > 1).map(({ text }) => text);

	await test("names: labels that differ in what can't be seen are told apart in tables, by label and by coroutine", () => visit(browser, file, async (page) => {
		for (const by of ["label", "coroutine"]) {
			await page.evaluate((by) => window.coroprof.store.set({ by, sort: "running", descending: false }), by);
			await settle(page);
			const shown = await column(page, "name");
			const cells = await pictures(page, page.locator('.table-view .grid-body [data-column="name"] bdi'));

			assert.equal(new Set(shown).size, names.length + 1, shown.join("|"));
			assert.deepEqual(alike(shown, cells), []);
			assert.ok(shown.every((name) => /\S/.test(name)));
		}
	}, { hash: "#view=table", size: { width: 1440, height: 1600 } }));

	await test("names: labels that differ in what can't be seen are told apart in the legend, in details and in chips", () => visit(browser, file, async (page) => {
		const { labels } = await page.evaluate(() => ({ labels: window.coroprof.store.profile.labels.name }));
		const legend = page.locator(".timeline-view .label-legend bdi");
		const [heads, chips] = [[], []];

		assert.deepEqual(alike(await legend.allInnerTexts(), await pictures(page, legend)), []);
		for (let label = 0; label < labels.length; label++) {
			await page.evaluate((index) => window.coroprof.store.set({ selected: { kind: "label", index } }), label);
			await settle(page);
			heads.push(await page.locator(".details h2").first().innerText());
			chips.push(await page.locator(".chips").innerText());
		}
		assert.equal(new Set(heads).size, labels.length, heads.join("|"));
		assert.equal(new Set(chips).size, labels.length, chips.join("|"));
	}, { hash: "#view=timeline" }));

	await test("names: labels that differ in what can't be seen are told apart in lanes, beside them and on their slices", () => visit(browser, file, async (page) => {
		const count = names.length;

		await page.evaluate(() => {
			window.drawnTexts = new Set();
			const { fillText } = CanvasRenderingContext2D.prototype;

			CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
				window.drawnTexts.add(text);
				fillText.call(this, text, ...rest);
			};
			/* A slice of each, wide enough for its name. */
			window.coroprof.store.set({ from: 0, to: 200e6 });
		});
		await settle(page);
		const onSlices = await page.evaluate(() => [...window.drawnTexts]);

		for (const name of ["⟨no name⟩", "same", "same␠", "␠same", "same⟨00a0⟩", "sa⟨00ad⟩me", "two␠␠words", "⟨3164⟩", "␠", "⟨27e8⟩no name⟨27e9⟩", "same⟨2420⟩"])
			assert.ok(onSlices.includes(name), `${name} is on no slice: ${onSlices.join("|")}`);
		await choose(page, "timeline", "Coroutines");
		const { pitch, lanes } = await drawing(page);
		const box = await page.locator("canvas.lanes").boundingBox();
		const seen = Math.min(lanes, Math.floor((box.height - AXIS) / pitch));

		assert.ok(lanes >= count && seen > 8);
		/* The number of each would tell it apart: with it all are the same. */
		await page.evaluate(() => window.coroprof.store.profile.coroutines.id.fill(7));
		await choose(page, "timeline", "Threads");
		await page.evaluate(() => window.coroprof.store.set({ filter: "id=7" }));
		await choose(page, "timeline", "Coroutines");
		const gutters = [];

		for (let lane = 0; lane < seen; lane++)
			gutters.push(await page.screenshot({ clip: { x: box.x, y: box.y + AXIS + lane * pitch, width: GUTTER - 4, height: pitch } }));
		assert.deepEqual(alike(gutters.map((_, at) => at), gutters), []);
	}, { hash: "#view=timeline", size: { width: 3000, height: 900 } }));

	await test("names: labels that differ in what can't be seen are told apart in text, and shown there as in the page", () => visit(browser, file, async (page) => {
		const text = execFileSync(reader, ["--table", "labels", "--columns", "running", recording], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).split("\n");
		const rows = text.slice(text.findIndex((line) => /^label +running$/.test(line)) + 1).filter(Boolean).map((line) => line.replace(/ +[\d.]+ [a-z]+$/, ""));

		await page.evaluate(() => window.coroprof.store.set({ by: "label" }));
		await settle(page);
		assert.deepEqual(rows.sort(), (await column(page, "name")).sort());
		assert.equal(new Set(rows).size, names.length + 1);
	}, { hash: "#view=table", size: { width: 1440, height: 1600 } }));

	await test("names: the tooltip of a slice without a name says so, and names are found as they are shown", () => visit(browser, file, async (page) => {
		const filter = page.locator(".table-view .filter");

		for (const [find, found] of [["same␠", ["same␠", "same⟨2420⟩"]], ["no name", ["⟨no name⟩", "⟨27e8⟩no name⟨27e9⟩"]], ["two␠␠words", ["two␠␠words"]], ["\"label=same \"", ["same␠"]]]) {
			await filter.fill(find);
			await settle(page);
			assert.deepEqual((await column(page, "name")).sort(), found.sort(), find);
		}
		await filter.fill("\"no name\"");
		await page.locator('.table-view .grid-body [data-column="name"]').first().hover();
		assert.match(await page.locator(".tip strong").innerText(), /no name/);
	}, { hash: "#view=table" }));

	await test("names: what is copied has names as they are", () => visit(browser, file, async (page) => {
		const copied = await page.evaluate(async () => {
			let text = "";

			navigator.clipboard.writeText = async (given) => { text = given; };
			document.querySelector(".table-view .grid").dispatchEvent(new KeyboardEvent("keydown", { key: "c", ctrlKey: true }));
			for (let i = 0; i < 1000 && !text; i++)
				await new Promise((done) => setTimeout(done, 10));
			return text.trimEnd().split("\n").slice(1).map((line) => line.split("\t")[0]);
		});

		assert.deepEqual(names.filter((name) => !copied.includes(name)), []);
	}, { hash: "#view=table" }));

	const [server, served] = ["cprof", "html"].map((end) => join(out, `names-server.${end}`));

	execFileSync(generator, [server, "server"]);
	assert.equal(spawnSync(reader, ["-o", served, server], { stdio: "ignore" }).status, 0, "exit status of the reader");
	await test("names: #13 is the coroutine 13 alone, id=13* are all whose numbers begin so, and the help says so", () => visit(browser, served, async (page) => {
		const ids = await page.evaluate(() => Array.from(window.coroprof.store.profile.coroutines.id, String));
		const begin = ids.filter((id) => id.startsWith("13"));
		const shown = async (find) => {
			await page.locator(".table-view .filter").fill(find);
			await settle(page);
			return page.evaluate(() => document.querySelector(".table-view .found").innerText);
		};

		assert.ok(begin.length > 100 && begin.includes("13"));
		assert.match(await shown("#13"), /^1 of /);
		assert.deepEqual(await column(page, "id"), ["13"]);
		assert.match(await shown("id=13*"), new RegExp(`^${begin.length} of `));
		assert.match(await shown("#"), /^3,000 of /);
		await page.keyboard.press("Escape");
		await page.locator(".help-button button").first().click();
		assert.match(await page.locator(".help-body").innerText(), /#13 is the coroutine of that number and no other, id=13\*/);
	}, { hash: "#view=table&by=coroutine" }));
}
