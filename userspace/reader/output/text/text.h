/* SPDX-License-Identifier: GPL-2.0 */
/* A model as plain text: how it was recorded, labels, the top coroutines. */
#ifndef COROPROF_TEXT_H
#define COROPROF_TEXT_H

#include <stdio.h>

#include "base/error.h"
#include "output/text/list.h"
#include "output/view-options.h"
#include "profile/model.h"

/* So many rows at most; what is left out is said. */
#define TEXT_LABELS	100
#define TEXT_LATENCIES	5	/* of each kind */
#define TEXT_COROUTINES	20
#define TEXT_SPANS	50
#define TEXT_FUNCTIONS	10	/* of each of */
#define TEXT_LINES	15
#define TEXT_SAMPLED_LABELS	10
#define TEXT_THREADS	20
#define TEXT_ROWS	100	/* of other tables */
#define TEXT_ANSWERS	10	/* in words, before all tables */

/* Returns 0, or -1 with errno when @file could not be written. */
int text_write(const struct model *model, const struct view_options *view, FILE *file);

/*
 * The columns of the terminal that @file is; 0 if it is none, as lines of a file can be scrolled.
 */
uint32_t text_width(FILE *file);

/* How a table is shown. */
struct list text_list(const struct table *table, const struct view_options *view);

/* Fails unless each column that is asked for exists. */
int text_check(const struct model *model, const struct view_options *view, struct error *err);

/*
 * The part before the tables: lines of a title, which is empty where it is that of
 * the line before, up to TEXT_TITLE columns, a space, and text.
 */
#define TEXT_TITLE	11
#define TEXT_COMMAND	"command"	/* the title of what was recorded */
#define TEXT_FINDINGS	"findings"	/* of what is worth a look */
#define TEXT_CHANGED	"changed"	/* of what a comparison has found */

void text_write_header(const struct model *model, FILE *file);
/*
 * Those of the digest: facts that hold in few words, a line for each that does not. The head has
 * all that a figure must not be read without, and the answer; the end says how it was recorded.
 */
void text_write_brief(const struct model *model, FILE *file);
void text_write_brief_end(const struct model *model, FILE *file);
/*
 * Writes the head of a window of `top`: what threads did, whether that is all, and a line for each
 * thing that is wrong.
 */
void text_write_live(const struct model *model, FILE *file);

#endif /* COROPROF_TEXT_H */
