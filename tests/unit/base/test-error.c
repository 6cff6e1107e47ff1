// SPDX-License-Identifier: GPL-2.0
/* What has failed is reported as an error, never as success. */
#include <errno.h>

#include "base/error.h"
#include "support.h"

static void an_error_has_the_code_and_text_of_errno(void **state)
{
	struct error err = ERROR_NONE;

	(void)state;
	errno = ENOSPC;
	assert_int_equal(error_errno(&err, "can't write %s", "a"), -ENOSPC);
	assert_int_equal(err.code, ENOSPC);
	assert_string_equal(err.message, "can't write a: No space left on device");
}

static void an_error_without_a_reason_is_one_still(void **state)
{
	struct error err = ERROR_NONE;

	(void)state;
	errno = 0;
	assert_int_equal(error_errno(&err, "can't write %s", "a"), -EIO);
	assert_int_equal(err.code, EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_has_the_code_and_text_of_errno),
		cmocka_unit_test(an_error_without_a_reason_is_one_still),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
