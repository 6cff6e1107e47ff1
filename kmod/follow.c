// SPDX-License-Identifier: GPL-2.0
/* Processes that are recorded once they make themselves known, and their children. */
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include "attach.h"
#include "follow.h"
#include "process.h"
#include "session.h"
#include "quota.h"

struct coroprof_follow *coroprof_follow_find(const struct coroprof_session *session,
					     const struct pid *tgid)
{
	struct coroprof_follow *follow;

	lockdep_assert_held(&coroprof_mutex);
	hash_for_each_possible(session->followed, follow, hash, (unsigned long)tgid) {
		if (follow->tgid == tgid)
			return follow;
	}
	return NULL;
}

/* Not yet added. */
void coroprof_follow_free(struct coroprof_follow *follow)
{
	put_pid(follow->tgid);
	coroprof_quota_free(follow->session->quota, follow, sizeof(*follow));
}

static void drop(struct coroprof_follow *follow)
{
	follow->session->nr_follows--;
	hash_del(&follow->hash);
	list_del(&follow->node);
	coroprof_follow_free(follow);
}

void coroprof_follows_free(struct coroprof_session *session)
{
	struct coroprof_follow *follow, *next;

	lockdep_assert_held(&coroprof_mutex);
	list_for_each_entry_safe(follow, next, &session->follows, node)
		drop(follow);
}

static bool has_ended(const struct coroprof_follow *follow)
{
	bool ended;

	rcu_read_lock();
	ended = !pid_task(follow->tgid, PIDTYPE_TGID);
	rcu_read_unlock();
	return ended;
}

/* Only when it is full: so that each that comes pays for one that has gone. */
static int make_room(struct coroprof_session *session)
{
	struct coroprof_follow *follow, *next;

	if (session->nr_follows < COROPROF_FOLLOWS_MAX)
		return 0;
	list_for_each_entry_safe(follow, next, &session->follows, node) {
		if (!follow->error && has_ended(follow))
			drop(follow);
	}
	return session->nr_follows < COROPROF_FOLLOWS_MAX ? 0 : -EDQUOT;
}

/**
 * coroprof_follow_create() - what it takes to follow a thread group
 * @session: who follows
 * @tgid:    whom
 * @flags:   COROPROF_ATTACH_*
 *
 * To be added or freed before coroprof_mutex is released.
 */
struct coroprof_follow *coroprof_follow_create(struct coroprof_session *session,
					       struct pid *tgid, u32 flags)
{
	struct coroprof_follow *follow;
	int err;

	lockdep_assert_held(&coroprof_mutex);
	err = make_room(session);
	if (err)
		return ERR_PTR(err);
	follow = coroprof_quota_alloc(session->quota, sizeof(*follow));
	if (IS_ERR(follow))
		return follow;

	follow->session = session;
	follow->tgid = get_pid(tgid);
	follow->flags = flags;
	return follow;
}

/* There is none for the same thread group. */
void coroprof_follow_add(struct coroprof_follow *follow)
{
	struct coroprof_session *session = follow->session;

	session->nr_follows++;
	list_add_tail(&follow->node, &session->follows);
	hash_add(session->followed, &follow->hash, (unsigned long)follow->tgid);
}

/*
 * Thread groups above that of the calling task, the nearest first. Under RCU no
 * task goes away; of the pids only the addresses are used, and the address of
 * one that is followed belongs to no other.
 */
u32 coroprof_follow_ancestors(struct pid **ancestors)
{
	struct task_struct *task = current;
	u32 nr = 0;

	rcu_read_lock();
	while (nr < COROPROF_ANCESTORS_MAX) {
		task = rcu_dereference(task->real_parent);
		if (!task->pid)
			break;
		ancestors[nr++] = task_tgid(task);
	}
	rcu_read_unlock();
	return nr;
}

/* The nearest ancestor decides. */
static const struct coroprof_follow *parent_of(const struct coroprof_session *session,
					       struct pid **ancestors, u32 nr)
{
	const struct coroprof_follow *follow;
	u32 i;

	for (i = 0; i < nr; i++) {
		follow = coroprof_follow_find(session, ancestors[i]);
		if (follow)
			return follow->flags & COROPROF_ATTACH_CHILDREN ? follow : NULL;
	}
	return NULL;
}

static void refuse(struct coroprof_follow *follow, const struct coroprof_process *process, int err)
{
	follow->error = -err;
	follow->process_id = process->id;
	follow->time = ktime_get_mono_fast_ns();
	get_task_comm(follow->comm, current);
	list_move(&follow->node, &follow->session->follows);
	coroprof_session_notify(follow->session);
}

/* Without memory to follow it on, it is recorded all the same. */
static struct coroprof_follow *inherit(struct coroprof_session *session,
				       const struct coroprof_process *process,
				       const struct coroprof_follow *parent)
{
	u32 flags = parent->flags | COROPROF_ATTACH_LATER;
	struct coroprof_follow *follow = coroprof_follow_create(session, process->tgid, flags);

	if (IS_ERR(follow))
		return NULL;
	coroprof_follow_add(follow);
	return follow;
}

/**
 * coroprof_follow_process() - attach the calling process if it is followed
 * @session:   by whom
 * @process:   it has just made itself known
 * @ancestors: coroprof_follow_ancestors()
 * @nr:        how many
 *
 * The rights are looked at now: it may have changed its ids since ATTACH.
 */
void coroprof_follow_process(struct coroprof_session *session, struct coroprof_process *process,
			     struct pid **ancestors, u32 nr)
{
	struct coroprof_follow *follow = coroprof_follow_find(session, process->tgid);
	const struct coroprof_follow *parent;
	int err;

	if (follow && !(follow->flags & COROPROF_ATTACH_LATER))
		return;
	if (!follow) {
		parent = parent_of(session, ancestors, nr);
		if (!parent)
			return;
		follow = inherit(session, process, parent);
	}
	if (process->session == session)
		return;
	err = coroprof_attach(session, process, current);
	if (err && follow)
		refuse(follow, process, err);
}
