// SPDX-License-Identifier: GPL-2.0
/* Requests that wait: their order, their bounds, and what is left of them when a process ends. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <stdlib.h>
#include <unistd.h>

#include "push/queue.h"
#include "support.h"

#define DIR	"test-queue.dir"

static struct queue queue;
static struct error err;

static int clean(void **state)
{
	(void)state;
	return system("rm -rf " DIR);
}

static void begin(const char *path, uint64_t most)
{
	if (queue_begin(&queue, path, most, 0, &err))
		fail_msg("%s", err.message);
}

static void add(const char *text, uint64_t points)
{
	static const struct queue_counts none;

	queue_add(&queue, strdup(text), strlen(text), points, &none);
}

/* It is delivered. */
static void expect(const char *text)
{
	size_t size;
	char *body = queue_first(&queue, &size);

	if (!text) {
		assert_null(body);
		return;
	}
	assert_non_null(body);
	if (size != strlen(text) || memcmp(body, text, size))
		fail_msg("'%.*s', not '%s'", (int)size, body, text);
	free(body);
	queue_drop(&queue, false);
}

static void expect_lost(uint64_t requests, uint64_t points)
{
	struct queue_counts lost = queue_lost(&queue);

	assert_int_equal(lost.requests, requests);
	assert_int_equal(lost.points, points);
}

static unsigned int files(void)
{
	unsigned int nr = 0;
	FILE *ls = popen("ls " DIR " | wc -l", "r");

	assert_int_equal(fscanf(ls, "%u", &nr), 1);
	pclose(ls);
	return nr;
}

static void keeps_order(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		begin(i ? DIR : NULL, 0);
		expect(NULL);
		add("one", 1);
		add("two", 2);
		expect("one");
		add("three", 3);
		expect("two");
		expect("three");
		expect(NULL);
		expect_lost(0, 0);
		queue_end(&queue);
	}
}

static void has_the_first_again_until_it_is_dropped(void **state)
{
	size_t size;

	(void)state;
	begin(NULL, 0);
	add("one", 4);
	free(queue_first(&queue, &size));
	queue_keep(&queue);
	free(queue_first(&queue, &size));
	queue_drop(&queue, true);
	expect(NULL);
	expect_lost(1, 4);
	expect_lost(0, 0);
	queue_end(&queue);
}

static void survives_its_process(void **state)
{
	(void)state;
	begin(DIR, 0);
	for (unsigned int i = 0; i < 12; i++) {
		char text[16];

		snprintf(text, sizeof(text), "request %u", i);
		add(text, i);
	}
	expect("request 0");
	queue_end(&queue);
	assert_int_equal(files(), 11);
	begin(DIR, 0);
	assert_int_equal(queue_left(&queue, false).requests, 11);
	assert_int_equal(queue_left(&queue, false).points, 66);
	add("later", 1);
	expect("request 1");
	for (unsigned int i = 2; i < 12; i++) {
		char text[16];

		snprintf(text, sizeof(text), "request %u", i);
		expect(text);
	}
	expect("later");
	expect(NULL);
	expect_lost(0, 0);
	queue_end(&queue);
	assert_int_equal(files(), 0);
}

/* The one that is being sent stays, whatever there is no room for. */
static void gives_up_the_oldest_and_counts_it(void **state)
{
	size_t size;

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		begin(i ? DIR : NULL, 30);
		add("0123456789", 1);
		add("abcdefghij", 2);
		add("ABCDEFGHIJ", 4);
		expect_lost(0, 0);
		add("9876543210", 8);
		expect_lost(1, 1);
		free(queue_first(&queue, &size));
		add("x", 16);
		expect_lost(1, 4);
		queue_drop(&queue, false);
		expect("9876543210");
		expect("x");
		expect(NULL);
		expect_lost(0, 0);
		queue_end(&queue);
	}
}

static void counts_again_what_a_lost_request_has_said(void **state)
{
	const struct queue_counts says = { 10, 20, 30, 40 };
	struct queue_counts lost;

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		begin(DIR, 10);
		queue_add(&queue, strdup("one"), 3, 5, &says);
		if (i) {
			queue_end(&queue);
			begin(DIR, 10);
		}
		add("0123456789", 1);
		lost = queue_lost(&queue);
		assert_int_equal(lost.requests, 11);
		assert_int_equal(lost.points, 25);
		assert_int_equal(lost.rejected, 30);
		assert_int_equal(lost.unsent_ns, 40);
		expect("0123456789");
		queue_end(&queue);
	}
}

/* As if the time of day had been set by so much since they came. */
static void set_clock(int64_t seconds)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { 0, 0 } };
	char name[64];

	clock_gettime(CLOCK_REALTIME, &times[1]);
	times[1].tv_sec -= seconds;
	for (unsigned int i = 1; i <= 3; i++) {
		snprintf(name, sizeof(name), DIR "/%020u.otlp", i);
		assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
	}
}

static void gives_up_what_is_too_old_whatever_the_clock_says(void **state)
{
	(void)state;
	for (int64_t by = -1000000; by <= 1000000; by += 1000000) {
		clean(NULL);
		begin(DIR, 0);
		add("old", 1);
		add("older than it may be", 2);
		usleep(50000);
		add("new", 4);
		queue_end(&queue);
		set_clock(by);
		assert_int_equal(queue_begin(&queue, DIR, 0, 3600 * SECOND_NS, &err), 0);
		expect_lost(0, 0);
		queue_end(&queue);
		set_clock(by);
		assert_int_equal(queue_begin(&queue, DIR, 0, SECOND_NS / 25, &err), 0);
		expect_lost(2, 3);
		queue_end(&queue);
	}
	assert_int_equal(queue_begin(&queue, NULL, 0, 1, &err), 0);
	add("at once", 3);
	usleep(1000);
	expect(NULL);
	expect_lost(1, 3);
	queue_end(&queue);
}

/* As if they had come so many seconds after the begin of another boot, which ended since. */
static void write_of_boot(const char *boot, const unsigned int seconds[3])
{
	for (unsigned int i = 0; i < 3; i++) {
		char name[64], head[256] = "";
		FILE *file;

		snprintf(name, sizeof(name), DIR "/%020u.otlp", i + 1);
		snprintf(head, sizeof(head), "coroprof-push 2 %u 0 0 0 0 %u000000000 %s\n", 1u << i,
			 seconds[i], boot);
		file = fopen(name, "w");
		assert_non_null(file);
		fwrite(head, sizeof(head), 1, file);
		fputs("body", file);
		fclose(file);
	}
}

/* Uptime is what it is: ages are of that and of the time before it. */
static void knows_ages_over_boots(void **state)
{
	static const char *const boots[] = { "6b0d5f0e-0000-4000-8000-000000000001", "-" };
	/* The second would be of the time after this boot, if it was of this one. */
	static const unsigned int seconds[3] = { 1000, 3000000000u, 3000002000u };

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t up = clock_ns(CLOCK_BOOTTIME), hour = 3600 * SECOND_NS;

		clean(NULL);
		mkdir(DIR, 0700);
		write_of_boot(boots[i], seconds);
		set_clock(i ? 1000000 : -1000000);
		/* Whatever this machine has been up for. */
		assert_int_equal(queue_begin(&queue, DIR, 0, up + 24 * hour, &err), 0);
		/* The first is from a hundred years ago. */
		expect_lost(1, 1);
		queue_end(&queue);
		/* It is in the files: another boot would know it. */
		assert_int_equal(queue_begin(&queue, DIR, 0, up + 2 * hour, &err), 0);
		expect_lost(0, 0);
		queue_end(&queue);
		assert_int_equal(queue_begin(&queue, DIR, 0, up + hour / 2, &err), 0);
		expect_lost(1, 2);
		queue_end(&queue);
		assert_int_equal(queue_begin(&queue, DIR, 0, up, &err), 0);
		expect_lost(1, 4);
		queue_end(&queue);
	}
}

/* What waited in a boot that brought no request, or one alone, is not forgotten by the next one. */
static void knows_ages_over_boots_without_requests(void **state)
{
	static const char other[] = "6b0d5f0e-0000-4000-8000-000000000002";
	static const unsigned int none[3] = { 0, 0, 0 }, hours[3] = { 7200, 3600, 3600 };
	uint64_t up, hour = 3600 * SECOND_NS;

	(void)state;
	mkdir(DIR, 0700);
	write_of_boot("6b0d5f0e-0000-4000-8000-000000000001", none);
	assert_int_equal(queue_begin(&queue, DIR, 0, clock_ns(CLOCK_BOOTTIME) + 24 * hour, &err), 0);
	queue_end(&queue);
	/* It is of this boot now, in its file, too: the end of this boot is known by what comes in it. */
	for (unsigned int i = 1; i <= 3; i++) {
		char name[64], head[256], boot[40] = "", this[40] = "";
		FILE *file;

		snprintf(name, sizeof(name), DIR "/%020u.otlp", i);
		file = fopen(name, "r");
		assert_int_equal(fread(head, sizeof(head), 1, file), 1);
		fclose(file);
		assert_int_equal(sscanf(head, "coroprof-push 2 %*u %*u %*u %*u %*u %*d %39s", boot), 1);
		file = fopen("/proc/sys/kernel/random/boot_id", "r");
		assert_int_equal(fscanf(file, "%39s", this), 1);
		fclose(file);
		assert_string_equal(boot, this);
	}
	/* Of two boots: what is before another one is no younger. */
	write_of_boot("6b0d5f0e-0000-4000-8000-000000000001", none);
	for (unsigned int i = 2; i <= 3; i++) {
		char name[64], head[256] = "";
		FILE *file;

		snprintf(name, sizeof(name), DIR "/%020u.otlp", i);
		snprintf(head, sizeof(head), "coroprof-push 2 %u 0 0 0 0 %u000000000 %s\n", 1u << (i - 1),
			 i == 2 ? hours[1] : hours[0], other);
		file = fopen(name, "w");
		fwrite(head, sizeof(head), 1, file);
		fputs("body", file);
		fclose(file);
	}
	up = clock_ns(CLOCK_BOOTTIME);
	assert_int_equal(queue_begin(&queue, DIR, 0, up + hour / 2, &err), 0);
	expect_lost(2, 3);
	queue_end(&queue);
}

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void leaves_alone_what_is_not_its_own(void **state)
{
	(void)state;
	begin(DIR, 0);
	add("one", 1);
	queue_end(&queue);
	write_text(DIR "/notes", "mine");
	write_text(DIR "/1.otlp", "not such a name");
	write_text(DIR "/.coroprof-push.new", "half of one");
	/* No requests, by names of such. */
	write_text(DIR "/00000000000000000002.otlp", "");
	write_text(DIR "/00000000000000000003.otlp", "coroprof-push 2 1 2 3 4");
	assert_int_equal(symlink("/etc/passwd", DIR "/00000000000000000004.otlp"), 0);
	begin(DIR, 0);
	expect_lost(3, 0);
	expect("one");
	expect(NULL);
	add("two", 1);
	expect("two");
	queue_end(&queue);
	assert_int_equal(files(), 2);
	assert_int_equal(access(DIR "/notes", F_OK), 0);
}

static void counts_what_somebody_has_taken_away(void **state)
{
	(void)state;
	begin(DIR, 0);
	add("one", 7);
	add("two", 8);
	assert_int_equal(unlink(DIR "/00000000000000000001.otlp"), 0);
	assert_int_equal(truncate(DIR "/00000000000000000002.otlp", 257), 0);
	add("three", 9);
	expect("three");
	expect_lost(2, 15);
	queue_end(&queue);
}

/* What the disk does not take is in memory, and on the disk once there is room. */
static void lives_on_with_a_disk_that_is_full(void **state)
{
	static char large[100000];
	struct rlimit before, none;

	(void)state;
	memset(large, 'x', sizeof(large) - 1);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	none = before;
	none.rlim_cur = 50000;
	begin(DIR, 0);
	add("one", 1);
	setrlimit(RLIMIT_FSIZE, &none);
	add(large, 2);
	add("three", 4);
	assert_int_equal(queue.in_memory, sizeof(large) - 1);
	assert_int_equal(files(), 2);
	expect("one");
	expect(large);
	expect("three");
	queue.most_in_memory = 150000;
	add(large, 8);
	add(large, 16);
	expect_lost(1, 8);
	setrlimit(RLIMIT_FSIZE, &before);
	queue_end(&queue);
	begin(DIR, 0);
	expect(large);
	expect(NULL);
	queue_end(&queue);
}

static void refuses_a_folder_of_others(void **state)
{
	struct queue other;

	(void)state;
	begin(DIR, 0);
	assert_int_equal(queue_begin(&other, DIR, 0, 0, &err), -EBUSY);
	assert_says(err.message, DIR " is that of another coroprof, which runs");
	queue_end(&queue);
	chmod(DIR, 0777);
	assert_int_equal(queue_begin(&queue, DIR, 0, 0, &err), -EPERM);
	assert_says(err.message, "only its owner");
	assert_int_equal(queue_begin(&queue, "nowhere/at/all", 0, 0, &err), -ENOENT);
	assert_says(err.message, "can't make --push-queue nowhere/at/all");
	write_text("test-queue.file", "");
	assert_int_equal(queue_begin(&queue, "test-queue.file", 0, 0, &err), -ENOTDIR);
	unlink("test-queue.file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(keeps_order, clean),
		cmocka_unit_test_setup(has_the_first_again_until_it_is_dropped, clean),
		cmocka_unit_test_setup(survives_its_process, clean),
		cmocka_unit_test_setup(gives_up_the_oldest_and_counts_it, clean),
		cmocka_unit_test_setup(counts_again_what_a_lost_request_has_said, clean),
		cmocka_unit_test_setup(gives_up_what_is_too_old_whatever_the_clock_says, clean),
		cmocka_unit_test_setup(knows_ages_over_boots, clean),
		cmocka_unit_test_setup(knows_ages_over_boots_without_requests, clean),
		cmocka_unit_test_setup(leaves_alone_what_is_not_its_own, clean),
		cmocka_unit_test_setup(counts_what_somebody_has_taken_away, clean),
		cmocka_unit_test_setup(lives_on_with_a_disk_that_is_full, clean),
		cmocka_unit_test_setup_teardown(refuses_a_folder_of_others, clean, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
