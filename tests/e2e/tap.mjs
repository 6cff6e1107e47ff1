// SPDX-License-Identifier: GPL-2.0
/* Test Anything Protocol, as the other tests of this repository print it. */

const counts = { passed: 0, failed: 0, skipped: 0 };
let number = 0;

/** Runs @body and prints its result; what it throws is the failure. */
export async function test(name, body) {
	const began = performance.now();

	number++;
	try {
		const skip = await body();

		if (typeof skip === "string") {
			counts.skipped++;
			console.log(`ok ${number} - ${name} # SKIP ${skip}`);
			return;
		}
		counts.passed++;
		console.log(`ok ${number} - ${name}`);
	} catch (error) {
		counts.failed++;
		console.log(`not ok ${number} - ${name}`);
		for (const line of String(error.stack ?? error).split("\n").slice(0, 12))
			console.log(`# ${line}`);
	}
	const seconds = (performance.now() - began) / 1000;
	if (seconds > 5) console.log(`# it took ${seconds.toFixed(1)} s`);
}

/** Prints the sums; the result is the exit status. */
export function finish() {
	console.log(`1..${number}`);
	console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
	return counts.failed || !counts.passed ? 1 : 0;
}
