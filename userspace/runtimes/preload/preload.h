/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The preload library: it stands between a program and the functions by which
 * its runtime switches coroutines, and reports that to libcoroprof, a copy of which it
 * contains. A program of any other kind is left alone.
 */
#ifndef PRELOAD_H
#define PRELOAD_H

#include <stdlib.h>

/* The function of that name that the program would have got without us. */
void *preload_next(const char *name);

/* The same, looked for once and kept in *kept. A program that has none does not get here. */
static inline void *preload_kept(void **kept, const char *name)
{
	void *function = __atomic_load_n(kept, __ATOMIC_RELAXED);

	if (__builtin_expect(!function, 0)) {
		function = preload_next(name);
		if (!function)
			abort();
		__atomic_store_n(kept, function, __ATOMIC_RELAXED);
	}
	return function;
}

#endif /* PRELOAD_H */
