// SPDX-License-Identifier: LGPL-2.1-or-later
/* Begins the preload library in a program, and decides which adapters it has. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../runtime.h"
#include "../threads/threads.h"
#include "library.h"
#include "preload.h"

/* Of the copy of the library that is in here: see its constructor.c. */
void coroprof_init_(int early);

/* The process is made known with its first coroutine. */
const int coroprof_early __attribute__((visibility("hidden"))) = 0;

static const struct {
	const char *name;
	struct runtime *runtime;
} runtimes[] = {
#define RUNTIME_ENTRY(name) { #name, &name##_runtime },
	RUNTIMES(RUNTIME_ENTRY)
#undef RUNTIME_ENTRY
};

/* Whether a list of words, separated by commas, has this one. No list has all. */
static bool listed(const char *list, const char *word)
{
	size_t len = strlen(word);

	if (!list)
		return true;
	for (const char *at = list; (at = strstr(at, word)); at += len) {
		if ((at == list || at[-1] == ',') && (!at[len] || at[len] == ','))
			return true;
	}
	return false;
}

static void begin_all(bool off)
{
	const char *list = secure_getenv(RUNTIMES_ENV);

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		struct runtime *runtime = runtimes[i].runtime;
		void (*begin)(void);

		runtime->off = off || !listed(list, runtimes[i].name);
		begin = runtime->off ? runtime->begin_off : runtime->begin;
		if (begin)
			begin();
	}
}

static __attribute__((constructor)) void constructor(void)
{
	int saved = errno;
	bool off, copied, shared;

	coroprof_init_(coroprof_early);
	off = coroprof_status() == -ECANCELED;
	copied = !off && library_is_copied();
	shared = !off && library_is_shared();
	begin_all(off || copied || shared);
	if (!off && !copied)
		threads_begin(shared);
	errno = saved;
}

void *preload_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}
