// SPDX-License-Identifier: GPL-2.0
/*
 * Two labels of the time in view, or two times, of a label or of all, beside each other: times by state,
 * counters per slice, running times of slices on one scale, and flame graphs of samples, each coloured by
 * what the other side has. Figures are those of the columns of the table of labels, so that their marks are
 * those of that.
 */

import { fittingCalls, holdsSamples, unheldSamples } from "../selection";
import { labelName, makeRows, Rows } from "../columns";
import { foreign, framed, h, replace } from "../dom";
import { ColumnSpec } from "../figures";
import * as format from "../format";
import { Bars, histogram } from "../histogram";
import { isPart, durationsOf } from "../durations";
import { onPalette, rankColour } from "../palette";
import { isTool, NONE, Profile, Samples } from "../profile";
import { partOf } from "../sampled";
import { Merged, sampledCalls, treeOf } from "../slow-figures";
import { combined, COUNTED, named } from "../standings";
import { Mode, State, Store, Time, wholeOf } from "../store";
import { menu, section, stateBar, swatch } from "../widgets";
import { windowRows } from "../window";
import { Flame } from "./differences";
import { coloured } from "./labels";
import { octaves } from "./lengths";
import { Overview } from "./overview";

/** What adds up and is no part of what a slice has. */
const COUNTS = ["slices", "coroutines", "gaps", "cut"];
/** Rows of all labels at most; the table of labels has them all. */
const ROWS = 100;

/** That which ran for longest, but for one. */
export function otherLabel(profile: Profile, label: number): number {
	return coloured(profile).find((other) => other !== label) ?? NONE;
}

/** @label is NONE: all of them. @rows are of its time. */
interface Side extends Time {
	label: number;
	rows: Rows;
}

type Pair = [Side, Side];

function lengthOf({ from, to }: Time): number {
	return to - from;
}

function timeName(profile: Profile, { from, to }: Time): string {
	return isPart(profile, { from, to, selected: null, only: null })
		? `${format.time(to - from)} from ${format.moment(Math.floor(from))}` : `all ${format.time(to - from)}`;
}

/** Of the second to the first. */
function ratioText([one, other]: number[], [sure, otherSure]: number[]): string {
	const ratio = other / one;

	return Number.isFinite(ratio) ? format.marked(combined("quotient", otherSure, sure), ratio, format.ratio) : format.na();
}

function standingOf(column: ColumnSpec, row: number, mode: Mode): number {
	return column.standing ? named(column.standing(row, mode)) : COUNTED;
}

function pair(nodes: (Node | null)[]): HTMLElement {
	return h("div", { class: "beside" }, ...nodes.map((node) => h("div", {}, node)));
}

abstract class BesideView {
	readonly element: HTMLElement;
	private content = h("div", {});
	private ask = framed(() => this.draw());

	protected constructor(protected store: Store, private view: string, name: string, toolbar: Node[]) {
		this.element = h("section", { class: "view changes-view beside-view", attrs: { "aria-label": name } },
			h("div", { class: "toolbar" }, ...toolbar,
				h("button", { attrs: { type: "button" }, on: { click: () => this.leave() } }, "Close"), h("span", { class: "aside keys" }, "Escape closes")), this.content);
		onPalette(() => this.ask());
		document.addEventListener("keydown", ({ key, target }) => {
			if (key === "Escape" && store.state.view === view && !document.querySelector("dialog[open], details[open] .columns-menu") && !(target as Element).closest("input"))
				this.leave();
		});
	}

	/** Once all of it is there. */
	protected watch(): void {
		this.store.watch(({ view }, changed) => {
			if (view !== this.view)
				return;
			this.update(changed);
			if (["view", "selected", "from", "to", "only", "beside", "other"].some((key) => changed.has(key as keyof State)))
				this.ask();
		});
	}

	/** What is let go of with the tab. */
	protected abstract readonly without: Partial<State>;
	protected abstract update(changed: Set<keyof State>): void;
	/** A text: why there are none. */
	protected abstract sides(): Pair | string;
	protected abstract title(side: Side): HTMLElement;
	protected abstract plainTitle(side: Side): string;
	protected abstract figures(sides: Pair): HTMLElement;

	private leave(): void {
		const { cameFrom } = this.store;

		this.store.set({ view: cameFrom && cameFrom !== this.view ? cameFrom : "overview", ...this.without });
	}

	protected rowsOf(time: Time): Rows {
		const { profile, state } = this.store;
		const whole = makeRows(profile).label;

		return windowRows(this.store, whole, { ...state, ...time, by: "label", selected: null }) ?? whole;
	}

	protected name(label: number): HTMLElement {
		const { profile } = this.store;

		return label === NONE ? h("span", {}, "all labels") : h("span", {}, swatch(rankColour(profile.labels.rank[label])), foreign(labelName(profile, label)));
	}

	private draw(): void {
		if (this.element.hidden)
			return;
		const sides = this.sides();

		if (typeof sides === "string")
			replace(this.content, h("p", {}, sides));
		else
			replace(this.content, this.heads(sides), section("Running time of slices, on one scale", this.distributions(sides)),
				this.figures(sides), this.store.profile.samples && section("Samples", this.flames(sides)));
	}

	private labelsOf({ label }: Side): number[] {
		const { profile } = this.store;

		return label === NONE ? [...profile.labels.rank.keys()].filter((row) => !isTool(profile, row)) : [label];
	}

	/** Each bar is all of the side's own time. */
	private heads(sides: Pair): HTMLElement {
		return pair(sides.map((side) => {
			const times = this.labelsOf(side).map((label) => side.rows.times!(label).map((time) => time || 0)).reduce((all, some) => all.map((time, state) => time + some[state]));
			const sum = times.reduce((a, b) => a + b, 0);
			const tip = side.label === NONE ? undefined : () => side.rows.columns.find(({ key }) => key === "states")!.tip(side.label);

			return h("div", tip ? { tip } : {}, h("h3", {}, this.title(side)), sum ? stateBar(times, sum) : null);
		}));
	}

	/** By buckets of the reader, four an octave, whether it counted them or the page does. */
	private barsOf(side: Side): Bars["bars"] | string {
		const { profile, profile: { lengths, labels } } = this.store;
		const part = { from: side.from, to: side.to, selected: null, only: this.store.state.only };
		const of = new Set(side.label === NONE ? coloured(profile) : [side.label]);

		if (!isPart(profile, part)) {
			const bars = new Map<number, Bars["bars"][number]>();

			for (const row of [...lengths.label.keys()].filter((row) => of.has(lengths.label[row]))) {
				const bar = bars.get(lengths.from[row]) ?? { from: lengths.from[row], to: 0, count: 0 };

				bar.to = Math.max(bar.to, lengths.below[row] || labels.longest[lengths.label[row]]);
				bar.count += lengths.slices[row];
				bars.set(bar.from, bar);
			}
			return [...bars.values()].sort((a, b) => a.from - b.from);
		}
		const durations = durationsOf(profile, part);
		const missing = [...of].map((label) => durations.missing("running", label)).find((why) => why !== null);

		return missing ?? octaves(Float64Array.from([...of].flatMap((label) => [...durations.lengths("running", label)])).sort());
	}

	private distributions(sides: Pair): HTMLElement {
		const bars = sides.map((side) => this.barsOf(side));
		const all = bars.flatMap((some) => typeof some === "string" ? [] : some);
		const scale = { from: Math.min(...all.map(({ from }) => from)), to: Math.max(...all.map(({ to }) => to)) };

		return pair(bars.map((some) => typeof some === "string" ? h("p", { class: "soft" }, some) : !some.length ? h("p", { class: "soft" }, "No slices.")
			: histogram({ bars: some, marks: [] }, { title: "Running time", name: "running", show: format.time, scale })));
	}

	/** Of the side's time; null: the page has not each. */
	private samplesOf(side: Side): Samples | null {
		const { profile, state } = this.store;

		return !isPart(profile, { ...state, ...side, selected: null }) ? profile.samples!
			: holdsSamples(profile) ? partOf(profile.samples!, fittingCalls(profile, { ...state, from: side.from, to: side.to, selected: null, filter: "" }), NONE) : null;
	}

	/** What is drawn is the second side of each tree, coloured by the first. */
	private flames(sides: Pair): HTMLElement {
		const { profile } = this.store;
		const parts = sides.map((side) => this.samplesOf(side));

		if (parts.some((part) => !part) && !this.hasWhole)
			return h("p", { class: "soft" }, `Not known: ${unheldSamples(profile)}.`);
		const whole = parts.includes(null);
		const slices = profile.labels.table.column("slices");
		const calls = sides.map(({ label }, at) => sampledCalls(profile, parts[at] ?? profile.samples!, label));
		const nr = sides.map((side) => side.label === NONE ? lengthOf(side) / 1e9 : whole ? slices.figures[side.label]
			: side.rows.columns.find(({ key }) => key === "slices")!.figure(side.label, "total"));
		const names = sides.map((side) => this.plainTitle(side));
		const each = sides[0].label === NONE ? "second" : "slice";
		const flame = (first: 0 | 1) => {
			const drawn = 1 - first as 0 | 1;
			const merged = new Merged("samples");

			merged.add(true, 0, calls[first]);
			merged.add(true, 1, calls[drawn]);
			return calls[drawn].n ? new Flame(treeOf({ profile, nr: [nr[first], nr[drawn]], atLeast: sides.some(({ label }) => label !== NONE && slices.standing(label) > 0) }, merged.nodes), {
				names: ["rest", "slow"], called: [names[first], names[drawn]], each, whole: each === "second" ? "the time" : undefined, reported: [], none: "", more: "",
				graph: `as wide as in ${names[drawn]}; red: more of it in a ${each} than in ${names[first]}, blue: less; a click zooms`,
			}).element : h("p", { class: "soft" }, "No samples.");
		};

		return h("div", {}, whole ? h("p", { class: "soft" }, `Of the whole recording: ${unheldSamples(profile)}.`) : null, pair([flame(1), flame(0)]));
	}

	/** Of what the page has not each sample, the samples of all of the recording are reported. */
	protected abstract readonly hasWhole: boolean;

	protected table(heads: (Node | string)[], ratio: string, rows: HTMLElement[]): HTMLElement {
		return h("table", { class: "changes beside-figures" },
			h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { attrs: { scope: "col" } }, head)),
				h("th", { attrs: { scope: "col" }, title: ratio }, "ratio"))),
			h("tbody", {}, ...rows));
	}

	/** Rows are figures of a label on each side. @rate: a count of a side, over its time; "": not reported. */
	protected figuresOf(sides: Pair, each: string, rate: (side: Side, count: number) => string): HTMLElement {
		const { table } = this.store.profile.labels;
		const [one, other] = sides;
		const idle = sides.some(({ label }) => table.column("idle").figures[label]);
		const shown = one.rows.columns.filter(({ key, kind }) => kind === "number" && table.find(key) && (key !== "idle" || idle));
		const isSum = ({ key }: ColumnSpec) => table.column(key).is.sums === "add";
		const specs = (column: ColumnSpec) => [column, other.rows.columns.find(({ key }) => key === column.key)!];
		const row = (column: ColumnSpec) => {
			const means = isSum(column) && !COUNTS.includes(column.key);
			const cells = specs(column).map((of, at) => {
				const { label } = sides[at];
				const total = of.show(label, "total");
				const count = of.figure(label, "total");
				const text = means ? of.show(label, "slice") : isSum(column) ? rate(sides[at], count) : "";

				return { of, label, total, text, sure: standingOf(of, label, means ? "slice" : "total"), ratio: means ? of.figure(label, "slice") : text ? count / lengthOf(sides[at]) : count };
			});

			return h("tr", {}, h("th", { title: column.says, attrs: { scope: "row" } }, foreign(column.title)),
				...cells.flatMap(({ of, label, total, text }) => [total, text].map((text) => h("td", { class: "number", tip: () => of.tip(label) }, text))),
				h("td", { class: "number" }, ratioText(cells.map(({ ratio }) => ratio), cells.map(({ sure }) => sure))));
		};

		return this.table(["figure", ...sides.flatMap((side) => [this.title(side), each])], `of the second to the first: ${each}, if there is such a figure`, shown.map(row));
	}
}

export class LabelsView extends BesideView {
	protected readonly without = { beside: NONE };
	protected readonly hasWhole = true;
	private menus: [HTMLSelectElement, HTMLSelectElement];

	constructor(store: Store) {
		const labels = coloured(store.profile).map((label): [string, string] => [String(label), labelName(store.profile, label)]);
		const menus: [HTMLSelectElement, HTMLSelectElement] = [
			menu("One label", labels, (label) => store.select("label", Number(label))),
			menu("The other label", labels, (label) => store.set({ beside: Number(label) })),
		];

		super(store, "beside", "Two labels", [menus[0], document.createTextNode(" beside "), menus[1]]);
		this.menus = menus;
		this.watch();
	}

	private labels(): [number, number] {
		const { profile, state: { beside } } = this.store;
		const selected = this.store.selectedLabel();
		const one = selected !== NONE && profile.labels.rank[selected] !== NONE ? selected : otherLabel(profile, beside);

		return [one, beside !== NONE && beside !== one ? beside : otherLabel(profile, one)];
	}

	protected update(changed: Set<keyof State>): void {
		/* The tab stays until it is closed. */
		if (this.store.state.beside === NONE && changed.has("view"))
			queueMicrotask(() => this.store.set({ beside: this.labels()[1] }));
		this.labels().forEach((label, at) => { this.menus[at].value = String(label); });
	}

	protected sides(): Pair | string {
		const { from, to } = this.store.state;
		const labels = this.labels();
		const rows = labels.includes(NONE) ? null : this.rowsOf({ from, to });

		return rows ? labels.map((label) => ({ label, from, to, rows })) as Pair : "There are no two labels in this recording.";
	}

	protected title({ label }: Side): HTMLElement {
		return this.name(label);
	}

	protected plainTitle({ label }: Side): string {
		return labelName(this.store.profile, label);
	}

	protected figures(sides: Pair): HTMLElement {
		return this.figuresOf(sides, "per slice, or gap", () => "");
	}
}

export class TimesView extends BesideView {
	protected readonly without = { other: null };
	protected readonly hasWhole = false;
	private of: HTMLSelectElement;

	constructor(store: Store) {
		const { profile } = store;
		const of = menu("Of", [String(NONE), ...coloured(profile).map(String)].map((label): [string, string] => [label, Number(label) === NONE ? "all labels" : labelName(profile, Number(label))]),
			(label) => Number(label) === NONE ? store.set({ selected: null }) : store.select("label", Number(label)));

		super(store, "times", "Two times", [document.createTextNode("Of "), of]);
		this.of = of;
		this.element.firstElementChild!.after(new Overview(store).canvas);
		this.watch();
	}

	private label(): number {
		const selected = this.store.selectedLabel();

		return selected !== NONE && this.store.profile.labels.rank[selected] !== NONE ? selected : NONE;
	}

	protected update(changed: Set<keyof State>): void {
		/* The tab stays until it is closed. */
		if (!this.store.state.other && changed.has("view"))
			queueMicrotask(() => this.store.set({ other: wholeOf(this.store.profile) }));
		this.of.value = String(this.label());
	}

	protected sides(): Pair | string {
		const { from, to, other } = this.store.state;

		return [{ from, to }, other ?? wholeOf(this.store.profile)].map((time) => ({ ...time, label: this.label(), rows: this.rowsOf(time) })) as Pair;
	}

	protected title(side: Side): HTMLElement {
		return h("span", {}, this.plainTitle(side));
	}

	protected plainTitle(side: Side): string {
		return timeName(this.store.profile, side);
	}

	protected figures(sides: Pair): HTMLElement {
		return sides[0].label === NONE ? this.labels(sides)
			: this.figuresOf(sides, "per slice, gap or second", (side, count) => `${format.events(count / lengthOf(side) * 1e9)} a second`);
	}

	/** Rows are labels: how long each ran, and how much of the time that is, on either side. */
	private labels(sides: Pair): HTMLElement {
		const { profile } = this.store;
		const specs = sides.map(({ rows }) => rows.columns.find(({ key }) => key === "running")!);
		const shares = (label: number) => specs.map((of, at) => of.figure(label, "total") / lengthOf(sides[at]));
		const labels = [...profile.labels.rank.keys()].filter((label) => !isTool(profile, label) && shares(label).some((share) => share > 0))
			.sort((a, b) => Math.max(...shares(b)) - Math.max(...shares(a)));
		const row = (label: number) => {
			const texts = specs.map((of) => of.show(label, "total"));
			const sure = specs.map((of) => standingOf(of, label, "total"));
			const rates = shares(label).map((share, at) => Number.isNaN(share) ? format.na() : format.marked(sure[at], share, format.share));

			return h("tr", {}, h("th", { attrs: { scope: "row" } }, h("button", { class: "link", attrs: { type: "button" }, on: { click: () => this.store.select("label", label) } }, this.name(label))),
				...specs.flatMap((of, at) => [texts[at], rates[at]].map((text) => h("td", { class: "number", tip: () => of.tip(label) }, text))),
				h("td", { class: "number" }, ratioText(shares(label), sure)));
		};

		return h("div", {}, this.table(["label", ...sides.flatMap((side) => [h("span", {}, "running in ", this.title(side)), "of the time"])],
			"of the second to the first: of the time", labels.slice(0, ROWS).map(row)),
		labels.length > ROWS ? h("p", {}, `and ${format.plural(labels.length - ROWS, "more label")}.`) : null);
	}
}
