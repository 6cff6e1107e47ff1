// SPDX-License-Identifier: GPL-2.0
/* The checksum of payloads says what is not as it was. */
#include "support.h"

#include <stdlib.h>

#include "cprof/sum.h"

static unsigned char bytes[200];

static void fill(void)
{
	uint32_t seed = 1;

	for (size_t i = 0; i < sizeof(bytes); i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = (unsigned char)(seed >> 24);
	}
}

/* Files that were written must be read for ever. */
static void is_what_it_was(void **state)
{
	(void)state;
	fill();
	assert_int_equal(payload_sum(bytes, 0), 0x1f06a6e9);
	assert_int_equal(payload_sum(bytes, 1), 0xc12f1150);
	assert_int_equal(payload_sum(bytes, 200), 0xf074da20);
}

static void sees_every_bit(void **state)
{
	(void)state;
	fill();
	for (size_t size = 1; size <= sizeof(bytes); size += 13) {
		uint32_t sum = payload_sum(bytes, size);

		for (size_t bit = 0; bit < 8 * size; bit++) {
			bytes[bit / 8] ^= 1u << bit % 8;
			assert_int_not_equal(payload_sum(bytes, size), sum);
			bytes[bit / 8] ^= 1u << bit % 8;
		}
	}
}

/* The highest bits of two words that are added to the same sum, for one. */
static void sees_every_two_bits(void **state)
{
	const size_t size = 100;
	uint32_t sum;

	(void)state;
	fill();
	sum = payload_sum(bytes, size);
	for (size_t a = 0; a < 8 * size; a++)
		for (size_t b = 0; b < a; b++) {
			bytes[a / 8] ^= 1u << a % 8;
			bytes[b / 8] ^= 1u << b % 8;
			assert_int_not_equal(payload_sum(bytes, size), sum);
			bytes[a / 8] ^= 1u << a % 8;
			bytes[b / 8] ^= 1u << b % 8;
		}
}

/* Zeroes at the end count, and so does the order of words. */
static void sees_size_and_order(void **state)
{
	uint64_t words[8] = { 0 };
	uint32_t sum = payload_sum(words, sizeof(words));

	(void)state;
	for (size_t size = 0; size < sizeof(words); size++)
		assert_int_not_equal(payload_sum(words, size), sum);
	for (size_t i = 0; i < 8; i++) {
		words[i] = 1;
		for (size_t j = 0; j < i; j++) {
			uint64_t other[8] = { 0 };

			other[j] = 1;
			assert_int_not_equal(payload_sum(words, sizeof(words)),
					     payload_sum(other, sizeof(other)));
		}
		words[i] = 0;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_what_it_was),
		cmocka_unit_test(sees_every_bit),
		cmocka_unit_test(sees_every_two_bits),
		cmocka_unit_test(sees_size_and_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
