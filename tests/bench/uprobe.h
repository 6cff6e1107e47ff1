/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_UPROBE_H
#define BENCH_UPROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "result.h"

/* The function, and where it is in its file. */
struct uprobe_place {
	uintptr_t address;
	uint64_t offset;
};

void uprobe_target(uint32_t turn);
/* Returns false if it is in no file. */
bool uprobe_find_target(struct uprobe_place *place);

void measure_uprobe(int variant, struct result *result);
/* @nr_counters: a switch that a probe of a session tells of. */
/* By a session that was not started: our handler returns at once. */
void measure_probe_unstarted(int nr_counters, struct result *result);

void measure_switch_uprobe(int nr_counters, struct result *result);

#endif /* BENCH_UPROBE_H */
