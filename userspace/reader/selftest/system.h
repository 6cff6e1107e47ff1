/* SPDX-License-Identifier: GPL-2.0 */
/* The machine, as the self-test describes it. */
#ifndef COROPROF_SELFTEST_SYSTEM_H
#define COROPROF_SELFTEST_SYSTEM_H

#include <stdio.h>

#include "explain/machine.h"

/* Prints what figures depend on; no names of the machine, of users or of programs. */
void system_print(const struct machine *machine, FILE *out);

#endif /* COROPROF_SELFTEST_SYSTEM_H */
