// SPDX-License-Identifier: GPL-2.0
/* The table view: what to group by, what to show, the filter, and the grid. */

import { labelName, makeRows, Rows } from "../columns";
import { Filter, filterOf, leftOf } from "../conditions";
import { foreign, h, replace } from "../dom";
import { ColumnSpec, Sheet } from "../figures";
import * as format from "../format";
import { laidOut } from "../layout";
import { sortRows } from "../order";
import { keepsOf } from "../scope";
import { isThreadSlot, isToolRow, NONE, Profile } from "../profile";
import { Grouping, Mode, State, Store } from "../store";
import { choice, toClipboard } from "../widgets";
import { cutting, prepareRows, windowRows } from "../window";
import { otherLabel } from "./beside";
import { columnsMenu } from "./columns-menu";
import { COLUMN_KEYS, Grid, ROW_HEIGHT } from "./grid";

const GROUPINGS: [Grouping, string][] = [["label", "Labels"], ["coroutine", "Coroutines"], ["thread", "Threads"]];
const MODES: [Mode, string][] = [["total", "Total"], ["slice", "Per slice"], ["share", "Share"]];

/** Whether a text has all words of what is looked for. */
export function matcher(filter: string): (text: string) => boolean {
	const words = filter.toLowerCase().split(/\s+/).filter(Boolean);

	return (text) => words.every((word) => text.includes(word));
}

/** What a filter takes, for those who point at it. */
export const FILTER = 'Words that rows have, or COLUMN=PATTERN with * ? [...], of any column: tag=7 process=server* "label=GET /heavy". ' +
	"The timeline shows the threads, or coroutines, that fit the columns";

/** Rows to @keep. */
export function filterRows(rows: Sheet, keep: (row: number) => boolean): Uint32Array {
	const found = new Uint32Array(rows.n);
	let nr = 0;

	for (let row = 0; row < rows.n; row++)
		if (keep(row))
			found[nr++] = row;
	return found.slice(0, nr);
}

/** Whether a row is of the label looked into, and of what all is kept to. */
function inside(profile: Profile, rows: Rows, { within, only }: State): (row: number) => boolean {
	const { coroutines } = profile;
	const { [rows.by]: keeps } = keepsOf(profile, only);

	return (row) => keeps(row) && !isToolRow(profile, rows.by, row) && !(rows.by === "coroutine" && within !== NONE && coroutines.label[row] !== within);
}

/** How many rows count, as in text: threads' own, among those of coroutines, are no coroutines. */
function coroutinesOf(profile: Profile, { by }: Rows, order: Uint32Array): number {
	let threads = 0;

	for (let at = 0; by === "coroutine" && at < order.length; at++)
		threads += +isThreadSlot(profile, order[at]);
	return order.length - threads;
}

/** Of the columns that are shown, as they stand. */
export function tsv(rows: Sheet, order: Uint32Array, mode: Mode, kept: State): string {
	const columns = laidOut(rows.columns, kept);
	const clean = (text: string) => text.replace(/[\t\r\n]/g, " ");
	const header = columns.flatMap((column) =>
		column.standing ? [column.title, `${column.title} (standing)`] : [column.title]);
	const lines = [header.map(clean).join("\t")];

	for (const row of order)
		lines.push(columns.flatMap((column) =>
			column.standing ? [column.plain(row, mode), column.standing(row, mode)] : [column.plain(row, mode)],
		).map(clean).join("\t"));
	return lines.join("\n") + "\n";
}

/** A button that copies what @text gives: so many rows, as tab separated values. */
export function copyButton(text: () => { rows: number; tsv: string }): { element: HTMLElement; copy(): Promise<void> } {
	const element = h("button", { class: "quiet", attrs: { type: "button" },
		title: "Copy the rows and columns of this table, all that are not hidden, as tab separated values", on: { click: () => copy() } }, "Copy TSV");
	const copy = async () => {
		const { rows, tsv } = text();

		element.textContent = await toClipboard(tsv) ? `Copied ${format.plural(rows, "row")}` : "Copying was refused";
		setTimeout(() => { element.textContent = "Copy TSV"; }, 2000);
	};

	return { element, copy };
}

/** A table of what is chosen is made when that has stayed for so long, in ms. */
const STAYS = 120;
/** So many rows have room in the overview, if there are so many of anything. */
const ROWS_LEAST = 8;

export class TableView {
	readonly element: HTMLElement;
	private all: Record<Grouping, Rows>;
	/** Of what is chosen, where that is a part, and what it was asked for by. */
	private part: Rows | null = null;
	private asked = "";
	private waiting = 0;
	private order: Uint32Array = new Uint32Array();
	private grid: Grid;
	private filter: HTMLInputElement;
	private found = h("span", { class: "found", attrs: { role: "status" } });
	private crumb = h("span", { class: "crumb" });
	private copied = copyButton(() => {
		const { by, mode } = this.store.state;

		return { rows: this.order.length, tsv: tsv(this.rows(by), this.order, mode, this.store.state) };
	});

	constructor(private store: Store) {
		this.all = makeRows(store.profile);
		this.grid = new Grid(store, {
			sort: (column) => this.sort(column),
			select: (row) => store.select(store.state.by, row),
			open: (row) => this.open(row),
			beside: (row) => this.beside(row),
			up: () => this.up(),
			copy: () => this.copied.copy(),
		}, "grid-keys");
		this.filter = h("input", {
			class: "filter",
			title: FILTER,
			attrs: { type: "search", placeholder: "Filter", "aria-label": "Filter rows", spellcheck: "false" },
			on: { input: () => store.set({ filter: this.filter.value }) },
		});
		this.element = h("section", { class: "view table-view", attrs: { "aria-label": "Table" } },
			h("div", { class: "toolbar" },
				choice(store, "by", "Group by", GROUPINGS, (by) => ({ by, within: NONE })),
				choice(store, "mode", "Figures", MODES, (mode) => ({ mode })),
				this.filter, this.crumb, this.found, h("span", { class: "spring" }),
				columnsMenu(store, () => this.rows(store.state.by).columns), this.copied.element),
			this.grid.element,
			h("p", { class: "hidden", attrs: { id: "grid-keys" } },
				"Arrow keys move, S sorts by the column, Enter opens a label, Escape goes back. " + COLUMN_KEYS));
		store.watch((state, changed) => this.update(state, changed));
	}

	private sorting(rows: Rows, key: string): ColumnSpec {
		return rows.columns.find((column) => column.key === key) ??
			rows.columns.find(({ key }) => key === "running")!;
	}

	private rows(by: Grouping): Rows {
		return this.part?.by === by ? this.part : this.all[by];
	}

	/**
	 * What the timeline may have is the rest. It is the same without a filter and with any, and whatever the rows are: what is
	 * chosen here must not move the place where it is chosen.
	 */
	private askRoom(state: State): void {
		const { profile } = this.store;
		const labels = filterRows(this.all.label, inside(profile, this.all.label, state)).length;
		const rows = Math.max(labels, Math.min(ROWS_LEAST, Math.max(profile.coroutines.n, profile.threads.n)));

		document.documentElement.style.setProperty("--table", `${rows * ROW_HEIGHT}px`);
	}

	/** Not at each step of a zoom. */
	private prepare(): void {
		const { state } = this.store;

		prepareRows(this.store, state.by, state);
		this.waiting = window.setTimeout(() => this.cut());
	}

	private cut(): void {
		const { state } = this.store;

		this.element.removeAttribute("aria-busy");
		this.part = windowRows(this.store, this.all[state.by], state);
		this.update(state, new Set(["sort"]));
	}

	private update(state: State, changed: Set<keyof State>): void {
		const { by, from, to, within, only } = state;
		const key = JSON.stringify([by, from, to, within, only, cutting(by, state)]);

		if (this.asked !== key) {
			this.asked = key;
			clearTimeout(this.waiting);
			this.element.setAttribute("aria-busy", "true");
			this.waiting = window.setTimeout(() => this.prepare(), STAYS);
		}
		const rows = this.rows(state.by);
		const column = this.sorting(rows, state.sort);

		if (["by", "filter", "within", "only", "sort", "descending", "mode"].some((key) => changed.has(key as keyof State))) {
			const asked = filterOf(this.store.profile, rows, state.filter);
			const keep = inside(this.store.profile, rows, state);

			this.order = sortRows(filterRows(rows, (row) => keep(row) && asked.fits(row)), column, state.mode, state.descending);
			this.status(state, rows, asked);
			this.askRoom(state);
		} else if (!changed.has("selected")) {
			return;
		}
		if (this.filter.value !== state.filter)
			this.filter.value = state.filter;
		const selected = this.selected(state);

		this.grid.show({
			rows, order: this.order, mode: state.mode,
			sort: column.key, descending: state.descending, selected,
		});
		if (selected !== NONE && changed.has("selected"))
			this.grid.reveal(selected);
	}

	/** The row to mark: among labels, that of a selected coroutine. */
	private selected({ by, selected }: State): number {
		if (by === "label")
			return this.store.selectedLabel();
		return selected?.kind === by ? selected.index : NONE;
	}

	private status(state: State, rows: Rows, asked: Filter): void {
		const { profile } = this.store;
		const folded = profile.recording.folded_coroutines;
		const [shown, all] = [this.order, filterRows(rows, (row) => !isToolRow(profile, rows.by, row))].map((order) => coroutinesOf(profile, rows, order));
		const apart = this.order.length - shown;

		const text = leftOf(format.full(shown), format.full(all), state.filter, asked) +
			(apart ? `; ${format.plural(apart, "thread")} outside coroutines` : "") +
			(rows.by === "coroutine" && folded
				? `; ${format.plural(folded, "more coroutine")} in their label only` : "");

		this.found.textContent = this.found.title = text;
		replace(this.crumb);
		if (rows.by === "coroutine" && state.within !== NONE)
			this.crumb.append("of ", foreign(labelName(this.store.profile, state.within)),
				h("button", { class: "quiet", attrs: { type: "button", "aria-label": "Show all coroutines" },
					on: { click: () => this.store.set({ within: NONE }) } }, "✕"));
	}

	private sort(key: string): void {
		const { state } = this.store;
		const text = this.all[state.by].columns.some((column) => column.key === key && column.kind === "text");

		this.store.set(state.sort === key
			? { descending: !state.descending }
			: { sort: key, descending: !text });
	}

	private open(row: number): void {
		const { by } = this.store.state;

		if (by === "label")
			this.store.set({ by: "coroutine", within: row, filter: "", selected: { kind: "label", index: row } });
		else
			this.store.select(by, row);
	}

	/** Two labels beside each other: that which is selected, and this one; of itself, another one. */
	private beside(row: number): void {
		const { store, store: { state: { by, selected } } } = this;

		if (by !== "label" || store.profile.labels.rank[row] === NONE)
			store.select(by, row);
		else if (selected?.kind === "label" && selected.index !== row && store.profile.labels.rank[selected.index] !== NONE)
			store.set({ view: "beside", beside: row });
		else
			store.set({ view: "beside", selected: { kind: "label", index: row }, beside: otherLabel(store.profile, row) });
	}

	private up(): void {
		const { state } = this.store;

		if (state.by === "coroutine" && state.within !== NONE)
			this.store.set({ by: "label", within: NONE, selected: { kind: "label", index: state.within } });
	}
}
