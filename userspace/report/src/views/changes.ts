// SPDX-License-Identifier: GPL-2.0
/*
 * Two recordings: what differs beside the program, each figure in both, and call
 * trees of both in one flame graph: as wide as the new recording has it, red where
 * a slice of the label takes more of it than in the old one, blue where less.
 */

import { Column, NONE, Table } from "../decode";
import { foreign, h, put, replace, Tip } from "../dom";
import * as format from "../format";
import { Profile } from "../profile";
import { Store } from "../store";

/** Rows of the table at most; CSV has them all. */
const ROWS = 1000;
/** What is narrower than this share of all is not drawn. */
const NARROW = 0.002;
/** A change of so much has the full colour. */
const FULL = 0.5;
const ROW = 20;

export function hasChanges(profile: Profile): boolean {
	return profile.tables.table("compared").n > 0;
}

const signed = (share: number) => (share > 0 ? "+" : "") + format.fixed(100 * share, 1) + "\u202f%";

/** A figure with its mark, in the unit that the row has. */
function figure(column: Column, row: number, time: boolean): string {
	const { mark, value } = format.standing(column.standing(row));

	return value ? mark + (time ? format.time : format.events)(column.figures[row]) : mark;
}

/* ------------------------------------------------------------------------
 * facts
 */

function facts(table: Table): HTMLElement {
	const [name, old, now, differs, matters] = ["name", "old", "new", "differs", "matters"].map((is) => table.column(is));
	const rows = [...Array(table.n).keys()];

	return h("table", { class: "changes facts" }, h("thead", {}, h("tr", {},
		...["", "old", "new"].map((title) => h("th", { attrs: { scope: "col" } }, title)))),
	h("tbody", {}, ...rows.map((row) => h("tr", { class: differs.index[row] && matters.index[row] ? "differs" : "" },
		h("th", { attrs: { scope: "row" } }, name.text[row]),
		...[old, now].map((column) => h("td", {}, foreign(column.text[row] ?? format.na())))))));
}

function caution(table: Table): HTMLElement | null {
	const [name, differs, matters] = ["name", "differs", "matters"].map((is) => table.column(is));
	const names = [...Array(table.n).keys()].filter((row) => differs.index[row] && matters.index[row]).map((row) => name.text[row]);

	return names.length ? h("p", { class: "notice caution" },
		`The recordings differ in ${names.join(", ")}: what follows from that can't be told from a change of the program.`) : null;
}

/* ------------------------------------------------------------------------
 * figures
 */

const SHOWN = { beyond: "beyond noise", all: "all figures" } as const;
const TOLD = ["more", "less", "mixed", "added", "gone"];

class Figures {
	readonly element = h("div", {});
	private columns: Record<string, Column>;

	constructor(private table: Table, private shown: keyof typeof SHOWN = "beyond") {
		this.columns = Object.fromEntries(table.columns.map((column) => [column.is.name, column]));
		this.show();
	}

	private show(): void {
		const all = [...Array(this.table.n).keys()];
		const told = all.filter((row) => TOLD.includes(this.verdict(row)));
		const rows = this.shown === "all" ? all : told;

		replace(this.element, h("div", { class: "toolbar" }, ...Object.entries(SHOWN).map(([key, title]) => h("button", {
			attrs: { type: "button", "aria-pressed": String(this.shown === key) },
			on: { click: () => { this.shown = key as keyof typeof SHOWN; this.show(); } },
		}, `${title} (${key === "all" ? all.length : told.length})`))),
		rows.length ? this.rows(rows.slice(0, ROWS)) : h("p", {}, "No label has changed beyond noise."),
		rows.length > ROWS ? h("p", {}, `and ${format.full(rows.length - ROWS)} more: coroprof-read --diff … --format csv`) : null);
	}

	private verdict(row: number): string {
		const { verdict } = this.columns;

		return verdict.has(row) ? verdict.words(row) : format.na();
	}

	private rows(rows: number[]): HTMLElement {
		const titles = ["name", "in", "figure", "old", "±", "new", "±", "change", "verdict"];

		return h("table", { class: "changes rows" },
			h("thead", {}, h("tr", {}, ...titles.map((title) => h("th", { attrs: { scope: "col" } }, title)))),
			h("tbody", {}, ...rows.map((row) => this.row(row))));
	}

	private row(row: number): HTMLElement {
		const c = this.columns;
		const time = c.unit.words(row) === "ns";
		const verdict = this.verdict(row);
		const numbers = ["old", "old_spread", "new", "new_spread"].map((name) => figure(c[name], row, time));
		const change = c.change.has(row) ? format.standing(c.change.standing(row)).mark + signed(c.change.figures[row]) : format.na();

		return h("tr", { class: `verdict-${verdict.replace("/", "")}`, tip: () => this.tip(row, verdict) },
			...[c.name, c.label].map((column) => h("td", {}, foreign(column.text[row] ?? ""))),
			h("td", {}, c.figure.text[row]), ...[...numbers, change].map((text) => h("td", { class: "number" }, text)),
			h("td", {}, verdict));
	}

	private tip(row: number, verdict: string): Tip {
		const c = this.columns;
		const shown = (column: Column) => column.has(row) ? format.count(column.figures[row]) : format.na();

		return {
			head: `${c.name.text[row]}: ${c.figure.text[row]}`,
			rows: [["coroutines, old", shown(c.old_coroutines)], ["coroutines, new", shown(c.new_coroutines)],
				["p, of all tests", c.p.has(row) ? c.p.figures[row].toPrecision(2) : format.na()], ["verdict", verdict]],
			note: c.why.text[row] ?? c.verdict.is.says,
		};
	}
}

/* ------------------------------------------------------------------------
 * flame graph
 */

class Flame {
	readonly element = h("div", {});
	private below = new Map<number, number[]>();
	private c: Record<string, Column>;
	private zoom = NONE;
	private of: number;

	constructor(table: Table) {
		this.c = Object.fromEntries(table.columns.map((column) => [column.is.name, column]));
		this.of = table.n ? Math.max(...this.c.of.index) : 0;
		for (let row = 0; row < table.n; row++)
			this.below.set(this.c.parent.index[row], [...this.below.get(this.c.parent.index[row]) ?? [], row]);
		this.show();
	}

	/** Of a slice of the label, in the old recording and the new one. */
	private each(row: number): [number, number] {
		const { old_total, new_total, old_slices, new_slices } = this.c;

		return [old_total.figures[row] / (old_slices.figures[row] || 1), new_total.figures[row] / (new_slices.figures[row] || 1)];
	}

	private colour(row: number): string {
		const [old, now] = this.each(row);
		const change = old ? (now - old) / old : now ? FULL : 0;
		const share = Math.round(60 * Math.min(1, Math.abs(change) / FULL));

		return `color-mix(in srgb, var(--${change > 0 ? "bad" : "accent"}) ${share}%, var(--none))`;
	}

	private tip(row: number): Tip {
		const [old, now] = this.each(row);
		const say = this.c.of.words(row) === "samples" ? format.ratio : format.time;

		return {
			head: this.c.name.text[row] ?? "",
			rows: [["old, a slice", say(old)], ["new, a slice", say(now)], ["change", old ? signed((now - old) / old) : format.na()]],
			note: "With all below, divided by the slices of the label.",
		};
	}

	private box(row: number, depth: number, x: number, width: number, into: HTMLElement): void {
		const name = this.c.name.text[row] ?? "";
		const box = h("button", {
			class: "change-box", tip: () => this.tip(row),
			attrs: { type: "button" }, on: { click: () => { this.zoom = row === this.zoom ? this.c.parent.index[row] : row; this.show(); } },
		}, foreign(name));

		Object.assign(box.style, { left: `${100 * x}%`, width: `${100 * width}%`, top: `${depth * ROW}px`, background: this.colour(row) });
		into.append(box);
	}

	/** Returns how many rows that takes. */
	private lay(rows: number[], depth: number, from: number, scale: number, into: HTMLElement): number {
		let x = from;
		let deepest = depth;

		for (const row of [...rows].sort((a, b) => this.c.new_total.figures[b] - this.c.new_total.figures[a])) {
			const width = this.c.new_total.figures[row] * scale;

			if (width < NARROW)
				break;
			this.box(row, depth, x, width, into);
			deepest = Math.max(deepest, this.lay(this.below.get(row) ?? [], depth + 1, x, scale, into));
			x += width;
		}
		return deepest;
	}

	private show(): void {
		const roots = (this.below.get(NONE) ?? []).filter((row) => this.c.of.index[row] === this.of);
		const rows = this.zoom === NONE ? roots : [this.zoom];
		const all = rows.reduce((sum, row) => sum + this.c.new_total.figures[row], 0);
		const boxes = h("div", { class: "change-flame" });

		boxes.style.height = `${ROW * (all ? this.lay(rows, 0, 0, 1 / all, boxes) : 1)}px`;
		replace(this.element, this.choice(), boxes);
	}

	private choice(): HTMLElement {
		const words = this.c.of.is.words!;
		const there = words.map((_, at) => at).filter((at) => this.c.of.index.includes(at));

		return h("div", { class: "toolbar" }, ...there.map((at) => h("button", {
			attrs: { type: "button", "aria-pressed": String(at === this.of) },
			on: { click: () => { this.of = at; this.zoom = NONE; this.show(); } },
		}, words[at] === "spans" ? "spans, by running time" : words[at])),
		h("span", { class: "aside" }, "as wide as in the new recording; red: more of it in a slice than in the old one, blue: less; a click zooms"));
	}
}

export class ChangesView {
	readonly element: HTMLElement;

	constructor({ profile: { tables } }: Store) {
		const [compared, changes, tree] = ["compared", "changes", "change_tree"].map((name) => tables.table(name));

		this.element = h("section", { class: "view changes-view", attrs: { "aria-label": "Changes" } });
		put(this.element, caution(compared), new Figures(changes).element);
		if (tree.n)
			put(this.element, new Flame(tree).element);
		put(this.element, facts(compared));
	}
}
