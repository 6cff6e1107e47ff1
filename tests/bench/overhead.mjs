// SPDX-License-Identifier: GPL-2.0
/*
 * overhead.mjs bench BENCH.JSON PAGE, overhead.mjs cost COST.JSON PAGE: puts what was measured into the page, between the
 * marks of that name. What the run could not measure is n/a, with the reason; of a runtime that was not in the run
 * the page keeps what it says.
 */
import { readFileSync, writeFileSync } from "node:fs";

const [, , part, file, page] = process.argv;
const found = JSON.parse(readFileSync(file, "utf8"));
const marks = new RegExp(`(<!-- ${part} -->\n)([^]*?)(<!-- /${part} -->)`);
const text = readFileSync(page, "utf8");

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
		live_instructions_per_record: "a record from the ring into the window of `coroprof top`",
		top_cpu_share: "of a core: `coroprof top` at 10^4 slices a second",
		live_core_share_1m: "the same at 10^6 slices a second, of 200 labels, without the pictures",
		live_window_bytes: "of memory: a window of 60 s, 10^5 slices a second, 1000 labels, 10^4 coroutines",
		aggregate_instructions_per_record: "a record from the file into a table",
	},
};

const runtimes = {
	asyncio_step: "asyncio: a step of a task",
	asyncio_task: "asyncio: a task is made and run",
	node_request: "Node.js: a request",
	java_yield: "Java: `Thread.yield()`, until it goes on",
	java_thread: "Java: a virtual thread starts and ends",
	erlang_run: "Erlang: a process runs once",
	asio_await: "Asio: `co_await` of a `post()`",
	tokio_poll: "tokio: a poll",
	rust_poll: "Rust: a poll in `Instrumented`",
	greenlet_switch: "greenlet: `switch()`",
	lua_switch: "Lua: `lua_resume()`, or its return",
	ruby_switch: "Ruby: a switch of fibers",
	php_switch: "PHP: a switch of fibers",
	boost_switch: "Boost: `jump_fcontext()`",
	ucontext_switch: "`swapcontext()`",
	ucontext_life: "a context is made, runs and ends",
};

function shown({ value, unit, reason } = { value: null, reason: "not measured" }) {
	if (unit === "ratio" && value !== null)
		return `${Math.round(value * 1000) / 10} %`;
	return value === null ? `n/a: ${reason}` : `${Math.round(value * 100) / 100} ${unit === "instructions" ? "" : unit}`.trim();
}

function bench() {
	return Object.entries(groups).map(([title, keys]) => [
		`## ${title}`, "", "| | |", "|---|---:|",
		...Object.entries(keys).map(([key, what]) => `| ${what} | ${shown(found[key])} |`),
	].join("\n")).join("\n\n");
}

const number = (value) => value === null ? "n/a" : value.toLocaleString("en");

function cost(before) {
	const rows = before.split("\n");

	return ["| | by itself | idle | by ioctl | from user mode | nearest tool |", "|---|---:|---:|---:|---:|---|",
		...Object.entries(runtimes).map(([key, what]) => {
			const { plain, idle, ioctl, user, tool, name } = found[key] ?? {};

			if (!found[key])
				return rows.find((row) => row.startsWith(`| ${what} |`)) ?? `| ${what} | n/a: not measured | | | | |`;
			return `| ${what} | ${[plain, idle, ioctl, user].map(number).join(" | ")} | ` +
				`${name === null ? "" : `${number(tool)}: ${name}`} |`;
		})].join("\n");
}

if (!marks.test(text))
	throw new Error(`${page} has no marks of ${part}`);
writeFileSync(page, text.replace(marks, (_, begin, before, end) => `${begin}${{ bench, cost }[part](before)}\n${end}`));
