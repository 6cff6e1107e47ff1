// SPDX-License-Identifier: GPL-2.0
/*
 * page.mjs MODULES READER RECORDING SLICES OUT.json: what the page of a large recording takes, to
 * make, to open, to zoom in, to sort. Processor time, so that what else the machine does
 * matters little. Members as those of bench.json.
 */
import { spawnSync } from "node:child_process";
import { rmSync, statSync } from "node:fs";
import { choose, launch, settle, taken, takes, visit } from "../e2e/browser.mjs";
import { Members } from "./members.mjs";

const TIMES = 5;
const [modules, reader, recording, slices, out] = process.argv.slice(2);
const SLICES = `a page of ${slices} slices, of 64 threads and 200,000 coroutines, with a million samples`;
const file = `${out}.html`, text = `${out}.txt`;
const members = new Members();

const put = (...member) => members.put(...member);
const median = (all) => [...all].sort((a, b) => a - b)[all.length >> 1];

/** The reader's to @to, in seconds by the clock and of processor time and bytes, as the kernel says of a child. */
function made(to) {
	const program = `import resource,subprocess,sys,time;t=time.monotonic();subprocess.run(sys.argv[1:],check=True);t=time.monotonic()-t;u=resource.getrusage(resource.RUSAGE_CHILDREN);print(t,u.ru_utime+u.ru_stime,u.ru_maxrss*1024)`;
	const { status, stdout, stderr } = spawnSync("python3", ["-c", program, reader, "-q", "-o", to, recording]);

	if (status !== 0)
		throw new Error(`${reader} fails: ${stderr}`);
	return stdout.toString().trim().split(" ").map(Number);
}

/** What @act takes, the median of some times, from a state that @before makes. */
async function each(page, act, before = async () => {}) {
	const all = [];

	for (let i = 0; i < TIMES; i++) {
		await before();
		await settle(page);
		all.push(await takes(page, async () => { await act(i); await settle(page); }));
	}
	return median(all);
}

async function zoom(page) {
	const levels = [];

	await page.evaluate(() => window.coroprof.store.set({ view: "timeline", from: 0, to: window.coroprof.profile.until }));
	await settle(page);
	for (let share = 1; share > 1e-6; share /= 4)
		levels.push(await each(page, (i) => page.evaluate(([share, i]) => {
			const { store, profile: { until: duration } } = window.coroprof;
			const from = duration * (0.3 + 0.01 * i) * (1 - share);

			store.set({ from, to: from + duration * share });
		}, [share, i])));
	return Math.max(...levels);
}

/** How long somebody reads what the page opens with. */
const READ_MS = 4000;

/** What somebody does who looks around: one step after the other, each as fast as its frame is drawn. */
async function lookAround(page) {
	const lanes = page.locator("canvas.lanes");
	const { x, y, width, height } = await lanes.boundingBox();
	const act = async (step) => {
		await step();
		await settle(page);
	};

	await page.waitForTimeout(READ_MS);
	await page.mouse.move(x + width / 2, y + height / 2);
	for (const by of [-400, 400])
		for (let i = 0; i < 30; i++)
			await act(() => page.mouse.wheel(0, by));
	await lanes.focus();
	for (const key of ["w", "w", "w", "d", "d", "d", "a", "s", ".", ".", ",", "Escape", "f"])
		await act(() => page.keyboard.press(key));
	await act(() => page.mouse.click(x + width / 2, y + height / 2));
	for (const view of ["Latency", "Slices", "Samples", "Longest", "Overview", "Table"])
		await act(() => page.getByRole("tab", { name: view }).click());
	for (const label of [1, 3, 5])
		await act(() => page.locator(`.table-view .grid-row[data-at="${label}"]`).click());
	for (const share of [0.5, 0.01, 0.0001])
		await act(() => page.evaluate((share) => {
			const { store, profile: { until } } = window.coroprof;

			store.set({ from: until / 3, to: until / 3 + until * share });
		}, share));
}

/**
 * The longest task of the page's main thread meanwhile, of processor time: so long it draws no frame.
 * The first time of all things is in it, which the medians above leave out.
 */
async function worst(browser) {
	let all;

	await visit(browser, file, async (page) => {
		await browser.startTracing(page, { categories: ["toplevel"] });
		await lookAround(page);
		const { traceEvents } = JSON.parse(await browser.stopTracing());
		const main = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(({ pid, tid }) => `${pid} ${tid}`);

		all = traceEvents.filter(({ pid, tid, tdur }) => tdur && main.includes(`${pid} ${tid}`)).map(({ tdur }) => tdur / 1000);
	});
	if (!all.length)
		throw new Error("Chromium's trace has no task of the page's main thread");
	return Math.max(...all);
}

/** In a browser of its own each time; the first also has to be read from the disk. */
async function opened() {
	const all = [];

	for (let i = 0; i < TIMES; i++) {
		const browser = await launch(modules);

		try {
			await visit(browser, file, async (page) => all.push(await taken(page)));
		} finally {
			await browser.close();
		}
	}
	return median(all);
}

async function measure(browser) {
	await visit(browser, file, async (page) => {
		put("page_zoom_cpu_ms", "ms", `${SLICES}: one step of the time in view, to the frame drawn, at the slowest of 10 levels`, await zoom(page));
		await page.evaluate(() => window.coroprof.store.set({ view: "table", from: 0, to: window.coroprof.profile.until }));
		await choose(page, "table", "Coroutines");
		put("page_sort_cpu_ms", "ms", `${SLICES}: the table of coroutines, sorted by another column, to the frame drawn`,
			await each(page, (i) => page.evaluate((i) => window.coroprof.store.set({ sort: ["slices", "longest", "first"][i % 3] }), i)));
		put("page_lanes_cpu_ms", "ms", `${SLICES}: lanes of coroutines in place of threads, to the frame drawn; the first time`,
			await takes(page, async () => {
				await page.evaluate(() => window.coroprof.store.set({ view: "timeline", lanes: "coroutines" }));
				await settle(page);
			}));
	});
}

const [wall, cpu, peak] = made(file);
const [textWall, , textPeak] = made(text);

put("page_seconds", "s", `coroprof-read -o page.html, ${SLICES}: by the clock`, wall);
put("page_cpu_seconds", "s", `coroprof-read -o page.html, ${SLICES}: processor time`, cpu);
put("page_peak_bytes", "bytes", `coroprof-read -o page.html, ${SLICES}: peak memory`, peak);
put("text_seconds", "s", `coroprof-read to a table alone, ${SLICES}: by the clock`, textWall);
put("text_peak_bytes", "bytes", `coroprof-read to a table alone, ${SLICES}: peak memory; goal: at most 115 MB, then 64 MB`, textPeak);
put("page_bytes", "bytes", SLICES, statSync(file).size);
try {
	put("page_open_cpu_ms", "ms", `${SLICES}: processor time of Chromium until it has drawn the overview, the median of ${TIMES} browsers`, await opened());
	const browser = await launch(modules);

	try {
		await measure(browser);
		put("page_worst_frame_ms", "ms", `${SLICES}: the longest task of the page's main thread while somebody looks around; goal: at most 100`, await worst(browser));
	} finally {
		await browser.close();
	}
} catch (error) {
	for (const key of ["page_open_cpu_ms", "page_zoom_cpu_ms", "page_sort_cpu_ms", "page_lanes_cpu_ms", "page_worst_frame_ms"])
		members.none(key, "ms", SLICES, String(error.message).split("\n")[0]);
}
for (const path of [file, text])
	rmSync(path, { force: true });
members.write(out);
