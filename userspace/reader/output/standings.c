// SPDX-License-Identifier: GPL-2.0
/*
 * Gives each combination of standings that the cells of a row may have a number, found by a hash:
 * nearly all rows share a few.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "output/standings.h"

int standings_open(struct standings *s, const struct export *e)
{
	*s = (struct standings){
		.columns = calloc(e->sheet.nr_columns + 1, sizeof(*s->columns)),
		.one = calloc(e->sheet.nr_columns + 1, sizeof(*s->one)),
	};
	if (!s->columns || !s->one) {
		standings_close(s);
		return -1;
	}
	for (unsigned int i = 0; i < e->sheet.nr_columns; i++)
		if (e->wanted[i] && e->sheet.columns[i].unsure)
			s->columns[s->width++] = i;
	return 0;
}

void standings_close(struct standings *s)
{
	free(s->columns);
	free(s->all);
	free(s->one);
	index_free(&s->index);
}

static bool add_combination(struct standings *s, uint64_t hash, uint32_t tag)
{
	if (!array_grow(&s->all, s->nr, s->width) || !index_put(&s->index, hash, tag, s->nr))
		return false;
	memcpy(s->all + (size_t)s->nr * s->width, s->one, s->width);
	s->nr++;
	return true;
}

bool standings_of_row(struct standings *s, const struct sheet *sheet, uint32_t row,
		      uint32_t *which)
{
	uint64_t hash;

	for (unsigned int i = 0; i < s->width; i++)
		s->one[i] = (uint8_t)sheet_cell(sheet, row, s->columns[i]).standing;
	hash = hash_bytes(HASH_BEGIN, s->one, s->width);
	/* Others of the same hash, if there are any, have the next tags. */
	for (uint32_t tag = 0;; tag++) {
		*which = index_get(&s->index, hash, tag);
		if (*which == INDEX_NONE) {
			*which = s->nr;
			return add_combination(s, hash, tag);
		}
		if (!memcmp(s->all + (size_t)*which * s->width, s->one, s->width))
			return true;
	}
}
