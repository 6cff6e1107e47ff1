/* SPDX-License-Identifier: GPL-2.0 */
/* What a session's reader has not read yet. */
#ifndef COROPROF_PENDING_H
#define COROPROF_PENDING_H

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
 * struct coroprof_pending - what a session's reader has not read yet
 *
 * Part of a session. An object is on one of the lists exactly while it has a record to be
 * read: whoever changes the object puts it there, and read() takes it off with its last
 * record. So neither read() nor poll() looks at an object that has nothing new, however many
 * objects a session has.
 *
 * @lock is the innermost of all locks, because a recording may end in the scheduler's hooks.
 * It is held for one object, or one record, at a time. Who frees an object takes it off its
 * list first, under @lock.
 *
 * @lock:        protects the lists and counts below, and members of objects that name it
 * @attachments: PROCESS, labels or PROCESS_END are to be read
 * @refused:     follows, of which PROCESS_REFUSED is to be read
 * @recordings:  CHANNEL, CHANNEL_LAST or CHANNEL_END are to be read
 * @filled:      recordings of which a ring has reached its watermark; poll() takes those off
 *               that the reader has emptied since
 * @unrecorded:  number of threads for which not even an error could be noted
 * @unrecorded_at: when the last of them was found
 * @unrecorded_written: number of them that UNRECORDED records have reported
 * @wait:        where the reader waits for any of these
 */
struct coroprof_pending {
	raw_spinlock_t lock;
	struct list_head attachments;
	struct list_head refused;
	struct list_head recordings;
	struct list_head filled;
	u64 unrecorded;
	u64 unrecorded_at;
	u64 unrecorded_written;
	wait_queue_head_t wait;
};

void coroprof_pending_init(struct coroprof_pending *pending);
/* Wakes the reader. Any context except the scheduler's hooks, where no task may be woken. */
void coroprof_pending_wake(struct coroprof_pending *pending);
bool coroprof_pending_has_record(struct coroprof_pending *pending);
bool coroprof_pending_is_ready(struct coroprof_pending *pending);

/* These note what has changed, and wake the reader. */
void coroprof_pending_of(struct coroprof_session *session, struct coroprof_attachment *attachment);
void coroprof_pending_over(struct coroprof_session *session, struct coroprof_attachment *attachment,
			   u64 time, bool taken);
void coroprof_pending_refused(struct coroprof_follow *follow, u32 process_id, int err);
void coroprof_pending_unrecorded(struct coroprof_session *session);
void coroprof_pending_begin(struct coroprof_recording *recording);

/* These note what has changed, and wake nobody. Any context except NMI. */
void coroprof_pending_expect(struct coroprof_recording *recording);
void coroprof_pending_end(struct coroprof_recording *recording);
void coroprof_pending_filled(struct coroprof_recording *recording);

void coroprof_pending_forget(struct coroprof_recording *recording);
bool coroprof_pending_has_refused(const struct coroprof_follow *follow);
void coroprof_pending_forget_follow(struct coroprof_follow *follow);

/* The recording's last record was made, or will not be. The caller holds pending.lock. */
void coroprof_pending_written(struct coroprof_session *session,
			      struct coroprof_recording *recording);
/* Whether it has a record to be read. The caller holds pending.lock. */
bool coroprof_pending_has(const struct coroprof_attachment *attachment);

#endif /* COROPROF_PENDING_H */
