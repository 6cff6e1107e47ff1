// SPDX-License-Identifier: GPL-2.0
/* The list of all tables, and names of kinds and sums. */
#include <ctype.h>
#include <string.h>

#include "tables/describe.h"

const struct table *const tables[] = {
	&table_recording, &table_counters, &table_labels, &table_latency, &table_longest,
	&table_findings, &table_lengths, &table_coroutines,
	&table_threads, &table_processes, &table_modes, &table_costs, &table_wakes, &table_spans,
	&table_label_spans, &table_span_tree, &table_functions, &table_label_functions,
	&table_sample_tree, &table_lines, &table_line_tree, &table_timeline, &table_heat_map, &table_timeline_wakes,
	&table_timeline_spans, &table_timeline_samples, &table_damage, &table_info, &table_answers, &table_changes,
	&table_change_tree, &table_compared, &table_slow_of, &table_slow, &table_slow_tree,
};

const unsigned int nr_tables = ARRAY_SIZE(tables);

const char *const no_yes[] = { "no", "yes", NULL };

const struct table *table_named(const char *name)
{
	for (unsigned int i = 0; i < nr_tables; i++)
		if (name_is(tables[i]->name, name, strlen(name)))
			return tables[i];
	return NULL;
}

bool table_is_timeline(const struct table *table)
{
	return table == &table_timeline || table == &table_heat_map ||
	       table == &table_timeline_wakes || table == &table_timeline_spans ||
	       table == &table_timeline_samples;
}

static char same(char c)
{
	return c == '-' || c == '_' ? ' ' : (char)tolower((unsigned char)c);
}

bool name_is(const char *name, const char *text, size_t length)
{
	for (size_t c = 0; c < length; c++)
		if (!name[c] || same(name[c]) != same(text[c]))
			return false;
	return !name[length];
}

const char *kind_name(enum kind kind)
{
	static const char *const names[KIND_NR] = {
		[KIND_TEXT] = "text", [KIND_ID] = "id", [KIND_COUNT] = "count",
		[KIND_EVENTS] = "events", [KIND_NS] = "ns", [KIND_TIME] = "time",
		[KIND_SHARE] = "share", [KIND_RATIO] = "ratio", [KIND_WORD] = "word",
		[KIND_FLAGS] = "flags", [KIND_ROW] = "row",
	};

	return names[kind];
}

const char *sums_name(enum sums sums)
{
	static const char *const names[SUMS_NR] = {
		[SUMS_NOT] = "not", [SUMS_ADD] = "add", [SUMS_MAX] = "max", [SUMS_MIN] = "min",
	};

	return names[sums];
}
