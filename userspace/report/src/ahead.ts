// SPDX-License-Identifier: GPL-2.0
/*
 * What the first choice of a time needs, made before it: at once it would keep the page of ten million
 * slices from drawing for half a second. It is made while the page has nothing else to do, a piece at a time.
 */

import { gapsOf } from "./gaps";
import { Profile } from "./profile";

/** The page is drawn first, and looked at. */
const FIRST_MS = 300;

function piecesOf(profile: Profile): (() => unknown)[] {
	const { timeline, coroutines, timelineWakes } = profile;

	return [
		() => timeline.coroutine,
		...timeline.values.map((value) => () => value.estimate),
		() => coroutines.flags, () => coroutines.slices, () => coroutines.unseen_gaps, () => coroutines.label,
		() => coroutines.first, () => coroutines.last, () => coroutines.born, () => coroutines.id,
		() => timelineWakes.slice, () => timelineWakes.woken,
		() => gapsOf(profile),
	];
}

export function makeAhead(profile: Profile): void {
	const pieces = piecesOf(profile);
	const next = () => {
		try {
			pieces.shift()!();
		} catch {
			/* A damaged column throws again when a view asks for it, and only then somebody wants to know. */
		}
		if (pieces.length)
			requestIdleCallback(next);
	};

	setTimeout(() => requestIdleCallback(next), FIRST_MS);
}
