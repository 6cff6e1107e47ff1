/* SPDX-License-Identifier: GPL-2.0 */
/* What a model says of itself: made of its tables once they are whole, for every output alike. */
#ifndef COROPROF_DERIVED_H
#define COROPROF_DERIVED_H

struct model;

/*
 * Adds findings and the sentences on what is missing to a model, once all recordings are in it.
 * Returns 0, or -1 when out of memory.
 */
int derived_make(struct model *model);

#endif /* COROPROF_DERIVED_H */
