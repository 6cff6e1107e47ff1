/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_UPROBE_H
#define BENCH_UPROBE_H

#include "result.h"

void measure_uprobe(int variant, struct result *result);

#endif /* BENCH_UPROBE_H */
