/* SPDX-License-Identifier: GPL-2.0 */
/* What a model says of itself: made of its tables once they are whole, for every output alike. */
#ifndef COROPROF_DERIVED_H
#define COROPROF_DERIVED_H

struct model;

/*
 * Once all recordings are in the model: findings, and why there is nothing, or what was not recorded
 * or not measured. Returns 0, or -1 when out of memory.
 */
int derived_make(struct model *model);

#endif /* COROPROF_DERIVED_H */
