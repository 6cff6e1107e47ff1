// SPDX-License-Identifier: GPL-2.0
/*
 * The hand-over between the thread that records and the one that shows. No thread is recorded here:
 * ticks are played by hand.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/util.h"
#include "cprof/format.h"
#include "cprof/writer.h"
#include "live/choices.h"
#include "live/exchange.h"
#include "profile/model.h"
#include "support.h"

static const struct record_options options = { .quiet = true };
static struct channels channels;
static struct flight flight;
static struct exchange exchange;
static struct signals signals;
static uint64_t begun;
static struct error err;

static int begin(void **state)
{
	(void)state;
	flight = (struct flight){ .options = &options, .channels = &channels };
	signals = (struct signals){ .fd = -1 };
	dumps_begin(&flight.dumps, "test-exchange", true);
	if (keep_begin(&flight.keep, 60 * SECOND_NS, 1 << 20, &err))
		return -1;
	begun = keep_from(&flight.keep);
	return exchange_begin(&exchange, &err);
}

static int end(void **state)
{
	(void)state;
	exchange_free(&exchange);
	dumps_end(&flight.dumps);
	keep_free(&flight.keep);
	return 0;
}

static void tick(void)
{
	assert_int_equal(keep_tick(&flight.keep, begun += SECOND_NS, &err), 0);
}

static void look(void)
{
	exchange_look(&exchange, &flight, &signals);
}

static void wish(uint64_t number, uint64_t ns, uint64_t after)
{
	exchange_wish(&exchange, &(struct live_wish){
		.wanted = true, .number = number, .ns = ns, .after = after,
	});
}

static bool is_readable(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, 0) == 1;
}

static void expect_nothing(void)
{
	bool over;

	assert_false(is_readable(exchange.window_fd));
	assert_null(exchange_take(&exchange, &over));
	assert_false(over);
}

static struct live_window *take(void)
{
	struct live_window *w;
	bool over;

	assert_true(is_readable(exchange.window_fd));
	w = exchange_take(&exchange, &over);
	assert_non_null(w);
	assert_false(over);
	return w;
}

/* Each wish gets one window, of ticks that have ended, once there is one. */
static void test_one_for_each(void **state)
{
	struct live_window *w;

	(void)state;
	look();
	expect_nothing();
	wish(7, CHOICES_ALL, 0);
	assert_true(is_readable(exchange.wish_fd));
	look();
	assert_false(is_readable(exchange.wish_fd));
	expect_nothing();
	tick();
	look();
	w = take();
	assert_int_equal(w->wish, 7);
	assert_int_equal(w->first, 0);
	assert_int_equal(w->end, 1);
	assert_non_null(w->memory);
	assert_string_equal(w->why, "");
	live_window_free(w);
	tick();
	look();
	expect_nothing();
}

/* One that nobody has taken is replaced; that its memory is given back, LeakSanitizer sees. */
static void test_newest_wins(void **state)
{
	struct live_window *w;

	(void)state;
	tick();
	wish(1, SECOND_NS, 0);
	look();
	assert_non_null(exchange.window);
	tick();
	tick();
	wish(2, SECOND_NS, 0);
	look();
	w = take();
	assert_int_equal(w->wish, 2);
	assert_int_equal(w->first, 2);
	assert_int_equal(w->end, 3);
	live_window_free(w);
	expect_nothing();
}

/* The window that was wished before is not wanted any more. What else was wished is. */
static void test_newest_wish_wins(void **state)
{
	struct live_window *w;

	(void)state;
	for (unsigned int i = 0; i < 20; i++)
		tick();
	wish(1, SECOND_NS, 0);
	exchange_wish(&exchange, &(struct live_wish){ .stop = SIGTERM });
	wish(2, 10 * SECOND_NS, 0);
	look();
	w = take();
	assert_int_equal(w->wish, 2);
	assert_int_equal(w->end - w->first, 10);
	live_window_free(w);
	assert_int_equal(signals.stops, 1);
	assert_int_equal(signals.stop, SIGTERM);
	look();
	expect_nothing();
	assert_int_equal(signals.stops, 1);
}

/* Not before there is a newer tick; but the end is not waited for in vain. */
static void test_after(void **state)
{
	struct live_window *w;

	(void)state;
	tick();
	wish(1, SECOND_NS, 1);
	look();
	expect_nothing();
	tick();
	look();
	w = take();
	assert_int_equal(w->end, 2);
	assert_false(w->ended);
	live_window_free(w);
	wish(2, SECOND_NS, 99);
	look();
	expect_nothing();
	keep_over(&flight.keep);
	exchange_ended(&exchange, 256);
	look();
	w = take();
	assert_true(w->ended);
	assert_int_equal(w->status, 256);
	/* The last tick has ended as well. */
	assert_int_equal(w->end, 3);
	live_window_free(w);
}

/* Who looks at what there was last without a wish gets it, too; and later what is wished then. */
static void test_ended_without_wish(void **state)
{
	struct live_window *w;

	(void)state;
	tick();
	wish(1, SECOND_NS, 0);
	look();
	live_window_free(take());
	keep_over(&flight.keep);
	exchange_ended(&exchange, -1);
	look();
	w = take();
	assert_true(w->ended);
	assert_int_equal(w->wish, 1);
	live_window_free(w);
	look();
	expect_nothing();
	wish(2, CHOICES_ALL, 0);
	look();
	w = take();
	assert_true(w->ended);
	assert_int_equal(w->first, 0);
	assert_int_equal(w->end, 2);
	live_window_free(w);
}

/* Whoever shows is woken, and gets what was there still; the end stays. */
static void test_take_after_end(void **state)
{
	struct live_window *w;
	bool over;

	(void)state;
	tick();
	wish(1, SECOND_NS, 0);
	look();
	exchange_end(&exchange);
	assert_true(is_readable(exchange.window_fd));
	w = exchange_take(&exchange, &over);
	assert_true(over);
	assert_non_null(w);
	live_window_free(w);
	assert_null(exchange_take(&exchange, &over));
	assert_true(over);
	/* A wish that nobody looks at any more harms nobody. */
	wish(2, SECOND_NS, 0);
	assert_null(exchange_take(&exchange, &over));
	assert_true(over);
}

static void test_woken_by_end(void **state)
{
	bool over;

	(void)state;
	expect_nothing();
	exchange_end(&exchange);
	assert_true(is_readable(exchange.window_fd));
	assert_null(exchange_take(&exchange, &over));
	assert_true(over);
}

/* What was not taken, and all descriptors. */
static void test_close(void **state)
{
	int fds[2];

	(void)state;
	tick();
	wish(1, SECOND_NS, 0);
	look();
	fds[0] = exchange.wish_fd;
	fds[1] = exchange.window_fd;
	for (unsigned int i = 0; i < 2; i++)
		assert_true(fcntl(fds[i], F_GETFD) >= 0);
	exchange_free(&exchange);
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(fcntl(fds[i], F_GETFD), -1);
	assert_int_equal(exchange_begin(&exchange, &err), 0);
}

/* A terminal that is gone is found by reading it, and the kernel says it by a signal: that is one. */
static void test_hung_up_once(void **state)
{
	struct live_wish gone = { .stop = SIGHUP };

	(void)state;
	for (unsigned int reading_first = 0; reading_first < 2; reading_first++) {
		assert_int_equal(signals_open(&signals, NULL, &err), 0);
		for (unsigned int i = 0; i < 4; i++) {
			if (i % 2 == reading_first) {
				raise(SIGHUP);
				signals_read(&signals);
			} else {
				exchange_wish(&exchange, &gone);
				look();
			}
			assert_int_equal(signals.stops, 1);
			assert_int_equal(signals.stop, SIGHUP);
		}
		/* Somebody who asks again is heard. */
		exchange_wish(&exchange, &(struct live_wish){ .stop = SIGINT });
		look();
		assert_int_equal(signals.stops, 2);
		raise(SIGTERM);
		signals_read(&signals);
		assert_int_equal(signals.stops, 3);
		assert_int_equal(signals.stop, SIGHUP);
		signals_close(&signals);
	}
}

#define ROUNDS	500u

/* In the tick of a window, which may be dropped meanwhile; the last one has none. */
static bool has_slice(const struct live_window *w)
{
	const struct model_options how = { .no_timeline = true, .no_symbols = true };
	struct model *model;
	struct error failed;
	bool has;

	if (live_window_load(w, &how, NULL, &model, &failed))
		return false;
	has = model->nr_channels == 1 && (w->ended || model->times.slices == 1);
	model_free(model);
	return has;
}

static void put(struct writer *writer, unsigned int type, const void *payload, size_t size)
{
	assert_int_equal(writer_segment(writer, type, payload, size, &err), 0);
}

static void begin_thread(struct writer *writer)
{
	const struct coroprof_record_process process = {
		.type = COROPROF_RECORD_PROCESS, .size = sizeof(process), .process_id = 1, .pid = 1, .time = begun,
	};
	const struct coroprof_record_channel channel = {
		.type = COROPROF_RECORD_CHANNEL, .size = sizeof(channel), .channel_id = 1, .time = begun,
		.process_id = 1, .tid = 1, .ring_size = 65536,
	};

	put(writer, CPROF_SEGMENT_STREAM, &process, sizeof(process));
	put(writer, CPROF_SEGMENT_STREAM, &channel, sizeof(channel));
}

/* One slice of all of a second, and the totals at its end. */
static void play_second(struct writer *writer, struct coroprof_channel_status *totals)
{
	struct coroprof_record_slice slice = {
		.type = COROPROF_RECORD_SLICE, .size = sizeof(slice), .time = begun + SECOND_NS - 1,
		.duration = SECOND_NS, .slot = 1, .id = 5,
	};

	slice.duration = slice.time - totals->begin - totals->running_ns;
	totals->slices++;
	totals->running_ns += slice.duration;
	totals->ring_head += sizeof(slice);
	assert_int_equal(writer_records(writer, CPROF_SEGMENT_RING, 1, &slice, sizeof(slice), &err), 0);
	tick();
	put(writer, CPROF_SEGMENT_STATUS, totals, sizeof(*totals));
}

/* Takes windows until the end, each newer than the one before. Returns the last one's end. */
static void *show(void *last)
{
	uint64_t *end = last;
	bool over = false;

	*end = 0;
	wish(1, SECOND_NS, 0);
	while (!over) {
		struct pollfd fd = { .fd = exchange.window_fd, .events = POLLIN };
		struct live_window *w;

		poll(&fd, 1, -1);
		w = exchange_take(&exchange, &over);
		if (!w)
			continue;
		if (w->end <= *end || !has_slice(w))
			over = true;
		else
			*end = w->end;
		live_window_free(w);
		wish(1, SECOND_NS, *end);
	}
	return NULL;
}

/*
 * Both at once: no window is lost in between, none comes twice, each has its records, though few are
 * kept, and the end is heard.
 */
static void test_threads(void **state)
{
	struct coroprof_channel_status totals = {
		.size = sizeof(totals), .channel_id = 1, .begin = begun,
	};
	struct writer *writer;
	uint64_t last;
	pthread_t thread;

	(void)state;
	flight.keep.ns = SECOND_NS;
	assert_int_equal(writer_open_sink(&writer, &flight.keep.sink, &err), 0);
	begin_thread(writer);
	assert_int_equal(pthread_create(&thread, NULL, show, &last), 0);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		play_second(writer, &totals);
		look();
	}
	/* What is wished behind the last tick is answered by the end. */
	keep_over(&flight.keep);
	exchange_ended(&exchange, 0);
	look();
	exchange_end(&exchange);
	pthread_join(thread, NULL);
	assert_int_equal(last, keep_end(&flight.keep));
	writer_close(writer, &err);
}

#define EXCHANGE_TEST(f)	cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EXCHANGE_TEST(test_one_for_each),
		EXCHANGE_TEST(test_newest_wins),
		EXCHANGE_TEST(test_newest_wish_wins),
		EXCHANGE_TEST(test_after),
		EXCHANGE_TEST(test_ended_without_wish),
		EXCHANGE_TEST(test_take_after_end),
		EXCHANGE_TEST(test_woken_by_end),
		EXCHANGE_TEST(test_close),
		EXCHANGE_TEST(test_hung_up_once),
		EXCHANGE_TEST(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
