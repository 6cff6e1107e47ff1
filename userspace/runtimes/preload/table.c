// SPDX-License-Identifier: LGPL-2.1-or-later
/* A hash table without a lock: nodes are added, and none is ever removed. */
#include <stdbool.h>
#include <stdlib.h>

#include "table.h"

void *table_add(const struct table *table, struct table_node *new)
{
	struct table_node **bucket = table_bucket(table, new->key);
	struct table_node *first = __atomic_load_n(bucket, __ATOMIC_ACQUIRE), *node;

	do {
		node = table_search(first, new->key);
		if (node) {
			free(new);
			return node;
		}
		new->next = first;
	} while (!__atomic_compare_exchange_n(bucket, &first, new, false, __ATOMIC_RELEASE,
					      __ATOMIC_ACQUIRE));
	return new;
}

void *table_get(const struct table *table, uintptr_t key)
{
	struct table_node *node = table_find(table, key);

	if (node)
		return node;
	node = calloc(1, table->node_size);
	if (!node)
		return NULL;
	node->key = key;
	return table_add(table, node);
}

void table_each(const struct table *table, void (*fn)(void *node, void *data), void *data)
{
	struct table_node *node;

	for (size_t i = 0; i < table->nr_buckets; i++) {
		node = __atomic_load_n(&table->buckets[i], __ATOMIC_ACQUIRE);
		for (; node; node = node->next)
			fn(node, data);
	}
}
