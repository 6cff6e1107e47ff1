// SPDX-License-Identifier: GPL-2.0
/* Arrays that give memory back. */
#include "base/util.h"
#include "gen/recording.h"

/* Whatever part of it goes, what is behind that stays, and so does the array. */
static void forgets_the_beginning_of_an_array_alone(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 4 * page;
	unsigned char *array = malloc(size);

	(void)state;
	assert_non_null(array);
	for (size_t bytes = 0; bytes <= size; bytes += page / 8 + 1) {
		size_t forgotten = 0;

		memset(array, 7, size);
		array_forget(array, bytes);
		for (size_t i = 0; i < bytes; i++)
			forgotten += array[i] != 7;
		for (size_t i = bytes; i < size; i++)
			assert_int_equal(array[i], 7);
		/* Whole pages, at most one less than there may be. */
		assert_int_equal(forgotten % page, 0);
		assert_true(bytes < 2 * page || forgotten);
	}
	free(array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forgets_the_beginning_of_an_array_alone),
	};

	return cmocka_run_group_tests_name("util", tests, NULL, NULL);
}
