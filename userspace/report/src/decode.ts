// SPDX-License-Identifier: GPL-2.0
/* Makes a profile of the data in the page, once. */

import {
	Column, FORMAT, Integer, ReportData, SamplesData, SpansData, SpanSumsData, SpanTableData, TableData,
	TimesData, TreeData, ValuesData, VERSION,
} from "./contract";
import {
	Standing, Known, LabelKind, NONE, Values, Table, Threads, Labels, Coroutines, Timeline, Wakes, Samples,
	SpanSums, SpanTable, Spans, Profile,
} from "./profile";
import { Tree } from "./tree";

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

const ifThere = (column: Column | undefined, n: number) => column === undefined ? null : f64(column, n);

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
		missed: f64(data.missed, n),
		missedTime: f64(data.missed_ns, n),
		min: f64(data.min, n),
		max: f64(data.max, n),
		p50: f64(data.p50, n),
		p95: f64(data.p95, n),
		p99: f64(data.p99, n),
		histogram: data.histogram,
		rank: rankLabels(kind, table.running),
		samples: ifThere(data.samples, n),
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
		mode: i32(data.mode, n),
		sampleError: data.sample_error,
		sampleClock: u8(data.sample_clock, n),
		samples: ifThere(data.samples, n),
		lostSamples: ifThere(data.lost_samples, n),
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
		thread: i32(data.thread, n),
		flags: u8(data.flags, n),
		migrations: f64(data.migrations, n),
		threads: f64(data.threads, n),
		born: f64(data.born, n),
		first: f64(data.first, n),
		last: f64(data.last, n),
		max: f64(data.max, n),
		samples: ifThere(data.samples, n),
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

function decodeTree(data: TreeData, name: Column): Tree {
	const { n } = data;

	return new Tree(i32(data.parent, n), i32(data.label, n), i32(name, n));
}

function decodeSamples(data: SamplesData): Samples {
	const { frames, by_label: byLabel } = data;
	const tree = decodeTree(data.tree, data.tree.frame);
	const own = tree.lift(f64(data.tree.own, data.tree.n));

	return {
		event: data.event, period: Number(data.period), frequency: Number(data.frequency),
		stackMax: data.stack_max, note: data.note, kept: Number(data.kept), lost: Number(data.lost),
		throttled: Number(data.throttled), unsampled: data.unsampled,
		frames: {
			...frames, kind: u8(frames.kind, frames.n),
			own: f64(frames.own, frames.n), total: f64(frames.total, frames.n),
		},
		byLabel: {
			n: byLabel.n, label: i32(byLabel.label, byLabel.n), frame: i32(byLabel.frame, byLabel.n),
			own: f64(byLabel.own, byLabel.n), total: f64(byLabel.total, byLabel.n),
		},
		tree, own, total: tree.sumUp(own),
	};
}

function decodeSums(data: SpanSumsData): SpanSums {
	const { n } = data;

	return {
		n,
		calls: f64(data.calls, n),
		wall: f64(data.wall, n),
		ownWall: f64(data.own_wall, n),
		running: f64(data.running, n),
		ownRunning: f64(data.own_running, n),
		atMost: u8(data.at_most, n),
		values: data.values.map((values) => decodeValues(values, n)),
	};
}

function decodeSpanTable(data: SpanTableData): SpanTable {
	return {
		...decodeSums(data),
		outermost: f64(data.outermost, data.n),
		ownValues: data.own_values.map((values) => decodeValues(values, data.n)),
	};
}

function decodeSpans({ calls, lost, dropped, impossible, table, by_label: byLabel, tree }: SpansData): Spans {
	return {
		calls: Number(calls), lost: Number(lost), dropped: Number(dropped), impossible: Number(impossible),
		table: {
			...decodeSpanTable(table), process: i32(table.process, table.n),
			name: table.name, object: table.object, unresolved: table.unresolved,
		},
		byLabel: {
			...decodeSpanTable(byLabel), label: i32(byLabel.label, byLabel.n), span: i32(byLabel.span, byLabel.n),
		},
		tree: decodeTree(tree, tree.span), nodes: decodeSums(tree),
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
		modes: data.modes,
		samples: data.samples ? decodeSamples(data.samples) : null,
		spans: data.spans ? decodeSpans(data.spans) : null,
	};
}
