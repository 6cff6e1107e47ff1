// SPDX-License-Identifier: GPL-2.0
/* What follows what is chosen, view by view; and what does not, of which a note beside the chips says so. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { settle, visit } from "./browser.mjs";
import { test } from "./tap.mjs";

const WHOLE = "of the whole recording";
const DETAILS = `details are ${WHOLE} but for their first part`;
const CHOICES = {
	time: { from: 100000, to: 20000000 }, thread: { selected: { kind: "thread", index: 0 } },
	label: { selected: { kind: "label", index: 0 } }, filter: { filter: "tag=7" },
};
/** Of each view and choice, what is said; nothing: it is followed. */
const SAID = {
	overview: { time: `labels are of this time; ${DETAILS}`, thread: "labels are of this thread", both: `labels are of this time and thread; ${DETAILS}` },
	timeline: { time: DETAILS },
	table: { time: `labels are of this time; ${DETAILS}`, thread: "labels are of this thread", both: `labels are of this time and thread; ${DETAILS}` },
	latency: { time: DETAILS },
	longest: { time: DETAILS },
	slices: { time: DETAILS, filter: "slices are of all that the filter leaves out, too" },
	samples: { time: DETAILS },
	spans: { time: DETAILS, filter: "spans are of all that the filter leaves out, too" },
};

async function choose(page, change) {
	await page.evaluate((change) => {
		const { store, profile } = window.coroprof;

		store.set({ selected: null, filter: "", from: 0, to: profile.until, ...change });
	}, change);
	await settle(page);
}

/** What is said of what does not follow, without the command. */
const said = async (page) => (await page.locator(".chips .chip-note").allInnerTexts()).filter((text) => !text.startsWith("a command")).join("; ");

export async function followTests(browser, { callsGenerator, reader, out }) {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `follow.${end}`));

	execFileSync(callsGenerator, [recording]);
	execFileSync(reader, ["-o", file, recording], { stdio: ["ignore", "ignore", "pipe"] });

	for (const [view, notes] of Object.entries(SAID))
		await test(`follow: ${view} says what does not follow the time, thread, label or filter that is chosen`, () => visit(browser, file, async (page) => {
			for (const [choice, change] of Object.entries(CHOICES)) {
				await choose(page, change);
				assert.equal(await said(page), notes[choice] ?? "", choice);
			}
			await choose(page, { ...CHOICES.time, ...CHOICES.thread });
			assert.equal(await said(page), notes.both ?? [...notes.time.split("; ").slice(0, -1), notes.thread, DETAILS].filter(Boolean).join("; "));
			await choose(page, {});
			assert.equal(await said(page), "");
		}, { hash: `#view=${view}` }));

	await test("follow: a table says what of its rows does not follow", () => visit(browser, file, async (page) => {
		for (const [change, says] of [
			[{ by: "thread", ...CHOICES.label }, "threads are of this label"], [{ by: "thread", ...CHOICES.thread }, ""],
			[{ by: "thread", selected: { kind: "coroutine", index: 3 } }, "threads are of this coroutine"],
			[{ by: "coroutine", ...CHOICES.label }, "coroutines are of this label"], [{ by: "coroutine", within: 0, ...CHOICES.label }, ""],
			[{ by: "coroutine", within: 0, ...CHOICES.time, ...CHOICES.label }, `coroutines are of this time and label; ${DETAILS}`],
			[{ by: "coroutine", within: -1, ...CHOICES.time, ...CHOICES.thread }, `coroutines are of this time and thread; ${DETAILS}`],
			[{ by: "label", selected: { kind: "coroutine", index: 3 } }, "labels are of all coroutines"],
		]) {
			await choose(page, change);
			assert.equal(await said(page), says, JSON.stringify(change));
		}
	}, { hash: "#view=table" }));

	const [lostRecording, lostFile] = ["cprof", "html"].map((end) => join(out, `follow-lost.${end}`));
	const why = "spans were lost, and it is not known in which others they were";

	execFileSync(callsGenerator, [lostRecording, "lost"]);
	execFileSync(reader, ["-o", lostFile, lostRecording], { stdio: ["ignore", "ignore", "pipe"] });
	await test("follow: spans that the page can't tell of a part say of what they are, and why", () => visit(browser, lostFile, async (page) => {
		await choose(page, CHOICES.time);
		assert.equal(await said(page), `spans are ${WHOLE}: ${why}; ${DETAILS}`);
		await choose(page, { ...CHOICES.time, ...CHOICES.thread });
		assert.equal(await said(page), `spans are ${WHOLE}, of all threads: ${why}; ${DETAILS}`);
		await choose(page, {});
		const label = await page.evaluate(() => {
			const { profile: { coroutines, labels, words } } = window.coroprof;
			const row = [...coroutines.flags].findIndex((flags) => !(flags & words.coroutine.thread));

			window.coroprof.store.select("coroutine", row);
			return labels.name[coroutines.label[row]];
		});

		await settle(page);
		assert.equal(await said(page), `spans are of all coroutines of ${label}: ${why}`);
		for (const what of ["held", "span"]) {
			await page.evaluate((what) => window.coroprof.store.set({ view: "latency", what }), what);
			await settle(page);
			assert.equal(await said(page), "", what);
		}
	}, { hash: "#view=spans" }));
}
