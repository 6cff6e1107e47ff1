// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/figure.h"
#include "output/text/cells.h"
#include "output/text/list.h"
#include "output/text/text.h"

static void cell_mode(struct table *t, const struct model *m,
		      const struct model_channel *c)
{
	char text[160];

	if (c->mode_row == MODEL_NONE)
		strcpy(text, "n/a, not recorded");
	else if (c->mode == COROPROF_MODE_USER)
		strcpy(text, "from user mode");
	else
		snprintf(text, sizeof(text), "by ioctl: %s",
			 m->modes[c->mode_row].why);
	table_cell(t, text, 2 * ANY_WIDTH);
}

static void cells(struct table *t, const struct model *m, uint32_t row, size_t width)
{
	const struct model_channel *c = &m->channels[row];
	char tid[FIGURE_ROOM];

	(void)width;
	snprintf(tid, sizeof(tid), "%" PRId32, c->tid);
	t->value = c->tid;
	table_cell(t, tid, ANY_WIDTH);
	table_cell(t, c->comm ? c->comm : "", ANY_WIDTH);
	cell_process(t, m, c->process);
	cell_number(t, c->times.slices);
	cell_ns(t, c->times.running_ns);
	cell_ns(t, c->outside_ns);
	if ((c->sample_error && !c->sample_clock) || c->error)
		cell_no_samples(t, m);
	else
		cell_samples(t, m, c->samples);
	cell_mode(t, m, c);
}

static void columns(struct table *t, const struct model *m)
{
	table_column(t, "thread", false);
	table_column(t, "name", true);
	column_process(t, m);
	table_column(t, "slices", false);
	table_column(t, "running", false);
	table_column(t, "outside", false);
	column_samples(t, m);
	table_column(t, "switches", true);
}

static struct row *rows(const struct model *m, uint32_t *nr)
{
	struct row *rows = calloc((size_t)m->nr_channels + 1, sizeof(*rows));

	*nr = m->nr_channels;
	for (uint32_t i = 0; rows && i < *nr; i++)
		rows[i] = (struct row){
			.by = (double)m->channels[i].times.running_ns, .index = i,
		};
	return rows;
}

const struct list list_threads = {
	.one = "thread", .many = "threads", .most = TEXT_THREADS,
	.columns = columns, .rows = rows, .cells = cells,
};
