// SPDX-License-Identifier: GPL-2.0
/*
 * The colours of the heat map, as a screenshot has them, against those of its scale: of cells that hold what a generator
 * wrote down, or, where the reader counted them, what its table says.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { settle, visit } from "./browser.mjs";
import { pixelReader } from "./pixels.mjs";
import { dataOf } from "./tables.mjs";
import { test } from "./tap.mjs";

const [LEFT, RIGHT, TOP, BOTTOM] = [76, 8, 8, 24];
const CELL = 6;

/** Numbers of the scale and the colours of their swatches, as they are drawn. */
async function scaleOf(page, read) {
	const marks = page.locator(".density > span");
	const scale = new Map();

	for (const mark of await marks.all()) {
		const pixels = await read(await mark.locator(".swatch").screenshot());

		scale.set(Number((await mark.innerText()).replace(/,/g, "")), pixels.at(pixels.width >> 1, pixels.height >> 1));
	}
	return scale;
}

/** How many pixels of each colour a column of a picture has. */
function coloursIn(pixels, x) {
	const found = new Map();

	for (let y = 0; y < pixels.height; y++)
		found.set(pixels.at(x, y), 1 + (found.get(pixels.at(x, y)) ?? 0));
	return found;
}

export async function densityTests(browser, { modules, generator, reader, out }) {
	const read = await pixelReader(browser);
	const [recording, json, file] = ["cprof", "json", "html"].map((end) => join(out, `density.${end}`));

	execFileSync(join(modules, "picture-gen"), [recording, json, "density"]);
	assert.equal(spawnSync(reader, ["-o", file, recording], { stdio: "ignore" }).status, 0, "exit status of the reader");
	const slices = JSON.parse(readFileSync(json, "utf8")).slice(1).filter(({ channel }) => channel);
	const origin = Math.min(...slices.map(({ begin }) => begin));
	const duration = Math.max(...slices.map(({ end }) => end)) - origin;

	for (const [scheme, density] of [["light", 1], ["dark", 2]])
		await test(`density: a cell of the heat map has the colour that the scale has for so many slices, ${scheme}, ${density} pixels a pixel`, () =>
			visit(browser, file, async (page) => {
				const scale = await scaleOf(page, read);
				const { width } = await page.locator("canvas.plot").boundingBox();
				const columns = Math.floor((width - LEFT - RIGHT) / CELL);
				const counts = new Array(columns).fill(0);

				for (const { begin } of slices.filter(({ outside }) => !outside))
					counts[Math.floor((begin - origin) / duration * columns)]++;
				const picture = await read(await page.locator("canvas.plot").screenshot());
				const wrong = [];
				const tested = new Set();

				assert.deepEqual([...scale.keys()], [1, 2, 5, 10, 20, 50, 100]);
				assert.equal(new Set(scale.values()).size, scale.size, "each number has a colour of its own");
				counts.forEach((count, column) => {
					const x = Math.floor((LEFT + (column + 0.5) * (width - LEFT - RIGHT) / columns) * density);
					const colours = coloursIn(picture, x);

					for (const [of, colour] of scale) {
						const pixels = colours.get(colour) ?? 0;

						if (of === count ? pixels < 5 * density : pixels)
							wrong.push(`${count} slices in column ${column}: ${pixels} pixels have the colour of ${of}`);
					}
					if (scale.has(count))
						tested.add(count);
				});
				assert.deepEqual(wrong, []);
				assert.deepEqual([...tested].sort((a, b) => a - b), [1, 2, 5, 10, 20, 50, 100]);
			}, { hash: "#view=slices", scheme, density }));

	await test("density: the heat map has a scale and no legend of labels, the scatter the legend and no scale", () => visit(browser, file, async (page) => {
		for (const [plot, labels] of [["heat", false], ["scatter", true], ["heat", false]]) {
			await page.evaluate((plot) => window.coroprof.store.set({ plot }), plot);
			await settle(page);
			assert.equal(await page.locator(".slices-view .label-legend").isVisible(), labels);
			assert.equal(await page.locator(".density").isVisible(), !labels);
		}
		assert.match(await page.locator(".density").innerText(), /^slices in a cell/);
		await page.evaluate(() => window.coroprof.store.set({ points: "lives" }));
		await settle(page);
		assert.ok(!/^slices/.test(await page.locator(".density").innerText()));
	}, { hash: "#view=slices" }));

	const [large, counted] = ["cprof", "html"].map((end) => join(out, `density-large.${end}`));

	execFileSync(generator, [large, "600000"]);
	assert.equal(spawnSync(reader, ["-o", counted, large], { stdio: "ignore" }).status, 0, "exit status of the reader");
	await test("density: cells that the reader counted have the colours of the scale, too", () => visit(browser, counted, async (page) => {
		const { heat } = dataOf(counted);
		const cells = new Map();

		for (const row of heat.begin.keys()) {
			const key = `${heat.begin[row]} ${heat.from[row]}`;

			cells.set(key, { begin: heat.begin[row], end: heat.end[row], from: heat.from[row], below: heat.below[row], slices: (cells.get(key)?.slices ?? 0) + heat.slices[row] });
		}
		const scale = await scaleOf(page, read);
		const { width, height } = await page.locator("canvas.plot").boundingBox();
		const picture = await read(await page.locator("canvas.plot").screenshot());
		const { from, to } = await page.evaluate(() => window.coroprof.store.state);
		const lengths = [...cells.values()].flatMap((cell) => [cell.from, cell.below]).filter(Boolean);
		const [low, high] = [Math.log(Math.min(...lengths) / 1.2), Math.log(Math.max(...lengths) * 1.2)];
		const wrong = [];
		let tested = 0;

		for (const { begin, end, from: least, below, slices: nr } of cells.values()) {
			const x = Math.floor(LEFT + (width - LEFT - RIGHT) * ((begin + end) / 2 - from) / (to - from));
			const up = (ns) => ns ? (Math.log(ns) - low) / (high - low) : 0;
			const y = Math.floor(TOP + (height - TOP - BOTTOM) * (1 - (up(least) + up(below)) / 2));

			for (const [of, colour] of scale)
				if ((picture.at(x, y) === colour) !== (of === nr) && (of === nr || Math.abs(Math.log(of / nr)) > 0.1))
					wrong.push(`${nr} slices at ${x}, ${y}: ${picture.at(x, y)}, and ${of} is ${colour}`);
			tested += scale.has(nr);
		}
		assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} of ${cells.size} cells`);
		assert.ok(tested >= 10, `${tested} cells have a number of the scale`);
		assert.equal(Math.max(...scale.keys()), Math.max(...[...cells.values()].map(({ slices: nr }) => nr)));
	}, { hash: "#view=slices" }));
}
