/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of a comparison: figures and call trees of both, and what is known of both. */
#ifndef COROPROF_DIFF_INTERNAL_H
#define COROPROF_DIFF_INTERNAL_H

#include "diff/counts.h"
#include "profile/model.h"

/*
 * They return 0, or -1 when out of memory. @sides: see entities_find(). @whole: coroutines are
 * on one side each, so that they can be tested, and reported for each; else slices alone are.
 */
int diff_figures(struct model *to, const struct model *const models[MODEL_AGES],
		 const uint8_t *sides, bool whole);
int diff_trees(struct model *to, const struct model *const models[MODEL_AGES],
	       const uint8_t *sides);
int diff_metadata(struct model *new, const struct model *old);
/* What has changed in words, and model.changes in that order. Once all of them are judged. */
int diff_answer(struct model *m);

#endif /* COROPROF_DIFF_INTERNAL_H */
