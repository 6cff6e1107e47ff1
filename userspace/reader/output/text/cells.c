// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/figure.h"
#include "output/text/cells.h"

#define LABEL_WIDTH		40	/* on a terminal */
#define LABEL_WIDTH_FILE	120

static int by_size(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->by != y->by)
		return x->by < y->by ? 1 : -1;
	return (x->index > y->index) - (x->index < y->index);
}

void rows_sort(struct row *rows, size_t nr)
{
	qsort(rows, nr, sizeof(*rows), by_size);
}

void cell_ns(struct table *t, uint64_t ns)
{
	char text[FIGURE_ROOM];

	figure_ns(text, ns);
	table_cell(t, text, ANY_WIDTH);
}

void cell_bound_ns(struct table *t, uint64_t ns, bool at_most)
{
	char text[FIGURE_ROOM], bound[FIGURE_ROOM + 2];

	figure_ns(text, ns);
	snprintf(bound, sizeof(bound), "%s%s", at_most ? "<=" : "", text);
	table_cell(t, bound, ANY_WIDTH);
}

void cell_number(struct table *t, uint64_t number)
{
	char text[FIGURE_ROOM];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	table_cell(t, text, ANY_WIDTH);
}

void cell_known(struct table *t, struct model_ns ns)
{
	char text[FIGURE_ROOM];

	figure_known(text, ns);
	table_cell(t, text, ANY_WIDTH);
}

void cell_share(struct table *t, uint64_t part, uint64_t whole)
{
	char text[FIGURE_ROOM] = "n/a";

	if (whole)
		figure_share(text, (double)part / (double)whole);
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

size_t label_width_on(FILE *file)
{
	int before = errno;
	bool terminal = isatty(fileno(file));

	errno = before;
	return terminal ? LABEL_WIDTH : LABEL_WIDTH_FILE;
}
