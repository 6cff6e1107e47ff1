// SPDX-License-Identifier: GPL-2.0
/* What is known of one slice, in the panel of its coroutine. */

import { coroutineName, threadName } from "../columns";
import { foreign, h } from "../dom";
import { cellText, withoutCount } from "../figures";
import * as format from "../format";
import { Lanes } from "../lanes";
import { gapsOf } from "../gaps";
import { instantsOf, Wait } from "../instants";
import { isOutside, NONE } from "../profile";
import { ratiosOf } from "../ratios";
import { Store } from "../store";
import { Fact, facts, section } from "../widgets";

function waitRows({ suspended, awaiting, ready, missing }: Wait): [string, string][] {
	const parted = !Number.isNaN(ready);

	if (missing)
		return [["waited before", `${format.na()}: ${missing}`]];
	return [
		["waited before", format.time(suspended)],
		...!suspended ? [] : parted ? [["awaiting", format.time(awaiting)], ["ready", format.time(ready)]] as [string, string][]
			: [["of it", "awaiting and ready are not known apart"] as [string, string]],
	];
}

/** The slice of a coroutine that is looked at; null if none is. */
export function sliceSection(store: Store, lanes: Lanes, coroutine: number): HTMLElement | null {
	const { profile, state: { at } } = store;
	const { timeline } = profile;
	const slice = at < 0 ? NONE : lanes.sliceAt(coroutine, at);

	if (slice === NONE)
		return null;
	const { begin, end, preempted, blocked, idle, thread, values, flags } = timeline;
	const duration = end[slice] - begin[slice];
	const outside = isOutside(profile, timeline.label[slice]);

	if (flags[slice] & profile.words.slice.merged)
		return section("Slice", h("p", { class: "soft" }, "Of slices there the page has sums only."));
	return section("Slice", facts(
		["begin", format.moment(begin[slice])],
		[outside ? "duration" : "held", format.time(duration)],
		["running", format.time(duration - preempted[slice] - blocked[slice] - idle[slice])],
		["preempted", format.time(preempted[slice])],
		outside ? ["idle", format.time(idle[slice])] : ["blocked", format.time(blocked[slice])],
		["thread", h("button", { class: "link", attrs: { type: "button" }, on: { click: () => store.select("thread", thread[slice]) } },
			foreign(threadName(profile, thread[slice])))],
		...outside ? [] : waitRows(gapsOf(profile).waitBefore(slice)),
		["woken by", waker(store, slice)],
		["woke", woke(store, slice)],
		...values.map(({ column }): Fact => [column.is.title, column.has(slice) ? cellText(column, slice) : withoutCount(profile, column)]),
		...ratiosOf(profile, slice).map(([name, value]): Fact => [name, format.ratio(value)])));
}

/** Goes to what made it ready, when it did. */
function waker(store: Store, slice: number): Node | null {
	const { profile } = store;
	const { timelineWakes } = profile;
	const wake = instantsOf(profile).wakeOf(slice);

	if (wake === NONE)
		return null;
	const { [wake]: by } = timelineWakes.waker;
	const { [wake]: when } = timelineWakes.woken;
	const ago = `, ${format.time(profile.timeline.begin[slice] - when)} before it began`;

	return h("span", {}, by === NONE ? "no coroutine, or not reported"
		: h("button", { class: "link", attrs: { type: "button" }, on: { click: () => store.select("coroutine", by, when) } },
			foreign(coroutineName(profile, by))), ago);
}

/** So many of those that it woke are reported. */
const WOKEN = 5;

function woke(store: Store, slice: number): Node | null {
	const { profile } = store;
	const { timelineWakes, timeline } = profile;
	const rows = instantsOf(profile).wokenBy(slice);
	const link = (row: number) => {
		const { [row]: of } = timelineWakes.slice;
		const { [of]: coroutine } = timeline.coroutine;

		return coroutine === NONE ? null : h("button", { class: "link", attrs: { type: "button" },
			on: { click: () => store.select("coroutine", coroutine, timeline.begin[of]) } }, foreign(coroutineName(profile, coroutine)));
	};

	return rows.length ? h("span", { class: "listed" }, ...rows.slice(0, WOKEN).map(link),
		rows.length > WOKEN ? `and ${format.full(rows.length - WOKEN)} more` : null) : null;
}
