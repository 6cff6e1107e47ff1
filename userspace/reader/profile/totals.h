/* SPDX-License-Identifier: GPL-2.0 */
/* TOTALS segments, in place of rings. */
#ifndef COROPROF_PROFILE_TOTALS_H
#define COROPROF_PROFILE_TOTALS_H

#include <stdint.h>

struct build;

/* Adds the slots to coroutines, labels, channels and processes. */
void totals_add(struct build *b);
/* By how much the slots of the channel's process are more than its threads, or NULL. */
char *totals_differ(struct build *b, uint32_t channel);

#endif /* COROPROF_PROFILE_TOTALS_H */
