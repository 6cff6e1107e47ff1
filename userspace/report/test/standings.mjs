// SPDX-License-Identifier: GPL-2.0
/*
 * The page combines figures as the reader does: standings.mjs MODULES READER TABLE, where MODULES is the folder that
 * holds node_modules, READER is coroprof-read, and TABLE a program that prints what the reader makes of each pair.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { finish, test } from "../../../tests/e2e/tap.mjs";
import { dataOf, load } from "./load.mjs";

const { combined, exceeding, followStandings, lacking, named, ratioOf, shared, standing, standingOf, summed, typical } = await load("./standings", "./cut-figures");
const { standings, combine } = dataOf();
const alone = { lacks: lacking, exceeds: exceeding, mean: typical };

followStandings(standings, combine);

await test("standings: the page has each pair of the reader's table, and each figure alone", () => {
	const lines = execFileSync(process.argv[4], ["table"], { encoding: "utf8" }).trim().split("\n").map((line) => line.split("\t"));
	const ways = new Set(lines.map(([how]) => how));

	assert.equal(lines.length, 6 * standings.length ** 2 + 3 * standings.length);
	assert.deepEqual([...ways].sort(), Object.keys(combine).sort());
	for (const [how, one, other, is] of lines)
		assert.equal(standing(alone[how] ? alone[how](named(one)) : combined(how, named(one), named(other))).name, is, `${how} of ${one} and ${other}`);
});

await test("standings: what the page asks for by other names is of the table", () => {
	const [counted, least, scaled, none, na] = ["counted", "at least", "scaled", "none", "n/a"].map(named);

	assert.equal(summed([]), none);
	assert.equal(summed([counted, least, counted]), least);
	assert.equal(summed([counted, na]), least);
	assert.equal(shared(least, true), scaled);
	assert.equal(shared(na, true), na);
	assert.equal(shared(least, false), least);
	assert.equal(ratioOf(least), scaled);
	assert.equal(lacking(counted, false), counted);
	assert.equal(exceeding(counted, false), counted);
});

await test("standings: a formula is as sure as the reader has it", () => {
	const of = (formula, a, b) => standing(standingOf(formula, (name) => name === "a" ? [6, named(a)] : [3, named(b)])).name;
	const [a, b] = [{ column: "a" }, { column: "b" }];

	assert.equal(of([a, b, "/"], "counted", "at least"), "at most");
	assert.equal(of([a, b, "/"], "at least", "at least"), "scaled");
	assert.equal(of([a, b, "-"], "at least", "at least"), "n/a");
	assert.equal(of([a, b, "+"], "counted", "unsupported"), "unsupported");
	assert.equal(of([a, 1, 9, "-", "*"], "at least", "counted"), "n/a");
	assert.equal(of([a, 1, 9, "-", "*"], "counted", "counted"), "counted");
});

process.exitCode = finish();
