// SPDX-License-Identifier: GPL-2.0
/*
 * The data in a report, as the reader's html.c writes it: see README.md. The
 * meaning of each member is that of the one of like name in reader/profile/model.h;
 * points in time are nanoseconds since the recording began.
 */

export const FORMAT = "coroprof-report";
export const VERSION = 2;

/** A whole number; a string when it is beyond 2^53. */
export type Integer = number | string;

/** One column of a table: a number alone stands for that number in all rows. */
export type Column = Integer | Integer[];

export interface TimesData {
	slices: Column;
	running: Column;
	preempted: Column;
	blocked: Column;
	nr_preempted: Column;
	nr_blocked: Column;
	gaps: Column;
	unseen_gaps: Column;
	suspended: Column;
	awaiting: Column;
	ready: Column;
	/** How well the last three are known: two bits each, 0 n/a, 1 at least, 2 exact. */
	known: Column;
}

export interface ValuesData {
	/** 0..3 as COROPROF_STANDING, 4: no slice carried the counter. */
	standing: Column;
	count: Column;
	/** Only when some row is scaled. */
	estimate?: Column;
	/** Likewise: parts of a million of the running time. */
	share?: Column;
}

export interface TableData {
	n: number;
	times: TimesData;
	/** One for each counter. */
	values: ValuesData[];
}

export interface CounterData {
	name: string;
	kernel: boolean;
	pinned: boolean;
	/** It counts nanoseconds. */
	time: boolean;
	in_session: boolean;
	channels: number;
	failed: number;
	error: string | null;
}

export interface RecordingData {
	file: string | null;
	file_size: Integer;
	command: string | null;
	host: string | null;
	kernel: string | null;
	arch: string | null;
	pmu: string | null;
	simulated: string | null;
	/** What is not recorded, and why. */
	missing: string | null;
	cpus: number;
	/** Unix time in milliseconds when it began. */
	realtime_ms: number | null;
	duration: Integer;
	ended: boolean;
	exit_status: number;
	torn: string | null;
	torn_offset: Integer;
	/** Bytes of the file that could not be read, and of all of it. */
	unread_bytes: Integer;
	file_bytes: Integer;
	damage: { offset: Integer; thread: number; text: string }[];
	damage_total: Integer;
	lost: Integer;
	/** Slices in which switches were not told, and their running time. */
	missed: Integer;
	missed_ns: Integer;
	/** Of a switch and of a span, by ioctl and from user mode. */
	switch_cost: CostData[];
	span_cost: CostData[];
	/** What an adapter did to find names for coroutines, all of it. */
	naming: CostData;
	overhead_share: number | null;
	/** The cost of some is not known and not in it. */
	overhead_at_least: boolean;
	failed_checks: number;
	dropped_counters: number;
	folded_coroutines: Integer;
	coroutines_total: Integer;
	dropped_wakes: Integer;
	info: [string, string][];
}

export interface ProcessData {
	id: number;
	pid: number;
	comm: string;
	coroutines: Integer;
}

export interface ThreadsData extends TableData {
	process: Column;
	tid: Column;
	comm: string[];
	begin: Column;
	end: Column;
	lost: Column;
	outside: Column;
	damaged: Column;
	/** 0 not checked, 1 the slices sum to the thread's own figures, 2 they don't. */
	check: Column;
	check_text: (string | null)[];
	error: (string | null)[];
	/** Index of its row in modes. */
	mode: Column;
	/** Why it has no samples, or, with sample_clock, samples of cpu-clock in place of the event. */
	sample_error: (string | null)[];
	sample_clock: Column;
	/** Only when the recording was to take samples; likewise in the next two. */
	samples?: Column;
	lost_samples?: Column;
}

export interface LabelsData extends TableData {
	/** -1: of all processes. */
	process: Column;
	/** As enum model_label_kind. */
	kind: Column;
	name: string[];
	object: (string | null)[];
	address: Column;
	unresolved: (string | null)[];
	coroutines: Column;
	renamed: Column;
	missed: Column;
	missed_ns: Column;
	min: Column;
	max: Column;
	p50: Column;
	p95: Column;
	p99: Column;
	/** For each label: bucket, count, bucket, count ... of the buckets not empty. */
	histogram: Integer[][];
	samples?: Column;
}

export interface CoroutinesData extends TableData {
	id: Column;
	parent: Column;
	user: Column;
	process: Column;
	label: Column;
	/** Of a thread's own slot: index of the thread; else -1. */
	thread: Column;
	flags: Column;
	migrations: Column;
	threads: Column;
	born: Column;
	first: Column;
	last: Column;
	max: Column;
	samples?: Column;
}

export interface TimelineData {
	n: number;
	/** Index of each thread's first slice, and the end of the last thread's. */
	first: number[];
	/** Time from the end of the thread's slice before, or from the start. */
	gap: Column;
	duration: Column;
	preempted: Column;
	blocked: Column;
	/** Index, -1 for none; likewise the label. */
	coroutine: Column;
	label: Column;
	slices: Column;
	flags: Column;
	valid: Column;
	count: Column[];
	/** Slices shorter than this may have been merged; 0: none was. */
	resolution: Integer;
}

export interface WakesData {
	n: number;
	waker: Column;
	woken: Column;
	count: Column;
	ready_ns: Column;
	ready: Column;
}

/** Threads that switch in the same way, for one reason. */
export interface ModeData {
	/** 0 by ioctl, 1 from user mode. */
	mode: number;
	threads: number;
	/** With 0: why, what was found there, and what mends it. */
	why: string | null;
	found: string | null;
	fix: string | null;
}

/** What one operation costs, null where that was not measured. */
export interface CostData {
	ns: number | null;
	instructions: number | null;
}

/** Calls within calls: a row's parent, -1 for none, comes before it. */
export interface TreeData {
	n: number;
	parent: Column;
	/** Of the coroutines. */
	label: Column;
}

export interface SamplesData {
	/** What overflowed. */
	event: string | null;
	/** One each so many counts, or 0. */
	period: Integer;
	/** So many a second, or 0. */
	frequency: Integer;
	stack_max: number;
	note: string | null;
	/** In the recording. */
	kept: Integer;
	lost: Integer;
	throttled: Integer;
	/** Threads that could not be sampled. */
	unsampled: number;
	frames: {
		n: number;
		/** As enum model_frame_kind. */
		kind: Column;
		name: string[];
		object: (string | null)[];
		unresolved: (string | null)[];
		own: Column;
		total: Column;
	};
	by_label: { n: number; label: Column; frame: Column; own: Column; total: Column };
	tree: TreeData & { frame: Column; own: Column };
}

export interface SpanSumsData {
	n: number;
	calls: Column;
	wall: Column;
	own_wall: Column;
	running: Column;
	own_running: Column;
	/** 1: its own figures are upper bounds. */
	at_most: Column;
	values: ValuesData[];
}

export interface SpanTableData extends SpanSumsData {
	outermost: Column;
	own_values: ValuesData[];
}

export interface SpansData {
	calls: Integer;
	lost: Integer;
	dropped: Integer;
	impossible: Integer;
	table: SpanTableData & {
		process: Column;
		name: string[];
		object: (string | null)[];
		unresolved: (string | null)[];
	};
	by_label: SpanTableData & { label: Column; span: Column };
	/** A @span of -1 stands for spans that were not seen to end. */
	tree: TreeData & SpanSumsData & { span: Column };
}

export interface ReportData {
	format: string;
	version: number;
	recording: RecordingData;
	counters: CounterData[];
	/** Indices of the counters that IPC is made of, -1 for none. */
	cycles: number;
	instructions: number;
	/** Where each histogram bucket begins, in ns. */
	histogram: number[];
	processes: ProcessData[];
	/** One row: everything. */
	total: TableData;
	threads: ThreadsData;
	labels: LabelsData;
	coroutines: CoroutinesData;
	timeline: TimelineData;
	wakes: WakesData;
	modes: ModeData[];
	/** Only when the recording was to take some. */
	samples?: SamplesData;
	/** Only when the recording has some. */
	spans?: SpansData;
}
