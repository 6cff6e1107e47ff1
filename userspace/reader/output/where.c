// SPDX-License-Identifier: GPL-2.0
#include <fnmatch.h>
#include <string.h>

#include "output/plain.h"
#include "output/where.h"

size_t where_name(const char *where)
{
	size_t length = strcspn(where, "=");

	return where[length] ? length : 0;
}

bool where_is_tag(const char *where)
{
	return name_is("tag", where, where_name(where));
}

bool where_applies(const char *where, const struct sheet *sheet)
{
	return sheet_find(sheet, where, where_name(where)) >= 0 ||
	       (sheet->model->some && sheet->table->by_coroutine && where_is_tag(where));
}

bool where_has(const struct look *look, const struct sheet *sheet)
{
	for (uint32_t i = 0; i < look->nr_wheres; i++)
		if (!where_applies(look->wheres[i], sheet))
			return false;
	return true;
}

static bool fits(const char *where, const struct sheet *sheet, uint32_t row)
{
	size_t length = where_name(where);
	int column = sheet_find(sheet, where, length);
	char room[PLAIN_ROOM];
	const char *name;
	struct cell cell;

	if (column < 0)
		return true;
	cell = sheet_cell(sheet, row, (unsigned int)column);
	if (!has_value(cell))
		return false;
	name = plain_name(sheet, (unsigned int)column, cell, room);
	return !strcmp(where + length + 1, name) || !fnmatch(where + length + 1, name, 0);
}

bool where_fits(const struct look *look, const struct sheet *sheet, uint32_t row)
{
	for (uint32_t i = 0; i < look->nr_wheres; i++)
		if (!fits(look->wheres[i], sheet, row))
			return false;
	return true;
}
