// SPDX-License-Identifier: GPL-2.0
/* How long slices of a label, or of a coroutine, ran: of the whole recording, or of the time in view. */

import { h } from "../dom";
import * as format from "../format";
import { Bars, histogram, Of } from "../histogram";
import { Lanes } from "../lanes";
import { Durations, quantile } from "../durations";
import { isOutside, isThreadSlot, NONE, Profile, Timed } from "../profile";
import { COUNTED, lacking, lengthStanding } from "../standings";
import { Selection, Store } from "../store";
import { section, wholeSection } from "../widgets";
import { goesOn, sumOf } from "../pieces";

const TITLE = "Running time of slices";
const BARS = 48;
const SHARES: [string, number][] = [["p50", 0.5], ["p95", 0.95], ["p99", 0.99]];

/** @part: slices are missing. */
function content(bars: Bars, longest: number, part: boolean, note: string, of?: Of): Node[] {
	return [histogram(bars, of),
		h("table", { class: "figures quantiles" },
			h("thead", {}, h("tr", {}, ...[...bars.marks.map(({ name }) => name), "longest"].map((text) =>
				h("th", { attrs: { scope: "col" } }, text)))),
			h("tbody", {}, h("tr", {}, ...[...bars.marks.map(({ at }) => [0, at] as const), [1, longest] as const].map(([share, at]) =>
				h("td", { title: format.fullTime(at) }, format.marked(lengthStanding(lacking(COUNTED, part), share), at, format.time)))))),
		h("p", { class: "soft" }, part ? "Of the slices that were recorded: others are missing." : note)];
}

/** Of times in order. */
function exactContent(times: ArrayLike<number>, bars: Bars["bars"], part: boolean, of?: Of): Node[] {
	return content({ bars, marks: SHARES.map(([name, share]) => ({ name, at: quantile(times, share) })) }, quantile(times, 1), part, "Exact.", of);
}

/** A drag over those of a label says the slow ones from the rest. */
function slowFrom(store: Store, label: number): Of | undefined {
	return store.profile.labels.rank[label] === NONE ? undefined : {
		title: "Running time", name: "running", show: format.time,
		pick: (ns) => store.set({ view: "slow", slowOf: "slices", slowBy: "running", above: `${ns}ns`, selected: { kind: "label", index: label } }),
	};
}

function said(text: string): Node {
	return h("p", { class: "soft" }, text);
}

function lacksSlices({ table }: Timed, row: number): boolean {
	return table.column("slices").standing(row) > 0;
}

export function labelLengths(store: Store, label: number): HTMLElement {
	const { labels, lengths } = store.profile;
	const rows = [...lengths.label.keys()].filter((row) => lengths.label[row] === label);
	const marks = SHARES.map(([name]) => labels.table.column(name));

	if (!rows.length)
		return wholeSection(TITLE, said("No slices."));
	return wholeSection(TITLE, ...content({
		bars: rows.map((row) => ({
			from: lengths.from[row], to: lengths.below[row] || labels.longest[label], count: lengths.slices[row],
		})),
		marks: marks.map(({ is, figures }) => ({ name: is.name, at: figures[label] })),
	}, labels.longest[label], lacksSlices(labels, label), `${marks.some((mark) => mark.standing(label)) ? "Percentiles are less than 1 % off" : "Percentiles are exact"}; the longest is exact.`, slowFrom(store, label)));
}

/** From the timeline, which has each slice unless some were merged. */
export function coroutineLengths(profile: Profile, lanes: Lanes, coroutine: number): HTMLElement {
	const { timeline, coroutines } = profile;
	const slices = lanes.slicesOf(coroutine).filter((row) => !goesOn(profile, row));

	if (timeline.resolution || slices.length !== coroutines.slices[coroutine] || !slices.length)
		return wholeSection(TITLE, said("Not kept for single coroutines in a recording this large; see its label."));
	const times = Float64Array.from(slices, (slice) => sumOf(profile, slice, (i) =>
		timeline.end[i] - timeline.begin[i] - timeline.preempted[i] - timeline.blocked[i])).sort();

	return wholeSection(TITLE, ...exactContent(times, bucketed(times), lacksSlices(coroutines, coroutine)));
}

/** Of what is selected, in the time in view; null: the page has not all of these slices one by one. */
export function lengthsIn(store: Store, durations: Durations, { kind, index }: Selection): HTMLElement | null {
	const { profile } = store;
	const times = Float64Array.from(durations.ns.running).sort();

	if (kind === "thread" || (kind === "label" ? isOutside(profile, index) : isThreadSlot(profile, index)) || durations.lacks("running"))
		return null;
	return section(TITLE, ...times.length ? exactContent(times, kind === "label" ? octaves(times) : bucketed(times), lacksSlices(kind === "label" ? profile.labels : profile.coroutines, index),
		kind === "label" ? slowFrom(store, index) : undefined) : [said("No slice is in it.")]);
}

/** Four an octave, as the reader's of the whole recording. */
export function octaves(times: ArrayLike<number>): Bars["bars"] {
	const bars: Bars["bars"] = [];

	for (const ns of Array.from(times)) {
		const last = bars[bars.length - 1];

		if (last && ns < last.to) {
			last.count++;
			continue;
		}
		const octave = ns < 4 ? 0 : 2 ** Math.floor(Math.log2(ns));
		const step = octave / 4 || 1;
		const from = octave + step * Math.floor((ns - octave) / step);

		bars.push({ from, to: from + step, count: 1 });
	}
	return bars;
}

/** Bars of equal width on a logarithmic scale, for sorted @times. */
export function bucketed(times: ArrayLike<number>): Bars["bars"] {
	const low = Math.max(1, times[0]);
	const high = Math.max(low * 1.3, times[times.length - 1] + 1);
	const factor = (high / low) ** (1 / BARS);
	const bars: Bars["bars"] = [];

	for (let i = 0, from = low; from < high && i < times.length; from *= factor) {
		const start = i;

		while (i < times.length && times[i] < from * factor)
			i++;
		if (i > start)
			bars.push({ from, to: from * factor, count: i - start });
	}
	return bars;
}
