/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_NEWS_H
#define COROPROF_NEWS_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

struct coroprof_attachment;
struct coroprof_follow;
struct coroprof_process;
struct coroprof_recording;
struct coroprof_session;

/**
 * struct coroprof_news - what a session's reader is yet to be told
 *
 * Part of a session. An object is on one of the lists exactly while there is a
 * record to make of it: whoever changes it puts it there, read() takes it off
 * with the last record. So neither read() nor poll() looks at objects of which
 * there is nothing new, however many a session has.
 *
 * @lock is the innermost of all, as whoever ends a recording may be in the
 * scheduler's hooks. It is held for one object, or one record, at a time. What is
 * on a list is taken off it, under @lock, before it is freed.
 *
 * @lock:        all that follows, but for @wait; and the members of objects that name it
 * @attachments: with PROCESS, labels or PROCESS_END to be read
 * @refused:     follows with PROCESS_REFUSED to be read
 * @recordings:  with CHANNEL, CHANNEL_LAST or CHANNEL_END to be read
 * @filled:      recordings of which a ring has reached its watermark; poll() takes
 *               those off that have been emptied since
 * @unrecorded:  threads of which not even an error could be noted
 * @unrecorded_at: when the last one was
 * @unrecorded_told: of them, those that an UNRECORDED record has told of
 * @wait:        where the reader waits for something of that
 */
struct coroprof_news {
	raw_spinlock_t lock;
	struct list_head attachments;
	struct list_head refused;
	struct list_head recordings;
	struct list_head filled;
	u64 unrecorded;
	u64 unrecorded_at;
	u64 unrecorded_told;
	wait_queue_head_t wait;
};

void coroprof_news_init(struct coroprof_news *news);
/* Any context that may wake a task: not the scheduler's hooks. */
void coroprof_news_wake(struct coroprof_news *news);
bool coroprof_news_has_record(struct coroprof_news *news);
bool coroprof_news_pending(struct coroprof_news *news);

/* These wake the reader. */
void coroprof_news_of(struct coroprof_session *session, struct coroprof_attachment *attachment);
void coroprof_news_over(struct coroprof_session *session, struct coroprof_attachment *attachment,
			u64 time, bool taken);
void coroprof_news_refused(struct coroprof_follow *follow,
			   const struct coroprof_process *process, int err);
void coroprof_news_unrecorded(struct coroprof_session *session);
void coroprof_news_begin(struct coroprof_recording *recording);

/* Any context but an NMI; they wake nobody. */
void coroprof_news_expect(struct coroprof_recording *recording);
void coroprof_news_end(struct coroprof_recording *recording);
void coroprof_news_filled(struct coroprof_recording *recording);

void coroprof_news_forget(struct coroprof_recording *recording);
bool coroprof_news_has_refused(const struct coroprof_follow *follow);
void coroprof_news_forget_follow(struct coroprof_follow *follow);

/* Under news.lock: its last record was made, or will not be. */
void coroprof_news_told(struct coroprof_session *session, struct coroprof_recording *recording);
/* Under news.lock. */
bool coroprof_news_has(const struct coroprof_attachment *attachment);

#endif /* COROPROF_NEWS_H */
