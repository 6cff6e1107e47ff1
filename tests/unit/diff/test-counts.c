// SPDX-License-Identifier: GPL-2.0
/* Tests of counts: chances that books have, or that can be found by counting. */
#include <math.h>

#include "diff/counts.h"
#include "support.h"

#define NEAR	1e-9

static struct counts_test of(double k0, double n0, double k1, double n1)
{
	return counts_of((const double[]){ k0, k1 }, (const double[]){ n0, n1 });
}

static struct counts_test rates(double k0, double t0, double k1, double t1, double spread)
{
	return counts_rates((const double[]){ k0, k1 }, (const double[]){ t0, t1 }, spread);
}

/* Of four cups with milk first, and four with tea first, three are guessed right: 17 of 70. */
static void tea_is_tasted(void **state)
{
	(void)state;
	assert_float_equal(of(1, 4, 3, 4).p, 34. / 70, NEAR);
	assert_float_equal(of(3, 4, 1, 4).p, 34. / 70, NEAR);
	assert_float_equal(of(0, 4, 4, 4).p, 2. / 70, NEAR);
	assert_float_equal(of(1, 4, 3, 4).least, 2. / 70, NEAR);
	assert_float_equal(of(2, 4, 2, 4).p, 1, NEAR);
}

static void what_is_never_so_says_nothing(void **state)
{
	(void)state;
	assert_float_equal(of(0, 100, 0, 100).p, 1, NEAR);
	assert_float_equal(of(0, 100, 0, 100).least, 1, NEAR);
	assert_float_equal(of(100, 100, 50, 50).p, 1, NEAR);
}

/* Of three right of four, 16 of 70 are as far; an order among these says how many count. */
static void an_order_among_equal_counts_counts_a_part(void **state)
{
	const double k[] = { 1, 3 }, other[] = { 3, 1 }, n[] = { 4, 4 };

	(void)state;
	assert_float_equal(counts_of_ordered(k, n, (const double[]){ 1, 1 }), 34. / 70, NEAR);
	assert_float_equal(counts_of_ordered(k, n, (const double[]){ 1, 0.25 }), 2 * (1 + 4.) / 70,
			   NEAR);
	assert_float_equal(counts_of_ordered(other, n, (const double[]){ 0.25, 1 }),
			   2 * (1 + 4.) / 70, NEAR);
}

/* A million of each: as the normal distribution says. */
static void many_are_tested_as_few(void **state)
{
	double k0 = 10000, k1 = 10500, n = 1e6, share = (k0 + k1) / (2 * n);
	double z = (k1 - k0) / sqrt(2 * n * share * (1 - share));
	double p = of(k0, n, k1, n).p;

	(void)state;
	assert_float_equal(log(p), log(erfc(z / sqrt(2))), 0.05);
	assert_true(of(k0, n, 2 * k1, n).p < 1e-100);
}

/* Of 30 tosses of a coin, 20 or more are heads: 53009102 of 2^30. */
static void coins_are_tossed(void **state)
{
	double tail = 53009102. / 1073741824;

	(void)state;
	assert_float_equal(rates(10, 7, 20, 7, 0).p, 2 * tail, NEAR);
	assert_float_equal(rates(20, 7, 10, 7, 0).p, 2 * tail, NEAR);
	assert_float_equal(rates(0, 1, 0, 1, 0).p, 1, NEAR);
	/* As often as the times are long. */
	assert_float_equal(rates(100, 1, 300, 3, 0).p, 1, 0.1);
}

/* What rates are off for other reasons makes it less certain. */
static void a_spread_takes_certainty(void **state)
{
	double certain = rates(1000, 100, 1200, 100, 0).p;

	(void)state;
	assert_true(certain < 1e-4);
	assert_true(rates(1000, 100, 1200, 100, 0.04).p > certain);
	/* A difference of 2 with that variance and one of 0.22, so 1 and 1.1 / 5 off. */
	assert_float_equal(rates(1000, 100, 1200, 100, 4).p, erfc(2 / sqrt(2 * 4.22)), 1e-6);
}

/* Tables of t have 2.0017 for 5 % on two sides, and 58 degrees of freedom. */
static void means_are_tested_as_tables_say(void **state)
{
	struct counts_mean m[] = { { 100, 30, 30, 1 }, { 100 + 2.0017 * sqrt(2), 30, 30, 1 } };

	(void)state;
	assert_float_equal(counts_means(m).p, 0.05, 1e-4);
	m[1].mean = 100;
	assert_float_equal(counts_means(m).p, 1, NEAR);
	m[1].units = 29;
	assert_float_equal(counts_means(m).least, 1, NEAR);
}

/* Ninety that depend on each other say as much as thirty that do not, and no less than that. */
static void dependence_widens_and_refuses_nothing(void **state)
{
	struct counts_mean m[] = { { 100, 30, 90, 3 }, { 100 + 2.0017 * sqrt(2), 30, 90, 3 } };

	(void)state;
	assert_float_equal(counts_means(m).p, 0.05, 1e-4);
	m[0].factor = m[1].factor = 9;
	m[1].mean = 200;
	assert_true(counts_means(m).p < 1e-6);
	m[0].factor = m[1].factor = 60;
	assert_float_equal(counts_means(m).least, 1, NEAR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tea_is_tasted),
		cmocka_unit_test(what_is_never_so_says_nothing),
		cmocka_unit_test(an_order_among_equal_counts_counts_a_part),
		cmocka_unit_test(many_are_tested_as_few),
		cmocka_unit_test(coins_are_tossed),
		cmocka_unit_test(a_spread_takes_certainty),
		cmocka_unit_test(means_are_tested_as_tables_say),
		cmocka_unit_test(dependence_widens_and_refuses_nothing),
	};

	return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
