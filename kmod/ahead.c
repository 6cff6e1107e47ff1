// SPDX-License-Identifier: GPL-2.0
/*
 * Makes rings before threads want them: for whom, how many, how large. The rule is in ahead.h. Its
 * lists live for one call, on the stack or in memory of its own; no error of it matters.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "ahead.h"
#include "attachment.h"
#include "compat.h"
#include "lock.h"
#include "process.h"
#include "ring.h"
#include "session.h"
#include "spare.h"

/**
 * struct coming - the threads of a process that may want rings
 * @spares:  of the process; held
 * @threads: number of these
 * @size:    of the last ring for one of them, of slices and of samples
 * @nr:      number of rings of that size
 */
struct coming {
	struct coroprof_spares *spares;
	u32 threads;
	u32 size[2];
	u32 nr[2];
};

/**
 * struct ahead - of whom rings are made
 * @nr:    number of processes: there are no more spare rings than fit into @at
 * @at:    these
 * @left:  at most so many threads get rings now
 * @taken: bytes that rings take once the threads have them: the larger, the smaller the next ring
 */
struct ahead {
	u32 nr;
	struct coming at[COROPROF_SPARES_MOST];
	u32 left;
	u64 taken;
};

/* 0 if all have gone. */
static u32 threads_of(const struct coroprof_process *process)
{
	struct task_struct *task;
	u32 nr;

	rcu_read_lock();
	task = pid_task(process->tgid, PIDTYPE_TGID);
	nr = task ? get_nr_threads(task) : 0;
	rcu_read_unlock();
	return nr;
}

static u32 recordings_of(struct coroprof_session *session,
			 const struct coroprof_attachment *attachment)
{
	u32 nr;

	raw_spin_lock_irq(&session->pending.lock);
	nr = attachment->recordings;
	raw_spin_unlock_irq(&session->pending.lock);
	return nr;
}

static void add(struct coroprof_session *session, struct coroprof_attachment *attachment,
		u32 recorded, struct ahead *ahead)
{
	u32 threads = threads_of(attachment->process);

	lockdep_assert_held(&coroprof_mutex);
	if (attachment->process->session != session || ahead->nr == ARRAY_SIZE(ahead->at))
		return;
	coroprof_spares_get(attachment->spares);
	ahead->at[ahead->nr++] = (struct coming){
		.spares = attachment->spares,
		.threads = max(threads - min(threads, recorded), 1U),
	};
}

static void add_all(struct coroprof_session *session, struct coroprof_attachment *attachment,
		    void *ahead)
{
	add(session, attachment, 0, ahead);
}

/* So that the next thread of the process finds a ring. False if that can't be. */
static bool make_next(const struct coroprof_session *session, struct ahead *ahead,
		      struct coming *coming, bool samples)
{
	u32 size = samples ? coroprof_session_samples_size(session, ahead->taken) :
			     coroprof_session_ring_size(session, ahead->taken);

	if (size != coming->size[samples])
		coming->nr[samples] = 0;
	coming->size[samples] = size;
	coming->nr[samples]++;
	ahead->taken += coroprof_ring_bytes(size);
	return coroprof_spares_make(coming->spares, size, samples, coming->nr[samples]);
}

static bool make_both(const struct coroprof_session *session, struct ahead *ahead,
		      struct coming *coming)
{
	return make_next(session, ahead, coming, false) &&
	       (!coroprof_session_samples(session) || make_next(session, ahead, coming, true));
}

/* The first thread of each process comes first. */
static void make_rounds(const struct coroprof_session *session, struct ahead *ahead)
{
	u32 round, i;

	for (round = 0; round < COROPROF_AHEAD_MOST; round++) {
		for (i = 0; i < ahead->nr; i++) {
			if (round >= ahead->at[i].threads)
				continue;
			if (!ahead->left-- || !make_both(session, ahead, &ahead->at[i]))
				return;
		}
	}
}

/* Charged to the session's cgroup, as a ring that a thread makes. */
static void make(const struct coroprof_session *session, struct ahead *ahead, u32 most)
{
	struct mem_cgroup *own = coroprof_set_memcg(session->memcg);
	u32 i;

	ahead->left = most;
	make_rounds(session, ahead);
	coroprof_set_memcg(own);
	for (i = 0; i < ahead->nr; i++)
		coroprof_spares_put(ahead->at[i].spares);
}

void coroprof_ahead_of_start(struct coroprof_session *session)
{
	struct ahead *ahead = kzalloc(sizeof(*ahead), GFP_KERNEL_ACCOUNT | COROPROF_GFP_GENTLE);

	if (!ahead)
		return;
	coroprof_attachments_each(session, add_all, ahead);
	make(session, ahead, COROPROF_SPARES_MOST);
	kfree(ahead);
}

void coroprof_ahead_note(struct coroprof_coming *coming, u32 process_id)
{
	u32 i;

	for (i = 0; i < coming->nr; i++) {
		if (coming->id[i] == process_id)
			return;
	}
	if (coming->nr < ARRAY_SIZE(coming->id))
		coming->id[coming->nr++] = process_id;
}

void coroprof_ahead_of_threads(struct coroprof_session *session,
			       const struct coroprof_coming *coming)
{
	struct ahead *ahead = kzalloc(sizeof(*ahead), GFP_KERNEL_ACCOUNT | COROPROF_GFP_GENTLE);
	struct coroprof_attachment *attachment;
	u32 i;

	if (!ahead)
		return;
	mutex_lock(&coroprof_mutex);
	for (i = 0; i < coming->nr && session->started; i++) {
		attachment = coroprof_attachment_find(session, coming->id[i]);
		if (attachment)
			add(session, attachment, recordings_of(session, attachment), ahead);
	}
	mutex_unlock(&coroprof_mutex);
	make(session, ahead, COROPROF_AHEAD_MOST);
	kfree(ahead);
}
