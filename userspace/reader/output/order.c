// SPDX-License-Identifier: GPL-2.0
/*
 * Sorts the rows of a sheet by the columns of --sort, and cuts them by --top. Rows without a value
 * come last.
 */
#include <stdlib.h>
#include <string.h>

#include "output/order.h"
#include "output/plain.h"
#include "output/where.h"

#define KEYS_MAX	4

/**
 * struct key - a column that rows are sorted by
 * @column:  which
 * @reverse: the smallest first
 */
struct key {
	unsigned int column;
	bool reverse;
};

/**
 * struct rank - of a row by one key
 * @text:  a name, or NULL
 * @by:    a figure
 * @known: it has one
 */
struct rank {
	char *text;
	double by;
	bool known;
};

/**
 * struct ranked - a row, and what it is sorted by
 * @sorting: for qsort()
 * @rank:    by each key
 * @row:     its number
 */
struct ranked {
	const struct sorting *sorting;
	struct rank rank[KEYS_MAX];
	uint32_t row;
};

/**
 * struct sorting - all keys of an order, the first counts most
 */
struct sorting {
	struct key keys[KEYS_MAX];
	unsigned int nr;
};

/*
 * Parses --sort. A counter's name may have commas, as cpu/event=1,umask=2/ has, so a name that fits
 * as a whole comes before a list.
 */
static struct sorting parse_sorting(const struct sheet *sheet, const char *by)
{
	struct sorting s = { .nr = 0 };
	int whole = by ? sheet_find(sheet, by, strlen(by)) : -1;
	size_t length;

	if (whole >= 0)
		return (struct sorting){ { { (unsigned int)whole, false } }, 1 };
	for (; by && *by && s.nr < KEYS_MAX; by += length + (by[length] == ',')) {
		bool reverse = *by == '-';
		int column;

		length = strcspn(by, ",");
		column = sheet_find(sheet, by + reverse, length - reverse);
		if (column >= 0)
			s.keys[s.nr++] = (struct key){ (unsigned int)column, reverse };
	}
	return s;
}

bool order_knows(const struct sheet *sheet, const char *by)
{
	return parse_sorting(sheet, by).nr;
}

/* A cell without a value is last, even if the smallest come first. */
static int compare_ranks(const struct rank *x, const struct rank *y, bool reverse)
{
	int order;

	if (x->known != y->known)
		return x->known ? -1 : 1;
	order = x->text && y->text ? strcmp(x->text, y->text) : (x->by < y->by) - (x->by > y->by);
	return reverse ? -order : order;
}

static int compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	for (unsigned int i = 0; i < x->sorting->nr; i++) {
		int order = compare_ranks(&x->rank[i], &y->rank[i], x->sorting->keys[i].reverse);

		if (order)
			return order;
	}
	return (x->row > y->row) - (x->row < y->row);
}

static bool is_name(enum kind kind)
{
	return kind == KIND_TEXT || kind == KIND_ROW || kind == KIND_WORD;
}

/* The rank of a row in one column. False without memory. */
static bool set_rank(struct rank *r, const struct sheet *sheet, unsigned int column, uint32_t row)
{
	enum kind kind = sheet->columns[column].kind;
	struct cell cell = sheet_cell(sheet, row, column);
	char buffer[PLAIN_SIZE];

	r->known = has_value(cell);
	if (!r->known)
		return true;
	if (is_name(kind)) {
		r->text = strdup(plain_name(sheet, column, cell, buffer));
		return r->text;
	}
	r->by = kind == KIND_SHARE || kind == KIND_RATIO ? cell.fraction : (double)cell.number;
	return true;
}

static bool set_all_ranks(struct ranked *r, const struct sheet *sheet,
			  const struct sorting *sorting, uint32_t row)
{
	*r = (struct ranked){ .sorting = sorting, .row = row };
	for (unsigned int i = 0; i < sorting->nr; i++)
		if (!set_rank(&r->rank[i], sheet, sorting->keys[i].column, row))
			return false;
	return true;
}

/*
 * Returns how many rows fit the conditions, and sets *@of to how many were wanted; -1 without
 * memory.
 */
static int64_t rank_wanted_rows(struct ranked *ranked, const struct sheet *sheet,
				const struct view_options *view, const struct sorting *sorting,
				bool (*wanted)(const struct sheet *, uint32_t), uint32_t *of)
{
	struct conditions conditions;
	int64_t nr = 0;

	conditions_open(&conditions, view, sheet);
	for (uint32_t row = 0; row < sheet->rows && nr >= 0; row++) {
		if (wanted && !wanted(sheet, row))
			continue;
		++*of;
		if (!conditions_fit(&conditions, row))
			continue;
		nr = set_all_ranks(&ranked[nr], sheet, sorting, row) ? nr + 1 : -1;
	}
	conditions_close(&conditions);
	return nr;
}

int order_rows(struct order *order, const struct sheet *sheet, const struct view_options *view,
	       const char *by, bool (*wanted)(const struct sheet *, uint32_t))
{
	struct ranked *ranked = calloc((size_t)sheet->rows + 1, sizeof(*ranked));
	const struct sorting sorting = parse_sorting(sheet, by);
	uint32_t of = 0;
	int64_t nr = ranked ? rank_wanted_rows(ranked, sheet, view, &sorting, wanted, &of) : -1;

	*order = (struct order){ .rows = nr < 0 ? NULL : calloc((size_t)nr + 1, sizeof(uint32_t)),
				 .of = of };
	if (order->rows) {
		order->nr = (uint32_t)nr;
		qsort(ranked, order->nr, sizeof(*ranked), compare);
	}
	for (uint32_t i = 0; i < order->nr; i++)
		order->rows[i] = ranked[i].row;
	for (uint32_t i = 0; ranked && i < sheet->rows; i++)
		for (unsigned int k = 0; k < sorting.nr; k++)
			free(ranked[i].rank[k].text);
	free(ranked);
	return order->rows ? 0 : -1;
}
