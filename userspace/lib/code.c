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

#define KNOWN_SHIFT 8

/**
 * struct place - where code is
 * @address:  of the code
 * @bias:     of the object that it is in
 * @object:   the object's name; NULL for none
 * @unloaded: how many objects have been unloaded: only then an address may become another's
 * @label:    known for it; else 0
 */
struct place {
	uintptr_t address;
	uintptr_t bias;
	const char *object;
	unsigned long long unloaded;
	uint32_t label;
};

/*
 * Labels that were looked up: a program makes many coroutines of one function. One writer at a
 * time; a reader takes what it finds if @address is the same before and after.
 */
static struct known {
	uintptr_t address;
	unsigned long long unloaded;
	uint32_t label;
} known[1 << KNOWN_SHIFT];
static bool known_taken;

static struct known *known_of(uintptr_t address)
{
	return &known[address * 0x9e3779b97f4a7c15ULL >> (64 - KNOWN_SHIFT)];
}

static uint32_t recall(const struct place *place)
{
	const struct known *at = known_of(place->address);
	unsigned long long unloaded;
	uint32_t label;

	if (__atomic_load_n(&at->address, __ATOMIC_ACQUIRE) != place->address)
		return 0;
	label = __atomic_load_n(&at->label, __ATOMIC_RELAXED);
	unloaded = __atomic_load_n(&at->unloaded, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return unloaded == place->unloaded &&
	       __atomic_load_n(&at->address, __ATOMIC_RELAXED) == place->address ? label : 0;
}

/* Unless another thread, or what a signal handler has interrupted, is at it. */
static void remember(const struct place *place, uint32_t label)
{
	struct known *at = known_of(place->address);

	if (__atomic_exchange_n(&known_taken, true, __ATOMIC_ACQUIRE))
		return;
	__atomic_store_n(&at->address, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&at->unloaded, place->unloaded, __ATOMIC_RELAXED);
	__atomic_store_n(&at->label, label, __ATOMIC_RELAXED);
	__atomic_store_n(&at->address, place->address, __ATOMIC_RELEASE);
	__atomic_store_n(&known_taken, false, __ATOMIC_RELEASE);
}

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
	if (place->unloaded != info->dlpi_subs) {
		place->unloaded = info->dlpi_subs;
		place->label = recall(place);
	}
	if (place->label)
		return 1;
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
	static bool read;
	const char *started;
	ssize_t n;

	if (__atomic_load_n(&read, __ATOMIC_ACQUIRE))
		return path;
	started = (const char *)getauxval(AT_EXECFN);
	coroprof_lock();
	if (!read) {
		n = readlink("/proc/self/exe", path, sizeof(path) - 1);
		path[n < 0 ? 0 : n] = '\0';
		/* Without /proc, as in a chroot. */
		if (n < 0 && started && *started == '/' && strlen(started) < sizeof(path))
			strcpy(path, started);
		__atomic_store_n(&read, true, __ATOMIC_RELEASE);
	}
	coroprof_unlock();
	return path;
}

/* Code that is in no object, or in one whose name is too long to be reported. */
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
	struct place place = { .address = (uintptr_t)address, .unloaded = ~0ULL };
	int saved = errno;
	uint32_t label;
	size_t len;

	dl_iterate_phdr(visit, &place);
	if (place.label)
		return place.label;
	if (place.object && !*place.object)
		place.object = own_path();
	len = place.object ? strlen(place.object) : 0;
	if (!len || len > COROPROF_LABEL_TEXT_MAX)
		label = label_bare(&place);
	else
		label = coroprof_label_intern(COROPROF_LABEL_CODE, place.object, len,
					      place.address - place.bias);
	if (place.object)
		remember(&place, label);
	errno = saved;
	return label;
}
