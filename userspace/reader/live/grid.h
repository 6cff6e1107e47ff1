/* SPDX-License-Identifier: GPL-2.0 */
/* Some rows of a table on a canvas. */
#ifndef COROPROF_LIVE_GRID_H
#define COROPROF_LIVE_GRID_H

#include "live/canvas.h"
#include "live/trend.h"
#include "tables/table.h"

#define GRID_NO_ROW	UINT32_MAX

/**
 * struct live_grid - what of a table is drawn
 * @sheet:    the table
 * @rows:     these of its rows
 * @nr:       how many
 * @selected: one of them, or GRID_NO_ROW
 * @sorted:   name of the column that they are sorted by, or NULL
 * @columns:  as in struct view_options
 * @trend:    beside a column that is described as a bar, how it went; of labels alone; or NULL
 */
struct live_grid {
	const struct sheet *sheet;
	const uint32_t *rows;
	uint32_t nr;
	uint32_t selected;
	const char *sorted;
	const char *columns;
	const struct trend *trend;
};

/* Draws a line of titles, and rows below, from row @row of the canvas on. */
void live_grid_draw(const struct live_grid *grid, struct canvas *canvas, unsigned int row);

#endif /* COROPROF_LIVE_GRID_H */
