// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines of a function in the page: a recording with a sample at each address of an
 * object, of which addr2line, and the table that the reader writes, say what is to be there.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { basename, join } from "node:path";
import { settle, visit } from "./browser.mjs";
import { plain } from "./calls.mjs";
import { test } from "./tap.mjs";

const SHOWN = 12;

/** The section, and what it says: rows of source, own and total; plain spaces. */
const section = (page) => page.locator(".details section", { has: page.locator("h3", { hasText: /^Source lines$/ }) });
const rows = (page) => section(page).locator("tbody tr").evaluateAll((all) =>
	all.map((row) => [...row.children].map((cell) => cell.textContent.replace(/[\u202f,]/g, ""))));

/** Where the functions of an object begin and end. */
function functionsOf(object) {
	const text = execFileSync("nm", ["-S", "--defined-only", object], { encoding: "utf8" });

	return [...text.matchAll(/^(\w+) (\w+) [tT] (\w+)$/gmu)].map(([, begin, size]) => [parseInt(begin, 16), parseInt(begin, 16) + parseInt(size, 16)]);
}

function code(object) {
	const functions = functionsOf(object);

	return [Math.min(...functions.map(([begin]) => begin)), Math.max(...functions.map(([, end]) => end))];
}

function make({ modules, reader, out }, name, story = []) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `${name}.${end}`));
	const object = join(modules, `${name}.so`);
	/* That of which nothing is known has the same code. */
	const known = name === "bare" ? join(modules, "lines.so") : object;

	execFileSync(join(modules, "lines-gen"), [recording, object, ...code(known).map(String), ...story]);
	execFileSync(reader, ["-o", file, recording], { stdio: ["ignore", "ignore", "pipe"] });
	return { recording, file, object };
}

/** Of each address of a function, its places from the innermost: what is between functions is of none. */
function addr2line(object) {
	const addresses = functionsOf(object).flatMap(([begin, end]) => Array.from({ length: end - begin }, (_, i) => begin + i));
	const text = execFileSync("addr2line", ["-a", "-i", "-f", "-e", object, ...addresses.map((at) => `0x${at.toString(16)}`)],
		{ encoding: "utf8" });

	return text.split(/^0x\w+\n/mu).slice(1).map((stack, at) => ({
		address: addresses[at],
		places: [...stack.matchAll(/^(\S+)\n(.*?):(\d+).*$/gmu)].map(([, name, file, line]) => ({ name, source: `${basename(file)}:${line}` })),
	}));
}

/** { source: [own, total] } of the lines of a function, in the samples of which @of is true. */
function figures(stacks, name, of = () => true) {
	const found = {};

	for (const { address, places } of stacks.filter(of)) {
		const here = places.map((place, depth) => ({ ...place, depth })).filter((place) => place.name === name);

		for (const source of new Set(here.map((place) => place.source)))
			(found[source] ??= [0, 0])[1]++;
		if (here[0]?.depth === 0)
			found[here[0].source][0]++;
		assert.ok(address > 0);
	}
	return found;
}

/** The rows of a function by line, whether it was put into its caller there or not. */
function byLine(found) {
	const sums = {};

	for (const [source, own, total] of found) {
		const sum = sums[source.replace(/ inlined$/u, "")] ??= [0, 0];

		sum[0] += Number(own);
		sum[1] += Number(total);
	}
	return sums;
}

/** Rows of the table that the reader writes as CSV. */
function table(reader, recording, name) {
	const [head, ...lines] = execFileSync(reader, ["--table", name, "-o", "-", "--format", "csv", recording], { encoding: "utf8" })
		.trim().split(/\r?\n/u).map((line) => line.split(","));

	return lines.map((cells) => Object.fromEntries(head.map((title, at) => [title, cells[at]])));
}

const look = (use, browser, file, name, hash = "", how = {}) =>
	visit(browser, file, use, { hash: `#view=samples&of=${name}${hash}`, ...how });

export async function linesTests(browser, tools) {
	const { recording, file, object } = make(tools, "lines", ["twice"]);
	const stacks = addr2line(object);
	const many = make(tools, "many");

	await test("lines: those of a function are what addr2line says, each of a stack once", async () => {
		for (const name of ["innermost", "middle", "in_header", "not_inlined", "work"])
			await look(async (page) => {
				if (await section(page).locator(".link").count())
					await section(page).locator(".link").click();
				const found = await rows(page);

				assert.deepEqual(byLine(found.filter(([source]) => source !== "line not known")), figures(stacks, name), name);
			}, browser, file, name);
		assert.ok(Object.keys(figures(stacks, "middle")).length > 2);
	});

	await test("lines: rows and figures are those of the table as CSV", () => look(async (page) => {
		const lines = table(tools.reader, recording, "lines").filter((row) => row.function_name === "not_inlined" && row.line_standing === "counted");
		const key = ([source, own, total]) => `${source} ${own} ${total}`;
		const found = (await rows(page)).filter(([source]) => source !== "line not known");

		assert.ok(lines.length > 2);
		assert.deepEqual(found.map(key).sort(), lines.map(({ file: path, line, own, total, inlined }) =>
			key([`${basename(path)}:${line}${inlined === "yes" ? " inlined" : ""}`, own, total])).sort());
	}, browser, file, "not_inlined"));

	await test("lines: of a label that is selected, they are of its samples alone, also where a line called itself", () => look(async (page) => {
		for (const [label, other] of [["work", 0], ["other", 1]]) {
			await page.getByLabel("Coroutines", { exact: true }).and(page.locator(".samples-view select")).selectOption({ label: await optionOf(page, label) });
			await settle(page);
			assert.deepEqual(byLine((await rows(page)).filter(([source]) => source !== "line not known")),
				figures(stacks, "middle", ({ address }) => +(address % 3 === 0) === other), label);
			assert.match(await page.locator(".details .facts").first().innerText(), new RegExp(`coroutines of ${label}`));
		}
	}, browser, file, "middle"));

	await test("lines: a click on a column sorts by it, a second one the other way round; keys do", () => look(async (page) => {
		const sorted = async () => (await rows(page)).map(([, own, total]) => [Number(own), Number(total)]);
		const head = (key) => section(page).locator(`[data-column="${key}"]`);
		const falls = (all, at) => assert.deepEqual(all.map((row) => row[at]), all.map((row) => row[at]).sort((a, b) => b - a));

		falls(await sorted(), 0);
		assert.equal(await head("own").getAttribute("aria-sort"), "descending");
		await head("total").locator("button").click();
		falls(await sorted(), 1);
		assert.equal(await head("own").getAttribute("aria-sort"), "none");
		await page.keyboard.press("Enter");
		falls((await sorted()).reverse(), 1);
		assert.equal(await head("total").getAttribute("aria-sort"), "ascending");
		await head("source").locator("button").click();
		const lines = (await rows(page)).map(([source]) => source).filter((source) => source !== "line not known");

		assert.deepEqual(lines, [...lines].sort((a, b) => a.localeCompare(b, "en", { numeric: true })));
	}, browser, file, "not_inlined"));

	await test("lines: of many, those with most of their own are in view first, and a button shows the rest", () => look(async (page) => {
		const more = section(page).locator(".link");
		const first = await rows(page);

		assert.equal(first.length, SHOWN);
		await more.click();
		const all = await rows(page);

		assert.equal(all.length, Object.keys(figures(addr2line(many.object), "many")).length);
		assert.ok(all.length > 30);
		assert.deepEqual(first, all.slice(0, SHOWN));
		assert.equal(await more.innerText(), "Show fewer");
		await page.keyboard.press("Enter");
		assert.equal((await rows(page)).length, SHOWN);
	}, browser, many.file, "many"));

	const bare = make(tools, "bare");

	await test("lines: without debug information it says why there are none", () => look(async (page) => {
		assert.equal(plain(await section(page).innerText()), "Source lines  Not known: no object that samples were taken in has debug information " +
			"with lines; compile it with -g, or install the package with its debug symbols.");
		assert.equal(await section(page).locator("table").count(), 0);
	}, browser, bare.file, "work"));

	await test("lines: with --no-inline it says that nobody looked for them", () => {
		const without = join(tools.out, "no-inline.html");

		execFileSync(tools.reader, ["--no-inline", "-o", without, recording], { stdio: ["ignore", "ignore", "pipe"] });
		return look(async (page) => {
			assert.equal(plain(await section(page).innerText()), "Source lines  Not known: nobody looked for them: the report was made with --no-inline.");
		}, browser, without, "work");
	});

	await test("lines: the panel has room for them, light and dark, wide and narrow", async () => {
		for (const scheme of ["light", "dark"])
			for (const width of [1400, 800])
				await look(async (page) => {
					await section(page).scrollIntoViewIfNeeded();
					const { inside, outside } = await page.locator(".details").evaluate((panel) =>
						({ inside: panel.scrollWidth, outside: panel.clientWidth }));

					assert.ok(inside <= outside, `${inside} in ${outside}`);
					await page.screenshot({ path: join(tools.out, `lines-${scheme}-${width}.png`) });
				}, browser, file, "middle", "", { scheme, size: { width, height: 900 } });
	});
}

/** The text of the option of a label. */
async function optionOf(page, label) {
	const texts = await page.locator('.samples-view select[aria-label="Coroutines"] option').allTextContents();

	return texts.find((text) => text.startsWith(`${label}:`));
}
