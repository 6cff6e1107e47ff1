/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tasks of one type are called. */
#ifndef TOKIO_NAME_H
#define TOKIO_NAME_H

#include "symbols.h"

#define NAME_ROOM 224

/* What is known of the tasks of one type by the functions that tokio has for them. */
struct functions {
	uintptr_t poll, schedule, dealloc, shutdown;
};

/*
 * The async function that such tasks run, or the type of their future: "heavy", or
 * "one or other" where the compiler has made one code of both. False if it is no
 * coroutine, but what runs on a thread of its own. @traced: each has a span of the crate tracing.
 */
bool name_of_tasks(const struct symbols *symbols, const struct functions *functions,
		   char name[NAME_ROOM], bool *traced);

#endif /* TOKIO_NAME_H */
