// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>

#include "output/figure.h"
#include "output/text/cells.h"
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

static void cell_value(struct table *t, const struct model *m, uint32_t row,
		       uint32_t column, bool own)
{
	struct model_value v = model_label_span_value(m, row, column, own);
	char text[FIGURE_ROOM], bound[FIGURE_ROOM + 2];
	bool at_most = own && m->label_spans[row].sums.at_most && v.present &&
		       v.standing >= COROPROF_STANDING_SCALED;

	figure_value(text, v, model_column_is_time(&m->columns[column]));
	snprintf(bound, sizeof(bound), "%s%s", at_most ? "<=" : "", text);
	table_cell(t, bound, ANY_WIDTH);
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
		cell_value(t, m, row, i, true);
		cell_value(t, m, row, i, false);
	}
}

int text_write_spans(const struct model *m, FILE *file)
{
	struct row *rows = calloc((size_t)m->nr_label_spans + 1, sizeof(*rows));
	size_t width = label_width_on(file);
	struct table t = { 0 };

	if (!rows)
		return -1;
	for (uint32_t i = 0; i < m->nr_label_spans; i++)
		rows[i] = (struct row){ m->label_spans[i].sums.own_running_ns, i };
	rows_sort(rows, m->nr_label_spans);
	columns(&t, m);
	for (uint32_t i = 0; i < m->nr_label_spans && i < TEXT_SPANS; i++)
		cells(&t, m, rows[i].index, width);
	free(rows);
	if (table_write(&t, file))
		return -1;
	if (m->nr_label_spans > TEXT_SPANS)
		fprintf(file, "and %" PRIu32 " more spans\n",
			m->nr_label_spans - TEXT_SPANS);
	return 0;
}
