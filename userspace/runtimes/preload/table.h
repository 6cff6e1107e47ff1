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

/* The node of @key, or NULL. */
void *table_find(const struct table *table, uintptr_t key);
/* The same, but a new one, zeroed, if there is none; NULL without memory. */
void *table_get(struct table *table, uintptr_t key);
void table_each(const struct table *table, void (*fn)(void *node, void *data), void *data);

#endif /* TABLE_H */
