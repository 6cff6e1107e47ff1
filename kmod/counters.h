/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_COUNTERS_H
#define COROPROF_COUNTERS_H

#include <linux/kref.h>
#include <linux/perf_event.h>

#include "../uapi/coroprof.h"

struct cred;
struct file;
struct inode;

/**
 * struct coroprof_counters - the perf events of one thread
 *
 * Independent events on the thread; groups and perf_event_read_local() are not
 * for modules. Created by the thread itself; read by the thread with
 * interrupts off, or by another task while the thread is off the CPU and kept
 * there by channel.lock.
 *
 * While an event is on the PMU both of its times grow alike, so that time
 * enabled less time running, its @lag, is exact without a look at a clock.
 * While it is off the PMU but the thread runs, only time running is up to date;
 * then the thread's own time on the CPU stands in for time enabled, on a
 * different clock, and what comes of it is an estimate.
 *
 * @ref:     held by the channel or by its recording, and by a reader of it that
 *           may sleep; freeing the events may sleep
 * @nr:      how many were asked for
 * @event:   NULL where the event could not be had
 * @file:    of an event that the thread has opened itself; holds it
 * @state:   what was asked for, and why it could not be had
 * @present: bit n: counter n could be had
 * @full:    COROPROF_STANDING when all of these are COUNTED
 * @now:     scratch of coroprof_counters_read_full()
 * @exact:   bit n: @lag of counter n was up to date at the last boundary
 *           between slices; the members below are as of then, too
 * @count:   the values
 * @missing: how long each was not on the PMU while the thread ran; the sum of
 *           what has been told
 * @lag:     see above
 * @ran:     time running
 * @enabled: time enabled when the thread began to run with these counters
 */
struct coroprof_counters {
	struct kref ref;
	u32 nr;
	struct perf_event *event[COROPROF_COUNTERS_MAX];
	struct file *file[COROPROF_COUNTERS_MAX];
	struct coroprof_counter_state state[COROPROF_COUNTERS_MAX];
	u32 present;
	u32 full;
	u64 now[COROPROF_COUNTERS_MAX];
	u32 exact;
	u64 count[COROPROF_COUNTERS_MAX];
	u64 missing[COROPROF_COUNTERS_MAX];
	u64 lag[COROPROF_COUNTERS_MAX];
	u64 ran[COROPROF_COUNTERS_MAX];
	u64 enabled[COROPROF_COUNTERS_MAX];
};

/**
 * enum coroprof_thread_is - what may be believed of a thread's events
 * @COROPROF_RUNNING: the caller is the thread, with interrupts off
 * @COROPROF_FRESH:   it is off the CPU, and coroprof_counters_refresh() was
 *                    called since it went
 * @COROPROF_STALE:   it is off the CPU: the times of events that were not on
 *                    the PMU when it went are not up to date
 */
enum coroprof_thread_is {
	COROPROF_RUNNING,
	COROPROF_FRESH,
	COROPROF_STALE,
};

/**
 * struct coroprof_deltas - what the counters of a thread counted in a slice
 * @count:    the values
 * @missing:  time each was not on the PMU while the thread ran
 * @standing: COROPROF_STANDING of each
 * @partial:  one of them is SCALED or NOT_SCHEDULED
 */
struct coroprof_deltas {
	u64 count[COROPROF_COUNTERS_MAX];
	u64 missing[COROPROF_COUNTERS_MAX];
	u16 standing;
	bool partial;
};

int coroprof_counters_check(const struct coroprof_counter *counters, u32 nr);
struct perf_event *coroprof_event_create(const struct coroprof_counter *counter,
					 const struct coroprof_sampling *sampling,
					 perf_overflow_handler_t handler, void *context);
struct coroprof_counters *
coroprof_counters_create(const struct coroprof_counter *counters, u32 nr,
			 const struct cred *cred);
struct coroprof_counters *
coroprof_counters_adopt(const struct coroprof_counter *counters, u32 nr, const s32 *fds,
			const struct inode *anon);
void coroprof_counters_get(struct coroprof_counters *counters);
void coroprof_counters_put(struct coroprof_counters *counters);

void coroprof_counters_refresh(struct coroprof_counters *counters);
void coroprof_counters_begin(struct coroprof_counters *counters);
void coroprof_counters_step(struct coroprof_counters *counters,
			    enum coroprof_thread_is thread, u64 ran,
			    u64 slice_ran, struct coroprof_deltas *deltas);
u32 coroprof_standing_merge(u32 a, u32 b);

/* For those who make counters. */
struct coroprof_counters *
coroprof_counters_alloc(const struct coroprof_counter *counters, u32 nr);
void coroprof_counters_set(struct coroprof_counters *c, u32 i, struct perf_event *event);
bool coroprof_counter_is_plain(const struct coroprof_counter *counter,
			       const struct perf_event *event, bool samples);

/**
 * coroprof_counters_read_full() - read counters that are all on the PMU
 * @counters: the calling thread's; it has interrupts off
 *
 * Leaves what they read in @now. Returns false when one of them is not on the
 * PMU, or was not for all of the time since the last step, so that
 * coroprof_counters_step() has to say how well it counted. When true, the
 * values are all there is to step: the lags are what they were.
 */
static inline bool coroprof_counters_read_full(struct coroprof_counters *counters)
{
	int cpu = smp_processor_id();
	u32 i;

	if (counters->exact != counters->present)
		return false;

	for (i = 0; i < counters->nr; i++) {
		struct perf_event *event = counters->event[i];

		if (!event) {
			counters->now[i] = 0;
			continue;
		}
		if (event->oncpu != cpu || event->total_time_enabled -
					   event->total_time_running != counters->lag[i])
			return false;
		event->pmu->read(event);
		counters->now[i] = local64_read(&event->count);
	}
	return true;
}

#endif /* COROPROF_COUNTERS_H */
