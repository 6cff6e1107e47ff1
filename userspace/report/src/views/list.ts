// SPDX-License-Identifier: GPL-2.0
/* A list of one kind of things that took long at a time: of all the reader's rows, or of those made of what is chosen. */

import { filterOf, leftOf } from "../conditions";
import { Column } from "../decode";
import { h } from "../dom";
import { ColumnSpec, Sheet } from "../figures";
import * as format from "../format";
import { sortRows } from "../order";
import { Durations, durationsOf, Part } from "../durations";
import { NONE } from "../profile";
import { State, Store } from "../store";
import { choice } from "../widgets";
import { columnsMenu } from "./columns-menu";
import { COLUMN_KEYS, Grid } from "./grid";
import { copyButton, FILTER, filterRows, tsv } from "./table";

/** What the words of the table stand for, in the order of the choice. */
const KINDS: [string, string][] = [
	["lifetime", "Lifetimes"], ["held", "Held"], ["ready", "Ready"], ["awaiting", "Awaiting"],
	["suspended", "Suspended"], ["blocked", "Blocked"], ["running", "Running"], ["span", "Spans"],
];

/** Those that there are any of. */
function kindsOf(what: Column): [string, string][] {
	const there = new Set(Array.from(what.index, (_, row) => what.words(row)));

	return KINDS.filter(([kind]) => there.has(kind));
}

/** A table of what is chosen is made when that has stayed for so long, in ms. */
const STAYS = 120;

/** What a list shows: rows of one kind. */
export interface Content {
	sheet: Sheet;
	/** Those of that kind. */
	there(row: number): boolean;
}

/** Rows of one kind of a described table. */
export abstract class ListView {
	readonly element: HTMLElement;
	protected order: Uint32Array = new Uint32Array();
	/** How many there would be without a filter. */
	protected unfiltered = 0;
	protected toolbar: HTMLElement;
	protected note = h("p", { class: "list-note" });
	/** Of what is chosen; null: of all. Made when it is first looked at. */
	protected durations: Durations | null = null;
	private content: Content | null = null;
	private made = "";
	private grid: Grid;
	protected chosen = NONE;
	private stale = true;
	private waiting = 0;
	private found = h("span", { class: "found", attrs: { role: "status" } });
	private filter: HTMLInputElement;
	private kinds: [string, string][];
	private copied = copyButton(() => ({ rows: this.order.length, tsv: tsv(this.sheet, this.order, "total", this.store.state) }));

	constructor(protected store: Store, protected what: Column, protected whole: Sheet, private id: string, title: string, private first: string) {
		this.kinds = kindsOf(what);
		this.grid = new Grid(store, {
			sort: (column) => this.sortBy(column),
			select: (row) => this.select(row),
			open: (row) => this.select(row),
			up: () => store.set({ selected: null }),
			copy: () => this.copied.copy(),
		}, `${id}-grid-keys`);
		this.filter = h("input", {
			class: "filter",
			title: FILTER, attrs: { type: "search", placeholder: "Filter", "aria-label": "Filter rows", spellcheck: "false" },
			on: { input: () => store.set({ filter: this.filter.value }) },
		});
		this.toolbar = h("div", { class: "toolbar" },
			choice(store, "what", "Kind of length", this.kinds, (what) => ({ what }), `choice-what-${id}`),
			this.filter, this.found, h("span", { class: "spring" }),
			h("span", { class: "tools" }, columnsMenu(store, () => this.sheet.columns), this.copied.element));
		this.element = h("section", { class: `view list-view ${id}-view`, attrs: { "aria-label": title } },
			this.toolbar, this.note, this.grid.element,
			h("p", { class: "hidden", attrs: { id: `${id}-grid-keys` } },
				"Arrow keys move and select, S sorts by the column, Escape selects nothing. " + COLUMN_KEYS));
	}

	/** What it is of: all that is chosen, or a part of that. */
	protected abstract part(state: State): Part | null;
	protected abstract contentOf(durations: Durations | null): Content;
	/** A click on a row. */
	protected abstract pick(row: number): void;

	/** Of the kind asked for, or of the first there is. */
	protected kind(): string {
		const { what } = this.store.state;

		return this.kinds.some(([kind]) => kind === what) ? what : this.kinds[0][0];
	}

	/** What nobody looks at is not drawn; and not at each step of a zoom. */
	protected update({ view }: State, changed: Set<keyof State>): void {
		const other = ["from", "to", "selected", "only", "listed"].some((key) => changed.has(key as keyof State));

		this.stale ||= other || ["what", "ranked", "held", "filter"].some((key) => changed.has(key as keyof State));
		clearTimeout(this.waiting);
		if (!this.stale || view !== this.id)
			return;
		if (other && !changed.has("view"))
			this.waiting = window.setTimeout(() => this.draw(), STAYS);
		else
			this.draw();
	}

	private get sheet(): Sheet {
		return this.content?.sheet ?? this.whole;
	}

	private column(): ColumnSpec {
		const { sheet: { columns } } = this;

		return columns.find(({ key }) => key === this.store.state.ranked.replace(/^-/, "")) ?? columns.find(({ key }) => key === this.first)!;
	}

	/** Again only if what is chosen is another, or the kind is. */
	private make(): void {
		const part = this.part(this.store.state);
		const durations = part && durationsOf(this.store.profile, part);

		if (this.content && durations === this.durations && this.made === this.kind())
			return;
		this.durations = durations;
		this.made = this.kind();
		this.content = this.contentOf(durations);
	}

	protected draw(): void {
		const { filter } = this.store.state;

		clearTimeout(this.waiting);
		this.stale = false;
		if (this.filter.value !== filter)
			this.filter.value = filter;
		this.make();
		const { sheet, there } = this.content!;
		const column = this.column();
		const asked = filterOf(this.store.profile, sheet, filter);
		const all = filterRows(sheet, there);

		this.unfiltered = all.length;
		this.order = sortRows(all.filter(asked.fits), column, "total", this.descending);
		this.found.textContent = this.found.title = leftOf(format.full(this.order.length), format.full(all.length), filter, asked);
		this.grid.show({
			rows: sheet, all: all.length, order: this.order, mode: "total", sort: column.key, descending: this.descending, selected: this.chosen,
		});
	}

	/** Of what the other list is sorted by, and this has not, the largest are first. */
	private get descending(): boolean {
		const { ranked } = this.store.state;

		return ranked.replace(/^-/, "") !== this.column().key || ranked.startsWith("-");
	}

	private sortBy(key: string): void {
		const text = this.sheet.columns.find((column) => column.key === key)?.kind === "text";
		const descending = this.column().key === key ? !this.descending : !text;

		this.store.set({ ranked: `${descending ? "-" : ""}${key}` });
	}

	private select(row: number): void {
		this.chosen = row;
		this.pick(row);
		this.draw();
	}
}
