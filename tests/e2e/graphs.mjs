// SPDX-License-Identifier: GPL-2.0
/* Calls put together: inverted, merged over labels, and around one function. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { settle, state, visit } from "./browser.mjs";
import { flame, outermost, percent, plain, press, ROW, sum, sumUp, tipAt, view, whole } from "./calls.mjs";
import { test } from "./tap.mjs";

const shape = (page, id) => page.getByLabel("Graph", { exact: true }).and(page.locator(`.${id}-view select`));
const addressed = (page, part) => page.waitForFunction((part) => location.hash.includes(part), part);
const middle = async (page, id) => Number(await flame(page, id).getAttribute("data-middle"));
const section = (page, title) => page.locator(".details section", { has: page.locator("h3", { hasText: new RegExp(`^${title}$`) }) });

async function draw(page, id, value) {
	await shape(page, id).selectOption(value);
	await settle(page);
}

async function scroll(page, id, top) {
	await view(page, id).locator(".lanes-scroller").evaluate((element, top) => { element.scrollTop = top; }, top);
	await settle(page);
}

/** The tip of the function in the middle. */
async function middleTip(page, id) {
	await scroll(page, id, await middle(page, id) * ROW);
	const { top, inView } = await view(page, id).locator(".lanes-scroller").evaluate((element) =>
		({ top: element.scrollTop, inView: element.clientHeight }));
	const row = await middle(page, id) - top / ROW;

	assert.ok(row >= 0 && row * ROW < inView, `row ${row} in ${inView}`);
	return tipAt(page, id, 30, row);
}

/** A row of a list of callers or callees: its figure, by name. */
async function listed(page, title) {
	const rows = await section(page, title).locator("tbody tr").evaluateAll((all) =>
		all.map((row) => [...row.children].map((cell) => cell.innerText)));

	return Object.fromEntries(rows.map(([name, figure]) => [name, plain(figure)]));
}

/** What was called by a function in its outermost calls, or had called those; by name. */
function beside({ parent, frame }, total, of, callers) {
	const sums = {};
	const inside = [];

	parent.forEach((above, node) => {
		const within = above >= 0 && inside[above];
		const outer = frame[node] === of && !within;
		const key = callers ? above >= 0 && frame[above] : frame[node];
		const counts = callers ? outer : above >= 0 && inside[above] === "outer";

		inside[node] = outer ? "outer" : within ? "within" : null;
		if (counts && key !== false)
			sums[key] = (sums[key] ?? 0) + total[node];
	});
	return sums;
}

async function checkListed(page, title, sums, names) {
	const found = await listed(page, title);
	const expected = Object.entries(sums).filter(([, value]) => value).sort((a, b) => b[1] - a[1]).slice(0, 12);

	assert.ok(expected.length > 3);
	for (const [at, value] of expected)
		assert.equal(found[names[at]], `${whole.format(value)} samples`, `${title}: ${names[at]}`);
}

async function sampleTests(browser, file, data) {
	const { samples: { tree, frames, kept } } = data;
	const total = sumUp(tree, tree.own);
	const order = [...frames.name.keys()].sort((a, b) => frames.own[b] - frames.own[a] || a - b);
	const [top] = order;
	const visitSamples = (use, hash = "") => visit(browser, file, use, { hash: `#view=samples${hash}` });

	await test("graphs: inverted, functions have what the table says is their own", () => visitSamples(async (page) => {
		await draw(page, "samples", "inverted");
		assert.ok((await tipAt(page, "samples", 30, 0)).includes(`samples ${whole.format(kept)} samples`));
		const tip = await tipAt(page, "samples", 5, 1);

		assert.ok(tip.startsWith(frames.name[top]), tip);
		assert.ok(tip.includes(`samples ${whole.format(frames.own[top])} samples`), tip);
		assert.ok(tip.includes(`share of all coroutines ${percent(frames.own[top] / kept)}`), tip);
		await addressed(page, "shape=inverted");
		await page.goBack();
		await page.waitForFunction(() => window.coroprof.store.state.shape === "calls");
		assert.equal(await shape(page, "samples").inputValue(), "calls");
	}));

	await test("graphs: inverted by label, and of one label alone", () => visitSamples(async (page) => {
		const own = sum(tree.own.filter((_, node) => tree.label[node] === 3));

		await draw(page, "samples", "inverted-labels");
		await page.evaluate(() => window.coroprof.store.select("label", 3));
		await settle(page);
		assert.ok((await tipAt(page, "samples", 5, 1)).startsWith(data.labels.name[3]));
		await draw(page, "samples", "inverted");
		const tip = await tipAt(page, "samples", 30, 0);

		assert.ok(tip.startsWith(data.labels.name[3]) && tip.includes(`${whole.format(own)} samples`), tip);
	}));

	await test("graphs: merged, the outermost functions of all labels are one", () => visitSamples(async (page) => {
		const first = {};

		tree.parent.forEach((parent, node) => {
			if (parent < 0)
				first[tree.frame[node]] = (first[tree.frame[node]] ?? 0) + total[node];
		});
		const [[name, value]] = Object.entries(first).sort((a, b) => b[1] - a[1]);

		await draw(page, "samples", "merged");
		const tip = await tipAt(page, "samples", 5, 1);

		assert.ok(tip.startsWith(frames.name[name]) && tip.includes(`${whole.format(value)} samples`), tip);
	}));

	await test("graphs: a click on a row shows its callers and callees, each once, and Back leads back", () => visitSamples(async (page) => {
		await view(page, "samples").locator('[data-at="0"] [data-column="name"]').click();
		await settle(page);
		assert.equal((await state(page)).shape, "sandwich");
		assert.equal(frames.total[top], outermost(tree, total, (node) => tree.frame[node] === top));
		const tip = await middleTip(page, "samples");

		assert.ok(tip.startsWith(frames.name[top]) && tip.includes(`${whole.format(frames.total[top])} samples`), tip);
		await checkListed(page, "Callers", beside(tree, total, top, true), frames.name);
		await checkListed(page, "Callees", beside(tree, total, top, false), frames.name);
		const figures = plain(await section(page, "Figures").innerText());

		assert.ok(figures.includes(whole.format(frames.own[top])) && figures.includes(whole.format(frames.total[top])), figures);
		await addressed(page, `of=${encodeURIComponent(frames.name[top]).replace(/%20/g, "+")}`);
		await view(page, "samples").locator('[data-at="1"] [data-column="name"]').click();
		await addressed(page, `of=${encodeURIComponent(frames.name[order[1]]).replace(/%20/g, "+")}`);
		await page.goBack();
		await page.waitForFunction((name) => window.coroprof.store.state.of === name, frames.name[top]);
		await page.goBack();
		await page.waitForFunction(() => window.coroprof.store.state.shape === "calls" && !window.coroprof.store.state.of);
		assert.match(await page.locator(".details h2").innerText(), /Everything/);
	}));

	await test("graphs: a click on a function tells of it, and leads to its callers and callees", () => visitSamples(async (page) => {
		await flame(page, "samples").click({ position: { x: 5, y: 2 * ROW + 8 } });
		await settle(page);
		const name = await page.locator(".details h2").innerText();

		assert.ok(frames.name.includes(name), name);
		assert.ok(plain(await page.locator(".chips").innerText()).includes(`function ${name}`));
		await page.locator(".details .around").click();
		await settle(page);
		assert.equal((await state(page)).shape, "sandwich");
		assert.ok((await middleTip(page, "samples")).startsWith(name));
		await page.locator('.chips [aria-label="No function"]').click();
		await settle(page);
		assert.match(await view(page, "samples").innerText(), /Choose a function in the table/);
	}));

	await test("graphs: keys go to callers above and callees below, and around another", () => visitSamples(async (page) => {
		const said = async () => (await view(page, "samples").locator(".lanes-scroller [role=status]").innerText()).replace(/: samples [^]*/, "");
		const widest = (sums) => frames.name[Object.entries(sums).sort((a, b) => b[1] - a[1])[0][0]];
		const memcpy = frames.name.indexOf("memcpy");
		const caller = widest(beside(tree, total, memcpy, true));

		await flame(page, "samples").focus();
		await press(page, "ArrowDown");
		assert.equal(await said(), widest(beside(tree, total, memcpy, false)));
		await press(page, "ArrowUp");
		assert.equal(await said(), "memcpy");
		await press(page, "ArrowUp");
		assert.equal(await said(), caller);
		await press(page, "c");
		assert.equal((await state(page)).of, caller);
		await view(page, "samples").locator(".grid").focus();
		await press(page, "ArrowDown");
		assert.equal((await state(page)).of, frames.name[top]);
	}, "&shape=sandwich&of=memcpy"));
}

/** Where there is room for them all, and so many rows are in each that nothing changes its size, and where there is not. */
async function sharpTests(browser, file) {
	for (const height of [900, 400])
		await test(`graphs: each is as sharp as the screen, whichever was drawn before, ${height} pixels high`, () => visit(browser, file, async (page) => {
			const shapes = ["calls", "merged", "inverted", "inverted-labels", "merged", "sandwich", "inverted", "calls"];

			await page.evaluate(() => window.coroprof.store.set({ of: "memcpy" }));
			for (const one of shapes) {
				await draw(page, "samples", one);
				const { high, shown } = await flame(page, "samples").evaluate((canvas) =>
					({ high: canvas.height, shown: canvas.clientHeight * devicePixelRatio }));

				assert.ok(shown > ROW, one);
				assert.equal(high, Math.round(shown), `${one}: ${high} pixels for ${shown} of the screen`);
			}
		}, { size: { width: 1400, height }, hash: "#view=samples" }));
}

async function spanTests(browser, file, { spans: { table, lost } }) {
	const [top] = [...table.name.keys()].sort((a, b) => table.own_running[b] - table.own_running[a] || a - b);
	const visitSpans = (use, hash = "") => visit(browser, file, use, { hash: `#view=spans${hash}` });

	await test("graphs: inverted, spans have the bounds that the table marks", () => visitSpans(async (page) => {
		const tip = await tipAt(page, "spans", 5, 1);

		assert.ok(lost && tip.startsWith(table.name[top]), tip);
		assert.ok(tip.includes(`running time <=${(table.own_running[top] / 1e6).toPrecision(3)} ms`), tip);
	}, "&shape=inverted"));

	await test("graphs: callers and callees of a span by each weight, with calls, average and share", () => visitSpans(async (page) => {
		const at = table.name.indexOf("memcpy");

		assert.ok((await middleTip(page, "spans")).includes(`cache-misses ~${(6 * table.running[at] / 1e6).toPrecision(3)} M`));
		const figures = plain(await section(page, "Figures").innerText());

		for (const part of [whole.format(table.calls[at]), whole.format(table.outermost[at]),
			`${(table.running[at] / table.outermost[at] / 1e3).toPrecision(3)} us`])
			assert.ok(figures.includes(part), `${part} in ${figures}`);
		assert.ok(Object.keys(await listed(page, "Callees")).includes("(in itself)"));
	}, "&shape=sandwich&of=memcpy&weight=cache-misses"));
}

async function pictures(browser, file, out) {
	for (const [name, scheme, width] of [["light", "light", 1400], ["dark", "dark", 1400], ["narrow", "light", 800], ["narrow-dark", "dark", 800]])
		await test(`look: inverted, and callers and callees, ${name}`, () => visit(browser, file, async (page) => {
			await page.screenshot({ path: join(out, `${name}-sandwich.png`) });
			for (const selector of ["html", ".details"]) {
				const past = await page.locator(selector).evaluate((element) => element.scrollWidth - element.clientWidth);

				assert.ok(past <= 0, `${selector} is ${past} wider than there is room`);
			}
			await page.evaluate(() => window.coroprof.store.set({ shape: "inverted" }));
			await settle(page);
			await page.screenshot({ path: join(out, `${name}-inverted.png`) });
			if (width === 1400)
				await page.pdf({ path: join(out, `print-${name}-inverted.pdf`), landscape: true, printBackground: true });
		}, { scheme, size: { width, height: 900 }, hash: "#view=spans&shape=sandwich&of=memcpy" }));
}

export async function graphTests(browser, { file, data, out }) {
	await sampleTests(browser, file, data);
	await sharpTests(browser, file);
	await spanTests(browser, file, data);
	await pictures(browser, file, out);
}
