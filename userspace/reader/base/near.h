/* SPDX-License-Identifier: GPL-2.0 */
/* What was meant by a word that was mistyped: the known words that are nearest to it. */
#ifndef COROPROF_NEAR_H
#define COROPROF_NEAR_H

#include <stdbool.h>
#include <stddef.h>

#define NEAR_MAX	5
/* Longer ones are near to nothing. */
#define NEAR_LENGTH	63
/* All of them, with ", " between. */
#define NEAR_LIST	(NEAR_MAX * (NEAR_LENGTH + 2) + 1)

/**
 * struct near - the nearest so far, the nearest first
 * @word:   what was typed
 * @length: bytes of it
 * @nr:     how many
 * @all:    them: the @name, and how many letters are to be changed (@far)
 */
struct near {
	const char *word;
	size_t length;
	unsigned int nr;
	struct {
		char name[NEAR_LENGTH + 1];
		unsigned int far;
	} all[NEAR_MAX];
};

/*
 * Takes @name in, if it is near: at most two letters of @word, and fewer than half of them, are
 * mistyped, added, left out, or swapped with the next; or @name begins with all of @word.
 * Capitals do not count. A name counts once.
 */
void near_offer(struct near *near, const char *name);

/* "run, running", or "". */
void near_list(const struct near *near, char to[NEAR_LIST]);

#endif /* COROPROF_NEAR_H */
