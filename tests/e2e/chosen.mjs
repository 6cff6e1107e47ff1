// SPDX-License-Identifier: GPL-2.0
/*
 * Percentiles and the longest of what is chosen: figure by figure those of the reader's tables
 * of that time, thread, coroutine, label, or n/a with the reason.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { settle, state, visit } from "./browser.mjs";
import { dataOf } from "./tables.mjs";
import { test } from "./tap.mjs";

/** The reader keeps so many of the longest of each kind. */
const MOST = 100;
export const SHARES = { p50: 0.5, p90: 0.9, p99: 0.99, p99_9: 0.999, longest: 1 };
export const TITLES = { p50: "50 % below", p90: "90 % below", p99: "99 % below", p99_9: "99.9 % below", longest: "longest" };
const KINDS = ["lifetime", "held", "ready", "awaiting", "suspended", "blocked", "running"];

const WAITS = ["ready", "awaiting", "suspended"];

const seconds = (ns) => (ns / 1e9).toFixed(9);

/** A table of the reader, of a part: rows by column. No text here has a comma. */
export function csv({ reader, recording }, table, [from, to], wheres = []) {
	const text = execFileSync(reader, ["-q", "--from", seconds(from), "--to", seconds(to), "--table", table, "--format", "csv", "-o", "-",
		...wheres.flatMap((where) => ["--where", where]), recording], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1e9 });
	const [titles, ...rows] = text.replace(/"[^"\n]*"/g, "").trim().split("\r\n").map((line) => line.split(","));

	return rows.map((cells) => Object.fromEntries(titles.map((title, at) => [title, cells[at]])));
}

/** As it is told apart when there are many: see lengths_place() of the reader. */
export function place(ns) {
	const shift = Math.max(0, Math.floor(Math.log2(Math.max(ns, 64))) - 6);

	return shift * 64 + Math.floor(ns / 2 ** shift);
}

/** Has a view show what is asked for, at once, and gives its rows by title, all of them. */
export async function rowsOf(page, view, change) {
	await page.evaluate(() => window.coroprof.store.set({ view: "table" }));
	await page.evaluate((change) => window.coroprof.store.set(change), { view, listed: null, selected: null, ...change });
	await settle(page);
	const text = await page.evaluate(async (view) => {
		let copied = "";

		navigator.clipboard.writeText = async (text) => { copied = text; };
		document.querySelector(`.${view}-view .grid`).dispatchEvent(new KeyboardEvent("keydown", { key: "c", ctrlKey: true }));
		while (!copied)
			await new Promise((done) => setTimeout(done, 5));
		return copied;
	}, view);
	const [titles, ...rows] = text.trimEnd().split("\n").map((line) => line.split("\t"));

	return rows.map((cells) => Object.fromEntries(titles.map((title, at) => [title, cells[at]])));
}

/**
 * The page's percentiles are those of @want: { name: { times, figures: [five], near: [whether] } }. Waits may be n/a
 * where slices were @lost.
 */
export function samePercentiles(rows, want, what, lost = false) {
	if (lost && WAITS.includes(what)) {
		assert.ok(rows.every((row) => row.times === "n/a" || Number(row.times) === want[`${row["label or span"]} `].times), what);
		return 0;
	}
	assert.deepEqual(rows.map((row) => `${row["label or span"]} ${row.process ?? ""}`).sort(), Object.keys(want).sort(), what);
	for (const row of rows) {
		const key = `${row["label or span"]} ${row.process ?? ""}`;
		const said = `${what} of ${key}`;

		assert.equal(Number(row.times), want[key].times, said);
		for (const [at, name] of Object.keys(SHARES).entries()) {
			const [found, wanted] = [Number(row[TITLES[name]]), want[key].figures[at]];

			if (want[key].near[at])
				assert.equal(place(found), place(wanted), `${said}: ${name} is ${found}, not near ${wanted}`);
			else
				assert.equal(found, wanted, `${said}: ${name}`);
		}
	}
	return rows.length;
}

/** Of the reader's table of latency. */
function fromLatency(made, window, what) {
	const rows = csv(made, "latency", window).filter((row) => row.what === what);

	return Object.fromEntries(rows.map((row) => [`${row.label_name} ${made.processes > 1 ? row.process_name : ""}`, {
		times: Number(row.times), figures: Object.keys(SHARES).map((name) => Number(row[name])),
		near: Object.keys(SHARES).map((name) => ["near", "scaled"].includes(row[`${name}_standing`])),
	}]));
}

/** Whether the longest of these kinds are all there are in a time: no more than the reader keeps, and none of 0 ns, which is not kept. */
export function areAll(made, window, kinds) {
	const [latency, worst] = ["latency", "worst"].map((table) => csv(made, table, window));

	return kinds.every((kind) => latency.filter(({ what }) => what === kind).reduce((sum, { times }) => sum + Number(times), 0) ===
		worst.filter(({ what }) => what === kind).length);
}

/** Of the longest that fit, if these are all there are. */
export function fromWorst(made, rows, what) {
	const found = {};

	for (const row of rows)
		if (row.what === (what === "running" ? "held" : what))
			(found[`${row.label_name} ${made.processes > 1 ? row.process_name : ""}`] ??= []).push(Number(row[what === "running" ? "running" : "took"]));
	return Object.fromEntries(Object.entries(found).map(([name, lengths]) => {
		lengths.sort((a, b) => a - b);
		return [name, { times: lengths.length, near: [], figures: Object.values(SHARES).map((share) => lengths[Math.max(0, Math.ceil(share * lengths.length - 1e-9) - 1)]) }];
	}));
}

/** The page's longest are these rows of the reader, in their order. */
export function sameLongest(rows, worst, said) {
	assert.equal(rows.length, worst.length, said);
	rows.forEach((row, at) => {
		const want = worst[at];
		const figures = { took: "took", running: "running", preempted: "preempted", blocked: "blocked", cycles: "cycles", instructions: "instructions" };

		assert.equal(row.coroutine, want.coroutine_name, `${said}, ${at}`);
		assert.equal(row.thread, want.thread_name, `${said}, ${at}`);
		assert.equal(Number(row.begin), Number(want.begin), `${said}, ${at}: begin`);
		for (const [title, name] of Object.entries(figures))
			if (title in row && want[`${name}_standing`] !== "n/a")
				assert.equal(row[title], want[name] || "-", `${said}, ${at}: ${title}`);
		if (want.ipc)
			assert.ok(Math.abs(row.IPC - want.ipc) < 1e-6, `${said}, ${at}: IPC ${row.IPC} ${want.ipc}`);
		/* A part may be without who woke it. */
		assert.ok(want.waker_id ? row["woken by"].endsWith(` #${want.waker_id}`) : row["woken by"] === "-", `${said}, ${at}: woken by ${row["woken by"]}`);
	});
}

const kindsOf = (page) => page.locator('.latency-view input[name="choice-what-latency"]').evaluateAll((all) => all.map(({ value }) => value));

/** Windows of different lengths, the same each time. */
export function windowsOf(duration, lengths, seed) {
	const random = () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;

	return lengths.map((share) => {
		const length = Math.round(share * duration);
		const from = share < 1 ? Math.floor(random() * (duration - length)) : 0;

		return [from, from + length];
	});
}

async function timeTests(browser, made) {
	const { file, data: { recording: { duration: [duration] } } } = made;

	for (const [from, to] of windowsOf(duration, [0.5, 0.1, 0.02, 1], made.seed))
		await test(`chosen: percentiles of ${made.name} from ${from} to ${to} ns are those of --from and --to`, () => visit(browser, file, async (page) => {
			let compared = 0;

			for (const what of (await kindsOf(page)).filter((what) => KINDS.includes(what))) {
				const rows = await rowsOf(page, "latency", { what, from, to });

				compared += samePercentiles(rows, fromLatency(made, [from, to], what), what, made.name === "lost");
			}
			assert.ok(compared >= 3, `${compared} rows`);
		}, { hash: "#view=latency" }));
	for (const [from, to] of windowsOf(duration, [0.3, 0.02], made.seed + 1))
		await test(`chosen: the longest of ${made.name} from ${from} to ${to} ns are those of --from and --to`, () => visit(browser, file, async (page) => {
			const worst = csv(made, "worst", [from, to]);
			let compared = 0;

			for (const what of KINDS.slice(0, -1).filter((what) => worst.some((row) => row.what === what))) {
				const rows = await rowsOf(page, "longest", { what, from, to });

				if (made.name === "lost" && WAITS.includes(what)) {
					assert.match(await page.locator(".longest-view .list-note").innerText(), /Not listed.* slices of some of these coroutines may be missing/);
					assert.equal(rows.length, 0);
					continue;
				}

				sameLongest(rows, worst.filter((row) => row.what === what), what);
				compared += rows.length;
			}
			assert.ok(compared, `${compared} rows`);
		}, { hash: "#view=longest" }));
}

/** Something that is chosen beside a time, in which the reader's longest are all there are. */
async function whoTests(browser, made) {
	const { file, data } = made;
	const longest = KINDS.filter((what) => what !== "running");
	const [from, to] = windowsOf(data.recording.duration[0], new Array(20).fill(0.0015), made.seed + 2).find((window) => areAll(made, window, longest));
	const worst = csv(made, "worst", [from, to]);
	const { coroutine_name: name, coroutine_name } = worst.filter(({ what }) => what === "held").at(-1);
	const chosen = {
		thread: { index: 1, where: `thread=${worst.find(({ thread }) => thread === "1").thread_name}` },
		coroutine: { index: data.coroutines.id.findIndex((id, row) => `${data.labels.name[data.coroutines.label[row]]} #${id}` === name), where: `coroutine=${coroutine_name}` },
		label: { index: Number(worst[0].label), where: `label=${worst[0].label_name}` },
	};

	for (const [kind, { index, where }] of Object.entries(chosen))
		await test(`chosen: of a ${kind} in a time, percentiles and the longest are those of ${where}`, () => visit(browser, file, async (page) => {
			const fit = csv(made, "worst", [from, to], [where]);
			let compared = 0;

			assert.ok(fit.length && fit.length < worst.length, `${fit.length} of ${worst.length}`);
			const chosenIndex = kind === "label" ? data.labels.name.indexOf(worst[0].label_name) : index;

			for (const what of (await kindsOf(page)).filter((what) => KINDS.includes(what))) {
				const change = { what, from, to, selected: { kind, index: chosenIndex } };

				if (kind !== "label")
					compared += samePercentiles(await rowsOf(page, "latency", change), fromWorst(made, fit, what), what);
				if (what !== "running")
					sameLongest(await rowsOf(page, "longest", change), fit.filter((row) => row.what === what), what);
			}
			assert.ok(kind === "label" || compared, "some are compared");
		}, { hash: "#view=latency" }));
}

/** Has it have cells so long as only a recording has that is much longer. */
const longCells = (page) => page.evaluate(() => { window.coroprof.store.profile.timeline.resolution = 1e9; });

/** Of some of its slices the page has sums only. */
async function mergedTests(browser, made) {
	const { file, data: { recording: { duration: [duration], timeline_resolution: [resolution] } } } = made;
	const [[from, to]] = windowsOf(duration, [0.2], made.seed);

	await test("chosen: what the page has sums of is n/a, and says why; lives are there", () => visit(browser, file, async (page) => {
		const rows = await rowsOf(page, "latency", { what: "held", from, to });

		assert.ok(rows.length >= 4 && rows.every((row) => row.times === "n/a" && row["50 % below"] === "n/a"));
		await page.locator('.latency-view .grid-row[data-at="0"] [data-column="p50"]').hover();
		assert.match(await page.locator(".tip").innerText(), /of what is chosen[^]*sums only[^]*makes a page of this time/);
		/* Where none of the lives begin before it. */
		samePercentiles(await rowsOf(page, "latency", { what: "lifetime", from: 0, to }), fromLatency(made, [0, to], "lifetime"), "lifetime");
	}, { hash: "#view=latency" }));
	await test("chosen: slices too long to be put together are listed as --from and --to have them, and no others", () => visit(browser, file, async (page) => {
		const rows = await rowsOf(page, "longest", { what: "held", from, to });
		const worst = csv(made, "worst", [from, to]).filter(({ what, took }) => what === "held" && Number(took) >= resolution);

		sameLongest(rows, worst, "held");
		assert.ok(worst.length && worst.length <= MOST);
		await longCells(page);
		await rowsOf(page, "longest", { what: "held", from: from + 1, to });
		assert.match(await page.locator(".longest-view .list-note").innerText(), /or longer: n\/a/);
		assert.equal((await rowsOf(page, "longest", { what: "ready", from, to })).length, 0);
		assert.match(await page.locator(".longest-view .list-note").innerText(), /Not listed.*sums only/);
	}, { hash: "#view=longest" }));
	await mergedLongestTests(browser, made);
}

/** What is selected in all of the recording: of it the reader's longest are known. */
async function mergedLongestTests(browser, made) {
	const { file, data: { labels, threads, recording: { duration: [duration] } } } = made;
	const note = (page) => page.locator(".longest-view .list-note").innerText();
	const ofLabel = (name) => ({ kind: "label", index: labels.name.indexOf(name) });

	for (const [said, selected, where, kinds] of [
		["label", ofLabel("query_database"), "label=query_database", ["held", "ready", "awaiting", "blocked"]],
		["thread", { kind: "thread", index: 2 }, `thread=${threads.name[2]} ${threads.tid[2]}`, ["held", "ready"]],
	])
		await test(`chosen: of a ${said} of which the page has sums, the longest are those of the whole recording's`, () => visit(browser, file, async (page) => {
			let compared = 0;

			await longCells(page);
			for (const what of kinds) {
				const worst = csv(made, "worst", [0, duration], [where]).filter((row) => row.what === what);

				sameLongest(await rowsOf(page, "longest", { what, selected }), worst, what);
				assert.match(await note(page), /Listed are those that are among the 100 longest of the whole recording: of [\d.]+\s(ns|us|ms) or longer/);
				compared += worst.length;
			}
			assert.ok(compared, `${compared} rows`);
			await page.locator('.longest-view .grid-row[data-at="0"] [data-column="name"]').click();
			await settle(page);
			assert.equal((await state(page)).selected.kind, "coroutine");
		}, { hash: "#view=longest" }));
	await test("chosen: how many slices of a label held their thread for long is known of all of it, and of none that are of a part", () => visit(browser, file, async (page) => {
		for (const name of ["held_100us", "held_1ms"])
			for (const label of ["query_database", "accept"]) {
				await rowsOf(page, "longest", { what: "held", selected: ofLabel(label) });
				await page.locator(".longest-view .list-note select").selectOption(name);
				const known = labels[name][labels.name.indexOf(label)] ?? 0;

				assert.match(await note(page), new RegExp(`or longer: ${known.toLocaleString("en-US")}${known ? `, of 1 label: ${label}` : "\\."}`));
			}
		await page.locator(".longest-view .list-note select").selectOption("held_10us");
		await rowsOf(page, "longest", { what: "held", from: 1000, selected: ofLabel("accept") });
		assert.match(await note(page), /or longer: n\/a\./);
	}, { hash: "#view=longest" }));
	await test("chosen: where none of the longest is of what is chosen, that is what is said", () => visit(browser, file, async (page) => {
		const least = Math.min(...csv(made, "worst", [0, duration]).filter((row) => row.what === "held").map((row) => Number(row.took)));
		const short = labels.name.find((name, row) => labels.slices[row] && csv(made, "latency", [0, duration])
			.some((of) => of.what === "held" && of.label_name === name && Number(of.longest) < least));

		assert.ok(short, "there is a label without");
		await longCells(page);
		assert.deepEqual(await rowsOf(page, "longest", { what: "held", selected: ofLabel(short) }), []);
		assert.match(await page.locator(".longest-view .grid-empty").innerText(), /None of these is of what is chosen/);
	}, { hash: "#view=longest" }));
}

/** How details tell of slices that a table of the reader has. */
const slicesSaid = ({ slices, cut }) => Number(slices).toLocaleString("en-US") + (Number(cut) ? `, ${Number(cut).toLocaleString("en-US")} of them cut` : "");

/** Whether a time is shown so, with three digits of it. */
export const isShown = (shown, ns, off = 0.0051) => Math.abs(parseFloat(shown) * { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[shown.match(/[a-z]+$/)[0]] - ns) <= off * ns;

export const notes = (page) => page.locator(".chips .chip-note").first().innerText();

/** Has details tell of the time in view, and waits until they do. */
async function tellOf(page, kind, index) {
	await page.evaluate(([kind, index]) => {
		window.coroprof.store.set({ selected: null });
		window.coroprof.store.set({ selected: { kind, index } });
	}, [kind, index]);
	await page.waitForFunction(() => document.querySelector(".details .in-view table"));
}

/** What is told of the time in view: by heading, rows of tables, and of a histogram what it says and how many slices its bars have. */
async function sectionsOf(page) {
	return Object.fromEntries(await page.locator(".details .in-view section").evaluateAll((sections) => sections.map((section) => [section.querySelector("h3").innerText, {
		says: section.querySelector("svg")?.getAttribute("aria-label"),
		bars: [...section.querySelectorAll("svg .bar-count")].map((bar) => Number(bar.getAttribute("data-count"))),
		rows: [...section.querySelectorAll("tbody tr")].map((row) => [...row.children].map(({ innerText }) => innerText)),
	}])));
}

/** Ways to what is chosen, and back. */
async function wayTests(browser, { reader, recording, file, data, out }) {
	const { recording: { duration: [duration] } } = data;
	const time = `time=${Math.floor(duration / 3)}-${Math.floor(duration / 2)}`;

	await test("chosen: a click on one of the longest leads there, the list stays, and says what it is of", () => visit(browser, file, async (page) => {
		const list = page.locator(".longest-view");
		const names = () => list.locator(".grid-body .grid-row").evaluateAll((rows) => rows.slice(0, 3).map((row) => row.innerText));
		const before = await names();

		assert.doesNotMatch(await notes(page), /longest/);
		await list.locator('.grid-row[data-at="1"] [data-column="name"]').click();
		await settle(page);
		await page.waitForFunction(() => /the longest are of what was chosen before/.test(document.querySelector(".chips").innerText));
		assert.deepEqual(await names(), before);
		assert.equal((await state(page)).selected.kind, "coroutine");
		await list.locator('.grid-row[data-at="2"] [data-column="name"]').click();
		await settle(page);
		assert.deepEqual(await names(), before);
		await page.screenshot({ path: join(out, "chosen-longest.png") });
		await list.getByText("list those of what is in view").click();
		await page.waitForFunction(() => document.querySelectorAll(".longest-view .grid-body .grid-row").length < 5);
		assert.equal(await list.locator('.grid-row[aria-selected="true"]').count(), 0, "none of these was clicked");
		assert.doesNotMatch(await notes(page), /longest/);
	}, { hash: `#view=longest&${time}` }));
	await test("chosen: how many slices held their thread for long is of what is chosen", () => visit(browser, file, async (page) => {
		const [from, to] = [Math.floor(duration / 3), Math.floor(duration / 2)];
		const { timeline: t, labels } = data;
		const long = t.begin.filter((begin, row) => t.slices[row] === 1 &&
			Math.min(to, begin + t.duration[row]) - Math.max(from, begin) >= 1e5 && labels.name[t.label[row]] !== "event loop").length;

		await page.locator(".longest-view .list-note select").selectOption("held_100us");
		assert.ok(long > 0);
		assert.ok((await page.locator(".longest-view .list-note").innerText()).includes(`or longer: ${long.toLocaleString("en-US")}, of`));
	}, { hash: `#view=longest&what=held&${time}` }));
	await test("chosen: conditions are about what is listed", () => visit(browser, file, async (page) => {
		const rows = await rowsOf(page, "longest", { what: "held", filter: "label=query* thread=worker-1*" });

		assert.ok(rows.length > 0 && rows.length < MOST);
		assert.ok(rows.every((row) => row.coroutine.startsWith("query_database") && row.thread.startsWith("worker-1")));
		assert.equal((await rowsOf(page, "latency", { what: "held", filter: "label=query*" })).length, 1);
	}, { hash: `#view=longest&${time}` }));
	await test("chosen: details begin with what is selected in the time in view, as tables of this time have it", () => visit(browser, file, async (page) => {
		const [from, to] = [Math.floor(duration / 3), Math.floor(duration / 2)];
		const part = async (kind, index) => {
			await page.evaluate(() => document.querySelector(".details .in-view").replaceChildren());
			await page.evaluate(([kind, index]) => window.coroprof.store.set({ selected: kind && { kind, index } }), [kind, index]);
			await page.waitForFunction(() => document.querySelector(".details .in-view table"));
			return Object.fromEntries(await page.locator(".details .in-view section:first-child tr").evaluateAll((rows) => rows.map((row) =>
				[row.querySelector("th").innerText, [...row.querySelectorAll("td")].map((cell) => cell.innerText)])));
		};
		const figures = (table) => csv({ reader, recording }, table, [from, to]);
		const [labels, latency] = [figures("labels"), figures("latency")];

		for (const { name, slices, cut } of labels) {
			const said = await part("label", data.labels.name.indexOf(name));

			assert.equal(said.slices[0], slicesSaid({ slices, cut }), name);
			for (const { what, longest } of latency.filter((row) => row.label_name === name))
				assert.ok(isShown(said[what][2].replace(/^>=/, ""), Number(longest)), `${name}: ${what} ${said[what][2]} ${longest}`);
		}
		for (const [kind, row] of [["thread", figures("threads")[1]], ["coroutine", figures("coroutines")[20]]]) {
			const index = kind === "thread" ? 1 : data.coroutines.id.findIndex((id) => String(id) === row.id);

			assert.equal((await part(kind, index)).slices[0], slicesSaid(row), kind);
		}
		const sum = (name) => labels.reduce((all, row) => all + Number(row[name]), 0);

		assert.equal((await part(null, 0)).slices[0], slicesSaid({ slices: sum("slices"), cut: sum("cut") }));
		await page.screenshot({ path: join(out, "chosen-details.png") });
	}, { hash: `#view=latency&${time}` }));
	for (const window of windowsOf(duration, [0.3, 0.004], 31))
		await test(`chosen: in details, how long slices ran and who woke whom are those from ${window[0]} to ${window[1]} ns`, () => visit(browser, file, async (page) => {
			const [labels, lengths, wakes] = ["labels", "lengths", "wakes"].map((table) => csv({ reader, recording }, table, window));
			let compared = 0;

			await page.evaluate(([from, to]) => window.coroprof.store.set({ from, to }), window);
			for (const { name, slices, p50, longest } of labels.filter(({ name }) => name !== "event loop")) {
				await tellOf(page, "label", data.labels.name.indexOf(name));
				const told = await sectionsOf(page);
				const ran = lengths.filter(({ label_name }) => label_name === name);

				assert.match(told["Running time of slices"].says, new RegExp(`^Running time of ${Number(slices).toLocaleString("en-US")} slices?; `), name);
				assert.deepEqual(told["Running time of slices"].bars, ran.map(({ slices }) => Number(slices)), name);
				/* The reader's percentiles of many are less than 1 % off, and what is shown has three digits. */
				assert.ok(isShown(told["Running time of slices"].rows.at(-1)[0], Number(p50), 0.0151), name);
				assert.ok(isShown(told["Running time of slices"].rows.at(-1)[3], Number(longest)), name);
				for (const [title, side, other] of [["Woken by", "woken_name", "waker_name"], ["Wakes", "waker_name", "woken_name"]]) {
					const want = wakes.filter((row) => row[side] === name);

					/* So many are shown. */
					assert.equal(told[title]?.rows.length ?? 0, Math.min(6, want.length), `${name}: ${title}`);
					for (const [of, times, ready] of told[title]?.rows ?? []) {
						const row = want.find((row) => (row[other] || "(not reported)") === of);

						assert.equal(times, Number(row.count).toLocaleString("en-US"), `${name}: ${title} ${of}`);
						/* Where it is not known of all, the mean is an estimate. */
						const mark = row.timed === row.count ? "" : "~";

						assert.ok(row.timed === "0" ? ready === "n/a" : ready.startsWith(mark) && isShown(ready.slice(mark.length), row.ready / row.timed),
							`${name}: ${title} ${of} ${ready}`);
						compared++;
					}
				}
			}
			assert.ok(compared > 4, `${compared} are compared`);
			await page.evaluate(([from]) => window.coroprof.store.set({ from, to: from + 1 }), window);
			const { timeline: t } = data;
			const there = new Set(t.label.filter((_, row) => t.begin[row] <= window[0] && t.begin[row] + t.duration[row] > window[0]));

			await tellOf(page, "label", data.labels.name.findIndex((name, label) => name !== "event loop" && !there.has(label)));
			assert.match(await page.locator(".details .in-view").innerText(), /Running time of slices\s+No slice is in it/);
		}, { hash: "#view=latency" }));
	await test("chosen: what of details is of the whole recording says so beside a part, and only there", () => visit(browser, file, async (page) => {
		const headings = () => page.locator(".details h3:visible").allInnerTexts();

		await page.evaluate(() => window.coroprof.store.select("coroutine", 20));
		await settle(page);
		assert.ok((await headings()).every((title) => !/whole/.test(title)));
		await page.evaluate((to) => window.coroprof.store.set({ from: 1, to }), duration / 2);
		await page.waitForFunction(() => document.querySelector(".details .in-view svg"));
		assert.deepEqual((await headings()).filter((title) => /Running time|Parents|whole/.test(title)),
			["Running time of slices", "Parents and children", "In the whole recording"]);
		await page.evaluate(() => window.coroprof.store.set({ selected: null }));
		await settle(page);
		assert.ok((await headings()).includes("Findings, of the whole recording"));
	}, { hash: "#view=latency" }));
	for (const [scheme, width] of [["light", 1400], ["dark", 800]])
		await test(`chosen: pictures, ${scheme}, ${width} pixels wide`, () => visit(browser, file, async (page) => {
			await page.evaluate(() => window.coroprof.store.select("thread", 1));
			await page.waitForFunction(() => /worker-1/.test(document.querySelector(".chips").innerText));
			await page.screenshot({ path: join(out, `chosen-latency-${scheme}-${width}.png`) });
			await page.evaluate(() => window.coroprof.store.set({ view: "longest" }));
			await settle(page);
			await page.screenshot({ path: join(out, `chosen-longest-${scheme}-${width}.png`) });
			assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "no wider than the window");
		}, { scheme, size: { width, height: 900 }, hash: `#view=latency&what=held&${time}` }));
}

/** Of a table of the page: how a row of the reader's timeline tells its row. */
const TABLES = {
	label: { key: (row) => row.label, of: "label_name" },
	coroutine: { key: (row) => `${row.label} ${row.coroutine}`, of: "coroutine_name" },
	thread: { key: (row) => row.thread, of: "thread_name" },
};
const STATES = ["preempted", "blocked", "idle"];

/** Of a slice so much is in a window, by the rule of coroprof-tables(5); null: it is not in it. */
export function pieceOf(begin, length, [from, to], duration) {
	const [first, last] = [Math.max(from, begin), to >= duration ? begin + length : Math.min(to, begin + length)];

	return length ? last > first && { from: first - begin, to: last - begin, length } : begin >= from && (begin < to || to >= duration) && { from: 0, to: 0, length };
}

export function shareOf(sum, { from, to, length }) {
	const until = (at) => Number(BigInt(sum) * BigInt(at) / BigInt(length));

	return length ? until(to) - until(from) : sum;
}

/** Sums over rows of the reader's timeline of the whole recording, by table row, of what of each slice is in the window. */
export function sumsOf(all, window, of, processOf, duration) {
	const sums = {};
	const name = (row) => of === "coroutine_name" ? row[of].replace(/(#|thread )(?=\d+$)/, "") : row[of];
	const own = (row) => sums[`${name(row)} ${processOf[row.thread_name]}`] ??= { slices: 0, cycles: 0, instructions: 0, running: 0, preempted: 0, blocked: 0, idle: 0 };

	for (const row of all.filter(({ slices }) => slices !== "0")) {
		const length = Number(row.duration);
		const piece = pieceOf(Number(row.begin), length, window, duration);
		const off = STATES.map((state) => Number(row[state]));

		if (!piece)
			continue;
		own(row).slices += Number(row.slices);
		for (const name of ["cycles", "instructions"])
			own(row)[name] += shareOf(Number(row[name]), piece);
		[length - off.reduce((a, b) => a + b, 0), ...off].forEach((time, at) => { own(row)[["running", ...STATES][at]] += length ? time * (piece.to - piece.from) / length : 0; });
	}
	return sums;
}

/** The rows of the table, once they are of what is chosen. */
export async function cutRows(page, change) {
	await rowsOf(page, "table", change);
	await page.locator(".table-view:not([aria-busy])").waitFor();
	return rowsOf(page, "table", change);
}

/** Tables of what is selected, row by row those of the reader's slices. */
async function tableTests(browser, made, cases, shares) {
	const { file, data: { recording: { duration: [duration] } } } = made;

	for (const [by, kind, index, where] of cases)
		for (const window of windowsOf(duration, shares, made.seed + 4))
			await test(`chosen: ${by}s of ${made.name} are of ${where}, from ${window[0]} to ${window[1]} ns, as the reader's slices are`, () => visit(browser, file, async (page) => {
				const { of } = TABLES[by];
				const key = (row) => `${TABLES[by].key(row)} ${row.process ?? ""}`;
				const all = csv(made, "timeline", [0, duration], [where]);
				const processOf = Object.fromEntries(csv(made, "threads", [0, duration]).map((row) =>
					[`${row.name} ${row.tid}`, made.processes > 1 ? row.process_name : ""]));
				const want = sumsOf(all, window, of, processOf, duration);
				const rows = await cutRows(page, { by, within: -1, from: window[0], to: window[1], selected: { kind, index } });
				let [compared, none] = [0, 0];

				for (const row of rows) {
					const own = want[key(row)] ?? {};

					for (const name of ["slices", "cycles", "instructions", "running", ...STATES].filter((name) => row[name] !== "n/a" && name in row)) {
						const near = row[`${name} (standing)`] !== "counted" ? all.length : 0;

						assert.ok(Math.abs(row[name] - (own[name] ?? 0)) <= near, `${key(row)}: ${name} is ${row[name]}, not ${own[name]}`);
						compared += +(own[name] > 0);
						none += +!own[name];
					}
				}
				assert.ok(Object.keys(want).every((name) => rows.some((row) => key(row) === name)), "each has its row");
				assert.ok(compared >= 3 && none, `${compared} figures, ${none} zeros of ${rows.length} rows`);
			}, { hash: "#view=table" }));
}

function make({ generator, reader, out }, name, scenario, seed) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `chosen-${name}.${end}`));

	execFileSync(generator, [recording, String(scenario)]);
	spawnSync(reader, ["-o", file, recording], { stdio: "ignore" });
	const data = dataOf(file);

	return { reader, recording, file, data, name, seed, processes: data.processes.rows, out };
}

/** So long are the times, as shares, of which tables are looked at. */
const TABLE_SHARES = [1, 0.1];

/** By table: what is selected, which ran in each of these times, and how the reader is asked for it. */
function casesOf({ data: { threads, labels, coroutines, timeline: t, recording }, seed }) {
	const [, [from, to]] = windowsOf(recording.duration[0], TABLE_SHARES, seed + 4);
	const row = t.begin.findIndex((begin, at) => begin >= from && begin + t.duration[at] < to && t.coroutine[at] >= 0 && labels.name[t.label[at]] !== "event loop" && t.slices[at]);
	const [name, coroutine] = [labels.name[t.label[row]], t.coroutine[row]];
	const thread = ["thread", t.thread[row], `thread=${threads.name[t.thread[row]]} ${threads.tid[t.thread[row]]}`];
	const label = ["label", t.label[row], `label=${name}`];

	return [["label", ...thread], ["coroutine", ...thread], ["coroutine", ...label], ["thread", ...label],
		["thread", "coroutine", coroutine, `coroutine=${name} #${coroutines.id[coroutine]}`]];
}

/** Of sums the page knows the thread and the label, not the coroutine. */
async function mergedTableTests(browser, made) {
	const whole = async (page, change, says) => {
		await page.evaluate((change) => window.coroprof.store.set({ within: -1, view: "table", ...change }), change);
		await settle(page);
		assert.equal(await notes(page), says);
	};
	const why = "of some slices the page has sums only, which do not name the coroutine";
	const [byLabel, , , byThread] = casesOf(made);

	await tableTests(browser, made, [byLabel, byThread], [1]);
	await test("chosen: tables that sums tell nothing of stay whole, and say why", () => visit(browser, made.file, async (page) => {
		await whole(page, { by: "coroutine", selected: { kind: "thread", index: 0 } }, `coroutines are of all threads: ${why}`);
		const slices = (await rowsOf(page, "table", { by: "coroutine", selected: { kind: "thread", index: 0 } })).reduce((sum, row) => sum + Number(row.slices), 0);

		assert.equal(slices, made.data.coroutines.slices.reduce((a, b) => a + b, 0));
		await whole(page, { by: "thread", selected: { kind: "coroutine", index: 9 } }, `threads are of all coroutines: ${why}`);
		await whole(page, { by: "thread", from: 1000, selected: { kind: "coroutine", index: 9 } },
			`threads are of this time; threads are of all coroutines: ${why}; details are of the whole recording but for their first part`);
	}, { hash: "#view=table" }));
}

export async function chosenTests(browser, programs) {
	const server = make(programs, "server", "server", 7);

	await timeTests(browser, server);
	await whoTests(browser, server);
	for (const [scenario, seed] of [["processes", 3], ["lost", 5], [30000, 11]])
		await timeTests(browser, make(programs, String(scenario), scenario, seed));
	await mergedTests(browser, make(programs, "many", 600000, 13));
	await wayTests(browser, server);
	for (const [scenario, seed] of [["server", 7], ["processes", 3], ["lost", 5]]) {
		const made = make(programs, scenario, scenario, seed);

		await tableTests(browser, made, casesOf(made), TABLE_SHARES);
	}
	await mergedTableTests(browser, make(programs, "many", 600000, 13));
}
