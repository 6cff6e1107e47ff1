// SPDX-License-Identifier: GPL-2.0
/*
 * Flame graphs and functions of the samples that fit what is chosen: the figures that the
 * reader's tables of these samples sum to.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { settle, state, visit } from "./browser.mjs";
import { flame, plain, press, ROW, tipAt, view } from "./calls.mjs";
import { test } from "./tap.mjs";

const HELD = 50000;
const [FROM, TO] = [1050000, 30150000];

/** A table of the reader, as rows by column. */
function csv(reader, recording, table, args = []) {
	const text = execFileSync(reader, ["-q", "--table", table, "--format", "csv", "-o", "-", ...args, recording], { encoding: "utf8" });
	const [titles, ...rows] = text.trim().split("\r\n").map((line) => line.split(","));

	return rows.map((cells) => Object.fromEntries(titles.map((title, at) => [title, cells[at]])));
}

/** { function: [own, total] }, and how many samples there are of each label, of those that --where and @test leave. */
function truth({ reader, recording }, wheres, test = () => true) {
	const tree = csv(reader, recording, "sample_tree");
	const samples = csv(reader, recording, "timeline_samples", wheres.flatMap((where) => ["--where", where]));
	const sums = { functions: {}, labels: {}, all: 0 };

	for (const { call } of samples.filter((sample) => test({ ...sample, label: tree[sample.call].label_name }))) {
		const stack = new Set();

		for (let node = tree[call]; node; node = node.parent === "" ? null : tree[node.parent])
			stack.add(node.function_name);
		for (const name of stack)
			(sums.functions[name] ??= [0, 0])[1]++;
		sums.functions[tree[call].function_name][0]++;
		sums.labels[tree[call].label_name] = (sums.labels[tree[call].label_name] ?? 0) + 1;
		sums.all++;
	}
	return sums;
}

/** What a table of functions of the reader says. */
const figures = (rows) => Object.fromEntries(rows.map(({ name, own, total }) => [name, [Number(own), Number(total)]]));

async function table(page) {
	await settle(page);
	return Object.fromEntries(await view(page, "samples").locator(".grid-body .grid-row").evaluateAll((rows) => rows.map((row) => {
		const text = (key) => row.querySelector(`[data-column="${key}"]`).innerText;

		return [text("name"), [Number(text("own").replace(/\D/gu, "")), Number(text("total").replace(/\D/gu, ""))]];
	})));
}

const set = async (page, change) => {
	await page.evaluate((change) => window.coroprof.store.set(change), change);
	await settle(page);
};

/** Selects a row by what it is called in a column of its table. */
async function select(page, kind, column, value) {
	await page.evaluate(([kind, column, value]) => {
		const { store, profile } = window.coroprof;
		const row = [...profile[`${kind}s`][column]].findIndex((of) => String(of) === value);

		store.select(kind, row);
	}, [kind, column, value]);
	await settle(page);
}

const notes = async (page) => (await page.locator(".chips .chip-note").allInnerTexts()).filter((text) => !text.startsWith("a command")).join("; ");

/** The table, the menu and the graph, from all to the outermost function, of the label with most samples. */
async function same(page, { functions, labels, all }, { label = null, whole = "all that is chosen" } = {}) {
	const samples = (n) => `samples ${n.toLocaleString("en-US")}`;
	const [[first, most]] = Object.entries(labels).sort(([, a], [, b]) => b - a);

	assert.deepEqual(await table(page), functions);
	for (const [name, n] of Object.entries(labels))
		assert.ok((await view(page, "samples").getByLabel("Coroutines", { exact: true }).locator("option").allInnerTexts())
			.map(plain).includes(`${name}: ${n} sample${n === 1 ? "" : "s"}`), name);
	await view(page, "samples").getByLabel("Graph", { exact: true }).selectOption("calls");
	await settle(page);
	for (const [row, head, n] of [[0, whole, all], [1, label ?? first, label ? labels[label] : most], [2, "gen_serve", null]]) {
		const tip = await tipAt(page, "samples", 5, row);

		assert.ok(tip.startsWith(head), tip);
		assert.ok(n === null || tip.includes(samples(n)), `${tip}: not ${n}`);
	}
	await view(page, "samples").getByLabel("Graph", { exact: true }).selectOption("merged");
	await settle(page);
	if (!label)
		assert.ok((await tipAt(page, "samples", 5, 1)).includes(samples(functions.gen_serve[1])));
}

async function kindTests(browser, made) {
	const { reader, recording, file, out } = made;
	const open = (name, use) => test(`sampled: ${name}`, () => visit(browser, file, use, { hash: "#view=samples" }));

	await open("of all, as the table of functions has them", async (page) => {
		const all = truth(made, []);

		assert.deepEqual(all.functions, figures(csv(reader, recording, "functions")));
		await same(page, all, { whole: "all coroutines" });
		/* All of them again, as sums of single ones. */
		await set(page, { filter: "process=*" });
		await same(page, all);
		await set(page, { filter: "" });
		await same(page, all, { whole: "all coroutines" });
	});
	await open("of a time, as --from and --to have them", async (page) => {
		const part = figures(csv(reader, recording, "functions", ["--from", `${FROM / 1e9}`, "--to", `${TO / 1e9}`]));
		const inside = truth(made, [], ({ time }) => Number(time) >= FROM && Number(time) < TO);

		assert.deepEqual(inside.functions, part, "with its begin, without its end");
		assert.notDeepEqual(part, figures(csv(reader, recording, "functions")));
		await set(page, { from: FROM, to: TO });
		await same(page, inside);
		assert.equal(await notes(page), "details are of the whole recording but for their first part");
		await set(page, { of: "gen_parse" });
		assert.equal(await notes(page), "");
		const said = plain(await page.locator(".details").innerText());

		assert.match(said, new RegExp(`own\\s+${part.gen_parse[0]}\\s[^]*total\\s+${part.gen_parse[1]}\\s`, "u"));
		assert.match(said, /in\s+all that is chosen/u);
		assert.match(said, /Source lines\s+Known of all samples only/u);
		await page.screenshot({ path: join(out, "sampled-time.png") });
		await page.locator('.chips [aria-label="No time"]').click();
		await same(page, truth(made, []), { whole: "all coroutines" });
	});
	await open("of a coroutine, and of it in a time", async (page) => {
		await select(page, "coroutine", "id", "203");
		const all = truth(made, ["coroutine=odd #203"]);

		assert.ok(all.all > 10);
		await same(page, all);
		await set(page, { from: FROM, to: TO });
		const part = truth(made, ["coroutine=odd #203"], ({ time }) => Number(time) >= FROM && Number(time) < TO);

		assert.ok(part.all < all.all);
		await same(page, part);
		await set(page, { shape: "calls" });
		await flame(page, "samples").click({ position: { x: 5, y: 2 * ROW + 8 } });
		await settle(page);
		assert.equal((await state(page)).selected.kind, "coroutine", "a zoom does not let go of it");
		assert.deepEqual(await table(page), part.functions);
	});
	await open("of a label in a time, also of one that has none then", async (page) => {
		await set(page, { from: FROM, to: TO });
		await select(page, "label", "name", "odd");
		const inside = ({ time }) => Number(time) >= FROM && Number(time) < TO;

		await same(page, { ...truth(made, [], (sample) => inside(sample) && sample.label === "odd"),
			all: truth(made, [], inside).all }, { label: "odd", whole: "all labels" });
		/* That of the first coroutine, which is even. */
		await set(page, { from: 0, to: 100000 });
		assert.deepEqual(await table(page), {});
		await set(page, { selected: null });
		assert.deepEqual(await table(page), truth(made, [], ({ time }) => Number(time) < 100000).functions);
		await set(page, { from: 60000, to: 60001 });
		assert.deepEqual(await table(page), {});
		assert.equal(await view(page, "samples").locator(".grid-empty").first().innerText(), "No sample fits what is chosen.");
	});
	await open("of a filter by coroutines, of which the table had no room for some, a note says so", async (page) => {
		await page.evaluate(() => { window.coroprof.profile.recording.folded_coroutines = 3; });
		await set(page, { filter: "thread=77" });
		assert.equal(await notes(page), "");
		await set(page, { filter: "id=101" });
		assert.equal(await notes(page), "samples of 3 coroutines that the table has no room for are left out");
	});
	for (const [by, filter, wheres, test] of [
		["label", "thread=78", ["thread=calls 78"]], ["label", "id=20[0-3]", ["coroutine=* #20[0-3]"]],
		["coroutine", "tag=0 label=odd", ["coroutine=odd *"]], ["thread", "tid=77", ["thread=calls 77"]],
		["label", "even", [], ({ label }) => label === "even"], ["label", "process=*77* id=1* name=o*", ["coroutine=odd #1*"]],
	])
		await open(`of what fits the filter ${filter}, by ${by}`, async (page) => {
			const fit = truth(made, wheres, test);

			assert.ok(fit.all && fit.all < truth(made, []).all);
			await set(page, { by, filter });
			await same(page, fit);
			assert.equal(await notes(page), "");
		});
}

/** Known without the reader: of thread 77 leaf and parse, once each; of 78 leaf. */
async function threadTests(browser, { file }) {
	await test("sampled: of a thread, by the table, the graph, keys and a zoom, which keeps the thread", () => visit(browser, file, async (page) => {
		await select(page, "thread", "tid", "77");
		await same(page, { functions: { gen_leaf: [1, 1], gen_parse: [1, 2], gen_serve: [0, 2] }, labels: { odd: 2 }, all: 2 });
		await set(page, { shape: "inverted" });
		assert.match(await tipAt(page, "samples", 5, 0), /samples 2 samples/);
		await set(page, { shape: "calls" });
		await flame(page, "samples").focus();
		await press(page, "ArrowDown", "Enter");
		assert.deepEqual((await state(page)).selected, { kind: "thread", index: 0 });
		assert.ok((await tipAt(page, "samples", 5, 1)).startsWith("odd"));
		await press(page, "Home");
		assert.deepEqual((await state(page)).selected, { kind: "thread", index: 0 });
		await select(page, "thread", "tid", "78");
		await same(page, { functions: { gen_leaf: [1, 1], gen_parse: [0, 1], gen_serve: [0, 1] }, labels: { even: 1 }, all: 1 });
	}, { hash: "#view=samples" }));
}

async function unheldTests(browser, { file, reader, recording }) {
	const why = `: there are more than the ${HELD.toLocaleString("en-US")} that a page holds one by one`;

	await test("sampled: of more than a page holds one by one, the figures stay those of all, and a note says why", () => visit(browser, file, async (page) => {
		const all = figures(csv(reader, recording, "functions"));

		/* In the kernel is what has no function of its own. */
		assert.equal(Object.values(all).reduce((sum, [own]) => sum + own, 0), HELD + 1);
		await page.evaluate(() => window.coroprof.store.select("thread", 0));
		await settle(page);
		assert.equal(await notes(page), `samples are of all threads${why}`);
		assert.ok((await tipAt(page, "samples", 5, 0)).includes(`samples ${(HELD + 1).toLocaleString("en-US")}`));
		await set(page, { from: 0, to: 10000, filter: "tag=7" });
		assert.equal(plain(await notes(page)),
			`samples are of the whole recording, of all threads, of all that the filter leaves out, too${why}; details are of the whole recording but for their first part`);
		assert.ok((await tipAt(page, "samples", 5, 0)).includes(`samples ${(HELD + 1).toLocaleString("en-US")}`));
	}, { hash: "#view=samples" }));
}

export async function sampledTests(browser, { callsGenerator, reader, out }) {
	const made = (story) => {
		const [recording, file] = ["cprof", "html"].map((end) => join(out, `sampled-${story}.${end}`));

		execFileSync(callsGenerator, [recording, ...story === "plain" ? [] : [story]]);
		execFileSync(reader, ["-o", file, recording], { stdio: ["ignore", "ignore", "pipe"] });
		return { reader, recording, file, out };
	};

	await kindTests(browser, made("plain"));
	await threadTests(browser, made("moments"));
	await unheldTests(browser, made("sampled"));
}
