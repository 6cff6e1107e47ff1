/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the compiler of Go makes of "go f(x)": a function without arguments, main.main.gowrap1 or,
 * before 1.22, main.main.func1, which calls f.
 */
#ifndef COROPROF_GOWRAP_H
#define COROPROF_GOWRAP_H

#include <libelf.h>

#include "symbols/gotable.h"

/* The mark of such functions in the table, whose number differs between versions; 0: not known. */
unsigned int go_wrapper_mark(const struct go_table *table);

/*
 * What the n-th function calls, if it has that mark; NULL: it has not, or what that is can't be seen:
 * it calls what a variable says, or has code of other functions in it.
 */
const char *go_wrapped(const struct go_table *table, Elf *elf, unsigned int mark, uint64_t n);

#endif /* COROPROF_GOWRAP_H */
