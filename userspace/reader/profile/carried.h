/* SPDX-License-Identifier: GPL-2.0 */
/* Coroutines that began before a recording of the last seconds does. */
#ifndef COROPROF_PROFILE_CARRIED_H
#define COROPROF_PROFILE_CARRIED_H

#include <stddef.h>
#include <stdint.h>

struct build;
struct cprof_coroutine;
struct model_coroutine;

/* Reads a COROUTINES segment: keeps its coroutines by id and process. */
void carried_add(struct build *b, const void *payload, size_t size);
/* NULL if no segment has the coroutine. */
const struct cprof_coroutine *carried_find(const struct build *b, uint32_t process, uint64_t id);
/*
 * Sets what the first slice of a coroutine had reported, if that is not in the recording: birth,
 * parent, tag.
 */
void carried_set(const struct build *b, struct model_coroutine *c);
/* Settles the wakes by coroutines that have no slice in the recording. */
void carried_finish(struct build *b);

#endif /* COROPROF_PROFILE_CARRIED_H */
