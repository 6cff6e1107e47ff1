// SPDX-License-Identifier: GPL-2.0
/*
 * Wraps switches of the worker: reads clocks before and after, and adds what lies between to the
 * known work of the coroutine.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "base/util.h"
#include "selftest/known.h"

static struct known_look read_clocks(void)
{
	struct timespec cpu;
	struct rusage usage;
	struct known_look l;

	getrusage(RUSAGE_THREAD, &usage);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	l.wall_ns = monotonic_ns();
	l.cpu_ns = (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec;
	l.preempted = (uint64_t)usage.ru_nivcsw;
	return l;
}

coroprof_co known_coroutine(struct truth *truth, enum truth_kind kind, const char *label,
			    struct truth_coroutine **row)
{
	*row = &truth->coroutine[truth->nr++];
	(*row)->kind = kind;
	(*row)->cpu = -1;
	snprintf((*row)->label, sizeof((*row)->label), "%s", label);
	return coroprof_new(coroprof_label(label), COROPROF_THREAD, truth->nr);
}

void known_begin(struct known_slice *s, struct truth_coroutine *truth, coroprof_co co)
{
	s->truth = truth;
	s->before = read_clocks();
	coroprof_switch(co);
	s->after = read_clocks();
}

void known_end(struct known_slice *s)
{
	struct truth_coroutine *t = s->truth;
	struct known_look before = read_clocks(), after;

	coroprof_switch(COROPROF_THREAD);
	after = read_clocks();
	t->slices++;
	t->wall_min_ns += before.wall_ns - s->after.wall_ns;
	t->wall_max_ns += after.wall_ns - s->before.wall_ns;
	t->cpu_min_ns += before.cpu_ns - s->after.cpu_ns;
	t->cpu_max_ns += after.cpu_ns - s->before.cpu_ns;
	t->preempted_min += before.preempted - s->after.preempted;
}
