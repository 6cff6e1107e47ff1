// SPDX-License-Identifier: GPL-2.0
/* What is printed: all of it can be read, and is within the page. */
import assert from "node:assert/strict";
import { settle, visit } from "./browser.mjs";
import { test } from "./tap.mjs";

/** Pixels between the margins of Letter on its side, the narrower of the usual two. */
const WIDTH = 980;
/** Of letters, in pixels: 7.5 points. */
const SMALLEST = 10;
const SIZE = { width: 1440, height: 900 };

/*
 * As a browser prints: no frame is waited for. Each picture has at once as many pixels as it is
 * wide and high: nothing in it is stretched.
 */
async function onPaper(page) {
	await page.setViewportSize({ width: WIDTH, height: 700 });
	await settle(page);
	const stretched = await page.evaluate(() => {
		dispatchEvent(new Event("beforeprint"));
		return [...document.querySelectorAll("canvas")]
			.filter(({ width, height, clientWidth, clientHeight }) => clientWidth && clientHeight && (width !== clientWidth || height !== clientHeight))
			.map(({ className, width, height, clientWidth, clientHeight }) => `${className}: ${width} x ${height} at ${clientWidth} x ${clientHeight}`);
	});

	assert.deepEqual(stretched, []);
	await page.emulateMedia({ media: "print" });
	await settle(page);
}

/* Runs in the page: each text that is shown, where, and how high its letters are; and what is cut off. */
function texts() {
	const found = [];
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);

	for (let node = walk.nextNode(); node; node = walk.nextNode()) {
		const { parentElement: parent } = node;
		const range = document.createRange();

		if (!node.data.trim() || parent.closest(".hidden, script, style, option") || !parent.checkVisibility())
			continue;
		range.selectNodeContents(node);
		const { scrollWidth, clientWidth } = parent.closest(".cell") ?? parent;

		for (const { left, right, top, bottom } of range.getClientRects())
			found.push({ text: node.data.trim(), left, right, top, bottom, cut: parent.closest(".cell.number") && scrollWidth > clientWidth,
				font: parseFloat(getComputedStyle(parent).fontSize) * parent.currentCSSZoom });
	}
	return found;
}

/** Texts of different elements that lie on each other; those of one line touch. */
function overlaps(all) {
	const sorted = [...all].sort((a, b) => a.top - b.top);
	const wrong = [];

	sorted.forEach((a, at) => {
		for (let i = at + 1; i < sorted.length && sorted[i].top < a.bottom - 2; i++) {
			const b = sorted[i];

			if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2)
				wrong.push(`"${a.text}" and "${b.text}" at ${Math.round(b.left)}, ${Math.round(b.top)}`);
		}
	});
	return wrong;
}

async function readable(page) {
	const all = await page.evaluate(texts);

	assert.ok(all.length > 20, `${all.length} texts`);
	assert.deepEqual(all.filter(({ font }) => !(font >= SMALLEST)).map(({ text, font }) => `${text}: ${font}`), []);
	assert.deepEqual(all.filter(({ left, right }) => left < 0 || right > WIDTH).map(({ text, right }) => `${text}: to ${right}`), []);
	assert.deepEqual(all.filter(({ cut }) => cut).map(({ text }) => `${text} is cut off`), []);
	assert.deepEqual(overlaps(all), []);
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= WIDTH);
}

/** Of each printed table its headings and its rows, as texts. */
async function tables(page) {
	return page.locator(".paper-table").evaluateAll((all) => all.filter((table) => table.checkVisibility()).map((table) => ({
		heads: [...table.tHead.rows[0].cells].map(({ textContent }) => textContent.replace(/ [▲▼]$/, "")),
		rows: [...table.tBodies[0].rows].map(({ cells }) => [...cells].map(({ textContent }) => textContent)),
	})));
}

export async function paperTests(browser, { plainFile, callsFile, largeFile, hostileFile }) {
	for (const [what, file, hash] of [
		["labels", plainFile, ""], ["coroutines", largeFile, "#by=coroutine&view=table"],
		["names that are hostile", hostileFile, "#by=coroutine"], ["samples", callsFile, "#view=samples"], ["spans", callsFile, "#view=spans"],
		["details", plainFile, "#label=http::accept"], ["columns that were made wide", plainFile, "#view=table&columns=name:1200,slices:1200"],
	])
		await test(`print: ${what}: all can be read, nothing overlaps or leaves the page`, () => visit(browser, file, async (page) => {
			await onPaper(page);
			await readable(page);
		}, { hash }));

	await test("print: a wide table is some below each other, with all columns once, and what tells rows in each", () =>
		visit(browser, plainFile, async (page) => {
			const columns = await page.locator(".table-view .head > span:first-child").allInnerTexts();

			await onPaper(page);
			const found = await tables(page);
			const [name, id] = columns;

			assert.ok(found.length > 1);
			assert.deepEqual([name, id, ...found.flatMap(({ heads }) => heads.slice(2))], columns);
			for (const { heads, rows } of found) {
				assert.deepEqual(heads.slice(0, 2), [name, id]);
				assert.deepEqual(rows.map((row) => row.slice(0, 2)), found[0].rows.map((row) => row.slice(0, 2)));
			}
		}, { hash: "#by=coroutine&view=table" }));

	await test("print: it is said that not all rows and lanes are printed", () => visit(browser, largeFile, async (page) => {
		await onPaper(page);
		const [{ rows }] = await tables(page);

		assert.equal(rows.length, 100);
		assert.match(await page.locator(".table-view .paper-note:not(:empty)").innerText(), /^The first 100 of 100,\d{3} rows\.$/);
		assert.match(await page.locator(".timeline-view > .paper-note").innerText(), /^Lanes 1 to \d+ of \d+,\d{3}\.$/);
	}, { hash: "#by=coroutine&lanes=coroutines" }));

	await test("print: a dark page is printed as a light one, and is dark again afterwards", async () => {
		const strip = (page) => page.locator("canvas.strip").evaluate((canvas) => canvas.toDataURL());
		const seen = {};

		for (const scheme of ["light", "dark"])
			await visit(browser, plainFile, async (page) => {
				const before = await strip(page);

				await onPaper(page);
				seen[scheme] = await strip(page);
				await page.setViewportSize(SIZE);
				await page.emulateMedia({ media: "screen", colorScheme: scheme });
				await page.evaluate(() => dispatchEvent(new Event("afterprint")));
				await settle(page);
				assert.equal(await strip(page), before);
				assert.equal(await page.locator(".paper-table").count(), 0);
				assert.ok(await page.locator(".grid-body .grid-row").count() > 5);
			}, { scheme });
		assert.equal(seen.dark, seen.light);
	});
}
