/* SPDX-License-Identifier: GPL-2.0 */
/* Samples one by one, for the timeline. */
#ifndef COROPROF_PROFILE_TIMELINE_SAMPLES_H
#define COROPROF_PROFILE_TIMELINE_SAMPLES_H

#include <stdint.h>

struct build;
struct model_timeline_sample;

/* Keeps a sample, until there are more than fit: then none is kept. */
void timeline_samples_add(struct build *b, const struct model_timeline_sample *sample);
/* Called when no sample follows. @moved_to: the new row of each node of the tree of samples. */
void timeline_samples_finish(struct build *b, const uint32_t *moved_to);

#endif /* COROPROF_PROFILE_TIMELINE_SAMPLES_H */
