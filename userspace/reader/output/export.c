// SPDX-License-Identifier: GPL-2.0
/*
 * Opens a sheet for a file: which columns and rows are wanted, and in which order, by the view
 * options. Names that do not exist are errors, which suggest similar ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggestions.h"
#include "output/export.h"
#include "output/where.h"

/* ------------------------------------------------------------------------
 * what is wanted
 */

const struct table *export_table(const struct model *model)
{
	return table_named(model->compared ? "changes" : model->slow_of ? "slow" : "labels");
}

/* True if @list, names separated by commas, has the column's name. */
static bool is_listed(const char *list, const struct sheet_column *column)
{
	for (size_t length; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (name_is(column->name, list, length) || name_is(column->title, list, length))
			return true;
	}
	return false;
}

bool *export_choose(const struct sheet *sheet, const char *list)
{
	bool *wanted = calloc(sheet->nr_columns + 1, sizeof(*wanted));

	for (unsigned int i = 0; wanted && i < sheet->nr_columns; i++)
		wanted[i] = !list || is_listed(list, &sheet->columns[i]);
	return wanted;
}

int export_open(struct export *e, const struct table *table, const struct model *model,
		const struct view_options *view)
{
	*e = (struct export){ 0 };
	if (sheet_open(&e->sheet, table, model))
		return -1;
	e->wanted = export_choose(&e->sheet, view->columns);
	if (!e->wanted || order_rows(&e->order, &e->sheet, view, view->sort, NULL)) {
		export_close(e);
		return -1;
	}
	if (view->top && view->top < e->order.nr)
		e->order.nr = view->top;
	return 0;
}

void export_close(struct export *e)
{
	sheet_close(&e->sheet);
	free(e->wanted);
	free(e->order.rows);
}

/* ------------------------------------------------------------------------
 * whether there is such a thing
 */

/* True if the table has a column, or a condition, of this name. */
static bool has_column(const struct table *table, const struct model *model, const char *name,
		       size_t length)
{
	struct sheet sheet;
	bool found;

	if (sheet_open(&sheet, table, model))
		return true;
	found = sheet_find(&sheet, name, length) >= 0 ||
		(where_name(name) == length && where_applies(name, &sheet));
	sheet_close(&sheet);
	return found;
}

/**
 * struct among - tables to look for columns in
 */
struct among {
	const struct model *model;
	const struct table *const *tables;
	unsigned int nr;
};

static bool is_column_of_any(const struct among *among, const char *name, size_t length)
{
	for (unsigned int i = 0; i < among->nr; i++)
		if (has_column(among->tables[i], among->model, name, length))
			return true;
	return false;
}

/* Suggests columns of all tables with a similar name. */
static void suggest_columns(const struct among *among, const char *name, size_t length,
			    char to[SUGGESTIONS_LIST])
{
	struct suggestions suggestions = { .word = name, .length = length };
	struct sheet sheet;

	for (unsigned int i = 0; i < among->nr; i++) {
		if (sheet_open(&sheet, among->tables[i], among->model))
			continue;
		for (unsigned int c = 0; c < sheet.nr_columns; c++)
			suggestions_add(&suggestions, sheet.columns[c].name);
		sheet_close(&sheet);
	}
	suggestions_list(&suggestions, to);
}

static int check_name(const struct among *among, const char *option, const char *name,
		      size_t length, struct error *err)
{
	const char *table = among->nr == 1 ? among->tables[0]->name : NULL;
	char suggestions[SUGGESTIONS_LIST];

	if (is_column_of_any(among, name, length))
		return 0;
	suggest_columns(among, name, length, suggestions);
	return error_set(err, EINVAL, "%s %.*s: %s%s has %s such column%s%s. All columns: coroprof help columns",
			 option, (int)length, name,
			 table ? "the table " : "no table that is shown here", table ? table : "",
			 table ? "no" : "any", *suggestions ? "; near to it: " : "", suggestions);
}

/* A condition is right if it suits a column of its name in at least one of the tables. */
static int check_where(const struct among *among, const char *where, struct error *err)
{
	int ret = check_name(among, "--where", where, where_name(where), err), first = 0;
	bool suits = false;
	struct error next;

	for (unsigned int i = 0; !ret && !suits && i < among->nr; i++) {
		struct sheet sheet;

		if (sheet_open(&sheet, among->tables[i], among->model))
			continue;
		if (sheet_find(&sheet, where, where_name(where)) >= 0) {
			suits = !where_suits(where, &sheet, first ? &next : err);
			first = suits ? 0 : -EINVAL;
		}
		sheet_close(&sheet);
	}
	return ret ? ret : first;
}

int export_check(const struct model *model, const struct view_options *view,
		 const struct table *const *of, unsigned int nr, struct error *err)
{
	const struct among among = { model, of, nr };
	const char *list = view->columns ? view->columns : "", *by = view->sort ? view->sort : "";
	int ret = 0;

	if (is_column_of_any(&among, by, strlen(by)))
		by = "";
	for (size_t length; !ret && *by; by += length + (by[length] == ',')) {
		by += *by == '-';
		length = strcspn(by, ",");
		ret = check_name(&among, "--sort", by, length, err);
	}
	for (uint32_t i = 0; !ret && i < view->nr_wheres; i++)
		ret = check_where(&among, view->wheres[i], err);
	for (size_t length; !ret && *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		ret = check_name(&among, "--columns", list, length, err);
	}
	return ret;
}
