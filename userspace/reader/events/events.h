/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of events, as perf uses them, to counters:
 *
 *   cycles, instructions, cache-misses ...   generic hardware events
 *   task-clock, page-faults ...              software events
 *   L1-dcache-load-misses ...                hardware cache events
 *   r01a4                                    raw, in hexadecimal
 *   cpu/mem-loads/, cpu/event=0x3c,umask=1/  a PMU's events and terms
 *   l2d_cache_refill                         an event of the CPU's PMU
 *   anything else libpfm4 knows, where built with it
 *   program, program/NAME/                   what the program counts itself
 *   hw, rusage                               several: EVENTS_DEFAULT, EVENTS_RUSAGE
 *   tsc                                      none: each recording has the time
 *
 * and after a colon (or the last slash) the letters u (user mode, always), k
 * (kernel mode as well) and P (pinned).
 */
#ifndef COROPROF_EVENTS_H
#define COROPROF_EVENTS_H

#include <stdint.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "coroprof.h"

#define EVENT_NAME_MAX	128

/**
 * struct event - a counter and what the user calls it
 * @counter: as the kernel takes it
 * @name:    as the user wrote it
 */
struct event {
	struct coroprof_counter counter;
	char name[EVENT_NAME_MAX];
};

#define EVENTS_DEFAULT	"cycles,instructions,cache-misses"
/* Of getrusage() what is no time, nor a number of times off the CPU: slices have these. */
#define EVENTS_RUSAGE	"task-clock,minor-faults,major-faults"

/*
 * Adds the events of a comma separated list to the @nr that @events, room for
 * COROPROF_COUNTERS_MAX, has already.
 */
int events_parse(struct event *events, unsigned int *nr, const char *list,
		 struct error *err);

/*
 * Looks one name up, without modifiers. 0, -ENOENT when there is none such, or
 * another error when there is, but it can't be used.
 */
int events_builtin(struct coroprof_counter *counter, const char *name,
		   struct error *err);
int events_sysfs(struct coroprof_counter *counter, const char *name,
		 struct error *err);
int events_libpfm(struct coroprof_counter *counter, const char *name,
		  struct error *err);

/* True of the program's own counter. */
static inline bool event_is_program(const struct coroprof_counter *counter)
{
	return counter->type == COROPROF_TYPE_PROGRAM;
}

/* What samples are of where they are of the program's work. */
#define EVENT_OF_WORK	"instructions"

/*
 * True if the event counts what the program does, and not what happens to it: a run beside other
 * programs has as many.
 */
static inline bool event_is_work(const struct coroprof_counter *counter)
{
	uint32_t event = (uint32_t)counter->config;

	return event_is_program(counter) || (counter->type == PERF_TYPE_HARDWARE &&
					     (event == PERF_COUNT_HW_INSTRUCTIONS ||
					      event == PERF_COUNT_HW_BRANCH_INSTRUCTIONS));
}

/* Where the PMUs are; tests point it elsewhere. */
extern const char *events_pmu_root;

/*
 * Names of the PMUs that count what a CPU does, comma separated, "" for none.
 * The number of them.
 */
unsigned int events_cpu_pmus(char *names, size_t capacity);

/* True if a PMU of this name counts what a CPU does. */
bool events_is_cpu_pmu(const char *name);

#endif /* COROPROF_EVENTS_H */
