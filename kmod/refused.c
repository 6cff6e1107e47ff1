// SPDX-License-Identifier: GPL-2.0
#include <linux/sched/signal.h>

#include "refused.h"

void coroprof_refused_init(struct coroprof_refused *refused)
{
	spin_lock_init(&refused->lock);
	/* What there is at first was never looked at. */
	atomic_set(&refused->age, 1);
}

static u32 place(void)
{
	return current->tgid % COROPROF_REFUSED_MAX;
}

void coroprof_refused_add(struct coroprof_refused *refused, int age)
{
	u32 i = place();

	spin_lock(&refused->lock);
	refused->of[i].tgid = current->tgid;
	refused->of[i].started = current->group_leader->start_time;
	refused->of[i].exec_id = current->self_exec_id;
	refused->of[i].age = age;
	spin_unlock(&refused->lock);
}

bool coroprof_refused_has(struct coroprof_refused *refused)
{
	u32 i = place();
	bool has;

	spin_lock(&refused->lock);
	has = refused->of[i].age == coroprof_refused_age(refused) &&
	      refused->of[i].tgid == current->tgid &&
	      refused->of[i].started == current->group_leader->start_time &&
	      refused->of[i].exec_id == current->self_exec_id;
	spin_unlock(&refused->lock);
	return has;
}
