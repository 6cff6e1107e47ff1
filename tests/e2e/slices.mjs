// SPDX-License-Identifier: GPL-2.0
/* Slices as points: heat map and scatter have each slice of the timeline once, where its figures are. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { choose, colours, settle, state, visit } from "./browser.mjs";
import { dataOf } from "./tables.mjs";
import { test } from "./tap.mjs";

const LEFT = 76;
const LIFETIME = 6;
const note = (page) => page.locator(".plot-note").innerText();
const number = (text) => Number(text.replace(/,/g, ""));

async function drawn(page) {
	await settle(page);
	return page.locator("canvas.plot").evaluate(({ drawn: { xs, ys, heat } }) =>
		({ xs, ys, heat: heat && { ...heat, counts: [...heat.counts] } }));
}

/** Slices of coroutines, one by one: those that @wanted takes. */
function slicesOf({ timeline, labels }, wanted = () => true) {
	return [...timeline.begin.keys()].filter((row) => timeline.slices[row] === 1 && labels.kind[timeline.label[row]] < 3 &&
		labels.name[timeline.label[row]] !== "event loop" && wanted(row));
}

async function heatTests(browser, file, data) {
	const { timeline, labels, recording: { duration: [duration] } } = data;
	const all = slicesOf(data);

	await test("slices: the heat map has each slice of coroutines once", () => visit(browser, file, async (page) => {
		const { heat } = await drawn(page);

		assert.equal(heat.counts.reduce((a, b) => a + b, 0), all.length);
		assert.equal(number((await note(page)).match(/^[\d,]+/)[0]), all.length);
	}, { hash: "#view=slices" }));
	await test("slices: a column of the heat map has the slices that began in its time", () => visit(browser, file, async (page) => {
		const { heat: { counts, columns, rows } } = await drawn(page);
		const want = new Array(columns).fill(0);
		const got = want.map((_, column) => counts.slice(column * rows, (column + 1) * rows).reduce((a, b) => a + b, 0));

		for (const row of all)
			want[Math.min(columns - 1, Math.floor(timeline.begin[row] / duration * columns))]++;
		assert.deepEqual(got, want);
	}, { hash: "#view=slices" }));
	await test("slices: the longest slices are at the top of the heat map, the shortest at the bottom", () => visit(browser, file, async (page) => {
		const { heat: { counts, columns, rows }, ys } = await drawn(page);
		const inRow = (row) => Array.from({ length: columns }, (_, column) => counts[column * rows + row]).reduce((a, b) => a + b, 0);
		const walls = all.map((row) => timeline.duration[row]);
		const occupied = [...Array(rows).keys()].filter(inRow);
		const [low, high] = [Math.log(Math.min(...walls.filter(Boolean)) / 1.2), Math.log(Math.max(...walls) * 1.2)];
		const want = new Array(rows).fill(0);

		for (const wall of walls)
			want[wall ? Math.min(rows - 1, Math.floor((Math.log(wall) - low) / (high - low) * rows)) : 0]++;
		assert.deepEqual([...Array(rows).keys()].map(inRow), want);
		assert.deepEqual([Math.min(...ys), Math.max(...ys)], [Math.min(...walls), Math.max(...walls)]);
		assert.ok(occupied.length > 20, `${occupied.length} rows`);
	}, { hash: "#view=slices" }));
	await test("slices: a label that is selected has its slices alone", () => visit(browser, file, async (page) => {
		const at = labels.name.indexOf("query_database");
		const { ys } = await drawn(page);

		assert.deepEqual(ys.sort((a, b) => a - b), slicesOf(data, (row) => timeline.label[row] === at).map((row) => timeline.duration[row]).sort((a, b) => a - b));
		assert.equal(ys.length, labels.slices[at]);
	}, { hash: "#view=slices&label=query_database" }));
	await test("slices: a drag has that time in view, in the heat map and elsewhere", () => visit(browser, file, async (page) => {
		const box = await page.locator("canvas.plot").boundingBox();
		const [a, b] = [0.25, 0.5].map((share) => box.x + LEFT + share * (box.width - LEFT - 8));

		await page.mouse.move(a, box.y + 60);
		await page.mouse.down();
		await page.mouse.move(b, box.y + 90, { steps: 4 });
		await page.mouse.up();
		const { from, to } = await state(page);

		assert.ok(Math.abs(from / duration - 0.25) < 0.01 && Math.abs(to / duration - 0.5) < 0.01, `${from} to ${to}`);
		const { xs } = await drawn(page);

		assert.deepEqual(xs.sort((a, b) => a - b),
			slicesOf(data, (row) => timeline.begin[row] >= from && timeline.begin[row] < to).map((row) => timeline.begin[row]).sort((a, b) => a - b));
	}, { hash: "#view=slices" }));
}

async function cellTests(browser, file, data) {
	const { timeline } = data;
	const all = slicesOf(data);

	await test("slices: a click on a cell of the heat map goes to the longest slice in it", () => visit(browser, file, async (page) => {
		const { heat: { columns, rows, counts, most } } = await drawn(page);
		const cell = counts.indexOf(most);
		const at = await page.locator("canvas.plot").evaluate(({ clientWidth, clientHeight, drawn: { x, y } }, [column, columns, row, rows]) => ({
			px: 76 + (column + 0.5) / columns * (clientWidth - 84), py: 8 + (clientHeight - 32) * (1 - (row + 0.5) / rows),
			times: [column, column + 1].map((one) => x.value(one / columns)), walls: [row, row + 1].map((one) => y.value(one / rows)),
		}), [Math.floor(cell / rows), columns, cell % rows, rows]);
		const inside = (value, [from, to]) => value >= from && value < to;
		const found = all.filter((row) => inside(timeline.begin[row], at.times) && inside(timeline.duration[row], at.walls));
		const longest = found.reduce((most, row) => timeline.duration[row] > timeline.duration[most] ? row : most);

		assert.equal(found.length, most);
		await page.locator("canvas.plot").click({ position: { x: at.px, y: at.py } });
		const { view, selected, at: looked } = await state(page);

		assert.deepEqual([view, selected.kind, timeline.duration[all.find((row) => timeline.coroutine[row] === selected.index && timeline.begin[row] === looked)]],
			["timeline", "coroutine", timeline.duration[longest]]);
	}, { hash: "#view=slices" }));
	await test("slices: a click where none are goes nowhere", () => visit(browser, file, async (page) => {
		const { heat: { columns, rows, counts } } = await drawn(page);
		const cell = counts.lastIndexOf(0);
		const [width, height] = await page.locator("canvas.plot").evaluate(({ clientWidth, clientHeight }) => [clientWidth - 84, clientHeight - 32]);

		await page.locator("canvas.plot").click({ position: {
			x: 76 + (Math.floor(cell / rows) + 0.5) / columns * width, y: 8 + height * (1 - (cell % rows + 0.5) / rows) } });
		assert.equal((await state(page)).view, "slices");
	}, { hash: "#view=slices" }));
}

/** The legend, where no table names the labels. */
async function legendTests(browser, file, data) {
	const { labels } = data;
	const ran = [...labels.name.keys()].filter((row) => labels.name[row] !== "event loop").sort((a, b) => labels.running[b] - labels.running[a]);
	const legend = (page, view) => page.locator(`.${view}-view .label-legend`);

	for (const view of ["slices", "timeline"])
		await test(`slices: the tab ${view} has a legend of labels, those first that ran for longest, in the colours of the table`, () => visit(browser, file, async (page) => {
			const colour = (locator) => locator.evaluateAll((all) => all.map((one) => one.querySelector(".swatch").style.background));
			const named = legend(page, view).locator("button");

			assert.deepEqual(await named.allInnerTexts(), ran.map((row) => labels.name[row]));
			const colours = await colour(named);

			assert.equal(new Set(colours).size, ran.length);
			await page.evaluate(() => window.coroprof.store.set({ view: "table", by: "label", sort: "running", descending: true }));
			await settle(page);
			assert.deepEqual(colours, (await colour(page.locator('.table-view .grid-body [data-column="name"]'))).slice(0, ran.length));
			await page.evaluate(() => window.coroprof.store.set({ view: "overview" }));
			assert.ok(!await legend(page, "timeline").isVisible(), "in the overview the table is beside it");
		}, { hash: `#view=${view}&plot=scatter` }));
	await test("slices: the legend is on paper, too", () => visit(browser, file, async (page) => {
		await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
		await page.emulateMedia({ media: "print" });
		await settle(page);
		for (const row of ran)
			assert.ok(await legend(page, "slices").getByText(labels.name[row], { exact: true }).isVisible(), labels.name[row]);
	}, { hash: "#view=slices&plot=scatter" }));
	await test("slices: a click in the legend has a label's slices alone, another one all", () => visit(browser, file, async (page) => {
		const button = legend(page, "slices").getByText("query_database");
		const at = labels.name.indexOf("query_database");
		const { ys: { length } } = await drawn(page);

		await button.click();
		assert.equal((await drawn(page)).ys.length, labels.slices[at]);
		assert.equal(await legend(page, "slices").locator('[aria-pressed="true"]').innerText(), "query_database");
		await page.waitForFunction(() => location.hash.includes("label=query_database"));
		await button.click();
		assert.equal((await drawn(page)).ys.length, length);
		assert.equal(await legend(page, "slices").locator('[aria-pressed="true"]').count(), 0);
	}, { hash: "#view=slices&plot=scatter" }));
}

/** Of a recording of which all gaps are known. */
async function waitsTests(browser, file, data) {
	const { latency, recording } = data;
	const sum = (all) => all.reduce((a, b) => a + b, 0);
	const ys = async (page, y) => {
		await page.evaluate((y) => window.coroprof.store.set({ y }), y);
		return (await drawn(page)).ys;
	};

	await test("slices: waits are those of the tables, to the nanosecond", () => visit(browser, file, async (page) => {
		const waits = await ys(page, "wait");
		const known = waits.filter((wait) => !Number.isNaN(wait));

		assert.equal(known.length, recording.gaps[0]);
		assert.equal(sum(known), recording.suspended[0]);
		for (const part of ["awaiting", "ready"])
			assert.equal(sum((await ys(page, part)).filter((wait) => !Number.isNaN(wait))), recording[part][0], part);
		assert.match(await note(page), /waits by ready/);
	}, { hash: "#view=slices&points=waits" }));
	await test("slices: lives are as many, and as long, as the table of latency says", () => visit(browser, file, async (page) => {
		const rows = [...latency.what.keys()].filter((row) => latency.what[row] === LIFETIME && latency.label[row] !== null);
		const lives = await ys(page, "lifetime");

		assert.ok(rows.length > 1 && lives.length > 100);
		assert.equal(lives.length, sum(rows.map((row) => latency.times[row])));
		assert.equal(Math.max(...lives), Math.max(...rows.map((row) => latency.longest[row])));
	}, { hash: "#view=slices&points=lives" }));
	await test("slices: a drag over lives has their time in view, and a click on one goes to it", () => visit(browser, file, async (page) => {
		const box = await page.locator("canvas.plot").boundingBox();

		await page.mouse.move(box.x + LEFT + 100, box.y + 60);
		await page.mouse.down();
		await page.mouse.move(box.x + LEFT + 300, box.y + 90, { steps: 4 });
		await page.mouse.up();
		const { from, to } = await state(page);
		const { xs } = await drawn(page);

		assert.ok(from > 0 && to < recording.duration[0] && xs.length);
		assert.ok(xs.every((x) => x >= from && x < to));
		await page.evaluate(() => window.coroprof.store.set({ plot: "scatter" }));
		await settle(page);
		const at = await page.locator("canvas.plot").boundingBox();
		const { x, y } = await page.locator("canvas.plot").evaluate(({ drawn: { xs, ys, x, y }, clientWidth, clientHeight }) =>
			({ x: x.at(xs[0]) * (clientWidth - 76 - 8), y: 8 + (clientHeight - 8 - 24) * (1 - y.at(ys[0])) }));

		await page.mouse.click(at.x + LEFT + x, at.y + y);
		await settle(page);
		assert.equal((await state(page)).view, "timeline");
		assert.equal((await state(page)).selected.kind, "coroutine");
	}, { hash: "#view=slices&points=lives" }));
	for (const points of ["waits", "lives"])
		for (const [name, scheme, width] of [["light", "light", 1400], ["dark", "dark", 1400], ["narrow", "light", 800], ["narrow-dark", "dark", 800]])
			await test(`look: heat map of ${points}, ${name}`, () => visit(browser, file, async (page) => {
				await page.screenshot({ path: `${file.replace(/\.html$/, "")}-${points}-${name}.png` });
				assert.ok(await colours(page, "canvas.plot") > 12);
			}, { scheme, size: { width, height: 900 }, hash: `#view=slices&points=${points}` }));
}

/** The time in view begins and ends within slices. */
async function edgeTests(browser, file, data) {
	const { timeline } = data;
	const cut = slicesOf(data).reduce((most, row) => timeline.duration[row] > timeline.duration[most] ? row : most);
	const [from, to] = [timeline.begin[cut] + 1000, timeline.begin[cut] + 2 * timeline.duration[cut]];
	const within = (edge) => slicesOf(data, (row) => edge(row) >= from && edge(row) < to);
	const began = within((row) => timeline.begin[row]);
	const ended = within((row) => timeline.begin[row] + timeline.duration[row]);

	await test("slices: over time stand those that began in view, with none piled up at its begin", () => visit(browser, file, async (page) => {
		const { xs, heat } = await drawn(page);

		assert.ok(!began.includes(cut) && ended.includes(cut), "a slice is cut by the begin of the time in view");
		assert.deepEqual(xs.sort((a, b) => a - b), began.map((row) => timeline.begin[row]).sort((a, b) => a - b));
		assert.equal(heat.counts.reduce((a, b) => a + b, 0), began.length);
		assert.match(await note(page), /began in the time in view/);
	}, { hash: `#view=slices&time=${from}-${to}` }));
	await test("slices: over another figure stand those that ended in view, as in tables", () => visit(browser, file, async (page) => {
		const { ys } = await drawn(page);

		assert.equal(ys.length, ended.length);
		assert.match(await note(page), /ended in the time in view/);
	}, { hash: `#view=slices&plot=scatter&x=running&time=${from}-${to}` }));
}

async function scatterTests(browser, file, data) {
	const { timeline } = data;
	const all = slicesOf(data);

	await test("slices: the scatter has the figures of each slice", () => visit(browser, file, async (page) => {
		const { xs, ys } = await drawn(page);
		const pairs = (one, other) => one.map((value, at) => `${value} ${other[at]}`).sort();

		assert.deepEqual(pairs(xs, ys), pairs(all.map((row) => timeline["cache-misses"][row]), all.map((row) => timeline.duration[row])));
	}, { hash: "#view=slices&plot=scatter&x=cache-misses" }));
	await test("slices: a point tells its slice, and a click goes there in the timeline", () => visit(browser, file, async (page) => {
		const canvas = page.locator("canvas.plot");
		const at = await canvas.evaluate((element) => {
			const { ys, xs, x, y } = element.drawn;
			const i = ys.indexOf(Math.max(...ys));
			const [width, height] = [element.clientWidth - 84, element.clientHeight - 32];

			return { i, x: 76 + x.at(xs[i]) * width, y: 8 + height * (1 - y.at(ys[i])) };
		});
		const slice = all.reduce((most, row) => timeline.duration[row] > timeline.duration[most] ? row : most);

		await canvas.hover({ position: { x: at.x, y: at.y } });
		assert.match(await page.locator(".tip").innerText(), /write_log|query_database/);
		await canvas.click({ position: { x: at.x, y: at.y } });
		const { view, selected, from, to } = await state(page);

		assert.deepEqual([view, selected], ["timeline", { kind: "coroutine", index: timeline.coroutine[slice] }]);
		assert.ok(from <= timeline.begin[slice] && to >= timeline.begin[slice] + timeline.duration[slice]);
	}, { hash: "#view=slices&plot=scatter" }));
	await test("slices: what is chosen is in the address", () => visit(browser, file, async (page) => {
		await choose(page, "slices", "Scatter");
		await page.getByLabel("Across", { exact: true }).selectOption("cycles");
		await page.getByLabel("Up", { exact: true }).selectOption("running");
		await page.waitForFunction(() => /plot=scatter&x=cycles&y=running/.test(location.hash));
	}, { hash: "#view=slices" }));
}

async function missingTest(browser, { generator, reader, out }) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `slices-standings.${end}`));

	execFileSync(generator, [recording, "standings"]);
	execFileSync(reader, ["-o", file, recording], { stdio: "ignore" });
	await test("slices: what could not be counted can't be chosen, and it is said why", () => visit(browser, file, async (page) => {
		for (const menu of ["Up", "Across"]) {
			const options = await page.locator(`.slices-view select[aria-label="${menu}"] option`).evaluateAll((all) =>
				all.map(({ text, disabled }) => [text, disabled]));

			for (const [text, disabled] of options)
				assert.equal(disabled, /\(.*(unsupported|not scheduled)\)/.test(text), text);
			assert.ok(options.some(([, disabled]) => disabled) && options.some(([text, disabled]) => !disabled && text === "cycles"), JSON.stringify(options));
		}
		const missing = await page.locator('.slices-view select[aria-label="Up"] option[disabled]').first().getAttribute("value");

		await page.evaluate((y) => window.coroprof.store.set({ y }), missing);
		await settle(page);
		assert.match(await note(page), /slices by held/);
	}, { hash: "#view=slices&plot=scatter" }));
}

/** Of slices that are sums in the page, the reader has counted how many were how long, when. */
async function gridTests(browser, file, { heat, labels, recording: { duration: [duration] } }) {
	const sum = (all) => all.reduce((a, b) => a + b, 0);
	const grid = async (page) => {
		await settle(page);
		return page.locator("canvas.plot").evaluate(({ drawn }) => drawn.grid);
	};
	const query = labels.name.indexOf("query_database");
	const inside = (from, to) => [...heat.begin.keys()].filter((row) => heat.begin[row] < to && heat.end[row] > from);

	await test("slices: the heat map has each slice of coroutines, also where the page has sums only", () => visit(browser, file, async (page) => {
		const outside = labels.name.indexOf("event loop");

		for (const label of labels.name.keys())
			assert.equal(sum(heat.slices.filter((_, row) => heat.label[row] === label)), label === outside ? 0 : labels.slices[label], labels.name[label]);
		const cells = await grid(page);

		assert.equal(sum(cells.map(({ slices }) => slices)), sum(labels.slices) - labels.slices[outside]);
		assert.equal(number((await note(page)).match(/^[\d,]+/)[0]), sum(labels.slices) - labels.slices[outside]);
		assert.match(await note(page), /A page of a shorter time has each/);
		assert.equal(await page.locator("canvas.plot").getAttribute("data-few"), "false");
		assert.ok(new Set(cells.map(({ begin }) => begin)).size >= 10 && new Set(cells.map(({ from }) => from)).size >= 20);
		assert.ok(await colours(page, "canvas.plot") > 40);
	}, { hash: "#view=slices" }));
	await test("slices: a label that is selected has its sums alone, a thread none", () => visit(browser, file, async (page) => {
		assert.equal(sum((await grid(page)).map(({ slices }) => slices)), labels.slices[query]);
		await page.evaluate(() => window.coroprof.store.select("thread", 0));
		assert.equal(await grid(page), null);
		assert.equal(await page.locator("canvas.plot").getAttribute("data-few"), "true");
	}, { hash: "#view=slices&label=query_database" }));
	await test("slices: a cell of sums tells how many it has, and a click has its time in view", () => visit(browser, file, async (page) => {
		const cells = await grid(page);
		const most = cells.reduce((one, other) => other.slices > one.slices ? other : one);
		const position = await page.locator("canvas.plot").evaluate(({ clientWidth, clientHeight, drawn: { x, y } }, { begin, end, from, below }) => ({
			x: 76 + (x.at(begin) + x.at(end)) / 2 * (clientWidth - 84), y: 8 + (clientHeight - 32) * (1 - (y.at(from) + y.at(below)) / 2),
		}), most);

		assert.equal(most.slices, sum([...heat.begin.keys()].filter((row) => heat.begin[row] === most.begin && heat.from[row] === most.from).map((row) => heat.slices[row])));
		await page.locator("canvas.plot").hover({ position });
		assert.match(await page.locator(".tip").innerText(), new RegExp(`^${most.slices.toLocaleString("en-US")} slices`));
		await page.locator("canvas.plot").click({ position });
		const { from, to } = await state(page);

		assert.deepEqual([from, to], [most.begin, Math.min(most.end, duration)]);
		assert.equal(sum((await grid(page)).map(({ slices }) => slices)), sum(inside(from, to).map((row) => heat.slices[row])));
	}, { hash: "#view=slices" }));
	await test("slices: where points are too few, the heat map that has all is named", () => visit(browser, file, async (page) => {
		const texts = [];

		await settle(page);
		await page.exposeFunction("drawnText", (text) => texts.push(text));
		await page.evaluate(() => {
			const { fillText } = CanvasRenderingContext2D.prototype;

			CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
				window.drawnText(text);
				return fillText.call(this, text, ...at);
			};
			window.coroprof.store.set({ plot: "scatter" });
		});
		await settle(page);
		assert.ok(texts.includes("The heat map, up held, has them all."), texts.join("; "));
	}, { hash: "#view=slices" }));
}

async function mergedTests(browser, { generator, reader, out }) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `slices-many.${end}`));

	execFileSync(generator, [recording, "600000"]);
	spawnSync(reader, ["-o", file, recording], { stdio: "ignore" });
	await test("slices: those that the page has as sums only are n/a, and how many is said", () => visit(browser, file, async (page) => {
		const data = dataOf(file);
		const outside = data.labels.name.indexOf("event loop");
		const all = data.recording.slices[0] - data.labels.slices[outside];
		const { heat } = await drawn(page);
		const said = await note(page);
		const [there, more] = [...said.matchAll(/([\d,]+) slices?/g)].map(([, text]) => number(text));

		assert.equal(heat.counts.reduce((a, b) => a + b, 0), there);
		assert.equal(there + more, all);
		assert.match(said, /are n\/a: the page has sums of them only[\s\S]*A page of a shorter time/);
		assert.equal(await page.locator("canvas.plot").getAttribute("data-few"), "true");
		assert.ok(await colours(page, "canvas.plot") < 300, "nothing but words is drawn");
	}, { hash: "#view=slices&y=running" }));
	await gridTests(browser, file, dataOf(file));
}

export async function slicesTests(browser, programs) {
	const { generator, reader, out } = programs;
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `slices.${end}`));

	execFileSync(generator, [recording, "server"]);
	execFileSync(reader, ["-o", file, recording], { stdio: "ignore" });
	const data = dataOf(file);

	await heatTests(browser, file, data);
	await cellTests(browser, file, data);
	await legendTests(browser, file, data);
	await edgeTests(browser, file, data);
	await scatterTests(browser, file, data);
	await waitsTests(browser, file, data);
	await missingTest(browser, programs);
	await mergedTests(browser, programs);
	for (const [name, scheme, width] of [["light", "light", 1400], ["dark", "dark", 1400], ["narrow", "light", 800], ["narrow-dark", "dark", 800]])
		for (const plot of ["heat", "scatter"])
			await test(`look: slices as ${plot}, ${name}`, () => visit(browser, file, async (page) => {
				await page.screenshot({ path: join(out, `slices-${plot}-${name}.png`) });
				const { height } = await page.locator("canvas.plot").boundingBox();

				assert.ok(height > 200, `${height} pixels high`);
			}, { scheme, size: { width, height: 900 }, hash: `#view=slices&plot=${plot}&x=cache-misses` }));
}
