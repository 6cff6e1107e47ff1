// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "output/order.h"
#include "output/plain.h"
#include "output/where.h"

/**
 * struct ranked - a row, and what it is sorted by
 * @text:  a name, or NULL
 * @by:    a figure
 * @known: it has one
 * @row:   its number
 */
struct ranked {
	char *text;
	double by;
	bool known;
	uint32_t row;
};

static int compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int order = x->text && y->text ? strcmp(x->text, y->text) : 0;

	if (!order && x->known != y->known)
		return x->known ? -1 : 1;
	if (!order && x->by != y->by)
		return x->by < y->by ? 1 : -1;
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static bool is_name(enum kind kind)
{
	return kind == KIND_TEXT || kind == KIND_ROW || kind == KIND_WORD;
}

static bool rank(struct ranked *r, const struct sheet *sheet, unsigned int column, uint32_t row)
{
	enum kind kind = sheet->columns[column].kind;
	struct cell cell = sheet_cell(sheet, row, column);
	char room[PLAIN_ROOM];

	r->known = has_value(cell);
	if (!r->known)
		return true;
	if (is_name(kind)) {
		r->text = strdup(plain_name(sheet, column, cell, room));
		return r->text;
	}
	r->by = kind == KIND_SHARE || kind == KIND_RATIO ? cell.fraction : (double)cell.number;
	return true;
}

/* Returns how many, and of how many, or -1 when out of memory. */
static int64_t fill(struct ranked *ranked, const struct sheet *sheet, const struct look *look,
		    int column, bool (*wanted)(const struct sheet *, uint32_t), uint32_t *of)
{
	uint32_t nr = 0;

	for (uint32_t row = 0; row < sheet->rows; row++) {
		if (wanted && !wanted(sheet, row))
			continue;
		++*of;
		if (!where_fits(look, sheet, row))
			continue;
		ranked[nr] = (struct ranked){ .row = row };
		if (column >= 0 && !rank(&ranked[nr], sheet, (unsigned int)column, row))
			return -1;
		nr++;
	}
	return nr;
}

int order_rows(struct order *order, const struct sheet *sheet, const struct look *look, int column,
	       bool (*wanted)(const struct sheet *, uint32_t))
{
	struct ranked *ranked = calloc((size_t)sheet->rows + 1, sizeof(*ranked));
	uint32_t of = 0;
	int64_t nr = ranked ? fill(ranked, sheet, look, column, wanted, &of) : -1;

	*order = (struct order){ .rows = nr < 0 ? NULL : calloc((size_t)nr + 1, sizeof(uint32_t)),
				 .of = of };
	if (order->rows) {
		order->nr = (uint32_t)nr;
		qsort(ranked, order->nr, sizeof(*ranked), compare);
	}
	for (uint32_t i = 0; i < order->nr; i++)
		order->rows[i] = ranked[i].row;
	for (uint32_t i = 0; ranked && i < sheet->rows; i++)
		free(ranked[i].text);
	free(ranked);
	return order->rows ? 0 : -1;
}
