/* SPDX-License-Identifier: GPL-2.0 */
/* Why there is nothing in a recording, and what to do: in the same words in every output. */
#ifndef COROPROF_TABLES_NOTHING_H
#define COROPROF_TABLES_NOTHING_H

#include "profile/model.h"

/*
 * Once all recordings are in the model: gives it @nothing and @remedy, unless a slice is in it.
 * Returns 0, or -1 when out of memory.
 */
int nothing_make(struct model *model);

#endif /* COROPROF_TABLES_NOTHING_H */
