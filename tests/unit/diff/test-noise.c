// SPDX-License-Identifier: GPL-2.0
/* Chances, held against what counting all the ways gives, and against chance itself. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/util.h"
#include "diff/noise.h"

#define MOST	64

static double tested(const double *old, uint32_t nr_old, const double *new, uint32_t nr_new,
		     int *sign)
{
	double lists[2][MOST];
	struct group groups[2] = { { lists[0], nr_old }, { lists[1], nr_new } };

	memcpy(lists[0], old, nr_old * sizeof(double));
	memcpy(lists[1], new, nr_new * sizeof(double));
	return noise_test(&groups[0], &groups[1], sign);
}

static double rank_of(const double *list, uint32_t nr, double value)
{
	double below = 0, same = 0;

	for (uint32_t i = 0; i < nr; i++) {
		below += list[i] < value;
		same += list[i] == value;
	}
	return below + (same + 1) / 2;
}

/* Over all ways to choose as many of all figures as there are new ones. */
static double counted(const double *list, uint32_t nr, uint32_t nr_old)
{
	double far = 0, found = 0, all = 0, mean = (nr - nr_old) * (nr + 1) / 2.0;

	for (uint32_t i = nr_old; i < nr; i++)
		far += rank_of(list, nr, list[i]);
	for (uint32_t set = 0; set < 1u << nr; set++) {
		double sum = 0;

		if ((uint32_t)__builtin_popcount(set) != nr - nr_old)
			continue;
		for (uint32_t i = 0; i < nr; i++)
			sum += set >> i & 1 ? rank_of(list, nr, list[i]) : 0;
		found += fabs(sum - mean) >= fabs(far - mean);
		all++;
	}
	return found / all;
}

static void chances_of_few_are_counted(void **state)
{
	static const struct {
		uint32_t old, new;
		double list[12];
	} cases[] = {
		{ 4, 4, { 1, 2, 3, 4, 5, 6, 7, 8 } },
		{ 4, 4, { 1, 2, 5, 6, 3, 4, 7, 8 } },
		{ 5, 7, { 1, 9, 3, 7, 5, 2, 4, 6, 8, 10, 12, 11 } },
		{ 3, 6, { 2, 2, 2, 1, 2, 3, 3, 3, 4 } },
		{ 2, 5, { -1, 0, 0, 0, 1, 1, 7 } },
	};
	int sign;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t old = cases[i].old, new = cases[i].new;
		double p = tested(cases[i].list, old, cases[i].list + old, new, &sign);

		if (fabs(p - counted(cases[i].list, old + new, old)) > 1e-12)
			fail_msg("case %zu: %g", i, p);
	}
}

static void same_figures_are_noise(void **state)
{
	double same[20];
	int sign;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		same[i] = 7;
	assert_float_equal(tested(same, 10, same, 10, &sign), 1, 0);
	assert_int_equal(sign, 0);
	assert_float_equal(tested(same, 20, same, 20, &sign), 1, 0);
}

static void the_least_chance_is_of_groups_apart(void **state)
{
	double low[20], high[20];
	int sign;

	(void)state;
	for (int i = 0; i < 20; i++) {
		low[i] = i;
		high[i] = 100 + i;
	}
	for (uint32_t nr = 1; nr <= 16; nr++) {
		assert_float_equal(tested(low, nr, high, nr, &sign), noise_least(nr, nr), 1e-12);
		assert_int_equal(sign, 1);
	}
	/* From where the normal distribution stands in, no chance is too small. */
	assert_true(tested(high, 20, low, 20, &sign) >= noise_least(20, 20));
	assert_true(tested(high, 20, low, 20, &sign) < 1e-6);
	assert_int_equal(sign, -1);
}

static double next(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (double)(*random >> 11) / 0x1p53;
}

/* Of draws without a difference, a share of p have a chance of p or less. */
static void noise_is_called_so(void **state)
{
	static const uint32_t sizes[][2] = { { 8, 12 }, { 16, 16 }, { 30, 30 }, { 12, 50 } };
	uint64_t random = 1;
	int sign;

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		uint32_t below = 0;

		for (int draw = 0; draw < 2000; draw++) {
			double old[MOST], new[MOST];

			for (uint32_t i = 0; i < MOST; i++) {
				/* As slices are: most are short, some are long. */
				old[i] = exp(4 * next(&random));
				new[i] = exp(4 * next(&random));
			}
			below += tested(old, sizes[s][0], new, sizes[s][1], &sign) <= 0.05;
		}
		if (below > 130 || below < 60)
			fail_msg("%u and %u: %u of 2000 below 0.05", sizes[s][0], sizes[s][1],
				 below);
	}
}

/* Of two modes, 1 and 5, half of which are in the upper one, each of 30; without a difference. */
static void modes_are_tested_to_their_chance(void **state)
{
	uint64_t random = 1;
	uint32_t below = 0;
	double end;

	(void)state;
	for (int draw = 0; draw < 2000; draw++) {
		double lists[2][30];
		struct group groups[2] = { { lists[0], 30 }, { lists[1], 30 } };
		int sign;

		for (uint32_t i = 0; i < 60; i++)
			lists[i % 2][i / 2] = (next(&random) < 0.5 ? 1 : 5) + 0.1 * next(&random);
		noise_test(&groups[0], &groups[1], &sign);
		below += noise_modes(groups, &end) <= 0.05;
		assert_true(end > 1 && end < 1.2);
	}
	if (below > 130 || below < 70)
		fail_msg("%u of 2000 below 0.05", below);
}

static void one_mode_is_none_of_two(void **state)
{
	double lists[2][MOST];
	struct group groups[2] = { { lists[0], MOST }, { lists[1], MOST } };
	uint64_t random = 1;
	double end;
	int sign;

	(void)state;
	for (uint32_t i = 0; i < 2 * MOST; i++)
		lists[i % 2][i / 2] = exp(next(&random) + next(&random));
	noise_test(&groups[0], &groups[1], &sign);
	assert_float_equal(noise_modes(groups, &end), NOISE_NO_MODES, 0);
}

static void spread_is_known_of_two(void **state)
{
	double list[] = { 2, 4, 4, 4, 5, 5, 7, 9 };

	(void)state;
	assert_true(noise_spread(&(struct group){ list, 1 }) < 0);
	assert_float_equal(noise_spread(&(struct group){ list, 8 }), sqrt(32.0 / 7), 1e-12);
}

/* Holm: the smallest is multiplied by how many there are, the next by one less. */
static void many_tests_make_chances_larger(void **state)
{
	double p[] = { 0.001, 0.004, 0.0041, 0.3, 0.9 };
	double *list[] = { &p[0], &p[1], &p[2], &p[3], &p[4] };

	(void)state;
	noise_correct(list, 5);
	assert_float_equal(p[0], 0.005, 1e-12);
	assert_float_equal(p[1], 0.016, 1e-12);
	assert_float_equal(p[2], 0.016, 1e-12);
	assert_float_equal(p[3], 0.6, 1e-12);
	assert_float_equal(p[4], 0.9, 1e-12);
}

/* Tarone: tests that can't say anything are no others' burden. */
static void tests_of_too_few_are_left_out(void **state)
{
	double able[] = { 0.2, 1e-9, 0.004, 1e-9, 1, 0.006 };
	double none[] = { 0.2, 1 };

	(void)state;
	/* Of 0.01 / 2 there are three, of 0.01 / 3 two, which is no more than 3. */
	assert_float_equal(noise_limit(able, ARRAY_SIZE(able)), 0.01 / 3, 1e-12);
	assert_float_equal(noise_limit(none, 2), 0.01, 1e-12);
	assert_float_equal(noise_limit(none, 0), 0.01, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chances_of_few_are_counted),
		cmocka_unit_test(same_figures_are_noise),
		cmocka_unit_test(the_least_chance_is_of_groups_apart),
		cmocka_unit_test(noise_is_called_so),
		cmocka_unit_test(modes_are_tested_to_their_chance),
		cmocka_unit_test(one_mode_is_none_of_two),
		cmocka_unit_test(spread_is_known_of_two),
		cmocka_unit_test(many_tests_make_chances_larger),
		cmocka_unit_test(tests_of_too_few_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
