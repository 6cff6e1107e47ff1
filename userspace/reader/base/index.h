/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table from a number and a tag to an index. The numbers are chosen by
 * the recorded programs, so the hash is keyed at random: nobody can choose them
 * to collide.
 */
#ifndef COROPROF_INDEX_H
#define COROPROF_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#define INDEX_NONE	UINT32_MAX

struct index_entry {
	uint64_t key;
	uint32_t tag;
	uint32_t value;		/* INDEX_NONE: the entry is free */
};

/* All zero is an empty index. */
struct index {
	struct index_entry *entries;
	uint32_t mask;
	uint32_t used;
	uint64_t seed[2];
};

/* INDEX_NONE if there is none. */
uint32_t index_get(const struct index *index, uint64_t key, uint32_t tag);

/* Soon to be asked for: brings the entry nearer. */
void index_prefetch(const struct index *index, uint64_t key, uint32_t tag);

/* Adds or replaces; false when out of memory. @value is not INDEX_NONE. */
bool index_put(struct index *index, uint64_t key, uint32_t tag, uint32_t value);

void index_remove(struct index *index, uint64_t key, uint32_t tag);
void index_free(struct index *index);

#endif /* COROPROF_INDEX_H */
