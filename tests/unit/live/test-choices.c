// SPDX-License-Identifier: GPL-2.0
/* What keys do, without a terminal. */
#include "live/choices.h"
#include "support.h"

static struct choices c;

static int begin(void **state)
{
	(void)state;
	choices_begin(&c);
	choices_ticks(&c, 10, 30, 30);
	choices_rows(&c, 100, 20);
	return 0;
}

static void press(int key, enum action action)
{
	assert_int_equal(choices_key(&c, key), action);
}

static void type(const char *text)
{
	for (; *text; text++)
		press((unsigned char)*text, ACTION_DRAW);
}

static void test_views(void **state)
{
	(void)state;
	assert_string_equal(choices_views[c.view], "labels");
	press(KEY_OF_TAB, ACTION_DRAW);
	assert_string_equal(choices_views[c.view], "coroutines");
	press(KEY_OF_BACK_TAB, ACTION_DRAW);
	press(KEY_OF_BACK_TAB, ACTION_DRAW);
	assert_int_equal(c.view, choices_nr_views - 1);
	/* One without anything in it is stepped over; alone there is nowhere to go. */
	c.views = 1u << 0 | 1u << 3;
	c.view = 0;
	press(KEY_OF_TAB, ACTION_DRAW);
	assert_int_equal(c.view, 3);
	press(KEY_OF_TAB, ACTION_DRAW);
	assert_int_equal(c.view, 0);
	c.views = 1;
	press(KEY_OF_TAB, ACTION_NONE);
}

static void test_rows(void **state)
{
	(void)state;
	press(KEY_OF_UP, ACTION_NONE);
	press(KEY_OF_DOWN, ACTION_DRAW);
	assert_int_equal(c.row, 1);
	press(KEY_OF_PAGE_DOWN, ACTION_DRAW);
	assert_int_equal(c.row, 21);
	for (int i = 0; i < 10; i++)
		choices_key(&c, KEY_OF_PAGE_DOWN);
	assert_int_equal(c.row, 99);
	/* Rows that are gone are not selected. */
	choices_rows(&c, 3, 20);
	assert_int_equal(c.row, 2);
	press(KEY_OF_HOME, ACTION_DRAW);
	choices_rows(&c, 0, 20);
	press(KEY_OF_DOWN, ACTION_NONE);
	assert_int_equal(c.row, 0);
}

static void test_windows(void **state)
{
	(void)state;
	assert_int_equal(choices_windows[c.window], 10000000000ull);
	press('-', ACTION_WINDOW);
	assert_int_equal(choices_windows[c.window], 1000000000ull);
	press('-', ACTION_NONE);
	press('+', ACTION_WINDOW);
	press('=', ACTION_WINDOW);
	press('+', ACTION_WINDOW);
	assert_int_equal(choices_windows[c.window], CHOICES_ALL);
	press('+', ACTION_NONE);
}

/* A second back, not beyond what there is, and forth until now. */
static void test_time(void **state)
{
	(void)state;
	press(KEY_OF_RIGHT, ACTION_NONE);
	assert_false(choices_paused(&c));
	press(' ', ACTION_WINDOW);
	assert_int_equal(c.end, 30);
	assert_true(choices_paused(&c));
	press(' ', ACTION_WINDOW);
	assert_false(choices_paused(&c));
	press(KEY_OF_LEFT, ACTION_WINDOW);
	assert_int_equal(c.end, 29);
	for (int i = 0; i < 50; i++)
		choices_key(&c, KEY_OF_LEFT);
	assert_int_equal(c.end, 11);
	press(KEY_OF_LEFT, ACTION_NONE);
	press(KEY_OF_RIGHT, ACTION_WINDOW);
	assert_int_equal(c.end, 12);
	c.end = 30;
	press(KEY_OF_RIGHT, ACTION_WINDOW);
	assert_false(choices_paused(&c));
	c.end = 15;
	press(KEY_OF_END, ACTION_WINDOW);
	assert_false(choices_paused(&c));
}

static void test_sort(void **state)
{
	(void)state;
	/* The table's own can be turned round, too. */
	press('r', ACTION_DRAW);
	assert_string_equal(c.sort[c.view], CHOICES_REVERSED);
	press('s', ACTION_DRAW);
	assert_string_equal(c.line, "");
	press(KEY_OF_ESCAPE, ACTION_DRAW);
	press('r', ACTION_DRAW);
	assert_string_equal(c.sort[c.view], "");
	press('s', ACTION_DRAW);
	assert_int_equal(c.prompt, PROMPT_SORT);
	/* Keys are letters there. */
	type("qd+ ?");
	for (int i = 0; i < 5; i++)
		press(KEY_OF_BACKSPACE, ACTION_DRAW);
	press(KEY_OF_BACKSPACE, ACTION_DRAW);
	type("slic");
	press(KEY_OF_ENTER, ACTION_CHECK);
	assert_string_equal(c.line, "slic");
	choices_refuse(&c, "there is none");
	assert_int_equal(c.prompt, PROMPT_SORT);
	assert_string_equal(c.why, "there is none");
	type("e");
	assert_string_equal(c.why, "");
	press(KEY_OF_ENTER, ACTION_CHECK);
	choices_accept(&c, "slices");
	assert_int_equal(c.prompt, PROMPT_NONE);
	assert_string_equal(c.sort[c.view], "slices");
	press('r', ACTION_DRAW);
	assert_string_equal(c.sort[c.view], "-slices");
	press('r', ACTION_DRAW);
	assert_string_equal(c.sort[c.view], "slices");
	/* Each table has its own, and Escape leaves it as it was. */
	press(KEY_OF_TAB, ACTION_DRAW);
	assert_string_equal(c.sort[c.view], "");
	press(KEY_OF_BACK_TAB, ACTION_DRAW);
	press('s', ACTION_DRAW);
	assert_string_equal(c.line, "slices");
	type("x");
	press(KEY_OF_ESCAPE, ACTION_DRAW);
	assert_string_equal(c.sort[c.view], "slices");
}

/* Characters of several bytes go as a whole; a line has an end. */
static void test_line(void **state)
{
	(void)state;
	press('/', ACTION_DRAW);
	type("a\xe5\xae\xbd");
	press(KEY_OF_BACKSPACE, ACTION_DRAW);
	assert_string_equal(c.line, "a");
	for (unsigned int i = 0; i < 2 * CHOICES_LINE; i++)
		choices_key(&c, 'x');
	assert_int_equal(strlen(c.line), CHOICES_LINE - 1);
	press(KEY_OF_NOTHING, ACTION_NONE);
	press(1, ACTION_NONE);
	press(KEY_OF_INTERRUPT, ACTION_INTERRUPT);
}

static void test_others(void **state)
{
	(void)state;
	press('d', ACTION_DUMP);
	press('q', ACTION_QUIT);
	press(KEY_OF_INTERRUPT, ACTION_INTERRUPT);
	press('?', ACTION_DRAW);
	assert_true(c.help);
	/* As of a terminal of another size: nobody has pressed anything. */
	press(KEY_OF_NOTHING, ACTION_NONE);
	assert_true(c.help);
	press('d', ACTION_DRAW);
	assert_false(c.help);
	press('?', ACTION_DRAW);
	press('q', ACTION_QUIT);
	press('?', ACTION_DRAW);
	press('Z', ACTION_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_views, begin),
		cmocka_unit_test_setup(test_rows, begin),
		cmocka_unit_test_setup(test_windows, begin),
		cmocka_unit_test_setup(test_time, begin),
		cmocka_unit_test_setup(test_sort, begin),
		cmocka_unit_test_setup(test_line, begin),
		cmocka_unit_test_setup(test_others, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
