/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether recordings of several runs on each side differ by more than those of one side do.
 * The unit is the run: what all coroutines of a run have in common, such as another program
 * beside it, or where its memory came to lie, is in what runs differ by. Student's test, with
 * the variance of both sides together, as there are few on each. A variance that is less
 * than what coroutines of a run alone make of it is by chance: that is taken instead.
 */
#ifndef COROPROF_DIFF_RUNS_H
#define COROPROF_DIFF_RUNS_H

#include "profile/model.h"

#define RUNS_COMMAND	"coroprof diff OLD.cprof OLD2.cprof -- NEW.cprof NEW2.cprof"
#define RUNS_SEVERAL	"record several runs of both, " RUNS_COMMAND
#define RUNS_ONE_EACH	"can't tell from one run each: " RUNS_SEVERAL
#define RUNS_DRIFT	"can't tell from one run each, as a drift from begin to end explains it as well: " RUNS_SEVERAL

/* On both sides together: with fewer there is as good as no spread. */
#define RUNS_LEAST	4

/**
 * struct runs - what the recordings of both sides say of one figure
 * @nr:      how many, by enum model_age
 * @mean:    of them
 * @squares: sum of squares of what they are off it
 * @unknown: one of them does not know it
 */
struct runs {
	uint32_t nr[MODEL_AGES];
	double mean[MODEL_AGES];
	double squares[MODEL_AGES];
	bool unknown;
};

/* Whether there is more than one run on a side. */
bool runs_are_many(const struct model *const models[MODEL_AGES]);

/* The recording that a label is of: see struct model_process. */
uint32_t runs_of_label(const struct model *model, uint32_t label);

void runs_add(struct runs *runs, enum model_age age, const struct model_side *side);

/*
 * Sets the test of @change, whose sides have the standard errors that coroutines, or what
 * they are rounded to, alone give them; and these errors to what runs make of them.
 */
void runs_test(const struct runs *runs, struct model_change *change);

#endif /* COROPROF_DIFF_RUNS_H */
