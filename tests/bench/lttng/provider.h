/* SPDX-License-Identifier: GPL-2.0 */
/* A tracepoint that says what a slice's record says: who runs next, and its label. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "provider.h"

#if !defined(BENCH_LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_PROVIDER_H

#include <stdint.h>

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(bench, switched,
	LTTNG_UST_TP_ARGS(uint64_t, id, uint32_t, label),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, id, id)
		lttng_ust_field_integer(uint32_t, label, label)
	)
)

#endif

#include <lttng/tracepoint-event.h>
