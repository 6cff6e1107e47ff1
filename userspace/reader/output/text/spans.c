// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "output/text/cells.h"
#include "output/text/list.h"
#include "output/text/text.h"

static void columns(struct table *t, const struct model *m)
{
	table_column(t, "span", true);
	table_column(t, "in", true);
	column_process(t, m);
	table_column(t, "calls", false);
	table_column(t, "outermost", false);
	table_column(t, "own running", false);
	table_column(t, "total running", false);
	table_column(t, "own wall", false);
	table_column(t, "total wall", false);
	for (uint32_t i = 0; i < m->nr_columns; i++) {
		char title[80];

		snprintf(title, sizeof(title), "own %s", m->columns[i].name);
		table_column(t, title, false);
		snprintf(title, sizeof(title), "total %s", m->columns[i].name);
		table_column(t, title, false);
	}
}

static void cells(struct table *t, const struct model *m, uint32_t row,
		  size_t width)
{
	const struct model_label_span *l = &m->label_spans[row];
	const struct model_span_sums *s = &l->sums;

	table_cell(t, m->spans[l->span].name, width);
	table_cell(t, m->labels[l->label].name, width);
	cell_process(t, m, m->spans[l->span].process);
	cell_number(t, s->calls);
	cell_number(t, s->outermost);
	cell_bound_ns(t, s->own_running_ns, s->at_most);
	cell_ns(t, s->running_ns);
	cell_bound_ns(t, s->own_wall_ns, s->at_most);
	cell_ns(t, s->wall_ns);
	for (uint32_t i = 0; i < m->nr_columns; i++) {
		bool is_time = model_column_is_time(&m->columns[i]);

		cell_value(t, model_label_span_value(m, row, i, true), is_time, s->at_most);
		cell_value(t, model_label_span_value(m, row, i, false), is_time, false);
	}
}

static struct row *rows(const struct model *m, uint32_t *nr)
{
	struct row *rows = calloc((size_t)m->nr_label_spans + 1, sizeof(*rows));

	*nr = m->nr_label_spans;
	for (uint32_t i = 0; rows && i < *nr; i++)
		rows[i] = (struct row){
			.by = (double)m->label_spans[i].sums.own_running_ns, .index = i,
		};
	return rows;
}

const struct list list_spans = {
	.one = "span", .many = "spans", .most = TEXT_SPANS,
	.columns = columns, .rows = rows, .cells = cells,
};
