// SPDX-License-Identifier: LGPL-2.1-or-later
/* Functions by which libraries begin coroutines: their argument that says what these run. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>

#include "../runtime.h"
#include "../preload/preload.h"
#include "names.h"

typedef uintptr_t word;

/* All that registers hold. */
#define PARAMETERS word a, word b, word c, word d, word e, word f

typedef word named_fn(PARAMETERS);

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

static bool is_ours(const void *function)
{
	Dl_info its, our;

	return dladdr(function, &its) && dladdr((const void *)is_ours, &our) &&
	       its.dli_fbase == our.dli_fbase;
}

/* What an object, or one that it needs, has by that name, other than our own. */
static void *found_by(const char *object, const char *name)
{
	void *handle = dlopen(object, RTLD_LAZY | RTLD_NOLOAD), *function;

	if (!handle)
		return NULL;
	function = dlsym(handle, name);
	dlclose(handle);
	return function && !is_ours(function) ? function : NULL;
}

/*
 * An object that is opened for itself, as plugins are, may have a function of that
 * name that no other can see. Where the caller is a jump, the return address is not
 * in the object; then it is the first that has one.
 */
static void *found_apart(const void *caller, const char *name)
{
	const struct link_map *map = NULL;
	void *function = NULL;
	Dl_info info;

	if (!dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP))
		return NULL;
	if (*map->l_name)
		function = found_by(map->l_name, name);
	while (map->l_prev)
		map = map->l_prev;
	for (; map && !function; map = map->l_next)
		function = *map->l_name ? found_by(map->l_name, name) : NULL;
	return function;
}

static named_fn *next(const void *caller, const char *name)
{
	void *function = preload_next(name);
	int saved = errno;

	if (!function)
		function = found_apart(caller, name);
	if (!function)
		abort();
	errno = saved;
	return (named_fn *)function;
}

/* Another library's function of that name may have other arguments: all get there. */
static word announce(const void *fn, const void *caller, const char *name, PARAMETERS)
{
	word ret;

	announced = (void *)fn;
	ret = next(caller, name)(a, b, c, d, e, f);
	announced = NULL;
	return ret;
}

/* GNU Pth: pth_spawn(attributes, fn, argument) */
EXPORT word pth_spawn(PARAMETERS)
{
	return announce((void *)b, __builtin_return_address(0), "pth_spawn", a, b, c, d, e, f);
}

/* The Portable Coroutine Library: co_create(fn, data, stack, size) */
EXPORT word co_create(PARAMETERS)
{
	return announce((void *)a, __builtin_return_address(0), "co_create", a, b, c, d, e, f);
}
