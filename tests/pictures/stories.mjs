// SPDX-License-Identifier: GPL-2.0
/* What docs/reading.md shows of each story: a command, what of its output, and what has to be in that. */
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

const LEFT_OUT = "...";

/* Lines from the first that matches to the next that does. */
const FINDINGS = [/^findings/, /^\S/];
const LABELS = [/^label /, /^$/];
const HELD = [/^held a thread longest/, /^$/];
const CHANGES = [[/^name .*figure/, /^$/]];
/* Of three runs a side. */
const compared = (figure) => [`coroprof diff -W 'figure=${figure}' old?.cprof -- new?.cprof`, CHANGES];

/* Spaces are as many as there are in the output. */
export const texts = {
	hog: ["coroprof report old.cprof", [FINDINGS, LABELS], /heavy@\S+ is 8\d\.\d % of the CPU time and held its thread \S+ ms at most .* heavy@\S+ 100 \d+ \S+ s 8\d\.\d % /],
	"hog-diff": ["coroprof diff -W 'figure=instructions/coroutine' old.cprof new.cprof", CHANGES, /heavy@\S+ instructions\/coroutine .* -7[45]\.\d % less /],
	lock: ["coroprof report old1.cprof", [FINDINGS, HELD], /save@\S+ sleeps in the kernel inside its slices, .* held label .*? save\S+ \d+ \S+ ms \S+ us 0 ns \S+ ms /],
	"lock-diff": [...compared("p99(blocked)"), /save@\S+ p99\(blocked\) .* -\S+ % less /],
	misses: [
		"coroprof report old1.cprof -t labels --columns coroutines,instructions,cache-misses,ipc", [[/^SIMULATED/, /^\S/], LABELS],
		/SIMULATED (?=.* columns@\S+ 20 5\.24 M 1\.31 M 0\.12 )(?=.* rows@\S+ 20 5\.24 M 164 k 0\.52 )/,
	],
	"misses-diff": [...compared("cache-misses/coroutine"), /columns@\S+ cache-misses\/coroutine 65\.5 k .* 8\.19 k .* -87\.5 % less /],
	queue: ["coroprof report old1.cprof", [FINDINGS, LABELS], /coroutines were ready and waited for a thread, on average; report@\S+ waited most: .* report@\S+ 30 .* ~5\d\.\d ms /],
	"queue-diff": [...compared("p99(ready)"), /report@\S+ p99\(ready\) .* ~-9\d\.\d % less /],
	wakes: ["coroprof report old.cprof -t wakes", [[/^waker /, /^$/]], /producer@\S+ worker@\S+ 2020 /],
	"wakes-diff": ["coroprof diff -W 'figure=slices/coroutine' old.cprof new.cprof", CHANGES, /worker@\S+ slices\/coroutine 102\.00 .* 7\.00 .* -93\.1 % less /],
};

/** Lines of @all from the first that matches to the next that does, for each pair; where others stand between them, LEFT_OUT does. */
function excerpt(all, pairs) {
	const shown = [];
	let end = 0;

	for (const [first, next] of pairs) {
		const begin = all.findIndex((line, i) => i >= end && first.test(line));

		if (begin < 0)
			throw new Error(`no line matches ${first} in:\n${all.join("\n")}`);
		if (all.slice(end, begin).some((line) => line))
			shown.push(LEFT_OUT);
		else if (begin > end)
			shown.push("");
		end = all.findIndex((line, i) => i > begin && next.test(line));
		end = end < 0 ? all.length : end;
		shown.push(...all.slice(begin, end));
	}
	return all.slice(end).some((line) => line) ? [...shown, LEFT_OUT] : shown;
}

/** What is shown of the output that a story's command, with the programs in @bin, has for the recordings in @out. */
export function textOf(name, bin, out) {
	const [command, pairs] = texts[name];
	const output = execFileSync("sh", ["-c", command], {
		cwd: resolve(out, name.replace(/-.*/, "")), encoding: "utf8", env: { ...process.env, PATH: `${resolve(bin)}:${process.env.PATH}` },
	});

	return [`$ ${command}`, ...excerpt(output.trimEnd().split("\n"), pairs)].map((line) => `    ${line}`.trimEnd()).join("\n");
}
