// SPDX-License-Identifier: GPL-2.0
/*
 * A part of a recording, in each form: its sums are those of what was generated, by the rule of coroprof-tables(5), and
 * its slices are at the recording's own times. What was generated is told by truth-gen; the reader has no part in that.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { tablesIn } from "../e2e/rows.mjs";
import { test } from "../e2e/tap.mjs";
import { argument, ask, missing as perfettoMissing, ON_THREADS } from "./perfetto.mjs";
import { exported, lacks, modules, out, run } from "./support.mjs";

const NAME = "truth";
const TIMES = ["running", "preempted", "blocked", "idle"];
const COUNTERS = ["cycles", "instructions", "cache-misses", "branch-misses"];
const KEYS = [...TIMES, "slices", ...COUNTERS];

/* ---- what was generated, and what of it is in a part */

function generated() {
	const labels = {}, threads = {}, slices = [];

	for (const line of run(join(modules, "truth-gen"), [join(out, `${NAME}.cprof`), "server"]).trim().split("\n")) {
		const [what, ...rest] = line.split(" ");

		if (what === "label")
			labels[rest[0]] = rest.slice(1).join(" ");
		else if (what === "thread")
			threads[rest[0]] = { tid: Number(rest[1]), begin: BigInt(rest[2]) };
		else
			slices.push(rest);
	}
	const first = Object.values(threads).map(({ begin }) => begin).reduce((a, b) => a < b ? a : b);

	return slices.map(([thread, label, outside, time, duration, preempted, blocked, ...counts]) => ({
		tid: threads[thread].tid, name: labels[label], outside: outside === "1", begin: Number(BigInt(time) - BigInt(duration) - first),
		duration: Number(duration), preempted: Number(preempted), blocked: Number(blocked), counts: counts.map(Number),
	}));
}

const upTo = (sum, at, all) => all ? Number(BigInt(sum) * BigInt(at) / BigInt(all)) : 0;
const share = (sum, [from, to, all]) => all ? upTo(sum, to, all) - upTo(sum, from, all) : sum;

function piece(slice, [from, to]) {
	const end = slice.begin + slice.duration;

	if (slice.duration ? end <= from || slice.begin >= to : slice.begin < from || slice.begin >= to)
		return undefined;
	return [Math.max(from, slice.begin) - slice.begin, Math.min(to, end) - slice.begin, slice.duration];
}

function figures(slice, of) {
	const off = slice.preempted + slice.blocked;
	const away = [upTo(off, of[0], of[2]), upTo(off, of[1], of[2]), off];
	const gone = away[1] - away[0], asleep = off ? share(slice.blocked, away) : 0;

	return { running: of[1] - of[0] - gone, preempted: gone - asleep, [slice.outside ? "idle" : "blocked"]: asleep, slices: 1,
		...Object.fromEntries(COUNTERS.map((name, i) => [name, share(slice.counts[i], of)])) };
}

/** Of each label its sums, without those that are 0, how many slices are cut, and of these were off the CPU; and each slice. */
function truth(all, window) {
	const sums = {}, slices = [], marks = {};
	let cut = 0;

	for (const slice of all) {
		const of = piece(slice, window);

		if (!of)
			continue;
		slices.push([slice.tid, slice.begin + of[0], of[1] - of[0], slice.name]);
		const isCut = of[1] - of[0] < slice.duration;

		cut += isCut;
		add(marks, slice.name, "cut", +isCut);
		add(marks, slice.name, "shared", +(isCut && slice.preempted + slice.blocked > 0));
		for (const [key, value] of Object.entries(figures(slice, of)))
			add(sums, slice.name, key, value);
	}
	return { sums, slices, cut, marks };
}

function add(sums, name, key, value) {
	if (value)
		(sums[name] ??= {})[key] = (sums[name][key] ?? 0) + value;
}

/* ---- what the forms say */

const text = (end, args) => readFileSync(exported(NAME, end, args).file, "utf8");

function fromRows(rows) {
	const sums = {};

	for (const row of rows)
		for (const key of KEYS)
			add(sums, row.name, key, Number(row[key] ?? 0));
	return { sums };
}

function folded(args) {
	const sums = {};

	for (const key of KEYS)
		for (const [, name, value] of text(`-${key}.folded`, [...args, "--weight", key]).matchAll(/^(.*) (\d+)$/gmu))
			add(sums, name, key, Number(value));
	return { sums };
}

/* "cycles (scaled)": in both parts slices are cut that were off the CPU, and so it is of each but of how many there are. */
function weightOf(name) {
	const weight = name.replace(/ \(.*/u, "");

	if (KEYS.includes(weight))
		assert.equal(name, weight === "slices" ? weight : `${weight} (scaled)`);
	return weight;
}

function speedscope(args) {
	const { shared: { frames }, profiles } = JSON.parse(text(".part.speedscope.json", args));
	const sums = {};

	for (const { name, samples, weights } of profiles.filter(({ name: weight }) => KEYS.includes(weightOf(weight))))
		samples.forEach((stack, i) => add(sums, frames[stack.at(-1)].name, weightOf(name), weights[i]));
	return { sums };
}

function callgrind(args) {
	const names = {}, sums = {};
	let events = [], name;

	for (const line of text(".part.callgrind", args).split("\n")) {
		const [, is, rest] = line.match(/^(events: |fn=)?(.*)$/u);

		if (is === "events: ") {
			events = rest.trim().split(" ").map((event) => event.replace("_", "-"));
		} else if (is) {
			const [, id, said] = rest.match(/^\((\d+)\) ?(.*)$/u);

			name = names[id] ||= said;
		} else if (name && /^\d/u.test(line)) {
			line.split(" ").slice(1).forEach((value, i) => KEYS.includes(events[i]) && add(sums, name, events[i], Number(value)));
		}
	}
	return { sums };
}

/** Fields of a message of protobuf: numbers, or bytes, by their numbers. */
function message(bytes) {
	const fields = {};
	let at = 0;

	const varint = () => {
		let value = 0n;

		for (let shift = 0n; ; shift += 7n) {
			const byte = bytes[at++];

			value |= BigInt(byte & 127) << shift;
			if (byte < 128)
				return Number(value);
		}
	};

	while (at < bytes.length) {
		const tag = varint();

		assert.ok([0, 2].includes(tag & 7), `wire type ${tag & 7}`);
		const value = tag & 7 ? varint() : undefined;

		(fields[tag >> 3] ??= []).push(tag & 7 ? bytes.subarray(at, at += value) : varint());
	}
	return fields;
}

function packed(bytes) {
	const numbers = [];

	for (let at = 0; at < bytes.length;) {
		let value = 0n;

		for (let shift = 0n; ; shift += 7n) {
			value |= BigInt(bytes[at] & 127) << shift;
			if (bytes[at++] < 128)
				break;
		}
		numbers.push(Number(value));
	}
	return numbers;
}

const numbersOf = (list = []) => list.flatMap((value) => typeof value === "number" ? [value] : packed(value));

/* By profile.proto: 1 sample_type, 2 sample, 4 location, 5 function, 6 string_table. */
function pprof(args) {
	const profile = message(gunzipSync(readFileSync(exported(NAME, ".part.pb.gz", args).file)));
	const strings = profile[6].map((bytes) => Buffer.from(bytes).toString());
	const types = profile[1].map((bytes) => strings[message(bytes)[1][0]]);
	const functions = Object.fromEntries(profile[5].map(message).map((fields) => [fields[1][0], strings[fields[2][0]]]));
	const locations = Object.fromEntries(profile[4].map(message).map((fields) => [fields[1][0], functions[message(fields[4][0])[1][0]]]));
	const sums = {};

	for (const sample of profile[2].map(message))
		numbersOf(sample[2]).forEach((value, i) => KEYS.includes(types[i]) && add(sums, locations[numbersOf(sample[1])[0]], types[i], value));
	return { sums };
}

/** Slices with their facts, as Chrome's events and markers of Firefox have them. */
function fromSlices(rows) {
	const sums = {};

	for (const { name, duration, facts } of rows) {
		const off = ["preempted", "blocked", "idle"].map((state) => facts[`${state}_ns`] ?? 0);

		add(sums, name, "running", duration - off.reduce((a, b) => a + b, 0));
		["preempted", "blocked", "idle"].forEach((state, i) => add(sums, name, state, off[i]));
		add(sums, name, "slices", 1);
		COUNTERS.forEach((key) => add(sums, name, key, facts[key]));
	}
	return { sums, slices: rows.map(({ tid, begin, duration, name }) => [tid, begin, duration, name]) };
}

function chrome(args) {
	const { traceEvents } = JSON.parse(text(".part.trace.json", args));

	/* What viewers show are times since the first. */
	assert.equal(Math.min(...traceEvents.flatMap(({ ts }) => ts ?? [])), 0, "the trace begins when the recording does");
	return fromSlices(traceEvents.filter(({ cat }) => cat === "slice")
		.map(({ tid, ts, dur, name, args: facts }) => ({ tid, begin: Math.round(1000 * ts), duration: Math.round(1000 * dur), name, facts })));
}

function perfetto(args) {
	const keys = ["preempted_ns", "blocked_ns", "idle_ns", ...COUNTERS];
	const [[{ begin, first }], rows] = ask(exported(NAME, ".part.pftrace", args).file,
		"select (select clock_value from clock_snapshot where clock_name = 'MONOTONIC') begin, (select start_ts from trace_bounds) first",
		`select tid, s.ts, s.dur, s.name, ${keys.map((key, i) => `${argument(key)} fact${i}`).join()} ${ON_THREADS} where s.name not in ('wake', 'recording')`);

	assert.equal(first, begin, "the trace begins when the recording does");
	return fromSlices(rows.map(({ tid, ts, dur, name, ...facts }) =>
		({ tid, begin: ts - begin, duration: dur, name, facts: Object.fromEntries(keys.map((key, i) => [key, facts[`fact${i}`]])) })));
}

const nanoseconds = (ms) => Math.round(ms * 1e6);

function firefox(args) {
	const { threads } = JSON.parse(text(".part.firefox.json", args));
	const { sums, slices } = fromSlices(threads.flatMap(({ tid, stringArray, markers: { data, name, startTime, endTime } }) => data.flatMap((facts, i) =>
		facts.type === "slice" ? [{ tid, begin: nanoseconds(startTime[i]), duration: nanoseconds(endTime[i]) - nanoseconds(startTime[i]), name: stringArray[name[i]], facts }] : [])));
	const weights = {};

	for (const { name: weight, stringArray, samples, stackTable, frameTable, funcTable } of threads.filter(({ name }) => KEYS.includes(weightOf(name))))
		samples.stack.forEach((stack, i) => add(weights, stringArray[funcTable.name[frameTable.func[stackTable.frame[stack]]]], weightOf(weight),
			samples.weightType === "tracing-ms" ? nanoseconds(samples.weight[i]) : samples.weight[i]));
	assert.deepEqual(weights, sums, "sums, and slices");
	return { sums, slices };
}

/** The table of labels: no text in it has a comma. */
function csvRows(args) {
	const [titles, ...rows] = text(".part.csv", [...args, "--table", "labels"]).trim().split("\r\n").map((line) => line.split(","));

	return rows.map((cells) => Object.fromEntries(titles.map((title, i) => [title, cells[i]])));
}

const csv = (args) => fromRows(csvRows(args));

/** A table as text: between columns are two spaces at least. */
function textRows(table, columns, args) {
	const lines = text(".part.txt", [...args, "--table", table, "--columns", columns.join()]).split("\n");
	const first = lines.lastIndexOf("", lines.length - 2) + 1;
	const [titles, ...rows] = lines.slice(first).filter((line) => line && !/^and \d+ more/u.test(line)).map((line) => line.trim().split(/ {2,}/u));

	return rows.map((cells) => Object.fromEntries(titles.map((title, i) => [title, cells[i]])));
}

function json(args) {
	const { labels, recording: { rows: [{ slices, cut }] } } = tablesIn(text(".part.json", args));
	const { timeline } = tablesIn(text(".part.json", [...args, "--table", "timeline"]));

	return { ...fromRows(labels.rows), said: { slices, cut },
		slices: timeline.rows.filter(({ slices: n }) => n).map(({ thread_name: thread, begin, duration, label_name: name }) => [tidOf(thread), begin, duration, name]) };
}

/* "worker-0 4242" */
const tidOf = (thread) => Number(thread.match(/\d+$/u)[0]);

function sqlite(args) {
	const { file } = exported(NAME, ".part.slices.db", args);
	const rows = (sql) => JSON.parse(run("sqlite3", ["-json", file, sql]));

	return { ...fromRows(rows("SELECT * FROM labels")), slices: rows("SELECT thread_name, begin, duration, label_name FROM timeline WHERE slices")
		.map((row) => [tidOf(row.thread_name), row.begin, row.duration, row.label_name]) };
}

function openmetrics(args) {
	const file = text(".part.openmetrics", args);
	const rows = {};

	for (const key of KEYS)
		for (const [, name, value] of file.matchAll(new RegExp(`^coroprof_labels_${key.replace("-", "_")}${TIMES.includes(key) ? "_seconds" : ""}\\{name="([^"]*)"[^}]*\\} (\\S+)`, "gmu")))
			(rows[name] ??= { name })[key] = TIMES.includes(key) ? Math.round(Number(value) * 1e9) : Number(value);
	return fromRows(Object.values(rows));
}

const FORMS = { folded, speedscope, callgrind, pprof, chrome, perfetto, firefox, csv, json, sqlite, openmetrics };
const LACKS = { perfetto: () => perfettoMissing, sqlite: () => lacks("sqlite3", "sqlite3") };

/** Within a slice that was blocked, and across many. */
function windows(all) {
	const blocked = all.filter(({ outside, blocked: ns }) => !outside && ns).reduce((a, b) => a.blocked > b.blocked ? a : b);
	const quarter = Math.floor(blocked.duration / 4);

	return [[blocked.begin + quarter, blocked.begin + 3 * quarter], [100e6 + 1, 200.3e6 + 7]];
}

const inOrder = (slices) => slices.map((slice) => slice.join(" ")).sort();

const partOf = (window) => ["--from", `${window[0]}ns`, "--to", `${window[1]}ns`];

const UNITS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, k: 1e3, M: 1e6, G: 1e9 };

/** A figure of text, which has three digits. */
function near(shown, want) {
	const [, number, unit] = shown.match(/([\d.]+) ?([a-zA-Z]*)$/u);

	return Math.abs(Number(number) * (UNITS[unit] ?? 1) - want) <= Math.max(0.5, 0.0051 * want);
}

/** What is a share is marked, in text as in no other form. */
function textTest(all) {
	for (const window of windows(all)) {
		const { sums, marks, cut, slices } = truth(all, window);
		const rows = textRows("labels", [...KEYS, "cut"], partOf(window));

		assert.deepEqual(rows.map(({ label }) => label).sort(), Object.keys(sums).sort());
		for (const row of rows) {
			const of = marks[row.label] ?? {};

			for (const key of [...KEYS, "cut"]) {
				const want = key === "cut" ? of.cut ?? 0 : sums[row.label][key] ?? 0;
				const isShare = COUNTERS.includes(key) ? of.cut : TIMES.includes(key) && of.shared;

				assert.ok(near(row[key], want), `${row.label}: ${key} is ${row[key]}, not ${want}`);
				assert.equal(row[key].startsWith("~"), !!isShare, `${row.label}: ${key} ${row[key]}`);
			}
		}
		assert.match(text(".part.txt", partOf(window)), new RegExp(`^slices +${slices.length}, ${cut} of them cut`, "mu"));
	}
}

/** By --exact what would be a share is n/a, and nothing else is. */
function exactTest(all) {
	let [refused, kept] = [0, 0];

	for (const window of windows(all)) {
		const { sums, marks, cut, slices } = truth(all, window);

		for (const row of csvRows([...partOf(window), "--exact"]))
			for (const key of [...KEYS, "cut"]) {
				const { cut: isCut, shared } = marks[row.name] ?? {};

				if (COUNTERS.includes(key) ? isCut : TIMES.includes(key) && shared) {
					assert.deepEqual([row[key], row[`${key}_standing`]], ["", "n/a"], `${row.name}: ${key}`);
					refused++;
				} else {
					assert.equal(Number(row[key]), key === "cut" ? isCut ?? 0 : sums[row.name][key] ?? 0, `${row.name}: ${key}`);
					kept++;
				}
			}
		const said = text(".part.txt", [...partOf(window), "--exact"]);

		assert.match(said, new RegExp(`^slices +${slices.length}, ${cut} of them cut`, "mu"));
		assert.match(said, /^counters +cycles +n\/a where slices are cut/mu);
	}
	assert.ok(refused > 10 && kept > 10, `${refused} n/a, ${kept} known`);
}

/** From the begin of a slice to its end, as text has these, it is whole, and nothing of its thread is cut. */
function timesTest(all) {
	const rows = textRows("worst", ["what", "begin", "end", "thread"], ["--top", "20"]).filter(({ what }) => what === "held");

	assert.ok(rows.length >= 10, `${rows.length} slices`);
	for (const { begin, end, thread } of rows.slice(0, 10)) {
		const { timeline } = tablesIn(text(".part.json", ["--from", begin, "--to", end, "--table", "timeline"]));
		const own = timeline.rows.filter((row) => row.thread_name === thread && row.slices);
		const made = all.find((slice) => slice.tid === tidOf(thread) && slice.begin === own[0].begin);

		assert.equal(own.length, 1, `from ${begin} to ${end} ${thread} has ${own.length}`);
		assert.equal(own[0].duration, made?.duration, `${thread} from ${begin}`);
	}
}

export async function partTests() {
	const all = generated();

	for (const [form, read] of Object.entries(FORMS))
		await test(`part: sums and times in ${form} of a part are those of what was generated`, () => {
			const lacking = LACKS[form]?.();

			if (lacking)
				return lacking;
			for (const window of windows(all)) {
				const want = truth(all, window);
				const { sums, slices, said } = read(partOf(window));

				assert.ok(want.cut > 2, String(want.cut));
				assert.deepEqual(sums, want.sums);
				if (slices)
					assert.deepEqual(inOrder(slices), inOrder(want.slices));
				if (said)
					assert.deepEqual(said, { slices: want.slices.length, cut: want.cut });
			}
			return undefined;
		});
	await test("part: sums and times in text of a part are those of what was generated, and shares are marked", () => textTest(all));
	await test("part: by --exact what would be a share is n/a, and all else is as it was generated", () => exactTest(all));
	await test("part: what text tells of when a slice was, given to --from and --to, leaves that slice", () => timesTest(all));
	await test("part: that folded stacks are of slices that are cut is said where they are made", () => {
		const [window] = windows(all);
		const { said } = exported(NAME, "-cycles.folded", [...partOf(window), "--weight", "cycles"]);
		const { slices, cut } = truth(all, window);

		assert.match(said, new RegExp(`: ${cut} of ${slices.length} slices are cut at the edges of this part, and what they counted is shared by time`));
		assert.doesNotMatch(exported(NAME, "-cycles.folded", ["--weight", "cycles"]).said, /cut/);
	});
}
