/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the program is made of. One that has libcoroprof itself knows its coroutines better than
 * adapters, which leave it alone.
 */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdbool.h>

/* libcoroprof as a shared library: calls of the program get to the copy in the preload library. */
bool library_is_shared(void);

/*
 * libcoroprof linked statically into the program, or into a library of the program's: calls go past
 * the copy in the preload library. If both reported a thread, the kernel would refuse the second.
 */
bool library_is_copied(void);

/* A program of Go. */
bool library_is_of_go(void);

#endif /* LIBRARY_H */
