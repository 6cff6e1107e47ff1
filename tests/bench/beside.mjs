// SPDX-License-Identifier: GPL-2.0
/*
 * beside.mjs MODULES EXPORTS READER RECORDING OUT.json: how much of a large recording's slices other
 * programs open, what that takes, and what coroprof's own page of the same takes. Processor
 * time of Chromium. Members as those of bench.json.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, settle, taken, visit } from "../e2e/browser.mjs";
import { Members } from "./members.mjs";

/** Parts of the recording, from its busiest time on, in seconds: each ten times as long. */
const FROM = 2;
const PARTS = [0.005, 0.05, 0.5];
/** A string of V8 has no more characters, and speedscope takes a file as one. */
const LONGEST = 2 ** 29 - 24;
/** What shows nothing for so long does not open. */
const PATIENCE_MS = 120000;
const FIREFOX = "its page is in no package of npm; its command line, which tests/exports uses, draws nothing";

const [modules, exports, reader, recording, out] = process.argv.slice(2);
const release = join(exports, "node_modules/speedscope/dist/release");
const members = new Members();
const reasonOf = ({ name, message }) => name === "TimeoutError" ? `nothing is shown within ${PATIENCE_MS / 1000} s` : String(message).split("\n")[0];

function read(seconds, ...args) {
	const { status, stdout, stderr } = spawnSync(reader,
		["-q", "--from", String(FROM), "--to", String(FROM + seconds), ...args, recording], { encoding: "utf8", maxBuffer: 1 << 28 });

	if (status !== 0)
		throw new Error(`${reader} fails: ${stderr}`);
	return stdout;
}

/** All that ended in the part, by the table of threads. */
function slicesOf(seconds) {
	const [, ...rows] = read(seconds, "--table", "threads", "--format", "csv", "--columns", "slices").trim().split("\r\n");

	return rows.reduce((sum, row) => sum + Number(row.split(",")[1]), 0);
}

/** Milliseconds until speedscope's page shows the file, with the first of its threads. */
async function inSpeedscope(browser, file) {
	const script = `${file}.js`;

	if (4 / 3 * statSync(file).size > LONGEST)
		throw new Error("as text the file is longer than a string of Chromium");
	writeFileSync(script, `speedscope.loadFileFromBase64("part.trace.json", "${readFileSync(file).toString("base64")}")`);
	const page = await browser.newPage();

	const wrong = new Promise((_, fail) => {
		page.on("crash", () => fail(new Error("the tab crashes")));
		page.on("pageerror", fail);
		page.on("requestfailed", (request) => request.url().endsWith(".trace.json.js") && fail(new Error("the file cannot be loaded")));
	});

	page.setDefaultTimeout(PATIENCE_MS);
	try {
		await page.goto(`${pathToFileURL(join(release, "index.html"))}#localProfilePath=${script}`);
		await Promise.race([wrong, page.getByText(/Sandwich|omething went wrong/u).first().waitFor()]);
		await settle(page);
		if (await page.getByText("Sandwich").count() === 0)
			throw new Error("it says that something went wrong");
		return await taken(page);
	} finally {
		await page.close().catch(() => {});
		rmSync(script, { force: true });
	}
}

async function inPage(browser, file) {
	let ms;

	await visit(browser, file, async (page) => { ms = await taken(page); });
	return ms;
}

/** Larger and larger parts, until one does not open: figures of the last one that did. */
async function speedscope(browser) {
	const file = `${out}.trace.json`;
	const page = `${out}.html`;
	let end = "it opens all that was tried";

	for (const seconds of PARTS) {
		const slices = slicesOf(seconds);
		const how = `${slices} slices of 64 threads, as a Chrome trace`;
		let ms;

		read(seconds, "-o", file);
		try {
			ms = await inSpeedscope(browser, file);
		} catch (error) {
			end = `${slices} slices do not open: ${reasonOf(error)}`;
			break;
		}
		members.put("speedscope_slices", "slices", "the most that speedscope opened, of parts each ten times as long", slices);
		members.put("speedscope_bytes", "bytes", how, statSync(file).size);
		members.put("speedscope_open_cpu_ms", "ms", `${how}: processor time of Chromium until speedscope shows its first thread`, ms);
		read(seconds, "-o", page);
		members.put("speedscope_page_bytes", "bytes", `coroprof's own page of these ${slices} slices`, statSync(page).size);
		members.put("speedscope_page_open_cpu_ms", "ms", "processor time of Chromium until that page has drawn its overview", await inPage(browser, page));
	}
	members.none("speedscope_more", "slices", "what speedscope did not open", end);
	for (const left of [file, page])
		rmSync(left, { force: true });
}

function unknown(reason) {
	for (const [key, unit] of [["slices", "slices"], ["bytes", "bytes"], ["open_cpu_ms", "ms"], ["page_bytes", "bytes"], ["page_open_cpu_ms", "ms"]])
		members.none(`speedscope_${key}`, unit, "what speedscope opens", reason);
}

try {
	const browser = existsSync(release) ? await launch(modules) : null;

	if (browser)
		await speedscope(browser).finally(() => browser.close());
	unknown(browser ? "not even the smallest part" : "speedscope is not there: npm ci in tests/exports failed");
} catch (error) {
	unknown(reasonOf(error));
}
members.none("firefox_open_cpu_ms", "ms", "the same in the Firefox Profiler", FIREFOX);
members.write(out);
