// SPDX-License-Identifier: GPL-2.0
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/poll.h>
#include <linux/xarray.h>

#include "attachment.h"
#include "follow.h"
#include "lock.h"
#include "news.h"
#include "process.h"
#include "recording.h"
#include "session.h"

void coroprof_news_init(struct coroprof_news *news)
{
	raw_spin_lock_init(&news->lock);
	INIT_LIST_HEAD(&news->attachments);
	INIT_LIST_HEAD(&news->refused);
	INIT_LIST_HEAD(&news->recordings);
	INIT_LIST_HEAD(&news->filled);
	init_waitqueue_head(&news->wait);
}

void coroprof_news_wake(struct coroprof_news *news)
{
	wake_up_poll(&news->wait, EPOLLIN | EPOLLRDNORM);
}

/* All its recordings have been told of, and no other will begin. */
static bool is_over(const struct coroprof_attachment *attachment)
{
	return attachment->ended && !attachment->recordings;
}

bool coroprof_news_has(const struct coroprof_attachment *attachment)
{
	return !attachment->written || is_over(attachment) ||
	       xa_load(&attachment->process->labels, attachment->labels + 1);
}

/* If there is anything to tell of it. Under the lock. */
static void list_attachment(struct coroprof_news *news, struct coroprof_attachment *attachment)
{
	lockdep_assert_held(&news->lock);
	if (list_empty(&attachment->news) && coroprof_news_has(attachment))
		list_add_tail(&attachment->news, &news->attachments);
}

static void list_recording(struct coroprof_news *news, struct coroprof_recording *recording)
{
	lockdep_assert_held(&news->lock);
	if (list_empty(&recording->news))
		list_add_tail(&recording->news, &news->recordings);
}

/* It was made, or its process has got a label. */
void coroprof_news_of(struct coroprof_session *session, struct coroprof_attachment *attachment)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&session->news.lock, flags);
	list_attachment(&session->news, attachment);
	raw_spin_unlock_irqrestore(&session->news.lock, flags);
	coroprof_news_wake(&session->news);
}

/* Its process has ended, or another session has got it: no recording will begin. */
void coroprof_news_over(struct coroprof_session *session, struct coroprof_attachment *attachment,
			u64 time, bool taken)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&session->news.lock, flags);
	attachment->ended = time;
	WRITE_ONCE(attachment->taken, taken);
	list_attachment(&session->news, attachment);
	raw_spin_unlock_irqrestore(&session->news.lock, flags);
	coroprof_news_wake(&session->news);
}

/* The calling process was refused. */
void coroprof_news_refused(struct coroprof_follow *follow,
			   const struct coroprof_process *process, int err)
{
	struct coroprof_news *news = &follow->session->news;
	u64 now = ktime_get_mono_fast_ns();
	char comm[sizeof(follow->comm)];
	unsigned long flags;

	get_task_comm(comm, current);
	raw_spin_lock_irqsave(&news->lock, flags);
	follow->error = -err;
	follow->process_id = process->id;
	follow->time = now;
	memcpy(follow->comm, comm, sizeof(comm));
	list_move_tail(&follow->refused, &news->refused);
	raw_spin_unlock_irqrestore(&news->lock, flags);
	coroprof_news_wake(news);
}

bool coroprof_news_has_refused(const struct coroprof_follow *follow)
{
	struct coroprof_news *news = &follow->session->news;
	unsigned long flags;
	bool has;

	raw_spin_lock_irqsave(&news->lock, flags);
	has = !list_empty(&follow->refused);
	raw_spin_unlock_irqrestore(&news->lock, flags);
	return has;
}

void coroprof_news_forget_follow(struct coroprof_follow *follow)
{
	struct coroprof_news *news = &follow->session->news;
	unsigned long flags;

	raw_spin_lock_irqsave(&news->lock, flags);
	list_del_init(&follow->refused);
	raw_spin_unlock_irqrestore(&news->lock, flags);
}

/* A thread is not recorded, and there is no memory to say that of it. */
void coroprof_news_unrecorded(struct coroprof_session *session)
{
	struct coroprof_news *news = &session->news;
	u64 now = ktime_get_mono_fast_ns();
	unsigned long flags;

	raw_spin_lock_irqsave(&news->lock, flags);
	news->unrecorded++;
	news->unrecorded_at = now;
	raw_spin_unlock_irqrestore(&news->lock, flags);
	coroprof_news_wake(news);
}

/* One is about to begin: its attachment has to wait for its end. */
void coroprof_news_expect(struct coroprof_recording *recording)
{
	struct coroprof_news *news = &recording->session->news;
	unsigned long flags;

	raw_spin_lock_irqsave(&news->lock, flags);
	recording->attachment->recordings++;
	raw_spin_unlock_irqrestore(&news->lock, flags);
}

/*
 * It has begun, so that what is told of it is there. It may have ended since, and been
 * read; under coroprof_mutex nobody has forgotten it.
 */
void coroprof_news_begin(struct coroprof_recording *recording)
{
	struct coroprof_news *news = &recording->session->news;
	unsigned long flags;

	lockdep_assert_held(&coroprof_mutex);
	raw_spin_lock_irqsave(&news->lock, flags);
	if (!recording->written)
		list_recording(news, recording);
	raw_spin_unlock_irqrestore(&news->lock, flags);
	coroprof_news_wake(news);
}

/* @ended is set under the lock: who has seen it finds the recording listed for the last time. */
void coroprof_news_end(struct coroprof_recording *recording)
{
	struct coroprof_news *news = &recording->session->news;
	unsigned long flags;

	raw_spin_lock_irqsave(&news->lock, flags);
	/* Pairs with the acquire of those who read what has been recorded. */
	smp_store_release(&recording->ended, true);
	if (!recording->forgotten)
		list_recording(news, recording);
	raw_spin_unlock_irqrestore(&news->lock, flags);
}

/* One of its rings may have reached its watermark. */
void coroprof_news_filled(struct coroprof_recording *recording)
{
	struct coroprof_news *news = &recording->session->news;
	unsigned long flags;

	raw_spin_lock_irqsave(&news->lock, flags);
	if (!recording->forgotten && !recording->filled_listed &&
	    coroprof_recording_is_filled(recording)) {
		WRITE_ONCE(recording->filled_listed, true);
		list_add_tail(&recording->filled, &news->filled);
	}
	raw_spin_unlock_irqrestore(&news->lock, flags);
}

void coroprof_news_written(struct coroprof_session *session, struct coroprof_recording *recording)
{
	lockdep_assert_held(&session->news.lock);
	recording->end_written = true;
	list_del_init(&recording->news);
	recording->attachment->recordings--;
	list_attachment(&session->news, recording->attachment);
}

/* It has ended, and nobody can find it any more. */
void coroprof_news_forget(struct coroprof_recording *recording)
{
	struct coroprof_session *session = recording->session;
	unsigned long flags;

	raw_spin_lock_irqsave(&session->news.lock, flags);
	recording->forgotten = true;
	list_del_init(&recording->filled);
	if (!recording->end_written)
		coroprof_news_written(session, recording);
	raw_spin_unlock_irqrestore(&session->news.lock, flags);
	coroprof_news_wake(&session->news);
}

/*
 * Whether the first one that is listed is filled still; if not, @again: out: another
 * may be. Who takes one off looks at its rings once more, and who fills them looks
 * whether it is listed, each after its own change: so one of them sees the other's.
 */
static bool first_is_filled(struct coroprof_news *news, bool *again)
{
	struct coroprof_recording *recording;
	bool filled;

	lockdep_assert_held(&news->lock);
	recording = list_first_entry_or_null(&news->filled, struct coroprof_recording, filled);
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

static bool has_record(const struct coroprof_news *news)
{
	lockdep_assert_held(&news->lock);
	return !list_empty(&news->attachments) || !list_empty(&news->refused) ||
	       !list_empty(&news->recordings) || news->unrecorded != news->unrecorded_written;
}

/* Is there a record to make? */
bool coroprof_news_has_record(struct coroprof_news *news)
{
	bool has;

	raw_spin_lock_irq(&news->lock);
	has = has_record(news);
	raw_spin_unlock_irq(&news->lock);
	return has;
}

/* Is there a record to make, or a ring at its watermark? */
bool coroprof_news_pending(struct coroprof_news *news)
{
	bool pending, again = false;

	do {
		raw_spin_lock_irq(&news->lock);
		pending = has_record(news) || first_is_filled(news, &again);
		raw_spin_unlock_irq(&news->lock);
	} while (!pending && again);
	return pending;
}
