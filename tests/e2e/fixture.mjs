// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings made up for tests, put into the report's template as the reader
 * would: for what no small recording has, hostile names and great numbers.
 */
import { readFileSync } from "node:fs";

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
			slices: column(), running: column(), preempted: column(), blocked: column(),
			nr_preempted: column(), nr_blocked: column(), gaps: column(), unseen_gaps: 0,
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
		format: "coroprof-report", version: 2,
		recording: {
			file: "fixture.cprof", file_size: 123456, command: "./server --threads 4 --port 8080",
			host: "bench-7", kernel: "6.12.48-amd64", arch: "x86_64", pmu: "cpu", simulated, missing: null, cpus: 4,
			realtime_ms: 1763650000000, duration: end, ended: true, exit_status: 0, torn: null,
			torn_offset: 0, unread_bytes: 0, file_bytes: 65536, damage: [], damage_total: 0, lost: 0, missed: 0, missed_ns: 0,
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
			unresolved: names.map(() => null), renamed: 0, missed: 0, missed_ns: 0, min: 400, max: longest,
			coroutines: rows(names.length, (i) => Math.ceil((coroutines - i) / names.length)),
			p50: rows(names.length, (i) => quantile(i, 0.5)), p95: rows(names.length, (i) => quantile(i, 0.95)),
			p99: rows(names.length, (i) => quantile(i, 0.99)),
			histogram: labels.histogram.map((map) => [...map].sort((a, b) => a[0] - b[0]).flat()),
		},
		coroutines: {
			...table, id: rows(coroutines, (i) => i + 1), parent: rows(coroutines, (i) => i >> 1), user: 0,
			process: 0, label: rows(coroutines, (i) => i % names.length), thread: -1, flags: 3,
			migrations: 0, threads: 1, born: span.first, ...span,
		},
		timeline: { n: timeline.duration.length, first, ...timeline, slices: 1, valid: 3, resolution: 0 },
		wakes: {
			n: names.length, waker: rows(names.length, (i) => (i + 1) % names.length),
			woken: rows(names.length, (i) => i), count: rows(names.length, (i) => 1000 - i),
			ready_ns: 5e6, ready: 900,
		},
		modes: threads ? [{ mode: 0, threads, why: "the recording was not to use user mode", found: null, fix: null }] : [],
	};
}

/** The page for @data. */
export function page(template, data) {
	const text = JSON.stringify(data).replace(/[<\u2028\u2029]/g, (c) =>
		`\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

	return readFileSync(template, "utf8").replace("@DATA@", () => text);
}
