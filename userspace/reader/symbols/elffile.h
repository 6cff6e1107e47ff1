/* SPDX-License-Identifier: GPL-2.0 */
/* What is read of object files, which may be anything. */
#ifndef COROPROF_ELFFILE_H
#define COROPROF_ELFFILE_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {
	int fd;
	Elf *elf;
};

/* False, with nothing to close, if it is not an ELF file. */
bool elf_file_open(struct elf_file *e, const char *path);
void elf_file_close(struct elf_file *e);

/* The first section of a type, and of a @name unless that is NULL. */
Elf_Scn *elf_file_section(Elf *elf, GElf_Word type, const char *name,
			  GElf_Shdr *header);

/* The length of the build id, 0 if there is none. */
size_t elf_file_build_id(Elf *elf, uint8_t *id, size_t room);

/* The name and checksum of the separate debug file, from .gnu_debuglink. */
bool elf_file_debuglink(Elf *elf, char *name, size_t room, uint32_t *crc);

/* Whether the whole file has this checksum. */
bool elf_file_has_crc(const struct elf_file *e, uint32_t crc);

#endif /* COROPROF_ELFFILE_H */
