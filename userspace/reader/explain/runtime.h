/* SPDX-License-Identifier: GPL-2.0 */
/* Runtimes with coroutines that the preload library can't see, or only once they run. */
#ifndef COROPROF_RUNTIME_H
#define COROPROF_RUNTIME_H

#include <libelf.h>
#include <stdbool.h>

/**
 * struct runtime - how one is known, and what can be done about it
 * @name:    as people call it
 * @file:    the beginning of the name of a file that is mapped where it runs
 * @program: the name of its executable, before a version
 * @text:    in the executable that has it linked in
 * @section: of such an executable
 * @seen:    what the preload library can see of it
 * @way:     what can be done
 * @python:  it runs in Python
 * @weak:    most of its programs have no coroutines: only for want of a better
 *           explanation
 *
 * @file, @program, @text and @section are NULL where they say nothing.
 */
struct runtime {
	const char *name;
	const char *file;
	const char *program;
	const char *text;
	const char *section;
	const char *seen;
	const char *way;
	bool python;
	bool weak;
};

/* Each returns NULL for none. A file is known by its name, with or without a folder. */
const struct runtime *runtime_of_file(const char *path);
const struct runtime *runtime_of_program(const char *path);

/* The runtime that an executable has linked in, by texts in it. */
const struct runtime *runtime_of_elf(Elf *elf);

/* The lower, the more the runtime explains. */
unsigned int runtime_rank(const struct runtime *runtime);

#endif /* COROPROF_RUNTIME_H */
