/* SPDX-License-Identifier: GPL-2.0 */
/* What one session has of one thread. */
#ifndef COROPROF_RECORDING_H
#define COROPROF_RECORDING_H

#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>

#include "counters.h"
#include "ring.h"
#include "sample.h"

struct coroprof_attachment;
struct coroprof_channel;
struct coroprof_process;
struct coroprof_session;
struct coroprof_spares;

/* The bytes of records that CHANNEL_LAST has room for. */
#define COROPROF_LAST_MAX (COROPROF_RECORD_MAX - sizeof(struct coroprof_record_channel_last))

/**
 * struct coroprof_recording - what one session has of one thread
 *
 * The thread makes it at its first switch after a START. Whoever may touch the channel's
 * slice (channel-layout.h) writes it until it has ended. From then on it only waits to be read and
 * forgotten. The channel holds it until it is retired; retiring may sleep, so it comes later
 * than the end.
 *
 * It is in session->recordings from its begin until FORGET or the release of the session.
 * Both first take it off the session's lists of pending records.
 *
 * @ref:       held by the session's index, and by whoever looks at it without a lock
 * @id:        number of the channel in the session. Its place in the index is reserved even
 *             while it is not in it
 * @pending:   in session->pending.recordings while it has records to be read; pending.lock
 * @filled:    in session->pending.filled; pending.lock
 * @filled_listed: it is in that list; written under pending.lock, read without it by those who
 *             fill its rings
 * @forgotten: nothing more of it will be read; pending.lock
 * @attachment: that of its process; valid until @end_written or @forgotten
 * @session:   the session; held
 * @process:   the process in which it was made; held
 * @tid:       the thread; held
 * @comm:      the thread's name at @begin
 * @channel:   the channel, until somebody has retired the recording; coroprof_mutex
 * @counters:  what its slices count; held until it is retired
 * @ring:      receives the slices; NULL if it could not be made (@error)
 * @nr:        how many @state
 * @error:     why it could not be made, an errno
 * @wake:      wakes the reader when a ring has passed its watermark
 * @watermark: of its ring
 * @wake_at:   head at which to wake the reader next
 * @fast_until: up to this position a record fits, nobody has to be woken and no loss has to
 *             be recorded, as of the last look at the reader's tail. It is less than
 *             @wake_at, so that the record that gets there makes the module look again
 * @fast_last:  @fast_until less @fast_size: beyond it is no room for another such record. It may
 *             be negative
 * @fast_size:  bytes of a record with nothing but counts; 0 in a session of totals
 * @fast_first: first half of the first word of such a record; the other one is the slot
 * @fast_standing: of such a record: counters->full
 * @user_mode: the thread switches from user mode (shared.h)
 * @reason:    why it does not, COROPROF_REASON_*
 * @until:     position up to which the thread may write
 * @begin:     when it began
 * @end:       when its last slice ended
 * @slices:    number of slices, written or lost
 * @ended:     nothing more is written. Read with acquire, set with release, under pending.lock
 * @written:   CHANNEL was read; pending.lock
 * @last_written: CHANNEL_LAST was read; pending.lock
 * @end_written:  CHANNEL_END was read, or will not be; pending.lock
 * @preempted: nanoseconds, sum up to @end
 * @blocked:   nanoseconds, sum up to @end
 * @standing:  of the counters, over the whole recording
 * @state:     state of its counters when they were made
 * @first_count:   values of the counters at @begin
 * @first_missing: time missing of the counters at @begin
 * @last_count:    values of the counters at the end, once @ended
 * @last_missing:  time missing of the counters at the end, once @ended
 * @last_size: bytes of @last
 * @last:      the last records of a thread in user mode. They cannot go to its ring, because
 *             the thread may be about to write there
 * @sampler:   its samples
 * @rcu:       struct coroprof_sampler says why the memory is freed by RCU
 */
struct coroprof_recording {
	struct kref ref;
	u32 id;
	struct list_head pending;
	struct list_head filled;
	bool filled_listed;
	bool forgotten;
	struct coroprof_attachment *attachment;
	struct coroprof_session *session;
	struct coroprof_process *process;
	struct pid *tid;
	char comm[16];
	struct coroprof_channel *channel;
	struct coroprof_counters *counters;
	struct coroprof_ring *ring;
	u32 nr;
	int error;
	struct irq_work wake;
	u32 watermark;
	u64 wake_at;
	u64 fast_until;
	s64 fast_last;
	u32 fast_size;
	u32 fast_first;
	u32 fast_standing;
	bool user_mode;
	u16 reason;
	u64 until;
	u64 begin;
	u64 end;
	u64 slices;
	bool ended;
	bool written;
	bool last_written;
	bool end_written;
	u64 preempted;
	u64 blocked;
	u32 standing;
	struct coroprof_counter_state state[COROPROF_COUNTERS_MAX];
	u64 first_count[COROPROF_COUNTERS_MAX];
	u64 first_missing[COROPROF_COUNTERS_MAX];
	u64 last_count[COROPROF_COUNTERS_MAX];
	u64 last_missing[COROPROF_COUNTERS_MAX];
	u32 last_size;
	u64 last[COROPROF_LAST_MAX / sizeof(u64)];
	struct coroprof_sampler sampler;
	struct rcu_head rcu;
};

struct coroprof_recording *
coroprof_recording_create(struct coroprof_session *session,
			  struct coroprof_channel *channel, struct coroprof_spares *spares);
void coroprof_recording_get(struct coroprof_recording *recording);
void coroprof_recording_put(struct coroprof_recording *recording);
/* Under coroprof_mutex: the session's index of its recordings. */
struct coroprof_recording *coroprof_recording_find(struct coroprof_session *session, u32 id);
void coroprof_recording_add(struct coroprof_recording *recording,
			    struct coroprof_channel *channel);
void coroprof_recording_let_go(struct coroprof_recording *recording);

void coroprof_recording_retire(struct coroprof_recording *recording);

/* Whether one of its rings holds at least as many bytes as its watermark says. */
bool coroprof_recording_is_filled(const struct coroprof_recording *recording);

/*
 * Only who may touch the channel's slice (channel-layout.h) calls these. The last takes
 * pending.lock, the others no lock; none of them waits.
 */
void coroprof_recording_begin(struct coroprof_recording *recording, u64 now);
void coroprof_recording_slice(struct coroprof_recording *recording,
			      const struct coroprof_channel *channel,
			      u64 now, u16 flags,
			      const struct coroprof_deltas *deltas);
void *coroprof_recording_reserve(struct coroprof_recording *recording, u32 size);
void coroprof_recording_look(struct coroprof_recording *recording);
void coroprof_recording_end(struct coroprof_recording *recording);

/*
 * For who has just filled @ring: whether poll() has yet to learn of it. Nobody is woken for
 * a tail that makes no sense: poll() would not list that ring, and so each further record
 * would wake the reader again.
 */
static inline bool coroprof_recording_unlisted(const struct coroprof_recording *recording,
					       struct coroprof_ring *ring, u32 watermark)
{
	/* The head was written before this. Pairs with that of first_is_filled(). */
	smp_mb();
	return !READ_ONCE(recording->filled_listed) && coroprof_ring_is_filled(ring, watermark);
}

void coroprof_recording_status(const struct coroprof_recording *recording,
			       struct coroprof_channel_status *status);

#endif /* COROPROF_RECORDING_H */
