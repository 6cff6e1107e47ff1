/* SPDX-License-Identifier: GPL-2.0 */
/* Where a function of an object file is, by its name: the other way round than symbols.h. */
#ifndef COROPROF_FUNCTION_H
#define COROPROF_FUNCTION_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct code_location - an instruction
 * @address: as in the object's symbol table
 * @offset:  in its file
 * @size:    from there to the end of its function; 0: not known
 */
struct code_location {
	uint64_t address;
	uint64_t offset;
	uint64_t size;
};

/* Where in the file the instruction at an address is. False if it is in no code of it. */
bool function_find_offset(struct code_location *location, Elf *elf);

/* By the object's symbol tables, or that of Go. False if it has no such function in its file. */
bool function_find(struct code_location *location, Elf *elf, const char *name);

/*
 * The same of Rust, which gives symbols names of its own: @module and @name are as in both of
 * its ways, each part with its length in front, "5tokio7runtime" and "4poll".
 */
bool function_find_rust(struct code_location *location, Elf *elf, const char *module,
			const char *name);

/*
 * True if a symbol table has another entry into the function at most @by bytes behind @location:
 * functions in assembly may have such entries, which other files call, or to which pointers lead.
 */
bool function_has_entry(const struct code_location *location, Elf *elf, size_t by);

#endif /* COROPROF_FUNCTION_H */
