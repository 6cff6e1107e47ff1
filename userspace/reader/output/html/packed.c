// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "output/html/packed.h"

#define EXACT_MAX	((UINT64_C(1) << 53) - 1)

/* ------------------------------------------------------------------------
 * base64
 */

/**
 * struct base64 - bytes on their way into a text
 * @file: where to
 * @bits: of bytes not yet written
 * @nr:   how many bytes that are, up to 2
 */
struct base64 {
	FILE *file;
	uint32_t bits;
	unsigned int nr;
};

static const char digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_byte(struct base64 *b, uint8_t byte)
{
	char text[4];

	b->bits = b->bits << 8 | byte;
	if (++b->nr < 3)
		return;
	for (int i = 0; i < 4; i++)
		text[i] = digits[b->bits >> (18 - 6 * i) & 63];
	fwrite_unlocked(text, 1, 4, b->file);
	b->bits = 0;
	b->nr = 0;
}

static void finish(struct base64 *b)
{
	unsigned int there = b->nr;
	char text[4] = "====";

	if (!there)
		return;
	b->bits <<= 8 * (3 - there);
	for (unsigned int i = 0; i <= there; i++)
		text[i] = digits[b->bits >> (18 - 6 * i) & 63];
	fwrite_unlocked(text, 1, 4, b->file);
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
	unsigned int width = 1;

	while (number >>= 7)
		width++;
	return width;
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
