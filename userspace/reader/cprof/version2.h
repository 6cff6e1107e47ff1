/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Version 2 of the file, as far as it differs: a shorter header of segments, and
 * payloads of rings that begin with whose ring it is, in a zstd frame of its own.
 */
#ifndef COROPROF_VERSION2_H
#define COROPROF_VERSION2_H

#include <stddef.h>
#include <stdint.h>

#include "cprof/format.h"

struct ZSTD_DCtx_s;

#define VERSION2		2

/**
 * struct version2_segment - the header of a segment; as struct cprof_segment
 * @magic:       likewise
 * @type:        likewise
 * @flags:       CPROF_FLAG_ZSTD: the payload is zstd frames
 * @stored_size: likewise
 * @size:        likewise
 * @payload_crc: likewise
 * @header_crc:  likewise
 */
struct version2_segment {
	uint32_t magic;
	uint16_t type;
	uint16_t flags;
	uint32_t stored_size;
	uint32_t size;
	uint32_t payload_crc;
	uint32_t header_crc;
};

/**
 * struct version2_ring - how the payload of a ring begins
 * @channel_id: whose ring it is
 * @reserved:   0
 */
struct version2_ring {
	uint32_t channel_id;
	uint32_t reserved;
};

/* True if payloads of this type begin with a channel's id. */
static inline int version2_is_ring(uint16_t type)
{
	return type == CPROF_SEGMENT_RING || type == CPROF_SEGMENT_SAMPLES;
}

/*
 * The channel of a ring's payload, found by unpacking only its begin. 0, which is no channel's id,
 * if it can't be unpacked.
 */
uint32_t version2_channel(struct ZSTD_DCtx_s *zstd,
			  const struct cprof_segment *segment,
			  const void *stored);

#endif /* COROPROF_VERSION2_H */
