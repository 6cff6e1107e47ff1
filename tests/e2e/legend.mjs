// SPDX-License-Identifier: GPL-2.0
/*
 * Each swatch of the timeline's legend has the pixels of what it stands for, at places that are known: of ticks of samples,
 * of spans, of sums, of the strip's running. Others, of labels and states, are in picture.mjs.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { drawing, settle, visit } from "./browser.mjs";
import { pixelReader } from "./pixels.mjs";
import { test } from "./tap.mjs";

const [GUTTER, AXIS, GAP, MARKS, SPAN, TICK] = [168, 22, 4, 6, 13, 7];
const US = 1000;
/* When the story of calls-gen has samples, by thread. */
const SAMPLES = [[10, 330], [350]];

function make({ reader, out }, name, program, ...asked) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `legend-${name}.${end}`));

	execFileSync(program, [recording, ...asked]);
	assert.equal(spawnSync(reader, ["-o", file, recording], { stdio: "ignore" }).status, 0, "exit status of the reader");
	return file;
}

/** A colour as it is asked for in a style. */
async function colourOf(page, name) {
	return page.evaluate((name) => {
		const colour = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

		return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)).join(" ");
	}, name);
}

/** The rows of each column of a picture that have a colour. A swatch may lie between two pixels: its picture has more than it. */
function columnsWith(pixels, colour) {
	return Array.from({ length: pixels.width }, (_, x) => Array.from({ length: pixels.height }, (_, y) => y).filter((y) => pixels.at(x, y) === colour))
		.filter((rows) => rows.length);
}

/** How long runs of a colour, and of others, follow each other in a row of pixels: the first and the last are cut. */
function runsIn(pixels, y, from, to, colour) {
	const runs = [];

	for (let x = from; x < to; x++) {
		const is = pixels.at(x, y) === colour;

		if (runs.length && runs.at(-1).is === is)
			runs.at(-1).length++;
		else
			runs.push({ is, length: 1 });
	}
	return runs.slice(1, -1);
}

export async function legendTests(browser, programs) {
	const read = await pixelReader(browser);
	const shot = async (page, selector) => read(await page.locator(selector).screenshot());
	const told = make(programs, "moments", programs.callsGenerator, "moments");

	for (const scheme of ["light", "dark"]) {
		const options = { hash: "#view=timeline", scheme };
		const columnOf = async (page, canvas) => {
			const { from, to } = await page.evaluate(() => window.coroprof.store.state);

			return (time) => GUTTER + Math.floor((time * US - from) / (to - from) * (canvas.width - GUTTER));
		};

		await test(`legend: the tick of a sample is as high, as wide and of the colour that it has in lanes, ${scheme}`, () => visit(browser, told, async (page) => {
			const [swatch, lanes, ink] = [await shot(page, ".legend i.tick"), await shot(page, "canvas.lanes"), await colourOf(page, "ink")];
			const { pitch } = await drawing(page);
			const column = await columnOf(page, lanes);

			assert.deepEqual(columnsWith(swatch, ink).map((rows) => rows.length), [TICK]);
			SAMPLES.forEach((times, lane) => {
				for (const x of times.map(column)) {
					const rows = (at) => Array.from({ length: TICK + 3 }, (_, y) => lanes.at(at, AXIS + lane * pitch + y) === ink);

					assert.deepEqual(rows(x), [...new Array(TICK).fill(true), false, false, false], `lane ${lane}, column ${x}`);
					assert.ok(![...rows(x - 1), ...rows(x + 1)].includes(true));
				}
			});
		}, options));

		await test(`legend: spans have the colours that they have below slices, ${scheme}`, () => visit(browser, told, async (page) => {
			const [swatch, lanes] = [await shot(page, ".legend i.span"), await shot(page, "canvas.lanes")];
			const { pitch } = await drawing(page);
			const column = await columnOf(page, lanes);
			/* Three rows of them end a lane. Of 20 to 100 us the outer one is drawn, of 30 to 90 us an inner one. */
			const at = (depth) => lanes.at(column(60), AXIS + pitch - GAP - 3 * SPAN + 1 + depth * SPAN + SPAN - 3);

			assert.notEqual(at(0), at(1));
			for (const depth of [0, 1])
				assert.ok(columnsWith(swatch, at(depth)).length >= 3, `no swatch has ${at(depth)}, of spans ${depth} deep`);
		}, options));

		await test(`legend: running has the colour of the strip, where all threads run coroutines, ${scheme}`, () => visit(browser, told, async (page) => {
			const [swatch, strip] = [await shot(page, ".legend i.running"), await shot(page, "canvas.strip")];
			const column = await columnOf(page, strip);

			for (const time of [10, 60, 110])
				assert.equal(strip.at(column(time), 20), swatch.at(swatch.width >> 1, swatch.height >> 1));
			/* A thread is idle. */
			assert.notEqual(strip.at(column(250), 4), swatch.at(swatch.width >> 1, swatch.height >> 1));
		}, options));
	}

	const large = make(programs, "sums", programs.generator, "600000");

	await test("legend: sums have the dashes that they have below slices", () => visit(browser, large, async (page) => {
		const cell = await page.evaluate(() => {
			const { profile: { timeline, words }, state } = window.coroprof.store;
			const row = timeline.flags.findIndex((flags, at) => flags & words.slice.merged && at > timeline.first[1] / 3);

			window.coroprof.store.set({ from: timeline.begin[row] - 1000, to: Math.min(timeline.end[row] + 1000, state.to) });
			return { begin: timeline.begin[row], end: timeline.end[row] };
		});

		await settle(page);
		const [swatch, lanes, soft] = [await shot(page, ".legend i.sums"), await shot(page, "canvas.lanes"), await colourOf(page, "soft")];
		const { pitch } = await drawing(page);
		const { from, to } = await page.evaluate(() => window.coroprof.store.state);
		const [first, last] = [cell.begin, cell.end].map((time) => GUTTER + Math.round((time - from) / (to - from) * (lanes.width - GUTTER)));
		/* The canvas may begin between two pixels. */
		const runs = [0, 1].map((more) => runsIn(lanes, AXIS + pitch - GAP - MARKS + more, first + 1, last - 1, soft)).find(({ length }) => length) ?? [];

		assert.ok(runs.length > 20, `${runs.length} dashes and gaps from ${first} to ${last}`);
		assert.deepEqual(runs.filter(({ is, length }) => length !== (is ? 2 : 3)), []);
		const drawn = Array.from({ length: swatch.height }, (_, y) => Array.from({ length: swatch.width }, (_, x) => swatch.at(x, y) === soft ? "#" : ".").join(""))
			.filter((row) => row.includes("#"));

		assert.deepEqual(drawn.map((row) => row.replace(/^[.]+|[.]+$/g, "")), ["##...##"]);
	}, { hash: "#view=timeline" }));
}
