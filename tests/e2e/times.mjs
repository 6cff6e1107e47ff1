// SPDX-License-Identifier: GPL-2.0
/* Two times of a recording beside each other: how they come there and leave, and that their figures are those of the reader. */
import assert from "node:assert/strict";
import { lookTests, near, recordingsFor, run } from "./beside.mjs";
import { settle, state, visit } from "./browser.mjs";
import { tablesIn } from "./rows.mjs";
import { test } from "./tap.mjs";

const view = (page) => page.locator('section[aria-label="Two times"]');
const tab = (page) => page.locator('[role="tab"]', { hasText: "Two times" });
const plain = (text) => text.replace(/\u202f/g, " ");
/** Where pictures of time begin, and that of slices: see canvas.ts, slices.ts. */
const GUTTER = 168;
const PLOT = 76;
const ONE = [30000000, 142838231];
const OTHER = [142838231, 290437737];
const SAMPLED = { one: [1000000, 4000000], other: [6000000, 21000000] };

/** The reader's tables of a time. */
function tablesOf({ reader, out }, recording, [from, to]) {
	const seconds = (ns) => `${Math.floor(ns / 1e9)}.${String(ns % 1e9).padStart(9, "0")}`;

	return tablesIn(run(reader, ["--from", seconds(from), "--to", seconds(to), "--format", "json", recording], out));
}

/** Drags along a canvas, from one share of its picture to another; @left is where the picture begins. */
async function drag(page, canvas, left, [a, b], key, below = 0.5) {
	const box = await canvas.boundingBox();
	const at = (share) => box.x + left + share * (box.width - left);
	const y = box.y + below * box.height;

	await page.keyboard.down(key);
	await page.mouse.move(at(a), y);
	await page.mouse.down();
	await page.mouse.move(at((a + b) / 2), y);
	await page.mouse.move(at(b), y);
	await page.mouse.up();
	await page.keyboard.up(key);
	await settle(page);
}

async function isAt(page, [a, b]) {
	const { view, other } = await state(page);
	const { since, until } = await page.evaluate(() => ({ since: window.coroprof.profile.since, until: window.coroprof.profile.until }));
	const share = (time) => (time - since) / (until - since);

	assert.equal(view, "times");
	assert.ok(Math.abs(share(other.from) - a) < 0.01 && Math.abs(share(other.to) - b) < 0.01, `${share(other.from)} to ${share(other.to)}, dragged from ${a} to ${b}`);
}

async function wayTests(browser, file) {
	await test("times: Ctrl and a drag along the strip have that time beside the time in view, which stays; the address has both, Escape leaves", () => visit(browser, file, async (page) => {
		const before = await state(page);

		assert.ok(!await tab(page).isVisible());
		await drag(page, page.locator(".timeline-view canvas.strip"), GUTTER, [0.5, 0.75], "Control");
		await isAt(page, [0.5, 0.75]);
		assert.ok(await tab(page).isVisible());
		assert.deepEqual(["from", "to"].map((key) => before[key]), await state(page).then(({ from, to }) => [from, to]));
		await page.waitForFunction(() => /view=times/.test(location.hash) && /other=\d+-\d+/.test(location.hash) && /time=\d+-\d+/.test(location.hash));
		const { other } = await state(page);
		const hash = await page.evaluate(() => location.hash);

		assert.ok(hash.includes(`other=${Math.floor(other.from)}-${Math.ceil(other.to)}`), hash);
		await page.keyboard.press("Escape");
		await settle(page);
		assert.deepEqual(await state(page).then(({ view, other }) => ({ view, other })), { view: "timeline", other: null });
		assert.ok(!await tab(page).isVisible());
	}, { hash: `#view=timeline&time=${ONE.join("-")}` }));
	await test("times: in its own view the strip has both times, and drags with and without Ctrl choose either", () => visit(browser, file, async (page) => {
		const strip = view(page).locator("canvas.strip");

		await drag(page, strip, GUTTER, [0.8, 0.9], "Meta");
		await isAt(page, [0.8, 0.9]);
		await drag(page, strip, GUTTER, [0.05, 0.02], "Alt");
		const { from, to } = await state(page);
		const { since, until } = await page.evaluate(() => ({ since: window.coroprof.profile.since, until: window.coroprof.profile.until }));

		assert.ok(Math.abs((from - since) / (until - since) - 0.02) < 0.01 && Math.abs((to - since) / (until - since) - 0.05) < 0.01, `${from} to ${to}`);
		await isAt(page, [0.8, 0.9]);
		/* The frame of the other time, in its colour. */
		const frame = await strip.evaluate((canvas, { share, left }) => {
			const density = canvas.width / canvas.clientWidth;
			const x = Math.round((left + share * (canvas.clientWidth - left) + 0.75) * density);

			return [...canvas.getContext("2d").getImageData(x, Math.round(canvas.height / 4), 1, 1).data];
		}, { share: 0.8, left: GUTTER });

		assert.ok(frame[0] > frame[2] + 40, `not red: ${frame}`);
	}, { hash: `#view=times&time=${ONE.join("-")}&other=${OTHER.join("-")}` }));
	await test("times: Ctrl and a drag over lanes do the same", () => visit(browser, file, async (page) => {
		await drag(page, page.locator("canvas.lanes"), GUTTER, [0.25, 0.5], "Control", 0.2);
		await isAt(page, [0.25, 0.5]);
	}, { hash: "#view=timeline" }));
	await test("times: Ctrl and a drag along a heat map do the same, and one without has that in view, as before", () => visit(browser, file, async (page) => {
		const box = await page.locator("canvas.plot").boundingBox();
		const scale = (box.width - PLOT) / (box.width - PLOT - 8);

		await drag(page, page.locator("canvas.plot"), PLOT, [0.3 / scale, 0.6 / scale], "Control");
		await isAt(page, [0.3, 0.6]);
		assert.equal((await state(page)).from, await page.evaluate(() => window.coroprof.profile.since));
		await page.keyboard.press("Escape");
		await drag(page, page.locator("canvas.plot"), PLOT, [0.3, 0.6], "Alt");
		assert.deepEqual(await state(page).then(({ view, other, from }) => [view, other, from > 0]), ["slices", null, true]);
	}, { hash: "#view=slices" }));
	await test("times: what an address has that is no time of the recording is none; the view itself has all of it then", () => visit(browser, file, async (page) => {
		const { other } = await state(page);

		assert.deepEqual(other, await page.evaluate(() => ({ from: window.coroprof.profile.since, to: window.coroprof.profile.until })));
		assert.match(plain(await view(page).innerText()), /all \S+ ms/);
	}, { hash: `#view=times&time=${ONE.join("-")}&other=12-nonsense` }));
	await test("times: the help says how", () => visit(browser, file, async (page) => {
		await page.keyboard.press("?");
		assert.match(await page.locator("dialog.help").innerText(), /ctrl drag[\s\S]*beside the time in view/);
	}));
}

/** Cells of each row, by what it is of. */
async function shownIn(page) {
	const rows = await view(page).locator(".beside-figures tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.innerText)));

	return new Map(rows.map(([title, ...cells]) => [title, cells]));
}

/** "64.7 %" as a number, off by its last digit at most. */
function isShare(text, value, what) {
	const [, number] = plain(text).match(/^~?([\d.]+) %$/) ?? assert.fail(`${what}: ${text}`);

	assert.ok(Math.abs(Number(number) - 100 * value) <= 0.051, `${what}: ${text}, the reader says ${100 * value}`);
}

async function figuresTests(browser, tools, { recording, file }) {
	const tables = [ONE, OTHER].map((time) => tablesOf(tools, recording, time));
	const lengths = [ONE, OTHER].map(([from, to]) => to - from);

	await test("times: of all labels, how long each ran in either time, how much of the time that is, and the ratio are the reader's", () => visit(browser, file, async (page) => {
		const shown = await shownIn(page);
		let compared = 0;

		for (const name of tables[0].labels.rows.map(({ name }) => name)) {
			const running = tables.map(({ labels }) => labels.rows.find((row) => row.name === name)?.running ?? 0);
			const cells = shown.get(name);

			if (!cells) {
				assert.deepEqual(running, [0, 0], `${name} is left out`);
				continue;
			}
			running.forEach((ns, at) => {
				near(cells[2 * at], ns, name);
				isShare(cells[2 * at + 1], ns / lengths[at], name);
			});
			if (running[0] && running[1])
				near(cells[4], running[1] / lengths[1] / (running[0] / lengths[0]), `ratio of ${name}`);
			compared++;
		}
		assert.ok(compared >= 4, `${compared} labels`);
		const counts = await view(page).locator(".histogram").evaluateAll((all) => all.map((one) => [...one.querySelectorAll(".bar-count")].reduce((sum, bar) => sum + Number(bar.dataset.count), 0)));
		const coroutines = await page.evaluate(() => window.coroprof.profile.labels.name.filter((_, row) => window.coroprof.profile.labels.rank[row] >= 0));

		assert.deepEqual(counts, tables.map(({ labels }) => labels.rows.filter(({ name }) => coroutines.includes(name)).reduce((sum, { slices }) => sum + slices, 0)));
	}, { hash: `#view=times&time=${ONE.join("-")}&other=${OTHER.join("-")}` }));
	await test("times: of a label, figures and means per slice, or per second, are the reader's, and the ratio is theirs", () => visit(browser, file, async (page) => {
		const said = tables.map(({ labels }) => labels.rows.find(({ name }) => name === "query_database"));
		const shown = await shownIn(page);

		for (const name of ["running", "preempted", "blocked", "suspended", "cycles", "instructions", "cache-misses"]) {
			const [total, each, otherTotal, otherEach, ratio] = shown.get(name);
			const means = said.map((row) => row[name] / row[name === "suspended" ? "gaps" : "slices"]);

			near(total, said[0][name], name);
			near(otherTotal, said[1][name], name);
			near(each, means[0], `${name} of a slice`);
			near(otherEach, means[1], `${name} of a slice`);
			near(ratio, means[1] / means[0], `ratio of ${name}`);
		}
		const [slices, rate, otherSlices, otherRate, ratio] = shown.get("slices");
		const rates = said.map((row, at) => row.slices / lengths[at] * 1e9);

		near(slices, said[0].slices, "slices");
		near(otherSlices, said[1].slices, "slices");
		near(rate.replace(" a second", ""), rates[0], "slices a second");
		near(otherRate.replace(" a second", ""), rates[1], "slices a second");
		near(ratio, rates[1] / rates[0], "ratio of slices");
		assert.deepEqual(await view(page).locator(".beside h3").allInnerTexts().then((all) => all.map(plain)), ["113 ms from 30 ms", "148 ms from 142.838231 ms"]);
	}, { hash: `#view=times&label=query_database&time=${ONE.join("-")}&other=${OTHER.join("-")}` }));
}

async function flamesTests(browser, tools, { recording, file }) {
	const { one, other } = SAMPLED;
	const tables = [one, other].map((time) => tablesOf(tools, recording, time));
	const hash = `time=${one.join("-")}&other=${other.join("-")}`;
	const check = async (page, each, said) => {
		const flames = view(page).locator(".change-flame");

		assert.equal(await flames.count(), 2);
		for (const at of [0, 1]) {
			await flames.nth(at).locator(".change-box", { hasText: /^gen_serve$/ }).first().hover();
			const tip = plain(await page.locator(".tip").innerText());

			for (const [side, from] of [one, other].map(([from]) => from / 1e6).entries())
				near(tip.match(new RegExp(`from ${from} ms, a ${each}\\s+(\\S+(?: [kM])?)`))[1], said[side], `time ${side} in flame graph ${at}`);
		}
	};

	await test("times: flame graphs of a label have the samples of a slice in either time, as the reader counts them", () => visit(browser, file, (page) =>
		check(page, "slice", tables.map(({ labels, label_functions: { rows } }) =>
			rows.find((row) => row.label_name === "odd" && row.function_name === "gen_serve").total / labels.rows.find(({ name }) => name === "odd").slices)),
	{ hash: `#view=times&label=odd&${hash}` }));
	await test("times: flame graphs of all labels have the samples of a second in either time, as the reader counts them", () => visit(browser, file, (page) =>
		check(page, "second", tables.map(({ functions }, at) => functions.rows.find((row) => row.name === "gen_serve").total / ([one, other][at][1] - [one, other][at][0]) * 1e9)),
	{ hash: `#view=times&${hash}` }));
}

export async function timesTests(browser, { generator, callsGenerator, reader, out }) {
	const { server, calls } = recordingsFor("times", { generator, callsGenerator, reader, out });

	await wayTests(browser, server.file);
	await figuresTests(browser, { reader, out }, server);
	await flamesTests(browser, { reader, out }, calls);
	const hash = `time=${ONE.join("-")}&other=${OTHER.join("-")}`;

	await lookTests(browser, out, "times", "two times", [["light", "light", 1400, server, hash],
		["dark", "dark", 1000, calls, `time=${SAMPLED.one.join("-")}&other=${SAMPLED.other.join("-")}`], ["narrow", "light", 800, server, `label=query_database&${hash}`]]);
}
