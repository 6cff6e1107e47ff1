/* SPDX-License-Identifier: GPL-2.0 */
/* System calls to compare with. */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include "result.h"

void measure_getppid(int variant, struct result *result);
void measure_getrusage(int variant, struct result *result);
void measure_thread_cputime(int variant, struct result *result);

#endif /* BENCH_CALLS_H */
