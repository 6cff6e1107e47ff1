// SPDX-License-Identifier: GPL-2.0
/* Which package is said to have the debug symbols of an object file. */
#include "support.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explain/debugsyms.h"

static char folder[] = "/tmp/coroprof-test-XXXXXX";
static char query[64];
static char text[2 * PATH_MAX];

static const char *told_of(const char *object)
{
	debugsyms_report(query, object, text, sizeof(text));
	return text;
}

static void names_the_package_that_has_the_file(void **state)
{
	(void)state;
	assert_says(told_of("/usr/sbin/haproxy"), "sudo apt install haproxy-dbgsym");
	assert_says(told_of("/usr/lib/x86_64-linux-gnu/libfoo.so.1"),
		    "sudo apt install libfoo1-dbgsym");
	/* By the name that it has in the package, and by that of where it is. */
	assert_says(told_of("/usr/bin/bash"), "sudo apt install bash-dbgsym");
	assert_says(told_of("/bin/bash"), "sudo apt install bash-dbgsym");
	assert_says(told_of("/usr/lib/x86_64-linux-gnu/libc.so.6"), "sudo apt install libc6-dbg");
	assert_null(strstr(text, "dbgsym"));
}

static void names_no_package_for_what_none_has(void **state)
{
	(void)state;
	assert_null(strstr(told_of("/usr/sbin/hapro"), "apt"));
	/* Of a pattern any file that fits would do. */
	assert_null(strstr(told_of("/usr/sbin/h*"), "apt"));
	assert_null(strstr(told_of("/home/me/shop"), "apt"));
	assert_says(text, "/home/me/shop");
	debugsyms_report("/nowhere/dpkg-query", "/usr/bin/bash", text, sizeof(text));
	assert_null(strstr(text, "apt"));
	assert_says(text, "/usr/bin/bash");
}

/* As Debian's answers: files by the names that packages have for them, and patterns. */
static int make_query(void **state)
{
	FILE *file;

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(query, sizeof(query), "%s/query", folder);
	file = fopen(query, "w");
	if (!file)
		return -1;
	fputs("#!/bin/sh\n"
	      "case $2 in\n"
	      "/usr/sbin/haproxy|*[*]*) echo haproxy: /usr/sbin/haproxy ;;\n"
	      "/bin/bash) echo bash: /bin/bash ;;\n"
	      "/usr/lib/x86_64-linux-gnu/libfoo.so.1) echo libfoo1:amd64, libfoo1:i386: $2 ;;\n"
	      "/lib/x86_64-linux-gnu/libc.so.6) echo libc6:amd64: $2 ;;\n"
	      "*) echo dpkg-query: no path found >&2; exit 1 ;;\n"
	      "esac\n", file);
	fclose(file);
	return chmod(query, 0700);
}

static int remove_query(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_package_that_has_the_file),
		cmocka_unit_test(names_no_package_for_what_none_has),
	};

	return cmocka_run_group_tests_name("debugsyms", tests, make_query, remove_query);
}
