/* SPDX-License-Identifier: GPL-2.0 */
/* The machine, as the self-test describes it. */
#ifndef COROPROF_SELFTEST_SYSTEM_H
#define COROPROF_SELFTEST_SYSTEM_H

#include <stdio.h>

#include "explain/machine.h"

/* What figures depend on. No name of the machine, of a user, or of a program. */
void system_print(const struct machine *machine, FILE *out);

#endif /* COROPROF_SELFTEST_SYSTEM_H */
