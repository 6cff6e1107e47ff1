/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of Rust as symbol tables have them, in the older way of rustc, with a hash
 * (_ZN4core3ptr13drop_in_place...17h<hash>E), and in the newer, "v0" (_RNvCs1234_7mycrate3foo).
 */
#ifndef TOKIO_PATH_H
#define TOKIO_PATH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Of the older way, as the source has it: "core::ptr::drop_in_place<...>". False: not such a
 * name.
 */
bool path_of(const char *symbol, char *to, size_t room);

/*
 * The first of the types that a function in the newer way is for, @at being in its symbol where
 * these begin: "mycrate::foo::{{closure}}". False if that is not a name, or not known.
 */
bool path_of_type(const char *symbol, const char *at, char *to, size_t room);

#endif /* TOKIO_PATH_H */
