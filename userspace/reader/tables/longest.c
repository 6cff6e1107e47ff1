// SPDX-License-Identifier: GPL-2.0
/*
 * The table of the longest slices, waits and lives: when, where and why. get_...() returns the cell
 * of a column.
 */
#include <stdlib.h>

#include "tables/describe.h"

static int compare_longest(const void *a, const void *b, void *context)
{
	const struct model *m = context;

	return model_longest_order(&m->longest[*(const uint32_t *)a],
				   &m->longest[*(const uint32_t *)b]);
}

/* Sorts all rows: in a model of several recordings, those of one stand behind those of another. */
static uint32_t *list_longest(const struct model *m, uint32_t *nr)
{
	uint32_t *list = calloc((size_t)m->nr_longest + 1, sizeof(*list));

	*nr = 0;
	for (uint32_t i = 0; list && i < m->nr_longest; i++)
		list[(*nr)++] = i;
	if (list)
		qsort_r(list, *nr, sizeof(*list), compare_longest, (void *)m);
	return list;
}

/* True of a wait, in which nothing runs and nothing is counted. */
static bool is_wait(const struct position *p)
{
	return !((const struct model_longest *)p->row)->times.slices;
}

/* True of a life of which slices may be missing; a slice is always whole. */
static bool lacks_slices(const struct position *p)
{
	const struct model_longest *w = p->row;

	return w->what == MODEL_LATENCY_LIFETIME &&
	       schema_lacks(p->sheet->model, SCHEMA_LONGEST, w, MODEL_PARTIAL_SLICES);
}

/* The cell, or none for a wait. */
static struct cell cell_of_slices(const struct position *p, struct cell cell)
{
	if (is_wait(p))
		return cell_without(STANDING_NONE);
	cell.standing = standing_lacking(cell.standing, lacks_slices(p));
	return cell;
}

/*
 * The cell of a quotient, or none for a wait. If slices are missing, both figures of the quotient
 * lack them.
 */
static struct cell cell_of_rate(const struct position *p, struct cell cell)
{
	cell = cell_of_slices(p, cell);
	if (lacks_slices(p))
		cell.standing = standing_mean(cell.standing);
	return cell;
}

static struct cell get_in_slices(const struct position *p)
{
	return cell_of_slices(p, get_member(p));
}

static struct cell get_count(const struct position *p)
{
	return cell_of_slices(p, get_value(p));
}

static struct cell get_rate(const struct position *p)
{
	return cell_of_rate(p, get_ipc(p));
}

static struct cell get_misses(const struct position *p)
{
	return cell_of_rate(p, get_per_kilo(p));
}

static struct cell get_waker(const struct position *p)
{
	const struct model_longest *w = p->row;

	if (w->waker)
		return cell_of(w->waker);
	return cell_without(w->what == MODEL_LATENCY_LIFETIME ? STANDING_NONE : STANDING_NA);
}

static struct cell get_waker_row(const struct position *p)
{
	const struct model_longest *w = p->row;

	if (w->waker_coroutine != MODEL_NONE)
		return cell_of(w->waker_coroutine);
	return cell_without(w->waker ? STANDING_NA : STANDING_NONE);
}

/*
 * How long it took in ns: n/a if a slice reaches beyond the part of the recording, so that its
 * share is not known.
 */
static struct cell get_took(const struct position *p)
{
	const struct model_longest *w = p->row;

	if ((w->what == MODEL_LATENCY_RUNNING || w->what == MODEL_LATENCY_BLOCKED) &&
	    model_lacks_shares(p->sheet->model, &w->times))
		return cell_without(STANDING_NA);
	return cell_seen(w->ns, w->what != MODEL_LATENCY_LIFETIME && w->times.nr_cut);
}

#define IN_SLICE(name, title, says, kind, member) \
	{ name, title, says, kind, SUMS_ADD, .unsure = true, .shown = SHOWN | SHOWN_DIGEST, \
	  .get = get_in_slices, \
	  .shared = offsetof(struct model_longest, times.nr_shared), \
	  MEMBER(struct model_longest, times.member) }

/*
 * By enum model_latency, as in the table latency. Running times of slices are not kept one by one.
 */
static const char *const whats[] = {
	"", "held", "blocked", "ready", "awaiting", "suspended", "lifetime", NULL
};

static const struct column columns[] = {
	{ "what", NULL, "the kind of length, as in the table latency", KIND_WORD, .shown = SHOWN,
	  .words = whats, MEMBER(struct model_longest, what) },
	{ "took", "length", "its length", KIND_NS, SUMS_MAX, .unsure = true,
	  .shown = SHOWN | SHOWN_DIGEST,
	  .get = get_took, MEMBER(struct model_longest, ns) },
	{ "label", NULL, "label of the coroutine at that time", KIND_ROW, .shown = SHOWN | SHOWN_DIGEST,
	  .refers = "labels", MEMBER(struct model_longest, label) },
	{ "id", "coroutine", "number of the coroutine, unique in its process", KIND_ID,
	  .shown = SHOWN_TEXT | SHOWN_DIGEST, MEMBER(struct model_longest, id) },
	{ "coroutine", NULL, "the coroutine; none: the table had no room for it", KIND_ROW,
	  .shown = SHOWN_PAGE, .refers = "coroutines", MEMBER(struct model_longest, coroutine) },
	PROCESS(struct model_longest),
	{ "thread", NULL, "the thread; of a wait: the one that it ran on afterwards; of a lifetime: on which it ended",
	  KIND_ROW, .shown = SHOWN, .refers = "threads", MEMBER(struct model_longest, channel) },
	{ "begin", NULL, "when it began; of blocked, as is the end, the slice", KIND_TIME, SUMS_MIN,
	  .unsure = true, .shown = SHOWN | SHOWN_DIGEST, MEMBER(struct model_longest, begin_ns) },
	{ "end", NULL, "when it ended", KIND_TIME, SUMS_MAX, .unsure = true,
	  MEMBER(struct model_longest, end_ns) },
	{ "slices", NULL, "slices in it", KIND_COUNT, SUMS_ADD, .unsure = true, .get = get_in_slices,
	  MEMBER(struct model_longest, times.slices) },
	IN_SLICE("running", NULL, "time on a CPU in it", KIND_NS, running_ns),
	IN_SLICE("preempted", NULL, "time off the CPU in it although it could run", KIND_NS,
		 preempted_ns),
	IN_SLICE("blocked", NULL, "time off the CPU in it, its thread asleep in the kernel", KIND_NS,
		 blocked_ns),
	{ "nr_blocked", "times blocked", "how often its thread slept in it", KIND_COUNT, SUMS_ADD,
	  .unsure = true, .get = get_in_slices, MEMBER(struct model_longest, times.nr_blocked) },
	{ "waker_id", "woken by", "number of the coroutine that had made it ready", KIND_ID,
	  .get = get_waker },
	{ "waker", "woken by", "the coroutine that had made it ready; none: no coroutine, or not reported",
	  KIND_ROW, .shown = SHOWN | SHOWN_DIGEST, .refers = "coroutines", .get = get_waker_row },
	{ "%s", NULL, "%s in it", KIND_EVENTS, SUMS_ADD, .unsure = true, .counted = true,
	  .shown = SHOWN, .get = get_count, .value = model_longest_value },
	{ "ipc", "IPC", "instructions per cycle", KIND_RATIO, .unsure = true, .shown = SHOWN,
	  .when = when_ipc, .get = get_rate, .value = model_longest_value },
	{ "%s_per_1000_instructions", "%s/kI", "%s per 1000 instructions", KIND_RATIO,
	  .unsure = true, .counted = true, .counts = counts_misses, .shown = SHOWN_PAGE,
	  .get = get_misses, .value = model_longest_value },
};

const struct table table_longest = {
	.name = "worst", .title = "worst: the 100 longest slices, waits and lives of each kind",
	COLUMNS(columns), ROWS(LONGEST), .list = list_longest, .listed = true, WHOLE(OWN),
};
