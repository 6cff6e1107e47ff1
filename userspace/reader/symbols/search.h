/* SPDX-License-Identifier: GPL-2.0 */
/* Searches in lists of ranges of addresses that are sorted by where they begin. */
#ifndef COROPROF_SEARCH_H
#define COROPROF_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * How many elements of a list begin at @address or below. Each element starts with its begin, a
 * uint64_t.
 */
static inline size_t search_begun(const void *list, size_t nr, size_t size, uint64_t address)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t begin;

		memcpy(&begin, (const char *)list + middle * size, sizeof(begin));
		if (begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif /* COROPROF_SEARCH_H */
