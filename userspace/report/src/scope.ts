// SPDX-License-Identifier: GPL-2.0
/* One thread, or one process, that all is kept to beside what is selected. */

import { NONE, Profile } from "./profile";
import { Grouping, Scope } from "./store";

type Keeps = Record<Grouping, (row: number) => boolean>;

const all = () => true;
const ALL: Keeps = { label: all, coroutine: all, thread: all };

export function processOf({ threads }: Profile, { kind, index }: Scope): number {
	return kind === "process" ? index : threads.process[index];
}

/** Whether it keeps a label, a coroutine, a thread: of a thread, the labels and coroutines of its process, which may have run there. */
export function keepsOf(profile: Profile, only: Scope | null): Keeps {
	if (!only)
		return ALL;
	const { labels, coroutines, threads } = profile;
	const process = processOf(profile, only);

	return {
		label: (row) => row === NONE || labels.process[row] === NONE || labels.process[row] === process,
		coroutine: (row) => row === NONE || coroutines.process[row] === process,
		thread: (row) => only.kind === "thread" ? row === only.index : row !== NONE && threads.process[row] === process,
	};
}

export function sameScope(a: Scope | null, b: Scope | null): boolean {
	return a === b || (!!a && !!b && a.kind === b.kind && a.index === b.index);
}
