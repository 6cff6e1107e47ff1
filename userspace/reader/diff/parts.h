/* SPDX-License-Identifier: GPL-2.0 */
/* The other parts of a comparison: call trees of both, and what is known of both. */
#ifndef COROPROF_DIFF_PARTS_H
#define COROPROF_DIFF_PARTS_H

#include "profile/model.h"

/* Both return 0, or -1 when out of memory. */
int diff_trees(struct model *new, const struct model *old);
int diff_facts(struct model *new, const struct model *old);

#endif /* COROPROF_DIFF_PARTS_H */
