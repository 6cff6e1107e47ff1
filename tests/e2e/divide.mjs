// SPDX-License-Identifier: GPL-2.0
/*
 * Slow slices of a label against the rest, as the page divides them: row by row they are what --slow of
 * the reader says of the same recording, label, figure, threshold and time. What the page can't know is n/a
 * or named, and the command that it offers instead is one that the reader takes.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { settle, state, visit } from "./browser.mjs";
import { tablesIn } from "./rows.mjs";
import { test } from "./tap.mjs";

const view = (page) => page.locator(".slow-view");
const plain = (text) => text.replace(/\u202f/g, " ");

async function dragged(page, from, to) {
	await page.mouse.move(...from);
	await page.mouse.down();
	await page.mouse.move(...to, { steps: 4 });
	await page.mouse.up();
	await settle(page);
}

function run(program, args, out) {
	return execFileSync(program, args, { cwd: out, stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 30 }).toString();
}

function seconds(ns) {
	return `${Math.floor(ns / 1e9)}.${String(ns % 1e9).padStart(9, "0")}`;
}

/* ------------------------------------------------------------------------
 * the reader's word, and the page's
 */

const keyOf = ({ of, name, label, figure }) => [of, name, label ?? "", figure].join(" | ");

/** Of each figure both sides, with their standings, and of the call tree all nodes by their path. */
function told({ slow_of: [of], slow, slow_tree: tree }) {
	const path = ({ of, name, parent }) => parent === null || parent === undefined || parent < 0 ? `${of}: ${name}` : `${path(tree[parent])} > ${name}`;
	const figures = slow.map((row) => [keyOf(row), row]);
	const nodes = tree.map((node) => [path(node), ["rest_own", "slow_own", "rest_total", "slow_total", "rest_slices", "slow_slices"].map((name) => node[name])]);

	return { of: ["above", "slow", "rest", "left_out"].map((name) => of[name]), figures: new Map(figures), nodes: new Map(nodes) };
}

function saidBy({ reader, out }, recording, { label, by, above, time }) {
	const part = time ? ["--from", seconds(time[0]), "--to", seconds(time[1])] : [];
	const tables = tablesIn(run(reader, [...part, "--slow", `${label}:by=${by},above=${above}`, "--format", "json", recording], out));

	return told(Object.fromEntries(Object.entries(tables).map(([name, { rows }]) => [name, rows])));
}

async function shownBy(page, { label, by, above, time }) {
	const tables = await page.evaluate(async ([label, slowBy, above, time]) => {
		const { store, profile } = window.coroprof;
		const [from, to] = time ?? [profile.since, profile.until];

		store.set({ view: "slow", selected: { kind: "label", index: profile.labels.name.indexOf(label) }, slowBy, above, from, to });
		await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
		const { made } = document.querySelector(".slow-view");
		const standings = profile.tables.standings;
		const rows = (table) => Array.from({ length: table.n }, (_, row) => Object.fromEntries(table.columns.flatMap((column) => {
			const { name, texts, words, refers } = column.is;
			const value = texts ? column.text[row] : words ? column.words(row) : !column.has(row) ? null : refers ? column.index[row] : column.figures[row];

			return [[name, value], [`${name}_standing`, standings[column.standing(row)].name]];
		})));

		return made && { slow_of: rows(made.of), slow: rows(made.figures), slow_tree: rows(made.tree), lacks: made.lacks };
	}, [label, by, above, time]);

	assert.ok(tables, await view(page).innerText());
	return { ...told(tables), lacks: tables.lacks };
}

/** Of many the reader tells quantiles less than 1 % off, and the page has each. */
function isQuantile(key) {
	return /\| (ready_)?p\d+(_\d)?$/.test(key);
}

function same(said, shown, key) {
	for (const side of ["rest", "slow"]) {
		const [one, other] = [said[side] ?? null, shown[side]];
		const standing = said[`${side}_standing`] ?? "counted";
		const near = isQuantile(key) && ["near", "scaled"].includes(standing);

		if (!near)
			assert.equal(shown[`${side}_standing`], standing, `${key}, ${side}: how sure it is`);
		assert.ok(one === other || Math.abs(one - other) <= (near ? 0.01 : 1e-8) * Math.abs(one), `${key}, ${side}: ${other}, the reader says ${one}`);
	}
	if (!isQuantile(key))
		assert.ok(said.change === shown.change || Math.abs(said.change - shown.change) <= 1e-7 * Math.max(1, Math.abs(said.change)), `${key}: ${shown.change}, the reader says ${said.change}`);
	assert.equal(shown.verdict, said.verdict ?? "n/a", `${key}: verdict`);
}

/** All rows of the reader are there but those that @lacks says, and no others. Returns how many were compared. */
function compare(said, shown, lacks = () => false) {
	assert.deepEqual(shown.of, said.of, "threshold, slow, rest, on neither side");
	assert.deepEqual([...shown.figures.keys()].filter((key) => !said.figures.has(key)), [], "figures that the reader has not");
	for (const [key, row] of said.figures)
		if (lacks(key))
			assert.ok(!shown.figures.has(key) || shown.figures.get(key).rest === null, `${key} is not n/a`);
		else
			same(row, shown.figures.get(key) ?? assert.fail(`${key} is not there`), key);
	return said.figures.size;
}

/* ------------------------------------------------------------------------
 * tests
 */

function make({ reader, out }, generator, name, scenario) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `divide-${name}.${end}`));

	execFileSync(generator, [recording, scenario]);
	run(reader, ["-o", file, recording], out);
	return { recording, file };
}

async function serverTests(browser, programs, { recording, file }) {
	const time = [142838231, 290437737];

	await test("divide: by time, waits and counters, of all and of a part of the time, all rows are those of the reader", () => visit(browser, file, async (page) => {
		for (const asked of [{ by: "held", above: "p95" }, { by: "ready", above: "p99" }, { by: "suspended", above: "p75" }, { by: "cache-misses", above: "p90" },
			{ by: "preempted", above: "1us" }, { by: "running", above: "p99", time }, { by: "awaiting", above: "p50", time }]) {
			const all = { label: "query_database", ...asked };
			const shown = await shownBy(page, all);

			assert.ok(compare(saidBy(programs, recording, all), shown) > 30);
			assert.deepEqual(shown.lacks, []);
			assert.ok([...shown.figures.keys()].some((key) => key.startsWith("holder")) && [...shown.figures.keys()].some((key) => key.startsWith("waker")));
		}
	}));
}

async function callsTests(browser, programs, slow, spans) {
	/* The page has of spans their times one by one, and instructions of no slice were counted all of the time. */
	const lacks = (key) => /^span .*(cycles|instructions)/.test(key) || /\| (instructions\/slice|ipc)$/.test(key);

	await test("divide: functions and spans of slow slices are those of the reader, as are both call trees", () => visit(browser, slow.file, async (page) => {
		const asked = { label: "odd", by: "cycles", above: "p75" };
		const [said, shown] = [saidBy(programs, slow.recording, asked), await shownBy(page, asked)];

		compare(said, shown, lacks);
		assert.deepEqual([...shown.nodes].sort(), [...said.nodes].sort());
		assert.ok([...said.nodes.keys()].some((path) => path.startsWith("samples")) && [...said.nodes.keys()].some((path) => path.startsWith("spans")));
		assert.deepEqual(shown.lacks, ["counters of spans: the page has the times of each only"]);
	}));
	await test("divide: what is not known of each slice is n/a, and a tip says why", () => visit(browser, slow.file, async (page) => {
		await shownBy(page, { label: "odd", by: "cycles", above: "p75" });
		const row = view(page).locator("tr", { hasText: "instructions/slice" });

		assert.deepEqual((await row.locator("td.number").allInnerTexts()).filter((text) => text !== "n/a"), []);
		await row.hover();
		assert.match(await page.locator(".tip").innerText(), /has not what each slice has of it/);
	}));
	await test("divide: spans that go on from slice to slice are on the side of the slice they ended in, of all and of a part of the time", () => visit(browser, spans.file, async (page) => {
		for (const time of [null, [599985, 1219971]]) {
			const asked = { label: "odd", by: "running", above: "p50", time };
			const [said, shown] = [saidBy(programs, spans.recording, asked), await shownBy(page, asked)];

			compare(said, shown, (key) => /^span .*(cycles|instructions)/.test(key));
			assert.deepEqual([...shown.nodes].sort(), [...said.nodes].sort());
		}
	}));
}

async function lostTests(browser, programs, { recording, file }) {
	await test("divide: where slices were lost, figures are marked as the reader's, and what follows from gaps is n/a", () => visit(browser, file, async (page) => {
		const asked = { label: "handle_request", by: "held", above: "p95" };
		const [said, shown] = [saidBy(programs, recording, asked), await shownBy(page, asked)];

		compare(said, shown, (key) => /^(waker|holder)|\/gap$|ready_p99$/.test(key));
		assert.match(shown.lacks.join("; "), /^who woke them: .*; who held their threads while they were ready: /);
		assert.match(plain(await view(page).locator(".slow-of").innerText()), /: >=\d+ slices \(~[\d.]+ %\) .* against >=[\d,]+ others; >=\d+ of which/);
	}));
	await test("divide: what the gaps before slices do not tell is not divided: the command is there", () => visit(browser, file, async (page) => {
		await page.evaluate(() => window.coroprof.store.set({ slowBy: "ready" }));
		await settle(page);
		assert.match(await view(page).innerText(), /Not shown here: slices of some of these coroutines may be missing[\s\S]*by=ready,above=p95/);
	}, { hash: "#view=slow" }));
}

async function chooseTests(browser, { recording, file }) {
	const slice = (page) => page.locator("canvas.plot").evaluate(({ drawn }) => drawn.ys);

	await test("divide: a drag up in the heat map tells those above its lower end from the rest", () => visit(browser, file, async (page) => {
		const box = await page.locator("canvas.plot").boundingBox();
		const ys = await slice(page);
		const [x, low, high] = [box.x + 500, box.y + 0.45 * box.height, box.y + 50];

		await page.mouse.move(x, high);
		await page.mouse.down();
		await page.mouse.move(x + 20, low, { steps: 4 });
		const tip = plain(await page.locator(".tip").innerText());

		await page.mouse.up();
		await settle(page);
		const { view: shown, slowBy, above, selected, from, to } = await state(page);
		const count = ys.filter((value) => value > Number.parseInt(above, 10)).length;

		assert.deepEqual([shown, slowBy, selected], ["slow", "held", { kind: "label", index: await page.evaluate(() => window.coroprof.profile.labels.name.indexOf("render_template")) }]);
		assert.match(above, /^\d+ns$/);
		assert.ok(count > 10 && count < ys.length, `${count} are above`);
		assert.ok(tip.includes(count.toLocaleString("en-US")), `${tip}: ${count}`);
		assert.deepEqual([from, to], await page.evaluate(() => [window.coroprof.profile.since, window.coroprof.profile.until]), "the time in view stays");
		const slow = await view(page).evaluate(({ made }) => made.of.column("slow").figures[0]);

		assert.equal(slow, count, "slow slices of the label that is selected");
		await page.waitForFunction(() => /above=\d+ns/.test(location.hash));
	}, { hash: "#view=slices&label=render_template" }));
	await test("divide: a drag along the heat map has that time in view, as before", () => visit(browser, file, async (page) => {
		const box = await page.locator("canvas.plot").boundingBox();

		await dragged(page, [box.x + 400, box.y + 100], [box.x + 600, box.y + 140]);
		const { view: shown, from } = await state(page);

		assert.equal(shown, "slices");
		assert.ok(from > 0);
	}, { hash: "#view=slices" }));
	await test("divide: waits that are dragged over divide the slices after them; of no label, of that which has most of them", () => visit(browser, file, async (page) => {
		const box = await page.locator("canvas.plot").boundingBox();

		await dragged(page, [box.x + 500, box.y + 60], [box.x + 500, box.y + 0.4 * box.height]);
		const { slowBy, selected } = await state(page);

		assert.equal(slowBy, "ready");
		assert.equal(selected.kind, "label");
		assert.match(plain(await view(page).locator(".slow-of").innerText()), /slices \([\d.]+ %\) with more than .* ready \(\d+ns\)/);
	}, { hash: "#view=slices&points=waits&y=ready" }));
	await test("divide: lives that are dragged over are for the reader to compare: the command is there", () => visit(browser, file, async (page) => {
		const box = await page.locator("canvas.plot").boundingBox();

		await dragged(page, [box.x + 500, box.y + 60], [box.x + 500, box.y + 0.4 * box.height]);
		assert.match(await view(page).innerText(), /Not shown here: whether lives differ[\s\S]*of=lives,by=lifetime,above=\d+ns/);
	}, { hash: "#view=slices&points=lives&y=lifetime" }));
	await test("divide: a drag over a distribution of running times tells those above its lower end from the rest", () => visit(browser, file, async (page) => {
		const bars = page.locator(".details .histogram");

		await bars.scrollIntoViewIfNeeded();
		const counts = await bars.locator(".bar-count").evaluateAll((all) => all.map((bar) => [Number(bar.getAttribute("x")), Number(bar.dataset.count)]));
		const box = await bars.boundingBox();

		await dragged(page, [box.x + box.width * 0.95, box.y + 30], [box.x + box.width * 0.7, box.y + 32]);
		const { view: shown, slowBy, above } = await state(page);
		const slow = await view(page).evaluate(({ made }) => made.of.column("slow").figures[0]);
		const beyond = counts.filter(([x]) => x >= 0.7 * 320).reduce((sum, [, count]) => sum + count, 0);
		const bar = Math.max(...counts.map(([, count]) => count));

		assert.deepEqual([shown, slowBy], ["slow", "running"]);
		assert.match(above, /^\d+ns$/);
		/* Less than the bar that the drag ended in. */
		assert.ok(slow >= beyond && slow - beyond <= bar, `${slow} slices, bars beyond have ${beyond}`);
	}, { hash: "#view=table&label=query_database" }));
	await test("divide: the slider goes from quantile to quantile by keys, and its own distribution can be dragged", () => visit(browser, file, async (page) => {
		const slider = view(page).getByLabel("Threshold");

		await slider.focus();
		await page.keyboard.press("ArrowRight");
		await settle(page);
		assert.equal((await state(page)).above, "p99");
		assert.match(plain(await view(page).locator("output").innerText()), /^p99: \d+/);
		assert.match(plain(await view(page).locator(".slow-of").innerText()), /^Of render_template: \d+ slices \((0\.\d|1\.0) %\)/);
		const box = await view(page).locator(".histogram").boundingBox();

		await dragged(page, [box.x + box.width * 0.95, box.y + 30], [box.x + box.width * 0.5, box.y + 32]);
		assert.match((await state(page)).above, /^\d+ns$/);
		assert.equal(await slider.inputValue(), "0", "less than half are below it");
	}, { hash: "#view=slow" }));
	await test("divide: an address has what was chosen, and the details of a label lead here", () => visit(browser, file, async (page) => {
		assert.match(plain(await view(page).locator(".slow-of").innerText()), /^Of write_log: .* with more than 1\.00 ms blocked \(1ms\)/);
		await page.locator(".details section", { hasText: "Slow against the rest" }).getByLabel("Threshold").selectOption("p99");
		await page.locator(".details").getByText("Show it here").click();
		await settle(page);
		assert.deepEqual([(await state(page)).slowBy, (await state(page)).above], ["held", "p99"]);
	}, { hash: "#view=slow&label=write_log&slowBy=blocked&above=1ms" }));
	await test("divide: where all are on one side, that is said", () => visit(browser, file, async (page) => {
		assert.match(plain(await view(page).innerText()), /0 slices have more than 10\.0 s of held, [\d,]+ have not, and of 0 it is not known/);
	}, { hash: "#view=slow&above=10s" }));
}

async function sumsTests(browser, { reader, out }, { recording, file }) {
	await test("divide: of slices that are sums in the page there is the command, which the reader takes", async () => {
		let command;

		await visit(browser, file, async (page) => {
			assert.match(await view(page).innerText(), /Not shown here: of some slices of this time the page has sums only/);
			assert.equal(await view(page).locator("table").count(), 0);
			command = await view(page).locator("code").innerText();
		}, { hash: "#view=slow&label=query_database&above=100us" });
		assert.match(command, /^coroprof-read -o slow\.html --slow 'query_database:of=slices,by=held,above=100us' /);
		run(reader, [...command.split(" ").slice(1, 4), "query_database:of=slices,by=held,above=100us", recording], out);
	});
}

async function writtenTests(browser, { reader, out }, { recording }) {
	const file = join(out, "divide-written.html");

	run(reader, ["-o", file, "--slow", "odd:by=cycles,above=p80", recording], out);
	await test("divide: a page made by --slow shows that until another threshold is chosen, and has one tab for both", () => visit(browser, file, async (page) => {
		const said = () => view(page).locator(".slow-of").innerText().then(plain);

		assert.equal(await page.locator('[role="tab"]', { hasText: "Slow" }).count(), 1);
		assert.match(await said(), /^Of odd: 80 slices .* cycles \(p80\)/);
		const before = await view(page).locator("tbody").innerText();

		await page.evaluate(() => window.coroprof.store.set({ slowBy: "cycles", above: "p75", selected: { kind: "label", index: window.coroprof.profile.labels.name.indexOf("odd") } }));
		await settle(page);
		assert.match(await said(), /^Of odd: 80 slices .* cycles \(p75\)/);
		const rows = (text) => plain(text).split("\n").filter((row) => !/cycles\/call|instructions|ipc|\tp\d/.test(row)).sort();

		assert.deepEqual(rows(await view(page).locator("tbody").innerText()), rows(before), "the same, but for what the page has not, and quantiles, which are exact here");
	}));
}

async function lookTests(browser, { out }, { file }) {
	for (const [name, scheme, width] of [["light", "light", 1400], ["dark", "dark", 1000], ["narrow", "light", 800]])
		await test(`look: slow against the rest, divided by the page, ${name}`, () => visit(browser, file, async (page) => {
			await page.screenshot({ path: join(out, `divide-${name}.png`) });
			const past = await page.locator("html").evaluate((element) => element.scrollWidth - element.clientWidth);

			assert.ok(past <= 0, `the page is ${past} wider than there is room`);
		}, { scheme, size: { width, height: 900 }, hash: "#view=slow&label=query_database" }));
}

export async function divideTests(browser, { generator, callsGenerator, reader, out }) {
	const programs = { reader, out };
	const server = make(programs, generator, "server", "server");
	const calls = make(programs, callsGenerator, "calls", "slow");

	await serverTests(browser, programs, server);
	await callsTests(browser, programs, calls, make(programs, callsGenerator, "spans", "spans"));
	await lostTests(browser, programs, make(programs, generator, "lost", "lost"));
	await chooseTests(browser, server);
	await sumsTests(browser, programs, make(programs, generator, "sums", "400000"));
	await writtenTests(browser, programs, calls);
	await lookTests(browser, programs, server);
}
