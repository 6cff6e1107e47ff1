// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "output/text/table.h"

#define CUT	"..."

void table_column(struct table *t, const char *title, bool left)
{
	struct table_column *column = &t->columns[t->nr_columns];

	if (t->nr_columns == TABLE_COLUMNS_MAX)
		return;
	column->title = strdup(title);
	column->left = left;
	if (!column->title) {
		t->out_of_memory = true;
		return;
	}
	column->width = printable_width(title);
	t->nr_columns++;
}

/* The longest end of @text, which is @width wide, that fits into @room. */
static const char *end_of(const char *text, size_t width, size_t room)
{
	size_t used, bytes = printable_fit(text, width - room, &used);

	/* Half of a wide character is no character. */
	if (width - used > room)
		bytes = printable_fit(text, width - room + 1, &used);
	return text + bytes;
}

/* Names that begin alike, such as paths, are told apart by how they end. */
static char *cut(const char *text, size_t width_max)
{
	size_t width = printable_width(text), room, head, used;
	char *to;

	if (width <= width_max || width_max <= strlen(CUT))
		return strdup(text);
	room = width_max - strlen(CUT);
	head = printable_fit(text, room / 3, &used);
	if (asprintf(&to, "%.*s" CUT "%s", (int)head, text,
		     end_of(text, width, room - used)) < 0)
		return NULL;
	return to;
}

static bool add_cell(struct table *t, char *text)
{
	size_t n = t->nr_cells;

	if ((n & (n - 1)) == 0) {
		char **cells = reallocarray(t->cells, n ? 2 * n : 1,
					    sizeof(*cells));

		if (!cells)
			return false;
		t->cells = cells;
	}
	t->cells[t->nr_cells++] = text;
	return true;
}

void table_cell(struct table *t, const char *text, size_t width_max)
{
	struct table_column *column = &t->columns[t->nr_cells % t->nr_columns];
	char *copy = cut(text, width_max);
	size_t width;

	if (!copy || !add_cell(t, copy)) {
		free(copy);
		t->out_of_memory = true;
		return;
	}
	width = printable_width(copy);
	if (width > column->width)
		column->width = width;
}

static void write_cell(const struct table *t, unsigned int i, const char *text,
		       FILE *file)
{
	const struct table_column *column = &t->columns[i];
	int pad = (int)(column->width - printable_width(text));
	bool last = i + 1 == t->nr_columns;

	fprintf(file, "%s%*s%s", i ? "  " : "", column->left ? 0 : pad, "",
		text);
	if (column->left && !last)
		fprintf(file, "%*s", pad, "");
	if (last)
		fputc('\n', file);
}

static void release(struct table *t)
{
	for (unsigned int i = 0; i < t->nr_columns; i++)
		free(t->columns[i].title);
	for (size_t i = 0; i < t->nr_cells; i++)
		free(t->cells[i]);
	free(t->cells);
	*t = (struct table){ 0 };
}

int table_write(struct table *t, FILE *file)
{
	bool whole = !t->out_of_memory;

	for (unsigned int i = 0; whole && i < t->nr_columns; i++)
		write_cell(t, i, t->columns[i].title, file);
	for (size_t i = 0; whole && i < t->nr_cells; i++)
		write_cell(t, (unsigned int)(i % t->nr_columns), t->cells[i],
			   file);
	release(t);
	if (!whole)
		errno = ENOMEM;
	return whole && !ferror(file) ? 0 : -1;
}
