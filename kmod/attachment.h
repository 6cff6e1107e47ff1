/* SPDX-License-Identifier: GPL-2.0 */
/* A process in a session: what relates the two, and the index of these. */
#ifndef COROPROF_ATTACHMENT_H
#define COROPROF_ATTACHMENT_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

struct coroprof_process;
struct coroprof_session;
struct coroprof_spares;
struct task_struct;

/**
 * struct coroprof_attachment - a process in a session
 *
 * It is in session->attachments, by the process's id, from ATTACH until PROCESS_END was read
 * or the session is released. While process->session is that session, it may be looked up
 * and used under coroprof_mutex. The index is a tree, because adding to a tree allocates
 * nothing: see struct coroprof_prealloc.
 *
 * @node:    in session->attachments; coroprof_mutex
 * @pending: in session->pending.attachments while it has records to be read; pending.lock
 * @process: held
 * @spares:  its spare rings; held
 * @since:   when the process was attached
 * @ended:   when the process ended, or when a session with more rights took it over, or 0.
 *           process->session is set to NULL, or to that session, before; pending.lock
 * @taken:   the process was taken over; written under pending.lock
 * @comm:    the process's name at @since
 * @written: PROCESS was read; pending.lock
 * @labels:  how many of its labels were read; pending.lock
 * @recordings: number of its recordings whose end was not read; pending.lock
 * @epoch:   process->epoch at the last START; at @since if that was later; and if the process
 *           was taken over from another session, when that session had stopped recording it;
 *           coroprof_mutex
 */
struct coroprof_attachment {
	struct rb_node node;
	struct list_head pending;
	struct coroprof_process *process;
	struct coroprof_spares *spares;
	u64 since;
	u64 ended;
	bool taken;
	bool written;
	char comm[16];
	u32 labels;
	u32 recordings;
	u32 epoch;
};

/*
 * Of which a session has nothing yet: zeroed, or NULL without memory. Charges the calling task's
 * cgroup. May sleep; no task is killed for this memory.
 */
struct coroprof_attachment *coroprof_attachment_alloc(void);
/* @attachment: may be NULL */
void coroprof_attachment_free_unused(struct coroprof_attachment *attachment);

/* The caller holds coroprof_mutex. The first two return NULL if there is none. */
struct coroprof_attachment *coroprof_attachment_find(struct coroprof_session *session, u32 id);
struct coroprof_attachment *coroprof_attachment_of(struct coroprof_session *session,
						   const struct coroprof_process *process);
struct coroprof_attachment *
coroprof_attachment_create(struct coroprof_session *session, struct coroprof_process *process,
			   struct task_struct *task, struct coroprof_attachment *unused);

/* These take coroprof_mutex anew for each attachment. May sleep. */
void coroprof_attachments_each(struct coroprof_session *session,
			       void (*fn)(struct coroprof_session *session,
					  struct coroprof_attachment *attachment, void *data),
			       void *data);
void coroprof_attachments_free(struct coroprof_session *session, struct list_head *done);
void coroprof_attachments_free_all(struct coroprof_session *session);

#endif /* COROPROF_ATTACHMENT_H */
