/* SPDX-License-Identifier: GPL-2.0 */
/* The perf events of one thread, and what they counted in a slice. */
#ifndef COROPROF_COUNTERS_H
#define COROPROF_COUNTERS_H

#include <linux/kref.h>
#include <linux/perf_event.h>

#include "../uapi/coroprof.h"
#include "quota.h"

struct cred;
struct file;
struct inode;

/**
 * struct coroprof_counter_at - a counter, and where it was at the last boundary
 *                              between slices
 * @event:   NULL where the event could not be had
 * @count:   the value
 * @lag:     time enabled less time running; see below
 * @missing: how long it was not on the PMU while the thread ran: the sum over all slices
 *           recorded so far
 * @ran:     time running
 * @enabled: time enabled when the thread began to run with these counters
 * @file:    of an event that the thread, or for it the session, has opened; it holds the
 *           event. NULL for an event of ours
 */
struct coroprof_counter_at {
	struct perf_event *event;
	u64 count;
	u64 lag;
	u64 missing;
	u64 ran;
	u64 enabled;
	struct file *file;
};

/**
 * struct coroprof_counters - the perf events of one thread
 *
 * They are independent events on the thread, because perf gives modules no groups. The thread
 * creates them itself. It reads them with interrupts off; another task may read them while the
 * thread is off the CPU, and keeps the thread there by channel.lock.
 *
 * While an event is on the PMU both of its times grow alike, so that time
 * enabled less time running, its lag, is exact without a look at a clock.
 * While it is off the PMU but the thread runs, only time running is up to date;
 * then the thread's own time on the CPU stands in for time enabled, on a
 * different clock, and what comes of it is an estimate.
 *
 * @ref:     held by the channel or by its recording, and by a reader of it that
 *           may sleep; freeing the events may sleep
 * @nr:      how many were asked for
 * @end:     behind the last of @at
 * @present: bit n: counter n could be had
 * @full:    COROPROF_STANDING when all of these are COUNTED
 * @exact:   bit n: the lag of counter n was up to date at the last boundary
 *           between slices
 * @words:   bit n: counter n is the program's own (COROPROF_TYPE_PROGRAM)
 * @word:    what these count, in memory of the process, which writes there at any time. It
 *           stays as long as the process object, which whoever reads the counters holds by
 *           the channel. NULL: there is none
 * @at:      each of them
 * @state:   what was asked for, and why it could not be had
 */
struct coroprof_counters {
	struct kref ref;
	u32 nr;
	struct coroprof_counter_at *end;
	u32 present;
	u32 full;
	u32 exact;
	u32 words;
	const u64 *word;
	struct coroprof_counter_at at[COROPROF_COUNTERS_MAX];
	struct coroprof_counter_state state[COROPROF_COUNTERS_MAX];
};

/**
 * enum coroprof_thread_is - which members of a thread's events are up to date
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
coroprof_counters_create(const struct coroprof_counter *counters, u32 nr, const u64 *word,
			 const struct cred *cred);
struct coroprof_counters *
coroprof_counters_adopt(const struct coroprof_counter *counters, u32 nr, const u64 *word,
			const s32 *fds, const struct inode *anon,
			const struct task_struct *task);
struct perf_event *coroprof_event_hold(void);
void coroprof_counters_get(struct coroprof_counters *counters);
void coroprof_counters_put(struct coroprof_counters *counters);

void coroprof_counters_refresh(struct coroprof_counters *counters);
void coroprof_counters_begin(struct coroprof_counters *counters);
bool coroprof_counters_step(struct coroprof_counters *counters,
			    enum coroprof_thread_is thread, u64 ran,
			    u64 slice_ran, struct coroprof_deltas *deltas);
u32 coroprof_standing_merge(u32 a, u32 b);

/* How much kernel memory @nr counters take, in bytes. */
static inline u64 coroprof_counters_bytes(u32 nr)
{
	return coroprof_bytes(sizeof(struct coroprof_counters)) +
	       nr * coroprof_bytes(sizeof(struct perf_event));
}

/* One of the program's own: there is no perf event of it. */
static inline bool coroprof_counter_is_program(const struct coroprof_counter *counter)
{
	return counter->type == COROPROF_TYPE_PROGRAM;
}

/* For those who make counters. */
struct coroprof_counters *
coroprof_counters_alloc(const struct coroprof_counter *counters, u32 nr, const u64 *word);
void coroprof_counters_set_word(struct coroprof_counters *c, u32 i);
void coroprof_counters_set(struct coroprof_counters *c, u32 i, struct perf_event *event);
bool coroprof_counter_in_kernel_only(const struct coroprof_counter *counter);
bool coroprof_counter_is_plain(const struct coroprof_counter *counter,
			       const struct perf_event *event, bool samples);

#endif /* COROPROF_COUNTERS_H */
