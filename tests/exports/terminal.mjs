// SPDX-License-Identifier: GPL-2.0
/* Colours of tables, where they are and where not: on a terminal of script(1), in a pipe, behind a pager, in files. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "../e2e/tap.mjs";
import { coroprof, out, reader, recording, run } from "./support.mjs";

const [BOLD, ALARM, FINDING] = ["\x1b[1m", "\x1b[1;31m", "\x1b[1;33m"];

const without = (text) => text.replaceAll(/\x1b\[[0-9;]*m/g, "");
const quoted = (word) => `'${word}'`;

/** What a terminal of 120 columns gets. */
function shown(words, environment = {}) {
	const { NO_COLOR, ...others } = process.env;
	const command = `stty cols 120; ${words.map(quoted).join(" ")}`;

	return run("script", ["-qec", command, "/dev/null"],
		{ env: { ...others, TERM: "xterm", COROPROF_PAGER: "cat", ...environment } }).replaceAll("\r", "");
}

export async function terminalTests() {
	const file = recording("server");
	const report = [coroprof, "report", file];

	await test("colours: on a terminal titles are bold, findings yellow, alarms red", () => {
		const text = shown(report), lines = text.split("\n");

		assert.ok(lines.some((line) => line.startsWith(`${ALARM}SIMULATED `)), text);
		assert.ok(lines.some((line) => line.startsWith(`${FINDING}findings `)), text);
		assert.ok(lines.some((line) => line.startsWith(`${BOLD}label `)), text);
		assert.ok(lines.some((line) => line.startsWith("threads ")), text);
	});
	await test("pager: help goes through it on a terminal, as wide as that, but not that of coroprof-read", () => {
		for (const words of [["help", "columns"], ["record", "--help"], ["help"]]) {
			const text = shown([coroprof, ...words]), paged = shown([coroprof, ...words], { COROPROF_PAGER: "sed s/^/:/" });

			assert.equal(paged, text.split("\n").slice(0, -1).map((line) => `:${line}\n`).join(""));
		}
		assert.ok(shown([coroprof, "record", "--help"]).split("\n").some((line) => line.length > 90));
		assert.equal(shown([reader, "--help"], { COROPROF_PAGER: "sed s/^/:/" }), shown([reader, "--help"]));
	});
	await test("colours: behind a pager there are the same", () => {
		assert.equal(shown(report, { COROPROF_PAGER: "tr x x" }), shown(report));
	});
	await test("colours: what they are taken out of is the text that is without them", () => {
		for (const words of [report, [...report, "--all"], [...report, "-t", "labels"]]) {
			const plain = run(words[0], words.slice(1));

			assert.ok(!plain.includes("\x1b"));
			assert.equal(without(run(words[0], [...words.slice(1), "--color", "always"])), plain);
			assert.equal(without(shown(words)), shown([...words, "--color", "never"]));
		}
	});
	await test("colours: NO_COLOR, TERM=dumb and --color never have none on a terminal, an empty NO_COLOR has", () => {
		for (const text of [shown(report, { NO_COLOR: "1" }), shown(report, { TERM: "dumb" }), shown([...report, "--color", "never"])])
			assert.ok(!text.includes("\x1b"), text);
		assert.ok(shown(report, { NO_COLOR: "" }).includes(ALARM));
		assert.ok(shown([...report, "--color", "always"], { NO_COLOR: "1" }).includes(ALARM));
	});
	await test("colours: a file has none, even with --color always", () => {
		const path = join(out, "colours.txt");

		run(coroprof, ["report", "--color", "always", "-o", path, file]);
		assert.ok(!readFileSync(path, "utf8").includes("\x1b"));
	});
	await test("colours: coroprof-read has none on a terminal without --color", () => {
		assert.ok(!shown([reader, file]).includes("\x1b"));
		assert.ok(shown([reader, "--color", "auto", file]).includes(ALARM));
	});
	await test("colours: another word than auto, always and never is an error", () => {
		assert.throws(() => run(coroprof, ["report", "--color", "red", file]), /--color red: auto, always or never/);
	});
}
