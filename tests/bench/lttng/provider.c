// SPDX-License-Identifier: GPL-2.0
/*
 * libbench-lttng.so: the tracepoint, and the function that hits it. Apart from
 * bench, because LTTng starts threads where it is loaded.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "provider.h"

void bench_lttng_hit(uint32_t turn);
int bench_lttng_enabled(void);

void bench_lttng_hit(uint32_t turn)
{
	lttng_ust_tracepoint(bench, switched, turn, 1);
}

int bench_lttng_enabled(void)
{
	return lttng_ust_tracepoint_enabled(bench, switched);
}
