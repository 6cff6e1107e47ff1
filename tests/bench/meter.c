// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <unistd.h>

#include "event.h"
#include "meter.h"

#define ROUNDS 20u

static __thread int meter = -1;

int meter_open(void)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_HW_INSTRUCTIONS);

	attr.exclude_kernel = 0;
	attr.pinned = 1;
	meter = event_open(&attr, -1);
	return meter < 0 ? meter : 0;
}

/* A pinned event that lost its place on the PMU reads as end of file. */
static bool instructions(uint64_t *count)
{
	return read(meter, count, sizeof(*count)) == sizeof(*count);
}

static void nothing(uint32_t turn)
{
	(void)turn;
}

/* The one loop for all operations: it costs the same around each of them. */
static __attribute__((noinline)) uint32_t turns(operation_fn operation, uint32_t first,
						uint32_t end, uint32_t turn)
{
	for (unsigned int i = 0; i < METER_TURNS; i++) {
		operation(turn);
		turn = turn + 1 == end ? first : turn + 1;
	}
	return turn;
}

static int rounds(const struct loop *loop, struct cost *cost)
{
	uint32_t end = loop->first + loop->span, turn = loop->first;
	uint64_t before, after, least = UINT64_MAX, sum = 0;

	for (unsigned int i = 0; i < loop->warm + loop->rounds; i++) {
		if (!instructions(&before))
			return -ENODATA;
		turn = turns(loop->operation, loop->first, end, turn);
		if (!instructions(&after))
			return -ENODATA;
		if (loop->between)
			loop->between(loop->arg);
		if (i < loop->warm)
			continue;
		sum += after - before;
		if (after - before < least)
			least = after - before;
	}
	cost->least = (double)least / METER_TURNS;
	cost->mean = (double)sum / loop->rounds / METER_TURNS;
	return 0;
}

int meter_run(const struct loop *loop, struct cost *cost)
{
	struct loop empty = *loop;
	struct cost overhead;
	int err;

	/* Of the same span, for the turns start over as often. */
	empty.operation = loop->empty ? loop->empty : nothing;
	empty.between = NULL;
	err = rounds(&empty, &overhead);
	if (!err)
		err = rounds(loop, cost);
	if (err)
		return err;
	cost->least -= overhead.least;
	cost->mean -= overhead.mean;
	return 0;
}

int meter_least(operation_fn operation, double *least)
{
	struct loop loop = { .operation = operation, .first = 1, .span = 2, .warm = 1, .rounds = ROUNDS };
	struct cost cost;
	int err = meter_run(&loop, &cost);

	*least = cost.least;
	return err;
}
