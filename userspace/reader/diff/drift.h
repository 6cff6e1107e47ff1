/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a difference between two recordings may come of drifts: of what all that runs rises or
 * falls by, in each recording in its own way, from begin to end. Recordings begin alike and end
 * apart, or settle: begin apart, and end alike. It is an offset of the mean, by half of what is
 * apart, in all labels; and it is a trend, which distinguishes it from a change. A change is of one
 * label, or of all by the same share, and has no trend. What explains means and trends of all
 * labels better is taken to be so: sums of squares of residuals are compared (D. R. Cox, Tests of
 * separate families of hypotheses, Proceedings of the Fourth Berkeley Symposium, volume 1, 1961,
 * pages 105 to 123).
 */
#ifndef COROPROF_DIFF_DRIFT_H
#define COROPROF_DIFF_DRIFT_H

#include <stdbool.h>

#include "profile/model.h"

/**
 * struct drift - what is known of a figure of all labels
 * @figure:  it
 * @means:   sum of squares of standard deviations that a drift by all of the figure is off
 * @off:     sum of what they are off, times these
 * @trends:  likewise, of trends, by enum model_age
 * @rise:    likewise
 */
struct drift {
	char *figure;
	double means;
	double off;
	double trends[MODEL_AGES];
	double rise[MODEL_AGES];
};

/**
 * struct drifts - of all figures
 */
struct drifts {
	struct drift *list;
	uint32_t nr;
};

/* @change: of a label, with its test and trends. Returns 0, or -1 when out of memory. */
int drifts_add(struct drifts *drifts, const struct model_change *change);
void drifts_free(struct drifts *drifts);

/*
 * Whether drifts explain @change as well as its being one. @of_label: the figure of its label
 * that its trends are those of; itself, if it is of a label.
 */
bool drifts_explain(const struct drifts *drifts, const struct model_change *of_label,
		    const struct model_change *change);

#endif /* COROPROF_DIFF_DRIFT_H */
