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
/* Its first instruction. Returns false if it is in no file. */
bool uprobe_find_target(struct uprobe_place *place);

/* Calls a function that begins as those of Go. */
void uprobe_go_target(uint32_t turn);
/* Where coroprof-read would probe that. */
bool uprobe_find_go_target(struct uprobe_place *place);

void measure_uprobe(int variant, struct result *result);

/*
 * @nr_counters: a switch that a probe of a session tells of, where coroprof-read would have it
 * in Go, and at a function's first instruction.
 */
void measure_switch_uprobe(int nr_counters, struct result *result);
void measure_switch_uprobe_entry(int nr_counters, struct result *result);
/* By a session that was not started: our handler returns at once. */
void measure_probe_unstarted(int nr_counters, struct result *result);
void measure_probe_unstarted_entry(int nr_counters, struct result *result);

#endif /* BENCH_UPROBE_H */
