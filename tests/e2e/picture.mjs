// SPDX-License-Identifier: GPL-2.0
/*
 * The pixels of the lanes and of the strip, as a screenshot has them, against what was generated: in which columns each
 * label and each state is to be seen, and how much of it. Neither the reader nor the page has a part in what is expected
 * (picture-gen writes it down); which colour is what is read from the legends, as people do.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { choose, drawing, settle, visit } from "./browser.mjs";
import { decodingPage } from "./pixels.mjs";
import { dataOf } from "./tables.mjs";
import { test } from "./tap.mjs";

const GUTTER = 168;
const AXIS = 22;
/* From a lane to the next there is a gap. */
const GAP = 4;
/* Room for marks below the slices of a lane, of which the last row of pixels is the gap to them. */
const MARKS = { Threads: 6, Coroutines: 4 };
const STRIP = 44;
const STATES = ["preempted", "blocked", "idle"];
const SIZE = { width: 1440, height: 900 };
/* Time that may come to stand in the next column, where each is rounded to whole nanoseconds. */
const ROUNDING_NS = 4;

function make({ modules, reader, out }, scenario) {
	const [recording, json, file] = ["cprof", "json", "html"].map((end) => join(out, `picture-${scenario ?? "threads"}.${end}`));

	execFileSync(join(modules, "picture-gen"), [recording, json, ...scenario ? [scenario] : []]);
	assert.equal(spawnSync(reader, ["-o", file, recording], { stdio: "ignore" }).status, 0, "exit status of the reader");
	return { file, truth: truthOf(JSON.parse(readFileSync(json, "utf8")).slice(1)), resolution: dataOf(file).recording.timeline_resolution[0] ?? 0 };
}

/**
 * Slices by channel, and by coroutine in the order in which these began, with times from the begin of all, and the time of
 * each kind of what is drawn in them.
 */
function truthOf(told) {
	const names = new Map(told.filter(({ name }) => name).map(({ name, text }) => [name, text]));
	const slices = told.filter(({ channel }) => channel);
	const origin = slices.reduce((least, { begin }) => Math.min(least, begin), Infinity);
	const lanes = [], coroutines = new Map();
	let until = origin;

	for (const { channel, coroutine, label, outside, begin, end, preempted, asleep } of slices) {
		const slice = {
			begin: begin - origin, end: end - origin,
			of: { [outside ? "outside coroutines" : names.get(label)]: end - begin - preempted - asleep, preempted,
				[outside ? "idle" : "blocked"]: asleep },
		};

		(lanes[channel - 1] ??= []).push(slice);
		if (!outside && !coroutines.get(coroutine)?.push(slice))
			coroutines.set(coroutine, [slice]);
		until = Math.max(until, end);
	}
	return { lanes, coroutines: [...coroutines.values()].sort(([a], [b]) => a.begin - b.begin), duration: until - origin };
}

/** Time of each kind in columns from @from to @to: spread evenly within a slice, of which no more is known. */
function columnsOf(slices, from, to, nr, into = {}) {
	const width = (to - from) / nr;

	for (const { begin, end, of } of slices)
		for (let column = Math.max(0, Math.floor((begin - from) / width)); column < nr && from + column * width < end; column++) {
			const inside = Math.min(end, from + (column + 1) * width) - Math.max(begin, from + column * width);

			for (const [kind, time] of Object.entries(of))
				if (time && inside > 0)
					(into[kind] ??= new Float64Array(nr))[column] += time * inside / (end - begin);
		}
	return into;
}

/** Colours of all kinds: red, green and blue. */
async function legendOf(page) {
	return page.evaluate(() => Object.fromEntries([...document.querySelectorAll(".timeline-view .legend > span, .timeline-view .label-legend > *")]
		.map((element) => [element.innerText, getComputedStyle(element.querySelector("i")).backgroundColor.match(/\d+/g).map(Number)])));
}

/** Has a page that counts pixels of screenshots: by column and kind, in the area and in the marks; and those of no kind. */
async function counter(browser) {
	const page = await decodingPage(browser);

	return async (png, areas, colours, lane) => page.evaluate(async ([png, areas, colours, lane]) => {
		const { width, data } = await window.decoded(png);
		/* Where a slice follows another one its first column is half as strong. */
		const kinds = Object.keys(colours);
		const known = [...kinds.map((kind) => colours[kind]), ...kinds.map((kind) => colours[kind].map((value, at) => (value + lane[at]) / 2))];
		const seen = new Map();
		const kindAt = (at) => {
			const key = data[at] << 16 | data[at + 1] << 8 | data[at + 2];

			if (!seen.has(key)) {
				const found = known.findIndex((colour) => colour.every((value, byte) => Math.abs(value - data[at + byte]) <= 1));

				seen.set(key, lane.every((value, byte) => Math.abs(value - data[at + byte]) <= 1) ? "" : found < 0 ? null : kinds[found % kinds.length]);
			}
			return seen.get(key);
		};

		return areas.map(({ left, nr, top, height, bottom }) => {
			const found = { area: {}, marks: {}, unknown: 0 };

			for (let row = top; row < bottom; row++)
				for (let column = 0; column < nr; column++) {
					const kind = kindAt(4 * (row * width + left + column));

					if (kind)
						(found[row < top + height ? "area" : "marks"][kind] ??= new Array(nr).fill(0))[column]++;
					else if (kind === null && row < top + height)
						found.unknown++;
				}
			return found;
		});
	}, [png.toString("base64"), areas, colours, lane]);
}

/**
 * What is wrong in columns of which @whole is the time of all their height: kinds that are not to be seen, or are where they were not,
 * and areas that differ from the time by more than a pixel. So much time, @moved, may be in the next column, and of what is behind
 * the last one in that.
 */
function wrongs(truth, found, { nr, height, marks }, whole, where, moved = ROUNDING_NS) {
	const wrong = found.unknown ? [`${where}: ${found.unknown} pixels have the colour of nothing`] : [];
	const sums = {};

	for (const kind of new Set([...Object.keys(truth), ...Object.keys(found.area), ...Object.keys(found.marks)]))
		for (let column = 0; column < nr; column++) {
			const time = truth[kind]?.[column] ?? 0;
			const [area, mark] = [found.area[kind]?.[column] ?? 0, found.marks[kind]?.[column] ?? 0];
			const tall = time / whole * height;
			const crowded = Object.values(truth).filter((of) => of[column] > 0 && of[column] / whole * height < 1);
			const others = crowded.length > marks && found.marks["more of them"]?.[column] > 0;

			if (kind === "more of them" || kind === "suspended")
				continue;
			if (time > moved && !area && !mark && !others)
				wrong.push(`${where}, column ${column}: ${kind} is there for ${time} ns, and not drawn`);
			if (!time && (area || mark) && !nearby(truth[kind], column) && !(moved > ROUNDING_NS && column === nr - 1))
				wrong.push(`${where}, column ${column}: ${kind} is drawn, and not there`);
			if (Math.abs(area - tall) > 1 + moved / whole * height)
				wrong.push(`${where}, column ${column}: ${kind} has ${area} pixels, for ${tall.toFixed(2)}`);
			if (time || area) {
				const sum = sums[kind] ??= { area: 0, tall: 0, columns: 0 };

				sum.area += area;
				sum.tall += tall;
				sum.columns++;
			}
		}
	for (const [kind, { area, tall, columns }] of Object.entries(sums))
		if (Math.abs(area - tall) > Math.max(0.01 * tall, columns))
			wrong.push(`${where}: ${kind} has ${area} pixels, for ${tall.toFixed(1)}`);
	return wrong;
}

/** A slice ends, or begins, at the edge to the next column, as far as times are whole. */
function nearby(times, column) {
	return !!times && (times[column - 1] > 0 || times[column + 1] > 0);
}

async function laneColour(page) {
	return page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--lane").trim())
		.then((colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
}

/** Where lanes are in a screenshot of their canvas, which begins at @y of the page; marks are the pixels of the page above the gap. */
function laneAreas(y, nr, pitch, lanes, density, marks) {
	const height = pitch - GAP - marks;
	/* What begins between two pixels of the page is drawn at the nearer one, and its screenshot has the first. */
	const above = (Math.round(y) - Math.floor(y)) * density;
	const row = (at) => above + Math.round(at * density);

	return Array.from({ length: lanes }, (_, lane) => {
		const top = AXIS + lane * pitch;

		return { left: GUTTER * density, nr, top: row(top), height: row(top + height) - row(top), bottom: row(top + height + marks), marks: (marks - 1) * density };
	});
}

/** What is wrong in lanes, of threads or of coroutines, at the zoom levels that @spans are. */
async function wrongLanes(page, count, { lanes, duration }, { of = "Threads", density, spans, moved }) {
	await choose(page, "timeline", of);
	const [colours, lane] = [await legendOf(page), await laneColour(page)];
	const nr = ((await page.locator("canvas.lanes").boundingBox()).width - GUTTER) * density;
	const { lanes: drawn } = await drawing(page);
	let wrong = drawn === lanes.length ? [] : [`${drawn} lanes, not ${lanes.length}`];

	await page.mouse.move(5, 5);
	/* Names stand on areas, and hide parts of them. */
	await page.evaluate(() => {
		CanvasRenderingContext2D.prototype.fillText = () => {};
	});
	for (const [level, span] of spans(nr).entries()) {
		const from = level ? Math.round(0.37 * duration) : 0;

		if (wrong.length > 5)
			break;
		await page.evaluate(([from, to]) => window.coroprof.store.set({ from, to }), [from, from + span]);
		await settle(page);
		/* What is said of a part of the time may move the lanes, and leave them less height. */
		const { pitch } = await drawing(page);
		const { y } = await page.locator("canvas.lanes").boundingBox();
		const areas = laneAreas(y, nr, pitch, lanes.length, density, MARKS[of]);
		const found = await count(await page.locator("canvas.lanes").screenshot(), areas, colours, lane);

		lanes.forEach((slices, at) => {
			wrong = wrong.concat(wrongs(columnsOf(slices, from, from + span, nr), found[at], areas[at], span / nr, `lane ${at}, ${span} ns in view`, moved));
		});
	}
	return wrong;
}

/** From all of it to 20 us. */
function levels(duration) {
	const spans = [];

	for (let span = duration; span > 20000; span /= 6)
		spans.push(span);
	return spans;
}

/** Slices, of which the page has sums. */
const SUMS = "300000";
const SCENARIOS = [[undefined, "threads that are idle, busy, and late"], ["server", "a server"]];

export async function pictureTests(browser, programs) {
	const count = await counter(browser);

	for (const [scenario, name] of SCENARIOS) {
		const { file, truth } = make(programs, scenario);

		for (const density of [1, 2]) {
			const options = { hash: "#view=timeline", size: SIZE, density };

			await test(`picture: ${name}, ${density} pixels a pixel: lanes have each label and state where it was, as much as it was, at each zoom`, () =>
				visit(browser, file, async (page) => {
					const wrong = await wrongLanes(page, count, truth, { density, spans: () => levels(truth.duration) });

					assert.deepEqual(wrong.slice(0, 8), [], `${wrong.length} differences`);
				}, options));

			await test(`picture: ${name}, ${density} pixels a pixel: the strip has each state where it was, as much as it was`, () =>
				visit(browser, file, async (page) => {
					const { preempted, blocked, idle, ...others } = await legendOf(page);
					const { width } = await page.locator("canvas.strip").boundingBox();
					const nr = (width - GUTTER) * density;
					const area = { left: GUTTER * density, nr, top: 0, height: (STRIP - 5) * density, bottom: STRIP * density, marks: 4 * density };
					const outside = "outside coroutines";
					const states = truth.lanes.flat().map(({ begin, end, of }) => {
						const running = Object.entries(of).filter(([kind]) => kind !== outside && !STATES.includes(kind)).reduce((sum, [, time]) => sum + time, 0);

						return { begin, end, of: { running, [outside]: of[outside] ?? 0, preempted: of.preempted, blocked: of.blocked ?? 0, idle: of.idle ?? 0 } };
					});
					const [found] = await count(await page.locator("canvas.strip").screenshot(), [area],
						{ preempted, blocked, idle, running: others.running, [outside]: others[outside], "more of them": others["more of them"] }, await laneColour(page));

					assert.deepEqual(wrongs(columnsOf(states, 0, truth.duration, nr), found, area,
						truth.duration / nr * truth.lanes.length, "strip").slice(0, 8), []);
				}, options));
		}
	}

	const threads = make(programs);

	for (const density of [1, 2])
		await test(`picture: lanes of coroutines, ${density} pixels a pixel, have each state where it was, as much as it was, at each zoom`, () =>
			visit(browser, threads.file, async (page) => {
				const { truth: { coroutines, duration } } = threads;
				const wrong = await wrongLanes(page, count, { lanes: coroutines, duration }, { of: "Coroutines", density, spans: () => levels(duration) });

				assert.ok(coroutines.length >= 6, `${coroutines.length} coroutines`);
				assert.deepEqual(wrong.slice(0, 8), [], `${wrong.length} differences`);
			}, { hash: "#view=timeline", size: SIZE, density }));

	const sums = make(programs, SUMS);

	for (const density of [1, 2])
		await test(`picture: where the page has sums, ${density} pixels a pixel, lanes have as much of each label and state as it was, to a stretch of these`, () =>
			visit(browser, sums.file, async (page) => {
				const { truth, resolution } = sums;
				const moved = 2 * resolution;

				assert.ok(resolution > 1000 && truth.duration / (SIZE.width * density) > moved, `sums of ${resolution} ns of ${truth.duration}`);
				const wrong = await wrongLanes(page, count, truth, { density, moved, spans: (nr) => levels(truth.duration).filter((span, level) => !level || span / nr > moved) });

				assert.deepEqual(wrong.slice(0, 8), [], `${wrong.length} differences`);
			}, { hash: "#view=timeline", size: SIZE, density }));

	await test("picture: what has less than a pixel has a mark, and its tooltip says how much it is", async () => {
		const { file, truth } = threads;

		await visit(browser, file, async (page) => {
			const { x, y, width } = await page.locator("canvas.lanes").boundingBox();
			const nr = width - GUTTER;
			const times = columnsOf(truth.lanes[0], 0, truth.duration, nr);
			const column = times.handle.findIndex((time, at) => at > 100 && time > 0 && times.idle[at] > 0 && !times.handle[at - 1]);

			await page.mouse.move(x + GUTTER + column + 0.5, y + AXIS + 10);
			const tip = await page.locator(".tip").innerText();

			assert.match(tip, /handle\s+100\sus/);
			assert.match(tip, /event loop/);
			assert.match(tip, /of it idle/);
		}, { hash: "#view=timeline", size: SIZE });
	});
}
