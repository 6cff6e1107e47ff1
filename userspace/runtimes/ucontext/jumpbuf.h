/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JUMPBUF_H
#define JUMPBUF_H

#include <stdint.h>

/*
 * The stack pointer in what setjmp() has filled in, of any kind of it; 0 if this C
 * library keeps it in some way that is not known.
 */
uintptr_t jumpbuf_sp(const void *env);
/* Before that: find out how the C library keeps it. */
void jumpbuf_init(void);

#endif /* JUMPBUF_H */
