/* SPDX-License-Identifier: GPL-2.0 */
/* Why gaps between slices could not be measured: each cause in its own words, in every output. */
#ifndef COROPROF_TABLES_UNMEASURED_H
#define COROPROF_TABLES_UNMEASURED_H

#include "profile/model.h"

/*
 * Sets @unmeasured of a model, and @lacks of its processes, once all recordings are in it. Returns
 * 0, or -1 when out of memory.
 */
int unmeasured_make(struct model *model);

#endif /* COROPROF_TABLES_UNMEASURED_H */
