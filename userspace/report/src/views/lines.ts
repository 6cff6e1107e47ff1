// SPDX-License-Identifier: GPL-2.0
/* Source lines of the function that is looked at: a table that can be sorted. */

import { Calls } from "../calls";
import { foreign, h, replace } from "../dom";
import * as format from "../format";
import { CallLine } from "../lines";
import { section } from "../widgets";

const SHOWN = 12;

type Key = "source" | "own" | "total";

const COLUMNS: [Key, string, string][] = [
	["source", "source", "the line, by debug information"],
	["own", "own", "samples taken in it"],
	["total", "total", "samples with it on the stack, each once"],
];

/** Lines of a file in their order; of figures, the largest first. */
const FORWARD: Record<Key, (a: CallLine, b: CallLine) => number> = {
	source: (a, b) => (a.file < b.file ? -1 : +(a.file > b.file)) || a.line - b.line,
	own: (a, b) => b.own - a.own || b.total - a.total,
	total: (a, b) => b.total - a.total || b.own - a.own,
};

class LinesTable {
	readonly element = h("div", {});
	private key: Key = "own";
	private backward = false;
	private all = false;

	constructor(private lines: CallLine[]) {
		this.draw();
	}

	private draw(): void {
		const { key, backward, all } = this;
		const rows = [...this.lines].sort((a, b) => (backward ? -1 : 1) * FORWARD[key](a, b) || FORWARD.source(a, b));
		const more = rows.length - SHOWN;

		replace(this.element, h("table", { class: "figures of-function of-lines" },
			h("thead", {}, h("tr", {}, ...COLUMNS.map((column) => this.head(...column)))),
			h("tbody", {}, ...(all ? rows : rows.slice(0, SHOWN)).map((line) => this.row(line)))),
		more > 0 && h("button", {
			class: "link", attrs: { type: "button", "aria-expanded": all },
			on: { click: () => this.set({ all: !all }, ".link") },
		}, all ? "Show fewer" : `and ${format.plural(more, "line")} more`));
	}

	/** The focus stays on what was pressed, which is drawn anew. */
	private set(change: { key?: Key; all?: boolean }, focus: string): void {
		this.backward = change.key !== undefined && change.key === this.key && !this.backward;
		this.key = change.key ?? this.key;
		this.all = change.all ?? this.all;
		this.draw();
		this.element.querySelector<HTMLElement>(focus)?.focus();
	}

	private head(key: Key, title: string, says: string): HTMLElement {
		const sorted = key === this.key;
		const up = sorted && (key === "source") !== this.backward;

		return h("th", { attrs: { scope: "col", "data-column": key, "aria-sort": !sorted ? "none" : up ? "ascending" : "descending" } },
			h("button", { class: "sort", title: says, attrs: { type: "button" },
				on: { click: () => this.set({ key }, `[data-column="${key}"] button`) } },
			title, h("span", { class: "arrow", attrs: { "aria-hidden": true } }, sorted ? up ? "▲" : "▼" : "")));
	}

	private row({ source, file, inlined, own, total, mark }: CallLine): HTMLElement {
		return h("tr", {},
			h("th", { title: file, attrs: { scope: "row" } }, foreign(source), inlined ? h("span", { class: "soft" }, " inlined") : null),
			h("td", {}, mark + format.full(own)), h("td", {}, mark + format.full(total)));
	}
}

/** Null where there is nothing to know: of spans, of what is no function. */
export function linesSection(calls: Calls, of: number, label: number): HTMLElement | null {
	const lines = calls.vague(of) ? null : calls.lines(of, label);

	return lines === null ? null : section("Source lines", typeof lines === "string"
		? h("p", { class: "soft" }, foreign(lines)) : new LinesTable(lines).element);
}
