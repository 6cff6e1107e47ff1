// SPDX-License-Identifier: GPL-2.0
/*
 * verify.mjs PAGE [OUT BIN]: holds docs/reading.md against the stories that it is to tell; and recordings in OUT, read by the
 * programs in BIN, against what the recorded programs are known to do. Prints TAP.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tablesIn } from "../e2e/rows.mjs";
import { finish, test, want } from "../harness/verify.mjs";
import { textOf, texts } from "./stories.mjs";

const [kept, out, bin] = process.argv.slice(2);
const MS = 1e6;
const page = readFileSync(kept, "utf8");
const shown = Object.fromEntries([...page.matchAll(/<!-- text (\S+) -->\s*([^]*?)\s*<!-- \/text -->/g)].map(([, name, text]) => [name, text]));

function wantSaid(name, text) {
	const [command, , says] = texts[name];

	want(text.trimStart().startsWith(`$ ${command}\n`), `it is of another command than '${command}':\n${text}`);
	want(says.test(`${text.replace(/\s+/g, " ")} `), `${says} is not in:\n${text}`);
}

test("docs/reading.md has a text for each command of the stories, and no other", () => {
	want(Object.keys(shown).join() === Object.keys(texts).join(), `${Object.keys(shown)}; the stories are ${Object.keys(texts)}`);
});
for (const name of Object.keys(texts))
	test(`docs/reading.md: the output for ${name} has what its story is about`, () => wantSaid(name, shown[name] ?? ""));
test("docs/reading.md: each picture that it shows is there", () => {
	const pictures = [...page.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, file]) => file);

	want(pictures.length === 5, `${pictures.length} pictures`);
	for (const file of pictures) want(existsSync(join(dirname(kept), file)), `${file} is missing: make pictures`);
});

/** The tables of a recording. */
function tables(name) {
	return tablesIn(execFileSync(`${bin}/coroprof`, ["report", `${out}/${name}.cprof`, "--format", "json"], { encoding: "utf8", maxBuffer: 1 << 28 }));
}

/** What the program printed: a number. */
const printed = (name) => Number(readFileSync(`${out}/${name}.output`, "utf8"));

/** The row of a table's function, by the column that names it. */
function rowOf({ rows }, column, name) {
	const found = rows.filter((row) => row[column]?.startsWith(`${name}@`));

	want(found.length === 1, `${found.length} rows of ${name}, of ${rows.map((row) => row[column]).join(", ")}`);
	return found[0];
}

const labelOf = (data, name) => rowOf(data.labels, "name", name);

function within(value, known, share, what) {
	want(Math.abs(value - known) <= share * known, `${what}: ${value}, known to be ${known}`);
}

/** Instructions of a call of the span "work" in a kind of handler. */
function workOf(data, kind) {
	const found = data.label_spans.rows.filter((row) => row.span_name === "work" && row.label_name.startsWith(`${kind}@`));

	want(found.length === 1, `${found.length} rows`);
	return found[0].own_instructions / found[0].calls;
}

function known() {
	test("hog: heavy's work is 20 times that of cheap, and 5 times when mended", () => {
		const [old, mended] = ["hog/old", "hog/new"].map(tables);

		within(workOf(old, "heavy"), 20 * workOf(old, "cheap"), 0.01, "work");
		within(workOf(mended, "heavy"), 5 * workOf(mended, "cheap"), 0.01, "mended work");
	});
	test("lock: what the coroutines waited for it is what they blocked, and next to nothing of it is left when mended", () => {
		const [old, mended] = ["lock/old1", "lock/new1"].map((name) => labelOf(tables(name), "save"));

		console.log(`# lock: blocked ${old.blocked} ns, waited ${printed("lock/old1")} ns; mended: blocked ${mended.blocked} ns`);
		within(old.blocked, printed("lock/old1"), 0.01, "blocked");
		want(mended.blocked < 0.05 * old.blocked, `${mended.blocked} ns are left`);
	});
	// As in misses.py.
	const [CELLS, TIMES, LINE] = [256 * 256, 20, 8];
	test("misses: each label has the cache misses of its walks, and no other", () => {
		const [old, mended] = ["misses/old1", "misses/new1"].map(tables);
		const missesOf = (data, name) => labelOf(data, name)["cache-misses_counted"];

		want(missesOf(old, "columns") === TIMES * CELLS, `columns: ${missesOf(old, "columns")}`);
		want(missesOf(old, "rows") === TIMES * CELLS / LINE, `rows: ${missesOf(old, "rows")}`);
		want(missesOf(mended, "columns") === TIMES * CELLS / LINE, `mended: ${missesOf(mended, "columns")}`);
	});
	test("misses: the recording says that its PMU is simulated", () => {
		want(tables("misses/old1").recording.rows[0].simulated !== null, "it does not");
	});
	// As in ticks.py.
	const [AGENTS, WORK, PERIODS] = [30, 2 * MS, 10];
	test("queue: the k-th of those that want to run at the same time was ready while k others ran", () => {
		const [old, mended] = ["queue/old1", "queue/new1"].map((name) => labelOf(tables(name), "report"));
		const known = PERIODS * WORK * AGENTS * (AGENTS - 1) / 2;

		console.log(`# queue: ready ${old.ready} ns, known to be ${known} ns at least; mended: ${mended.ready} ns`);
		want(old.ready >= known && old.ready <= 1.05 * known, `ready ${old.ready} ns of ${known}`);
		want(mended.ready < 0.05 * known, `${mended.ready} ns are left`);
	});
	// As in wakes.py.
	const [WORKERS, JOBS] = [20, 100];
	test("wakes: beyond one for each job, and one for each worker at the end, as many as the workers say found nothing", () => {
		const wakesOf = (name) => tables(name).wakes.rows.find((row) => row.waker_name?.startsWith("producer@") && row.woken_name.startsWith("worker@")).count;

		want(printed("wakes/old") === JOBS * (WORKERS - 1), `the program says ${printed("wakes/old")}`);
		want(wakesOf("wakes/old") - JOBS - WORKERS === printed("wakes/old"), `${wakesOf("wakes/old")} wakes`);
		want(printed("wakes/new") === 0 && wakesOf("wakes/new") === JOBS + WORKERS, `mended: ${wakesOf("wakes/new")} wakes`);
	});
	for (const name of Object.keys(texts))
		test(`these recordings: the output for ${name} has what its story is about`, () => wantSaid(name, textOf(name, bin, out)));
}

if (out) known();
finish();
