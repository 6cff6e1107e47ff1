// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/slab.h>

#include "counters.h"

/* May the caller ask for these? */
int coroprof_counters_check(const struct coroprof_counter *counters, u32 nr)
{
	const u32 known = COROPROF_COUNTER_KERNEL | COROPROF_COUNTER_PINNED;
	u32 i;

	if (nr > COROPROF_COUNTERS_MAX)
		return -EINVAL;

	for (i = 0; i < nr; i++) {
		if (counters[i].flags & ~known)
			return -EINVAL;
		if ((counters[i].flags & COROPROF_COUNTER_KERNEL) && !perfmon_capable())
			return -EPERM;
	}
	return 0;
}

/*
 * These count what only ever happens in the kernel, on the thread's behalf, and
 * tell no more than /proc/self/status does. Without kernel mode perf would
 * count none of them and say nothing.
 */
static bool counts_in_kernel_only(const struct coroprof_counter *counter)
{
	return counter->type == PERF_TYPE_SOFTWARE &&
	       (counter->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		counter->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

static struct perf_event *event_create(const struct coroprof_counter *counter)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = counter->type,
		.config = counter->config,
		.config1 = counter->config1,
		.config2 = counter->config2,
		.exclude_hv = 1,
		.exclude_guest = 1,
	};

	if (counter->type == PERF_TYPE_TRACEPOINT || counter->type == PERF_TYPE_BREAKPOINT)
		return ERR_PTR(-EOPNOTSUPP);

	attr.exclude_kernel = !(counter->flags & COROPROF_COUNTER_KERNEL) &&
			      !counts_in_kernel_only(counter);
	attr.pinned = !!(counter->flags & COROPROF_COUNTER_PINNED);
	return perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
}

/**
 * coroprof_counters_create() - counters for the calling thread
 * @counters: checked by coroprof_counters_check()
 * @nr:       how many
 *
 * One that can't be had is no error: its state says why. May sleep.
 */
struct coroprof_counters *
coroprof_counters_create(const struct coroprof_counter *counters, u32 nr)
{
	struct coroprof_counters *c;
	struct perf_event *event;
	u32 i;

	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return ERR_PTR(-ENOMEM);

	kref_init(&c->ref);
	c->nr = nr;
	for (i = 0; i < nr; i++) {
		c->state[i].counter = counters[i];
		event = event_create(&counters[i]);
		if (IS_ERR(event))
			c->state[i].error = -PTR_ERR(event);
		else
			c->event[i] = event;
	}
	return c;
}

static void counters_free(struct kref *ref)
{
	struct coroprof_counters *c = container_of(ref, struct coroprof_counters, ref);
	u32 i;

	for (i = 0; i < c->nr; i++) {
		if (c->event[i])
			perf_event_release_kernel(c->event[i]);
	}
	kfree(c);
}

void coroprof_counters_get(struct coroprof_counters *counters)
{
	kref_get(&counters->ref);
}

/* May sleep. */
void coroprof_counters_put(struct coroprof_counters *counters)
{
	kref_put(&counters->ref, counters_free);
}

/*
 * Bring the times of events that are off the PMU up to date, for a read from
 * another task. May sleep.
 */
void coroprof_counters_refresh(struct coroprof_counters *counters)
{
	u64 enabled, running;
	u32 i;

	for (i = 0; i < counters->nr; i++) {
		if (counters->event[i])
			perf_event_read_value(counters->event[i], &enabled, &running);
	}
}

/* @exact and @was: the lag is, and was, up to date. */
static u32 standing_of(bool exact, bool was, u64 lag_delta, u64 ran_delta)
{
	if (exact && was)
		return lag_delta ? COROPROF_STANDING_SCALED : COROPROF_STANDING_COUNTED;
	if (!exact && !was && !ran_delta)
		return COROPROF_STANDING_NOT_SCHEDULED;
	return COROPROF_STANDING_SCALED;
}

/**
 * coroprof_counters_step() - read all counters of a thread, and move on
 * @counters: the thread's
 * @running:  the caller is the thread; else the thread is off the CPU, and the
 *            times of its events are up to date
 * @ran:      how long the thread has run since the counters were made
 * @deltas:   what was counted since the last step, and how well
 *
 * The caller has interrupts off and sees to it that the thread is not switched
 * in or out meanwhile. perf_event_read_local() does this for built-in code.
 */
void coroprof_counters_step(struct coroprof_counters *counters, bool running,
			    u64 ran, struct coroprof_deltas *deltas)
{
	int cpu = smp_processor_id();
	u32 was = counters->exact, i;

	counters->exact = 0;
	deltas->standing = 0;
	deltas->partial = false;
	for (i = 0; i < counters->nr; i++) {
		struct perf_event *event = counters->event[i];
		u64 count, missing, lag, event_ran;
		bool exact = !running;
		u32 standing;

		if (!event) {
			deltas->count[i] = 0;
			deltas->missing[i] = 0;
			continue;
		}
		if (running && event->oncpu == cpu) {
			event->pmu->read(event);
			exact = true;
		} else if (event->state == PERF_EVENT_STATE_ERROR) {
			exact = false;
		}

		count = local64_read(&event->count);
		event_ran = event->total_time_running;
		lag = event->total_time_enabled - event_ran;
		missing = exact ? lag : ran - min(ran, event_ran);
		missing = max(missing, counters->missing[i]);
		standing = standing_of(exact, was & BIT(i), lag - counters->lag[i],
				       event_ran - counters->ran[i]);

		deltas->count[i] = count - counters->count[i];
		deltas->missing[i] = missing - counters->missing[i];
		deltas->standing |= standing << (2 * i);
		deltas->partial |= standing != COROPROF_STANDING_COUNTED;

		counters->count[i] = count;
		counters->missing[i] = missing;
		counters->lag[i] = lag;
		counters->ran[i] = event_ran;
		counters->exact |= exact ? BIT(i) : 0;
	}
}

/* The standing over two times, from that over each: all counters at once. */
u32 coroprof_standing_merge(u32 a, u32 b)
{
	u32 merged = 0, i, sa, sb;

	if (likely(a == b))
		return a;

	for (i = 0; i < COROPROF_COUNTERS_MAX; i++) {
		sa = COROPROF_STANDING(a, i);
		sb = COROPROF_STANDING(b, i);
		if (sa == sb)
			merged |= sa << (2 * i);
		else if (sa != COROPROF_STANDING_UNSUPPORTED && sb != COROPROF_STANDING_UNSUPPORTED)
			merged |= COROPROF_STANDING_SCALED << (2 * i);
	}
	return merged;
}
