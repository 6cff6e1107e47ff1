/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The program's own functions, by its symbol table: the dynamic linker knows few of them. */
#ifndef TOKIO_SYMBOLS_H
#define TOKIO_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uintptr_t address;
	size_t size;
	const char *name;
};

/**
 * struct symbols - functions, sorted by address; several may have one address
 * @base:      where the program is loaded, less where its file says it is
 * @relro:     what the dynamic linker fills in (PT_GNU_RELRO), with addresses to call
 * @relro_end: of that
 * @code:      what may be run of it, and read
 * @code_end:  of that
 * @file:      the file, in memory: the names are in there
 * @file_size: of that
 */
struct symbols {
	struct symbol *all;
	size_t nr;
	uintptr_t base, relro, relro_end, code, code_end;
	void *file;
	size_t file_size;
};

/* False, with nothing to close: the program can't be read. */
bool symbols_open(struct symbols *symbols);

/*
 * What the program has that is loaded, and neither code nor changed: each time another section of
 * its file, *@i being 0 at first. NULL: there is no more.
 */
const char *symbols_constants(const struct symbols *symbols, size_t *i, size_t *size);

/* False unless the program has a symbol table in which there is @text. */
bool symbols_read(struct symbols *symbols, const char *text);

/* As its size may be wrong: all of it is code that may be read. */
bool symbol_is_code(const struct symbols *symbols, const struct symbol *symbol);

void symbols_close(struct symbols *symbols);

/* The first of those that begin at an address, the last being before *@end; NULL: none does. */
const struct symbol *symbols_at(const struct symbols *symbols, uintptr_t address,
				const struct symbol **end);

#endif /* TOKIO_SYMBOLS_H */
