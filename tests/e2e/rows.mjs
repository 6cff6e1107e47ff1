// SPDX-License-Identifier: GPL-2.0
/* Tables of JSON as rows: of each table what its columns are, and an object for each row, as a line of CSV has it. */

/** Numbers that doubles hold are numbers; larger ones stay the text that they are. */
const idOf = (text) => Number.isSafeInteger(Number(text)) ? Number(text) : text;

/** What comes beside the values of a column, for one row. */
function besides(name, { refers }, { columns, standings }, names, i) {
	const value = columns[name][i];

	return {
		...refers in names ? { [`${name}_name`]: value === null ? null : names[refers][value] } : {},
		...`${name}_name` in columns ? { [`${name}_name`]: columns[`${name}_name`][i] } : {},
		...name in standings ? { [`${name}_standing`]: standings[name][columns.standing[i]] } : {},
	};
}

/** By name, of all tables in the text of a file. */
export function tablesIn(text) {
	const { tables, names } = JSON.parse(text);
	const rowOf = (table, i) => Object.assign({ row: table.columns.row[i] }, ...Object.entries(table.about).map(([name, is]) => {
		const value = table.columns[name][i];

		return { [name]: is.kind === "id" && value !== null ? idOf(value) : value, ...besides(name, is, table, names, i) };
	}));

	return Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, {
		columns: Object.entries(table.about).map(([column, is]) => ({ name: column, ...is })),
		rows: Array.from({ length: table.rows }, (_, i) => rowOf(table, i)),
	}]));
}
