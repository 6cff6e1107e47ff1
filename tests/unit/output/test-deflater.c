// SPDX-License-Identifier: GPL-2.0
/*
 * Texts come out as they went in, in their order, whoever deflates them; what can't be
 * written is reported.
 */
#include <dlfcn.h>
#include <errno.h>
#include <libdeflate.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <zlib.h>

#include "output/html/deflater.h"
#include "support.h"

#define TEXTS	40
/* More than a window of what was before, by far. */
#define LARGEST	(3u << 20)

static int nr_processors, most_threads, threads;
static unsigned int inits;
static atomic_bool elsewhere;
static pthread_t caller;

/* So many processors there are. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	(void)pid;
	(void)size;
	CPU_ZERO(set);
	for (int i = 0; i < nr_processors; i++)
		CPU_SET(i, set);
	return 0;
}

/* So many threads can be made. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
		   void *context)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	if (threads == most_threads)
		return EAGAIN;
	threads++;
	return real(thread, attributes, run, context);
}

/* Only so often there is memory for it. */
struct libdeflate_compressor *libdeflate_alloc_compressor(int level)
{
	struct libdeflate_compressor *(*real)(int);

	*(void **)&real = dlsym(RTLD_NEXT, "libdeflate_alloc_compressor");
	return inits-- ? real(level) : NULL;
}

/* If there are threads, one of them begins before the caller does. */
size_t libdeflate_zlib_compress(struct libdeflate_compressor *c, const void *in, size_t nr,
				void *out, size_t room)
{
	bool of_caller = pthread_equal(pthread_self(), caller);
	size_t (*real)(struct libdeflate_compressor *, const void *, size_t, void *, size_t);

	*(void **)&real = dlsym(RTLD_NEXT, "libdeflate_zlib_compress");
	if (!of_caller)
		elsewhere = true;
	while (of_caller && threads && !elsewhere)
		sched_yield();
	return real(c, in, nr, out, room);
}

static void begin(struct deflater *d, FILE *file, int with_processors, int with_threads)
{
	nr_processors = with_processors;
	most_threads = with_threads;
	threads = 0;
	elsewhere = false;
	inits = DEFLATER_JOBS;
	caller = pthread_self();
	assert_int_equal(deflater_open(d, file), 0);
}

/* Texts are of different lengths, some of them long, some of nothing. */
static size_t length_of(unsigned int nr)
{
	return nr == TEXTS / 2 ? LARGEST : nr % 7 * (size_t)(nr * nr * 17 + nr % 3);
}

/* Hard to deflate, so that there is much of it. */
static uint8_t *text_of(unsigned int nr)
{
	uint8_t *bytes = malloc(LARGEST);
	uint32_t state = nr + 1;

	assert_non_null(bytes);
	for (size_t i = 0; i < length_of(nr); i++) {
		state = state * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(state >> 25);
	}
	return bytes;
}

/* Each in pieces. */
static void put_texts(struct deflater *d)
{
	for (unsigned int nr = 0; nr < TEXTS; nr++) {
		size_t length = length_of(nr), piece = length / 3;
		uint8_t *bytes = text_of(nr);

		deflater_add(d, bytes, piece);
		deflater_add(d, bytes + piece, length - piece);
		deflater_end(d);
		free(bytes);
	}
}

static unsigned int value_of(char digit)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(digits, digit);

	assert_true(digit && at);
	return (unsigned int)(at - digits);
}

/* Returns how many bytes a line is. */
static size_t bytes_of(const char *line, size_t length, uint8_t *bytes)
{
	size_t nr = 0;

	assert_int_equal(length % 4, 0);
	for (size_t i = 0; i < length; i += 4) {
		size_t digits = line[i + 3] != '=' ? 4 : line[i + 2] != '=' ? 3 : 2;
		unsigned int bits = 0;

		assert_true(digits == 4 || i + 4 == length);
		for (size_t at = 0; at < 4; at++)
			bits = bits << 6 | (at < digits ? value_of(line[i + at]) : 0);
		for (size_t at = 0; at + 1 < digits; at++)
			bytes[nr++] = (uint8_t)(bits >> (16 - 8 * at));
	}
	return nr;
}

static void expect_text(unsigned int nr, const char *line, size_t length)
{
	uint8_t *deflated = malloc(length), *found = malloc(LARGEST), *bytes = text_of(nr);
	uLongf size = LARGEST;

	assert_non_null(deflated);
	assert_non_null(found);
	assert_int_equal(uncompress(found, &size, deflated, bytes_of(line, length, deflated)),
			 Z_OK);
	assert_int_equal(size, length_of(nr));
	assert_memory_equal(found, bytes, size);
	free(deflated);
	free(found);
	free(bytes);
}

static void expect_texts(const char *written)
{
	for (unsigned int nr = 0; nr < TEXTS; nr++) {
		size_t length = strcspn(written, "\n");

		expect_text(nr, written, length);
		assert_int_equal(written[length], '\n');
		written += length + 1;
	}
	assert_string_equal(written, "");
}

static char *written_with(int with_processors, int with_threads)
{
	char *written = NULL;
	struct deflater d;
	size_t size = 0;
	FILE *file = open_memstream(&written, &size);

	assert_non_null(file);
	begin(&d, file, with_processors, with_threads);
	put_texts(&d);
	assert_int_equal(deflater_close(&d), 0);
	assert_int_equal(fclose(file), 0);
	return written;
}

static void one_processor_deflates_all_of_it(void **state)
{
	char *written = written_with(1, 9);

	(void)state;
	assert_int_equal(threads, 0);
	expect_texts(written);
	free(written);
}

static void other_processors_deflate_some_and_nothing_else_changes(void **state)
{
	char *alone = written_with(1, 9);

	(void)state;
	for (int others = 1; others < 5; others++) {
		char *written = written_with(1 + others, 9);

		assert_int_equal(threads, others < DEFLATER_HELPERS ? others : DEFLATER_HELPERS);
		assert_true(elsewhere);
		assert_string_equal(written, alone);
		free(written);
	}
	free(alone);
}

static void where_no_thread_can_be_made_the_caller_does_it(void **state)
{
	(void)state;
	for (int most = 0; most < DEFLATER_HELPERS; most++) {
		char *written = written_with(8, most);

		assert_int_equal(threads, most);
		expect_texts(written);
		free(written);
	}
}

static void nothing_is_written_of_nothing(void **state)
{
	struct deflater d;
	char *written = NULL;
	size_t size = 1;
	FILE *file = open_memstream(&written, &size);

	(void)state;
	assert_non_null(file);
	begin(&d, file, 3, 9);
	assert_int_equal(deflater_close(&d), 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(size, 0);
	free(written);
}

/* Whoever made the texts may have failed, and goes on to say why. */
static void closing_leaves_errno_as_it_was(void **state)
{
	FILE *file = tmpfile();
	struct deflater d;

	(void)state;
	assert_non_null(file);
	begin(&d, file, 3, 9);
	put_texts(&d);
	errno = ENOMEM;
	assert_int_equal(deflater_close(&d), 0);
	assert_int_equal(errno, ENOMEM);
	fclose(file);
}

static void a_full_disk_is_reported(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct deflater d;

	(void)state;
	assert_non_null(full);
	begin(&d, full, 3, 9);
	put_texts(&d);
	errno = 0;
	assert_int_equal(deflater_close(&d), -1);
	assert_int_equal(errno, ENOSPC);
	fclose(full);
}

static void no_memory_is_reported(void **state)
{
	FILE *file = tmpfile();
	struct deflater d;
	uint8_t byte = 1;

	(void)state;
	assert_non_null(file);
	begin(&d, file, 1, 0);
	deflater_add(&d, &byte, 1);
	deflater_end(&d);
	deflater_add(&d, &byte, SIZE_MAX / 2);
	deflater_end(&d);
	errno = 0;
	assert_int_equal(deflater_close(&d), -1);
	assert_int_equal(errno, ENOMEM);
	for (unsigned int most = 0; most < DEFLATER_JOBS; most++) {
		inits = most;
		errno = 0;
		assert_int_equal(deflater_open(&d, file), -1);
		assert_int_equal(errno, ENOMEM);
	}
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_processor_deflates_all_of_it),
		cmocka_unit_test(other_processors_deflate_some_and_nothing_else_changes),
		cmocka_unit_test(where_no_thread_can_be_made_the_caller_does_it),
		cmocka_unit_test(nothing_is_written_of_nothing),
		cmocka_unit_test(closing_leaves_errno_as_it_was),
		cmocka_unit_test(a_full_disk_is_reported),
		cmocka_unit_test(no_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
