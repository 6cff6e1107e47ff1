/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_ATTACH_H
#define COROPROF_ATTACH_H

#include <linux/types.h>

struct coroprof_process;
struct coroprof_session;
struct task_struct;

/* Under coroprof_mutex. */
int coroprof_attach(struct coroprof_session *session, struct coroprof_process *process,
		    struct task_struct *task);

long coroprof_attach_pid(struct coroprof_session *session, void __user *arg);

#endif /* COROPROF_ATTACH_H */
