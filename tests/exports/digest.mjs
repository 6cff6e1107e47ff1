// SPDX-License-Identifier: GPL-2.0
/* One screen of a comparison, and of what is slow: the first of what all tables say, no wider than 100 columns. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "../e2e/tap.mjs";
import { coroprof, out, reader, recording, run } from "./support.mjs";

const [WIDTH, LINES, LINES_OF_REPORT] = [100, 45, 40];

/** The cells of the table below the line that begins with these titles, row by row. */
function rows(text, titles) {
	const lines = text.split("\n"), head = lines.findIndex((line) => line.trim().split(/ {2,}/u).join() === titles);
	const end = lines.findIndex((line, i) => i > head && (!line || line.startsWith("and ")));

	assert.ok(head >= 0, text);
	return lines.slice(head + 1, end).map((line) => line.trimEnd().split(/ {2,}/u));
}

function wantScreen(text, most = LINES) {
	const lines = text.trimEnd().split("\n");

	assert.ok(lines.length >= 12 && lines.length <= most, `${lines.length} lines`);
	for (const line of lines)
		assert.ok(line.length <= WIDTH, line);
}

/** Every cell of the screen is one of the row of all tables that has the same name and figure. */
function wantAmong(screen, all) {
	assert.ok(screen.length > 3, `${screen.length} rows`);
	for (const cells of screen) {
		const row = all.find((others) => others[0] === cells[0] && cells.every((cell) => others.includes(cell)));

		assert.ok(row, cells.join(" | "));
	}
}

export async function digestTests() {
	const [old, after] = ["200000", "300000"].map(recording), server = recording("server");

	await test("digest: diff is one screen, with the answer first, and figures of the table of changes", () => {
		const text = run(coroprof, ["diff", old, after]);

		wantScreen(text);
		assert.match(text, /^changed {5}render_template: instructions\/coroutine \+\d/u);
		wantAmong(rows(text, "name,figure,old,new,change,verdict"),
			rows(run(coroprof, ["diff", "--all", old, after]), "name,figure,old,+-,new,+-,change,verdict,99 % interval"));
	});
	await test("digest: diff of the same load says so, and what times need", () => {
		const text = run(coroprof, ["diff", old, recording("200001")]).replaceAll(/\n {2}/gu, " ");

		assert.match(text, /^changed {5}nothing has changed beyond noise/u);
		assert.match(text, /times need several runs of each side, coroprof diff OLD\.cprof OLD2\.cprof -- NEW\.cprof NEW2\.cprof/u);
		assert.match(run(coroprof, ["diff", "--all", old, recording("200001")]),
			/they need several of both, coroprof diff OLD\.cprof OLD2\.cprof -- NEW\.cprof NEW2\.cprof\./u);
	});
	await test("digest: diff of several runs of each side does not ask for more", () => {
		const text = run(coroprof, ["diff", old, recording("200001"), "--", recording("200002"), recording("200003")]);

		assert.doesNotMatch(text, /several runs/u);
	});
	await test("digest: slow is one screen, with figures of the table of what is slow", () => {
		const text = run(coroprof, ["slow", "handle_request", server]);

		wantScreen(text);
		wantAmong(rows(text, "name,figure,rest,slow,change,verdict"),
			rows(run(coroprof, ["slow", "--all", "handle_request", server]), "name,in,figure,rest,+-,slow,+-,change,verdict"));
	});
	for (const name of ["server", "processes", "own-counters"])
		await test(`digest: report is one screen: ${name}`, () => wantScreen(run(coroprof, ["report", recording(name)]), LINES_OF_REPORT));
	await test("digest: report of a file that is torn is one screen, and says why sums are not checked", () => {
		const torn = join(out, "torn-digest.cprof");

		writeFileSync(torn, readFileSync(server).subarray(0, 150001));

		const text = spawnSync(coroprof, ["report", torn], { encoding: "utf8" }).stdout;

		wantScreen(text, LINES_OF_REPORT);
		assert.match(text.replaceAll(/\n +/gu, " "), /sums hold in 0 of 4, not checked in 4 \(thread \d+: the file does not have the thread's totals\)/u);
	});
	await test("digest: counters with the same standing share one sentence", () => {
		assert.match(run(coroprof, ["report", recording("own-counters")]).replaceAll(/\n +/gu, " "),
			/counters {4}instructions counted; cycles, cache-misses, branch-misses at least: counted in 56\.7 % of the running time; raw:0x1b1 /u);
	});
	await test("digest: a table leaves out columns that no row has a figure in, and its last columns where it is too wide", () => {
		const longest = rows(run(coroprof, ["report", server]), "ready,label,coroutine,begin,woken by");

		assert.equal(longest.length, 3);
		rows(run(coroprof, ["report", recording("processes")]), "label,process,coroutines,slices,running,%,held, 50 %,held, 99 %");
	});
	await test("digest: with --all there is what coroprof-read shows", () => {
		const names = (text) => text.replaceAll(/coroprof(-read)? (diff|--diff|slow|--slow)/gu, "");

		assert.equal(names(run(coroprof, ["diff", "--all", old, after])), names(run(reader, ["--diff", old, after])));
		assert.equal(names(run(coroprof, ["slow", "--all", "handle_request", server])), names(run(reader, ["--slow", "handle_request", server])));
	});
}
