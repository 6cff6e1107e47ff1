// SPDX-License-Identifier: GPL-2.0
/* Which columns go where there is little room. */
#include "live/layout.h"
#include "support.h"

#define NR	6u

static unsigned int shown(struct layout_column *c, unsigned int width)
{
	unsigned int bits = 0, used = 0, nr = 0;

	layout_fit(c, NR, width);
	for (unsigned int i = 0; i < NR; i++) {
		if (!c[i].shown)
			continue;
		bits |= 1u << i;
		used += c[i].width + (nr++ ? LAYOUT_GAP : 0);
	}
	/* A name and what is sorted by may be wider than the screen, and nothing else is there then. */
	if (nr > 1)
		assert_true(used <= width);
	return bits;
}

/* A name, page, digest, text, sorted by, only in files. */
static unsigned int shown_at(unsigned int width)
{
	struct layout_column c[NR] = {
		{ LAYOUT_NAME, 20, false }, { LAYOUT_PAGE, 5, false }, { LAYOUT_DIGEST, 5, false },
		{ LAYOUT_TEXT, 5, false }, { LAYOUT_SORTED, 5, false }, { LAYOUT_NOT, 1, false },
	};

	return shown(c, width);
}

static void test_ranks(void **state)
{
	(void)state;
	assert_int_equal(shown_at(100), 0x1f);
	assert_int_equal(shown_at(48), 0x1f);
	/* What the page has goes first, then what text has; names give way before the digest does. */
	assert_int_equal(shown_at(47), 0x1d);
	assert_int_equal(shown_at(40), 0x15);
	assert_int_equal(shown_at(34), 0x15);
	assert_int_equal(shown_at(27), 0x15);
	assert_int_equal(shown_at(25), 0x11);
	assert_int_equal(shown_at(19), 0x11);
	assert_int_equal(shown_at(18), 0x01);
	assert_int_equal(shown_at(3), 0x01);
	for (unsigned int width = 0; width < 60; width++)
		assert_true(shown_at(width) & 1);
}

/* Where a column has no room, none that is less important takes the place. */
static void test_no_overtaking(void **state)
{
	struct layout_column c[NR] = {
		{ LAYOUT_NAME, 10, false }, { LAYOUT_DIGEST, 30, false }, { LAYOUT_DIGEST, 5, false },
		{ LAYOUT_TEXT, 2, false }, { LAYOUT_PAGE, 2, false }, { LAYOUT_NOT, 1, false },
	};

	(void)state;
	assert_int_equal(shown(c, 30), 0x01);
	assert_int_equal(shown(c, 42), 0x03);
	assert_int_equal(shown(c, 49), 0x07);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_no_overtaking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
