// SPDX-License-Identifier: GPL-2.0
/* Decides which columns of a table fit on a screen, and how wide each is. */
#include <stddef.h>

#include "live/layout.h"

static unsigned int total_width(const struct layout_column *columns, unsigned int nr)
{
	unsigned int width = 0, shown = 0;

	for (unsigned int i = 0; i < nr; i++)
		if (columns[i].shown)
			width += columns[i].width + (shown++ ? LAYOUT_GAP : 0);
	return width;
}

/* Narrows the widest name first, until all fit or are as narrow as names may be. */
static void narrow_names(struct layout_column *columns, unsigned int nr, unsigned int width)
{
	while (total_width(columns, nr) > width) {
		struct layout_column *widest = NULL;

		for (unsigned int i = 0; i < nr; i++)
			if (columns[i].rank == LAYOUT_NAME && columns[i].width > LAYOUT_NAME_LEAST &&
			    (!widest || columns[i].width > widest->width))
				widest = &columns[i];
		if (!widest)
			return;
		widest->width--;
	}
}

static unsigned int least_width(const struct layout_column *c)
{
	return c->rank == LAYOUT_NAME && c->width > LAYOUT_NAME_LEAST ? LAYOUT_NAME_LEAST : c->width;
}

void layout_fit(struct layout_column *columns, unsigned int nr, unsigned int width)
{
	unsigned int used = 0, shown = 0;
	bool full = false;

	for (unsigned int i = 0; i < nr; i++)
		columns[i].shown = false;
	for (enum layout_rank rank = LAYOUT_NAME; rank < LAYOUT_NOT; rank++)
		for (unsigned int i = 0; i < nr; i++) {
			struct layout_column *c = &columns[i];
			/* Names give way for what is in the digest, and for nothing else. */
			unsigned int wide = rank <= LAYOUT_DIGEST ? least_width(c) : c->width;

			if (c->rank != rank)
				continue;
			if (rank >= LAYOUT_TEXT && !full && used < total_width(columns, nr))
				used = total_width(columns, nr);
			full |= used + wide + (shown ? LAYOUT_GAP : 0) > width && shown;
			if (full && rank != LAYOUT_NAME)
				continue;
			c->shown = true;
			used += wide + (shown++ ? LAYOUT_GAP : 0);
		}
	narrow_names(columns, nr, width);
}
