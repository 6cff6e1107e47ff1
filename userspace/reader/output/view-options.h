/* SPDX-License-Identifier: GPL-2.0 */
/* How whoever reads tables, or has them written to files, wants them. */
#ifndef COROPROF_VIEW_OPTIONS_H
#define COROPROF_VIEW_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct metric;

/* As many conditions as can be given. */
#define WHERES_MAX 8

/**
 * struct view_options - of tables; all 0: as they are
 * @table:   name of one; NULL: those that an output has by itself
 * @sort:    names, or titles, of columns, see output/order.h; NULL: each table in an order of its
 *  own
 * @columns: names, or titles, separated by commas; NULL: all
 * @top:     so many rows of each at most; 0: as many as it has by itself
 * @width:   of the terminal, in characters; 0: of the file, if it is one
 * @weight:  of folded stacks; NULL: samples
 * @wheres:  conditions, of which a row must fit all that are of its table; see
 *           output/where.h
 * @nr_wheres: how many
 * @metrics: columns of one's own, see tables/metric.h
 * @nr_metrics: how many
 * @digest:  text is one screen, unless anything above is asked for
 * @colored: text on standard output has the colours of a terminal
 */
struct view_options {
	const char *table;
	const char *sort;
	const char *columns;
	uint32_t top;
	uint32_t width;
	const char *weight;
	const char *wheres[WHERES_MAX];
	uint32_t nr_wheres;
	struct metric *metrics;
	uint32_t nr_metrics;
	bool digest;
	bool colored;
};

#endif /* COROPROF_VIEW_OPTIONS_H */
