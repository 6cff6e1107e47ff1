// SPDX-License-Identifier: GPL-2.0
/* Trace events of Chrome, as Perfetto's trace_processor reads them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { byLabel, exported, model, sumByName } from "./support.mjs";
import { argument, ask, object, OF_PROCESSES, ofProcesses, ON_THREADS, rowsOf, slicesOf, slicesWanted, traceTest } from "./perfetto.mjs";

export async function chromeTests() {
	await traceTest("chrome: slices of each label on each thread are those of the table", () => {
		const data = model("server");
		const { file } = exported("server", ".trace.json");
		const [errors, counts, running, cycles, threads] = ask(file,
			"select name, value from stats where severity = 'error' and value > 0",
			`select s.name, count(*) value ${ON_THREADS} where category = 'slice' group by 1`,
			`select s.name, sum(dur - ${argument("preempted_ns")} - ${argument("blocked_ns")} - coalesce(${argument("idle_ns")}, 0)) value ${ON_THREADS} where category = 'slice' group by 1`,
			`select s.name, sum(${argument("cycles")}) value ${ON_THREADS} where category = 'slice' group by 1`,
			`select tid, thread.name, sum(dur) ns, min(ts) first, max(ts + dur) last ${ON_THREADS} where category = 'slice' group by 1, 2 order by 1`);

		assert.deepEqual(errors, []);
		assert.deepEqual(object(counts), byLabel(data, "slices"));
		assert.deepEqual(object(running), byLabel(data, "running"));
		assert.deepEqual(object(cycles), byLabel(data, "cycles"));
		assert.deepEqual(threads.map(({ tid, name, ns }) => [tid, name, ns]), [...data.threads].sort((a, b) => a.tid - b.tid)
			.map((row) => [row.tid, row.name, row.running + row.preempted + row.blocked + row.idle]));
		assert.equal(Math.max(...threads.map(({ last }) => last)) - Math.min(...threads.map(({ first }) => first)), data.recording[0].duration);
	});
	await traceTest("chrome: each slice is at its time, with all that is known of it", () => {
		for (const name of ["standings", "lost", "own-counters", "kept"])
			assert.deepEqual(slicesOf(exported(name, ".trace.json").file, model(name)), slicesWanted(model(name)), name);
	});
	await traceTest("chrome: two recordings of the same pids and tids are two processes, with all slices", () => {
		const data = model("lost+standings");
		const [errors, threads, running] = ask(exported("lost+standings", ".trace.json").file,
			"select name, value from stats where severity in ('error', 'data_loss') and value > 0",
			`select ${OF_PROCESSES} ${ON_THREADS} join process using (upid) where category = 'slice' group by utid`,
			`select s.name, sum(dur - ${argument("preempted_ns")} - ${argument("blocked_ns")} - coalesce(${argument("idle_ns")}, 0)) value ${ON_THREADS} where category = 'slice' group by 1`);

		assert.deepEqual(errors, []);
		assert.ok(new Set(data.threads.map(({ tid }) => tid)).size < data.threads.length);
		assert.deepEqual(rowsOf(threads), ofProcesses(data));
		assert.deepEqual(object(running), sumByName(data.labels, "running"));
	});
	await traceTest("chrome: losses are slices of their own, and what is not counted has no number", () => {
		const [{ slices, lost }] = model("lost").recording;
		const { file } = exported("lost", ".trace.json");
		const [said, holes] = ask(file, `select ${argument("slices")} slices from slice s where name = 'recording'`,
			`select count(*) n ${ON_THREADS} where s.name = '(lost slices)' and category = 'lost'`);
		const [words] = ask(exported("standings", ".trace.json").file,
			`select distinct typeof(${argument("branch-misses")}) type ${ON_THREADS} where category = 'slice'`);

		assert.ok(lost > 0);
		assert.match(said[0].slices, new RegExp(`^${slices}, lost ${lost} `));
		assert.match(JSON.parse(readFileSync(file, "utf8")).otherData.slices, new RegExp(`^${slices}, lost ${lost} `));
		assert.equal(holes[0].n, model("lost").timeline.filter(({ slices: n }) => !n).length);
		assert.deepEqual(words, [{ type: "text" }]);
	});
}
