// SPDX-License-Identifier: GPL-2.0
/* Commands in messages, as the user would type them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/invoked.h"

static const struct invoked_form legacy[] = {
	{ "record", "" }, { "diff", "--diff" }, { "help", "--help" }, { NULL, NULL },
};

static void assert_reads(const char *text, const char *want)
{
	char to[128], *copy = invoked_copy(text);

	assert_string_equal(invoked_text(to, sizeof(to), text), want);
	assert_non_null(copy);
	assert_string_equal(copy, want);
	free(copy);
}

static void reports_commands_as_they_are_written(void **state)
{
	(void)state;
	invoked_as("coroprof", NULL);
	assert_reads("Run coroprof record -- COMMAND, or coroprof help.",
		     "Run coroprof record -- COMMAND, or coroprof help.");
}

static void reports_commands_by_the_name_of_the_program(void **state)
{
	(void)state;
	invoked_as("coroprof-6", NULL);
	assert_reads("sudo coroprof record -p PID", "sudo coroprof-6 record -p PID");
}

static void reports_commands_by_their_options(void **state)
{
	(void)state;
	invoked_as("coroprof-read", legacy);
	assert_reads("coroprof diff OLD.cprof NEW.cprof",
		     "coroprof-read --diff OLD.cprof NEW.cprof");
	assert_reads("'coroprof help'.\ncoroprof record:\n  coroprof record -- X",
		     "'coroprof-read --help'.\ncoroprof-read:\n  coroprof-read -- X");
}

static void reports_what_is_typed_for_a_command(void **state)
{
	(void)state;
	invoked_as("coroprof", NULL);
	assert_string_equal(invoked_typed("slow"), "slow");
	invoked_as("coroprof-read", legacy);
	assert_string_equal(invoked_typed("diff"), "--diff");
	assert_string_equal(invoked_typed("record"), "");
	assert_string_equal(invoked_typed("nothing"), "nothing");
}

/* Of a command that has no other form nothing is known, and these are none. */
static void leaves_what_is_no_command(void **state)
{
	static const char *const texts[] = {
		"coroprof", "coroprof ", "coroprof records nothing", "coroprof  record", "libcoroprof",
		"coroprof-read(1)", "coroprof recorder", "coroprof is loaded", "",
	};

	(void)state;
	invoked_as("coroprof-read", legacy);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_reads(texts[i], texts[i]);
}

/* Only what the source says is a command: names of others stay as they are. */
static void leaves_what_others_have_named(void **state)
{
	struct error err = ERROR_NONE;

	(void)state;
	invoked_as("coroprof-read", legacy);
	error_set(&err, 1, "%s: see coroprof diff", "coroprof diff");
	assert_string_equal(err.message, "coroprof diff: see coroprof-read --diff");
	error_hint(&err, "%s, coroprof record", "coroprof record");
	assert_string_equal(err.message,
			    "coroprof diff: see coroprof-read --diff\ncoroprof record, coroprof-read");
	invoked_as("%n%s", NULL);
	error_set(&err, 1, "coroprof record %d", 5);
	assert_string_equal(err.message, "coroprof record 5");
}

static void cuts_what_is_too_long(void **state)
{
	char to[12];

	(void)state;
	invoked_as("coroprof-read", legacy);
	assert_string_equal(invoked_text(to, sizeof(to), "x coroprof diff y"), "x coroprof-");
	assert_string_equal(invoked_text(to, sizeof(to), "0123456789abcdef"), "0123456789a");
}

static void knows_where_a_command_begins(void **state)
{
	(void)state;
	invoked_as("coroprof-read", legacy);
	assert_true(invoked_begins("coroprof-read -- X"));
	assert_true(invoked_begins("coroprof-read --diff X"));
	assert_false(invoked_begins("coroprof-read makes others wait"));
	invoked_as("coroprof", NULL);
	assert_true(invoked_begins("coroprof record -- X"));
	assert_false(invoked_begins("coroprof makes others wait"));
	assert_false(invoked_begins("coroprof"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_commands_as_they_are_written),
		cmocka_unit_test(reports_commands_by_the_name_of_the_program),
		cmocka_unit_test(reports_commands_by_their_options),
		cmocka_unit_test(reports_what_is_typed_for_a_command),
		cmocka_unit_test(leaves_what_is_no_command),
		cmocka_unit_test(leaves_what_others_have_named),
		cmocka_unit_test(cuts_what_is_too_long),
		cmocka_unit_test(knows_where_a_command_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
