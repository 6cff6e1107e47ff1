/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Source lines of code, and the functions that a compiler has put into others, of an
 * object file that has debug information. It is read by libdw, and nothing is fetched
 * from anywhere: of what another file has (.dwo), only what this one says is known.
 */
#ifndef COROPROF_LINES_H
#define COROPROF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elffile.h"

/* Of functions that are further in than that, only the outer ones are reported. */
#define LINES_DEPTH	64

/**
 * struct source_location - a function, and where in it code is
 * @name:      as the compiler named it; NULL: the symbol says it
 * @inlined:   it is in the one before, which called it in the source
 * @file:      path; NULL: not known
 * @line:      in @file; 0: not known
 * @from_file: where the function itself begins, likewise
 * @from_line: see there
 */
struct source_location {
	const char *name;
	bool inlined;
	const char *file;
	uint32_t line;
	const char *from_file;
	uint32_t from_line;
};

struct lines;

/* True if the file has debug information that is no larger than may be read. */
bool lines_are_in(Elf *elf, struct budget *budget);

/*
 * Takes the file, also if it fails; @alt, if there is one, is what dwz took out of it and
 * others. NULL if it makes no sense.
 */
struct lines *lines_open(struct elf_file *file, struct elf_file *alt, struct budget *budget);
void lines_close(struct lines *lines);

/*
 * The build id of the alternate file that dwz made; returns its length, 0 if the file needs none.
 */
size_t lines_alt_build_id(Elf *elf, uint8_t *id, size_t capacity);

/*
 * The functions that the code at @address is of, the outermost first; how many. 0: nothing
 * is known of it. Texts are of @lines.
 */
unsigned int lines_find(struct lines *lines, uint64_t address,
			struct source_location locations[LINES_DEPTH]);

#endif /* COROPROF_LINES_H */
