// SPDX-License-Identifier: GPL-2.0
/* What is selected, in the time in view: times, slices, counters, and of a label how long things took. */

import { h } from "../dom";
import { withoutCount } from "../figures";
import * as format from "../format";
import { gapsOf, SUMS } from "../gaps";
import { KINDS, Durations, durationsOf, quantile, What } from "../durations";
import { keepsOf } from "../scope";
import { isThreadSlot, NONE, Profile } from "../profile";
import { BAND_STATES, LOST } from "../stacks";
import { COUNTED, lacking, lengthStanding, shared } from "../standings";
import { Selection, State, Store } from "../store";
import { section } from "../widgets";
import { wakesIn } from "../wakes";
import { Cut } from "../cut";
import { Family, familyIn } from "./family";
import { lengthsIn } from "./lengths";
import { wakeSections } from "./wakes";

const SHARES: [string, number][] = [["50 % below", 0.5], ["99 % below", 0.99], ["longest", 1]];

/** Row 0 is what is selected, or all of it. */
function cutOf(profile: Profile, { from, to, selected, only }: State): Cut {
	const { label, coroutine, thread } = profile.timeline;
	const keeps = keepsOf(profile, only);
	const of = selected && { label, coroutine, thread }[selected.kind];

	return new Cut(profile, 1, from, to, (slice) => keeps.thread(thread[slice]) && (!of || of[slice] === selected.index) ? 0 : NONE);
}

/** Of a coroutine whose slices are put together with others' nobody knows which are its own. */
function unknown(profile: Profile, selected: Selection | null): string {
	return selected?.kind === "coroutine" && !gapsOf(profile).hasAll(selected.index) ? SUMS : "";
}

function row(name: string, figure: string, says = ""): HTMLElement {
	return h("tr", { title: says }, h("th", { attrs: { scope: "row" } }, name), h("td", {}, figure));
}

/** Of a sum that the whole recording is not sure of, its parts are not. */
function standingOf(profile: Profile, selected: Selection | null, name: string): number {
	const { table } = selected ? { label: profile.labels, coroutine: profile.coroutines, thread: profile.threads }[selected.kind] : profile.total;
	const row = selected?.index ?? 0;
	const column = table.find(name);

	return column?.has(row) ? column.standing(row) : COUNTED;
}

function figures({ profile, state }: Store): HTMLElement {
	const why = unknown(profile, state.selected);
	const marked = (name: string, near: boolean, value: number, show: (value: number) => string) =>
		format.marked(shared(standingOf(profile, state.selected, name), near), value, show);
	const cut = why ? null : cutOf(profile, state);
	const idle = !!cut?.time(0, BAND_STATES.indexOf("idle"));

	return h("table", { class: "figures" }, h("tbody", {},
		row("slices", cut ? marked("slices", !!cut.someSlices[0], cut.slices[0], format.count) + (cut.cut[0] ? `, ${format.count(cut.cut[0])} of them cut` : "") : format.na(), why),
		...BAND_STATES.slice(0, LOST).map((name, state) => name === "idle" && !idle ? null
			: row(name, cut ? marked(name, cut.isNear(0, state), cut.time(0, state), format.time) : format.na(), why)),
		...profile.timeline.values.map(({ column }, counter) => row(column.is.title,
			!cut || cut.uncounted[counter][0] || !profile.total.table.column(column.is.name).has(0) ? withoutCount(profile, column)
				: marked(column.is.name, cut.cut[0] > 0, cut.counts[counter][0], format.events), cut ? "" : why))));
}

/** Of a label: kinds that there are any of, or of which that is not known. */
function lengths({ profile }: Store, durations: Durations, label: number): HTMLElement | null {
	const standing = (what: What, share: number) => lengthStanding(lacking(profile.labels.table.column("slices").standing(label), durations.isCut(what, label)), share);
	const there = KINDS.filter((what) => durations.missing(what, label) || durations.lengths(what, label).length);

	return there.length ? h("table", { class: "figures latency" },
		h("thead", {}, h("tr", {}, ...["", ...SHARES.map(([title]) => title)].map((title) => h("th", { attrs: { scope: "col" } }, title)))),
		h("tbody", {}, ...there.map((what) => {
			const why = durations.missing(what, label);

			return h("tr", { title: why ?? "" }, h("th", { attrs: { scope: "row" } }, what),
				...SHARES.map(([, share]) => h("td", {}, why ? format.na() : format.marked(standing(what, share), quantile(durations.lengths(what, label), share), format.time))));
		}))) : null;
}

/** What is reported of the time in view; what of that is null, or not there, is known of the whole recording only. */
export interface InView {
	figures: HTMLElement;
	lengths: HTMLElement | null;
	wakes: HTMLElement[] | null;
	family: HTMLElement | null;
}

export function inView(store: Store, family: Family): InView {
	const { profile, state: { from, to, selected, only } } = store;
	const label = selected?.kind === "label" ? selected.index : NONE;
	const durations = selected && selected.kind !== "thread" ? durationsOf(profile, { from, to, selected, only }) : null;
	const wakes = label === NONE ? null : wakesIn(profile, { from, to, only });

	return {
		figures: section("In the time in view", figures(store), label === NONE ? null : lengths(store, durations!, label)),
		lengths: durations && lengthsIn(store, durations, selected!),
		wakes: wakes && wakeSections(store, wakes, label, section),
		family: selected?.kind === "coroutine" && !isThreadSlot(profile, selected.index) ? familyIn(store, family, selected.index) : null,
	};
}
