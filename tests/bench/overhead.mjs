// SPDX-License-Identifier: GPL-2.0
/*
 * overhead.mjs BENCH.JSON PAGE: puts what was measured into the page, between its marks. What the run could
 * not measure is n/a, with the reason.
 */
import { readFileSync, writeFileSync } from "node:fs";

const [, , file, page] = process.argv;
const found = JSON.parse(readFileSync(file, "utf8"));

const groups = {
	"A switch, in instructions": {
		switch_idle: "`coroprof_switch()`, while nobody records",
		switch_user: "recorded, from user mode: two counters, totals, one record",
		switch_user_default: "the same with the default events, one of which the PMU lacks",
		switch_user_totals: "the same with `coroprof totals`: no record",
		switch_user_1m: "the same over 10^6 coroutines in turn",
		switch_ioctl: "recorded, by ioctl",
		switch_uprobe: "recorded, by a probe, as for Go",
		span_user: "a span, from user mode",
	},
	"Beside it, in instructions": {
		getppid: "`getppid()`",
		ioctl_null: "an ioctl that does nothing",
		perf_group_read: "`read()` of two counters of perf as a group",
		perf_mmap_read: "one counter of perf, read in user mode",
		papi_read: "`PAPI_read()` of two counters",
		uprobe: "a uprobe that only counts",
		lttng_ust: "a tracepoint of LTTng-UST",
		lttng_ust_perf: "the same with two counters",
	},
	"The recorder and the page": {
		start_stall_ns: "what the first thread waits when a recording starts",
		join_stall_ns: "what a thread that begins later waits",
		slice_bytes: "of the ring, for each slice",
		drain_instructions_per_record: "a record from the ring into the file",
		keep_instructions_per_record: "the same of a flight recorder, into memory, and at the end into a file",
		keep_bytes_per_slice: "of that file, for each slice",
		aggregate_instructions_per_record: "a record from the file into a table",
	},
};

function shown({ value, unit, reason } = { value: null, reason: "not measured" }) {
	return value === null ? `n/a: ${reason}` : `${Math.round(value * 100) / 100} ${unit === "instructions" ? "" : unit}`.trim();
}

const tables = Object.entries(groups).map(([title, keys]) => [
	`## ${title}`, "", "| | |", "|---|---:|",
	...Object.entries(keys).map(([key, what]) => `| ${what} | ${shown(found[key])} |`),
].join("\n"));
const [before, after] = readFileSync(page, "utf8").split(/<!-- bench -->[^]*<!-- \/bench -->/);

writeFileSync(page, `${before}<!-- bench -->\n${tables.join("\n\n")}\n<!-- /bench -->${after}`);
