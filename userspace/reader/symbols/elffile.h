/* SPDX-License-Identifier: GPL-2.0 */
/* What is read of object files, which may be anything. */
#ifndef COROPROF_ELFFILE_H
#define COROPROF_ELFFILE_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/budget.h"

struct elf_file {
	int fd;
	Elf *elf;
};

/* Reads, and does not map: a file that is cut meanwhile must not kill us. NULL if it will not. */
Elf *elf_file_begin(int fd);

/* The same of bytes, which stay with the caller; NULL if that is no ELF file. */
Elf *elf_file_memory(char *bytes, size_t size);

/* False, with nothing to close, if it is not an ELF file. */
bool elf_file_open(struct elf_file *e, const char *path);
void elf_file_close(struct elf_file *e);

/* The first section of a type, and of a @name unless that is NULL. */
Elf_Scn *elf_file_section(Elf *elf, GElf_Word type, const char *name,
			  GElf_Shdr *header);

/* Bytes of a section that elf_strptr() would read as a whole; 0 if these are more than @most. */
uint64_t elf_file_strings(Elf *elf, size_t section, uint64_t most);

/* True if the notes with which the file is loaded are small: libdw reads each as a whole. */
bool elf_file_notes_are_small(Elf *elf);

/* The length of the build id, 0 if there is none. */
size_t elf_file_build_id(Elf *elf, uint8_t *id, size_t capacity);

/* The name and checksum of the separate debug file, from .gnu_debuglink. */
bool elf_file_debuglink(Elf *elf, char *name, size_t capacity, uint32_t *crc);

/*
 * True if the whole file has this checksum. False also if the budget does not suffice to read it.
 */
bool elf_file_has_crc(const struct elf_file *e, uint32_t crc, struct budget *budget);

#endif /* COROPROF_ELFFILE_H */
