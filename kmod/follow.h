/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_FOLLOW_H
#define COROPROF_FOLLOW_H

#include <linux/list.h>
#include <linux/types.h>

struct coroprof_process;
struct coroprof_provision;
struct coroprof_session;
struct pid;

/* At most so many thread groups that live are followed by a session. */
#define COROPROF_FOLLOWS_MAX 1024

/* Of a process and its ancestors so many are looked for among those that are followed. */
#define COROPROF_LINEAGE_MAX 33

/**
 * struct coroprof_follow - a thread group that a session waits for
 *
 * Made by ATTACH with flags, and for each descendant that makes itself known, so
 * that it is followed on when its parent has ended. Lives as long as the
 * session; one that has ended goes earlier, when there is no room for another.
 * What is not under another lock is under coroprof_mutex.
 *
 * @node:       in session->follows
 * @hash:       among those of all sessions, by @tgid
 * @session:    whose it is
 * @tgid:       who; held, so that it is never taken for another that gets its id
 * @flags:      COROPROF_ATTACH_*
 * @exec_id:    self_exec_id of its first thread at ATTACH
 * @refused:    in session->news.refused while the reader is yet to be told that it
 *              was not attached; this and what follows: news.lock
 * @error:      why, an errno
 * @process_id: number of the process object
 * @time:       when
 * @comm:       its name then
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

/* Under coroprof_mutex, but for coroprof_follows_free(). */
struct coroprof_follow *coroprof_follow_find(const struct coroprof_session *session,
					     const struct pid *tgid);
struct coroprof_follow *coroprof_follow_create(struct coroprof_session *session,
					       struct pid *tgid, u32 flags,
					       struct coroprof_provision *provision);
void coroprof_follow_add(struct coroprof_follow *follow);
void coroprof_follow_free(struct coroprof_follow *follow);
void coroprof_follows_free(struct coroprof_session *session);

/* Sessions that the calling process, or an ancestor of it, is followed by. */
u32 coroprof_follow_count(void);
void coroprof_follow_process(struct coroprof_process *process,
			     struct coroprof_provision *provision);

/* Of the calling process. */
bool coroprof_follow_wants(const struct coroprof_session *session);
bool coroprof_follow_execed(const struct coroprof_session *session);
void coroprof_follow_probed(struct coroprof_session *session, struct coroprof_process *process,
			    struct coroprof_provision *provision);

#endif /* COROPROF_FOLLOW_H */
