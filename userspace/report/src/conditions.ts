// SPDX-License-Identifier: GPL-2.0
/*
 * What a filter asks for: words that a row has somewhere, and conditions
 * COLUMN=PATTERN, as `coroprof-read --where` has them, for any column that the
 * reader describes: tag=7 process=server* "label=GET /heavy". Capitals do not matter.
 * Of coroutines #13 is the number 13, and no part of a longer one.
 */

import { Column } from "./decode";
import { Sheet } from "./figures";
import { NONE, Profile } from "./profile";
import { asIs } from "./spell";

/** A coroutine, of those that have a number. */
const NUMBER = /^#\d+$/;

/** Parts of a filter; what is in quotes is one, or a part of one. */
function parts(filter: string): string[] {
	return (filter.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []).map((part) => part.replace(/"/g, "").toLowerCase()).filter(Boolean);
}

/** Where a set of characters at @at ends, or 0: it is none, but a bracket. */
function setEnd(pattern: string, at: number): number {
	const first = at + (pattern[at + 1] === "!" || pattern[at + 1] === "^" ? 2 : 1);

	return pattern.indexOf("]", first + 1) + 1;
}

function inSet(set: string, char: string): boolean {
	const not = set[1] === "!" || set[1] === "^";
	let found = false;

	for (let at = not ? 2 : 1; at < set.length - 1; at++)
		if (set[at + 1] === "-" && at + 3 < set.length) {
			found ||= set[at] <= char && char <= set[at + 2];
			at += 2;
		} else {
			found ||= set[at] === char;
		}
	return found !== not;
}

/**
 * Whether a text is a pattern of shells: * ? [...]. One star at a time is tried again, the last,
 * so that no pattern takes longer than both are long.
 */
export function fitsPattern(pattern: string, text: string): boolean {
	let [at, from, star, kept] = [0, 0, NONE, 0];

	while (from < text.length) {
		const end = pattern[at] === "[" ? setEnd(pattern, at) : 0;

		if (pattern[at] === "*") {
			[star, kept] = [++at, from];
		} else if (at < pattern.length && (pattern[at] === "?" || (end ? inSet(pattern.slice(at, end), text[from]) : pattern[at] === text[from]))) {
			at = end || at + 1;
			from++;
		} else if (star !== NONE) {
			[at, from] = [star, ++kept];
		} else {
			return false;
		}
	}
	while (pattern[at] === "*")
		at++;
	return at === pattern.length;
}

/** What a row has in a column, as plain text; null: nothing. */
function plain({ tables }: Profile, column: Column, row: number): string | null {
	const { is } = column;

	if (!column.has(row))
		return null;
	if (is.texts)
		return column.text[row];
	if (is.refers)
		return column.index[row] === NONE ? null : tables.table(is.refers).title(column.index[row], asIs);
	return is.words ? column.words(row) : String(is.kind === "id" ? column.id[row] : column.figures[row]);
}

/** The column of that name, or title, as it is described, or as the table shows it. */
function lookUp(profile: Profile, sheet: Sheet, name: string): ((row: number) => string | null) | null {
	const { table, rowOf = (row: number) => row, texts = {} } = sheet;

	if (Object.keys(texts).includes(name))
		return texts[name];
	const described = table?.columns.find(({ is }) => is.name === name || is.title.toLowerCase() === name);
	const shown = sheet.columns.find(({ key, title, text }) => text && (key === name || title.toLowerCase() === name));

	return described ? (row) => plain(profile, described, rowOf(row))
		: shown ? (row) => shown.text!(row) : null;
}

export interface Filter {
	fits(row: number): boolean;
	/** Without the words: conditions alone. */
	holds(row: number): boolean;
	/** Columns that are asked for, of which this table has none: they are looked for as words are. */
	unknown: string[];
	/** It has conditions that hold for this table. */
	conditions: boolean;
}

export function filterOf(profile: Profile, sheet: Sheet, filter: string): Filter {
	const words: ((row: number) => boolean)[] = [];
	const conditions: ((row: number) => boolean)[] = [];
	const unknown: string[] = [];

	for (const part of parts(filter)) {
		const length = part.indexOf("=");
		const [name, pattern] = [part.slice(0, length), part.slice(length + 1)];
		const text = length > 0 ? lookUp(profile, sheet, name) : null;

		if (length > 0 && !text)
			unknown.push(name);
		if (text)
			conditions.push((row) => {
				const found = text(row)?.toLowerCase();

				return found !== undefined && (found === pattern || fitsPattern(pattern, found));
			});
		else if (sheet.mark && NUMBER.test(part))
			words.push((row) => sheet.mark!(row) === part);
		else
			words.push((row) => sheet.haystack(row).includes(part));
	}
	const holds = (row: number) => conditions.every((test) => test(row));

	return { fits: (row) => holds(row) && words.every((test) => test(row)), holds, unknown, conditions: conditions.length > 0 };
}

/**
 * Of what has a row in each of several tables: what is asked for, part by part, and of which table. A condition is
 * of the first that has its column, words are of the first.
 */
export function filterAmong(profile: Profile, sheets: Sheet[], filter: string): { of: number; fits(row: number): boolean }[] {
	return parts(filter).map((part) => {
		const asked = sheets.map((sheet) => filterOf(profile, sheet, `"${part}"`));
		const of = Math.max(0, asked.findIndex(({ conditions }) => conditions));

		return { of, fits: asked[of].fits };
	});
}

/** What is left of a table: "12 of 340: tag=7". */
export function leftOf(shown: string, all: string, filter: string, { unknown }: Filter): string {
	return (shown === all && !filter.trim() ? all : `${shown} of ${all}`) + (filter.trim() ? `: ${filter.trim()}` : "") +
		unknown.map((name) => `; no column "${name}" here, looked for as text`).join("");
}
