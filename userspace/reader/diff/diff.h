/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two recordings against each other, by what the descriptions of tables say that
 * recordings are compared by: labels, spans and functions of the same name, in
 * whatever process.
 *
 * A figure is a sum divided by how many slices, gaps or calls it is of, so that
 * recordings of different lengths can be compared. Where each coroutine of a label
 * has it, there is a test whether the difference is noise: see noise.h. Quantiles
 * and samples in functions have tests of their own: quantiles.h, counts.h. It takes
 * coroutines for what was drawn by chance, each on its own. What all coroutines of a
 * recording have in common, such as another program that ran beside, it can't say
 * from a change of the program; so a difference below DIFF_SMALL is never called one.
 */
#ifndef COROPROF_DIFF_H
#define COROPROF_DIFF_H

#include "base/error.h"
#include "diff/gate.h"
#include "profile/model.h"

#define DIFF_SMALL	0.01

/*
 * Fills in what @new says of changes; names in @old are those of @new then where their line
 * moved. What the @nr conditions @gates are of is judged as gates_judge() says before anything is
 * said of it. Fails when out of memory.
 */
int diff_models(struct model *new, struct model *old, const struct gate *gates, unsigned int nr,
		struct error *err);

#endif /* COROPROF_DIFF_H */
