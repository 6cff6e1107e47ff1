// SPDX-License-Identifier: GPL-2.0
/* Why there is nothing in a recording, and what to do. */

import * as format from "./format";
import { Profile } from "./profile";

/** Null where there is something. */
export function nothing({ recording, total, processes, threads }: Profile): { why: string; todo: string } | null {
	const failed = threads.error.find((error) => error !== null);

	if (total.slices[0])
		return null;
	if (recording.part_begin)
		return { why: "No slice ended in this part of the recording.", todo: "Choose another part: --from, --to; or show all of it." };
	if (failed)
		return {
			why: `None of ${format.plural(threads.n, "thread")} could be recorded: ${failed}.`,
			todo: "Run coroprof-read --selftest: it says what this machine lets whom count, and how to change that.",
		};
	if (recording.missing !== null)
		return { why: "What ran is not recorded, for the reasons above.", todo: "They say what to do." };
	if (!processes.n)
		return {
			why: "No program ran that makes coroutines known: none with libcoroprof, and none whose runtime is recorded as it is.",
			todo: "Record a command from its start, coroprof-read -o profile.html -- COMMAND, or one that runs, -p PID. The README lists the runtimes.",
		};
	return {
		why: `${format.plural(processes.n, "process", "processes")} made ${processes.n === 1 ? "itself" : "themselves"} known, and switched no coroutine while it was recorded.`,
		todo: "Record for longer, or while the program has work to do.",
	};
}
