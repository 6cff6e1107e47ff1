/* SPDX-License-Identifier: GPL-2.0 */
/* Why there is nothing in a recording, and what to do: in the same words in every output. */
#ifndef COROPROF_TABLES_NOTHING_H
#define COROPROF_TABLES_NOTHING_H

#include "profile/model.h"

/*
 * Sets @nothing and @remedy of a model without slices, once all recordings are in it. Returns 0, or
 * -1 when out of memory.
 */
int nothing_make(struct model *model);

#endif /* COROPROF_TABLES_NOTHING_H */
