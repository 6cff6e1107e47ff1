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
	overview: { time: `labels are of this time; ${DETAILS}` },
	timeline: { time: DETAILS },
	table: { time: `labels are of this time; ${DETAILS}` },
	latency: { time: DETAILS },
	longest: { time: DETAILS },
	slices: { time: DETAILS, filter: "slices are of all that the filter leaves out, too" },
	samples: { time: DETAILS },
	spans: { time: `spans are ${WHOLE}; ${DETAILS}`, thread: "spans are of all threads", filter: "spans are of all that the filter leaves out, too" },
};

async function choose(page, change) {
	await page.evaluate((change) => {
		const { store, profile } = window.coroprof;

		store.set({ selected: null, filter: "", from: 0, to: profile.duration, ...change });
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
			assert.equal(await said(page), notes.time.startsWith("details") || view === "table" || view === "overview" ? notes.time
				: notes.time.replace(WHOLE, `${WHOLE}${notes.thread ? ", of all threads" : ""}`));
			await choose(page, {});
			assert.equal(await said(page), "");
		}, { hash: `#view=${view}` }));

	await test("follow: of a coroutine, spans say that they are of all of its label", () => visit(browser, file, async (page) => {
		const label = await page.evaluate(() => {
			const { profile: { coroutines, labels, words } } = window.coroprof;
			const row = [...coroutines.flags].findIndex((flags) => !(flags & words.coroutine.thread));

			window.coroprof.store.select("coroutine", row);
			return labels.name[coroutines.label[row]];
		});

		await settle(page);
		assert.equal(await said(page), `spans are of all coroutines of ${label}`);
		await page.evaluate(() => window.coroprof.store.set({ view: "latency", what: "held" }));
		await settle(page);
		assert.equal(await said(page), "");
		await page.evaluate(() => window.coroprof.store.set({ what: "span" }));
		await settle(page);
		assert.equal(await said(page), "percentiles of spans are of all coroutines");
	}, { hash: "#view=spans" }));
}
