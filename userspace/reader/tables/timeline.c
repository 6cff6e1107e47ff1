// SPDX-License-Identifier: GPL-2.0
/* The timeline: what ran when, on which thread. */
#include <stdlib.h>

#include "tables/describe.h"

/* In the order of their bits. */
static const char *const flags[] = {
	"off_cpu", "fresh", "woken", "scaled", "end", "ready", "first", "cut", "missed",
	"", "", "", "", "", "", "", "merged", "lost", "beside", NULL
};

/* Counts are of the first counters only. */
static bool counts_slices(const struct model *m, uint32_t counter)
{
	(void)m;
	return counter < MODEL_SLICE_COLUMNS;
}

static struct cell get_count(const struct place *p)
{
	const struct model_slice *s = p->row;

	if (!(s->valid & 1u << p->counter))
		return cell_without(STANDING_NA);
	return cell_of(s->count[p->counter]);
}

static const struct column columns[] = {
	{ "thread", NULL, "the thread", KIND_ROW, .shown = SHOWN, .refers = "threads",
	  MEMBER(struct model_slice, channel) },
	{ "begin", NULL, "when it began", KIND_TIME, SUMS_MIN, .shown = SHOWN,
	  MEMBER(struct model_slice, begin_ns) },
	{ "duration", NULL, "from there to its end", KIND_NS, SUMS_ADD, .shown = SHOWN,
	  MEMBER(struct model_slice, duration_ns) },
	{ "preempted", NULL, "time off the CPU in it although it could run", KIND_NS, SUMS_ADD,
	  .shown = SHOWN, MEMBER(struct model_slice, preempted_ns) },
	{ "blocked", NULL, "time off the CPU in it, its thread asleep in the kernel", KIND_NS,
	  SUMS_ADD, .shown = SHOWN, MEMBER(struct model_slice, blocked_ns) },
	{ "idle", NULL, "time in it that its thread slept in the kernel outside any coroutine",
	  KIND_NS, SUMS_ADD, .shown = SHOWN, .when = when_idle,
	  MEMBER(struct model_slice, idle_ns) },
	{ "coroutine", NULL, "the coroutine; none: several, or the table had no room for it",
	  KIND_ROW, .shown = SHOWN_TEXT, .refers = "coroutines",
	  MEMBER(struct model_slice, coroutine) },
	{ "label", NULL, "its label; none: slices were lost here", KIND_ROW,
	  .shown = SHOWN, .refers = "labels", MEMBER(struct model_slice, label) },
	{ "slices", NULL, "how many slices this is", KIND_COUNT, SUMS_ADD, .shown = SHOWN,
	  MEMBER(struct model_slice, nr_slices) },
	{ "longest", NULL, "running time of the slice that ran for longest in it", KIND_NS,
	  SUMS_MAX, .aside = true, MEMBER(struct model_slice, longest_ns) },
	{ "flags", NULL, "what is known of the slices; merged: they are several; lost: slices were lost here; beside: in one cell of time with the row before",
	  KIND_FLAGS, .words = flags, MEMBER(struct model_slice, flags) },
	{ "%s", NULL, "%s", KIND_EVENTS, SUMS_ADD, .counted = true,
	  .counts = counts_slices, .shown = SHOWN, .get = get_count },
};

const struct table table_timeline = {
	.name = "timeline", .title = "timeline: slices of each thread, in their order",
	COLUMNS(columns), ROWS(timeline),
};
