// SPDX-License-Identifier: GPL-2.0
/*
 * The first screen: header in brief, labels, longest slices and waits, hottest functions, findings.
 * Chooses rows; output/text/list.c writes them.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/printable.h"
#include "output/text/compared.h"
#include "output/text/digest.h"
#include "output/text/list.h"
#include "output/text/wrap.h"
#include "profile/schema.h"
#include "tables/figure.h"

#define LABELS		8
#define LONGEST		3
#define FUNCTIONS	4
#define FIGURES		30
/* A name of C++ may have thousands of characters. */
#define FUNCTION_WIDTH	48

bool digest_wanted(const struct view_options *view)
{
	return view->digest && !view->table && !view->sort && !view->columns && !view->top &&
	       !view->nr_wheres && !view->nr_metrics;
}

static bool is_longest(const struct sheet *sheet, uint32_t row, enum model_latency what)
{
	return sheet->model->longest[sheet->list[row]].what == what;
}

static bool is_held(const struct sheet *sheet, uint32_t row)
{
	return is_longest(sheet, row, MODEL_LATENCY_HELD);
}

static bool is_ready(const struct sheet *sheet, uint32_t row)
{
	return is_longest(sheet, row, MODEL_LATENCY_READY);
}

static bool has_longest(const struct model *m, enum model_latency what)
{
	for (uint32_t i = 0; i < m->nr_longest; i++)
		if (m->longest[i].what == what)
			return true;
	return false;
}

static int write_longest(const struct model *m, const struct view_options *view,
			 enum model_latency what, FILE *file)
{
	bool held = what == MODEL_LATENCY_HELD;
	const struct list list = {
		.table = table_named("worst"), .most = LONGEST, .wanted = held ? is_held : is_ready,
		.digest = true, .column = "took", .title = held ? "held" : "ready",
	};

	if (!has_longest(m, what))
		return 0;
	wrap_title(view, file, held ? "held a thread longest" : "ready longest");
	return list_write(&list, m, view, file);
}

/* The label with most samples, or MODEL_NONE. */
static uint32_t hottest_label(const struct model *m)
{
	uint32_t label = MODEL_NONE;

	for (uint32_t i = 0; i < m->nr_labels; i++)
		if (m->labels[i].kind != MODEL_LABEL_TOOL && m->labels[i].samples &&
		    (label == MODEL_NONE || m->labels[i].samples > m->labels[label].samples))
			label = i;
	return label;
}

/*
 * Writes functions of a label, of which the model has those with most samples first. Returns how
 * many.
 */
static int write_functions(const struct model *m, uint32_t label, FILE *line)
{
	const struct model_label *l = &m->labels[label];
	enum standing standing = standing_seen(schema_lacks(m, SCHEMA_LABELS, l, MODEL_PARTIAL_SAMPLES));
	char share[FIGURE_SIZE], capacity[ROW_TITLE_SIZE];
	size_t bytes, used;
	const char *name;
	int nr = 0;

	for (uint32_t i = 0; i < m->nr_label_frames && nr < FUNCTIONS; i++) {
		const struct model_label_frame *f = &m->label_frames[i];

		if (f->label != label || !f->own)
			continue;
		figure_cell(share, KIND_SHARE, (struct cell){
			.standing = standing_combined(COMBINE_QUOTIENT, standing, standing),
			.fraction = (double)f->own / (double)l->samples,
		});
		name = row_title(table_named("functions"), m, f->frame, capacity);
		bytes = printable_fit(name, FUNCTION_WIDTH, &used);
		fprintf(line, "%s%.*s%s %s", nr++ ? ", " : "", (int)bytes, name,
			name[bytes] ? "..." : "", share);
	}
	return nr;
}

/* Returns -1 without memory. */
static int write_hot_functions(const struct model *m, const struct view_options *view, FILE *file)
{
	uint32_t label = hottest_label(m);
	char *text = NULL, *name;
	size_t size;
	FILE *line;
	int nr, ret;

	if (label == MODEL_NONE)
		return 0;
	line = open_memstream(&text, &size);
	if (!line)
		return -1;
	nr = write_functions(m, label, line);
	ret = fclose(line);
	name = printable_name(m->labels[label].name);
	if (!ret && nr)
		wrap_note(view, file, "\nhot in %.*s (%s%" PRIu64 " samples): %s\n",
			  (int)printable_cut(name ? name : "", DIGEST_WIDTH / 2), name ? name : "",
			  standing_mark(standing_seen(schema_lacks(m, SCHEMA_LABELS, &m->labels[label],
							 MODEL_PARTIAL_SAMPLES))),
			  m->labels[label].samples, text);
	free(name);
	free(text);
	return ret;
}

/*
 * False of percentiles where slices are divided at one of them: they then show little more than the
 * division.
 */
static bool is_no_percentile(const struct sheet *sheet, uint32_t row)
{
	const char *figure = sheet->model->slow[row].figure;

	return figure[0] != 'p' || !isdigit((unsigned char)figure[1]);
}

static int write_slow(const struct model *m, const struct view_options *view, FILE *file)
{
	const struct list of = {
		.table = table_named("slow_of"), .most = UINT32_MAX, .digest = true,
	};
	const struct list slow = {
		.table = table_named("slow"), .one = "figure", .many = "figures", .most = FIGURES,
		.wanted = is_no_percentile, .digest = true,
	};

	fputc('\n', file);
	if (list_write(&of, m, view, file))
		return -1;
	fputc('\n', file);
	return list_write(&slow, m, view, file);
}

static int write_recording(const struct model *m, const struct view_options *view, FILE *file)
{
	const struct list labels = {
		.table = table_named("labels"), .one = "label", .many = "labels", .most = LABELS,
		.by = "running", .wanted = list_is_of_program, .digest = true,
	};

	fputc('\n', file);
	if (list_write(&labels, m, view, file) ||
	    write_longest(m, view, MODEL_LATENCY_HELD, file) ||
	    write_longest(m, view, MODEL_LATENCY_READY, file))
		return -1;
	return write_hot_functions(m, view, file);
}

int digest_write(const struct model *m, const struct view_options *view, FILE *file)
{
	int ret = m->compared ? compared_write_brief(m, view, file) :
		  m->nr_slow_of ? write_slow(m, view, file) :
		  m->times.slices ? write_recording(m, view, file) : 0;

	return ret || ferror(file) ? -1 : 0;
}
