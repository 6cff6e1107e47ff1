/* SPDX-License-Identifier: GPL-2.0 */
/* What threads do at this moment, in words. */
#ifndef COROPROF_NOW_H
#define COROPROF_NOW_H

#include "live/canvas.h"
#include "live/exchange.h"
#include "profile/model.h"

/*
 * Draws a line with the states of threads, and the @most longest open slices. @at: the time of
 * drawing; if the states are much older, their age is drawn. Returns the next row.
 */
unsigned int now_draw(const struct live_window *window, const struct model *model, uint64_t at,
		      struct canvas *canvas, unsigned int row, unsigned int most);

/*
 * Writes a sentence on an open slice: "query #88121 has held worker/5003 for 4.2 s, blocked, and
 * goes on".
 */
void now_say(const struct live_thread *thread, const struct model *model, uint64_t now, char *to,
	     size_t capacity);

/* Writes how a command has ended, by its wait status; nothing for -1. */
void now_put_end(struct canvas *canvas, unsigned int row, int status);

#endif /* COROPROF_NOW_H */
