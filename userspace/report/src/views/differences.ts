// SPDX-License-Identifier: GPL-2.0
/*
 * What differs between two sides: a table of figures, each of both, and call trees of
 * both in one flame graph: as wide as the second has it, red where it takes more of
 * it than the first one, blue where less.
 */

import { Column, NONE, Table } from "../decode";
import { foreign, h, replace, Tip } from "../dom";
import * as format from "../format";
import { visible } from "../spell";
import { combined, COUNTED } from "../standings";

/** What both are called, by columns and by people; of what a box of the flame graph is reported; and the rest of what is said. */
export interface Sides {
	names: [string, string];
	/** What people are reported of both, if not that. */
	called?: [string, string];
	each: string;
	/** What the flame graph is of, if not of a label. */
	whole?: string;
	/** Verdicts that are shown at first. */
	reported: string[];
	none: string;
	more: string;
	graph: string;
}

/** Rows of the table at most; CSV has them all. */
const ROWS = 1000;
/** What is narrower than this share of all is not drawn. */
const NARROW = 0.002;
/** A change of so much has the full colour. */
const FULL = 0.5;
const ROW = 20;


function nameIn({ text }: Column, row: number): string {
	return text[row] === null ? "" : visible(text[row]);
}

/** A figure with its mark, in the unit that the row has. */
function figure(column: Column, row: number, time: boolean): string {
	const { mark, value } = format.standing(column.standing(row));

	const number = column.figures[row];

	/* As in text: a mean of few is reported with its fraction. */
	return value ? mark + (time ? format.time : number < 1000 ? format.ratio : format.events)(number) : mark;
}

/* ------------------------------------------------------------------------
 * figures
 */

const SHOWN = { beyond: "beyond noise", all: "all figures" } as const;
export class Figures {
	readonly element = h("div", {});
	private columns: Record<string, Column>;

	/** @param answers What has changed in words, a row a label: its figures are folded below that, and all of it comes first. */
	constructor(private table: Table, private sides: Sides, private shown: keyof typeof SHOWN = "beyond", private answers: Table | null = null) {
		this.columns = Object.fromEntries(table.columns.map((column) => [column.is.name, column]));
		if (this.untold())
			this.shown = "all";
		this.show();
	}

	private show(): void {
		const all = [...Array(this.table.n).keys()];
		const reported = all.filter((row) => this.sides.reported.includes(this.verdict(row)));
		const rows = this.shown === "all" ? all : reported;

		const { answers } = this;

		replace(this.element, answers && this.folded(this.shown === "beyond" ? reported : [], answers), h("div", { class: "toolbar" }, ...Object.entries(SHOWN).map(([key, title]) => h("button", {
			attrs: { type: "button", "aria-pressed": String(this.shown === key) },
			on: { click: () => { this.shown = key as keyof typeof SHOWN; this.show(); } },
		}, `${title} (${key === "all" ? all.length : this.untold() ? format.na() : reported.length})`))),
		this.untold() ? h("p", {}, `Whether they differ beyond noise is not known: ${this.columns.why.text.find(Boolean) ?? "too little was recorded"}.`) : null,
		answers && reported.length && this.shown === "beyond" ? null : rows.length ? this.rows(rows.slice(0, ROWS)) : this.untold() ? null : h("p", {}, this.sides.none),
		rows.length > ROWS ? h("p", {}, `and ${format.full(rows.length - ROWS)} more: ${this.sides.more}`) : null);
	}

	/** There are figures, and of none is it known whether it is noise. */
	private untold(): boolean {
		return this.table.n > 0 && ![...Array(this.table.n).keys()].some((row) => this.columns.verdict.has(row));
	}

	private verdict(row: number): string {
		const { verdict } = this.columns;

		return verdict.has(row) ? verdict.words(row) : format.na();
	}

	/** Labels in the order of the answers, as the reader ranks them. */
	private folded(rows: number[], answers: Table): HTMLElement {
		const [text, name] = [answers.column("text"), answers.column("name")];
		const of = (row: number) => this.columns.label.text[row] ?? this.columns.name.text[row];

		return h("ol", { class: "answers" }, ...[...Array(answers.n).keys()].map((answer) => {
			const said = foreign(text.text[answer] ?? "");
			const figures = rows.filter((row) => of(row) === name.text[answer]);

			return h("li", {}, figures.length ? h("details", {}, h("summary", {}, said), this.rows(figures)) : said);
		}));
	}

	private rows(rows: number[]): HTMLElement {
		const [first, second] = this.sides.names;
		const titles = ["name", "in", "figure", first, "±", second, "±", "change", "verdict"];

		return h("table", { class: "changes rows" },
			h("thead", {}, h("tr", {}, ...titles.map((title) => h("th", { attrs: { scope: "col" } }, title)))),
			h("tbody", {}, ...rows.map((row) => this.row(row))));
	}

	private row(row: number): HTMLElement {
		const c = this.columns;
		const time = c.unit.words(row) === "ns";
		const verdict = this.verdict(row);
		const numbers = this.sides.names.flatMap((name) => [name, `${name}_spread`]).map((name) => figure(c[name], row, time));
		const change = c.change.has(row) ? format.standing(c.change.standing(row)).mark + format.change(c.change.figures[row]) : format.na();

		return h("tr", { class: `verdict-${verdict.replace(/\W/g, "")}`, tip: () => this.tip(row, verdict) },
			...[c.name, c.label].map((column) => h("td", {}, foreign(nameIn(column, row)))),
			h("td", {}, c.figure.text[row]), ...[...numbers, change].map((text) => h("td", { class: "number" }, text)),
			h("td", {}, verdict));
	}

	private tip(row: number, verdict: string): Tip {
		const c = this.columns;
		const shown = (column: Column) => column.has(row) ? format.count(column.figures[row]) : format.na();

		return {
			head: `${nameIn(c.name, row)}: ${c.figure.text[row]}`,
			rows: [...this.sides.names.map((name): [string, string] => [`coroutines, ${name}`, shown(c[`${name}_coroutines`])]),
				["p, of all tests", c.p.has(row) ? c.p.figures[row].toPrecision(2) : format.na()], ["verdict", verdict]],
			note: c.why.text[row] ?? c.verdict.is.says,
		};
	}
}

/* ------------------------------------------------------------------------
 * flame graph
 */

const LOST = " Some of it was lost: there may be more of it on either side.";

export class Flame {
	readonly element = h("div", {});
	private below = new Map<number, number[]>();
	private c: Record<string, Column>;
	private zoom = NONE;
	private of: number;

	constructor(table: Table, private sides: Sides) {
		this.c = Object.fromEntries(table.columns.map((column) => [column.is.name, column]));
		this.of = table.n ? Math.max(...this.c.of.index) : 0;
		for (let row = 0; row < table.n; row++)
			this.below.set(this.c.parent.index[row], [...this.below.get(this.c.parent.index[row]) ?? [], row]);
		this.show();
	}

	private cell(row: number, side: 0 | 1, what: string): number {
		return this.c[`${this.sides.names[side]}_${what}`].figures[row];
	}

	/** Of one, on both sides. */
	private each(row: number): [number, number] {
		const of = (side: 0 | 1) => this.cell(row, side, "total") / (this.cell(row, side, "slices") || 1);

		return [of(0), of(1)];
	}

	private standing(row: number, side: 0 | 1): number {
		const [total, slices] = ["total", "slices"].map((what) => this.c[`${this.sides.names[side]}_${what}`].standing(row));

		return combined("quotient", total, slices);
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
		const standings = ([0, 1] as const).map((side) => this.standing(row, side));

		return {
			head: nameIn(this.c.name, row),
			rows: [...(this.sides.called ?? this.sides.names).map((name, side): [string, string] => [`${name}, a ${this.sides.each}`, format.marked(standings[side], [old, now][side], say)]),
				["change", old ? format.marked(combined("change", standings[1], standings[0]), (now - old) / old, format.change) : format.na()]],
			note: `With all below, for each ${this.sides.each} of ${this.sides.whole ?? "the label"}.${standings.some((of) => of !== COUNTED) ? LOST : ""}`,
		};
	}

	private box(row: number, depth: number, x: number, width: number, into: HTMLElement): void {
		const name = nameIn(this.c.name, row);
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

		for (const row of [...rows].sort((a, b) => this.cell(b, 1, "total") - this.cell(a, 1, "total"))) {
			const width = this.cell(row, 1, "total") * scale;

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
		const all = rows.reduce((sum, row) => sum + this.cell(row, 1, "total"), 0);
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
		h("span", { class: "aside" }, this.sides.graph));
	}
}
