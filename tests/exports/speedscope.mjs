// SPDX-License-Identifier: GPL-2.0
/* speedscope files and folded stacks, as speedscope's own page reads them, and its schema. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "../e2e/browser.mjs";
import { test } from "../e2e/tap.mjs";
import { byLabel, exported, model, modules, out, sum } from "./support.mjs";

const release = join(modules, "node_modules/speedscope/dist/release");
const missing = existsSync(release) ? undefined : "speedscope is not there: npm ci failed, see above";

function scopeTest(name, body) {
	return test(name, () => missing ?? body());
}

/* Three digits of a unit, and the share of all. */
const figure = (text) => text.replace(/ *\(.*/u, "");

/** The rows of the table "sandwich" that is shown: own and total, by name. */
async function sandwich(page) {
	const [, ...lines] = (await page.innerText("body")).split("Symbol Name\n");
	const rows = lines.join("").split("\n").map((line) => line.trim()).filter(Boolean);
	const found = {};

	for (let i = 0; i + 2 < rows.length; i += 3)
		found[rows[i + 2]] = { total: figure(rows[i]), own: figure(rows[i + 1]) };
	return found;
}

/** Each profile that the page finds in a file: its table, by its name. */
async function opened(browser, file) {
	const page = await browser.newPage();
	const script = join(out, `${basename(file)}.js`);
	const shown = {};

	writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(basename(file))}, "${readFileSync(file).toString("base64")}")`);
	await page.goto(`${pathToFileURL(join(release, "index.html"))}#localProfilePath=${script}`);
	await page.getByText("Sandwich").click();
	for (;;) {
		await page.getByText("Symbol Name").waitFor();
		const [, name, at = "1", of = "1"] = (await page.innerText("body")).match(/Sandwich\n(.*?)(?: \((\d+)\/(\d+)\))?\n/u);

		shown[name] = await sandwich(page);
		if (at === of)
			break;
		await page.keyboard.press("n");
		await page.getByText(`(${Number(at) + 1}/${of})`).waitFor();
	}
	await page.close();
	return shown;
}

function schemaTests() {
	return scopeTest("speedscope: files are valid by its schema", () => {
		const load = createRequire(resolve(modules, "package.json"));
		const schema = JSON.parse(readFileSync(join(release, "file-format-schema.json"), "utf8"));
		const validate = new (load("ajv"))({ strict: false }).compile(schema);

		for (const name of ["server", "calls", "standings", "hostile", "processes"]) {
			const file = JSON.parse(readFileSync(exported(name, ".speedscope.json").file, "utf8"));

			assert.ok(validate(file), JSON.stringify(validate.errors));
			assert.ok(file.profiles.length > 5);
		}
		assert.ok(!validate({ profiles: [{}] }), "what is no such file is found");
	});
}

function weightTests() {
	return scopeTest("speedscope: weights of labels sum to the figures of the table", () => {
		const data = model("standings");
		const { profiles, shared, name, coroprof } = JSON.parse(readFileSync(exported("standings", ".speedscope.json").file, "utf8"));
		const weights = Object.fromEntries(profiles.map((profile) => [profile.name, Object.fromEntries(
			profile.samples.map(([first], i) => [shared.frames[first].name, profile.weights[i]]))]));

		for (const column of ["running", "preempted", "blocked", "slices", "cycles", "instructions", "suspended"])
			assert.deepEqual(weights[column], byLabel(data, column), column);
		assert.deepEqual(weights["cache-misses (scaled)"], byLabel(data, "cache-misses"));
		assert.deepEqual(weights["ready (at least)"], byLabel(data, "ready"));
		assert.equal(weights["branch-misses"], undefined);
		const lossy = JSON.parse(readFileSync(exported("lost", ".speedscope.json").file, "utf8")).profiles.map((profile) => profile.name);

		for (const column of ["running", "slices", "cycles", "suspended"])
			assert.ok(lossy.includes(`${column} (at least)`) && !lossy.includes(column), lossy.join());
		assert.match(name, /^SIMULATED/);
		assert.ok(coroprof.some(([title, text]) => title === "counters" && /^branch-misses +unsupported/u.test(text)));
	});
}

function processTests() {
	return scopeTest("speedscope: stacks of several processes begin with these, and the name tells what was lost", () => {
		const { labels, processes } = model("processes");
		const { profiles, shared: { frames } } = JSON.parse(readFileSync(exported("processes", ".speedscope.json").file, "utf8"));
		const { samples, weights } = profiles.find(({ name }) => name === "running");
		const found = samples.map((stack, i) => `${stack.map((frame) => frames[frame].name).join(" > ")}: ${weights[i]}`);
		const [{ slices, lost }] = model("lost").recording;
		const { name } = JSON.parse(readFileSync(exported("lost", ".speedscope.json").file, "utf8"));

		assert.equal(processes.length, 2);
		assert.deepEqual(found.sort(), labels.filter(({ running }) => running).map((row) => `${row.process_name} > ${row.name}: ${row.running}`).sort());
		assert.ok(lost > 0);
		assert.ok(name.includes(`; ${slices} slices, lost ${lost}`), name);
	});
}

function pageTests(browser) {
	return scopeTest("speedscope: its page shows spans, samples and their weights", async () => {
		const shown = await opened(browser, exported("calls", ".speedscope.json").file);

		/* As in the tables of calls-gen: own figures, and with those below. */
		assert.deepEqual(shown.samples.gen_parse, { total: "532", own: "240" });
		assert.deepEqual(shown.samples["[kernel]"], { total: "80", own: "80" });
		assert.deepEqual(shown.running.even, { total: "40.00ms", own: "24.00ms" });
		assert.deepEqual(shown.running.outer, { total: "32.00ms", own: "16.00ms" });
		assert.deepEqual(shown.wall.inner, { total: "32.00ms", own: "32.00ms" });
		assert.deepEqual(shown.calls.inner, { total: "1,600", own: "1,600" });
		assert.deepEqual(shown["instructions (scaled)"].outer, { total: "128,000,000", own: "64,000,000" });
	});
}

function foldedTests(browser) {
	return scopeTest("folded: speedscope reads stacks of any weight", async () => {
		const weigh = async (name, weight) => Object.values(await opened(browser, exported(name, `.${weight}.folded`, ["--weight", weight]).file))[0];
		const blocked = await weigh("server", "blocked");
		const cycles = await weigh("calls", "cycles");

		assert.deepEqual(Object.fromEntries(Object.entries(blocked).map(([label, { total }]) => [label, Number(total.replaceAll(",", ""))])),
			byLabel(model("server"), "blocked"));
		assert.deepEqual(cycles.outer, { total: "192,000,000", own: "96,000,000" });
		/* There is no place for it in these forms. */
		assert.match(exported("server", ".csv").said, /^coroprof-read: \S+: the counts come from a simulated PMU \(synthetic\) and say nothing about any hardware;/u);
		assert.match(exported("server", ".folded", ["--weight", "cycles"]).said, /simulated PMU/u);
		assert.equal(exported("server", ".txt").said, "");
		assert.equal(sum(Object.values(cycles).map(({ own }) => Number(own.replaceAll(",", "")))), model("calls").recording[0].cycles);
	});
}

export async function speedscopeTests() {
	const browser = missing ? undefined : await launch(modules);

	try {
		await schemaTests();
		await weightTests();
		await processTests();
		await pageTests(browser);
		await foldedTests(browser);
	} finally {
		await browser?.close();
	}
}
