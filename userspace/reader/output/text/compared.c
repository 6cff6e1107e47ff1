// SPDX-License-Identifier: GPL-2.0
/* The tables and sentences of a comparison, in text: answers, changes, call trees, metadata. */
#include <inttypes.h>
#include <string.h>

#include "base/invoked.h"
#include "diff/diff.h"
#include "diff/noise.h"
#include "diff/runs.h"
#include "output/text/compared.h"
#include "output/text/list.h"
#include "output/text/wrap.h"

/* The change in a row of the table of changes. */
static const struct model_change *change_at(const struct sheet *sheet, uint32_t row)
{
	return &sheet->model->changes[row];
}

static bool is_change(const struct sheet *sheet, uint32_t row)
{
	enum model_verdict verdict = change_at(sheet, row)->verdict;

	return change_at(sheet, row)->of == MODEL_OF_LABEL &&
	       verdict != MODEL_VERDICT_NOISE && verdict != MODEL_VERDICT_SMALL &&
	       verdict != MODEL_VERDICT_NONE;
}

static bool is_reported(enum model_verdict verdict)
{
	return verdict == MODEL_VERDICT_MORE || verdict == MODEL_VERDICT_LESS ||
	       verdict == MODEL_VERDICT_MIXED;
}

/*
 * True of a change of a part of a label, in both recordings; parts that only one has are listed
 * elsewhere.
 */
static bool is_part_change(const struct sheet *sheet, uint32_t row)
{
	return change_at(sheet, row)->of != MODEL_OF_LABEL &&
	       is_reported(change_at(sheet, row)->verdict);
}

/*
 * True of the figure that stands for a span: the one that is no part of another, or the only one.
 */
static bool is_span(const struct sheet *sheet, uint32_t row)
{
	const struct model_change *c = change_at(sheet, row);

	return c->of == MODEL_OF_SPAN &&
	       (!strcmp(c->figure, "own_running/call") || c->verdict == MODEL_VERDICT_ADDED ||
		c->verdict == MODEL_VERDICT_GONE);
}

static bool is_function(const struct sheet *sheet, uint32_t row)
{
	const struct model_change *c = change_at(sheet, row);

	return c->of == MODEL_OF_FUNCTION && !strcmp(c->figure, "own/slice");
}

static uint32_t count_changes(const struct model *m, enum model_verdict verdict)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < m->nr_changes; i++)
		nr += m->changes[i].verdict == verdict;
	return nr;
}

static bool is_difference(const struct sheet *sheet, uint32_t row)
{
	return sheet->model->metadata[row].matters &&
	       model_metadata_differs(&sheet->model->metadata[row]);
}

static void write_unchanged(const struct model *m, const struct view_options *view, FILE *file)
{
	wrap_note(view, file,
		  "\nnot changed, of all figures: %" PRIu32 " within noise between coroutines, %" PRIu32 " beyond it by less than %g %%, of all or of the median coroutine; no verdict on %" PRIu32 ": --table changes shows all, and why\n",
		  count_changes(m, MODEL_VERDICT_NOISE), count_changes(m, MODEL_VERDICT_SMALL),
		  100 * DIFF_SMALL,
		  count_changes(m, MODEL_VERDICT_NONE));
	wrap_note(view, file,
		  "+-: standard deviation between coroutines. Verdicts of one run each are of what a program does, such as instructions; they assume that both runs had the same load. Times differ from run to run: they need several of both, " RUNS_COMMAND ". Of 100 pairs of equal synthetic loads none or one had a wrong verdict, and of those that drift slowly 11, but none or one with three runs of each: coroprof-read(1), TWO RECORDINGS\n");
}

static bool has_wanted_rows(const struct model *m, const struct list *list)
{
	uint32_t nr = list->table == table_named("compared") ? m->nr_metadata : m->nr_changes;
	const struct sheet sheet = { .model = m };

	for (uint32_t i = 0; i < nr; i++)
		if (list->wanted(&sheet, i))
			return true;
	return false;
}

static int write_list(const char *title, const struct list *list, const struct model *m,
		      const struct view_options *view, FILE *file)
{
	if (!has_wanted_rows(m, list))
		return 0;
	wrap_title(view, file, title);
	fputc('\n', file);
	return list_write(list, m, view, file);
}

static int write_metadata(const struct model *m, const struct view_options *view, FILE *file)
{
	const struct list metadata = { .table = table_named("compared"), .most = UINT32_MAX };
	const struct view_options plain = { .width = view->width, .colored = view->colored };

	wrap_note(view, file, "\ncompared: what is above is of the new recording alone\n\n");
	return list_write(&metadata, m, &plain, file);
}

/* False if a side has only one run, from which no verdict on times follows. */
static bool judges_times(const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_changes; i++)
		if (m->changes[i].time && m->changes[i].verdict != MODEL_VERDICT_NONE)
			return true;
	return false;
}

static int write_brief(const struct list *list, const struct model *m,
		       const struct view_options *view, FILE *file)
{
	if (!has_wanted_rows(m, list))
		return 0;
	fputc('\n', file);
	return list_write(list, m, view, file);
}

/*
 * Writes in what the recordings differ that may change figures, and the first changes of labels.
 * The answers, in the head, name spans and functions.
 */
int compared_write_brief(const struct model *m, const struct view_options *view, FILE *file)
{
	const struct list metadata = { .table = table_named("compared"), .most = UINT32_MAX,
				    .wanted = is_difference, .digest = true };
	const struct list changes = { .table = table_named("changes"), .one = "figure",
				      .many = "figures", .most = COMPARED_BRIEF,
				      .wanted = is_change, .digest = true };
	char several[256] = "";

	if (!judges_times(m))
		invoked_text(several, sizeof(several),
			     ": times need several runs of each side, " RUNS_COMMAND);
	if (write_brief(&metadata, m, view, file) || write_brief(&changes, m, view, file))
		return -1;
	wrap_note(view, file,
		  "\n%" PRIu32 " figures within noise, %" PRIu32 " beyond it by less than %g %%, no verdict on %" PRIu32 "%s; threads are those of the new recording\n",
		  count_changes(m, MODEL_VERDICT_NOISE), count_changes(m, MODEL_VERDICT_SMALL),
		  100 * DIFF_SMALL,
		  count_changes(m, MODEL_VERDICT_NONE),
		  several);
	return ferror(file) ? -1 : 0;
}

/* Labels are in no other label. */
#define LABEL_COLUMNS	"figure,old,new,+-,change,verdict,low"

int compared_write(const struct model *m, const struct view_options *view, FILE *file)
{
	struct view_options of_labels = *view;
	const struct table *table = table_named("changes");
	const struct list labels = { .table = table, .one = "figure", .many = "figures",
				     .most = UINT32_MAX, .wanted = is_change };
	const struct list parts = { .table = table, .one = "figure", .many = "figures",
				    .most = COMPARED_FUNCTIONS, .by = "effect",
				    .wanted = is_part_change };
	const struct list spans = { .table = table, .one = "span", .many = "spans",
				    .most = COMPARED_SPANS, .by = "effect", .wanted = is_span };
	const struct list functions = { .table = table, .one = "function", .many = "functions",
					.most = COMPARED_FUNCTIONS, .by = "effect",
					.wanted = is_function };

	if (!view->columns)
		of_labels.columns = LABEL_COLUMNS;
	if (write_metadata(m, view, file))
		return -1;
	if (wheres_write("\nonly what fits, in both recordings", view, file))
		return -1;
	if (!has_wanted_rows(m, &labels))
		wrap_note(view, file, "\nno label%s has changed beyond noise\n",
			  has_wanted_rows(m, &parts) ? "" : ", span or function");
	if (write_list("labels that have changed beyond noise", &labels, m, &of_labels, file))
		return -1;
	if (write_list("spans and functions that have changed beyond noise, what adds up to most first",
		       &parts, m, view, file))
		return -1;
	write_unchanged(m, view, file);
	if (write_list("own running time of spans in each call, what adds up to most first, whatever the verdict",
		       &spans, m, view, file) ||
	    write_list("samples in functions in each slice of the label, what adds up to most first",
		       &functions, m, view, file))
		return -1;
	return ferror(file) ? -1 : 0;
}
