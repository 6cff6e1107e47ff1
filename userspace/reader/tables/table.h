/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each table of a profile is: its columns, what they mean, and how a row's
 * cell is got. All outputs are driven by it: the tables of text, --columns and
 * --help columns, CSV, JSON, the page and its decoder. An output walks
 *
 *   for each of tables[]: sheet_open(&sheet, table, model)
 *     for each row below sheet.rows
 *       for each column below sheet.nr_columns: sheet_cell(&sheet, row, column)
 *
 * and finds in each cell a value of the column's kind, and its standing: a cell
 * without a value is never a 0.
 *
 * To add a column: the model, and one row in the description of its table. The
 * row says where it is shown.
 */
#ifndef COROPROF_TABLES_TABLE_H
#define COROPROF_TABLES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/standing.h"
#include "profile/model.h"
#include "profile/schema.h"

/* What the cells of a column are, and the member of struct cell that holds it. */
enum kind {
	KIND_TEXT,	/* text; NULL: there is none */
	KIND_ID,	/* number: names something, is neither added nor rounded */
	KIND_COUNT,	/* number: how many, shown in full */
	KIND_EVENTS,	/* number: what a counter counted, shown with three digits */
	KIND_NS,	/* number: nanoseconds */
	KIND_TIME,	/* number: nanoseconds since the recording began */
	KIND_SHARE,	/* fraction: 0..1 */
	KIND_RATIO,	/* fraction: a quotient */
	KIND_WORD,	/* number: index into column.words */
	KIND_FLAGS,	/* number: bit n is column.words[n] */
	KIND_ROW,	/* number: a row of the table column.refers */
	KIND_NR
};

/* How the cells of several rows become one. */
enum sums {
	SUMS_NOT,	/* they don't: it names, or is a quotient of sums */
	SUMS_ADD,
	SUMS_MAX,
	SUMS_MIN,
	SUMS_NR
};

/**
 * struct cell - one figure
 * @standing: how far it can be relied on; from STANDING_NA on the rest is 0
 * @number:   of most kinds
 * @fraction: KIND_SHARE, KIND_RATIO
 * @text:     KIND_TEXT: printable, lives as long as the model
 */
struct cell {
	enum standing standing;
	union {
		uint64_t number;
		double fraction;
		const char *text;
	};
};

/* Why a figure lacks nothing where slices, spans or samples of its row are missing. */
enum why_whole {
	WHOLE_NOT,	/* it lacks them: the default */
	WHOLE_OTHER,	/* it is made of none: it is of the machine, the file, threads, or a bound */
	WHOLE_ONE,	/* its row is one slice, wait, span or call, which is there with all that it has */
	WHOLE_OWN,	/* column.get or column.least says what it lacks, by a rule of its own */
};

struct sheet;
struct column;

/**
 * struct position - where a cell is
 * @sheet:   the table
 * @column:  the column's description
 * @row:     the row in the model
 * @index:   which one it is there
 * @counter: which counter, of a column that each counter has
 * @partial: as sheet_column.partial
 */
struct position {
	const struct sheet *sheet;
	const struct column *column;
	const void *row;
	uint32_t index;
	uint32_t counter;
	uint32_t partial;
};

/* Where a column is shown; the others come with exports, and when asked for. */
#define SHOWN_TEXT	(1u << 0)
#define SHOWN_PAGE	(1u << 1)
#define SHOWN_DIGEST	(1u << 2)	/* of the text's first screen */
#define SHOWN		(SHOWN_TEXT | SHOWN_PAGE)

/**
 * struct column - a column of a table
 * @name:     of files and options: small letters, digits, "_"; "%s" stands for a
 *            counter's name
 * @title:    of the tables that people read; NULL: @name, with spaces
 * @says:     one line: what it is
 * @kind:     enum kind; KIND_EVENTS is KIND_NS for a counter of time
 * @sums:     enum sums
 * @unsure:   cells may have another standing than STANDING_COUNTED, for other reasons than that
 *            something is missing of them: see column_is_unsure()
 * @shown:    SHOWN_*
 * @aside:    the page does without it: it can be made of others, or is large
 * @part_of:  name of the column of which it is each row's share of the sum: the page makes it of
 *            that, and shows it before all other figures, as a bar, under the title @bar; NULL: not
 * @bar:      see there
 * @when:     only if this is so; NULL: always
 * @counted:  there is one for each counter, or, if that is set, for each that
 *            @counts says
 * @counts:   see there
 * @slices:   only slices say: n/a in a recording of totals
 * @words:    of KIND_WORD and KIND_FLAGS, NULL at the end
 * @refers:   KIND_ROW: name of a table
 * @get:      the cell; NULL: it is a member of the row
 * @say:      words in place of the cell's own, in text; false: there are none
 * @offset:   of the member, or of what @get needs
 * @width:    of the member, in bytes
 * @bound:    offset in the row of a bool: figures are upper bounds; 0: there is none
 * @least:    likewise: they are lower bounds
 * @partial:  MODEL_PARTIAL_*: they are, where any of these is missing, see schema_partial(); 0: of
 *            figures table.partial, of others nothing
 * @whole:    they are not; WHOLE_NOT: as table.whole says
 * @shared:   likewise, of a uint32_t that is 0 but of a part of a recording: figures are
 *            shared by time, see model_times.nr_shared
 * @value:    what a counter says of a row
 * @quantile: for @get
 * @per:      two recordings are compared by it, divided by the column of this name;
 *            "": by it as it is; NULL: they are not
 * @near:     names of columns with spaces between them: what the cells are near the sum
 *            of, taken off those with "-" before them. The page has what they differ by
 * @after:    a column: most rows begin where, by that, the one before ends; likewise
 * @one:      one of what it counts, where columns are divided by it: "slice"
 * @measured: it counts those alone of which there is a figure: by it, a mean of these is made
 */
struct column {
	const char *name;
	const char *title;
	const char *says;
	enum kind kind;
	enum sums sums;
	bool unsure;
	uint8_t shown;
	bool aside;
	const char *part_of;
	const char *bar;
	bool (*when)(const struct model *model);
	bool counted;
	bool (*counts)(const struct model *model, uint32_t counter);
	bool slices;
	const char *const *words;
	const char *refers;
	struct cell (*get)(const struct position *position);
	bool (*say)(const struct position *position, char *to, size_t capacity);
	size_t offset;
	size_t width;
	size_t bound;
	size_t least;
	uint32_t partial;
	enum why_whole whole;
	size_t shared;
	struct model_value (*value)(const struct model *model, uint32_t row, uint32_t counter);
	double quantile;
	const char *per;
	const char *near;
	const char *after;
	const char *one;
	bool measured;
};

/**
 * struct table - a table, described
 * @name:    of files and options
 * @title:   what its rows are
 * @columns: its columns
 * @nr:      how many
 * @rows:    which rows of the model its rows are; SCHEMA_MODEL: there is one, the model itself, or
 *           @list says them
 * @list:    numbers that rows are made of, sheet.list; NULL when out of memory
 * @listed:  and these are the rows
 * @partial: MODEL_PARTIAL_*: what figures of its columns are made of; 0: MODEL_PARTIAL_SLICES
 * @whole:   none of them lacks any
 * @by_coroutine: spans or samples, which are added up of those coroutines alone that are asked
 *           for: see model.some
 * @outside: coroutines are not what the row is of: no time lies between its slices
 * @title_row, @title_number: columns: most rows are called as the row of the former, " #",
 *            and the latter; NULL: they are not
 * @title_of: what to call a row; NULL: what is in its column "name"
 */
struct table {
	const char *name;
	const char *title;
	const struct column *columns;
	unsigned int nr;
	enum schema_id rows;
	uint32_t *(*list)(const struct model *model, uint32_t *nr);
	bool listed;
	uint32_t partial;
	enum why_whole whole;
	bool by_coroutine;
	bool (*outside)(const void *row);
	const char *title_row;
	const char *title_number;
	void (*title_of)(const struct model *model, uint32_t row, char *to, size_t capacity);
};

static inline bool kind_is_figure(enum kind kind)
{
	return kind == KIND_COUNT || kind == KIND_EVENTS || kind == KIND_NS || kind == KIND_SHARE ||
	       kind == KIND_RATIO;
}

/* MODEL_PARTIAL_*: what the column is made of, so that where any of it is missing a part is. */
uint32_t column_partial(const struct table *table, const struct column *column);
/* Each cell of it lacks what is missing of the row. */
bool column_is_marked(const struct table *table, const struct column *column);
/* Cells may have another standing than STANDING_COUNTED. */
bool column_is_unsure(const struct table *table, const struct column *column);

/* It has what is one by one: only a model with a timeline has rows of it. */
bool table_is_timeline(const struct table *table);

/*
 * No column has these names: exports call the number of a row so, and JSON what says how far
 * its cells can be relied on.
 */
#define ROW_NUMBER	"row"
#define ROW_STANDING	"standing"
/* What exports have beside a column: names of the rows it refers to, and standings. */
#define BESIDE_NAME	"_name"
#define BESIDE_STANDING	"_standing"

extern const struct table *const tables[];
extern const unsigned int nr_tables;

/* NULL if there is none of that name. */
const struct table *table_named(const char *name);

/**
 * struct sheet_column - a column of a table of one model
 * @is:      its description
 * @kind:    enum kind
 * @counter: which counter, if @is says that each has one
 * @name:    column.name with the counter's in it; no two in a table are the same
 * @title:   likewise
 * @says:    likewise
 * @shown:   SHOWN_* in this model
 * @unsure:  see column_is_unsure()
 * @partial: MODEL_PARTIAL_*: cells lack a part where the row lacks any of it, of what is missing
 *           anywhere in the model; 0 of most models
 * @metric:  of a column of one's own, else NULL
 * @operands: for each step of that which is a column: which one
 */
struct sheet_column {
	const struct column *is;
	enum kind kind;
	uint32_t counter;
	char *name;
	char *title;
	char *says;
	uint8_t shown;
	bool unsure;
	uint32_t partial;
	const struct metric *metric;
	unsigned int *operands;
};

/**
 * struct sheet - a table of one model
 * @table:      its description
 * @model:      see there
 * @columns:    its columns
 * @nr_columns: how many
 * @rows:       how many rows
 * @first:      where they are in the model
 * @stride:     bytes of each; 0: it is the model
 * @list:       what table.list gave
 * @nr_list:    how many
 */
struct sheet {
	const struct table *table;
	const struct model *model;
	struct sheet_column *columns;
	unsigned int nr_columns;
	uint32_t rows;
	const char *first;
	size_t stride;
	uint32_t *list;
	uint32_t nr_list;
};

/* Returns 0, or -1 when out of memory; then there is nothing to close. */
int sheet_open(struct sheet *sheet, const struct table *table, const struct model *model);
void sheet_close(struct sheet *sheet);
struct cell sheet_cell(const struct sheet *sheet, uint32_t row, unsigned int column);
/* The column of that name, or of that title, or -1: see name_is(). */
int sheet_find(const struct sheet *sheet, const char *name, size_t length);
/* What to call a row: its name, for rows of other tables that refer to it. */
#define ROW_TITLE_SIZE	160
const char *row_title(const struct table *table, const struct model *model, uint32_t row,
		      char text[ROW_TITLE_SIZE]);

bool table_has_names(const struct table *table);

/* What column.say says of a cell; false: nothing, show the cell itself. */
bool sheet_say(const struct sheet *sheet, uint32_t row, unsigned int column, char *to,
	       size_t capacity);

/* Whether they are the same, capitals aside; "-" and "_" are spaces. */
bool name_is(const char *name, const char *text, size_t length);

static inline bool has_value(struct cell cell)
{
	return standing_has_value(cell.standing);
}

/* What recording cost, as a share of all time on a CPU. */
struct cell cell_overhead_share(const struct model *model);

/* "ns", "count" ...; "add", "max" ... */
const char *kind_name(enum kind kind);
const char *sums_name(enum sums sums);

#endif /* COROPROF_TABLES_TABLE_H */
