// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "symbols/elffile.h"

void elf_file_close(struct elf_file *e)
{
	elf_end(e->elf);
	if (e->fd >= 0)
		close(e->fd);
	*e = (struct elf_file){ .fd = -1 };
}

/* A path from a recording may name a pipe or a device: those are left alone. */
bool elf_file_open(struct elf_file *e, const char *path)
{
	struct stat st;

	*e = (struct elf_file){ .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	if (e->fd >= 0 && !fstat(e->fd, &st) && S_ISREG(st.st_mode))
		e->elf = elf_begin(e->fd, ELF_C_READ, NULL);
	if (e->elf && elf_kind(e->elf) == ELF_K_ELF)
		return true;
	elf_file_close(e);
	return false;
}

Elf_Scn *elf_file_section(Elf *elf, GElf_Word type, const char *name,
			  GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
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

size_t elf_file_build_id(Elf *elf, uint8_t *id, size_t room)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		size_t at = 0, name, desc;
		GElf_Nhdr note;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(section, NULL);
		while (data && (at = gelf_getnote(data, at, &note, &name, &desc)))
			if (is_build_id(data, &note, name) &&
			    note.n_descsz <= room) {
				memcpy(id, (char *)data->d_buf + desc,
				       note.n_descsz);
				return note.n_descsz;
			}
	}
	return 0;
}

bool elf_file_debuglink(Elf *elf, char *name, size_t room, uint32_t *crc)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_file_section(elf, SHT_PROGBITS, ".gnu_debuglink",
					&header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	size_t len, at;

	if (!data || !data->d_buf)
		return false;
	len = strnlen(data->d_buf, data->d_size);
	at = (len + 4) & ~(size_t)3;
	if (len >= room || at + sizeof(*crc) > data->d_size ||
	    memchr(data->d_buf, '/', len))
		return false;
	memcpy(name, data->d_buf, len);
	name[len] = '\0';
	memcpy(crc, (char *)data->d_buf + at, sizeof(*crc));
	return true;
}

bool elf_file_has_crc(const struct elf_file *e, uint32_t want)
{
	unsigned char bytes[65536];
	uLong crc = 0;
	off_t at = 0;
	ssize_t n;

	while ((n = pread(e->fd, bytes, sizeof(bytes), at)) > 0) {
		crc = crc32(crc, bytes, (uInt)n);
		at += n;
	}
	return n == 0 && crc == want;
}
