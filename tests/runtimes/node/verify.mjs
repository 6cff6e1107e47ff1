// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER: holds what was recorded against what the program is known to do. Prints TAP.
import { coroutinesOf, finish, recordedIn, test, testNothingMissing, testTurns, testWhole, want, wantWork } from "../../harness/verify.mjs";

const { read, page } = recordedIn(process.argv[2]);

// As in known.cjs: requests of a kind, turns, instructions of a unit; a nap in ns.
const [COUNT, TURNS, UNIT, NAP] = [4, 5, 3 * 200000, 2e6];
// What Node.js takes for itself, at most, interpreting: a request with its answer, and a turn.
const [ONCE, TURN] = [1500000, 300000];

const requests = (data, path) => coroutinesOf(data, (label) => label === `GET /${path}`);

test("a server on Node.js does what it does without", () => {
	want(/^200 slept$/m.test(read("plain.output")) && /status 7/.test(read("plain.output")), read("plain.output") + read("plain.errors"));
	for (const name of ["off", "known-ioctl", "known-user"])
		want(read(`${name}.output`) === read("plain.output"), `${name}: ${read(`${name}.output`)}${read(`${name}.errors`)}`);
});

for (const mode of ["ioctl", "user"]) {
	const data = page(`known-${mode}`);

	testTurns(mode, "request", (kind) => requests(data, `${kind}/:n`),
		{ count: COUNT, turns: TURNS, unit: UNIT, life: ONCE + TURNS * TURN });
	test(`${mode}: one that only sleeps is suspended for that long, each time to within a millisecond`, () => {
		const [co] = requests(data, "naps");
		console.log(`# ${mode}: suspended ${co.suspended} ns, slept ${TURNS * NAP} ns`);
		// libuv has whole milliseconds, and begins with that in which its loop has turned.
		want(co.suspended >= TURNS * (NAP - 1e6) && co.suspended <= TURNS * (NAP + 1.1e6), JSON.stringify(co));
	});
	test(`${mode}: one that waits while another works is suspended for that long, to within 30 %`, () => {
		const [co] = requests(data, "waits");
		// An instruction a nanosecond.
		console.log(`# ${mode}: suspended ${co.suspended} ns, the other worked ${20 * UNIT} ns`);
		want(co.suspended >= 20 * UNIT && co.suspended <= 20 * UNIT * 1.3, JSON.stringify(co));
	});
	for (const [name, how, units] of [["fails", "fails", 5], ["given", "is given up by its client", 10],
		["late", "works after its answer, which is no longer its own,", 5]])
		test(`${mode}: one that ${how} has its work`, () => {
			const more = wantWork(requests(data, name), 1, units * UNIT, ONCE + TURN);
			console.log(`# ${mode}: ${name}: beyond its work ${more} instructions`);
		});
	testNothingMissing(mode, read(`known-${mode}.errors`));
	testWhole(mode, data);
}

finish();
