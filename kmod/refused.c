// SPDX-License-Identifier: GPL-2.0
#include <linux/atomic.h>
#include <linux/sched/signal.h>

#include "refused.h"

/* Of all sessions: one wants a process when another one, which had it, has ended. */
static atomic_t present_age = ATOMIC_INIT(1);

void coroprof_refused_init(struct coroprof_refused *refused)
{
	spin_lock_init(&refused->lock);
}

int coroprof_refused_age(void)
{
	return atomic_read(&present_age);
}

/* With full barriers: what has changed is seen by whoever sees the new age. */
void coroprof_refused_forget(void)
{
	atomic_inc_return(&present_age);
}

static u32 place(void)
{
	return current->tgid % COROPROF_REFUSED_MAX;
}

void coroprof_refused_add(struct coroprof_refused *refused, enum coroprof_refusal why, int age)
{
	u32 i = place();

	spin_lock(&refused->lock);
	refused->of[i].tgid = current->tgid;
	refused->of[i].started = current->group_leader->start_time;
	refused->of[i].exec_id = current->self_exec_id;
	refused->of[i].why = why;
	refused->of[i].age = age;
	spin_unlock(&refused->lock);
}

enum coroprof_refusal coroprof_refused_as(struct coroprof_refused *refused)
{
	enum coroprof_refusal why = COROPROF_NOT_REFUSED;
	u32 i = place();

	spin_lock(&refused->lock);
	if (refused->of[i].age == coroprof_refused_age() &&
	    refused->of[i].tgid == current->tgid &&
	    refused->of[i].started == current->group_leader->start_time &&
	    refused->of[i].exec_id == current->self_exec_id)
		why = refused->of[i].why;
	spin_unlock(&refused->lock);
	return why;
}
