// SPDX-License-Identifier: GPL-2.0
/*
 * bench FILE [KEY...]: measures instructions per operation, of those or of all, prints
 * a table, and writes FILE as JSON. For a machine whose PMU counts exactly and with one processor.
 */
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "counters.h"
#include "crowd.h"
#include "drain.h"
#include "live.h"
#include "lttng.h"
#include "report.h"
#include "switches.h"
#include "threads.h"
#include "uprobe.h"

static const struct benchmark benchmarks[] = {
	{ "getppid", "getppid()", measure_getppid, 0 },
	{ "ioctl_null", "ioctl() of a channel, a command that there is not", measure_ioctl_null, 0 },
	{ "perf_group_read", "read() of a group of two perf events", measure_group_read, 0 },
	{ "getrusage", "getrusage(RUSAGE_THREAD)", measure_getrusage, 0 },
	{ "clock_thread_cputime", "clock_gettime(CLOCK_THREAD_CPUTIME_ID)", measure_thread_cputime, 0 },
	{ "perf_mmap_read", "one counter from user mode by perf's mapped page", measure_mmap_read, 0 },
	{ "papi_read", "PAPI_read() of two counters", measure_papi_read, 0 },
	{ "switch_ioctl", "SWITCH, 2 counters, recorded, 2 coroutines", measure_switch, 2 },
	{ "switch_ioctl_1", "the same, 1 counter", measure_switch, 1 },
	{ "switch_ioctl_3", "the same, 3 counters", measure_switch, 3 },
	{ "switch_ioctl_6", "the same, 6 counters", measure_switch, 6 },
	{ "switch_ioctl_totals", "SWITCH, 2 counters, 2 coroutines, in a session of totals", measure_switch_totals, 2 },
	{ "switch_ioctl_1k", "SWITCH, 2 counters, recorded, 1000 coroutines in turn", measure_switch_many, 1000 },
	{ "switch_ioctl_1m", "SWITCH, 2 counters, recorded, 10^6 coroutines in turn", measure_switch_many, 1000000 },
	{ "switch_ioctl_threads_2", "SWITCH, 2 counters, recorded, 2 threads in turn", measure_switch_threads, 2 },
	{ "switch_ioctl_threads_4", "the same, 4 threads", measure_switch_threads, 4 },
	{ "switch_ioctl_threads_8", "the same, 8 threads", measure_switch_threads, 8 },
	{ "switch_ioctl_no_session", "SWITCH, nobody records", measure_switch_no_session, 0 },
	{ "switch_user", "coroprof_switch() from user mode, 2 counters, recorded, 2 coroutines; goal: at most 100", measure_switch_user, 2 },
	{ "switch_user_full", "the same, while the ring is full; goal: at most 150", measure_switch_user_full, 2 },
	{ "switch_user_totals", "switch_user in a session of totals; goal: less than switch_user", measure_switch_user_totals, 2 },
	{ "switch_user_1m", "switch_user, 10^6 coroutines in turn", measure_switch_user, 1000000 },
	{ "switch_user_default", "switch_user with the default events, the third UNSUPPORTED; goal: at most 105", measure_switch_user_default, 2 },
	{ "switch_user_program", "switch_user with a third counter, the program's own; goal: at most 115", measure_switch_user_program, 2 },
	{ "start_stall_ns", "the first switch after START, 2 counters: by the clock; goal: at most 500000", measure_start_stall, 2 },
	{ "join_stall_ns", "the first switch of a thread that begins later, likewise; goal: at most 150000", measure_join_stall, 2 },
	{ "span_user", "coroprof_span_begin() and _end() from user mode, 2 counters, recorded; goal: at most 220", measure_span_user, 2 },
	{ "span_user_default", "the same with the default events, the third UNSUPPORTED", measure_span_user, 3 },
	{ "switch_idle", "coroprof_switch() of libcoroprof, nobody records; goal: at most 8", measure_switch_idle, 0 },
	{ "uprobe", "a hit of a uprobe that counts, beyond the function", measure_uprobe, 0 },
	{ "probe_unstarted", "a hit of a probe of a session that was not started, beyond the function: what the kernel itself takes of switch_uprobe", measure_probe_unstarted, 2 },
	{ "probe_unstarted_entry", "the same at a function's first instruction", measure_probe_unstarted_entry, 2 },
	{ "switch_uprobe", "a switch that a probe reports, where coroprof-read has it in Go: 2 counters, recorded, 2 coroutines, beyond the function; goal: at most 1900", measure_switch_uprobe, 2 },
	{ "switch_uprobe_entry", "the same at a function's first instruction", measure_switch_uprobe_entry, 2 },
	{ "lttng_ust", "a tracepoint of LTTng-UST, two fields, recorded", measure_lttng, 0 },
	{ "lttng_ust_perf", "the same with counts of cycles and instructions in each event", measure_lttng, 1 },
	{ "sessions_interference", "what another user's session, fork, PROCESS, THREAD and SWITCH take beside a session that is read all the time, with 40,000 recordings / with none: by the clock; goal: at most 1.1", measure_interference, 40000 },
	{ "slice_bytes", "what a slice with 2 counters takes of a ring: head / slices", measure_slice_bytes, 2 },
	{ "drain_instructions_per_record", "coroprof-read, a slice out of the ring into a file", measure_drain, 0 },
	{ "keep_instructions_per_record", "the same with --keep, and at the end into a file", measure_drain, 1 },
	{ "keep_bytes_per_slice", "a slice of that, with 2 counters; goal: at most 10", measure_keep_bytes, 0 },
	{ "live_instructions_per_record", "coroprof top, a slice out of the ring, into what is kept and the window of ten seconds, 50 labels; goal: at most 450", measure_live, 50 },
	{ "live_instructions_per_record_200", "the same, 200 labels", measure_live, 200 },
	{ "top_instructions_1k", "coroprof top, a second of it: 10^3 slices, 50 labels, a refresh", measure_top, 1000 },
	{ "top_instructions_10k", "the same, 10^4 slices", measure_top, 10000 },
	{ "top_instructions_100k", "the same, 10^5 slices", measure_top, 100000 },
	{ "aggregate_instructions_per_record", "coroprof-read, a slice out of the file into a table", measure_aggregate, 0 },
};

#define NR_BENCHMARKS (sizeof(benchmarks) / sizeof(benchmarks[0]))

/* What the project wants of it is said in @how. */
static const struct ratio {
	const char *key, *over, *under, *how;
} ratios[] = {
	{ "ratio_switch_null", "switch_ioctl", "ioctl_null",
	  "switch_ioctl / ioctl_null; goal: at most 1.42" },
	{ "ratio_group_read_switch", "perf_group_read", "switch_ioctl",
	  "perf_group_read / switch_ioctl; goal: at least 2.0" },
	{ "ratio_group_read_user", "perf_group_read", "switch_user",
	  "perf_group_read / switch_user; goal: at least 22" },
	{ "ratio_1m_user", "switch_user_1m", "switch_user",
	  "switch_user_1m / switch_user; goal: at most 1.05" },
	{ "ratio_1m_switch", "switch_ioctl_1m", "switch_ioctl",
	  "switch_ioctl_1m / switch_ioctl; goal: at most 1.05" },
	{ "ratio_threads_switch", "switch_ioctl_threads_8", "switch_ioctl",
	  "switch_ioctl_threads_8 / switch_ioctl" },
	{ "ratio_lttng_perf_switch", "lttng_ust_perf", "switch_ioctl",
	  "lttng_ust_perf / switch_ioctl: both record who runs, and two counters" },
};

static struct result results[NR_BENCHMARKS];

static const struct result *result_of(const char *key)
{
	size_t i = 0;

	while (strcmp(benchmarks[i].key, key))
		i++;
	return &results[i];
}

static void put_ratio(struct report *report, const struct ratio *ratio)
{
	const struct result *over = result_of(ratio->over), *under = result_of(ratio->under);
	struct result result = { 0 };

	if (over->measured && under->measured && under->value > 0)
		result_set(&result, over->value / under->value);
	else
		result_none(&result, "no value of %s", over->measured ? ratio->under : ratio->over);
	report_line(report, ratio->key, "ratio", ratio->how, &result);
}

static void put_result(struct report *report, const struct benchmark *benchmark,
		       const struct result *result)
{
	report_line(report, benchmark->key, result->unit ? result->unit : "instructions",
		    benchmark->how, result);
}

static int fail(const char *path, int err)
{
	fprintf(stderr, "bench: %s: %s\n", path, strerror(-err));
	return EXIT_FAILURE;
}

/* @keys: ends with NULL; if there are none, all are. */
static bool is_wanted(const char *key, char **keys)
{
	char **at = keys;

	while (*at && strcmp(*at, key))
		at++;
	return *at || !*keys;
}

int main(int argc, char **argv)
{
	struct report report;
	int err;

	if (argc < 2) {
		fprintf(stderr, "usage: bench FILE [KEY...]\n");
		return EXIT_FAILURE;
	}
	err = report_open(&report, argv[1]);
	if (err)
		return fail(argv[1], err);
	for (size_t i = 0; i < NR_BENCHMARKS; i++) {
		if (!is_wanted(benchmarks[i].key, argv + 2)) {
			result_none(&results[i], "not asked for");
			continue;
		}
		/* A child must not write out what this process has in its buffers. */
		fflush(NULL);
		result_take(&benchmarks[i], &results[i]);
		put_result(&report, &benchmarks[i], &results[i]);
	}
	for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++)
		put_ratio(&report, &ratios[i]);
	err = report_close(&report);
	return err ? fail(argv[1], err) : EXIT_SUCCESS;
}
