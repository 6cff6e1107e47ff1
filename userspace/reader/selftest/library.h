/* SPDX-License-Identifier: GPL-2.0 */
/* This program's own copy of libcoroprof, in the process that is recorded. */
#ifndef COROPROF_SELFTEST_LIBRARY_H
#define COROPROF_SELFTEST_LIBRARY_H

#include <stdbool.h>

/* Starts libcoroprof, which is off before, see record/exercise.c. */
void library_begin(void);

/* True if the calling thread switches from user mode. */
bool library_in_user_mode(void);

#endif /* COROPROF_SELFTEST_LIBRARY_H */
