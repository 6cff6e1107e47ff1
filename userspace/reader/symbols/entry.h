/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions by which a library begins all coroutines of a program, each one a
 * template made for what the program gave: what that was.
 */
#ifndef COROPROF_ENTRY_H
#define COROPROF_ENTRY_H

#include <stddef.h>

/*
 * The part of a demangled name, @len bytes long, that names the program's own function; or the
 * whole name.
 */
const char *entry_function(const char *name, size_t *len);

#endif /* COROPROF_ENTRY_H */
