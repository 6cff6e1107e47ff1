/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_CROWD_H
#define BENCH_CROWD_H

#include "result.h"

/* How many times as long another user waits beside a session with so many recordings. */
void measure_interference(int recordings, struct result *result);

#endif /* BENCH_CROWD_H */
