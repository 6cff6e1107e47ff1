// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "base/json.h"
#include "output/export.h"
#include "output/json.h"
#include "output/plain.h"
#include "tables/summary.h"

#define FORMAT		"coroprof-tables"
#define FORMAT_VERSION	1
/* Of a column; counters have the names that a file says. */
#define KEY_ROOM	512

static void put_words(struct json *j, const struct column *column)
{
	json_key(j, "words");
	json_open(j, '[');
	for (const char *const *word = column->words; *word; word++)
		json_string(j, *word);
	json_close(j, ']');
}

static void put_column(struct json *j, const struct sheet_column *column)
{
	json_open(j, '{');
	json_member(j, "name", column->name);
	json_member(j, "title", column->title);
	json_member(j, "says", column->says);
	json_member(j, "kind", kind_name(column->kind));
	json_member(j, "sums", sums_name(column->is->sums));
	json_key(j, "unsure");
	json_bool(j, column->is->unsure);
	if (column->is->words)
		put_words(j, column->is);
	if (column->is->refers)
		json_member(j, "refers", column->is->refers);
	json_close(j, '}');
}

/* Names have something behind them in rows. */
static void key_of(struct json *j, const struct sheet_column *column, const char *end)
{
	char key[KEY_ROOM];

	snprintf(key, sizeof(key), "%.*s%s", KEY_ROOM - 16, column->name, end);
	json_key(j, key);
}

static void put_flags(struct json *j, const struct column *column, uint64_t flags)
{
	json_open(j, '[');
	for (unsigned int bit = 0; bit < 64; bit++) {
		const char *word = flags >> bit & 1 ? plain_word(column, bit) : NULL;

		if (word)
			json_string(j, word);
	}
	json_close(j, ']');
}

static void put_value(struct json *j, const struct sheet *sheet, unsigned int i, struct cell cell)
{
	char room[PLAIN_ROOM];

	if (!has_value(cell)) {
		json_string(j, NULL);
		return;
	}
	switch (sheet->columns[i].kind) {
	case KIND_TEXT:
	case KIND_WORD:
		json_string(j, plain_cell(sheet, i, cell, room));
		break;
	case KIND_FLAGS:
		put_flags(j, sheet->columns[i].is, cell.number);
		break;
	case KIND_SHARE:
	case KIND_RATIO:
		json_double(j, cell.fraction);
		break;
	default:
		json_u64(j, cell.number);
	}
}

static void put_cell(struct json *j, const struct sheet *sheet, unsigned int i, uint32_t row)
{
	const struct sheet_column *column = &sheet->columns[i];
	struct cell cell = sheet_cell(sheet, row, i);
	char room[PLAIN_ROOM];

	key_of(j, column, "");
	put_value(j, sheet, i, cell);
	if (plain_has_names(column->is)) {
		key_of(j, column, "_name");
		json_string(j, has_value(cell) ? plain_name(sheet, i, cell, room) : NULL);
	}
	if (column->is->unsure) {
		key_of(j, column, "_standing");
		json_string(j, standing_name(cell.standing));
	}
}

static void put_row(struct json *j, const struct export *e, uint32_t row)
{
	json_open(j, '{');
	json_key(j, ROW_NUMBER);
	json_u64(j, row);
	for (unsigned int i = 0; i < e->sheet.nr_columns; i++)
		if (e->wanted[i])
			put_cell(j, &e->sheet, i, row);
	json_close(j, '}');
	fputc('\n', j->file);
}

static void put_table(struct json *j, const struct export *e)
{
	const struct table *table = e->sheet.table;

	json_key(j, table->name);
	json_open(j, '{');
	json_member(j, "title", table->title);
	json_key(j, "columns");
	json_open(j, '[');
	for (unsigned int i = 0; i < e->sheet.nr_columns; i++)
		if (e->wanted[i])
			put_column(j, &e->sheet.columns[i]);
	json_close(j, ']');
	json_key(j, "rows");
	json_open(j, '[');
	fputc('\n', j->file);
	for (uint32_t i = 0; i < e->order.nr; i++)
		put_row(j, e, e->order.rows[i]);
	json_close(j, ']');
	json_close(j, '}');
	fputc('\n', j->file);
}

static int put_tables(struct json *j, const struct model *model, const struct look *look)
{
	const struct table *one = look->table ? table_named(look->table) : NULL;
	struct export e;

	for (unsigned int i = 0; i < nr_tables; i++) {
		if (one && tables[i] != one)
			continue;
		if (export_open(&e, tables[i], model, look))
			return -1;
		put_table(j, &e);
		export_close(&e);
	}
	return 0;
}

int json_tables_write(const struct model *model, const struct look *look, FILE *file)
{
	struct json j = { .file = file };
	char summary[SUMMARY_ROOM];

	summary_write(model, summary);
	json_open(&j, '{');
	json_member(&j, "format", FORMAT);
	json_key(&j, "version");
	json_u64(&j, FORMAT_VERSION);
	json_member(&j, "summary", summary);
	json_key(&j, "tables");
	json_open(&j, '{');
	if (put_tables(&j, model, look)) {
		errno = ENOMEM;
		return -1;
	}
	json_close(&j, '}');
	json_close(&j, '}');
	fputc('\n', file);
	return ferror(file) ? -1 : 0;
}
