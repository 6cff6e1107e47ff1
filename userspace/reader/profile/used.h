/* SPDX-License-Identifier: GPL-2.0 */
/* CPU segments: what processes used of the CPUs beside what was recorded. */
#ifndef COROPROF_PROFILE_USED_H
#define COROPROF_PROFILE_USED_H

#include <stddef.h>

struct build;

/* Reads a CPU segment: CPU time of processes. */
void used_add(struct build *b, const void *payload, size_t size);
/* Sets how much of it no recorded thread has. */
void used_finish(struct build *b);

#endif /* COROPROF_PROFILE_USED_H */
