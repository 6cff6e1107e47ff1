/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every export says beside its figures, as the text output does in its
 * header: how it was recorded, the standing of each counter, what was lost,
 * simulated, not reported or not read.
 */
#ifndef COROPROF_NOTES_H
#define COROPROF_NOTES_H

#include <stddef.h>

#include "profile/model.h"

/**
 * struct note - one line of it
 * @title: what it is of, such as "counters"; lines that follow may have the same
 * @text:  the line
 */
struct note {
	const char *title;
	const char *text;
};

/**
 * struct notes - all of them
 * @list: they
 * @nr:   how many
 * @text: what they point into
 */
struct notes {
	struct note *list;
	uint32_t nr;
	char *text;
};

/* Returns 0, or -1 with errno. */
int notes_make(struct notes *notes, const struct model *model);

/*
 * Joins all lines with the title of note @at, which follow each other, in one text. Returns the
 * note where the next title begins. Most forms can't have two members of one name.
 */
uint32_t notes_join(const struct notes *notes, uint32_t at, char *text, size_t capacity);
void notes_free(struct notes *notes);

#endif /* COROPROF_NOTES_H */
