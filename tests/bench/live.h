/* SPDX-License-Identifier: GPL-2.0 */
/* What coroprof top itself costs. */
#ifndef BENCH_LIVE_H
#define BENCH_LIVE_H

#include "result.h"

/* A slice more, from the ring to the window. @variant: of so many labels */
void measure_live(int variant, struct result *result);
/* A second of it. @variant: slices a second */
void measure_top(int variant, struct result *result);

#endif /* BENCH_LIVE_H */
