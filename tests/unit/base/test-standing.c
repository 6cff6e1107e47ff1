// SPDX-License-Identifier: GPL-2.0
/*
 * The table of how standings combine, against figures whose true values are known: of each
 * standing these lie where it says that they may lie. What is made of two figures is made of the
 * true ones as well, and the table has to claim what holds of all of these, and no less.
 */
#include <float.h>
#include <math.h>

#include "base/standing.h"
#include "base/util.h"
#include "support.h"

#define TRUTHS	6
#define MAXIMUM	COMBINE_NR	/* has no rows of its own: it is as a sum */
#define NEAR	0.00999		/* less than 1 % */

/**
 * struct truths - where the true value of a figure may be
 */
struct truths {
	unsigned int nr;
	double of[TRUTHS];
};

/* @exact: estimates hit what they estimate, but for scaled ones, of which a part may be missing. */
static struct truths truths_of(enum standing s, double x, bool exact)
{
	switch (s) {
	case STANDING_COUNTED:
		return (struct truths){ 1, { x } };
	case STANDING_AT_LEAST:
		return (struct truths){ 4, { x, 1.001 * x, 3 * x, 1000 * x } };
	case STANDING_AT_MOST:
		return (struct truths){ 4, { x, 0.999 * x, x / 3, x / 1000 } };
	case STANDING_SCALED:
		return (struct truths){ 5, { x / 1000, x / 3, x, 3 * x, 1000 * x } };
	case STANDING_AT_MOST_SCALED:
		return (struct truths){ exact ? 4 : 6,
					{ x, 0.999 * x, x / 3, x / 1000, 1.2 * x, 3 * x } };
	case STANDING_APPROXIMATE:
		return (struct truths){ exact ? 1 : 3, { x, (1 - NEAR) * x, (1 + NEAR) * x } };
	case STANDING_NONE:
		return (struct truths){ 1, { 0 } };
	default:
		return (struct truths){ 4, { 0, 1, 1000, 1e9 } };
	}
}

static double made(enum combine how, double a, double b)
{
	switch (how) {
	case COMBINE_SUM:
		return a + b;
	case MAXIMUM:
		return fmax(a, b);
	case COMBINE_MIN:
		return fmin(a, b);
	case COMBINE_DIFFERENCE:
		return a - b;
	case COMBINE_PRODUCT:
		return a * b;
	case COMBINE_QUOTIENT:
		return a / b;
	default:
		return a / b - 1;
	}
}

/* What is shown: a figure that is not there is none of those of which the least is taken. */
static double shown(enum combine how, enum standing one, double a, enum standing other, double b)
{
	if (how == COMBINE_MIN && !standing_has_value(other))
		return a;
	if (how == COMBINE_MIN && !standing_has_value(one))
		return b;
	return made(how, a, b);
}

/**
 * struct held - what holds of all true values beside the figures that are shown
 * @below: some of them is less
 */
struct held {
	bool same;
	bool near;
	bool at_least;
	bool at_most;
	bool below;
};

static void hold(struct held *h, double figure, double truth)
{
	double off = 1e-9 * fmax(fabs(figure), fabs(truth));

	h->same &= fabs(truth - figure) <= off;
	h->near &= fabs(truth - figure) < 0.01 * fabs(figure) + off;
	h->at_least &= truth >= figure - off;
	h->at_most &= truth <= figure + off;
	h->below |= truth < figure - off;
}

static const double figures[] = { 1, 7, 999, 1000, 1e6 };

static struct held held_of(enum combine how, enum standing one, enum standing other, bool exact)
{
	struct held h = { true, true, true, true, false };

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		for (size_t k = 0; k < ARRAY_SIZE(figures); k++) {
			double a = standing_has_value(one) ? figures[i] : 0;
			double b = standing_has_value(other) ? figures[k] : 0;
			const struct truths as = truths_of(one, a, exact),
					    bs = truths_of(other, b, exact);

			for (unsigned int m = 0; m < as.nr; m++)
				for (unsigned int n = 0; n < bs.nr; n++)
					hold(&h, shown(how, one, a, other, b),
					     made(how, as.of[m], bs.of[n]));
		}
	return h;
}

static bool is_even(enum standing s)
{
	return s == STANDING_COUNTED || s == STANDING_APPROXIMATE || s == STANDING_SCALED ||
	       s == STANDING_NONE;
}

/* Whether what is off by a small share gives what is off by a small share. */
static bool is_steady(enum combine how)
{
	const double off[] = { -1e-5, 0, 1e-5 };
	double worst = 0;

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		for (size_t k = 0; k < ARRAY_SIZE(figures); k++)
			for (size_t m = 0; m < 9; m++) {
				double figure = made(how, figures[i], figures[k]);
				double truth = made(how, figures[i] * (1 + off[m / 3]),
						    figures[k] * (1 + off[m % 3]));

				if (truth != figure)
					worst = fmax(worst, fabs(truth - figure) /
								    fmax(fabs(figure), DBL_MIN));
			}
	return worst < 1e-4;
}

/* Where nothing bounds it: whether it is an estimate all the same. */
static bool is_estimate(enum combine how, enum standing one, enum standing other)
{
	return is_steady(how) || (is_even(one) && is_even(other));
}

static bool adds(enum combine how)
{
	return how == COMBINE_SUM || how == MAXIMUM || how == COMBINE_MIN;
}

static enum standing same_or_na(enum standing one, enum standing other)
{
	return one == other ? one : STANDING_NA;
}

/* Of figures of which one is missing that has to be there; STANDING_NR: none is. */
static enum standing without(enum combine how, enum standing one, enum standing other)
{
	bool has_one = standing_has_value(one), has_other = standing_has_value(other);

	if (has_one && has_other)
		return STANDING_NR;
	if (how == COMBINE_CHANGE)
		return STANDING_NA;
	if (how == COMBINE_DIFFERENCE)
		return has_one ? STANDING_NR : one == STANDING_NONE ? one :
		       has_other || other == STANDING_NONE ? one : same_or_na(one, other);
	if (adds(how)) {
		if (one == STANDING_NONE)
			return other;
		if (other == STANDING_NONE)
			return one;
		return has_one || has_other ? STANDING_NR : same_or_na(one, other);
	}
	if (one == STANDING_NONE || other == STANDING_NONE)
		return STANDING_NONE;
	return has_one ? other : has_other ? one : same_or_na(one, other);
}

static enum standing true_standing(enum combine how, enum standing one, enum standing other)
{
	enum standing none = without(how, one, other);
	struct held h = held_of(how, one, other, false), exact = held_of(how, one, other, true);

	if (none != STANDING_NR)
		return none;
	if (h.same)
		return STANDING_COUNTED;
	if (h.near)
		return STANDING_APPROXIMATE;
	if (h.at_least || h.at_most)
		return h.at_least ? STANDING_AT_LEAST : STANDING_AT_MOST;
	if (exact.at_most && exact.below)
		return STANDING_AT_MOST_SCALED;
	return is_estimate(how, one, other) ? STANDING_SCALED : STANDING_NA;
}

static void claims_what_holds_of_all_true_values_and_no_less(void **state)
{
	unsigned int wrong = 0;

	(void)state;
	for (enum combine how = 0; how <= MAXIMUM; how++)
		for (enum standing one = 0; one < STANDING_NR; one++)
			for (enum standing other = 0; other < STANDING_NR; other++) {
				enum standing has = standing_combined(
					how == MAXIMUM ? COMBINE_SUM : how, one, other);
				enum standing is = true_standing(how, one, other);

				if (has == is)
					continue;
				wrong++;
				print_message("# %s of %s and %s: is %s, the table has %s\n",
					      how == MAXIMUM ? "max" : combine_name(how),
					      standing_name(one), standing_name(other),
					      standing_name(is), standing_name(has));
			}
	assert_int_equal(wrong, 0);
}

static bool is_refuted(enum standing claim, const struct held *h, const struct held *exact)
{
	switch (claim) {
	case STANDING_COUNTED:
		return !h->same;
	case STANDING_APPROXIMATE:
		return !h->near;
	case STANDING_AT_LEAST:
		return !h->at_least;
	case STANDING_AT_MOST:
		return !h->at_most;
	case STANDING_AT_MOST_SCALED:
		return !exact->at_most;
	default:
		return false;
	}
}

static void hold_of_three(struct held *h, const enum combine how[2], const enum standing of[3],
			  bool exact)
{
	const double x[] = { 7, 1000, 6 };
	const struct truths a = truths_of(of[0], x[0], exact), b = truths_of(of[1], x[1], exact),
			    c = truths_of(of[2], x[2], exact);
	double figure = made(how[1], made(how[0], x[0], x[1]), x[2]);

	*h = (struct held){ true, true, true, true, false };
	for (unsigned int m = 0; m < a.nr * b.nr * c.nr; m++)
		hold(h, figure, made(how[1], made(how[0], a.of[m % a.nr], b.of[m / a.nr % b.nr]),
				     c.of[m / a.nr / b.nr]));
}

/* What a standing does not say, such as that an estimate lacks a part, is not lost on the way. */
static void claims_nothing_false_of_what_is_made_of_what_was_made(void **state)
{
	unsigned int checked = 0;

	(void)state;
	for (enum combine first = 0; first < COMBINE_NR; first++)
		for (enum combine second = 0; second < COMBINE_NR; second++)
			for (unsigned int at = 0; at < STANDING_NA * STANDING_NA * STANDING_NA;
			     at++) {
				const enum combine how[] = { first, second };
				const enum standing of[] = { at % STANDING_NA,
							     at / STANDING_NA % STANDING_NA,
							     at / STANDING_NA / STANDING_NA };
				enum standing between = standing_combined(first, of[0], of[1]);
				struct held h, exact;

				/* Below 0 a product turns bounds: see metric_cell(). */
				if (first == COMBINE_DIFFERENCE || first == COMBINE_CHANGE ||
				    !standing_has_value(between))
					continue;
				hold_of_three(&h, how, of, false);
				hold_of_three(&exact, how, of, true);
				assert_false(is_refuted(standing_combined(second, between, of[2]),
							&h, &exact));
				checked++;
			}
	assert_true(checked > 4000);
}

/* Rows are added up, and looked through, in any order. */
static void sums_and_extremes_do_not_depend_on_the_order(void **state)
{
	const enum combine hows[] = { COMBINE_SUM, COMBINE_MIN };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hows); i++)
		for (enum standing a = 0; a < STANDING_NR; a++)
			for (enum standing b = 0; b < STANDING_NR; b++) {
				enum standing ab = standing_combined(hows[i], a, b);

				assert_int_equal(ab, standing_combined(hows[i], b, a));
				for (enum standing c = 0; c < STANDING_NR; c++)
					assert_int_equal(standing_combined(hows[i], ab, c),
							 standing_combined(
								 hows[i], a,
								 standing_combined(hows[i], b, c)));
			}
}

/* What is made of one figure, where the other is what is missing, or too much. */
static void lacks_and_exceeds_as_by_something_unknown(void **state)
{
	(void)state;
	for (enum standing s = 0; s < STANDING_NR; s++) {
		enum standing less = standing_alone(ALONE_LACKS, s),
			      more = standing_alone(ALONE_EXCEEDS, s);

		if (!standing_has_value(s)) {
			assert_int_equal(less, s);
			assert_int_equal(more, s);
			continue;
		}
		assert_int_equal(less, standing_combined(COMBINE_SUM, s, STANDING_NA));
		assert_int_equal(standing_lacking(s, true), less);
		assert_int_equal(standing_lacking(s, false), s);
		/*
		 * Of a sum of many some is too much: what is left of it is no more unknown than
		 * that.
		 */
		assert_int_equal(more, s == STANDING_AT_LEAST ? STANDING_SCALED : s == STANDING_SCALED ?
				       STANDING_AT_MOST_SCALED : standing_combined(COMBINE_DIFFERENCE, s, STANDING_NA));
		assert_int_equal(standing_alone(ALONE_LACKS, more), STANDING_SCALED);
	}
}

/* Those that were not seen may be larger, or smaller. */
static void a_mean_of_some_of_them_is_an_estimate(void **state)
{
	(void)state;
	for (enum standing s = 0; s < STANDING_NR; s++)
		assert_int_equal(standing_alone(ALONE_MEAN, s),
				 s == STANDING_AT_LEAST ? STANDING_SCALED : s);
}

/* For the test of the page: what, the standings of both figures, and what becomes of them. */
static int print_table(void)
{
	for (enum combine how = 0; how < COMBINE_NR; how++)
		for (enum standing one = 0; one < STANDING_NR; one++)
			for (enum standing other = 0; other < STANDING_NR; other++)
				printf("%s\t%s\t%s\t%s\n", combine_name(how), standing_name(one),
				       standing_name(other),
				       standing_name(standing_combined(how, one, other)));
	for (enum alone how = 0; how < ALONE_NR; how++)
		for (enum standing of = 0; of < STANDING_NR; of++)
			printf("%s\t%s\t\t%s\n", alone_name(how), standing_name(of),
			       standing_name(standing_alone(how, of)));
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claims_what_holds_of_all_true_values_and_no_less),
		cmocka_unit_test(claims_nothing_false_of_what_is_made_of_what_was_made),
		cmocka_unit_test(sums_and_extremes_do_not_depend_on_the_order),
		cmocka_unit_test(lacks_and_exceeds_as_by_something_unknown),
		cmocka_unit_test(a_mean_of_some_of_them_is_an_estimate),
	};

	if (argc > 1 && !strcmp(argv[1], "table"))
		return print_table();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
