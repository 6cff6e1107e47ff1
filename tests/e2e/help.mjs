// SPDX-License-Identifier: GPL-2.0
/* The help, and what a recording says in which nothing is. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { settle, visit } from "./browser.mjs";
import { tablesIn } from "./rows.mjs";
import { rawOf } from "./tables.mjs";
import { test } from "./tap.mjs";

function pageOf(scenario, { generator, reader, out }) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `help-${scenario}.${end}`));

	execFileSync(generator, [recording, scenario]);
	/* Of a file that was not ended it says so by its status. */
	spawnSync(reader, ["-o", file, recording], { stdio: "ignore" });
	return file;
}

const notice = (page) => page.locator(".notice", { hasText: "Nothing was recorded." }).innerText();

export async function helpTests(browser, programs) {
	const file = pageOf("server", programs);
	const dialog = (page) => page.locator("dialog.help");

	await test("help: says what each column means, as the reader describes it", () => visit(browser, file, async (page) => {
		await page.keyboard.press("?");
		await settle(page);
		const said = await dialog(page).evaluate((element) => element.textContent);
		const { tables, standings } = rawOf(file);

		for (const name of ["labels", "coroutines", "threads", "latency", "worst"])
			for (const { shown, title, says } of tables[name].columns)
				if (shown)
					assert.ok(said.includes(title) && said.includes(says), `${name}: ${title}: ${says}`);
		for (const { mark, says } of standings)
			assert.ok(!mark || said.includes(says), says);
		for (const word of ["slice", "label", "shift drag", "to the caller"])
			assert.ok(said.includes(word), word);
		await page.screenshot({ path: join(programs.out, "help.png") });
		await page.keyboard.press("Escape");
		assert.equal(await dialog(page).isVisible(), false);
	}));

	await test("help: opens by its button, closes by its own, and leaves a filter its question mark", () => visit(browser, file, async (page) => {
		await page.locator('button[aria-label="Help"]').click();
		assert.equal(await dialog(page).isVisible(), true);
		await dialog(page).locator('button[aria-label="Close"]').click();
		assert.equal(await dialog(page).isVisible(), false);
		await page.locator(".table-view .filter").pressSequentially("?");
		assert.equal(await dialog(page).isVisible(), false);
		assert.equal(await page.locator(".table-view .filter").inputValue(), "?");
		assert.equal(await page.locator(".table-view .grid-empty").innerText(), "Nothing here matches the filter.");
	}));

	await test("nothing: a recording of no program says how to record one", () => visit(browser, pageOf("empty", programs), async (page) => {
		assert.match(await notice(page), /No program ran[\s\S]*COMMAND/);
		assert.equal(await page.locator(".table-view .grid-empty").innerText(), "There is none in this recording.");
		assert.equal(await page.locator('[role="tab"]', { hasText: "Latency" }).count(), 0);
		await page.screenshot({ path: join(programs.out, "nothing.png") });
	}));

	for (const [what, scenario] of [["of no program", "empty"], ["of a file that ends before the first slice", "header-only"]])
		await test(`nothing: page, text, CSV and JSON say why in the same words, ${what}`, () =>
			visit(browser, pageOf(scenario, programs), async (page) => {
				const file = join(programs.out, `help-${scenario}.cprof`);
				const read = (...options) => spawnSync(programs.reader, [...options, file], { encoding: "utf8" }).stdout;
				const [{ nothing, remedy }] = tablesIn(read("--format", "json", "-o", "-")).recording.rows;

				assert.ok(nothing && remedy);
				assert.equal((await notice(page)).replace(/\s+/g, " "), `Nothing was recorded. ${nothing} ${remedy}`);
				assert.ok(read("-o", "-").includes(`\nNOTHING     ${nothing}\n            ${remedy}\n`));
				assert.ok(read("--table", "recording", "--format", "csv", "-o", "-").includes(nothing));
			}));

	await test("nothing: a recording with slices does not say so", () => visit(browser, file, async (page) => {
		assert.equal(await page.locator(".notice", { hasText: "Nothing was recorded." }).count(), 0);
	}));
}
