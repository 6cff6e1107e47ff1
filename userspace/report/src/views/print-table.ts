// SPDX-License-Identifier: GPL-2.0
/*
 * A grid on paper: tables below each other, each with as many columns as the width
 * has room for and with the names again. Browsers repeat their headings on each page.
 */

import { foreign, h } from "../dom";
import { ColumnSpec } from "../figures";
import * as format from "../format";
import { PRINT_WIDTH } from "../print";

/** So many rows are printed; it is said how many there are. */
export const PRINT_ROWS = 100;

/** Columns as they stand, in parts that each fit; what says rows is in all of them. */
export function fitting(columns: ColumnSpec[], room = PRINT_WIDTH): ColumnSpec[][] {
	const clamped = columns.map((column) => ({ ...column, width: Math.min(Math.ceil(column.width), Math.floor(room / 3)) }));
	const names = clamped.filter(({ tells }, at) => !at || tells);
	const parts: ColumnSpec[][] = [];
	let left = 0;

	for (const column of clamped.filter((column) => !names.includes(column))) {
		if (!parts.length || column.width > left) {
			parts.push([...names]);
			left = names.reduce((rest, { width }) => rest - width, room);
		}
		parts[parts.length - 1].push(column);
		left -= column.width;
	}
	return parts.length ? parts : [names];
}

function headOf({ title, kind, key }: ColumnSpec, sorted: string, arrow: string): HTMLElement {
	return h("th", { class: `cell ${kind}`, attrs: { scope: "col" } }, foreign(title), key === sorted ? ` ${arrow}` : "");
}

function tableOf(columns: ColumnSpec[], rows: number, head: (column: ColumnSpec) => HTMLElement, cell: (column: ColumnSpec, at: number) => HTMLElement): HTMLElement {
	return h("table", { class: "paper-table" },
		h("colgroup", {}, ...columns.map(({ width }) => h("col", { attrs: { width } }))),
		h("thead", {}, h("tr", {}, ...columns.map(head))),
		h("tbody", {}, ...Array.from({ length: rows }, (_, at) =>
			h("tr", {}, ...columns.map((column) => h("td", {}, cell(column, at)))))));
}

/** Tables of @of rows, and what is said of those that are not printed. */
export function printTables(columns: ColumnSpec[], of: number, sort: { key: string; descending: boolean },
	cell: (column: ColumnSpec, at: number) => HTMLElement): HTMLElement[] {
	const rows = Math.min(of, PRINT_ROWS);
	const arrow = sort.descending ? "▼" : "▲";

	return [
		...rows < of ? [h("p", { class: "paper-note" }, `The first ${rows} of ${format.full(of)} rows.`)] : [],
		...rows ? fitting(columns).map((part) => tableOf(part, rows, (column) => headOf(column, sort.key, arrow), cell)) : [],
	];
}
