// SPDX-License-Identifier: GPL-2.0
/*
 * What the lanes draw is what the table says: the time of each label in each
 * state, to the nanosecond, however far one zooms, in recordings of any size.
 *
 * stacks.mjs MODULES GENERATOR READER OUT SLICES... is for recordings of other
 * sizes than those that each run of the tests takes: make -C tests/e2e check-long.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { cell, launch, settle, visit } from "./browser.mjs";
import { dataOf } from "./tables.mjs";
import { finish, test } from "./tap.mjs";

const STATES = ["running", "preempted", "blocked", "idle"];
/* Of the lanes: and time of which nothing is known. */
const NR = STATES.length + 1;
/* Of the generator's scenarios. */
const NAMES = { standings: "a few slices", lost: "slices of which some were lost", server: "a server" };
const SIZE = { width: 1440, height: 1400 };

function make({ generator, reader, out }, slices) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `stacks-${slices}.${end}`));

	execFileSync(generator, [recording, String(slices)]);
	/* 3: not all could be read. */
	assert.ok([0, 3].includes(spawnSync(reader, ["-o", file, recording], { stdio: "ignore" }).status), "exit status");
	rmSync(recording);
	return file;
}

/** Time of each label and state, as drawn for a window of time. */
async function drawn(page, from, to) {
	await page.evaluate(([from, to]) => window.coroprof.store.set({ from, to }), [from, to]);
	await settle(page);
	return page.locator("canvas.lanes").evaluate((canvas) => [...canvas.times]);
}

function differences(labels, got, want) {
	return want.map((value, at) => value === got[at] ? "" :
		`${labels.name[Math.floor(at / NR)] ?? "lost"} ${STATES[at % NR]}: ${got[at]} drawn, ${value} there`).filter(Boolean);
}

/** From all of the recording to the shortest view: what is drawn of two halves is what is drawn of both. */
async function halves(page, data) {
	let [from, to, levels] = [0, data.recording.duration[0], 0];
	const table = data.labels.name.flatMap((_, label) => [...STATES.map((state) => data.labels[state][label]), 0]);

	const all = await drawn(page, from, to);
	/* No table has the time in which slices were lost. */
	const lost = data.recording.lost[0] ? all.slice(-NR) : new Array(NR).fill(0);

	assert.deepEqual(differences(data.labels, all, [...table, ...lost]), [], "all of it");
	for (; to - from > 100; levels++) {
		const middle = (from + to) / 2;
		const whole = await drawn(page, from, to);
		const left = await drawn(page, from, middle);
		const right = await drawn(page, middle, to);

		assert.deepEqual(differences(data.labels, left.map((value, at) => value + right[at]), whole), [], `${from} to ${to}`);
		[from, to] = levels % 3 ? [middle, to] : [from, middle];
	}
	return levels;
}

export async function stacksTests(browser, programs, sizes) {
	for (const slices of sizes)
		await test(`timeline: draws what the table says at every zoom level, of ${NAMES[slices] ?? `${slices.toLocaleString("en")} slices`}`, async () => {
			const file = make(programs, slices);
			const data = dataOf(file);

			await visit(browser, file, async (page) => {
				const levels = await halves(page, data);

				console.log(`# ${data.recording.slices[0]} slices in ${data.timeline.rows} rows, ${levels} levels`);
				assert.ok(levels > 10);
				await page.screenshot({ path: file.replace(".html", ".png") });
			}, { hash: "#view=timeline", size: SIZE });
		});
}

/** How many pixels of the areas of lanes have each of these colours; below each are 10 rows of marks and the gap to the next lane. */
async function pixelsOf(page, colours) {
	return page.locator("canvas.lanes").evaluate((canvas, [gutter, axis, below, wanted]) => {
		const density = devicePixelRatio;
		const pitch = Number(canvas.dataset.pitch) * density;
		const { width, height } = canvas;
		const { data } = canvas.getContext("2d").getImageData(gutter * density, axis * density,
			width - gutter * density, height - axis * density);
		const found = wanted.map(() => 0);

		for (let at = 0; at < data.length; at += 4)
			wanted.forEach((colour, which) => {
				if (Math.floor(at / 4 / (width - gutter * density)) % pitch >= pitch - below * density)
					return;
				found[which] += colour.every((value, byte) => Math.abs(data[at + byte] - value) < 2) ? 1 : 0;
			});
		return found;
	}, [168, 22, 10, colours.map((colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)))]);
}

export async function stacksPictureTests(browser, programs) {
	await test("timeline: pixels have a label's colour as its time is, also where labels share each pixel", async () => {
		const file = make(programs, 300000);
		const { labels } = dataOf(file);
		const running = labels.running.map((time, label) => labels.kind[label] === 1 || labels.kind[label] === 2 ? time : 0);
		const order = [...running.keys()].filter((label) => running[label]).sort((a, b) => running[b] - running[a]);

		await visit(browser, file, async (page) => {
			/* Those of palette.ts, the first three. */
			const pixels = await pixelsOf(page, ["#4477aa", "#66a8c8", "#44aa99"]);

			for (const at of [1, 2]) {
				const [drawn, there] = [pixels[at] / pixels[0], running[order[at]] / running[order[0]]];

				assert.ok(Math.abs(drawn - there) < 0.03, `${labels.name[order[at]]}: ${drawn} of the first label drawn, ${there} there`);
			}
		}, { hash: "#view=timeline", size: SIZE });
	});

	await test("timeline: a thread that is idle nearly all the time has no gaps in which nothing seems to be known", async () => {
		const file = make(programs, "server");
		const { duration } = dataOf(file).recording;

		await visit(browser, file, async (page) => {
			const lane = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--lane").trim());

			await drawn(page, 0.88 * duration[0], 0.97 * duration[0]);
			const rows = 4 * await page.locator("canvas.lanes").evaluate((canvas) => Number(canvas.dataset.pitch));
			const [empty] = await pixelsOf(page, [lane]);

			/* A gap between slices of coroutines is as high as a lane. */
			assert.ok(empty < 10 * rows, `${empty} pixels`);
		}, { hash: "#view=timeline", size: SIZE });
	});

	await test("timeline: what the page has as sums, a command shows one by one", async () => {
		const { generator, reader, out } = programs;
		const [recording, file] = ["cprof", "html"].map((end) => join(out, `stacks offer.${end}`));

		execFileSync(generator, [recording, "400000"]);
		execFileSync(reader, ["-o", file, recording], { stdio: "ignore" });
		const { duration } = dataOf(file).recording;

		await visit(browser, file, async (page) => {
			const offer = page.locator(".offer");

			assert.match(await offer.innerText(), /Zoom in to 200,000 slices/);
			await drawn(page, duration[0] / 4, duration[0] / 2);
			const command = await offer.locator("code").innerText();

			assert.match(command, /^coroprof-read -o part\.html --from \d+\.\d{9} --to \d+\.\d{9} 'stacks offer\.cprof'$/);
			execFileSync("bash", ["-c", command.replace("coroprof-read", '"$READER"')],
				{ cwd: out, env: { ...process.env, READER: reader }, stdio: "ignore" });
			const part = dataOf(join(out, "part.html"));

			assert.equal(part.recording.timeline_resolution[0], 0);
			assert.ok(part.timeline.rows > 50000);
			await visit(browser, join(out, "part.html"), async (page) => {
				assert.equal(await page.locator(".offer").isVisible(), false);
			});
		});
	});

	await test("timeline: slices of a selected coroutine that the page has in sums are said to be there", async () => {
		const file = make(programs, 400000);
		const { coroutines, timeline } = dataOf(file);
		const drawn = (of) => timeline.coroutine.reduce((sum, coroutine, row) => sum + (coroutine === of ? timeline.slices[row] : 0), 0);
		const index = coroutines.slices.findIndex((slices, of) => slices > 20 && coroutines.id[of] < 2 ** 53 && drawn(of) < slices);

		assert.ok(index >= 0, "one is in sums");
		await visit(browser, file, async (page) => {
			await page.waitForFunction((said) => document.querySelector(".inside-notes").innerText.includes(said),
				`of its ${coroutines.slices[index]} slices ${coroutines.slices[index] - drawn(index)} are in sums of labels`, { timeout: 60000 });
			assert.equal(await page.locator(".timeline-view .keys").isVisible(), false, "a hint gives way to it");
		}, { hash: `#view=timeline&lanes=coroutines&coroutine=${coroutines.id[index]}`, size: SIZE });
	});

	await test("timeline: what is not there of a torn recording looks like nothing else, and figures say so", async () => {
		const file = make(programs, "torn");

		await visit(browser, file, async (page) => {
			assert.match(await page.locator(".summary").innerText(), /slices are missing$/);
			assert.match(await page.locator(".legend").innerText(), /not known/);
			for (const column of ["slices", "running", "blocked", "cycles"])
				assert.match(await cell(page, 0, column), /^>=/, column);
			assert.equal(await page.locator(":is(.items, .held) .badge", { hasText: /^counted$/ }).count(), 0);
			/* Its slices end in the middle, the recording does not: no pixel at the end has the lane's colour alone. */
			const colours = await page.locator("canvas.lanes").evaluate((canvas) => {
				const pitch = Number(canvas.dataset.pitch) * devicePixelRatio;
				const { data } = canvas.getContext("2d").getImageData(canvas.width - 100, 22 * devicePixelRatio + pitch + 4, 80, pitch / 2);

				return new Set(new Uint32Array(data.buffer)).size;
			});

			assert.ok(colours > 2, `${colours} colours`);
		});
	});

	await test("timeline: a selected coroutine is drawn as it was", async () => {
		const file = make(programs, 20000);
		const { coroutines, labels, recording } = dataOf(file);
		const one = coroutines.slices.findIndex((slices, at) => slices > 4 && !(coroutines.flags[at] & 4));
		const label = coroutines.label[one];

		await visit(browser, file, async (page) => {
			await page.evaluate((one) => window.coroprof.store.set({ selected: { kind: "coroutine", index: one }, lanes: "coroutines" }), one);
			const times = await drawn(page, 0, recording.duration[0]);

			assert.deepEqual(STATES.map((_, at) => times[label * NR + at]), STATES.map((state) => coroutines[state][one]), labels.name[label]);
		});
	});
}

async function alone([modules, generator, reader, out, ...sizes]) {
	mkdirSync(out, { recursive: true });
	const browser = await launch(modules);

	try {
		await stacksTests(browser, { generator, reader, out }, sizes.map(Number));
	} finally {
		await browser.close();
	}
	process.exitCode = finish();
}

if (existsSync(process.argv[1]) && import.meta.url === pathToFileURL(process.argv[1]).href)
	await alone(process.argv.slice(2));
