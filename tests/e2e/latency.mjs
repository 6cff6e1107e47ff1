// SPDX-License-Identifier: GPL-2.0
/* How long things took, the longest of them, and findings: as the reader says, with ways to get there. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { choose, settle, state, visit } from "./browser.mjs";
import { dataOf } from "./tables.mjs";
import { test } from "./tap.mjs";

const plain = (text) => text.replace(/\u202f/g, " ");

/** Rows of one kind as the reader's text has them: { name: [cells] }. */
function textOf(reader, recording, table, kind) {
	const text = execFileSync(reader, ["--table", table, "--top", "1000", recording], { stdio: ["ignore", "pipe", "ignore"] }).toString();

	return text.split("\n").filter((line) => line.startsWith(`${kind} `)).map((line) => line.trim().split(/ {2,}/).slice(1));
}

const view = (page, id) => page.locator(`.${id}-view`);

async function rowsOf(page, id) {
	return view(page, id).locator(".grid-body .grid-row").evaluateAll((rows) => rows.map((row) =>
		Object.fromEntries([...row.querySelectorAll("[data-column]")].map((cell) => [cell.dataset.column, cell.innerText]))));
}

/** Of cprof-gen's "long": its one slice of 100 ms, of coroutine 1000, begins 200 ms after the first of 400 of 1 ms. */
async function longestFound(browser, { generator, reader, out }) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `longest-found.${end}`));

	execFileSync(generator, [recording, "long"]);
	execFileSync(reader, ["-o", file, recording], { stdio: "ignore" });
	await test("findings: what takes the CPU comes first, then the longest slice among many short ones, and leads there", () => visit(browser, file, async (page) => {
		const [cpu, longest] = [0, 1].map((nth) => page.locator(".details .finding").nth(nth));

		assert.match(plain(await cpu.innerText()), /^short is 66\.7 % of the CPU time and held its thread 1\.00 ms at most \(400 x 1 ms or more\)$/);
		assert.match(plain(await longest.innerText()), /^rare held its thread 100 ms at most \(1 x 1 ms or more\); most often short did: 400 x, 1\.00 ms at most$/);
		await longest.click();
		await settle(page);
		const { from, to } = await state(page);
		const said = plain(await page.locator(".details").innerText());

		assert.match(said, /rare #1000\b/);
		assert.match(said, /begin\s+200 ms\s+held\s+100 ms/);
		assert.ok(from <= 200e6 && from >= 50e6 && to >= 300e6 && to <= 450e6, `from ${from} to ${to}`);
		await page.screenshot({ path: join(out, "findings-longest.png") });
	}));
}

export async function latencyTests(browser, { generator, reader, out }) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `latency.${end}`));

	execFileSync(generator, [recording, "server"]);
	execFileSync(reader, ["-o", file, recording], { stdio: "ignore" });
	const { labels, worst, findings, recording: { duration: [duration] } } = dataOf(file);

	for (const [kind, title] of [["held", "Held"], ["lifetime", "Lifetimes"], ["ready", "Ready"]])
		await test(`latency: ${title} are what the reader's text says`, () => visit(browser, file, async (page) => {
			await choose(page, "latency", title);
			const rows = (await rowsOf(page, "latency")).map(({ name, times, p50, p90, p99, p99_9, longest }) =>
				[name, times.replace(/,/g, ""), ...[p50, p90, p99, p99_9, longest].map(plain)]);

			assert.deepEqual(rows, textOf(reader, recording, "latency", kind));
			assert.ok(rows.length >= 4);
			assert.equal(await view(page, "latency").locator(".grid-body svg.spread").count(), rows.length);
			assert.equal((await state(page)).what, kind);
			await page.screenshot({ path: join(out, `latency-${kind}.png`) });
		}, { hash: "#view=latency" }));

	await test("latency: a click on a label shows how long all of it took", () => visit(browser, file, async (page) => {
		await view(page, "latency").locator('.grid-row[data-at="0"] [data-column="name"]').click();
		await settle(page);
		const said = plain(await page.locator(".details .latency").innerText());

		for (const word of ["99 % below", "lifetime", "held", "3.62 ms"])
			assert.ok(said.includes(word), `${word} in ${said}`);
		await page.locator(".details .latency tbody tr").first().hover();
		assert.match(await page.locator(".tip").innerText(), /99\.9 % below/);
		const [table, details] = await Promise.all([".details .latency", ".details"].map((at) => page.locator(at).boundingBox()));

		assert.ok(table.x + table.width <= details.x + details.width, "there is room for it");
		assert.ok(table.height < 200, `${table.height} pixels high`);
	}, { hash: "#view=latency&what=held" }));

	await test("longest: a click goes there in the timeline, Escape leaves it", () => visit(browser, file, async (page) => {
		const row = worst.what.map((what, at) => [what, at]).filter(([what]) => what === 1)[2][1];

		await view(page, "longest").locator('.grid-row[data-at="2"] [data-column="name"]').click();
		await settle(page);
		const { from, to, selected } = await state(page);

		assert.deepEqual(selected, { kind: "coroutine", index: worst.coroutine[row] });
		assert.ok(from <= worst.begin[row] && to >= worst.end[row], `${from} to ${to}`);
		assert.ok(to - from <= 3 * (worst.end[row] - worst.begin[row]) + 200);
		await page.screenshot({ path: join(out, "longest.png") });
		await page.keyboard.press("Escape");
		await view(page, "longest").locator(".grid").press("Escape");
		assert.equal((await state(page)).selected, null);
	}, { hash: "#view=longest" }));

	await test("longest: waits have neither counters nor time on a CPU", () => visit(browser, file, async (page) => {
		for (const { cycles, running, took } of await rowsOf(page, "longest")) {
			assert.deepEqual([cycles, running], ["-", "-"]);
			assert.match(took, /us$/);
		}
		for (const [kind, title] of [["ready", "Ready"], ["held", "Held"], ["lifetime", "Lifetimes"]]) {
			await choose(page, "longest", title);
			assert.equal(await view(page, "longest").locator('.head[data-column="took"] span').first().innerText(), kind);
		}
		await choose(page, "longest", "Ready");
		assert.equal(await view(page, "longest").locator(".list-note").isVisible(), false);
	}, { hash: "#view=longest&what=ready" }));

	await test("longest: how many slices held their thread for long, and whose", () => visit(browser, file, async (page) => {
		const note = view(page, "longest").locator(".list-note");
		const counted = async (name) => {
			await note.locator("select").selectOption(name);
			const all = labels[name].reduce((sum, slices) => sum + (slices ?? 0), 0);
			const of = labels[name].filter((slices) => slices).length;

			assert.ok(all, name);
			assert.ok((await note.innerText()).includes(`or longer: ${all.toLocaleString("en-US")}, of ${of} labels: `), await note.innerText());
		};

		for (const name of ["held_1ms", "held_100us", "held_10us"])
			await counted(name);
		const most = labels.held_10us.indexOf(Math.max(...labels.held_10us.map((slices) => slices ?? 0)));

		assert.equal(await note.locator(".link").first().innerText(), labels.name[most]);
		await note.locator(".link").first().click();
		assert.deepEqual((await state(page)).selected, { kind: "label", index: most });
	}, { hash: "#view=longest" }));

	/* What takes the CPU is about no time. */
	const timed = findings.end.findIndex((end) => end !== null);

	await test("findings: the first one is about the label that takes the CPU, and leads to it", () => visit(browser, file, async (page) => {
		assert.match(findings.text[0], /^render_template is 49\.8 % of the CPU time/);
		await page.locator(".top .verdict .finding").first().click();
		await settle(page);
		assert.deepEqual((await state(page)).selected, { kind: "label", index: labels.name.indexOf("render_template") });
	}));

	await test("findings: what the reader found is said, and leads there", () => visit(browser, file, async (page) => {
		const all = page.locator(".details .finding");

		assert.deepEqual(await all.allInnerTexts(), findings.text);
		assert.ok(findings.rows >= 5, `${findings.rows} findings`);
		await all.nth(timed).click();
		await settle(page);
		const { from, to, selected } = await state(page);

		assert.deepEqual(selected, { kind: "coroutine", index: findings.coroutine[timed] });
		assert.ok(from <= findings.begin[timed] && to >= findings.end[timed] && to - from < duration / 2);
		for (const [kind, of] of [["coroutine", findings.coroutine], ["label", findings.label], ["thread", findings.thread]]) {
			await page.evaluate((selected) => window.coroprof.store.set({ selected }), { kind, index: of[timed] });
			await settle(page);
			assert.deepEqual(await all.allInnerTexts(), findings.text.filter((_, row) => of[row] === of[timed]), `those about the ${kind} that is selected`);
			assert.match(await page.locator(".details").innerText(), /findings, of the whole recording/i);
		}
	}));

	await test("verdict: the first three findings are on top, whatever is selected, and lead there", () => visit(browser, file, async (page) => {
		const first = page.locator(".top .verdict .finding");

		assert.deepEqual(await first.allInnerTexts(), findings.text.slice(0, 3));
		await first.nth(timed).click();
		await settle(page);
		const { from, to, selected } = await state(page);

		assert.deepEqual(selected, { kind: "coroutine", index: findings.coroutine[timed] });
		assert.ok(from <= findings.begin[timed] && to >= findings.end[timed] && to - from < duration / 2);
		assert.deepEqual(await first.allInnerTexts(), findings.text.slice(0, 3));
	}));

	await longestFound(browser, { generator, reader, out });

	await test("metric: a column of one's own is in the page, and says what it is", async () => {
		const own = join(out, "metric.html");

		execFileSync(reader, ["-o", own, "--metric", "misses/kI = 1000*cache-misses/instructions", recording], { stdio: "ignore" });
		await visit(browser, own, async (page) => {
			const [row] = await page.locator(".table-view .grid-body .grid-row").evaluateAll((rows) => rows.map((row) =>
				Object.fromEntries([...row.querySelectorAll("[data-column]")].map((cell) => [cell.dataset.column, cell.innerText]))));

			assert.match(row["misses/kI"], /^\d+\.\d\d$/);
			assert.equal(row["misses/kI"], row["cache-misses_per_1000_instructions"]);
			await page.locator('.table-view .head[data-column="misses/kI"]').hover();
			assert.match(await page.locator(".tip").innerText(), /by its formula: 1000\*cache-misses\/instructions/);
		});
	});

	/** Of each row, how high its bars are, of bins as wide. */
	const bars = (page) => page.locator('.table-view .cell[data-column="lengths"] svg').evaluateAll((all) => all.map((svg) => {
		const bins = new Array(32).fill(0);

		for (const [, x, tall] of svg.querySelector("path").getAttribute("d").matchAll(/M(\d+) 14v-([\d.]+)h3/g))
			bins[x / 3] = Number(tall);
		return { bins, said: svg.getAttribute("aria-label") };
	}));
	/** Where bars are to be, of times and how many slices each is of. */
	const wanted = (times, low, high) => {
		const bins = new Array(32).fill(0);

		for (const [ns, count] of times)
			bins[Math.min(31, Math.floor((Math.log(Math.max(1, ns)) - low) / (high - low) * 32))] += count;
		const most = Math.max(...bins);

		return bins.map((count) => count && Number(Math.max(1, 14 * count / most).toFixed(1)));
	};

	await test("latency: labels are shown with how their slices' running times are distributed, in all and in the time in view", () =>
		visit(browser, file, async (page) => {
			const { lengths } = dataOf(file);
			const range = [Math.log(Math.max(1, Math.min(...lengths.from))), Math.log(Math.max(...labels.longest))];
			const order = [...labels.name.keys()].sort((a, b) => labels.running[b] - labels.running[a]);

			(await bars(page)).forEach(({ bins, said }, at) => {
				const rows = [...lengths.label.keys()].filter((row) => lengths.label[row] === order[at]);

				assert.deepEqual(bins, wanted(rows.map((row) => [lengths.from[row], lengths.slices[row]]), ...range), labels.name[order[at]]);
				assert.match(said, /^Running time of slices: slices [\d,]+, ran, 50 % ~?\d/);
			});
			await page.evaluate(() => window.coroprof.store.set({ from: 1e7, to: 9e7 }));
			await page.waitForFunction((slices) => !document.querySelector('.table-view .cell[data-column="lengths"] svg').getAttribute("aria-label").includes(slices),
				(await bars(page))[0].said.match(/slices [\d,]+/)[0]);
			const [{ bins }] = await bars(page);
			const times = await page.evaluate(() => {
				const { begin, end, label, preempted, blocked, idle } = window.coroprof.profile.timeline;
				const first = document.querySelector(".table-view .grid-body .grid-row .cell[data-column='name']").textContent;
				const of = window.coroprof.profile.labels.name.indexOf(first);

				return [...end.keys()].filter((at) => label[at] === of && end[at] >= 1e7 && end[at] < 9e7)
					.map((at) => end[at] - begin[at] - preempted[at] - blocked[at] - idle[at]);
			});

			assert.ok(times.length > 100, `${times.length} slices`);
			assert.deepEqual(bins, wanted(times.map((ns) => [ns, 1]), ...range));
		}));

	await test("latency: the columns of labels begin with how long it took", () => visit(browser, file, async (page) => {
		const heads = await page.locator(".table-view .head").evaluateAll((all) => all.map(({ dataset }) => dataset.column));

		assert.deepEqual(heads.slice(heads.indexOf("running") + 1, heads.indexOf("preempted")),
			["lengths", "p50", "p99", "longest", "ready_p99", "lifetime_p99"]);
		const box = await page.locator('.table-view .head[data-column="ready_p99"]').boundingBox();
		const grid = await page.locator(".table-view .grid").boundingBox();

		assert.ok(box.x + box.width <= grid.x + grid.width, "within 1400 pixels");
	}, { size: { width: 1400, height: 900 } }));
}
