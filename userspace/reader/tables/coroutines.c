// SPDX-License-Identifier: GPL-2.0
/* Coroutines, and who makes whom ready. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/printable.h"
#include "tables/describe.h"

static const char *const flags[] = { "born", "ended", "thread", "overlap", "renamed", "tool", NULL };

/* What its first slice has said is known. */
static bool knows_birth(const struct model_coroutine *c)
{
	return c->flags & MODEL_COROUTINE_BORN || c->carried;
}

static bool is_outside(const void *row)
{
	return ((const struct model_coroutine *)row)->flags & MODEL_COROUTINE_THREAD;
}

/* Threads' own slots, which are few: those that coroutines were created by. */
static uint32_t *list_threads(const struct model *m, uint32_t *nr)
{
	uint32_t *list, threads = 0;

	for (uint32_t i = 0; i < m->nr_coroutines; i++)
		threads += is_outside(&m->coroutines[i]);
	list = calloc((size_t)threads + 1, sizeof(*list));
	*nr = 0;
	for (uint32_t i = 0; list && i < m->nr_coroutines; i++)
		if (is_outside(&m->coroutines[i]))
			list[(*nr)++] = i;
	return list;
}

/* The thread whose own slot created it. */
static struct cell get_parent_thread(const struct position *p)
{
	const struct model_coroutine *c = p->row;

	if (!(c->parent & COROPROF_ID_THREAD))
		return cell_without(STANDING_NONE);
	for (uint32_t i = 0; i < p->sheet->nr_list; i++) {
		const struct model_coroutine *t = &p->sheet->model->coroutines[p->sheet->list[i]];

		if (t->id == c->parent && t->process == c->process && t->channel != MODEL_NONE)
			return cell_of(t->channel);
	}
	return cell_without(STANDING_NA);
}

static struct cell get_parent(const struct position *p)
{
	const struct model_coroutine *c = p->row;

	if (c->parent)
		return cell_of(c->parent);
	return cell_without(knows_birth(c) ? STANDING_NONE : STANDING_NA);
}

/* A thread is known by its tid, not by the number of its slot. */
static bool say_parent(const struct position *p, char *to, size_t capacity)
{
	const struct model_coroutine *c = p->row;
	struct cell thread = get_parent_thread(p);

	if (!(c->parent & COROPROF_ID_THREAD))
		return false;
	if (has_value(thread))
		snprintf(to, capacity, "thread %" PRId32,
			 p->sheet->model->channels[thread.number].tid);
	else
		snprintf(to, capacity, "thread");
	return true;
}

static struct cell get_thread(const struct position *p)
{
	const struct model_coroutine *c = p->row;

	if (!is_outside(c) || c->channel == MODEL_NONE)
		return cell_without(STANDING_NONE);
	return cell_of(c->channel);
}

static struct cell get_if_born(const struct position *p)
{
	const struct model_coroutine *c = p->row;

	return c->flags & MODEL_COROUTINE_BORN ? get_member(p) : cell_without(STANDING_NA);
}

/* Slots say it of each. */
static struct cell get_tag(const struct position *p)
{
	const struct model_coroutine *c = p->row;

	return p->sheet->model->totals || knows_birth(c) ? get_member(p) :
								   cell_without(STANDING_NA);
}

static struct cell get_lifetime(const struct position *p)
{
	return is_outside(p->row) ? cell_without(STANDING_NONE) :
				    cell_known(model_lifetime(p->row));
}

/* Exact in a recording of up to 64 threads. */
static struct cell get_threads(const struct position *p)
{
	const struct model_coroutine *c = p->row;

	return cell_seen(model_coroutine_threads(c), p->sheet->model->nr_channels > 64);
}

/* How long a slice was that is cut is not known. */
static struct cell get_longest(const struct position *p)
{
	const struct model_coroutine *c = p->row;

	if (model_lacks_shares(p->sheet->model, &c->times))
		return cell_without(STANDING_NA);
	return cell_seen(c->max_ns, c->times.nr_cut);
}

static struct cell get_samples(const struct position *p)
{
	return p->sheet->model->sampled ? get_member(p) : cell_without(STANDING_NA);
}

static const struct column columns[] = {
	{ "id", "coroutine", "number of the coroutine, unique in its process", KIND_ID,
	  .shown = SHOWN, MEMBER(struct model_coroutine, id) },
	{ "label", NULL, "its last label", KIND_ROW, .shown = SHOWN, .refers = "labels",
	  MEMBER(struct model_coroutine, label) },
	PROCESS(struct model_coroutine),
	{ "parent", NULL, "number of the coroutine, or of the thread's own slot, that created it",
	  KIND_ID, .unsure = true, .shown = SHOWN_TEXT, .get = get_parent, .say = say_parent },
	{ "parent_thread", NULL, "the thread that created it outside any coroutine", KIND_ROW,
	  .refers = "threads", .get = get_parent_thread },
	{ "threads", NULL, "threads it ran on", KIND_COUNT, .slices = true, .shown = SHOWN,
	  .get = get_threads },
	{ "migrations", "moves", "slices on another thread than the one before", KIND_COUNT,
	  SUMS_ADD, .slices = true, .shown = SHOWN_PAGE,
	  MEMBER(struct model_coroutine, migrations) },
	TIMES_COLUMNS(struct model_coroutine, 0),
	{ "samples", NULL, "samples taken in it", KIND_COUNT, SUMS_ADD,
	  .shown = SHOWN, .when = when_sampled, .get = get_samples,
	  PARTIAL(SAMPLES), MEMBER(struct model_coroutine, samples) },
	CALLS(struct model_coroutine),
	COUNTERS(struct model_coroutine, model_coroutine_value, SHOWN),
	{ "longest", "ran, max", "running time of the longest slice", KIND_NS, SUMS_MAX, .slices = true, .shown = SHOWN,
	  .get = get_longest, MEMBER(struct model_coroutine, max_ns) },
	{ "born", NULL, "when it was first ready, or else first ran", KIND_TIME, .slices = true, .unsure = true,
	  .near = "first", .get = get_if_born, MEMBER(struct model_coroutine, born_ns) },
	{ "first", NULL, "when its first slice seen began", KIND_TIME, SUMS_MIN, .slices = true,
	  .shown = SHOWN_PAGE, MEMBER(struct model_coroutine, first_ns) },
	{ "last", NULL, "when its last slice seen ended", KIND_TIME, SUMS_MAX, .slices = true,
	  .near = "first running preempted blocked idle suspended", MEMBER(struct model_coroutine, last_ns) },
	{ "lifetime", NULL, "time from when it was first ready, or else first ran, to its end",
	  KIND_NS, .slices = true, .unsure = true, WHOLE(OWN), .shown = SHOWN_PAGE,
	  .near = "last -born", .get = get_lifetime },
	{ "tag", NULL, "the program's own number for it", KIND_ID,
	  .get = get_tag, MEMBER(struct model_coroutine, tag) },
	{ "flags", NULL, "born, ended: its first, last slice was seen; thread: it is a thread outside coroutines; overlap: its switches were reported late; renamed: its label changed; tool: it is coroprof itself, which is outside coroutines, too",
	  KIND_FLAGS, .slices = true, .words = flags, MEMBER(struct model_coroutine, flags) },
	{ "thread", NULL, "of a thread outside coroutines: which one", KIND_ROW,
	  .refers = "threads", .get = get_thread },
};

/* So many bytes of a label leave room for what follows. */
#define TITLE_LABEL	100

/* "handler #12" */
static void title_of(const struct model *m, uint32_t row, char *to, size_t capacity)
{
	const struct model_coroutine *c = &m->coroutines[row];
	const char *label = m->labels[c->label].name;
	int bytes = (int)printable_cut(label, TITLE_LABEL);

	if (is_outside(c) && c->channel != MODEL_NONE)
		snprintf(to, capacity, "%.*s thread %" PRId32, bytes, label,
			 m->channels[c->channel].tid);
	else
		snprintf(to, capacity, "%.*s #%" PRIu64, bytes, label, c->id);
}

const struct table table_coroutines = {
	.name = "coroutines", .title = "coroutines, and threads outside them",
	COLUMNS(columns), ROWS(COROUTINES), .list = list_threads, .outside = is_outside,
	.title_row = "label", .title_number = "id", .title_of = title_of,
};

/* ------------------------------------------------------------------------
 * wakes
 */

/* Time to run is known of those of @ready alone. */
static struct cell get_ready_time(const struct position *p)
{
	const struct model_wake *w = p->row;

	if (!w->ready)
		return cell_without(STANDING_NA);
	return cell_seen(w->ready_ns, w->ready < w->count);
}

static const struct column wake_columns[] = {
	{ "waker", NULL, "label of the coroutines that made others ready; none: no coroutine, or not reported",
	  KIND_ROW, .shown = SHOWN, .refers = "labels",
	  MEMBER(struct model_wake, waker) },
	{ "woken", NULL, "label of the coroutines that were made ready", KIND_ROW, .shown = SHOWN,
	  .refers = "labels", MEMBER(struct model_wake, woken) },
	{ "count", NULL, "number of wakes", KIND_COUNT, SUMS_ADD, .shown = SHOWN,
	  MEMBER(struct model_wake, count) },
	{ "ready", NULL, "time from being made ready to running", KIND_NS, SUMS_ADD,
	  .shown = SHOWN, .get = get_ready_time },
	{ "timed", NULL, "number of wakes for which that time is known", KIND_COUNT, SUMS_ADD, .shown = SHOWN,
	  MEMBER(struct model_wake, ready) },
};

/* A slice that is missing says no wake. */
const struct table table_wakes = {
	.name = "wakes", .title = "wakes: labels that make other labels ready", COLUMNS(wake_columns),
	ROWS(WAKES), .partial = MODEL_PARTIAL_WAKES | MODEL_PARTIAL_SLICES,
};
