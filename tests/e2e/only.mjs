// SPDX-License-Identifier: GPL-2.0
/*
 * All is kept to one thread, or one process, beside a time and what is selected: what is shown then
 * is what the reader has of it, or what the page has where that thread is selected.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { settle, state, visit } from "./browser.mjs";
import { areAll, csv, cutRows, fromWorst, notes, rowsOf, sameLongest, samePercentiles, sumsOf, windowsOf } from "./chosen.mjs";
import { dataOf } from "./tables.mjs";
import { test } from "./tap.mjs";

const WORST = ["lifetime", "held", "ready", "awaiting", "suspended", "blocked"];
const TIMES = ["preempted", "blocked", "idle", "running"];
const nameOf = ({ threads }, thread) => `${threads.name[thread]} ${threads.tid[thread]}`;

function make({ reader, out }, name, recording) {
	const file = join(out, `only-${name}.html`);

	spawnSync(reader, ["-o", file, recording], { stdio: "ignore" });
	const data = dataOf(file);

	return { reader, recording, file, data, name, processes: data.processes.rows };
}

function generated(programs, scenario, generator = programs.generator) {
	const recording = join(programs.out, `only-${scenario}.cprof`);

	execFileSync(generator, generator === programs.generator ? [recording, scenario] : [recording]);
	return make(programs, scenario, recording);
}

/** The label and the thread with most slices in a time of which the reader lists all there was; which, and its rows. */
function crossing({ data, ...made }) {
	const [from, to] = windowsOf(data.recording.duration[0], new Array(20).fill(0.0015), 9).find((window) => areAll(made, window, WORST));
	const worst = csv(made, "worst", [from, to]);
	const often = new Map();

	for (const { what, label_name, thread_name } of worst)
		if (what === "held")
			often.set(`${label_name}\n${thread_name}`, 1 + (often.get(`${label_name}\n${thread_name}`) ?? 0));
	const [label, thread] = [...often].sort(([, a], [, b]) => b - a)[0][0].split("\n");

	return {
		from, to, label, thread, index: data.labels.name.indexOf(label), on: data.threads.name.findIndex((_, at) => nameOf(data, at) === thread),
		worst,
		fit: csv(made, "worst", [from, to], [`label=${label}`, `thread=${thread}`]),
	};
}

async function crossTests(browser, made) {
	const { file, data } = made;
	const { from, to, label, index, on, worst, fit, thread } = crossing(made);
	const only = { kind: "thread", index: on };

	await test("only: a label on one thread in a time has the longest of --where label and thread", () => visit(browser, file, async (page) => {
		let compared = 0;

		for (const what of WORST) {
			const want = fit.filter((row) => row.what === what);

			assert.ok(want.length < worst.filter((row) => row.what === what).length || !want.length, what);
			sameLongest(await rowsOf(page, "longest", { what, from, to, selected: { kind: "label", index }, only }), want, what);
			compared += want.length;
		}
		assert.ok(compared > 3, `${compared} rows`);
	}, { hash: "#view=longest" }));
	await test("only: percentiles of one thread in a time are those of --where thread", () => visit(browser, file, async (page) => {
		const there = csv(made, "worst", [from, to], [`thread=${thread}`]);
		let compared = 0;

		for (const what of WORST)
			compared += samePercentiles(await rowsOf(page, "latency", { what, from, to, only }), fromWorst(made, there, what), what);
		assert.ok(compared > 3, `${compared} rows`);
	}, { hash: "#view=latency" }));
	for (const window of windowsOf(data.recording.duration[0], [1, 0.1], 4))
		await test(`only: coroutines of a label on one thread, from ${window[0]} to ${window[1]} ns, are as the reader's slices are`, () => visit(browser, file, async (page) => {
			const wheres = [`label=${label}`, `thread=${thread}`];
			const [duration] = data.recording.duration;
			const all = csv(made, "timeline", [0, duration], wheres);
			const want = sumsOf(all, window, "coroutine_name", Object.fromEntries(data.threads.name.map((_, at) => [nameOf(data, at), ""])), duration);
			let compared = 0;

			for (const row of await cutRows(page, { by: "coroutine", within: -1, from: window[0], to: window[1], selected: { kind: "label", index }, only })) {
				const own = want[`${row.label} ${row.coroutine} `] ?? {};

				for (const name of ["slices", "cycles", ...TIMES].filter((name) => row[name] !== "n/a" && name in row)) {
					const near = row[`${name} (standing)`] !== "counted" ? all.length : 0;

					assert.ok(Math.abs(row[name] - (own[name] ?? 0)) <= near, `${row.label} ${row.coroutine}: ${name} is ${row[name]}, not ${own[name]}`);
					compared += +(own[name] > 0);
				}
			}
			assert.ok(compared >= 3, `${compared} figures`);
		}, { hash: "#view=table" }));
}

/** Each view has of a thread what it has where that is selected. */
async function sameTests(browser, { file, data }) {
	const from = Math.floor(data.recording.duration[0] / 5);
	const thread = { kind: "thread", index: 0 };

	for (const [view, more] of [["spans", {}], ["samples", {}], ["table", { by: "label", within: -1 }], ["latency", { what: "span" }]])
		await test(`only: ${view} kept to a thread are those of the thread`, () => visit(browser, file, async (page) => {
			const rows = (change) => view === "table" ? cutRows(page, change) : rowsOf(page, view, change);
			const part = { ...more, from, to: data.recording.duration[0] };
			const selected = await rows({ ...part, only: null, selected: thread });
			const kept = await rows({ ...part, only: thread, selected: null });
			const whole = await rows({ ...part, only: null, selected: null });

			assert.ok(kept.length);
			assert.deepEqual(kept, selected);
			assert.notDeepEqual(kept, whole);
		}, { hash: `#view=${view}` }));
}

const chip = (page) => page.locator(".chips .chip").filter({ hasText: "only" });

async function wayTests(browser, { file, data, out }) {
	const mine = data.labels.process.map((process, row) => [process, data.labels.name[row]]).filter(([process]) => process === 1).map(([, name]) => name);

	await test("only: a process is kept to by a click in details, in every table and list, in the address, until it is let go", () => visit(browser, file, async (page) => {
		const labels = () => page.locator(".table-view .grid-body .grid-row [data-column=name]").allInnerTexts();
		const all = await labels();

		await page.locator(".details").getByRole("button", { name: "only this process" }).nth(1).click();
		await chip(page).waitFor();
		await settle(page);
		assert.match(await chip(page).innerText(), /^only process/);
		assert.ok(all.length > mine.length);
		assert.equal((await labels()).length, mine.length);
		for (const view of ["latency", "longest"]) {
			await page.evaluate((view) => window.coroprof.store.set({ view, what: "held" }), view);
			await settle(page);
			const rows = await page.evaluate((view) => [...document.querySelectorAll(`.${view}-view .grid-body .grid-row [data-column=process]`)].map((cell) => cell.innerText), view);

			assert.ok(rows.length > 0, view);
			assert.equal(new Set(rows).size, 1, `${view}: ${[...new Set(rows)]}`);
		}
		await page.evaluate(() => window.coroprof.store.set({ view: "timeline", lanes: "threads" }));
		await settle(page);
		await page.waitForFunction(() => location.hash.includes("only-process="));
		const address = await page.evaluate(() => location.hash);

		await page.screenshot({ path: join(out, "only-process.png") });
		await page.evaluate(() => window.coroprof.store.set({ only: null }));
		await page.waitForFunction(() => !location.hash.includes("only-process="));
		await page.evaluate((hash) => { location.hash = hash; }, address);
		await page.waitForFunction(() => window.coroprof.store.state.only?.index === 1);
		await chip(page).getByRole("button").click();
		await settle(page);
		assert.equal((await state(page)).only, null);
		assert.equal(await chip(page).count(), 0);
	}, { hash: "#view=overview" }));
	await test("only: a thread is kept to while labels are selected, and each part says what it is of", () => visit(browser, file, async (page) => {
		await page.evaluate(() => window.coroprof.store.select("thread", 0));
		await page.locator(".details").getByRole("button", { name: "only this thread" }).click();
		await chip(page).waitFor();
		await page.evaluate(() => window.coroprof.store.select("label", 0));
		await settle(page);
		assert.deepEqual((await state(page)).only, { kind: "thread", index: 0 });
		await page.locator(".details .in-view table").first().waitFor();
		assert.match(await notes(page), /labels are of this thread; details are of the whole recording but for their first part/);
		await page.screenshot({ path: join(out, "only-thread.png") });
	}, { hash: "#view=overview" }));
	await test("only: an address with a process that this recording has not says so", () => visit(browser, file, async (page) => {
		assert.match(await page.locator(".chips").innerText(), /process\s*424242: not in this recording/);
	}, { hash: "#view=table&only-process=424242" }));
}

export async function onlyTests(browser, programs) {
	await crossTests(browser, generated(programs, "server"));
	await sameTests(browser, generated(programs, "calls", programs.callsGenerator));
	await wayTests(browser, { ...generated(programs, "processes"), out: programs.out });
}
