// SPDX-License-Identifier: GPL-2.0
/*
 * The data of a page: read what the reader wrote, and put recordings made up
 * for tests into the tables it describes. What a table has is only said by the
 * reader: tests name the columns they have something for, the others are n/a.
 */
import { readFileSync } from "node:fs";
import { deflateSync, inflateSync } from "node:zlib";

const DATA = /<script type="text\/plain" id="columns">([^<]*)<\/script>\s*<script type="text\/plain" id="data">([^<]*)<\/script>/;

/** Each of them ends: behind the last is nothing. */
function linesOf(text) {
	const lines = text.split("\n");

	if (lines.pop() !== "")
		throw new Error("the last line of columns has no end");
	return lines;
}

/** The data in a page, as it is there, with the digits of all columns, one a line, which are no member of it. */
export function rawOf(file) {
	const [, columns, text] = readFileSync(file, "utf8").match(DATA);

	return Object.defineProperty(JSON.parse(inflateSync(Buffer.from(text.split(" ")[1], "base64"))), "digits", { value: linesOf(columns) });
}

/** The page @text with other data in it. */
export function filledIn(text, data) {
	const json = Buffer.from(JSON.stringify(data));

	return text.replace(DATA, () => `<script type="text/plain" id="columns">${data.digits.map((line) => `${line}\n`).join("")}</script>\n<script type="text/plain" id="data">${json.length} ${deflateSync(json).toString("base64")}</script>`);
}

/** The page @file with other data in it: some of what rawOf() gives, changed. */
export function withData(file, data) {
	return filledIn(readFileSync(file, "utf8"), data);
}

/* ------------------------------------------------------------------------
 * reading
 */

/** What the digits of a column say. */
function bytesOf(lines, { line, bytes }) {
	const found = inflateSync(Buffer.from(lines[line], "base64"));

	if (found.length !== bytes)
		throw new Error(`${found.length} bytes, not ${bytes}`);
	return found;
}

function* varints(bytes) {
	for (let at = 0;;) {
		let value = 0n;

		for (let shift = 0n; ; shift += 7n) {
			value |= BigInt(bytes[at] & 127) << shift;
			if (bytes[at++] < 128)
				break;
		}
		yield value;
	}
}

const unfold = (value) => value % 2n ? -(value + 1n) / 2n : value / 2n;

/** What the columns @near add up to. */
function sumsOf(near, found, rows) {
	return Array.from({ length: rows }, (_, row) => near.reduce((sum, name) =>
		name[0] === "-" ? sum - BigInt(found[name.slice(1)][row]) : sum + BigInt(found[name][row]), 0n));
}

/** Numbers; those beyond 2^53 are rounded. @found: those of columns before it. */
function unpacked(digits, cells, rows, fraction, found) {
	const { all, least, first, near, after, quotient } = cells;

	if (quotient)
		return found[quotient[0]].map((over, row) => over / found[quotient[1]][row]);
	if (near) {
		const numbers = all === undefined ? varints(bytesOf(digits, cells)) : null;

		return sumsOf(near, found, rows).map((sum) => Number(sum + (numbers ? unfold(numbers.next().value) : 0n)));
	}
	if (all !== undefined)
		return new Array(rows).fill(Number(all));
	if (after) {
		const numbers = varints(bytesOf(digits, cells));
		let end = 0n;

		return found[after].map((by) => {
			const begin = end + unfold(numbers.next().value);

			end = begin + BigInt(by);
			return Number(begin);
		});
	}
	if (fraction) {
		const bytes = bytesOf(digits, cells);

		return Array.from({ length: rows }, (_, i) => bytes.readFloatLE(4 * i));
	}
	const numbers = varints(bytesOf(digits, cells));
	let now = BigInt(first ?? least);

	return Array.from({ length: rows }, () => first === undefined ? Number(now + numbers.next().value)
		: Number(now += unfold(numbers.next().value)));
}

/** Cells of the columns of a table, by name: numbers, also where there is no figure. */
function numbersOf(digits, rows, columns) {
	const found = {};
	const needs = ({ cells }) => (cells.near ?? cells.quotient ?? (cells.after ? [cells.after] : [])).map((name) => name.replace(/^-/, ""));
	let left = columns.filter(({ cells }) => cells);

	while (left.length) {
		const ready = left.filter((column) => needs(column).every((name) => found[name]));

		if (!ready.length)
			throw new Error(`columns ${left.map(({ name }) => name)} need what is not there`);
		for (const { name, kind, cells } of ready)
			found[name] = unpacked(digits, cells, rows, kind === "share" || kind === "ratio", found);
		left = left.filter((column) => !ready.includes(column));
	}
	return found;
}

/** { table: { rows, column: [cells], column_standing: [names] } } of a page that the reader wrote; null is no value. */
export function dataOf(file) {
	const { tables, standings, digits } = rawOf(file);

	return Object.fromEntries(Object.entries(tables).map(([name, { rows, columns }]) => {
		const table = { rows };
		const numbers = numbersOf(digits, rows, columns);

		for (const { name: column, texts, standing } of columns) {
			const found = texts ?? numbers[column];
			const stands = standing ? unpacked(digits, standing, rows) : [];

			table[column] = found.map((value, row) => standings[stands[row] ?? 0].value ? value : null);
			table[`${column}_standing`] = found.map((_, row) => standings[stands[row] ?? 0].name);
		}
		return [name, table];
	}));
}

/* ------------------------------------------------------------------------
 * writing
 */

/** In which of the lines @into, of a column each, the bytes are put. */
function placed(into, bytes) {
	into.push(deflateSync(Buffer.from(bytes)).toString("base64"));
	return { line: into.length - 1, bytes: bytes.length };
}

function packed(into, values) {
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
	return { least: 0, ...placed(into, bytes) };
}

function packedFractions(into, values) {
	return placed(into, new Uint8Array(Float32Array.from(values).buffer));
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
 * value. @into: digits of columns. @standing: names of standings likewise; those of null are n/a unless told.
 */
function filled(into, column, rows, { cells = null, standing }, standings) {
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
		cells: column.kind === "share" || column.kind === "ratio" ? packedFractions(into, numbers) : packed(into, numbers),
		...stands.some(Boolean) ? { standing: packed(into, stands) } : {},
	};
}

/**
 * The data of a page as the reader would write it. @made: for each table
 * { rows, titles, columns: { name: { cells, standing } } }; @counters: their names.
 */
export function dataFor(reader, made, counters, { version = reader.version, shown = {} } = {}) {
	const digits = [];
	const tables = Object.fromEntries(Object.entries(reader.tables).map(([name, { title, columns }]) => {
		const { rows = 0, titles, columns: cells = {} } = made[name] ?? {};
		const described = forCounters(columns, counters);
		const unknown = Object.keys(cells).filter((key) => !described.some((column) => column.name === key));

		if (unknown.length)
			throw new Error(`table ${name} has no column ${unknown}`);
		return [name, {
			title, rows, ...titles ? { titles } : {},
			columns: described.map((column) => ({
				...filled(digits, column, rows, cells[column.name] ?? {}, reader.standings),
				...shown[column.name] === undefined ? {} : { shown: shown[column.name] },
			})),
		}];
	}));

	return Object.defineProperty({ format: reader.format, version, figures: reader.figures, standings: reader.standings, combine: reader.combine, tables, lines: digits.length },
		"digits", { value: digits });
}
