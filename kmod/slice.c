// SPDX-License-Identifier: GPL-2.0
/*
 * The slice of a thread with all details: how it ends and begins by a switch, by a cut and by the
 * scheduler's hooks, and what is charged to its slot. fast.h does the common case; what both do has
 * to be the same.
 */
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "channel-layout.h"
#include "compat.h"
#include "recording.h"
#include "ring.h"
#include "shared.h"
#include "slice.h"
#include "trace.h"
#include "wake.h"

/*
 * The time now. The clock may differ by a little between CPUs: it must not go back behind the
 * beginning of the slice, nor behind any time off the CPU in it.
 */
u64 coroprof_slice_clock(const struct coroprof_channel *channel)
{
	return max3((u64)ktime_get_mono_fast_ns(), channel->began, channel->off_since);
}

/* Put what the thread was off the CPU up to @now into the slice. */
static void account_off(struct coroprof_channel *channel, u64 now)
{
	u64 delta = now - min(channel->off_since, now);

	if (channel->off == COROPROF_PREEMPTED)
		channel->preempted += delta;
	else
		channel->blocked += delta;
	channel->flags |= COROPROF_SLICE_OFFCPU;
	channel->fast = NULL;
	channel->off_total += delta;
	channel->off_since = now;
}

/* How long the thread has run in the slice. */
static u64 slice_ran(const struct coroprof_channel *channel, u64 now)
{
	return now - channel->began - channel->preempted - channel->blocked;
}

static void slot_add(const struct coroprof_channel *channel, u64 now,
		     const struct coroprof_deltas *deltas)
{
	struct coroprof_slot *slot = channel->slot;
	u32 i;

	slot->standing = slot->slices ?
		coroprof_standing_merge(slot->standing, deltas->standing) :
		deltas->standing;
	slot->slices++;
	slot->running_ns += slice_ran(channel, now);
	slot->preempted_ns += channel->preempted;
	slot->blocked_ns += channel->blocked;
	slot->nr_preempted += channel->nr_preempted;
	slot->nr_blocked += channel->nr_blocked;
	for (i = 0; i < channel->counters->nr; i++)
		slot->count[i] += deltas->count[i];
	if (deltas->partial) {
		for (i = 0; i < channel->counters->nr; i++)
			slot->missing_ns[i] += deltas->missing[i];
	}
}

/* How long the thread has run since its counters were made. */
static u64 ran(const struct coroprof_channel *channel, u64 now)
{
	return now - channel->base - channel->off_total;
}

/* The recording is over: let go of it. What retires it comes later. */
static void recording_drop(struct coroprof_channel *channel)
{
	struct coroprof_recording *recording = channel->recording;

	coroprof_recording_end(recording);
	if (recording->user_mode)
		coroprof_shared_close(channel, recording->ring->head);
	WARN_ON_ONCE(channel->retiring);
	channel->retiring = recording;
	channel->recording = NULL;
	channel->fast = NULL;
}

/*
 * What the thread wrote, or did to its counters, makes no sense: the recording
 * ends with what was known before. Only counters of a recording are ever not the
 * kernel's own.
 */
static void reject(struct coroprof_channel *channel)
{
	channel->recording->error = EBADMSG;
	recording_drop(channel);
	channel->counters = NULL;
}

/* The slice is over, whatever was in it. */
static void slice_end(struct coroprof_channel *channel, u64 now,
		      enum coroprof_thread_is thread, u16 flags)
{
	struct coroprof_deltas deltas;

	if (!coroprof_counters_step(channel->counters, thread, ran(channel, now),
				    slice_ran(channel, now), &deltas)) {
		reject(channel);
		return;
	}
	slot_add(channel, now, &deltas);
	if (channel->recording)
		coroprof_recording_slice(channel->recording, channel, now, flags, &deltas);
}

/* Another one begins, of the slot that is current. */
static void slice_begin(struct coroprof_channel *channel, u64 now, u16 flags)
{
	channel->began = now;
	if (channel->flags & COROPROF_SLICE_OFFCPU || channel->nr_preempted | channel->nr_blocked) {
		channel->preempted = 0;
		channel->blocked = 0;
		channel->nr_preempted = 0;
		channel->nr_blocked = 0;
	}
	channel->flags = flags;
}

/* The switch into a slot takes what was said of its becoming ready. */
static u16 take_wake(struct coroprof_channel *channel, struct coroprof_slot *slot)
{
	struct coroprof_wake wake;

	if (likely(!READ_ONCE(slot->wake_time)) || !coroprof_wake_take(slot, &wake))
		return 0;

	channel->wake_time = wake.time;
	channel->waker = wake.waker;
	return COROPROF_SLICE_WOKEN;
}

/* A coroutine may be made ready before it first runs. */
static void slot_clear(struct coroprof_slot *slot, u32 epoch)
{
	memset((void *)slot + offsetof(struct coroprof_slot, slices), 0,
	       offsetof(struct coroprof_slot, wake) - offsetof(struct coroprof_slot, slices));
	memset(slot->count, 0, sizeof(slot->count));
	memset(slot->missing_ns, 0, sizeof(slot->missing_ns));
	slot->since = epoch;
}

static void counting_begin(struct coroprof_channel *channel,
			   struct coroprof_counters *counters, u64 now)
{
	channel->counters = counters;
	channel->base = now;
	channel->off_total = 0;
	coroprof_counters_begin(counters);
}

/*
 * Take note of what the thread did from user mode. When that makes no sense the
 * recording ends with what was known before.
 */
static void catch_up(struct coroprof_channel *channel)
{
	if (!channel->recording || !channel->recording->user_mode || coroprof_shared_load(channel))
		return;
	reject(channel);
}

/**
 * coroprof_slice_insert() - a record is about to go into the middle of the slice
 * @channel: the thread's; it calls this itself
 * @head:    for coroprof_slice_inserted(), which has to follow
 *
 * Returns 0; or -ENODATA if no ring of the thread takes records, which what the thread did in
 * user mode may have brought about.
 */
int coroprof_slice_insert(struct coroprof_channel *channel, u64 *head)
{
	catch_up(channel);
	if (!channel->recording || !channel->recording->ring->size)
		return -ENODATA;
	if (channel->recording->user_mode)
		coroprof_shared_take(channel);
	*head = READ_ONCE(channel->recording->ring->producer->head);
	return 0;
}

/* The record is in the ring, or was dropped, and the slice goes on. */
void coroprof_slice_inserted(struct coroprof_channel *channel, u64 head)
{
	coroprof_recording_look(channel->recording);
	if (channel->recording->user_mode)
		coroprof_shared_move(channel, head);
}

/* The thread counts from now on, with counters that were just made. */
void coroprof_slice_count(struct coroprof_channel *channel, struct coroprof_counters *counters)
{
	u64 now = coroprof_slice_clock(channel);

	counting_begin(channel, counters, now);
	slice_begin(channel, now, 0);
}

/* The recording, if the slice that has just begun may end by coroprof_fast_switch(). */
static struct coroprof_recording *fast(const struct coroprof_channel *channel)
{
	struct coroprof_recording *recording = channel->recording;

	if (!recording || recording->user_mode || channel->flags || channel->pending ||
	    READ_ONCE(coroprof_traced) || channel->counters->words ||
	    channel->counters->exact != channel->counters->present)
		return NULL;
	return recording;
}

/**
 * coroprof_slice_switch() - the switch, whatever it is like
 * @channel:   the calling thread's
 * @nr:        number of the slot that is current from now on
 * @slot:      its memory
 * @arg:       COROPROF_SWITCH_*
 * @recording: begins here; NULL for none
 */
void coroprof_slice_switch(struct coroprof_channel *channel, u32 nr, struct coroprof_slot *slot,
			   unsigned long arg, struct coroprof_recording *recording)
{
	u16 out = 0, in = 0;
	u64 now = 0;

	catch_up(channel);
	if (channel->recording && channel->recording->user_mode)
		coroprof_shared_take(channel);
	if (channel->counters || recording)
		now = coroprof_slice_clock(channel);
	if (channel->counters) {
		if (arg & COROPROF_SWITCH_END)
			out |= COROPROF_SLICE_END;
		if (arg & COROPROF_SWITCH_READY)
			out |= COROPROF_SLICE_READY;
		if (arg & COROPROF_SWITCH_UNREPORTED)
			out |= COROPROF_SLICE_UNREPORTED;
		slice_end(channel, now, COROPROF_RUNNING, out);
	}

	WRITE_ONCE(channel->left, channel->slot_nr);
	WRITE_ONCE(channel->slot_nr, nr);
	channel->slot = slot;
	if (arg & COROPROF_SWITCH_FRESH) {
		slot_clear(slot, channel->epoch);
		in |= COROPROF_SLICE_FRESH;
	}
	if (recording) {
		if (!channel->counters)
			counting_begin(channel, recording->counters, now);
		coroprof_recording_begin(recording, now);
		channel->recording = recording;
		/* What was given before was for another. */
		channel->pending = false;
		in |= COROPROF_SLICE_FIRST;
	}
	in |= take_wake(channel, slot);
	if (channel->counters)
		slice_begin(channel, now, in);
	channel->fast = fast(channel);
	if (channel->recording && channel->recording->user_mode)
		coroprof_shared_store(channel);
}

/**
 * coroprof_slice_cut() - the recording is over, in the middle of a slice
 * @channel: of which there may be a recording
 * @thread:  where its thread is
 */
void coroprof_slice_cut(struct coroprof_channel *channel, enum coroprof_thread_is thread)
{
	u16 flags = COROPROF_SLICE_CUT;
	u64 now;

	catch_up(channel);
	if (!channel->recording)
		return;

	/* Since then it may have switched without a call. */
	if (READ_ONCE(channel->process->refused))
		flags |= COROPROF_SLICE_UNREPORTED;
	/* First, so that no sample is later than the end. */
	coroprof_sampler_end(&channel->recording->sampler);
	now = coroprof_slice_clock(channel);
	if (channel->off != COROPROF_ON)
		account_off(channel, now);
	slice_end(channel, now, thread, flags);
	if (!channel->recording)
		return;
	recording_drop(channel);
	if (channel->nr_own)
		slice_begin(channel, now, 0);
	else
		channel->counters = NULL;
}

/*
 * The thread runs another program, since it is not known when: the recording ends
 * with the last slice that is whole. Of that program it must show nothing.
 */
void coroprof_slice_drop(struct coroprof_channel *channel)
{
	catch_up(channel);
	if (!channel->recording)
		return;
	channel->recording->error = ESTALE;
	recording_drop(channel);
	if (!channel->nr_own)
		channel->counters = NULL;
}

/* The slice that goes on does not end by coroprof_fast_switch(), nor from user mode. */
void coroprof_slice_slow(struct coroprof_channel *channel)
{
	channel->fast = NULL;
	if (channel->recording && channel->recording->user_mode)
		coroprof_shared_off(channel);
}

/* The thread leaves the CPU. Under channel.lock. */
void coroprof_slice_off(struct coroprof_channel *channel)
{
	bool runnable = coroprof_task_runnable(current);

	catch_up(channel);
	if (channel->recording && channel->recording->user_mode)
		coroprof_shared_off(channel);
	if (channel->counters) {
		channel->off_since = coroprof_slice_clock(channel);
		if (!(channel->nr_preempted | channel->nr_blocked))
			channel->off_first = channel->off_since;
		if (runnable)
			channel->nr_preempted++;
		else
			channel->nr_blocked++;
	}
	channel->off = runnable ? COROPROF_PREEMPTED : COROPROF_BLOCKED;
	channel->off_nr++;
}

/* The thread is back. Under channel.lock. */
void coroprof_slice_on(struct coroprof_channel *channel)
{
	if (channel->counters)
		account_off(channel, coroprof_slice_clock(channel));
	if (channel->recording && channel->recording->user_mode)
		coroprof_shared_on(channel);
	channel->off = COROPROF_ON;
}

/*
 * Add what the slice that goes on has so far, and leave all as it is. Returns
 * false if a counter has gone down.
 */
static bool totals_add_running(struct coroprof_totals *totals,
			       const struct coroprof_channel *channel)
{
	struct coroprof_counters counters = *channel->counters;
	struct coroprof_deltas deltas;
	u64 now = totals->time;
	u32 i;

	if (!coroprof_counters_step(&counters, COROPROF_RUNNING, ran(channel, now),
				    slice_ran(channel, now), &deltas))
		return false;
	totals->nr_counters = counters.nr;
	totals->standing = totals->slices ?
		coroprof_standing_merge(totals->standing, deltas.standing) :
		deltas.standing;
	totals->slices++;
	totals->preempted_ns += channel->preempted;
	totals->blocked_ns += channel->blocked;
	totals->running_ns += slice_ran(channel, now);
	for (i = 0; i < counters.nr; i++) {
		totals->count[i] += deltas.count[i];
		totals->missing_ns[i] += deltas.missing[i];
	}
	return true;
}

/* The running coroutine's totals, the slice that goes on included. */
void coroprof_slice_totals(struct coroprof_channel *channel, struct coroprof_totals *totals)
{
	const struct coroprof_slot *slot;

	catch_up(channel);
	slot = channel->slot;
	totals->time = coroprof_slice_clock(channel);
	totals->slot = channel->slot_nr;
	totals->standing = slot->standing;
	totals->id = slot->id;
	totals->slices = slot->slices;
	totals->running_ns = slot->running_ns;
	totals->preempted_ns = slot->preempted_ns;
	totals->blocked_ns = slot->blocked_ns;
	memcpy(totals->count, slot->count, sizeof(totals->count));
	memcpy(totals->missing_ns, slot->missing_ns, sizeof(totals->missing_ns));
	if (channel->counters && !totals_add_running(totals, channel))
		reject(channel);
}

static const u32 states[] = {
	[COROPROF_ON] = COROPROF_OPEN_RUNNING,
	[COROPROF_PREEMPTED] = COROPROF_OPEN_PREEMPTED,
	[COROPROF_BLOCKED] = COROPROF_OPEN_BLOCKED,
};

/* Of a recording that goes on. The clock of user mode may be ahead of the hooks'. */
static void open_status(const struct coroprof_channel *channel,
			struct coroprof_channel_status *status)
{
	status->flags |= COROPROF_CHANNEL_OPEN;
	if (READ_ONCE(channel->process->refused) || READ_ONCE(channel->unreported))
		status->flags |= COROPROF_CHANNEL_OPEN_UNREPORTED;
	status->open_begin = channel->began;
	status->open_id = READ_ONCE(channel->slot->id);
	status->open_since = max(channel->began, channel->off_since);
	status->open_slot = channel->slot_nr;
	status->open_label = READ_ONCE(channel->slot->label);
	status->open_state = states[channel->off];
}

/**
 * coroprof_slice_status() - the figures of a recording of the thread, be it over or not
 * @channel:   the thread's
 * @recording: of it
 * @left:      the thread has called execve(): what it does now is not shown
 * @status:    out
 */
void coroprof_slice_status(struct coroprof_channel *channel,
			   const struct coroprof_recording *recording, bool left,
			   struct coroprof_channel_status *status)
{
	catch_up(channel);
	coroprof_recording_status(recording, status);
	if (channel->recording != recording)
		return;
	if (left)
		status->flags |= COROPROF_CHANNEL_OPEN_UNKNOWN;
	else
		open_status(channel, status);
}
