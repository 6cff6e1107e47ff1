// SPDX-License-Identifier: GPL-2.0
/* Who may record whom, and the beginning of it. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>

#include "args.h"
#include "attach.h"
#include "attachment.h"
#include "compat.h"
#include "follow.h"
#include "lock.h"
#include "pending.h"
#include "process.h"
#include "prealloc.h"
#include "session.h"
#include "spare.h"

/* Not in the session's own name: the calling task may be the one that is attached. */
static bool has_sys_ptrace(const struct cred *own, struct user_namespace *ns)
{
	const struct cred *callers = override_creds(own);
	bool has = ns_capable_noaudit(ns, CAP_SYS_PTRACE);

	revert_creds(callers);
	return has;
}

static bool same_ids(const struct cred *cred, const struct cred *own)
{
	return uid_eq(cred->uid, own->uid) && uid_eq(cred->euid, own->uid) &&
	       uid_eq(cred->suid, own->uid) && gid_eq(cred->gid, own->gid) &&
	       gid_eq(cred->egid, own->gid) && gid_eq(cred->sgid, own->gid);
}

/*
 * Anybody has all capabilities in a user namespace of his own: sets of them are
 * compared within one.
 */
static bool may_do_no_more(const struct cred *cred, const struct cred *own)
{
	return cred->user_ns == own->user_ns &&
	       cap_issubset(cred->cap_permitted, own->cap_permitted);
}

static bool may_trace(const struct cred *own, struct task_struct *task)
{
	const struct cred *cred;
	bool may;

	rcu_read_lock();
	cred = __task_cred(task);
	may = (same_ids(cred, own) && may_do_no_more(cred, own)) ||
	      has_sys_ptrace(own, cred->user_ns);
	rcu_read_unlock();
	return may;
}

/* @mm: stands in for that of a task that has none any more; may be NULL. */
static bool may_dump(const struct cred *own, struct task_struct *task, struct mm_struct *mm)
{
	struct user_namespace *ns;
	bool may;

	rcu_read_lock();
	task_lock(task);
	may = coroprof_task_dumpable(task, task->mm ?: mm, &ns) || has_sys_ptrace(own, ns);
	task_unlock(task);
	rcu_read_unlock();
	return may;
}

/*
 * By ptrace's rules for PTRACE_MODE_READ_REALCREDS; ptrace_may_access() is not for
 * modules. No security module is asked.
 */
static bool may_read(const struct coroprof_session *session, struct task_struct *task,
		     struct mm_struct *mm)
{
	if (!may_trace(session->cred, task))
		return false;
	/* A task that changes its ids is made undumpable first: commit_creds(). */
	smp_rmb();
	return may_dump(session->cred, task, mm);
}

/* As perf_event_open() decides on a task of another process. */
static bool may_attach(const struct coroprof_session *session, struct task_struct *task,
		       struct mm_struct *mm)
{
	return session->capable || may_read(session, task, mm);
}

/* Of the calling thread: each has ids and capabilities of its own. */
bool coroprof_may_record(const struct coroprof_session *session)
{
	return may_attach(session, current, NULL);
}

/*
 * Of the calling thread, now: CAP_PERFMON is no right to that. Looked up anew for each word that
 * is read, as setuid(), prctl() and execve() change the answer.
 */
bool coroprof_may_read_memory(const struct coroprof_session *session)
{
	return may_read(session, current, NULL);
}

static void update(struct coroprof_session *session, struct coroprof_attachment *attachment,
		   void *unused)
{
	struct coroprof_process *process = attachment->process;

	if (process->session != session)
		return;
	coroprof_process_set_session(process, session, session->started);
	if (session->started)
		attachment->epoch = process->epoch;
}

/* The session was started or stopped. One that is attached meanwhile knows. */
void coroprof_attachments_update(struct coroprof_session *session)
{
	coroprof_attachments_each(session, update, NULL);
}

static void end(struct coroprof_session *session, struct coroprof_attachment *attachment,
		void *unused)
{
	if (attachment->process->session == session)
		coroprof_process_set_session(attachment->process, NULL, false);
	/* Else the rings of this session would drive out those of the user's other ones. */
	coroprof_spares_shut(attachment->spares);
}

/* The session is being released, and attaches nobody any more. */
void coroprof_attachments_end(struct coroprof_session *session)
{
	coroprof_attachments_each(session, end, NULL);
}

/* A process must not be able to hide from root by a session of its own. */
static bool may_take_over(const struct coroprof_session *session,
			  const struct coroprof_process *process)
{
	return !process->session || (session->capable && !process->session->capable);
}

/* Its session has it no longer. What that records of its threads is cut by hand_over(). */
static void take_away(struct coroprof_process *process)
{
	struct coroprof_session *session = process->session;

	coroprof_process_set_session(process, NULL, false);
	process->taken = true;
	coroprof_pending_over(session, coroprof_attachment_of(session, process),
			      ktime_get_mono_fast_ns(), true);
}

/**
 * coroprof_attach() - a session records a process from now on, while it is started
 * @session: who
 * @process: whom
 * @task:    a task of it, of which the rights are looked at
 * @prealloc: has what it takes
 */
int coroprof_attach(struct coroprof_session *session, struct coroprof_process *process,
		    struct task_struct *task, struct coroprof_prealloc *prealloc)
{
	struct coroprof_attachment *attachment;

	lockdep_assert_held(&coroprof_mutex);
	if (!may_attach(session, task, process->mm))
		return -EPERM;
	if (!may_take_over(session, process) || coroprof_attachment_of(session, process))
		return -EBUSY;

	attachment = coroprof_attachment_create(session, process, task,
						coroprof_prealloc_attachment(prealloc));
	if (IS_ERR(attachment))
		return PTR_ERR(attachment);

	if (process->session)
		take_away(process);
	coroprof_process_set_session(process, session, session->started);
	attachment->epoch = process->epoch;
	coroprof_pending_of(session, attachment);
	return 0;
}

/* Now, if it is known. */
static int attach_task(struct coroprof_session *session, struct task_struct *task,
		       struct coroprof_process *process, u32 flags,
		       struct coroprof_prealloc *prealloc)
{
	if (!process && !(flags & COROPROF_ATTACH_LATER))
		return -ENODEV;
	/* As a child of another it may have come by itself meanwhile. */
	if (!process || (flags && process->session == session))
		return may_attach(session, task, process ? process->mm : NULL) ? 0 : -EPERM;
	return coroprof_attach(session, process, task, prealloc);
}

static int attach_and_follow(struct coroprof_session *session, struct task_struct *task,
			     struct pid *pid, struct coroprof_process *process, u32 flags,
			     struct coroprof_prealloc *prealloc)
{
	struct coroprof_follow *follow;
	int err;

	lockdep_assert_held(&coroprof_mutex);
	if (!flags)
		return attach_task(session, task, process, flags, prealloc);

	follow = coroprof_follow_find(session, pid);
	if (follow) {
		err = attach_task(session, task, process, flags, prealloc);
		if (!err) {
			follow->flags = flags;
			coroprof_negcache_forget();
		}
		return err;
	}

	follow = coroprof_follow_create(session, pid, flags,
					coroprof_prealloc_follow(prealloc));
	if (IS_ERR(follow))
		return PTR_ERR(follow);
	err = attach_task(session, task, process, flags, prealloc);
	if (err)
		coroprof_follow_free(follow);
	else
		coroprof_follow_add(follow);
	return err;
}

/* Its number, 0 if it is not known. */
static u32 process_id_of(struct pid *pid)
{
	struct coroprof_process *process;
	u32 id;

	mutex_lock(&coroprof_mutex);
	process = coroprof_process_find(pid);
	id = process ? process->id : 0;
	mutex_unlock(&coroprof_mutex);
	return id;
}

/* Held, if recordings of the session that had it before go on. */
static struct coroprof_process *taken_over(struct coroprof_process *process)
{
	lockdep_assert_held(&coroprof_mutex);
	if (!process || !process->taken)
		return NULL;
	process->taken = false;
	kref_get(&process->ref);
	return process;
}

/*
 * A thread whose recording goes on does not look for another session: have it look again.
 * What it has counted up to here is of the session before.
 */
static void hand_over(struct coroprof_process *process)
{
	coroprof_process_cut(process, true);
	mutex_lock(&coroprof_mutex);
	coroprof_process_kick(process);
	if (process->session)
		coroprof_attachment_of(process->session, process)->epoch = process->epoch;
	mutex_unlock(&coroprof_mutex);
	coroprof_process_put(process);
}

/* If its number is the one that the caller got. */
static int attach_known_as(struct coroprof_session *session, struct task_struct *task,
			   struct pid *pid, const struct coroprof_attach *config,
			   struct coroprof_prealloc *prealloc)
{
	struct coroprof_process *process;
	int err;

	mutex_lock(&coroprof_mutex);
	process = coroprof_process_find(pid);
	if ((process ? process->id : 0) == config->process_id)
		err = attach_and_follow(session, task, pid, process, config->flags, prealloc);
	else
		err = -EAGAIN;
	process = taken_over(process);
	mutex_unlock(&coroprof_mutex);
	if (process)
		hand_over(process);
	return err;
}

/* What can't be reported must not be done, so it is reported first. */
static int attach_and_report(struct coroprof_session *session, struct task_struct *task,
			     struct pid *pid, struct coroprof_attach *config, void __user *arg)
{
	struct coroprof_prealloc prealloc;
	int err;

	coroprof_prealloc_init(&prealloc);
	err = coroprof_prealloc_fill(&prealloc, 1);
	if (err)
		return err;
	do {
		config->process_id = process_id_of(pid);
		err = coroprof_args_out(arg, config, sizeof(*config)) ?:
		      attach_known_as(session, task, pid, config, &prealloc);
	} while (err == -EAGAIN && !fatal_signal_pending(current));
	coroprof_prealloc_free(&prealloc);
	return err;
}

/* COROPROF_IOC_ATTACH */
long coroprof_attach_pid(struct coroprof_session *session, void __user *arg)
{
	struct coroprof_attach config;
	struct task_struct *task;
	struct pid *pid;
	int err;

	err = coroprof_args_in(&config, sizeof(config), sizeof(config), arg);
	if (err)
		return err;
	if (config.flags & ~(COROPROF_ATTACH_LATER | COROPROF_ATTACH_CHILDREN))
		return -EINVAL;

	pid = find_get_pid(config.pid);
	task = pid ? get_pid_task(pid, PIDTYPE_TGID) : NULL;
	if (task) {
		err = attach_and_report(session, task, pid, &config, arg);
		put_task_struct(task);
	} else {
		err = -ESRCH;
	}
	put_pid(pid);
	return err;
}
