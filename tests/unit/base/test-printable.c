// SPDX-License-Identifier: GPL-2.0
/* Text of unknown origin, and the hash table. */
#include "base/index.h"
#include "base/printable.h"
#include "gen/recording.h"
#include "output/text/grid.h"

#define BAD "\xef\xbf\xbd"

static void shows(const char *text, size_t size, const char *as)
{
	char *shown = printable(text, size);

	assert_non_null(shown);
	assert_string_equal(shown, as);
	free(shown);
}

static void makes_text_printable(void **state)
{
	(void)state;
	shows("plain", 5, "plain");
	shows("plain", 3, "pla");
	shows("a\0b", 3, "a");
	shows("", 0, "");
	shows("\x1b[31m\n\t\x7f", 8, "\\x1b[31m\\x0a\\x09\\x7f");
	/* C1 controls are one character of two bytes. */
	shows("\xc2\x9b" "31m", 5, "\\x9b31m");
	shows("\xe2\x80\xae\xe2\x81\xa6", 6, "\\u202e\\u2066");
	shows("\xf3\xa0\x80\x81", 4, "\\U000e0001");
	shows("\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x9a\x80", 11,
	      "\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x9a\x80");
}

static void shows_names(const char *name, const char *as)
{
	char *shown = printable_name(name);

	assert_string_equal(shown, as);
	free(shown);
}

/* As the page has them: spell.ts. */
static void names_that_differ_look_different(void **state)
{
	(void)state;
	shows_names("", "\u27e8no name\u27e9");
	shows_names("\u27e8no name\u27e9", "\u27e827e8\u27e9no name\u27e827e9\u27e9");
	shows_names("two words", "two words");
	shows_names("two  words", "two\u2420\u2420words");
	shows_names(" ", "\u2420");
	shows_names(" same ", "\u2420same\u2420");
	shows_names("same\u2420", "same\u27e82420\u27e9");
	shows_names("same\u00a0", "same\u27e800a0\u27e9");
	shows_names("sa\u00adme\u200b", "sa\u27e800ad\u27e9me\u27e8200b\u27e9");
	shows_names("\u00ad\u00ad\u00ad", "\u27e800ad\u27e9\u27e800ad\u27e9\u27e800ad\u27e9");
	shows_names("\u3164", "\u27e83164\u27e9");
	shows_names("\U000f0000", "\u27e8f0000\u27e9");
	shows_names("na\u00efve \u4e16\u754c", "na\u00efve \u4e16\u754c");
	shows_names("std::foo<int, bar &>", "std::foo<int, bar &>");
}

static void replaces_what_is_no_utf8(void **state)
{
	(void)state;
	shows("\xff", 1, BAD);
	shows("\xc0\x80", 2, BAD BAD);			/* overlong NUL */
	shows("\xe0\x80\xaf", 3, BAD BAD BAD);		/* overlong slash */
	shows("\xed\xa0\x80", 3, BAD BAD BAD);		/* surrogate */
	shows("\xf4\x90\x80\x80", 4, BAD BAD BAD BAD);	/* over 10ffff */
	shows("\xe6\xbc", 2, BAD BAD);			/* cut off */
	shows("\xe6\xbc\xa2", 2, BAD BAD);
	shows("\x80" "a", 2, BAD "a");
}

/* Every byte after every byte: never a control, never invalid. */
static void leaves_no_control_characters(void **state)
{
	(void)state;
	for (int a = 1; a < 256; a++)
		for (int b = 1; b < 256; b++) {
			const char text[] = { (char)a, (char)b, (char)a };
			char *shown = printable(text, 3);

			assert_non_null(shown);
			for (const char *p = shown; *p; p++)
				assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
			assert_null(strstr(shown, "\xc2\x9b"));
			free(shown);
		}
}

static void knows_how_wide_text_is(void **state)
{
	size_t used;

	(void)state;
	assert_int_equal(printable_width("abc"), 3);
	assert_int_equal(printable_width("\xc3\xa9"), 1);
	assert_int_equal(printable_width("e\xcc\x81"), 1);
	assert_int_equal(printable_width("\xe6\xbc\xa2\xf0\x9f\x9a\x80"), 4);
	assert_int_equal(printable_fit("a\xe6\xbc\xa2z", 2, &used), 1);
	assert_int_equal(used, 1);
	assert_int_equal(printable_fit("a\xe6\xbc\xa2z", 3, &used), 4);
	assert_int_equal(used, 3);
}

static void cuts(const char *text, size_t width, const char *as)
{
	struct grid t = { 0 };
	char *out = NULL;
	size_t size;
	FILE *file = open_memstream(&out, &size);

	assert_non_null(file);
	grid_column(&t, "x", true);
	grid_cell(&t, text, width);
	assert_int_equal(grid_write(&t, file), 0);
	fclose(file);
	out[size - 1] = '\0';
	assert_string_equal(out, as);
	free(out);
}

static void cuts_in_the_middle(void **state)
{
	(void)state;
	cuts("0123456789", 10, "x\n0123456789");
	cuts("0123456789a", 9, "x\n01...789a");
	cuts("\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 9,
	     "x\n\xe6\xbc\xa2...\xe6\xbc\xa2\xe6\xbc\xa2");
	cuts("ab\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 8,
	     "x\na...\xe6\xbc\xa2\xe6\xbc\xa2");
}

/* Against a table that can't be wrong. */
static void index_holds_what_was_put(void **state)
{
	struct index x = { 0 };
	uint32_t plain[1024], seed = 1;

	(void)state;
	memset(plain, 0xff, sizeof(plain));
	assert_int_equal(index_get(&x, 5, 0), INDEX_NONE);
	index_remove(&x, 5, 0);
	for (uint32_t round = 0; round < 200000; round++) {
		uint32_t at;

		seed = seed * 1664525 + 1013904223;
		at = seed >> 22;
		if (seed >> 12 & 1) {
			assert_true(index_put(&x, at / 4, at % 4, round));
			plain[at] = round;
		} else {
			index_remove(&x, at / 4, at % 4);
			plain[at] = INDEX_NONE;
		}
		at = seed >> 11 & 1023;
		assert_int_equal(index_get(&x, at / 4, at % 4), plain[at]);
	}
	for (uint32_t at = 0; at < 1024; at++)
		assert_int_equal(index_get(&x, at / 4, at % 4), plain[at]);
	index_free(&x);
}

static void cuts_whole_characters(void **state)
{
	(void)state;
	assert_int_equal(printable_cut("abc", 3), 3);
	assert_int_equal(printable_cut("abcd", 3), 3);
	assert_int_equal(printable_cut("ab\xe6\xbc\xa2", 4), 2);
	assert_int_equal(printable_cut("ab\xe6\xbc\xa2", 5), 5);
	assert_int_equal(printable_cut("\xf0\x9f\x9a\x80", 3), 0);
	assert_int_equal(printable_cut("", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_text_printable),
		cmocka_unit_test(names_that_differ_look_different),
		cmocka_unit_test(replaces_what_is_no_utf8),
		cmocka_unit_test(leaves_no_control_characters),
		cmocka_unit_test(knows_how_wide_text_is),
		cmocka_unit_test(cuts_in_the_middle),
		cmocka_unit_test(cuts_whole_characters),
		cmocka_unit_test(index_holds_what_was_put),
	};

	return cmocka_run_group_tests_name("printable", tests, NULL, NULL);
}
