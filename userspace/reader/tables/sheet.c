// SPDX-License-Identifier: GPL-2.0
/*
 * Opens a table of a model: lists its columns (one for each counter where that is so), adds
 * metrics, and gives cells.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/events.h"
#include "tables/describe.h"
#include "tables/metric.h"

/* ------------------------------------------------------------------------
 * columns
 */

/* In totals, counters are on the first screen in place of what only slices say. */
static uint8_t shown_in(const struct column *is, const struct model *model)
{
	if (is->when && !is->when(model))
		return 0;
	if (model->totals && is->slices)
		return is->shown & ~SHOWN_DIGEST;
	return model->totals && is->counted && is->shown & SHOWN_TEXT ? is->shown | SHOWN_DIGEST :
									is->shown;
}

/* @pattern with @name for its "%s". */
static char *fill(const char *pattern, const char *name)
{
	const char *blank = strstr(pattern, "%s");
	char *text;
	int ret;

	if (blank)
		ret = asprintf(&text, "%.*s%s%s", (int)(blank - pattern), pattern, name, blank + 2);
	else
		ret = asprintf(&text, "%s", pattern);
	return ret < 0 ? NULL : text;
}

/* Whether exports have @other beside a column @is of that @name. */
static bool is_beside(const struct sheet *s, const struct column *is, const char *name,
		      const char *other)
{
	size_t length = strlen(name);

	return !strncmp(name, other, length) &&
	       ((is->refers && !strcmp(other + length, BESIDE_NAME)) ||
		(column_is_unsure(s->table, is) && !strcmp(other + length, BESIDE_STANDING)));
}

static bool is_taken(const struct sheet *s, const struct column *is, const char *name)
{
	for (unsigned int i = 0; i < s->nr_columns; i++) {
		const struct sheet_column *c = &s->columns[i];

		if (!strcmp(c->name, name) || is_beside(s, c->is, c->name, name) ||
		    is_beside(s, is, name, c->name))
			return true;
	}
	return !strcmp(name, ROW_NUMBER) || !strcmp(name, ROW_STANDING);
}

/*
 * Counters have the names they were asked for by, which may be those of columns, or of what
 * exports have beside them: no key of an export comes twice.
 */
static char *unique(const struct sheet *s, const struct column *is, char *name)
{
	while (name && is_taken(s, is, name)) {
		char *longer = NULL;

		if (asprintf(&longer, "%s_", name) < 0)
			longer = NULL;
		free(name);
		name = longer;
	}
	return name;
}

static char *title_of(const struct column *is, const char *name)
{
	char *title = fill(is->title ? is->title : is->name, name);

	for (char *c = title; !is->title && c && *c; c++)
		if (*c == '_')
			*c = ' ';
	return title;
}

/* What the program counts itself is distinguished from what the machine counts. */
static char *says_of(const struct column *is, const struct model_counter *of)
{
	char *says = fill(is->says, of ? of->name : ""), *longer;
	int ret;

	if (!says || !of || !event_is_program(&of->counter))
		return says;
	ret = asprintf(&longer, "%s; the program's own counter", says);
	free(says);
	return ret < 0 ? NULL : longer;
}

static int add_column(struct sheet *s, const struct column *is, uint32_t counter)
{
	const struct model_counter *of = is->counted ? &s->model->counters[counter] : NULL;
	const char *name = of ? of->name : "";
	struct sheet_column *c = &s->columns[s->nr_columns];

	*c = (struct sheet_column){
		.is = is, .kind = is->kind, .counter = counter, .shown = shown_in(is, s->model),
		.unsure = column_is_unsure(s->table, is),
		.partial = column_is_marked(s->table, is) ?
			   column_partial(s->table, is) & s->model->partial : 0,
		.name = unique(s, is, fill(is->name, name)),
		.title = title_of(is, name),
		.says = says_of(is, of),
	};
	if (of && is->kind == KIND_EVENTS && model_counter_is_time(of))
		c->kind = KIND_NS;
	s->nr_columns++;
	return c->name && c->title && c->says ? 0 : -1;
}

/* Columns that each counter has, one counter after the other. */
static int add_counted(struct sheet *s, const struct column *from, unsigned int nr)
{
	for (uint32_t counter = 0; counter < s->model->nr_counters; counter++)
		for (unsigned int i = 0; i < nr; i++) {
			if (from[i].counts && !from[i].counts(s->model, counter))
				continue;
			if (add_column(s, &from[i], counter))
				return -1;
		}
	return 0;
}

static unsigned int count_counted(const struct table *t, unsigned int from)
{
	unsigned int nr = 0;

	while (from + nr < t->nr && t->columns[from + nr].counted)
		nr++;
	return nr;
}

static int add_columns(struct sheet *s)
{
	const struct table *t = s->table;
	unsigned int counted;
	int ret = 0;

	for (unsigned int i = 0; i < t->nr && !ret; i += counted ? counted : 1) {
		counted = count_counted(t, i);
		ret = counted ? add_counted(s, &t->columns[i], counted) :
				add_column(s, &t->columns[i], 0);
	}
	return ret;
}

/* ------------------------------------------------------------------------
 * columns of one's own
 */

static const struct column metric_column = {
	"metric", NULL, "by its formula", KIND_RATIO, .unsure = true, .shown = SHOWN, .per = "",
};

/* Sets which columns a formula is made of. False if the table has not all of them. */
static bool bind(const struct sheet *s, const struct metric *metric, unsigned int *operands)
{
	for (unsigned int i = 0; i < metric->nr; i++) {
		const char *name = metric->steps[i].column;
		int column = name ? sheet_find(s, name, strlen(name)) : 0;

		if (column < 0 || (name && !kind_is_figure(s->columns[column].kind)))
			return false;
		operands[i] = (unsigned int)column;
	}
	return true;
}

static int add_metric(struct sheet *s, const struct metric *metric)
{
	struct sheet_column *c = &s->columns[s->nr_columns];
	unsigned int *operands = calloc(METRIC_STEPS, sizeof(*operands));

	if (operands && !bind(s, metric, operands)) {
		free(operands);
		return 0;
	}
	*c = (struct sheet_column){
		.is = &metric_column, .kind = KIND_RATIO, .shown = SHOWN, .unsure = true, .metric = metric,
		.name = unique(s, &metric_column, strdup(metric->name)), .title = strdup(metric->name),
		.says = strdup(metric->says), .operands = operands,
	};
	s->nr_columns++;
	return operands && c->name && c->title && c->says ? 0 : -1;
}

/* The timeline has a row for each slice: what they are made of is there. */
static int add_metrics(struct sheet *s)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && s->table != &table_timeline && i < s->model->nr_metrics; i++)
		ret = add_metric(s, &s->model->metrics[i]);
	return ret;
}

static struct cell get_metric(const struct sheet *s, uint32_t row, const struct sheet_column *c)
{
	struct metric_operand operands[METRIC_STEPS];

	for (unsigned int i = 0; i < c->metric->nr; i++) {
		struct cell cell;
		enum kind kind;

		if (!c->metric->steps[i].column)
			continue;
		cell = sheet_cell(s, row, c->operands[i]);
		kind = s->columns[c->operands[i]].kind;
		operands[i] = (struct metric_operand){
			kind == KIND_SHARE || kind == KIND_RATIO ? cell.fraction :
								   (double)cell.number,
			cell.standing,
		};
	}
	return metric_cell(c->metric, operands);
}

static unsigned int most_columns(const struct table *t, const struct model *model)
{
	unsigned int nr = model->nr_metrics;

	for (unsigned int i = 0; i < t->nr; i++)
		nr += t->columns[i].counted ? model->nr_counters : 1;
	return nr;
}

/* ------------------------------------------------------------------------
 * rows
 */

static int find_rows(struct sheet *s)
{
	const struct table *t = s->table;

	s->rows = schema_nr(s->model, t->rows);
	s->first = schema_rows(s->model, t->rows);
	s->stride = t->rows == SCHEMA_MODEL ? 0 : schema_tables[t->rows].size;
	if (!t->list)
		return 0;
	s->list = t->list(s->model, &s->nr_list);
	if (t->listed)
		s->rows = s->nr_list;
	return s->list ? 0 : -1;
}

static struct position position_of(const struct sheet *s, uint32_t row, unsigned int column)
{
	const struct table *t = s->table;
	uint32_t index = t->listed ? s->list[row] : row;

	return (struct position){
		.sheet = s,
		.column = s->columns[column].is,
		.row = s->first + (size_t)index * s->stride,
		.index = index,
		.counter = s->columns[column].counter,
		.partial = s->columns[column].partial,
	};
}

/* ------------------------------------------------------------------------
 * sheets
 */

int sheet_open(struct sheet *s, const struct table *table, const struct model *model)
{
	*s = (struct sheet){ .table = table, .model = model };
	s->columns = calloc(most_columns(table, model) + 1, sizeof(*s->columns));
	if (s->columns && !find_rows(s) && !add_columns(s) && !add_metrics(s))
		return 0;
	sheet_close(s);
	return -1;
}

void sheet_close(struct sheet *s)
{
	for (unsigned int i = 0; i < s->nr_columns; i++) {
		free(s->columns[i].name);
		free(s->columns[i].title);
		free(s->columns[i].says);
		free(s->columns[i].operands);
	}
	free(s->columns);
	free(s->list);
	*s = (struct sheet){ 0 };
}

struct cell sheet_cell(const struct sheet *s, uint32_t row, unsigned int column)
{
	const struct position position = position_of(s, row, column);
	struct cell cell;

	if (s->columns[column].metric)
		return get_metric(s, row, &s->columns[column]);
	if (position.column->slices && s->model->totals)
		return cell_without(STANDING_NA);
	if (!position.column->get)
		return get_member(&position);
	cell = position.column->get(&position);
	/* @get may have looked itself. What is so already stays so. */
	if (cell.standing != STANDING_AT_LEAST && cell.standing != STANDING_SCALED)
		cell.standing = standing_lacking(cell.standing, is_partial(&position));
	return cell;
}

bool sheet_say(const struct sheet *s, uint32_t row, unsigned int column, char *to, size_t capacity)
{
	const struct position position = position_of(s, row, column);

	return position.column->say && position.column->say(&position, to, capacity);
}

int sheet_find(const struct sheet *s, const char *name, size_t length)
{
	for (unsigned int i = 0; i < s->nr_columns; i++)
		if (name_is(s->columns[i].name, name, length))
			return (int)i;
	for (unsigned int i = 0; i < s->nr_columns; i++)
		if (name_is(s->columns[i].title, name, length))
			return (int)i;
	return -1;
}

static const struct column *name_of(const struct table *table)
{
	for (unsigned int i = 0; i < table->nr; i++)
		if (!strcmp(table->columns[i].name, "name"))
			return &table->columns[i];
	return NULL;
}

bool table_has_names(const struct table *table)
{
	return table->title_of || name_of(table);
}

const char *row_title(const struct table *table, const struct model *model, uint32_t row,
		      char buffer[ROW_TITLE_SIZE])
{
	const struct column *name = name_of(table);
	const char *text;

	if (table->title_of) {
		table->title_of(model, row, buffer, ROW_TITLE_SIZE);
		return buffer;
	}
	if (!name)
		return NULL;
	text = *(const char *const *)((const char *)schema_row(model, table->rows, row) + name->offset);
	return text ? text : standing_name(STANDING_NA);
}
