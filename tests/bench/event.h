/* SPDX-License-Identifier: GPL-2.0 */
/* Perf events, of the calling thread if nothing else is said. */
#ifndef BENCH_EVENT_H
#define BENCH_EVENT_H

#include <linux/perf_event.h>
#include <stdint.h>

/* A hardware event of user mode. */
struct perf_event_attr event_attr(uint64_t config);
/* A descriptor or a negative errno. @group: of the leader, or -1. */
int event_open(const struct perf_event_attr *attr, int group);
/* Of another process's first thread. */
int event_open_of(const struct perf_event_attr *attr, int pid);

#endif /* BENCH_EVENT_H */
