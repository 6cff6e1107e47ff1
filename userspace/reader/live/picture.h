/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What coroprof top shows, drawn on a canvas. Tables come from their descriptions alone: a column
 * that is added to one is here as well.
 */
#ifndef COROPROF_PICTURE_H
#define COROPROF_PICTURE_H

#include <stdint.h>

#include "live/canvas.h"
#include "live/choices.h"
#include "live/exchange.h"
#include "live/trend.h"
#include "output/order.h"
#include "tables/metric.h"
#include "tables/table.h"

/**
 * struct picture - what is to be shown
 * @model:   of the window, or NULL: there is none yet
 * @window:  likewise
 * @name:    what is recorded, printable
 * @view:    how tables are wanted, from the command line
 * @cpu:     share of a processor that this program takes; negative: not known
 * @at:      when it is drawn
 * @every:   windows are so many ticks apart, as adding one up takes so long; 1: they are not
 * @trend:   of the windows up to this one
 * @message: the last warning, or NULL
 * @sheet:   the table that is shown, if @opened
 * @order:   its rows
 * @opened:  see there
 * @drawn:   what @order is of: the view, its order and condition
 * @selected: what the selected row is called, so that it is found again among those of another
 *           model; "": it has no name
 */
struct picture {
	const struct model *model;
	const struct live_window *window;
	const char *name;
	const struct view_options *view;
	double cpu;
	uint64_t at;
	unsigned int every;
	struct trend trend;
	const char *message;
	struct sheet sheet;
	struct order order;
	bool opened;
	struct {
		unsigned int view;
		char sort[CHOICES_LINE];
		char filter[CHOICES_LINE];
	} drawn;
	char selected[ROW_TITLE_SIZE];
};

/*
 * Shows another model, and holds nothing of the one before any more. @model: as in struct picture.
 */
void picture_show(struct picture *picture, const struct model *model,
		  const struct live_window *window);
void picture_free(struct picture *picture);

/* Draws the whole screen. Sets in @choices which rows there are. */
void picture_draw(struct picture *picture, struct choices *choices, struct canvas *canvas);

/*
 * True if what was typed is a column, or a condition, of the view; its full form is copied to @to.
 * Else the reason is copied to @why.
 */
bool picture_check(struct picture *picture, const struct choices *choices, char to[CHOICES_LINE],
		   char why[256]);

#endif /* COROPROF_PICTURE_H */
