// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <math.h>
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

/* Text is sorted as text; numbers are texts, too, but come with their value. */
static void probe(struct table *t, unsigned int at, const char *text, double value)
{
	if (at != t->sort)
		return;
	t->probe->by = value;
	if (!t->columns[at].left)
		return;
	t->probe->text = strdup(text);
	t->out_of_memory |= !t->probe->text;
}

void table_cell(struct table *t, const char *text, size_t width_max)
{
	unsigned int at = t->at;
	struct table_column *column = &t->columns[at];
	double value = t->value;
	char *copy;
	size_t width;

	t->at = (at + 1) % t->nr_columns;
	t->value = NAN;
	if (t->probe) {
		probe(t, at, text, value);
		return;
	}
	copy = cut(text, width_max);
	if (!copy || !add_cell(t, copy)) {
		free(copy);
		t->out_of_memory = true;
		return;
	}
	width = printable_width(copy);
	if (width > column->width)
		column->width = width;
}

static char same(char c)
{
	return c == ' ' ? '-' : (char)tolower((unsigned char)c);
}

bool table_is(const struct table *t, unsigned int i, const char *text, size_t length)
{
	const char *title = t->columns[i].title;

	for (size_t c = 0; c < length; c++)
		if (!title[c] || same(title[c]) != same(text[c]))
			return false;
	return !title[length];
}

int table_find(const struct table *t, const char *title, size_t length)
{
	for (unsigned int i = 0; i < t->nr_columns; i++)
		if (table_is(t, i, title, length))
			return (int)i;
	return -1;
}

/**
 * struct part - columns that stand beside each other
 * @names: the first so many columns are in each part
 * @begin: the others go from here
 * @end:   to here
 */
struct part {
	unsigned int names;
	unsigned int begin;
	unsigned int end;
};

static bool is_in(const struct table *t, const struct part *p, unsigned int i)
{
	return !t->columns[i].hidden && (i < p->names || (i >= p->begin && i < p->end));
}

static void write_row(const struct table *t, const struct part *p, char *const *cells, FILE *file)
{
	int pad, spaces = 0;

	for (unsigned int i = 0; i < t->nr_columns; i++) {
		const struct table_column *column = &t->columns[i];
		const char *text = cells ? cells[i] : column->title;

		if (!is_in(t, p, i))
			continue;
		pad = (int)(column->width - printable_width(text));
		fprintf(file, "%*s%s", spaces + (column->left ? 0 : pad), "", text);
		spaces = 2 + (column->left ? pad : 0);
	}
	fputc('\n', file);
}

/* Up to and with the first column of text: what tells rows apart. */
static unsigned int count_names(const struct table *t)
{
	size_t width = 0;

	for (unsigned int i = 0; i < t->nr_columns; i++) {
		width += t->columns[i].width + 2;
		if (width > t->width / 2)
			return i;
		if (t->columns[i].left)
			return i + 1;
	}
	return 0;
}

/* As many columns from @p->end on as there is room for, but one at least. */
static void next_part(const struct table *t, struct part *p)
{
	size_t width = 0;

	p->begin = p->end < p->names ? p->names : p->end;
	for (unsigned int i = 0; i < p->names; i++)
		width += t->columns[i].hidden ? 0 : t->columns[i].width + 2;
	for (p->end = p->begin; p->end < t->nr_columns; p->end++) {
		const struct table_column *column = &t->columns[p->end];

		if (column->hidden)
			continue;
		width += column->width + 2;
		if (t->width && width > t->width + 2 && p->end > p->begin)
			break;
	}
}

static void write_parts(const struct table *t, FILE *file)
{
	struct part p = { .names = t->width ? count_names(t) : 0 };

	do {
		next_part(t, &p);
		if (p.begin > p.names)
			fputc('\n', file);
		write_row(t, &p, NULL, file);
		for (size_t i = 0; i < t->nr_cells; i += t->nr_columns)
			write_row(t, &p, t->cells + i, file);
	} while (p.end < t->nr_columns);
}

void table_free(struct table *t)
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

	if (whole)
		write_parts(t, file);
	table_free(t);
	if (!whole)
		errno = ENOMEM;
	return whole && !ferror(file) ? 0 : -1;
}
