// SPDX-License-Identifier: GPL-2.0
/* Which package is said to have the debug symbols of an object file. */
#include "support.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "explain/debugsyms.h"

static char folder[] = "/tmp/coroprof-test-XXXXXX";
static char text[2 * PATH_MAX];

static void put(const char *name, const char *files)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(files, file);
	fclose(file);
}

static const char *told_of(const char *object)
{
	debugsyms_tell(folder, object, text, sizeof(text));
	return text;
}

static void names_the_package_that_has_the_file(void **state)
{
	(void)state;
	assert_says(told_of("/usr/sbin/haproxy"), "sudo apt install haproxy-dbgsym");
	assert_says(told_of("/usr/lib/x86_64-linux-gnu/libfoo.so.1"), "sudo apt install libfoo1-dbgsym");
	/* By the name that it has in the package, and by that of where it is. */
	assert_says(told_of("/usr/bin/bash"), "sudo apt install bash-dbgsym");
	assert_says(told_of("/bin/bash"), "sudo apt install bash-dbgsym");
	assert_says(told_of("/usr/lib/x86_64-linux-gnu/libc.so.6"), "sudo apt install libc6-dbg");
	assert_null(strstr(text, "dbgsym"));
}

static void names_no_package_for_what_none_has(void **state)
{
	(void)state;
	/* A part of a name is none. */
	assert_null(strstr(told_of("/usr/sbin/hapro"), "apt"));
	assert_null(strstr(told_of("/home/me/shop"), "apt"));
	assert_says(text, "/home/me/shop");
	debugsyms_tell("/nowhere", "/usr/bin/bash", text, sizeof(text));
	assert_null(strstr(text, "apt"));
	assert_says(text, "/usr/bin/bash");
}

static int make_lists(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	put("haproxy.list", "/.\n/usr\n/usr/sbin\n/usr/sbin/haproxy\n");
	put("haproxy.md5sums", "/usr/sbin/hapro\n");
	put("bash.list", "/.\n/bin/bash\n");
	put("libfoo1:amd64.list", "/usr/lib/x86_64-linux-gnu/libfoo.so.1\n");
	put("libc6:amd64.list", "/lib/x86_64-linux-gnu/libc.so.6\n");
	return 0;
}

static int remove_lists(void **state)
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

	return cmocka_run_group_tests_name("debugsyms", tests, make_lists, remove_lists);
}
