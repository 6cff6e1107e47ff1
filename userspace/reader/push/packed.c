// SPDX-License-Identifier: GPL-2.0
/* Compresses a request by libdeflate. */
#include <libdeflate.h>
#include <stdlib.h>

#include "push/packed.h"

#define LEVEL	6

void *packed(const void *data, size_t size, size_t *packed_size)
{
	struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);
	size_t most = compressor ? libdeflate_gzip_compress_bound(compressor, size) : 0;
	void *to = most ? malloc(most) : NULL;

	*packed_size = to ? libdeflate_gzip_compress(compressor, data, size, to, most) : 0;
	if (compressor)
		libdeflate_free_compressor(compressor);
	if (*packed_size)
		return to;
	free(to);
	return NULL;
}
