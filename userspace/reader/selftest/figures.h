/* SPDX-License-Identifier: GPL-2.0 */
/* What the self-test writes of its figures. */
#ifndef COROPROF_SELFTEST_FIGURES_H
#define COROPROF_SELFTEST_FIGURES_H

#include <stdio.h>

#include "selftest/judge.h"

/* Writes all that was measured of each coroutine, and its known work. */
void figures_write(const struct evidence *evidence, FILE *out);

#endif /* COROPROF_SELFTEST_FIGURES_H */
