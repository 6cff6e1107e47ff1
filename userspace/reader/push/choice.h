/* SPDX-License-Identifier: GPL-2.0 */
/* Which labels have figures of their own where they are sent, and by which name. */
#ifndef COROPROF_PUSH_CHOICE_H
#define COROPROF_PUSH_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define CHOICE_LABELS		50u
#define CHOICE_LABELS_MOST	1000u
#define CHOICE_PATTERNS		64u

/*
 * Series of a label, on the average, in engines that make one of each bucket; and no fewer than those
 * in all, as there is something that has no name.
 */
#define CHOICE_SERIES		30u
#define CHOICE_SERIES_LEAST	600u

/* A longer name is cut, and has a part of its digest in place of what is cut. */
#define CHOICE_NAME		200u

/**
 * struct choice - from --push-labels and --push-max-labels
 * @most:     so many at once, of all processes
 * @hashed:   their digests are sent in place of their names
 * @patterns: only labels that are like one of these; none: any
 * @nr_patterns: how many
 */
struct choice {
	uint32_t most;
	bool hashed;
	char *patterns[CHOICE_PATTERNS];
	unsigned int nr_patterns;
};

/* Words with commas between them: "hash", or what labels are like. */
int choice_parse(struct choice *choice, const char *text, struct error *err);
void choice_free(struct choice *choice);

/* Whether a label of that name may have figures of its own. */
bool choice_allows(const struct choice *choice, const char *name);

/* So many at most, of all labels and processes. */
uint64_t choice_series(const struct choice *choice);

/* By which name; NULL when out of memory. */
char *choice_name(const struct choice *choice, const char *name);

#endif /* COROPROF_PUSH_CHOICE_H */
