// SPDX-License-Identifier: GPL-2.0
/* What the page calls. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "cprof/file.h"
#include "cprof/format.h"
#include "cprof/memory.h"
#include "engine/engine.h"
#include "engine/shims.h"
#include "profile/chosen.h"
#include "profile/model.h"
#include "profile/schema.h"
#include "symbols/given.h"
#include "tables/derived.h"
#include "tables/table.h"

#define EXPORT	__attribute__((visibility("default"), used))

/* Whole nanoseconds are exact in a double up to here. */
#define EXACT	9007199254740992.0

/**
 * struct engine - all that there is
 * @file:      the recording
 * @names:     of its functions
 * @whole:     of which rows are chosen
 * @model:     of what was added up last: @whole, or its own; NULL: nothing was
 * @selected:  row, or SELECT_ALL
 * @sheet:     the last table; its description is NULL: there is none
 * @table:     of that
 * @error:     why the last call failed
 */
static struct engine {
	struct file *file;
	struct symbols_given names;
	struct model *whole;
	struct model *model;
	uint32_t selected[SELECT_NR];
	struct sheet sheet;
	struct engine_table table;
	struct error error;
} engine;

static int fail(int code, const char *why)
{
	error_set(&engine.error, code, "%s", why);
	return 0;
}

EXPORT const char *engine_fault(void)
{
	return engine.error.message;
}

EXPORT void *engine_reserve(uint32_t size)
{
	return malloc((size_t)size + 1);
}

/* ---- a recording */

static bool has_zstd(const struct file *file)
{
	for (size_t i = 0; i < file->nr_segments; i++)
		if (file->segments[i].flags & CPROF_FLAG_ZSTD)
			return true;
	return false;
}

static int load(struct model **model, const struct model_chosen *chosen, uint64_t from, uint64_t to)
{
	const struct model_options options = {
		.from_ns = from, .to_ns = to, .chosen = chosen, .names = &engine.names,
		.no_timeline = true,
	};

	if (model_load(model, engine.file, &options, &engine.error))
		return 0;
	if (!derived_make(*model))
		return 1;
	model_free(*model);
	return fail(ENOMEM, "out of memory while looking for what is worth a look");
}

/* All of a page's bytes are one piece, which is there as long as the engine is. */
static bool open_bytes(const void *bytes, uint32_t size)
{
	struct memory *memory = memory_new();

	if (!memory)
		return fail(ENOMEM, "out of memory");
	if (!memory_refer(memory, NULL, bytes, size, &engine.error) &&
	    !file_open_memory(&engine.file, "recording", memory, &engine.error))
		return true;
	memory_free(memory);
	return false;
}

EXPORT int engine_open(void *bytes, uint32_t size, void *names, uint32_t names_size, double seed)
{
	bool known;

	if (engine.file)
		return fail(EBUSY, "a recording is open already");
	shims_seed(seed);
	for (unsigned int i = 0; i < SELECT_NR; i++)
		engine.selected[i] = SELECT_ALL;
	known = given_read(&engine.names, names, names_size);
	free(names);
	if (!known)
		return fail(EINVAL, "the list of names of functions makes no sense");
	if (!open_bytes(bytes, size))
		return 0;
	if (has_zstd(engine.file))
		return fail(ENOTSUP, "the recording has segments in zstd, which a page can't unpack");
	return load(&engine.whole, NULL, 0, 0);
}

/* ---- what of it */

static uint32_t rows_of(enum engine_select what)
{
	const struct model *m = engine.whole;

	return what == SELECT_THREAD ? m->nr_channels :
	       what == SELECT_PROCESS ? m->nr_processes : m->nr_labels;
}

EXPORT int engine_select(uint32_t what, uint32_t row)
{
	if (!engine.whole)
		return fail(EINVAL, "no recording is open");
	if (what >= SELECT_NR || (row != SELECT_ALL && row >= rows_of(what)))
		return fail(EINVAL, "there is no such row to choose");
	engine.selected[what] = row;
	return 1;
}

static bool is_selected(uint32_t channel)
{
	const uint32_t thread = engine.selected[SELECT_THREAD];
	const uint32_t process = engine.selected[SELECT_PROCESS];

	return (thread == SELECT_ALL || thread == channel) &&
	       (process == SELECT_ALL || process == engine.whole->channels[channel].process);
}

/* The selected row, or NULL. */
static const void *selected_row(enum engine_select what, enum schema_id table)
{
	uint32_t row = engine.selected[what];

	return row == SELECT_ALL ? NULL : schema_row(engine.whole, table, row);
}

static int load_chosen(uint32_t *channels, char *text, uint64_t from, uint64_t to)
{
	const struct model_label *l = selected_row(SELECT_LABEL, SCHEMA_LABELS);
	const struct model_chosen_label label = {
		l ? l->process : 0, l ? l->number : 0, l && l->kind == MODEL_LABEL_THREAD,
	};
	struct model_chosen chosen = {
		.text = text, .channels = channels, .labels = &label, .nr_labels = !!l,
	};

	if (!channels || !text)
		return fail(ENOMEM, "out of memory");
	for (uint32_t i = 0; i < engine.whole->nr_channels; i++)
		if (is_selected(i))
			channels[chosen.nr_channels++] = i;
	if (!chosen.nr_channels)
		return fail(EINVAL, "the thread is not of the process");
	return load(&engine.model, &chosen, from, to);
}

static int add_up_chosen(uint64_t from, uint64_t to)
{
	const struct model_label *l = selected_row(SELECT_LABEL, SCHEMA_LABELS);
	const struct model_channel *c = selected_row(SELECT_THREAD, SCHEMA_CHANNELS);
	const struct model_process *p = selected_row(SELECT_PROCESS, SCHEMA_PROCESSES);
	uint32_t *channels;
	char *text;
	int done;

	if (l && (l->kind == MODEL_LABEL_OTHER || l->kind == MODEL_LABEL_REST))
		return fail(EINVAL, "the label is a row of several that are not distinguished");
	if (engine.whole->totals)
		return fail(EINVAL, "in totals no slice says where it ran");
	text = chosen_text(l ? l->name : NULL, c ? c->tid : 0, p ? p->pid : 0);
	channels = calloc((size_t)engine.whole->nr_channels + 1, sizeof(*channels));
	done = load_chosen(channels, text, from, to);
	free(channels);
	free(text);
	return done;
}

static void forget_table(void)
{
	struct engine_table *t = &engine.table;

	for (uint32_t i = 0; t->columns && i < t->nr_columns; i++) {
		free(t->columns[i].values);
		free(t->columns[i].standings);
		free(t->columns[i].ids);
	}
	free(t->columns);
	for (uint32_t i = 0; t->titles && i < t->rows; i++)
		free((char *)t->titles[i]);
	free(t->titles);
	*t = (struct engine_table){ 0 };
	if (engine.sheet.table)
		sheet_close(&engine.sheet);
	engine.sheet.table = NULL;
}

static void forget_model(void)
{
	forget_table();
	if (engine.model != engine.whole)
		model_free(engine.model);
	engine.model = NULL;
}

EXPORT int engine_add_up(double from, double to)
{
	bool chosen = false;

	if (!engine.whole)
		return fail(EINVAL, "no recording is open");
	if (!(from >= 0 && from < EXACT && to >= 0 && to < EXACT) || (to && to <= from))
		return fail(EINVAL, "the times are none, or nothing is between them");
	forget_model();
	for (unsigned int i = 0; i < SELECT_NR; i++)
		chosen |= engine.selected[i] != SELECT_ALL;
	if (chosen)
		return add_up_chosen((uint64_t)from, (uint64_t)to);
	if (from || to)
		return load(&engine.model, NULL, (uint64_t)from, (uint64_t)to);
	engine.model = engine.whole;
	return 1;
}

/* ---- a table */

static double address(const char *text)
{
	return (double)(uintptr_t)text;
}

static double value_of(struct engine_column *to, uint32_t row, struct cell cell)
{
	if (!has_value(cell))
		return 0;
	switch (to->kind) {
	case KIND_TEXT:
		return address(cell.text);
	case KIND_ID:
		snprintf(to->ids[row], sizeof(to->ids[row]),
			 cell.number > INT64_MAX ? "0x%" PRIx64 : "%" PRIu64, cell.number);
		return address(to->ids[row]);
	case KIND_SHARE:
	case KIND_RATIO:
		return cell.fraction;
	default:
		return (double)cell.number;
	}
}

/* False when out of memory. */
static bool put_column(uint32_t column)
{
	struct engine_column *to = &engine.table.columns[column];
	size_t rows = (size_t)engine.table.rows + 1;

	to->name = engine.sheet.columns[column].name;
	to->kind = engine.sheet.columns[column].kind;
	to->values = calloc(rows, sizeof(*to->values));
	to->standings = calloc(rows, sizeof(*to->standings));
	if (to->kind == KIND_ID)
		to->ids = calloc(rows, sizeof(*to->ids));
	if (!to->values || !to->standings || (to->kind == KIND_ID && !to->ids))
		return false;
	for (uint32_t row = 0; row < engine.table.rows; row++) {
		struct cell cell = sheet_cell(&engine.sheet, row, column);

		to->values[row] = value_of(to, row, cell);
		to->standings[row] = (uint8_t)cell.standing;
	}
	return true;
}

static bool put_titles(void)
{
	const struct table *table = engine.sheet.table;
	struct engine_table *t = &engine.table;
	char text[ROW_TITLE_SIZE];

	if (!table_has_names(table))
		return true;
	t->titles = calloc((size_t)t->rows + 1, sizeof(*t->titles));
	for (uint32_t row = 0; t->titles && row < t->rows; row++) {
		t->titles[row] = strdup(row_title(table, engine.model, row, text));
		if (!t->titles[row])
			return false;
	}
	return t->titles;
}

static bool put_table(void)
{
	struct engine_table *t = &engine.table;

	t->rows = engine.sheet.rows;
	t->nr_columns = engine.sheet.nr_columns;
	t->columns = calloc((size_t)t->nr_columns + 1, sizeof(*t->columns));
	for (uint32_t i = 0; t->columns && i < t->nr_columns; i++)
		if (!put_column(i))
			return false;
	return t->columns && put_titles();
}

EXPORT const struct engine_table *engine_table(char *name)
{
	const struct table *table = table_named(name);

	free(name);
	forget_table();
	if (!engine.model)
		fail(EINVAL, "nothing was added up");
	else if (!table)
		fail(EINVAL, "there is no table of this name");
	else if (sheet_open(&engine.sheet, table, engine.model))
		engine.sheet.table = NULL;
	else if (put_table())
		return &engine.table;
	if (engine.model && table)
		fail(ENOMEM, "out of memory for a table");
	forget_table();
	return NULL;
}
