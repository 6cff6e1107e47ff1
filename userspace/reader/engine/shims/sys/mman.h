/* SPDX-License-Identifier: GPL-2.0 */
/* Linear memory never shrinks: none is given back. */
#ifndef ENGINE_SYS_MMAN_H
#define ENGINE_SYS_MMAN_H

#include <stddef.h>

#define MADV_DONTNEED	4

static inline int madvise(void *from, size_t size, int advice)
{
	(void)from, (void)size, (void)advice;
	return 0;
}

#endif /* ENGINE_SYS_MMAN_H */
