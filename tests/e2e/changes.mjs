// SPDX-License-Identifier: GPL-2.0
/* Two recordings in one page: what is known to differ is what the tab says. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { settle, visit } from "./browser.mjs";
import { tablesIn } from "./rows.mjs";
import { dataOf } from "./tables.mjs";
import { test } from "./tap.mjs";

const plain = (text) => text.replace(/\u202f/g, " ");
const button = (page, text) => page.locator(".changes-view button", { hasText: text });
const LOOKS = [["light", "light", 1400], ["dark", "dark", 1400], ["narrow", "light", 800], ["narrow-dark", "dark", 800]];
const quiet = { stdio: ["ignore", "ignore", "pipe"] };

/** The page of recordings of calls-gen, two runs of a side, each made with @args. */
function pageOf({ callsGenerator, reader, out }, name, args) {
	const file = join(out, `${name}.html`);
	const [old, now] = args.map((each, at) => ["", "-again"].map((run) => {
		const recording = join(out, `${name}-${at}${run}.cprof`);

		execFileSync(callsGenerator, [recording, ...each]);
		return recording;
	}));

	execFileSync(reader, ["-o", file, "--diff", ...old, "--", ...now], quiet);
	return { file, old, now };
}

async function rows(page) {
	return page.locator(".changes.rows tbody tr").evaluateAll((all) => all.map((row) =>
		[...row.children].map((cell) => cell.textContent.replace(/\u202f/g, " "))));
}

/** In a page a quotient has the precision of 32 bits: a tie may be rounded the other way. */
const same = (shown, said) => shown === said || Math.abs(Number(shown) - Number(said)) <= 0.0101;

/** Boxes of the flame graph by their names, from the top: left and width in shares, and what is behind their colour. */
async function boxes(page) {
	return page.locator(".change-box").evaluateAll((all) => all.map((box) => ({
		name: box.innerText, left: parseFloat(box.style.left), width: parseFloat(box.style.width), top: parseFloat(box.style.top),
		colour: box.style.background, at: box.getBoundingClientRect().left,
	})));
}

/** Of cprof-gen: of "requests" and "requests-heavier" heavy alone has more work, by 10 %. */
async function answerTests(browser, { generator, reader, out }) {
	const [old, now, same] = ["requests", "requests-heavier", "requests-again"].map((name) => {
		const recording = join(out, `changes-${name}.cprof`);

		execFileSync(generator, [recording, name]);
		return recording;
	});
	const run = (...args) => execFileSync(reader, ["--diff", old, ...args], { stdio: ["ignore", "pipe", "ignore"] }).toString();
	const [file, none] = ["html", "none.html"].map((end) => join(out, `changes-answer.${end}`));
	const said = /^heavy@handlers\.lua:31: instructions\/coroutine \+\d+\.\d %, \d+ k -> \d+ k; that is \d+\.\d % of all that changed$/;

	run("-o", file, now);
	run("-o", none, same);
	await test("changes: text, JSON and page begin with the one label that the generator made heavier", () => visit(browser, file, async (page) => {
		const first = page.locator(".changes-view .answers li").first();
		const text = run(now).split("\n")[0].replace(/^changed +/, "");

		assert.match(text, said);
		assert.equal(tablesIn(run("--table", "answers", "--format", "json", now)).answers.rows[0].text, text);
		assert.equal(plain(await first.innerText()), text);
		assert.equal(await page.locator(".changes-view .answers li").count(), 1);
		const [top, line] = await Promise.all([".changes-view", ".answers li summary"].map((at) => page.locator(at).first().boundingBox()));

		assert.ok(line.y - top.y < 40, `the answer is ${line.y - top.y} below the top of its view`);
		assert.equal(await page.locator(".answers tbody tr:visible").count(), 0, "its figures are folded");
		await first.locator("summary").click();
		/* Instructions by slice and by coroutine: of one run each times have no verdict. */
		assert.equal(await page.locator(".answers tbody tr:visible").count(), 2);
		for (const [name, label] of await rows(page))
			assert.equal(label || name, "heavy@handlers.lua:31");
	}));
	await test("changes: of a load that has not changed the page begins with that", () => visit(browser, none, async (page) => {
		assert.equal(await page.locator(".changes-view .answers li").first().innerText(), "nothing has changed beyond noise: no label, span or function");
	}));
	for (const [name, scheme, width] of LOOKS)
		await test(`look: changes, the answer, ${name}`, () => visit(browser, file, async (page) => {
			await page.locator(".answers summary").first().click();
			await settle(page);
			await page.screenshot({ path: join(out, `changes-answer-${name}.png`) });
			const past = await page.locator("html").evaluate((element) => element.scrollWidth - element.clientWidth);

			assert.ok(past <= 0, `the page is ${past} wider than there is room`);
		}, { scheme, size: { width, height: 900 } }));
}

/** Lines of cprof-gen's "requests" that moved, and what a condition ends in. */
async function gateTests({ generator, reader, out }) {
	const [old, ...others] = ["requests", "requests-again", "requests-moved", "requests-two"].map((name) => {
		const recording = join(out, `gate-${name}.cprof`);

		execFileSync(generator, [recording, name]);
		return recording;
	});
	const ends = others.map((now) => spawnSync(reader, ["--diff", old, "--fail-if", "instructions/coroutine > +5%", "--table", "answers", now]));

	await test("--fail-if: exits with 0 where nothing changed, 1 where a label whose line moved has more, 4 where lines can't be paired", () => {
		assert.deepEqual(ends.map(({ status }) => status), [0, 1, 4]);
		assert.match(String(ends[2].stderr), /label heavy@handlers\.lua:31 is in the old recording only, with \S+ % of its running time/);
		assert.match(String(ends[2].stderr), /lines that can't be paired: heavy@handlers\.lua:31, now heavy@handlers\.lua:33, heavy@handlers\.lua:40/);
	});
}

async function figureTests(browser, { file, old, now }, reader) {
	await test("changes: what takes more is named, and nothing else", () => visit(browser, file, async (page) => {
		const told = await rows(page);

		assert.equal(await page.locator('[role="tab"][aria-selected="true"]').innerText(), "Changes");
		assert.deepEqual(told.slice(0, 2).map(([name, , figure, , , , , change, verdict]) => [name, figure, change, verdict]), [
			["odd", "cycles/slice", "+10.0 %", "more"], ["odd", "ipc", "~-9.1 %", "less"],
		]);
		/* Each slice of it has one more sample, in leaf. */
		assert.deepEqual(told.slice(2).map(([name, label, figure, , , , , , verdict]) => [name, label, figure, verdict]).sort(), [
			["gen_leaf", "odd", "own/slice", "more"], ["gen_leaf", "odd", "total/slice", "more"],
			["gen_parse", "odd", "total/slice", "more"], ["gen_serve", "odd", "total/slice", "more"],
		]);
		assert.deepEqual([told[0][3], told[0][5]], ["300 k", "330 k"]);
	}));
	await test("changes: all figures are those of the reader's table", () => visit(browser, file, async (page) => {
		await button(page, "all figures").click();
		const lines = execFileSync(reader, ["--table", "changes", "--diff", ...old, "--", ...now], { stdio: ["ignore", "pipe", "pipe"] }).toString().split("\n");
		const table = lines.slice(lines.findIndex((line) => line.startsWith("name ")) + 1).filter(Boolean).map((line) => line.trim().split(/ {2,}/));
		const shown = (await rows(page)).map(([name, label, ...rest]) => [name, label || "-", ...rest]);

		assert.ok(table.length > 60, `${table.length} figures`);
		assert.equal(shown.length, table.length);
		for (const [at, cells] of table.entries())
			for (const cell of [0, 1, 2, 3, 5, 8])
				assert.ok(same(shown[at][cell], cells[cell]), `${shown[at]} is not ${cells}`);
	}));
	await test("changes: a tip says of how many coroutines a figure is", () => visit(browser, file, async (page) => {
		await page.locator(".answers summary").first().click();
		await page.locator(".changes.rows tbody tr").first().hover();
		const said = await page.locator(".tip").innerText();

		assert.match(said, /odd: cycles\/slice[\s\S]*coroutines, old\s+16[\s\S]*coroutines, new\s+16/);
	}));
}

async function flameTests(browser, { file }) {
	await test("changes: the flame graph is as wide as the new recording, and red where a slice takes more", () => visit(browser, file, async (page) => {
		const { change_tree: tree } = dataOf(file);
		const [odd, even] = ["odd", "even"].map((name) => tree.name.findIndex((each, row) => each === name && tree.of[row] === 1));
		const all = tree.new_total[odd] + tree.new_total[even];

		assert.deepEqual([tree.old_total[odd], tree.new_total[odd], all], [800, 1600, 2400]);
		await button(page, "samples").click();
		const drawn = await boxes(page);
		const named = (name) => drawn.find((box) => box.name === name);

		assert.ok(Math.abs(named("odd").width - 100 * 1600 / all) < 0.01);
		assert.ok(Math.abs(named("even").width - 100 * 800 / all) < 0.01);
		assert.equal(named("even").left, named("odd").width, "beside each other");
		assert.match(named("odd").colour, /--bad\) 60%/);
		assert.match(named("even").colour, /0%/);
		await page.locator(".change-box", { hasText: "odd" }).hover();
		assert.match(plain(await page.locator(".tip").innerText()), /old, a slice\s+1\.00[\s\S]*new, a slice\s+2\.00[\s\S]*change\s+\+100\.0 %/);
		await button(page, "spans").click();
		for (const { name, colour } of await boxes(page))
			assert.match(colour, /0%/, `${name} takes as long as before`);
	}));
	await test("changes: a click on a box zooms, and another one goes back", () => visit(browser, file, async (page) => {
		await button(page, "samples").click();
		const before = await boxes(page);

		await page.locator(".change-box", { hasText: "even" }).click();
		assert.deepEqual((await boxes(page)).slice(0, 2).map(({ name, width }) => [name, width]), [["even", 100], ["gen_serve", 100]]);
		await page.locator(".change-box", { hasText: "even" }).click();
		assert.deepEqual((await boxes(page)).map(({ name, width }) => [name, width]), before.map(({ name, width }) => [name, width]));
	}));
}

async function factTests(browser, programs) {
	const { generator, reader, out } = programs;
	const other = join(out, "changes-other.cprof");
	const [calls, file] = ["changes-plain-0.cprof", "changes-other.html"].map((name) => join(out, name));

	execFileSync(generator, [other, "server"]);
	execFileSync(reader, ["-o", file, "--diff", calls, other], quiet);
	await test("changes: recordings that differ in more than the program say so", () => visit(browser, file, async (page) => {
		assert.match(await page.locator(".changes-view .caution").innerText(), /differ in .*events.*samples/);
		const facts = await page.locator(".changes.facts tr.differs").allInnerTexts();

		assert.ok(facts.some((row) => /events\s+cycles, instructions\s+cycles, instructions, cache-misses, branch-misses/.test(row)), facts.join("\n"));
		assert.deepEqual([...new Set((await rows(page)).map(([, , , , , , , , verdict]) => verdict))].sort(), ["added", "gone"]);
	}));
}

async function pictures(browser, { file }, out) {
	for (const [name, scheme, width] of LOOKS)
		await test(`look: changes, ${name}`, () => visit(browser, file, async (page) => {
			await button(page, "samples").click();
			await settle(page);
			await page.screenshot({ path: join(out, `changes-${name}.png`) });
			const past = await page.locator("html").evaluate((element) => element.scrollWidth - element.clientWidth);

			assert.ok(past <= 0, `the page is ${past} wider than there is room`);
		}, { scheme, size: { width, height: 900 } }));
}

export async function changesTests(browser, programs) {
	const heavier = pageOf(programs, "changes", [[], ["heavier"]]);
	const same = pageOf(programs, "changes-plain", [[], []]);

	await answerTests(browser, programs);
	await gateTests(programs);
	await figureTests(browser, heavier, programs.reader);
	await flameTests(browser, heavier);
	await test("changes: of two recordings of the same nothing is named", () => visit(browser, same.file, async (page) => {
		assert.match(await page.locator(".changes-view").innerText(), /No label has changed beyond noise/);
		assert.equal((await rows(page)).length, 0);
		assert.equal(await page.locator(".changes-view .caution").count(), 0);
	}));
	await factTests(browser, programs);
	await pictures(browser, heavier, programs.out);
}
