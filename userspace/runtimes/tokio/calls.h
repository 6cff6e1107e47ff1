/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds calls in machine code. */
#ifndef TOKIO_CALLS_H
#define TOKIO_CALLS_H

#include "symbols.h"

/*
 * The first place from *@at on, in code that ends at @end, that may be a call of, or a jump
 * to, another function, which is returned; *@at is behind it then. 0: there is none.
 */
uintptr_t calls_next(const struct symbols *symbols, const uint8_t **at, const uint8_t *end);

#endif /* TOKIO_CALLS_H */
