// SPDX-License-Identifier: GPL-2.0
/* How threads tell of switches, and what that costs. */

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

/** What switches, spans and threads cost, in each of the modes that threads were in, what births do, and what was charged to (coroprof). */
export function costRows(profile: Profile): [string, string][] {
	const { costs, modes, spans, words: { operation } } = profile;
	const [ns, instructions] = ["ns", "instructions"].map((name) => costs.table.column(name));
	const single = (row: number) => costs.operation[row] === operation.name || costs.operation[row] === operation.birth;
	const used = (row: number) => single(row) || costs.operation[row] === operation.thread ? !Number.isNaN(costs.ns[row])
		: modes.mode.includes(costs.mode[row]) && (costs.operation[row] === operation.switch || spans);
	const title = (row: number) => costs.operation[row] === operation.name ? "charged to (coroprof), all"
		: single(row) ? "a coroutine that is born" : `a ${costs.table.column("operation").words(row)} ${modeWord(profile, costs.mode[row])}`;

	return [...costs.ns.keys()].filter(used).map((row): [string, string] => [title(row), cellText(ns, row) +
		(instructions.has(row) ? `, ${cellText(instructions, row)} instructions` : "")]);
}
