/* SPDX-License-Identifier: GPL-2.0 */
/* What threads do at this moment, in words. */
#ifndef COROPROF_NOW_H
#define COROPROF_NOW_H

#include "live/canvas.h"
#include "live/exchange.h"
#include "profile/model.h"

/*
 * A line of what threads do, and, from the longest on, @most slices that go on for a while already.
 * It is drawn @at some time: how long that was so before is said, if it is long. Returns the row
 * behind.
 */
unsigned int now_draw(const struct live_window *window, const struct model *model, uint64_t at,
		      struct canvas *canvas, unsigned int row, unsigned int most);

/* "query #88121 has held worker/5003 for 4.2 s, blocked, and goes on" */
void now_say(const struct live_thread *thread, const struct model *model, uint64_t now, char *to,
	     size_t capacity);

/* How a command has ended, by its wait status; nothing of -1. */
void now_put_end(struct canvas *canvas, unsigned int row, int status);

#endif /* COROPROF_NOW_H */
