// SPDX-License-Identifier: GPL-2.0
/* Two counters by one read() of their group. */
#include <unistd.h>

#include "counters.h"
#include "event.h"
#include "meter.h"

static int leader;
static uint64_t values[3];	/* how many, and each */

static void read_group(uint32_t turn)
{
	(void)turn;
	if (read(leader, values, sizeof(values)) != sizeof(values))
		values[0] = 0;
}

static int open_group(void)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_HW_CPU_CYCLES);

	attr.read_format = PERF_FORMAT_GROUP;
	leader = event_open(&attr, -1);
	if (leader < 0)
		return leader;
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	return event_open(&attr, leader);
}

void measure_group_read(int variant, struct result *result)
{
	double least;

	(void)variant;
	if (result_failed(result, open_group(), "perf_event_open of a group") ||
	    result_failed(result, meter_least(read_group, &least), "read of the meter"))
		return;
	if (values[0] != 2 || !values[1] || !values[2])
		result_none(result, "the group does not count");
	else
		result_set(result, least);
}
