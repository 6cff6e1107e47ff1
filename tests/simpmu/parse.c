// SPDX-License-Identifier: GPL-2.0
/*
 * "cycles 1000 cache-misses:k 3 r1a3 5" to a list of what is to be counted.
 */
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "simpmu.h"

static const char * const names[] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= "cycles",
	[PERF_COUNT_HW_INSTRUCTIONS]		= "instructions",
	[PERF_COUNT_HW_CACHE_REFERENCES]	= "cache-references",
	[PERF_COUNT_HW_CACHE_MISSES]		= "cache-misses",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= "branches",
	[PERF_COUNT_HW_BRANCH_MISSES]		= "branch-misses",
};

static char *next_word(char **text)
{
	char *word;

	do {
		word = strsep(text, "\n ");
	} while (word && !*word);
	return word;
}

static int parse_event(char *word, struct simpmu_add *add)
{
	char *name = strsep(&word, ":");
	int i;

	if (word && strcmp(word, "k"))
		return -EINVAL;
	add->kernel = word;
	i = match_string(names, ARRAY_SIZE(names), name);
	if (i >= 0) {
		add->type = PERF_TYPE_HARDWARE;
		add->config = i;
		return 0;
	}
	if (name[0] != 'r')
		return -EINVAL;
	add->type = PERF_TYPE_RAW;
	return kstrtou64(name + 1, 16, &add->config);
}

/* Returns how many there are, or an error. Writes on @text. */
int simpmu_parse(char *text, struct simpmu_add *adds, unsigned int max)
{
	unsigned int nr = 0;
	char *event, *number;
	int err;

	while ((event = next_word(&text))) {
		number = next_word(&text);
		if (!number || nr == max)
			return -EINVAL;
		err = parse_event(event, &adds[nr]);
		if (err)
			return err;
		err = kstrtou64(number, 0, &adds[nr].n);
		if (err)
			return err;
		nr++;
	}
	return nr;
}
