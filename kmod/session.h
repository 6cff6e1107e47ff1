/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_SESSION_H
#define COROPROF_SESSION_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/xarray.h>

#include "../uapi/coroprof.h"
#include "news.h"
#include "refused.h"

struct coroprof_channel;
struct coroprof_process;
struct coroprof_provision;
struct coroprof_recording;
struct coroprof_quota;
struct cred;
struct mem_cgroup;
struct perf_event;
struct pid_namespace;

/* Of session.recordings: it has a channel, where it goes on, or waits to be retired. */
#define COROPROF_GOES_ON XA_MARK_0

/* Records wait here between their making and the reader's read(). */
#define COROPROF_SESSION_BUFFER 4096

/**
 * struct coroprof_session - what a reader opened
 *
 * No record is queued for read(): they are made, when asked for, from the
 * processes, labels and recordings there are, and each of these remembers what
 * has been told of it. So nothing can get lost, and a slow reader costs
 * nothing.
 *
 * @ref:         descriptor, recordings
 * @node:        among the sessions, by @token; coroprof_mutex
 * @token:       a process that shows it is attached
 * @quota:       what it takes, with the bound of its own
 * @memcg:       the cgroup that recordings are charged to: its opener's; held; may be
 *               NULL
 * @cred:        whose rights it has
 * @capable:     had CAP_PERFMON when it was opened
 * @pid_ns:      for the ids the reader sees
 * @ring_size:   as in the ABI; these six never change
 * @ring_shrinks: the size was left to the module: @ring_size is the most; never changes
 * @samples_shrink: likewise, of rings of samples
 * @watermark:   of a ring of @ring_size, and in proportion of a smaller one
 * @nr_counters: likewise
 * @counters:    likewise
 * @user_mode:   threads may switch from user mode; never changes
 * @totals:      no slices are written; likewise
 * @sampling:    likewise
 * @sample_watermark: that of the rings of samples
 * @started:     coroprof_mutex
 * @hold:        from the first START on: coroprof_event_hold(); @control_lock
 * @attachments: of processes, by their ids; coroprof_mutex
 * @follows:     thread groups that are to be attached; coroprof_mutex
 * @nr_follows:  how many; coroprof_mutex
 * @probes:      struct coroprof_probed; @control_lock
 * @nr_probes:   how many; @control_lock
 * @probed_at:   when the last one came; does not change once there are processes to follow
 * @no_room:     a process or thread that was met could not be taken for want of memory:
 *               no other is, until the next START
 * @refused:     what probes met and need not look at again
 * @met:         the last process that was looked at for it; coroprof_mutex
 * @recordings:  by their numbers; those that go on have COROPROF_GOES_ON; coroprof_mutex,
 *               but for places that are reserved for recordings which are not there yet
 * @last_id:     the last number given to a recording
 * @news:        what the reader is yet to be told
 * @control_lock: one START or STOP at a time; taken before coroprof_mutex
 * @read_lock:   one read() at a time, and what follows; taken before
 *               coroprof_mutex and news.lock, and held while user memory is written
 * @have:        bytes in @buffer
 * @given:       of these, how many the reader has got
 * @buffer:      whole records
 */
struct coroprof_session {
	struct kref ref;
	struct hlist_node node;
	u64 token;
	struct coroprof_quota *quota;
	struct mem_cgroup *memcg;
	const struct cred *cred;
	bool capable;
	struct pid_namespace *pid_ns;
	u32 ring_size;
	bool ring_shrinks;
	bool samples_shrink;
	u32 watermark;
	u32 nr_counters;
	struct coroprof_counter counters[COROPROF_COUNTERS_MAX];
	bool user_mode;
	bool totals;
	struct coroprof_sampling sampling;
	u32 sample_watermark;
	bool started;
	struct perf_event *hold;
	struct rb_root attachments;
	struct list_head follows;
	u32 nr_follows;
	struct list_head probes;
	u32 nr_probes;
	u64 probed_at;
	bool no_room;
	struct coroprof_refused refused;
	u32 met;
	struct xarray recordings;
	atomic_t last_id;
	struct coroprof_news news;
	struct mutex control_lock; /* START and STOP */
	struct mutex read_lock; /* read() and what follows */
	u32 have;
	u32 given;
	char buffer[COROPROF_SESSION_BUFFER] __aligned(8);
};

static inline bool coroprof_session_samples(const struct coroprof_session *session)
{
	return session->sampling.period || session->sampling.frequency;
}

/* Takes coroprof_mutex, to be released by the caller. May sleep. */
void coroprof_session_lock_provided(u64 token, struct coroprof_provision *provision);

long coroprof_session_open(void __user *arg);
void coroprof_session_get(struct coroprof_session *session);
void coroprof_session_put(struct coroprof_session *session);

u32 coroprof_session_ring_size(const struct coroprof_session *session);
u32 coroprof_session_samples_size(const struct coroprof_session *session);

/* Of a ring of @size, where that of one of @most is known. A session of totals has none. */
static inline u32 coroprof_watermark(u32 watermark, u32 most, u32 size)
{
	if (!most)
		return watermark;
	return clamp_t(u32, (u64)watermark * size / most, 1, size - COROPROF_RECORD_MAX);
}

/* Gives a recording that is being made its number, and reserves its place; or an errno. */
int coroprof_session_number(struct coroprof_session *session, u32 *id);
/* Under coroprof_mutex. */
struct coroprof_recording *coroprof_session_recording(struct coroprof_session *session, u32 id);
void coroprof_session_meet(struct coroprof_process *process, u64 token,
			   struct coroprof_provision *provision);
void coroprof_session_add(struct coroprof_recording *recording,
			  struct coroprof_channel *channel);
void coroprof_session_retired(struct coroprof_recording *recording);

/* stream.c: the records of read(). Under session.read_lock. */
u32 coroprof_stream_fill(struct coroprof_session *session, char *to, u32 room,
			 struct list_head *done);

#endif /* COROPROF_SESSION_H */
