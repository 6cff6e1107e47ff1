/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

#include "result.h"

/* Two counters, two coroutines in each of so many threads. */
void measure_switch_threads(int threads, struct result *result);

#endif /* BENCH_THREADS_H */
