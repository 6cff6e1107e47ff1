/* SPDX-License-Identifier: GPL-2.0 */
/* Memory beyond the caches. */
#ifndef COROPROF_SELFTEST_MEMORY_H
#define COROPROF_SELFTEST_MEMORY_H

#include <stdint.h>

/*
 * Returns how many bytes are certainly beyond all caches; 0 if so much is not available, and then
 * *why has the reason.
 */
uint64_t memory_far_bytes(const char **why);

#endif /* COROPROF_SELFTEST_MEMORY_H */
