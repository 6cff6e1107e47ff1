/* SPDX-License-Identifier: GPL-2.0 */
/* Cells as plain text: every digit, no unit. */
#ifndef COROPROF_OUTPUT_PLAIN_H
#define COROPROF_OUTPUT_PLAIN_H

#include "tables/table.h"

#define PLAIN_SIZE	256

/*
 * A number, a word, a text; flags with spaces between; "" without a value. What names something
 * is 0x and hexadecimal from 2^63 on: programs that guess what a column is would else take it
 * for one of doubles, and round it.
 */
const char *plain_cell(const struct sheet *sheet, unsigned int column, struct cell cell,
		       char text[PLAIN_SIZE]);

/* The same, but what a row of another table is called; "" if rows have no names. */
const char *plain_name(const struct sheet *sheet, unsigned int column, struct cell cell,
		       char text[PLAIN_SIZE]);

/*
 * The word for a number in a column of KIND_WORD, or for bit @number of KIND_FLAGS; NULL if there
 * is none.
 */
const char *plain_word(const struct column *column, uint64_t number);

/* True if the rows of another table, to which this column refers, have names. */
bool plain_has_names(const struct column *column);

#endif /* COROPROF_OUTPUT_PLAIN_H */
