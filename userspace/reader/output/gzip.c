// SPDX-License-Identifier: GPL-2.0
/* A FILE that compresses what is written to it, by fopencookie(3) and zlib. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "output/gzip.h"

/* The largest window, and a header of gzip's in place of zlib's own. */
#define WINDOW	(15 + 16)
#define MEMORY	8
/* zlib's counts are of 32 bits. */
#define PIECE	(1u << 30)

/**
 * struct gzip - a stream
 * @z:  what compresses it
 * @to: where that is written
 */
struct gzip {
	z_stream z;
	FILE *to;
};

/* Compresses all input at hand and writes the result. */
static bool deflate_input(struct gzip *g, int flush)
{
	unsigned char out[32768];
	size_t size;

	do {
		g->z.next_out = out;
		g->z.avail_out = sizeof(out);
		if (deflate(&g->z, flush) == Z_STREAM_ERROR)
			return false;
		size = sizeof(out) - g->z.avail_out;
		if (fwrite(out, 1, size, g->to) != size)
			return false;
	} while (!g->z.avail_out);
	return true;
}

/* As fopencookie(3) has it: returns how many bytes were taken; fewer than @size are an error. */
static ssize_t write_compressed(void *cookie, const char *data, size_t size)
{
	struct gzip *g = cookie;
	size_t left = size;

	g->z.next_in = (void *)(uintptr_t)data;
	do {
		g->z.avail_in = left < PIECE ? (uInt)left : PIECE;
		left -= g->z.avail_in;
		if (!deflate_input(g, Z_NO_FLUSH))
			return 0;
	} while (left);
	return (ssize_t)size;
}

static int finish_stream(void *cookie)
{
	struct gzip *g = cookie;
	bool sound;

	g->z.avail_in = 0;
	sound = deflate_input(g, Z_FINISH);
	deflateEnd(&g->z);
	free(g);
	return sound ? 0 : -1;
}

FILE *gzip_open(FILE *to)
{
	const cookie_io_functions_t functions = { .write = write_compressed,
						  .close = finish_stream };
	struct gzip *g = calloc(1, sizeof(*g));
	FILE *file = NULL;

	if (!g)
		return NULL;
	g->to = to;
	if (deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW, MEMORY,
			 Z_DEFAULT_STRATEGY) == Z_OK) {
		file = fopencookie(g, "w", functions);
		if (file)
			return file;
		deflateEnd(&g->z);
	}
	free(g);
	errno = ENOMEM;
	return NULL;
}
