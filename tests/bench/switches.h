/* SPDX-License-Identifier: GPL-2.0 */
/* Switches between coroutines, by ioctl and by libcoroprof. */
#ifndef BENCH_SWITCHES_H
#define BENCH_SWITCHES_H

#include "result.h"

void measure_ioctl_null(int variant, struct result *result);
void measure_switch_no_session(int variant, struct result *result);
/* @nr_counters counters, two coroutines in turn */
void measure_switch(int nr_counters, struct result *result);
/* the same in a session of totals */
void measure_switch_totals(int nr_counters, struct result *result);
/* two counters, so many coroutines in turn */
void measure_switch_many(int coroutines, struct result *result);
/* by libcoroprof from user mode, two counters, so many coroutines in turn */
void measure_switch_user(int coroutines, struct result *result);
/* the same with the default events, of which the exact PMU lacks one */
void measure_switch_user_default(int coroutines, struct result *result);
/* the same with two counters and the program's own */
void measure_switch_user_program(int coroutines, struct result *result);
void measure_switch_user_totals(int coroutines, struct result *result);
void measure_switch_user_full(int coroutines, struct result *result);
void measure_start_stall(int nr_counters, struct result *result);
void measure_join_stall(int nr_counters, struct result *result);
/* so many counters: what a slice takes of the ring */
void measure_slice_bytes(int nr_counters, struct result *result);
/* a span of a coroutine, beginning and end, by libcoroprof from user mode */
void measure_span_user(int nr_counters, struct result *result);
void measure_switch_idle(int variant, struct result *result);

#endif /* BENCH_SWITCHES_H */
