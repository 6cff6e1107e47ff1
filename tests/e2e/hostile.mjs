// SPDX-License-Identifier: GPL-2.0
/* Names that a recorded program chose: nothing in them may act. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { settle, visit } from "./browser.mjs";
import { rawOf, withData } from "./tables.mjs";
import { test } from "./tap.mjs";

export const HOSTILE = [
	"</script><img src=x onerror=alert(1)>",
	"<!--<script>alert(2)</script>",
	"<svg onload=alert(3)>",
	"javascript:alert(4)",
	"\u202eevil\u202c",
	"\u0000\u0001\u001b[31mred\u007f\u009b",
	"\u2028line\u2029paragraph",
	"مرحبا بالعالم",
	"x".repeat(255),
	"1 W fi".repeat(42),
	"日本🙂".repeat(60),
	"' \" ` ${alert(5)} {{alert(6)}}",
	"a\tb\nc",
	"",
];

/** Everything a page shows, with each view and grouping. */
async function everything(page) {
	const seen = [];

	for (const by of ["label", "coroutine", "thread"])
		for (const index of [0, 1, 2]) {
			await page.evaluate(([kind, at]) => window.coroprof.store.set({
				by: kind, selected: { kind, index: at }, lanes: at ? "threads" : "coroutines",
			}), [by, index]);
			await settle(page);
			seen.push(await page.locator("body").innerText());
		}
	for (const view of ["samples", "spans"]) {
		await page.evaluate((view) => window.coroprof.store.set({ view, find: view === "spans" ? "alert" : "" }), view);
		await settle(page);
		seen.push(await page.locator("body").innerText());
	}
	return seen.join("\n");
}

async function oldBrowserTest(browser, file) {
	await test("hostile: a browser that unpacks nothing by itself shows the same", async () => {
		const shown = {};

		for (const old of [false, true]) {
			const context = await browser.newContext({ offline: true });

			try {
				const page = await context.newPage();

				if (old)
					await page.addInitScript(() => { delete window.DecompressionStream; delete Uint8Array.fromBase64; });
				await page.goto(pathToFileURL(file).href);
				await page.waitForFunction(() => window.coroprof);
				await settle(page);
				shown[old] = await page.locator("body").innerText();
			} finally {
				await context.close();
			}
		}
		assert.ok(shown[true].length > 1000);
		assert.equal(shown[true], shown[false]);
	});
}

/** A page with other lines of columns: those that @change makes of them. */
function relined(file, change) {
	const data = rawOf(file);

	return withData(file, Object.defineProperty({ ...data }, "digits", { value: change(data.digits, data.tables) }));
}

/** A page one of whose columns, of a table, has another digit than the reader wrote. */
function damaged(file, table, column) {
	return relined(file, (lines, tables) => {
		const { line } = tables[table].columns.find(({ name }) => name === column).cells;
		const middle = lines[line].length >> 1;
		const other = lines[line][middle] === "A" ? "B" : "A";

		return lines.map((text, at) => at === line ? text.slice(0, middle) + other + text.slice(middle + 1) : text);
	});
}

/** What a page tells in place of itself. */
async function refusal(browser, file, text) {
	const context = await browser.newContext({ offline: true });
	const changed = `${file}.damaged.html`;

	try {
		const page = await context.newPage();

		writeFileSync(changed, text);
		await page.goto(pathToFileURL(changed).href);
		return await page.locator("[role=alert]", { hasText: "cannot be shown" }).innerText();
	} finally {
		await context.close();
	}
}

async function linesTest(browser, file) {
	await test("hostile: a page whose columns are more or fewer than it says shows none of them", async () => {
		const split = (line) => `${line[0]}\n${line.slice(1)}`;

		for (const change of [(lines) => lines.slice(1), (lines) => [...lines, ""], ([first, ...rest]) => [split(first), ...rest]])
			assert.match(await refusal(browser, file, relined(file, change)),
				/the columns of this page are damaged: they are \d+, not \d+/);
		assert.match(await refusal(browser, file, readFileSync(file, "utf8").replace(/(id="columns">[^<]*)\n</, "$1<")),
			/the columns of this page are damaged: the last has no end/);
	});
}

async function descriptionsTest(browser, file) {
	await test("hostile: a page whose descriptions were damaged on its way says so, and shows none of them", async () => {
		const text = readFileSync(file, "utf8");

		for (const changed of [text.replace(/(id="data">\d+ [^<]{200})(.)/, (_, before, digit) => `${before}${digit === "A" ? "B" : "A"}`),
			text.replace(/(id="data">\d)(\d+)/, (_, first, rest) => `${first}${Number(rest) - 1}`), text.replace(/(id="data">\d+ [^<]{200})[^<]*/, "$1")]) {
			assert.notEqual(changed, text);
			assert.match(await refusal(browser, file, changed), /its bytes are not what they were/);
		}
	});
}

async function damagedTest(browser, file) {
	await test("hostile: a page that was damaged on its way says which column is, when that is looked at", async () => {
		const context = await browser.newContext({ offline: true });
		const changed = `${file}.damaged.html`;

		try {
			const page = await context.newPage();
			const alert = page.locator("[role=alert]", { hasText: "cannot be shown" });

			writeFileSync(changed, damaged(file, "timeline", "duration"));
			await page.goto(pathToFileURL(changed).href);
			await alert.waitFor();
			assert.match(await alert.innerText(), /column duration of table timeline is damaged/);
			writeFileSync(changed, damaged(file, "coroutines", "running"));
			await page.goto("about:blank");
			await page.goto(pathToFileURL(changed).href);
			await page.waitForFunction(() => window.coroprof);
			await settle(page);
			assert.equal(await alert.count(), 0);
			await page.locator(".table-view .choice label", { hasText: "Coroutines" }).click();
			await alert.first().waitFor();
			assert.match(await alert.first().innerText(), /column running of table coroutines is damaged/);
		} finally {
			await context.close();
		}
	});
}

export async function hostileTests(browser, file) {
	await oldBrowserTest(browser, file);
	await linesTest(browser, file);
	await descriptionsTest(browser, file);
	await damagedTest(browser, file);
	await test("hostile names are text and nothing else", () => visit(browser, file, async (page) => {
		const text = await everything(page);

		assert.ok(text.includes(HOSTILE[0]));
		assert.ok(text.includes("␛[31mred"));
		assert.ok(text.includes("⟨202e⟩evil"));
		assert.doesNotMatch(text, /[\u0000-\u0008\u001b\u202e\u2028]/);
		assert.equal(await page.locator("img, svg:not(.histogram), iframe, object, embed").count(), 0);
		assert.equal(await page.locator("script").count(), 1);
		assert.equal(await page.locator("[onerror], [onload], [href]:not(link)").count(), 0);
	}));

	await test("long names are cut in the middle, not at their end", () => visit(browser, file, async (page) => {
		const path = "function </usr/bin/../share/nmap/scripts/http-enum.nse:366>";
		const shown = await page.evaluate((name) => {
			const { labels } = window.coroprof.store.profile;

			labels.name[0] = name;
			window.coroprof.store.set({ by: "label", mode: "share", selected: null });
			return name;
		}, path).then(() => settle(page)).then(() =>
			page.locator('.grid-body [data-column="name"]').allInnerTexts());
		const cut = shown.find((name) => name.startsWith("func"));

		assert.match(cut, /^func.*….*\.nse:366>$/);
		assert.ok(await page.locator(`.cell[aria-label="${path}"]`).count() === 1);
	}));

	await test("long names end in their column", () => visit(browser, file, async (page) => {
		const spilt = await page.locator('.grid-body [data-column="name"]').evaluateAll((cells) =>
			cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.innerText));

		assert.deepEqual(spilt, []);
	}));

	await test("hostile names do not move the table", () => visit(browser, file, async (page) => {
		const widths = await page.locator('.table-view .grid-body [data-column="name"]').evaluateAll((cells) =>
			[...new Set(cells.map((cell) => Math.round(cell.getBoundingClientRect().width)))]);
		const heights = await page.locator(".table-view .grid-body .grid-row").evaluateAll((rows) =>
			[...new Set(rows.map((row) => Math.round(row.getBoundingClientRect().height)))]);

		assert.equal(widths.length, 1);
		assert.deepEqual(heights, [24]);
	}));

	await test("a script that gets into the page does not run, nor reaches the network", async () => {
		const page = await browser.newPage();
		let asked = 0;
		const server = createServer((_, response) => {
			asked++;
			response.setHeader("Access-Control-Allow-Origin", "*").end();
		});

		await new Promise((done) => server.listen(0, "127.0.0.1", done));
		await page.goto(pathToFileURL(file).href);
		const ran = await page.evaluate(async (address) => {
			const script = document.createElement("script");

			script.textContent = "window.ran = 1";
			document.body.append(script);
			document.body.insertAdjacentHTML("beforeend", `<img src="${address}" onerror="window.ran = 2">`);
			await fetch(address).catch(() => {});
			await new Promise((done) => setTimeout(done, 300));
			return window.ran;
		}, `http://127.0.0.1:${server.address().port}/`);

		await page.close();
		server.close();
		assert.equal(ran, undefined);
		assert.equal(asked, 0);
	});
}
