// SPDX-License-Identifier: GPL-2.0
/*
 * Puts objects on the lists of what is to be read, takes them off, and wakes the reader. Lists and
 * the members that say what was read change under pending.lock alone, the innermost lock.
 */
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/poll.h>
#include <linux/xarray.h>

#include "attachment.h"
#include "follow.h"
#include "lock.h"
#include "pending.h"
#include "process.h"
#include "recording.h"
#include "session.h"

void coroprof_pending_init(struct coroprof_pending *pending)
{
	raw_spin_lock_init(&pending->lock);
	INIT_LIST_HEAD(&pending->attachments);
	INIT_LIST_HEAD(&pending->refused);
	INIT_LIST_HEAD(&pending->recordings);
	INIT_LIST_HEAD(&pending->filled);
	init_waitqueue_head(&pending->wait);
}

void coroprof_pending_wake(struct coroprof_pending *pending)
{
	wake_up_poll(&pending->wait, EPOLLIN | EPOLLRDNORM);
}

/* All its recordings have been reported, and no other will begin. */
static bool is_over(const struct coroprof_attachment *attachment)
{
	return attachment->ended && !attachment->recordings;
}

bool coroprof_pending_has(const struct coroprof_attachment *attachment)
{
	return !attachment->written || is_over(attachment) ||
	       xa_load(&attachment->process->labels, attachment->labels + 1);
}

/* If there is anything to report of it. Under the lock. */
static void list_attachment(struct coroprof_pending *pending,
			    struct coroprof_attachment *attachment)
{
	lockdep_assert_held(&pending->lock);
	if (list_empty(&attachment->pending) && coroprof_pending_has(attachment))
		list_add_tail(&attachment->pending, &pending->attachments);
}

static void list_recording(struct coroprof_pending *pending, struct coroprof_recording *recording)
{
	lockdep_assert_held(&pending->lock);
	if (list_empty(&recording->pending))
		list_add_tail(&recording->pending, &pending->recordings);
}

/* It was made, or its process has got a label. */
void coroprof_pending_of(struct coroprof_session *session, struct coroprof_attachment *attachment)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&session->pending.lock, flags);
	list_attachment(&session->pending, attachment);
	raw_spin_unlock_irqrestore(&session->pending.lock, flags);
	coroprof_pending_wake(&session->pending);
}

/* Its process has ended, or another session has got it: no recording will begin. */
void coroprof_pending_over(struct coroprof_session *session, struct coroprof_attachment *attachment,
			   u64 time, bool taken)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&session->pending.lock, flags);
	attachment->ended = time;
	WRITE_ONCE(attachment->taken, taken);
	list_attachment(&session->pending, attachment);
	raw_spin_unlock_irqrestore(&session->pending.lock, flags);
	coroprof_pending_wake(&session->pending);
}

/* The calling process was refused. */
void coroprof_pending_refused(struct coroprof_follow *follow, u32 process_id, int err)
{
	struct coroprof_pending *pending = &follow->session->pending;
	u64 now = ktime_get_mono_fast_ns();
	char comm[sizeof(follow->comm)];
	unsigned long flags;

	get_task_comm(comm, current);
	raw_spin_lock_irqsave(&pending->lock, flags);
	follow->error = -err;
	follow->process_id = process_id;
	follow->time = now;
	memcpy(follow->comm, comm, sizeof(comm));
	list_move_tail(&follow->refused, &pending->refused);
	raw_spin_unlock_irqrestore(&pending->lock, flags);
	coroprof_pending_wake(pending);
}

bool coroprof_pending_has_refused(const struct coroprof_follow *follow)
{
	struct coroprof_pending *pending = &follow->session->pending;
	unsigned long flags;
	bool has;

	raw_spin_lock_irqsave(&pending->lock, flags);
	has = !list_empty(&follow->refused);
	raw_spin_unlock_irqrestore(&pending->lock, flags);
	return has;
}

void coroprof_pending_forget_follow(struct coroprof_follow *follow)
{
	struct coroprof_pending *pending = &follow->session->pending;
	unsigned long flags;

	raw_spin_lock_irqsave(&pending->lock, flags);
	list_del_init(&follow->refused);
	raw_spin_unlock_irqrestore(&pending->lock, flags);
}

/* A thread is not recorded, and there is no memory to say that of it. */
void coroprof_pending_unrecorded(struct coroprof_session *session)
{
	struct coroprof_pending *pending = &session->pending;
	u64 now = ktime_get_mono_fast_ns();
	unsigned long flags;

	raw_spin_lock_irqsave(&pending->lock, flags);
	pending->unrecorded++;
	pending->unrecorded_at = now;
	raw_spin_unlock_irqrestore(&pending->lock, flags);
	coroprof_pending_wake(pending);
}

/* One is about to begin: its attachment has to wait for its end. */
void coroprof_pending_expect(struct coroprof_recording *recording)
{
	struct coroprof_pending *pending = &recording->session->pending;
	unsigned long flags;

	raw_spin_lock_irqsave(&pending->lock, flags);
	recording->attachment->recordings++;
	raw_spin_unlock_irqrestore(&pending->lock, flags);
}

/*
 * It has begun, so that what is reported of it is there. It may have ended since, and been
 * read; under coroprof_mutex nobody has forgotten it.
 */
void coroprof_pending_begin(struct coroprof_recording *recording)
{
	struct coroprof_pending *pending = &recording->session->pending;
	unsigned long flags;

	lockdep_assert_held(&coroprof_mutex);
	raw_spin_lock_irqsave(&pending->lock, flags);
	if (!recording->written)
		list_recording(pending, recording);
	raw_spin_unlock_irqrestore(&pending->lock, flags);
	coroprof_pending_wake(pending);
}

/* @ended is set under the lock: who has seen it finds the recording listed for the last time. */
void coroprof_pending_end(struct coroprof_recording *recording)
{
	struct coroprof_pending *pending = &recording->session->pending;
	unsigned long flags;

	raw_spin_lock_irqsave(&pending->lock, flags);
	/* Pairs with the acquire of those who read what has been recorded. */
	smp_store_release(&recording->ended, true);
	if (!recording->forgotten)
		list_recording(pending, recording);
	raw_spin_unlock_irqrestore(&pending->lock, flags);
}

/* One of its rings may have reached its watermark. */
void coroprof_pending_filled(struct coroprof_recording *recording)
{
	struct coroprof_pending *pending = &recording->session->pending;
	unsigned long flags;

	raw_spin_lock_irqsave(&pending->lock, flags);
	if (!recording->forgotten && !recording->filled_listed &&
	    coroprof_recording_is_filled(recording)) {
		WRITE_ONCE(recording->filled_listed, true);
		list_add_tail(&recording->filled, &pending->filled);
	}
	raw_spin_unlock_irqrestore(&pending->lock, flags);
}

void coroprof_pending_written(struct coroprof_session *session,
			      struct coroprof_recording *recording)
{
	lockdep_assert_held(&session->pending.lock);
	recording->end_written = true;
	list_del_init(&recording->pending);
	recording->attachment->recordings--;
	list_attachment(&session->pending, recording->attachment);
}

/* It has ended, and nobody can find it any more. */
void coroprof_pending_forget(struct coroprof_recording *recording)
{
	struct coroprof_session *session = recording->session;
	unsigned long flags;

	raw_spin_lock_irqsave(&session->pending.lock, flags);
	recording->forgotten = true;
	list_del_init(&recording->filled);
	if (!recording->end_written)
		coroprof_pending_written(session, recording);
	raw_spin_unlock_irqrestore(&session->pending.lock, flags);
	coroprof_pending_wake(&session->pending);
}

/*
 * Whether the first one that is listed is filled still; if not, @again: out: another
 * may be. Who takes one off looks at its rings once more, and who fills them looks
 * whether it is listed, each after its own change: so one of them sees the other's.
 */
static bool first_is_filled(struct coroprof_pending *pending, bool *again)
{
	struct coroprof_recording *recording;
	bool filled;

	lockdep_assert_held(&pending->lock);
	recording = list_first_entry_or_null(&pending->filled, struct coroprof_recording, filled);
	*again = false;
	if (!recording)
		return false;
	if (coroprof_recording_is_filled(recording))
		return true;

	WRITE_ONCE(recording->filled_listed, false);
	/* Pairs with that of coroprof_recording_unlisted(). */
	smp_mb();
	filled = coroprof_recording_is_filled(recording);
	if (filled)
		WRITE_ONCE(recording->filled_listed, true);
	else
		list_del_init(&recording->filled);
	*again = !filled;
	return filled;
}

static bool has_record(const struct coroprof_pending *pending)
{
	lockdep_assert_held(&pending->lock);
	return !list_empty(&pending->attachments) || !list_empty(&pending->refused) ||
	       !list_empty(&pending->recordings) ||
	       pending->unrecorded != pending->unrecorded_written;
}

/* Is there a record to make? */
bool coroprof_pending_has_record(struct coroprof_pending *pending)
{
	bool has;

	raw_spin_lock_irq(&pending->lock);
	has = has_record(pending);
	raw_spin_unlock_irq(&pending->lock);
	return has;
}

/* Is there a record to make, or a ring at its watermark? */
bool coroprof_pending_is_ready(struct coroprof_pending *pending)
{
	bool ready, again = false;

	do {
		raw_spin_lock_irq(&pending->lock);
		ready = has_record(pending) || first_is_filled(pending, &again);
		raw_spin_unlock_irq(&pending->lock);
	} while (!ready && again);
	return ready;
}
