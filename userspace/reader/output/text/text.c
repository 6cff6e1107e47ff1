// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/util.h"
#include "output/figure.h"
#include "output/text/cells.h"
#include "output/text/list.h"
#include "output/text/table.h"
#include "output/text/text.h"

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

	for (uint32_t i = 0; i < m->nr_columns; i++)
		cell_value(t, value(m, row, i), model_column_is_time(&m->columns[i]), false);
	if (!has_ipc(m))
		return;
	ipc = model_ipc(value(m, row, m->instructions),
			value(m, row, m->cycles), &scaled);
	figure_ratio(text, ipc, scaled);
	t->value = ipc < 0 ? NAN : ipc;
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
	if (m->missed)
		cell_number(t, l->missed);
}

static void label_columns(struct table *t, const struct model *m)
{
	table_column(t, "label", true);
	column_process(t, m);
	table_column(t, "coroutines", false);
	columns_times(t);
	column_samples(t, m);
	columns_counters(t, m);
	table_column(t, "per slice", false);
	table_column(t, "99 % below", false);
	table_column(t, "longest", false);
	if (m->missed)
		table_column(t, "missed", false);
}

static struct row *label_rows(const struct model *m, uint32_t *nr)
{
	struct row *rows = calloc((size_t)m->nr_labels + 1, sizeof(*rows));

	*nr = m->nr_labels;
	for (uint32_t i = 0; rows && i < *nr; i++)
		rows[i] = (struct row){
			.by = (double)m->labels[i].times.running_ns, .index = i,
		};
	return rows;
}

const struct list list_labels = {
	.one = "label", .many = "labels", .most = TEXT_LABELS,
	.columns = label_columns, .rows = label_rows, .cells = label_row,
};

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

static void coroutine_columns(struct table *t, const struct model *m)
{
	table_column(t, "coroutine", false);
	table_column(t, "label", true);
	column_process(t, m);
	table_column(t, "parent", false);
	table_column(t, "threads", false);
	columns_times(t);
	column_samples(t, m);
	columns_counters(t, m);
	table_column(t, "longest", false);
}

/* Threads are no coroutines: their rows are left out; *nr is how many stay. */
static struct row *coroutine_rows(const struct model *m, uint32_t *nr)
{
	struct row *rows = calloc((size_t)m->nr_coroutines + 1, sizeof(*rows));

	*nr = 0;
	for (uint32_t i = 0; rows && i < m->nr_coroutines; i++)
		if (!(m->coroutines[i].flags & MODEL_COROUTINE_THREAD))
			rows[(*nr)++] = (struct row){
				.by = (double)m->coroutines[i].times.running_ns, .index = i,
			};
	return rows;
}

const struct list list_coroutines = {
	.most = TEXT_COROUTINES,
	.columns = coroutine_columns, .rows = coroutine_rows, .cells = coroutine_row_cells,
};

static void write_folded(const struct model *m, const struct look *look, FILE *file)
{
	uint32_t most = look->top ? look->top : TEXT_COROUTINES;
	uint64_t nr = m->nr_coroutines_total;

	if (nr > most && look->sort)
		fprintf(file, "%" PRIu32 " of %" PRIu64 " coroutines, the first by %s\n",
			most, nr, look->sort);
	else if (nr > most)
		fprintf(file, "the %" PRIu32 " of %" PRIu64 " coroutines that ran for longest\n",
			most, nr);
	if (m->nr_folded_coroutines)
		fprintf(file, "%" PRIu64 " coroutines are in the labels' figures only: there was no room to list them\n",
			m->nr_folded_coroutines);
}

/* The lines a reader needs who has not read the manual. */
static const char legend[] =
	"running, preempted, blocked: on a CPU; off it while runnable; off it asleep in the kernel\n"
	"suspended: between slices; awaiting, ready: its parts, before and after being made ready; >= where a part is not known\n";

static const char missed_legend[] =
	"missed: slices in which switches were not told; they may be other coroutines' in part\n";

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

/* What a terminal has that does not say. */
#define TERMINAL_WIDTH	80

static const struct list *const lists[] = {
	&list_labels, &list_coroutines, &list_spans, &list_functions, &list_threads,
};

static bool is_there(const struct list *list, const struct model *m)
{
	return list == &list_spans ? m->nr_label_spans :
	       list == &list_functions ? m->nr_label_frames : true;
}

static void write_legend(const struct list *list, const struct model *m, FILE *file)
{
	if (list == &list_labels)
		fprintf(file, "%s%s%s\n", legend, tells_ready(m) ? "" : untold,
			m->missed ? missed_legend : "");
	else if (list == &list_spans)
		fprintf(file, "%s\n", span_legend);
	else if (list == &list_functions)
		fputs("samples: own in the function itself, total in it or what it called\n\n",
		      file);
}

/* Of the terminal that @file is, or 0: who reads a file can scroll. */
static uint32_t terminal_width(FILE *file)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = { 0 };
	int before = errno;
	bool terminal = isatty(fileno(file));

	if (terminal && ioctl(fileno(file), TIOCGWINSZ, &size))
		size.ws_col = 0;
	errno = before;
	if (!terminal)
		return 0;
	if (!size.ws_col && columns)
		size.ws_col = (unsigned short)atoi(columns);
	return size.ws_col ? size.ws_col : TERMINAL_WIDTH;
}

int text_write(const struct model *m, const struct look *given, FILE *file)
{
	struct look look = *given;

	errno = ENOMEM;
	text_write_header(m, file);
	if (!look.width)
		look.width = terminal_width(file);
	for (size_t i = 0; m->times.slices && i < ARRAY_SIZE(lists); i++) {
		if (!is_there(lists[i], m) || !list_wanted(lists[i], m, &look))
			continue;
		fputc('\n', file);
		write_legend(lists[i], m, file);
		if (list_write(lists[i], m, &look, file))
			return -1;
		if (lists[i] == &list_coroutines)
			write_folded(m, &look, file);
	}
	return ferror(file) ? -1 : 0;
}

/* Whether a table has that column. */
static bool has_column(const struct model *m, const char *title, size_t length)
{
	bool found = false;
	struct table t;

	for (size_t i = 0; i < ARRAY_SIZE(lists) && !found; i++) {
		t = (struct table){ 0 };
		lists[i]->columns(&t, m);
		found = is_there(lists[i], m) && table_find(&t, title, length) >= 0;
		table_free(&t);
	}
	return found;
}

/* The titles of the two tables that are always there. */
static void name_columns(const struct model *m, char *text, size_t room)
{
	struct table t = { 0 };
	size_t used = 0;

	label_columns(&t, m);
	coroutine_columns(&t, m);
	for (unsigned int i = 0; i < t.nr_columns && used < room; i++) {
		const char *title = t.columns[i].title;

		if (table_find(&t, title, strlen(title)) == (int)i)
			used += (size_t)snprintf(text + used, room - used, "%s%s",
						 used ? ", " : "", title);
	}
	table_free(&t);
}

static int check_title(const struct model *m, const char *option, const char *title,
		       size_t length, struct error *err)
{
	char columns[512] = "";

	if (has_column(m, title, length))
		return 0;
	name_columns(m, columns, sizeof(columns));
	return error_set(err, EINVAL, "%s %.*s: no table of this recording has such a column. There are, for instance: %s",
			 option, (int)length, title, columns);
}

int text_check(const struct model *m, const struct look *look, struct error *err)
{
	const char *list = look->columns ? look->columns : "";
	int ret = 0;

	if (look->sort)
		ret = check_title(m, "--sort", look->sort, strlen(look->sort), err);
	for (size_t length; !ret && *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		ret = check_title(m, "--columns", list, length, err);
	}
	return ret;
}
