// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/text/list.h"
#include "output/text/text.h"

#define LABEL_WIDTH		40	/* on a terminal */
#define LABEL_WIDTH_FILE	120

/* Those without a figure come last; the others, and those, in the order they were in. */
static int by_look(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = x->text && y->text ? strcmp(x->text, y->text) : 0;

	if (!order && isnan(x->by) != isnan(y->by))
		return isnan(x->by) ? 1 : -1;
	if (!order && x->by != y->by && !isnan(x->by))
		return x->by < y->by ? 1 : -1;
	return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Calls @take for each title of the list; stops when that is false. */
static bool each_title(const char *list, bool (*take)(struct table *, const char *, size_t),
		       struct table *t)
{
	for (size_t length; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (!take(t, list, length))
			return false;
	}
	return true;
}

static bool show_column(struct table *t, const char *title, size_t length)
{
	for (unsigned int i = 0; i < t->nr_columns; i++)
		if (table_is(t, i, title, length))
			t->columns[i].hidden = false;
	return true;
}

static bool has_no_column(struct table *t, const char *title, size_t length)
{
	return table_find(t, title, length) < 0;
}

/* What tells rows apart stays, up to and with the first column of text. */
static void choose_columns(struct table *t, const char *columns)
{
	unsigned int i = 0;

	while (i < t->nr_columns && !t->columns[i].left)
		i++;
	for (i++; i < t->nr_columns; i++)
		t->columns[i].hidden = true;
	each_title(columns, show_column, t);
}

static void begin(struct table *t, const struct list *list, const struct model *m,
		  const struct look *look)
{
	*t = (struct table){ .value = NAN };
	list->columns(t, m);
	if (look->columns)
		choose_columns(t, look->columns);
}

bool list_wanted(const struct list *list, const struct model *m, const struct look *look)
{
	struct table t;
	bool wanted;

	begin(&t, list, m, look);
	wanted = !look->columns || !each_title(look->columns, has_no_column, &t);
	table_free(&t);
	return wanted;
}

/* Sorted by a column, each row is asked for what it has there. */
static void probe_rows(struct table *t, const struct list *list, const struct model *m,
		       struct row *rows, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		t->probe = &rows[i];
		list->cells(t, m, rows[i].index, LABEL_WIDTH_FILE);
	}
	t->probe = NULL;
}

static void sort_rows(struct table *t, const struct list *list, const struct model *m,
		      const struct look *look, struct row *rows, uint32_t nr)
{
	int column = look->sort && !list->grouped ?
		     table_find(t, look->sort, strlen(look->sort)) : -1;

	if (column >= 0) {
		t->sort = (unsigned int)column;
		probe_rows(t, list, m, rows, nr);
	}
	qsort(rows, nr, sizeof(*rows), by_look);
}

static void free_rows(struct row *rows, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		free(rows[i].text);
	free(rows);
}

static size_t name_width(const struct look *look)
{
	if (!look->width)
		return LABEL_WIDTH_FILE;
	return look->width < 3 * LABEL_WIDTH ? look->width / 3 : LABEL_WIDTH;
}

int list_write(const struct list *list, const struct model *m, const struct look *look,
	       FILE *file)
{
	uint32_t nr, most = look->top ? look->top : list->most;
	struct row *rows = list->rows(m, &nr);
	struct table t;

	if (!rows)
		return -1;
	begin(&t, list, m, look);
	sort_rows(&t, list, m, look, rows, nr);
	for (uint32_t i = 0; i < nr && i < most; i++)
		list->cells(&t, m, rows[i].index, name_width(look));
	free_rows(rows, nr);
	t.width = look->width;
	if (table_write(&t, file))
		return -1;
	if (list->one && nr > most)
		fprintf(file, "and %" PRIu32 " more %s\n", nr - most,
			nr - most == 1 ? list->one : list->many);
	return 0;
}
