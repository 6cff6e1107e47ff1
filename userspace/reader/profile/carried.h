/* SPDX-License-Identifier: GPL-2.0 */
/* Coroutines that began before a recording of the last seconds does. */
#ifndef COROPROF_PROFILE_CARRIED_H
#define COROPROF_PROFILE_CARRIED_H

#include <stddef.h>
#include <stdint.h>

struct build;
struct cprof_coroutine;
struct model_coroutine;

/* Keeps those of a COROUTINES segment, by id and process. */
void carried_add(struct build *b, const void *payload, size_t size);
/* NULL: nothing is known of it. */
const struct cprof_coroutine *carried_find(const struct build *b, uint32_t process, uint64_t id);
/* To a coroutine whose first slice here is not its first: what that, which is not kept, had said. */
void carried_set(const struct build *b, struct model_coroutine *c);
/* Settles wakes by those that have no slice in the recording. */
void carried_finish(struct build *b);

#endif /* COROPROF_PROFILE_CARRIED_H */
