/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads object files, in the process of symbols/jail.h alone: libelf, libdw and the demangler
 * were not made for files that somebody wrote to harm them. symbols.h is how others ask.
 */
#ifndef COROPROF_LOOKUP_H
#define COROPROF_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#include "symbols/lines.h"

struct lookup;

/* Begins to look up symbols below the directory @root, as symbols_new() does. */
struct lookup *lookup_new(const char *root);
void lookup_free(struct lookup *lookup);

/* The copy of the object file that is asked for next is at @path; empty: none was kept. */
void lookup_set_kept(struct lookup *lookup, const char *path);

const char *lookup_find(struct lookup *lookup, const char *object, const uint8_t *build_id,
			size_t build_id_len, uint64_t address, char **name);
const char *lookup_find_at(struct lookup *lookup, const char *object, const uint8_t *build_id,
			   size_t build_id_len, uint64_t offset, char **name);
/* Names are as the compiler has them, see lookup_readable(). */
unsigned int lookup_locations_at(struct lookup *lookup, const char *object, const uint8_t *build_id,
				 size_t build_id_len, uint64_t offset,
				 struct source_location locations[LINES_DEPTH]);
const char *lookup_lines_fault(const struct lookup *lookup);

/* The demangled name, which the caller frees; NULL without memory. */
char *lookup_readable(const char *name);

#endif /* COROPROF_LOOKUP_H */
