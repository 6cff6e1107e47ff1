// SPDX-License-Identifier: GPL-2.0
/*
 * The perf events of one thread: which may be asked for, their creation, and what they counted
 * since the last boundary between slices, with the standing of that. The thread creates and reads
 * them, others read while it is off the CPU (counters.h).
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/slab.h>

#include "compat.h"
#include "counters.h"
#include "perf.h"
#include "permit.h"

static bool is_plain_program(const struct coroprof_counter *counter)
{
	return !(counter->flags | counter->config | counter->config1 | counter->config2);
}

/* May the caller ask for these? */
int coroprof_counters_check(const struct coroprof_counter *counters, u32 nr)
{
	const u32 known = COROPROF_COUNTER_KERNEL | COROPROF_COUNTER_PINNED;
	bool kernel = false, perf = false;
	u32 i;

	if (nr > COROPROF_COUNTERS_MAX)
		return -EINVAL;

	for (i = 0; i < nr; i++) {
		if (counters[i].flags & ~known)
			return -EINVAL;
		if (coroprof_counter_is_program(&counters[i])) {
			if (!is_plain_program(&counters[i]))
				return -EINVAL;
			continue;
		}
		perf = true;
		if (counters[i].flags & COROPROF_COUNTER_KERNEL)
			kernel = true;
	}
	return perf ? coroprof_permit_counting(kernel) : 0;
}

/*
 * These count what only ever happens in the kernel, on the thread's behalf, and
 * show no more than /proc/self/status does. Without kernel mode perf would
 * count none of them and say nothing.
 */
bool coroprof_counter_in_kernel_only(const struct coroprof_counter *counter)
{
	return counter->type == PERF_TYPE_SOFTWARE &&
	       (counter->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		counter->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

/*
 * Plain counting and sampling only. Software events past DUMMY are not that: BPF output, and
 * cgroup switches, which perf would leave out without kernel mode and count as
 * none. A dynamic type is for a task's own hardware counters: not for probes,
 * traces into a buffer, or hardware that samples whatever it is asked.
 */
bool coroprof_counter_is_plain(const struct coroprof_counter *counter,
			       const struct perf_event *event, bool samples)
{
	const struct pmu *pmu = READ_ONCE(event->pmu);

	/* Newer kernels change the event's own type to that of a clock's PMU. */
	if (counter->type == PERF_TYPE_SOFTWARE)
		return counter->config <= PERF_COUNT_SW_DUMMY;
	/* They also take the PMU from an event when that is unregistered. */
	return pmu && pmu->task_ctx_nr == perf_hw_context &&
	       !event->attr.sample_period == !samples && !pmu->setup_aux;
}

/*
 * A migration is counted before the thread is back on a CPU, as far as we know;
 * DUMMY never. Of the PMU perf asks this of its own users only.
 */
static bool can_sample(const struct coroprof_counter *counter, const struct perf_event *event)
{
	const struct pmu *pmu;

	if (counter->type == PERF_TYPE_SOFTWARE)
		return counter->config != PERF_COUNT_SW_CPU_MIGRATIONS &&
		       counter->config != PERF_COUNT_SW_DUMMY;
	pmu = READ_ONCE(event->pmu);
	return pmu && !(pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT);
}

/**
 * coroprof_event_create() - a perf event of the calling thread
 * @counter:  what it counts; checked by coroprof_counters_check()
 * @sampling: how often it overflows, or NULL: it only counts
 * @handler:  called then
 * @context:  event->overflow_handler_context
 *
 * With the rights of the credentials in force. May sleep.
 */
struct perf_event *coroprof_event_create(const struct coroprof_counter *counter,
					 const struct coroprof_sampling *sampling,
					 perf_overflow_handler_t handler, void *context)
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
	struct perf_event *event;

	/*
	 * Types of probes are not known by number: such an event is let go again below. It
	 * takes CAP_PERFMON, which perf asks of the credentials in force, to get so far.
	 */
	if (counter->type == PERF_TYPE_TRACEPOINT || counter->type == PERF_TYPE_BREAKPOINT)
		return ERR_PTR(-EOPNOTSUPP);

	attr.exclude_kernel = !(counter->flags & COROPROF_COUNTER_KERNEL) &&
			      !coroprof_counter_in_kernel_only(counter);
	attr.pinned = !!(counter->flags & COROPROF_COUNTER_PINNED);
	if (sampling) {
		attr.freq = !!sampling->frequency;
		attr.sample_period = sampling->frequency ?: sampling->period;
	}
	event = perf_event_create_kernel_counter(&attr, -1, current, handler, context);
	if (!IS_ERR(event) && (!coroprof_counter_is_plain(counter, event, sampling) ||
			       (sampling && !can_sample(counter, event)))) {
		perf_event_release_kernel(event);
		return ERR_PTR(-EOPNOTSUPP);
	}
	return event;
}

/**
 * coroprof_event_hold() - have the next events of threads cost no wait
 *
 * The first event of any task makes perf wait for all processors (synchronize_rcu()),
 * and the time after the last one was gone a second. This is one that counts nothing:
 * for perf_event_release_kernel(), or an error. May sleep.
 */
struct perf_event *coroprof_event_hold(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
}

/* Counter @i is this event from now on. */
void coroprof_counters_set(struct coroprof_counters *c, u32 i, struct perf_event *event)
{
	c->at[i].event = event;
	c->present |= BIT(i);
	c->full |= COROPROF_STANDING_COUNTED << (2 * i);
}

/* Counter @i is the program's own, if the thread has a word for it. */
void coroprof_counters_set_word(struct coroprof_counters *c, u32 i)
{
	if (!c->word) {
		c->state[i].error = EOPNOTSUPP;
		return;
	}
	c->words |= BIT(i);
	c->present |= BIT(i);
	c->full |= COROPROF_STANDING_COUNTED << (2 * i);
}

/*
 * An event for each counter but the program's own, which are words of its memory. One that
 * can't be had leaves its error in its state, and the others as they are. The caller has the
 * rights of whoever asked for the counters.
 */
static void create_events(struct coroprof_counters *c)
{
	struct perf_event *event;
	u32 i;

	for (i = 0; i < c->nr; i++) {
		if (coroprof_counter_is_program(&c->state[i].counter)) {
			coroprof_counters_set_word(c, i);
			continue;
		}
		event = coroprof_event_create(&c->state[i].counter, NULL, NULL, NULL);
		if (IS_ERR(event)) {
			c->state[i].error = -PTR_ERR(event);
			continue;
		}
		coroprof_counters_set(c, i, event);
	}
}

/* Counters of which there is no event yet. */
struct coroprof_counters *coroprof_counters_alloc(const struct coroprof_counter *counters, u32 nr,
						  const u64 *word)
{
	struct coroprof_counters *c;
	u32 i;

	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT | COROPROF_GFP_GENTLE);
	if (!c)
		return NULL;

	kref_init(&c->ref);
	c->nr = nr;
	c->end = c->at + nr;
	c->word = word;
	for (i = 0; i < nr; i++)
		c->state[i].counter = counters[i];
	return c;
}

/**
 * coroprof_counters_create() - counters for the calling thread
 * @counters: checked by coroprof_counters_check()
 * @nr:       how many
 * @word:     what the program counts itself, or NULL
 * @cred:     who asked for them: the thread lends its time, not its rights
 *
 * One that can't be had is no error: its state says why. May sleep.
 */
struct coroprof_counters *
coroprof_counters_create(const struct coroprof_counter *counters, u32 nr, const u64 *word,
			 const struct cred *cred)
{
	struct coroprof_counters *c;
	const struct cred *own;

	c = coroprof_counters_alloc(counters, nr, word);
	if (!c)
		return NULL;

	own = override_creds(cred);
	create_events(c);
	revert_creds(own);
	coroprof_counters_refresh(c);
	return c;
}

static void counters_free(struct kref *ref)
{
	struct coroprof_counters *c = container_of(ref, struct coroprof_counters, ref);
	u32 i;

	for (i = 0; i < c->nr; i++) {
		if (c->at[i].file)
			fput(c->at[i].file);
		else if (c->at[i].event)
			perf_event_release_kernel(c->at[i].event);
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
		if (counters->at[i].event)
			perf_event_read_value(counters->at[i].event, &enabled, &running);
	}
}

/* @exact and @was: the lag is, and was, up to date. @ran_delta: of the event. */
static u32 standing_of(bool exact, bool was, u64 lag_delta, u64 ran_delta)
{
	if (exact && was)
		return lag_delta ? COROPROF_STANDING_SCALED : COROPROF_STANDING_COUNTED;
	if (!exact && !was && !ran_delta)
		return COROPROF_STANDING_NOT_SCHEDULED;
	return COROPROF_STANDING_SCALED;
}

/*
 * Whether the times of an event are up to date. One that perf has taken from a
 * thread that exits stands still: that is all there was for user mode, but not
 * for the rest of the exit.
 */
static bool is_exact(const struct perf_event *event, enum coroprof_thread_is thread, bool on)
{
	if (event->state >= PERF_EVENT_STATE_INACTIVE)
		return on || thread == COROPROF_FRESH;
	return event->state == PERF_EVENT_STATE_EXIT && event->attr.exclude_kernel;
}

/* The thread begins to run with these counters. */
void coroprof_counters_begin(struct coroprof_counters *counters)
{
	struct coroprof_deltas deltas;
	u32 i;

	for (i = 0; i < counters->nr; i++) {
		if (counters->at[i].event)
			counters->at[i].enabled = counters->at[i].event->total_time_enabled;
	}
	coroprof_counters_step(counters, COROPROF_RUNNING, 0, 0, &deltas);
	for (i = 0; i < counters->nr; i++)
		counters->at[i].missing = counters->at[i].enabled - counters->at[i].ran;
}

/*
 * What they read now, in deltas->count. @on: bit n: counter n is on the PMU.
 * Returns false if one has gone down since the last boundary: its thread has reset
 * the event, which is its own, and what it counted before is not known.
 */
static bool read_counts(const struct coroprof_counters *counters, enum coroprof_thread_is thread,
			struct coroprof_deltas *deltas, u32 *on)
{
	int cpu = smp_processor_id();
	u32 i;

	*on = 0;
	for (i = 0; i < counters->nr; i++) {
		const struct coroprof_counter_at *at = &counters->at[i];

		deltas->count[i] = 0;
		if (counters->words & BIT(i))
			deltas->count[i] = READ_ONCE(*counters->word);
		if (!at->event)
			continue;
		if (thread == COROPROF_RUNNING && at->event->oncpu == cpu) {
			deltas->count[i] = coroprof_event_count(at->event);
			*on |= BIT(i);
		} else {
			deltas->count[i] = local64_read(&at->event->count);
		}
		if (at->file && (s64)(deltas->count[i] - at->count) < 0)
			return false;
	}
	return true;
}

/* The program's own, which is always there. */
static void step_word(struct coroprof_counters *counters, u32 i, struct coroprof_deltas *deltas)
{
	u64 value = deltas->count[i];

	deltas->count[i] = value - counters->at[i].count;
	deltas->standing |= COROPROF_STANDING_COUNTED << (2 * i);
	counters->at[i].count = value;
	counters->exact |= BIT(i);
}

/**
 * coroprof_counters_step() - read all counters of a thread, and move on
 * @counters: the thread's
 * @thread:   where it is. The caller sees to it that it stays there: it has
 *            interrupts off, and is the thread or holds channel.lock
 * @ran:      how long the thread has run since coroprof_counters_begin()
 * @slice_ran: and since the last step
 * @deltas:   what was counted since the last step, and how well
 *
 * Returns false, with no step made, if a counter has gone down.
 */
bool coroprof_counters_step(struct coroprof_counters *counters,
			    enum coroprof_thread_is thread, u64 ran,
			    u64 slice_ran, struct coroprof_deltas *deltas)
{
	u32 was = counters->exact, on, i;

	if (!read_counts(counters, thread, deltas, &on))
		return false;

	counters->exact = 0;
	deltas->standing = 0;
	deltas->partial = false;
	for (i = 0; i < counters->nr; i++) {
		struct perf_event *event = counters->at[i].event;
		u64 count, lag, event_ran, missing = 0;
		u32 standing;
		bool exact;

		deltas->missing[i] = 0;
		if (counters->words & BIT(i))
			step_word(counters, i, deltas);
		if (!event)
			continue;

		exact = is_exact(event, thread, on & BIT(i));
		count = deltas->count[i];
		event_ran = event->total_time_running;
		lag = event->total_time_enabled - event_ran;
		standing = standing_of(exact, was & BIT(i), lag - counters->at[i].lag,
				       event_ran - counters->at[i].ran);

		if (standing != COROPROF_STANDING_COUNTED) {
			deltas->partial = true;
			missing = exact ? lag : ran + counters->at[i].enabled - event_ran;
			if (standing == COROPROF_STANDING_NOT_SCHEDULED)
				missing = slice_ran;
			else if ((s64)(missing - counters->at[i].missing) < 0)
				missing = 0;
			else
				missing = min(missing - counters->at[i].missing, slice_ran);
		}

		deltas->count[i] = count - counters->at[i].count;
		deltas->missing[i] = missing;
		deltas->standing |= standing << (2 * i);
		counters->at[i].count = count;
		counters->at[i].missing += missing;
		counters->at[i].lag = lag;
		counters->at[i].ran = event_ran;
		counters->exact |= exact ? BIT(i) : 0;
	}
	return true;
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
