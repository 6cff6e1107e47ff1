/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a program would have got by a name without us. A hook passes each call
 * on to that, and never answers in its place.
 */
#ifndef SCOPE_H
#define SCOPE_H

#include <link.h>
#include <stdbool.h>

/* The object that an address is in, or NULL. */
struct link_map *scope_object(const void *address);

/*
 * What code at @caller means by @name, in the version its object asks for. If
 * there is none, ends the process as the dynamic linker does.
 */
void *scope_original(const char *name, const void *caller);

/* What the object that has @function has by that name itself, or NULL. */
void *scope_sibling(const void *function, const char *name);

/* That object alone calls @by in place of @name from now on; before main(). False if it can't. */
bool scope_divert(const struct link_map *map, const char *name, void *by);

#endif /* SCOPE_H */
