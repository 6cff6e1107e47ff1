// SPDX-License-Identifier: GPL-2.0
/*
 * generate FILE COROUTINES: writes a .cprof file as the reader's writer writes
 * it, of a simulated server: 4 threads, coroutines of 8 labels of which
 * thousands live at a time, two counters, wakes, preemption, blocking. Prints
 * how many slices it holds.
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"
#include "gen/simulate.h"

#define BEGIN		100000000000ULL
#define THREADS		4u
#define SLICES_EACH	25u	/* mean, of a coroutine */

static const char *const labels[] = {
	"event loop", "accept", "read_request", "route", "query_database",
	"render_template", "write_response", "write_log", "collect_metrics",
};

static const struct simulate_kind kinds[] = {
	{ .label = 2, .weight = 2, .run_ns = 8000, .sleep_ns = 20000000, .ipc = 1.1, .yields = 5 },
	{ .label = 3, .weight = 30, .run_ns = 12000, .sleep_ns = 40000000, .ipc = 1.9, .yields = 10 },
	{ .label = 4, .weight = 10, .run_ns = 3000, .sleep_ns = 10000000, .ipc = 2.3 },
	{ .label = 5, .weight = 25, .run_ns = 15000, .sleep_ns = 50000000, .ipc = 0.6, .blocked = 30 },
	{ .label = 6, .weight = 15, .run_ns = 60000, .sleep_ns = 30000000, .ipc = 2.8, .yields = 3 },
	{ .label = 7, .weight = 20, .run_ns = 9000, .sleep_ns = 60000000, .ipc = 1.4, .blocked = 50 },
	{ .label = 8, .weight = 5, .run_ns = 5000, .sleep_ns = 25000000, .ipc = 0.9, .blocked = 3, .untold = true },
	{ .label = 9, .weight = 1, .run_ns = 40000, .sleep_ns = 90000000, .ipc = 1.7 },
};

static uint64_t slices;

static void count(struct gen *g, uint32_t channel, struct gen_slice *slice)
{
	(void)g;
	(void)channel;
	(void)slice;
	slices++;
}

static void add_counter(struct gen *g, uint64_t config, const char *name)
{
	const struct coroprof_counter counter = { .type = PERF_TYPE_HARDWARE, .config = config };

	gen_counter(g, &counter, name);
}

int main(int argc, char **argv)
{
	struct simulate what = {
		.process_id = 1,
		.channel = 1,
		.threads = THREADS,
		.tid = 4242,
		.slices = SLICES_EACH,
		.begin = BEGIN,
		.seed = 1,
		.thread_label = 1,
		.kinds = kinds,
		.nr_kinds = sizeof(kinds) / sizeof(kinds[0]),
		.adjust = count,
	};
	struct gen *g;

	what.coroutines = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	if (!what.coroutines) {
		fprintf(stderr, "usage: generate FILE COROUTINES\n");
		return EXIT_FAILURE;
	}
	g = gen_open(argv[1]);
	add_counter(g, PERF_COUNT_HW_CPU_CYCLES, "cycles");
	add_counter(g, PERF_COUNT_HW_INSTRUCTIONS, "instructions");
	gen_process(g, 1, 4242, "server", BEGIN);
	for (uint32_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		gen_label(g, 1, i + 1, labels[i], (uint32_t)strlen(labels[i]));
	simulate(g, &what);
	gen_close(g, true);
	printf("%" PRIu64 "\n", slices);
	return EXIT_SUCCESS;
}
