/* SPDX-License-Identifier: GPL-2.0 */
/* What can be reported about an executable by looking at it. */
#ifndef COROPROF_PROGRAM_H
#define COROPROF_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

#include "explain/runtime.h"

/**
 * struct program - an executable
 * @privileged: it runs with rights that its caller does not have: set-user-id,
 *              set-group-id, or with file capabilities
 * @is_static:  an ELF file that asks for no dynamic linker
 * @is_musl:    it asks for that of the musl libc
 * @runtime:    linked into it, or else needed by it, or else known by its name;
 *              NULL for none
 * @shows:      the file that shows this: the executable, or the name of the
 *              library that it needs
 * @script:     the line after its "#!", "" if it is no script
 */
struct program {
	bool privileged;
	bool is_static;
	bool is_musl;
	bool has_asan;
	const struct runtime *runtime;
	char shows[256];
	char script[256];
};

/* Finds the file that a shell would run for @name. False if there is none. */
bool program_find(char path[PATH_MAX], const char *name);

/*
 * Looks at the file @path; its name is that of @called. False when it can't be
 * read, or is no regular file.
 */
bool program_look(struct program *program, const char *path, const char *called);

#endif /* COROPROF_PROGRAM_H */
