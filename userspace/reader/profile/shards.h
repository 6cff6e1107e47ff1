/* SPDX-License-Identifier: GPL-2.0 */
/* All processors at work on one recording. */
#ifndef COROPROF_PROFILE_SHARDS_H
#define COROPROF_PROFILE_SHARDS_H

#include <stdbool.h>

struct build;

/* Makes build.profile of all rings, by as many threads as there are processors. */
void shards_add(struct build *b);
/* Whether threads that ended in order have all slices that their totals say. */
bool shards_complete(const struct build *b);

#endif /* COROPROF_PROFILE_SHARDS_H */
