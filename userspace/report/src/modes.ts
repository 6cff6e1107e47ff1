// SPDX-License-Identifier: GPL-2.0
/* How threads report switches, and what that costs. */

import { Tip } from "./dom";
import { cellText } from "./figures";
import * as format from "./format";
import { NONE, Profile } from "./profile";

/** "by ioctl", "from user mode" */
export function modeWord({ modes }: Profile, mode: number): string {
	return modes.table.column("mode").is.words![mode];
}

/** How a thread switches; nothing of one that is not recorded. */
export function modeText(profile: Profile, thread: number): string | null {
	const row = profile.threads.switches[thread];

	return row === NONE ? null : modeWord(profile, profile.modes.mode[row]);
}

export function modeTip(profile: Profile, row: number): Tip {
	const { modes, tables } = profile;

	return row === NONE ? { head: format.na() } : {
		head: tables.table("modes").title(row),
		rows: modes.found[row] ? [["found", modes.found[row]!]] : [],
		note: modes.fix[row] ? `To mend it: ${modes.fix[row]}` : undefined,
	};
}

/** How many threads switch so, why, what was found there, and what mends it. */
export function modeRows(profile: Profile): [string, string][] {
	const { modes: { n, mode, threads, why, found, fix } } = profile;

	return Array.from({ length: n }, (_, row) => ([
		[modeWord(profile, mode[row]), format.plural(threads[row], "thread") + (why[row] ? `: ${why[row]}` : "")],
		["found", found[row]], ["to mend it", fix[row]],
	] as [string, string | null][])).flat().filter((row): row is [string, string] => row[1] !== null);
}

/** Whether the recorder has measured any of what it costs. */
export function isMeasured({ costs }: Profile): boolean {
	return costs.ns.some((ns) => !Number.isNaN(ns));
}

/** Whether finding names for coroutines, or entering user mode, cost anything. */
export function namesCost({ costs, words }: Profile): boolean {
	return costs.operation.some((operation, row) => operation === words.operation.name && !Number.isNaN(costs.ns[row]));
}

/** What is done by no mode. */
const SINGLE: Record<string, string> = {
	name: "charged to (coroprof), all", birth: "a coroutine that is born", probe: "a probe", "probed-birth": "a coroutine that probes see born",
	ring: "a thread that needs a new ring, in addition",
};

/**
 * What switches, spans and threads cost, in each of the modes that threads were in, and each other cost that is
 * known. One that this page has no words for is named as the reader names it.
 */
export function costRows(profile: Profile): [string, string][] {
	const { costs, modes, spans, words: { operation } } = profile;
	const [ns, instructions] = ["ns", "instructions"].map((name) => costs.table.column(name));
	const always = (row: number) => costs.mode[row] === NONE || costs.operation[row] === operation.thread;
	const used = (row: number) => always(row) ? !Number.isNaN(costs.ns[row])
		: modes.mode.includes(costs.mode[row]) && (costs.operation[row] !== operation.span || !!spans);
	const title = (row: number) => {
		const word = costs.table.column("operation").words(row);

		return costs.mode[row] !== NONE ? `a ${word} ${modeWord(profile, costs.mode[row])}` : SINGLE[word] ?? word;
	};

	return [...costs.ns.keys()].filter(used).map((row): [string, string] => [title(row), cellText(ns, row) +
		(instructions.has(row) ? `, ${cellText(instructions, row)} instructions` : "")]);
}
