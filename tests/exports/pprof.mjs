// SPDX-License-Identifier: GPL-2.0
/* pprof files, as Go's pprof reads them. */
import assert from "node:assert/strict";
import { test } from "../e2e/tap.mjs";
import { byLabel, exported, lacks, model, run, sum, sumByName } from "./support.mjs";

const missing = lacks("go", "golang-go");
const pprof = (file, ...args) => run("go", ["tool", "pprof", "-symbolize=none", ...args, file]);

const isNot0 = (row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value));

function pprofTest(name, body) {
	return test(`pprof: ${name}`, () => missing ?? body());
}

/** Figures of -top, by function: flat, or with @cumulative that. */
function top(file, type, unit, { cumulative = false, args = [] } = {}) {
	const text = pprof(file, "-top", "-nodecount=10000", "-nodefraction=0", `-sample_index=${type}`, `-unit=${unit}`, ...args);
	const found = {};

	for (const [, flat, cum, name] of text.matchAll(/^ *(-?[\d.]+)(?:ns)? +-?[\d.]+% +-?[\d.]+% +(-?[\d.]+)(?:ns)? +-?[\d.]+%  (.*)$/gm))
		found[name] = Number(cumulative ? cum : flat);
	return found;
}

/** Samples as pprof -raw shows them: values by type, and labels; and what unit each type has. */
function raw(file) {
	const text = pprof(file, "-raw");
	const [, types, body] = text.match(/^Samples:\n(.*)\n([\s\S]*?)^Locations/m);
	const names = types.trim().split(" ").map((type) => type.replace(/\/.*/u, ""));
	const units = types.trim().split(" ").map((type) => type.replace(/.*\/|\[.*/gu, ""));
	const samples = [];

	for (const line of body.split("\n")) {
		const values = line.match(/^ *([-\d ]+): [\d ]*$/u);

		if (values) {
			const numbers = values[1].trim().split(/ +/u).map(Number);

			samples.push({ values: Object.fromEntries(names.map((name, i) => [name, numbers[i]])), labels: {} });
		}
		for (const [, key, text] of values ? [] : line.matchAll(/(\w+):\[([^\]]*)\]/gu))
			samples.at(-1).labels[key] = text;
	}
	return { names, units, samples };
}

function sumsTests() {
	return pprofTest("time by state and counters of each label are those of the table", () => {
		const data = model("server");
		const { file } = exported("server", ".pb.gz");

		for (const key of ["running", "preempted", "blocked", "idle"])
			assert.deepEqual(top(file, key, "ns"), byLabel(data, key), key);
		/* A thread outside coroutines waits for nothing. */
		for (const key of ["suspended", "awaiting", "ready"])
			assert.deepEqual(top(file, key, "ns"), byLabel({ labels: data.labels.filter(({ kind }) => kind !== "thread") }, key), key);
		for (const { name } of data.counters)
			assert.deepEqual(top(file, name, "count"), byLabel(data, name), name);
		assert.deepEqual(top(file, "slices", "count"), byLabel(data, "slices"));
	});
}

function standingTests() {
	return pprofTest("what is scaled is marked, what is unsupported is no 0", () => {
		const data = model("standings");
		const { file } = exported("standings", ".pb.gz");
		const { names, samples: all } = raw(file);
		const samples = all.filter(({ labels }) => labels.coroutine || labels.thread);
		const marked = (mark, type) => samples.filter(({ labels }) => labels[mark]?.split(" ").includes(type)).length;
		const standing = (column, word) => data.coroutines.filter((row) => row[`${column}_standing`] === word).length;

		assert.ok(names.includes("cache-misses"));
		assert.ok(!names.includes("branch-misses"), names.join());
		assert.match(pprof(file, "-comments"), /counters: branch-misses +unsupported/);
		assert.match(pprof(file, "-comments"), /counters: cache-misses +scaled: estimated from [\d.]+ % of the running time/);
		assert.equal(samples.length, data.coroutines.length);
		assert.ok(standing("cache-misses", "scaled") && standing("cache-misses", "not scheduled"));
		assert.equal(marked("scaled", "cache-misses"), standing("cache-misses", "scaled"));
		assert.equal(marked("not_scheduled", "cache-misses"), standing("cache-misses", "not scheduled"));
		assert.equal(sum(samples.map(({ values }) => values["cache-misses"])), sum(data.coroutines.map((row) => row["cache-misses"])));
		/* A thread outside coroutines waits for nothing. */
		assert.ok(standing("awaiting", "n/a"));
		assert.equal(marked("na", "awaiting"), standing("awaiting", "n/a") + standing("awaiting", "none"));
		assert.equal(marked("at_least", "ready"), standing("ready", "at least"));
	});
}

/** Figures that are all known in part, and those that lost slices, or spans, are no part of. */
function lossTests() {
	return pprofTest("what losses touch is marked, and nothing else", () => {
		const has = ({ labels }, mark, type) => !!labels[mark]?.split(" ").includes(type);
		const { samples } = raw(exported("lost", ".pb.gz").file);
		const calls = raw(exported("calls-lost", ".pb.gz").file).samples;
		const spans = calls.filter(({ values }) => values.span_calls);

		assert.equal(samples.length, model("lost").coroutines.length);
		for (const type of ["slices", "running", "blocked", "cycles"])
			assert.ok(samples.every((sample) => has(sample, "at_least", type)), type);
		assert.ok(spans.length && spans.every((sample) => has(sample, "at_least", "span_calls")));
		assert.ok(spans.some((sample) => has(sample, "scaled", "span_running")));
		assert.ok(calls.filter(({ values }) => values.samples).every((sample) => has(sample, "at_least", "samples")));
		assert.ok(!calls.some((sample) => has(sample, "at_least", "running") || has(sample, "at_least", "slices")));
		assert.ok(!raw(exported("calls", ".pb.gz").file).samples.some(({ labels }) => labels.at_least));
	});
}

/* What pprof says of a figure of this standing. */
const MARKS = { scaled: "scaled", "at least": "at_least", "not scheduled": "not_scheduled", unsupported: "unsupported", "n/a": "na", none: "na" };

function coroutineTests() {
	return pprofTest("each coroutine has a sample with its figures, their standing, its process, label and thread", () => {
		for (const name of ["processes", "own-counters", "standings", "processes+standings"]) {
			const { names, units, samples: all } = raw(exported(name, ".pb.gz").file);
			/* What else there is is the rest of a label, see restTests(). */
			const samples = all.filter(({ values }) => values.slices);
			const { coroutines, timeline } = model(name);
			const ran = new Map(timeline.map(({ coroutine, thread_name: thread }) => [coroutine, thread]));
			const key = ({ process, coroutine, thread }) => `${process}: ${coroutine ?? `outside on ${thread}`}`;
			const byKey = new Map(samples.map((sample) => [key(sample.labels), sample]));

			assert.equal(byKey.size, coroutines.length, name);
			assert.deepEqual(units.filter((unit) => unit !== "count"), Array(7).fill("nanoseconds"));
			for (const [i, row] of coroutines.entries()) {
				const marks = {};
				const wanted = { process: row.process_name, label: row.label_name };

				if (!row.flags.includes("thread"))
					wanted.coroutine = String(row.id);
				if (row.threads === 1 && row.migrations === 0)
					wanted.thread = ran.get(i);
				for (const type of names)
					if (MARKS[row[`${type}_standing`]])
						(marks[MARKS[row[`${type}_standing`]]] ??= []).push(type);
				for (const [mark, types] of Object.entries(marks))
					wanted[mark] = types.join(" ");
				const { values, labels } = byKey.get(key({ process: row.process_name, coroutine: wanted.coroutine, thread: ran.get(i) }));

				assert.deepEqual(labels, wanted);
				assert.deepEqual(values, Object.fromEntries(names.map((type) => [type, row[type] ?? 0])), JSON.stringify(wanted));
			}
		}
	});
}

/** Coroutines that ran only while a counter was not on the PMU have no estimate; their label has. */
function restTests() {
	return pprofTest("counters that are scaled, or missing on a machine, sum to what the tables have of each label", () => {
		for (const name of ["standings", "processes+standings"]) {
			const { counters, labels, recording: [total] } = model(name);
			const { file } = exported(name, ".pb.gz");
			const comments = pprof(file, "-comments");
			const { samples } = raw(file);

			for (const { name: counter } of counters.filter(({ name: counter }) => labels.some((row) => row[counter]))) {
				assert.deepEqual(isNot0(top(file, counter, "count")), isNot0(sumByName(labels, counter)), `${name}: ${counter}`);
				const all = sum(labels.map((row) => row[counter] ?? 0));

				assert.equal(sum(samples.map(({ values }) => values[counter])), all, `${name}: ${counter}`);
				assert.equal(comments.includes(`${counter}: estimates of labels, which sum to ${all}; of all together it is ${total[counter]}`),
					all !== total[counter], `${name}: ${counter}`);
			}
		}
		const { coroutines, labels } = model("standings");

		assert.ok(sum(coroutines.map((row) => row["cache-misses"] ?? 0)) !== sum(labels.map((row) => row["cache-misses"] ?? 0)));
	});
}

/** Where the counter is nowhere on a machine, nobody knows what it would have counted there. */
function atLeastTests() {
	return pprofTest("what ran where there is no such counter is not estimated", () => {
		const { labels, recording: [both] } = model("processes+standings");

		assert.ok(labels.some((row) => row["branch-misses"]) && labels.some((row) => row["branch-misses_standing"] === "unsupported"));
		assert.deepEqual([both["branch-misses"], both["branch-misses_standing"]],
			[sum(labels.map((row) => row["branch-misses_counted"] ?? 0)), "at least"]);
	});
}

/* Where slices were lost, some gaps are known in part. */
function boundTests() {
	return pprofTest("what is at least so much is marked", () => {
		const { samples } = raw(exported("lost", ".pb.gz").file);
		const byId = new Map(samples.map(({ labels }) => [labels.coroutine, labels.at_least?.split(" ") ?? []]));

		for (const type of ["suspended", "awaiting", "ready"]) {
			const rows = model("lost").coroutines.filter(({ flags }) => !flags.includes("thread"));

			assert.ok(rows.some((row) => row[`${type}_standing`] === "at least"));
			for (const row of rows)
				assert.equal(byId.get(String(row.id)).includes(type), row[`${type}_standing`] === "at least", `${type} of ${row.id}`);
		}
	});
}

function labelTests() {
	return pprofTest("-tags, -tagfocus and -traces find coroutines, labels and threads", () => {
		const { file } = exported("calls", ".pb.gz");
		const tags = pprof(file, "-tags", "-unit=ns");

		for (const tag of ["coroutine", "label", "thread", "process"])
			assert.match(tags, new RegExp(`^ *${tag}: Total 80000000(\\.0)?ns`, "m"));
		assert.match(tags, /^ *40000000(\.0)?ns \(50\.00%\): odd$/m);
		assert.match(tags, /^ *40000000(\.0)?ns \(50\.00%\): calls 78$/m);
		assert.deepEqual(top(file, "running", "ns", { args: ["-tagfocus=coroutine=^203$"] }), { odd: 5000000 });
		assert.deepEqual(top(file, "cycles", "count", { args: ["-tagfocus=label=even"] }), { even: 120000000 });
		assert.match(pprof(file, "-traces", "-sample_index=running", "-tagfocus=coroutine=^101$", "-unit=ns"),
			/coroutine: +101\n +5000000ns +odd\n/);
	});
}

function callTests() {
	return pprofTest("spans and samples have the figures of their tables", () => {
		const { file } = exported("calls", ".pb.gz");

		/* As in the page's table of calls-gen: own figures, and with those below. */
		assert.deepEqual(top(file, "span_running", "ns"), { inner: 16000000, outer: 16000000, even: 0, odd: 0 });
		assert.equal(top(file, "span_running", "ns", { cumulative: true }).outer, 32000000);
		const spans = model("calls").label_spans.map((row) => ({ ...row, name: row.span_name }));

		for (const [type, unit] of [["wall", "ns"], ["running", "ns"], ["cycles", "count"]])
			assert.deepEqual(isNot0(top(file, `span_${type}`, unit)), sumByName(spans, `own_${type}`), type);
		assert.equal(top(file, "span_calls", "count").inner, 1600);
		assert.equal(top(file, "span_instructions", "count").outer, 64000000);
		const own = top(file, "samples", "count");

		assert.deepEqual([own.gen_serve, own.gen_parse, own.gen_leaf, own["[kernel]"]], [240, 240, 240, 80]);
		assert.equal(top(file, "samples", "count", { cumulative: true }).gen_parse, 532);
		assert.match(pprof(file, "-raw"), /^PeriodType: cycles count\nPeriod: 300000$/m);
	});
}

function differenceTests() {
	return pprofTest("-diff_base of a recording and itself is nothing, and of another is the difference", () => {
		const { file } = exported("server", ".pb.gz");
		const base = exported("lost", ".pb.gz").file;
		const more = byLabel(model("server"), "running"), less = byLabel(model("lost"), "running");
		const found = top(file, "running", "ns", { args: [`-diff_base=${base}`] });

		assert.deepEqual(found, Object.fromEntries(Object.keys(more).map((label) => [label, more[label] - (less[label] ?? 0)])));
		assert.equal(sum(Object.values(top(file, "running", "ns", { args: [`-diff_base=${file}`] }))), 0);
	});
}

function remarkTests() {
	return pprofTest("comments tell what was lost, what simulated, and why nothing is there", () => {
		const [{ slices, lost }] = model("lost").recording;
		const comments = pprof(exported("lost", ".pb.gz").file, "-comments");

		assert.ok(lost > 0);
		assert.match(comments, new RegExp(`^slices: ${slices}, lost ${lost} `, "m"));
		const [{ nothing, remedy }] = model("empty").recording;

		assert.ok(pprof(exported("empty", ".pb.gz").file, "-comments").includes(`\nNOTHING: ${nothing}\nNOTHING: ${remedy}\n`));
		assert.match(comments, /^n\/a: samples$/m);
		const [{ began, duration }] = model("lost").recording;
		const [, time] = pprof(exported("lost", ".pb.gz").file, "-raw").match(/^Time: (\S+ \S+ \S+)/m);
		const [, ms] = pprof(exported("lost", ".pb.gz").file, "-top").match(/^Duration: ([\d.]+)ms,/m);

		assert.equal(Date.parse(time), Math.floor(Number(began) / 1e9) * 1000);
		assert.equal(ms, (duration / 1e6).toFixed(2));
		assert.match(comments, /^SIMULATED: the counts come from a simulated PMU/m);
		assert.match(pprof(exported("calls-lost", ".pb.gz").file, "-comments"), /^spans: 2396, lost 4$/m);
	});
}

export async function pprofTests() {
	await sumsTests();
	await standingTests();
	await lossTests();
	await coroutineTests();
	await restTests();
	await atLeastTests();
	await boundTests();
	await labelTests();
	await callTests();
	await differenceTests();
	await remarkTests();
}
