// SPDX-License-Identifier: GPL-2.0
/*
 * Has SQLite write all tables into a database, by their descriptions. SQLite writes anywhere in a
 * file, so for a pipe the database is made in a temporary file, and copied at the end.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "output/export/notes.h"
#include "output/export/slices.h"
#include "output/export/sqlite.h"
#include "output/plain.h"
#include "tables/table.h"

#define LIBRARY	"libsqlite3.so.0"

/* What its documentation promises not to change. */
enum { SQLITE_OK = 0, SQLITE_NOMEM = 7, SQLITE_FULL = 13, SQLITE_DONE = 101 };

/* Texts live as long as the statement that they are bound to is not stepped. */
#define SQLITE_STATIC	NULL

struct sqlite3;
struct sqlite3_stmt;

/* The functions of the library. */
static struct {
	int (*open)(const char *path, struct sqlite3 **db);
	int (*close)(struct sqlite3 *db);
	int (*exec)(struct sqlite3 *db, const char *sql, void *callback, void *context,
		    char **message);
	int (*prepare)(struct sqlite3 *db, const char *sql, int size,
		       struct sqlite3_stmt **statement, const char **tail);
	int (*bind_int64)(struct sqlite3_stmt *statement, int at, int64_t value);
	int (*bind_double)(struct sqlite3_stmt *statement, int at, double value);
	int (*bind_text)(struct sqlite3_stmt *statement, int at, const char *text, int size,
			 void (*destroy)(void *));
	int (*bind_null)(struct sqlite3_stmt *statement, int at);
	int (*step)(struct sqlite3_stmt *statement);
	int (*reset)(struct sqlite3_stmt *statement);
	int (*finalize)(struct sqlite3_stmt *statement);
} lib;

int sqlite_check(struct error *err)
{
	static const struct {
		void *function;
		const char *name;
	} functions[] = {
		{ &lib.open, "sqlite3_open" }, { &lib.close, "sqlite3_close" },
		{ &lib.exec, "sqlite3_exec" }, { &lib.prepare, "sqlite3_prepare_v2" },
		{ &lib.bind_int64, "sqlite3_bind_int64" },
		{ &lib.bind_double, "sqlite3_bind_double" },
		{ &lib.bind_text, "sqlite3_bind_text" },
		{ &lib.bind_null, "sqlite3_bind_null" },
		{ &lib.step, "sqlite3_step" }, { &lib.reset, "sqlite3_reset" },
		{ &lib.finalize, "sqlite3_finalize" },
	};
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; library && i < ARRAY_SIZE(functions); i++) {
		void *symbol = dlsym(library, functions[i].name);

		memcpy(functions[i].function, &symbol, sizeof(symbol));
		if (!symbol)
			library = NULL;
	}
	if (library)
		return 0;
	return error_set(err, ENOSYS, "no database can be written without SQLite's library (%s). Install it: sudo apt install libsqlite3-0",
			 dlerror());
}

/**
 * struct database - one being written
 * @m:         what of
 * @db:        it
 * @statement: inserts a row
 * @bound:     how many values of the row are there
 * @status:    SQLITE_OK, or what failed first
 */
struct database {
	const struct model *m;
	struct sqlite3 *db;
	struct sqlite3_stmt *statement;
	int bound;
	int status;
};

static void note_status(struct database *d, int status)
{
	if (d->status == SQLITE_OK && status != SQLITE_OK && status != SQLITE_DONE)
		d->status = status;
}

static void execute_sql(struct database *d, const char *sql)
{
	if (d->status == SQLITE_OK)
		note_status(d, lib.exec(d->db, sql, NULL, NULL, NULL));
}

/* ------------------------------------------------------------------------
 * SQL: the names are of descriptions, and of counters, which are any text
 */

static void write_quoted(const char *text, const char *end, FILE *sql)
{
	fputc('"', sql);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', sql);
		fputc(*text, sql);
	}
	fprintf(sql, "%s\"", end);
}

/*
 * Numbers that name something may be beyond 2^63, more than SQLite's integers have: they are text
 * where they are.
 */
static const char *sql_type(enum kind kind)
{
	switch (kind) {
	case KIND_TEXT:
	case KIND_WORD:
	case KIND_FLAGS:
		return " TEXT";
	case KIND_SHARE:
	case KIND_RATIO:
		return " REAL";
	case KIND_ID:
		return "";
	default:
		return " INTEGER";
	}
}

/*
 * Writes all columns, with those for names and standings that accompany them. @types: with types,
 * to create the table. Returns how many.
 */
static unsigned int write_column_list(const struct sheet *sheet, bool types, FILE *sql)
{
	unsigned int nr = 1;

	fputs(ROW_NUMBER, sql);
	fputs(types ? " INTEGER PRIMARY KEY" : "", sql);
	for (unsigned int i = 0; i < sheet->nr_columns; i++) {
		const struct sheet_column *c = &sheet->columns[i];

		fputs(", ", sql);
		write_quoted(c->name, "", sql);
		fputs(types ? sql_type(c->kind) : "", sql);
		nr++;
		if (plain_has_names(c->is)) {
			fputs(", ", sql);
			write_quoted(c->name, "_name", sql);
			fputs(types ? " TEXT" : "", sql);
			nr++;
		}
		if (c->unsure) {
			fputs(", ", sql);
			write_quoted(c->name, "_standing", sql);
			fputs(types ? " TEXT" : "", sql);
			nr++;
		}
	}
	return nr;
}

/* The statement that creates the table (@create), or the one that inserts a row. */
static char *make_sql(const struct sheet *sheet, bool create)
{
	char *text = NULL;
	size_t size;
	FILE *sql = open_memstream(&text, &size);
	unsigned int nr;

	if (!sql)
		return NULL;
	fputs(create ? "CREATE TABLE " : "INSERT INTO ", sql);
	write_quoted(sheet->table->name, "", sql);
	fputs(" (", sql);
	nr = write_column_list(sheet, create, sql);
	fputs(create ? ")" : ") VALUES (?", sql);
	for (unsigned int i = 1; !create && i < nr; i++)
		fputs(",?", sql);
	fputs(create ? "" : ")", sql);
	if (!fclose(sql))
		return text;
	free(text);
	return NULL;
}

/* ------------------------------------------------------------------------
 * rows
 */

static void begin_rows(struct database *d, const char *sql)
{
	if (d->status == SQLITE_OK)
		note_status(d, lib.prepare(d->db, sql, -1, &d->statement, NULL));
}

static void bind_text(struct database *d, const char *text)
{
	note_status(d, text ? lib.bind_text(d->statement, ++d->bound, text, -1, SQLITE_STATIC) :
		       lib.bind_null(d->statement, ++d->bound));
}

static void bind_number(struct database *d, uint64_t number)
{
	note_status(d, lib.bind_int64(d->statement, ++d->bound, (int64_t)number));
}

static void end_row(struct database *d)
{
	if (d->status == SQLITE_OK)
		note_status(d, lib.step(d->statement));
	lib.reset(d->statement);
	d->bound = 0;
}

static void end_rows(struct database *d)
{
	if (d->statement)
		lib.finalize(d->statement);
	d->statement = NULL;
}

/**
 * struct texts - of the row being bound: they are used when it ends
 * @text: rooms for them
 * @nr:   how many there are
 */
struct texts {
	char (*text)[PLAIN_SIZE];
	unsigned int nr;
};

static void bind_value(struct database *d, const struct sheet *sheet, unsigned int i,
		       struct cell cell, struct texts *texts)
{
	enum kind kind = sheet->columns[i].kind;

	if (!has_value(cell))
		bind_text(d, NULL);
	else if (kind == KIND_SHARE || kind == KIND_RATIO)
		note_status(d, lib.bind_double(d->statement, ++d->bound, cell.fraction));
	else if (kind == KIND_TEXT)
		bind_text(d, cell.text);
	else if (kind == KIND_WORD || kind == KIND_FLAGS || cell.number > INT64_MAX)
		bind_text(d, plain_cell(sheet, i, cell, texts->text[texts->nr++]));
	else
		bind_number(d, cell.number);
}

static void bind_cell(struct database *d, const struct sheet *sheet, unsigned int i,
		      uint32_t row, struct texts *texts)
{
	const struct column *column = sheet->columns[i].is;
	struct cell cell = sheet_cell(sheet, row, i);

	bind_value(d, sheet, i, cell, texts);
	if (plain_has_names(column))
		bind_text(d, has_value(cell) ?
			  plain_name(sheet, i, cell, texts->text[texts->nr++]) : NULL);
	if (sheet->columns[i].unsure)
		bind_text(d, standing_name(cell.standing));
}

static void insert_rows(struct database *d, const struct sheet *sheet)
{
	/* A cell and its name. */
	struct texts texts = {
		.text = calloc(2 * (size_t)sheet->nr_columns + 1, sizeof(*texts.text)),
	};

	if (!texts.text)
		note_status(d, SQLITE_NOMEM);
	for (uint32_t row = 0; row < sheet->rows && d->status == SQLITE_OK; row++) {
		bind_number(d, row);
		for (unsigned int i = 0; i < sheet->nr_columns; i++)
			bind_cell(d, sheet, i, row, &texts);
		end_row(d);
		texts.nr = 0;
	}
	free(texts.text);
}

static void describe_columns(struct database *d, const struct sheet *sheet)
{
	begin_rows(d, "INSERT INTO columns VALUES (?,?,?,?,?,?,?)");
	for (unsigned int i = 0; i < sheet->nr_columns && d->status == SQLITE_OK; i++) {
		const struct sheet_column *c = &sheet->columns[i];

		bind_text(d, sheet->table->name);
		bind_text(d, c->name);
		bind_text(d, c->title);
		bind_text(d, c->says);
		bind_text(d, kind_name(c->kind));
		bind_text(d, sums_name(c->is->sums));
		bind_text(d, c->is->refers);
		end_row(d);
	}
	end_rows(d);
}

static void create_sheet_table(struct database *d, const struct sheet *sheet)
{
	char *create = make_sql(sheet, true), *insert = make_sql(sheet, false);

	if (create && insert) {
		execute_sql(d, create);
		begin_rows(d, insert);
		if (d->status == SQLITE_OK)
			insert_rows(d, sheet);
		end_rows(d);
		describe_columns(d, sheet);
	} else {
		note_status(d, SQLITE_NOMEM);
	}
	free(create);
	free(insert);
}

static void create_table(struct database *d, const struct table *table)
{
	struct sheet sheet;

	if (sheet_open(&sheet, table, d->m)) {
		note_status(d, SQLITE_NOMEM);
		return;
	}
	create_sheet_table(d, &sheet);
	sheet_close(&sheet);
}

static void create_header_table(struct database *d, bool slices)
{
	char cut[SLICES_SAID];
	struct notes notes;

	if (notes_make(&notes, d->m)) {
		note_status(d, SQLITE_NOMEM);
		return;
	}
	execute_sql(d, "CREATE TABLE header (title TEXT, text TEXT)");
	begin_rows(d, "INSERT INTO header VALUES (?,?)");
	for (uint32_t i = 0; i < notes.nr && d->status == SQLITE_OK; i++) {
		bind_text(d, notes.list[i].title);
		bind_text(d, notes.list[i].text);
		end_row(d);
	}
	if (slices && slices_cut(d->m, cut)) {
		bind_text(d, "CUT");
		bind_text(d, cut);
		end_row(d);
	}
	end_rows(d);
	notes_free(&notes);
}

static void create_all_tables(struct database *d, bool slices)
{
	/* Nobody reads it before it is whole, or after a failure. */
	execute_sql(d, "PRAGMA journal_mode = OFF");
	execute_sql(d, "PRAGMA synchronous = OFF");
	execute_sql(d, "BEGIN");
	create_header_table(d, slices);
	execute_sql(d, "CREATE TABLE columns (table_name TEXT, name TEXT, title TEXT, says TEXT, kind TEXT, sums TEXT, refers TEXT)");
	for (unsigned int i = 0; i < nr_tables; i++)
		if (slices || !table_is_timeline(tables[i]))
			create_table(d, tables[i]);
	execute_sql(d, "COMMIT");
}

/* ------------------------------------------------------------------------
 * files: SQLite writes where it likes in them, so not to a pipe
 */

static int copy_to_file(int fd, FILE *file)
{
	char buffer[65536];
	ssize_t size;

	if (lseek(fd, 0, SEEK_SET))
		return -1;
	while ((size = read(fd, buffer, sizeof(buffer))) > 0)
		if (fwrite(buffer, 1, (size_t)size, file) != (size_t)size)
			return -1;
	return size ? -1 : 0;
}

static int status_errno(int status)
{
	return status == SQLITE_FULL ? ENOSPC : status == SQLITE_NOMEM ? ENOMEM : EIO;
}

static int write_database(const struct model *m, const char *path, bool slices)
{
	struct database d = { .m = m };

	d.status = lib.open(path, &d.db);
	create_all_tables(&d, slices);
	note_status(&d, lib.close(d.db));
	if (d.status == SQLITE_OK)
		return 0;
	errno = status_errno(d.status);
	return -1;
}

static int write_file(const struct model *m, bool slices, FILE *file)
{
	const char *directory = getenv("TMPDIR");
	char path[4096];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/coroprof-XXXXXX", directory ? directory : "/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -1;
	ret = write_database(m, path, slices);
	if (!ret)
		ret = copy_to_file(fd, file);
	unlink(path);
	close(fd);
	return ret;
}

int sqlite_write(const struct model *m, FILE *file)
{
	return write_file(m, false, file);
}

int sqlite_write_slices(const struct model *m, FILE *file)
{
	return write_file(m, true, file);
}
