/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the linker of Go leaves in every program, stripped or not: its version, and the table
 * of functions (.gopclntab) by which the runtime prints and unwinds stacks. Of Go 1.18 or
 * later, for a machine of 64 bits that is little endian.
 */
#ifndef COROPROF_GOTABLE_H
#define COROPROF_GOTABLE_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct go_table - the functions of a program
 * @bytes: the section; libelf's
 * @size:  of it
 * @nr:    how many functions
 * @text:  what their addresses count from
 * @names: where in @bytes their names are
 * @functions: where in @bytes they are
 */
struct go_table {
	const unsigned char *bytes;
	size_t size;
	uint64_t nr;
	uint64_t text;
	uint64_t names;
	uint64_t functions;
};

/*
 * Whether it is a program of Go; @minor: of its version, 24 of go1.24.4; 0 if that is not reported.
 */
bool go_version(Elf *elf, unsigned int *minor);

/* False if there is none that makes sense. */
bool go_table_open(struct go_table *table, Elf *elf);

/* The n-th function; false if it makes no sense. @name is not longer than the section. */
bool go_table_function(const struct go_table *table, uint64_t n, uint64_t *begin, uint64_t *end,
		       const char **name);

/**
 * struct go_marks - what the table says of a function besides
 * @kind:    the number that the linker has for functions of its kind, 0 for most
 * @inlined: the compiler has put code of other functions into it
 */
struct go_marks {
	unsigned int kind;
	bool inlined;
};

bool go_table_marks(const struct go_table *table, uint64_t n, struct go_marks *marks);

/* What begins at an address; NULL: no function does. */
const char *go_table_name(const struct go_table *table, uint64_t address);

/* Where in the runtime's description of a goroutine its start function is, by DWARF or else by
 * the version; 0 if neither says. */
uint64_t go_start_offset(Elf *elf, unsigned int minor);

#endif /* COROPROF_GOTABLE_H */
