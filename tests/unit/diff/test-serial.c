// SPDX-License-Identifier: GPL-2.0
/* Dependence that is known is found, to about what it is; and seldom where there is none. */
#include <math.h>
#include <stdlib.h>

#include "diff/chance.h"
#include "diff/serial.h"
#include "support.h"

#define NR	400
#define TIMES	200

static const struct serial_limits limits = { 2.5, 3, 1.5 };

/* Each has @same of what the one before was off by; from begin to end all rise by @trend. */
static void make(double list[NR], double same, double trend)
{
	double off = normal();

	for (uint32_t i = 0; i < NR; i++) {
		off = same * off + sqrt(1 - same * same) * normal();
		list[i] = off + trend * i / NR;
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_factor(double same, double trend, unsigned int *found)
{
	double list[NR], factors[TIMES];

	*found = 0;
	for (int i = 0; i < TIMES; i++) {
		struct serial_side one, other;
		struct serial s;

		make(list, same, trend);
		one = serial_side_of(list, NR);
		make(list, same, trend);
		other = serial_side_of(list, NR);
		s = serial_of(&one, &other, 1, &limits);
		*found += s.factor > 1;
		factors[i] = s.factor;
	}
	qsort(factors, TIMES, sizeof(*factors), ascending);
	return factors[TIMES / 2];
}

static void independent_ones_are_seldom_widened(void **state)
{
	unsigned int found;

	(void)state;
	median_factor(0, 0, &found);
	print_message("# %u of %d\n", found, TIMES);
	/* Trends lead apart by 1.5 standard deviations in one of 15. */
	assert_true(found <= TIMES / 8);
}

/* The mean of those of which each is like the one before varies by (1 + r) / (1 - r) as much. */
static void each_like_the_one_before_is_found(void **state)
{
	unsigned int found;
	double factor = median_factor(0.8, 0, &found);

	(void)state;
	assert_int_equal(found, TIMES);
	/* The largest of all sizes of blocks, and of trends, is taken, to be sure. */
	if (factor < 7 || factor > 50)
		fail_msg("%g, not about 9", factor);
	median_factor(0.3, 0, &found);
	assert_true(found > TIMES * 9 / 10);
}

/* By what is between the middle and either end, in standard errors of the mean: 0.5 * sqrt(NR). */
static void a_trend_is_found(void **state)
{
	unsigned int found;
	double factor = median_factor(0, 1, &found);

	(void)state;
	assert_int_equal(found, TIMES);
	if (factor < 70 || factor > 140)
		fail_msg("%g, not about 100", factor);
}

/* One that is in neither alone, and would make the difference that there is. */
static void trends_that_lead_apart_are_found(void **state)
{
	const struct serial_side down = { .slope = -1.3 }, up = { .slope = 1.3 };

	(void)state;
	assert_float_equal(serial_of(&down, &up, 1, &limits).factor, 1 + 3 * 2.6 * 2.6 / 2, 1e-9);
	assert_float_equal(serial_of(&down, &up, -1, &limits).factor, 1, 0);
	assert_float_equal(serial_of(&up, &up, 1, &limits).factor, 1, 0);
}

static void of_few_or_of_the_same_nothing_is_found(void **state)
{
	double list[NR] = { 0 };
	struct serial_side side = serial_side_of(list, NR);

	(void)state;
	assert_float_equal(serial_of(&side, &side, 1, &limits).factor, 1, 0);
	for (uint32_t i = 0; i < SERIAL_LEAST; i++)
		list[i] = i;
	side = serial_side_of(list, SERIAL_LEAST - 1);
	assert_float_equal(serial_of(&side, &side, 1, &limits).factor, 1, 0);
	side = serial_side_of(list, SERIAL_LEAST);
	assert_true(serial_of(&side, &side, 1, &limits).factor > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(independent_ones_are_seldom_widened),
		cmocka_unit_test(each_like_the_one_before_is_found),
		cmocka_unit_test(a_trend_is_found),
		cmocka_unit_test(trends_that_lead_apart_are_found),
		cmocka_unit_test(of_few_or_of_the_same_nothing_is_found),
	};

	return cmocka_run_group_tests_name("serial", tests, NULL, NULL);
}
