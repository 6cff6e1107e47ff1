/* SPDX-License-Identifier: GPL-2.0 */
/* Time that a hypervisor takes. */
#ifndef COROPROF_SELFTEST_STEAL_H
#define COROPROF_SELFTEST_STEAL_H

#include <stdint.h>

/* The time in ns that a hypervisor took from all processors so far, as far as it reports it. */
uint64_t steal_ns(void);

#endif /* COROPROF_SELFTEST_STEAL_H */
