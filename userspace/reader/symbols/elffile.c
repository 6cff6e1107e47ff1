// SPDX-License-Identifier: GPL-2.0
/*
 * Opens an ELF file with libelf after its headers were checked, and reads build id, debug link and
 * strings with bounds.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "symbols/elffile.h"
#include "symbols/regular.h"

void elf_file_close(struct elf_file *e)
{
	elf_end(e->elf);
	if (e->fd >= 0)
		close(e->fd);
	*e = (struct elf_file){ .fd = -1 };
}

union header {
	unsigned char ident[EI_NIDENT];
	Elf32_Ehdr of32;
	Elf64_Ehdr of64;
};

/*
 * libelf allocates memory for all sections at once. Files by compilers and linkers have few enough
 * that their number is in the header; a number stored elsewhere may be anything.
 */
static bool has_few_sections(const union header *header)
{
	if (header->ident[EI_CLASS] == ELFCLASS64)
		return (header->of64.e_shnum || !header->of64.e_shoff) &&
		       header->of64.e_phnum != PN_XNUM;
	return (header->of32.e_shnum || !header->of32.e_shoff) &&
	       header->of32.e_phnum != PN_XNUM;
}

Elf *elf_file_begin(int fd)
{
	union header header = { 0 };

	if (pread(fd, &header, sizeof(header), 0) < (ssize_t)sizeof(header.of32) ||
	    !has_few_sections(&header))
		return NULL;
	return elf_begin(fd, ELF_C_READ, NULL);
}

Elf *elf_file_memory(char *bytes, size_t size)
{
	union header header = { 0 };
	Elf *elf;

	if (size < sizeof(header))
		return NULL;
	memcpy(&header, bytes, sizeof(header));
	elf = has_few_sections(&header) ? elf_memory(bytes, size) : NULL;
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

/* A path in a recording may be of a pipe or a device: these are not opened. */
bool elf_file_open(struct elf_file *e, const char *path)
{
	*e = (struct elf_file){ .fd = regular_open(path) };
	if (e->fd >= 0)
		e->elf = elf_file_begin(e->fd);
	if (e->elf && elf_kind(e->elf) == ELF_K_ELF)
		return true;
	elf_file_close(e);
	return false;
}

uint64_t elf_file_strings(Elf *elf, size_t section, uint64_t most)
{
	GElf_Shdr header;

	if (!gelf_getshdr(elf_getscn(elf, section), &header) ||
	    header.sh_flags & SHF_COMPRESSED || header.sh_size > most)
		return 0;
	return header.sh_size;
}

Elf_Scn *elf_file_section(Elf *elf, GElf_Word type, const char *name,
			  GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) ||
	    !elf_file_strings(elf, names, BUDGET_NOTES))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *its;

		if (!gelf_getshdr(section, header) || header->sh_type != type)
			continue;
		its = elf_strptr(elf, names, header->sh_name);
		if (!name || (its && !strcmp(its, name)))
			return section;
	}
	return NULL;
}

static bool is_build_id(const Elf_Data *data, const GElf_Nhdr *note,
			size_t name)
{
	return note->n_type == NT_GNU_BUILD_ID &&
	       note->n_namesz == sizeof("GNU") &&
	       !memcmp((char *)data->d_buf + name, "GNU", sizeof("GNU"));
}

size_t elf_file_build_id(Elf *elf, uint8_t *id, size_t capacity)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		size_t at = 0, name, desc;
		GElf_Nhdr note;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE ||
		    header.sh_size > BUDGET_NOTES)
			continue;
		data = elf_getdata(section, NULL);
		while (data && (at = gelf_getnote(data, at, &note, &name, &desc)))
			if (is_build_id(data, &note, name) &&
			    note.n_descsz <= capacity) {
				memcpy(id, (char *)data->d_buf + desc,
				       note.n_descsz);
				return note.n_descsz;
			}
	}
	return 0;
}

bool elf_file_debuglink(Elf *elf, char *name, size_t capacity, uint32_t *crc)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_file_section(elf, SHT_PROGBITS, ".gnu_debuglink",
					&header);
	Elf_Data *data = section && header.sh_size <= BUDGET_NOTES ?
			 elf_getdata(section, NULL) : NULL;
	size_t len, at;

	if (!data || !data->d_buf)
		return false;
	len = strnlen(data->d_buf, data->d_size);
	at = (len + 4) & ~(size_t)3;
	if (len >= capacity || at + sizeof(*crc) > data->d_size ||
	    memchr(data->d_buf, '/', len))
		return false;
	memcpy(name, data->d_buf, len);
	name[len] = '\0';
	memcpy(crc, (char *)data->d_buf + at, sizeof(*crc));
	return true;
}

bool elf_file_notes_are_small(Elf *elf)
{
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_NOTE &&
		    header.p_filesz > BUDGET_NOTES)
			return false;
	}
	return true;
}

/*
 * A sparse file has the size that it names, without taking room, so its size is charged to the
 * budget first.
 */
bool elf_file_has_crc(const struct elf_file *e, uint32_t want, struct budget *budget)
{
	unsigned char bytes[65536];
	uint64_t begin = budget_begin();
	uLong crc = 0;
	struct stat st;
	off_t at = 0;
	ssize_t n;

	if (fstat(e->fd, &st) || !budget_read(budget, (uint64_t)st.st_size))
		return false;
	while (at < st.st_size && budget_time(budget, &begin) &&
	       (n = pread(e->fd, bytes, sizeof(bytes), at)) > 0) {
		crc = crc32(crc, bytes, (uInt)n);
		at += n;
	}
	return at == st.st_size && crc == want;
}
