// SPDX-License-Identifier: GPL-2.0
// verify.mjs PROFILE.html PROFILE.txt DIFF.json AGAIN.json DIFF.log DIFF.status LOOP1.html LOOP2.html: holds what the pages say against what the programs are
// known to do.
// Prints TAP.
import { readFileSync } from "node:fs";
import { tablesIn } from "../e2e/rows.mjs";
import { at, finish, load, test, want, wantWhole } from "../harness/verify.mjs";

function label(data, pattern) {
	const i = data.labels.name.findIndex((name) => pattern.test(name));
	if (i < 0) throw new Error(`no label ${pattern}, only ${data.labels.name.join(", ")}`);
	const value = (name) => at(data.labels.values[data.counters.findIndex((c) => c.name === name)].count, i);
	return {
		coroutines: at(data.labels.coroutines, i),
		suspended: at(data.labels.times.suspended, i),
		each: value("instructions") / at(data.labels.coroutines, i),
		instructions: value("instructions"),
	};
}

/** A span's figures in the coroutines of a label, for each call. */
function span(data, name, labelled) {
	const { by_label: rows, table } = data.spans;
	const i = [...Array(rows.n).keys()].find((row) => table.name[at(rows.span, row)] === name &&
		labelled.test(data.labels.name[at(rows.label, row)]));
	if (i === undefined) throw new Error(`no span ${name} in ${labelled}`);
	const calls = at(rows.calls, i);
	const { count } = rows.own_values[data.instructions];
	return { calls, instructions: at(count, i) / calls, wall: at(rows.wall, i) / calls, running: at(rows.running, i) / calls };
}

/** The functions of a call chain, from the inmost. */
function chain({ frames, tree }, node) {
	const names = [];
	for (; node >= 0; node = at(tree.parent, node))
		names.push(frames.name[at(tree.frame, node)]);
	return names;
}

const [profile, text, diff, diffAgain, diffLog, diffStatus, ...loopPages] = process.argv.slice(2);
const [haproxy, first, second] = [profile, ...loopPages].map(load);
const kinds = ["cheap", "heavy", "waits"];

test("HAProxy's handlers are told apart by name, a coroutine for each request", () => {
	for (const kind of kinds) {
		const { coroutines } = label(haproxy, new RegExp(`^${kind}@`));
		want(coroutines >= 100, `${kind}: ${coroutines} coroutines`);
	}
});
test("the heavy handler takes instructions in proportion to its work", () => {
	const ratio = label(haproxy, /^heavy@/).each / label(haproxy, /^cheap@/).each;
	want(ratio > 18 && ratio < 20.5, `heavy is ${ratio} times cheap, its work 20 times`);
});
test("the handler that waits is seen to wait", () => {
	const { suspended, coroutines } = label(haproxy, /^waits@/);
	// HAProxy counts its 20 ms from when it last looked at the clock, which is before the work it does meanwhile.
	want(suspended / coroutines >= 15e6, `${suspended / coroutines} ns each, asked for 20 ms`);
});
test("both threads switch from user mode", () => {
	const { modes } = haproxy;
	want(modes.length === 1 && modes[0].threads === 2 && modes[0].mode === 1, JSON.stringify(modes));
});
test("a sample for each 250 us on a CPU, charged to the label that was there", () => {
	const { samples, labels } = haproxy;
	want(Number(samples.lost) === 0 && Number(samples.period) === 250000, JSON.stringify(samples).slice(0, 300));
	const i = labels.name.findIndex((name) => /^heavy@/.test(name));
	const [taken, due] = [at(labels.samples, i), at(labels.times.running, i) / 250000];
	want(Math.abs(taken - due) < due / 20, `heavy: ${taken} samples, ${due} due`);
});
test("samples have call chains, from Lua's library through lua_resume() to HAProxy's loop", () => {
	const { samples } = haproxy;
	const nodes = [...Array(samples.tree.n).keys()].filter((node) => at(samples.tree.own, node) > 0);
	const found = nodes.map((node) => chain(samples, node)).find((names) =>
		names.includes("lua_resume") && names.indexOf("run_poll_loop") > names.indexOf("lua_resume"));
	want(found, "none");
});
test("the heavy handler made 10 % heavier is what the comparison names, and nothing else", () => {
	const { changes: { rows: changes }, answers: { rows: [answer] } } = tablesIn(readFileSync(diff, "utf8"));
	const { changes: { rows: again } } = tablesIn(readFileSync(diffAgain, "utf8"));
	/* What is counted in user mode: times have the guest's interrupts in them, which are not the program's. */
	const isWork = ({ figure }) => /^(own_)?(cycles|instructions|slices)\//.test(figure);
	const isNamed = ({ verdict }) => verdict === "more" || verdict === "less" || verdict === "mixed";
	const isSame = (one) => (other) => ["of", "name", "label", "figure"].every((key) => one[key] === other[key]);
	const work = changes.filter(isWork);
	/* A verdict is wrong with a chance of 1 %: what is heavier is named again by two other recordings, what chance named is not. */
	const named = work.filter(isNamed).filter((row) => again.some((other) => isSame(row)(other) && other.verdict === row.verdict));
	const isHeavy = (figure) => (row) => row.of === "label" && /^heavy@/.test(row.name) && row.figure === figure;
	const each = (figure) => changes.find(isHeavy(figure));

	want(named.length > 0 && named.every(({ name, label }) => /^heavy@/.test(label ?? name)), JSON.stringify(named));
	want(named.filter(({ of }) => of === "span").every(({ name }) => name === "work") &&
		named.some(({ of, figure, change }) => of === "span" && figure === "instructions/call" && Math.abs(change - 0.1) < 0.01), JSON.stringify(named));
	/* They are no heavier, and there are enough of them to say so. */
	for (const handler of ["cheap", "waits"])
		want(work.some(({ of, name, figure, p }) => of === "label" && name.startsWith(`${handler}@`) && figure === "instructions/coroutine" && p !== null),
			`${handler} was not tested`);
	want(/^heavy@\S*handlers\.lua:\d+: instructions\/coroutine \+(9\.\d|10\.\d) %/.test(answer.text), `the answer does not begin with what was made heavier: ${answer.text}`);
	want(each("instructions/coroutine").verdict === "more", JSON.stringify(each("instructions/coroutine")));
	for (const figure of ["instructions/coroutine", "running/coroutine"])
		want(Math.abs(each(figure).change - 0.1) < 0.01, JSON.stringify(each(figure)));
	want([...changes, ...again].some(({ name, figure, verdict }) => /^cheap@/.test(name) && figure === "instructions/coroutine" && (verdict === "noise" || verdict === "small")),
		"cheap was not tested");
});
test("--fail-if exits with 1, and says which label exceeds it by how much", () => {
	const said = readFileSync(diffLog, "utf8");

	want(readFileSync(diffStatus, "utf8") === "1\n", `exit status ${readFileSync(diffStatus, "utf8")}`);
	want(/^coroprof-read: label heavy@\S+: instructions\/coroutine was \S+ M, is \S+ M \(\+(9\.\d|10\.\d) %\), beyond noise/m.test(said), said);
});
test("spans: a call for each request, work in proportion", () => {
	const [cheap, heavy] = [span(haproxy, "work", /^cheap@/), span(haproxy, "work", /^heavy@/)];
	want(heavy.calls === label(haproxy, /^heavy@/).coroutines, `${heavy.calls} calls`);
	const ratio = heavy.instructions / cheap.instructions;
	want(ratio > 19.9 && ratio < 20.1, `heavy's takes ${ratio} times the instructions of cheap's, its work is 20 times`);
});
test("spans: one that goes on across a wait has the time, and does not run", () => {
	const { calls, wall, running } = span(haproxy, "wait", /^waits@/);
	want(calls === label(haproxy, /^waits@/).coroutines, `${calls} calls`);
	want(wall >= 15e6 && running < wall / 100, `${wall} ns each, of which it ran ${running} ns`);
});
test("the note that IPC is 1 by construction is in the page and in the text, and true", () => {
	const note = haproxy.recording.info.find(([key]) => key === "note")?.[1] ?? "";
	want(/IPC is 1 by construction/.test(note), note);
	want(readFileSync(text, "utf8").includes(`\nnote        ${note}\n`), "not in the text");
	const [cycles, instructions] = [haproxy.cycles, haproxy.instructions].map((i) => at(haproxy.total.values[i].count, 0));
	want(Math.abs(cycles / instructions - 1) < 0.01, `${cycles} cycles, ${instructions} instructions`);
});
test("cache misses are unsupported on this PMU, not 0", () => {
	const i = haproxy.counters.findIndex((c) => c.name === "cache-misses");
	want(haproxy.counters[i].error, "no error is told");
	want(haproxy.total.values[i].standing[0] === "unsupported", "the standing is not 'unsupported'");
});
test("nothing is lost, the sums hold, nothing is simulated", () => {
	for (const data of [haproxy, first, second]) {
		wantWhole(data);
		want(data.recording.simulated === null, `simulated by ${data.recording.simulated}`);
		for (let i = 0; i < data.threads.n; i++)
			want(at(data.threads.check, i) === 1, `thread ${i}: ${data.threads.check_text[i]}`);
	}
});

const loops = [["once", 1], ["twice", 2], ["ten_times", 10]];
for (const [name, times] of loops) {
	test(`${name}: the instructions of a known loop, to within 0.1 %`, () => {
		const known = times * 10 * 300000 * 3;
		const { instructions } = label(first, new RegExp(`^${name}$`));
		want(Math.abs(instructions - known) <= known / 1000, `${instructions}, known to be ${known}`);
	});
	test(`${name}: the same in two runs`, () => {
		const [a, b] = [first, second].map((data) => label(data, new RegExp(`^${name}$`)).instructions);
		want(a === b, `${a} and ${b}`);
	});
}

finish();
