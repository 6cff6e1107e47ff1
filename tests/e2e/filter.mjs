// SPDX-License-Identifier: GPL-2.0
/* What a filter leaves: the rows that coroprof-read --where leaves, which has patterns of the C library. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { choose, drawing, settle, visit } from "./browser.mjs";
import { dataOf } from "./tables.mjs";
import { test } from "./tap.mjs";

/** Numbers of the rows that the reader leaves. */
function byReader(reader, recording, table, wheres) {
	const text = execFileSync(reader, ["-q", "--table", table, "--format", "csv", "--columns", "slices",
		...wheres.flatMap((where) => ["--where", where]), recording], { encoding: "utf8" });

	return text.trim().split("\r\n").slice(1).map((line) => Number(line.split(",")[0]));
}

/** What text says of how many rows are left: "832 of 3000 rows: ...", of which threads' own are none. */
function leftByText(reader, recording, table, wheres) {
	const text = execFileSync(reader, ["-q", "--table", table, ...wheres.flatMap((where) => ["--where", where]), recording], { encoding: "utf8" });

	return text.match(/^(\d+) of (\d+) rows?:/mu).slice(1).map(Number);
}

/** Those that the page leaves: all of them, not only those in view. */
async function byPage(page, filter) {
	await page.evaluate((filter) => window.coroprof.store.set({ filter }), filter);
	await settle(page);
	const rows = await page.evaluate(async () => {
		let copied = "";

		navigator.clipboard.writeText = async (text) => { copied = text; };
		document.querySelector(".table-view .grid").dispatchEvent(new KeyboardEvent("keydown", { key: "c", ctrlKey: true }));
		for (let i = 0; i < 1000 && !copied; i++)
			await new Promise((done) => setTimeout(done, 10));
		return copied.trim().split("\n").slice(1).map((line) => line.split("\t"));
	});

	return rows;
}

export async function filterTests(browser, { generator, reader, out, callsFile, callsData }) {
	const made = (name, scenario) => {
		const [recording, file] = ["cprof", "html"].map((end) => join(out, `filter-${name}.${end}`));

		execFileSync(generator, [recording, scenario]);
		execFileSync(reader, ["-o", file, recording], { stdio: "ignore" });
		return { recording, file, data: dataOf(file) };
	};
	const server = made("server", "server");
	const processes = made("processes", "processes");
	const count = (page) => page.locator(".table-view .found").innerText();
	const full = (number) => new Intl.NumberFormat("en-US").format(number);

	for (const [of, table, by, wheres] of [
		[server, "coroutines", "coroutine", ["tag=0"]], [server, "coroutines", "coroutine", ["tag=*1?0"]],
		[server, "coroutines", "coroutine", ["tag=[1-3]*[!05]0", "label=re*"]], [server, "coroutines", "coroutine", ["label=[", "tag=*"]],
		[server, "labels", "label", ["name=*_*e*"]], [server, "threads", "thread", ["name=worker-[02]"]],
		[processes, "labels", "label", ["process=*1*"]], [processes, "coroutines", "coroutine", ["process=*1*", "label=*"]],
		[processes, "threads", "thread", ["process=*"]], [processes, "labels", "label", ["name="]],
	])
		await test(`filter: ${wheres.join(" ")} leaves the ${table} that --where leaves`, () => visit(browser, of.file, async (page) => {
			const rows = byReader(reader, of.recording, table, wheres);
			const shown = await byPage(page, wheres.join(" "));

			assert.equal(shown.length, rows.length);
			assert.deepEqual(shown.map(([, id]) => id).sort().slice(0, by === "coroutine" ? Infinity : 0),
				by === "coroutine" ? rows.map((row) => String(of.data.coroutines.id[row])).sort() : []);
			const left = leftByText(reader, of.recording, table, wheres);
			const apart = rows.length - left[0];

			assert.equal(left[1], by === "coroutine" ? of.data.recording.coroutines[0] : of.data[table].rows);
			assert.equal(await count(page), `${full(left[0])} of ${full(left[1])}: ${wheres.join(" ")}${
				apart ? `; ${apart} thread${apart > 1 ? "s" : ""} outside coroutines` : ""}`);
		}, { hash: `#view=table&by=${by}` }));

	await test("filter: of all rows, coroutines are counted, and threads' own apart, whatever is looked for", () => visit(browser, server.file, async (page) => {
		const threads = server.data.coroutines.rows - server.data.recording.coroutines[0];
		const apart = `; ${threads} threads outside coroutines`;

		assert.ok(threads > 1);
		assert.equal(await count(page), `${full(server.data.recording.coroutines[0])}${apart}`);
		await byPage(page, "id=*");
		assert.deepEqual(leftByText(reader, server.recording, "coroutines", ["id=*"]), [3000, 3000]);
		assert.equal(await count(page), `3,000 of 3,000: id=*${apart}`);
	}, { hash: "#view=table&by=coroutine" }));

	await test("filter: a column that the table has not is said, quotes keep a name together, capitals do not matter", () =>
		visit(browser, processes.file, async (page) => {
			const { labels } = processes.data;
			const [name] = labels.name;

			await byPage(page, "nix=1");
			assert.equal(await count(page), `0 of ${labels.rows}: nix=1; no column "nix" here, looked for as text`);
			assert.equal((await byPage(page, `LABEL="${name.toUpperCase()}"`)).length, labels.name.filter((other) => other === name).length);
			assert.equal((await byPage(page, `"label=${name} x"`)).length, 0);
			assert.equal((await byPage(page, `${"label=*"}${"a*".repeat(5000)}`)).length, 0);
		}, { hash: "#view=table" }));

	await test("filter: the timeline has the threads, and the coroutines, that fit; a chip says so and lets go of it", () =>
		visit(browser, server.file, async (page) => {
			const { threads, coroutines } = server.data;
			const lanes = async () => (await drawing(page)).lanes;
			const all = await lanes();
			const set = async (filter) => {
				await page.evaluate((filter) => window.coroprof.store.set({ filter }), filter);
				await settle(page);
			};

			assert.equal(all, threads.rows);
			await set("name=worker-0");
			assert.equal(await lanes(), 1);
			assert.match(await page.locator(".inside-notes").innerText(), /lanes that fit name=worker-0 only/);
			await set("tag=1000");
			assert.equal(await lanes(), all, "threads have no tag");
			await choose(page, "timeline", "Coroutines");
			assert.equal(await lanes(), coroutines.tag.filter((tag) => tag === 1000).length);
			assert.ok(await lanes() > 0);
			await page.locator('.chips [aria-label="No filter"]').click();
			await settle(page);
			assert.ok(await lanes() > 1);
		}, { hash: "#view=timeline" }));

	await test("filter: functions by their module, in the table and in the flame graph", () => visit(browser, callsFile, async (page) => {
		const { frames: { object, own, total }, kept } = callsData.samples;
		const inIt = object.map((of, row) => of === "/usr/bin/server" && total[row] > 0);
		const found = page.locator(".samples-view .found");

		assert.ok(inIt.includes(true) && inIt.includes(false));
		await page.locator(".samples-view .filter").fill("object=*/server");
		await settle(page);
		assert.equal(Number(await page.locator(".samples-view .grid").getAttribute("aria-rowcount")) - 1, inIt.filter(Boolean).length);
		assert.match(await found.innerText(), /^found: /);
		await page.locator(".samples-view .filter").fill("object=*");
		await settle(page);
		assert.match(await found.innerText(), /^found: 100/, `of ${kept} samples, ${own.length} functions`);
		await page.locator(".samples-view .filter").fill("object=/no/such");
		await settle(page);
		assert.equal(await found.innerText(), "nothing found");
	}, { hash: "#view=samples" }));
}
