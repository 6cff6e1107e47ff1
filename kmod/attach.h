/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a session may record a process or thread, and how attachments begin and end. */
#ifndef COROPROF_ATTACH_H
#define COROPROF_ATTACH_H

#include <linux/types.h>

struct coroprof_process;
struct coroprof_prealloc;
struct coroprof_session;
struct task_struct;

/*
 * About the calling thread. Any context that may take task_lock(); the second one is for memory of
 * its address space.
 */
bool coroprof_may_record(const struct coroprof_session *session);
bool coroprof_may_read_memory(const struct coroprof_session *session);

/* Returns 0 or an error. The caller holds coroprof_mutex. */
int coroprof_attach(struct coroprof_session *session, struct coroprof_process *process,
		    struct task_struct *task, struct coroprof_prealloc *prealloc);

/* These take coroprof_mutex anew for each attachment. May sleep. */
void coroprof_attachments_update(struct coroprof_session *session);
void coroprof_attachments_end(struct coroprof_session *session);

/* COROPROF_IOC_ATTACH */
long coroprof_attach_pid(struct coroprof_session *session, void __user *arg);

#endif /* COROPROF_ATTACH_H */
