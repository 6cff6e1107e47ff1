/* SPDX-License-Identifier: GPL-2.0 */
/* The function that a compiler has cut a symbol's code out of. */
#ifndef COROPROF_CLONE_H
#define COROPROF_CLONE_H

/*
 * Of what resumes a coroutine of C++20, as gcc or clang name it: the symbol of the
 * coroutine, as its source has it. To be freed. NULL if @symbol is of nothing such, or
 * without memory.
 */
char *clone_of(const char *symbol);

#endif /* COROPROF_CLONE_H */
