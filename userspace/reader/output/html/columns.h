/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Columns of the tables of the HTML report: each is an array of numbers, or one
 * number where all rows have the same.
 */
#ifndef COROPROF_HTML_COLUMNS_H
#define COROPROF_HTML_COLUMNS_H

#include <stddef.h>

#include "base/json.h"
#include "profile/model.h"

enum html_kind {
	HTML_U64,
	HTML_U32,
	HTML_I32,
	HTML_U8,
	HTML_INDEX,	/* MODEL_NONE is -1 */
	HTML_TIME,	/* a point in time: since the recording began */
};

/**
 * struct html_field - a column that is a member of the rows of a table
 * @name:   in the report
 * @offset: of the member
 * @kind:   what it is
 */
struct html_field {
	const char *name;
	size_t offset;
	enum html_kind kind;
};

#define HTML_FIELD(type, member, kind) { #member, offsetof(type, member), kind }

typedef struct model_value (*html_value_fn)(const struct model *model,
					    uint32_t row, uint32_t column);

/**
 * struct html_table - an array of the model
 * @model:  it belongs to
 * @rows:   the array
 * @stride: bytes of a row
 * @n:      how many rows
 * @times:  offset of the rows' struct model_times
 * @value:  what a counter says about a row
 */
struct html_table {
	const struct model *model;
	const void *rows;
	size_t stride;
	uint32_t n;
	size_t times;
	html_value_fn value;
};

/**
 * struct html_source - where the numbers of one column come from
 * @get:    the number of a row; one below zero is there as its complement
 * @table:  for @get, as all below
 * @offset: of a member
 * @kind:   of it
 * @column: of the counters
 */
struct html_source {
	uint64_t (*get)(const struct html_source *source, uint32_t row);
	const struct html_table *table;
	size_t offset;
	enum html_kind kind;
	uint32_t column;
};

/* The column's value, without a name. */
void html_put_column(struct json *j, const struct html_source *source);
/* A member of the rows, for html_source.get. */
uint64_t html_get_field(const struct html_source *source, uint32_t row);

/* Columns that are members of the rows, @offset further on. */
void html_fields(struct json *j, const struct html_table *table,
		 const struct html_field *all, size_t nr, size_t offset);
/* A column of numbers that fit into 32 bits and a sign. */
void html_derived(struct json *j, const struct html_table *table,
		  const char *name,
		  uint64_t (*get)(const struct html_source *source,
				  uint32_t row));
/* Texts: member @offset of each row is a pointer to one, or NULL. */
void html_texts(struct json *j, const struct html_table *table,
		const char *name, size_t offset);
/* What the counters say of each row, as @value has it. */
void html_values(struct json *j, const struct html_table *table,
		 const char *name, html_value_fn value);
/* How many rows, their times, and what the counters say of them. */
void html_sums(struct json *j, const struct html_table *table);

#endif /* COROPROF_HTML_COLUMNS_H */
