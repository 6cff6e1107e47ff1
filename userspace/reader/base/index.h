/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table from a number and a tag to an index. The numbers are chosen by
 * the recorded programs, so the hash is keyed at random: nobody can choose them
 * to collide.
 */
#ifndef COROPROF_INDEX_H
#define COROPROF_INDEX_H

#include <stdbool.h>
#include <stddef.h>
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

/* The place where the search for a key begins. Each of its bits depends on all of the key. */
static inline uint32_t index_home(const struct index *x, uint64_t key, uint32_t tag)
{
	unsigned __int128 product = (unsigned __int128)(key ^ x->seed[0]) *
				    (x->seed[1] + 2 * (uint64_t)tag);

	return (uint32_t)((uint64_t)product ^ (uint64_t)(product >> 64)) & x->mask;
}

/* The place of the entry with this key, or the free one where it belongs. The table has entries. */
static inline uint32_t index_find(const struct index *x, uint64_t key, uint32_t tag)
{
	uint32_t i = index_home(x, key, tag);

	while (x->entries[i].value != INDEX_NONE &&
	       (x->entries[i].key != key || x->entries[i].tag != tag))
		i = (i + 1) & x->mask;
	return i;
}

/* The value of a key, or INDEX_NONE. Inline, as it is called for every slice. */
static inline uint32_t index_get(const struct index *x, uint64_t key, uint32_t tag)
{
	return x->entries ? x->entries[index_find(x, key, tag)].value : INDEX_NONE;
}

/* The memory of the table in bytes. */
static inline size_t index_bytes(const struct index *x)
{
	return x->entries ? (x->mask + (size_t)1) * sizeof(*x->entries) : 0;
}

/* Adds or replaces; false when out of memory. @value is not INDEX_NONE. */
bool index_put(struct index *index, uint64_t key, uint32_t tag, uint32_t value);

void index_remove(struct index *index, uint64_t key, uint32_t tag);
void index_free(struct index *index);

#endif /* COROPROF_INDEX_H */
