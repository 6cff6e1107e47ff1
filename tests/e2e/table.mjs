// SPDX-License-Identifier: GPL-2.0
/* The table: figures, order, filter, keys. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cell, choose, column, settle, state, visit } from "./browser.mjs";
import { page as pageOf } from "./fixture.mjs";
import { test } from "./tap.mjs";

const whole = new Intl.NumberFormat("en-US");

/** Waits for the heading to say so: on a busy machine a click takes its time. */
async function sortBy(page, key) {
	const head = page.locator(`.head[data-column="${key}"]`);
	const before = await head.getAttribute("aria-sort");

	await head.click();
	await page.waitForFunction(([column, old]) =>
		document.querySelector(`.head[data-column="${column}"]`)?.getAttribute("aria-sort") !== old, [key, before]);
	await settle(page);
}

async function aria(page, key) {
	return page.locator(`.head[data-column="${key}"]`).getAttribute("aria-sort");
}

/** Names of labels by a figure, as the page should order them. */
function order(data, figures, sign) {
	return data.labels.name.map((name, at) => ({ name, at }))
		.sort((a, b) => sign * (figures[a.at] - figures[b.at]) || a.at - b.at).map(({ name }) => name);
}

/** Keys of the columns, as they stand. */
async function heads(page) {
	return page.locator(".grid-head [data-column]").evaluateAll((all) => all.map(({ dataset }) => dataset.column));
}

async function press(page, ...keys) {
	for (const key of keys)
		await page.keyboard.press(key);
	await settle(page);
}

/** From the middle of a heading, or from its edge, by so many pixels. */
async function dragHead(page, key, by, edge = false) {
	const { x, y, width, height } = await page.locator(`.head[data-column="${key}"]`).boundingBox();
	const from = x + (edge ? width - 2 : width / 2);

	await page.mouse.move(from, y + height / 2);
	await page.mouse.down();
	await page.mouse.move(from + by / 2, y + height / 2);
	await page.mouse.move(from + by, y + height / 2);
	await page.mouse.up();
	await settle(page);
}

async function widthOf(page, key) {
	return Math.round((await page.locator(`.head[data-column="${key}"]`).boundingBox()).width);
}

/** Share of a bar that is filled, and which of all columns have what colour. */
const filled = (page) => page.locator(".grid-body .share-bar").evaluateAll((bars) => bars.map((bar) =>
	(bar.firstElementChild?.getBoundingClientRect().width ?? 0) / bar.getBoundingClientRect().width));

async function shareTests(browser, file, data, { template, out }) {
	const { running } = data.labels.times;
	const sum = running.reduce((a, b) => a + b, 0);
	const shares = [...running].sort((a, b) => b - a).map((one) => one / sum);

	await test("table: the CPU share is before all other figures, and its bar is as long as it says", () => visit(browser, file, async (page) => {
		assert.deepEqual((await heads(page)).slice(0, 3), ["name", "running_share", "states"]);
		assert.deepEqual((await column(page, "running_share")).map((text) => text.replace(/\s/gu, " ")), shares.map((share) => `${(100 * share).toFixed(1)} %`));
		(await filled(page)).forEach((part, at) => assert.ok(Math.abs(part - shares[at]) < 0.03, `${part}, not ${shares[at]}`));
		for (const tracks of [".grid-body .share-bar", ".grid-body .stack"]) {
			const widths = await page.locator(tracks).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));

			assert.equal(new Set(widths).size, 1, `${tracks}: ${widths}`);
		}
		assert.equal(await page.locator('.head[data-column="states"]').innerText(), "own time");
	}));

	for (const by of ["label", "coroutine"])
		await test(`table: the CPU share of each ${by} is that of what is chosen`, () => visit(browser, file, async (page) => {
			const said = {};

			for (const mode of ["share", "total"]) {
				await page.evaluate(([by, mode]) => window.coroprof.store.set({ by, mode, from: 1e6, to: 9e6 }), [by, mode]);
				await page.waitForFunction(() => !document.querySelector(".table-view[aria-busy]"));
				await settle(page);
				said[mode] = { share: await column(page, "running_share"), running: await column(page, "running") };
			}
			assert.ok(said.share.share.length > 3);
			assert.deepEqual(said.share.share, said.share.running);
			assert.deepEqual(said.total.share, said.share.share);
			assert.match(said.total.running[0], /s$/);
		}));

	await test("table: the reader says which column has its share before others", async () => {
		const without = join(out, "table-without-bar.html");

		writeFileSync(without, pageOf(template, data, (raw) => {
			for (const { columns } of Object.values(raw.tables))
				columns.forEach((column) => { delete column.bar; });
			raw.tables.labels.columns.find(({ name }) => name === "slices").bar = { name: "part", title: "Part", says: "Part of all slices." };
		}));
		await visit(browser, without, async (page) => {
			assert.deepEqual((await heads(page)).slice(0, 3), ["name", "part", "states"]);
			const most = Math.max(...data.labels.times.slices) / data.labels.times.slices.reduce((a, b) => a + b, 0);

			await sortBy(page, "part");
			assert.equal((await column(page, "part"))[0].replace(/\s/gu, " "), `${(100 * most).toFixed(1)} %`);
		});
	});
}

/** The column that has the names, and what it shows. */
async function namesTests(browser, file, data) {
	const longest = [...data.labels.name].sort((a, b) => b.length - a.length)[0];
	const shown = (page) => page.locator('.grid-body [data-column="name"]').allInnerTexts();
	const all = ["coroutines", "slices", "lengths", "p50", "p99", "longest", "ready_p99", "lifetime_p99", "preempted", "blocked", "suspended", "awaiting",
		"ready", "gaps", "unseen_gaps", "cycles", "instructions", "cache-misses", "branch-misses", "stalled-cycles-backend", "ipc"];

	await test("table: names are as wide as there is room", () => visit(browser, file, async (page) => {
		assert.equal(await widthOf(page, "name"), 264, "where columns do not all fit");
		assert.deepEqual((await shown(page)).filter((name) => name.includes("…")).length, 1);
		await page.setViewportSize({ width: 3200, height: 900 });
		await settle(page);
		assert.ok((await shown(page)).includes(longest), (await shown(page)).join());
		const wide = await widthOf(page, "name");

		await page.locator(".filter").fill("sleepy");
		await settle(page);
		assert.equal((await shown(page)).length, 1);
		assert.equal(await widthOf(page, "name"), wide, "whatever rows are left");
	}, { size: { width: 1100, height: 900 } }));

	await test("table: names have the room of columns that are hidden, and no more than they need", () => visit(browser, file, async (page) => {
		assert.ok((await shown(page)).includes(longest));
		assert.ok(await widthOf(page, "name") < 0.7 * await page.locator(".grid").evaluate(({ clientWidth }) => clientWidth));
	}, { size: { width: 1600, height: 900 }, hash: `#view=table&columns=${all.map((key) => `!${key}`).join()}` }));

	await test("table: a width of names that someone chose stays", () => visit(browser, file, async (page) => {
		assert.equal(await widthOf(page, "name"), 150);
	}, { size: { width: 1900, height: 900 }, hash: "#view=table&columns=name:150" }));
}

async function columnTests(browser, file) {
	await test("table: keys widen a column, move it and hide it; the address keeps that", () => visit(browser, file, async (page) => {
		const before = await heads(page);
		const width = await widthOf(page, before[2]);

		await page.locator(".grid").focus();
		await press(page, "ArrowRight", "ArrowRight", "+", "+", "Shift+ArrowRight");
		const moved = [...before.slice(0, 2), before[3], before[2], ...before.slice(4)];

		assert.deepEqual(await heads(page), moved);
		assert.equal(await widthOf(page, before[2]), width + 32);
		assert.equal(await page.locator(".head.cursor").getAttribute("data-column"), before[2]);
		await press(page, "ArrowLeft", "h");
		assert.deepEqual(await heads(page), moved.filter((key) => key !== before[3]));
		await press(page, "Home", "ArrowLeft", "ArrowLeft", "h", "Shift+ArrowRight");
		assert.equal((await heads(page))[0], "name", "the first column neither goes nor moves");
		await page.waitForFunction(() => location.hash.includes("columns="));
		const laid = await heads(page);
		const hash = await page.evaluate(() => location.hash);

		await visit(browser, file, async (other) => {
			assert.deepEqual(await heads(other), laid);
			assert.equal(await widthOf(other, before[2]), width + 32);
		}, { hash });
	}));

	await test("table: headings are dragged to another place and by their edge, and that sorts nothing", () =>
		visit(browser, file, async (page) => {
			const before = await heads(page);
			const [width, next] = [await widthOf(page, before[2]), await widthOf(page, before[3])];
			const sorted = await state(page).then(({ sort, descending }) => [sort, descending]);

			await dragHead(page, before[2], 50, true);
			assert.equal(await widthOf(page, before[2]), width + 50);
			await dragHead(page, before[2], (width + 50 + next) / 2);
			assert.deepEqual((await heads(page)).slice(2, 4), [before[3], before[2]]);
			assert.deepEqual(await state(page).then(({ sort, descending }) => [sort, descending]), sorted);
			await sortBy(page, before[3]);
		}));

	await test("table: the menu hides columns and shows them again, in all tables", () => visit(browser, file, async (page) => {
		const before = await heads(page);
		const menu = page.locator(".table-view .columns-menu");

		await menu.locator("summary").focus();
		await press(page, "Enter");
		assert.ok(await menu.locator('input[name="preempted"]').evaluate((box) => {
			const { x, y } = box.getBoundingClientRect();

			return document.elementFromPoint(x + 4, y + 4) === box;
		}), "what it offers is not covered, nor cut off");
		await menu.locator('input[name="preempted"]').focus();
		await press(page, " ");
		assert.deepEqual(await heads(page), before.filter((key) => key !== "preempted"));
		await press(page, "Escape");
		assert.equal(await menu.getAttribute("open"), null);
		await choose(page, "table", "Coroutines");
		assert.ok(!(await heads(page)).includes("preempted"));
		await choose(page, "table", "Labels");
		await menu.locator("summary").click();
		await menu.locator("button").click();
		await settle(page);
		assert.deepEqual(await heads(page), before);
	}));

	await test("table: the menu of columns is within a window that is low", () => visit(browser, file, async (page) => {
		for (const hash of ["overview", "table"]) {
			await page.evaluate((view) => window.coroprof.store.set({ view }), hash);
			await page.locator(".table-view .columns-menu summary").click();
			await settle(page);
			const { y, height } = await page.locator(".table-view .columns-list").boundingBox();

			assert.ok(y >= 0 && y + height <= 360, `from ${y} to ${y + height}`);
			assert.ok(height > 120, `${height} high`);
			await page.keyboard.press("Escape");
		}
	}, { size: { width: 1400, height: 360 } }));

	await test("table: the running time that 99 % of the slices do not exceed is in view at a width of 1400", () => visit(browser, file, async (page) => {
		const { x, width } = await page.locator('.table-view .head[data-column="p99"]').boundingBox();
		const grid = await page.locator(".table-view .grid").boundingBox();

		assert.ok(x + width <= grid.x + grid.width, `it ends at ${x + width}, the table at ${grid.x + grid.width}`);
	}, { size: { width: 1400, height: 900 } }));
}

export async function tableTests(browser, file, data, made) {
	const { labels, coroutines, total } = data;
	const first = labels.name.indexOf(order(data, labels.times.running, -1)[0]);

	await shareTests(browser, file, data, made);
	await namesTests(browser, file, data);

	await test("table: rows of labels have the figures of the data", () => visit(browser, file, async (page) => {
		assert.deepEqual(await column(page, "name"), order(data, labels.times.running, -1));
		assert.equal(await cell(page, 0, "slices"), whole.format(labels.times.slices[first]));
		assert.equal(await cell(page, 0, "coroutines"), String(labels.coroutines[first]));
		const ipc = labels.values[1].count[first] / labels.values[0].count[first];

		assert.equal(await cell(page, 0, "ipc"), ipc.toFixed(2));
		const ms = labels.times.running[first] / 1e6;

		assert.equal((await cell(page, 0, "running")).replace(/\s/u, " "), `${ms.toPrecision(3)} ms`);
	}));

	await columnTests(browser, file);

	await test("table: a click on a heading sorts, another turns the order", () => visit(browser, file, async (page) => {
		await sortBy(page, "slices");
		assert.equal(await aria(page, "slices"), "descending");
		assert.equal(await aria(page, "running"), "none");
		assert.deepEqual(await column(page, "name"), order(data, labels.times.slices, -1));
		await sortBy(page, "slices");
		assert.equal(await aria(page, "slices"), "ascending");
		assert.deepEqual(await column(page, "name"), order(data, labels.times.slices, 1));
		await sortBy(page, "name");
		assert.deepEqual(await column(page, "name"), [...labels.name].sort(new Intl.Collator("en").compare));
	}));

	await test("table: the keyboard sorts, moves, opens and goes back", () => visit(browser, file, async (page) => {
		await page.locator(".grid").focus();
		for (let at = 0; at < 4; at++)
			await page.keyboard.press("ArrowRight");
		await page.keyboard.press("Enter");
		await settle(page);
		assert.equal(await aria(page, "slices"), "descending");
		await page.keyboard.press("Enter");
		await settle(page);
		assert.equal(await aria(page, "slices"), "ascending");
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("ArrowDown");
		await settle(page);
		const name = order(data, labels.times.slices, 1)[1];

		assert.equal(await page.locator('.grid-row[aria-selected="true"] [data-column="name"]').innerText(), name);
		const active = await page.locator(".grid").getAttribute("aria-activedescendant");

		assert.equal(active, "cell-1-4");
		await page.keyboard.press("Enter");
		await settle(page);
		assert.deepEqual([...new Set(await column(page, "name"))], [name]);
		await page.keyboard.press("Escape");
		await settle(page);
		assert.equal((await state(page)).by, "label");
	}));

	await test("table: toggles between labels, coroutines and threads", () => visit(browser, file, async (page) => {
		const rows = () => page.locator(".grid").getAttribute("aria-rowcount").then(Number);

		assert.equal(await rows(), labels.n + 1);
		await choose(page, "table", "Coroutines");
		assert.equal(await rows(), coroutines.n + 1);
		const most = coroutines.times.running.indexOf(Math.max(...coroutines.times.running));

		assert.equal(await cell(page, 0, "id"), String(coroutines.id[most]));
		await choose(page, "table", "Threads");
		assert.equal(await rows(), data.threads.n + 1);
		assert.equal(await cell(page, 0, "sums"), "hold");
	}));

	await test("table: only rows in view exist, and scrolling brings the others", () => visit(browser, file, async (page) => {
		await choose(page, "table", "Coroutines");
		assert.ok(await page.locator(".grid-body .grid-row").count() < 60);
		await page.locator(".grid").evaluate((grid) => { grid.scrollTop = grid.scrollHeight; });
		await settle(page);
		assert.equal(await page.locator(`.grid-row[data-at="${coroutines.n - 1}"]`).count(), 1);
	}));

	await test("table: the filter keeps what matches, all of its words", () => visit(browser, file, async (page) => {
		await page.locator(".filter").fill("HTTP");
		await settle(page);
		assert.deepEqual((await column(page, "name")).sort(), labels.name.filter((name) => /http/i.test(name)).sort());
		await page.locator(".filter").fill("http request");
		await settle(page);
		assert.deepEqual(await column(page, "name"), ["http::serve_request"]);
		await page.locator(".filter").fill("nothing of that name");
		await settle(page);
		assert.equal(await page.locator(".grid-body .grid-row").count(), 0);
		assert.ok(await page.locator(".grid-empty").isVisible());
	}));

	await test("table: figures per slice and as shares", () => visit(browser, file, async (page) => {
		await choose(page, "table", "Per slice");
		const top = labels.name.indexOf(await cell(page, 0, "name"));
		const mean = labels.times.running.map((ns, at) => ns / labels.times.slices[at]);

		assert.equal(mean[top], Math.max(...mean));
		assert.equal((await cell(page, 0, "running")).replace(/\s/u, " "), `${(mean[top] / 1e3).toPrecision(3)} us`);
		const { suspended, gaps } = labels.times;

		assert.equal((await cell(page, 0, "suspended")).replace(/\s/u, " "), `${(suspended[top] / gaps[top] / 1e3).toPrecision(3)} us`);
		await choose(page, "table", "Share");
		const share = labels.times.running[first] / total.times.running[0] * 100;

		assert.equal((await cell(page, 0, "running")).replace(/\s/u, " "), `${share.toFixed(1)} %`);
	}));

	await test("table: what was not counted reads so, scaled figures are marked", () => visit(browser, file, async (page) => {
		for (const text of await column(page, "stalled-cycles-backend"))
			assert.equal(text, "unsupported");
		for (const text of await column(page, "branch-misses"))
			assert.equal(text, "not scheduled");
		for (const text of await column(page, "cache-misses"))
			assert.match(text, /^~\d/);
		for (const mode of ["Per slice", "Share"]) {
			await choose(page, "table", mode);
			assert.equal(await cell(page, 0, "stalled-cycles-backend"), "unsupported");
		}
		await sortBy(page, "stalled-cycles-backend");
		assert.equal((await column(page, "name")).length, labels.n);
	}));

	await test("table: a click counts although the cells are drawn anew under it", () => visit(browser, file, async (page) => {
		const box = await page.locator('.head[data-column="slices"]').boundingBox();
		const before = await aria(page, "slices");

		await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
		await page.mouse.down();
		await page.evaluate(() => document.querySelector(".grid").dispatchEvent(new Event("scroll")));
		await settle(page);
		await page.mouse.up();
		await settle(page);
		assert.notEqual(await aria(page, "slices"), before);
	}));

	await test("table: a tooltip has the figure in full", () => visit(browser, file, async (page) => {
		await page.locator('.grid-row[data-at="0"] [data-column="cycles"]').scrollIntoViewIfNeeded();
		await page.locator('.grid-row[data-at="0"] [data-column="cycles"]').hover();
		const tip = await page.locator(".tip").innerText();

		assert.ok(tip.includes(whole.format(labels.values[0].count[first])), tip);
		assert.ok(tip.includes("counted"), tip);
	}));

	await test("table: a click on a label shows its details", () => visit(browser, file, async (page) => {
		/* As slowly as a hand: what is pressed must still be there when it is let go. */
		await page.locator('.grid-row[data-at="0"] [data-column="name"]').click({ delay: 100 });
		await settle(page);
		const details = await page.locator(".details").innerText();

		assert.ok(details.includes(labels.name[first]), details);
		for (const word of ["p50", "p95", "p99", "Woken by", "awaiting"])
			assert.ok(details.includes(word), `${word} in ${details}`);
		assert.ok(await page.locator(".details .bar-count").count() > 3);
		await page.locator(".details .facts .link").first().click();
		await settle(page);
		assert.equal(Number(await page.locator(".grid").getAttribute("aria-rowcount")) - 1, labels.coroutines[first]);
	}));

	await test("table: details of a coroutine lead to its parent", () => visit(browser, file, async (page) => {
		const child = coroutines.id.findIndex((id) => id === 200);

		await page.evaluate((index) => window.coroprof.store.select("coroutine", index), child);
		await settle(page);
		await page.locator(".details .facts .link", { hasText: `#${coroutines.parent[child]}` }).click();
		assert.deepEqual((await state(page)).selected, { kind: "coroutine", index: coroutines.parent[child] - 1 });
	}));

	await test("table: copies plain numbers and their standing as TSV", () => visit(browser, file, async (page) => {
		await page.evaluate(() => {
			navigator.clipboard.writeText = async (text) => { window.copied = text; };
		});
		await page.getByText("Copy TSV").click();
		const lines = (await page.evaluate(() => window.copied)).trim().split("\n").map((line) => line.split("\t"));
		const at = (name) => lines[0].indexOf(name);

		assert.equal(lines.length, labels.n + 1);
		assert.equal(lines[1][at("label")], labels.name[first]);
		assert.equal(lines[1][at("cycles")], String(labels.values[0].count[first]));
		assert.equal(lines[1][at("cache-misses (standing)")], "scaled");
		assert.equal(lines[1][at("stalled-cycles-backend")], "unsupported");
		assert.ok(lines.every((line) => line.length === lines[0].length));
	}));

	await test("table: what is hidden is not copied, and what is moved is where it stands", () => visit(browser, file, async (page) => {
		await page.evaluate(() => {
			navigator.clipboard.writeText = async (text) => { window.copied = text; };
		});
		const shown = await page.locator(".table-view .head > span:first-child").allInnerTexts();

		await page.getByText("Copy TSV").click();
		const [head, ...rows] = (await page.evaluate(() => window.copied)).trim().split("\n").map((line) => line.split("\t"));

		assert.deepEqual(head.filter((name) => !name.endsWith("(standing)")), shown);
		assert.ok(shown.includes("slices") && shown.indexOf("slices") < shown.indexOf("own time"));
		assert.ok(!shown.includes("running"));
		assert.ok(rows.every(({ length }) => length === head.length));
	}, { hash: "#view=table&order=slices,states&columns=!running,!cycles" }));

	await test("table: the address of the page carries what was chosen", () => visit(browser, file, async (page) => {
		assert.equal((await state(page)).by, "coroutine");
		assert.equal(await page.locator(".filter").inputValue(), "gc");
		assert.equal(await aria(page, "slices"), "ascending");
		await page.locator(".filter").fill("tick");
		await page.waitForFunction(() => location.hash.includes("filter=tick"));
	}, { hash: "#by=coroutine&filter=gc&sort=slices" }));
}
