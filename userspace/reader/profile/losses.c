// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps, of each process, the time up to which slices or spans may be missing. Of gaps and call
 * trees that reach back before that time it is not known whether they are whole.
 */
#include "profile/build.h"
#include "profile/losses.h"

void process_cut(struct build *b, uint32_t process, uint64_t until)
{
	struct profile_process *p = &b->profile->processes[process];

	if (until > p->lost_until)
		p->lost_until = until;
}

void process_lost(struct build *b, uint32_t process, uint64_t until)
{
	struct profile_process *p = &b->profile->processes[process];

	if (until > p->missing_until)
		p->missing_until = until;
	process_cut(b, process, until);
}

uint32_t spans_lost_number(struct build *b, uint64_t lost_until)
{
	struct profile *p = b->profile;
	uint32_t n;

	if (!lost_until)
		return 0;
	n = index_get(&p->losses, lost_until, 0);
	if (n != INDEX_NONE)
		return n;
	if (!index_put(&p->losses, lost_until, 0, ++p->nr_losses))
		b->out_of_memory = true;
	return p->nr_losses;
}

void process_spans_lost(struct build *b, uint32_t process, uint64_t until)
{
	struct profile_process *p = &b->profile->processes[process];

	if (until <= p->spans_lost_until)
		return;
	p->spans_lost_until = until;
	p->generation = spans_lost_number(b, until);
}

void process_pass_restarts(struct build *b, uint32_t process, uint64_t time)
{
	const struct build_process *bp = &b->processes[process];
	struct profile_process *p = &b->profile->processes[process];

	while (p->next_restart < bp->nr_restarts &&
	       bp->restarts[p->next_restart] <= time) {
		uint64_t restart = bp->restarts[p->next_restart++];

		process_cut(b, process, restart);
		process_spans_lost(b, process, restart);
	}
}
