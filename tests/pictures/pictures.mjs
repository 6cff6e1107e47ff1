// SPDX-License-Identifier: GPL-2.0
/*
 * pictures.mjs MODULES READER OUT README PICTURES: opens the pages of the recordings in OUT, and takes the picture of README.md
 * and those of docs/reading.md, each into PICTURES/STORY.png.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { launch, settle, visit } from "../e2e/browser.mjs";

const MS = 1e6;
const [, , modules, reader, out, readme, folder] = process.argv;

/**
 * Which recording, how large a window, of which label what is selected is, if anything, and what else is chosen in its page: parts
 * of its address, times in ms.
 */
const pictures = {
	readme: { of: "hog/old", width: 1500, height: 800, chosen: { lanes: "coroutines", time: [0, 190] } },
	hog: { of: "hog/old", width: 1200, height: 620, label: "heavy", chosen: { time: [0, 65] } },
	lock: { of: "lock/old1", width: 1200, height: 620, label: "save", chosen: {} },
	misses: {
		of: "misses/old1", width: 1200, height: 560, label: "columns",
		chosen: { view: "table", order: "states,coroutines,instructions,cache-misses,ipc,slices" },
	},
	queue: { of: "queue/old1", width: 1200, height: 760, chosen: { view: "timeline", lanes: "coroutines", time: [95, 170] } },
	wakes: { of: "wakes/old", width: 1200, height: 760, chosen: { view: "timeline", lanes: "coroutines", time: [98, 108] } },
};

function addressOf({ time, ...others }) {
	const parts = new URLSearchParams(others);

	if (time)
		parts.set("time", time.map((ms) => ms * MS).join("-"));
	return `#${parts}`;
}

/** Selects the label of a function. */
async function select(page, name) {
	const found = await page.evaluate((start) => {
		const { store, profile } = window.coroprof;
		const index = [...profile.labels.name].findIndex((one) => one.startsWith(start));

		store.select("label", index);
		return index;
	}, `${name}@`);

	if (found < 0)
		throw new Error(`no label is of ${name}`);
}

/** Of at most 256 colours, which is all that a page has. */
function reduce(file) {
	execFileSync("pngquant", ["--force", "--strip", "--speed", "1", "--output", file, "256", file]);
}

const browser = await launch(modules);

try {
	for (const [name, { of, width, height, label, chosen }] of Object.entries(pictures)) {
		const page = join(out, `${name}.html`);
		const file = name === "readme" ? readme : join(folder, `${name}.png`);

		execFileSync(reader, ["-o", page, join(out, `${of}.cprof`)]);
		await visit(browser, page, async (opened) => {
			if (label)
				await select(opened, label);
			await settle(opened);
			await opened.screenshot({ path: file });
		}, { hash: addressOf(chosen), size: { width, height } });
		reduce(file);
	}
} finally {
	await browser.close();
}
