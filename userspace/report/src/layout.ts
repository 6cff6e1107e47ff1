// SPDX-License-Identifier: GPL-2.0
/*
 * How the columns of tables are laid out: in which order, which are hidden, how wide.
 * By name, so that it holds for all tables that have the column. Kept in the address:
 * `order` has names, `columns` "!name" of one that is hidden, "name:width" of one that
 * has another width. The first column stays where it is.
 */

import { ColumnSpec } from "./figures";
import { State, Store } from "./store";

const LEAST_WIDTH = 40;
const MOST_WIDTH = 1200;

type Kept = Pick<State, "order" | "columns">;

/** An entry that is none, in an address that someone wrote or cut, is left out. */
function entryOf(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return "";
	}
}

function listOf(text: string): string[] {
	return text.split(",").map(entryOf).filter(Boolean);
}

function textOf(list: string[]): string {
	return list.map(encodeURIComponent).join(",");
}

/** Entries of `columns`, without those of one column. */
function without(columns: string, key: string): string[] {
	return listOf(columns).filter((entry) => entry !== `!${key}` && entry.replace(/:\d+$/, "") !== key);
}

export function isHidden({ columns }: Kept, key: string): boolean {
	return listOf(columns).includes(`!${key}`);
}

/** All of them in the order chosen; one that is not in it stays behind what it is behind otherwise. */
function ordered(columns: ColumnSpec[], order: string): ColumnSpec[] {
	const places = new Map(listOf(order).map((key, place) => [key, place]));
	let last = -1;
	const placed = columns.map((column, at) => {
		last = places.get(column.key) ?? last;
		return { column, place: at ? last + (places.has(column.key) ? 0 : 0.5) : -2 };
	});

	return placed.sort((a, b) => a.place - b.place).map(({ column }) => column);
}

/** Whether someone has given the column a width. */
export function hasWidth({ columns }: Kept, key: string): boolean {
	return listOf(columns).some((entry) => /:\d+$/.test(entry) && entry.replace(/:\d+$/, "") === key);
}

/** Those that are shown, as they are laid out. */
export function laidOut(columns: ColumnSpec[], kept: Kept): ColumnSpec[] {
	const widths = new Map(listOf(kept.columns).map((entry) => entry.match(/^(.*):(\d+)$/))
		.filter((found) => found !== null).map(([, key, width]) => [key, Number(width)]));

	return ordered(columns, kept.order).filter(({ key }, at) => !at || !isHidden(kept, key))
		.map((column) => widths.has(column.key) ? { ...column, width: clamp(widths.get(column.key)!) } : column);
}

function clamp(width: number): number {
	return Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, Math.round(width)));
}

export function setWidth(store: Store, key: string, width: number): void {
	store.set({ columns: textOf([...without(store.state.columns, key), `${key}:${clamp(width)}`]) });
}

export function setHidden(store: Store, key: string, hidden: boolean): void {
	store.set({ columns: textOf([...without(store.state.columns, key), ...hidden ? [`!${key}`] : []]) });
}

/** To the place of another column of the table, which makes room. */
export function move(store: Store, columns: ColumnSpec[], key: string, to: string): void {
	const keys = ordered(columns, store.state.order).map((column) => column.key);
	const [from, place] = [keys.indexOf(key), keys.indexOf(to)];

	if (from < 1 || place < 1)
		return;
	keys.splice(place, 0, ...keys.splice(from, 1));
	store.set({ order: textOf([...keys, ...listOf(store.state.order).filter((other) => !keys.includes(other))]) });
}

export function reset(store: Store): void {
	store.set({ order: "", columns: "" });
}
