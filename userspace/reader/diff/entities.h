/* SPDX-License-Identifier: GPL-2.0 */
/* What has a name in two recordings: rows of a table that are the same thing. */
#ifndef COROPROF_ENTITIES_H
#define COROPROF_ENTITIES_H

#include "tables/table.h"

/**
 * struct named_row - a row of one of two sheets
 * @name:    what it is called
 * @label:   of the coroutines it was in, or NULL
 * @outside: it is of threads outside coroutines, which may have labels of the same name
 * @age:     enum model_age: of which sheet
 * @row:     its number
 */
struct named_row {
	const char *name;
	const char *label;
	bool outside;
	uint32_t age;
	uint32_t row;
};

/**
 * struct entity - rows of one name, and of one label
 * @is:   one of them
 * @rows: of each recording, in things.rows
 * @nr:   how many
 * @first: of its changes; they follow each other. MODEL_NONE: it has none
 */
struct entity {
	struct named_row is;
	const uint32_t *rows[MODEL_AGES];
	uint32_t nr[MODEL_AGES];
	uint32_t first;
};

/**
 * struct entities - all of them
 * @list: in the order in which the new recording has them, then those of the old one
 * @nr:   how many
 * @rows: numbers of rows
 */
struct entities {
	struct entity *list;
	uint32_t nr;
	uint32_t *rows;
};

/*
 * Columns of names; @sides: of rows of labels on these sides alone, by enum model_age;
 * NULL: all. @label NULL: there is none. Returns 0, or -1 when out of memory.
 */
int entities_find(struct entities *entities, const struct sheet sheets[MODEL_AGES],
		  const uint8_t *sides, const char *name, const char *label);
void entities_free(struct entities *entities);

#endif /* COROPROF_ENTITIES_H */
