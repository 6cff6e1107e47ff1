/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What distributions leave in stripped programs: a small ELF file with the symbols of their functions
 * alone, compressed by xz, in the section .gnu_debugdata.
 */
#ifndef COROPROF_MINIDEBUG_H
#define COROPROF_MINIDEBUG_H

#include <libelf.h>
#include <stdbool.h>

#include "symbols/budget.h"

/**
 * struct mini_debug - such a file
 * @elf:   it
 * @bytes: in which it is
 */
struct mini_debug {
	Elf *elf;
	char *bytes;
};

/* False, with nothing to close, if there is none that can be read. */
bool mini_debug_open(struct mini_debug *m, Elf *of, struct budget *budget);
void mini_debug_close(struct mini_debug *m);

#endif /* COROPROF_MINIDEBUG_H */
