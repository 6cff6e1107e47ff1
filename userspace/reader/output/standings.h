/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far the cells of each row can be relied on. That follows from what is known of the row, so
 * that most have it like others: it is kept once, and does not grow with the rows.
 */
#ifndef COROPROF_OUTPUT_STANDINGS_H
#define COROPROF_OUTPUT_STANDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "output/export.h"

/**
 * struct standings - of the rows of a table
 * @columns: those of the sheet whose cells may have any but STANDING_COUNTED
 * @width:   how many
 * @all:     an enum standing for each of these; and so of each that rows have
 * @nr:      of how many
 * @index:   by a hash of those which one it is
 * @one:     room for those of a row
 */
struct standings {
	unsigned int *columns;
	unsigned int width;
	uint8_t *all;
	uint32_t nr;
	struct index index;
	uint8_t *one;
};

/* Returns 0, or -1 when out of memory; then there is nothing to close. */
int standings_open(struct standings *s, const struct export *e);
void standings_close(struct standings *s);

/* Sets which of them the row has. False when out of memory. */
bool standings_of_row(struct standings *s, const struct sheet *sheet, uint32_t row,
		      uint32_t *which);

/* The standing of the cell in @column, in rows with the combination @which. */
static inline enum standing standings_at(const struct standings *s, uint32_t which,
					 unsigned int column)
{
	return s->all[(size_t)which * s->width + column];
}

#endif /* COROPROF_OUTPUT_STANDINGS_H */
