/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a coroutine runs, where makecontext() gets no more than the function of
 * the library that all of its coroutines begin with.
 */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>

/* The function that the calling thread's next makecontext() is for, or @fn. */
void *name_taken(void *fn);
/* Whether it is the address of code of the program or of a library. */
bool name_is_code(const void *address);

#endif /* NAMES_H */
