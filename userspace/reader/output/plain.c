// SPDX-License-Identifier: GPL-2.0
/*
 * Cells as exports write them: all digits, words and flags in full, and the names of rows that a
 * cell refers to.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "output/plain.h"

const char *plain_word(const struct column *column, uint64_t number)
{
	for (uint64_t i = 0; column->words[i]; i++)
		if (i == number)
			return column->words[i];
	return NULL;
}

static const char *write_flags(const struct column *column, uint64_t flags, char *to)
{
	size_t used = 0;

	*to = '\0';
	for (unsigned int bit = 0; flags >> bit; bit++) {
		const char *word = flags >> bit & 1 ? plain_word(column, bit) : NULL;

		if (word && used < PLAIN_SIZE)
			used += (size_t)snprintf(to + used, PLAIN_SIZE - used, "%s%s",
						 used ? " " : "", word);
	}
	return to;
}

static const char *write_word(const struct column *column, uint64_t number, char *to)
{
	const char *word = plain_word(column, number);

	if (word)
		return word;
	snprintf(to, PLAIN_SIZE, "%" PRIu64, number);
	return to;
}

const char *plain_cell(const struct sheet *sheet, unsigned int column, struct cell cell,
		       char buffer[PLAIN_SIZE])
{
	const struct sheet_column *c = &sheet->columns[column];

	if (!has_value(cell))
		return "";
	switch (c->kind) {
	case KIND_TEXT:
		return cell.text;
	case KIND_WORD:
		return write_word(c->is, cell.number, buffer);
	case KIND_FLAGS:
		return write_flags(c->is, cell.number, buffer);
	case KIND_SHARE:
	case KIND_RATIO:
		snprintf(buffer, PLAIN_SIZE, "%.9g", cell.fraction);
		return buffer;
	case KIND_ID:
		snprintf(buffer, PLAIN_SIZE, cell.number > INT64_MAX ? "0x%" PRIx64 : "%" PRIu64,
			 cell.number);
		return buffer;
	default:
		snprintf(buffer, PLAIN_SIZE, "%" PRIu64, cell.number);
		return buffer;
	}
}

bool plain_has_names(const struct column *column)
{
	return column->kind == KIND_ROW && table_has_names(table_named(column->refers));
}

const char *plain_name(const struct sheet *sheet, unsigned int column, struct cell cell,
		       char text[PLAIN_SIZE])
{
	const struct column *is = sheet->columns[column].is;

	if (!has_value(cell) || is->kind != KIND_ROW)
		return plain_cell(sheet, column, cell, text);
	if (!plain_has_names(is))
		return "";
	return row_title(table_named(is->refers), sheet->model, (uint32_t)cell.number, text);
}
