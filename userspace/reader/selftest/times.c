// SPDX-License-Identifier: GPL-2.0
/* Judges times of coroutines against the clocks that the worker read around its switches. */
#include <inttypes.h>

#include "selftest/judge.h"

/*
 * Clocks were looked at right before and right after each switch, and the switch looks in
 * between. From user mode it has time from a processor's counter, set right by the clock
 * once a millisecond: that may differ by 500 ppm, half a microsecond at each end.
 */
#define WALL_SLACK_NS	2000
/*
 * The scheduler's clock is another one, and what it counts for a thread is without what
 * interrupts and a hypervisor took, by the kernel's configuration. Where processors'
 * counters can't be relied on, it is right at each tick only.
 */
#define CPU_SHARE	4
#define CPU_SLACK_NS	100000000
/* A timer runs before its thread sleeps, and the thread may be preempted in between. */
#define SLEEP_SHARE	10

static double to_ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

static const struct model_times *measured_times(const struct evidence *e, uint32_t i)
{
	return &e->model->coroutines[e->row[i]].times;
}

static void judge_wall(const struct evidence *e)
{
	static const char check[] = "time of slices";
	uint32_t nr = 0;

	for (uint32_t i = 0; i < e->truth->nr; i++) {
		const struct truth_coroutine *t = &e->truth->coroutine[i];
		const struct model_times *m = measured_times(e, i);
		uint64_t wall = m->running_ns + m->preempted_ns + m->blocked_ns;
		uint64_t slack = t->slices * WALL_SLACK_NS;

		if (!t->wall_max_ns)
			continue;
		nr++;
		if (wall + slack >= t->wall_min_ns && wall <= t->wall_max_ns + slack)
			continue;
		result_add(e->results, e->how, check, VERDICT_WRONG,
			   "'%s': %.6f ms, it took from %.6f to %.6f ms by the clock that it read itself (2 us a slice may differ): a clock jumps, or differs between processors",
			   t->label, to_ms(wall), to_ms(t->wall_min_ns), to_ms(t->wall_max_ns));
		return;
	}
	result_add(e->results, e->how, check, VERDICT_RIGHT,
		   "those of %" PRIu32 " coroutines lie between the looks at the clock before and after their switches (2 us a slice)",
		   nr);
}

/* Sums all coroutines whose clocks were read, as a jump of a clock is in one of them. */
static void judge_cpu_time(const struct evidence *e)
{
	uint64_t running = 0, least = 0, most = 0;
	bool fits;

	for (uint32_t i = 0; i < e->truth->nr; i++) {
		const struct truth_coroutine *t = &e->truth->coroutine[i];

		if (!t->wall_max_ns)
			continue;
		running += measured_times(e, i)->running_ns;
		least += t->cpu_min_ns;
		most += t->cpu_max_ns;
	}
	fits = running + least / CPU_SHARE + CPU_SLACK_NS >= least &&
	       running <= most + most / CPU_SHARE + e->truth->steal_ns + CPU_SLACK_NS;
	result_add(e->results, e->how, "running time", fits ? VERDICT_RIGHT : VERDICT_WRONG,
		   "%.3f ms, the scheduler's own clock says %.3f to %.3f ms (at most 25 %%, 100 ms and %.0f ms steal)%s",
		   to_ms(running), to_ms(least), to_ms(most), to_ms(e->truth->steal_ns),
		   fits ? "" : ": one of the two clocks jumps, or runs at a wrong rate");
}

static void judge_blocked(const struct evidence *e)
{
	uint32_t i = evidence_find(e, TRUTH_BLOCKED);
	const struct truth_coroutine *t = &e->truth->coroutine[i];
	const struct model_times *m = measured_times(e, i);
	bool fits = m->blocked_ns + t->slept_ns / SLEEP_SHARE >= t->slept_ns &&
		    m->nr_blocked + 1 >= t->slices;

	result_add(e->results, e->how, "blocked time", fits ? VERDICT_RIGHT : VERDICT_WRONG,
		   "%.3f ms in %" PRIu64 " times, asleep for at least %.3f ms in %" PRIu64 " (at most 1 in %d, and one time, less)",
		   to_ms(m->blocked_ns), m->nr_blocked, to_ms(t->slept_ns), t->slices, SLEEP_SHARE);
}

/*
 * Time off the CPU that the scheduler counted within slices is in them; at their ends there may be
 * more.
 */
static void judge_preempted(const struct evidence *e)
{
	static const char check[] = "preempted";
	uint64_t seen = 0, known = 0, ns = 0;
	bool fits;

	for (uint32_t i = 0; i < e->truth->nr; i++) {
		if (e->truth->coroutine[i].kind != TRUTH_PREEMPTED)
			continue;
		seen += measured_times(e, i)->nr_preempted;
		ns += measured_times(e, i)->preempted_ns;
		known += e->truth->coroutine[i].preempted_min;
	}
	if (!known) {
		result_add(e->results, e->how, check, VERDICT_NONE,
			   "another thread on its processor did not preempt it in 3 s");
		return;
	}
	fits = seen >= known && ns;
	result_add(e->results, e->how, check, fits ? VERDICT_RIGHT : VERDICT_WRONG,
		   "%" PRIu64 " times, %.3f ms; the scheduler has counted at least %" PRIu64,
		   seen, to_ms(ns), known);
}

static void judge_clock(const struct evidence *e)
{
	static const char check[] = "clock, from CPU to CPU";
	const struct truth *t = e->truth;

	if (t->cpus == 1)
		result_add(e->results, e->how, check, VERDICT_RIGHT, "there is one CPU");
	else if (t->back_ns)
		result_add(e->results, e->how, check, VERDICT_WRONG,
			   "CLOCK_MONOTONIC goes back by %" PRIu64 " ns from CPU %d to CPU %d: no time here can be relied on; see /sys/devices/system/clocksource/clocksource0",
			   t->back_ns, t->back_from, t->back_to);
	else
		result_add(e->results, e->how, check, VERDICT_RIGHT,
			   "CLOCK_MONOTONIC does not go back between %" PRIu32 " CPUs", t->cpus);
}

void judge_times(const struct evidence *e)
{
	judge_wall(e);
	judge_cpu_time(e);
	judge_blocked(e);
	judge_preempted(e);
	judge_clock(e);
}
