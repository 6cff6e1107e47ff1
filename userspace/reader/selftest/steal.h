/* SPDX-License-Identifier: GPL-2.0 */
/* Time that a hypervisor takes. */
#ifndef COROPROF_SELFTEST_STEAL_H
#define COROPROF_SELFTEST_STEAL_H

#include <stdint.h>

/* What a hypervisor has taken from all processors so far, as far as it says so. */
uint64_t steal_ns(void);

#endif /* COROPROF_SELFTEST_STEAL_H */
