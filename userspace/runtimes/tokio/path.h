/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of Rust as symbol tables have them, in the way that rustc has written them so far
 * (_ZN4core3ptr13drop_in_place...17h<hash>E).
 */
#ifndef TOKIO_PATH_H
#define TOKIO_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* As the source has it, without the hash: "core::ptr::drop_in_place<...>". False: not such a name. */
bool path_of(const char *symbol, char *to, size_t room);

#endif /* TOKIO_PATH_H */
