// SPDX-License-Identifier: GPL-2.0
/* Tables of the time in view: what they say is what of the slices is there, and what the reader of this part alone says. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { choose, settle, visit } from "./browser.mjs";
import { pieceOf, shareOf } from "./chosen.mjs";
import { tablesIn } from "./rows.mjs";
import { dataOf } from "./tables.mjs";
import { test } from "./tap.mjs";

const STATES = ["running", "preempted", "blocked", "idle"];
const COUNTERS = ["cycles", "instructions", "cache-misses"];
const WINDOWS = [[100e6, 101e6], [3e6, 220e6], [250e6 + 123, 250e6 + 40123]];

const addressOf = ([from, to], more = "") => `#view=table&time=${from}-${to}${more}`;
const number = (text) => Number(text.replace(/[^\d.]/g, ""));

/** The rows of the table as they are, once they are of the time in view: { name: { column: tip } }. */
async function figures(page, keys) {
	await page.waitForFunction(() => document.querySelector(".chip-note"));
	await page.waitForTimeout(400);
	await settle(page);
	return page.locator(".table-view .grid-body .grid-row").evaluateAll((rows, keys) => rows.map((row) => {
		const of = (key) => row.querySelector(`[data-column="${key}"]`);

		return [of("name").getAttribute("aria-label") ?? of("name").innerText, Object.fromEntries(keys.map((key) => [key, of(key)?.innerText.replace(/\u202f/g, " ")]))];
	}), keys);
}

/**
 * What of slices is within a window, by what @of says: of one that is cut what it counted is an estimate, and so are times
 * if it was off the CPU.
 */
function truth({ timeline, recording: { duration: [whole] } }, window, of) {
	const found = {};

	timeline.begin.forEach((begin, row) => {
		const length = timeline.duration[row];
		const piece = pieceOf(begin, length, window, whole);

		if (!piece || !timeline.slices[row])
			return;
		const off = STATES.slice(1).map((state) => timeline[state][row]);
		const own = found[of[row]] ??= { running: 0, preempted: 0, blocked: 0, idle: 0, slices: 0, cut: 0, near: {}, ...Object.fromEntries(COUNTERS.map((name) => [name, 0])) };
		const share = length ? (piece.to - piece.from) / length : 1;

		own.slices++;
		own.cut += +(share < 1);
		COUNTERS.forEach((name) => { own[name] += shareOf(timeline[name][row], piece); });

		STATES.slice(1).forEach((state, at) => { own[state] += off[at] * share; });
		own.running += (length - off.reduce((a, b) => a + b, 0)) * share;
		if (share < 1 && off.some((time) => time))
			[length - off.reduce((a, b) => a + b, 0), ...off].forEach((time, at) => { own.near[STATES[at]] ||= time > 0; });
	});
	return found;
}

/** In the unit that a figure is shown in, three digits of it. */
const close = (shown, ns) => {
	const unit = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[shown.match(/[a-z]+$/)[0]];

	return Math.abs(number(shown) * unit - ns) <= Math.max(1, 0.0051 * ns);
};

/** Half of the longest slice of a coroutine. */
function within({ timeline: { begin, duration, label }, labels }) {
	const longest = duration.reduce((best, length, row) => labels.name[label[row]] !== "event loop" && length > duration[best] ? row : best,
		label.findIndex((of) => labels.name[of] !== "event loop"));

	return [begin[longest] + Math.floor(duration[longest] / 4), begin[longest] + Math.floor(duration[longest] * 3 / 4)];
}

const UNITS = { k: 1e3, M: 1e6, G: 1e9 };

/** Slices, and counters, as they are shown in a row. */
function sameCounts(name, shown, own) {
	assert.equal(number(shown.slices), own?.slices ?? 0, `${name}: slices`);
	for (const counter of COUNTERS) {
		const want = own?.[counter] ?? 0;

		assert.ok(Math.abs(number(shown[counter]) * (UNITS[shown[counter].match(/[kMG]$/)?.[0]] ?? 1) - want) <= 0.0051 * want, `${name}: ${counter} is ${shown[counter]}, not ${want}`);
		assert.equal(shown[counter].includes("~"), own?.cut > 0, `${name}: ${counter} ${shown[counter]}`);
	}
}

async function timeTests(browser, file, data) {
	for (const window of [...WINDOWS, within(data)])
		await test(`window: figures of labels are those of what of the slices is there, from ${window[0]} to ${window[1]} ns`, () => visit(browser, file, async (page) => {
			const want = truth(data, window, data.timeline.label);
			let compared = 0;

			for (const [name, shown] of await figures(page, [...STATES, "slices", ...COUNTERS])) {
				const own = want[data.labels.name.indexOf(name)];

				sameCounts(name, shown, own);
				for (const state of STATES) {
					if (!own?.[state]) {
						assert.match(shown[state], /^0 ns$/, `${name}: ${state} ${shown[state]}`);
						continue;
					}
					assert.ok(close(shown[state], own[state]), `${name}: ${state} is ${shown[state]}, not ${own[state]} ns`);
					assert.equal(shown[state].includes("~"), !!own.near[state], `${name}: ${state} ${shown[state]}`);
					compared++;
				}
			}
			assert.ok(compared >= 1, `${compared} figures`);
		}, { hash: addressOf(window) }));
	await test("window: so are those of threads, and their sum is all of it", () => visit(browser, file, async (page) => {
		const [from, to] = WINDOWS[1];
		const want = truth(data, [from, to], data.timeline.thread);
		const all = await figures(page, STATES);

		assert.equal(all.length, data.threads.rows);
		for (const [name, shown] of all) {
			const thread = data.threads.tid.findIndex((tid) => name.includes(String(tid)));

			for (const state of STATES)
				assert.ok(close(shown[state], want[thread][state]), `${name}: ${state} is ${shown[state]}`);
		}
	}, { hash: addressOf(WINDOWS[1], "&by=thread") }));
}

/** A table as CSV: rows by their names, which have no commas here. */
function csv(reader, recording, window) {
	const seconds = window.map((time) => String(time / 1e9));
	const text = execFileSync(reader, ["--from", seconds[0], "--to", seconds[1], "--format", "csv", "--table", "labels", "-o", "-", recording],
		{ stdio: ["ignore", "pipe", "ignore"] }).toString().trim().split("\n").map((line) => line.split(","));
	const [titles, ...rows] = text;

	return Object.fromEntries(rows.map((cells) => [cells[titles.indexOf("name")], Object.fromEntries(titles.map((title, at) => [title, cells[at]]))]));
}

async function partTests(browser, file, { reader, recording, out }) {
	await test("window: slices, counters and percentiles are those of the reader's table of this part", () => visit(browser, file, async (page) => {
		const keys = ["slices", "cycles", "instructions", "cache-misses", "p50", "p99", "longest"];
		const part = csv(reader, recording, WINDOWS[1]);
		const shown = await figures(page, keys);

		assert.ok(shown.length >= 6);
		for (const [name, figure] of shown) {
			const want = part[name];

			assert.equal(number(figure.slices), Number(want.slices), name);
			for (const counter of keys.slice(1, 4)) {
				const unit = { k: 1e3, M: 1e6, G: 1e9 }[figure[counter].match(/[kMG]$/)?.[0]] ?? 1;

				assert.ok(Math.abs(number(figure[counter]) * unit - want[counter]) <= 0.0051 * want[counter], `${name}: ${counter} ${figure[counter]} ${want[counter]}`);
			}
			/* The reader's are of steps, less than 1 % off. */
			for (const key of keys.slice(4))
				assert.ok(Math.abs(close(figure[key], Number(want[key])) ? 0 : number(figure[key]) / Number(want[key])) < 1.02, `${name}: ${key} ${figure[key]} ${want[key]}`);
		}
		await page.screenshot({ path: join(out, "window.png") });
	}, { hash: addressOf(WINDOWS[1]) }));
	await test("window: what the page can't tell of it is n/a, and says why and what does", () => visit(browser, file, async (page) => {
		const [[, first]] = await figures(page, ["outside", "running"]);

		assert.equal(first.outside, "n/a");
		assert.match(await page.locator(".chip-note").first().innerText(), /threads are of this time/);
		await page.locator('.table-view .grid-body [data-column="outside"]').first().hover();
		assert.match(await page.locator(".tip").innerText(), /of what is chosen[\s\S]*Of the whole recording only[\s\S]*makes a page of this time/);
	}, { hash: addressOf(WINDOWS[1], "&by=thread") }));
	await test("window: without the time it is of the whole recording again", () => visit(browser, file, async (page) => {
		const before = await figures(page, ["slices"]);

		await page.getByLabel("No time").click();
		await page.waitForTimeout(400);
		await settle(page);
		const after = await page.locator('.table-view .grid-row [data-column="slices"]').allInnerTexts();

		assert.notDeepEqual(after, before.map(([, { slices }]) => slices));
		assert.equal(after.reduce((sum, text) => sum + number(text), 0), dataOf(file).recording.slices[0]);
		await choose(page, "table", "Coroutines");
	}, { hash: addressOf(WINDOWS[1]) }));
}

/** All slices of a form of output, as [begin, length] in ns, and what it says of how many there are. */
const FORMS = {
	text: { read: (text) => ({ said: text.match(/^slices +(\d+)(?:, (\d+) of them cut)?/m).slice(1).map(Number), counted: text.match(/^ *(?:counters +)?cycles +(.*)$/m)[1] }) },
	json: {
		read: (text, written) => {
			const { recording, timeline } = { ...tablesIn(text), ...tablesIn(written("--table", "timeline")) };

			return { said: [recording.rows[0].slices, recording.rows[0].cut], slices: timeline.rows.filter(({ slices }) => slices).map(({ begin, duration }) => [begin, duration]) };
		},
	},
	chrome: {
		read: (text) => ({
			slices: JSON.parse(text).traceEvents.filter(({ ph, cat }) => ph === "X" && cat === "slice")
				.map(({ ts, dur }) => [Math.round(1000 * ts), Math.round(1000 * dur)]),
		}),
	},
};

/** Each form has the slices of a part with the times of the recording, and as many as @data's, which are of all of it. */
async function formTests({ reader, recording }, { timeline: { begin, duration, slices }, recording: { duration: [whole] } }) {
	const [from, to] = WINDOWS[1];
	const want = begin.flatMap((at, row) => {
		const piece = slices[row] && pieceOf(at, duration[row], [from, to], whole);

		return piece ? [[at + piece.from, piece.to - piece.from]] : [];
	});
	const cut = begin.filter((at, row) => slices[row] && (at < from && at + duration[row] > from || at < to && at + duration[row] > to)).length;
	const inOrder = (pairs) => pairs.map((pair) => pair.join(" ")).sort();

	for (const [form, { read }] of Object.entries(FORMS))
		await test(`window: ${form} of a part has its slices, as far as they are in it, at times of the recording`, () => {
			const written = (...args) => execFileSync(reader, ["-q", "--from", `${from}ns`, "--to", `${to}ns`, "--format", form, "-o", "-", ...args, recording],
				{ stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1e9 }).toString();
			const found = read(written(), written);

			if (found.counted)
				assert.match(found.counted, /^counted, and shared by time in slices that are cut/);
			if (found.said)
				assert.deepEqual(found.said, [want.length, cut]);
			if (found.slices)
				assert.deepEqual(inOrder(found.slices), inOrder(want));
		});
}

async function pageTests(browser, { reader, recording, out }, { timeline, labels }) {
	const [from, to] = WINDOWS[1];
	const file = join(out, "window-part.html");

	execFileSync(reader, ["-o", file, "--from", `${from}ns`, "--to", `${to}ns`, recording], { stdio: "ignore" });
	await test("window: a page of a part has times of the recording, in view, in slices and in its address", () => visit(browser, file, async (page) => {
		const { since, until, begin, seen } = await page.evaluate(() => {
			const { state, profile: { since, until, timeline } } = window.coroprof.store;

			return { since, until, begin: Math.min(...timeline.begin), seen: [state.from, state.to] };
		});

		assert.deepEqual({ since, until, begin, seen }, { since: from, until: to, begin: from, seen: [from, to] });
		await page.evaluate(([from, to]) => window.coroprof.store.set({ from, to }), [100e6, 101e6]);
		await page.waitForFunction(() => location.hash.includes("time=100000000-101000000"));
		const want = truth({ timeline, recording: { duration: [Infinity] } }, [100e6, 101e6], timeline.label);

		for (const [name, shown] of await figures(page, ["slices"]))
			assert.equal(number(shown.slices), want[labels.name.indexOf(name)]?.slices ?? 0, name);
	}, { hash: "#view=table" }));
}

async function mergedTests(browser, { generator, reader, out }) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `window-many.${end}`));

	execFileSync(generator, [recording, "600000"]);
	spawnSync(reader, ["-o", file, recording], { stdio: "ignore" });
	const { recording: { duration: [duration] }, timeline } = dataOf(file);
	const [from, to] = [Math.floor(duration / 3), Math.floor(duration / 2)];

	await test("window: of slices that the page has as sums only, counters are n/a and times sum to all threads' time", () => visit(browser, file, async (page) => {
		const shown = await figures(page, ["cycles", "slices", ...STATES]);
		const [cell] = timeline.flags.filter((flags) => flags & 32 || flags);
		let sum = 0;

		assert.ok(cell, "some are merged");
		for (const [name, figure] of shown) {
			assert.equal(figure.cycles, "n/a", name);
			sum += STATES.reduce((all, state) => all + { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[figure[state].match(/[a-z]+$/)[0]] * number(figure[state]), 0);
		}
		/* Four threads that are there all the time. */
		assert.ok(Math.abs(sum / (4 * (to - from)) - 1) < 0.02, `${sum} of ${4 * (to - from)}`);
	}, { hash: addressOf([from, to]) }));
}

export async function windowTests(browser, programs) {
	const { generator, reader, out } = programs;
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `window.${end}`));

	execFileSync(generator, [recording, "server"]);
	execFileSync(reader, ["-o", file, recording], { stdio: "ignore" });
	const data = dataOf(file);

	await timeTests(browser, file, data);
	await partTests(browser, file, { reader, recording, out });
	await formTests({ reader, recording }, data);
	await pageTests(browser, { reader, recording, out }, data);
	await mergedTests(browser, programs);
}
