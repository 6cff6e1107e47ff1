/* SPDX-License-Identifier: GPL-2.0 */
/* All processors at work on one recording. */
#ifndef COROPROF_PROFILE_SHARDS_H
#define COROPROF_PROFILE_SHARDS_H

#include <stdbool.h>

struct build;

/* Makes build.profile of all rings, on as many threads as there are processors. */
void shards_add(struct build *b);
/* True if all threads that ended in order have the number of slices in their totals. */
bool shards_complete(const struct build *b);

#endif /* COROPROF_PROFILE_SHARDS_H */
