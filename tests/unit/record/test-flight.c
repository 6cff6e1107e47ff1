// SPDX-License-Identifier: GPL-2.0
/* What a flight recorder says that has nothing to keep: its clock is set back, as nobody waits ten minutes. */
#include "support.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/warn.h"
#include "cprof/format.h"
#include "record/flight.h"

#define QUIET_S	600u

static const struct record_options options = { .keep_ns = 60 * SECOND_NS, .keep_bytes = 1 << 20 };
static struct channels channels;
static struct flight flight;
static struct signals signals = { .fd = -1 };
static struct writer *writer;
static struct error err;

static int begin(void **state)
{
	(void)state;
	channels = (struct channels){ 0 };
	flight = (struct flight){ 0 };
	warn_hold();
	if (flight_begin(&flight, &options, &channels, NULL, &err))
		return -1;
	/* However long a test takes, no tick begins in it: threads would be asked for their totals. */
	if (keep_tick(&flight.keep, monotonic_ns() + 3600 * SECOND_NS, &err))
		return -1;
	return writer_open_sink(&writer, &flight.keep.sink, &err);
}

static int end(void **state)
{
	(void)state;
	writer_close(writer, &err);
	flight_free(&flight);
	warn_release();
	return 0;
}

static void look(void)
{
	assert_int_equal(flight_look(&flight, &signals, &err), 0);
}

static void let_pass(uint64_t seconds)
{
	flight.recorded_at -= seconds * SECOND_NS;
	look();
}

static void begin_thread(void)
{
	const struct coroprof_record_channel r = {
		.type = COROPROF_RECORD_CHANNEL, .size = sizeof(r), .channel_id = 1, .process_id = 1, .tid = 1,
	};

	assert_int_equal(writer_segment(writer, CPROF_SEGMENT_STREAM, &r, sizeof(r), &err), 0);
}

static void record(void)
{
	const struct coroprof_record_slice r = {
		.type = COROPROF_RECORD_SLICE, .size = sizeof(r), .time = 2, .duration = 1,
	};
	struct coroprof_record_slice copy = r;

	assert_int_equal(writer_records(writer, CPROF_SEGMENT_RING, 1, &copy, sizeof(copy), &err), 0);
}

static uint64_t said(char *last, size_t capacity)
{
	*last = '\0';
	return warn_held(last, capacity);
}

static void says_once_that_nothing_is_recorded(void **state)
{
	uint64_t before;
	char last[512];

	(void)state;
	look();
	before = said(last, sizeof(last));
	let_pass(QUIET_S / 2);
	assert_int_equal(said(last, sizeof(last)), before);
	let_pass(QUIET_S / 2);
	assert_int_equal(said(last, sizeof(last)), before + 1);
	assert_non_null(strstr(last, "all is well, but nothing was recorded for 10 minutes: no thread is there"));
	let_pass(QUIET_S);
	assert_int_equal(said(last, sizeof(last)), before + 1);
}

static void says_it_again_after_something_was_recorded(void **state)
{
	uint64_t before;
	char last[512];

	(void)state;
	look();
	let_pass(QUIET_S);
	before = said(last, sizeof(last));
	begin_thread();
	channels.nr = 1;
	let_pass(QUIET_S);
	assert_int_equal(said(last, sizeof(last)), before);
	record();
	look();
	let_pass(QUIET_S / 2);
	assert_int_equal(said(last, sizeof(last)), before);
	channels.nr = 0;
	let_pass(QUIET_S / 2);
	assert_int_equal(said(last, sizeof(last)), before + 1);
	assert_non_null(strstr(last, "for 10 minutes"));
}

static void says_whether_threads_are_there(void **state)
{
	char last[512];

	(void)state;
	channels.nr = 1;
	let_pass(QUIET_S);
	said(last, sizeof(last));
	assert_non_null(strstr(last, "no thread has switched"));
	channels.nr = 0;
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(says_once_that_nothing_is_recorded),
		TEST(says_it_again_after_something_was_recorded),
		TEST(says_whether_threads_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
