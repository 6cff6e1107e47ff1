// SPDX-License-Identifier: GPL-2.0
/*
 * What one session has of one thread: made with its ring and its counters by the thread at its
 * first switch, ended by whoever may touch the slice, retired by a task that may sleep, forgotten
 * by the reader.
 */
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/xarray.h>

#include "attach.h"
#include "attachment.h"
#include "channel-layout.h"
#include "compat.h"
#include "lock.h"
#include "pending.h"
#include "process.h"
#include "recording.h"
#include "ring.h"
#include "session.h"
#include "spare.h"
#include "quota.h"
#include "trace.h"

static void wake_session(struct irq_work *work)
{
	struct coroprof_recording *recording =
		container_of(work, struct coroprof_recording, wake);

	coroprof_pending_filled(recording);
	coroprof_pending_wake(&recording->session->pending);
}

static struct coroprof_counters *counters_for(struct coroprof_session *session,
					      struct coroprof_channel *channel)
{
	struct coroprof_counters *offered = channel->offered;

	if (offered) {
		channel->offered = NULL;
		return offered;
	}
	if (!channel->nr_own)
		return coroprof_counters_create(session->counters, session->nr_counters,
						coroprof_channel_word(channel), session->cred);

	coroprof_counters_get(channel->counters);
	return channel->counters;
}

/* With its counters, and that of its samples, which go when it is retired. */
static u64 recording_bytes(const struct coroprof_session *session)
{
	return coroprof_bytes(sizeof(struct coroprof_recording)) + COROPROF_INDEX_BYTES +
	       coroprof_counters_bytes(session->nr_counters + 1);
}

/* In user mode it knows what to map. */
static u32 ring_size_for(const struct coroprof_session *session,
			 const struct coroprof_channel *channel)
{
	if (session->ring_shrinks && channel->offered && channel->ring_size)
		return min(channel->ring_size, session->ring_size);
	return coroprof_session_ring_size(session, 0);
}

/*
 * Whether a page fault shows in what is counted or sampled: itself, the kernel's work in it, or
 * that it had to wait, as while another thread is in fork() or mmap().
 */
static bool shows_faults(const struct coroprof_counter *counter)
{
	if (counter->flags & COROPROF_COUNTER_KERNEL)
		return true;
	if (counter->type != PERF_TYPE_SOFTWARE)
		return false;
	switch (counter->config) {
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
	case PERF_COUNT_SW_CPU_MIGRATIONS:
		return true;
	}
	return false;
}

/* Whether the program would seem to take the page faults by which it maps its ring. */
static bool counts_faults(const struct coroprof_session *session)
{
	u32 i;

	for (i = 0; i < session->nr_counters; i++) {
		if (shows_faults(&session->counters[i]))
			return true;
	}
	return coroprof_session_samples(session) && shows_faults(&session->sampling.counter);
}

/* Its ring, then its counters: they count from then on. */
static int recording_equip(struct coroprof_recording *recording,
			   struct coroprof_session *session,
			   struct coroprof_channel *channel, struct coroprof_spares *spares)
{
	bool user_mode = channel->offered;
	struct coroprof_counters *counters;
	struct coroprof_ring *ring;

	ring = coroprof_spares_ring(spares, ring_size_for(session, channel), false);
	if (IS_ERR(ring))
		return PTR_ERR(ring);

	counters = counters_for(session, channel);
	if (!counters) {
		coroprof_ring_put(ring);
		return -ENOMEM;
	}

	ring->whole = counts_faults(session);
	recording->ring = ring;
	recording->watermark = coroprof_watermark(session->watermark, session->ring_size,
						  ring->size);
	recording->wake_at = recording->watermark;
	recording->counters = counters;
	recording->nr = counters->nr;
	recording->fast_size = ring->size ? coroprof_slice_size(0, counters->nr) : 0;
	recording->fast_last = -(s64)recording->fast_size;
	recording->fast_first = COROPROF_RECORD_SLICE | recording->fast_size << 16;
	recording->fast_standing = counters->full;
	recording->user_mode = user_mode;
	memcpy(recording->state, counters->state, sizeof(recording->state));
	return 0;
}

/* Memory is refused to a task that is killed, however much there is. */
static int equip_error(int err)
{
	return err == -ENOMEM && fatal_signal_pending(current) ? EINTR : -err;
}

/* Why it is not in user mode, if it is not. */
static u16 reason_of(const struct coroprof_channel *channel,
		     const struct coroprof_session *session)
{
	if (channel->reason == COROPROF_REASON_PROBED)
		return channel->reason;
	if (!session->user_mode)
		return COROPROF_REASON_SESSION;
	if (channel->nr_own)
		return COROPROF_REASON_OWN;
	return channel->reason;
}

static struct coroprof_recording *recording_make(struct coroprof_session *session,
						 struct coroprof_channel *channel,
						 struct coroprof_spares *spares)
{
	struct coroprof_recording *recording;
	int err;

	err = coroprof_quota_charge(session->quota, recording_bytes(session));
	if (err)
		return ERR_PTR(err);

	err = -ENOMEM;
	recording = kzalloc(sizeof(*recording), GFP_KERNEL_ACCOUNT | COROPROF_GFP_GENTLE);
	if (!recording)
		goto err_charge;
	err = coroprof_session_number(session, &recording->id);
	if (err)
		goto err_recording;

	kref_init(&recording->ref);
	INIT_LIST_HEAD(&recording->pending);
	INIT_LIST_HEAD(&recording->filled);
	init_irq_work(&recording->wake, wake_session);
	recording->tid = get_pid(channel->tid);
	get_task_comm(recording->comm, current);
	recording->reason = reason_of(channel, session);
	recording->process = channel->process;
	kref_get(&recording->process->ref);
	recording->session = session;
	coroprof_session_get(session);
	recording->error = coroprof_may_record(session) ?
		equip_error(recording_equip(recording, session, channel, spares)) : EACCES;
	if (!recording->error && coroprof_session_samples(session))
		coroprof_sampler_create(&recording->sampler, session, spares, &recording->wake);
	return recording;

err_recording:
	kfree(recording);
err_charge:
	coroprof_quota_uncharge(session->quota, recording_bytes(session));
	return ERR_PTR(err);
}

/**
 * coroprof_recording_create() - a recording of the calling thread
 * @session: for whom
 * @channel: the thread's
 * @spares:  of its process
 *
 * One that can't be equipped comes back all the same, with its error, so that
 * the session hears of it. What it takes is charged to the session's cgroup, not to
 * the thread's. May sleep.
 */
struct coroprof_recording *
coroprof_recording_create(struct coroprof_session *session,
			  struct coroprof_channel *channel, struct coroprof_spares *spares)
{
	struct mem_cgroup *own = coroprof_set_memcg(session->memcg);
	struct coroprof_recording *recording = recording_make(session, channel, spares);

	coroprof_set_memcg(own);
	return recording;
}

static void recording_free(struct kref *ref)
{
	struct coroprof_recording *recording =
		container_of(ref, struct coroprof_recording, ref);

	if (recording->counters)
		coroprof_counters_put(recording->counters);
	if (recording->ring)
		coroprof_ring_put(recording->ring);
	coroprof_sampler_destroy(&recording->sampler);
	put_pid(recording->tid);
	coroprof_process_put(recording->process);
	xa_release(&recording->session->recordings, recording->id);
	coroprof_quota_uncharge(recording->session->quota, recording_bytes(recording->session));
	coroprof_session_put(recording->session);
	kfree_rcu(recording, rcu);
}

void coroprof_recording_get(struct coroprof_recording *recording)
{
	kref_get(&recording->ref);
}

/* May sleep. */
void coroprof_recording_put(struct coroprof_recording *recording)
{
	kref_put(&recording->ref, recording_free);
}

/* A recording is about to begin. Its process is attached, and its place is reserved. */
void coroprof_recording_add(struct coroprof_recording *recording,
			    struct coroprof_channel *channel)
{
	struct coroprof_session *session = recording->session;

	lockdep_assert_held(&coroprof_mutex);
	if (recording->id > COROPROF_CHANNELS_MAX)
		recording->error = EOVERFLOW;
	if (recording->error) {
		recording->begin = ktime_get_mono_fast_ns();
		recording->end = recording->begin;
		recording->ended = true;
	} else {
		recording->channel = channel;
	}
	recording->attachment = coroprof_attachment_of(session, recording->process);
	coroprof_recording_get(recording);
	xa_store(&session->recordings, recording->id, recording, 0);
	if (recording->channel)
		xa_set_mark(&session->recordings, recording->id, COROPROF_GOES_ON);
	coroprof_pending_expect(recording);
}

/* Its channel has let go of it. */
void coroprof_recording_let_go(struct coroprof_recording *recording)
{
	lockdep_assert_held(&coroprof_mutex);
	recording->channel = NULL;
	xa_clear_mark(&recording->session->recordings, recording->id, COROPROF_GOES_ON);
}

struct coroprof_recording *coroprof_recording_find(struct coroprof_session *session, u32 id)
{
	lockdep_assert_held(&coroprof_mutex);
	return xa_load(&session->recordings, id);
}

/*
 * The channel has let go of a recording that has ended: from here on the thread
 * no longer counts for it. May sleep.
 */
void coroprof_recording_retire(struct coroprof_recording *recording)
{
	struct coroprof_counters *counters;

	mutex_lock(&coroprof_mutex);
	counters = recording->counters;
	recording->counters = NULL;
	mutex_unlock(&coroprof_mutex);

	coroprof_counters_put(counters);
	coroprof_sampler_release(&recording->sampler);
	coroprof_irq_work_sync(&recording->wake);
	coroprof_recording_put(recording);
}

void coroprof_recording_begin(struct coroprof_recording *recording, u64 now)
{
	const struct coroprof_counters *counters = recording->counters;
	u32 i;

	recording->begin = now;
	recording->end = now;
	for (i = 0; i < counters->nr; i++) {
		recording->first_count[i] = counters->at[i].count;
		recording->first_missing[i] = counters->at[i].missing;
	}
	coroprof_sampler_begin(&recording->sampler, recording->channel);
}

static u16 slice_flags(const struct coroprof_channel *channel, u16 flags,
		       const struct coroprof_deltas *deltas)
{
	flags |= channel->flags;
	if (channel->nr_preempted | channel->nr_blocked)
		flags |= COROPROF_SLICE_OFFCPU;
	if (deltas->partial)
		flags |= COROPROF_SLICE_SCALED;
	return flags;
}

static void *put_counts(u64 *to, const u64 *from, u32 nr)
{
	while (nr--)
		*to++ = *from++;
	return to;
}

/* What follows the counts, in the order the ABI gives. */
static void put_details(void *to, const struct coroprof_channel *channel, u16 flags,
			const struct coroprof_deltas *deltas, u32 nr)
{
	const struct coroprof_slot *slot = channel->slot;

	if (flags & COROPROF_SLICE_OFFCPU) {
		struct coroprof_slice_offcpu *offcpu = to;

		offcpu->preempted_ns = channel->preempted;
		offcpu->blocked_ns = channel->blocked;
		offcpu->nr_preempted = channel->nr_preempted;
		offcpu->nr_blocked = channel->nr_blocked;
		to = offcpu + 1;
	}
	if (flags & COROPROF_SLICE_FRESH) {
		struct coroprof_slice_fresh *fresh = to;

		fresh->parent = READ_ONCE(slot->parent);
		fresh->tag = READ_ONCE(slot->tag);
		to = fresh + 1;
	}
	if (flags & COROPROF_SLICE_WOKEN) {
		struct coroprof_slice_woken *woken = to;

		woken->wake_time = channel->wake_time;
		woken->waker = channel->waker;
		to = woken + 1;
	}
	if (flags & COROPROF_SLICE_SCALED)
		put_counts(to, deltas->missing, nr);
}

/* Room for a record behind the records of losses that are due, or NULL. */
void *coroprof_recording_reserve(struct coroprof_recording *recording, u32 size)
{
	struct coroprof_ring *ring = recording->ring;

	if (unlikely(coroprof_ring_loss_pending(ring)))
		coroprof_ring_tell_lost(ring);
	return coroprof_ring_loss_pending(ring) ? NULL : coroprof_ring_reserve(ring, size);
}

static void put_slice(struct coroprof_record_slice *slice, u32 size,
		      const struct coroprof_channel *channel, u64 now, u16 flags,
		      const struct coroprof_deltas *deltas)
{
	u32 nr = channel->recording->nr;

	slice->type = COROPROF_RECORD_SLICE;
	slice->size = size;
	slice->slot = channel->slot_nr;
	slice->time = now;
	slice->duration = now - channel->began;
	slice->id = READ_ONCE(channel->slot->id);
	slice->label = READ_ONCE(channel->slot->label);
	slice->flags = flags;
	slice->standing = deltas->standing;
	put_details(put_counts((u64 *)(slice + 1), deltas->count, nr), channel, flags, deltas, nr);
}

static void write_slice(struct coroprof_recording *recording,
			const struct coroprof_channel *channel, u64 now, u16 flags,
			const struct coroprof_deltas *deltas)
{
	struct coroprof_ring *ring = recording->ring;
	u32 size = coroprof_slice_size(flags, recording->nr);
	void *slice;

	slice = coroprof_recording_reserve(recording, size);
	if (!slice) {
		coroprof_ring_drop(ring, now);
		return;
	}
	put_slice(slice, size, channel, now, flags, deltas);
	coroprof_ring_commit(ring, size);
}

/*
 * The thread may be in the middle of writing to its ring, and go on with that:
 * the slice in which the recording ends must not be there.
 */
static void keep_last_slice(struct coroprof_recording *recording,
			    const struct coroprof_channel *channel, u64 now, u16 flags,
			    const struct coroprof_deltas *deltas)
{
	u32 size = coroprof_slice_size(flags, recording->nr), lost = 0;

	if (coroprof_ring_loss_pending(recording->ring))
		lost = coroprof_ring_take_lost(recording->ring, recording->last);
	put_slice((void *)recording->last + lost, size, channel, now, flags, deltas);
	recording->last_size = lost + size;
}

bool coroprof_recording_is_filled(const struct coroprof_recording *recording)
{
	struct coroprof_ring *ring = recording->ring, *samples = recording->sampler.ring;

	return (ring && coroprof_ring_is_filled(ring, recording->watermark)) ||
	       (samples && coroprof_ring_is_filled(samples, recording->sampler.watermark));
}

/*
 * Wake the reader, at most once for each watermark's worth of records, or since it
 * has emptied the rings; and see how far the records can go now before somebody has
 * to look again.
 */
void coroprof_recording_look(struct coroprof_recording *recording)
{
	struct coroprof_ring *ring = recording->ring;
	u32 watermark = recording->watermark;
	u64 used = coroprof_ring_used(ring);

	if (used >= watermark) {
		if (ring->head >= recording->wake_at ||
		    coroprof_recording_unlisted(recording, ring, watermark)) {
			recording->wake_at = ring->head + watermark;
			irq_work_queue(&recording->wake);
		}
	} else if (ring->head >= recording->wake_at) {
		recording->wake_at = ring->head + watermark - used;
	}
	recording->fast_until = coroprof_ring_loss_pending(ring) ? 0 :
		min(ring->head + ring->size - used, recording->wake_at - 1);
	recording->fast_last = recording->fast_until - recording->fast_size;
}

static noinline void trace_slice(const struct coroprof_recording *recording,
				 const struct coroprof_channel *channel, u64 now, u16 flags,
				 const struct coroprof_deltas *deltas)
{
	static const struct coroprof_label_text no_label;
	const struct coroprof_label_text *label =
		coroprof_process_label(recording->process, READ_ONCE(channel->slot->label));

	trace_coroprof_slice(recording, channel, label ?: &no_label, now, flags, deltas);
}

/**
 * coroprof_recording_slice() - a slice is over
 * @recording: of the thread
 * @channel:   the thread's, with the slice in it
 * @now:       when
 * @flags:     COROPROF_SLICE_* that only its end could show
 * @deltas:    what was counted
 */
void coroprof_recording_slice(struct coroprof_recording *recording,
			      const struct coroprof_channel *channel,
			      u64 now, u16 flags,
			      const struct coroprof_deltas *deltas)
{
	recording->standing = recording->slices ?
		coroprof_standing_merge(recording->standing, deltas->standing) :
		deltas->standing;
	recording->slices++;
	recording->end = now;
	recording->preempted += channel->preempted;
	recording->blocked += channel->blocked;

	flags = slice_flags(channel, flags, deltas);
	if (trace_coroprof_slice_enabled())
		trace_slice(recording, channel, now, flags, deltas);
	if (!recording->ring->size)
		return;
	if (recording->user_mode && flags & COROPROF_SLICE_CUT) {
		keep_last_slice(recording, channel, now, flags, deltas);
		return;
	}
	write_slice(recording, channel, now, flags, deltas);
	coroprof_recording_look(recording);
}

void coroprof_recording_end(struct coroprof_recording *recording)
{
	const struct coroprof_counters *counters = recording->counters;
	u32 i;

	for (i = 0; i < counters->nr; i++) {
		recording->last_count[i] = counters->at[i].count;
		recording->last_missing[i] = counters->at[i].missing;
	}
	if (coroprof_ring_loss_pending(recording->ring) && !recording->user_mode)
		coroprof_ring_tell_lost(recording->ring);
	coroprof_ring_close(recording->ring);
	coroprof_sampler_end(&recording->sampler);
	coroprof_pending_end(recording);
	irq_work_queue(&recording->wake);
}

/* As the channel's slice, or once the recording has ended. */
void coroprof_recording_status(const struct coroprof_recording *recording,
			       struct coroprof_channel_status *status)
{
	bool ended = recording->ended;
	/* Once it has ended they may go at any time: coroprof_recording_retire(). */
	const struct coroprof_counters *counters = ended ? NULL : recording->counters;
	u32 i;

	status->flags = ended ? COROPROF_CHANNEL_ENDED : 0;
	status->nr_counters = recording->nr;
	status->standing = recording->standing;
	status->error = recording->error;
	status->begin = recording->begin;
	status->end = ended ? recording->end : 0;
	status->slices = recording->slices;
	status->preempted_ns = recording->preempted;
	status->blocked_ns = recording->blocked;
	status->running_ns = recording->end - recording->begin -
			     recording->preempted - recording->blocked;
	if (recording->ring) {
		status->lost = recording->ring->full;
		status->ring_head = recording->ring->head;
		status->ring_made = !recording->ring->spared;
	}
	coroprof_sampler_status(&recording->sampler, status);
	for (i = 0; i < recording->nr; i++) {
		u64 count = ended ? recording->last_count[i] : counters->at[i].count;
		u64 missing = ended ? recording->last_missing[i] : counters->at[i].missing;

		status->count[i] = count - recording->first_count[i];
		status->missing_ns[i] = missing - recording->first_missing[i];
	}
}
