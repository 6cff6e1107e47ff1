// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER: holds the threads that were recorded by --threads against what the programs are known to do, and against
// what the kernel says that they used of the CPU. Prints TAP.
import { at, coroutinesOf, finish, recordedIn, test, testNothingMissing, want, wantWhole, wantWork } from "../../harness/verify.mjs";

const { read, page } = recordedIn(process.argv[2]);

// As in known.c: instructions of a unit, naps of ns. What begins and ends a thread, at most.
const [UNIT, WORKERS, NAPS, NAP, LIFE] = [3 * 1000000, 4, 5, 2e6, 250000];
// Of what a process used of the CPU, at most: before main() the dynamic linker and constructors, of which Node.js has many;
// threads that end.
const UNSEEN_NS = 8e6, UNSEEN = 0.06;

/** The rows of threads outside any coroutine, of the table coroutines. */
function threads({ labels, coroutines: rows, instructions }) {
	return Array.from({ length: rows.n }, (_, i) => ({
		name: labels.name[at(rows.label, i)], kind: at(labels.kind, at(rows.label, i)),
		instructions: at(rows.values[instructions].count, i), running: at(rows.running, i), idle: at(rows.idle, i),
	})).filter(({ kind }) => kind === 3);
}

const running = ({ labels }) => labels.running.reduce((sum, _, i) => sum + at(labels.running, i), 0);

function testUsed(name, data, errors) {
	test(`${name}: the rows add up to what the kernel charged the program for, and what lacks is said to lack`, () => {
		const used = Number(/^used ([0-9]+)/m.exec(errors)[1]), seen = running(data), lacks = Number(data.recording.unrecorded);
		const text = `used ${used} ns, rows have ${seen}, said to lack ${lacks}`;
		console.log(`# ${name}: ${text}`);
		want(seen <= used && used - seen <= UNSEEN_NS + UNSEEN * used, text);
		want(Math.abs(seen + lacks - used) <= 0.01 * used + 2e6, text);
	});
}

for (const mode of ["ioctl", "user"]) {
	const name = `C, ${mode}`, data = page(`known-${mode}`), found = threads(data);
	const has = (units, text) => {
		const rows = found.filter((row) => row.name === text);
		const one = rows.filter(({ instructions }) => instructions >= units * UNIT && instructions <= units * UNIT + LIFE);

		want(one.length >= 1, `${text} with ${units} units: ${JSON.stringify(rows)}`);
		return one;
	};

	test(`${name}: each thread has the instructions of its loops, by the name that it gave itself, without its number`, () => {
		for (let i = 1; i <= WORKERS; i++) want(has(i, "(thread worker)").length === 1, JSON.stringify(found));
	});
	test(`${name}: so has main(), one that exits, one that is cancelled, one that can't be, and a child of fork()`, () => {
		for (const units of [2, 5, 6, 7, 8]) has(units, "(thread known)");
	});
	test(`${name}: one that sleeps is idle for as long`, () => {
		const [one] = found.filter(({ instructions, idle }) => instructions >= NAPS * UNIT && instructions <= NAPS * UNIT + LIFE && idle > 0);
		want(one && one.idle >= NAPS * NAP && one.idle <= NAPS * (NAP + 1e6), JSON.stringify(found));
	});
	test(`${name}: there are no more rows than threads`, () => {
		want(found.filter(({ name }) => name !== "(thread used)").length === WORKERS + 6, JSON.stringify(found));
	});
	for (const [program, runtime, pool, least] of [["python", "Python", /^\(thread python3/, 3], ["node", "Node.js", /^\(thread /, 5],
		["java", "Java", /^\(thread cooks\)$/, 2]]) {
		test(`${runtime}, ${mode}: the threads of its pool are there`, () => {
			const rows = threads(page(`${program}-${mode}`));
			want(rows.filter((row) => pool.test(row.name)).length >= least, JSON.stringify(rows));
		});
	}
	for (const [linked, how, units] of [["shared", "as a shared library", 1], ["static", "linked statically", 0]]) {
		const own = page(`${linked}-${mode}`);

		test(`a program that has libcoroprof ${how}, ${mode}: its coroutines are reported as without --threads`, () => {
			const mine = coroutinesOf(own, (label) => label === "mine");
			wantWork(mine, 1, 3 * UNIT, LIFE);
			want(mine[0].slices === 3, JSON.stringify(mine));
			want(own.processes.reported_by.every((one) => one === "the program itself"), own.processes.reported_by.join());
		});
		test(`a program that has libcoroprof ${how}, ${mode}: it has ${units} thread without coroutines`, () => {
			const rows = threads(own).filter(({ instructions }) => instructions >= 2 * UNIT && instructions <= 2 * UNIT + LIFE);
			want(rows.length === units, JSON.stringify(threads(own)));
		});
	}
	for (const program of ["known", "python", "node", "java"]) {
		const recorded = page(`${program}-${mode}`), errors = read(`${program}-${mode}.errors`);

		testUsed(`${program}, ${mode}`, recorded, errors);
		testNothingMissing(`${program}, ${mode}`, errors);
		test(`${program}, ${mode}: it does what it does without, nothing is lost, and the sums hold`, () => {
			want(/status 7/.test(read(`${program}-${mode}.output`)), errors);
			want(program === "java" || read(`${program}-${mode}.output`) === read(`plain-${program}.output`), errors);
			wantWhole(recorded);
		});
	}
}
test("without --threads nothing is recorded of a program that has no coroutines", () => {
	want(/status [1-9]/.test(read("without.output")), read("without.output"));
	want(/--threads/.test(read("without.errors")), read("without.errors"));
});

finish();
