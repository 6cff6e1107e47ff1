/* SPDX-License-Identifier: GPL-2.0 */
/* The function that a compiler has cut a symbol's code out of. */
#ifndef COROPROF_CLONE_H
#define COROPROF_CLONE_H

/*
 * The symbol of a C++20 coroutine, as in its source, from that of the function by which gcc or
 * clang resume it. The caller frees it. NULL if @symbol is no such function, or without memory.
 */
char *clone_of(const char *symbol);

/*
 * The name of one as a person can read it, in place: arguments of templates that are long become
 * <...>, but for the function's own. A timer of Asio has hundreds of characters of them.
 */
void clone_shorten(char *name);

#endif /* COROPROF_CLONE_H */
