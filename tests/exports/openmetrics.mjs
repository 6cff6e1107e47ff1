// SPDX-License-Identifier: GPL-2.0
/* OpenMetrics, as promtool makes a database of Prometheus of it. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "../e2e/tap.mjs";
import { exported, lacks, model, out, run, tablesOf } from "./support.mjs";

const missing = lacks("promtool", "prometheus");

function metricsTest(name, body) {
	return test(`openmetrics: ${name}`, () => missing ?? body());
}

/** Series of a file, as Prometheus has stored them: name, labels, value, and time in milliseconds. */
function stored(name) {
	const directory = join(out, `${name}.tsdb`);

	rmSync(directory, { recursive: true, force: true });
	run("promtool", ["tsdb", "create-blocks-from", "openmetrics", exported(name, ".openmetrics").file, directory]);
	/* It looks for what has not been made a block of yet. */
	mkdirSync(join(directory, "wal"), { recursive: true });
	/* From 2.49 on it has its scratch files in a folder data of where it runs, which has to be there. */
	mkdirSync(join(out, "data"), { recursive: true });
	return run("promtool", ["tsdb", "dump", resolve(directory)], { cwd: out }).trim().split("\n").map((line) => {
		const [, labels, value, time] = line.match(/^\{(.*)\} (\S+) (\d+)$/u);
		const found = Object.fromEntries([...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/gu)].map(([, key, text]) => [key, text]));

		return { metric: found.__name__, labels: found, value: Number(value), time: Number(time) };
	});
}

/** Values of a metric by the label @by. */
const of = (series, metric, by = "name") => Object.fromEntries(series.filter((one) => one.metric === metric).map(({ labels, value }) => [labels[by], value]));
const column = (rows, key, divisor = 1) => Object.fromEntries(rows.filter((row) => row[key] !== null).map((row) => [row.name, row[key] / divisor]));

export async function openmetricsTests() {
	await metricsTest("labels and threads have the figures of their tables, at the time of the recording", () => {
		const data = model("server");
		const series = stored("server");
		const [{ began, duration }] = data.recording;

		for (const key of ["running", "preempted", "blocked", "suspended", "p99"])
			assert.deepEqual(of(series, `coroprof_labels_${key}_seconds`), column(data.labels, key, 1e9), key);
		for (const key of ["slices", "cycles", "cache-misses"])
			assert.deepEqual(of(series, `coroprof_labels_${key.replace("-", "_")}`), column(data.labels, key), key);
		assert.deepEqual(of(series, "coroprof_threads_running_seconds"), column(data.threads, "running", 1e9));
		const end = Number((BigInt(began) + BigInt(duration)) / 1000000n);

		assert.deepEqual([...new Set(series.map(({ time }) => time))], [end]);
	});
	await metricsTest("each figure of the tables in it is there once, as often as the table has it", () => {
		for (const name of ["server", "calls"]) {
			const tables = tablesOf(name);
			const series = stored(name);
			let compared = 0;

			for (const table of ["recording", "labels", "threads", "wakes", "label_spans", "label_functions"])
				for (const { name: column, kind } of tables[table].columns) {
					if (["text", "id", "row", "word", "flags"].includes(kind))
						continue;
					const time = ["ns", "time"].includes(kind);
					const metric = `coroprof_${table}_${column.replace(/\W/gu, "_")}${time ? "_seconds" : ""}`;
					const values = tables[table].rows.map((row) => row[column]).filter((value) => value !== null).map((value) => Number(value) / (time ? 1e9 : 1));
					const found = series.filter((one) => one.metric === metric).map(({ value }) => value);

					assert.equal(found.length, values.length, `${name}: ${metric}`);
					values.sort((a, b) => a - b).forEach((value, i) =>
						assert.ok(Math.abs(found.sort((a, b) => a - b)[i] - value) <= 1e-8 * Math.abs(value), `${name}: ${metric}: ${found[i]}, not ${value}`));
					compared += values.length;
				}
			assert.ok(compared > 50, String(compared));
			assert.ok(name === "calls" ? tables.label_functions.rows.length && tables.label_spans.rows.length : tables.wakes.rows.length);
		}
	});
	await metricsTest("standing is told, and what is not known has no series", () => {
		const data = model("standings");
		const series = stored("standings");
		const misses = series.filter(({ metric }) => metric === "coroprof_labels_cache_misses");

		assert.deepEqual(of(series, "coroprof_labels_cache_misses"), column(data.labels, "cache-misses"));
		assert.equal(misses.length, data.labels.length);
		assert.ok(misses.every(({ labels }) => labels.standing === "scaled"));
		assert.ok(!series.some(({ metric }) => metric.endsWith("branch_misses")));
		assert.ok(series.some(({ metric, labels }) => metric === "coroprof_absent" && labels.column === "branch-misses" && labels.standing === "unsupported"));
		assert.deepEqual(of(series, "coroprof_labels_awaiting_seconds"), column(data.labels, "awaiting", 1e9));
		assert.ok(!("write_log" in of(series, "coroprof_labels_awaiting_seconds")));
	});
	await metricsTest("a recording with nothing in it is of the time at which it began", () => {
		const series = stored("empty");
		const [info] = series.filter(({ metric }) => metric === "coroprof_recording_info");

		assert.match(info.labels.nothing, /\w/u);
		assert.deepEqual(of(series, "coroprof_recording_slices", "__name__"), { coroprof_recording_slices: 0 });
		/* That which the generator gives each. */
		assert.deepEqual([...new Set(series.map(({ time }) => time))], [1.7e12]);
	});
	await metricsTest("losses, names with quotes, and what simulates are told", () => {
		const [{ slices, lost }] = model("lost").recording;
		const [info] = stored("lost").filter(({ metric }) => metric === "coroprof_recording_info");
		const hostile = stored("hostile");

		assert.ok(lost > 0);
		assert.ok(info.labels.slices.startsWith(`${slices}, lost ${lost} `));
		assert.match(info.labels.simulated, /simulated PMU/);
		assert.equal(hostile.filter(({ metric }) => metric === "coroprof_labels_slices").length, model("hostile").labels.length);
		assert.deepEqual(of(stored("calls"), "coroprof_label_spans_running_seconds", "span"), { outer: 0.016, inner: 0.008 });
	});
}
