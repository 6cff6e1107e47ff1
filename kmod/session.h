/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_SESSION_H
#define COROPROF_SESSION_H

#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>

#include "../uapi/coroprof.h"

struct coroprof_channel;
struct coroprof_process;
struct coroprof_recording;
struct coroprof_quota;
struct cred;
struct mem_cgroup;
struct perf_event;
struct pid_namespace;

/* Records wait here between their making and the reader's read(). */
#define COROPROF_SESSION_BUFFER 4096

/**
 * struct coroprof_session - what a reader opened
 *
 * Nothing is queued for read(): its records are made, when asked for, from the
 * processes, labels and recordings there are, and each of these remembers what
 * has been told of it. So nothing can get lost, and a slow reader costs
 * nothing.
 *
 * @ref:         descriptor, recordings
 * @node:        in the list of sessions; coroprof_mutex
 * @token:       a process that shows it is attached
 * @quota:       what it takes, with the bound of its own
 * @memcg:       the cgroup that recordings are charged to: its opener's; held; may be
 *               NULL
 * @cred:        whose rights it has
 * @capable:     had CAP_PERFMON when it was opened
 * @pid_ns:      for the ids the reader sees
 * @ring_size:   as in the ABI; these six never change
 * @watermark:   likewise
 * @nr_counters: likewise
 * @counters:    likewise
 * @user_mode:   threads may switch from user mode; never changes
 * @sampling:    likewise
 * @sample_watermark: that of the rings of samples
 * @started:     coroprof_mutex
 * @hold:        from the first START on: coroprof_event_hold(); @control_lock
 * @attachments: of processes; coroprof_mutex
 * @follows:     thread groups that are to be attached; coroprof_mutex
 * @nr_follows:  how many; coroprof_mutex
 * @followed:    the same by their ids: of its own, as each process that makes itself
 *               known looks into that of each session; coroprof_mutex
 * @recordings:  in the order of their numbers; coroprof_mutex
 * @last_id:     the last number given to a recording; coroprof_mutex
 * @unrecorded:  threads of which not even an error could be noted
 * @unrecorded_at: when the last one was; likewise, coroprof_mutex
 * @unrecorded_written: of them, those that an UNRECORDED record has told of; coroprof_mutex
 * @control_lock: one START or STOP at a time; taken before coroprof_mutex
 * @news:        something happened since the reader last looked
 * @wait:        where it waits for that
 * @read_lock:   one read() at a time, and what follows; taken before
 *               coroprof_mutex, and held while user memory is written
 * @have:        bytes in @buffer
 * @given:       of these, how many the reader has got
 * @buffer:      whole records
 */
struct coroprof_session {
	struct kref ref;
	struct list_head node;
	u64 token;
	struct coroprof_quota *quota;
	struct mem_cgroup *memcg;
	const struct cred *cred;
	bool capable;
	struct pid_namespace *pid_ns;
	u32 ring_size;
	u32 watermark;
	u32 nr_counters;
	struct coroprof_counter counters[COROPROF_COUNTERS_MAX];
	bool user_mode;
	struct coroprof_sampling sampling;
	u32 sample_watermark;
	bool started;
	struct perf_event *hold;
	struct list_head attachments;
	struct list_head follows;
	u32 nr_follows;
	DECLARE_HASHTABLE(followed, 6);
	struct list_head recordings;
	u32 last_id;
	u64 unrecorded;
	u64 unrecorded_at;
	u64 unrecorded_written;
	struct mutex control_lock; /* START and STOP */
	bool news;
	wait_queue_head_t wait;
	struct mutex read_lock; /* read() and what follows */
	u32 have;
	u32 given;
	char buffer[COROPROF_SESSION_BUFFER] __aligned(8);
};

static inline bool coroprof_session_samples(const struct coroprof_session *session)
{
	return session->sampling.period || session->sampling.frequency;
}

long coroprof_session_open(void __user *arg);
void coroprof_session_get(struct coroprof_session *session);
void coroprof_session_put(struct coroprof_session *session);

/* Any context. */
void coroprof_session_wake(struct coroprof_session *session);
/* Takes coroprof_mutex. */
void coroprof_session_leave_out(struct coroprof_session *session);
/* Under coroprof_mutex. */
void coroprof_session_notify(struct coroprof_session *session);
struct coroprof_recording *coroprof_session_recording(struct coroprof_session *session, u32 id);
void coroprof_session_meet(struct coroprof_process *process, u64 token);
void coroprof_session_add(struct coroprof_recording *recording,
			  struct coroprof_channel *channel);

/* stream.c: the records of read(). Under coroprof_mutex. */
u32 coroprof_stream_fill(struct coroprof_session *session, char *to, u32 room,
			 struct list_head *done);
bool coroprof_stream_pending(struct coroprof_session *session);

#endif /* COROPROF_SESSION_H */
