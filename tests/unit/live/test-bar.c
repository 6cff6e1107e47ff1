// SPDX-License-Identifier: GPL-2.0
/* Shares as bars. */
#include <string.h>

#include "base/printable.h"
#include "live/bar.h"
#include "support.h"

static void assert_share(double share, unsigned int width, const char *want)
{
	char bar[BAR_SIZE];

	bar_share(bar, share, width);
	assert_string_equal(bar, want);
	assert_int_equal(printable_width(bar), width);
}

/* To an eighth of a column; what there is is seen, and only all fills it. */
static void test_share(void **state)
{
	(void)state;
	assert_share(0, 4, "    ");
	assert_share(0.5, 4, "\u2588\u2588  ");
	assert_share(1, 4, "\u2588\u2588\u2588\u2588");
	assert_share(0.28125, 4, "\u2588\u258f  ");
	assert_share(0.000001, 4, "\u258f   ");
	assert_share(0.999999, 4, "\u2588\u2588\u2588\u2589");
	assert_share(2, 4, "\u2588\u2588\u2588\u2588");
	assert_share(-1, 2, "  ");
	assert_share(0.0 / 0.0, 2, "  ");
}

/* Parts fill the width exactly, or none of it. */
static void test_parts(void **state)
{
	unsigned int columns[3];

	(void)state;
	bar_parts(columns, (uint64_t[]){ 1, 1, 1 }, 3, 8);
	assert_int_equal(columns[0] + columns[1] + columns[2], 8);
	assert_int_equal(columns[2], 2);
	bar_parts(columns, (uint64_t[]){ 0, 0, 0 }, 3, 8);
	assert_int_equal(columns[0] + columns[1] + columns[2], 0);
	bar_parts(columns, (uint64_t[]){ 5, 0, 0 }, 3, 8);
	assert_int_equal(columns[0], 8);
	bar_parts(columns, (uint64_t[]){ UINT64_MAX, UINT64_MAX, 0 }, 3, 8);
	assert_int_equal(columns[0], 4);
	assert_int_equal(columns[1], 4);
}

static void test_heights(void **state)
{
	char bar[BAR_SIZE];

	(void)state;
	bar_heights(bar, (uint64_t[]){ 0, 1, 1000000, 500000 }, 4);
	assert_string_equal(bar, " \u2581\u2588\u2584");
	bar_heights(bar, (uint64_t[]){ 0, 0 }, 2);
	assert_string_equal(bar, "  ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_heights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
