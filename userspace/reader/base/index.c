// SPDX-License-Identifier: GPL-2.0
/*
 * An open hash table with linear probing, whose hash is keyed at random, once a table. Removing an
 * entry moves the entries behind it, so that there are no tombstones.
 */
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "base/index.h"

#define FIRST_ENTRIES	64

static void make_seed(struct index *x)
{
	if (x->seed[1])
		return;
	if (getrandom(x->seed, sizeof(x->seed), 0) != sizeof(x->seed))
		x->seed[0] = x->seed[1] = (uint64_t)time(NULL);
	x->seed[1] |= 1ULL << 63 | 1;
}

static bool grow_entries(struct index *x)
{
	uint32_t entries = x->entries ? 2 * (x->mask + 1) : FIRST_ENTRIES;
	struct index bigger = *x;

	if (!entries)
		return false;
	make_seed(&bigger);
	bigger.entries = malloc(entries * sizeof(*bigger.entries));
	if (!bigger.entries)
		return false;
	bigger.mask = entries - 1;
	for (uint32_t i = 0; i < entries; i++)
		bigger.entries[i].value = INDEX_NONE;
	for (uint32_t i = 0; x->entries && i <= x->mask; i++) {
		const struct index_entry *e = &x->entries[i];

		if (e->value != INDEX_NONE)
			bigger.entries[index_find(&bigger, e->key, e->tag)] = *e;
	}
	free(x->entries);
	*x = bigger;
	return true;
}

bool index_put(struct index *x, uint64_t key, uint32_t tag, uint32_t value)
{
	uint32_t i;

	if ((!x->entries || x->used > x->mask / 4 * 3) && !grow_entries(x))
		return false;
	i = index_find(x, key, tag);
	if (x->entries[i].value == INDEX_NONE)
		x->used++;
	x->entries[i] = (struct index_entry){ key, tag, value };
	return true;
}

/* Moves later entries into the gap, so that a search for one of them does not end there. */
void index_remove(struct index *x, uint64_t key, uint32_t tag)
{
	uint32_t gap, i;

	if (!x->entries)
		return;
	gap = index_find(x, key, tag);
	if (x->entries[gap].value == INDEX_NONE)
		return;
	for (i = (gap + 1) & x->mask; x->entries[i].value != INDEX_NONE;
	     i = (i + 1) & x->mask) {
		uint32_t at = index_home(x, x->entries[i].key, x->entries[i].tag);

		if (((i - at) & x->mask) < ((i - gap) & x->mask))
			continue;
		x->entries[gap] = x->entries[i];
		gap = i;
	}
	x->entries[gap].value = INDEX_NONE;
	x->used--;
}

void index_free(struct index *x)
{
	free(x->entries);
	*x = (struct index){ 0 };
}
