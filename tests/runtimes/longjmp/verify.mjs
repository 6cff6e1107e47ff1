// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER: holds what was recorded against what the programs are known to do. Prints TAP.
import { at, coroutinesOf, finish, recordedIn, test, testTurns, want, wantWork } from "../../harness/verify.mjs";

const { read, page } = recordedIn(process.argv[2]);
const THREAD = 3;

// As in loop.c: turns of each thread's coroutines, instructions of a unit, a nap in ns. And what the library takes in a
// coroutine for the switches of its turns, at most.
const [THREADS, TURNS, UNIT, NAP, LIFE] = [2, 10, 3 * 300000, 2e6, 20000];

const instructions = (data, i) =>
	at(data.labels.values[data.counters.findIndex((c) => c.name === "instructions")].count, i);

/** Of all labels for which @is holds. */
function sum(data, is) {
	return data.labels.name.reduce((all, name, i) =>
		is(name, at(data.labels.kind, i)) ? all + instructions(data, i) : all, 0);
}

const modes = ["ioctl", "user"];

for (const mode of modes) {
	const loop = page(`loop-${mode}`);

	testTurns(mode, "coroutine, entered by siglongjmp(),", (kind) => coroutinesOf(loop, (label) => label === kind),
		{ count: THREADS, turns: TURNS, unit: UNIT, life: LIFE });
	test(`${mode}: so has one that waits while its thread sleeps, and is suspended for that long`, () => {
		const found = coroutinesOf(loop, (label) => label === "waits");
		wantWork(found, 1, (TURNS + 1) * UNIT, LIFE);
		console.log(`# ${mode}: suspended ${found[0].suspended} ns, the thread slept ${TURNS * NAP} ns`);
		want(found[0].suspended >= TURNS * NAP && found[0].suspended <= TURNS * (NAP + 0.5e6), JSON.stringify(found[0]));
	});
	test(`${mode}: the threads around them have next to none`, () => {
		const counted = sum(loop, (_, kind) => kind === THREAD);
		want(counted < 300000, `${counted}`);
	});
	test(`${mode}: that is how the threads switch`, () => {
		want(loop.modes.every((row) => row.mode === modes.indexOf(mode)), JSON.stringify(loop.modes));
	});
}
test("no switch was missed where all were by siglongjmp()", () => {
	for (const name of ["loop-ioctl", "loop-user", "convert", "io"])
		want(Number(page(name).recording.unreported) === 0, `${name}: ${page(name).recording.unreported} slices`);
});
test("sums hold", () => {
	for (const name of ["loop-ioctl", "loop-user", "behind-ioctl", "behind-user", "convert", "io", "convert-probed", "io-probed", "io-attached"]) {
		const { recording, threads } = page(name);
		want(Number(recording.lost) === 0 && recording.failed_checks === 0, `${name}: ${JSON.stringify(recording)}`);
		for (let i = 0; i < threads.n; i++)
			want(at(threads.check, i) === 1, `${name}, thread ${i}: ${threads.check_text[i]}`);
	}
});

for (const mode of modes) {
	const name = `behind-${mode}`;

	test(`${mode}: switches behind the library's back are told on the page, of the label that has their time`, () => {
		const data = page(name);
		const thread = data.labels.name.findIndex((_, i) => at(data.labels.kind, i) === THREAD);
		want(Number(data.recording.unreported) === 1, `${data.recording.unreported} slices`);
		want(at(data.labels.unreported, thread) === 1, `${data.labels.unreported}`);
		// The loop that another ran in it, an instruction a nanosecond.
		want(Number(data.recording.unreported_ns) >= 18e6, `${data.recording.unreported_ns} ns`);
	});
	test(`${mode}: and in the text, and on stderr for what has no place for it`, () => {
		const text = read(`${name}.txt`), errors = read(`${name}.errors`);
		want(/^UNREPORTED +switches were not reported: 1 slice, running [^,]*, may be .*thread loop/m.test(text), text);
		want(/cprof: the program switched .* not reported: 1 slice/.test(errors), errors);
		want(!/UNREPORTED/.test(read(`loop-${mode}.txt`)), "UNREPORTED where all was told");
		want(!/not reported/.test(read(`loop-${mode}.errors`)), "said where nothing was missed");
	});
}

// What the hooks and the system call of a switch execute in user mode is charged to one side of it or the other, and
// making the process known to the thread.
const SWITCH = 400, START = 150000;

for (const [name, truth, what] of [["convert", "convert", "qemu-img"], ["io", "io", "qemu-io"],
	["convert-probed", "convert", "qemu-img, probed"], ["io-probed", "io", "qemu-io, probed"]]) {
	test(`${what} does what it does without`, () => {
		want(read(`${truth}.plain`) === read(`${name}.output`), `${read(`${truth}.plain`)} and ${read(`${name}.output`)}`);
	});
	test(`${what}: outside coroutines and in them, the instructions that were counted by QEMU's own word`, () => {
		const data = page(name);
		const [outside, inside] = read(`${truth}.truth`).split(" ").map(Number);
		const counted = [sum(data, (_, kind) => kind === THREAD), sum(data, (_, kind) => kind !== THREAD)];
		const slack = START + SWITCH * Number(data.total.times.slices);
		const text = `outside ${counted[0]}, known to be ${outside}; inside ${counted[1]}, known to be ${inside}; within ${slack}`;
		console.log(`# ${what}: ${text}`);
		want(Math.abs(counted[0] - outside) <= slack && Math.abs(counted[1] - inside) <= slack, text);
		want(slack < (outside + inside) / 10, `that says nothing: ${text}`);
	});
}
test("QEMU's coroutines have names of their own", () => {
	const { labels } = page("convert");
	const coroutines = labels.name.filter((_, i) => at(labels.kind, i) !== THREAD && at(labels.coroutines, i) > 0);
	want(coroutines.length >= 4, coroutines.join(", "));
});


/** How many coroutines there were of each label that had any: of what coroprof itself runs that is n/a. */
const coroutines = ({ labels }) => Object.fromEntries(labels.name.map((name, i) => [name, at(labels.kind, i), at(labels.coroutines, i)])
	.filter(([, kind, nr]) => kind !== THREAD && nr > 0).map(([name, , nr]) => [name, nr]).sort());

for (const [name, what] of [["convert", "qemu-img"], ["io", "qemu-io"]])
	test(`${what}: probes see the coroutines that the preload library sees, with their names`, () => {
		const [probed, preloaded] = [`${name}-probed`, name].map((of) => JSON.stringify(coroutines(page(of))));
		want(probed === preloaded && probed !== "{}", `${probed}, preloaded ${preloaded}`);
	});
test("qemu-io, attached to as it runs: the coroutines of what it is told from then on, and none of the image's opening", () => {
	const attached = coroutines(page("io-attached")), all = coroutines(page("io-probed"));
	const opening = Object.keys(all).filter((name) => !(name in attached));
	want(Object.keys(attached).length === 3 && opening.length === 1, `${JSON.stringify(attached)} of ${JSON.stringify(all)}`);
	for (const name of Object.keys(attached))
		want(attached[name] === all[name], `${name}: ${attached[name]}, not ${all[name]}`);
});
test("qemu-io, attached to: it does what it does without, and no switch is missed", () => {
	want((read("io-attached.output").match(/ops\/sec/g) ?? []).length === 4, read("io-attached.output"));
	want(Number(page("io-attached").recording.unreported) === 0, `${page("io-attached").recording.unreported} slices`);
});

finish();
