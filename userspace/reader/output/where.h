/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows that are asked for by what is in a column. A condition is COLUMN, one of these, and a VALUE:
 *   =  !=       the cell's plain text is VALUE, or a pattern of shells fits it: 0 is a number as
 *   any ~  !~       an extended regular expression is found in its plain text
 *   <  <=  >  >=  its figure is less, at most, more, at least; a time may have a unit, a share a
 *   "%", a count a "k"
 * What has no value fits none of them.
 */
#ifndef COROPROF_OUTPUT_WHERE_H
#define COROPROF_OUTPUT_WHERE_H

#include <regex.h>
#include <stddef.h>

#include "base/error.h"
#include "output/view-options.h"
#include "tables/table.h"

/* How long the name of its column is; 0: it is no condition. */
size_t where_name(const char *where);

/* Fails if the text is no condition. */
int where_check(const char *where, struct error *err);

/* Fails if the condition has a figure that can't be one of its column in the sheet. */
int where_suits(const char *where, const struct sheet *sheet, struct error *err);

/*
 * True if the condition is about tags of coroutines, by which spans and samples are selected: see
 * tagged.h.
 */
bool where_is_tag(const char *where);

/* True if the sheet has the column of the condition, or is made of the coroutines that fit it. */
bool where_applies(const char *where, const struct sheet *sheet);

/* True if where_applies() is true of all conditions. */
bool where_has(const struct view_options *view, const struct sheet *sheet);

/**
 * struct conditions - those of a look whose columns a sheet has, ready to be held against its rows
 * @sheet: which
 * @nr:    how many
 * @all:   them: @column, what it is compared to (@value, a @number or a @regex), and how (@test)
 */
struct conditions {
	const struct sheet *sheet;
	uint32_t nr;
	struct condition {
		unsigned int column;
		unsigned int test;
		const char *value;
		double number;
		regex_t regex;
	} all[WHERES_MAX];
};

void conditions_open(struct conditions *c, const struct view_options *view,
		     const struct sheet *sheet);
void conditions_close(struct conditions *c);

/* True if the row fits all conditions. */
bool conditions_fit(const struct conditions *c, uint32_t row);

#endif /* COROPROF_OUTPUT_WHERE_H */
