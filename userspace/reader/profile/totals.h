/* SPDX-License-Identifier: GPL-2.0 */
/* TOTALS segments, in place of rings. */
#ifndef COROPROF_PROFILE_TOTALS_H
#define COROPROF_PROFILE_TOTALS_H

#include <stdint.h>

struct build;

/* Adds the slots to coroutines and labels, and the threads' totals to channels and processes. */
void totals_add(struct build *b);
/*
 * Describes in which figure the slots of the channel's process exceed its threads' totals, or
 * returns NULL.
 */
char *totals_differ(struct build *b, uint32_t channel);

#endif /* COROPROF_PROFILE_TOTALS_H */
