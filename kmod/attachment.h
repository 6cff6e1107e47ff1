/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_ATTACHMENT_H
#define COROPROF_ATTACHMENT_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

struct coroprof_process;
struct coroprof_provision;
struct coroprof_session;
struct task_struct;

/**
 * struct coroprof_attachment - a process in a session
 *
 * In session->attachments by the process's id, from ATTACH until PROCESS_END was read or
 * the session is released. While it is the one that process->session has, it may be
 * looked up, and used, under coroprof_mutex. A tree, as adding to it takes no memory: see
 * struct coroprof_provision.
 *
 * @node:    in session->attachments; coroprof_mutex
 * @news:    in session->news.attachments while there is something to tell; news.lock
 * @process: held
 * @since:   when it was attached
 * @ended:   when its process ended, or a session with more rights took that over, or 0;
 *           process->session is NULL, or another, before; news.lock
 * @taken:   it was taken over; written under news.lock
 * @comm:    its name at @since
 * @written: PROCESS was read; news.lock
 * @labels:  how many of its labels were read; news.lock
 * @recordings: how many it has whose end was not read; news.lock
 * @epoch:   process->epoch of the last START, or of @since if that was later, or since
 *           when nothing is recorded by the session that had the process before;
 *           coroprof_mutex
 */
struct coroprof_attachment {
	struct rb_node node;
	struct list_head news;
	struct coroprof_process *process;
	u64 since;
	u64 ended;
	bool taken;
	bool written;
	char comm[16];
	u32 labels;
	u32 recordings;
	u32 epoch;
};

/* Under coroprof_mutex. */
struct coroprof_attachment *coroprof_attachment_find(struct coroprof_session *session, u32 id);
struct coroprof_attachment *coroprof_attachment_of(struct coroprof_session *session,
						   const struct coroprof_process *process);
struct coroprof_attachment *
coroprof_attachment_create(struct coroprof_session *session, struct coroprof_process *process,
			   struct task_struct *task, struct coroprof_provision *provision);

/* Take coroprof_mutex for one attachment at a time. May sleep. */
void coroprof_attachments_each(struct coroprof_session *session,
			       void (*fn)(struct coroprof_session *session,
					  struct coroprof_attachment *attachment, void *data),
			       void *data);
void coroprof_attachments_free(struct coroprof_session *session, struct list_head *done);
void coroprof_attachments_free_all(struct coroprof_session *session);

#endif /* COROPROF_ATTACHMENT_H */
