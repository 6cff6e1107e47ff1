// SPDX-License-Identifier: GPL-2.0
/*
 * The table of how long things took: a row for each kind, and label or span. get_...() returns the
 * cell of a column.
 */
#include <stdlib.h>

#include "profile/histogram.h"
#include "tables/describe.h"

/* Calls of spans are of the kind behind those that labels have. */
#define SPAN	MODEL_LATENCY_NR

static const char *const whats[] = {
	"running", "held", "blocked", "ready", "awaiting", "suspended", "lifetime", "span", NULL
};

/**
 * struct what - a row: its number is that of the label, or span, and of the kind
 * @kind:    enum model_latency, or SPAN
 * @row:     of the label, or the span
 * @histogram: of it; NULL: there are none
 */
struct what {
	unsigned int kind;
	uint32_t row;
	const struct histogram *histogram;
};

static struct what row_by_number(const struct model *m, uint32_t number)
{
	struct what w = { number % (SPAN + 1), number / (SPAN + 1), NULL };

	if (w.kind == SPAN)
		w.histogram = w.row < m->nr_spans ? m->spans[w.row].histogram : NULL;
	else if (w.row < m->nr_labels && !model_label_is_outside(&m->labels[w.row]))
		w.histogram = m->labels[w.row].histograms[w.kind];
	return w;
}

/* Of most interest first: whole lives, then what they are made of. */
static const uint8_t order[SPAN + 1] = {
	[MODEL_LATENCY_LIFETIME] = 0, [MODEL_LATENCY_HELD] = 1, [MODEL_LATENCY_READY] = 2,
	[MODEL_LATENCY_AWAITING] = 3, [MODEL_LATENCY_SUSPENDED] = 4, [MODEL_LATENCY_BLOCKED] = 5,
	[MODEL_LATENCY_RUNNING] = 6, [SPAN] = 7,
};

/**
 * struct interest - what rows are sorted by
 * @number: of the row
 * @order:  of its kind
 * @ns:     what 99 of 100 do not exceed
 */
struct interest {
	uint32_t number;
	uint8_t order;
	uint64_t ns;
};

static int compare_interest(const void *a, const void *b)
{
	const struct interest *x = a, *y = b;

	if (x->order != y->order)
		return x->order - y->order;
	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

static uint32_t *list_latencies(const struct model *m, uint32_t *nr)
{
	uint32_t rows = m->nr_labels > m->nr_spans ? m->nr_labels : m->nr_spans;
	struct interest *found = calloc((size_t)rows * (SPAN + 1) + 1, sizeof(*found));
	uint32_t *list = calloc((size_t)rows * (SPAN + 1) + 1, sizeof(*list));
	bool exact;

	*nr = 0;
	for (uint32_t i = 0; list && found && i < rows * (SPAN + 1); i++) {
		const struct what w = row_by_number(m, i);

		if (w.histogram && w.histogram->nr)
			found[(*nr)++] = (struct interest){
				i, order[w.kind], histogram_quantile(w.histogram, 0.99, &exact),
			};
	}
	if (*nr)
		qsort(found, *nr, sizeof(*found), compare_interest);
	for (uint32_t i = 0; i < *nr; i++)
		list[i] = found[i].number;
	if (!found) {
		free(list);
		list = NULL;
	}
	free(found);
	return list;
}

static struct what row_at(const struct position *p)
{
	return row_by_number(p->sheet->model, p->index);
}

static struct cell get_what(const struct position *p)
{
	return cell_of(row_at(p).kind);
}

static struct cell get_label(const struct position *p)
{
	return row_at(p).kind == SPAN ? cell_without(STANDING_NONE) : cell_of(row_at(p).row);
}

static struct cell get_span(const struct position *p)
{
	return row_at(p).kind == SPAN ? cell_of(row_at(p).row) : cell_without(STANDING_NONE);
}

static bool when_spans(const struct model *m)
{
	return m->nr_spans;
}

static struct cell get_process(const struct position *p)
{
	const struct model *m = p->sheet->model;
	uint32_t process = row_at(p).kind == SPAN ? m->spans[row_at(p).row].process :
						m->labels[row_at(p).row].process;

	return process == MODEL_NONE ? cell_without(STANDING_NONE) : cell_of(process);
}

/* True if some were lost, among which there may have been longer ones. */
static bool lacks_rows(const struct position *p)
{
	const struct model *m = p->sheet->model;

	return row_at(p).kind == SPAN ?
	       schema_lacks(m, SCHEMA_SPANS, &m->spans[row_at(p).row], MODEL_PARTIAL_SPANS) :
	       label_lacks_slices(m, &m->labels[row_at(p).row]);
}

static bool lacks_histogram(const struct position *p)
{
	return row_at(p).kind == SPAN ? lacks_rows(p) :
	       label_lacks_histogram(p->sheet->model, &p->sheet->model->labels[row_at(p).row],
				     (enum model_latency)row_at(p).kind);
}

static bool lacks_shares(const struct position *p)
{
	const struct model *m = p->sheet->model;

	return row_at(p).kind != SPAN &&
	       label_lacks_shares(m, &m->labels[row_at(p).row], (enum model_latency)row_at(p).kind);
}

static struct cell get_times(const struct position *p)
{
	return cell_seen(row_at(p).histogram->nr, lacks_rows(p));
}

static struct cell get_longest(const struct position *p)
{
	return lacks_shares(p) ? cell_without(STANDING_NA) :
				 cell_seen(row_at(p).histogram->most, lacks_histogram(p));
}

static struct cell get_mean(const struct position *p)
{
	return lacks_shares(p) ? cell_without(STANDING_NA) :
				 cell_typical(row_at(p).histogram->sum / row_at(p).histogram->nr,
					      lacks_histogram(p));
}

static struct cell get_quantile(const struct position *p)
{
	return lacks_shares(p) ? cell_without(STANDING_NA) :
				 cell_quantile(p, row_at(p).histogram, lacks_histogram(p));
}

#define QUANTILE(name, title, what, number, where) \
	{ name, title, "length that " what " of them do not exceed", KIND_NS, .unsure = true, \
	  .shown = where, .get = get_quantile, .quantile = number }

static const struct column columns[] = {
	{ "what", NULL, "the kind of length; running, held: of a slice, on a CPU, and from switch-in to switch-out; blocked: asleep in the kernel in a slice; ready: from being made ready to running; awaiting: before that, where it was not ready at once; suspended: both, where the parts are not known (waits of 0 ns are counted, so ready and suspended are of all known gaps); lifetime: of a coroutine that was seen from begin to end; span: of a call",
	  KIND_WORD, .shown = SHOWN, .words = whats, .get = get_what },
	{ "label", NULL, "label of the coroutines; none: see span", KIND_ROW, .shown = SHOWN,
	  .refers = "labels", .get = get_label },
	{ "span", NULL, "the span, in coroutines of any label", KIND_ROW, .shown = SHOWN,
	  .when = when_spans, .refers = "spans", .get = get_span },
	{ "process", NULL, "the process it is of", KIND_ROW, .shown = SHOWN,
	  .when = when_processes, .refers = "processes", .get = get_process },
	{ "times", NULL, "number of such lengths", KIND_COUNT, SUMS_ADD, .unsure = true, .shown = SHOWN,
	  .get = get_times },
	{ "mean", NULL, "their average", KIND_NS, .unsure = true, .get = get_mean },
	QUANTILE("p50", "50 % below", "half", 0.50, SHOWN),
	QUANTILE("p90", "90 % below", "90 %", 0.90, SHOWN),
	QUANTILE("p99", "99 % below", "99 %", 0.99, SHOWN),
	QUANTILE("p99_9", "99.9 % below", "99.9 %", 0.999, SHOWN),
	{ "longest", NULL, "the longest", KIND_NS, SUMS_MAX, .unsure = true, .shown = SHOWN,
	  .get = get_longest },
};

const struct table table_latency = {
	.name = "latency", .title = "latency: the lengths of slices, waits, lives and spans, by label and span",
	COLUMNS(columns), .list = list_latencies, .listed = true, WHOLE(OWN),
};
