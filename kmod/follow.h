/* SPDX-License-Identifier: GPL-2.0 */
/* Thread groups that a session waits for. */
#ifndef COROPROF_FOLLOW_H
#define COROPROF_FOLLOW_H

#include <linux/list.h>
#include <linux/types.h>

struct coroprof_session;
struct pid;

/* A session follows at most so many thread groups that have not ended. */
#define COROPROF_FOLLOWS_MAX 1024

/* At most so many are looked for among those followed: the process and its ancestors. */
#define COROPROF_LINEAGE_MAX 33

/**
 * struct coroprof_follow - a thread group that a session waits for
 *
 * ATTACH with flags makes one; and so does each descendant that makes itself known, so that
 * its own children are followed after its parent has ended. It lives as long as the session.
 * If a session needs room for another, it frees those that have ended. Where no other lock
 * is named, coroprof_mutex protects the member.
 *
 * @node:       in session->follows
 * @hash:       among those of all sessions, by @tgid
 * @session:    the session
 * @tgid:       the thread group; held, so that a later one with the same id is never taken
 *              for it
 * @flags:      COROPROF_ATTACH_*
 * @exec_id:    self_exec_id of its first thread at ATTACH
 * @refused:    in session->pending.refused while PROCESS_REFUSED was not read; pending.lock, as the
 *              members below
 * @error:      why it was not attached, an errno
 * @process_id: number of the process object, 0 if it has none
 * @time:       when that was
 * @comm:       its name at that time
 */
struct coroprof_follow {
	struct list_head node;
	struct hlist_node hash;
	struct coroprof_session *session;
	struct pid *tgid;
	u32 flags;
	u64 exec_id;
	struct list_head refused;
	int error;
	u32 process_id;
	u64 time;
	char comm[16];
};

/*
 * Of which a session has nothing yet: zeroed, or NULL without memory. Charges the calling task's
 * cgroup. May sleep; no task is killed for this memory.
 */
struct coroprof_follow *coroprof_follow_alloc(void);
/* @follow: may be NULL */
void coroprof_follow_free_unused(struct coroprof_follow *follow);

/* The caller holds coroprof_mutex, except for coroprof_follows_free(). */
struct coroprof_follow *coroprof_follow_find(const struct coroprof_session *session,
					     const struct pid *tgid);
struct coroprof_follow *coroprof_follow_create(struct coroprof_session *session,
					       struct pid *tgid, u32 flags,
					       struct coroprof_follow *unused);
void coroprof_follow_add(struct coroprof_follow *follow);
void coroprof_follow_free(struct coroprof_follow *follow);
void coroprof_follows_free(struct coroprof_session *session);

/* Returns how many sessions follow the calling process or one of its ancestors. */
u32 coroprof_follow_count(void);
void coroprof_follow_each(void (*fn)(struct coroprof_follow *follow, void *data), void *data);

/* These are about the calling process. */
struct coroprof_follow *coroprof_follow_nearest(const struct coroprof_session *session);
bool coroprof_follow_wants(const struct coroprof_session *session);
bool coroprof_follow_execed(const struct coroprof_session *session);

#endif /* COROPROF_FOLLOW_H */
