// SPDX-License-Identifier: GPL-2.0
/* What an object file that takes over its reader gets: nothing; and what others lose: nothing. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "symbols/jail.h"
#include "symbols/lookup.h"
#include "symbols/regular.h"
#include "symbols/symbols.h"
#include "support.h"

/* What is to end by itself has time for it, on a busy machine too. */
static struct jail_limits limits = { .seconds = 60, .bytes = 256 << 20 };

/* A signal that no sanitizer of a test wants for itself. */
static void harm_self(void)
{
	__builtin_trap();
}

/* ---- stands in for what reads object files: what it does is in the path */

static int lookups;
/* Without a sign: a sanitizer would end what overflows, before its time does. */
static volatile unsigned int spins;

struct lookup *lookup_new(const char *root)
{
	(void)root;
	lookups++;
	return calloc(1, 1);
}

void lookup_free(struct lookup *lookup)
{
	free(lookup);
}

void lookup_set_kept(struct lookup *lookup, const char *path)
{
	(void)lookup;
	(void)path;
}

const char *lookup_find(struct lookup *lookup, const char *object, const uint8_t *build_id,
			size_t build_id_len, uint64_t address, char **name)
{
	(void)lookup;
	(void)build_id;
	(void)build_id_len;
	(void)address;
	if (!strcmp(object, "/harms") || !strncmp(object, "/harms/", 7))
		harm_self();
	*name = strdup("known");
	return NULL;
}

const char *lookup_find_at(struct lookup *lookup, const char *object, const uint8_t *build_id,
			   size_t build_id_len, uint64_t offset, char **name)
{
	return lookup_find(lookup, object, build_id, build_id_len, offset, name);
}

unsigned int lookup_locations_at(struct lookup *lookup, const char *object, const uint8_t *build_id,
				 size_t build_id_len, uint64_t offset,
				 struct source_location locations[LINES_DEPTH])
{
	(void)lookup;
	(void)build_id;
	(void)build_id_len;
	(void)offset;
	if (!strncmp(object, "/harms-lines", 12))
		harm_self();
	while (!strncmp(object, "/spins-lines", 12))
		spins++;
	locations[0] = (struct source_location){ .file = "file.c", .line = 7 };
	return 1;
}

const char *lookup_lines_fault(const struct lookup *lookup)
{
	(void)lookup;
	return NULL;
}

char *lookup_readable(const char *name)
{
	return strdup(name);
}

/* ---- what the process may */

/* One that is asked for by the name of a test. */
struct experiment {
	void (*run)(struct buffer *answer);
};

static bool serve(void *context, const char *request, size_t size, struct buffer *answer)
{
	const struct experiment *experiment = context;

	(void)request;
	(void)size;
	experiment->run(answer);
	return true;
}

/* Its answer as a number for each thing it tried: 0, or an errno. */
static const char *try(void (*run)(struct buffer *answer), int *results, size_t room)
{
	struct experiment experiment = { run };
	struct buffer request = { 0 }, answer = { 0 };
	struct jail jail;
	const char *fault;

	assert_true(jail_start(&jail, &limits, serve, &experiment));
	fault = jail_ask(&jail, &request, &answer);
	if (!fault) {
		assert_int_equal(answer.size, room);
		memcpy(results, answer.data, room);
	}
	jail_end(&jail);
	buffer_free(&answer);
	return fault;
}

static void put(struct buffer *answer, bool done)
{
	const int result = done ? 0 : errno;
	struct error err;

	buffer_append(answer, &result, sizeof(result), &err);
}

static void open_things(struct buffer *answer)
{
	put(answer, open("/etc/passwd", O_RDONLY) >= 0);
	put(answer, open("/proc/self/maps", O_RDONLY) >= 0);
	put(answer, open("/tmp/coroprof-test-jail", O_WRONLY | O_CREAT, 0600) >= 0);
	put(answer, socket(AF_INET, SOCK_STREAM, 0) >= 0);
	put(answer, kill(getppid(), 0) == 0);
	put(answer, fork() >= 0);
	put(answer, execl("/bin/true", "true", NULL) == 0);
	put(answer, setuid(0) == 0);
}

static void can_open_send_and_start_nothing(void **state)
{
	int results[8];

	(void)state;
	assert_null(try(open_things, results, sizeof(results)));
	for (size_t i = 0; i < ARRAY_SIZE(results); i++)
		assert_int_equal(results[i], EPERM);
}

static void ask_for_files(struct buffer *answer)
{
	char magic[4];
	int fd;

	put(answer, regular_open("/etc/passwd") >= 0);
	put(answer, regular_open("/dev/null") >= 0);
	put(answer, regular_open("/nowhere") >= 0);
	fd = regular_open("/proc/self/exe");
	put(answer, fd >= 0 && read(fd, magic, 4) == 4 && !memcmp(magic, "\177ELF", 4));
	put(answer, write(fd, magic, 4) == 4);
}

static void gets_elf_files_alone_and_only_to_read(void **state)
{
	const int want[] = { ENOEXEC, ENOTSUP, ENOENT, 0, EPERM };
	int results[5];

	(void)state;
	assert_null(try(ask_for_files, results, sizeof(results)));
	assert_memory_equal(results, want, sizeof(want));
}

static void look_at_self(struct buffer *answer)
{
	unsigned int open_files = 0;

	for (int fd = 0; fd < 1024; fd++)
		open_files += fcntl(fd, F_GETFD) >= 0;
	errno = (int)open_files;
	put(answer, false);
	/* Of a file that is root's alone it is known by who opens it: these are its ids. */
	errno = (int)getpid();
	put(answer, false);
}

static void has_no_descriptor_but_its_socket(void **state)
{
	int results[2];

	(void)state;
	assert_null(try(look_at_self, results, sizeof(results)));
	assert_int_equal(results[0], 1);
	assert_int_not_equal(results[1], getpid());
}

static void take_memory(struct buffer *answer)
{
	void *much = malloc((size_t)512 << 20);

	put(answer, much);
	free(much);
}

static void gets_no_more_memory_than_it_may_have(void **state)
{
	int results[1];

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	print_message("skipped: under ASan a malloc() that fails ends the program\n");
	return;
#endif
	assert_null(try(take_memory, results, sizeof(results)));
	assert_int_equal(results[0], ENOMEM);
}

static void crash(struct buffer *answer)
{
	(void)answer;
	harm_self();
}

static void spin(struct buffer *answer)
{
	(void)answer;
	for (;;)
		spins++;
}

static void answer_too_much(struct buffer *answer)
{
	struct error err;

	if (!buffer_reserve(answer, 64 << 20, &err))
		answer->size = 64 << 20;
}

static void is_reported_when_it_crashes_or_does_not_end(void **state)
{
	(void)state;
	assert_says(try(crash, NULL, 0), "crashed on the object file");
	limits.seconds = 1;
	assert_says(try(spin, NULL, 0), "took too long");
	limits.seconds = 60;
	assert_says(try(answer_too_much, NULL, 0), "could not go on");
}

/* Time that others have the processor is not its own. */
static void sleep_a_second(struct buffer *answer)
{
	const struct timespec second = { .tv_sec = 1 };
	int word = 0;

	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &second);
	put(answer, errno == ETIMEDOUT);
}

static void has_used_what_it_ran_alone(void **state)
{
	struct experiment experiment = { sleep_a_second };
	struct buffer request = { 0 }, answer = { 0 };
	struct jail jail;

	(void)state;
	assert_true(jail_start(&jail, &limits, serve, &experiment));
	assert_null(jail_ask(&jail, &request, &answer));
	assert_int_equal(*(int *)answer.data, 0);
	assert_in_range(jail.used_ns, 1, 900000000);
	experiment.run = spin;
	jail_end(&jail);
	limits.answer_seconds = 1;
	assert_true(jail_start(&jail, &limits, serve, &experiment));
	assert_says(jail_ask(&jail, &request, &answer), "took too long");
	assert_in_range(jail.used_ns, 900000000, UINT64_MAX);
	limits.answer_seconds = 0;
	buffer_free(&answer);
}

/* ---- what is lost by one object file */

/* Its name, and this many lines. */
static void assert_known(struct symbols *s, const char *object, unsigned int nr)
{
	struct symbols_location found;

	assert_null(symbols_find_at(s, object, NULL, 0, 1, true, &found));
	assert_string_equal(found.name, "known");
	assert_int_equal(found.nr, nr);
	if (nr) {
		assert_string_equal(found.locations[0].file, "file.c");
		assert_null(found.locations[0].name);
	}
	free(found.name);
}

static void costs_no_other_object_file_its_names(void **state)
{
	struct symbols *s = symbols_new(NULL);
	struct symbols_location found;
	char *name;

	(void)state;
	lookups = 0;
	for (int i = 0; i < 3; i++) {
		assert_null(symbols_find(s, "/good", NULL, 0, 1, &name));
		assert_string_equal(name, "known");
		free(name);
		/* It is asked for once. */
		assert_says(symbols_find(s, "/harms", NULL, 0, 1, &name),
			    "crashed on the object file");
		assert_null(name);
		assert_says(symbols_find_at(s, "/harms/all", NULL, 0, 1, true, &found),
			    "crashed on the object file");
		assert_null(found.name);
		assert_known(s, "/good", 1);
	}
	/* To begin with, and after each that ended it: "/harms/all" did with lines, and without. */
	assert_int_equal(lookups, 4);
	symbols_free(s);
}

static void debug_information_that_harms_costs_no_names(void **state)
{
	struct symbols *s = symbols_new(NULL);

	(void)state;
	lookups = 0;
	for (int i = 0; i < 3; i++) {
		assert_known(s, "/harms-lines", 0);
		assert_says(symbols_lines_fault(s), "crashed on the object file");
		assert_known(s, "/good", 1);
	}
	assert_int_equal(lookups, 2);
	symbols_free(s);
}

static void what_never_ends_leaves_time_for_others(void **state)
{
	struct symbols *s = symbols_new(NULL);

	(void)state;
	lookups = 0;
	for (int i = 0; i < 2; i++) {
		assert_known(s, "/spins-lines", 0);
		assert_says(symbols_lines_fault(s), "took too long");
		assert_known(s, "/good", 1);
	}
	assert_int_equal(lookups, 2);
	symbols_free(s);
}

static void gives_up_after_too_many_of_them(void **state)
{
	struct symbols *s = symbols_new(NULL);
	char path[32], *name;

	(void)state;
	lookups = 0;
	for (int i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "/harms/%d", i);
		assert_non_null(symbols_find(s, path, NULL, 0, 1, &name));
	}
	assert_says(symbols_find(s, "/harms/99", NULL, 0, 1, &name), "too many object files");
	assert_in_range(lookups, 1, 20);
	symbols_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(can_open_send_and_start_nothing),
		cmocka_unit_test(gets_elf_files_alone_and_only_to_read),
		cmocka_unit_test(has_no_descriptor_but_its_socket),
		cmocka_unit_test(gets_no_more_memory_than_it_may_have),
		cmocka_unit_test(is_reported_when_it_crashes_or_does_not_end),
		cmocka_unit_test(has_used_what_it_ran_alone),
		cmocka_unit_test(costs_no_other_object_file_its_names),
		cmocka_unit_test(debug_information_that_harms_costs_no_names),
		cmocka_unit_test(what_never_ends_leaves_time_for_others),
		cmocka_unit_test(gives_up_after_too_many_of_them),
	};

	return cmocka_run_group_tests_name("jail", tests, NULL, NULL);
}
