// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "output/text/cells.h"
#include "output/text/list.h"
#include "output/text/text.h"

#define FUNCTION_WIDTH	80

static void function_cells(struct table *t, const struct model *m,
			   const struct model_label_frame *l, size_t width)
{
	const struct model_frame *f = &m->frames[l->frame];
	uint64_t all = m->labels[l->label].samples;
	const char *base = f->object ? strrchr(f->object, '/') : NULL;

	table_cell(t, m->labels[l->label].name, width);
	cell_process(t, m, m->labels[l->label].process);
	cell_number(t, l->own);
	cell_share(t, l->own, all);
	cell_number(t, l->total);
	cell_share(t, l->total, all);
	table_cell(t, f->name, FUNCTION_WIDTH);
	table_cell(t, base ? base + 1 : f->object ? f->object : "-", ANY_WIDTH);
}

/* The rows of a label are together; *first is where they begin. */
static void cells(struct table *t, const struct model *m, uint32_t first, size_t width)
{
	uint32_t label = m->label_frames[first].label;

	for (uint32_t i = first; i < first + TEXT_FUNCTIONS &&
	     i < m->nr_label_frames && m->label_frames[i].label == label; i++)
		function_cells(t, m, &m->label_frames[i], width);
}

static void columns(struct table *t, const struct model *m)
{
	table_column(t, "label", true);
	column_process(t, m);
	table_column(t, "own", false);
	table_column(t, "%", false);
	table_column(t, "total", false);
	table_column(t, "%", false);
	table_column(t, "function", true);
	table_column(t, "object", true);
}

/* A row for each label. */
static struct row *rows(const struct model *m, uint32_t *nr)
{
	struct row *rows = calloc((size_t)m->nr_labels + 1, sizeof(*rows));

	*nr = 0;
	for (uint32_t i = 0; rows && i < m->nr_label_frames; i++) {
		uint32_t label = m->label_frames[i].label;

		if (!i || m->label_frames[i - 1].label != label)
			rows[(*nr)++] = (struct row){
				.by = (double)m->labels[label].samples, .index = i,
			};
	}
	return rows;
}

const struct list list_functions = {
	.one = "label with samples", .many = "labels with samples",
	.most = TEXT_SAMPLED_LABELS, .grouped = true,
	.columns = columns, .rows = rows, .cells = cells,
};
