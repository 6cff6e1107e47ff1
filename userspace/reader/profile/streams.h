/* SPDX-License-Identifier: GPL-2.0 */
/* STREAM segments: processes, channels and labels, as rows of the model. */
#ifndef COROPROF_PROFILE_STREAMS_H
#define COROPROF_PROFILE_STREAMS_H

#include <stddef.h>
#include <stdint.h>

#include "profile/build.h"

/* Records of a STREAM segment. */
void stream_add(struct build *b, uint64_t offset, const void *payload,
		size_t size);
/* The row of a process, made if need be; MODEL_NONE when there is no room. */
uint32_t process_of(struct build *b, uint32_t process_id);
/* The row of a channel, MODEL_NONE if no record reports it. */
static inline uint32_t channel_find(const struct build *b, uint32_t channel_id)
{
	return index_get(&b->channel_index, channel_id, 0);
}

/* Once all are read: puts restarts into order of time. */
void streams_finish(struct build *b);

#endif /* COROPROF_PROFILE_STREAMS_H */
