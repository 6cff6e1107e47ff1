// SPDX-License-Identifier: GPL-2.0
/* The recording in memory: typed arrays. */

import { CounterData, Integer, ModeData, ProcessData, RecordingData } from "./contract";
import { Tree } from "./tree";

export const Standing = { UNSUPPORTED: 0, NOT_SCHEDULED: 1, SCALED: 2, COUNTED: 3, ABSENT: 4 } as const;

export const STANDING_TEXT = ["unsupported", "not scheduled", "scaled", "counted", "n/a"];

export const Known = { NA: 0, AT_LEAST: 1, EXACT: 2 } as const;

export const LabelKind = { NONE: 0, TEXT: 1, CODE: 2, THREAD: 3, OTHER: 4 } as const;

export const Frame = { FUNCTION: 0, OBJECT: 1, UNKNOWN: 2, KERNEL: 3, CUT: 4, OTHER: 5 } as const;

export const Switch = { IOCTL: 0, USER: 1 } as const;

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
	mode: Int32Array;
	sampleError: (string | null)[];
	sampleClock: Uint8Array;
	/** Null when the recording was to take no samples; likewise below. */
	samples: Float64Array | null;
	lostSamples: Float64Array | null;
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
	/** Slices in which switches were not told, and their running time. */
	missed: Float64Array;
	missedTime: Float64Array;
	min: Float64Array;
	max: Float64Array;
	p50: Float64Array;
	p95: Float64Array;
	p99: Float64Array;
	histogram: Integer[][];
	/** Place among the labels by running time, -1 for those that are no kind of coroutine. */
	rank: Int32Array;
	samples: Float64Array | null;
}

export interface Coroutines extends Table {
	id: Integer[];
	parent: Integer[];
	user: Integer[];
	process: Int32Array;
	label: Int32Array;
	thread: Int32Array;
	flags: Uint8Array;
	migrations: Float64Array;
	threads: Float64Array;
	born: Float64Array;
	first: Float64Array;
	last: Float64Array;
	max: Float64Array;
	samples: Float64Array | null;
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

export interface Samples {
	event: string | null;
	period: number;
	frequency: number;
	stackMax: number;
	note: string | null;
	kept: number;
	lost: number;
	throttled: number;
	unsampled: number;
	frames: {
		n: number; kind: Uint8Array; name: string[]; object: (string | null)[]; unresolved: (string | null)[];
		own: Float64Array; total: Float64Array;
	};
	byLabel: { n: number; label: Int32Array; frame: Int32Array; own: Float64Array; total: Float64Array };
	/** Names are frames. */
	tree: Tree;
	/** Of each node of the tree. */
	own: Float64Array;
	total: Float64Array;
}

/** Figures of spans: all from their begin to their end, and @own without the spans in them. */
export interface SpanSums {
	n: number;
	calls: Float64Array;
	wall: Float64Array;
	ownWall: Float64Array;
	running: Float64Array;
	ownRunning: Float64Array;
	atMost: Uint8Array;
	values: Values[];
}

export interface SpanTable extends SpanSums {
	outermost: Float64Array;
	ownValues: Values[];
}

export interface Spans {
	calls: number;
	lost: number;
	dropped: number;
	impossible: number;
	table: SpanTable & { process: Int32Array; name: string[]; object: (string | null)[]; unresolved: (string | null)[] };
	byLabel: SpanTable & { label: Int32Array; span: Int32Array };
	/** Names are spans. */
	tree: Tree;
	/** Its rows are the rows of the data: see Tree.row(). */
	nodes: SpanSums;
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
	modes: ModeData[];
	samples: Samples | null;
	spans: Spans | null;
}

/** Whether the label stands for threads outside any coroutine. */
export function isOutside(profile: Profile, label: number): boolean {
	return label !== NONE && profile.labels.kind[label] === LabelKind.THREAD;
}

/** Whether the row of the coroutine table is a thread's own slot. */
export function isThreadSlot(profile: Profile, coroutine: number): boolean {
	return (profile.coroutines.flags[coroutine] & CoroutineFlag.THREAD) !== 0;
}
