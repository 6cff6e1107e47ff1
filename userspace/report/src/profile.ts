// SPDX-License-Identifier: GPL-2.0
/* The recording in memory: typed arrays, decoded once. */

import {
	Column, CounterData, FORMAT, Integer, ProcessData, RecordingData, ReportData,
	TableData, TimesData, ValuesData, VERSION,
} from "./contract";

export const Standing = { UNSUPPORTED: 0, NOT_SCHEDULED: 1, SCALED: 2, COUNTED: 3, ABSENT: 4 } as const;

export const STANDING_TEXT = ["unsupported", "not scheduled", "scaled", "counted", "n/a"];

export const Known = { NA: 0, AT_LEAST: 1, EXACT: 2 } as const;

export const LabelKind = { NONE: 0, TEXT: 1, CODE: 2, THREAD: 3, OTHER: 4 } as const;

export const CoroutineFlag = { BORN: 1, ENDED: 2, THREAD: 4, OVERLAP: 8 } as const;

export const SliceFlag = {
	OFFCPU: 1, FRESH: 2, WOKEN: 4, SCALED: 8, END: 16, READY: 32, FIRST: 64, CUT: 128,
	MERGED: 1 << 16, LOST: 1 << 17,
} as const;

export const NONE = -1;

/** What one counter says about each row of a table. */
export interface Values {
	standing: Uint8Array;
	count: Float64Array;
	/** Of the whole; NaN where there is no value. */
	best: Float64Array;
	/** Share of the running time it was on the PMU; null: all of it. */
	share: Float64Array | null;
}

/** What all tables have: sums over slices and over the gaps between them. */
export interface Table {
	n: number;
	slices: Float64Array;
	running: Float64Array;
	preempted: Float64Array;
	blocked: Float64Array;
	nrPreempted: Float64Array;
	nrBlocked: Float64Array;
	gaps: Float64Array;
	unseenGaps: Float64Array;
	/** NaN where it is n/a; so the next two. */
	suspended: Float64Array;
	awaiting: Float64Array;
	ready: Float64Array;
	known: Uint8Array;
	values: Values[];
}

export interface Threads extends Table {
	process: Int32Array;
	tid: Int32Array;
	comm: string[];
	begin: Float64Array;
	end: Float64Array;
	lost: Float64Array;
	outside: Float64Array;
	damaged: Uint8Array;
	check: Uint8Array;
	checkText: (string | null)[];
	error: (string | null)[];
}

export interface Labels extends Table {
	process: Int32Array;
	kind: Uint8Array;
	name: string[];
	object: (string | null)[];
	address: Integer[];
	unresolved: (string | null)[];
	coroutines: Float64Array;
	renamed: Float64Array;
	min: Float64Array;
	max: Float64Array;
	p50: Float64Array;
	p95: Float64Array;
	p99: Float64Array;
	histogram: Integer[][];
	/** Place among the labels by running time, -1 for those that are no kind of coroutine. */
	rank: Int32Array;
}

export interface Coroutines extends Table {
	id: Integer[];
	parent: Integer[];
	user: Integer[];
	process: Int32Array;
	label: Int32Array;
	flags: Uint8Array;
	migrations: Float64Array;
	threads: Float64Array;
	born: Float64Array;
	first: Float64Array;
	last: Float64Array;
	max: Float64Array;
}

export interface Timeline {
	n: number;
	first: Uint32Array;
	begin: Float64Array;
	end: Float64Array;
	preempted: Float64Array;
	blocked: Float64Array;
	coroutine: Int32Array;
	label: Int32Array;
	slices: Float64Array;
	flags: Uint32Array;
	valid: Uint8Array;
	count: Float64Array[];
	thread: Uint32Array;
	resolution: number;
}

export interface Wakes {
	n: number;
	waker: Int32Array;
	woken: Int32Array;
	count: Float64Array;
	readyNs: Float64Array;
	ready: Float64Array;
}

export interface Profile {
	recording: RecordingData;
	duration: number;
	counters: CounterData[];
	cycles: number;
	instructions: number;
	histogram: number[];
	processes: ProcessData[];
	total: Table;
	threads: Threads;
	labels: Labels;
	coroutines: Coroutines;
	timeline: Timeline;
	wakes: Wakes;
}

/** Whether the label stands for threads outside any coroutine. */
export function isOutside(profile: Profile, label: number): boolean {
	return label !== NONE && profile.labels.kind[label] === LabelKind.THREAD;
}

/** Whether the row of the coroutine table is a thread's own slot. */
export function isThreadSlot(profile: Profile, coroutine: number): boolean {
	return (profile.coroutines.flags[coroutine] & CoroutineFlag.THREAD) !== 0;
}

/* ------------------------------------------------------------------------
 * decoding
 */

interface Numeric {
	[index: number]: number;
	readonly length: number;
	fill(value: number): unknown;
}

function fill<T extends Numeric>(into: T, column: Column): T {
	if (!Array.isArray(column)) {
		into.fill(Number(column));
		return into;
	}
	if (column.length !== into.length)
		throw new Error(`a column has ${column.length} rows, its table ${into.length}`);
	for (let i = 0; i < column.length; i++)
		into[i] = Number(column[i]);
	return into;
}

const f64 = (column: Column, n: number) => fill(new Float64Array(n), column);
const i32 = (column: Column, n: number) => fill(new Int32Array(n), column);
const u32 = (column: Column, n: number) => fill(new Uint32Array(n), column);
const u8 = (column: Column, n: number) => fill(new Uint8Array(n), column);

function integers(column: Column, n: number): Integer[] {
	return Array.isArray(column) ? column : new Array<Integer>(n).fill(column);
}

function between(column: Column, known: Uint8Array, shift: number): Float64Array {
	const ns = f64(column, known.length);

	for (let i = 0; i < ns.length; i++)
		if (((known[i] >> shift) & 3) === Known.NA)
			ns[i] = NaN;
	return ns;
}

function decodeValues(data: ValuesData, n: number): Values {
	const standing = u8(data.standing, n);
	const count = f64(data.count, n);
	const best = data.estimate === undefined ? count.slice() : f64(data.estimate, n);
	const share = data.share === undefined ? null : f64(data.share, n).map((x) => x / 1e6);

	for (let i = 0; i < n; i++)
		if (standing[i] !== Standing.COUNTED && standing[i] !== Standing.SCALED)
			best[i] = NaN;
	return { standing, count, best, share };
}

function decodeTable(data: TableData): Table {
	const n = data.n;
	const times: TimesData = data.times;
	const known = u8(times.known, n);

	return {
		n,
		slices: f64(times.slices, n),
		running: f64(times.running, n),
		preempted: f64(times.preempted, n),
		blocked: f64(times.blocked, n),
		nrPreempted: f64(times.nr_preempted, n),
		nrBlocked: f64(times.nr_blocked, n),
		gaps: f64(times.gaps, n),
		unseenGaps: f64(times.unseen_gaps, n),
		suspended: between(times.suspended, known, 0),
		awaiting: between(times.awaiting, known, 2),
		ready: between(times.ready, known, 4),
		known,
		values: data.values.map((values) => decodeValues(values, n)),
	};
}

function rankLabels(kind: Uint8Array, running: Float64Array): Int32Array {
	const rank = new Int32Array(kind.length).fill(NONE);
	const order = [...kind.keys()].filter(
		(i) => kind[i] === LabelKind.TEXT || kind[i] === LabelKind.CODE);

	order.sort((a, b) => running[b] - running[a] || a - b);
	order.forEach((label, place) => { rank[label] = place; });
	return rank;
}

function decodeLabels(data: ReportData["labels"]): Labels {
	const { n } = data;
	const table = decodeTable(data);
	const kind = u8(data.kind, n);

	return {
		...table,
		process: i32(data.process, n),
		kind,
		name: data.name,
		object: data.object,
		address: integers(data.address, n),
		unresolved: data.unresolved,
		coroutines: f64(data.coroutines, n),
		renamed: f64(data.renamed, n),
		min: f64(data.min, n),
		max: f64(data.max, n),
		p50: f64(data.p50, n),
		p95: f64(data.p95, n),
		p99: f64(data.p99, n),
		histogram: data.histogram,
		rank: rankLabels(kind, table.running),
	};
}

function decodeThreads(data: ReportData["threads"]): Threads {
	const { n } = data;

	return {
		...decodeTable(data),
		process: i32(data.process, n),
		tid: i32(data.tid, n),
		comm: data.comm,
		begin: f64(data.begin, n),
		end: f64(data.end, n),
		lost: f64(data.lost, n),
		outside: f64(data.outside, n),
		damaged: u8(data.damaged, n),
		check: u8(data.check, n),
		checkText: data.check_text,
		error: data.error,
	};
}

function decodeCoroutines(data: ReportData["coroutines"]): Coroutines {
	const { n } = data;

	return {
		...decodeTable(data),
		id: integers(data.id, n),
		parent: integers(data.parent, n),
		user: integers(data.user, n),
		process: i32(data.process, n),
		label: i32(data.label, n),
		flags: u8(data.flags, n),
		migrations: f64(data.migrations, n),
		threads: f64(data.threads, n),
		born: f64(data.born, n),
		first: f64(data.first, n),
		last: f64(data.last, n),
		max: f64(data.max, n),
	};
}

function decodeTimeline(data: ReportData["timeline"]): Timeline {
	const { n } = data;
	const first = Uint32Array.from(data.first);
	const begin = f64(data.gap, n);
	const end = f64(data.duration, n);
	const thread = new Uint32Array(n);

	for (let t = 0; t + 1 < first.length; t++) {
		let now = 0;

		for (let i = first[t]; i < first[t + 1]; i++) {
			begin[i] += now;
			now = end[i] += begin[i];
			thread[i] = t;
		}
	}
	return {
		n, first, begin, end, thread,
		preempted: f64(data.preempted, n),
		blocked: f64(data.blocked, n),
		coroutine: i32(data.coroutine, n),
		label: i32(data.label, n),
		slices: f64(data.slices, n),
		flags: u32(data.flags, n),
		valid: u8(data.valid, n),
		count: data.count.map((column) => f64(column, n)),
		resolution: Number(data.resolution),
	};
}

function decodeWakes(data: ReportData["wakes"]): Wakes {
	const { n } = data;

	return {
		n,
		waker: i32(data.waker, n),
		woken: i32(data.woken, n),
		count: f64(data.count, n),
		readyNs: f64(data.ready_ns, n),
		ready: f64(data.ready, n),
	};
}

export function decode(text: string): Profile {
	const data = JSON.parse(text) as ReportData;

	if (data.format !== FORMAT)
		throw new Error(`the data of this page is no ${FORMAT}`);
	if (data.version !== VERSION)
		throw new Error(`the data of this page is ${FORMAT} version ${data.version}; this page reads version ${VERSION}`);
	return {
		recording: data.recording,
		duration: Number(data.recording.duration),
		counters: data.counters,
		cycles: data.cycles,
		instructions: data.instructions,
		histogram: data.histogram,
		processes: data.processes,
		total: decodeTable(data.total),
		threads: decodeThreads(data.threads),
		labels: decodeLabels(data.labels),
		coroutines: decodeCoroutines(data.coroutines),
		timeline: decodeTimeline(data.timeline),
		wakes: decodeWakes(data.wakes),
	};
}
