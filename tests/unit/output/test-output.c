// SPDX-License-Identifier: GPL-2.0
/* What is said of a recording of which a part is missing, and where. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

#include "gen/recording.h"
#include "base/warn.h"
#include "cprof/writer.h"
#include "output/output.h"
#include "output/spool.h"
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

/* Returns what an output of that form has; whether it is reported as damaged. */
static char *written(enum format format, unsigned int times, struct outcome *outcome)
{
	const struct source source = { { recording_path, recording_path }, .nr = times };
	char path[] = "/tmp/coroprof-test-XXXXXX";
	const struct output output = { .path = path, .format = format };
	char *text = calloc(1, ROOM);
	struct error err;
	FILE *file;

	close(mkstemp(path));
	*warned = '\0';
	assert_int_equal(
		output_all(&source, &output, 1, &(struct view_options){ 0 }, outcome, &err), 0);
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
	SLICE(g, 1, 10, 1, UINT64_MAX, .label = 1, .count = { UINT64_MAX, UINT64_MAX });
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
	const struct output output = { .path = path, .format = FORMAT_TEXT };
	struct outcome outcome;
	struct error err;
	struct stat st;

	(void)state;
	make(true);
	close(mkstemp(path));
	unlink(path);
	assert_int_equal(symlink("/dev/full", path), 0);
	assert_int_equal(output_all(&source, &output, 1, &(struct view_options){ 0 }, &outcome,
				    &err),
			 -ENOSPC);
	assert_int_equal(lstat(path, &st), 0);
	unlink(path);
	unlink(recording_path);
}

/* A file with something good in it; @path gets its name. */
static void make_good(char *path)
{
	int fd = mkstemp(path);

	assert_return_code(fd, errno);
	assert_int_equal(write(fd, "good", 4), 4);
	close(fd);
}

static void assert_good(const char *path)
{
	char text[8] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_int_equal(fread(text, 1, sizeof(text), file), 4);
	fclose(file);
	assert_string_equal(text, "good");
}

/* As on a full disk: what is written past so many bytes fails, or kills the writer. */
static int write_to_full_disk(const char *path, void (*handler)(int))
{
	const struct source source = { .paths = { recording_path }, .nr = 1 };
	const struct output output = { .path = path, .format = FORMAT_HTML };
	const struct rlimit full = { 100, 100 };
	struct outcome outcome;
	struct error err;

	signal(SIGXFSZ, handler);
	setrlimit(RLIMIT_FSIZE, &full);
	return output_all(&source, &output, 1, &(struct view_options){ 0 }, &outcome, &err);
}

/* Its status as wait() has it. */
static int in_child(const char *path, void (*handler)(int))
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(write_to_full_disk(path, handler) == -EFBIG ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static unsigned int count_files(const char *folder)
{
	DIR *dir = opendir(folder);
	unsigned int nr = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		nr += *entry->d_name != '.' || !strncmp(entry->d_name, ".coroprof", 9);
	closedir(dir);
	return nr;
}

/* The good one of before stays, where a link leads, too; and nothing is left of the other. */
static void leaves_what_was_there_when_the_disk_is_full(void **state)
{
	char folder[] = "/tmp/coroprof-test-XXXXXX", path[64], link[64];
	struct stat st;

	(void)state;
	make(true);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/XXXXXX", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	make_good(path);
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(in_child(path, SIG_IGN), 0);
	assert_int_equal(in_child(link, SIG_IGN), 0);
	assert_good(path);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(count_files(folder), 2);
	/* As Ctrl-C does, in the middle of it. */
	assert_int_equal(WTERMSIG(in_child(path, SIG_DFL)), SIGXFSZ);
	assert_good(path);
	assert_int_equal(count_files(folder), 2);
	unlink(link);
	unlink(path);
	rmdir(folder);
	unlink(recording_path);
}

static void lets_who_reads_an_output_read_it_to_its_end(void **state)
{
	const struct source source = { .paths = { recording_path }, .nr = 1 };
	char path[] = "/tmp/coroprof-test-XXXXXX", text[8] = "";
	const struct output output = { .path = path, .format = FORMAT_JSON };
	struct outcome outcome;
	struct error err;
	struct stat st;
	FILE *reader;

	(void)state;
	make(true);
	make_good(path);
	assert_int_equal(chmod(path, 0640), 0);
	reader = fopen(path, "r");
	assert_non_null(reader);
	assert_int_equal(
		output_all(&source, &output, 1, &(struct view_options){ 0 }, &outcome, &err), 0);
	assert_int_equal(fread(text, 1, sizeof(text), reader), 4);
	assert_string_equal(text, "good");
	fclose(reader);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_true(st.st_size > 4);
	unlink(path);
	unlink(recording_path);
}

/* Reads all of it, and returns which file it was. */
static ino_t read_whole(const char *path, char *text)
{
	FILE *file = fopen(path, "r");
	struct stat st;
	size_t size;

	assert_non_null(file);
	size = fread(text, 1, ROOM - 1, file);
	text[size] = '\0';
	assert_int_equal(fstat(fileno(file), &st), 0);
	fclose(file);
	assert_in_range(size, 8, ROOM - 2);
	assert_memory_equal(text, "{\"format", 8);
	assert_string_equal(text + size - 3, "}}\n");
	return st.st_ino;
}

static void rewrite(const char *path)
{
	const struct source source = { .paths = { recording_path }, .nr = 1 };
	const struct output output = { .path = path, .format = FORMAT_JSON };
	struct outcome outcome;
	struct error err;

	if (output_all(&source, &output, 1, &(struct view_options){ 0 }, &outcome, &err))
		_exit(1);
}

/* As --totals --interval writes it, while others read it. */
static void nobody_reads_half_of_what_is_rewritten(void **state)
{
	char path[] = "/tmp/coroprof-test-XXXXXX";
	char *text = malloc(ROOM);
	unsigned int rewritten = 0;
	ino_t last, now;
	pid_t pid;

	(void)state;
	make(true);
	close(mkstemp(path));
	rewrite(path);
	pid = fork();
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!pid)
		rewrite(path);
	last = read_whole(path, text);
	for (unsigned int reads = 0; reads < 5000 || rewritten < 100; reads++, last = now) {
		now = read_whole(path, text);
		rewritten += now != last;
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	free(text);
	unlink(path);
	unlink(recording_path);
}

/* Whatever the form: what it is before ".gz" the program that unpacks it finds. */
static void compresses_what_is_called_so(void **state)
{
	const enum format forms[] = { FORMAT_JSON, FORMAT_CSV, FORMAT_TEXT, FORMAT_CHROME };
	const struct source source = { .paths = { recording_path }, .nr = 1 };
	struct outcome outcome;
	struct error err;

	(void)state;
	make(true);
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		char path[] = "/tmp/coroprof-test-XXXXXX.gz", *unpacked = calloc(1, ROOM);
		const struct output output = { .path = path, .format = forms[i] };
		char *plain = written(forms[i], 1, &outcome);
		gzFile file;

		close(mkstemps(path, 3));
		assert_int_equal(output_all(&source, &output, 1, &(struct view_options){ 0 }, &outcome, &err), 0);
		file = gzopen(path, "r");
		assert_non_null(file);
		assert_in_range(gzread(file, unpacked, ROOM - 1), 1, ROOM - 2);
		assert_int_equal(gzdirect(file), 0);
		gzclose(file);
		assert_string_equal(unpacked, plain);
		unlink(path);
		free(plain);
		free(unpacked);
	}
	unlink(recording_path);
}

static void replaces_no_recording_that_it_reads(void **state)
{
	const struct source source = { .paths = { recording_path }, .nr = 1 };
	char folder[] = "/tmp/coroprof-test-XXXXXX", path[64];
	const struct output output = { .path = path, .format = FORMAT_JSON };
	int (*const make_link[])(const char *, const char *) = { symlink, link };
	struct outcome outcome;
	struct stat before, after;
	struct error err;

	(void)state;
	make(true);
	assert_int_equal(stat(recording_path, &before), 0);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/in.json", folder);
	for (size_t i = 0; i < sizeof(make_link) / sizeof(*make_link); i++) {
		assert_int_equal(make_link[i](recording_path, path), 0);
		assert_int_equal(output_all(&source, &output, 1, &(struct view_options){ 0 },
					    &outcome, &err),
				 -EINVAL);
		assert_says(err.message, path);
		assert_says(err.message, "choose another name");
		assert_int_equal(stat(recording_path, &after), 0);
		assert_int_equal(after.st_ino, before.st_ino);
		assert_int_equal(after.st_size, before.st_size);
		unlink(path);
	}
	rmdir(folder);
	unlink(recording_path);
}

/* It is PATH.part until it has ended, and what had the name stays until then. */
static void keeps_the_recording_of_before_until_the_new_one_has_ended(void **state)
{
	char folder[] = "/tmp/coroprof-test-XXXXXX", path[64];
	const struct output output = { .path = path, .format = FORMAT_CPROF };
	struct writer *writer;
	struct spool spool;
	struct error err;
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/XXXXXX", folder);
	make_good(path);
	assert_int_equal(spool_choose(&spool, &output, 1, &err), 0);
	assert_false(spool.temporary);
	assert_int_equal(writer_open(&writer, spool.path, &err), 0);
	assert_good(path);
	assert_int_equal(writer_close(writer, &err), 0);
	assert_good(path);
	assert_int_equal(spool_finish(&spool, true, &err), 0);
	assert_string_equal(spool.path, path);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size > 4);
	assert_int_equal(count_files(folder), 1);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_a_device_where_it_is),
		cmocka_unit_test(leaves_what_was_there_when_the_disk_is_full),
		cmocka_unit_test(lets_who_reads_an_output_read_it_to_its_end),
		cmocka_unit_test(nobody_reads_half_of_what_is_rewritten),
		cmocka_unit_test(compresses_what_is_called_so),
		cmocka_unit_test(replaces_no_recording_that_it_reads),
		cmocka_unit_test(keeps_the_recording_of_before_until_the_new_one_has_ended),
		cmocka_unit_test(says_of_a_recording_without_its_end_that_more_came),
		cmocka_unit_test(says_nothing_of_a_recording_that_is_whole),
		cmocka_unit_test(says_of_several_recordings_which_has_no_end),
		cmocka_unit_test(writes_figures_that_no_number_has_room_for),
	};

	return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
