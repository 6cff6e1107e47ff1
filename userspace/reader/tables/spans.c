// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of spans: by name, by name and label, and as trees of calls. get_...() returns the cell of
 * a column.
 */
#include "tables/describe.h"

#define FIGURES_OF(fn, model_fn) \
	static struct model_value fn##_total(const struct model *m, uint32_t row, \
					     uint32_t counter) \
	{ \
		return model_fn(m, row, counter, false); \
	} \
	static struct model_value fn##_own(const struct model *m, uint32_t row, \
					   uint32_t counter) \
	{ \
		return model_fn(m, row, counter, true); \
	}

FIGURES_OF(span, model_span_value)
FIGURES_OF(label_span, model_label_span_value)
FIGURES_OF(node, model_span_node_value)

#define OWN(type, name, title, says, member) \
	{ name, title, says, KIND_NS, SUMS_ADD, .shown = SHOWN, .per = "calls", \
	  MEMBER(type, sums.member), .bound = offsetof(type, sums.at_most) }

#define TOTAL(type, name, title, says, member) \
	{ name, title, says, KIND_NS, .shown = SHOWN, .per = "outermost", \
	  MEMBER(type, sums.member) }

/* At most so many: calls inside one of the same name that was lost are counted as well. */
static struct cell get_outermost(const struct position *p)
{
	struct cell cell = get_member(p);

	if (cell.standing != STANDING_COUNTED)
		cell.standing = standing_alone(ALONE_EXCEEDS, cell.standing);
	return cell;
}

/* A total is in that of what it was called by, so totals are no parts of a sum. */
#define FIGURES(type, fn) \
	{ "calls", NULL, "how often it began and ended, within itself as well", KIND_COUNT, \
	  SUMS_ADD, .shown = SHOWN, .one = "call", .per = "slices", \
	  MEMBER(type, sums.calls) }, \
	{ "outermost", NULL, "calls that were not within one of the same name; totals are of these", \
	  KIND_COUNT, SUMS_ADD, .shown = SHOWN, .one = "call", .get = get_outermost, \
	  MEMBER(type, sums.outermost) }, \
	OWN(type, "own_running", NULL, "time on a CPU, without the spans in it", own_running_ns), \
	TOTAL(type, "running", "total running", "time on a CPU, with all in it", running_ns), \
	OWN(type, "own_wall", NULL, "time from begin to end, without the spans in it", \
	    own_wall_ns), \
	TOTAL(type, "wall", "total wall", "time from begin to end, with all in it", wall_ns), \
	COUNTER("own_", "own ", ", without the spans in it", fn##_own, \
		offsetof(type, sums.at_most), SHOWN, "calls"), \
	COUNTER("", "total ", ", with all in it", fn##_total, 0, SHOWN, "outermost")

static struct cell get_quantile(const struct position *p)
{
	const struct model_span *s = p->row;

	return cell_quantile(p, s->histogram, is_partial(p));
}

#define QUANTILE(name, title, what, at, where) \
	{ name, title, "time from begin to end that " what " of the calls do not exceed", KIND_NS, \
	  .shown = where, .get = get_quantile, .quantile = at }

static const struct column columns[] = {
	{ "name", "span", "its name", KIND_TEXT, .shown = SHOWN, MEMBER(struct model_span, name) },
	PROCESS(struct model_span),
	QUANTILE("p50", "50 % below", "half", 0.50, SHOWN),
	QUANTILE("p90", "90 % below", "90 %", 0.90, 0),
	QUANTILE("p99", "99 % below", "99 %", 0.99, SHOWN),
	QUANTILE("p99_9", "99.9 % below", "99.9 %", 0.999, 0),
	QUANTILE("longest", NULL, "all", 1, SHOWN),
	FIGURES(struct model_span, span),
	{ "object", NULL, "object file that a name which is a code address is in", KIND_TEXT,
	  MEMBER(struct model_span, object) },
	{ "unresolved", NULL, "why the address has no name", KIND_TEXT,
	  MEMBER(struct model_span, unresolved) },
};

const struct table table_spans = {
	.by_coroutine = true, PARTIAL(SPANS), .name = "spans", .title = "spans: named regions inside coroutines", COLUMNS(columns),
	ROWS(SPANS),
};

/* ------------------------------------------------------------------------
 * spans of each label
 */

static struct cell get_process(const struct position *p)
{
	const struct model_label_span *l = p->row;

	return cell_of(p->sheet->model->spans[l->span].process);
}

static struct cell get_slices(const struct position *p)
{
	const struct model *m = p->sheet->model;
	const struct model_label *l = &m->labels[((const struct model_label_span *)p->row)->label];

	return cell_of(l->times.slices);
}

static const struct column label_columns[] = {
	{ "span", NULL, "the span", KIND_ROW, .shown = SHOWN, .refers = "spans",
	  MEMBER(struct model_label_span, span) },
	{ "label", "in", "label of the coroutines it was in", KIND_ROW, .shown = SHOWN_TEXT,
	  .refers = "labels", MEMBER(struct model_label_span, label) },
	{ "process", NULL, "the process it is of", KIND_ROW, .shown = SHOWN,
	  .when = when_processes, .refers = "processes", .get = get_process },
	FIGURES(struct model_label_span, label_span),
	{ "slices", NULL, "slices of the label", KIND_COUNT, .aside = true, PARTIAL(SLICES),
	  .one = "slice", .get = get_slices },
};

const struct table table_label_spans = {
	.by_coroutine = true, PARTIAL(SPANS), .name = "label_spans", .title = "spans in the coroutines of each label",
	COLUMNS(label_columns), ROWS(LABEL_SPANS),
};

/* ------------------------------------------------------------------------
 * the tree
 */

static const struct column node_columns[] = {
	{ "label", NULL, "label of the coroutines", KIND_ROW, .shown = SHOWN, .refers = "labels",
	  MEMBER(struct model_span_node, label) },
	{ "parent", NULL, "the call it was within, a row further up; none: it was in no other",
	  KIND_ROW, .shown = SHOWN, .refers = "span_tree",
	  MEMBER(struct model_span_node, parent) },
	{ "span", NULL, "the span; none: spans that were not seen to end", KIND_ROW,
	  .shown = SHOWN, .refers = "spans",
	  MEMBER(struct model_span_node, span) },
	{ "depth", NULL, "number of calls that it was within", KIND_COUNT,
	  .aside = true, WHOLE(ONE), MEMBER(struct model_span_node, depth) },
	FIGURES(struct model_span_node, node),
};

const struct table table_span_tree = {
	.by_coroutine = true, PARTIAL(SPANS), .name = "span_tree", .title = "spans within spans", COLUMNS(node_columns),
	ROWS(SPAN_NODES),
};
