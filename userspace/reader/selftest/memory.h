/* SPDX-License-Identifier: GPL-2.0 */
/* Memory beyond the caches. */
#ifndef COROPROF_SELFTEST_MEMORY_H
#define COROPROF_SELFTEST_MEMORY_H

#include <stdint.h>

/*
 * How much memory is far from what caches hold. 0: so much can't be had, and *why says
 * what there is.
 */
uint64_t memory_far_bytes(const char **why);

#endif /* COROPROF_SELFTEST_MEMORY_H */
