// SPDX-License-Identifier: GPL-2.0
/* Lengths that were packed are those that they were, merged into few and into many others. */
#include <stdlib.h>

#include "base/util.h"
#include "profile/histogram.h"
#include "support.h"

static uint64_t state = 1;

/* Of any magnitude. */
static uint64_t any(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 1) >> (state >> 58);
}

static struct histogram *of(unsigned int nr)
{
	struct histogram *h = histogram_new();

	assert_non_null(h);
	for (unsigned int i = 0; i < nr; i++)
		assert_true(histogram_count(h, any()));
	return h;
}

static void assert_same(const struct histogram *a, const struct histogram *b)
{
	assert_int_equal(a->many, b->many);
	assert_int_equal(a->nr, b->nr);
	assert_int_equal(a->sum, b->sum);
	assert_int_equal(a->least, b->least);
	assert_int_equal(a->most, b->most);
	for (uint64_t i = 1; i <= a->nr; i++) {
		bool exact, other;

		assert_int_equal(histogram_ranked(a, i, &exact), histogram_ranked(b, i, &other));
		assert_int_equal(exact, other);
	}
}

/* Into a copy of what there is, before and after @from is packed; each single length then added last. */
static void merge_both(unsigned int nr_to, unsigned int nr_from)
{
	uint64_t seed = state;
	struct histogram *to[2], *from, *packed;

	to[0] = of(nr_to);
	state = seed;
	to[1] = of(nr_to);
	from = of(nr_from);
	packed = histogram_pack(from);
	assert_non_null(packed);
	assert_true(histogram_bytes(packed) < 200 + 12 * nr_from);
	assert_true(histogram_merge(to[0], from));
	assert_true(histogram_merge(to[1], packed));
	for (unsigned int i = 0; i < 2; i++) {
		assert_true(histogram_count(to[i], 5));
		histogram_finish(to[i]);
	}
	assert_int_equal(to[0]->nr, nr_to + nr_from + 1);
	assert_same(to[0], to[1]);
	histogram_free(packed);
	histogram_free(from);
	histogram_free(to[0]);
	histogram_free(to[1]);
}

static void packed_ones_are_the_same(void **unused)
{
	static const unsigned int nrs[] = { 0, 1, 2, 3, 31, 63, 64, 65, 127, 128, 129, 1000 };

	(void)unused;
	for (unsigned int i = 0; i < ARRAY_SIZE(nrs); i++)
		for (unsigned int k = 0; k < ARRAY_SIZE(nrs); k++)
			merge_both(nrs[i], nrs[k]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_ones_are_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
