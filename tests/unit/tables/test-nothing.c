// SPDX-License-Identifier: GPL-2.0
/* Why a recording is empty, and what to do: each reason by a recording that has it. */
#include <errno.h>

#include "gen/recording.h"
#include "tables/nothing.h"

static void assert_says(struct model *m, const char *why, const char *remedy)
{
	assert_int_equal(nothing_make(m), 0);
	assert_non_null(m->nothing);
	assert_string_equal(m->nothing, why);
	assert_non_null(strstr(m->remedy, remedy));
	model_free(m);
}

static struct gen *with_process(void)
{
	struct gen *g = begin_recording();

	gen_process(g, 2, 77, "other", 1000000);
	return g;
}

static void says_that_no_program_was_known(void **state)
{
	(void)state;
	assert_says(load(begin_file()),
		    "No program ran that reports its coroutines: none with libcoroprof, and none with a runtime that is recorded unmodified.",
		    "coroprof record -o profile.html -- COMMAND");
}

static void says_that_nothing_was_switched(void **state)
{
	struct gen *g = begin_recording();

	(void)state;
	channel(g, 1, 1000000);
	assert_says(load(g),
		    "1 process made itself known, and switched no coroutine while it was recorded.",
		    "Record for longer");
	g = with_process();
	channel(g, 1, 1000000);
	assert_says(load(g),
		    "2 processes made themselves known, and switched no coroutine while they were recorded.",
		    "Record for longer");
}

static void says_what_kept_threads_from_being_recorded(void **state)
{
	struct gen *g = begin_recording();

	(void)state;
	channel(g, 1, 1000000);
	gen_channel_error(g, 9, 1, 4300, 1000000, ENOMEM);
	assert_says(load(g), "1 of 2 threads could not be recorded: Cannot allocate memory.",
		    "coroprof selftest");
}

static void says_that_all_was_lost(void **state)
{
	struct gen *g = begin_recording();

	(void)state;
	channel(g, 1, 1000000);
	gen_lost(g, 1, 1000000, 12, true);
	assert_says(load(g), "No slice is left: 12 found the ring full.", "--ring-size");
}

static void says_that_what_is_missing_says_why(void **state)
{
	struct gen *g = begin_recording();

	(void)state;
	gen_info(g, "missing", "no thread switched to a coroutine");
	assert_says(load(g),
		    "No program that ran is recorded, for the reasons in the entry on missing parts.",
		    "missing");
}

static void says_that_the_file_ends_early(void **state)
{
	struct model *m;

	(void)state;
	gen_close(begin_file(), false);
	m = load_path(recording_path, NULL);
	unlink(recording_path);
	assert_says(m, "The file ends before the first slice: it was not ended in order.",
		    "still being written");
}

static void says_that_a_part_has_none(void **state)
{
	const struct model_options part = { .from_ns = 1000, .to_ns = 2000 };
	struct gen *g = begin_recording();

	(void)state;
	channel(g, 1, 1000000);
	SLICE(g, 1, 10, 3000000, 4000000, .label = 1);
	assert_says(load_with(g, &part), "Nothing ran in this part of the recording.", "--from");
}

static void says_nothing_of_a_recording_with_slices(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000000);
	SLICE(g, 1, 10, 1000000, 4000000, .label = 1);
	gen_lost(g, 1, 4000000, 12, true);
	m = load(g);
	assert_int_equal(nothing_make(m), 0);
	assert_null(m->nothing);
	assert_null(m->remedy);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_that_no_program_was_known),
		cmocka_unit_test(says_that_nothing_was_switched),
		cmocka_unit_test(says_what_kept_threads_from_being_recorded),
		cmocka_unit_test(says_that_all_was_lost),
		cmocka_unit_test(says_that_what_is_missing_says_why),
		cmocka_unit_test(says_that_the_file_ends_early),
		cmocka_unit_test(says_that_a_part_has_none),
		cmocka_unit_test(says_nothing_of_a_recording_with_slices),
	};

	return cmocka_run_group_tests_name("nothing", tests, NULL, NULL);
}
