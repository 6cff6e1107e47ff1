// SPDX-License-Identifier: GPL-2.0
/* Numbers as people read them, with their marks. */
#include <math.h>

#include "gen/recording.h"
#include "tables/figure.h"

static void formats(enum kind kind, uint64_t number, const char *as)
{
	char text[FIGURE_SIZE];

	figure_cell(text, kind, (struct cell){ .number = number });
	assert_string_equal(text, as);
}

static void formats_fraction(enum kind kind, double fraction, const char *as)
{
	char text[FIGURE_SIZE];

	figure_cell(text, kind, (struct cell){ .fraction = fraction });
	assert_string_equal(text, as);
}

static void marks(enum standing standing, const char *as)
{
	char text[FIGURE_SIZE];

	figure_cell(text, KIND_EVENTS, (struct cell){
		.standing = standing, .number = standing < STANDING_NA ? 1500 : 0 });
	assert_string_equal(text, as);
}

static void has_three_digits_and_a_unit(void **state)
{
	(void)state;
	formats(KIND_NS, 0, "0 ns");
	formats(KIND_NS, 999, "999 ns");
	formats(KIND_NS, 1000, "1.00 us");
	formats(KIND_NS, 9994, "9.99 us");
	formats(KIND_NS, 9996, "10.0 us");
	formats(KIND_NS, 99960, "100 us");
	formats(KIND_NS, 999400, "999 us");
	formats(KIND_NS, 999600, "1.00 ms");
	formats(KIND_NS, 1234567890, "1.23 s");
	formats(KIND_NS, 59940000000, "59.9 s");
	formats(KIND_NS, 59980000000, "1 min 0 s");
	formats(KIND_NS, 190400000000, "3 min 10 s");
	formats(KIND_NS, 3599600000000, "1 h 0 min");
	formats(KIND_NS, 7514000000000, "2 h 5 min");
	formats(KIND_EVENTS, 0, "0");
	formats(KIND_EVENTS, 999, "999");
	formats(KIND_EVENTS, 1000, "1.00 k");
	formats(KIND_EVENTS, 999600, "1.00 M");
	formats(KIND_EVENTS, UINT64_MAX, "18.4 E");
	formats(KIND_COUNT, 1234567, "1234567");
	formats(KIND_ID, UINT64_MAX, "18446744073709551615");
}

/* So that it may be given to --from. */
static void has_all_digits_of_when_something_was(void **state)
{
	(void)state;
	formats(KIND_TIME, 0, "0 ns");
	formats(KIND_TIME, 999, "999 ns");
	formats(KIND_TIME, 4163201, "4.163201 ms");
	formats(KIND_TIME, 4163200, "4.163200 ms");
	formats(KIND_TIME, 4160000, "4.160 ms");
	formats(KIND_TIME, 100000000, "100 ms");
	formats(KIND_TIME, 1000000001, "1.000000001 s");
	formats(KIND_TIME, 123456789000000, "123456.789 s");
	formats(KIND_TIME, UINT64_MAX, "18446744073.709551615 s");
}

static void makes_numbers_of_measures_of_any_size(void **state)
{
	(void)state;
	assert_int_equal(figure_whole(0), 0);
	assert_int_equal(figure_whole(1.4), 1);
	assert_int_equal(figure_whole(1.5), 2);
	assert_int_equal(figure_whole(0x1p63), UINT64_C(1) << 63);
	assert_int_equal(figure_whole(0x1p64), UINT64_MAX);
	assert_int_equal(figure_whole(1e300), UINT64_MAX);
}

static void fractions_are_never_a_false_zero(void **state)
{
	(void)state;
	formats_fraction(KIND_RATIO, 1.375, "1.38");
	formats_fraction(KIND_RATIO, 0, "0.00");
	formats_fraction(KIND_RATIO, 0.004, "<0.01");
	formats_fraction(KIND_SHARE, 0, "0.0 %");
	formats_fraction(KIND_SHARE, 0.0004, "<0.1 %");
	formats_fraction(KIND_SHARE, 0.0005, "0.1 %");
	formats_fraction(KIND_SHARE, 1, "100.0 %");
}

static void changes(double change, enum standing standing, const char *as)
{
	char text[FIGURE_SIZE];

	figure_change(text, standing, change);
	assert_string_equal(text, as);
}

static void a_change_that_nobody_reads_as_a_share_is_so_many_times(void **state)
{
	(void)state;
	changes(0, STANDING_COUNTED, "+0.0 %");
	changes(-0.999, STANDING_COUNTED, "-99.9 %");
	changes(98.9, STANDING_COUNTED, "+9890.0 %");
	changes(99, STANDING_COUNTED, "100 times");
	changes(261600683656.29, STANDING_SCALED, "~262 G times");
	changes(INFINITY, STANDING_COUNTED, "18.4 E times");
}

static void bounds(enum standing standing, const char *as)
{
	char text[FIGURE_SIZE];

	figure_cell(text, KIND_SHARE, (struct cell){ .standing = standing, .fraction = 0.0004 });
	assert_string_equal(text, as);
}

/* At least less than something is no bound, and at most less than it says it twice. */
static void a_bound_that_is_small_bounds(void **state)
{
	(void)state;
	bounds(STANDING_COUNTED, "<0.1 %");
	bounds(STANDING_SCALED, "~<0.1 %");
	bounds(STANDING_AT_LEAST, ">=0.0 %");
	bounds(STANDING_AT_MOST, "<=0.1 %");
	bounds(STANDING_AT_MOST_SCALED, "<=~0.1 %");
}

static void says_how_far_a_figure_goes(void **state)
{
	(void)state;
	marks(STANDING_COUNTED, "1.50 k");
	marks(STANDING_AT_LEAST, ">=1.50 k");
	marks(STANDING_AT_MOST, "<=1.50 k");
	marks(STANDING_SCALED, "~1.50 k");
	marks(STANDING_AT_MOST_SCALED, "<=~1.50 k");
	marks(STANDING_NA, "n/a");
	marks(STANDING_NONE, "-");
	marks(STANDING_NOT_SCHEDULED, "not scheduled");
	marks(STANDING_UNSUPPORTED, "unsupported");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_three_digits_and_a_unit),
		cmocka_unit_test(has_all_digits_of_when_something_was),
		cmocka_unit_test(makes_numbers_of_measures_of_any_size),
		cmocka_unit_test(fractions_are_never_a_false_zero),
		cmocka_unit_test(a_change_that_nobody_reads_as_a_share_is_so_many_times),
		cmocka_unit_test(a_bound_that_is_small_bounds),
		cmocka_unit_test(says_how_far_a_figure_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
