/* SPDX-License-Identifier: GPL-2.0 */
/* Which columns of a table a screen has room for. */
#ifndef COROPROF_LAYOUT_H
#define COROPROF_LAYOUT_H

#include <stdbool.h>

/* Between two columns. */
#define LAYOUT_GAP	2u

/* Which columns go first where there is no room: the last of these. */
enum layout_rank {
	LAYOUT_NAME,	/* what distinguishes rows: never */
	LAYOUT_SORTED,	/* by which they are sorted */
	LAYOUT_DIGEST,	/* of the text's first screen */
	LAYOUT_TEXT,	/* of the tables of text */
	LAYOUT_PAGE,	/* of the page */
	LAYOUT_NOT,	/* in files only: is not shown */
};

/**
 * struct layout_column - a column
 * @rank:  enum layout_rank
 * @width: what it needs; a name may be narrower
 * @shown: it has room
 */
struct layout_column {
	enum layout_rank rank;
	unsigned int width;
	bool shown;
};

/* What is left of a name that has to be narrow. */
#define LAYOUT_NAME_LEAST	12u

/*
 * Sets @shown, and narrows names, so that all that is shown is @width wide at most. Columns of a
 * rank have room from the first to the last; where one has none, none behind it and of no later
 * rank has.
 */
void layout_fit(struct layout_column *columns, unsigned int nr, unsigned int width);

#endif /* COROPROF_LAYOUT_H */
