/* SPDX-License-Identifier: GPL-2.0 */
/* Samples one by one, for the timeline. */
#ifndef COROPROF_PROFILE_TIMELINE_SAMPLES_H
#define COROPROF_PROFILE_TIMELINE_SAMPLES_H

#include <stdint.h>

struct build;
struct model_timeline_sample;

/* All of them, or none where there are more than fit. */
void timeline_samples_add(struct build *b, const struct model_timeline_sample *sample);
/* Once no more follow: @moved_to says where each node has gone. */
void timeline_samples_finish(struct build *b, const uint32_t *moved_to);

#endif /* COROPROF_PROFILE_TIMELINE_SAMPLES_H */
