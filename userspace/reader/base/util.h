/* SPDX-License-Identifier: GPL-2.0 */
/* Bits, bytes, arrays that grow, clocks: what every room uses. */
#ifndef COROPROF_UTIL_H
#define COROPROF_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#include "base/error.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define ALIGN8(n)	(((n) + 7) & ~(size_t)7)

/* How many bits @v has, from its highest set bit down; 0 if @v is 0. */
static inline unsigned int bits_of(uint64_t v)
{
	return v ? 64u - (unsigned int)__builtin_clzll(v) : 0;
}

#define HASH_BEGIN	0xcbf29ce484222325ull

/* FNV-1a of the bytes that have @hash, HASH_BEGIN if there are none, and @size bytes behind them. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ p[i]) * 0x100000001b3ull;
	return hash;
}

/* The number at @bytes, in the machine's byte order, at any alignment. */
static inline uint32_t u32_at(const unsigned char *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/**
 * struct buffer - bytes that grow
 * @data: the bytes
 * @size: how many
 * @capacity: how many fit
 */
struct buffer {
	char *data;
	size_t size;
	size_t capacity;
};

/* Makes room for @more bytes behind those in use. */
int buffer_reserve(struct buffer *b, size_t more, struct error *err);
/* Appends bytes. */
int buffer_append(struct buffer *b, const void *data, size_t size,
		  struct error *err);
/* Appends zeroes up to a multiple of 8. */
int buffer_pad(struct buffer *b, struct error *err);
void buffer_free(struct buffer *b);

/*
 * Makes room for one more behind @nr elements of @size bytes. @array is a pointer to the
 * array; all its elements come by this: the capacity is a power of two, so it is full when @nr is
 * one. False when there is no memory.
 */
bool array_grow(void *array, size_t nr, size_t size);
/*
 * Gives back the memory of the first @bytes of @array, as far as these are whole pages: each of
 * their bytes is 0 from now on, or what it was. Other bytes stay as they are.
 */
void array_forget(void *array, size_t bytes);

#define SECOND_NS	1000000000ull

/* 0 if there is no such clock. */
uint64_t clock_ns(clockid_t clock);
static inline uint64_t monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* On how many processors this process may run; 1 if that is not known. */
unsigned int processors(void);

/*
 * Reads a small text file, such as those of sysfs, cut to @capacity - 1 bytes and
 * without the newlines at its end. False when it can't be read, with errno.
 */
bool read_text(const char *path, char *text, size_t capacity);

/* Writes all bytes, even if write() is interrupted. False with errno. */
bool write_all(int fd, const void *data, size_t size);

/* The parent of a living process; 0 if it is not known. */
pid_t parent_of(pid_t pid);

bool ends_with(const char *text, const char *end);

#endif /* COROPROF_UTIL_H */
