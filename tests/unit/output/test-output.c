// SPDX-License-Identifier: GPL-2.0
/* What is said of a recording of which a part is missing, and where. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "gen/recording.h"
#include "base/warn.h"
#include "output/output.h"
#include "support.h"

#define CUT	"was not ended in order: what came after its last byte is not in it"

/* More than any output of these has, the page included. */
#define ROOM	(4 << 20)

static char warned[4096];

/* Stands in for the reader's. */
void warn(const char *format, ...)
{
	size_t used = strlen(warned);
	va_list args;

	va_start(args, format);
	vsnprintf(warned + used, sizeof(warned) - used, format, args);
	va_end(args);
}

/* One slice, behind which the file ends. */
static void make(bool ended)
{
	struct gen *g = begin_recording();

	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 2000, .label = 1);
	gen_close(g, ended);
}

/* Returns what an output of that form has; whether it is told to be damaged. */
static char *written(enum format format, unsigned int times, struct outcome *outcome)
{
	const struct source source = { { recording_path, recording_path }, .nr = times };
	char path[] = "/tmp/coroprof-test-XXXXXX";
	const struct output output = { path, format };
	char *text = calloc(1, ROOM);
	struct error err;
	FILE *file;

	close(mkstemp(path));
	*warned = '\0';
	assert_int_equal(output_all(&source, &output, 1, &(struct look){ 0 }, outcome, &err), 0);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_in_range(fread(text, 1, ROOM - 1, file), 1, ROOM - 2);
	fclose(file);
	unlink(path);
	return text;
}

static void says_of_a_recording_without_its_end_that_more_came(void **state)
{
	const enum format forms[] = { FORMAT_TEXT, FORMAT_CHROME, FORMAT_SPEEDSCOPE,
				      FORMAT_CALLGRIND, FORMAT_OPENMETRICS };
	struct outcome outcome;

	(void)state;
	make(false);
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		char *text = written(forms[i], 1, &outcome);

		assert_true(outcome.damaged);
		assert_says(warned, CUT);
		assert_says(text, CUT);
		free(text);
	}
	unlink(recording_path);
}

static void says_nothing_of_a_recording_that_is_whole(void **state)
{
	struct outcome outcome;
	char *text;

	(void)state;
	make(true);
	text = written(FORMAT_TEXT, 1, &outcome);
	assert_false(outcome.damaged);
	assert_string_equal(warned, "");
	assert_null(strstr(text, "ended in order"));
	free(text);
	unlink(recording_path);
}

static void says_of_several_recordings_which_has_no_end(void **state)
{
	struct outcome outcome;
	char *text;

	(void)state;
	make(false);
	text = written(FORMAT_TEXT, 2, &outcome);
	assert_true(outcome.damaged);
	assert_says(warned, "a recording of ");
	assert_says(text, "a recording of these " CUT);
	assert_says(text, "1 slices, 0 lost, not ended in order");
	free(text);
	unlink(recording_path);
}

/* A crafted file: what coroprof named took longer than a number can say. */
static void writes_figures_that_no_number_has_room_for(void **state)
{
	const enum format forms[] = { FORMAT_HTML, FORMAT_TEXT, FORMAT_JSON, FORMAT_CHROME,
				      FORMAT_PERFETTO, FORMAT_PPROF, FORMAT_OPENMETRICS };
	struct gen *g = begin_recording();
	struct outcome outcome;

	(void)state;
	gen_info(g, "switch_ns", "999999999");
	gen_info(g, "clock_monotonic_ns", "9223372036854775808");
	gen_info(g, "clock_realtime_ns", "0");
	gen_label(g, 1, 3, MODEL_NAMING, strlen(MODEL_NAMING));
	channel(g, 1, 1);
	SLICE(g, 1, 10, 1, UINT64_MAX, .label = 3, .count = { UINT64_MAX, UINT64_MAX });
	SLICE(g, 1, 11, 2, UINT64_MAX, .label = 3, .count = { UINT64_MAX, UINT64_MAX });
	gen_close(g, true);
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		char *text = written(forms[i], 1, &outcome);

		if (forms[i] == FORMAT_TEXT)
			assert_says(text, " to name coroutines");
		free(text);
	}
	unlink(recording_path);
}

/* By a name of its own: root could remove /dev/full, too. */
static void leaves_a_device_where_it_is(void **state)
{
	const struct source source = { { recording_path }, .nr = 1 };
	char path[] = "/tmp/coroprof-test-XXXXXX";
	const struct output output = { path, FORMAT_TEXT };
	struct outcome outcome;
	struct error err;
	struct stat st;

	(void)state;
	make(true);
	close(mkstemp(path));
	unlink(path);
	assert_int_equal(symlink("/dev/full", path), 0);
	assert_int_equal(output_all(&source, &output, 1, &(struct look){ 0 }, &outcome, &err),
			 -ENOSPC);
	assert_int_equal(lstat(path, &st), 0);
	unlink(path);
	unlink(recording_path);
}

/* The file behind it may be full; what leads there is somebody else's, as /dev/stdout is. */
static void leaves_a_link_where_it_is(void **state)
{
	const struct source source = { { recording_path }, .nr = 1 };
	char path[] = "/tmp/coroprof-test-XXXXXX", file[sizeof(path) + 5];
	const struct output output = { path, FORMAT_TEXT };
	struct rlimit before, none;
	struct outcome outcome;
	struct error err;
	struct stat st;
	int ret;

	(void)state;
	make(true);
	close(mkstemp(path));
	snprintf(file, sizeof(file), "%s.file", path);
	assert_int_equal(rename(path, file), 0);
	assert_int_equal(symlink(file, path), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = (struct rlimit){ 0, before.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none);
	ret = output_all(&source, &output, 1, &(struct look){ 0 }, &outcome, &err);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(ret, -EFBIG);
	assert_int_equal(lstat(path, &st), 0);
	unlink(path);
	unlink(file);
	unlink(recording_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_a_device_where_it_is),
		cmocka_unit_test(leaves_a_link_where_it_is),
		cmocka_unit_test(says_of_a_recording_without_its_end_that_more_came),
		cmocka_unit_test(says_nothing_of_a_recording_that_is_whole),
		cmocka_unit_test(says_of_several_recordings_which_has_no_end),
		cmocka_unit_test(writes_figures_that_no_number_has_room_for),
	};

	return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
