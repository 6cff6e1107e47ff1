// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which function a loaded object means by a name: by its relocations and versions, as the dynamic
 * linker would bind it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scope.h"
#include "store.h"

/* Of an object: what it refers to, and in which versions. */
struct references {
	const ElfW(Sym) *symbols;
	const char *strings;
	const ElfW(Half) *versions;
	const ElfW(Verneed) *needed;
	const ElfW(Rela) *relocations[2];
	size_t bytes[2];
};

struct link_map *scope_object(const void *address)
{
	struct link_map *map;
	Dl_info info;

	return dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) ? map : NULL;
}

/* The linker has made addresses of some entries, and left others as they were. */
static const void *entry_address(const struct link_map *map, const ElfW(Dyn) *entry)
{
	ElfW(Addr) value = entry->d_un.d_ptr;

	return (const void *)(value < map->l_addr ? map->l_addr + value : value);
}

static void read_entry(struct references *of, const struct link_map *map, const ElfW(Dyn) *entry)
{
	const void *address = entry_address(map, entry);

	switch (entry->d_tag) {
	case DT_SYMTAB:
		of->symbols = address;
		break;
	case DT_STRTAB:
		of->strings = address;
		break;
	case DT_VERSYM:
		of->versions = address;
		break;
	case DT_VERNEED:
		of->needed = address;
		break;
	case DT_JMPREL:
		of->relocations[0] = address;
		break;
	case DT_PLTRELSZ:
		of->bytes[0] = entry->d_un.d_val;
		break;
	case DT_RELA:
		of->relocations[1] = address;
		break;
	case DT_RELASZ:
		of->bytes[1] = entry->d_un.d_val;
		break;
	}
}

static bool read_references(struct references *of, const struct link_map *map)
{
	*of = (struct references){ .symbols = NULL };
	for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++)
		read_entry(of, map, entry);
	return of->symbols && of->strings;
}

/* The first relocation by which an object refers to a name, or NULL. */
static const ElfW(Rela) *relocation_of(const struct references *of, const char *name)
{
	for (int i = 0; i < 2; i++) {
		const ElfW(Rela) *relocation = of->relocations[i];
		size_t count = relocation ? of->bytes[i] / sizeof(*relocation) : 0;

		for (; count; count--, relocation++) {
			uint32_t symbol = ELF64_R_SYM(relocation->r_info);

			if (symbol && !strcmp(of->strings + of->symbols[symbol].st_name, name))
				return relocation;
		}
	}
	return NULL;
}

static const char *version_name(const struct references *of, uint32_t version)
{
	const ElfW(Verneed) *file = of->needed;
	const ElfW(Vernaux) *one;

	while (file) {
		one = (const void *)((const char *)file + file->vn_aux);
		for (int i = 0; i < file->vn_cnt; i++) {
			if ((one->vna_other & 0x7fff) == version)
				return of->strings + one->vna_name;
			one = (const void *)((const char *)one + one->vna_next);
		}
		file = file->vn_next ? (const void *)((const char *)file + file->vn_next) : NULL;
	}
	return NULL;
}

/* The version of a name that an object asks for, or NULL: any. */
static const char *version_wanted(const struct link_map *map, const char *name)
{
	const ElfW(Rela) *relocation;
	struct references of;

	if (!map || !read_references(&of, map) || !of.versions)
		return NULL;
	relocation = relocation_of(&of, name);
	return relocation ?
	       version_name(&of, of.versions[ELF64_R_SYM(relocation->r_info)] & 0x7fff) : NULL;
}

/* Where an object keeps the address that it has of @name, or NULL. */
static void **slot_of(const struct link_map *map, const char *name)
{
	const ElfW(Rela) *relocation;
	struct references of;

	if (!read_references(&of, map))
		return NULL;
	relocation = relocation_of(&of, name);
	return relocation ? (void **)(map->l_addr + relocation->r_offset) : NULL;
}

bool scope_divert(const struct link_map *map, const char *name, void *by)
{
	void **slot = slot_of(map, name);

	return slot && store(slot, by);
}

static void *look_up(void *handle, const char *name, const char *version)
{
	void *function = version ? dlvsym(handle, name, version) : dlsym(handle, name);

	return function && scope_object(function) != scope_object((void *)scope_object) ?
	       function : NULL;
}

/* In what an object and those it needs have. If found, it stays for good. */
static void *look_up_in(const struct link_map *map, const char *name, const char *version)
{
	void *handle = dlopen(*map->l_name ? map->l_name : NULL, RTLD_LAZY | RTLD_NOLOAD);
	void *function = handle ? look_up(handle, name, version) : NULL;

	if (handle && !function)
		dlclose(handle);
	return function;
}

/*
 * In the order of the linker: what all objects see; what the caller and those it
 * needs have; and what those have that were loaded with it.
 */
static void *find(const struct link_map *caller, const char *name, const char *version)
{
	void *function = look_up(RTLD_NEXT, name, version);
	const struct link_map *map = caller;

	if (function || !caller)
		return function;
	function = look_up_in(caller, name, version);
	while (map->l_prev)
		map = map->l_prev;
	for (; map && !function; map = map->l_next)
		function = look_up_in(map, name, version);
	return function;
}

static void missing(const struct link_map *caller, const char *name)
{
	const char *program = program_invocation_name;

	fprintf(stderr, "%s: symbol lookup error: %s: undefined symbol: %s\n", program,
		caller && *caller->l_name ? caller->l_name : program, name);
	fflush(stderr);
	_exit(127);
}

void *scope_original(const char *name, const void *address)
{
	struct link_map *caller = scope_object(address);
	const char *version = version_wanted(caller, name);
	void *function = find(caller, name, version);

	/* Unlike the linker, dlvsym() does not take a symbol without a version for any. */
	if (!function && version)
		function = find(caller, name, NULL);
	if (!function)
		missing(caller, name);
	return function;
}

void *scope_sibling(const void *function, const char *name)
{
	struct link_map *map = scope_object(function);
	void *handle, *sibling = NULL;

	if (!map)
		return NULL;
	handle = dlopen(*map->l_name ? map->l_name : NULL, RTLD_LAZY | RTLD_NOLOAD);
	if (handle) {
		sibling = dlsym(handle, name);
		dlclose(handle);
	}
	return sibling && scope_object(sibling) == map ? sibling : NULL;
}
