// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/export.h"

/* ------------------------------------------------------------------------
 * what is wanted
 */

/* Whether a list of names, separated by commas, has one of the column. */
static bool is_listed(const char *list, const struct sheet_column *column)
{
	for (size_t length; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (name_is(column->name, list, length) || name_is(column->title, list, length))
			return true;
	}
	return false;
}

static bool *choose(const struct sheet *sheet, const char *list)
{
	bool *wanted = calloc(sheet->nr_columns + 1, sizeof(*wanted));

	for (unsigned int i = 0; wanted && i < sheet->nr_columns; i++)
		wanted[i] = !list || is_listed(list, &sheet->columns[i]);
	return wanted;
}

int export_open(struct export *e, const struct table *table, const struct model *model,
		const struct look *look)
{
	int by;

	*e = (struct export){ 0 };
	if (sheet_open(&e->sheet, table, model))
		return -1;
	by = look->sort ? sheet_find(&e->sheet, look->sort, strlen(look->sort)) : -1;
	e->wanted = choose(&e->sheet, look->columns);
	if (!e->wanted || order_rows(&e->order, &e->sheet, by, NULL)) {
		export_close(e);
		return -1;
	}
	if (look->top && look->top < e->order.nr)
		e->order.nr = look->top;
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

static bool has(const struct table *table, const struct model *model, const char *name,
		size_t length)
{
	struct sheet sheet;
	bool found;

	if (sheet_open(&sheet, table, model))
		return true;
	found = sheet_find(&sheet, name, length) >= 0;
	sheet_close(&sheet);
	return found;
}

static bool any_has(const struct table *table, const struct model *model, const char *name,
		    size_t length)
{
	for (unsigned int i = 0; i < nr_tables; i++)
		if ((!table || tables[i] == table) && has(tables[i], model, name, length))
			return true;
	return false;
}

static void name_columns(const struct table *table, const struct model *model, char *to,
			 size_t room)
{
	struct sheet sheet;
	size_t used = 0;

	if (sheet_open(&sheet, table, model))
		return;
	for (unsigned int i = 0; i < sheet.nr_columns && used < room; i++)
		used += (size_t)snprintf(to + used, room - used, "%s%s", used ? ", " : "",
					 sheet.columns[i].name);
	sheet_close(&sheet);
}

static int check_name(const struct model *model, const struct table *table, const char *option,
		      const char *name, size_t length, struct error *err)
{
	char columns[1024] = "";

	if (any_has(table, model, name, length))
		return 0;
	if (!table)
		return error_set(err, EINVAL, "%s %.*s: no table of this recording has such a column; all there are: coroprof-read --help columns",
				 option, (int)length, name);
	name_columns(table, model, columns, sizeof(columns));
	return error_set(err, EINVAL, "%s %.*s: the table %s has no such column. It has: %s", option,
			 (int)length, name, table->name, columns);
}

int export_check(const struct model *model, const struct look *look, const struct table *table,
		 struct error *err)
{
	const char *list = look->columns ? look->columns : "";
	int ret = 0;

	if (look->sort)
		ret = check_name(model, table, "--sort", look->sort, strlen(look->sort), err);
	for (size_t length; !ret && *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		ret = check_name(model, table, "--columns", list, length, err);
	}
	return ret;
}
