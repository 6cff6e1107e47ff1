/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers as people read them: three digits that count, and a unit. How they
 * are rounded, and what units are called, is said here once, as data: the page
 * is given it and follows it for the sums it makes itself.
 */
#ifndef COROPROF_TABLES_FIGURE_H
#define COROPROF_TABLES_FIGURE_H

#include <stddef.h>
#include <stdint.h>

#include "tables/table.h"

/* What any of these needs at most: without, and with a mark. */
#define FIGURE_DIGITS	32
#define FIGURE_SIZE	(FIGURE_DIGITS + 16)

/**
 * struct figure_unit - a size, and what so many are called
 */
struct figure_unit {
	uint64_t size;
	const char *name;
};

/**
 * struct figure_digits - how many decimals a figure in units has
 * @below:    if it is less than this; of 0: else
 * @decimals: so many
 */
struct figure_digits {
	double below;
	int decimals;
};

/**
 * struct figure_fraction - how a share, or a ratio, is shown
 * @factor:   so many times what it is
 * @decimals: with so many decimals
 * @least:    what is less than this, and not 0, is shown as "<" and the least
 *            figure of so many decimals; what is at least that, as ">=" and 0;
 *            and what is at most that, as "<=" and that figure
 * @unit:     behind it
 */
struct figure_fraction {
	double factor;
	int decimals;
	double least;
	const char *unit;
};

/* The largest first; what is less than the last but one is shown in full. */
extern const struct figure_unit figure_ns_units[], figure_count_units[];
extern const unsigned int figure_nr_ns_units, figure_nr_count_units;
extern const struct figure_digits figure_digits[];
extern const unsigned int figure_nr_digits;
extern const struct figure_fraction figure_of_shares, figure_of_ratios;

/* A unit is used from this part of its size on, as rounding makes it a whole. */
#define FIGURE_WHOLE	0.9995

/* The nearest number; the largest there is for what is larger, as hostile files have it. */
uint64_t figure_whole(double measure);

/* "85 ns", "1.23 ms", "4.56 s", "3 min 10 s", "2 h 5 min" */
void figure_ns(char *to, uint64_t ns);
/* "1 CPU", "4 CPUs"; 0: "number of CPUs n/a" */
void figure_cpus(char *to, uint32_t cpus);
/* "985", "1.23 k", "4.56 G" */
void figure_count(char *to, uint64_t count);
/* "985", "1,234,567": in sentences, which the page shows beside counts that it groups. */
void figure_grouped(char *to, uint64_t count);
/* "0.3 %", "<0.1 %"; @share is 0..1 */
void figure_share(char *to, double share);
/*
 * From so many times the first figure on a change reads as that many: nobody reads
 * "+26160068365629.0 %".
 */
#define FIGURE_TIMES	100

/*
 * Writes a change as a share of the first figure, with its sign: "+5.0 %", "+0.0 %" for none, "262
 * G times".
 */
void figure_change(char *to, enum standing standing, double change);

/*
 * A cell of a kind that is a number, with the mark that its standing has, or why
 * there is no value.
 */
void figure_cell(char *to, enum kind kind, struct cell cell);

/* The same of a cell.fraction that is a mean of figures of the kind: "0.52", "12.3 us". */
void figure_mean(char *to, enum kind kind, struct cell cell);

#endif /* COROPROF_TABLES_FIGURE_H */
