// SPDX-License-Identifier: GPL-2.0
/* Times, sizes and counts as people type them. */
#include "base/units.h"
#include "base/util.h"
#include "support.h"

static void times_are_sums_of_units_from_large_to_small(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} right[] = {
		{ "20", 20000000000 }, { "0", 0 }, { "1.5s", 1500000000 }, { "1m30s", 90000000000 },
		{ "1h2m3s4ms5us6ns", 3723004005006 }, { "2 ms", 2000000 }, { "1m0.5s", 60500000000 },
	};
	static const char *const wrong[] = {
		"", "x", "1s1m", "1s1s", "1ms1s", "1m30", "30 1m", "-1s", "nan", "inf", "1q", "1e18s", "2k",
	};
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		if (!units_time(right[i].text, &ns))
			fail_msg("'%s' is refused", right[i].text);
		assert_int_equal(ns, right[i].ns);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (units_time(wrong[i], &ns))
			fail_msg("'%s' is not refused", wrong[i]);
}

static void counts_have_units_of_1000(void **state)
{
	static const struct {
		const char *text;
		double count;
	} right[] = {
		{ "0", 0 }, { "5", 5 }, { "2.5e6", 2.5e6 }, { "2K", 2000 }, { "2k", 2000 }, { "69.4 k", 69400 },
		{ "512M", 512e6 }, { "1.5G", 1.5e9 }, { "3T", 3e12 }, { "2P", 2e15 }, { "1E", 1e18 },
	};
	static const char *const wrong[] = {
		"", "k", "2kk", "2kB", "2m", "2ms", "-2k", "inf", "nan", "2 ", "2Ki", "1e999",
	};
	double count;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		if (!units_count(right[i].text, &count))
			fail_msg("'%s' is refused", right[i].text);
		assert_float_equal(count, right[i].count, right[i].count * 1e-12);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (units_count(wrong[i], &count))
			fail_msg("'%s' is not refused", wrong[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_sums_of_units_from_large_to_small),
		cmocka_unit_test(counts_have_units_of_1000),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
