/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_LTTNG_H
#define BENCH_LTTNG_H

#include "result.h"

/* @contexts: not 0: with two counters in each event. */
void measure_lttng(int contexts, struct result *result);

#endif /* BENCH_LTTNG_H */
