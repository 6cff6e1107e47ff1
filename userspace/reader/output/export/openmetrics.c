// SPDX-License-Identifier: GPL-2.0
/*
 * Writes figures of tables as gauges of OpenMetrics. Relies on sheets for columns and standings.
 * Rows with the same names are distinguished by their number.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/util.h"
#include "output/export/openmetrics.h"
#include "output/export/notes.h"
#include "output/plain.h"
#include "tables/table.h"

#define NAME_ROOM	256

/* Those of few rows, with names that mean the same in the next recording. */
static const char *const chosen[] = {
	"recording", "labels", "threads", "wakes", "label_spans", "label_functions",
};

#define RECORDING	"recording"

/**
 * struct metrics - a file being written
 * @names:  labels of each row of the table, between braces
 * @time:   what each line ends with
 */
struct metrics {
	const struct model *m;
	FILE *file;
	char **names;
	char time[48];
};

/*
 * Writes text as a part of a metric's name: each character but letters, digits and "_" becomes "_".
 */
static void write_metric_word(const char *text, FILE *file)
{
	for (; *text; text++)
		fputc(isalnum((unsigned char)*text) ? tolower((unsigned char)*text) : '_', file);
}

static void write_label(const char *name, const char *text, FILE *file)
{
	write_metric_word(name, file);
	fputs("=\"", file);
	for (; *text; text++) {
		if (*text == '\n') {
			fputs("\\n", file);
			continue;
		}
		if (*text == '"' || *text == '\\')
			fputc('\\', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

/* ------------------------------------------------------------------------
 * what names a row
 */

static bool names_row(const struct sheet_column *c)
{
	return c->kind == KIND_TEXT || c->kind == KIND_ID || c->kind == KIND_ROW ||
	       c->kind == KIND_WORD;
}

static void write_row_names(const struct sheet *sheet, uint32_t row, FILE *file)
{
	const char *comma = "";
	char text[PLAIN_SIZE];

	for (unsigned int i = 0; i < sheet->nr_columns; i++) {
		const struct sheet_column *c = &sheet->columns[i];
		struct cell cell = sheet_cell(sheet, row, i);

		if (!names_row(c) || !has_value(cell))
			continue;
		fputs(comma, file);
		write_label(c->name, plain_has_names(c->is) ? plain_name(sheet, i, cell, text) :
			    plain_cell(sheet, i, cell, text), file);
		comma = ",";
	}
}

static uint64_t hash_text(const char *text)
{
	uint64_t h = 14695981039346656037ULL;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211ULL;
	return h;
}

/*
 * The names of a row as labels of its metrics. If a row before has the same, the number of the row
 * is added.
 */
static char *make_row_names(const struct sheet *sheet, uint32_t row, struct index *seen)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	/* Those of the recording are reported once, by its metric of info. */
	if (strcmp(sheet->table->name, RECORDING))
		write_row_names(sheet, row, file);
	fflush(file);
	if (index_get(seen, hash_text(text), 0) != INDEX_NONE)
		fprintf(file, "%srow=\"%" PRIu32 "\"", *text ? "," : "", row);
	else if (!index_put(seen, hash_text(text), 0, row))
		goto fail;
	if (!fclose(file))
		return text;
	free(text);
	return NULL;
fail:
	fclose(file);
	free(text);
	return NULL;
}

static void free_names(struct metrics *o, const struct sheet *sheet)
{
	for (uint32_t i = 0; o->names && i < sheet->rows; i++)
		free(o->names[i]);
	free(o->names);
	o->names = NULL;
}

static bool make_all_names(struct metrics *o, const struct sheet *sheet)
{
	struct index seen = { 0 };
	bool done = true;

	o->names = calloc((size_t)sheet->rows + 1, sizeof(*o->names));
	for (uint32_t i = 0; o->names && done && i < sheet->rows; i++) {
		o->names[i] = make_row_names(sheet, i, &seen);
		done = o->names[i];
	}
	index_free(&seen);
	return o->names && done;
}

/* ------------------------------------------------------------------------
 * metrics
 */

/* True of a column of figures: it is neither a name of its row nor a set of flags. */
static bool is_metric(const struct sheet_column *c)
{
	return !names_row(c) && c->kind != KIND_FLAGS;
}

static bool is_time(const struct sheet_column *c)
{
	return c->kind == KIND_NS || c->kind == KIND_TIME;
}

static void write_metric_name(const struct sheet *sheet, unsigned int column, FILE *file)
{
	fputs("coroprof_", file);
	write_metric_word(sheet->table->name, file);
	fputc('_', file);
	write_metric_word(sheet->columns[column].name, file);
	if (is_time(&sheet->columns[column]))
		fputs("_seconds", file);
}

static void write_value(const struct sheet_column *c, struct cell cell, FILE *file)
{
	if (c->kind == KIND_SHARE || c->kind == KIND_RATIO)
		fprintf(file, "%.9g", cell.fraction);
	else if (is_time(c))
		fprintf(file, "%" PRIu64 ".%09" PRIu64, cell.number / 1000000000,
			cell.number % 1000000000);
	else
		fprintf(file, "%" PRIu64, cell.number);
}

static void write_metric_line(const struct metrics *o, const struct sheet *sheet,
			      unsigned int column, uint32_t row)
{
	struct cell cell = sheet_cell(sheet, row, column);
	const char *names = o->names[row];
	bool marked = cell.standing != STANDING_COUNTED;

	if (!has_value(cell))
		return;
	write_metric_name(sheet, column, o->file);
	if (*names || marked)
		fprintf(o->file, "{%s%s", names, *names && marked ? "," : "");
	if (marked)
		write_label("standing", standing_name(cell.standing), o->file);
	fputs(*names || marked ? "} " : " ", o->file);
	write_value(&sheet->columns[column], cell, o->file);
	fprintf(o->file, "%s\n", o->time);
}

/* A newline would end the line, so it becomes a space. */
static void write_help_text(const char *text, FILE *file)
{
	for (; *text; text++) {
		if (*text == '\\')
			fputc('\\', file);
		fputc(*text == '\n' ? ' ' : *text, file);
	}
	fputc('\n', file);
}

static void write_metric(const struct metrics *o, const struct sheet *sheet, unsigned int column)
{
	static const char *const says[] = { "TYPE", "UNIT", "HELP" };

	for (unsigned int i = 0; i < ARRAY_SIZE(says); i++) {
		if (i == 1 && !is_time(&sheet->columns[column]))
			continue;
		fprintf(o->file, "# %s ", says[i]);
		write_metric_name(sheet, column, o->file);
		fputc(' ', o->file);
		write_help_text(i == 0 ? "gauge" : i == 1 ? "seconds" : sheet->columns[column].says,
				o->file);
	}
	for (uint32_t row = 0; row < sheet->rows; row++)
		write_metric_line(o, sheet, column, row);
}

/*
 * Writes a gauge for each figure that the recording does not have, with the standing as the reason.
 */
static void write_absent(const struct metrics *o, const struct sheet *sheet)
{
	fputs("# TYPE coroprof_absent gauge\n# HELP coroprof_absent figures that the recording does not have, and why\n",
	      o->file);
	for (unsigned int i = 0; i < sheet->nr_columns; i++) {
		struct cell cell = sheet_cell(sheet, 0, i);

		if (!is_metric(&sheet->columns[i]) || has_value(cell))
			continue;
		fputs("coroprof_absent{", o->file);
		write_label("column", sheet->columns[i].name, o->file);
		fputc(',', o->file);
		write_label("standing", standing_name(cell.standing), o->file);
		fprintf(o->file, "} 1%s\n", o->time);
	}
}

static int write_table(struct metrics *o, const struct table *table)
{
	struct sheet sheet;
	int ret = -1;

	if (sheet_open(&sheet, table, o->m))
		return -1;
	if (make_all_names(o, &sheet)) {
		for (unsigned int i = 0; i < sheet.nr_columns && sheet.rows; i++)
			if (is_metric(&sheet.columns[i]))
				write_metric(o, &sheet, i);
		if (!strcmp(table->name, RECORDING))
			write_absent(o, &sheet);
		ret = 0;
	}
	free_names(o, &sheet);
	sheet_close(&sheet);
	return ret;
}

static int write_info(struct metrics *o)
{
	struct notes r;
	char text[8192];

	if (notes_make(&r, o->m))
		return -1;
	fputs("# TYPE coroprof_recording info\n# HELP coroprof_recording what is to be known of all figures\ncoroprof_recording_info{",
	      o->file);
	for (uint32_t i = 0, next; i < r.nr; i = next) {
		next = notes_join(&r, i, text, sizeof(text));
		fputs(i ? "," : "", o->file);
		write_label(r.list[i].title, text, o->file);
	}
	fprintf(o->file, "} 1%s\n", o->time);
	notes_free(&r);
	return 0;
}

static void set_time(struct metrics *o)
{
	const struct model *m = o->m;
	uint64_t end = m->end_ns ? m->end_ns + (uint64_t)m->realtime_offset_ns : m->clocks_ns;

	if (m->realtime_known)
		snprintf(o->time, sizeof(o->time), " %" PRIu64 ".%03" PRIu64, end / 1000000000,
			 end / 1000000 % 1000);
}

int openmetrics_write(const struct model *m, FILE *file)
{
	struct metrics o = { .m = m, .file = file };

	set_time(&o);
	if (write_info(&o))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(chosen); i++) {
		const struct table *table = table_named(chosen[i]);

		if (table && write_table(&o, table))
			return -1;
	}
	fputs("# EOF\n", file);
	return ferror(file) ? -1 : 0;
}
