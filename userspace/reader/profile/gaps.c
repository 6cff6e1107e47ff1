// SPDX-License-Identifier: GPL-2.0
#include "profile/build.h"

static void split(struct gap *gap, uint64_t from, uint64_t to, bool left_ready,
		  uint64_t wake)
{
	gap->measured = true;
	gap->suspended_ns = to - from;
	if (left_ready || (wake && wake <= from)) {
		gap->ready_ns = to - from;
		gap->ready_known = true;
	} else if (wake && wake <= to) {
		gap->awaiting_ns = wake - from;
		gap->ready_ns = to - wake;
		gap->ready_known = true;
	}
}

static void before_first(struct gap *gap, const struct record *s,
			 uint64_t begin)
{
	uint64_t wake = s->woken.wake_time;

	if (s->flags & COROPROF_SLICE_FRESH && wake && wake <= begin)
		split(gap, wake, begin, true, 0);
}

void gap_before(const struct build *b, struct gap *gap,
		const struct model_coroutine *c, uint32_t process,
		const struct record *s)
{
	uint64_t begin = s->time - s->duration;

	*gap = (struct gap){ 0 };
	if (c->channel == MODEL_NONE)
		before_first(gap, s, begin);
	else if (c->reserved & LEFT_CUT ||
		 s->flags & COROPROF_SLICE_FIRST ||
		 b->processes[process].lost_until > c->last_ns)
		gap->unseen = true;
	else if (begin <= c->last_ns)
		gap->measured = true;
	else
		split(gap, c->last_ns, begin, c->reserved & LEFT_READY,
		      s->woken.wake_time);
}
