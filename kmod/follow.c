// SPDX-License-Identifier: GPL-2.0
/* Processes that are recorded once they make themselves known, and their children. */
#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "compat.h"
#include "follow.h"
#include "lock.h"
#include "pending.h"
#include "session.h"
#include "quota.h"

/*
 * Of all sessions, as a process that makes itself known looks for itself and its
 * ancestors, whoever else there is. At most COROPROF_FOLLOWS_MAX are a session's.
 */
#define FOLLOWED_BITS 12
static DEFINE_HASHTABLE(followed, FOLLOWED_BITS);

/* Processes that sessions were looked for, session->discovery says which. */
static u32 discoveries;

struct coroprof_follow *coroprof_follow_alloc(void)
{
	struct coroprof_follow *follow =
		kzalloc(sizeof(*follow), GFP_KERNEL_ACCOUNT | COROPROF_GFP_GENTLE);

	if (follow) {
		INIT_LIST_HEAD(&follow->node);
		INIT_LIST_HEAD(&follow->refused);
	}
	return follow;
}

void coroprof_follow_free_unused(struct coroprof_follow *follow)
{
	kfree(follow);
}

struct coroprof_follow *coroprof_follow_find(const struct coroprof_session *session,
					     const struct pid *tgid)
{
	struct coroprof_follow *follow;

	lockdep_assert_held(&coroprof_mutex);
	hash_for_each_possible(followed, follow, hash, (unsigned long)tgid) {
		if (follow->tgid == tgid && follow->session == session)
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

/* The session is being released. Takes coroprof_mutex for one at a time. */
void coroprof_follows_free(struct coroprof_session *session)
{
	struct coroprof_follow *follow;

	do {
		mutex_lock(&coroprof_mutex);
		follow = list_first_entry_or_null(&session->follows, struct coroprof_follow, node);
		if (follow) {
			coroprof_pending_forget_follow(follow);
			drop(follow);
		}
		mutex_unlock(&coroprof_mutex);
	} while (follow);
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
		if (has_ended(follow) && !coroprof_pending_has_refused(follow))
			drop(follow);
	}
	return session->nr_follows < COROPROF_FOLLOWS_MAX ? 0 : -EDQUOT;
}

static u64 exec_id_of(struct pid *tgid)
{
	const struct task_struct *task;
	u64 id;

	rcu_read_lock();
	task = pid_task(tgid, PIDTYPE_TGID);
	id = task ? task->self_exec_id : 0;
	rcu_read_unlock();
	return id;
}

/**
 * coroprof_follow_create() - what it takes to follow a thread group
 * @session: who follows
 * @tgid:    whom
 * @flags:   COROPROF_ATTACH_*
 * @unused:  taken over, also on error; NULL if there was no memory for it
 *
 * To be added or freed before coroprof_mutex is released.
 */
struct coroprof_follow *coroprof_follow_create(struct coroprof_session *session,
					       struct pid *tgid, u32 flags,
					       struct coroprof_follow *unused)
{
	struct coroprof_follow *follow = unused;
	int err;

	lockdep_assert_held(&coroprof_mutex);
	if (!follow)
		return ERR_PTR(-ENOMEM);
	err = make_room(session) ?:
	      coroprof_quota_charge(session->quota, coroprof_bytes(sizeof(*follow)));
	if (err) {
		coroprof_follow_free_unused(follow);
		return ERR_PTR(err);
	}

	follow->session = session;
	follow->tgid = get_pid(tgid);
	follow->flags = flags;
	follow->exec_id = exec_id_of(tgid);
	return follow;
}

/* There is none for the same thread group. */
void coroprof_follow_add(struct coroprof_follow *follow)
{
	struct coroprof_session *session = follow->session;

	session->nr_follows++;
	list_add_tail(&follow->node, &session->follows);
	hash_add(followed, &follow->hash, (unsigned long)follow->tgid);
	coroprof_negcache_forget();
}

/*
 * The thread group of the calling task and those above, the nearest first. Under RCU
 * no task goes away; of the pids only the addresses are used, and the address of
 * one that is followed belongs to no other.
 */
static u32 lineage_of_current(struct pid **lineage)
{
	struct task_struct *task = current;
	u32 nr = 0;

	rcu_read_lock();
	while (nr < COROPROF_LINEAGE_MAX && task->pid) {
		lineage[nr++] = task_tgid(task);
		task = rcu_dereference(task->real_parent);
	}
	rcu_read_unlock();
	return nr;
}

/* One of a session that has not been looked at for the process. */
static struct coroprof_follow *next_of(const struct pid *tgid)
{
	struct coroprof_follow *follow;

	hash_for_each_possible(followed, follow, hash, (unsigned long)tgid) {
		if (follow->tgid == tgid && follow->session->discovery != discoveries)
			return follow;
	}
	return NULL;
}

/**
 * coroprof_follow_each() - do something for each session that follows the calling process
 * @fn:   what, with the nearest that the session follows: the process, or an ancestor
 * @data: for @fn
 *
 * Attaching changes the table, so each is looked up anew; there are no more than sessions
 * that may follow the process.
 */
void coroprof_follow_each(void (*fn)(struct coroprof_follow *follow, void *data), void *data)
{
	struct pid *lineage[COROPROF_LINEAGE_MAX];
	u32 nr = lineage_of_current(lineage), i;
	struct coroprof_follow *follow;

	lockdep_assert_held(&coroprof_mutex);
	discoveries++;
	for (i = 0; i < nr; i++) {
		while ((follow = next_of(lineage[i]))) {
			follow->session->discovery = discoveries;
			fn(follow, data);
		}
	}
}

static void count(struct coroprof_follow *follow, void *sessions)
{
	++*(u32 *)sessions;
}

u32 coroprof_follow_count(void)
{
	u32 sessions = 0;

	coroprof_follow_each(count, &sessions);
	return sessions;
}

/* What decides of the calling process in one session: that it is followed, or an ancestor. */
struct coroprof_follow *coroprof_follow_nearest(const struct coroprof_session *session)
{
	struct pid *lineage[COROPROF_LINEAGE_MAX];
	u32 nr = lineage_of_current(lineage), i;
	struct coroprof_follow *follow;

	for (i = 0; i < nr; i++) {
		follow = coroprof_follow_find(session, lineage[i]);
		if (follow)
			return follow;
	}
	return NULL;
}

/* Whether it would be attached if it made itself known. */
bool coroprof_follow_wants(const struct coroprof_session *session)
{
	const struct coroprof_follow *follow = coroprof_follow_nearest(session);

	if (!follow)
		return false;
	return follow->flags & (follow->tgid == task_tgid(current) ?
				COROPROF_ATTACH_LATER : COROPROF_ATTACH_CHILDREN);
}

/* Whether it runs another program than when ATTACH was called for it. */
bool coroprof_follow_execed(const struct coroprof_session *session)
{
	const struct coroprof_follow *follow = coroprof_follow_find(session, task_tgid(current));

	return follow && follow->exec_id != current->self_exec_id;
}
