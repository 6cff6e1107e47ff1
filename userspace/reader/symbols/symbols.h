/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of functions from the symbol tables of object files: the object's own,
 * or that of the separate debug file its build id or debug link names. Nothing
 * is fetched from anywhere.
 */
#ifndef COROPROF_SYMBOLS_H
#define COROPROF_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbols;

/* Objects are looked for below @root; NULL for "/". NULL when out of memory. */
struct symbols *symbols_new(const char *root);
void symbols_free(struct symbols *symbols);

/*
 * The name of the function that has @address, demangled, in *name: the caller
 * frees it. Returns NULL, or why there is none (a constant text): then *name is
 * NULL. With a @build_id the object must have the same.
 */
const char *symbols_find(struct symbols *symbols, const char *object,
			 const uint8_t *build_id, size_t build_id_len,
			 uint64_t address, char **name);

/* Likewise, for a place in the object file: what a mapping of it is in. */
const char *symbols_find_at(struct symbols *symbols, const char *object,
			    const uint8_t *build_id, size_t build_id_len,
			    uint64_t offset, char **name);

#endif /* COROPROF_SYMBOLS_H */
