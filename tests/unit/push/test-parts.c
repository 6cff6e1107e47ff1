// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of a recording, handed over. No thread is recorded here: ticks, of a second each, are played by
 * hand.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "base/util.h"
#include "cprof/memory.h"
#include "push/parts.h"
#include "record/flight.h"
#include "support.h"

#define SECONDS	5

static const struct record_options options = { .quiet = true };
static struct channels channels;
static struct flight flight;
static struct parts parts;
static uint64_t begun;
static struct error err;

static int begin(void **state)
{
	(void)state;
	flight = (struct flight){ .options = &options, .channels = &channels };
	if (keep_begin(&flight.keep, SECONDS * SECOND_NS, 1 << 20, &err))
		return -1;
	begun = keep_from(&flight.keep);
	return parts_begin(&parts, &err);
}

static int end(void **state)
{
	(void)state;
	parts_free(&parts);
	keep_free(&flight.keep);
	return 0;
}

static void tick(unsigned int nr)
{
	while (nr--) {
		assert_int_equal(keep_tick(&flight.keep, begun += SECOND_NS, &err), 0);
		parts_look(&parts, &flight, 2 * SECOND_NS, false);
	}
}

static bool is_readable(void)
{
	struct pollfd pfd = { .fd = parts.fd, .events = POLLIN };

	return poll(&pfd, 1, 0) == 1;
}

static void expect_nothing(void)
{
	struct part part;
	bool over;

	assert_false(is_readable());
	assert_false(parts_take(&parts, &part, &over));
	assert_false(over);
}

static struct part take(void)
{
	struct part part;
	bool over;

	assert_true(is_readable());
	assert_true(parts_take(&parts, &part, &over));
	assert_false(over);
	assert_false(is_readable());
	assert_non_null(part.memory);
	memory_free(part.memory);
	return part;
}

static void follow_each_other(void **state)
{
	uint64_t first = keep_from(&flight.keep);
	struct part part;

	(void)state;
	tick(1);
	expect_nothing();
	tick(1);
	part = take();
	assert_int_equal(part.window.begin_ns, first);
	assert_int_equal(part.window.end_ns, first + 2 * SECOND_NS);
	/* As in those behind it: with another standing each figure was two series. */
	assert_true(part.window.cut);
	assert_false(part.window.last);
	assert_int_equal(part.unsent_ns, 0);
	expect_nothing();
	tick(2);
	part = take();
	assert_int_equal(part.window.begin_ns, first + 2 * SECOND_NS);
	assert_int_equal(part.window.end_ns, first + 4 * SECOND_NS);
	assert_true(part.window.cut);
}

static void grow_while_one_waits(void **state)
{
	uint64_t first = keep_from(&flight.keep);

	(void)state;
	tick(6);
	assert_int_equal(take().window.end_ns, first + 2 * SECOND_NS);
	tick(1);
	assert_int_equal(take().window.end_ns, first + 7 * SECOND_NS);
	expect_nothing();
}

/* Time that nobody is sent anything of is counted, to the nanosecond. */
static void count_what_is_kept_no_more(void **state)
{
	uint64_t first = keep_from(&flight.keep), from;
	struct part part;

	(void)state;
	tick(20);
	take();
	from = keep_from(&flight.keep);
	assert_true(from > first + 2 * SECOND_NS);
	tick(1);
	part = take();
	from = keep_from(&flight.keep);
	assert_int_equal(part.window.begin_ns, from);
	assert_int_equal(part.unsent_ns, from - (first + 2 * SECOND_NS));
	assert_int_equal(part.window.end_ns, first + 21 * SECOND_NS);
	tick(2);
	assert_int_equal(take().unsent_ns, 0);
}

static void have_the_last_tick_in_the_end(void **state)
{
	uint64_t first = keep_from(&flight.keep);
	struct part part;

	(void)state;
	tick(3);
	assert_int_equal(take().window.end_ns, first + 2 * SECOND_NS);
	flight.keep.over_ns = first + 3 * SECOND_NS + 5;
	parts_look(&parts, &flight, 2 * SECOND_NS, true);
	part = take();
	assert_true(part.window.last);
	assert_int_equal(part.window.begin_ns, first + 2 * SECOND_NS);
	assert_int_equal(part.window.end_ns, first + 3 * SECOND_NS + 5);
}

static void *take_later(void *unused)
{
	struct part part;
	bool over;

	usleep(50000);
	assert_true(parts_take(&parts, &part, &over));
	memory_free(part.memory);
	return unused;
}

/* The last is not lost because the one before it waits. */
static void wait_for_the_last_to_have_room(void **state)
{
	uint64_t first = keep_from(&flight.keep);
	pthread_t thread;

	(void)state;
	tick(3);
	flight.keep.over_ns = first + 3 * SECOND_NS + 5;
	pthread_create(&thread, NULL, take_later, NULL);
	parts_look(&parts, &flight, 2 * SECOND_NS, true);
	pthread_join(thread, NULL);
	assert_true(take().window.last);
}

static void copy_totals(void **state)
{
	static char text[100000], copy[sizeof(text)];
	struct part part;
	FILE *file = fopen("test-parts.file", "w");
	bool over;

	(void)state;
	memset(text, 'x', sizeof(text));
	fwrite(text, 1, sizeof(text), file);
	fclose(file);
	parts.next_ns = 17;
	parts_totals(&parts, "test-parts.file", false);
	/* It is written anew for the next time. */
	assert_int_equal(truncate("test-parts.file", 0), 0);
	assert_true(parts_take(&parts, &part, &over));
	assert_true(part.window.so_far);
	assert_int_equal(part.window.begin_ns, 17);
	assert_int_equal(memory_read(part.memory, 0, copy, sizeof(copy)), sizeof(copy));
	assert_memory_equal(copy, text, sizeof(copy));
	memory_free(part.memory);
	unlink("test-parts.file");
	parts_totals(&parts, "test-parts.file", true);
	assert_true(parts_take(&parts, &part, &over));
	assert_null(part.memory);
	assert_says(part.why, "test-parts.file");
	assert_true(part.window.last);
	parts_end(&parts);
	assert_false(parts_take(&parts, &part, &over));
	assert_true(over);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(follow_each_other),
		TEST(grow_while_one_waits),
		TEST(count_what_is_kept_no_more),
		TEST(have_the_last_tick_in_the_end),
		TEST(wait_for_the_last_to_have_room),
		TEST(copy_totals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
