// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings made up for tests, put into the report's template in the tables
 * that the reader describes: for what no small recording has, hostile names and
 * great numbers.
 */
import { readFileSync } from "node:fs";
import { dataFor, filledIn } from "./tables.mjs";

/* The same numbers every time: a linear congruential generator. */
export function random(seed) {
	let state = seed >>> 0;

	return (limit) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor(state / 4294967296 * limit);
	};
}

function zeroTable(n, counters) {
	const column = () => new Array(n).fill(0);

	return {
		n,
		times: {
			slices: column(), running: column(), preempted: column(), blocked: column(), idle: 0,
			nr_preempted: column(), nr_blocked: column(), gaps: column(), unseen_gaps: 0, cut_gaps: 0,
			suspended: column(), awaiting: column(), ready: column(), known: 0b101010,
		},
		values: counters.map(({ standing }) => ({
			standing, count: standing === 3 || standing === 2 ? column() : 0,
			...(standing === 2 ? { estimate: column(), share: 500000 } : {}),
		})),
	};
}

const COUNTERS = [
	{ name: "cycles", standing: 3 },
	{ name: "instructions", standing: 3 },
	{ name: "cache-misses", standing: 2 },
	{ name: "branch-misses", standing: 1 },
	{ name: "stalled-cycles-backend", standing: 0 },
];

function counterData({ name, standing }, threads) {
	return {
		name, kernel: false, pinned: false, time: false, in_session: true, channels: threads,
		failed: standing === 0 ? threads : 0,
		error: standing === 0 ? "this CPU, or its driver, has no such event (ENOENT)" : null,
	};
}

function addSlice(table, row, slice) {
	const { times, values } = table;

	times.slices[row]++;
	times.running[row] += slice.running;
	times.preempted[row] += slice.preempted;
	times.blocked[row] += slice.blocked;
	times.nr_preempted[row] += slice.preempted ? 1 : 0;
	times.nr_blocked[row] += slice.blocked ? 1 : 0;
	times.awaiting[row] += slice.awaiting;
	times.ready[row] += slice.ready;
	times.suspended[row] += slice.awaiting + slice.ready;
	times.gaps[row] += slice.awaiting % 3 ? 1 : 0;
	values.forEach((value, at) => {
		if (!Array.isArray(value.count))
			return;
		value.count[row] += slice.count[at];
		if (value.estimate)
			value.estimate[row] += 2 * slice.count[at];
	});
}

const EDGES = [0, 1, 2, 3, ...Array.from({ length: 164 }, (_, i) =>
	2 ** (2 + Math.floor(i / 4)) * (1 + (i % 4) / 4))];

function bucketOf(ns) {
	let bucket = 0;

	while (bucket + 1 < EDGES.length && EDGES[bucket + 1] <= ns)
		bucket++;
	return bucket;
}

/** A recording of @coroutines in @slices on @threads, with these @labels. */
export function fixture({ labels: names, threads = 4, coroutines = 300, slices = 4000, seed = 1, simulated = "simpmu" }) {
	const pick = random(seed);
	const labels = { ...zeroTable(names.length, COUNTERS), histogram: names.map(() => new Map()) };
	const all = zeroTable(1, COUNTERS);
	const lanes = zeroTable(threads, COUNTERS);
	const table = zeroTable(coroutines, COUNTERS);
	const timeline = { gap: 0, duration: [], preempted: [], blocked: [], coroutine: [], label: [], flags: [], count: [[], [], [], []] };
	const first = [0];
	const span = { first: new Array(coroutines).fill(-1), last: new Array(coroutines).fill(0), max: new Array(coroutines).fill(0) };
	const longest = names.map(() => 0);
	let end = 0;

	for (let thread = 0; thread < threads; thread++) {
		let now = 0;

		for (let i = 0; i < slices / threads; i++) {
			const coroutine = pick(8) ? pick(coroutines) : pick(Math.min(coroutines, 5));
			const label = coroutine % names.length;
			const running = 400 + (label + 1) * pick(9000) + (pick(50) ? 0 : pick(300000));
			const preempted = pick(12) ? 0 : pick(20000);
			const blocked = pick(9) ? 0 : pick(60000);
			const cycles = running * 3 + pick(100);
			const slice = {
				running, preempted, blocked, awaiting: pick(90000), ready: pick(9000),
				count: [cycles, Math.floor(cycles * (0.4 + (label % 5) * 0.4)), pick(40) * (label + 1)],
			};
			const duration = running + preempted + blocked;

			for (const [into, row] of [[all, 0], [labels, label], [lanes, thread], [table, coroutine]])
				addSlice(into, row, slice);
			const bucket = bucketOf(running);

			labels.histogram[label].set(bucket, (labels.histogram[label].get(bucket) ?? 0) + 1);
			longest[label] = Math.max(longest[label], running);
			timeline.duration.push(duration);
			timeline.preempted.push(preempted);
			timeline.blocked.push(blocked);
			timeline.coroutine.push(coroutine);
			timeline.label.push(label);
			timeline.flags.push(preempted || blocked ? 1 : 0);
			timeline.count.forEach((column, at) => column.push(slice.count[at] ?? 0));
			if (span.first[coroutine] < 0 || now < span.first[coroutine])
				span.first[coroutine] = now;
			now += duration;
			span.last[coroutine] = Math.max(span.last[coroutine], now);
			span.max[coroutine] = Math.max(span.max[coroutine], running);
		}
		end = Math.max(end, now);
		first.push(timeline.duration.length);
	}
	const rows = (n, make) => Array.from({ length: n }, (_, i) => make(i));
	const quantile = (label, share) => {
		const total = [...labels.histogram[label].values()].reduce((a, b) => a + b, 0);
		let seen = 0;

		for (const [bucket, count] of [...labels.histogram[label]].sort((a, b) => a[0] - b[0])) {
			seen += count;
			if (seen >= share * total)
				return EDGES[bucket + 1];
		}
		return 0;
	};

	return {
				recording: {
			file: "fixture.cprof", file_size: 123456, command: "./server --threads 4 --port 8080",
			host: "bench-7", kernel: "6.12.48-amd64", arch: "x86_64", pmu: "cpu", simulated, missing: null, not_recorded: null, cpus: 4,
			realtime_ms: 1763650000000, duration: end, ended: true, exit_status: 0, torn: null,
			torn_offset: 0, unread_bytes: 0, file_bytes: 65536, damage: [], damage_total: 0, lost: 0, unreported: 0, unreported_ns: 0,
			switch_cost: [{ ns: 132, instructions: 1210 }, { ns: null, instructions: null }],
			span_cost: [{ ns: null, instructions: null }, { ns: null, instructions: null }],
			naming: { ns: null, instructions: null },
			overhead_share: 0.0061, overhead_at_least: false, failed_checks: 0, dropped_counters: 0, folded_coroutines: 0,
			coroutines_total: coroutines, dropped_wakes: 0,
			info: [["tool", "coroprof-read 1.0.0"], ["cpus", "4"]],
		},
		counters: COUNTERS.map((counter) => counterData(counter, threads)),
		cycles: 0, instructions: 1, histogram: EDGES,
		processes: [{ id: 1, pid: 4711, comm: "server", coroutines }],
		total: all,
		threads: {
			...lanes, process: 0, tid: rows(threads, (i) => 4711 + i), comm: rows(threads, (i) => `worker-${i}`),
			begin: 0, end, lost: 0, outside: 0, damaged: 0, check: 1,
			check_text: rows(threads, () => null), error: rows(threads, () => null),
			mode: 0, sample_clock: 0, sample_error: rows(threads, () => null),
		},
		labels: {
			...labels, process: 0, kind: 1, name: names, object: names.map(() => null), address: 0,
			unresolved: names.map(() => null), renamed: 0, unreported: 0, unreported_ns: 0, min: 400, max: longest,
			coroutines: rows(names.length, (i) => Math.ceil((coroutines - i) / names.length)),
			p50: rows(names.length, (i) => quantile(i, 0.5)), p95: rows(names.length, (i) => quantile(i, 0.95)),
			p99: rows(names.length, (i) => quantile(i, 0.99)),
			histogram: labels.histogram.map((map) => [...map].sort((a, b) => a[0] - b[0]).flat()),
		},
		coroutines: {
			...table, id: rows(coroutines, (i) => i + 1), parent: rows(coroutines, (i) => i >> 1), tag: 0,
			process: 0, label: rows(coroutines, (i) => i % names.length), thread: -1, flags: 3,
			migrations: 0, threads: 1, born: span.first, ...span,
		},
		timeline: { n: timeline.duration.length, first, ...timeline, idle: 0, slices: 1, valid: 3, resolution: 0 },
		wakes: {
			n: names.length, waker: rows(names.length, (i) => (i + 1) % names.length),
			woken: rows(names.length, (i) => i), count: rows(names.length, (i) => 1000 - i),
			ready_ns: 5e6, ready: 900,
		},
		modes: threads ? [{ mode: 0, threads, why: "the recording was not to use user mode", found: null, fix: null }] : [],
	};
}

const STANDINGS = ["unsupported", "not scheduled", "scaled", "counted", "n/a"];
const KNOWN = ["n/a", "at least", "counted"];

const cells = (cells) => ({ cells });

/** Every row of a column, whether it is one number or not. */
function rowsOf(column, n) {
	return Array.isArray(column) ? column : new Array(n).fill(column);
}

/** Times, and counters, of a table; threads outside coroutines, @outside, have none between slices. */
function sums({ n, times, values }, outside = () => false) {
	const between = (key, shift) => ({
		cells: rowsOf(times[key], n).map((value, row) => outside(row) || !(times.known >> shift & 3) ? null : value),
		standing: Array.from({ length: n }, (_, row) => outside(row) ? "none" : KNOWN[times.known >> shift & 3]),
	});

	return {
		...Object.fromEntries(["slices", "running", "preempted", "blocked", "idle", "nr_preempted", "nr_blocked", "gaps", "unseen_gaps", "cut_gaps"].map((key) =>
			[key, cells(times[key])])),
		suspended: between("suspended", 0), awaiting: between("awaiting", 2), ready: between("ready", 4),
		...counted(values, n), ...ratios(values, n),
	};
}

/** Columns of each counter, with @prefix. */
export function counted(values, n, prefix = "", bound = () => false) {
	return Object.assign({}, ...values.map(({ standing, count, estimate, share }, at) => {
		const name = prefix + COUNTERS[at].name;
		const stands = rowsOf(standing, n);
		const there = (of) => rowsOf(of, n).map((value, row) => stands[row] === 2 || stands[row] === 3 ? value : null);
		const said = stands.map((of, row) => !bound(row) || of < 2 || of > 3 ? STANDINGS[of]
			: of === 2 ? "at most, scaled" : "at most");

		return {
			[name]: { cells: there(estimate ?? count), standing: said },
			[name + "_counted"]: { cells: there(count) },
			[name + "_on_pmu"]: { cells: there((share ?? 1e6) / 1e6) },
		};
	}));
}

/** Instructions per cycle, and misses per 1000 of them. */
function ratios([cycles, instructions, ...others], n) {
	const best = ({ estimate, count }) => rowsOf(estimate ?? count, n).map(Number);
	const ratio = ({ standing, ...values }, under, factor, over = best(values)) => ({
		cells: over.map((value, row) => standing < 2 || !under[row] ? null : factor * value / under[row]),
		standing: over.map((_, row) => standing < 2 || !under[row] ? "n/a" : standing === 2 ? "scaled" : "counted"),
	});

	return Object.assign({ ipc: ratio(instructions, best(cycles), 1) }, ...others.map((values, at) =>
		COUNTERS[at + 2].name.includes("misses")
			? { [`${COUNTERS[at + 2].name}_per_1000_instructions`]: ratio(values, best(instructions), 1000) } : {}));
}

/** Figures of spans; own ones are upper bounds where @at_most is 1. */
function spanSums({ n, at_most: atMost, values, own_values: own, ...figures }) {
	const bound = (row) => rowsOf(atMost, n)[row] === 1;
	const standing = Array.from({ length: n }, (_, row) => bound(row) ? "at most" : "counted");

	return {
		...Object.fromEntries(["calls", "outermost", "wall", "running"].map((key) => [key, cells(figures[key] ?? 0)])),
		own_wall: { cells: figures.own_wall, standing }, own_running: { cells: figures.own_running, standing },
		...counted(values, n), ...own ? counted(own, n, "own_", bound) : {},
	};
}

/** A list of objects as a table. */
function listed(list, names = Object.keys(list[0] ?? {})) {
	return { rows: list.length, columns: Object.fromEntries(names.map((name) => [name, cells(list.map((each) => each[name]))])) };
}

const edge = (bucket) => EDGES[bucket] ?? null;

function lengths({ histogram }) {
	return listed(histogram.flatMap((of, label) => Array.from({ length: of.length / 2 }, (_, at) =>
		({ label, from: edge(of[2 * at]), below: edge(of[2 * at] + 1), slices: of[2 * at + 1] }))), ["label", "from", "below", "slices"]);
}

const indices = (column) => ({ cells: Array.isArray(column) ? column.map((at) => at < 0 ? null : at) : column < 0 ? null : column });

/** The only place that knows which column of the reader's tables is which figure of a recording made up. */
function tablesOf(data) {
	const { recording: r, total, labels, threads, coroutines, timeline, wakes, samples, spans, modes, processes } = data;
	const flags = rowsOf(coroutines.flags, coroutines.n);
	const isThread = (row) => !!(flags[row] & 4);
	const gap = rowsOf(timeline.gap, timeline.n);
	const begin = [];
	const lane = [];

	timeline.first.slice(1).forEach((end, thread) => {
		for (let i = timeline.first[thread], now = 0; i < end; i++) {
			begin.push(now += gap[i]);
			now += timeline.duration[i];
			lane.push(thread);
		}
	});
	return {
		recording: { rows: 1, columns: {
			...sums(total),
			...Object.fromEntries(["file", "command", "host", "kernel", "arch", "simulated", "missing", "not_recorded", "torn", "torn_offset",
				"cpus", "lost", "unreported", "failed_checks", "dropped_counters", "folded_coroutines", "dropped_wakes",
				"unread_bytes"].map((key) => [key, cells(r[key])])),
			unrecorded: cells(null), note: cells(r.info.find(([key]) => key === "note")?.[1] ?? null), file_size: cells(r.file_bytes),
			began: cells(r.realtime_ms === null ? null : r.realtime_ms * 1e6), duration: cells(r.duration),
			ended: cells(r.ended ? 1 : 0), exit_status: cells(r.exit_status < 0 ? null : r.exit_status >> 8),
			damaged: cells(r.damage_total), unreported_running: cells(r.unreported_ns), coroutines: cells(r.coroutines_total),
			overhead_share: { cells: r.overhead_share, standing: r.overhead_share === null ? "n/a" : r.overhead_at_least ? "at least" : "counted" },
			recordings: cells(0), nothing: cells(null), remedy: cells(null), part_begin: cells(0),
			timeline_resolution: cells(timeline.resolution), sampled: cells(samples ? 1 : 0),
			...samples ? {
				sample_event: cells(samples.event), sample_period: cells(samples.period || null),
				sample_frequency: cells(samples.frequency || null), sample_stack_max: cells(samples.stack_max),
				sample_note: cells(samples.note), samples: cells(samples.kept), lost_samples: cells(samples.lost),
				throttled: cells(samples.throttled), unsampled: cells(samples.unsampled),
			} : {},
			spans: cells(spans?.calls ?? 0), lost_spans: cells(spans?.lost ?? 0), dropped_spans: cells(spans?.dropped ?? 0),
			impossible_spans: cells(spans?.impossible ?? 0),
		} },
		counters: { rows: COUNTERS.length, columns: {
			name: cells(COUNTERS.map(({ name }) => name)), role: cells(COUNTERS.map((_, at) => [1, 2][at] ?? 0)),
			time: cells(0), kernel: cells(0), threads: cells(threads.n), failed: cells(data.counters.map(({ failed }) => failed)),
			error: cells(data.counters.map(({ error }) => error)),
		} },
		costs: { rows: 5, columns: {
			operation: cells([0, 0, 1, 1, 3]), mode: cells([0, 1, 0, 1, null]),
			...Object.fromEntries(["ns", "instructions"].map((key) =>
				[key, cells([...r.switch_cost, ...r.span_cost, r.naming].map((cost) => cost[key]))])),
		} },
		info: listed(r.info.map(([name, value]) => ({ name, value })), ["name", "value"]),
		damage: listed(r.damage, ["text"]),
		compared: listed([], ["name"]),
		modes: { ...listed(modes, ["mode", "threads", "why", "found", "fix"]),
			titles: modes.map(({ mode, why }) => mode ? "from user mode" : `by ioctl: ${why}`) },
		processes: { ...listed(processes.map(({ pid, comm, lacks = null }) => ({ pid, name: comm, lacks })), ["pid", "name", "lacks"]),
			titles: processes.map(({ pid, comm }) => `${comm} ${pid}`) },
		threads: { rows: threads.n, titles: threads.comm.map((name, at) => `${name} ${rowsOf(threads.tid, threads.n)[at]}`), columns: {
			...sums(threads, () => true), process: cells(threads.process), tid: cells(threads.tid), name: cells(threads.comm),
			begin: cells(threads.begin), end: cells(threads.end), lost: cells(threads.lost), outside: cells(threads.outside),
			damaged: cells(threads.damaged), sums: cells(threads.check), sums_why: cells(threads.check_text),
			error: cells(threads.error), switches: cells(threads.mode), sample_error: cells(threads.sample_error),
			sample_clock: cells(threads.sample_clock), samples: cells(threads.samples ?? null), lost_samples: cells(threads.lost_samples ?? null),
		} },
		labels: { rows: labels.n, columns: {
			...sums(labels, () => labels.kind === 3), process: cells(labels.process), kind: cells(labels.kind), name: cells(labels.name),
			object: cells(labels.object), unresolved: cells(labels.unresolved), coroutines: cells(labels.coroutines),
			renamed: cells(labels.renamed), unreported: cells(labels.unreported), unreported_running: cells(labels.unreported_ns),
			longest: cells(labels.max), p50: cells(labels.p50), p95: cells(labels.p95), p99: cells(labels.p99),
			samples: cells(labels.samples ?? null),
		} },
		lengths: lengths(labels),
		coroutines: { rows: coroutines.n, columns: {
			...sums(coroutines, isThread), id: cells(coroutines.id), parent: cells(coroutines.parent), tag: cells(coroutines.tag),
			process: cells(coroutines.process), label: cells(coroutines.label), thread: indices(coroutines.thread),
			flags: cells(coroutines.flags), migrations: cells(coroutines.migrations), threads: cells(coroutines.threads),
			born: indices(coroutines.born), first: indices(coroutines.first), last: cells(coroutines.last), longest: cells(coroutines.max),
			samples: cells(coroutines.samples ?? null),
		} },
		timeline: { rows: timeline.n, columns: {
			thread: cells(lane), begin: cells(begin),
			...Object.fromEntries(["duration", "preempted", "blocked", "idle", "slices", "flags"].map((key) => [key, cells(timeline[key])])),
			coroutine: indices(timeline.coroutine), label: indices(timeline.label),
			...Object.fromEntries(timeline.count.map((count, at) =>
				[COUNTERS[at].name, cells(timeline.valid & 1 << at ? count : null)])),
		} },
		wakes: { rows: wakes.n, columns: {
			waker: indices(wakes.waker), woken: indices(wakes.woken), count: cells(wakes.count),
			ready: cells(wakes.ready_ns), timed: cells(wakes.ready),
		} },
		...samples ? {
			functions: { rows: samples.frames.n, columns: Object.fromEntries(["kind", "name", "object", "unresolved", "own", "total"].map((key) =>
				[key, cells(samples.frames[key])])) },
			label_functions: { rows: samples.by_label.n, columns: {
				label: cells(samples.by_label.label), function: cells(samples.by_label.frame),
				own: cells(samples.by_label.own), total: cells(samples.by_label.total),
			} },
			sample_tree: { rows: samples.tree.n, columns: {
				parent: indices(samples.tree.parent), label: cells(samples.tree.label), function: cells(samples.tree.frame),
				own: cells(samples.tree.own), total: cells(samples.tree.total),
			} },
		} : {},
		...spans ? {
			spans: { rows: spans.table.n, columns: { ...spanSums(spans.table), process: cells(spans.table.process),
				name: cells(spans.table.name), object: cells(spans.table.object), unresolved: cells(spans.table.unresolved) } },
			label_spans: { rows: spans.by_label.n, columns: { ...spanSums(spans.by_label), label: cells(spans.by_label.label),
				span: cells(spans.by_label.span) } },
			span_tree: { rows: spans.tree.n, columns: { ...spanSums(spans.tree), label: cells(spans.tree.label),
				parent: indices(spans.tree.parent), span: indices(spans.tree.span) } },
		} : {},
	};
}

/* What the reader says its tables are: data of a page that it wrote. */
let reader;

export function describedBy(data) {
	reader = data;
}

/** The page for @data. @change may still alter what goes into it. */
export function page(template, data, change = () => {}) {
	const raw = dataFor(reader, tablesOf(data), COUNTERS.map(({ name }) => name), {
		version: data.version, shown: { samples: !!data.samples, unreported: !!data.recording.unreported, process: data.processes.length > 1 },
	});

	change(raw);
	return filledIn(readFileSync(template, "utf8"), raw);
}
