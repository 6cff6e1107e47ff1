// SPDX-License-Identifier: GPL-2.0
/* Samples and spans, made up, for a recording made up. */
import { random } from "./fixture.mjs";

const FUNCTIONS = ["main_loop", "handle_request", "parse_headers", "route", "render_template", "db_execute",
	"std::map<std::string, std::vector<int>>::find", "memcpy", "malloc", "json_escape", "utf8_validate", "hash_bytes"];

/** Trees of calls: for each label some, parents before children; the first @chain of them each in the one before. */
function trees(labels, names, nodes, pick, chain = 0) {
	const tree = { n: 0, parent: [], label: [], name: [] };

	for (let label = 0; label < labels; label++) {
		const first = tree.n;

		for (let i = 0; i < nodes; i++) {
			const parent = i < 2 ? -1 : i < chain ? first + i - 1 : first + Math.max(0, i - 1 - pick(Math.min(i, 6)));

			tree.parent.push(parent);
			tree.label.push(label);
			tree.name.push(i === 0 ? 0 : pick(names));
			tree.n++;
		}
	}
	return tree;
}

/** Sums of @own over trees, by name and, with @label, of one label: each outermost once. */
function byName(tree, total, count, label) {
	const sums = new Array(count).fill(0);

	for (let node = 0; node < tree.n; node++) {
		let above = tree.parent[node];

		if (label !== undefined && tree.label[node] !== label)
			continue;
		while (above >= 0 && tree.name[above] !== tree.name[node])
			above = tree.parent[above];
		if (above < 0)
			sums[tree.name[node]] += total[node];
	}
	return sums;
}

function sumUp(tree, own) {
	const total = [...own];

	for (let node = tree.n - 1; node >= 0; node--)
		if (tree.parent[node] >= 0)
			total[tree.parent[node]] += total[node];
	return total;
}

function ownByName(tree, own, count, label) {
	const sums = new Array(count).fill(0);

	own.forEach((value, node) => {
		if (label === undefined || tree.label[node] === label)
			sums[tree.name[node]] += value;
	});
	return sums;
}

/** Adds samples to @data. */
export function addSamples(data, { nodes = 60, seed = 5, lost = 0, throttled = 0, names: functions = FUNCTIONS } = {}) {
	const pick = random(seed);
	const names = [...functions, "[kernel]", "[libssl.so.3]"];
	const { name: frame, ...tree } = trees(data.labels.n, names.length, nodes, pick);
	const named = { ...tree, name: frame };
	const own = frame.map(() => pick(3) ? pick(900) : 0);
	const total = sumUp(named, own);
	const rows = [];

	for (let label = 0; label < data.labels.n; label++) {
		const [of, all] = [ownByName(named, own, names.length, label), byName(named, total, names.length, label)];

		names.forEach((_, at) => all[at] && rows.push({ label, frame: at, own: of[at], total: all[at] }));
	}
	const kept = own.reduce((a, b) => a + b, 0);

	data.samples = {
		event: "cycles", period: 100003, frequency: 0, stack_max: 48, note: null, kept, lost, throttled, unsampled: 0,
		frames: {
			n: names.length, kind: names.map((name) => ({ "[kernel]": 3, "[libssl.so.3]": 1 }[name] ?? 0)), name: names,
			object: names.map((_, at) => at < 7 ? "/usr/bin/server" : "/lib/libc.so.6"),
			unresolved: names.map((name) => name === "[libssl.so.3]" ? "it has no symbols" : null),
			own: ownByName(named, own, names.length), total: byName(named, total, names.length),
		},
		by_label: { n: rows.length, ...Object.fromEntries(["label", "frame", "own", "total"].map((key) =>
			[key, rows.map((row) => row[key])])) },
		tree: { ...tree, frame, own, total },
	};
	data.labels.samples = data.labels.name.map((_, label) => own.reduce((sum, value, node) =>
		sum + (tree.label[node] === label ? value : 0), 0));
	data.coroutines.samples = 0;
	data.threads.samples = 0;
	data.threads.lost_samples = lost;
	return data;
}

/** Counters as those of @data stand: counted, scaled, and not at all. */
function counted(data, count) {
	return data.total.values.map(({ standing }) => ({
		standing, count: standing >= 2 && standing < 4 ? count : 0,
		...(standing === 2 ? { estimate: count.map((value) => 2 * value), share: 500000 } : {}),
	}));
}

/** Adds spans to @data; in the last label's some were lost. */
export function addSpans(data, { nodes = 40, seed = 6, lost = 3, chain = 0, names = FUNCTIONS } = {}) {
	const pick = random(seed);
	const { name: span, ...tree } = trees(data.labels.n, names.length, nodes, pick, chain);
	const named = { ...tree, name: span };
	const calls = span.map(() => 1 + pick(500));
	const ownRunning = calls.map((n) => n * (200 + pick(3000)));
	const ownWall = ownRunning.map((ns) => ns + pick(2 * ns));
	const atMost = (label) => lost && label === data.labels.n - 1 ? 1 : 0;
	const [wall, running] = [sumUp(named, ownWall), sumUp(named, ownRunning)];
	const cycles = (column) => column.map((ns) => 3 * ns);
	const figures = (label) => {
		const own = (column) => ownByName(named, column, names.length, label);
		const all = (column) => byName(named, column, names.length, label);

		return {
			calls: own(calls), outermost: all(calls), wall: all(wall), own_wall: own(ownWall),
			running: all(running), own_running: own(ownRunning),
		};
	};
	const table = { n: names.length, ...figures(), at_most: lost ? 1 : 0 };
	const byLabel = { n: 0, label: [], span: [], at_most: [], calls: [], outermost: [], wall: [], own_wall: [], running: [], own_running: [] };

	for (let label = 0; label < data.labels.n; label++) {
		const of = figures(label);

		names.forEach((_, at) => {
			if (!of.calls[at])
				return;
			byLabel.n++;
			byLabel.label.push(label);
			byLabel.span.push(at);
			byLabel.at_most.push(atMost(label));
			for (const key of Object.keys(of))
				byLabel[key].push(of[key][at]);
		});
	}
	const withValues = (sums) => ({ ...sums, values: counted(data, cycles(sums.running)), own_values: counted(data, cycles(sums.own_running)) });

	data.spans = {
		calls: calls.reduce((a, b) => a + b, 0), lost, dropped: 0, impossible: 0,
		table: { ...withValues(table), process: 0, name: names, object: names.map(() => "/usr/bin/server"),
			unresolved: names.map(() => null) },
		by_label: withValues(byLabel),
		tree: { ...tree, span, calls, wall, own_wall: ownWall, running, own_running: ownRunning,
			at_most: tree.label.map(atMost), values: counted(data, cycles(running)), own_values: counted(data, cycles(ownRunning)) },
	};
	return data;
}

/** Threads that switch from user mode, but for the last. */
export function addModes(data) {
	const { n } = data.threads;

	data.modes = [
		{ mode: 1, threads: n - 1, why: null, found: null, fix: null },
		{ mode: 0, threads: 1, why: "perf_event_open() is not permitted", found: "kernel.perf_event_paranoid is 3",
			fix: "sysctl kernel.perf_event_paranoid=2" },
	];
	data.threads.mode = Array.from({ length: n }, (_, thread) => thread === n - 1 ? 1 : 0);
	data.recording.switch_cost[1] = { ns: 11, instructions: 96 };
	data.recording.naming = { ns: 3400000, instructions: 3140000 };
	data.recording.span_cost = [{ ns: 290, instructions: 2400 }, { ns: 24, instructions: 190 }];
	return data;
}
