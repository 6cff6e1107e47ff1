// SPDX-License-Identifier: GPL-2.0
#include "build.h"

static struct gap split(uint64_t from, uint64_t to, bool left_ready,
			uint64_t wake)
{
	struct gap gap = { .measured = true, .suspended_ns = to - from };

	if (left_ready || (wake && wake <= from)) {
		gap.ready_ns = to - from;
		gap.ready_known = true;
	} else if (wake && wake <= to) {
		gap.awaiting_ns = wake - from;
		gap.ready_ns = to - wake;
		gap.ready_known = true;
	}
	return gap;
}

static struct gap before_first(const struct decode_slice *s, uint64_t begin)
{
	uint64_t wake = s->woken.wake_time;

	if (!(s->record->flags & COROPROF_SLICE_FRESH) || !wake || wake > begin)
		return (struct gap){ 0 };
	return split(wake, begin, true, 0);
}

struct gap gap_before(struct build *b, const struct model_coroutine *c,
		      uint32_t process, const struct decode_slice *s)
{
	uint64_t begin = s->record->time - s->record->duration;

	if (c->channel == MODEL_NONE)
		return before_first(s, begin);
	if (c->reserved & LEFT_CUT ||
	    s->record->flags & COROPROF_SLICE_FIRST ||
	    b->processes[process].lost_until > c->last_ns)
		return (struct gap){ .unseen = true };
	if (begin <= c->last_ns)
		return (struct gap){ .measured = true };
	return split(c->last_ns, begin, c->reserved & LEFT_READY,
		     s->woken.wake_time);
}
