// SPDX-License-Identifier: GPL-2.0
// What the tests of recorded programs have in common: the figures of a page, and results as TAP.
import { readFileSync } from "node:fs";

/** The data that the reader put into a page. */
export function load(file) {
	return JSON.parse(readFileSync(file, "utf8").match(/<script[^>]*application\/json[^>]*>([\s\S]*?)<\/script>/)[1]);
}

/** Row @i of a column, which is written as one number where all rows are alike. */
export function at(column, i) {
	return Number(Array.isArray(column) ? column[i] : column);
}

const tests = [];

export function test(name, body) {
	tests.push([name, body]);
}

export function want(condition, text) {
	if (!condition) throw new Error(text);
}

/** Nothing was lost or damaged on the way, and slices sum to what the threads counted. */
export function wantWhole({ recording }) {
	want(Number(recording.lost) === 0 && recording.failed_checks === 0 && !recording.torn && !recording.damage_total,
		JSON.stringify(recording));
}

/** Runs all tests, and ends the program with its exit status. */
export function finish() {
	let failed = 0;

	console.log(`1..${tests.length}`);
	tests.forEach(([name, body], i) => {
		try {
			body();
			console.log(`ok ${i + 1} - ${name}`);
		} catch (error) {
			failed++;
			console.log(`not ok ${i + 1} - ${name}\n# ${error.message.replaceAll("\n", "\n# ")}`);
		}
	});
	process.exit(failed ? 1 : 0);
}
