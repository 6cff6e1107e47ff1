/* SPDX-License-Identifier: GPL-2.0 */
/* All processors at work on one recording. */
#ifndef COROPROF_PROFILE_SHARDS_H
#define COROPROF_PROFILE_SHARDS_H

struct build;

/* Makes build.profile of all rings, by as many threads as there are processors. */
void shards_add(struct build *b);

#endif /* COROPROF_PROFILE_SHARDS_H */
