// SPDX-License-Identifier: GPL-2.0
/*
 * What the reader needs of others, where there is neither a kernel nor a library: zlib's checksum,
 * zstd, which is not there, chance, words for errors, and what libraries of C differ in.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <wasi/api.h>
#include <zlib.h>
#include <zstd.h>

#include "engine/shims.h"
#include "symbols/symbols.h"

/* ---- chance */

static uint64_t chance = 1;

void shims_seed(double seed)
{
	memcpy(&chance, &seed, sizeof(chance));
}

static uint64_t next_chance(void)
{
	uint64_t x = chance += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

ssize_t getrandom(void *to, size_t size, unsigned int flags)
{
	(void)flags;
	for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
		uint64_t x = next_chance();

		memcpy((char *)to + at, &x, size - at < sizeof(x) ? size - at : sizeof(x));
	}
	return (ssize_t)size;
}

/* ---- sorting, in which there is one thread */

static struct {
	int (*compare)(const void *x, const void *y, void *context);
	void *context;
} sorting;

static int compare_two(const void *x, const void *y)
{
	return sorting.compare(x, y, sorting.context);
}

void qsort_r(void *rows, size_t nr, size_t size,
	     int (*compare)(const void *x, const void *y, void *context), void *context)
{
	sorting.compare = compare;
	sorting.context = context;
	qsort(rows, nr, size, compare_two);
}

/* ---- words */

static const char *const errors[] = {
#include "errors.h"
};

const char *strerrordesc_np(int error)
{
	return error >= 0 && (size_t)error < sizeof(errors) / sizeof(*errors) ? errors[error] : NULL;
}

/* ---- the host of WASI: there is none, and no file, and it is always the same time */

/* What the C library imports, by the names that it has for them. */
#define HOST(name)	__imported_wasi_snapshot_preview1_##name

int32_t HOST(fd_close)(int32_t fd);
int32_t HOST(fd_fdstat_get)(int32_t fd, int32_t stat);
int32_t HOST(fd_pread)(int32_t fd, int32_t to, int32_t nr, int64_t offset, int32_t size);
int32_t HOST(fd_seek)(int32_t fd, int64_t offset, int32_t whence, int32_t at);
int32_t HOST(fd_write)(int32_t fd, int32_t from, int32_t nr, int32_t size);
int32_t HOST(clock_time_get)(int32_t clock, int64_t precision, int32_t time);

int32_t HOST(fd_close)(int32_t fd)
{
	(void)fd;
	return __WASI_ERRNO_BADF;
}

int32_t HOST(fd_fdstat_get)(int32_t fd, int32_t stat)
{
	(void)fd, (void)stat;
	return __WASI_ERRNO_BADF;
}

int32_t HOST(fd_pread)(int32_t fd, int32_t to, int32_t nr, int64_t offset, int32_t size)
{
	(void)fd, (void)to, (void)nr, (void)offset, (void)size;
	return __WASI_ERRNO_BADF;
}

int32_t HOST(fd_seek)(int32_t fd, int64_t offset, int32_t whence, int32_t at)
{
	(void)fd, (void)offset, (void)whence, (void)at;
	return __WASI_ERRNO_BADF;
}

int32_t HOST(fd_write)(int32_t fd, int32_t from, int32_t nr, int32_t size)
{
	(void)fd, (void)from, (void)nr, (void)size;
	return __WASI_ERRNO_BADF;
}

int32_t HOST(clock_time_get)(int32_t clock, int64_t precision, int32_t time)
{
	(void)clock, (void)precision;
	*(uint64_t *)(uintptr_t)time = 0;
	return 0;
}

/* ---- libraries */

uLong crc32(uLong crc, const Bytef *bytes, uInt size)
{
	uint32_t x = ~(uint32_t)crc;

	for (uInt i = 0; i < size; i++) {
		x ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			x = x >> 1 ^ (x & 1 ? 0xedb88320u : 0);
	}
	return ~x;
}

/* A context that unpacks nothing: engine_open() refuses what would need it. */
static struct { char none; } no_zstd;

ZSTD_DCtx *ZSTD_createDCtx(void)
{
	return (ZSTD_DCtx *)&no_zstd;
}

size_t ZSTD_freeDCtx(ZSTD_DCtx *context)
{
	(void)context;
	return 0;
}

size_t ZSTD_DCtx_reset(ZSTD_DCtx *context, ZSTD_ResetDirective what)
{
	(void)context, (void)what;
	return 0;
}

size_t ZSTD_decompressDCtx(ZSTD_DCtx *context, void *to, size_t capacity, const void *from,
			   size_t size)
{
	(void)context, (void)to, (void)capacity, (void)from, (void)size;
	return (size_t)-1;
}

size_t ZSTD_decompressStream(ZSTD_DCtx *context, ZSTD_outBuffer *to, ZSTD_inBuffer *from)
{
	(void)context, (void)to, (void)from;
	return (size_t)-1;
}

unsigned ZSTD_isError(size_t code)
{
	return code == (size_t)-1;
}

const char *ZSTD_getErrorName(size_t code)
{
	(void)code;
	return "there is no zstd here";
}

/* Names come from a list. */
struct symbols *symbols_new(const char *root)
{
	(void)root;
	return NULL;
}
