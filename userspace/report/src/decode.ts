// SPDX-License-Identifier: GPL-2.0
/*
 * The data in the page: tables with their descriptions, and columns in few
 * bytes. See README.md. What a table has is not known here: the reader says it,
 * and what the page needs of it is in profile.ts.
 */

export const FORMAT = "coroprof-report";
export const VERSION = 3;

/** A whole number; a string when it is beyond 2^53. */
export type Integer = number | string;

export type Kind = "text" | "id" | "count" | "events" | "ns" | "time" | "share" | "ratio" | "word" | "flags" | "row";

/** See reader/output/html/packed.h. */
interface Packed {
	all?: Integer | null;
	least?: Integer;
	first?: Integer;
	data?: string;
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
	/** Of a column that each counter has: its name, with %s for the counter's. */
	each?: string;
	counter?: number;
	texts?: (string | null)[];
	/** Or the name of the column that has the same ones. */
	cells?: Packed | string;
	standing?: Packed;
}

export interface TableData {
	title: string;
	rows: number;
	/** What to call a row, in columns that refer to it. */
	titles?: string[];
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

/** How figures are rounded: see reader/tables/figure.h. */
export interface FigureRules {
	whole: number;
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
	tables: Record<string, TableData>;
}

export const NONE = -1;

function bytesOf(base64: string): Uint8Array {
	const text = atob(base64);
	const bytes = new Uint8Array(text.length);

	for (let i = 0; i < text.length; i++)
		bytes[i] = text.charCodeAt(i);
	return bytes;
}

/** Numbers in sevens of bits; beyond 2^53 they are rounded. Returns how many. */
function fillNumbers(into: Float64Array, { least, first, data }: Packed): number {
	const bytes = bytesOf(data!);
	let now = Number(first ?? least);
	let at = 0;
	let value = 0;
	let factor = 1;

	for (let i = 0; i < bytes.length; i++) {
		value += (bytes[i] & 127) * factor;
		factor *= 128;
		if (bytes[i] > 127)
			continue;
		if (first === undefined)
			into[at++] = now + value;
		else
			into[at++] = now += value % 2 ? -(value + 1) / 2 : value / 2;
		value = 0;
		factor = 1;
	}
	return at;
}

function fillFractions(into: Float64Array, { data }: Packed): number {
	const bytes = bytesOf(data!);
	const view = new DataView(bytes.buffer);

	for (let i = 0; i < bytes.length / 4; i++)
		into[i] = view.getFloat32(4 * i, true);
	return bytes.length / 4;
}

/** Whole numbers to the last digit. */
function integersOf(packed: Packed, n: number): Integer[] {
	const bytes = packed.data === undefined ? new Uint8Array() : bytesOf(packed.data);
	const least = packed.least ?? 0;
	const out: Integer[] = [];

	if (packed.all !== undefined)
		return new Array<Integer>(n).fill(packed.all!);
	for (let i = 0; i < bytes.length;) {
		let value = 0n;

		for (let shift = 0n; ; shift += 7n) {
			value |= BigInt(bytes[i] & 127) << shift;
			if (bytes[i++] < 128)
				break;
		}
		value += BigInt(least);
		out.push(value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value));
	}
	return out;
}

const FRACTIONS: Kind[] = ["share", "ratio"];

/** A column of a table: its description, and its cells, which are unpacked when they are first asked for. */
export class Column {
	private numbers: Float64Array | null = null;
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

	private packed(): Packed {
		const { cells } = this.is;

		return typeof cells === "string" ? this.table.column(cells).packed() : cells!;
	}

	private unpack(packed: Packed, fraction: boolean): Float64Array {
		const into = new Float64Array(this.table.n);

		if (packed.all !== undefined)
			return into.fill(Number(packed.all));
		const rows = (fraction ? fillFractions : fillNumbers)(into, packed);

		if (rows !== this.table.n)
			throw this.wrong(`has ${rows} rows, its table ${this.table.n}`);
		return into;
	}

	/** Index into the standings. */
	standing(row: number): number {
		if (!this.is.standing)
			return 0;
		this.standings ??= this.unpack(this.is.standing, false);
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
		if (!this.numbers) {
			this.numbers = this.unpack(this.packed(), FRACTIONS.includes(this.is.kind));
			for (let row = 0; this.is.standing && row < this.table.n; row++)
				if (!this.has(row))
					this.numbers[row] = NaN;
		}
		return this.numbers;
	}

	/** Rows of another table, words, flags: NONE where there is none. */
	get index(): Int32Array {
		this.indices ??= Int32Array.from(this.figures, (figure) => Number.isNaN(figure) ? NONE : figure);
		return this.indices;
	}

	/** Numbers that name something. */
	get id(): Integer[] {
		if (!this.exact) {
			const packed = this.packed();

			this.exact = packed.first === undefined ? integersOf(packed, this.table.n) : Array.from(this.figures);
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

	constructor(readonly name: string, readonly is: TableData, readonly standings: StandingData[]) {
		this.n = is.rows;
		this.columns = is.columns.map((column) => new Column(this, column));
		for (const column of this.columns)
			this.byName.set(column.is.name, column);
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
	title(row: number): string {
		return this.is.titles?.[row] ?? this.find("name")?.text[row] ?? String(row);
	}
}

export class Tables {
	readonly figures: FigureRules;
	readonly standings: StandingData[];
	/** The recording in one line. */
	readonly summary: string;
	private byName = new Map<string, Table>();

	constructor(text: string) {
		const data = JSON.parse(text) as ReportData;

		if (data.format !== FORMAT)
			throw new Error(`the data of this page is no ${FORMAT}`);
		if (data.version !== VERSION)
			throw new Error(`the data of this page is ${FORMAT} version ${data.version}; this page reads version ${VERSION}`);
		this.figures = data.figures;
		this.summary = data.summary;
		this.standings = data.standings;
		for (const [name, table] of Object.entries(data.tables))
			this.byName.set(name, new Table(name, table, data.standings));
	}

	table(name: string): Table {
		const found = this.byName.get(name);

		if (!found)
			throw new Error(`table ${name} is missing; there are: ${[...this.byName.keys()].join(", ")}`);
		return found;
	}
}
