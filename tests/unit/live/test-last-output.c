// SPDX-License-Identifier: GPL-2.0
/* What a command writes while the screen is another's. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "live/output.h"
#include "support.h"

/* Lines of 16 bytes. */
#define LINE	16u
#define LINES	(64u * 1024 * 1024 / LINE)

/* What is kept, and what a busy command writes before it is looked at again. */
#define MEMORY	(4 * LIVE_OUTPUT_MOST)

static struct live_output output;
static struct error err;

static uint64_t memory(void)
{
	struct stat st;

	assert_int_equal(fstat(output.fd, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

static void say(uint32_t from, uint32_t to)
{
	static char text[4096 * LINE + 1];

	for (uint32_t i = from; i < to; i += 4096) {
		for (uint32_t n = 0; n < 4096; n++)
			sprintf(text + n * LINE, "line %10u\n", i + n);
		assert_true(write_all(output.fd, text, sizeof(text) - 1));
	}
}

static char *shown(void)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	struct stat st;
	char *text;

	live_output_write(&output, fd);
	assert_int_equal(fstat(fd, &st), 0);
	text = calloc(1, (size_t)st.st_size + 1);
	assert_int_equal(pread(fd, text, (size_t)st.st_size, 0), st.st_size);
	close(fd);
	return text;
}

/* Of much the last is kept, in as much memory as it needs, without that anybody draws. */
static void test_much(void **state)
{
	char last[LINE + 1], *text;

	(void)state;
	assert_int_equal(live_output_begin(&output, &err), 0);
	say(0, LINES);
	/* However slow the machine is: it does go. */
	for (unsigned int i = 0; memory() > MEMORY && i < 600; i++)
		usleep(100000);
	assert_true(memory() <= MEMORY);
	text = shown();
	assert_true(strlen(text) <= LIVE_OUTPUT_MOST);
	assert_true(strlen(text) >= LIVE_OUTPUT_MOST - LINE);
	assert_int_equal(strncmp(text, "line ", 5), 0);
	snprintf(last, sizeof(last), "line %10u\n", LINES - 1);
	assert_string_equal(text + strlen(text) - LINE, last);
	free(text);
	live_output_end(&output);
}

/* All of little. */
static void test_little(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(live_output_begin(&output, &err), 0);
	assert_true(write_all(output.fd, "one\ntwo", 7));
	text = shown();
	assert_string_equal(text, "one\ntwo");
	free(text);
	live_output_end(&output);
	/* Once is enough. */
	live_output_end(&output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_much),
		cmocka_unit_test(test_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
