// SPDX-License-Identifier: GPL-2.0
/* Two recordings against each other. The tables are empty where there is one. */
#include <math.h>
#include <stdio.h>

#include "tables/describe.h"
#include "tables/figure.h"

static const char *const ofs[] = { "label", "span", "function", NULL };
static const char *const units[] = { "number", "ns", NULL };
static const char *const verdicts[] = {
	"more", "less", "small", "mixed", "noise", "added", "gone", NULL
};

static const struct model_change *change_of(const struct place *p)
{
	return p->row;
}

/* The struct model_side at the column's offset. */
static const struct model_side *side_of(const struct place *p)
{
	return (const struct model_side *)((const char *)p->row + p->column->offset);
}

static struct cell fraction_of(uint8_t standing, double fraction)
{
	struct cell cell = cell_without((enum standing)standing);

	if (has_value(cell))
		cell.fraction = fraction;
	return cell;
}

static struct cell get_figure(const struct place *p)
{
	return fraction_of(side_of(p)->standing, side_of(p)->value);
}

static enum kind kind_of(const struct place *p)
{
	return change_of(p)->time ? KIND_NS : KIND_EVENTS;
}

/* In the unit that it has. */
static bool say_figure(const struct place *p, char *to, size_t room)
{
	(void)room;
	figure_mean(to, kind_of(p), get_figure(p));
	return true;
}

static struct cell get_spread(const struct place *p)
{
	return cell_measure(KIND_RATIO, side_of(p)->spread);
}

static bool say_spread(const struct place *p, char *to, size_t room)
{
	(void)room;
	figure_mean(to, kind_of(p), get_spread(p));
	return true;
}

static struct cell get_units(const struct place *p)
{
	const struct model_side *side = side_of(p);

	return side->spread < 0 && !side->units ? cell_without(STANDING_NA) :
						  cell_of(side->units);
}

static struct cell get_time(const struct place *p)
{
	return cell_of(change_of(p)->time);
}

/* Of 0, nothing is a share. */
static struct cell get_change(const struct place *p)
{
	const struct model_change *c = change_of(p);

	if (isinf(c->change))
		return cell_without(STANDING_NONE);
	return fraction_of(c->standing, c->change);
}

static bool say_change(const struct place *p, char *to, size_t room)
{
	struct cell cell = get_change(p);

	if (!has_value(cell))
		return false;
	snprintf(to, room, "%s%+.1f %%", standing_mark(cell.standing), 100 * cell.fraction);
	return true;
}

static struct cell get_typical(const struct place *p)
{
	const struct model_change *c = change_of(p);

	if (c->p < 0)
		return cell_without(STANDING_NA);
	return isinf(c->typical) ? cell_without(STANDING_NONE) : cell_fraction(c->typical);
}

/* What all slices, or calls, of the new recording make of the difference. */
static struct cell get_effect(const struct place *p)
{
	const struct model_change *c = change_of(p);
	const struct model_side *old = &c->side[MODEL_OLD], *new = &c->side[MODEL_NEW];

	if (!has_value(cell_without((enum standing)c->standing)))
		return cell_without((enum standing)c->standing);
	return fraction_of(c->standing, (new->value - old->value) * new->times);
}

static struct cell get_p(const struct place *p)
{
	return cell_measure(KIND_RATIO, change_of(p)->p);
}

static struct cell get_verdict(const struct place *p)
{
	enum model_verdict verdict = change_of(p)->verdict;

	return verdict == MODEL_VERDICT_NONE ? cell_without(STANDING_NA) : cell_of(verdict);
}

static struct cell get_label(const struct place *p)
{
	return change_of(p)->label ? get_member(p) : cell_without(STANDING_NONE);
}

#define SIDE(name, age, says) \
	{ name, NULL, says, KIND_RATIO, .unsure = true, .shown = SHOWN, .get = get_figure, \
	  .say = say_figure, MEMBER(struct model_change, side[age]) }, \
	{ name "_spread", "+-", "standard deviation between coroutines of that", KIND_RATIO, \
	  .shown = SHOWN, .get = get_spread, .say = say_spread, \
	  MEMBER(struct model_change, side[age]) }, \
	{ name "_coroutines", NULL, "coroutines, or threads outside them, that tell it", KIND_COUNT, \
	  .shown = SHOWN_PAGE, .get = get_units, MEMBER(struct model_change, side[age]) }

static const struct column columns[] = {
	{ "name", NULL, "name of the label, the span, the function", KIND_TEXT, .shown = SHOWN,
	  MEMBER(struct model_change, name) },
	{ "label", "in", "label of the coroutines that it was in", KIND_TEXT, .shown = SHOWN,
	  .get = get_label, MEMBER(struct model_change, label) },
	{ "of", NULL, "what it is of", KIND_WORD, .shown = SHOWN_PAGE, .words = ofs,
	  MEMBER(struct model_change, of) },
	{ "figure", NULL, "what is compared: a column of the labels, of the spans or of the functions in coroutines of a label, and what it is divided by",
	  KIND_TEXT, .shown = SHOWN, MEMBER(struct model_change, figure) },
	{ "unit", NULL, "unit of old, new, effect and what is between coroutines", KIND_WORD,
	  .words = units, .get = get_time },
	SIDE("old", MODEL_OLD, "the figure in the old recording"),
	SIDE("new", MODEL_NEW, "the figure in the new recording"),
	{ "change", NULL, "how much more the new one is, as a share of the old one; less than 0: how much less",
	  KIND_SHARE, .unsure = true, .shown = SHOWN, .get = get_change, .say = say_change },
	{ "median_change", NULL, "the same of the medians of what coroutines have", KIND_SHARE,
	  .get = get_typical },
	{ "effect", NULL, "the difference, times how many slices, gaps or calls the new recording has",
	  KIND_RATIO, .unsure = true, .get = get_effect },
	{ "p", NULL, "how likely noise between coroutines makes such a difference in any of the figures tested",
	  KIND_RATIO, .shown = SHOWN_PAGE, .get = get_p },
	{ "verdict", NULL, "more, less: beyond noise; small: beyond noise, but less than 1 % of all, or of the median coroutine; mixed: the median coroutine changed the other way; noise: no more than coroutines differ; added, gone: in one recording only",
	  KIND_WORD, .shown = SHOWN, .words = verdicts, .get = get_verdict },
	{ "why", NULL, "why there is no verdict", KIND_TEXT, MEMBER(struct model_change, why) },
};

const struct table table_changes = {
	.name = "changes", .title = "changes: the new recording against the old one",
	COLUMNS(columns), ROWS(changes),
};

/* ------------------------------------------------------------------------
 * the trees
 */

static const char *const trees[] = { "spans", "samples", NULL };

#define NODE(name, what, member, age) \
	{ name, NULL, what, KIND_COUNT, .shown = SHOWN, \
	  MEMBER(struct model_change_node, member[age]) }

static const struct column node_columns[] = {
	{ "of", NULL, "samples, or spans: then figures are ns of running time", KIND_WORD,
	  .shown = SHOWN, .words = trees, MEMBER(struct model_change_node, samples) },
	{ "name", NULL, "of the label, at a root; below it, of the function, or the span",
	  KIND_TEXT, .shown = SHOWN, MEMBER(struct model_change_node, name) },
	{ "parent", NULL, "what it was within, a row further up; none: it is a root", KIND_ROW,
	  .shown = SHOWN, .refers = "change_tree", MEMBER(struct model_change_node, parent) },
	NODE("old_own", "right here, in the old recording", own, MODEL_OLD),
	NODE("new_own", "right here, in the new recording", own, MODEL_NEW),
	NODE("old_total", "here and in all below, in the old recording", total, MODEL_OLD),
	NODE("new_total", "here and in all below, in the new recording", total, MODEL_NEW),
	NODE("old_slices", "slices of the label in the old recording", slices, MODEL_OLD),
	NODE("new_slices", "slices of the label in the new recording", slices, MODEL_NEW),
};

const struct table table_change_tree = {
	.name = "change_tree", .title = "call trees of the new recording and the old one",
	COLUMNS(node_columns), ROWS(change_nodes),
};

/* ------------------------------------------------------------------------
 * what was recorded
 */

static struct cell get_differs(const struct place *p)
{
	return cell_of(model_fact_differs(p->row));
}

static const struct column fact_columns[] = {
	{ "name", NULL, "what it is", KIND_TEXT, .shown = SHOWN, MEMBER(struct model_fact, name) },
	{ "old", NULL, "of the old recording", KIND_TEXT, .shown = SHOWN,
	  MEMBER(struct model_fact, text[MODEL_OLD]) },
	{ "new", NULL, "of the new recording", KIND_TEXT, .shown = SHOWN,
	  MEMBER(struct model_fact, text[MODEL_NEW]) },
	{ "differs", NULL, "whether they differ", KIND_WORD, .shown = SHOWN, .words = no_yes,
	  .get = get_differs },
	{ "matters", NULL, "whether figures may differ for this alone", KIND_WORD,
	  .shown = SHOWN_PAGE, .words = no_yes, MEMBER(struct model_fact, matters) },
};

const struct table table_compared = {
	.name = "compared", .title = "compared: what is known of both recordings",
	COLUMNS(fact_columns), ROWS(facts),
};
