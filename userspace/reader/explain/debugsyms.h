/* SPDX-License-Identifier: GPL-2.0 */
/* Where the debug symbols of an object file are to be had. */
#ifndef COROPROF_DEBUGSYMS_H
#define COROPROF_DEBUGSYMS_H

#include <stddef.h>

/* The program of Debian that knows which package has installed a file. */
#define DEBUGSYMS_QUERY	"dpkg-query"

/*
 * Writes how to get debug symbols: of the package with @object, if the program @query knows one;
 * else of any file.
 */
void debugsyms_report(const char *query, const char *object, char *text, size_t capacity);

#endif /* COROPROF_DEBUGSYMS_H */
