// SPDX-License-Identifier: LGPL-2.1-or-later
/* Stores into data that may only be read once it is relocated. */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../runtime.h"
#include "store.h"

/* Of a slot, how its page may be used; -1 in an object that was not looked at yet. */
struct place {
	const void *slot;
	int protection;
};

static int protection_of(const ElfW(Phdr) *part)
{
	return (part->p_flags & PF_R ? PROT_READ : 0) | (part->p_flags & PF_W ? PROT_WRITE : 0) |
	       (part->p_flags & PF_X ? PROT_EXEC : 0);
}

/*
 * What may only be read once it is relocated is a part of what may be written. The dynamic linker
 * protects whole pages alone: in the last one, unless it is full, others may write.
 */
static bool is_closed(uintptr_t slot, uintptr_t base, const ElfW(Phdr) *part)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);

	return part->p_type == PT_GNU_RELRO &&
	       slot < ((base + part->p_vaddr + part->p_memsz) & -size);
}

static int find_part(struct dl_phdr_info *object, size_t size, void *data)
{
	struct place *place = data;
	uintptr_t offset = (uintptr_t)place->slot - object->dlpi_addr;
	bool closed = false;

	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];

		if (offset - part->p_vaddr >= part->p_memsz)
			continue;
		if (part->p_type == PT_LOAD)
			place->protection = protection_of(part);
		closed |= is_closed((uintptr_t)place->slot, object->dlpi_addr, part);
	}
	if (closed)
		place->protection = PROT_READ;
	return place->protection >= 0;
}

bool store(void **slot, void *value)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *page = (void *)((uintptr_t)slot & -size);
	struct place place = { slot, -1 };
	bool closed;

	if (!dl_iterate_phdr(find_part, &place))
		return false;
	closed = !(place.protection & PROT_WRITE);
	if (closed && mprotect(page, size, place.protection | PROT_WRITE))
		return false;
	__atomic_store_n(slot, value, __ATOMIC_RELEASE);
	if (closed)
		mprotect(page, size, place.protection);
	return true;
}
