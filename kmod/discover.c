// SPDX-License-Identifier: GPL-2.0
/* A process becomes known, and finds the sessions that wait for it. */
#include <linux/sched.h>

#include "attach.h"
#include "compat.h"
#include "discover.h"
#include "follow.h"
#include "lock.h"
#include "pending.h"
#include "prealloc.h"
#include "process.h"
#include "quota.h"
#include "session.h"

/* Without memory to follow it on, it is recorded all the same. */
static struct coroprof_follow *inherit(struct pid *tgid, const struct coroprof_follow *parent,
				       struct coroprof_prealloc *prealloc)
{
	u32 flags = parent->flags | COROPROF_ATTACH_LATER;
	struct coroprof_follow *follow =
		coroprof_follow_create(parent->session, tgid, flags,
				       coroprof_prealloc_follow(prealloc));

	if (IS_ERR(follow))
		return NULL;
	coroprof_follow_add(follow);
	return follow;
}

/*
 * The calling process has made itself known, and is followed, or its ancestor is. The
 * rights are looked at now: it may have changed its ids since ATTACH.
 */
static void attach_followed(struct coroprof_process *process, struct coroprof_follow *follow,
			    struct coroprof_prealloc *prealloc)
{
	struct coroprof_session *session = follow->session;
	int err;

	if (follow->tgid == process->tgid) {
		if (!(follow->flags & COROPROF_ATTACH_LATER))
			return;
	} else {
		if (!(follow->flags & COROPROF_ATTACH_CHILDREN))
			return;
		follow = inherit(process->tgid, follow, prealloc);
	}
	if (process->session == session)
		return;
	err = coroprof_attach(session, process, current, prealloc);
	if (err && follow)
		coroprof_pending_refused(follow, process->id, err);
}

struct discovery {
	struct coroprof_process *process;
	struct coroprof_prealloc *prealloc;
};

static void attach_discovered(struct coroprof_follow *follow, void *data)
{
	const struct discovery *found = data;

	attach_followed(found->process, follow, found->prealloc);
}

/*
 * The calling process has made itself known, and shows a token, or 0. Whether
 * that leads anywhere is between it and the sessions: to the process it is no
 * error.
 */
static void discover_sessions(struct coroprof_process *process, u64 token,
			      struct coroprof_prealloc *prealloc)
{
	struct coroprof_session *session = coroprof_session_find(token);
	struct discovery found = { .process = process, .prealloc = prealloc };

	if (session)
		coroprof_attach(session, process, current, prealloc);
	coroprof_follow_each(attach_discovered, &found);
}

/*
 * Take coroprof_mutex, with what discover_sessions() takes: @prealloc is filled as far as there is
 * memory. @token: that the calling process shows, or 0
 */
static void lock_preallocated(u64 token, struct coroprof_prealloc *prealloc)
{
	int err = 0;
	u32 nr;

	for (;;) {
		mutex_lock(&coroprof_mutex);
		nr = coroprof_follow_count() + !!coroprof_session_find(token);
		if (err || nr <= prealloc->nr)
			return;
		mutex_unlock(&coroprof_mutex);
		err = coroprof_prealloc_fill(prealloc, nr);
	}
}

static void cut_before(struct coroprof_process *before)
{
	if (!before)
		return;
	coroprof_process_cut(before, false);
	coroprof_process_put(before);
}

/**
 * coroprof_discover() - make the calling process known
 * @process: its object
 * @token:   of a session, that it shows, or 0
 *
 * A session that waits for it, or of which it shows the token, records it from now on.
 * Returns 0, or -EEXIST if it is known already. May sleep.
 */
int coroprof_discover(struct coroprof_process *process, u64 token)
{
	struct coroprof_process *before = NULL;
	struct coroprof_prealloc prealloc;
	int err;

	coroprof_prealloc_init(&prealloc);
	lock_preallocated(token, &prealloc);
	err = coroprof_process_admit(process, &before);
	if (!err)
		discover_sessions(process, token, &prealloc);
	mutex_unlock(&coroprof_mutex);
	coroprof_prealloc_free(&prealloc);
	cut_before(before);
	return err;
}

/* And let the session record it whose probes have hit it, and none else. */
static int register_probed(struct coroprof_process *process,
			   struct coroprof_session *session)
{
	struct coroprof_process *before = NULL;
	struct coroprof_prealloc prealloc;
	struct coroprof_follow *follow;
	int err;

	coroprof_prealloc_init(&prealloc);
	err = coroprof_prealloc_fill(&prealloc, 1);
	if (err)
		return err;
	mutex_lock(&coroprof_mutex);
	err = coroprof_process_admit(process, &before);
	if (!err) {
		follow = coroprof_follow_nearest(session);
		if (follow)
			attach_followed(process, follow, &prealloc);
		if (process->session != session) {
			coroprof_process_end_locked(process);
			/* Its ancestor may have gone meanwhile: that is no want of memory. */
			err = coroprof_follow_wants(session) ? -EDQUOT : -ESRCH;
		}
	}
	mutex_unlock(&coroprof_mutex);
	coroprof_prealloc_free(&prealloc);
	cut_before(before);
	return err;
}

/**
 * coroprof_discover_probed() - make the calling process known, without its doing
 * @session: whose probes have hit it, and that follows it
 * @keys:    its coroutines; taken over on success
 * @slots:   room for so many
 *
 * It is charged to the session. Errors: EEXIST it is known already; ESRCH nobody follows it
 * any more; EDQUOT; ENOMEM.
 * May sleep.
 */
struct coroprof_process *coroprof_discover_probed(struct coroprof_session *session,
						  struct coroprof_keys *keys, u32 slots)
{
	struct coroprof_process *process;
	int err;

	kref_get(&session->quota->ref);
	process = coroprof_process_create(slots, session->quota, COROPROF_GFP_GENTLE);
	if (IS_ERR(process))
		return process;

	process->keys = keys;
	err = register_probed(process, session);
	if (err) {
		process->keys = NULL;
		coroprof_process_put(process);
		return ERR_PTR(err);
	}
	return process;
}

/**
 * coroprof_discover_refuse() - report that the calling process can't be recorded
 * @session: whose probes have hit it, and that follows it
 * @err:     why
 *
 * It does not become known, and has no number. Without memory to name it, it is counted. May
 * sleep.
 */
void coroprof_discover_refuse(struct coroprof_session *session, int err)
{
	struct coroprof_prealloc prealloc;
	struct coroprof_follow *follow;

	coroprof_prealloc_init(&prealloc);
	coroprof_prealloc_fill(&prealloc, 1);
	mutex_lock(&coroprof_mutex);
	if (coroprof_follow_wants(session)) {
		follow = coroprof_follow_nearest(session);
		if (follow->tgid != task_tgid(current))
			follow = inherit(task_tgid(current), follow, &prealloc);
		if (follow)
			coroprof_pending_refused(follow, 0, err);
		else
			coroprof_pending_unrecorded(session);
	}
	mutex_unlock(&coroprof_mutex);
	coroprof_prealloc_free(&prealloc);
}
