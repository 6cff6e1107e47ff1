/* SPDX-License-Identifier: GPL-2.0 */
/* All that a model says, as a list of numbers: two models compare to the bit. */
#ifndef COROPROF_TESTS_DUMP_H
#define COROPROF_TESTS_DUMP_H

#include "profile/build.h"

/**
 * struct dump - the numbers
 * @values: of all rows
 * @nr:     how many
 * @where:  for each of them, the table and the row it is of
 */
struct dump_at {
	const char *table;
	uint32_t row;
};

struct dump {
	uint64_t *values;
	struct dump_at *where;
	uint32_t nr;
	uint32_t room;
};

/* All tables of a model. */
struct dump dump_model(const struct model *m);
/* What a finished profile has besides. */
void dump_profile(struct dump *d, const struct build *b);

bool dump_same(const struct dump *a, const struct dump *b);
const char *dump_difference(const struct dump *a, const struct dump *b);
void dump_free(struct dump *d);

/* A model with the processes and channels of @m, and nothing else. */
struct model *dump_copy_context(const struct model *m);

#endif /* COROPROF_TESTS_DUMP_H */
