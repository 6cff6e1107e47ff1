// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of the timeline that are pieces of one slice: coroprof itself ran between them. The first is counted as
 * the slice, which has the sums of all, and goes from the begin of the first to the end of the last.
 */

import { Profile } from "./profile";

/** Slices were lost there: nothing else has neither slices nor a piece of one. */
export function isLost({ timeline, words }: Profile, row: number): boolean {
	return (timeline.flags[row] & words.slice.lost) !== 0;
}

/** A piece of a slice that began in a row before; of no use where several are put together. */
export function goesOn({ timeline, words }: Profile, row: number): boolean {
	return (timeline.flags[row] & (words.slice["goes on"] | words.slice.merged)) === words.slice["goes on"];
}

/** The row of the next piece of the slice that a row is a piece of: behind that of coroprof; or -1. */
export function nextPiece(profile: Profile, row: number): number {
	const { coroutine, thread, n } = profile.timeline;
	const next = row + 2;

	return next < n && goesOn(profile, next) && thread[next] === thread[row] && coroutine[next] === coroutine[row] ? next : -1;
}

/** The sum over a slice that begins in a row. */
export function sumOf(profile: Profile, row: number, of: (row: number) => number): number {
	let sum = of(row);

	for (let next = nextPiece(profile, row); next >= 0; next = nextPiece(profile, next))
		sum += of(next);
	return sum;
}
