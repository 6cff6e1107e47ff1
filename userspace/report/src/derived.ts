// SPDX-License-Identifier: GPL-2.0
/* Tables that the page makes of what is chosen: described as the reader's are, with other figures. */

import { Column, Table } from "./decode";

/** Of each row: a figure, or the row of another table that it refers to; and an index into the standings, 0 if not said. Or a text. */
export interface Cells {
	figures?: ArrayLike<number>;
	texts?: (string | null)[];
	standing?: ArrayLike<number>;
	/** What is to be said beside what the reader says of it. */
	says?: string;
}

function derivedColumn(column: Column, table: Table, { figures = [], texts, standing, says }: Cells): Column {
	const standings = (row: number) => standing?.[row] ?? 0;

	return Object.create(column, {
		table: { value: table }, standing: { value: standings },
		is: { value: { ...column.is, says: [column.is.says, says].filter(Boolean).join("; "), standing: standing ? { all: 0 } : undefined, ...texts ? { texts } : {} } },
		figures: { value: Float64Array.from(figures) }, index: { value: Int32Array.from(figures) },
		has: { value: (row: number) => texts ? texts[row] !== null : table.standings[standings(row)].value },
	}) as Column;
}

/** With @n rows. Columns of which there are no cells are as they are, if it has as many rows as @whole. */
export function derivedTable(whole: Table, n: number, cells: (column: Column) => Cells | null): Table {
	const table = Object.create(whole, {
		n: { value: n }, find: { value: (name: string) => columns.get(name) },
		column: { value: (name: string) => columns.get(name) ?? whole.column(name) },
	}) as Table;
	const columns = new Map(whole.columns.map((column): [string, Column] => {
		const derived = cells(column);

		return [column.is.name, derived ? derivedColumn(column, table, derived) : column];
	}));

	Object.defineProperty(table, "columns", { value: [...columns.values()] });
	return table;
}
