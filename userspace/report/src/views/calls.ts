// SPDX-License-Identifier: GPL-2.0
/* The views of samples and of spans: a flame graph of calls, and a table of them. */

import { Calls, CallSheet, callsOf, chosenCalls, pace, shareText, shownLabel, shownWeight, Weight } from "../calls";
import { labelName } from "../columns";
import { h, replace } from "../dom";
import { ColumnSpec } from "../figures";
import { Graph, regroup, regroupedGraph, wholeGraph } from "../graph";
import { sortRows } from "../order";
import { NONE, Profile } from "../profile";
import { Sum } from "../regroup";
import { Mode, Shape, State, Store } from "../store";
import { ROOT } from "../tree";
import { choice, menu, menuOptions } from "../widgets";
import { Flame } from "./flame";
import { columnsMenu } from "./columns-menu";
import { COLUMN_KEYS, Grid } from "./grid";
import { filterOf } from "../conditions";
import { copyButton, filterRows, matcher, tsv } from "./table";

const ALL = "all";

const SHAPES: [Shape, string][] = [
	["calls", "Calls, by label"], ["merged", "Calls, labels merged"], ["inverted", "Inverted"],
	["inverted-labels", "Inverted, by label"], ["sandwich", "Callers and callees"],
];

/** Of a node, when looking for some: out of view, in view, or found or in one found. */
const Where = { OUT: 0, IN_VIEW: 1, FOUND: 2 } as const;

export class CallsView {
	readonly element: HTMLElement;
	private flame: Flame;
	private grid: Grid;
	private sheet: CallSheet | null = null;
	private graph: { key: string; of: Graph } | null = null;
	private nothing = h("p", { class: "grid-empty" });
	private order: Uint32Array = new Uint32Array();
	private sort: string;
	private descending = true;
	private zoom = ROOT;
	private find: HTMLInputElement;
	private found = h("span", { class: "found", attrs: { role: "status" } });
	private labels: HTMLSelectElement;
	private weights: HTMLSelectElement;
	private shapes: HTMLSelectElement;
	private copied = copyButton(() => ({ rows: this.order.length, tsv: tsv(this.sheet!, this.order, this.mode(), this.store.state) }));

	constructor(private store: Store, private calls: Calls, private id: string, title: string, aside = "") {
		this.sort = calls.sort;
		this.flame = new Flame(store.profile, calls, title, `${id}-keys`, {
			zoom: (node) => this.chooseNode(node), around: (node) => this.around(node),
		});
		this.grid = new Grid(store, {
			sort: (column) => this.sortBy(column),
			select: (row) => this.aroundOf(this.sheet!.of(row)),
			open: (row) => store.set({ find: this.sheet!.name(row) }),
			up: () => store.set({ find: "" }),
			copy: () => this.copied.copy(),
		}, `${id}-grid-keys`);
		this.find = h("input", {
			class: "filter",
			attrs: { type: "search", placeholder: `Find a ${calls.noun}`, "aria-label": `Find a ${calls.noun}`, spellcheck: "false" },
			on: { input: () => store.set({ find: this.find.value }) },
		});
		this.labels = menu("Coroutines", this.labelOptions(), (value) => this.chooseLabel(value));
		this.weights = menu("Weight", this.weightOptions(), (weight) => store.set({ weight }));
		this.shapes = menu("Graph", SHAPES, (shape) => store.set({ shape: shape as Shape }));
		this.element = h("section", { class: `view calls-view ${id}-view`, attrs: { "aria-label": title } },
			this.toolbar(id, aside), this.flame.element, this.flame.part, this.nothing, this.grid.element,
			h("p", { class: "hidden", attrs: { id: `${id}-keys` } },
				"Up and down go to the row above and to what weighs most in the row below, left and right to neighbours, " +
				"N to the next one found. Enter zooms to it, C shows its callers and callees, Escape goes back, Home shows all."),
			h("p", { class: "hidden", attrs: { id: `${id}-grid-keys` } },
				`Arrow keys move, and show callers and callees of a ${calls.noun}, S sorts by the column, Enter finds the row above, Escape shows all. ${COLUMN_KEYS}`));
		store.watch((state, changed) => this.update(state, changed));
	}

	private toolbar(id: string, aside: string): HTMLElement {
		const { weights, modes, notes } = this.calls;

		return h("div", { class: "toolbar" }, this.shapes, this.labels, weights.length > 1 ? this.weights : null, this.find, this.found,
			h("span", { class: "spring" }),
			...notes.map(({ text, tip }) => h("span", { class: "badge fair", ...tip ? { tip: () => tip } : {} }, text)),
			aside ? h("span", { class: "aside" }, aside) : null,
			modes.length ? choice(this.store, "mode", "Figures", modes, (mode) => ({ mode }), `choice-mode-${id}`) : null,
			columnsMenu(this.store, () => this.sheet?.columns ?? []), this.copied.element);
	}

	/** Labels with most of the first weight come first. */
	private labelOptions(): [string, string][] {
		const { tree, weights } = this.calls;
		const { of, show } = weights[0];

		return [[ALL, "all coroutines"], ...tree.allLabels().filter((label) => label !== NONE).map((label) => tree.ofLabel(label))
			.sort((a, b) => of[b] - of[a] || a - b)
			.map((node): [string, string] => [String(tree.label[node]),
				`${labelName(this.store.profile, tree.label[node])}: ${show(node)}`])];
	}

	private weightOptions(): [string, string, boolean][] {
		return this.calls.weights.map(({ key, title, missing }) => [key, missing ? `${title} (${missing})` : title, !!missing]);
	}

	private chooseLabel(value: string): void {
		if (value !== ALL)
			return this.store.select("label", Number(value));
		this.store.set({ selected: null });
		this.zoom = ROOT;
		this.draw();
	}

	/** Callers and callees of another function, or a zoom, which also reports what is zoomed to. */
	private chooseNode(node: number): void {
		const { store, graph } = this;
		const { of } = graph!;
		const known = of.isCall(node) && of.of(node) !== NONE;

		if (store.state.shape === "sandwich")
			return this.around(node);
		this.zoomTo(node);
		store.set({ of: known ? this.calls.names.name(of.of(node)) : "" });
	}

	private around(node: number): void {
		const { of } = this.graph!;

		if (of.isCall(node))
			this.aroundOf(of.of(node));
	}

	private aroundOf(of: number): void {
		if (of !== NONE)
			this.store.set({ shape: "sandwich", of: this.calls.names.name(of) });
	}

	/** A label is zoomed to by being selected, everything by selecting nothing; not where that shows other calls. */
	private zoomTo(node: number): void {
		const { graph, store } = this;
		const label = graph!.of.label(node);

		this.zoom = node;
		if (this.calls.part && store.state.selected && store.state.selected.kind !== "label")
			return this.draw();
		if (node === ROOT && this.isByLabel())
			store.set({ selected: null });
		else if (label !== NONE && label !== store.selectedLabel())
			store.select("label", label);
		this.zoom = node;
		this.draw();
	}

	/** Whether the graph has all labels, each apart. */
	private isByLabel(): boolean {
		return ["calls", "inverted-labels"].includes(this.store.state.shape);
	}

	/** The node in the graph that the label is. */
	private home(label: number): number {
		const { of } = this.current();

		return label === NONE || !this.isByLabel() ? ROOT
			: [...Array.from(of.children(ROOT))].find((node) => of.label(node) === label) ?? ROOT;
	}

	/** The function in the middle, NONE for none. */
	private middle(): number {
		const { of, shape } = this.store.state;

		return shape === "sandwich" ? this.calls.names.row(of) ?? NONE : NONE;
	}

	/** The graph of what is chosen; it is made anew when that changes. */
	private current(): { key: string; of: Graph } {
		const { store: { profile, state: { shape } }, calls } = this;
		const weight = this.weight();
		const label = this.isByLabel() ? NONE : this.label();
		const middle = this.middle();
		const key = [shape, weight.key, label, middle].join(" ");

		if (this.graph?.key !== key)
			this.graph = { key, of: shape === "calls" ? wholeGraph(profile, calls, weight)
				: regroupedGraph(profile, calls, weight, regroup(calls, weight, shape, label, middle)) };
		return this.graph;
	}

	/** The label whose calls are shown, NONE for all. */
	private label(): number {
		return shownLabel(this.store, this.calls);
	}

	private weight(): Weight {
		return shownWeight(this.store, this.calls);
	}

	private mode(): Mode {
		const { mode } = this.store.state;

		return this.calls.modes.some(([value]) => value === mode) ? mode : "total";
	}

	private update(_: State, changed: Set<keyof State>): void {
		const { nodes } = this.graph?.of ?? {};
		const other = this.follow();
		const label = this.label();

		if (!this.sheet || other || changed.has("selected")) {
			this.sheet = this.calls.sheet(label);
			this.labels.value = label === NONE ? ALL : String(label);
		}
		if (this.current().of.nodes !== nodes || changed.has("selected"))
			this.zoom = this.home(label);
		if (other || ["selected", "only", "find", "weight", "mode", "shape", "of"].some((key) => changed.has(key as keyof State)))
			this.draw();
	}

	/** Takes up what is chosen, if the view is there to be seen; says whether other calls are shown now. */
	private follow(): boolean {
		const calls = this.store.state.view === this.id ? chosenCalls(this.store, this.id)! : this.calls;
		const other = calls !== this.calls;

		if (other) {
			this.calls = calls;
			this.graph = null;
			replace(this.labels, ...menuOptions(this.labelOptions()));
			replace(this.weights, ...menuOptions(this.weightOptions()));
		}
		return other;
	}

	private draw(): void {
		const { find, shape } = this.store.state;
		const weight = this.weight();
		const matches = this.matches(find);

		if (this.find.value !== find)
			this.find.value = find;
		this.weights.value = weight.key;
		this.shapes.value = shape;
		const none = this.calls.part && !weight.of[ROOT];

		this.flame.element.hidden = none || shape === "sandwich" && this.middle() === NONE;
		this.nothing.hidden = !this.flame.element.hidden;
		this.nothing.textContent = none ? `No ${this.calls.single} fits what is chosen.` : `Choose a ${this.calls.noun} in the table.`;
		if (!this.flame.element.hidden)
			this.flame.show({ graph: this.current().of, zoom: this.zoom, matches });
		this.found.textContent = this.found.title = matches ? this.share(weight, matches) : "";
		this.table(find);
	}

	/** Conditions are about rows of the table: the calls of those are found. */
	private fitting(find: string): (name: string) => boolean {
		const sheet = this.calls.sheet(NONE);
		const asked = filterOf(this.store.profile, sheet, find);

		if (!asked.conditions)
			return matcher(find);
		const names = new Set(Array.from(filterRows(sheet, asked.fits), (row) => sheet.name(row).toLowerCase()));

		return (name) => names.has(name);
	}

	private matches(find: string): ((name: string) => boolean) | null {
		if (!find.trim())
			return null;
		const fits = this.fitting(find);
		const known = new Map<string, boolean>();

		return (name) => {
			const fit = known.get(name) ?? fits(name.toLowerCase());

			known.set(name, fit);
			return fit;
		};
	}

	/** How much of what is zoomed to, or of the label, is in calls that were found, each once. */
	private share({ of, standing, sum }: Weight, matches: (name: string) => boolean): string {
		const { tree, name } = this.calls;
		const label = this.label();
		const whole = this.store.state.shape === "calls" ? this.zoom : label === NONE ? ROOT : tree.ofLabel(label);
		const where = new Uint8Array(tree.n);
		const found = new Sum(0);

		for (let node = whole; node < tree.n; node++) {
			const around = node === whole ? Where.IN_VIEW : where[tree.parent[node]];
			const first = around === Where.IN_VIEW && tree.row(node) !== NONE && matches(name(node));

			where[node] = first ? Where.FOUND : around;
			if (first)
				found.add(of[node], standing(node, false));
		}
		return found.value ? `found: ${shareText(found, sum(whole))}` : "nothing found";
	}

	private table(find: string): void {
		const sheet = this.sheet!;
		const column = this.column(this.sort);

		this.order = sortRows(filterRows(sheet, filterOf(this.store.profile, sheet, find).fits), column, this.mode(), this.descending);
		this.grid.show({
			rows: sheet, order: this.order, mode: this.mode(),
			sort: column.key, descending: this.descending, selected: this.row(),
		});
	}

	/** The row of the function that is looked at. */
	private row(): number {
		const of = this.calls.names.row(this.store.state.of);
		const { n, of: at } = this.sheet!;

		return of === undefined ? NONE : [...Array(n).keys()].find((row) => at(row) === of) ?? NONE;
	}

	private column(key: string): ColumnSpec {
		const { columns } = this.sheet!;

		return columns.find((column) => column.key === key) ?? columns[1];
	}

	private sortBy(key: string): void {
		this.descending = this.sort === key ? !this.descending : this.column(key).kind !== "text";
		this.sort = key;
		this.draw();
	}
}

export class SamplesView extends CallsView {
	constructor(store: Store) {
		super(store, callsOf(store.profile, "samples")!, "samples", "Samples", pace(store.profile.recording));
	}
}

export class SpansView extends CallsView {
	constructor(store: Store) {
		super(store, callsOf(store.profile, "spans")!, "spans", "Spans");
	}
}

export const hasSamples = ({ samples }: Profile): boolean => samples !== null;
export const hasSpans = ({ spans }: Profile): boolean => spans !== null;
