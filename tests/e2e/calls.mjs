// SPDX-License-Identifier: GPL-2.0
/* Samples and spans: flame graphs, their tables, and what the header says of them. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { choose, colours, column, settle, showFacts, state, taken, visit } from "./browser.mjs";
import { page as pageOf } from "./fixture.mjs";
import { test } from "./tap.mjs";

export const ROW = 19;
export const whole = new Intl.NumberFormat("en-US");
export const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** Each node's figure and those of all below it. */
export function sumUp({ parent }, own) {
	const total = [...own];

	for (let node = own.length - 1; node >= 0; node--)
		if (parent[node] >= 0)
			total[parent[node]] += total[node];
	return total;
}

/** Sum over the nodes that @test, those below another one not again. */
export function outermost({ parent }, total, test) {
	const inside = [];

	return sum(total.map((value, node) => {
		const above = parent[node] >= 0 && inside[parent[node]];

		inside[node] = above || test(node);
		return inside[node] && !above ? value : 0;
	}));
}

export const plain = (text) => text.replace(/\s/gu, " ");

export function percent(share) {
	return `${(share * 100).toFixed(1)} %`;
}

export const view = (page, id) => page.locator(`.${id}-view`);
export const flame = (page, id) => page.locator(`.${id}-view canvas`);

async function zoom(page, id) {
	return Number(await flame(page, id).getAttribute("data-zoom"));
}

export async function press(page, ...keys) {
	for (const key of keys)
		await page.keyboard.press(key);
	await settle(page);
}

export async function tipAt(page, id, x, row) {
	await flame(page, id).hover({ position: { x, y: row * ROW + 8 } });
	return plain(await page.locator(".tip").innerText());
}

async function sampleTests(browser, file, data) {
	const { samples } = data;
	const { tree, frames, by_label: byLabel } = samples;
	const total = sumUp(tree, tree.own);
	const visitSamples = (use) => visit(browser, file, use, { hash: "#view=samples" });

	await test("samples: weights are exact numbers of samples", () => visitSamples(async (page) => {
		assert.ok(await colours(page, ".samples-view canvas") > 12);
		const tip = await tipAt(page, "samples", 30, 0);

		assert.ok(tip.includes(`samples ${whole.format(samples.kept)}`), tip);
		const labels = data.labels.name.map((_, label) => sum(tree.own.filter((_, node) => tree.label[node] === label)));
		const first = labels.indexOf(Math.max(...labels));
		const label = await tipAt(page, "samples", 5, 1);

		assert.ok(label.startsWith(data.labels.name[first]), label);
		assert.ok(label.includes(`samples ${whole.format(labels[first])}`), label);
		assert.ok(label.includes(`share of all ${percent(labels[first] / samples.kept)}`), label);
	}));

	await test("samples: the table has own and total of each function", () => visitSamples(async (page) => {
		const order = [...frames.name.keys()].sort((a, b) => frames.own[b] - frames.own[a] || a - b);

		assert.equal(await view(page, "samples").locator(".grid").getAttribute("aria-rowcount"), String(frames.n + 1));
		const names = await view(page, "samples").locator('.grid-body [data-column="name"]').evaluateAll((cells) =>
			cells.map((cell) => cell.getAttribute("aria-label") ?? cell.innerText));

		assert.deepEqual(names, order.map((at) => frames.name[at]).slice(0, names.length));
		await view(page, "samples").locator('[data-at="0"] [data-column="total"]').hover();
		assert.ok((await page.locator(".tip").innerText()).includes(whole.format(frames.total[order[0]])));
	}));

	await test("samples: of one label, chosen in the menu or by a click", () => visitSamples(async (page) => {
		const rows = byLabel.label.filter((label) => label === 3).length;
		const count = () => view(page, "samples").locator(".grid").getAttribute("aria-rowcount").then((text) => Number(text) - 1);

		await page.getByLabel("Coroutines", { exact: true }).and(page.locator(".samples-view select")).selectOption("3");
		await settle(page);
		assert.deepEqual((await state(page)).selected, { kind: "label", index: 3 });
		assert.equal(await count(), rows);
		assert.ok((await tipAt(page, "samples", 5, 1)).startsWith(data.labels.name[3]));
		await flame(page, "samples").click({ position: { x: 200, y: 8 } });
		await settle(page);
		assert.equal((await state(page)).selected, null);
		assert.equal(await count(), frames.n);
		await flame(page, "samples").click({ position: { x: 5, y: ROW + 8 } });
		await settle(page);
		assert.equal((await state(page)).selected.kind, "label");
		assert.notEqual(await zoom(page, "samples"), 0);
	}));

	await test("samples: what is found is counted once, however deep it is in itself", () => visitSamples(async (page) => {
		await view(page, "samples").locator(".filter").fill("memcpy");
		await settle(page);
		const share = outermost(tree, total, (node) => frames.name[tree.frame[node]] === "memcpy") / samples.kept;

		assert.equal(plain(await view(page, "samples").locator(".found").innerText()), `found: ${percent(share)}`);
		assert.deepEqual(await column(page, "own_share").then((cells) => cells.length), 1);
		await page.waitForFunction(() => location.hash.includes("find=memcpy"));
		await flame(page, "samples").focus();
		await press(page, "n");
		assert.match(await view(page, "samples").locator(".lanes-scroller [role=status]").innerText(), /^memcpy: samples/);
		await view(page, "samples").locator(".filter").fill("no such function");
		await settle(page);
		assert.equal(await view(page, "samples").locator(".found").innerText(), "nothing found");
	}));

	await test("samples: keys move, zoom, and go back", () => visitSamples(async (page) => {
		const said = () => view(page, "samples").locator(".lanes-scroller [role=status]").innerText();

		await flame(page, "samples").focus();
		await press(page, "ArrowDown");
		const first = await said();

		await press(page, "ArrowRight");
		assert.notEqual(await said(), first);
		await press(page, "ArrowLeft");
		assert.equal(await said(), first);
		await press(page, "ArrowDown", "ArrowDown", "Enter");
		const deep = await zoom(page, "samples");

		assert.ok(deep > data.labels.n, `${deep}`);
		await press(page, "Escape");
		assert.ok(await zoom(page, "samples") < deep && await zoom(page, "samples") > 0);
		await press(page, "Home");
		assert.equal(await zoom(page, "samples"), 0);
	}));
}

async function spanTests(browser, file, data) {
	const { table, tree, by_label: byLabel } = data.spans;
	const visitSpans = (use) => visit(browser, file, use, { hash: "#view=spans" });
	const cell = (page, at, key) => view(page, "spans").locator(`.grid-row[data-at="${at}"] [data-column="${key}"]`).innerText().then(plain);
	const order = [...table.name.keys()].sort((a, b) => table.own_running[b] - table.own_running[a] || a - b);
	const [top] = order;

	await test("spans: the table has calls, own and total, and marks what is no exact figure", () => visitSpans(async (page) => {
		assert.equal(await cell(page, 0, "name"), table.name[top]);
		for (const [key, column] of [["calls", table.calls], ["outermost", table.outermost]])
			assert.equal(await cell(page, 0, key), whole.format(column[top]));
		assert.equal(await cell(page, 0, "running"), `${(table.running[top] / 1e6).toPrecision(3)} ms`);
		assert.equal(await cell(page, 0, "own_running"), `<=${(table.own_running[top] / 1e6).toPrecision(3)} ms`);
		assert.equal(await cell(page, 0, "own_cycles"), `<=${(3 * table.own_running[top] / 1e6).toPrecision(3)} M`);
		assert.equal(await cell(page, 0, "cache-misses"), `~${(6 * table.running[top] / 1e6).toPrecision(3)} M`);
		assert.match(await cell(page, 0, "own_cache-misses"), /^<=~\d/);
		assert.equal(await cell(page, 0, "branch-misses"), "not scheduled");
		assert.equal(await cell(page, 0, "own_stalled-cycles-backend"), "unsupported");
		await view(page, "spans").locator('[data-at="0"] [data-column="own_running"]').hover();
		assert.match(await page.locator(".tip").innerText(), /figures that may have to be subtracted were lost/);
	}));

	await test("spans: per call, and as shares", () => visitSpans(async (page) => {
		await choose(page, "spans", "Per call");
		assert.equal(await cell(page, 0, "running").then((text) => /s$/.test(text)), true);
		const mean = order.map((at) => table.own_running[at] / table.calls[at]);

		assert.equal(await cell(page, 0, "own_running"), `<=${(Math.max(...mean) / 1e3).toPrecision(3)} us`);
		await choose(page, "spans", "Share");
		const all = sum(tree.running.filter((_, node) => tree.parent[node] < 0));

		assert.equal(await cell(page, 0, "own_running"), `<=${percent(table.own_running[top] / all)}`);
	}));

	await test("spans: in one label's coroutines no bound where none was lost", () => visitSpans(async (page) => {
		await page.evaluate(() => window.coroprof.store.select("label", 0));
		await settle(page);
		const rows = byLabel.label.filter((label) => label === 0).length;

		assert.equal(await view(page, "spans").locator(".grid").getAttribute("aria-rowcount"), String(rows + 1));
		assert.match(await cell(page, 0, "own_running"), /^\d/);
		await page.evaluate((label) => window.coroprof.store.select("label", label), data.labels.n - 1);
		await settle(page);
		assert.match(await cell(page, 0, "own_running"), /^<=\d/);
	}));

	await test("spans: the graph by each weight that there is", () => visitSpans(async (page) => {
		const weight = page.getByLabel("Weight", { exact: true }).and(page.locator(".spans-view select"));
		const options = await weight.locator("option").evaluateAll((all) => all.map(({ value, text, disabled }) => ({ value, text, disabled })));
		const tops = (of) => sum(of.filter((_, node) => tree.parent[node] < 0));

		assert.deepEqual(options.map(({ value }) => value), ["running", "wall", "off", "calls", "cycles", "instructions", "cache-misses", "branch-misses", "stalled-cycles-backend"]);
		assert.deepEqual(options.filter(({ disabled }) => disabled).map(({ text }) => text),
			["branch-misses (not scheduled)", "stalled-cycles-backend (unsupported)"]);
		const expected = {
			wall: `wall ${(tops(tree.wall) / 1e6).toFixed(0)} ms`,
			off: `not running ${((tops(tree.wall) - tops(tree.running)) / 1e6).toPrecision(3)} ms`,
			calls: `calls ${whole.format(sum(tree.calls))}`,
			cycles: `cycles ${(3 * tops(tree.running) / 1e6).toFixed(0)} M`,
			"cache-misses": `cache-misses ~`,
		};

		for (const [key, text] of Object.entries(expected)) {
			await weight.selectOption(key);
			await settle(page);
			assert.equal((await state(page)).weight, key);
			const tip = await tipAt(page, "spans", 30, 0);

			assert.ok(tip.includes(text), `${text} in ${tip}`);
		}
		const tip = await tipAt(page, "spans", 30, 0);

		assert.ok(tip.includes("branch-misses not scheduled") && tip.includes("stalled-cycles-backend unsupported"), tip);
	}));

	await test("spans: what is copied says what is a bound", () => visitSpans(async (page) => {
		await page.evaluate(() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; });
		await view(page, "spans").getByText("Copy TSV").click();
		const lines = (await page.evaluate(() => window.copied)).trim().split("\n").map((line) => line.split("\t"));

		assert.equal(lines[1][lines[0].indexOf("own running")], String(table.own_running[top]));
		assert.equal(lines[1][lines[0].indexOf("own running (standing)")], "at most");
		assert.equal(lines[1][lines[0].indexOf("own cycles (standing)")], "at most");
		assert.equal(lines[1][lines[0].indexOf("total branch-misses")], "not scheduled");
	}));
}

async function aroundTests(browser, file, data, without) {
	await test("samples, spans: a recording without them has nothing of them", () => visit(browser, without, async (page) => {
		assert.deepEqual(await page.locator(".tabs button:visible").allInnerTexts(), ["Overview", "Timeline", "Table", "Slices", "Slow"]);
		assert.equal(await page.locator(".calls-view, .flame").count(), 0);
		assert.doesNotMatch(await page.locator("body").innerText(), /samples|spans/);
		await page.evaluate(() => window.coroprof.store.set({ view: "spans" }));
		await settle(page);
		assert.ok(await page.locator("canvas.lanes").isVisible());
	}));

	await test("samples, spans: the header says how, how many, and what is missing", () => visit(browser, file, async (page) => {
		const item = async (name) => {
			await showFacts(page);
			await page.locator(":is(.items, #rest) > li", { hasText: new RegExp(`^${name}`) }).hover();
			return plain(await page.locator(".tip").innerText());
		};
		const samples = await item("samples");

		for (const part of ["cycles, one each 100,003", `recorded ${whole.format(data.samples.kept)}`, "lost 7", "throttled 2×", "up to 48"])
			assert.ok(samples.includes(part), `${part} in ${samples}`);
		const spans = await item("spans");

		for (const part of [`recorded ${whole.format(data.spans.calls)}`, "lost 3", "at least what was seen"])
			assert.ok(spans.includes(part), `${part} in ${spans}`);
		assert.match(await page.locator(".notice").allInnerTexts().then((all) => all.join("\n")), /7 samples lost[\s\S]*3 spans lost/);
	}));

	await test("modes: the header and the threads say how each switches, why, and what it costs", () => visit(browser, file, async (page) => {
		const item = async (name) => {
			await showFacts(page);
			await page.locator(":is(.items, #rest) > li", { hasText: new RegExp(`^${name}`) }).hover();
			return plain(await page.locator(".tip").innerText());
		};

		await showFacts(page);
		assert.match(await page.locator(".sure").innerText(), /switches\s+3 of 4 from user mode/);
		const modes = await item("switches");

		for (const part of ["1 thread: perf_event_open() is not permitted", "kernel.perf_event_paranoid is 3", "sysctl kernel.perf_event_paranoid=2"])
			assert.ok(modes.includes(part), `${part} in ${modes}`);
		const cost = await item("overhead");

		for (const part of ["a switch by ioctl 132 ns, 1.21 k instructions", "a switch from user mode 11 ns, 96 instructions",
			"a span from user mode 24 ns", "charged to (coroprof), all 3.40 ms, 3.14 M instructions", "Samples are not in it"])
			assert.ok(cost.includes(part), `${part} in ${cost}`);
		await page.evaluate(() => window.coroprof.store.set({ by: "thread", selected: { kind: "thread", index: 3 } }));
		await settle(page);
		assert.deepEqual((await column(page, "switches")).sort(),
			["by ioctl: perf_event_open() is not permitted", "from user mode", "from user mode", "from user mode"]);
		assert.match(await page.locator(".details").innerText(), /by ioctl[\s\S]*perf_event_paranoid is 3/);
		await page.evaluate(() => window.coroprof.store.set({ selected: null }));
		assert.match(plain(await page.locator(".about").innerText()),
			/from user mode 3 threads by ioctl 1 thread: perf_event_open\(\)[\s\S]*a switch from user mode 11 ns, 96 instructions/);
	}));

	await test("samples: how many are in functions that are not known is said, and why", () => visit(browser, file, async (page) => {
		const { frames, kept } = data.samples;
		const at = frames.name.indexOf("[libssl.so.3]");
		const badge = view(page, "samples").locator(".badge", { hasText: "not known" });

		assert.ok(frames.own[at] / kept > 0.01);
		assert.equal(plain(await badge.innerText()), `functions of ${percent(frames.own[at] / kept)} of samples not known`);
		await badge.hover();
		const tip = plain(await page.locator(".tip").innerText());

		assert.ok(tip.includes(`/lib/libc.so.6 ${whole.format(frames.own[at])} samples: it has no symbols`), tip);
		assert.match(tip, /where the program was recorded/);
	}, { hash: "#view=samples" }));

	await test("spans: inverted by the time not running, each has its own", () => visit(browser, file, async (page) => {
		const { table } = data.spans;
		const off = table.name.map((_, at) => table.own_wall[at] - table.own_running[at]);
		const top = off.indexOf(Math.max(...off));
		const tip = await tipAt(page, "spans", 5, 1);

		assert.ok(tip.startsWith(table.name[top]), tip);
		assert.ok(tip.includes(`time not running <=${(off[top] / 1e6).toPrecision(3)} ms`), tip);
	}, { hash: "#view=spans&shape=inverted&weight=off" }));

	await test("samples: labels have theirs in the table", () => visit(browser, file, async (page) => {
		await page.evaluate(() => window.coroprof.store.set({ view: "table", sort: "samples" }));
		await settle(page);
		const { samples } = data.labels;

		assert.equal(await page.locator('.table-view [data-at="0"] [data-column="samples"]').innerText(),
			whole.format(Math.max(...samples)));
	}));
}

async function pictures(browser, file, out) {
	for (const [name, scheme, size] of [["light", "light"], ["dark", "dark"], ["narrow", "light", { width: 720, height: 900 }]])
		await test(`look: samples and spans, ${name}`, () => visit(browser, file, async (page) => {
			for (const id of ["samples", "spans"]) {
				await page.evaluate((view) => window.coroprof.store.set({ view }), id);
				await settle(page);
				await page.screenshot({ path: join(out, `${name}-${id}.png`) });
				const controls = await view(page, id).locator(".toolbar select, .toolbar input:not([type=radio]), .toolbar button")
					.evaluateAll((all) => all.map((one) => [one.getBoundingClientRect().right, one.closest(".toolbar").getBoundingClientRect().right]));

				for (const [right, edge] of controls)
					assert.ok(right <= edge, `${right} beyond ${edge}`);
			}
		}, { scheme, ...size ? { size } : {} }));
}

async function partTests(browser, template, data, out) {
	const part = structuredClone(data);
	const { tree } = part.spans;

	tree.values[1].standing = tree.label.map((label) => label === 0 ? 4 : 3);
	await test("spans: a counter that some coroutines had not is no 0 there, and at least in sums", async () => {
		const file = join(out, "fixture-part.html");

		writeFileSync(file, pageOf(template, part));
		await visit(browser, file, async (page) => {
			assert.match(await tipAt(page, "spans", 30, 0), /instructions >=\d/);
			await page.evaluate(() => window.coroprof.store.select("label", 0));
			await settle(page);
			assert.match(await tipAt(page, "spans", 30, 1), /instructions n\/a/);
			assert.match(await tipAt(page, "spans", 30, 2), /instructions n\/a/);
		}, { hash: "#view=spans" });
	});
}

export async function callsTests(browser, { file, data, without, template, out }) {
	await sampleTests(browser, file, data);
	await spanTests(browser, file, data);
	await aroundTests(browser, file, data, without);
	await partTests(browser, template, data, out);
	await pictures(browser, file, out);
}

/** Large trees, and some that are very deep. */
export async function manyCallsTests(browser, file) {
	await test("size: opens 360,000 calls, 3,000 deep, in time", async () => {
		await visit(browser, file, async (page) => {
			const opened = await taken(page);

			console.log(`# opened in ${opened.toFixed(0)} ms`);
			assert.ok(opened > 0 && opened < 8000, `${opened} ms`);
			for (const id of ["samples", "spans"]) {
				await page.evaluate((view) => window.coroprof.store.set({ view, find: "memcpy" }), id);
				await settle(page);
				const { drawn, rows } = await flame(page, id).evaluate(({ dataset }) => ({ ...dataset }));

				console.log(`# ${id}: ${drawn} rectangles in ${rows} rows`);
				assert.ok(Number(drawn) > 100 && Number(drawn) < Number(rows) * 1440);
			}
			assert.ok(Number(await flame(page, "spans").getAttribute("data-rows")) > 1000);
		});
	});
}
