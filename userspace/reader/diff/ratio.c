// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the column by which a compared column is divided, in the table itself or in the one that it
 * is about, and forms the quotient with its standing.
 */
#include <stdio.h>
#include <string.h>

#include "diff/ratio.h"

static int find(const struct sheet *s, const char *name)
{
	for (unsigned int i = 0; i < s->nr_columns; i++)
		if (!strcmp(s->columns[i].name, name))
			return (int)i;
	return -1;
}

/* What is divided by something, and what it is divided by. */
bool ratio_is(const struct sheet *s, unsigned int column, bool whole)
{
	const struct column *is = s->columns[column].is;

	return whole ? (is->per && *is->per) || is->one : is->per != NULL;
}

const char *ratio_name(const struct sheet *s, unsigned int column, bool whole,
		       char text[RATIO_NAME])
{
	const struct sheet_column *c = &s->columns[column];
	int under = whole ? -1 : find(s, c->is->per);
	const char *one = whole ? "coroutine" : under < 0 ? "" : s->columns[under].is->one;

	snprintf(text, RATIO_NAME, "%.120s%s%s", c->name, *one ? "/" : "", one);
	return text;
}

struct ratio ratio_find(const struct sheet *in, const struct sheet *of, unsigned int column,
			bool whole)
{
	struct ratio ratio = { find(in, of->columns[column].name), -1 };

	if (ratio.over >= 0 && !ratio_is(in, (unsigned int)ratio.over, whole))
		ratio.over = -1;
	if (ratio.over >= 0 && !whole)
		ratio.under = find(in, in->columns[ratio.over].is->per);
	return ratio;
}

/* ------------------------------------------------------------------------
 * figures
 */

/**
 * struct sum - of a column, over rows
 */
struct sum {
	enum standing standing;
	double value;
};

static struct sum sum_of(const struct sheet *s, unsigned int column, const uint32_t *rows,
			 uint32_t nr)
{
	enum kind kind = s->columns[column].kind;
	struct sum sum = { .standing = STANDING_NONE };

	for (uint32_t i = 0; i < nr; i++) {
		struct cell cell = sheet_cell(s, rows[i], column);

		sum.standing = standing_combined(COMBINE_SUM, sum.standing, cell.standing);
		sum.value += kind == KIND_RATIO || kind == KIND_SHARE ? cell.fraction :
									(double)cell.number;
	}
	return sum;
}

static struct model_side side_of(enum standing standing, double value, double times)
{
	bool has = standing_has_value(standing);

	return (struct model_side){ .standing = (uint8_t)standing, .value = has ? value : 0,
				    .times = has ? times : 0, .spread = -1, .error = -1 };
}

struct model_side ratio_of(const struct sheet *s, struct ratio ratio, const uint32_t *rows,
			   uint32_t nr)
{
	struct sum over, under;
	enum standing standing;

	if (!nr)
		return side_of(STANDING_NONE, 0, 0);
	if (ratio.over < 0)
		return side_of(STANDING_NA, 0, 0);
	over = sum_of(s, (unsigned int)ratio.over, rows, nr);
	if (ratio.under < 0)
		return side_of(nr > 1 ? STANDING_NA : over.standing, over.value, 1);
	under = sum_of(s, (unsigned int)ratio.under, rows, nr);
	if (!under.value)
		return side_of(STANDING_NA, 0, 0);
	standing = over.standing;
	if (s->columns[ratio.under].is->measured)
		standing = standing_mean(standing);
	return side_of(standing_combined(COMBINE_QUOTIENT, standing, under.standing),
		       over.value / under.value, under.value);
}
