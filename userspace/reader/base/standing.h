/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far a figure can be relied on, and how far what is made of two figures can be. There is one
 * table for the second; tables, comparisons, formulas and exports ask it, and the page gets it
 * with its data. No other place has a rule of its own.
 */
#ifndef COROPROF_STANDING_H
#define COROPROF_STANDING_H

#include <stdbool.h>

/* Those from STANDING_NA on have no value. */
enum standing {
	STANDING_COUNTED,	/* exact */
	STANDING_AT_LEAST,	/* a part is not known */
	STANDING_AT_MOST,	/* a part may belong elsewhere */
	STANDING_SCALED,	/* an estimate: it may be more, it may be less */
	STANDING_AT_MOST_SCALED,	/* no more than what is estimated here */
	STANDING_APPROXIMATE,		/* less than 1 % off */
	STANDING_NA,		/* not known */
	STANDING_NONE,		/* there can be none */
	STANDING_NOT_SCHEDULED,	/* others had the counter's place all the time */
	STANDING_UNSUPPORTED,	/* it can't be counted here */
	STANDING_NR
};

/* What is made of two figures, none of which is below 0. */
enum combine {
	COMBINE_SUM,		/* and a maximum: it grows with each of both, too */
	COMBINE_MIN,
	COMBINE_DIFFERENCE,	/* of the second from the first */
	COMBINE_PRODUCT,
	COMBINE_QUOTIENT,	/* of the first by the second */
	COMBINE_CHANGE,		/* to the first from the second, of another recording or side */
	COMBINE_NR
};

/* What becomes of one figure. */
enum alone {
	ALONE_LACKS,		/* a part of it is missing */
	ALONE_EXCEEDS,		/* it may have what belongs elsewhere */
	ALONE_MEAN,		/* it stands for many, as a quantile does: for those seen */
	ALONE_NR
};

/* The standing of a sum, difference, product, quotient and so on of two figures. */
enum standing standing_combined(enum combine how, enum standing one, enum standing other);
/* The standing of one figure that lacks a part, may have what belongs elsewhere, or is a mean. */
enum standing standing_alone(enum alone how, enum standing of);

/* The standing of a figure that is otherwise @of; @part: a part of it is missing. */
static inline enum standing standing_lacking(enum standing of, bool part)
{
	return part ? standing_alone(ALONE_LACKS, of) : of;
}

/* The standing of a count; @part: a part of what was to be counted is missing. */
static inline enum standing standing_seen(bool part)
{
	return standing_lacking(STANDING_COUNTED, part);
}

static inline enum standing standing_mean(enum standing of)
{
	return standing_alone(ALONE_MEAN, of);
}

static inline bool standing_has_value(enum standing of)
{
	return of < STANDING_NA;
}

/*
 * True if a comparison can judge by the figure. By a bound it can't, as the true figure may be
 * anywhere on one side of it.
 */
static inline bool standing_is_point(enum standing of)
{
	return of == STANDING_COUNTED || of == STANDING_SCALED || of == STANDING_APPROXIMATE;
}

/* The name, "counted", "at least" and so on. */
const char *standing_name(enum standing standing);
/* The text before a figure, or in place of one. */
const char *standing_mark(enum standing standing);
/* What the standing means, in a sentence. */
const char *standing_says(enum standing standing);
/* The name of a combination, "sum", "difference" and so on. */
const char *combine_name(enum combine how);
/* Likewise, "lacks" and so on. */
const char *alone_name(enum alone how);

#endif /* COROPROF_STANDING_H */
