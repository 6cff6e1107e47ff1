// SPDX-License-Identifier: GPL-2.0
/* Who may record whom, and the beginning of it. */
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "args.h"
#include "attach.h"
#include "follow.h"
#include "process.h"
#include "session.h"
#include "quota.h"

/*
 * Anybody has all capabilities in a user namespace of his own: they are compared
 * within one, and those of a task in another are more than the session has.
 */
static bool may_do_more(const struct cred *cred, const struct cred *own)
{
	if (cred->user_ns != own->user_ns)
		return !cap_isclear(cred->cap_permitted);
	return !cap_issubset(cred->cap_permitted, own->cap_permitted);
}

/*
 * All ids of the task are those of the session and it may do no more, or the
 * session may look at anybody.
 */
static bool may_attach(const struct coroprof_session *session, struct task_struct *task)
{
	const struct cred *own = session->cred, *cred;
	bool same;

	if (session->capable)
		return true;

	rcu_read_lock();
	cred = __task_cred(task);
	same = uid_eq(cred->uid, own->uid) && uid_eq(cred->euid, own->uid) &&
	       uid_eq(cred->suid, own->uid) && uid_eq(own->euid, own->uid) &&
	       gid_eq(cred->gid, own->gid) && gid_eq(cred->egid, own->gid) &&
	       gid_eq(cred->sgid, own->gid) && gid_eq(own->egid, own->gid) &&
	       !may_do_more(cred, own);
	rcu_read_unlock();
	return same;
}

/**
 * coroprof_attach() - a session records a process from now on, while it is started
 * @session: who
 * @process: whom
 * @task:    a task of it, of which the rights are looked at
 */
int coroprof_attach(struct coroprof_session *session, struct coroprof_process *process,
		    struct task_struct *task)
{
	struct coroprof_attachment *attachment;
	int err;

	lockdep_assert_held(&coroprof_mutex);
	if (!may_attach(session, task))
		return -EPERM;
	if (process->session)
		return -EBUSY;

	err = coroprof_quota_charge(session->quota, sizeof(*attachment));
	if (err)
		return err;

	attachment = kzalloc(sizeof(*attachment), GFP_KERNEL_ACCOUNT);
	if (!attachment) {
		coroprof_quota_uncharge(session->quota, sizeof(*attachment));
		return -ENOMEM;
	}

	attachment->process = process;
	kref_get(&process->ref);
	attachment->since = ktime_get_mono_fast_ns();
	get_task_comm(attachment->comm, task);
	list_add_tail(&attachment->node, &session->attachments);
	coroprof_process_set_session(process, session, session->started);
	coroprof_session_notify(session);
	return 0;
}

/* Now, if it is known. */
static int attach_task(struct coroprof_session *session, struct task_struct *task,
		       struct pid *pid, struct coroprof_attach *config)
{
	struct coroprof_process *process = coroprof_process_find(pid);

	config->process_id = process ? process->id : 0;
	if (!process && !(config->flags & COROPROF_ATTACH_LATER))
		return -ENODEV;
	/* As a child of another it may have come by itself meanwhile. */
	if (!process || (config->flags && process->session == session))
		return may_attach(session, task) ? 0 : -EPERM;
	return coroprof_attach(session, process, task);
}

static int attach_and_follow(struct coroprof_session *session, struct task_struct *task,
			     struct pid *pid, struct coroprof_attach *config)
{
	struct coroprof_follow *follow;
	int err;

	lockdep_assert_held(&coroprof_mutex);
	if (!config->flags)
		return attach_task(session, task, pid, config);

	follow = coroprof_follow_create(session, pid, config->flags);
	if (IS_ERR(follow))
		return PTR_ERR(follow);
	err = attach_task(session, task, pid, config);
	if (err)
		coroprof_follow_free(follow);
	else
		coroprof_follow_add(follow);
	return err;
}

static int attach_by_pid(struct coroprof_session *session, struct pid *pid,
			 struct coroprof_attach *config)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	int err;

	if (!task)
		return -ESRCH;

	mutex_lock(&coroprof_mutex);
	err = attach_and_follow(session, task, pid, config);
	mutex_unlock(&coroprof_mutex);
	put_task_struct(task);
	return err;
}

/* COROPROF_IOC_ATTACH */
long coroprof_attach_pid(struct coroprof_session *session, void __user *arg)
{
	struct coroprof_attach config;
	struct pid *pid;
	int err;

	err = coroprof_args_in(&config, sizeof(config), sizeof(config), arg);
	if (err)
		return err;
	if (config.flags & ~(COROPROF_ATTACH_LATER | COROPROF_ATTACH_CHILDREN))
		return -EINVAL;

	pid = find_get_pid(config.pid);
	if (!pid)
		return -ESRCH;

	err = attach_by_pid(session, pid, &config);
	put_pid(pid);
	return err ?: coroprof_args_out(arg, &config, sizeof(config));
}
