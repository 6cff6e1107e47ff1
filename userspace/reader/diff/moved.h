/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names with the line that they are defined at, such as "render@app.lua:31", of which the line
 * has moved from one recording to the other: they are of one thing if there is one candidate
 * on each side. Where there are more, nothing is taken for granted, and that is said.
 */
#ifndef COROPROF_DIFF_MOVED_H
#define COROPROF_DIFF_MOVED_H

#include "profile/model.h"

#define MOVED		"moved line"
#define MOVED_UNSURE	"lines that can't be paired"

/*
 * Gives labels, spans and functions of @old that moved their names in @new, and adds to the
 * facts of that which these are. Returns 0, or -1 when out of memory.
 */
int moved_pair(struct model *new, struct model *old);

/* What it was called in the old recording; NULL: the same. */
const char *moved_from(const struct model *model, const char *name);

#endif /* COROPROF_DIFF_MOVED_H */
