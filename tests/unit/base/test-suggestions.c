// SPDX-License-Identifier: GPL-2.0
/* What is near to a word that was mistyped, and what is not. */
#include <stdlib.h>

#include "base/suggestions.h"
#include "support.h"

static void expect(const char *word, const char *names, const char *expected)
{
	struct suggestions suggestions = { .word = word, .length = strlen(word) };
	char *text = strdup(names), *rest = text, *name, list[SUGGESTIONS_LIST];

	while ((name = strsep(&rest, " ")))
		suggestions_add(&suggestions, name);
	suggestions_list(&suggestions, list);
	if (strcmp(list, expected))
		fail_msg("%s of %s: '%s'", word, names, list);
	free(text);
}

static void a_letter_or_two_are_wrong(void **state)
{
	(void)state;
	expect("reprot", "record report diff", "report");
	expect("repot", "report", "report");
	expect("rreport", "report", "report");
	expect("REPORT", "report", "report");
	expect("rxpoxt", "report", "report");
	expect("rxpoxx", "report", "");
	expect("slwo", "slow", "slow");
	expect("export1", "report export", "export");
}

/* As "if", which is a word of its own, is two letters from "diff". */
static void short_words_are_near_to_nothing(void **state)
{
	(void)state;
	expect("if", "diff", "");
	expect("ls", "slow", "");
	expect("", "slow", "");
	expect("awk", "ask", "ask");
}

static void a_word_may_be_a_begin(void **state)
{
	(void)state;
	expect("run", "running running_share", "running, running_share");
	expect("running_shore", "running running_share", "running_share");
}

static void the_nearest_come_first_and_are_few(void **state)
{
	(void)state;
	expect("abcdef", "abxdxf abcdef1 abcdef2 abcdef3 abcdef4 abcdef5 abcdxf abcdef1",
	       "abcdef1, abcdef2, abcdef3, abcdef4, abcdef5");
	expect("abcdef", "abxdxf abcdxf", "abcdxf, abxdxf");
}

static void long_words_are_near_to_nothing(void **state)
{
	char word[1024];

	(void)state;
	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	expect(word, word, "");
	word[SUGGESTIONS_LENGTH] = '\0';
	expect(word, word, word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_letter_or_two_are_wrong),
		cmocka_unit_test(short_words_are_near_to_nothing),
		cmocka_unit_test(a_word_may_be_a_begin),
		cmocka_unit_test(the_nearest_come_first_and_are_few),
		cmocka_unit_test(long_words_are_near_to_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
