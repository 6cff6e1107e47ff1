// SPDX-License-Identifier: GPL-2.0
/* Drifts whose means and trends are known explain differences, and none that have no trend. */
#include <math.h>

#include "diff/drift.h"
#include "diff/noise.h"
#include "support.h"

#define COROUTINES	100
#define LABELS		3

/*
 * A figure of 100, whose mean on either side varies by 1. By so many standard deviations means
 * differ by, and trends are off, coroutines of each side.
 */
static struct model_change label(double off, double old, double new)
{
	double change = off * M_SQRT2;
	struct model_side side = { .units = COROUTINES, .error = 1 };
	struct model_change c = {
		.figure = "instructions/slice", .side = { side, side }, .change = change / 100,
		.p = noise_t(off, INFINITY), .factor = 1,
	};

	c.side[MODEL_OLD].value = 100;
	c.side[MODEL_NEW].value = 100 + change;
	c.side[MODEL_OLD].trend = old;
	c.side[MODEL_NEW].trend = new;
	return c;
}

/* The first of these. */
static bool explained(const struct model_change list[LABELS])
{
	struct drifts drifts = { 0 };
	bool is;

	for (unsigned int i = 0; i < LABELS; i++)
		assert_int_equal(drifts_add(&drifts, &list[i]), 0);
	is = drifts_explain(&drifts, &list[0], &list[0]);
	drifts_free(&drifts);
	return is;
}

#define LIST(...)	explained((const struct model_change[LABELS]){ __VA_ARGS__ })

/* From 0 to 10: 5 in the mean, and a trend of 10 / sqrt(12). */
static void a_drift_of_all_explains_what_it_makes(void **state)
{
	double off = 5 / M_SQRT2, trend = 10 / sqrt(12);

	(void)state;
	assert_true(LIST(label(off, 0, trend), label(off, 0, trend), label(off, 0, trend)));
	assert_true(LIST(label(-off, trend, 0), label(-off, trend, 0), label(-off, trend, 0)));
	/* They settle. */
	assert_true(LIST(label(off, 0, -trend), label(off, 0, -trend), label(off, 0, -trend)));
}

static void a_change_has_no_trend(void **state)
{
	double off = 5 / M_SQRT2;

	(void)state;
	assert_false(LIST(label(off, 0, 0), label(0, 0, 0), label(0, 0, 0)));
	assert_false(LIST(label(off, 0, 0), label(off, 0, 0), label(off, 0, 0)));
	assert_false(LIST(label(off, 0, 0), label(-off, 0, 0), label(0, 0, 0)));
}

/* It has another direction, or is as large as to make a part of the difference. */
static void a_trend_that_is_no_reason_explains_nothing(void **state)
{
	double trend = 10 / sqrt(12);

	(void)state;
	assert_false(LIST(label(20, 0, trend), label(0, 0, trend), label(0, 0, trend)));
	/* Both have it: a list grows in both. */
	assert_false(LIST(label(20, 9, 9), label(0, 9, 9), label(0, 9, 9)));
	assert_false(LIST(label(5, 9, 9), label(0, 9, 9), label(0, 9, 9)));
	assert_true(LIST(label(2, 9, 9), label(0, 9, 9), label(0, 9, 9)));
}

static void nothing_is_known_of_what_never_varies(void **state)
{
	struct model_change c = label(5, 3, -3);

	(void)state;
	c.side[MODEL_OLD].error = c.side[MODEL_NEW].error = 0;
	assert_false(LIST(c, c, c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_drift_of_all_explains_what_it_makes),
		cmocka_unit_test(a_change_has_no_trend),
		cmocka_unit_test(a_trend_that_is_no_reason_explains_nothing),
		cmocka_unit_test(nothing_is_known_of_what_never_varies),
	};

	return cmocka_run_group_tests_name("drift", tests, NULL, NULL);
}
