// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/util.h"
#include "selftest/memory.h"

#define CACHE		"/sys/devices/system/cpu/cpu0/cache/index%u/size"
#define LEVELS_MAX	8
/* What is taken where the system does not tell. */
#define CACHE_USUAL	(64ull << 20)
/* Three of four accesses, and more, miss a cache that holds a quarter. */
#define CACHE_TIMES	4
/* Of the memory that is free. */
#define MEMORY_SHARE	4

static uint64_t largest_cache(void)
{
	uint64_t largest = 0;

	for (unsigned int i = 0; i < LEVELS_MAX; i++) {
		char path[64], text[32], *unit;
		uint64_t size;

		snprintf(path, sizeof(path), CACHE, i);
		if (!read_text(path, text, sizeof(text)))
			break;
		size = strtoull(text, &unit, 10);
		size <<= *unit == 'M' ? 20 : *unit == 'K' ? 10 : 0;
		if (size > largest)
			largest = size;
	}
	return largest ? largest : CACHE_USUAL;
}

uint64_t memory_far_bytes(const char **why)
{
	static char text[128];
	uint64_t wanted = CACHE_TIMES * largest_cache();
	uint64_t free = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	if (wanted <= free / MEMORY_SHARE)
		return wanted;
	snprintf(text, sizeof(text), "%llu MiB, more than any cache holds, are more than a quarter of free memory, %llu MiB",
		 (unsigned long long)wanted >> 20, (unsigned long long)free >> 20);
	*why = text;
	return 0;
}
