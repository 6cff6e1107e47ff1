/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A table from addresses to nodes that holders of no lock may read and add to.
 * Nothing is ever taken out: what stands for a thing that is gone is there to
 * be found when its address is used again.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>
#include <stdint.h>

/* First in whatever a table holds. */
struct table_node {
	uintptr_t key;
	struct table_node *next;
};

struct table {
	struct table_node **buckets;
	size_t nr_buckets;	/* a power of two */
	size_t node_size;
};

static inline struct table_node **table_bucket(const struct table *table, uintptr_t key)
{
	return &table->buckets[(key * 0x9e3779b97f4a7c15ULL >> 32) & (table->nr_buckets - 1)];
}

static inline struct table_node *table_search(struct table_node *node, uintptr_t key)
{
	while (node && node->key != key)
		node = node->next;
	return node;
}

/* The node of @key, or NULL. */
static inline void *table_find(const struct table *table, uintptr_t key)
{
	return table_search(__atomic_load_n(table_bucket(table, key), __ATOMIC_ACQUIRE), key);
}

/* The same, but a new one, zeroed, if there is none; NULL without memory. */
void *table_get(const struct table *table, uintptr_t key);
/*
 * Adds a node that was filled before others can see it. Returns it, or, with it
 * freed, the one that is there already.
 */
void *table_add(const struct table *table, struct table_node *new);
void table_each(const struct table *table, void (*fn)(void *node, void *data), void *data);

#endif /* TABLE_H */
