// SPDX-License-Identifier: GPL-2.0
/* The list of all tables, and whether any of them has the columns that metrics are made of. */
#include <errno.h>
#include <string.h>

#include "tables/describe.h"
#include "tables/metric.h"

const struct table *const tables[] = {
	&table_recording, &table_counters, &table_labels, &table_latency, &table_longest,
	&table_findings, &table_lengths, &table_coroutines, &table_threads, &table_processes,
	&table_modes, &table_costs, &table_wakes, &table_spans, &table_label_spans,
	&table_span_tree, &table_functions, &table_label_functions, &table_sample_tree,
	&table_lines, &table_line_tree, &table_timeline, &table_heat_map, &table_timeline_wakes,
	&table_timeline_spans, &table_timeline_samples, &table_damage, &table_info,
	&table_answers, &table_changes, &table_change_tree, &table_compared, &table_slow_of,
	&table_slow, &table_slow_tree,
};

const unsigned int nr_tables = ARRAY_SIZE(tables);

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

/* @taken: a table in which the name is taken, so that this column was given a longer one. */
static bool is_column(const struct model *model, const struct metric *metric,
		      const struct table **taken)
{
	bool found = false;
	struct sheet s;

	for (unsigned int t = 0; t < nr_tables && !*taken; t++) {
		if (sheet_open(&s, tables[t], model))
			return true;
		for (unsigned int i = 0; i < s.nr_columns; i++) {
			if (s.columns[i].metric != metric)
				continue;
			found = true;
			if (strcmp(s.columns[i].name, metric->name))
				*taken = tables[t];
		}
		sheet_close(&s);
	}
	return found;
}

int metrics_check(const struct model *model, struct error *err)
{
	for (unsigned int i = 0; i < model->nr_metrics; i++) {
		const struct table *taken = NULL;

		if (!is_column(model, &model->metrics[i], &taken))
			return error_set(err, EINVAL, "--metric '%s': no table has all the columns of the formula. 'coroprof help columns' lists the columns; the counters of this recording are columns, too; a name with other characters needs double quotes",
					 model->metrics[i].name);
		if (taken)
			return error_set(err, EINVAL, "--metric '%s': the table %s has a column of that name, or exports of it have one beside another column: give it another, such as --metric 'my %s = ...'",
					 model->metrics[i].name, taken->name, model->metrics[i].name);
	}
	return 0;
}
