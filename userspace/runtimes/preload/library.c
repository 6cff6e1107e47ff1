// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Looks into what the program is made of: by the dynamic linker's list of names, and by ELF notes,
 * of which lib/constructor.c makes one, and Go one in each of its programs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "library.h"

bool library_is_shared(void)
{
	void *library = dlopen("libcoroprof.so.1", RTLD_LAZY | RTLD_NOLOAD);

	if (library)
		dlclose(library);
	return library;
}

static bool has_note(const char *at, const char *end, const char *owner, size_t align)
{
	const ElfW(Nhdr) *note;
	size_t left, name, description;

	for (; end - at >= (ptrdiff_t)sizeof(*note);
	     at += sizeof(*note) + name + description) {
		note = (const ElfW(Nhdr) *)at;
		left = (size_t)(end - at) - sizeof(*note);
		name = (note->n_namesz + align - 1) & -align;
		description = (note->n_descsz + align - 1) & -align;
		if (note->n_namesz > left || name + description > left + align)
			return false;
		if (note->n_namesz >= strlen(owner) + 1 && !strcmp((const char *)(note + 1), owner))
			return true;
	}
	return false;
}

/* A header may name what is not there: a tool has packed the file, or changed it. */
static bool is_readable(const struct dl_phdr_info *object, const ElfW(Phdr) *segment)
{
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *load = &object->dlpi_phdr[i];

		if (load->p_type == PT_LOAD && load->p_flags & PF_R &&
		    segment->p_vaddr >= load->p_vaddr && segment->p_filesz <= load->p_filesz &&
		    segment->p_vaddr - load->p_vaddr <= load->p_filesz - segment->p_filesz)
			return true;
	}
	return false;
}

/* Some linkers put notes of both alignments into one segment. */
static bool object_has_note(const struct dl_phdr_info *object, const char *owner)
{
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		const char *at = (const char *)object->dlpi_addr + segment->p_vaddr;
		const char *end = at + segment->p_filesz;

		if (segment->p_type == PT_NOTE && is_readable(object, segment) &&
		    (has_note(at, end, owner, 4) || has_note(at, end, owner, 8)))
			return true;
	}
	return false;
}

static int has_copy(struct dl_phdr_info *object, size_t size, void *unused)
{
	const char *name = strrchr(object->dlpi_name, '/');

	(void)size;
	(void)unused;
	name = name ? name + 1 : object->dlpi_name;
	return strncmp(name, "libcoroprof.so", strlen("libcoroprof.so")) &&
	       object_has_note(object, "coroprof");
}

bool library_is_copied(void)
{
	return dl_iterate_phdr(has_copy, NULL);
}

/* The first object is the program. */
static int is_of_go(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	return object_has_note(object, "Go") ? 1 : -1;
}

bool library_is_of_go(void)
{
	return dl_iterate_phdr(is_of_go, NULL) > 0;
}
