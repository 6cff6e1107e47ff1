// SPDX-License-Identifier: GPL-2.0
/* Where functions are, by their names: in the objects that the Makefile builds. */
#include "support.h"

#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "symbols/ahead.h"
#include "symbols/elffile.h"
#include "symbols/function.h"

#define STATE "5tokio7runtime4task5state"

static struct elf_file whole, stripped;
static struct code_location location;

static void open_object(struct elf_file *file, const char *folder, const char *name)
{
	char path[4096 + 32];

	snprintf(path, sizeof(path), "%s/objects/%s", folder, name);
	assert_true(elf_file_open(file, path));
}

static int open_objects(void **state)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *folder;

	(void)state;
	assert_true(n > 0);
	path[n] = '\0';
	folder = dirname(path);
	elf_version(EV_CURRENT);
	open_object(&whole, folder, "whole.so");
	open_object(&stripped, folder, "stripped.so");
	return 0;
}

static int close_objects(void **state)
{
	(void)state;
	elf_file_close(&whole);
	elf_file_close(&stripped);
	return 0;
}

static void test_by_its_whole_name(void **state)
{
	(void)state;
	assert_true(function_find(&location, whole.elf, "hidden_function"));
	assert_true(location.address > 0);
	assert_false(function_find(&location, whole.elf, "hidden"));
	assert_false(function_find(&location, stripped.elf, "hidden_function"));
	assert_true(function_find(&location, stripped.elf, "exported_function"));
}

static void test_of_rust_in_both_ways(void **state)
{
	struct code_location other;

	(void)state;
	assert_true(function_find_rust(&location, whole.elf, STATE, "18transition_to_idle"));
	assert_true(function_find_rust(&other, whole.elf, STATE, "21transition_to_running"));
	assert_true(location.address != other.address);
}

static void test_of_rust_not_what_is_within_it_nor_elsewhere(void **state)
{
	(void)state;
	assert_false(function_find_rust(&location, whole.elf, STATE, "22transition_to_complete"));
	assert_false(function_find_rust(&location, whole.elf, "5tokio7runtime4task5waker",
					"18transition_to_idle"));
	assert_false(function_find_rust(&location, stripped.elf, STATE, "18transition_to_idle"));
}

/* All of it has to be known: where it ends, and that nothing leads back. */
static void test_is_probed_ahead_if_nothing_leads_there(void **state)
{
	struct ahead ahead;

	(void)state;
	assert_true(function_find(&location, whole.elf, "straight_function"));
	assert_true(ahead_of(&ahead, whole.elf, &location));
	assert_int_equal(ahead.by, 4);
	location.size = 0;
	assert_false(ahead_of(&ahead, whole.elf, &location));
	location.size = UINT64_MAX;
	assert_false(ahead_of(&ahead, whole.elf, &location));
	assert_true(function_find(&location, whole.elf, "twofold_function"));
	assert_true(location.size > 0);
	assert_false(ahead_of(&ahead, whole.elf, &location));
	assert_true(function_find(&location, whole.elf, "looped_function"));
	assert_true(location.size > 0);
	assert_false(ahead_of(&ahead, whole.elf, &location));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_its_whole_name),
		cmocka_unit_test(test_of_rust_in_both_ways),
		cmocka_unit_test(test_of_rust_not_what_is_within_it_nor_elsewhere),
		cmocka_unit_test(test_is_probed_ahead_if_nothing_leads_there),
	};

	return cmocka_run_group_tests(tests, open_objects, close_objects);
}
