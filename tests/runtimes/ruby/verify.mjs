// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER...: holds what was recorded in each guest against what the program is known to do. Prints TAP.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { coroutinesOf, finish, recordedIn, test, testKinds, testNaps, testSame, testTurns, testWhole, want } from "../../harness/verify.mjs";

// As in known.rb: fibers of a kind, turns, instructions of a unit; a nap in ns. What Ruby takes for a fiber, at most.
const KNOWN = { count: 4, turns: 5, unit: 3 * 50000, life: 200000 }, NAP = 2e6;
const WORK = 80 * KNOWN.unit;

const source = readFileSync(new URL("known.rb", import.meta.url), "utf8").split("\n");

/** How a fiber is called whose block, or enumerator, has that comment. */
function label(kind) {
	return `/ruby/known.rb:${1 + source.findIndex((line) => line.endsWith(` # ${kind}`))}`;
}

for (const folder of process.argv.slice(2)) {
	const guest = recordedIn(folder);

	for (const mode of ["ioctl", "user"]) {
		const name = `${guest.read("versions").trim()} of ${basename(folder)}, ${mode}`, data = guest.page(`ruby-${mode}`);
		const fibers = (kind) => coroutinesOf(data, (text) => text === label(kind) || text === `next@${label(kind)}`);

		testSame(name, guest, "ruby", mode);
		testTurns(name, "fiber", fibers, KNOWN);
		testKinds(name, "fails, is given up, resumes another, runs on a thread, in a child of fork(), for an enumerator",
			[["fails", 5], ["given_up", 5], ["inner", 10], ["outer", 2], ["threaded", 10], ["forked", 5], ["each", 10], ["waits", 2], ["works", 80]],
			fibers, KNOWN);
		testNaps(name, "waits while the program sleeps", fibers("naps"), KNOWN.turns, NAP, 0.5e6);
		testNaps(name, "sleeps by a scheduler", fibers("sleeps"), KNOWN.turns, NAP, 0.5e6);
		test(`${name}: what waits for another is awaiting until that has come, and ready while the other goes on`, () => {
			const [co] = fibers("waits");
			console.log(`# ${name}: awaiting ${co.awaiting} ns, the other slept ${NAP}; ready ${co.ready} ns, it worked ${WORK}`);
			want(co.awaiting >= NAP && co.awaiting <= NAP + 1e6, JSON.stringify(co));
			want(co.ready >= WORK && co.ready <= WORK + 0.4e6, JSON.stringify(co));
		});
		testWhole(name, data);
	}
}

finish();
