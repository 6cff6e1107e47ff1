// SPDX-License-Identifier: GPL-2.0
/* Files of what is kept, by a child. */
#include "support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cprof/file.h"
#include "cprof/format.h"
#include "record/dumps.h"
#include "record/keep.h"

static char folder[] = "/tmp/coroprof-test-XXXXXX";
static char name[128], first[160], second[160];
static struct keep keep;
static struct dumps dumps;
static struct writer *writer;
static struct error err;

static int begin(void **state)
{
	static const char info[] = "tool\0test";

	(void)state;
	snprintf(name, sizeof(name), "%s/into/x", folder);
	snprintf(first, sizeof(first), "%s-1.cprof", name);
	snprintf(second, sizeof(second), "%s-2.cprof", name);
	dumps_begin(&dumps, name, true);
	assert_int_equal(keep_begin(&keep, 1000000000, 1 << 20, &err), 0);
	assert_int_equal(writer_open_sink(&writer, &keep.sink, &err), 0);
	return writer_segment(writer, CPROF_SEGMENT_INFO, info, sizeof(info), &err);
}

static void make_folder(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/into", folder);
	assert_int_equal(mkdir(path, 0700), 0);
}

static int end(void **state)
{
	char path[128];

	(void)state;
	writer_close(writer, &err);
	keep_free(&keep);
	unlink(first);
	unlink(second);
	snprintf(path, sizeof(path), "%s/into", folder);
	rmdir(path);
	return 0;
}

static void assert_whole(const char *path)
{
	struct file *file;
	struct stat st;

	if (file_open(&file, path, &err))
		fail_msg("%s", err.message);
	assert_int_equal(file->nr_corrupt_ranges, 0);
	assert_int_equal(file->segments[file->nr_segments - 1].type, CPROF_SEGMENT_END);
	file_close(file);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void test_names(void **state)
{
	int fd;

	(void)state;
	make_folder();
	fd = open(first, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "mine", 4), 4);
	close(fd);
	assert_int_equal(dumps_take(&dumps, &keep, NULL, NULL, &err), 0);
	assert_true(dumps_busy(&dumps));
	dumps_end(&dumps);
	assert_false(dumps_busy(&dumps));
	assert_string_equal(dumps.path, second);
	assert_int_equal(dumps.why.code, 0);
	assert_int_equal(dumps.written, 1);
	assert_whole(second);
	assert_false(file_is_recording(first));
}

/* What was kept when it was taken is written when that can be, whatever is kept by then. */
static void test_tried_again(void **state)
{
	struct file *file;
	size_t nr = 0;

	(void)state;
	assert_int_equal(dumps_take(&dumps, &keep, NULL, NULL, &err), 0);
	assert_int_equal(writer_segment(writer, CPROF_SEGMENT_COUNTERS, "later", 6, &err), 0);
	usleep(300000);
	assert_false(dumps_look(&dumps));
	assert_true(dumps_busy(&dumps));
	make_folder();
	dumps_end(&dumps);
	assert_int_equal(dumps.written, 1);
	assert_int_equal(dumps.failed, 0);
	assert_whole(first);
	assert_int_equal(file_open(&file, first, &err), 0);
	for (size_t i = 0; i < file->nr_segments; i++)
		nr += file->segments[i].type == CPROF_SEGMENT_COUNTERS;
	file_close(file);
	assert_int_equal(nr, 0);
}

static int make_top(void **state)
{
	(void)state;
	return !mkdtemp(folder);
}

static int remove_top(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names, begin, end),
		cmocka_unit_test_setup_teardown(test_tried_again, begin, end),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
