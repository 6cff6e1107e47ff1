/* SPDX-License-Identifier: GPL-2.0 */
/* A figure of both recordings, and by how much it has changed: a row of model.changes. */
#ifndef COROPROF_DIFF_CHANGE_H
#define COROPROF_DIFF_CHANGE_H

#include "diff/counts.h"
#include "profile/model.h"

/* Why there is no verdict: model_change.why. */
#define CHANGE_TOO_FEW	"too few coroutines"

/* One more row of model.changes, or NULL. */
struct model_change *change_add(struct model *m);
/* By what share of @old it has changed. */
double change_share(double old, double new);
/* From the old side to the new one, once both are set. */
void change_set_difference(struct model_change *change);
/* What came out of its test, once the difference is set. */
void change_set_test(struct model_change *change, const struct counts_test *result);

#endif /* COROPROF_DIFF_CHANGE_H */
