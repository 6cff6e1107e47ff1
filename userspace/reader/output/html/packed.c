// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a column of numbers in the shortest of its forms (one number for all, each number minus
 * the least, differences to the row before), and hands the bytes to the deflater.
 */
#include <string.h>

#include "output/html/packed.h"

/* ------------------------------------------------------------------------
 * bytes
 */

static void flush_bytes(struct packed *p)
{
	deflater_add(&p->deflater, p->bytes, p->nr);
	p->nr = 0;
}

static inline void add_byte(struct packed *p, uint8_t byte)
{
	p->bytes[p->nr++] = byte;
	p->size++;
	if (p->nr == sizeof(p->bytes))
		flush_bytes(p);
}

/*
 * Adds a number as bytes of seven bits each, the lowest first; all but the last have the eighth bit
 * set.
 */
static void add_varint(struct packed *p, uint64_t value)
{
	for (; value > 127; value >>= 7)
		add_byte(p, (uint8_t)(value | 128));
	add_byte(p, (uint8_t)value);
}

int packed_open(struct packed *p, FILE *file)
{
	*p = (struct packed){ 0 };
	return deflater_open(&p->deflater, file);
}

int packed_close(struct packed *p)
{
	return deflater_close(&p->deflater);
}

/* ------------------------------------------------------------------------
 * numbers
 */

/*
 * Maps a difference to a number that is small for small differences, positive or negative. Without
 * a branch, as none can be predicted if numbers have no order.
 */
static inline uint64_t fold_difference(uint64_t from, uint64_t to)
{
	return (to - from) << 1 ^ -(uint64_t)(to < from);
}

static unsigned int varint_bytes(uint64_t number)
{
	return (70u - (unsigned int)__builtin_clzll(number | 1)) / 7;
}

/**
 * struct value_range - what there is to store
 * @least:   number
 * @most:    number
 * @bytes:   what it takes to store how much more than @least each is
 * @changes: what it takes to store the differences of neighbours
 */
struct value_range {
	uint64_t least;
	uint64_t most;
	uint64_t bytes;
	uint64_t changes;
};

static struct value_range range_of(const uint64_t *numbers, uint32_t nr)
{
	struct value_range r = { .least = numbers[0], .most = numbers[0] };

	for (uint32_t i = 1; i < nr; i++) {
		r.least = numbers[i] < r.least ? numbers[i] : r.least;
		r.most = numbers[i] > r.most ? numbers[i] : r.most;
	}
	for (uint32_t i = 0; i < nr; i++) {
		r.bytes += varint_bytes(numbers[i] - r.least);
		r.changes += varint_bytes(fold_difference(numbers[i ? i - 1 : 0], numbers[i]));
	}
	return r;
}

/* Ends the column, and writes which line it is in and how many bytes it has once inflated. */
static void write_place(struct packed *p, struct json *j)
{
	flush_bytes(p);
	deflater_end(&p->deflater);
	json_key(j, "line");
	json_u64(j, p->lines++);
	json_key(j, "bytes");
	json_u64(j, p->size);
	p->size = 0;
}

static void write_numbers(struct packed *p, struct json *j, const uint64_t *numbers, uint32_t nr,
			  struct value_range r)
{
	bool changes = r.changes < r.bytes && r.most <= PACKED_EXACT_MAX;

	json_key(j, changes ? "first" : "least");
	json_u64(j, changes ? numbers[0] : r.least);
	for (uint32_t i = 0; i < nr; i++)
		add_varint(p, changes ? fold_difference(numbers[i ? i - 1 : 0], numbers[i]) :
					numbers[i] - r.least);
	write_place(p, j);
}

void packed_numbers(struct packed *p, struct json *j, const uint64_t *numbers, uint32_t nr)
{
	struct value_range r = nr ? range_of(numbers, nr) : (struct value_range){ 0 };

	json_open(j, '{');
	if (r.least == r.most) {
		json_key(j, "all");
		json_u64(j, r.least);
	} else {
		write_numbers(p, j, numbers, nr, r);
	}
	json_close(j, '}');
}

static void write_names(struct json *j, const char *names)
{
	size_t length;
	char name[128];

	json_key(j, "near");
	json_open(j, '[');
	for (; *names; names += length + (names[length] == ' ')) {
		length = strcspn(names, " ");
		snprintf(name, sizeof(name), "%.*s", (int)length, names);
		json_string(j, name);
	}
	json_close(j, ']');
}

static void write_differences(struct packed *p, struct json *j, const uint64_t *numbers,
			      const uint64_t *sums, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		add_varint(p, fold_difference(sums[i], numbers[i]));
	write_place(p, j);
}

void packed_near(struct packed *p, struct json *j, const char *names, const uint64_t *numbers,
		 const uint64_t *sums, uint32_t nr)
{
	json_open(j, '{');
	write_names(j, names);
	if (!memcmp(numbers, sums, nr * sizeof(*sums))) {
		json_key(j, "all");
		json_u64(j, 0);
	} else {
		write_differences(p, j, numbers, sums, nr);
	}
	json_close(j, '}');
}

void packed_after(struct packed *p, struct json *j, const char *name, const uint64_t *numbers,
		  const uint64_t *sums, uint32_t nr)
{
	json_open(j, '{');
	json_member(j, "after", name);
	write_differences(p, j, numbers, sums, nr);
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * fractions
 */

static bool are_all_equal(const double *fractions, uint32_t nr)
{
	for (uint32_t i = 1; i < nr; i++)
		if (fractions[i] != fractions[0])
			return false;
	return true;
}

static void add_bits(struct packed *p, uint64_t bits, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		add_byte(p, (uint8_t)(bits >> 8 * i));
}

static void add_float(struct packed *p, float fraction)
{
	uint32_t bits;

	memcpy(&bits, &fraction, sizeof(bits));
	add_bits(p, bits, sizeof(bits));
}

static void add_double(struct packed *p, double fraction)
{
	uint64_t bits;

	memcpy(&bits, &fraction, sizeof(bits));
	add_bits(p, bits, sizeof(bits));
}

/* Of so few, the page rounds what text rounds; of more, four bytes each are enough. */
#define DOUBLES	1024

void packed_fractions(struct packed *p, struct json *j, const double *fractions, uint32_t nr)
{
	json_open(j, '{');
	if (are_all_equal(fractions, nr)) {
		json_key(j, "all");
		json_double(j, nr ? fractions[0] : 0);
	} else {
		for (uint32_t i = 0; i < nr; i++)
			if (nr <= DOUBLES)
				add_double(p, fractions[i]);
			else
				add_float(p, (float)fractions[i]);
		write_place(p, j);
	}
	json_close(j, '}');
}
