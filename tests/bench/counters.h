/* SPDX-License-Identifier: GPL-2.0 */
/* Other ways to read counters: perf's and PAPI's. */
#ifndef BENCH_COUNTERS_H
#define BENCH_COUNTERS_H

#include "result.h"

void measure_group_read(int variant, struct result *result);
void measure_mmap_read(int variant, struct result *result);
void measure_papi_read(int variant, struct result *result);

#endif /* BENCH_COUNTERS_H */
