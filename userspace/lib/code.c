// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Labels for code addresses. Little stack is used: the caller may be a
 * coroutine with little of it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "internal.h"

struct place {
	uintptr_t address;
	uintptr_t bias;
	const char *object;
};

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
	uintptr_t begin;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_type == PT_LOAD && address >= begin &&
		    address - begin < info->dlpi_phdr[i].p_memsz)
			return true;
	}
	return false;
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	struct place *place = data;

	(void)size;
	if (!holds(info, place->address))
		return 0;
	place->bias = info->dlpi_addr;
	place->object = info->dlpi_name;
	return 1;
}

/* The main program has no name there. It keeps the one it was started by. */
static const char *own_path(void)
{
	static char path[COROPROF_LABEL_TEXT_MAX + 2];
	static bool known;
	const char *started = (const char *)getauxval(AT_EXECFN);
	ssize_t n;

	if (__atomic_load_n(&known, __ATOMIC_ACQUIRE))
		return path;
	coroprof_lock();
	if (!known) {
		n = readlink("/proc/self/exe", path, sizeof(path) - 1);
		path[n < 0 ? 0 : n] = '\0';
		/* Without /proc, as in a chroot. */
		if (n < 0 && started && *started == '/' && strlen(started) < sizeof(path))
			strcpy(path, started);
		__atomic_store_n(&known, true, __ATOMIC_RELEASE);
	}
	coroprof_unlock();
	return path;
}

/* Code that is in no object, or in one whose name is too long to be told. */
static uint32_t label_bare(const struct place *place)
{
	const char *name = place->object ? strrchr(place->object, '/') : NULL;
	char text[64];

	snprintf(text, sizeof(text), "%.40s+0x%lx", name ? name + 1 : "(code)",
		 (unsigned long)(place->address - place->bias));
	return coroprof_label(text);
}

EXPORT uint32_t coroprof_label_code(const void *address)
{
	struct place place = { .address = (uintptr_t)address };
	int saved = errno;
	uint32_t label;
	size_t len;

	dl_iterate_phdr(visit, &place);
	if (place.object && !*place.object)
		place.object = own_path();
	len = place.object ? strlen(place.object) : 0;
	if (!len || len > COROPROF_LABEL_TEXT_MAX)
		label = label_bare(&place);
	else
		label = coroprof_label_intern(COROPROF_LABEL_CODE, place.object, len,
					      place.address - place.bias);
	errno = saved;
	return label;
}
