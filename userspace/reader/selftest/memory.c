// SPDX-License-Identifier: GPL-2.0
/*
 * Chooses how much memory is certainly beyond the last cache: four times the largest that sysfs
 * names, if that is at most a quarter of what is available.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "selftest/memory.h"

#define CACHE		"/sys/devices/system/cpu/cpu0/cache/index%u/size"
#define LEVELS_MAX	8
/* Virtual machines often report a smaller one than there is, or of none. */
#define CACHE_LEAST	(64ull << 20)
/* Three of four accesses, and more, miss a cache that holds a quarter. */
#define CACHE_TIMES	4
/* Of the memory that is available. */
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
	return largest > CACHE_LEAST ? largest : CACHE_LEAST;
}

static uint64_t available_memory(void)
{
	static const char key[] = "\nMemAvailable:";
	char text[4096];
	const char *line;

	if (!read_text("/proc/meminfo", text, sizeof(text)))
		return 0;
	line = strstr(text, key);
	return line ? strtoull(line + strlen(key), NULL, 10) << 10 : 0;
}

uint64_t memory_far_bytes(const char **why)
{
	static char text[128];
	uint64_t wanted = CACHE_TIMES * largest_cache();
	uint64_t there = available_memory();

	if (wanted <= there / MEMORY_SHARE)
		return wanted;
	snprintf(text, sizeof(text), "%llu MiB, more than any cache holds, are more than a quarter of what is available, %llu MiB",
		 (unsigned long long)wanted >> 20, (unsigned long long)there >> 20);
	*why = text;
	return 0;
}
