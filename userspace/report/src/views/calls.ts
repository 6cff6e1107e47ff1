// SPDX-License-Identifier: GPL-2.0
/* The views of samples and of spans: a flame graph of calls, and a table of them. */

import { Calls, pace, sampleCalls, spanCalls, Weight } from "../calls";
import { labelName } from "../columns";
import { h } from "../dom";
import { ColumnSpec, Sheet } from "../figures";
import * as format from "../format";
import { NONE, Profile } from "../profile";
import { Mode, State, Store } from "../store";
import { ROOT } from "../tree";
import { choice, menu } from "../widgets";
import { Flame } from "./flame";
import { Grid } from "./grid";
import { copyButton, filterRows, matcher, sortRows, tsv } from "./table";

const ALL = "all";

/** Of a node, when looking for some: out of view, in view, or found or in one found. */
const Where = { OUT: 0, IN_VIEW: 1, FOUND: 2 } as const;

export class CallsView {
	readonly element: HTMLElement;
	private flame: Flame;
	private grid: Grid;
	private sheet: Sheet | null = null;
	private order: Uint32Array = new Uint32Array();
	private sort: string;
	private descending = true;
	private zoom = ROOT;
	private find: HTMLInputElement;
	private found = h("span", { class: "found", attrs: { role: "status" } });
	private labels: HTMLSelectElement;
	private weights: HTMLSelectElement;
	private copied = copyButton(() => ({ rows: this.order.length, tsv: tsv(this.sheet!, this.order, this.mode()) }));

	constructor(private store: Store, private calls: Calls, id: string, title: string, aside = "") {
		this.sort = calls.sort;
		this.flame = new Flame(store.profile, calls, title, `${id}-keys`, (node) => this.zoomTo(node));
		this.grid = new Grid(store.profile, {
			sort: (column) => this.sortBy(column),
			select: () => {},
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
		this.weights = menu("Weight", calls.weights.map(({ key, title, missing }) =>
			[key, missing ? `${title} (${missing})` : title, !!missing]), (weight) => store.set({ weight }));
		this.element = h("section", { class: `view calls-view ${id}-view`, attrs: { "aria-label": title } },
			this.toolbar(id, aside), this.flame.element, this.grid.element,
			h("p", { class: "hidden", attrs: { id: `${id}-keys` } },
				"Up and down go to the caller and to what weighs most in a call, left and right to its neighbours, " +
				"N to the next one found. Enter zooms to it, Escape goes back, Home shows all."),
			h("p", { class: "hidden", attrs: { id: `${id}-grid-keys` } },
				"Arrow keys move, S sorts by the column, Enter finds the row above, Escape shows all."));
		store.watch((state, changed) => this.update(state, changed));
	}

	private toolbar(id: string, aside: string): HTMLElement {
		const { weights, modes, notes } = this.calls;

		return h("div", { class: "toolbar" }, this.labels, weights.length > 1 ? this.weights : null, this.find, this.found,
			h("span", { class: "spring" }),
			...notes.map((note) => h("span", { class: "badge fair" }, note)),
			aside ? h("span", { class: "aside" }, aside) : null,
			modes.length ? choice(this.store, "mode", "Figures", modes, (mode) => ({ mode }), `choice-mode-${id}`) : null,
			this.copied.element);
	}

	/** Labels with most of the first weight come first. */
	private labelOptions(): [string, string][] {
		const { tree, weights } = this.calls;
		const { of, show } = weights[0];

		return [[ALL, "all coroutines"], ...tree.allLabels().map((label) => tree.ofLabel(label))
			.sort((a, b) => of[b] - of[a] || a - b)
			.map((node): [string, string] => [String(tree.label[node]),
				`${labelName(this.store.profile, tree.label[node])}: ${show(node)}`])];
	}

	private chooseLabel(value: string): void {
		if (value === ALL)
			this.zoomTo(ROOT);
		else
			this.store.select("label", Number(value));
	}

	/** A label is zoomed to by being selected, everything by selecting nothing. */
	private zoomTo(node: number): void {
		const { tree } = this.calls;
		const label = tree.label[node];

		this.zoom = node;
		if (node === ROOT)
			this.store.set({ selected: null });
		else if (label !== NONE && label !== this.store.selectedLabel())
			this.store.select("label", label);
		this.zoom = node;
		this.draw();
	}

	/** The label whose calls are shown, NONE for all. */
	private label(): number {
		const label = this.store.selectedLabel();

		return this.calls.tree.ofLabel(label) === NONE ? NONE : label;
	}

	private weight(): Weight {
		const { weights } = this.calls;

		return weights.find(({ key, missing }) => key === this.store.state.weight && !missing) ?? weights[0];
	}

	private mode(): Mode {
		const { mode } = this.store.state;

		return this.calls.modes.some(([value]) => value === mode) ? mode : "total";
	}

	private update(_: State, changed: Set<keyof State>): void {
		if (!this.sheet || changed.has("selected")) {
			const label = this.label();

			this.sheet = this.calls.sheet(label);
			this.labels.value = label === NONE ? ALL : String(label);
			this.zoom = label === NONE ? ROOT : this.calls.tree.ofLabel(label);
		}
		if (["selected", "find", "weight", "mode"].some((key) => changed.has(key as keyof State)))
			this.draw();
	}

	private draw(): void {
		const { find } = this.store.state;
		const weight = this.weight();
		const matches = this.matches(find);

		if (this.find.value !== find)
			this.find.value = find;
		this.weights.value = weight.key;
		this.flame.show({ weight, zoom: this.zoom, matches });
		this.found.textContent = matches ? this.share(weight, matches) : "";
		this.table(find);
	}

	private matches(find: string): ((node: number) => boolean) | null {
		const { tree } = this.calls;

		if (!find.trim())
			return null;
		const fits = matcher(find);
		const known = new Map<string, boolean>();

		return (node) => {
			const name = this.calls.name(node);
			let fit = known.get(name);

			if (fit === undefined) {
				fit = tree.row(node) !== NONE && fits(name.toLowerCase());
				known.set(name, fit);
			}
			return fit;
		};
	}

	/** How much of what is zoomed to is in calls that were found, each once. */
	private share({ of }: Weight, matches: (node: number) => boolean): string {
		const { tree } = this.calls;
		const where = new Uint8Array(tree.n);
		let sum = 0;

		for (let node = this.zoom; node < tree.n; node++) {
			const around = node === this.zoom ? Where.IN_VIEW : where[tree.parent[node]];
			const first = around === Where.IN_VIEW && matches(node);

			where[node] = first ? Where.FOUND : around;
			sum += first ? of[node] || 0 : 0;
		}
		return sum ? `found: ${format.share(sum / of[this.zoom])}` : "nothing found";
	}

	private table(find: string): void {
		const sheet = this.sheet!;
		const column = this.column(this.sort);

		this.order = sortRows(sheet.n, filterRows(sheet, find, () => true), column, this.mode(), this.descending);
		this.grid.show({
			rows: sheet, order: this.order, mode: this.mode(),
			sort: column.key, descending: this.descending, selected: NONE,
		});
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
		super(store, sampleCalls(store.profile), "samples", "Samples", pace(store.profile.recording));
	}
}

export class SpansView extends CallsView {
	constructor(store: Store) {
		super(store, spanCalls(store.profile), "spans", "Spans");
	}
}

export const hasSamples = ({ samples }: Profile): boolean => samples !== null;
export const hasSpans = ({ spans }: Profile): boolean => spans !== null;
