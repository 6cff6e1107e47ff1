// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER...: holds what was recorded in each guest against what the program is known to do. Prints TAP.
import { basename } from "node:path";
import { coroutinesOf, finish, recordedIn, testKinds, testNaps, testSame, testTurns, testWhole } from "../../harness/verify.mjs";

// As in known.php: fibers of a kind, turns, instructions of a unit; a nap in ns. What PHP takes for a fiber, at most.
const KNOWN = { count: 4, turns: 5, unit: 3 * 50000, life: 60000 }, NAP = 2e6;

for (const folder of process.argv.slice(2)) {
	const guest = recordedIn(folder);

	for (const mode of ["ioctl", "user"]) {
		const name = `${guest.read("versions").trim()} of ${basename(folder)}, ${mode}`, data = guest.page(`php-${mode}`);
		const fibers = (kind) => coroutinesOf(data, (label) => label.startsWith(`${kind}@`));

		testSame(name, guest, "php", mode);
		testTurns(name, "fiber", fibers, KNOWN);
		testKinds(name, "fails, that is given up, that another resumes, and that one; in a child of fork(), too",
			[["fails", 5], ["given_up", 5], ["inner", 10], ["outer", 2], ["forked", 5]], fibers, KNOWN);
		testNaps(name, "waits while the program sleeps", fibers("naps"), KNOWN.turns, NAP, 0.5e6);
		testWhole(name, data);
	}
}

finish();
