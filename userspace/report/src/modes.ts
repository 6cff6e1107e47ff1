// SPDX-License-Identifier: GPL-2.0
/* How threads tell of switches, and what that costs. */

import { CostData, ModeData } from "./contract";
import { Tip } from "./dom";
import * as format from "./format";
import { Profile, Switch } from "./profile";

export const MODE_TEXT = ["by ioctl", "user mode"];

/** How a thread switches; nothing of one that is not recorded. */
export function modeText({ modes, threads }: Profile, thread: number): string | null {
	const row = modes[threads.mode[thread]];

	return row ? MODE_TEXT[row.mode] : null;
}

export function modeTip({ mode, why, found, fix }: ModeData): Tip {
	return {
		head: why ? `${MODE_TEXT[mode]}: ${why}` : MODE_TEXT[mode],
		rows: found ? [["found", found]] : [],
		note: fix ? `To mend it: ${fix}` : undefined,
	};
}

/** How many threads switch so, why, what was found there, and what mends it. */
export function modeRows({ modes }: Profile): [string, string][] {
	return modes.flatMap(({ mode, threads, why, found, fix }) => ([
		[MODE_TEXT[mode], format.plural(threads, "thread") + (why ? `: ${why}` : "")],
		["found", found], ["to mend it", fix],
	] as [string, string | null][]).filter((row): row is [string, string] => row[1] !== null));
}

function cost({ ns, instructions }: CostData): string {
	return [ns === null ? format.NA : format.time(ns),
		...instructions === null ? [] : [`${format.count(instructions)} instructions`]].join(", ");
}

/** What switches and spans cost, in each of the modes that threads were in, and what names did. */
export function costRows({ recording, modes, spans }: Profile): [string, string][] {
	const used = (of: number) => modes.some(({ mode }) => mode === of);
	const of = (what: string, costs: CostData[]) => costs.flatMap((each, mode): [string, string][] =>
		used(mode) ? [[`${what} ${mode === Switch.USER ? "in user mode" : "by ioctl"}`, cost(each)]] : []);

	return [...of("a switch", recording.switch_cost), ...spans ? of("a span", recording.span_cost) : [],
		...recording.naming.ns === null ? [] : [["names of coroutines, all", cost(recording.naming)] as [string, string]]];
}
