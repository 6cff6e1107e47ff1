// SPDX-License-Identifier: GPL-2.0
/*
 * The text output as a whole: which tables are shown, their order, legends, and the digest in place
 * of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/util.h"
#include "output/export.h"
#include "output/text/compared.h"
#include "output/text/digest.h"
#include "output/text/list.h"
#include "output/text/text.h"
#include "output/text/wrap.h"

/* Threads are no coroutines. */
static bool is_coroutine(const struct sheet *sheet, uint32_t row)
{
	return !(sheet->model->coroutines[row].flags & MODEL_COROUTINE_THREAD);
}

static const struct {
	const char *table;
	struct list list;
} lists[] = {
	{ "labels", { .one = "label", .many = "labels", .most = TEXT_LABELS, .by = "running",
		      .wanted = list_is_of_program } },
	{ "latency", { .most = TEXT_ROWS, .by = "p99", .group = "what", .each = TEXT_LATENCIES } },
	{ "coroutines", { .most = TEXT_COROUTINES, .by = "running", .wanted = is_coroutine } },
	{ "label_spans", { .one = "span", .many = "spans", .most = TEXT_SPANS,
			   .by = "own_running" } },
	{ "label_functions", { .one = "label with samples", .many = "labels with samples",
			       .most = TEXT_SAMPLED_LABELS, .by = "own", .group = "label",
			       .each = TEXT_FUNCTIONS } },
	{ "lines", { .one = "source line", .many = "source lines", .most = TEXT_LINES,
		     .by = "own" } },
	{ "threads", { .one = "thread", .many = "threads", .most = TEXT_THREADS,
		       .by = "running" } },
};

/* Those that are not shown by themselves, or asked for, are all alike. */
struct list text_list(const struct table *table, const struct view_options *view)
{
	struct list list = { .one = "row", .many = "rows", .most = TEXT_ROWS };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (name_is(lists[i].table, table->name, strlen(table->name)))
			list = lists[i].list;
	if (view->table && list.group)
		list = (struct list){ .one = "row", .many = "rows", .most = TEXT_ROWS };
	list.table = table;
	return list;
}

/* Fills @shown, returns how many: what is asked for, or those there is something in. */
static unsigned int choose_tables(const struct model *m, const struct view_options *view,
				  const struct table *shown[ARRAY_SIZE(lists)])
{
	unsigned int nr = 0;

	if (view->table) {
		shown[0] = table_named(view->table);
		return 1;
	}
	if (m->compared) {
		shown[0] = table_named("changes");
		return 1;
	}
	if (m->nr_slow_of) {
		shown[0] = table_named("slow_of");
		shown[1] = table_named("slow");
		return 2;
	}
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		const struct table *table = table_named(lists[i].table);

		if ((table != table_named("label_spans") || m->nr_label_spans) &&
		    (table != table_named("label_functions") || m->nr_label_frames) &&
		    (table != table_named("lines") || m->nr_locations) &&
		    (table != table_named("latency") || (!m->totals && !view->columns)))
			shown[nr++] = table;
	}
	return nr;
}

static void write_folded(const struct model *m, const struct view_options *view, FILE *file)
{
	uint32_t most = view->top ? view->top : TEXT_COROUTINES;
	uint64_t nr = m->nr_coroutines_total;

	/* Of those that fit conditions the list says it. */
	if (view->nr_wheres)
		nr = 0;
	if (nr > most && view->sort)
		wrap_note(view, file, "%" PRIu32 " of %" PRIu64 " coroutines, the first by %s\n",
			  most, nr, view->sort);
	else if (nr > most)
		wrap_note(view, file,
			  "the %" PRIu32 " of %" PRIu64 " coroutines that ran for longest\n",
			  most, nr);
	if (m->nr_folded_coroutines)
		wrap_note(view, file,
			  "%" PRIu64 " coroutines are in the labels' figures only: there was no room to list them\n",
			  m->nr_folded_coroutines);
}

/* The lines a reader needs who has not read the manual. */
static const char legend[] =
	"running, preempted, blocked: on a CPU; off it while runnable; off it asleep in the kernel\n"
	"suspended: between slices; awaiting, ready: its parts, before and after being made ready; >= where a part is not known\n";

static const char idle_legend[] =
	"idle: a thread asleep outside any coroutine\n";

static const char unreported_legend[] =
	"unreported: slices in which switches were not reported; they may be other coroutines' in part\n";

/* Most runtimes that are recorded unmodified are like this. */
static const char untold[] =
	"awaiting and ready are n/a: the runtime did not report when coroutines became ready\n";

static bool has_ready(const struct model *m)
{
	return model_awaiting(&m->times).known != MODEL_NA ||
	       model_ready(&m->times).known != MODEL_NA;
}

static const char latency_legend[] =
	"latency: held: from switch-in to switch-out; the %d that are longest of each kind; all: --table latency, the longest one by one: --table worst\n\n";

static const char span_legend[] =
	"own: without the spans in it; total: with them, of outermost calls; <= where spans that may have been in it had begun before the recording";

static const char lost_span_legend[] =
	"; where spans are missing: >= of calls, totals and own; ~ of outermost, and of own that they may have been in";

static const char slow_legend[] =
	"held (of lives: lifetime), and its parts; gap: the wait before a slice; wakes: by coroutines of that label; on thread: share of the side's slices; held while ready: the thread, by that label; n/a: no verdict, --table slow --columns why says why\n\n";

/* What a terminal has that does not say. */
#define TERMINAL_WIDTH	80

static void write_legend(const struct table *table, const struct model *m,
			 const struct view_options *view, FILE *file)
{
	if (table == table_named("labels"))
		wrap_note(view, file, "%s%s%s%s\n", legend, m->times.idle_ns ? idle_legend : "",
			  has_ready(m) ? "" : untold,
			  m->unreported ? unreported_legend : "");
	else if (table == table_named("latency"))
		wrap_note(view, file, latency_legend, TEXT_LATENCIES);
	else if (table == table_named("slow"))
		wrap_note(view, file, slow_legend);
	else if (table == table_named("label_spans"))
		wrap_note(view, file, "%s%s\n\n", span_legend,
			  m->partial & MODEL_PARTIAL_SPANS ? lost_span_legend : "");
	else if (table == table_named("label_functions"))
		wrap_note(view, file,
			  "samples: own in the function itself, total in it or what it called\n\n");
}

static void write_head(const struct model *m, const struct view_options *view,
		       void (*write)(const struct model *m, FILE *file), FILE *file)
{
	char *text = NULL;
	size_t size;
	FILE *head = view->width || view->colored ? open_memstream(&text, &size) : NULL;

	write(m, head ? head : file);
	if (head && !fclose(head))
		wrap_head(text, view, file);
	else if (head)
		write(m, file);
	free(text);
}

uint32_t text_width(FILE *file)
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

static int write_table(const struct table *table, const struct model *m,
		       const struct view_options *view, FILE *file)
{
	struct list list = text_list(table, view);

	if (!list_wanted(&list, m, view))
		return 0;
	fputc('\n', file);
	write_legend(table, m, view, file);
	if (list_write(&list, m, view, file))
		return -1;
	if (table == table_named("coroutines"))
		write_folded(m, view, file);
	return 0;
}

static int write_digest(const struct model *m, struct view_options *view, FILE *file)
{
	if (!view->width || view->width > DIGEST_WIDTH)
		view->width = DIGEST_WIDTH;
	write_head(m, view, text_write_brief, file);
	if (digest_write(m, view, file))
		return -1;
	fputc('\n', file);
	if (!m->compared && !m->nr_slow_of)
		write_head(m, view, text_write_brief_end, file);
	wrap_note(view, file, "%-*s %s; --all; page: -o x.html\n", TEXT_TITLE, "more",
		  m->compared ? "--table changes, compared, labels" :
		  m->nr_slow_of ? "--table slow, slow_of, latency" :
		  m->totals ? "--table coroutines, threads" :
			      "coroprof slow LABEL; --table latency, coroutines, threads, wakes");
	return ferror(file) ? -1 : 0;
}

int text_write(const struct model *m, const struct view_options *given, FILE *file)
{
	const struct table *shown[ARRAY_SIZE(lists)];
	unsigned int nr = choose_tables(m, given, shown);
	struct view_options view = *given;

	errno = ENOMEM;
	view.colored = view.colored && file == stdout;
	if (!view.width)
		view.width = text_width(file);
	if (digest_wanted(&view))
		return write_digest(m, &view, file);
	/* Who asks for a table has it below a few lines. */
	write_head(m, &view, view.digest ? text_write_brief : text_write_header, file);
	if (m->compared && !view.table)
		return compared_write(m, &view, file);
	for (unsigned int i = 0; m->times.slices && i < nr; i++)
		if (write_table(shown[i], m, &view, file))
			return -1;
	return ferror(file) ? -1 : 0;
}

int text_check(const struct model *m, const struct view_options *view, struct error *err)
{
	const struct table *shown[ARRAY_SIZE(lists)];
	unsigned int nr = choose_tables(m, view, shown);

	return export_check(m, view, shown, nr, err);
}
