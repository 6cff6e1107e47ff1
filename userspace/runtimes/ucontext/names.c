// SPDX-License-Identifier: LGPL-2.1-or-later
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>

#include "../../lib/internal.h"
#include "../preload/preload.h"
#include "names.h"

typedef void *pth_spawn_fn(void *attributes, void *(*fn)(void *), void *argument);
typedef void *co_create_fn(void *fn, void *data, void *stack, long size);

static __thread void *announced;

static int holds_code(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t address = (uintptr_t)data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_LOAD && part->p_flags & PF_X &&
		    address - info->dlpi_addr - part->p_vaddr < part->p_memsz)
			return 1;
	}
	return 0;
}

bool name_is_code(const void *address)
{
	return dl_iterate_phdr(holds_code, (void *)address);
}

/* Another library's function of the same name may have other arguments. */
void *name_taken(void *fn)
{
	void *taken = announced;

	announced = NULL;
	return taken && name_is_code(taken) ? taken : fn;
}

static void *next(const char *name)
{
	void *function = preload_next(name);

	if (!function)
		abort();
	return function;
}

/* GNU Pth */
EXPORT void *pth_spawn(void *attributes, void *(*fn)(void *), void *argument)
{
	void *thread;

	announced = (void *)fn;
	thread = ((pth_spawn_fn *)next("pth_spawn"))(attributes, fn, argument);
	announced = NULL;
	return thread;
}

/* The Portable Coroutine Library */
EXPORT void *co_create(void *fn, void *data, void *stack, long size)
{
	void *coroutine;

	announced = fn;
	coroutine = ((co_create_fn *)next("co_create"))(fn, data, stack, size);
	announced = NULL;
	return coroutine;
}
