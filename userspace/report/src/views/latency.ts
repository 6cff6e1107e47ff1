// SPDX-License-Identifier: GPL-2.0
/*
 * How long things took: by label and span, and the longest of them one by one. Both
 * show what the reader says of one kind at a time: slices, waits, lifetimes.
 */

import { labelName } from "../columns";
import { foreign, h, replace } from "../dom";
import { columnOf, ColumnSpec, figureColumn, Sheet, textColumn } from "../figures";
import * as format from "../format";
import { Column } from "../decode";
import { NONE, Profile } from "../profile";
import { spread } from "../spread";
import { State, Store } from "../store";
import { choice, menu } from "../widgets";
import { columnsMenu } from "./columns-menu";
import { COLUMN_KEYS, Grid } from "./grid";
import { filterOf, leftOf } from "../conditions";
import { copyButton, FILTER, filterRows, sortRows, tsv } from "./table";

/** What the words of the table stand for, in the order of the choice. */
const KINDS: [string, string][] = [
	["lifetime", "Lifetimes"], ["held", "Slices"], ["ready", "Ready"], ["awaiting", "Awaiting"],
	["suspended", "Suspended"], ["blocked", "Blocked"], ["running", "Running"], ["span", "Spans"],
];

/** Those that there are any of. */
function kindsOf(what: Column): [string, string][] {
	const there = new Set(Array.from(what.index, (_, row) => what.words(row)));

	return KINDS.filter(([kind]) => there.has(kind));
}

/** Rows of one kind of a described table. */
class ListView {
	readonly element: HTMLElement;
	protected order: Uint32Array = new Uint32Array();
	protected toolbar: HTMLElement;
	protected note = h("p", { class: "list-note" });
	private grid: Grid;
	private sort = "";
	private descending = true;
	private chosen = NONE;
	private stale = true;
	private found = h("span", { class: "found", attrs: { role: "status" } });
	private filter: HTMLInputElement;
	private kinds: [string, string][];
	private copied = copyButton(() => ({ rows: this.order.length, tsv: tsv(this.sheet, this.order, "total", this.store.state) }));

	constructor(protected store: Store, private what: Column, private sheet: Sheet, private id: string, title: string,
		private first: string, private pick: (row: number) => void) {
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
			choice(store, "what", "What took long", this.kinds, (what) => ({ what }), `choice-what-${id}`),
			this.filter, this.found, h("span", { class: "spring" }),
			columnsMenu(store, () => this.sheet.columns), this.copied.element);
		this.element = h("section", { class: `view list-view ${id}-view`, attrs: { "aria-label": title } },
			this.toolbar, this.note, this.grid.element,
			h("p", { class: "hidden", attrs: { id: `${id}-grid-keys` } },
				"Arrow keys move and select, S sorts by the column, Escape selects nothing. " + COLUMN_KEYS));
	}

	/** Of the kind asked for, or of the first there is. */
	protected kind(): string {
		const { what } = this.store.state;

		return this.kinds.some(([kind]) => kind === what) ? what : this.kinds[0][0];
	}

	/** What nobody looks at is not drawn. */
	protected update({ view }: State, changed: Set<keyof State>): void {
		this.stale ||= ["what", "filter"].some((key) => changed.has(key as keyof State));
		if (this.stale && view === this.id)
			this.draw();
	}

	private column(): ColumnSpec {
		const { columns } = this.sheet;

		return columns.find(({ key }) => key === this.sort) ?? columns.find(({ key }) => key === this.first)!;
	}

	protected draw(): void {
		const { filter } = this.store.state;
		const kind = this.kind();
		const column = this.column();

		this.stale = false;
		if (this.filter.value !== filter)
			this.filter.value = filter;
		const asked = filterOf(this.store.profile, this.sheet, filter);
		const all = filterRows(this.sheet, (row) => this.what.words(row) === kind);

		this.order = sortRows(this.sheet.n, all.filter(asked.fits), column, "total", this.descending);
		this.found.textContent = leftOf(format.full(this.order.length), format.full(all.length), filter, asked);
		this.grid.show({
			rows: this.sheet, order: this.order, mode: "total", sort: column.key, descending: this.descending, selected: this.chosen,
		});
	}

	private sortBy(key: string): void {
		const before = this.column().key;

		this.sort = key;
		this.descending = before === key ? !this.descending : this.column().kind !== "text";
		this.draw();
	}

	private select(row: number): void {
		this.chosen = row;
		this.pick(row);
		this.draw();
	}
}

/* ------------------------------------------------------------------------
 * by label and span
 */

/** What the description says of one word: "running, held: ...; blocked: ...". */
function saidOf({ is }: Column, word: string): string {
	return is.says.split("; ").find((part) => part.split(":")[0].split(", ").includes(word)) ?? "";
}

/** The name of a label or a span. */
function nameOf(profile: Profile): (row: number) => string {
	const { latency: { label, span } } = profile;
	const spans = profile.tables.table("spans");

	return (row) => label[row] === NONE ? spans.title(span[row]) : labelName(profile, label[row]);
}

function spreadColumn({ latency }: Profile): ColumnSpec {
	const { p50, p90, p99, longest } = latency;
	/* One scale for all: shorter bars are shorter times. */
	const least = p50.reduce((a, b) => Math.min(a, b), Infinity);
	const most = longest.reduce((a, b) => Math.max(a, b), 1);

	return {
		key: "spread", title: "spread", kind: "bar", width: 150,
		says: "From left to right, on a scale of powers of ten that all rows have: half, 90 % (line) and 99 % of them are below, and the longest (end of the thin line)",
		figure: (row) => p99[row] / p50[row],
		show: () => "",
		plain: (row) => (p99[row] / p50[row]).toFixed(2),
		draw: (row) => spread([p50[row], p90[row], p99[row], longest[row]], least, most),
		tip: (row) => ({ head: "spread", rows: ([["50 % below", p50], ["90 % below", p90], ["99 % below", p99], ["longest", longest]] as
			[string, Float64Array][]).map(([name, figures]) => [name, format.time(figures[row])]) }),
	};
}

function latencySheet(profile: Profile): Sheet {
	const { latency } = profile;
	const name = nameOf(profile);
	const instead = ["what", "label", "span"];

	return {
		n: latency.n, name, table: latency.table, label: (row) => latency.label[row],
		haystack: (row) => name(row).toLowerCase(),
		columns: [textColumn("name", "label or span", "", 260, name), spreadColumn(profile),
			...latency.table.columns.filter(({ is }) => is.shown && !instead.includes(is.name))
				.map((column) => columnOf(profile, column, null))],
	};
}

export class LatencyView extends ListView {
	constructor(store: Store) {
		const { latency } = store.profile;

		super(store, latency.table.column("what"), latencySheet(store.profile), "latency", "Latency", "p99", (row) => {
			if (latency.label[row] === NONE)
				store.set({ find: nameOf(store.profile)(row) });
			else
				store.select("label", latency.label[row]);
		});
		store.watch((state, changed) => this.update(state, changed));
	}

	protected draw(): void {
		super.draw();
		this.note.textContent = saidOf(this.store.profile.latency.table.column("what"), this.kind());
	}
}

/* ------------------------------------------------------------------------
 * one by one
 */

function longestSheet(profile: Profile): Sheet {
	const { worst, coroutines } = profile;
	const instead = ["what", "label", "id", "coroutine", "took"];
	const name = (row: number) => worst.coroutine[row] === NONE ? `${labelName(profile, worst.label[row])} #${worst.id[row]}`
		: coroutines.table.title(worst.coroutine[row]);

	return {
		n: worst.n, name, table: worst.table, label: (row) => worst.label[row],
		haystack: (row) => `${name(row)} ${labelName(profile, worst.label[row])}`.toLowerCase(),
		columns: [textColumn("name", "coroutine", "", 260, name), figureColumn(worst.table.column("took")),
			...worst.table.columns.filter(({ is }) => is.shown && !instead.includes(is.name))
				.map((column) => columnOf(profile, column, null))],
	};
}

/** Columns of labels that count slices which held their thread for long. */
const HELD = /^held_/;

export class LongestView extends ListView {
	private threshold = "held_1ms";

	constructor(store: Store) {
		const { worst } = store.profile;

		super(store, worst.table.column("what"), longestSheet(store.profile), "longest", "Longest", "took", (row) =>
			store.goTo(worst.coroutine[row] === NONE ? { kind: "label", index: worst.label[row] }
				: { kind: "coroutine", index: worst.coroutine[row] }, worst.begin[row], worst.end[row]));
		store.watch((state, changed) => this.update(state, changed));
	}

	protected draw(): void {
		super.draw();
		this.note.hidden = this.kind() !== "held";
		if (!this.note.hidden)
			replace(this.note, ...this.counted());
	}

	/** "Slices that held their thread for 1 ms or longer: 37, of 8 labels": how many there are, of which. */
	private counted(): Node[] {
		const { labels } = this.store.profile;
		const columns = labels.table.columns.filter(({ is }) => HELD.test(is.name));
		const { figures } = labels.table.column(this.threshold);
		const those = [...figures.keys()].filter((label) => figures[label] > 0).sort((a, b) => figures[b] - figures[a]);
		const all = those.reduce((sum, label) => sum + figures[label], 0);
		const at = menu("Threshold", columns.map(({ is }) => [is.name, is.title.replace("held ", "")]), (name) => {
			this.threshold = name;
			this.draw();
		});

		at.value = this.threshold;
		return [document.createTextNode("Slices that held their thread for "), at,
			document.createTextNode(` or longer: ${format.full(all)}${all ? `, of ${format.plural(those.length, "label")}: ` : ""}`),
			...those.slice(0, 8).flatMap((label) => [h("button", {
				class: "link", attrs: { type: "button" }, on: { click: () => this.store.select("label", label) },
			}, foreign(labelName(this.store.profile, label))), document.createTextNode(` ${format.full(figures[label])} `)])];
	}
}

/** Totals have neither. */
export const hasLatency = ({ worst, latency }: Profile): boolean => worst.n > 0 && latency.n > 0;
