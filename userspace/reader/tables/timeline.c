// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of the timeline: what ran when, on which thread, what was woken, spans and samples one
 * by one, and the heat map. get_...() returns the cell of a column.
 */
#include <stdlib.h>

#include "tables/describe.h"

/* In the order of their bits. */
static const char *const flags[] = {
	"off_cpu", "fresh", "woken", "scaled", "end", "ready", "first", "cut", "unreported",
	"", "", "", "", "", "", "", "merged", "lost", "beside", "parted", "goes on", NULL
};

/* True of the first counters: rows of the timeline have no counts of others. */
static bool counts_slices(const struct model *m, uint32_t counter)
{
	(void)m;
	return counter < MODEL_SLICE_COUNTERS;
}

/*
 * True if the edge of a part cuts the row, and no share of its counts and times is known: see
 * model.exact.
 */
static bool lacks_shares(const struct position *p)
{
	return p->sheet->model->exact &&
	       ((const struct model_slice *)p->row)->flags & MODEL_SLICE_PARTED;
}

static struct cell get_off_cpu(const struct position *p)
{
	const struct model_slice *s = p->row;

	return lacks_shares(p) && s->flags & COROPROF_SLICE_OFFCPU ? cell_without(STANDING_NA) :
								     get_member(p);
}

static struct cell get_count(const struct position *p)
{
	const struct model_slice *s = p->row;

	if (!(s->valid & 1u << p->counter) || lacks_shares(p))
		return cell_without(STANDING_NA);
	return cell_number(s->count[p->counter],
			   s->flags & MODEL_SLICE_PARTED ? STANDING_SCALED : STANDING_COUNTED);
}

static const struct column columns[] = {
	{ "thread", NULL, "the thread", KIND_ROW, .shown = SHOWN, .refers = "threads",
	  MEMBER(struct model_slice, channel) },
	{ "begin", NULL, "when it began", KIND_TIME, SUMS_MIN, .shown = SHOWN, .after = "duration",
	  MEMBER(struct model_slice, begin_ns) },
	{ "duration", NULL, "from there to its end", KIND_NS, SUMS_ADD, .shown = SHOWN,
	  MEMBER(struct model_slice, duration_ns) },
	{ "preempted", NULL, "time off the CPU in it although it could run", KIND_NS, SUMS_ADD,
	  .shown = SHOWN, .get = get_off_cpu, MEMBER(struct model_slice, preempted_ns) },
	{ "blocked", NULL, "time off the CPU in it, its thread asleep in the kernel", KIND_NS,
	  SUMS_ADD, .shown = SHOWN, .get = get_off_cpu, MEMBER(struct model_slice, blocked_ns) },
	{ "idle", NULL, "time in it that its thread slept in the kernel outside any coroutine",
	  KIND_NS, SUMS_ADD, .shown = SHOWN, .when = when_idle, .get = get_off_cpu,
	  MEMBER(struct model_slice, idle_ns) },
	{ "coroutine", NULL, "the coroutine; none: several, or the table had no room for it",
	  KIND_ROW, .shown = SHOWN_TEXT, .refers = "coroutines",
	  MEMBER(struct model_slice, coroutine) },
	{ "label", NULL, "its label; none: slices were lost here", KIND_ROW,
	  .shown = SHOWN, .refers = "labels", MEMBER(struct model_slice, label) },
	{ "slices", NULL, "number of slices in this row; 0: none is known, or it is a further piece of one", KIND_COUNT, SUMS_ADD, .shown = SHOWN,
	  MEMBER(struct model_slice, nr_slices) },
	{ "longest", NULL, "running time of the slice that ran for longest in it", KIND_NS,
	  SUMS_MAX, .aside = true, .get = get_off_cpu, MEMBER(struct model_slice, longest_ns) },
	{ "flags", NULL, "facts of the slices; merged: they are several; lost: slices were lost here; beside: in one cell of time with the row before; parted: one reaches beyond the part of the recording that is shown: its counts and times off the CPU are shared by time; goes on: a further piece of the slice before of its coroutine, which is counted with that slice: (coroprof) ran in between",
	  KIND_FLAGS, .words = flags, MEMBER(struct model_slice, flags) },
	{ "%s", NULL, "%s", KIND_EVENTS, SUMS_ADD, .unsure = true, .counted = true,
	  .counts = counts_slices, .shown = SHOWN, .get = get_count },
};

const struct table table_timeline = {
	.name = "timeline", .title = "timeline: slices of each thread, in their order",
	COLUMNS(columns), ROWS(TIMELINE), WHOLE(ONE),
};

/* ------------------------------------------------------------------------
 * who woke whom
 */

static uint32_t *list_woken(const struct model *m, uint32_t *nr)
{
	uint32_t *list = calloc((size_t)m->nr_timeline + 1, sizeof(*list));

	*nr = 0;
	for (uint32_t i = 0; list && i < m->nr_timeline; i++)
		if (m->timeline[i].flags & COROPROF_SLICE_WOKEN &&
		    !(m->timeline[i].flags & MODEL_SLICE_MERGED))
			list[(*nr)++] = i;
	return list;
}

static struct cell get_row(const struct position *p)
{
	return cell_of((uint64_t)((const struct model_slice *)p->row - p->sheet->model->timeline));
}

static struct cell get_waker(const struct position *p)
{
	const struct model_slice *s = p->row;

	if (s->waker_coroutine != MODEL_NONE)
		return cell_of(s->waker_coroutine);
	return cell_without(s->waker ? STANDING_NA : STANDING_NONE);
}

static const struct column wake_columns[] = {
	{ "slice", NULL, "the slice", KIND_ROW, .shown = SHOWN, .refers = "timeline", .get = get_row },
	{ "woken", NULL, "when its coroutine had been made ready", KIND_TIME, SUMS_MIN, .unsure = true,
	  .shown = SHOWN, MEMBER(struct model_slice, wake_ns) },
	{ "waker", "woken by", "the coroutine that had made it ready; none: no coroutine, or not reported",
	  KIND_ROW, .unsure = true, .shown = SHOWN, .refers = "coroutines", .get = get_waker },
};

const struct table table_timeline_wakes = {
	.name = "timeline_wakes", .title = "timeline, wakes: the time and the coroutine that made each slice ready",
	COLUMNS(wake_columns), ROWS(TIMELINE), .list = list_woken, .listed = true,
};

/* ------------------------------------------------------------------------
 * how many slices were how long, when
 */

/* The first bucket may begin before the recording: then it has the recording's begin, 0. */
static struct cell get_bucket_begin(const struct position *p)
{
	uint64_t begin = ((const struct model_heat_bucket *)p->row)->begin_ns;
	uint64_t first = p->sheet->model->begin_ns;

	return cell_of(begin > first ? begin - first : 0);
}

static const struct column heat_map_columns[] = {
	{ "label", NULL, "the label", KIND_ROW, .shown = SHOWN, .refers = "labels",
	  MEMBER(struct model_heat_bucket, label) },
	{ "from", NULL, "they held their thread for at least this time", KIND_NS, WHOLE(OTHER), .shown = SHOWN,
	  MEMBER(struct model_heat_bucket, from_ns) },
	{ "below", NULL, "and for less than this time", KIND_NS, WHOLE(OTHER), .shown = SHOWN, .near = "from",
	  MEMBER(struct model_heat_bucket, below_ns) },
	{ "begin", NULL, "they began at this time or after", KIND_TIME, SUMS_MIN, .shown = SHOWN,
	  .get = get_bucket_begin },
	{ "end", NULL, "and before this", KIND_TIME, SUMS_MAX, .shown = SHOWN, .near = "begin",
	  MEMBER(struct model_heat_bucket, end_ns) },
	{ "slices", NULL, "number of these slices", KIND_COUNT, SUMS_ADD,
	  .shown = SHOWN, MEMBER(struct model_heat_bucket, slices) },
};

const struct table table_heat_map = {
	.name = "heat", .title = "heat: number of slices of coroutines by the time for which they held their thread, and by their begin; none of several recordings",
	COLUMNS(heat_map_columns), ROWS(HEAT_MAP),
};

/* ------------------------------------------------------------------------
 * spans and samples one by one
 */

static const struct column span_columns[] = {
	{ "coroutine", NULL, "the coroutine", KIND_ROW, .shown = SHOWN, .refers = "coroutines",
	  MEMBER(struct model_timeline_span, coroutine) },
	{ "span", NULL, "the span", KIND_ROW, .shown = SHOWN, .refers = "spans",
	  MEMBER(struct model_timeline_span, span) },
	{ "depth", NULL, "number of spans that it was inside", KIND_COUNT, .shown = SHOWN,
	  MEMBER(struct model_timeline_span, depth) },
	{ "end", NULL, "when it ended", KIND_TIME, SUMS_MAX, .unsure = true, .shown = SHOWN,
	  MEMBER(struct model_timeline_span, end_ns) },
	{ "wall", NULL, "from its begin to its end", KIND_NS, .shown = SHOWN,
	  MEMBER(struct model_timeline_span, duration_ns) },
	{ "running", NULL, "the part of that on a CPU", KIND_NS, .shown = SHOWN,
	  MEMBER(struct model_timeline_span, running_ns) },
	{ "thread", NULL, "the thread that it ended on", KIND_ROW, .shown = SHOWN_TEXT, .aside = true,
	  .refers = "threads", MEMBER(struct model_timeline_span, channel) },
};

const struct table table_timeline_spans = {
	.name = "timeline_spans", .title = "timeline, spans: the longest ones one by one, by coroutine, depth, time",
	COLUMNS(span_columns), ROWS(TIMELINE_SPANS), WHOLE(ONE),
};

static const struct column sample_columns[] = {
	{ "thread", NULL, "the thread", KIND_ROW, .shown = SHOWN, .refers = "threads",
	  MEMBER(struct model_timeline_sample, channel) },
	{ "time", NULL, "when it was taken", KIND_TIME, .unsure = true, .shown = SHOWN,
	  MEMBER(struct model_timeline_sample, time_ns) },
	{ "coroutine", NULL, "the coroutine; none: the table had no room for it", KIND_ROW,
	  .shown = SHOWN, .refers = "coroutines",
	  MEMBER(struct model_timeline_sample, coroutine) },
	{ "call", NULL, "its place in the program", KIND_ROW, .shown = SHOWN,
	  .refers = "sample_tree", MEMBER(struct model_timeline_sample, node) },
};

const struct table table_timeline_samples = {
	.name = "timeline_samples", .title = "timeline, samples: one by one, if all fit",
	COLUMNS(sample_columns), ROWS(TIMELINE_SAMPLES),
};
