// SPDX-License-Identifier: GPL-2.0
/*
 * Collects named rows of two sheets and sorts them, so that rows of one name are one entity, in the
 * order of the new recording.
 */
#include <stdlib.h>
#include <string.h>

#include "diff/entities.h"

/* ------------------------------------------------------------------------
 * rows
 */

/* What a cell names: a text, or a row of another table. They live with the model. */
static const char *text_of(const struct sheet *s, uint32_t row, int column)
{
	struct cell cell = sheet_cell(s, row, (unsigned int)column);
	const char *refers = s->columns[column].is->refers;
	char buffer[ROW_TITLE_SIZE];

	if (!has_value(cell))
		return standing_name(cell.standing);
	return refers ? row_title(table_named(refers), s->model, (uint32_t)cell.number, buffer) :
			cell.text;
}

static const struct model_label *label_of(const struct sheet *s, uint32_t row, int label)
{
	uint64_t of = label < 0 ? row : sheet_cell(s, row, (unsigned int)label).number;

	return &s->model->labels[of];
}

/* Returns how many. */
static uint32_t add_rows(struct named_row *to, const struct sheet *s, uint32_t age,
			 const uint8_t *sides, const char *name, const char *label)
{
	int name_column = sheet_find(s, name, strlen(name));
	int label_column = label ? sheet_find(s, label, strlen(label)) : -1;
	uint32_t nr = 0;

	for (uint32_t row = 0; row < s->rows; row++) {
		const struct model_label *of = label_of(s, row, label_column);

		if (of->kind == MODEL_LABEL_TOOL || (sides && of->side != sides[age]))
			continue;
		to[nr++] = (struct named_row){
			.name = text_of(s, row, name_column),
			.label = label ? text_of(s, row, label_column) : NULL,
			.outside = model_label_is_outside(of),
			.age = age,
			.row = row,
		};
	}
	return nr;
}

/* ------------------------------------------------------------------------
 * things
 */

static int compare_names(const struct named_row *x, const struct named_row *y)
{
	int order = strcmp(x->name, y->name);

	if (!order && x->label)
		order = strcmp(x->label, y->label);
	return order ? order : x->outside - y->outside;
}

static int by_name(const void *a, const void *b)
{
	const struct named_row *x = a, *y = b;
	int order = compare_names(x, y);

	if (!order)
		order = (x->age > y->age) - (x->age < y->age);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* As the new recording has them; what it has not comes last. */
static int by_position(const void *a, const void *b)
{
	const struct entity *x = a, *y = b;
	bool x_new = x->nr[MODEL_NEW], y_new = y->nr[MODEL_NEW];
	uint32_t x_row = x->rows[x_new][0], y_row = y->rows[y_new][0];

	return x_new != y_new ? y_new - x_new : (x_row > y_row) - (x_row < y_row);
}

static void add_row(struct entities *t, const struct named_row *row, const uint32_t *number,
		    bool another)
{
	struct entity *entity;

	if (another)
		t->list[t->nr++] = (struct entity){ .is = *row };
	entity = &t->list[t->nr - 1];
	if (!entity->nr[row->age]++)
		entity->rows[row->age] = number;
}

static void divide(struct entities *t, struct named_row *rows, uint32_t nr)
{
	qsort(rows, nr, sizeof(*rows), by_name);
	for (uint32_t i = 0; i < nr; i++) {
		t->rows[i] = rows[i].row;
		add_row(t, &rows[i], &t->rows[i], !i || compare_names(&rows[i - 1], &rows[i]));
	}
	qsort(t->list, t->nr, sizeof(*t->list), by_position);
}

int entities_find(struct entities *t, const struct sheet sheets[MODEL_AGES], const uint8_t *sides,
		  const char *name, const char *label)
{
	uint32_t nr = sheets[MODEL_OLD].rows + sheets[MODEL_NEW].rows;
	struct named_row *rows = calloc((size_t)nr + 1, sizeof(*rows));

	*t = (struct entities){
		.list = calloc((size_t)nr + 1, sizeof(*t->list)),
		.rows = calloc((size_t)nr + 1, sizeof(*t->rows)),
	};
	if (!rows || !t->list || !t->rows) {
		free(rows);
		entities_free(t);
		return -1;
	}
	nr = add_rows(rows, &sheets[MODEL_OLD], MODEL_OLD, sides, name, label);
	nr += add_rows(rows + nr, &sheets[MODEL_NEW], MODEL_NEW, sides, name, label);
	divide(t, rows, nr);
	free(rows);
	return 0;
}

void entities_free(struct entities *t)
{
	free(t->list);
	free(t->rows);
	*t = (struct entities){ 0 };
}
