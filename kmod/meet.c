// SPDX-License-Identifier: GPL-2.0
/* A process becomes known, and finds the sessions that wait for it. */
#include <linux/sched.h>

#include "attach.h"
#include "compat.h"
#include "follow.h"
#include "lock.h"
#include "meet.h"
#include "news.h"
#include "process.h"
#include "provision.h"
#include "quota.h"
#include "session.h"

/* Without memory to follow it on, it is recorded all the same. */
static struct coroprof_follow *inherit(const struct coroprof_process *process,
				       const struct coroprof_follow *parent,
				       struct coroprof_provision *provision)
{
	u32 flags = parent->flags | COROPROF_ATTACH_LATER;
	struct coroprof_follow *follow =
		coroprof_follow_create(parent->session, process->tgid, flags,
				       coroprof_provision_follow(provision));

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
			    struct coroprof_provision *provision)
{
	struct coroprof_session *session = follow->session;
	int err;

	if (follow->tgid == process->tgid) {
		if (!(follow->flags & COROPROF_ATTACH_LATER))
			return;
	} else {
		if (!(follow->flags & COROPROF_ATTACH_CHILDREN))
			return;
		follow = inherit(process, follow, provision);
	}
	if (process->session == session)
		return;
	err = coroprof_attach(session, process, current, provision);
	if (err && follow)
		coroprof_news_refused(follow, process, err);
}

struct meeting {
	struct coroprof_process *process;
	struct coroprof_provision *provision;
};

static void attach_met(struct coroprof_follow *follow, void *data)
{
	const struct meeting *met = data;

	attach_followed(met->process, follow, met->provision);
}

/*
 * The calling process has made itself known, and shows a token, or 0. Whether
 * that leads anywhere is between it and the sessions: to the process it is no
 * error.
 */
static void meet_sessions(struct coroprof_process *process, u64 token,
			  struct coroprof_provision *provision)
{
	struct coroprof_session *session = coroprof_session_find(token);
	struct meeting met = { .process = process, .provision = provision };

	if (session)
		coroprof_attach(session, process, current, provision);
	coroprof_follow_each(attach_met, &met);
}

/*
 * Take coroprof_mutex, with what meet_sessions() takes: @provision is filled as far as there is
 * memory. @token: that the calling process shows, or 0
 */
static void lock_provided(u64 token, struct coroprof_provision *provision)
{
	int err = 0;
	u32 nr;

	for (;;) {
		mutex_lock(&coroprof_mutex);
		nr = coroprof_follow_count() + !!coroprof_session_find(token);
		if (err || nr <= provision->nr)
			return;
		mutex_unlock(&coroprof_mutex);
		err = coroprof_provision_fill(provision, nr);
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
 * coroprof_meet() - make the calling process known
 * @process: its object
 * @token:   of a session, that it shows, or 0
 *
 * A session that waits for it, or of which it shows the token, records it from now on.
 * Returns 0, or -EEXIST if it is known already. May sleep.
 */
int coroprof_meet(struct coroprof_process *process, u64 token)
{
	struct coroprof_process *before = NULL;
	struct coroprof_provision provision;
	int err;

	coroprof_provision_init(&provision);
	lock_provided(token, &provision);
	err = coroprof_process_admit(process, &before);
	if (!err)
		meet_sessions(process, token, &provision);
	mutex_unlock(&coroprof_mutex);
	coroprof_provision_free(&provision);
	cut_before(before);
	return err;
}

/* And let the session record it whose probes have met it, and none else. */
static int register_probed(struct coroprof_process *process,
			   struct coroprof_session *session)
{
	struct coroprof_process *before = NULL;
	struct coroprof_provision provision;
	struct coroprof_follow *follow;
	int err;

	coroprof_provision_init(&provision);
	err = coroprof_provision_fill(&provision, 1);
	if (err)
		return err;
	mutex_lock(&coroprof_mutex);
	err = coroprof_process_admit(process, &before);
	if (!err) {
		follow = coroprof_follow_nearest(session);
		if (follow)
			attach_followed(process, follow, &provision);
		if (process->session != session) {
			coroprof_process_end_locked(process);
			/* Its ancestor may have gone meanwhile: that is no want of memory. */
			err = coroprof_follow_wants(session) ? -EDQUOT : -ESRCH;
		}
	}
	mutex_unlock(&coroprof_mutex);
	coroprof_provision_free(&provision);
	cut_before(before);
	return err;
}

/**
 * coroprof_meet_probed() - make the calling process known, without its doing
 * @session: whose probes have met it, and that follows it
 * @keys:    its coroutines; taken over on success
 * @slots:   room for so many
 *
 * It is charged to the session. Errors: EEXIST it is known already; ESRCH nobody follows it
 * any more; EDQUOT; ENOMEM.
 * May sleep.
 */
struct coroprof_process *coroprof_meet_probed(struct coroprof_session *session,
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
