/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reader's own code for a page: of a recording in linear memory it adds up any part, and gives
 * the rows of any table. It needs nothing from outside (there are no imports), and is used by one
 * thread, a worker, as adding up takes its time.
 *
 *	bytes = engine_reserve(size)	... filled in by the page
 *	engine_open(bytes, size, names, names_size, seed)
 *	  for each part:
 *	    engine_select(SELECT_LABEL, row), ...	stays until it is changed
 *	    engine_add_up(from, to)
 *	      for each table:
 *	        engine_table(name)
 *
 * What fails returns 0, and engine_fault() says why in words. Numbers are doubles, as a page has no
 * others; addresses are offsets in linear memory.
 */
#ifndef COROPROF_ENGINE_H
#define COROPROF_ENGINE_H

#include <stdint.h>

/* What may be chosen, each beside the others, by rows of the whole recording. */
enum engine_select {
	SELECT_THREAD,	/* row of the table threads */
	SELECT_PROCESS,	/* likewise processes */
	SELECT_LABEL,	/* likewise labels */
	SELECT_NR
};

/* In place of a row: all of them. */
#define SELECT_ALL	UINT32_MAX

/**
 * struct engine_column - a column of a table
 * @name:      as exports have it
 * @kind:      enum kind of tables/table.h
 * @values:    of each row: a number; of KIND_TEXT and KIND_ID, which may have more digits than a
 *             double, the address of a text, 0 for none
 * @standings: of each row: enum standing
 * @ids:       the texts of KIND_ID
 */
struct engine_column {
	const char *name;
	uint32_t kind;
	double *values;
	uint8_t *standings;
	char (*ids)[24];
};

/**
 * struct engine_table - a table of what was added up last
 * @rows:       how many
 * @nr_columns: likewise
 * @columns:    in their order
 * @titles:     what rows are called; NULL: they have no names
 */
struct engine_table {
	uint32_t rows;
	uint32_t nr_columns;
	struct engine_column *columns;
	const char **titles;
};

/* For what is given to one of the others, which then is the engine's; NULL: there is no memory. */
void *engine_reserve(uint32_t size);

/*
 * Takes a recording without zstd, what its object files answered (symbols/given.h), and chance for
 * its hash tables. Once.
 */
int engine_open(void *bytes, uint32_t size, void *names, uint32_t names_size, double seed);

int engine_select(uint32_t what, uint32_t row);

/* Nanoseconds since the begin of the recording; @to 0: its end. */
int engine_add_up(double from, double to);

/* Stays until the next call of this, or of engine_add_up(). */
const struct engine_table *engine_table(char *name);

/* Why the last call failed. */
const char *engine_fault(void);

#endif /* COROPROF_ENGINE_H */
