/* SPDX-License-Identifier: GPL-2.0 */
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

/* CHANNEL_LAST has room for so many bytes of records. */
#define COROPROF_LAST_MAX (COROPROF_RECORD_MAX - sizeof(struct coroprof_record_channel_last))

/**
 * struct coroprof_recording - what one session has of one thread
 *
 * Made by the thread at its first switch after a START. Written by whoever may
 * touch the channel's slice (channel.h) until it has ended; from then on it
 * only waits to be read and forgotten. The channel holds it until it has been
 * retired, which may sleep and so comes later than its end.
 *
 * In session->recordings from its begin until FORGET or the session's release, of
 * which each first has it forgotten by the session's news.
 *
 * @ref:       the session's index; whoever looks at it with no lock held
 * @id:        number of the channel in the session; its place there is reserved as long
 *             as it is not in it
 * @news:      in session->news.recordings while there is something to tell; news.lock
 * @filled:    in session->news.filled; news.lock
 * @filled_listed: it is; written under news.lock, read by those who fill its rings
 * @forgotten: nothing of it is to be told any more; news.lock
 * @attachment: of its process; there until @end_written or @forgotten
 * @session:   whose; held
 * @process:   what it was made in; held
 * @tid:       the thread; held
 * @comm:      its name at @begin
 * @channel:   where it goes on, or has ended and nobody has retired it;
 *             coroprof_mutex
 * @counters:  what the slices carry; held until it has been retired
 * @state:     what they were made as
 * @nr:        how many
 * @ring:      where the slices go; NULL when it could not be made (@error)
 * @error:     why, an errno
 * @wake:      tells the session that the watermark was passed
 * @watermark: of its ring
 * @wake_at:   head at which to do that next
 * @fast_until: up to this position a record fits, nobody needs to be woken and
 *             no loss has to be told: as of the last look at the reader's side.
 *             Short of @wake_at, so that the one that gets there looks again
 * @fast_size:  bytes of a record with nothing but counts; 0 in a session of totals
 * @fast_first: its first word, but for the slot
 * @user_mode: the thread switches from user mode (shared.h)
 * @reason:    why it does not, COROPROF_REASON_*
 * @until:     position up to which it may write
 * @begin:     when it began
 * @end:       up to when it goes: the end of the last slice
 * @ended:     nothing more is written; read with acquire, set with release, under news.lock
 * @written:   CHANNEL was read; news.lock
 * @last_written: CHANNEL_LAST was read; news.lock
 * @end_written:  CHANNEL_END was read, or won't be; news.lock
 * @slices:    written or lost
 * @preempted: sum up to @end
 * @blocked:   sum up to @end
 * @standing:  over all of it
 * @first_count:   what the counters read at @begin
 * @first_missing: likewise
 * @last_count:    what they read at the end, once @ended
 * @last_missing:  likewise
 * @last_size: bytes of @last
 * @last:      the records that end what the thread wrote to its ring: not there,
 *             as the thread may be about to write
 * @sampler:   its samples
 * @rcu:       see there
 */
struct coroprof_recording {
	struct kref ref;
	u32 id;
	struct list_head news;
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
	struct coroprof_counter_state state[COROPROF_COUNTERS_MAX];
	u32 nr;
	struct coroprof_ring *ring;
	int error;
	struct irq_work wake;
	u32 watermark;
	u64 wake_at;
	u64 fast_until;
	u32 fast_size;
	u32 fast_first;
	bool user_mode;
	u16 reason;
	u64 until;
	u64 begin;
	u64 end;
	bool ended;
	bool written;
	bool last_written;
	bool end_written;
	u64 slices;
	u64 preempted;
	u64 blocked;
	u32 standing;
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
			  struct coroprof_channel *channel);
void coroprof_recording_get(struct coroprof_recording *recording);
void coroprof_recording_put(struct coroprof_recording *recording);
void coroprof_recording_retire(struct coroprof_recording *recording);

/* A ring of it holds as much as its watermark. */
bool coroprof_recording_is_filled(const struct coroprof_recording *recording);

/* As the channel's slice: no locks, but news.lock when it ends, and no waiting. */
void coroprof_recording_begin(struct coroprof_recording *recording, u64 now);
void coroprof_recording_slice(struct coroprof_recording *recording,
			      const struct coroprof_channel *channel,
			      u64 now, u16 flags,
			      const struct coroprof_deltas *deltas);
void *coroprof_recording_reserve(struct coroprof_recording *recording, u32 size);
void coroprof_recording_look(struct coroprof_recording *recording);
void coroprof_recording_end(struct coroprof_recording *recording);

/*
 * As who has just filled @ring: poll() does not know, or does no longer. A tail that makes
 * no sense is nobody's to be woken for: poll() would not list the ring, so each record
 * would wake again.
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
