/* SPDX-License-Identifier: GPL-2.0 */
/* What one counter counted in one row, and how well: added, merged. */
#ifndef COROPROF_PROFILE_SUMS_H
#define COROPROF_PROFILE_SUMS_H

#include <stdint.h>

#include "profile/build.h"

/**
 * struct model_sum - what one counter counted in one row of a table
 * @count:      sum, as counted
 * @missing_ns: how much of the row's running time it was not on the PMU
 * @seen:       bit n: a slice had standing n; SUM_ELSEWHERE: the row has slices
 *              of channels without this counter; SUM_SHARED: and such as RECORD_CUT
 */
struct model_sum {
	uint64_t count;
	uint64_t missing_ns;
	uint64_t seen;
};

#define SUM_COUNTED	(1u << COROPROF_STANDING_COUNTED)
#define SUM_SCALED	(1u << COROPROF_STANDING_SCALED)
#define SUM_ELSEWHERE	(1u << 4)
#define SUM_SHARED	(1u << 5)

/**
 * struct sum_rows - rows that the same counts are added to
 * @nr:  how many
 * @row: the first sum of each
 */
struct sum_rows {
	uint32_t nr;
	struct model_sum *row[3];
};

/* Adds what a slice or a span of this channel counted to each of the rows. */
void sums_add(const struct build *b, const struct sum_rows *to,
	      uint32_t channel, const struct record *s);
/* Adds only the standing of what was counted, not the counts. */
void sums_see(const struct build *b, struct model_sum *to, uint32_t channel,
	      const struct record *s);
/* Adds what a span counted to one row. */
void sums_add_span(const struct build *b, struct model_sum *to,
		   uint32_t channel, const struct record *s);
/* Adds one row of sums to another. */
void sums_merge(const struct build *b, struct model_sum *to,
		const struct model_sum *from);
/* How many sums of squares a node of spans has: none, unless somebody compares. */
static inline uint32_t squares_stride(const struct build *b)
{
	return b->options.squares ? MODEL_SQUARE_COUNTERS + 2 * b->model->nr_counters : 0;
}

/*
 * @all without @part, at least 0: calls in a span can't have more than the span, but a program may
 * report wrong figures.
 */
static inline uint64_t less_within(uint64_t all, uint64_t part)
{
	return part < all ? all - part : 0;
}

/* How many sums a row has; at least 1, so that arrays are never of size 0. */
static inline uint32_t sums_stride(const struct build *b)
{
	return b->model->nr_counters ? b->model->nr_counters : 1;
}

#endif /* COROPROF_PROFILE_SUMS_H */
