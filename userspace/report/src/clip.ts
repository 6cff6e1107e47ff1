// SPDX-License-Identifier: GPL-2.0
/*
 * What of a slice is in a time, by the rule of coroprof-tables(5), which part.c of the reader has, too: it is
 * clipped at the edges, its time is exact, and what it counted, and was off the CPU, is shared by time, so that
 * times that follow each other have all of it.
 */

import { Profile } from "./profile";

export interface Time {
	from: number;
	to: number;
}

/** Since the begin of a slice of this length. */
interface Piece {
	from: number;
	to: number;
	all: number;
}

export interface Clipped extends Piece {
	begin: number;
	end: number;
	/** Running, preempted, blocked, idle. */
	times: [number, number, number, number];
	/** It reaches beyond the time; and it was off the CPU in part: its times are estimates. */
	cut: boolean;
	shared: boolean;
}

/** All that is to be had is asked for: what ends the recording is in it. */
function toEnd({ until }: Profile, to: number): boolean {
	return to >= until;
}

/** Whether a slice has a part in the time; one without length is where it begins. */
export function isIn(profile: Profile, { from, to }: Time, begin: number, end: number): boolean {
	return end > begin ? end > from && (begin < to || toEnd(profile, to)) : begin >= from && (begin < to || toEnd(profile, to));
}

function upTo(sum: number, at: number, all: number): number {
	const product = sum * at;

	if (!all || !sum)
		return 0;
	return product <= Number.MAX_SAFE_INTEGER ? Math.floor(product / all) : Number(BigInt(Math.round(sum)) * BigInt(Math.round(at)) / BigInt(all));
}

/** Of a sum over the slice. */
export function shareOf(sum: number, { from, to, all }: Piece): number {
	return all ? upTo(sum, to, all) - upTo(sum, from, all) : sum;
}

/** Of a slice that the page has alone, and that is in the time. */
export function clip(profile: Profile, slice: number, time: Time): Clipped {
	const { timeline } = profile;
	const [first, last] = [timeline.begin[slice], timeline.end[slice]];
	const [begin, end] = [Math.max(first, time.from), toEnd(profile, time.to) ? last : Math.min(last, time.to)];
	const piece = { from: begin - first, to: end - first, all: last - first };
	const { preempted: { [slice]: preempted }, blocked: { [slice]: blocked }, idle: { [slice]: idle } } = timeline;
	const off = preempted + blocked + idle;
	const away = { from: upTo(off, piece.from, piece.all), to: upTo(off, piece.to, piece.all), all: off };
	const cut = end - begin < piece.all;
	const asleep = cut ? shareOf(blocked + idle, away) : blocked + idle;
	const gone = cut ? away.to - away.from : off;

	return { ...piece, begin, end, cut, shared: cut && off > 0, times: [end - begin - gone, gone - asleep, blocked ? asleep : 0, blocked ? 0 : asleep] };
}
