// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "output/html/packed.h"

#define EXACT_MAX	((UINT64_C(1) << 53) - 1)

/* ------------------------------------------------------------------------
 * base64
 */

/* So many bytes are turned into text at once: three are four digits. */
#define BASE64_BYTES	(3 * 256)

/**
 * struct base64 - bytes on their way into a text
 * @file:  where to
 * @nr:    how many there are
 * @bytes: these
 */
struct base64 {
	FILE *file;
	unsigned int nr;
	uint8_t bytes[BASE64_BYTES];
};

static const char digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_digits(char *text, const uint8_t *bytes)
{
	uint32_t bits = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];

	text[0] = digits[bits >> 18];
	text[1] = digits[bits >> 12 & 63];
	text[2] = digits[bits >> 6 & 63];
	text[3] = digits[bits & 63];
}

/* Of the last three, @missing are none. */
static void write_digits(struct base64 *b, unsigned int missing)
{
	char text[BASE64_BYTES / 3 * 4];
	unsigned int at = 0;

	for (unsigned int i = 0; i < b->nr; i += 3, at += 4)
		put_digits(text + at, b->bytes + i);
	memset(text + at - missing, '=', missing);
	fwrite_unlocked(text, 1, at, b->file);
	b->nr = 0;
}

static inline void put_byte(struct base64 *b, uint8_t byte)
{
	b->bytes[b->nr++] = byte;
	if (b->nr == BASE64_BYTES)
		write_digits(b, 0);
}

static void finish(struct base64 *b)
{
	unsigned int missing = 0;

	for (; b->nr % 3; missing++)
		b->bytes[b->nr++] = 0;
	write_digits(b, missing);
}

/* Seven bits a byte, the lowest first; the last has not the eighth. */
static void put_varint(struct base64 *b, uint64_t value)
{
	for (; value > 127; value >>= 7)
		put_byte(b, (uint8_t)(value | 128));
	put_byte(b, (uint8_t)value);
}

/* ------------------------------------------------------------------------
 * numbers
 */

/* Small for differences that are small, whether up or down. */
static uint64_t fold(uint64_t from, uint64_t to)
{
	return to >= from ? (to - from) << 1 : ((from - to) << 1) - 1;
}

static unsigned int width_of(uint64_t number)
{
	return (70u - (unsigned int)__builtin_clzll(number | 1)) / 7;
}

/**
 * struct range - what there is to store
 * @least:   number
 * @most:    number
 * @bytes:   what it takes to store how much more than @least each is
 * @changes: what it takes to store the differences of neighbours
 */
struct range {
	uint64_t least;
	uint64_t most;
	uint64_t bytes;
	uint64_t changes;
};

static struct range range_of(const uint64_t *numbers, uint32_t nr)
{
	struct range r = { .least = numbers[0], .most = numbers[0] };

	for (uint32_t i = 1; i < nr; i++) {
		r.least = numbers[i] < r.least ? numbers[i] : r.least;
		r.most = numbers[i] > r.most ? numbers[i] : r.most;
	}
	for (uint32_t i = 0; i < nr; i++) {
		r.bytes += width_of(numbers[i] - r.least);
		r.changes += width_of(fold(numbers[i ? i - 1 : 0], numbers[i]));
	}
	return r;
}

static void open_data(struct json *j)
{
	json_key(j, "data");
	fputc('"', j->file);
}

static void close_data(struct json *j, struct base64 *b)
{
	finish(b);
	fputc('"', j->file);
	j->comma = true;
}

static void put_numbers(struct json *j, const uint64_t *numbers, uint32_t nr, struct range r)
{
	bool changes = r.changes < r.bytes && r.most <= EXACT_MAX;
	struct base64 b = { .file = j->file };

	json_key(j, changes ? "first" : "least");
	json_u64(j, changes ? numbers[0] : r.least);
	open_data(j);
	for (uint32_t i = 0; i < nr; i++)
		put_varint(&b, changes ? fold(numbers[i ? i - 1 : 0], numbers[i]) :
					 numbers[i] - r.least);
	close_data(j, &b);
}

void packed_numbers(struct json *j, const uint64_t *numbers, uint32_t nr)
{
	struct range r = nr ? range_of(numbers, nr) : (struct range){ 0 };

	json_open(j, '{');
	if (r.least == r.most) {
		json_key(j, "all");
		json_u64(j, r.least);
	} else {
		put_numbers(j, numbers, nr, r);
	}
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * fractions
 */

static bool are_same(const double *fractions, uint32_t nr)
{
	for (uint32_t i = 1; i < nr; i++)
		if (fractions[i] != fractions[0])
			return false;
	return true;
}

static void put_float(struct base64 *b, float fraction)
{
	uint32_t bits;

	memcpy(&bits, &fraction, sizeof(bits));
	for (unsigned int i = 0; i < sizeof(bits); i++)
		put_byte(b, (uint8_t)(bits >> 8 * i));
}

void packed_fractions(struct json *j, const double *fractions, uint32_t nr)
{
	struct base64 b = { .file = j->file };

	json_open(j, '{');
	if (are_same(fractions, nr)) {
		json_key(j, "all");
		json_double(j, nr ? fractions[0] : 0);
	} else {
		open_data(j);
		for (uint32_t i = 0; i < nr; i++)
			put_float(&b, (float)fractions[i]);
		close_data(j, &b);
	}
	json_close(j, '}');
}
