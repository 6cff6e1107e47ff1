// SPDX-License-Identifier: GPL-2.0
/* Two counters by PAPI_read(). */
#include <papi.h>

#include "counters.h"
#include "meter.h"

static int set = PAPI_NULL;
static long long values[2];
static int failure;

static void read_set(uint32_t turn)
{
	int ret = PAPI_read(set, values);

	(void)turn;
	if (ret != PAPI_OK)
		failure = ret;
}

/* As libpfm4 calls them for all processors of the architecture that it knows. */
static int start_set(void)
{
	int ret = PAPI_library_init(PAPI_VER_CURRENT);

	if (ret != PAPI_VER_CURRENT)
		return ret < 0 ? ret : PAPI_EINVAL;
	ret = PAPI_create_eventset(&set);
	if (ret == PAPI_OK)
		ret = PAPI_add_named_event(set, "CPU_CYCLES");
	if (ret == PAPI_OK)
		ret = PAPI_add_named_event(set, "INST_RETIRED");
	return ret == PAPI_OK ? PAPI_start(set) : ret;
}

void measure_papi_read(int variant, struct result *result)
{
	int ret = start_set();
	double least;

	(void)variant;
	if (ret != PAPI_OK)
		result_none(result, "PAPI: %s", PAPI_strerror(ret));
	else if (result_failed(result, meter_least(read_set, &least), "read of the meter"))
		return;
	else if (failure)
		result_none(result, "PAPI_read: %s", PAPI_strerror(failure));
	else if (!values[0] || !values[1])
		result_none(result, "PAPI reads 0");
	else
		result_set(result, least);
}
