/* SPDX-License-Identifier: GPL-2.0 */
/* Samples: whose they are, and the call tree of each label. */
#ifndef COROPROF_PROFILE_SAMPLES_H
#define COROPROF_PROFILE_SAMPLES_H

struct build;

/* Adds those of the file to coroutines, labels and call trees, with the names of functions. */
void samples_add(struct build *b);

#endif /* COROPROF_PROFILE_SAMPLES_H */
