// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of two recordings against each other, and of what is slow in one against the rest of it.
 * They are empty where nothing of the kind was asked for. get_...() returns the cell of a column,
 * say_...() its text.
 */
#include <math.h>
#include <stdio.h>

#include "tables/describe.h"
#include "tables/figure.h"

static const char *const ofs[] = { "label", "span", "function", NULL };
static const char *const slow_ofs[] = { "label", "span", "function", "waker", "thread", "holder", NULL };
static const char *const units[] = { "number", "ns", NULL };
static const char *const verdicts[] = {
	"more", "less", "small", "mixed", "noise", "added", "gone", NULL
};
static const char *const slow_verdicts[] = {
	"more", "less", "small", "mixed", "noise", "slow only", "rest only", NULL
};

static const struct model_change *change_of(const struct position *p)
{
	return p->row;
}

/* The struct model_side at the column's offset. */
static const struct model_side *side_of(const struct position *p)
{
	return (const struct model_side *)((const char *)p->row + p->column->offset);
}

static struct cell get_figure(const struct position *p)
{
	return cell_ratio(side_of(p)->value, side_of(p)->standing);
}

static enum kind kind_of(const struct position *p)
{
	return change_of(p)->time ? KIND_NS : KIND_EVENTS;
}

/* Writes the figure in the unit that the row's figures have, ns or events. */
static bool say_figure(const struct position *p, char *to, size_t capacity)
{
	(void)capacity;
	figure_mean(to, kind_of(p), get_figure(p));
	return true;
}

static struct cell get_spread(const struct position *p)
{
	return cell_measure(KIND_RATIO, side_of(p)->spread);
}

static bool say_spread(const struct position *p, char *to, size_t capacity)
{
	(void)capacity;
	figure_mean(to, kind_of(p), get_spread(p));
	return true;
}

static struct cell get_units(const struct position *p)
{
	const struct model_side *side = side_of(p);

	return side->spread < 0 && !side->units ? cell_without(STANDING_NA) :
						  cell_of(side->units);
}

static struct cell get_is_time(const struct position *p)
{
	return cell_of(change_of(p)->time);
}

/* A change from 0 is no share of it: then there is no value. */
static struct cell get_change(const struct position *p)
{
	const struct model_change *c = change_of(p);

	if (isinf(c->change))
		return cell_without(STANDING_NONE);
	return cell_ratio(c->change, c->standing);
}

static bool say_change(const struct position *p, char *to, size_t capacity)
{
	struct cell cell = get_change(p);
	char change[FIGURE_SIZE];

	if (!has_value(cell))
		return false;
	figure_change(change, cell.standing, cell.fraction);
	snprintf(to, capacity, "%s", change);
	return true;
}

static struct cell get_typical(const struct position *p)
{
	const struct model_change *c = change_of(p);

	if (c->p < 0)
		return cell_without(STANDING_NA);
	return isinf(c->typical) ? cell_without(STANDING_NONE) : cell_fraction(c->typical);
}

/* The change of the sum over all slices, or calls, of the new recording. */
static struct cell get_effect(const struct position *p)
{
	const struct model_change *c = change_of(p);
	const struct model_side *old = &c->side[MODEL_OLD], *new = &c->side[MODEL_NEW];

	return cell_ratio((new->value - old->value) * new->times, c->standing);
}

/* An end of the interval: the double at the column's offset. It is n/a without a test. */
static struct cell get_end(const struct position *p)
{
	double end = *(const double *)((const char *)p->row + p->column->offset);

	return change_of(p)->p < 0 || !isfinite(end) ? cell_without(STANDING_NA) :
						       cell_fraction(end);
}

/* Writes both ends of the interval. */
static bool say_interval(const struct position *p, char *to, size_t capacity)
{
	const struct model_change *c = change_of(p);
	char low[FIGURE_SIZE], high[FIGURE_SIZE];

	if (!has_value(get_end(p)) || !isfinite(c->high))
		return false;
	figure_change(low, STANDING_COUNTED, c->low);
	figure_change(high, STANDING_COUNTED, c->high);
	snprintf(to, capacity, "%.40s to %.40s", low, high);
	return true;
}

static struct cell get_p(const struct position *p)
{
	return cell_measure(KIND_RATIO, change_of(p)->p);
}

static struct cell get_verdict(const struct position *p)
{
	enum model_verdict verdict = change_of(p)->verdict;

	return verdict == MODEL_VERDICT_NONE ? cell_without(STANDING_NA) : cell_of(verdict);
}

static struct cell get_label(const struct position *p)
{
	return change_of(p)->label ? get_member(p) : cell_without(STANDING_NONE);
}

#define SIDE(name, age, says) \
	{ name, NULL, says, KIND_RATIO, .unsure = true, .shown = SHOWN | SHOWN_DIGEST, .get = get_figure, \
	  .say = say_figure, MEMBER(struct model_change, side[age]) }, \
	{ name "_spread", "+-", "standard deviation of the figure between coroutines; for spans, between their calls", KIND_RATIO, \
	  .shown = SHOWN, .get = get_spread, .say = say_spread, \
	  MEMBER(struct model_change, side[age]) }, \
	{ name "_coroutines", NULL, "number of coroutines, or of threads outside them, that have the figure", KIND_COUNT, \
	  .shown = SHOWN_PAGE, .get = get_units, MEMBER(struct model_change, side[age]) }

#define OF(list, names, units_of) \
	{ "name", NULL, "name of the label, the span, the function" names, KIND_TEXT, \
	  .shown = SHOWN | SHOWN_DIGEST, MEMBER(struct model_change, name) }, \
	{ "label", "in", "label of the coroutines that it was in", KIND_TEXT, .shown = SHOWN, \
	  .get = get_label, MEMBER(struct model_change, label) }, \
	{ "of", NULL, "the kind of thing that is compared", KIND_WORD, .shown = SHOWN_PAGE, .words = list, \
	  MEMBER(struct model_change, of) }, \
	{ "figure", NULL, "the compared figure: a column of the labels, of the spans or of the functions in coroutines of a label, and its divisor", \
	  KIND_TEXT, .shown = SHOWN | SHOWN_DIGEST, MEMBER(struct model_change, figure) }, \
	{ "unit", NULL, "unit of " units_of " and the standard deviations", KIND_WORD, \
	  .words = units, .get = get_is_time }

#define CHANGE(first, second) \
	{ "change", NULL, "the difference, as a share of the " first " one; less than 0: the " second " one is smaller", \
	  KIND_SHARE, .unsure = true, .shown = SHOWN | SHOWN_DIGEST, .get = get_change, .say = say_change }, \
	{ "median_change", NULL, "the same for the medians of the coroutines", KIND_SHARE, \
	  .get = get_typical }

#define VERDICT(list, single) \
	{ "p", NULL, "probability that noise between coroutines, or between runs, makes such a difference in any of the tested figures", \
	  KIND_RATIO, .shown = SHOWN_PAGE, .get = get_p }, \
	{ "verdict", NULL, "more, less: beyond noise; small: beyond noise, but less than 1 % of all, or of the median coroutine; mixed: the median coroutine changed the other way; noise: no more than coroutines, or runs, differ; " single, \
	  KIND_WORD, .shown = SHOWN | SHOWN_DIGEST, .words = list, .get = get_verdict }, \
	{ "why", NULL, "why there is no verdict", KIND_TEXT, MEMBER(struct model_change, why) }

static const struct column columns[] = {
	OF(ofs, "", "old, new, effect"),
	SIDE("old", MODEL_OLD, "the figure in the old recording"),
	SIDE("new", MODEL_NEW, "the figure in the new recording"),
	CHANGE("old", "new"),
	{ "effect", NULL, "the difference, times the number of slices, gaps or calls in the new recording",
	  KIND_RATIO, .unsure = true, .get = get_effect },
	VERDICT(verdicts, "added, gone: in one recording only"),
	{ "low", "99 % interval", "the change is at least this, with a probability of 0.5 % to be wrong, for this figure alone",
	  KIND_SHARE, .unsure = true, .shown = SHOWN, .get = get_end, .say = say_interval,
	  .offset = offsetof(struct model_change, low) },
	{ "high", NULL, "the change is at most this, likewise", KIND_SHARE, .unsure = true, .get = get_end,
	  .offset = offsetof(struct model_change, high) },
	{ "seen", "would be seen", "a change of this size would have been found in four of five cases",
	  KIND_SHARE, .unsure = true, .shown = SHOWN_PAGE, .get = get_end,
	  .offset = offsetof(struct model_change, seen) },
};

const struct table table_changes = {
	.by_coroutine = true, .name = "changes", .title = "changes: the new recording against the old one",
	COLUMNS(columns), ROWS(CHANGES), WHOLE(OWN),
};

/* ------------------------------------------------------------------------
 * the answer
 */

static struct cell get_name(const struct position *p)
{
	return ((const struct model_answer *)p->row)->name ? get_member(p) :
							     cell_without(STANDING_NONE);
}

static struct cell get_share(const struct position *p)
{
	const struct model_answer *a = p->row;

	return cell_ratio(a->share, a->standing);
}

static const struct column answer_columns[] = {
	{ "text", NULL, "the change of a label beyond noise, and of a span or function in it; or that nothing has changed, or that this is not known",
	  KIND_TEXT, .shown = SHOWN, MEMBER(struct model_answer, text) },
	{ "name", NULL, "name of the label", KIND_TEXT, .shown = SHOWN_PAGE, .get = get_name,
	  MEMBER(struct model_answer, name) },
	{ "share", NULL, "the difference of the first figure in the text, times the number of slices, coroutines or calls, as a share of all such differences in this figure, whatever their verdict and direction",
	  KIND_SHARE, .unsure = true, .shown = SHOWN_PAGE, .get = get_share,
	  MEMBER(struct model_answer, share) },
};

const struct table table_answers = {
	.by_coroutine = true, .name = "answers", .title = "answers: the changes, the largest share of all first",
	COLUMNS(answer_columns), ROWS(ANSWERS), WHOLE(OWN),
};

/* ------------------------------------------------------------------------
 * the trees
 */

static const char *const trees[] = { "spans", "samples", NULL };

#define NODES(table, root) \
	{ "of", NULL, "samples, or spans: then figures are ns of running time", KIND_WORD, \
	  .shown = SHOWN, .words = trees, MEMBER(struct model_change_node, samples) }, \
	{ "name", NULL, "of the label, at " root "; below it, of the function, or the span", \
	  KIND_TEXT, .shown = SHOWN, MEMBER(struct model_change_node, name) }, \
	{ "parent", NULL, "the node that it was within, a row further up; none: it is a root", KIND_ROW, \
	  .shown = SHOWN, .refers = (table), MEMBER(struct model_change_node, parent) }

#define NODE(name, what, member, age) \
	{ name, NULL, what, KIND_COUNT, .unsure = true, .shown = SHOWN, \
	  .least = offsetof(struct model_change_node, at_least[age]), \
	  MEMBER(struct model_change_node, member[age]) }

static const struct column node_columns[] = {
	NODES("change_tree", "a root"),
	NODE("old_own", "right here, in the old recording", own, MODEL_OLD),
	NODE("new_own", "right here, in the new recording", own, MODEL_NEW),
	NODE("old_total", "here and in all below, in the old recording", total, MODEL_OLD),
	NODE("new_total", "here and in all below, in the new recording", total, MODEL_NEW),
	NODE("old_slices", "slices of the label in the old recording", slices, MODEL_OLD),
	NODE("new_slices", "slices of the label in the new recording", slices, MODEL_NEW),
};

const struct table table_change_tree = {
	.by_coroutine = true, .name = "change_tree", .title = "call trees of the new recording and the old one",
	COLUMNS(node_columns), ROWS(CHANGE_NODES), WHOLE(OWN),
};

/* ------------------------------------------------------------------------
 * slow ones
 */

static const char *const divided[] = { "slices", "lives", NULL };

/* The limit above which slices are slow, in the unit that the row's figures have. */
static struct cell get_above(const struct position *p)
{
	const struct model_slow_of *of = p->row;

	return cell_fraction((double)of->above);
}

static bool say_above(const struct position *p, char *to, size_t capacity)
{
	const struct model_slow_of *of = p->row;

	(void)capacity;
	figure_mean(to, of->time ? KIND_NS : KIND_EVENTS, get_above(p));
	return true;
}

static struct cell get_slow_share(const struct position *p)
{
	const struct model_slow_of *of = p->row;

	enum standing standing = standing_seen(of->at_least);

	return cell_ratio((double)of->nr[MODEL_NEW] /
			  (double)(of->nr[MODEL_OLD] + of->nr[MODEL_NEW]),
			  standing_combined(COMBINE_QUOTIENT, standing, standing));
}

/* The search has found that slices are missing. */
#define LACKS	.unsure = true, .least = offsetof(struct model_slow_of, at_least)

static const struct column slow_of_columns[] = {
	{ "label", NULL, "the label that is divided", KIND_TEXT, .shown = SHOWN | SHOWN_DIGEST,
	  MEMBER(struct model_slow_of, label) },
	{ "of", NULL, "the things that are divided: its slices, or lives of its coroutines, from begin to end", KIND_WORD,
	  .shown = SHOWN | SHOWN_DIGEST, .words = divided, MEMBER(struct model_slow_of, lives) },
	{ "by", NULL, "the figure that divides them: held, of a slice from switch-in to switch-out; lifetime, of a coroutine; a part of these; or a counter. Suspended, awaiting and ready are those before a slice",
	  KIND_TEXT, .shown = SHOWN | SHOWN_DIGEST, MEMBER(struct model_slow_of, by) },
	{ "asked", "threshold", "the threshold as it was given", KIND_TEXT, .shown = SHOWN | SHOWN_DIGEST,
	  MEMBER(struct model_slow_of, asked) },
	{ "above", NULL, "the threshold, in ns or as counted: those with more are slow. Of many values, a quantile is known to 1.6 %, and values as near as that to it are in the rest", KIND_RATIO,
	  .shown = SHOWN | SHOWN_DIGEST, .get = get_above, .say = say_above },
	{ "unit", NULL, "unit of above", KIND_WORD, .words = units, MEMBER(struct model_slow_of, time) },
	{ "slow", NULL, "number of those above the threshold", KIND_COUNT, .shown = SHOWN | SHOWN_DIGEST,
	  LACKS, MEMBER(struct model_slow_of, nr[MODEL_NEW]) },
	{ "slow_share", "%", "that, as a share of both", KIND_SHARE, .unsure = true, .shown = SHOWN | SHOWN_DIGEST,
	  .get = get_slow_share },
	{ "rest", NULL, "number of the others", KIND_COUNT, .shown = SHOWN | SHOWN_DIGEST,
	  LACKS, MEMBER(struct model_slow_of, nr[MODEL_OLD]) },
	{ "left_out", NULL, "number of those with an unknown figure: they are on neither side", KIND_COUNT,
	  .shown = SHOWN | SHOWN_DIGEST, LACKS,
	  MEMBER(struct model_slow_of, left_out) },
};

const struct table table_slow_of = {
	.name = "slow_of", .title = "slow_of: the threshold, and the number of slow ones",
	COLUMNS(slow_of_columns), ROWS(SLOW_OF), WHOLE(OWN),
};

static const struct column slow_columns[] = {
	OF(slow_ofs, ", the waker's label, the thread, the label that held the thread", "rest, slow"),
	SIDE("rest", MODEL_OLD, "the figure of the rest"),
	SIDE("slow", MODEL_NEW, "the figure of the slow ones"),
	CHANGE("rest", "slow"),
	VERDICT(slow_verdicts, "slow only, rest only: one of both has it; n/a of slices, as those of a coroutine are not independent of each other"),
};

const struct table table_slow = {
	.name = "slow", .title = "slow: the slow slices, or lives, of a label against the rest",
	COLUMNS(slow_columns), ROWS(SLOW), WHOLE(OWN),
};

static const struct column slow_node_columns[] = {
	NODES("slow_tree", "the root"),
	NODE("rest_own", "right here, in the rest", own, MODEL_OLD),
	NODE("slow_own", "right here, in the slow ones", own, MODEL_NEW),
	NODE("rest_total", "here and in all below, in the rest", total, MODEL_OLD),
	NODE("slow_total", "here and in all below, in the slow ones", total, MODEL_NEW),
	NODE("rest_slices", "slices, or lives, of the rest", slices, MODEL_OLD),
	NODE("slow_slices", "slices, or lives, that are slow", slices, MODEL_NEW),
};

const struct table table_slow_tree = {
	.name = "slow_tree", .title = "call trees of the slow ones and of the rest",
	COLUMNS(slow_node_columns), ROWS(SLOW_NODES), WHOLE(OWN),
};

/* ------------------------------------------------------------------------
 * what was recorded
 */

static struct cell get_differs(const struct position *p)
{
	return cell_of(model_metadata_differs(p->row));
}

static const struct column metadata_columns[] = {
	{ "name", NULL, "name of the fact", KIND_TEXT, .shown = SHOWN | SHOWN_DIGEST,
	  MEMBER(struct model_metadata, name) },
	{ "old", NULL, "of the old recording", KIND_TEXT, .shown = SHOWN | SHOWN_DIGEST,
	  MEMBER(struct model_metadata, text[MODEL_OLD]) },
	{ "new", NULL, "of the new recording", KIND_TEXT, .shown = SHOWN | SHOWN_DIGEST,
	  MEMBER(struct model_metadata, text[MODEL_NEW]) },
	{ "differs", NULL, "whether both are known, and differ", KIND_WORD, .shown = SHOWN,
	  .words = no_yes, .get = get_differs },
	{ "matters", NULL, "whether this alone may make figures differ", KIND_WORD,
	  .shown = SHOWN_PAGE, .words = no_yes, MEMBER(struct model_metadata, matters) },
};

const struct table table_compared = {
	.name = "compared", .title = "compared: facts of both recordings",
	COLUMNS(metadata_columns), ROWS(METADATA), WHOLE(OWN),
};
