/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Columns of one's own, by a formula over others: "misses/kI = 1000*cache-misses/instructions".
 * How far their cells can be relied on follows from what they are made of.
 */
#ifndef COROPROF_TABLES_METRIC_H
#define COROPROF_TABLES_METRIC_H

#include "base/error.h"
#include "tables/table.h"

#define METRICS_MAX	16
/* Numbers, columns and operations of a formula. */
#define METRIC_STEPS	64

/**
 * struct metric_step - of a formula, operands before what is done with them
 * @does:   '#': @number; 'c': a column's cell; '+', '-', '*', '/'
 * @number: see there
 * @column: its name
 */
struct metric_step {
	char does;
	double number;
	char *column;
};

/**
 * struct metric - a column of one's own
 * @name:  what it is called
 * @says:  "by its formula: ..."
 * @steps: the formula
 * @nr:    how many
 */
struct metric {
	char *name;
	char *says;
	struct metric_step steps[METRIC_STEPS];
	unsigned int nr;
};

/* "NAME = FORMULA", or a formula alone. Sets @err and frees what there is if it is none. */
int metric_parse(struct metric *metric, const char *text, struct error *err);
void metric_free(struct metric *metric);

/**
 * struct metric_operand - the cell of a column, as a number
 * @value:    of no use without one
 * @standing: of the cell
 */
struct metric_operand {
	double value;
	enum standing standing;
};

/* @operands: one for each step; those of steps that are columns are looked at. */
struct cell metric_cell(const struct metric *metric, const struct metric_operand *operands);

/* Fails unless each metric can be made of the columns of some table, and has a name of its own. */
int metrics_check(const struct model *model, struct error *err);

#endif /* COROPROF_TABLES_METRIC_H */
