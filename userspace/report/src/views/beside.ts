// SPDX-License-Identifier: GPL-2.0
/*
 * Two labels beside each other: times by state, counters per slice, running times of slices on one
 * scale, and flame graphs of samples, each coloured by what the other has. Of the time in view, by the
 * columns of the table of labels, so that figures and their marks are those of that.
 */

import { fittingCalls, holdsSamples, unheldSamples } from "../choice";
import { labelName, makeRows, Rows } from "../columns";
import { foreign, framed, h, replace } from "../dom";
import { ColumnSpec } from "../figures";
import * as format from "../format";
import { Bars, histogram } from "../histogram";
import { isPart, lastedOf } from "../lasted";
import { onPalette, rankColour } from "../palette";
import { NONE, Profile, Samples } from "../profile";
import { partOf } from "../sampled";
import { Merged, sampledCalls, treeOf } from "../slow-figures";
import { State, Store } from "../store";
import { menu, section, stateBar, swatch } from "../widgets";
import { windowRows } from "../window";
import { Flame } from "./differences";
import { coloured } from "./labels";
import { octaves } from "./lengths";

/** What bounds a figure from below, or above, does not bound a quotient. */
const BOUNDED = /^[<>]/;

/** That which ran for longest, but for one. */
export function otherLabel(profile: Profile, label: number): number {
	return coloured(profile).find((other) => other !== label) ?? NONE;
}

export class BesideView {
	readonly element: HTMLElement;
	private content = h("div", {});
	private menus: [HTMLSelectElement, HTMLSelectElement];
	private ask = framed(() => this.draw());

	constructor(private store: Store) {
		const labels = coloured(store.profile).map((label): [string, string] => [String(label), labelName(store.profile, label)]);

		this.menus = [
			menu("One label", labels, (label) => store.select("label", Number(label))),
			menu("The other label", labels, (label) => store.set({ beside: Number(label) })),
		];
		this.element = h("section", { class: "view changes-view beside-view", attrs: { "aria-label": "Two labels" } },
			h("div", { class: "toolbar" }, this.menus[0], " beside ", this.menus[1],
				h("button", { attrs: { type: "button" }, on: { click: () => this.leave() } }, "Close"), h("span", { class: "aside keys" }, "Escape closes")), this.content);
		store.watch((state, changed) => this.update(state, changed));
		onPalette(() => this.ask());
		document.addEventListener("keydown", ({ key, target }) => {
			if (key === "Escape" && store.state.view === "beside" && !document.querySelector("dialog[open], details[open] .columns-menu") && !(target as Element).closest("input"))
				this.leave();
		});
	}

	private leave(): void {
		this.store.set({ view: this.store.cameFrom || "overview", beside: NONE });
	}

	private labels(): [number, number] {
		const { profile, state: { beside } } = this.store;
		const selected = this.store.selectedLabel();
		const one = selected !== NONE && profile.labels.rank[selected] !== NONE ? selected : otherLabel(profile, beside);

		return [one, beside !== NONE && beside !== one ? beside : otherLabel(profile, one)];
	}

	private update({ view, beside }: State, changed: Set<keyof State>): void {
		if (view !== "beside")
			return;
		/* The tab stays until it is closed. */
		if (beside === NONE && changed.has("view"))
			queueMicrotask(() => this.store.set({ beside: this.labels()[1] }));
		this.labels().forEach((label, at) => { this.menus[at].value = String(label); });
		if (["view", "selected", "beside", "from", "to", "only"].some((key) => changed.has(key as keyof State)))
			this.ask();
	}

	private draw(): void {
		const { profile, state } = this.store;
		const labels = this.labels();

		if (this.element.hidden)
			return;
		if (labels.includes(NONE)) {
			replace(this.content, h("p", {}, "There are no two labels in this recording."));
			return;
		}
		const whole = makeRows(profile).label;
		const rows = windowRows(this.store, whole, { ...state, by: "label", selected: null }) ?? whole;

		replace(this.content, this.heads(labels, rows), section("Running time of slices, on one scale", this.distributions(labels)),
			this.figures(labels, rows), profile.samples && section("Samples", this.flames(labels, rows)));
	}

	private pair(nodes: (Node | null)[]): HTMLElement {
		return h("div", { class: "beside" }, ...nodes.map((node) => h("div", {}, node)));
	}

	private name(label: number): HTMLElement {
		const { profile } = this.store;

		return h("span", {}, swatch(rankColour(profile.labels.rank[label])), foreign(labelName(profile, label)));
	}

	/** Each bar is all of the label's own time. */
	private heads(labels: [number, number], rows: Rows): HTMLElement {
		return this.pair(labels.map((label) => {
			const times = rows.times!(label).map((time) => time || 0);
			const sum = times.reduce((a, b) => a + b, 0);

			return h("div", { tip: () => rows.columns.find(({ key }) => key === "states")!.tip(label) }, h("h3", {}, this.name(label)), sum ? stateBar(times, sum) : null);
		}));
	}

	private figures([one, other]: [number, number], rows: Rows): HTMLElement {
		const { table } = this.store.profile.labels;
		const shown = rows.columns.filter(({ key, kind }) => kind === "number" && table.find(key) && !(key === "idle" && !table.column(key).figures[one] && !table.column(key).figures[other]));
		const adds = (column: ColumnSpec) => table.column(column.key).is.sums === "add" && !["slices", "coroutines", "gaps", "cut"].includes(column.key);
		const each = (column: ColumnSpec, label: number) => adds(column) ? column.show(label, "slice") : "";
		const cell = (column: ColumnSpec, label: number, text: string) => h("td", { class: "number", tip: () => column.tip(label) }, text);

		return h("table", { class: "changes beside-figures" },
			h("thead", {}, h("tr", {}, h("th", { attrs: { scope: "col" } }, "figure"),
				...[one, other].flatMap((label) => [h("th", { attrs: { scope: "col" } }, this.name(label)), h("th", { attrs: { scope: "col" } }, "per slice, or gap")]),
				h("th", { attrs: { scope: "col" }, title: "of the second label to the first: per slice, or gap, if there is such a figure" }, "ratio"))),
			h("tbody", {}, ...shown.map((column) => h("tr", {}, h("th", { title: column.says, attrs: { scope: "row" } }, foreign(column.title)),
				...[one, other].flatMap((label) => [cell(column, label, column.show(label, "total")), cell(column, label, each(column, label))]),
				h("td", { class: "number" }, this.ratio(column, [one, other], adds(column) ? "slice" : "total"))))));
	}

	/** An estimate if either is one. */
	private ratio(column: ColumnSpec, labels: [number, number], mode: "slice" | "total"): string {
		const texts = labels.map((label) => column.show(label, mode));
		const [one, other] = labels.map((label) => column.figure(label, mode));
		const ratio = other / one;

		return !Number.isFinite(ratio) || texts.some((text) => BOUNDED.test(text)) ? format.na() : (texts.some((text) => text.startsWith(format.NEAR)) ? format.NEAR : "") + format.ratio(ratio);
	}

	/** By buckets of the reader, four an octave, whether it counted them or the page does. */
	private barsOf(label: number): Bars["bars"] | string {
		const { profile, profile: { lengths, labels } } = this.store;
		const { from, to, only } = this.store.state;
		const part = { from, to, selected: null, only };

		if (!isPart(profile, part))
			return [...lengths.label.keys()].filter((row) => lengths.label[row] === label)
				.map((row) => ({ from: lengths.from[row], to: lengths.below[row] || labels.longest[label], count: lengths.slices[row] }));
		const lasted = lastedOf(profile, part);

		return lasted.missing("running", label) ?? octaves(lasted.lengths("running", label));
	}

	private distributions(labels: [number, number]): HTMLElement {
		const bars = labels.map((label) => this.barsOf(label));
		const all = bars.flatMap((some) => typeof some === "string" ? [] : some);
		const scale = { from: Math.min(...all.map(({ from }) => from)), to: Math.max(...all.map(({ to }) => to)) };

		return this.pair(bars.map((some) => typeof some === "string" ? h("p", { class: "soft" }, some) : !some.length ? h("p", { class: "soft" }, "No slices.")
			: histogram({ bars: some, marks: [] }, { title: "Running time", name: "running", show: format.time, scale })));
	}

	/** Those of the time in view, if the page has each; else of all, which is said. */
	private samples(): { of: Samples; says: string } {
		const { profile, state } = this.store;
		const part = isPart(profile, { ...state, selected: null });

		return !part ? { of: profile.samples!, says: "" }
			: holdsSamples(profile) ? { of: partOf(profile.samples!, fittingCalls(profile, { ...state, selected: null, filter: "" }), NONE), says: "" }
			: { of: profile.samples!, says: `Of the whole recording: ${unheldSamples(profile)}.` };
	}

	private flames(labels: [number, number], rows: Rows): HTMLElement {
		const { profile } = this.store;
		const { of, says } = this.samples();
		const slices = profile.labels.table.column("slices");
		const calls = labels.map((label) => sampledCalls(profile, of, label));
		const counts = rows.columns.find(({ key }) => key === "slices")!;
		const nr = labels.map((label) => says ? slices.figures[label] : counts.figure(label, "total"));
		const names = labels.map((label) => labelName(profile, label));
		/* What is drawn is the second side of the tree, coloured by the first. */
		const flame = (first: 0 | 1) => {
			const drawn = 1 - first as 0 | 1;
			const merged = new Merged("samples");

			merged.add(true, 0, calls[first]);
			merged.add(true, 1, calls[drawn]);
			return calls[drawn].n ? new Flame(treeOf({ profile, nr: [nr[first], nr[drawn]], atLeast: labels.some((label) => slices.standing(label) > 0) }, merged.nodes), {
				names: ["rest", "slow"], called: [names[first], names[drawn]], each: "slice", told: [], none: "", more: "",
				graph: `as wide as in ${names[drawn]}; red: more of it in a slice than in ${names[first]}, blue: less; a click zooms`,
			}).element : h("p", { class: "soft" }, "No samples.");
		};

		return h("div", {}, says ? h("p", { class: "soft" }, says) : null, this.pair([flame(1), flame(0)]));
	}
}
