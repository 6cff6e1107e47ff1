// SPDX-License-Identifier: GPL-2.0
/*
 * Rows in the order of what they have in a column. Hundreds of thousands of
 * them, so they are not compared with each other: figures become keys whose
 * digits are sorted by, from the last to the first.
 */

import { ColumnSpec } from "./figures";
import { Mode } from "./store";

const collator = new Intl.Collator("en", { numeric: true });

/** Which half of a figure, as this machine has it in memory, has the sign. */
const HIGH = new Uint32Array(Float64Array.of(-0).buffer)[1] ? 1 : 0;

/** Each figure as two whole numbers that stand in the order of figures; what is none is behind all. */
function keysOf(figures: Float64Array, sign: number): Uint32Array {
	/* Of 0 there is one. */
	const keys = new Uint32Array(figures.map((figure) => sign * figure + 0).buffer);

	for (let at = 0; at < figures.length; at++) {
		const [low, high] = [2 * at + 1 - HIGH, 2 * at + HIGH];

		if (figures[at] !== figures[at]) {
			keys[low] = keys[high] = ~0;
		} else if (keys[high] >>> 31) {
			keys[low] = ~keys[low];
			keys[high] = ~keys[high];
		} else {
			keys[high] |= 1 << 31;
		}
	}
	return keys;
}

/** The places of figures in their order; of those that are the same, as they are. */
export function sorted(figures: Float64Array, descending: boolean): Uint32Array {
	const keys = keysOf(figures, descending ? -1 : 1);
	const first = new Uint32Array(65537);
	const nr = figures.length;
	let [from, to] = [new Uint32Array(nr), new Uint32Array(nr)];

	for (let at = 0; at < nr; at++)
		from[at] = at;
	for (let digit = 0; nr && digit < 4; digit++) {
		const half = digit < 2 ? 1 - HIGH : HIGH;
		const shift = 16 * (digit & 1);

		first.fill(0);
		for (let at = half; at < keys.length; at += 2)
			first[(keys[at] >>> shift & 65535) + 1]++;
		if (first[(keys[half] >>> shift & 65535) + 1] === nr)
			continue;
		for (let value = 0; value < 65536; value++)
			first[value + 1] += first[value];
		for (let at = 0; at < nr; at++)
			to[first[keys[2 * from[at] + half] >>> shift & 65535]++] = from[at];
		[from, to] = [to, from];
	}
	return from;
}

/** For each text its place among them, the same for those that are distinguished by nothing. */
function ranksOf(texts: string[]): Float64Array {
	const all = [...new Set(texts)].sort(collator.compare);
	const ranks = new Map<string, number>();

	all.forEach((text, at) => ranks.set(text, at && !collator.compare(all[at - 1], text) ? ranks.get(all[at - 1])! : at));
	return Float64Array.from(texts, (text) => ranks.get(text)!);
}

/** Rows without a figure come last in either direction; those that have the same as they are in @rows. */
export function sortRows(rows: Uint32Array, column: ColumnSpec, mode: Mode, descending: boolean): Uint32Array {
	const figures = column.text ? ranksOf(Array.from(rows, (row) => column.text!(row))) : new Float64Array(rows.length);

	for (let at = 0; !column.text && at < rows.length; at++)
		figures[at] = column.figure(rows[at], mode);
	const order = sorted(figures, descending);

	for (let at = 0; at < order.length; at++)
		order[at] = rows[order[at]];
	return order;
}
