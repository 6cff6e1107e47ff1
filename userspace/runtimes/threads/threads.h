/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records threads without coroutines, for coroprof record --threads. */
#ifndef THREADS_H
#define THREADS_H

#include <stdbool.h>

/*
 * Records the thread that loads the library, and those that begin later, if the environment says so.
 * @program_reports: the program has libcoroprof, and reports its coroutines by itself.
 */
void threads_begin(bool program_reports);

#endif /* THREADS_H */
