/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The span of the crate tracing in which a future runs: Instrumented<...> has it beside the future,
 * as a pointer to what the program has for each span that is written in it, its metadata.
 */
#ifndef TOKIO_SPAN_H
#define TOKIO_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPAN_ROOM 96
#define SPAN_PLACES 8

/**
 * struct span_place - where tasks of one type have that pointer
 * @bytes:  of a task, from its beginning, in which it is; 0: it has none, or that is not known
 * @words:  those in which each task until now had metadata
 * @nr:     how many of @words; the place is known if that is one
 * @tries:  so many tasks had none, and are enough; or one had
 *
 * Several threads may have tasks of one type. Until the place is known one of them at a time looks:
 * @taken is that one's.
 */
struct span_place {
	size_t bytes;
	uint32_t words[SPAN_PLACES];
	unsigned int nr;
	unsigned int tries;
	bool taken;
};

/* Finds out what of the program is loaded where. Once, before the first task. */
void span_begin(void);

/* The name of a task's span. False: it has none, or it is not certain where. */
bool span_name(struct span_place *place, void *const *task, char name[SPAN_ROOM]);

#endif /* TOKIO_SPAN_H */
