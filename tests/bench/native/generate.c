// SPDX-License-Identifier: GPL-2.0
/*
 * generate FILE COROUTINES [THREADS SAMPLES]: writes a .cprof file as the reader's
 * writer writes it, of a simulated server: 4 threads, or so many, coroutines of 8
 * labels of which thousands live at a time, two counters, wakes, preemption,
 * blocking; SAMPLES, one each so many slices, with stacks that branch. Prints how
 * many slices it holds.
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
#define STACK_MOST	16u
#define CODE		0x400000u
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
static uint64_t sample_each;

/* One of three callees at each depth, chosen by @nr; those of a label are its own. */
static void fill_stack(struct gen_sample *sample, uint64_t nr)
{
	unsigned int depth = 4 + nr % (STACK_MOST - 4);

	for (unsigned int i = 0; i < depth; i++, nr /= 2) {
		uint64_t function = (sample->label * STACK_MOST + i) * 3 + (i % 3 ? 0 : nr % 3);

		sample->address[depth - 1 - i] = CODE + function * 64 + 1;
	}
}

static void take_sample(struct gen *g, uint32_t channel, const struct gen_slice *slice)
{
	struct gen_sample sample = {
		.time = slice->time - slice->duration / 2,
		.id = slice->id,
		.label = slice->label,
	};

	fill_stack(&sample, slices * 2654435761u >> 8);
	gen_sample(g, channel, &sample);
}

static void count(struct gen *g, uint32_t channel, struct gen_slice *slice)
{
	slices++;
	if (sample_each && slices % sample_each == 0)
		take_sample(g, channel, slice);
}

static void add_counter(struct gen *g, uint64_t config, const char *name)
{
	const struct coroprof_counter counter = { .type = PERF_TYPE_HARDWARE, .config = config };

	gen_counter(g, &counter, name);
}

static struct gen *begin(const char *path)
{
	struct gen *g = gen_open(path);

	add_counter(g, PERF_COUNT_HW_CPU_CYCLES, "cycles");
	add_counter(g, PERF_COUNT_HW_INSTRUCTIONS, "instructions");
	if (sample_each) {
		gen_info(g, "sample_event", "cycles");
		gen_info(g, "sample_period", "300000");
		gen_info(g, "sample_stack_max", "48");
	}
	gen_process(g, 1, 4242, "server", BEGIN);
	for (uint32_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		gen_label(g, 1, i + 1, labels[i], (uint32_t)strlen(labels[i]));
	return g;
}

static uint32_t number(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
	struct simulate what = {
		.process_id = 1,
		.channel = 1,
		.threads = argc == 5 ? number(argv[3]) : THREADS,
		.tid = 4242,
		.coroutines = argc == 3 || argc == 5 ? number(argv[2]) : 0,
		.slices = SLICES_EACH,
		.begin = BEGIN,
		.seed = 1,
		.thread_label = 1,
		.kinds = kinds,
		.nr_kinds = sizeof(kinds) / sizeof(kinds[0]),
		.wakes_one = argc == 5,
		.adjust = count,
	};
	struct gen *g;

	if (!what.coroutines || !what.threads) {
		fprintf(stderr, "usage: generate FILE COROUTINES [THREADS SAMPLES]\n");
		return EXIT_FAILURE;
	}
	sample_each = argc == 5 ? number(argv[4]) : 0;
	g = begin(argv[1]);
	simulate(g, &what);
	gen_close(g, true);
	printf("%" PRIu64 "\n", slices);
	return EXIT_SUCCESS;
}
