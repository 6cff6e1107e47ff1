/* SPDX-License-Identifier: GPL-2.0 */
/*
 * coroprof top: a flight recorder, and a thread beside it that shows what is kept. What it shows is
 * a recording of the window, added up and described as any other; so each figure is as it would be
 * in 'coroprof report' of the file that the key d writes.
 */
#ifndef COROPROF_TOP_H
#define COROPROF_TOP_H

#include <stdbool.h>

#include "base/error.h"
#include "output/view-options.h"
#include "record/observer.h"

struct top;

/*
 * The terminal is looked at, and not changed before the recording runs. @name: what is recorded.
 * @view: how tables are wanted; it stays the caller's. @command: there is one, which gets
 * another place to write to.
 */
int top_begin(struct top **top, const char *name, const struct view_options *view, bool no_inline,
	      bool command, struct error *err);
/* For the recording. */
struct record_observer *top_observer(struct top *top);
/* The terminal is as it was: shows what the command has written. */
void top_end(struct top *top);

#endif /* COROPROF_TOP_H */
