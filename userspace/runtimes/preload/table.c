// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdlib.h>

#include "table.h"

static struct table_node **bucket_of(const struct table *table, uintptr_t key)
{
	return &table->buckets[(key * 0x9e3779b97f4a7c15ULL >> 32) & (table->nr_buckets - 1)];
}

static struct table_node *search(struct table_node *node, uintptr_t key)
{
	while (node && node->key != key)
		node = node->next;
	return node;
}

void *table_find(const struct table *table, uintptr_t key)
{
	return search(__atomic_load_n(bucket_of(table, key), __ATOMIC_ACQUIRE), key);
}

void *table_get(struct table *table, uintptr_t key)
{
	struct table_node **bucket = bucket_of(table, key);
	struct table_node *first = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
	struct table_node *node = search(first, key), *new;

	if (node)
		return node;
	new = calloc(1, table->node_size);
	if (!new)
		return NULL;
	new->key = key;
	for (;;) {
		new->next = first;
		if (__atomic_compare_exchange_n(bucket, &first, new, false, __ATOMIC_RELEASE,
						__ATOMIC_ACQUIRE))
			return new;
		node = search(first, key);
		if (node) {
			free(new);
			return node;
		}
	}
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
