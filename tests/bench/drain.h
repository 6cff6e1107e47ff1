/* SPDX-License-Identifier: GPL-2.0 */
/* What coroprof-read itself costs, for each record. */
#ifndef BENCH_DRAIN_H
#define BENCH_DRAIN_H

#include "result.h"

/* Out of the ring, packed, into the file. */
/* @variant: 1: of what a flight recorder keeps */
void measure_drain(int variant, struct result *result);
void measure_keep_bytes(int variant, struct result *result);
/* Out of the file, unpacked, added up, into a table. */
void measure_aggregate(int variant, struct result *result);

#endif /* BENCH_DRAIN_H */
