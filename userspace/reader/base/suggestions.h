/* SPDX-License-Identifier: GPL-2.0 */
/* What was meant by a word that was mistyped: the known words that are nearest to it. */
#ifndef COROPROF_SUGGESTIONS_H
#define COROPROF_SUGGESTIONS_H

#include <stdbool.h>
#include <stddef.h>

#define SUGGESTIONS_MAX	5
/* Longer ones are near to nothing. */
#define SUGGESTIONS_LENGTH	63
/* All of them, with ", " between. */
#define SUGGESTIONS_LIST	(SUGGESTIONS_MAX * (SUGGESTIONS_LENGTH + 2) + 1)

/**
 * struct suggestions - the nearest so far, the nearest first
 * @word:   what was typed
 * @length: bytes of it
 * @nr:     how many
 * @all:    them: the @name, and how many letters are to be changed (@far)
 */
struct suggestions {
	const char *word;
	size_t length;
	unsigned int nr;
	struct {
		char name[SUGGESTIONS_LENGTH + 1];
		unsigned int far;
	} all[SUGGESTIONS_MAX];
};

/*
 * Takes @name in, if it is near: at most two letters of @word, and fewer than half of them, are
 * mistyped, added, left out, or swapped with the next; or @name begins with all of @word.
 * Capitals do not count. A name counts once.
 */
void suggestions_add(struct suggestions *suggestions, const char *name);

/* "run, running", or "". */
void suggestions_list(const struct suggestions *suggestions, char to[SUGGESTIONS_LIST]);

#endif /* COROPROF_SUGGESTIONS_H */
