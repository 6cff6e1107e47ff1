// SPDX-License-Identifier: GPL-2.0
/* Groups of numbers come back as they were, whatever they are. */
#include "support.h"

#include <stdlib.h>

#include "cprof/numbers.h"

static uint64_t seed = 1;

static uint64_t random_word(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return seed ^ seed >> 29;
}

/* Returns the bytes that the group takes. */
static size_t check(const uint64_t *v, unsigned int nr)
{
	unsigned char *stored = malloc(NUMBERS_BOUND + NUMBERS_SLACK);
	uint64_t copy[CPROF_GROUP] = { 0 }, back[CPROF_GROUP];
	uint32_t got = 0;
	size_t size;

	memcpy(copy, v, nr * sizeof(*v));
	size = numbers_pack(stored, copy, nr);
	assert_true(size <= NUMBERS_BOUND);
	assert_ptr_equal(numbers_unpack(stored, stored + size, back, &got), stored + size);
	assert_int_equal(got, nr);
	assert_memory_equal(back, v, nr * sizeof(*v));
	assert_null(numbers_unpack(stored, stored + size - 1, back, &got));
	free(stored);
	return size;
}

static void every_width_and_length_comes_back(void **state)
{
	uint64_t v[CPROF_GROUP];

	(void)state;
	for (unsigned int bits = 0; bits <= 64; bits++)
		for (unsigned int nr = 1; nr <= CPROF_GROUP; nr++) {
			for (unsigned int i = 0; i < nr; i++)
				v[i] = bits ? random_word() >> (64 - bits) : 0;
			check(v, nr);
		}
}

static void numbers_of_many_sizes_come_back(void **state)
{
	uint64_t v[CPROF_GROUP];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		uint64_t base = round % 3 ? 0 : random_word() >> random_word() % 64;
		unsigned int nr = 1 + random_word() % CPROF_GROUP;

		for (unsigned int i = 0; i < nr; i++)
			v[i] = base + (random_word() >> (random_word() >> 8) % 64);
		check(v, nr);
	}
}

static void few_bits_take_few_bytes(void **state)
{
	uint64_t v[CPROF_GROUP] = { 0 };

	(void)state;
	assert_int_equal(check(v, CPROF_GROUP), sizeof(struct cprof_group));
	v[7] = UINT64_MAX;
	assert_int_equal(check(v, CPROF_GROUP), sizeof(struct cprof_group) + 1 + 8);
	for (unsigned int i = 0; i < CPROF_GROUP; i++)
		v[i] = (1ull << 60) + i % 4;
	assert_int_equal(check(v, CPROF_GROUP),
			 sizeof(struct cprof_group) + 8 + CPROF_GROUP * 2 / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_width_and_length_comes_back),
		cmocka_unit_test(numbers_of_many_sizes_come_back),
		cmocka_unit_test(few_bits_take_few_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
