// SPDX-License-Identifier: LGPL-2.1-or-later
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>

#include "../../lib/internal.h"
#include "preload.h"

bool preload_off;

/* The process is made known with its first coroutine. */
const int coroprof_early = 0;

/*
 * A program that has libcoroprof itself knows its coroutines better. Its calls
 * get to our copy, which comes first.
 */
static bool program_has_library(void)
{
	void *library = dlopen("libcoroprof.so.1", RTLD_LAZY | RTLD_NOLOAD);

	if (library)
		dlclose(library);
	return library;
}

static __attribute__((constructor)) void constructor(void)
{
	int saved = errno;

	coroprof_init_(coroprof_early);
	preload_off = coroprof_status() == -ECANCELED || program_has_library();
	errno = saved;
}

void *preload_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}
