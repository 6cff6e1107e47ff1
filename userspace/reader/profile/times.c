// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of times: what is added to a row, and what is taken from one.
 */
#include "profile/model.h"
#include "profile/times.h"

void times_sum(struct model_times *to, const struct model_times *from)
{
	to->slices += from->slices;
	to->running_ns += from->running_ns;
	to->preempted_ns += from->preempted_ns;
	to->blocked_ns += from->blocked_ns;
	to->idle_ns += from->idle_ns;
	to->nr_preempted += from->nr_preempted;
	to->nr_blocked += from->nr_blocked;
	to->nr_idle += from->nr_idle;
	to->nr_cut += from->nr_cut;
	to->nr_shared += from->nr_shared;
	to->gaps += from->gaps;
	to->unseen_gaps += from->unseen_gaps;
	to->cut_gaps += from->cut_gaps;
	to->suspended_ns += from->suspended_ns;
	to->awaiting_ns += from->awaiting_ns;
	to->ready_ns += from->ready_ns;
}

void times_subtract(struct model_times *from, const struct model_times *what)
{
	from->slices -= what->slices;
	from->running_ns -= what->running_ns;
	from->preempted_ns -= what->preempted_ns;
	from->blocked_ns -= what->blocked_ns;
	from->idle_ns -= what->idle_ns;
	from->nr_preempted -= what->nr_preempted;
	from->nr_blocked -= what->nr_blocked;
	from->nr_idle -= what->nr_idle;
	from->nr_cut -= what->nr_cut;
	from->nr_shared -= what->nr_shared;
	from->gaps -= what->gaps;
	from->unseen_gaps -= what->unseen_gaps;
	from->cut_gaps -= what->cut_gaps;
	from->suspended_ns -= what->suspended_ns;
	from->awaiting_ns -= what->awaiting_ns;
	from->ready_ns -= what->ready_ns;
}
