// SPDX-License-Identifier: GPL-2.0
/*
 * Finds which channel a ring's payload in a file of version 2 is of: its id is in the payload
 * there.
 */
#include <string.h>
#include <zstd.h>

#include "cprof/version2.h"

uint32_t version2_channel(ZSTD_DCtx *zstd, const struct cprof_segment *s,
			  const void *stored)
{
	struct version2_ring ring = { 0 };
	ZSTD_inBuffer in = { stored, s->stored_size, 0 };
	ZSTD_outBuffer out = { &ring, sizeof(ring), 0 };

	if (!version2_is_ring(s->type) || s->size < sizeof(ring))
		return 0;
	if (!(s->flags & CPROF_FLAG_ZSTD)) {
		memcpy(&ring, stored, sizeof(ring));
		return ring.channel_id;
	}
	ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only);
	while (out.pos < out.size) {
		size_t before = in.pos + out.pos;
		size_t ret = ZSTD_decompressStream(zstd, &out, &in);

		if (ZSTD_isError(ret) || in.pos + out.pos == before)
			return 0;
	}
	return ring.channel_id;
}
