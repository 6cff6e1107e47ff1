/* SPDX-License-Identifier: GPL-2.0 */
/* What a reader opened: a session. */
#ifndef COROPROF_SESSION_H
#define COROPROF_SESSION_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/xarray.h>

#include "../uapi/coroprof.h"
#include "pending.h"
#include "negcache.h"

struct coroprof_quota;
struct cred;
struct mem_cgroup;
struct perf_event;
struct pid_namespace;

/* Marks what in session.recordings has a channel: it goes on, or waits to be retired. */
#define COROPROF_GOES_ON XA_MARK_0

/* What the opener leaves to the module. */
#define COROPROF_RING_LEFT	BIT(0)
#define COROPROF_SAMPLES_LEFT	BIT(1)

/* Records wait here between their making and the reader's read(). */
#define COROPROF_SESSION_BUFFER 4096

/**
 * struct coroprof_coming - processes for which read() has yet to make rings (ahead.h)
 * @nr: number of them
 * @id: of each. Those that find no room here wait for the next record of theirs
 */
struct coroprof_coming {
	u32 nr;
	u32 id[16];
};

/**
 * struct coroprof_session - what a reader opened
 *
 * There is no queue of records for read(). The module makes records when the reader asks for
 * them, from the processes, labels and recordings that exist, and each of these objects
 * remembers which of its records were read. So no record can get lost, and a slow reader
 * costs nothing.
 *
 * "Constant" means: set when the session is opened, and never changed.
 *
 * @ref:         held by the descriptor and by recordings
 * @rcu:         frees it: irq work that wakes its reader may run on while the last recording
 *               goes, and is an RCU reader (coroprof_irq_work_sync())
 * @node:        among the sessions, by @token; coroprof_mutex
 * @token:       a process that shows this number is attached; constant
 * @quota:       the session's memory, within its user's; constant
 * @memcg:       the cgroup that is charged for recordings: that of the task that opened the
 *               session; held; may be NULL; constant
 * @cred:        whose rights the session has; constant
 * @capable:     the opener had CAP_PERFMON; constant
 * @pid_ns:      for the ids that the reader sees; constant
 * @ring_size:   bytes of a ring, as in the ABI; constant
 * @ring_shrinks: the reader left the size to the module: @ring_size is the most; constant
 * @samples_shrink: the same for rings of samples; constant
 * @watermark:   of a ring of @ring_size bytes, less in a smaller one; constant
 * @nr_counters: how many @counters; constant
 * @counters:    as in the ABI; constant
 * @user_mode:   threads may switch from user mode; constant
 * @totals:      no slices are written; constant
 * @traces:      rings have traces; constant
 * @sampling:    as in the ABI; constant
 * @sample_watermark: watermark of the rings of samples; constant
 * @started:     between START and STOP; coroprof_mutex
 * @hold:        coroprof_event_hold(), from the first START on; @control_lock
 * @attachments: the attached processes, by their ids; coroprof_mutex
 * @follows:     thread groups that will be attached; coroprof_mutex
 * @nr_follows:  how many; coroprof_mutex
 * @probes:      struct coroprof_probed; @control_lock
 * @nr_probes:   how many; @control_lock
 * @probed_at:   when the last probe came; does not change once there are processes to follow
 * @no_room:     there was no memory for a process or thread that a probe hit: no other is
 *               taken until the next START
 * @negcache:    programs that probes hit and need not look at again
 * @discovery:   number of the last process that was looked at for @negcache; coroprof_mutex
 * @recordings:  by their numbers; those that go on have COROPROF_GOES_ON; coroprof_mutex,
 *               except for places that are reserved for recordings still being made
 * @last_id:     the number given to the last recording
 * @pending:     what the reader has not read yet
 * @control_lock: at most one START or STOP at a time; taken before coroprof_mutex
 * @read_lock:   at most one read() at a time; protects the members below; taken before
 *               coroprof_mutex and pending.lock, and held while user memory is written
 * @have:        number of bytes in @buffer
 * @given:       number of these that the reader has got
 * @coming:      those of which read() has said that they were attached, or that a thread of them is
 *               recorded
 * @buffer:      whole records
 */
struct coroprof_session {
	struct kref ref;
	struct rcu_head rcu;
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
	bool traces;
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
	struct coroprof_negcache negcache;
	u32 discovery;
	struct xarray recordings;
	atomic_t last_id;
	struct coroprof_pending pending;
	struct mutex control_lock; /* START and STOP */
	struct mutex read_lock; /* read() and what follows */
	u32 have;
	u32 given;
	struct coroprof_coming coming;
	char buffer[COROPROF_SESSION_BUFFER] __aligned(8);
};

static inline bool coroprof_session_samples(const struct coroprof_session *session)
{
	return session->sampling.period || session->sampling.frequency;
}

struct coroprof_session *coroprof_session_create(struct coroprof_session_config *config, u32 left);
void coroprof_session_publish(struct coroprof_session *session);
void coroprof_session_unpublish(struct coroprof_session *session);
void coroprof_session_get(struct coroprof_session *session);
void coroprof_session_put(struct coroprof_session *session);

/*
 * Bytes of the next ring, of slices or of samples. If its size is left to the module, few threads
 * get large ones, and thousands are all recorded. @more: bytes that the session will have taken
 * by then. Any context.
 */
u32 coroprof_session_ring_size(const struct coroprof_session *session, u64 more);
u32 coroprof_session_samples_size(const struct coroprof_session *session, u64 more);

/* Within reach even of records that leave a rest of the ring unused. */
static inline u32 coroprof_watermark_in(u32 watermark, u32 ring_size)
{
	return min_t(u32, watermark, ring_size - COROPROF_RECORD_MAX);
}

/*
 * The watermark of a ring of @size bytes, when that of a ring of @most bytes is
 * @watermark. @most is 0 in a session of totals, whose rings have no data.
 */
static inline u32 coroprof_watermark(u32 watermark, u32 most, u32 size)
{
	if (!most)
		return watermark;
	return clamp_t(u32, (u64)watermark * size / most, 1, size - COROPROF_RECORD_MAX);
}

/* Reserve a number, and its place, for a recording that is being made. Returns 0 or an error. */
int coroprof_session_number(struct coroprof_session *session, u32 *id);
/* Under coroprof_mutex. */
struct coroprof_session *coroprof_session_find(u64 token);

#endif /* COROPROF_SESSION_H */
