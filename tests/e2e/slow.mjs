// SPDX-License-Identifier: GPL-2.0
/* Slow slices and lives against the rest: what is known of them is what the tab says. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { settle, state, visit } from "./browser.mjs";
import { test } from "./tap.mjs";

const plain = (text) => text.replace(/\u202f/g, " ");
const view = (page) => page.locator(".slow-view");
const button = (page, text) => view(page).locator("button", { hasText: text });

function run(program, args, out) {
	return execFileSync(program, args, { cwd: out, stdio: ["ignore", "pipe", "pipe"] }).toString();
}

async function rows(page) {
	const all = await view(page).locator(".changes.rows tbody tr").evaluateAll((all) => all.map((row) =>
		[...row.children].map((cell) => cell.innerText.replace(/\u202f/g, " "))));

	return all.map(([name, label, figure, rest, , slow, , change, verdict]) => ({ name, label, figure, rest, slow, change, verdict }));
}

async function slicesTests(browser, file) {
	await test("slow: how many are slow, by what, is said first", () => visit(browser, file, async (page) => {
		assert.equal(await page.locator('[role="tab"][aria-selected="true"]').innerText(), "Slow");
		assert.equal((await state(page)).view, "slow");
		assert.match(plain(await view(page).locator(".slow-of").innerText()),
			/Of odd: 80 slices \(20\.0 %\) with more than 3\d\d k cycles \(p80\) against 320 others\./);
	}));
	await test("slow: slices that counted more are told from the rest by that alone", () => visit(browser, file, async (page) => {
		const found = Object.fromEntries((await rows(page)).filter(({ name, label }) => name === "odd" && !label)
			.map(({ figure, rest, slow, change, verdict }) => [figure, [rest, slow, change, verdict]]));

		assert.deepEqual(found["cycles/slice"], ["300 k", "330 k", "+10.0 %", "n/a"]);
		assert.deepEqual(found["held/slice"], ["100 us", "100 us", "+0.0 %", "n/a"]);
		assert.deepEqual(found["running/held"].slice(0, 2), ["1.00", "1.00"]);
		assert.match(await view(page).innerText(), /beyond noise \(n\/a\)[\s\S]*Whether they differ beyond noise is not known: slices of one coroutine are not independent of each other\./);
		assert.ok(!Object.keys(found).some((figure) => figure.startsWith("lifetime")));
	}));
	await test("slow: the flame graph has the samples of the slow slices, red where there are more in each", () => visit(browser, file, async (page) => {
		await button(page, "samples").click();
		const box = (name) => view(page).locator(".change-box").filter({ hasText: new RegExp(`^${name}$`) }).first();

		assert.match(await box("odd").evaluate((element) => element.style.background), /--bad\) 60%/);
		await box("odd").hover();
		assert.match(plain(await page.locator(".tip").innerText()), /rest, a slice\s+1\.00[\s\S]*slow, a slice\s+2\.00[\s\S]*\+100\.0 %/);
		/* A third of the first samples, and each second one, are in leaf. */
		const width = await box("gen_leaf").evaluate((element) => parseFloat(element.style.width));

		assert.ok(width > 100 * (80 + 20) / 160 && width < 100 * (80 + 35) / 160, `${width} %`);
		await button(page, "spans").click();
		assert.match(await box("outer").evaluate((element) => element.style.background), /--accent\) 0%|--bad\) 0%/);
	}));
	await test("slow: bars have the time of one on either side, in one scale", () => visit(browser, file, async (page) => {
		const bars = await view(page).locator(".slow-bar").evaluateAll((all) => all.map((bar) =>
			[bar.firstChild.innerText, bar.querySelector("i.running").style.width, bar.lastChild.innerText.replace(/\u202f/g, " ")]));

		assert.deepEqual(bars, [["rest", "100%", "100 us"], ["slow", "100%", "100 us"]]);
	}));
}

async function livesTests(browser, file, { reader, recording, out }) {
	await test("slow: of lives, what is beyond noise is shown, and is what the text says", () => visit(browser, file, async (page) => {
		const text = run(reader, ["--slow", "handle_request:of=lives,by=ready", "--table", "slow", recording], out).split("\n");
		const said = text.slice(text.findIndex((line) => line.startsWith("name ")) + 1).filter(Boolean)
			.map((line) => line.trim().split(/ {2,}/)).filter((cells) => ["more", "less", "mixed", "slow only", "rest only"].includes(cells.at(-1)));
		const shown = await rows(page);

		assert.ok(said.length > 8, `${said.length} figures`);
		assert.deepEqual(shown.map(({ figure, rest, slow, verdict }) => [figure, rest, slow, verdict]),
			said.map((cells) => [cells[2], cells[3], cells[5], cells.at(-1)]));
		assert.ok(shown.some(({ figure, verdict }) => figure === "ready/coroutine" && verdict === "more"));
		assert.ok(!shown.some(({ figure }) => figure === "ipc"), "IPC is the same");
	}));
	for (const [name, scheme, width] of [["light", "light", 1400], ["dark", "dark", 1400], ["narrow", "light", 800], ["narrow-dark", "dark", 800]])
		await test(`look: slow against the rest, ${name}`, () => visit(browser, file, async (page) => {
			await page.screenshot({ path: join(out, `slow-${name}.png`) });
			const past = await page.locator("html").evaluate((element) => element.scrollWidth - element.clientWidth);

			assert.ok(past <= 0, `the page is ${past} wider than there is room`);
		}, { scheme, size: { width, height: 900 } }));
}

/** Slices and spans were lost: of no number is it known that there is not more. */
async function lostTests(browser, file, spans) {
	await test("slow: where slices were lost, the numbers of slow ones and others are bounds", () => visit(browser, file, async (page) => {
		assert.match(plain(await view(page).locator(".slow-of").innerText()),
			/: >=\d+ slices \(~[\d.]+ %\) with more than .* against >=[\d,]+ others; >=0 of which it is not known/);
	}));
	await test("slow: where spans were lost, the flame graph says so", () => visit(browser, spans, async (page) => {
		await button(page, "spans").click();
		await view(page).locator(".change-box").first().hover();
		const tip = plain(await page.locator(".tip").innerText());

		assert.match(tip, /rest, a slice\s+~[\s\S]*slow, a slice\s+~/);
		assert.match(tip, /Some of it was lost/);
	}));
}

/** Words of a command, as a shell has them; what is quoted here has no quotes in it. */
const words = (command) => [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word);

async function offerTests(browser, { reader, out }, file) {
	await test("slow: a label offers the command that makes the page, and that makes it", async () => {
		let command;

		await visit(browser, file, async (page) => {
			const offer = page.locator(".details section", { hasText: "Slow against the rest" });

			await page.locator('.table-view .grid-row [data-column="name"]', { hasText: "query_database" }).click();
			await settle(page);
			await offer.getByLabel("By what").selectOption("cache-misses");
			await offer.getByLabel("Threshold").selectOption("p99");
			command = words(await offer.locator("code").innerText());
			await page.screenshot({ path: join(out, "slow-offer.png") });
		}, { hash: "#view=overview" });
		assert.equal(command[0], "coroprof-read");
		assert.ok(command.includes("query_database:of=slices,by=cache-misses,above=p99"), command.join(" "));
		run(reader, command.slice(1), out);
		await visit(browser, join(out, "slow.html"), async (page) => {
			assert.match(plain(await view(page).locator(".slow-of").innerText()), /Of query_database: .* cache-misses \(p99\)/);
		});
	});
}

export async function slowTests(browser, { generator, callsGenerator, reader, out }) {
	const files = ["slow-calls.cprof", "slow-calls.html", "slow-server.cprof", "slow-lives.html", "slow-plain.html",
		"slow-lost.cprof", "slow-lost.html", "slow-lost-calls.cprof", "slow-lost-spans.html"].map((name) => join(out, name));
	const [calls, slices, server, lives, without, lost, lostSlices, lostCalls, lostSpans] = files;

	run(callsGenerator, [calls, "slow"], out);
	run(generator, [server, "server"], out);
	run(reader, ["-o", slices, "--slow", "odd:by=cycles,above=p80", calls], out);
	run(reader, ["-o", lives, "--slow", "handle_request:of=lives,by=ready", server], out);
	run(reader, ["-o", without, server], out);
	run(generator, [lost, "lost"], out);
	run(reader, ["-o", lostSlices, "--slow", "handle_request", lost], out);
	run(callsGenerator, [lostCalls, "slow-lost"], out);
	run(reader, ["-o", lostSpans, "--slow", "odd:by=cycles,above=p80", lostCalls], out);
	await slicesTests(browser, slices);
	await lostTests(browser, lostSlices, lostSpans);
	await livesTests(browser, lives, { reader, recording: server, out });
	await offerTests(browser, { reader, out }, without);
}
