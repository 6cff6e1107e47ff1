/* SPDX-License-Identifier: GPL-2.0 */
/* What each coroutine says of a figure of its label: what a test is made of. */
#ifndef COROPROF_UNITS_H
#define COROPROF_UNITS_H

#include "diff/noise.h"
#include "diff/ratio.h"
#include "diff/entities.h"

/**
 * struct units - the coroutines of a recording, by the things that their labels are
 * @sheet: the table of coroutines
 * @rows:  its rows, those of a thing together
 * @first: of each thing, in @rows; one more than there are things
 * @list:  room for figures of a thing
 * @weights: how many slices, or what else, each of these is of
 * @scores: room for as many
 * @standing: how far they can be relied on
 */
struct units {
	struct sheet sheet;
	uint32_t *rows;
	uint32_t *first;
	double *list;
	double *weights;
	double *scores;
	enum standing standing;
};

/* @age: enum model_age. Returns 0, or -1 when out of memory. */
int units_open(struct units *units, const struct model *model, const struct entities *labels,
	       uint32_t age);
void units_close(struct units *units);

/* Of what recording: see struct model_process. */
#define UNITS_ALL	UINT32_MAX

/*
 * Those that have the figure, as they first ran one after the other; valid until it is called
 * again. @whole: those alone that were seen from their first slice to their last.
 */
struct group units_group(struct units *units, uint32_t entity, struct ratio ratio, bool whole,
			 uint32_t run);

/*
 * Standard error of the mean of @group, which units_group() has just given; of figures for
 * each slice, of the mean of all slices. So a coroutine that has many weighs as much as it has
 * there, and where a few have most, it is as large as of these few. Negative: n/a.
 */
double units_error(const struct units *units, const struct group *group);

/* The mean of @group as a figure: an estimate if any of it is. */
struct model_side units_mean(const struct units *units, const struct group *group);

#endif /* COROPROF_UNITS_H */
