// SPDX-License-Identifier: GPL-2.0
/* What is chosen: told in one place, in the address by name, and left by Back. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { settle, state, visit } from "./browser.mjs";
import { dataOf } from "./tables.mjs";
import { test } from "./tap.mjs";

export async function addressTests(browser, { generator, reader, out }) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `address.${end}`));
	const addressed = (page, part) => page.waitForFunction((part) => decodeURIComponent(location.hash.replace(/\+/g, " ")).includes(part), part);
	const chips = (page) => page.locator(".chips").innerText();

	execFileSync(generator, [recording, "processes"]);
	execFileSync(reader, ["-o", file, recording], { stdio: "ignore" });
	const { labels, coroutines, threads, processes, recording: { duration: [duration] } } = dataOf(file);

	await test("address: a label, a coroutine and a thread are there by name", () => visit(browser, file, async (page) => {
		const row = coroutines.id.findIndex((id, row) => id < 2 ** 53 && coroutines.process[row] === 1);

		for (const [kind, index, part] of [
			["label", 0, `label=${labels.name[0]}`],
			["coroutine", row, `coroutine=${processes.pid[1]}:${coroutines.id[row]}`],
			["thread", 1, `thread=${processes.pid[threads.process[1]]}:${threads.tid[1]}`],
		]) {
			await page.evaluate(([kind, index]) => window.coroprof.store.select(kind, index), [kind, index]);
			await addressed(page, part);
			const hash = await page.evaluate(() => location.hash);

			await visit(browser, file, async (other) =>
				assert.deepEqual((await state(other)).selected, { kind, index }, hash), { hash });
		}
	}));

	await test("address: labels of the same name in two processes are told apart", () => visit(browser, file, async (page) => {
		const names = await page.evaluate(({ length }) => {
			const { store } = window.coroprof;

			return Array.from({ length }, (_, row) => store.names.name("label", row));
		}, { length: labels.rows });

		assert.equal(new Set(names).size, labels.rows);
		assert.ok(new Set(labels.name).size < labels.rows, "some have the same name");
		names.forEach((name, row) => assert.ok(name.startsWith(labels.name[row]), name));
	}));

	await test("address: columns that are written wrongly leave the others as they are", () => visit(browser, file, async (page) => {
		assert.equal(await page.locator(".notice.alert[role=alert]", { hasText: "cannot be shown" }).count(), 0);
		assert.equal(await page.locator('.grid .cell.head[data-column="slices"]').count(), 0);
		assert.ok(await page.locator('.grid .cell.head[data-column="running"]').count());
	}, { hash: "#view=table&order=%25zz,running&columns=%25,!slices" }));

	for (const [kind, name] of [["label", "no such label"], ["coroutine", "1:1"], ["thread", "1:1"]])
		await test(`address: a ${kind} that is not in the recording selects nothing, and the page says so`, () => visit(browser, file, async (page) => {
			assert.equal((await state(page)).selected, null);
			assert.match(await chips(page), new RegExp(`^${kind}\\s*${name}: not in this recording`));
			await page.evaluate(() => window.coroprof.store.select("label", 1));
			await settle(page);
			assert.doesNotMatch(await chips(page), /not in this recording/);
		}, { hash: `#${kind}=${name.replace(/ /g, "+")}` }));

	await test("address: what is said not to be in the recording can be let go of", () => visit(browser, file, async (page) => {
		await page.locator('.chips [aria-label="No label"]').click();
		assert.equal(await chips(page), "");
	}, { hash: "#label=no+such+label" }));

	await test("address: Back leads to what was chosen before", () => visit(browser, file, async (page) => {
		await page.evaluate(() => window.coroprof.store.select("thread", 0));
		await addressed(page, "thread=");
		await page.evaluate(() => window.coroprof.store.set({ view: "table", selected: null }));
		await addressed(page, "view=table");
		await page.goBack();
		await page.waitForFunction(() => window.coroprof.store.state.selected?.kind === "thread");
		assert.equal((await state(page)).view, "overview");
		await page.goForward();
		await page.waitForFunction(() => window.coroprof.store.state.view === "table");
		assert.equal((await state(page)).selected, null);
	}));

	await test("address: a filter is no step that Back leads to", () => visit(browser, file, async (page) => {
		const before = await page.evaluate(() => history.length);

		for (const filter of ["a", "ab"]) {
			await page.evaluate((filter) => window.coroprof.store.set({ filter }), filter);
			await addressed(page, `filter=${filter}`);
		}
		assert.equal(await page.evaluate(() => history.length), before);
	}));

	await test("address: the list that led somewhere, how it is sorted, and the threshold are there again", () => visit(browser, file, async (page) => {
		const shown = async () => [await page.locator(".longest-view .grid-body .grid-row").allInnerTexts(), await page.locator(".list-note").innerText(),
			await page.locator(".list-note select").inputValue()];
		const time = { from: Math.floor(duration / 4), to: Math.floor(duration / 2) };

		await page.evaluate((time) => window.coroprof.store.set(time), time);
		await page.locator(".list-note select").selectOption("held_100us");
		await page.locator('.longest-view .head[data-column="preempted"]').click();
		await addressed(page, "held=held_100us");
		await addressed(page, "ranked=-preempted");
		await settle(page);
		await page.locator('.longest-view .grid-body .grid-row [data-column="name"]').nth(2).click();
		await addressed(page, `listed=time=${time.from}-${time.to}`);
		await settle(page);
		const before = await shown();

		assert.ok(before[0].length > 5 && /A click led on from this list/.test(before[1]), before[1]);
		await visit(browser, file, async (other) => {
			await other.waitForFunction(() => document.querySelector(".longest-view .grid-body .grid-row"), null, { timeout: 60000 });
			const { store, profile } = await other.evaluate(() => ({ store: window.coroprof.store.state.listed, profile: window.coroprof.profile.until }));

			assert.deepEqual([store.from, store.to, store.selected, profile], [time.from, time.to, null, duration]);
			assert.deepEqual([await other.locator(".longest-view .grid-body .grid-row").allInnerTexts(), await other.locator(".list-note").innerText(),
				await other.locator(".list-note select").inputValue()], before);
		}, { hash: await page.evaluate(() => location.hash) });
		await page.goBack();
		await page.waitForFunction(() => !location.hash.includes("listed"), null, { timeout: 60000 });
		assert.equal((await state(page)).listed, null);
	}, { hash: "#view=longest" }));

	await test("chips: what is selected, and the time in view, with what tables are of", () => visit(browser, file, async (page) => {
		assert.equal(await chips(page), "");
		await page.evaluate((to) => {
			window.coroprof.store.select("label", 0);
			window.coroprof.store.set({ from: 0, to });
		}, duration / 2);
		await settle(page);
		assert.match(await chips(page), /^label[\s\S]*time[\s\S]* from 0[\s\S]*labels are of this time; details are of the whole recording/);
		assert.match(await page.locator(".chips [title]").getAttribute("title"), /coroprof-read -o part.html --from 0\.0+ --to 0\.\d{9} /);
		await page.locator('.chips [aria-label="No time"]').click();
		await page.locator('.chips [aria-label="No label"]').click();
		const { selected, from, to } = await state(page);

		assert.deepEqual([selected, from, to], [null, 0, duration]);
		assert.equal(await chips(page), "");
	}));
}
