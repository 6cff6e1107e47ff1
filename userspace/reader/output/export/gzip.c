// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

#include "output/export/gzip.h"

/* The largest window, and a header of gzip's in place of zlib's own. */
#define WINDOW	(15 + 16)
#define MEMORY	8
/* zlib's counts are of 32 bits. */
#define PIECE	(1u << 30)

/* All that comes out for what is in @z. */
static bool run(z_stream *z, int flush, FILE *file)
{
	unsigned char out[32768];
	size_t size;

	do {
		z->next_out = out;
		z->avail_out = sizeof(out);
		if (deflate(z, flush) == Z_STREAM_ERROR)
			return false;
		size = sizeof(out) - z->avail_out;
		if (fwrite(out, 1, size, file) != size)
			return false;
	} while (!z->avail_out);
	return true;
}

int gzip_write(const void *data, size_t size, FILE *file)
{
	z_stream z = { .next_in = (void *)(uintptr_t)data };
	bool sound;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW, MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		errno = ENOMEM;
		return -1;
	}
	do {
		z.avail_in = size < PIECE ? (uInt)size : PIECE;
		size -= z.avail_in;
		sound = run(&z, size ? Z_NO_FLUSH : Z_FINISH, file);
	} while (sound && size);
	deflateEnd(&z);
	return sound ? 0 : -1;
}
