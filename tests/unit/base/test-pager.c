// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pager.h"
#include "support.h"

#define SHOWN	"/tmp/coroprof-pager-XXXXXX"

/* What a program that prints "a table" leaves in @file, with this pager. */
static char *shown(const char *pager, const char *file)
{
	static char text[64];
	FILE *from;
	pid_t pid = fork();

	if (!pid) {
		setenv("COROPROF_PAGER", pager, 1);
		setenv("SHOWN", file, 1);
		if (!freopen(file, "w", stdout))
			_exit(1);
		pager_begin();
		puts("a table");
		pager_end();
		_exit(fflush(stdout) ? 1 : 0);
	}
	waitpid(pid, NULL, 0);
	from = fopen(file, "r");
	assert_non_null(from);
	text[fread(text, 1, sizeof(text) - 1, from)] = '\0';
	fclose(from);
	return text;
}

static void text_goes_through_the_pager_and_is_waited_for(void **state)
{
	char file[] = SHOWN;

	(void)state;
	close(mkstemp(file));
	assert_string_equal(shown("sleep 0.2; tr a-z A-Z >\"$SHOWN\"", file), "A TABLE\n");
	unlink(file);
}

static void without_a_pager_text_goes_where_it_went(void **state)
{
	char file[] = SHOWN;

	(void)state;
	close(mkstemp(file));
	assert_string_equal(shown("", file), "a table\n");
	assert_string_equal(shown("cat", file), "a table\n");
	unlink(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_goes_through_the_pager_and_is_waited_for),
		cmocka_unit_test(without_a_pager_text_goes_where_it_went),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
