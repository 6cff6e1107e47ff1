/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_ATTACH_H
#define COROPROF_ATTACH_H

#include <linux/list.h>
#include <linux/types.h>

struct coroprof_process;
struct coroprof_session;
struct task_struct;

/**
 * struct coroprof_attachment - a process in a session
 *
 * Lives in its session's list, from ATTACH until PROCESS_END was read or the session
 * is released.
 *
 * @node:    in session->attachments; coroprof_mutex
 * @process: held
 * @since:   when it was attached
 * @taken:   when a session with more rights took the process over, or 0;
 *           process->session is another since; coroprof_mutex
 * @comm:    its name at @since
 * @written: PROCESS was read; coroprof_mutex
 * @labels:  how many of its labels were read; coroprof_mutex
 */
struct coroprof_attachment {
	struct list_head node;
	struct coroprof_process *process;
	u64 since;
	u64 taken;
	char comm[16];
	bool written;
	u32 labels;
};

bool coroprof_may_record(const struct coroprof_session *session);

/* Under coroprof_mutex. */
int coroprof_attach(struct coroprof_session *session, struct coroprof_process *process,
		    struct task_struct *task);

/* May sleep; not under coroprof_mutex. */
void coroprof_attachments_free(struct coroprof_session *session, struct list_head *done);
long coroprof_attach_pid(struct coroprof_session *session, void __user *arg);

#endif /* COROPROF_ATTACH_H */
