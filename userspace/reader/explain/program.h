/* SPDX-License-Identifier: GPL-2.0 */
/* What can be told about a command's executable by looking at it. */
#ifndef COROPROF_PROGRAM_H
#define COROPROF_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/**
 * struct program - an executable
 * @path:      where it was found, by PATH if its name has no slash
 * @setid:     set-user-id or set-group-id
 * @is_static: an ELF file that asks for no dynamic linker
 */
struct program {
	char path[PATH_MAX];
	bool setid;
	bool is_static;
};

/* False when it can't be found or read. */
bool program_look(struct program *program, const char *name);

#endif /* COROPROF_PROGRAM_H */
