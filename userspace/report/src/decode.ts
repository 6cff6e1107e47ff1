// SPDX-License-Identifier: GPL-2.0
/*
 * The data in the page: tables with their descriptions, and columns in few
 * bytes. See README.md. What a table has is not known here: the reader says it,
 * and what the page needs of it is in profile.ts.
 */

import { inflate, inflateAhead } from "./inflate";
import { Spell, visible } from "./spell";
import type { Combine } from "./standings";

export const FORMAT = "coroprof-report";
export const VERSION = 8;

/** A whole number; a string when it is beyond 2^53. */
export type Integer = number | string;

export type Kind = "text" | "id" | "count" | "events" | "ns" | "time" | "share" | "ratio" | "word" | "flags" | "row";

/** See reader/output/html/packed.h. */
interface Packed {
	all?: Integer | null;
	least?: Integer;
	first?: Integer;
	near?: string[];
	after?: string;
	quotient?: [string, string];
	/** The line that it is in, and how many bytes it has once inflated. */
	line?: number;
	bytes?: number;
}

/** Of a formula: a number, the figure of a column, or what is done with the two before it. */
export type Step = number | { column: string } | "+" | "-" | "*" | "/";

/** A column that the page makes of another one, and shows as a bar. */
export interface Bar {
	name: string;
	title: string;
	says: string;
}

/** A description, as in reader/tables/table.h, and what is in the cells. */
export interface ColumnData {
	name: string;
	title: string;
	says: string;
	kind: Kind;
	sums: "not" | "add" | "max" | "min";
	/** Among the columns that people see first. */
	shown: boolean;
	words?: string[];
	refers?: string;
	/** Two are compared by it, divided by the column of this name; "": by it as it is. */
	per?: string;
	/** One of what it counts, where others are divided by it. */
	one?: string;
	/** Of a column that each counter has: its name, with %s for the counter's. */
	each?: string;
	counter?: number;
	/** Of a column of one's own: what it is made of, operands before what is done with them. */
	formula?: Step[];
	/** Its share of the sum of all rows is a column of its own, before all other figures. */
	bar?: Bar;
	texts?: (string | null)[];
	cells?: Packed;
	standing?: Packed;
}

export interface TableData {
	title: string;
	rows: number;
	/** What to call a row, in columns that refer to it. */
	titles?: string[];
	/** Or: what the row is called that the first of these columns refers to, and the number in the second; */
	named?: [string, string];
	/** but these rows are called otherwise. */
	others?: Record<string, string>;
	columns: ColumnData[];
}

export interface StandingData {
	name: string;
	/** What stands before a figure, or in its place. */
	mark: string;
	says: string;
	/** Whether there is a figure. */
	value: boolean;
}

/** By name of what is done, then by the standing of the first figure: a digit for each standing of the second. Or of one figure, a digit for each. */
export interface CombineData extends Record<Combine, string[]> {
	lacks: string;
	exceeds: string;
	mean: string;
}

/** How figures are rounded: see reader/tables/figure.h. */
export interface FigureRules {
	whole: number;
	/** From so many times on a change reads as that many. */
	times: number;
	digits: [number, number][];
	ns: [Integer, string][];
	events: [Integer, string][];
	share: FractionRule;
	ratio: FractionRule;
}

export interface FractionRule {
	factor: number;
	decimals: number;
	least: number;
	unit: string;
}

export interface ReportData {
	format: string;
	version: number;
	summary: string;
	figures: FigureRules;
	standings: StandingData[];
	combine: CombineData;
	tables: Record<string, TableData>;
	/** How many lines of columns there are. */
	lines: number;
}

export const NONE = -1;

/** What a browser of 2025 or later does by itself, and quicker. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
	const { fromBase64 } = Uint8Array as { fromBase64?: (base64: string) => Uint8Array<ArrayBuffer> };

	return fromBase64 ? fromBase64.call(Uint8Array, base64) : Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
}

/** How many bytes it is, and these, deflated. */
function textOf(packed: string): string {
	const [bytes, digits] = packed.trim().split(" ");

	return new TextDecoder().decode(inflate(bytesOf(digits), Number(bytes)));
}

/** Each of them ends: behind the last is nothing. */
function linesOf(text: string): string[] {
	const lines = text.split("\n");

	if (lines.pop() !== "")
		throw new Error("the columns of this page are damaged: the last has no end");
	return lines;
}

/** Small for differences that are small, whether up or down: see fold() of the reader. */
function unfold(value: number): number {
	return value < 2 ** 31 ? value >> 1 ^ -(value & 1) : value % 2 ? -(value + 1) / 2 : value / 2;
}

/** Numbers in sevens of bits; beyond 2^53 they are rounded. Returns where they end. */
function fillNumbers(into: Float64Array, bytes: Uint8Array): number {
	let at = 0;

	for (let row = 0; row < into.length; row++) {
		let byte = bytes[at++];
		let value = byte & 127;

		/* As long as it is one of 28 bits, which is quicker. */
		for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
			byte = bytes[at++];
			value |= (byte & 127) << shift;
		}
		for (let factor = 2 ** 28; byte > 127; factor *= 128) {
			byte = bytes[at++];
			value += (byte & 127) * factor;
		}
		into[row] = value;
	}
	return at;
}

/** What columns are unpacked in, one after the other. */
let scratch = new Float64Array();

function scratchOf(n: number): Float64Array {
	if (scratch.length < n)
		scratch = new Float64Array(n);
	return scratch.subarray(0, n);
}

/** Of few rows they are doubles: see packed_fractions() of the reader. */
function fillFractions(into: Float64Array, bytes: Uint8Array): void {
	const view = new DataView(bytes.buffer);
	const doubles = bytes.length === 8 * into.length;

	for (let row = 0; row < into.length; row++)
		into[row] = doubles ? view.getFloat64(8 * row, true) : view.getFloat32(4 * row, true);
}

/** Whole numbers to the last digit: those of @near, and what is beyond 2^53 from the bytes that it was read from. */
function exactly(near: Float64Array, bytes: Uint8Array, least: bigint): Integer[] {
	let at = 0;

	return Array.from(near, (number) => {
		const begin = at;

		while (bytes[at++] & 128)
			;
		if (number <= Number.MAX_SAFE_INTEGER)
			return number;
		return String(bytes.subarray(begin, at).reduceRight((value, byte) => value << 7n | BigInt(byte & 127), 0n) + least);
	});
}

const FRACTIONS: Kind[] = ["share", "ratio"];

/** A column of a table: its description, and its cells, which are unpacked when they are first asked for. */
export class Column {
	private all: Float64Array | null = null;
	private known: Float64Array | null = null;
	private indices: Int32Array | null = null;
	private exact: Integer[] | null = null;
	private standings: Float64Array | null = null;

	constructor(readonly table: Table, readonly is: ColumnData) {
		if (is.texts && is.texts.length !== table.n)
			throw this.wrong(`has ${is.texts.length} rows, its table ${table.n}`);
		if (!is.texts && is.cells === undefined)
			throw this.wrong("has no cells");
	}

	private wrong(what: string): Error {
		return new Error(`column ${this.is.name} of table ${this.table.name} ${what}`);
	}

	private inflated({ line, bytes }: Packed): Uint8Array {
		try {
			return this.table.ahead.get(line!) ?? inflate(bytesOf(this.table.lines[line!]), bytes!);
		} catch (error) {
			throw this.wrong(`is damaged: ${error instanceof Error ? error.message : error}`);
		}
	}

	private unpack(packed: Packed, fraction = false): Float64Array {
		const { n } = this.table;
		const into = new Float64Array(n);
		const { all, least, first, near, after, quotient } = packed;

		if (quotient) {
			const [over, under] = quotient.map((name) => this.table.column(name).raw);

			return into.map((_, row) => over[row] / under[row]);
		}
		for (const name of near ?? [])
			this.addTo(into, name);
		if (all !== undefined)
			return near ? into : into.fill(Number(all));
		if (fraction) {
			if (packed.bytes !== 4 * n && packed.bytes !== 8 * n)
				throw this.wrong(`has other bytes than those of ${n} rows`);
			fillFractions(into, this.inflated(packed));
			return into;
		}
		/* Unpacked before the numbers are, which have the same scratch. */
		const lengths = after ? this.table.column(after).raw : into;
		const numbers = scratchOf(n);

		if (fillNumbers(numbers, this.inflated(packed)) !== packed.bytes!)
			throw this.wrong(`has other bytes than those of ${n} rows`);
		if (near) {
			for (let row = 0; row < n; row++)
				into[row] += unfold(numbers[row]);
		} else if (after) {
			for (let row = 0, end = 0; row < n; row++) {
				into[row] = end + unfold(numbers[row]);
				end = into[row] + lengths[row];
			}
		} else if (first !== undefined) {
			for (let row = 0, now = Number(first); row < n; row++)
				into[row] = now += unfold(numbers[row]);
		} else {
			for (let row = 0, from = Number(least); row < n; row++)
				into[row] = from + numbers[row];
		}
		return into;
	}

	/** Of another column, taken off if "-" is before its name. */
	private addTo(into: Float64Array, name: string): void {
		const less = name[0] === "-";
		const { raw } = this.table.column(less ? name.slice(1) : name);

		for (let row = 0; row < into.length; row++)
			into[row] += less ? -raw[row] : raw[row];
	}

	/** Numbers, also where there is no figure. */
	private get raw(): Float64Array {
		this.all ??= this.unpack(this.is.cells!, FRACTIONS.includes(this.is.kind));
		return this.all;
	}

	/** Index into the standings. */
	standing(row: number): number {
		if (!this.is.standing)
			return 0;
		this.standings ??= this.unpack(this.is.standing);
		return this.standings[row];
	}

	has(row: number): boolean {
		return this.is.texts ? this.is.texts[row] !== null : this.table.standings[this.standing(row)].value;
	}

	/** Text, null where there is none. */
	get text(): (string | null)[] {
		return this.is.texts!;
	}

	/** Figures, NaN where there is none. */
	get figures(): Float64Array {
		if (!this.is.standing)
			return this.raw;
		if (!this.known) {
			const standing = this.unpack(this.is.standing);
			const has = this.table.standings.map(({ value }) => value);

			this.known = this.raw.slice();
			for (let row = 0; row < standing.length; row++)
				if (!has[standing[row]])
					this.known[row] = NaN;
		}
		return this.known;
	}

	/** Rows of another table, words, flags: NONE where there is none. */
	get index(): Int32Array {
		if (!this.indices) {
			const { figures } = this;

			this.indices = new Int32Array(figures);
			for (let row = 0; this.is.standing && row < figures.length; row++)
				if (Number.isNaN(figures[row]))
					this.indices[row] = NONE;
		}
		return this.indices;
	}

	/** Numbers that name something. */
	get id(): Integer[] {
		if (!this.exact) {
			const { least } = this.is.cells!;

			if (least !== undefined && this.raw.some((number) => number > Number.MAX_SAFE_INTEGER)) {
				this.exact = exactly(this.raw, this.inflated(this.is.cells!), BigInt(least));
			} else {
				this.exact = Array.from(this.raw);
				if (typeof this.is.cells!.all === "string")
					this.exact.fill(this.is.cells!.all);
			}
		}
		return this.exact;
	}

	/** The word, or words, of a row. */
	words(row: number): string {
		const value = this.index[row];
		const words = this.is.words!;

		if (!this.has(row))
			return this.table.standings[this.standing(row)].mark;
		return this.is.kind === "word" ? words[value] ?? String(value)
			: words.filter((word, bit) => word && value & 1 << bit).join(" ");
	}
}

export class Table {
	readonly n: number;
	readonly columns: Column[];
	private byName = new Map<string, Column>();

	constructor(readonly name: string, readonly is: TableData, private readonly of: Tables) {
		this.n = is.rows;
		this.columns = is.columns.map((column) => new Column(this, column));
		for (const column of this.columns)
			this.byName.set(column.is.name, column);
	}

	get standings(): StandingData[] {
		return this.of.standings;
	}

	/** Those of all columns of all tables. */
	get lines(): string[] {
		return this.of.lines;
	}

	/** By their line, those that are inflated already. */
	get ahead(): ReadonlyMap<number, Uint8Array> {
		return this.of.ahead;
	}

	find(name: string): Column | undefined {
		return this.byName.get(name);
	}

	column(name: string): Column {
		const found = this.byName.get(name);

		if (!found)
			throw new Error(`column ${name} of table ${this.name} is missing; it has: ${[...this.byName.keys()].join(", ")}`);
		return found;
	}

	/** That which each counter has, of one counter. */
	ofCounter(each: string, counter: number): Column | undefined {
		return this.columns.find(({ is }) => is.each === each && is.counter === counter);
	}

	/** What to call a row. */
	title(row: number, spell: Spell = visible): string {
		const { titles, named, others } = this.is;

		if (!named)
			return spell(titles?.[row] ?? this.find("name")?.text[row] ?? String(row));
		if (others?.[row] !== undefined)
			return spell(others[row]);
		const [of, number] = named.map((name) => this.column(name));

		return `${this.of.table(of.is.refers!).title(of.index[row], spell)} #${number.id[row]}`;
	}
}

export class Tables {
	readonly figures: FigureRules;
	readonly standings: StandingData[];
	readonly combine: CombineData;
	/** The recording in one line. */
	readonly summary: string;
	/** A packed column each, in base64. */
	readonly lines: string[];
	readonly ahead = new Map<number, Uint8Array>();
	private byName = new Map<string, Table>();

	constructor(text: string, columns: string) {
		const data = JSON.parse(textOf(text)) as ReportData;

		if (data.format !== FORMAT)
			throw new Error(`the data of this page is no ${FORMAT}`);
		if (data.version !== VERSION)
			throw new Error(`the data of this page is ${FORMAT} version ${data.version}; this page reads version ${VERSION}`);
		this.lines = linesOf(columns);
		if (this.lines.length !== data.lines)
			throw new Error(`the columns of this page are damaged: they are ${this.lines.length}, not ${data.lines}`);
		this.figures = data.figures;
		this.summary = data.summary;
		this.standings = data.standings;
		this.combine = data.combine;
		for (const [name, table] of Object.entries(data.tables))
			this.byName.set(name, new Table(name, table, this));
	}

	table(name: string): Table {
		const found = this.byName.get(name);

		if (!found)
			throw new Error(`table ${name} is missing; there are: ${[...this.byName.keys()].join(", ")}`);
		return found;
	}

	/** Inflates columns before they are asked for; where that fails they are inflated then, and it is said what is wrong. */
	async prepare(name: string, columns: string[]): Promise<void> {
		await Promise.allSettled(columns.map(async (column) => {
			const { line, bytes } = this.table(name).column(column).is.cells!;

			if (line !== undefined)
				this.ahead.set(line, await inflateAhead(bytesOf(this.lines[line]), bytes!));
		}));
	}
}
