// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <string.h>

#include "output/figure.h"
#include "output/text/cells.h"

void cell_ns(struct table *t, uint64_t ns)
{
	char text[FIGURE_ROOM];

	figure_ns(text, ns);
	t->value = (double)ns;
	table_cell(t, text, ANY_WIDTH);
}

void cell_bound_ns(struct table *t, uint64_t ns, bool at_most)
{
	char text[FIGURE_ROOM], bound[FIGURE_ROOM + 2];

	figure_ns(text, ns);
	snprintf(bound, sizeof(bound), "%s%s", at_most ? "<=" : "", text);
	t->value = (double)ns;
	table_cell(t, bound, ANY_WIDTH);
}

void cell_number(struct table *t, uint64_t number)
{
	char text[FIGURE_ROOM];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	t->value = (double)number;
	table_cell(t, text, ANY_WIDTH);
}

void cell_known(struct table *t, struct model_ns ns)
{
	char text[FIGURE_ROOM];

	figure_known(text, ns);
	if (ns.known != MODEL_NA)
		t->value = (double)ns.ns;
	table_cell(t, text, ANY_WIDTH);
}

void cell_value(struct table *t, struct model_value value, bool is_time, bool at_most)
{
	bool there = value.present && value.standing >= COROPROF_STANDING_SCALED;
	char text[FIGURE_ROOM], bound[FIGURE_ROOM + 2];

	figure_value(text, value, is_time);
	snprintf(bound, sizeof(bound), "%s%s", at_most && there ? "<=" : "", text);
	if (there)
		t->value = (double)value.estimate;
	table_cell(t, bound, ANY_WIDTH);
}

void cell_share(struct table *t, uint64_t part, uint64_t whole)
{
	char text[FIGURE_ROOM] = "n/a";

	if (whole) {
		t->value = (double)part / (double)whole;
		figure_share(text, t->value);
	}
	table_cell(t, text, ANY_WIDTH);
}

void column_process(struct table *t, const struct model *m)
{
	if (m->nr_processes > 1)
		table_column(t, "process", true);
}

void cell_process(struct table *t, const struct model *m, uint32_t index)
{
	char text[80] = "";

	if (m->nr_processes <= 1)
		return;
	if (index != MODEL_NONE)
		snprintf(text, sizeof(text), "%s %" PRId32,
			 m->processes[index].comm, m->processes[index].pid);
	table_cell(t, text, ANY_WIDTH);
}

void column_samples(struct table *t, const struct model *m)
{
	if (m->sampled)
		table_column(t, "samples", false);
}

void cell_samples(struct table *t, const struct model *m, uint64_t samples)
{
	if (m->sampled)
		cell_number(t, samples);
}

void cell_no_samples(struct table *t, const struct model *m)
{
	if (m->sampled)
		table_cell(t, "n/a", ANY_WIDTH);
}
