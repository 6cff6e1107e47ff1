/* SPDX-License-Identifier: GPL-2.0 */
/* Separate debug files: by build id, and by the debug link of an object file. */
#ifndef COROPROF_DEBUGFILE_H
#define COROPROF_DEBUGFILE_H

#include "symbols/elffile.h"

/**
 * struct debug_search - for the debug file of an object
 * @root:    below which files are looked for; "" for "/"
 * @object:  its path, there
 * @budget:  of what is read
 * @use:     is given each file found, until it returns true; then the file is its own
 * @context: for @use
 */
struct debug_search {
	const char *root;
	const char *object;
	struct budget *budget;
	bool (*use)(void *context, struct elf_file *file);
	void *context;
};

/* Calls @use with files that fit, until it takes one. True if it did. */
bool debug_file_by_build_id(const struct debug_search *search, const uint8_t *id, size_t len);
bool debug_file_by_link(const struct debug_search *search, Elf *elf);

#endif /* COROPROF_DEBUGFILE_H */
