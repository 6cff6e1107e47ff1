// SPDX-License-Identifier: GPL-2.0
/*
 * Writes one table as CSV: the columns of its sheet, names beside references, and a standing beside
 * what may have one. Chooses rows and columns by output/export.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "output/csv.h"
#include "output/export.h"
#include "output/plain.h"

#define END	"\r\n"

/* Writes text in quotes if it has a character that would end a cell. */
static void write_text(const char *text, FILE *file)
{
	if (!text[strcspn(text, "\",\r\n")]) {
		fputs(text, file);
		return;
	}
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

static void write_column_name(const struct sheet_column *column, const char *end, FILE *file)
{
	fputc(',', file);
	write_text(column->name, file);
	fputs(end, file);
}

static void write_column_names(const struct export *e, FILE *file)
{
	fputs(ROW_NUMBER, file);
	for (unsigned int i = 0; i < e->sheet.nr_columns; i++) {
		const struct sheet_column *column = &e->sheet.columns[i];

		if (!e->wanted[i])
			continue;
		write_column_name(column, "", file);
		if (plain_has_names(column->is))
			write_column_name(column, BESIDE_NAME, file);
		if (column->unsure)
			write_column_name(column, BESIDE_STANDING, file);
	}
	fputs(END, file);
}

static void write_cell(const struct sheet *sheet, unsigned int i, uint32_t row, FILE *file)
{
	const struct sheet_column *column = &sheet->columns[i];
	struct cell cell = sheet_cell(sheet, row, i);
	char text[PLAIN_SIZE];

	fputc(',', file);
	write_text(plain_cell(sheet, i, cell, text), file);
	if (plain_has_names(column->is)) {
		fputc(',', file);
		write_text(plain_name(sheet, i, cell, text), file);
	}
	if (column->unsure) {
		fputc(',', file);
		write_text(standing_name(cell.standing), file);
	}
}

static void write_rows(const struct export *e, FILE *file)
{
	for (uint32_t row = 0; row < e->order.nr; row++) {
		fprintf(file, "%" PRIu32, e->order.rows[row]);
		for (unsigned int i = 0; i < e->sheet.nr_columns; i++)
			if (e->wanted[i])
				write_cell(&e->sheet, i, e->order.rows[row], file);
		fputs(END, file);
	}
}

int csv_write(const struct model *model, const struct view_options *view, FILE *file)
{
	const struct table *table = view->table ? table_named(view->table) : export_table(model);
	struct export e;

	if (export_open(&e, table, model, view)) {
		errno = ENOMEM;
		return -1;
	}
	write_column_names(&e, file);
	write_rows(&e, file);
	export_close(&e);
	return ferror(file) ? -1 : 0;
}
