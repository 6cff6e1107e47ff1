// SPDX-License-Identifier: GPL-2.0
/*
 * Spans of what is chosen: figure by figure those of the reader's tables of that time and tag,
 * and of a thread those of the single spans that ended on it.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { settle, visit } from "./browser.mjs";
import { csv, isShown, notes, rowsOf, SHARES, TITLES, windowsOf } from "./chosen.mjs";
import { dataOf } from "./tables.mjs";
import { test } from "./tap.mjs";

const FIGURES = ["calls", "outermost", "own_running", "running", "own_wall", "wall"];
const MOST = { own_running: "own running", running: "total running", own_wall: "own wall", wall: "total wall" };
/** Lengths are one by one in the reader as long as they are fewer. */
const FEW = 128;

/** Rows of the page's table of spans are these of the reader, figure by figure. */
function same(rows, want, nameOf, said) {
	const there = want.filter(({ calls }) => Number(calls) > 0);

	assert.deepEqual(rows.map(({ span }) => span).sort(), there.map(nameOf).sort(), said);
	for (const row of rows) {
		const wanted = there.find((of) => nameOf(of) === row.span);

		for (const name of FIGURES) {
			const title = MOST[name] ?? name;

			/* Where none is within itself, these are all calls. */
			if (!(name === "outermost" && !(title in row)))
				assert.equal(Number(row[title]), Number(wanted[name]), `${said}: ${name} of ${row.span}`);
			if (`${name}_standing` in wanted)
				assert.equal(row[`${title} (standing)`], wanted[`${name}_standing`], `${said}: standing of ${name} of ${row.span}`);
		}
		for (const name of Object.keys(row).filter((title) => /cycles|instructions/.test(title)))
			assert.equal(row[name], "n/a", `${said}: ${name}`);
	}
	return rows.length;
}

function sameQuantiles(rows, want, said) {
	for (const row of rows) {
		const wanted = want.find(({ name }) => name === row.span);

		for (const name of ["p50", "p99", "longest"])
			if (!["near", "scaled"].includes(wanted[`${name}_standing`]))
				assert.equal(Number(row[TITLES[name]]), Number(wanted[name]), `${said}: ${name} of ${row.span}`);
			else
				assert.ok(Math.abs(row[TITLES[name]] / wanted[name] - 1) < 0.016, `${said}: ${name} of ${row.span}`);
	}
}

async function timeTests(browser, made, spans) {
	const { file, data } = made;

	for (const [from, to] of windowsOf(data.recording.duration[0], [0.5, 0.1, 0.01, 0.001, 0.9], 17))
		await test(`spans: from ${from} to ${to} ns they are those of --from and --to`, () => visit(browser, file, async (page) => {
			const want = csv(made, "spans", [from, to]);
			const ofLabels = csv(made, "label_spans", [from, to]);
			const rows = await rowsOf(page, "spans", { from, to });

			assert.ok(same(rows, want, ({ name }) => name, "all") > 0);
			sameQuantiles(rows, want, "all");
			for (const label of ["even", "odd"]) {
				const index = data.labels.name.indexOf(label);

				same(await rowsOf(page, "spans", { from, to, selected: { kind: "label", index } }),
					ofLabels.filter(({ label_name }) => label_name === label), ({ span_name }) => span_name, label);
			}
			assert.equal(await notes(page), "details are of the whole recording but for their first part");
			await aroundTests(page, made, [from, to], want);
			await latencyOf(page, made, [from, to], spans);
		}, { hash: "#view=spans" }));
}

/** What called a span, and what it has called, in the details: sums over the reader's tree. */
async function aroundTests(page, made, [from, to], spans) {
	const tree = csv(made, "span_tree", [from, to]);
	const within = (row, name) => row && (row.span_name === name || within(tree[row.parent], name));

	for (const { name } of spans.filter(({ calls }) => Number(calls))) {
		await page.evaluate(([name, from, to]) => window.coroprof.store.set({ view: "spans", of: name, from, to, selected: null, weight: "wall" }), [name, from, to]);
		await settle(page);
		const said = await page.locator(".details section").evaluateAll((all) => Object.fromEntries(all.map((section) => [section.querySelector("h3")?.innerText,
			Object.fromEntries([...section.querySelectorAll("tbody tr")].map((row) => [row.querySelector("th").innerText, row.querySelector("td")?.innerText]))])));
		const callers = {};

		for (const row of tree) {
			const above = tree[row.parent];

			if (row.span_name === name && !within(above, name))
				callers[!above ? "(outermost)" : above.span_name || "(spans not seen to end)"] = (callers[!above ? "(outermost)" : above.span_name || "(spans not seen to end)"] ?? 0) + Number(row.wall);
		}
		assert.deepEqual(Object.keys(said.Callers).sort(), Object.keys(callers).sort(), name);
		for (const [of, wall] of Object.entries(callers))
			assert.ok(isShown(said.Callers[of].replace(/^\D+/, ""), wall), `${name} in ${of}: ${said.Callers[of]} ${wall}`);
	}
	await page.evaluate(() => window.coroprof.store.set({ of: "" }));
}

/** Percentiles of calls, in the view of latency. */
async function latencyOf(page, made, [from, to], spans, { selected = null, test = () => true } = {}) {
	const rows = await rowsOf(page, "latency", { what: "span", from, to, selected });
	const lengths = {};

	for (const { span_name, wall } of spans.filter((span) => Number(span.end) >= from && Number(span.end) < to && test(span)))
		(lengths[span_name] ??= []).push(Number(wall));
	assert.deepEqual(rows.map((row) => row["label or span"]).sort(), Object.keys(lengths).sort());
	for (const row of rows) {
		const of = lengths[row["label or span"]].sort((a, b) => a - b);

		assert.equal(Number(row.times), of.length);
		for (const [name, share] of Object.entries(SHARES))
			assert.equal(Number(row[TITLES[name]]), of[Math.max(0, Math.ceil(share * of.length - 1e-9) - 1)], `${row["label or span"]}: ${name}`);
	}
	if (!selected) {
		const want = csv(made, "latency", [from, to]).filter(({ what }) => what === "span");

		assert.deepEqual(rows.map((row) => [row["label or span"], row.times]).sort(), want.map(({ span_name, times }) => [span_name, times]).sort());
		for (const { span_name, times, p99 } of want.filter(({ times }) => Number(times) <= FEW))
			assert.equal(rows.find((row) => row["label or span"] === span_name)["99 % below"], p99, `${span_name}, ${times} times`);
	}
	return rows.length;
}

/** Calls of single spans, with those in them: a call has its coroutine's spans that are deeper and ended in it. */
function sums(spans, test) {
	const found = {};

	for (const span of spans.filter(test)) {
		const inside = spans.filter((other) => other.coroutine === span.coroutine && Number(other.depth) === Number(span.depth) + 1 &&
			Number(other.end) <= Number(span.end) && other.end - other.wall >= span.end - span.wall);
		const around = spans.filter((other) => other.coroutine === span.coroutine && Number(other.depth) < Number(span.depth) &&
			Number(other.end) >= Number(span.end) && other.end - other.wall <= span.end - span.wall);
		const to = found[span.span_name] ??= { name: span.span_name, ...Object.fromEntries(FIGURES.map((name) => [name, 0])) };
		const sum = (of, name) => of.reduce((all, each) => all + Number(each[name]), 0);

		to.calls++;
		to.own_wall += span.wall - sum(inside, "wall");
		to.own_running += span.running - sum(inside, "running");
		if (around.some(({ span_name }) => span_name === span.span_name))
			continue;
		to.outermost++;
		to.wall += Number(span.wall);
		to.running += Number(span.running);
	}
	return Object.values(found);
}

async function whoTests(browser, made, spans) {
	const { file, data } = made;
	const [[from, to]] = windowsOf(data.recording.duration[0], [0.05], 23);
	const inTime = spans.filter(({ end }) => Number(end) >= from && Number(end) < to);

	await test("spans: of a coroutine they are those of its tag, of all the time and of a part", () => visit(browser, file, async (page) => {
		const index = data.coroutines.tag.findIndex((tag) => Number(tag) === 3);
		const selected = { kind: "coroutine", index };

		/* The reader knows the tag of a coroutine that begins in the part. */
		for (const window of [[0, data.recording.duration[0]], [0, to], [from, to]]) {
			const want = window[0] ? sums(inTime, ({ coroutine }) => Number(coroutine) === index) : csv(made, "spans", window, ["tag=3"]);

			same(await rowsOf(page, "spans", { from: window[0], to: window[1], selected }), want, ({ name }) => name, `from ${window[0]}`);
			await latencyOf(page, made, window, spans, { selected, test: ({ coroutine }) => Number(coroutine) === index });
		}
	}, { hash: "#view=spans" }));
	await test("spans: of a thread they are those that ended on it", () => visit(browser, file, async (page) => {
		for (const index of [0, 1]) {
			const test = ({ thread }) => Number(thread) === index;
			const selected = { kind: "thread", index };
			const rows = await rowsOf(page, "spans", { from, to, selected });

			assert.ok(inTime.some(test));
			assert.equal(same(rows, sums(inTime, test), ({ name }) => name, `thread ${index}`), 3);
			assert.equal(await latencyOf(page, made, [from, to], spans, { selected, test }), 3);
		}
	}, { hash: "#view=spans" }));
	await test("spans: percentiles of a label's are of spans in its coroutines", () => visit(browser, file, async (page) => {
		const label = data.labels.name.indexOf("odd");

		await latencyOf(page, made, [from, to], spans, { selected: { kind: "label", index: label },
			test: ({ coroutine }) => data.coroutines.label[coroutine] === label });
		assert.equal(await notes(page), "details are of the whole recording but for their first part");
	}, { hash: "#view=latency" }));
	await test("spans: counters of a part are n/a, and say why; columns say what they are of", () => visit(browser, file, async (page) => {
		await rowsOf(page, "spans", { from, to });
		const cell = (key) => page.locator(`.spans-view .grid-row[data-at="0"] [data-column="${key}"]`);

		await cell("own_cycles").hover();
		assert.match(await page.locator(".tip").innerText(), /n\/a[^]*no counts of single spans/);
		await cell("calls").hover();
		assert.match(await page.locator(".tip").innerText(), /ended in what is chosen, all of each, even if it began before/);
		assert.equal(await page.locator(".spans-view select[aria-label=Weight] option:disabled").count(), 2);
		await page.evaluate(() => window.coroprof.store.set({ from: 1, to: 2 }));
		await settle(page);
		assert.match(await page.locator(".spans-view > .grid-empty").innerText(), /No span fits what is chosen/);
		assert.equal(await page.locator(".spans-view .grid .grid-empty").innerText(), "There is none in what is chosen.");
	}, { hash: "#view=spans" }));
}

/** Pages that do not have all of them. */
async function lackTests(browser, { generator, callsGenerator, reader, out }, file) {
	const [lostRecording, lostFile] = ["cprof", "html"].map((end) => join(out, `spans-lost.${end}`));

	execFileSync(callsGenerator, [lostRecording, "lost"]);
	execFileSync(reader, ["-q", "-o", lostFile, lostRecording], { stdio: "ignore" });
	await test("spans: where some were lost, the graph and the table stay whole, and the note says why", () => visit(browser, lostFile, async (page) => {
		const before = await rowsOf(page, "spans", {});

		assert.deepEqual(await rowsOf(page, "spans", { from: 1e6, to: 2e6 }), before);
		assert.match(await notes(page), /spans are of the whole recording: spans were lost, and it is not known in which others they were;/);
	}, { hash: "#view=spans" }));
	await test("spans: of those that the page has as sums only nothing is told, of others all", () => visit(browser, file, async (page) => {
		await page.evaluate(() => {
			const { profile } = window.coroprof.store;

			/* As if the calls of one had been too short, and there had been more of them. */
			profile.recording.timeline_spans_least = 64;
			profile.spans.spans.calls[0]++;
		});
		const before = await rowsOf(page, "spans", {});

		assert.deepEqual(await rowsOf(page, "spans", { from: 1e5, to: 3e5 }), before);
		assert.match(await notes(page), /spans are of the whole recording: of spans shorter than 64.ns the page has sums only/);
		const rows = await rowsOf(page, "latency", { what: "span", from: 1e5, to: 3e5 });

		assert.deepEqual(rows.map(({ times }) => times === "n/a").sort(), [false, false, true]);
	}, { hash: "#view=spans" }));
}

export async function spansTests(browser, programs) {
	const { callsGenerator, reader, out } = programs;
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `spans.${end}`));

	execFileSync(callsGenerator, [recording, "spans"]);
	execFileSync(reader, ["-q", "-o", file, recording], { stdio: "ignore" });
	const data = dataOf(file);
	const made = { reader, recording, file, data };
	const spans = csv(made, "timeline_spans", [0, data.recording.duration[0]]);

	await timeTests(browser, made, spans);
	await whoTests(browser, made, spans);
	await lackTests(browser, programs, file);
	for (const [scheme, width] of [["light", 1400], ["dark", 800]])
		await test(`spans: pictures, ${scheme}, ${width} pixels wide`, () => visit(browser, file, async (page) => {
			await page.evaluate(() => window.coroprof.store.select("thread", 1));
			await settle(page);
			await page.screenshot({ path: join(out, `spans-${scheme}-${width}.png`) });
			assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "no wider than the window");
		}, { scheme, size: { width, height: 900 }, hash: "#view=spans&time=500000-900000" }));
}
