/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ENGINE_STDLIB_H
#define ENGINE_STDLIB_H

#include_next <stdlib.h>

void qsort_r(void *rows, size_t nr, size_t size,
	     int (*compare)(const void *x, const void *y, void *context), void *context);

#endif /* ENGINE_STDLIB_H */
