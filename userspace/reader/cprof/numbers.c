// SPDX-License-Identifier: GPL-2.0
/*
 * Packs groups of numbers with as few bits as they need, and unpacks them. Loops over rows have no
 * branch, and constant shifts, as the compiler unrolls them for each width.
 */
#include <string.h>

#include "base/util.h"
#include "cprof/numbers.h"

#define LANES	4u
#define ROWS	(CPROF_GROUP / LANES)
#define WIDTH_MAX	32u

typedef uint32_t lanes __attribute__((vector_size(16)));
typedef uint64_t wide __attribute__((vector_size(32)));

static size_t words_size(unsigned int width, unsigned int nr)
{
	unsigned int rows = (nr + LANES - 1) / LANES;

	return sizeof(lanes) * ((rows * width + 31) / 32);
}

/* ------------------------------------------------------------------------
 * one width
 */

static inline __attribute__((always_inline))
void unpack_width(const unsigned char *from, uint64_t *to, const unsigned int width)
{
	const uint32_t mask = width < 32 ? (1u << width) - 1 : UINT32_MAX;
	lanes word, next, v;

#pragma GCC unroll 32
	for (unsigned int row = 0; row < ROWS; row++) {
		const unsigned int at = row * width / 32, shift = row * width % 32;
		wide out;

		memcpy(&word, from + at * sizeof(word), sizeof(word));
		v = word >> shift;
		if (shift + width > 32) {
			memcpy(&next, from + (at + 1) * sizeof(next), sizeof(next));
			v |= next << (32 - shift);
		}
		if (shift + width != 32)
			v &= mask;
		out = __builtin_convertvector(v, wide);
		memcpy(to + row * LANES, &out, sizeof(out));
	}
}

static inline __attribute__((always_inline))
void pack_width(const uint64_t *from, unsigned char *to, const unsigned int width)
{
	const uint32_t mask = width < 32 ? (1u << width) - 1 : UINT32_MAX;
	lanes word = { 0 };

#pragma GCC unroll 32
	for (unsigned int row = 0; row < ROWS; row++) {
		const unsigned int at = row * width / 32, shift = row * width % 32;
		lanes v;
		wide in;

		memcpy(&in, from + row * LANES, sizeof(in));
		v = __builtin_convertvector(in, lanes) & mask;
		word |= v << shift;
		if (shift + width < 32)
			continue;
		memcpy(to + at * sizeof(word), &word, sizeof(word));
		word = shift + width > 32 ? v >> (32 - shift) : (lanes){ 0 };
	}
}

#define EACH_WIDTH(do) \
	do(1) do(2) do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11) \
	do(12) do(13) do(14) do(15) do(16) do(17) do(18) do(19) do(20) do(21) \
	do(22) do(23) do(24) do(25) do(26) do(27) do(28) do(29) do(30) do(31) \
	do(32)

static void unpack_words(const unsigned char *from, uint64_t *to,
			 unsigned int width)
{
	switch (width) {
	case 0:
		memset(to, 0, CPROF_GROUP * sizeof(*to));
		break;
#define UNPACK(width) case width: unpack_width(from, to, width); break;
	EACH_WIDTH(UNPACK)
#undef UNPACK
	}
}

static void pack_words(const uint64_t *from, unsigned char *to,
		       unsigned int width)
{
	switch (width) {
#define PACK(width) case width: pack_width(from, to, width); break;
	EACH_WIDTH(PACK)
#undef PACK
	}
}

/* ------------------------------------------------------------------------
 * groups
 */

static size_t group_size(unsigned int width, unsigned int nr, unsigned int over,
			 unsigned int bytes)
{
	return words_size(width, nr) + over * (1 + bytes);
}

/*
 * Chooses the width for which the group takes the fewest bytes, with exceptions for numbers of more
 * bits, of which the widest has @most. If many numbers have more bits, fewer do not pay any more.
 */
static struct cprof_group choose_width(const uint64_t *v, unsigned int nr,
				       unsigned int most)
{
	unsigned int over = 0, width = most;
	uint8_t with[65] = { 0 };
	struct cprof_group best = { .nr = (uint8_t)nr };
	size_t least = SIZE_MAX;

	for (unsigned int i = 0; i < nr; i++)
		with[bits_of(v[i])]++;
	for (; width > WIDTH_MAX; width--)
		over += with[width];
	for (;; over += with[width--]) {
		unsigned int bytes = (most - width + 7) / 8;
		size_t size = group_size(width, nr, over, bytes);

		if (size < least) {
			least = size;
			best.width = (uint8_t)width;
			best.exceptions = (uint8_t)over;
			best.more = (uint8_t)bytes;
		}
		if (!width || (over > nr / 4 && most <= WIDTH_MAX))
			return best;
	}
}

/* @all: the bits that all numbers have, @any: those that at least one has. */
static void combine_bits(const uint64_t *v, uint64_t *all, uint64_t *any)
{
	wide and, or, next;

	memcpy(&and, v, sizeof(and));
	or = and;
	for (unsigned int i = LANES; i < CPROF_GROUP; i += LANES) {
		memcpy(&next, v + i, sizeof(next));
		and &= next;
		or |= next;
	}
	*all = and[0] & and[1] & and[2] & and[3];
	*any = or[0] | or[1] | or[2] | or[3];
}

/*
 * Subtracts the least number from all, and returns it, if all have the same highest bit. Of others,
 * the least is of little use: returns 0.
 */
static uint64_t subtract_base(uint64_t *v, unsigned int nr)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int i = 0; i < nr; i++)
		least = v[i] < least ? v[i] : least;
	for (unsigned int i = 0; i < nr; i++)
		v[i] -= least;
	return least;
}

static unsigned char *write_exceptions(unsigned char *to, const struct cprof_group *g,
				       const uint64_t *v, unsigned int nr)
{
	unsigned char *places = to;

	to += g->exceptions;
	for (unsigned int i = 0; i < nr; i++) {
		uint64_t more = v[i] >> g->width;

		if (!more)
			continue;
		*places++ = (uint8_t)i;
		memcpy(to, &more, sizeof(more));
		to += g->more;
	}
	return to;
}

static size_t write_group(unsigned char *to, struct cprof_group g, uint64_t *v,
			  uint64_t base)
{
	unsigned char *at = to + sizeof(g);

	memcpy(at, &base, sizeof(base));
	at += base ? sizeof(base) : 0;
	pack_words(v, at, g.width);
	at += words_size(g.width, g.nr);
	if (g.exceptions)
		at = write_exceptions(at, &g, v, g.nr);
	g.more |= base ? CPROF_GROUP_BASE : 0;
	memcpy(to, &g, sizeof(g));
	return (size_t)(at - to);
}

size_t numbers_pack(unsigned char *to, uint64_t *v, unsigned int nr)
{
	struct cprof_group g = { .nr = (uint8_t)nr };
	uint64_t base = 0, all, any;

	for (unsigned int i = nr; i % CPROF_GROUP; i++)
		v[i] = v[0];
	combine_bits(v, &all, &any);
	if (any > UINT8_MAX && all >> (bits_of(any) - 1)) {
		base = subtract_base(v, CPROF_GROUP);
		combine_bits(v, &all, &any);
	}
	for (unsigned int i = nr; i % CPROF_GROUP; i++)
		v[i] = 0;
	if (any)
		g = choose_width(v, nr, bits_of(any));
	return write_group(to, g, v, base);
}

static void add_exceptions(const unsigned char *from, const struct cprof_group *g,
			   unsigned int bytes, uint64_t *v)
{
	const unsigned char *at = from + g->exceptions;
	uint64_t mask = bytes < 8 ? (1ull << 8 * bytes) - 1 : UINT64_MAX, more;

	for (unsigned int i = 0; i < g->exceptions; i++, at += bytes) {
		memcpy(&more, at, sizeof(more));
		v[from[i] % CPROF_GROUP] |= (more & mask) << g->width;
	}
}

static void add_base(const unsigned char *from, uint64_t *v)
{
	uint64_t base;

	memcpy(&base, from, sizeof(base));
	for (unsigned int i = 0; i < CPROF_GROUP; i++)
		v[i] += base;
}

const unsigned char *numbers_unpack(const unsigned char *from,
				    const unsigned char *end, uint64_t *v,
				    uint32_t *nr)
{
	unsigned int bytes, base;
	struct cprof_group g;
	size_t words, left = (size_t)(end - from);

	if (left < sizeof(g))
		return NULL;
	memcpy(&g, from, sizeof(g));
	bytes = g.more & ~CPROF_GROUP_BASE;
	base = g.more & CPROF_GROUP_BASE ? sizeof(uint64_t) : 0;
	words = words_size(g.width, g.nr);
	if (!g.nr || g.nr > CPROF_GROUP || g.width > WIDTH_MAX || bytes > 8 ||
	    left < sizeof(g) + base + words + g.exceptions * (1 + bytes))
		return NULL;
	from += sizeof(g) + base;
	unpack_words(from, v, g.width);
	if (g.exceptions)
		add_exceptions(from + words, &g, bytes, v);
	if (base)
		add_base(from - base, v);
	*nr = g.nr;
	return from + words + g.exceptions * (1 + bytes);
}
