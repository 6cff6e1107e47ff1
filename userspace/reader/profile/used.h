/* SPDX-License-Identifier: GPL-2.0 */
/* CPU segments: what processes used of the CPUs beside what was recorded. */
#ifndef COROPROF_PROFILE_USED_H
#define COROPROF_PROFILE_USED_H

#include <stddef.h>

struct build;

/* What a CPU segment says of processes. */
void used_add(struct build *b, const void *payload, size_t size);
/* Of that, what is not of threads that were recorded. */
void used_finish(struct build *b);

#endif /* COROPROF_PROFILE_USED_H */
