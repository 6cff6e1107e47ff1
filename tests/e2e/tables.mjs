// SPDX-License-Identifier: GPL-2.0
/*
 * The data of a page: read what the reader wrote, and put recordings made up
 * for tests into the tables it describes. What a table has is only said by the
 * reader: tests name the columns they have something for, the others are n/a.
 */
import { readFileSync } from "node:fs";

const DATA = /<script type="application\/json" id="data">([\s\S]*?)<\/script>/;

/** The data in a page, as it is there. */
export function rawOf(file) {
	return JSON.parse(readFileSync(file, "utf8").match(DATA)[1]);
}

/** The page @file with other data in it. */
export function withData(file, data) {
	const [, json] = readFileSync(file, "utf8").match(DATA);

	return readFileSync(file, "utf8").replace(json, () => JSON.stringify(data).replace(/</g, "\\u003c"));
}

/* ------------------------------------------------------------------------
 * reading
 */

function* varints(bytes) {
	let value = 0n;
	let shift = 0n;

	for (const byte of bytes) {
		value |= BigInt(byte & 127) << shift;
		shift += 7n;
		if (byte < 128) {
			yield value;
			value = shift = 0n;
		}
	}
}

/** Numbers; those beyond 2^53 are rounded. */
function unpacked({ all, least, first, data }, rows, fraction) {
	if (all !== undefined)
		return new Array(rows).fill(Number(all));
	const bytes = Buffer.from(data, "base64");

	if (fraction)
		return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
	let now = BigInt(first ?? least);

	return Array.from(varints(bytes), (value) => first === undefined ? Number(now + value)
		: Number(now += value % 2n ? -(value + 1n) / 2n : value / 2n));
}

/** { table: { rows, column: [cells], column_standing: [names] } } of a page that the reader wrote; null is no value. */
export function dataOf(file) {
	const { tables, standings } = rawOf(file);

	return Object.fromEntries(Object.entries(tables).map(([name, { rows, columns }]) => {
		const table = { rows };

		for (const { name: column, kind, texts, cells, standing } of columns) {
			const found = texts ?? (typeof cells === "string" ? table[cells]
				: unpacked(cells, rows, kind === "share" || kind === "ratio"));
			const stands = standing ? unpacked(standing, rows) : [];

			table[column] = found.map((value, row) => standings[stands[row] ?? 0].value ? value : null);
			table[`${column}_standing`] = found.map((_, row) => standings[stands[row] ?? 0].name);
		}
		return [name, table];
	}));
}

/* ------------------------------------------------------------------------
 * writing
 */

function packed(values) {
	const numbers = values.map(BigInt);
	const bytes = [];

	if (numbers.some((number) => number < 0n))
		throw new Error(`${values.find((value) => value < 0)} is no number of a column`);
	if (numbers.every((number) => number === numbers[0]))
		return { all: Number(numbers[0] ?? 0) };
	for (let number of numbers) {
		for (; number > 127n; number >>= 7n)
			bytes.push(Number(number & 127n) | 128);
		bytes.push(Number(number));
	}
	return { least: 0, data: Buffer.from(bytes).toString("base64") };
}

function packedFractions(values) {
	return { data: Buffer.from(Float32Array.from(values).buffer).toString("base64") };
}

/** A copy of a description for the counters @names. */
function forCounters(columns, names) {
	const out = [];
	const groups = columns.filter(({ each }, at) => !each || columns.findIndex((column) => column.each === each) === at);
	/* Which the reader has for misses alone. */
	const has = (each, name) => !each.endsWith("_per_1000_instructions") || name.includes("misses");
	let at = 0;

	while (at < groups.length) {
		let end = at;

		while (end < groups.length && groups[end].each)
			end++;
		if (end === at) {
			out.push(groups[at++]);
			continue;
		}
		names.forEach((name, counter) => out.push(...groups.slice(at, end).filter(({ each }) => has(each, name)).map((column) => ({
			...column, counter, name: column.each.replace("%s", name),
			title: column.title.replace(/\S+$/, name), says: name,
		}))));
		at = end;
	}
	return out;
}

/**
 * Cells of one column: @cells has a value for all rows, or an array; null is no
 * value. @standing: names of standings likewise; those of null are n/a unless told.
 */
function filled(column, rows, { cells = null, standing }, standings) {
	const values = Array.isArray(cells) ? cells : new Array(rows).fill(cells);
	const { cells: _, standing: __, texts: ___, ...description } = column;
	const named = (name) => {
		const at = standings.findIndex((each) => each.name === name);

		if (at < 0)
			throw new Error(`no standing is called ${name}`);
		return at;
	};
	const stands = values.map((value, row) => named((Array.isArray(standing) ? standing[row] : standing) ??
		(value === null || value === undefined ? "n/a" : "counted")));

	if (values.length !== rows)
		throw new Error(`column ${column.name} has ${values.length} cells, its table ${rows} rows`);
	if (column.kind === "text")
		return { ...description, texts: values.map((value) => value ?? null) };
	const numbers = values.map((value, row) => standings[stands[row]].value ? value : 0);

	return {
		...description,
		cells: column.kind === "share" || column.kind === "ratio" ? packedFractions(numbers) : packed(numbers),
		...stands.some(Boolean) ? { standing: packed(stands) } : {},
	};
}

/**
 * The data of a page as the reader would write it. @made: for each table
 * { rows, titles, columns: { name: { cells, standing } } }; @counters: their names.
 */
export function dataFor(reader, made, counters, { version = reader.version, shown = {} } = {}) {
	const tables = Object.fromEntries(Object.entries(reader.tables).map(([name, { title, columns }]) => {
		const { rows = 0, titles, columns: cells = {} } = made[name] ?? {};
		const described = forCounters(columns, counters);
		const unknown = Object.keys(cells).filter((key) => !described.some((column) => column.name === key));

		if (unknown.length)
			throw new Error(`table ${name} has no column ${unknown}`);
		return [name, {
			title, rows, ...titles ? { titles } : {},
			columns: described.map((column) => ({
				...filled(column, rows, cells[column.name] ?? {}, reader.standings),
				...shown[column.name] === undefined ? {} : { shown: shown[column.name] },
			})),
		}];
	}));

	return { format: reader.format, version, figures: reader.figures, standings: reader.standings, tables };
}
