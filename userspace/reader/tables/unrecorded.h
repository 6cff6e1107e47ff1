/* SPDX-License-Identifier: GPL-2.0 */
/* What processes did in threads without coroutines: in the same words in every output. */
#ifndef COROPROF_TABLES_UNRECORDED_H
#define COROPROF_TABLES_UNRECORDED_H

#include "tables/table.h"

/**
 * struct unrecorded - of all processes together
 * @cpu:     what they used of the CPUs; without those of which it is not known
 * @ns:      of that, what is in no slice
 * @threads: at least so many were not recorded
 */
struct unrecorded {
	struct cell cpu;
	struct cell ns;
	uint64_t threads;
};

struct unrecorded unrecorded_of(const struct model *model);

/*
 * Sets @unrecorded of a model, once all recordings are in it. Returns 0, or -1 when out of memory.
 */
int unrecorded_make(struct model *model);

#endif /* COROPROF_TABLES_UNRECORDED_H */
