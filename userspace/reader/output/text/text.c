// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/figure.h"
#include "output/text/cells.h"
#include "output/text/table.h"
#include "output/text/text.h"

/* Rows in the order they are shown, or NULL when out of memory. */
static struct row *sort_labels(const struct model *m)
{
	struct row *rows = calloc((size_t)m->nr_labels + 1, sizeof(*rows));

	for (uint32_t i = 0; rows && i < m->nr_labels; i++)
		rows[i] = (struct row){ m->labels[i].times.running_ns, i };
	if (rows)
		rows_sort(rows, m->nr_labels);
	return rows;
}

/* Threads are no coroutines: their rows are left out; *nr is how many stay. */
static struct row *sort_coroutines(const struct model *m, uint32_t *nr)
{
	struct row *rows = calloc((size_t)m->nr_coroutines + 1, sizeof(*rows));

	*nr = 0;
	for (uint32_t i = 0; rows && i < m->nr_coroutines; i++)
		if (!(m->coroutines[i].flags & MODEL_COROUTINE_THREAD))
			rows[(*nr)++] = (struct row){
				m->coroutines[i].times.running_ns, i,
			};
	if (rows)
		rows_sort(rows, *nr);
	return rows;
}

static void columns_times(struct table *t)
{
	table_column(t, "slices", false);
	table_column(t, "running", false);
	table_column(t, "%", false);
	table_column(t, "preempted", false);
	table_column(t, "blocked", false);
	table_column(t, "suspended", false);
	table_column(t, "awaiting", false);
	table_column(t, "ready", false);
}

static void cells_times(struct table *t, const struct model *m,
			const struct model_times *times, bool thread)
{
	cell_number(t, times->slices);
	cell_ns(t, times->running_ns);
	cell_share(t, times->running_ns, m->times.running_ns);
	cell_ns(t, times->preempted_ns);
	cell_ns(t, times->blocked_ns);
	if (thread) {
		for (int i = 0; i < 3; i++)
			table_cell(t, "-", ANY_WIDTH);
		return;
	}
	cell_known(t, model_suspended(times));
	cell_known(t, model_awaiting(times));
	cell_known(t, model_ready(times));
}

static bool has_ipc(const struct model *m)
{
	return m->cycles != MODEL_NONE && m->instructions != MODEL_NONE;
}

static void columns_counters(struct table *t, const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_columns; i++)
		table_column(t, m->columns[i].name, false);
	if (has_ipc(m))
		table_column(t, "IPC", false);
}

static void cells_counters(struct table *t, const struct model *m,
			   struct model_value (*value)(const struct model *,
						       uint32_t, uint32_t),
			   uint32_t row)
{
	char text[FIGURE_ROOM];
	bool scaled;
	double ipc;

	for (uint32_t i = 0; i < m->nr_columns; i++) {
		figure_value(text, value(m, row, i),
			     model_column_is_time(&m->columns[i]));
		table_cell(t, text, ANY_WIDTH);
	}
	if (!has_ipc(m))
		return;
	ipc = model_ipc(value(m, row, m->instructions),
			value(m, row, m->cycles), &scaled);
	figure_ratio(text, ipc, scaled);
	table_cell(t, text, ANY_WIDTH);
}

static void label_row(struct table *t, const struct model *m, uint32_t row,
		      size_t label_width)
{
	const struct model_label *l = &m->labels[row];

	table_cell(t, l->name, label_width);
	cell_process(t, m, l->process);
	if (l->kind == MODEL_LABEL_THREAD)
		table_cell(t, "-", ANY_WIDTH);
	else
		cell_number(t, l->coroutines);
	cells_times(t, m, &l->times, l->kind == MODEL_LABEL_THREAD);
	cell_samples(t, m, l->samples);
	cells_counters(t, m, model_label_value, row);
	cell_ns(t, l->times.slices ? l->times.running_ns / l->times.slices : 0);
	cell_ns(t, model_label_quantile_ns(l, 0.99));
	cell_ns(t, l->max_ns);
}

static int write_labels(const struct model *m, FILE *file)
{
	struct row *rows = sort_labels(m);
	struct table t = { 0 };
	size_t width = label_width_on(file);

	if (!rows)
		return -1;
	table_column(&t, "label", true);
	column_process(&t, m);
	table_column(&t, "coroutines", false);
	columns_times(&t);
	column_samples(&t, m);
	columns_counters(&t, m);
	table_column(&t, "per slice", false);
	table_column(&t, "99 % below", false);
	table_column(&t, "longest", false);
	for (uint32_t i = 0; i < m->nr_labels && i < TEXT_LABELS; i++)
		label_row(&t, m, rows[i].index, width);
	free(rows);
	if (table_write(&t, file))
		return -1;
	if (m->nr_labels > TEXT_LABELS)
		fprintf(file, "and %" PRIu32 " more labels\n",
			m->nr_labels - TEXT_LABELS);
	return 0;
}

/* The thread whose own slot created @c, by its tid; some thread if that is not known. */
static void cell_thread_parent(struct table *t, const struct model *m,
			       const struct model_coroutine *c)
{
	char text[FIGURE_ROOM] = "thread";

	for (uint32_t i = 0; i < m->nr_coroutines; i++) {
		const struct model_coroutine *p = &m->coroutines[i];

		if (p->id != c->parent || p->process != c->process || p->channel == MODEL_NONE)
			continue;
		snprintf(text, sizeof(text), "thread %" PRId32, m->channels[p->channel].tid);
		break;
	}
	table_cell(t, text, ANY_WIDTH);
}

static void cell_parent(struct table *t, const struct model *m, const struct model_coroutine *c)
{
	if (c->parent & COROPROF_ID_THREAD)
		cell_thread_parent(t, m, c);
	else if (c->parent)
		cell_number(t, c->parent);
	else
		table_cell(t, c->flags & MODEL_COROUTINE_BORN ? "-" : "n/a",
			   ANY_WIDTH);
}

static void coroutine_row_cells(struct table *t, const struct model *m,
				uint32_t row, size_t label_width)
{
	const struct model_coroutine *c = &m->coroutines[row];

	cell_number(t, c->id);
	table_cell(t, m->labels[c->label].name, label_width);
	cell_process(t, m, c->process);
	cell_parent(t, m, c);
	cell_number(t, model_coroutine_threads(c));
	cells_times(t, m, &c->times, false);
	cell_samples(t, m, c->samples);
	cells_counters(t, m, model_coroutine_value, row);
	cell_ns(t, c->max_ns);
}

static int write_coroutines(const struct model *m, FILE *file)
{
	uint32_t nr;
	struct row *rows = sort_coroutines(m, &nr);
	struct table t = { 0 };
	size_t width = label_width_on(file);

	if (!rows)
		return -1;
	table_column(&t, "coroutine", false);
	table_column(&t, "label", true);
	column_process(&t, m);
	table_column(&t, "parent", false);
	table_column(&t, "threads", false);
	columns_times(&t);
	column_samples(&t, m);
	columns_counters(&t, m);
	table_column(&t, "longest", false);
	for (uint32_t i = 0; i < nr && i < TEXT_COROUTINES; i++)
		coroutine_row_cells(&t, m, rows[i].index, width);
	free(rows);
	return table_write(&t, file);
}

static void write_folded(const struct model *m, FILE *file)
{
	uint64_t nr = m->nr_coroutines_total;

	if (nr > TEXT_COROUTINES)
		fprintf(file, "the %d of %" PRIu64 " coroutines that ran for longest\n",
			TEXT_COROUTINES, nr);
	if (m->nr_folded_coroutines)
		fprintf(file, "%" PRIu64 " coroutines are in the labels' figures only: there was no room to list them\n",
			m->nr_folded_coroutines);
}

/* The lines a reader needs who has not read the manual. */
static const char legend[] =
	"running, preempted, blocked: on a CPU; off it while runnable; off it asleep in the kernel\n"
	"suspended: between slices; awaiting, ready: its parts, before and after being made ready; >= where a part is not known\n";

/* Most runtimes that are recorded unmodified are like this. */
static const char untold[] =
	"awaiting and ready are n/a: the runtime did not tell when coroutines became ready\n";

static bool tells_ready(const struct model *m)
{
	return model_awaiting(&m->times).known != MODEL_NA ||
	       model_ready(&m->times).known != MODEL_NA;
}

static const char span_legend[] =
	"own: without the spans in it; total: with them, of outermost calls; <= where spans that may have been in it were lost, or had begun before the recording\n";

/* Tables that not every recording has. */
static int write_more(const struct model *m, FILE *file)
{
	if (m->nr_label_spans) {
		fprintf(file, "\n%s\n", span_legend);
		if (text_write_spans(m, file))
			return -1;
	}
	if (m->nr_label_frames) {
		fputs("\nsamples: own in the function itself, total in it or what it called\n\n",
		      file);
		if (text_write_functions(m, file))
			return -1;
	}
	fputc('\n', file);
	return text_write_threads(m, file);
}

int text_write(const struct model *m, FILE *file)
{
	errno = ENOMEM;
	text_write_header(m, file);
	if (!m->times.slices)
		return ferror(file) ? -1 : 0;
	fprintf(file, "\n%s%s\n", legend, tells_ready(m) ? "" : untold);
	if (write_labels(m, file))
		return -1;
	fputc('\n', file);
	if (write_coroutines(m, file))
		return -1;
	write_folded(m, file);
	return ferror(file) || write_more(m, file) ? -1 : 0;
}
