/* SPDX-License-Identifier: GPL-2.0 */
/* What other ways to read two counters cost here, beside a switch. */
#ifndef COROPROF_SELFTEST_COSTS_H
#define COROPROF_SELFTEST_COSTS_H

#include "selftest/result.h"

/* Times reads of cycles and instructions of this thread, in user mode. */
void costs_measure(struct results *results);

#endif /* COROPROF_SELFTEST_COSTS_H */
