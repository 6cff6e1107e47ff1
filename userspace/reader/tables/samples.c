// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of samples: by function, by function and label, by source line, and as trees of calls.
 * get_...() returns the cell of a column, say_...() its text.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tables/describe.h"

static const char *const kinds[] = {
	"function", "object", "unknown", "kernel", "cut", "other", NULL
};

/* Writes the last part of the path, and the line. */
static bool say_source(const char *file, uint32_t line, char *to, size_t capacity)
{
	const char *slash = file ? strrchr(file, '/') : NULL;

	if (!file)
		return false;
	snprintf(to, capacity, line ? "%s:%" PRIu32 : "%s", slash ? slash + 1 : file, line);
	return true;
}

static struct cell cell_path(const char *path)
{
	return path ? cell_text(path) : cell_without(STANDING_NA);
}

static struct cell get_file(const struct position *p)
{
	const struct model_frame *f = p->row;

	return cell_path(f->file);
}

static bool say_begin(const struct position *p, char *to, size_t capacity)
{
	const struct model_frame *f = p->row;

	return say_source(f->file, f->line, to, capacity);
}

static const struct column columns[] = {
	{ "name", "function", "its name, or the text that stands for it", KIND_TEXT, .shown = SHOWN,
	  MEMBER(struct model_frame, name) },
	{ "own", NULL, "samples taken in it", KIND_COUNT, SUMS_ADD, .shown = SHOWN,
	  MEMBER(struct model_frame, own) },
	{ "total", NULL, "samples with it on the stack, each once", KIND_COUNT, .shown = SHOWN,
	  MEMBER(struct model_frame, total) },
	{ "object", NULL, "object file it is in", KIND_TEXT, .shown = SHOWN,
	  MEMBER(struct model_frame, object) },
	{ "kind", NULL, "the kind of function; object: some function of an object without symbols; cut: callers that were not recorded; other: functions for which there was no room",
	  KIND_WORD, .words = kinds, MEMBER(struct model_frame, kind) },
	{ "file", "source", "source file that it is in, by debug information", KIND_TEXT,
	  .unsure = true, .shown = SHOWN, .when = when_lines, .get = get_file, .say = say_begin },
	{ "line", NULL, "line of it at which the function begins", KIND_ID, .unsure = true,
	  .when = when_lines, .get = get_nonzero, MEMBER(struct model_frame, line) },
	{ "unresolved", NULL, "why the function is not known", KIND_TEXT,
	  MEMBER(struct model_frame, unresolved) },
};

const struct table table_functions = {
	.by_coroutine = true, PARTIAL(SAMPLES), .name = "functions", .title = "functions that samples were taken in, and their callers",
	COLUMNS(columns), ROWS(FRAMES),
};

/* ------------------------------------------------------------------------
 * functions of each label
 */

static const struct model_label *label_of(const struct position *p)
{
	const struct model_label_frame *l = p->row;

	return &p->sheet->model->labels[l->label];
}

static struct cell get_process(const struct position *p)
{
	uint32_t process = label_of(p)->process;

	return process == MODEL_NONE ? cell_without(STANDING_NONE) : cell_of(process);
}

static struct cell get_share(const struct position *p)
{
	const struct model_label *l = label_of(p);

	if (!l->samples)
		return cell_without(STANDING_NA);
	enum standing standing = standing_seen(is_partial(p));

	return cell_ratio((double)get_member(p).number / (double)l->samples,
			  standing_combined(COMBINE_QUOTIENT, standing, standing));
}

static struct cell get_object(const struct position *p)
{
	const struct model_label_frame *l = p->row;
	const char *object = p->sheet->model->frames[l->frame].object;

	return object ? cell_text(object) : cell_without(STANDING_NONE);
}

static const struct model_frame *frame_of(const struct position *p)
{
	const struct model_label_frame *l = p->row;

	return &p->sheet->model->frames[l->frame];
}

static struct cell get_label_file(const struct position *p)
{
	return cell_path(frame_of(p)->file);
}

static bool say_label_begin(const struct position *p, char *to, size_t capacity)
{
	return say_source(frame_of(p)->file, frame_of(p)->line, to, capacity);
}

static struct cell get_slices(const struct position *p)
{
	const struct model_label *l = label_of(p);

	return cell_of(l->times.slices);
}

/* Writes the last part of the path. */
static bool say_object(const struct position *p, char *to, size_t capacity)
{
	struct cell cell = get_object(p);
	const char *slash = has_value(cell) ? strrchr(cell.text, '/') : NULL;

	if (slash)
		snprintf(to, capacity, "%s", slash + 1);
	return slash;
}

static const struct column label_columns[] = {
	{ "label", NULL, "label of the coroutines", KIND_ROW, .shown = SHOWN, .refers = "labels",
	  MEMBER(struct model_label_frame, label) },
	{ "process", NULL, "the process it is of", KIND_ROW, .shown = SHOWN,
	  .when = when_processes, .refers = "processes", .get = get_process },
	{ "own", NULL, "samples taken in it", KIND_COUNT, SUMS_ADD, .shown = SHOWN, .per = "slices",
	  MEMBER(struct model_label_frame, own) },
	{ "own_share", "%", "that, as a share of the label's samples", KIND_SHARE,
	  .shown = SHOWN, .get = get_share, MEMBER(struct model_label_frame, own) },
	{ "total", NULL, "samples with it on the stack, each once", KIND_COUNT, .shown = SHOWN,
	  .per = "slices", MEMBER(struct model_label_frame, total) },
	{ "total_share", "%", "that, as a share of the label's samples", KIND_SHARE,
	  .shown = SHOWN, .get = get_share,
	  MEMBER(struct model_label_frame, total) },
	{ "function", NULL, "the function", KIND_ROW, .shown = SHOWN, .refers = "functions",
	  MEMBER(struct model_label_frame, frame) },
	{ "object", NULL, "object file it is in", KIND_TEXT, .shown = SHOWN,
	  .get = get_object, .say = say_object },
	{ "file", "source", "source file that it is in, by debug information", KIND_TEXT,
	  .aside = true, .unsure = true, .shown = SHOWN_TEXT, .when = when_lines,
	  .get = get_label_file, .say = say_label_begin },
	{ "slices", NULL, "slices of the label", KIND_COUNT, .aside = true, PARTIAL(SLICES),
	  .one = "slice", .get = get_slices },
};

const struct table table_label_functions = {
	.by_coroutine = true, PARTIAL(SAMPLES), .name = "label_functions", .title = "functions sampled in the coroutines of each label",
	COLUMNS(label_columns), ROWS(LABEL_FRAMES),
};

/* ------------------------------------------------------------------------
 * the tree
 */

static const struct column node_columns[] = {
	{ "label", NULL, "label of the coroutines", KIND_ROW, .shown = SHOWN, .refers = "labels",
	  MEMBER(struct model_sample_node, label) },
	{ "parent", NULL, "the call it was within, a row further up; none: it is the outermost",
	  KIND_ROW, .shown = SHOWN, .refers = "sample_tree",
	  MEMBER(struct model_sample_node, parent) },
	{ "function", NULL, "the function", KIND_ROW, .shown = SHOWN, .refers = "functions",
	  MEMBER(struct model_sample_node, frame) },
	{ "depth", NULL, "number of its callers", KIND_COUNT,
	  .aside = true, WHOLE(ONE), MEMBER(struct model_sample_node, depth) },
	{ "own", NULL, "samples taken right here", KIND_COUNT, SUMS_ADD, .shown = SHOWN,
	  MEMBER(struct model_sample_node, own) },
	{ "total", NULL, "samples taken here and in all that was called from here", KIND_COUNT,
	  .shown = SHOWN, MEMBER(struct model_sample_node, total) },
};

const struct table table_sample_tree = {
	.by_coroutine = true, PARTIAL(SAMPLES), .name = "sample_tree", .title = "functions called by functions, as sampled",
	COLUMNS(node_columns), ROWS(SAMPLE_NODES),
};

/* ------------------------------------------------------------------------
 * source lines
 */

static struct cell get_line_file(const struct position *p)
{
	const struct model_location *line = p->row;

	return cell_path(line->file);
}

static bool say_line(const struct position *p, char *to, size_t capacity)
{
	const struct model_location *line = p->row;

	return say_source(line->file, line->line, to, capacity);
}

static const struct column line_columns[] = {
	{ "file", "source", "source file, by debug information", KIND_TEXT, .unsure = true,
	  .shown = SHOWN, .get = get_line_file, .say = say_line },
	{ "line", NULL, "line of it", KIND_ID, .unsure = true, .shown = SHOWN_PAGE,
	  .get = get_nonzero, MEMBER(struct model_location, line) },
	{ "own", NULL, "samples taken in it", KIND_COUNT, SUMS_ADD, .shown = SHOWN,
	  MEMBER(struct model_location, own) },
	{ "total", NULL, "samples with it on the stack, each once", KIND_COUNT, .shown = SHOWN,
	  MEMBER(struct model_location, total) },
	{ "inlined", NULL, "whether the compiler has inlined the function into its caller", KIND_WORD,
	  .shown = SHOWN, .words = no_yes, MEMBER(struct model_location, inlined) },
	{ "function", NULL, "the function", KIND_ROW, .shown = SHOWN, .refers = "functions",
	  MEMBER(struct model_location, frame) },
};

const struct table table_lines = {
	.by_coroutine = true, PARTIAL(SAMPLES), .name = "lines", .title = "source lines that samples were taken in, or called from",
	COLUMNS(line_columns), ROWS(LOCATIONS),
};

static const struct column line_node_columns[] = {
	{ "node", NULL, "the function, and its callers, that it is a line of", KIND_ROW,
	  .shown = SHOWN, .refers = "sample_tree", MEMBER(struct model_line_node, node) },
	{ "line", NULL, "the line", KIND_ROW, .shown = SHOWN, .refers = "lines",
	  MEMBER(struct model_line_node, location) },
	{ "parent", NULL, "the line it was called from, a row further up; none: it is the outermost",
	  KIND_ROW, .shown = SHOWN, .refers = "line_tree",
	  MEMBER(struct model_line_node, parent) },
	{ "own", NULL, "samples taken right here", KIND_COUNT, SUMS_ADD, .shown = SHOWN,
	  MEMBER(struct model_line_node, own) },
	{ "total", NULL, "samples taken here and in all that was called from here", KIND_COUNT,
	  .shown = SHOWN, MEMBER(struct model_line_node, total) },
};

const struct table table_line_tree = {
	.by_coroutine = true, PARTIAL(SAMPLES), .name = "line_tree", .title = "source lines called from source lines, as sampled",
	COLUMNS(line_node_columns), ROWS(LINE_NODES),
};
