// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that hit a probe and that no session wants, by thread group. Under a lock of its own. An
 * entry counts only in the age in which it was found, so that all are forgotten by one increment.
 */
#include <linux/atomic.h>
#include <linux/sched/signal.h>

#include "negcache.h"

/* Of all sessions: one wants a process when another one, which had it, has ended. */
static atomic_t present_age = ATOMIC_INIT(1);

void coroprof_negcache_init(struct coroprof_negcache *negcache)
{
	spin_lock_init(&negcache->lock);
}

int coroprof_negcache_age(void)
{
	return atomic_read(&present_age);
}

/* With full barriers: what has changed is seen by whoever sees the new age. */
void coroprof_negcache_forget(void)
{
	atomic_inc_return(&present_age);
}

static u32 place(void)
{
	return current->tgid % COROPROF_NEGCACHE_MAX;
}

void coroprof_negcache_add(struct coroprof_negcache *negcache, enum coroprof_refusal why, int age)
{
	u32 i = place();

	spin_lock(&negcache->lock);
	negcache->of[i].tgid = current->tgid;
	negcache->of[i].started = current->group_leader->start_time;
	negcache->of[i].exec_id = current->self_exec_id;
	negcache->of[i].why = why;
	negcache->of[i].age = age;
	spin_unlock(&negcache->lock);
}

enum coroprof_refusal coroprof_negcache_as(struct coroprof_negcache *negcache)
{
	enum coroprof_refusal why = COROPROF_NOT_REFUSED;
	u32 i = place();

	spin_lock(&negcache->lock);
	if (negcache->of[i].age == coroprof_negcache_age() &&
	    negcache->of[i].tgid == current->tgid &&
	    negcache->of[i].started == current->group_leader->start_time &&
	    negcache->of[i].exec_id == current->self_exec_id)
		why = negcache->of[i].why;
	spin_unlock(&negcache->lock);
	return why;
}
