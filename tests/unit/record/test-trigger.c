// SPDX-License-Identifier: GPL-2.0
/* What --dump-on may be, and what of a ring meets it. */
#include "support.h"

#include <errno.h>
#include <signal.h>

#include "record/watch.h"

#define MS	1000000ull

static struct error err;
static struct watch watch;

static struct trigger parsed(const char *text)
{
	struct trigger t;

	if (trigger_parse(&t, text, &err))
		fail_msg("%s", err.message);
	return t;
}

static void test_signals(void **state)
{
	(void)state;
	assert_int_equal(parsed("SIGUSR1").signal, SIGUSR1);
	assert_int_equal(parsed("usr2").signal, SIGUSR2);
	assert_int_equal(parsed("SIGRTMIN+3").signal, SIGRTMIN + 3);
	assert_int_equal(parsed("SIGWINCH").kind, TRIGGER_SIGNAL);
	assert_int_equal(parsed("program").kind, TRIGGER_PROGRAM);
}

static void test_conditions(void **state)
{
	struct trigger t = parsed("held > 100ms");

	(void)state;
	assert_int_equal(t.kind, TRIGGER_HELD);
	assert_int_equal(t.ns, 100 * MS);
	assert_int_equal(t.length, 0);
	t = parsed("blocked>1m30s");
	assert_int_equal(t.kind, TRIGGER_BLOCKED);
	assert_int_equal(t.ns, 90000 * MS);
	t = parsed("db::query : ready  > 2 ms");
	assert_int_equal(t.kind, TRIGGER_READY);
	assert_int_equal(t.length, strlen("db::query"));
	assert_true(trigger_wants(&t, "db::query"));
	assert_false(trigger_wants(&t, "db::query2"));
	t = parsed("a > b*: held > 5ms");
	assert_true(trigger_wants(&t, "a > b c"));
	assert_false(trigger_wants(&t, "a"));
	t = parsed("held: held > 1s");
	assert_true(trigger_wants(&t, "held"));
}

static void test_refused(void **state)
{
	static const char *const texts[] = {
		"", "SIGKILL", "SIGINT", "SIGRTMIN+99", "signal", "held", "held >", "held > 0", "held < 1s",
		"held > 1x", "> 1s", ": held > 1s", "x held > 1s", "x: helds > 1s", "x:: > 1s",
		"p100 > 1s", "p0 > 1s", "IPC > 0.5", "IPC < 0", "IPC p99 < 0.5", "held p99", "held p99 p50 > 1s",
	};
	struct trigger t;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!trigger_parse(&t, texts[i], &err))
			fail_msg("'%s' is taken", texts[i]);
	trigger_parse(&t, "helt > 1s", &err);
	assert_says(err.message, "'held > 100ms'");
}

static void test_quantiles(void **state)
{
	struct trigger t = parsed("ready p99 > 20ms");

	(void)state;
	assert_int_equal(t.kind, TRIGGER_READY);
	assert_int_equal(t.quantile, 990);
	t = parsed("p99.9(held) > 1s");
	assert_int_equal(t.kind, TRIGGER_HELD);
	assert_int_equal(t.quantile, 999);
	t = parsed("a(int): p50 > 50ms");
	assert_int_equal(t.kind, TRIGGER_RUNNING);
	assert_int_equal(t.quantile, 500);
	assert_true(trigger_wants(&t, "a(int)"));
	t = parsed("a : IPC < 0.5");
	assert_int_equal(t.kind, TRIGGER_IPC);
	assert_true(t.ipc > 0.49 && t.ipc < 0.51);
	assert_true(trigger_wants(&t, "a"));
	assert_true(trigger_is_of_seconds(&t));
}

/* ---- what meets them */

static const struct watch_thread thread = { 7, 1, 0, 1 };

static struct trigger triggers[TRIGGERS_MAX];

static void look_for(unsigned int nr, const char *const *texts)
{
	for (unsigned int i = 0; i < nr; i++)
		triggers[i] = parsed(texts[i]);
	assert_int_equal(watch_begin(&watch, triggers, nr, &err), 0);
}

#define LOOK_FOR(...) \
	look_for(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *), (const char *[]){ __VA_ARGS__ })

static int end(void **state)
{
	(void)state;
	watch_free(&watch);
	return 0;
}

static void label(uint32_t nr, const char *text)
{
	struct {
		struct coroprof_record_label label;
		char text[64];
	} r = { .label = { COROPROF_RECORD_LABEL, sizeof(r), 1, nr, 0, 0, (__u32)strlen(text), 0 } };

	strcpy(r.text, text);
	assert_int_equal(watch_label(&watch, &r.label, &err), 0);
}

static void slice(uint64_t id, uint64_t begin, uint64_t end, uint64_t blocked, uint64_t wake)
{
	uint32_t flags = (blocked ? COROPROF_SLICE_OFFCPU : 0) | (wake ? COROPROF_SLICE_WOKEN : 0);
	struct {
		struct coroprof_record_slice slice;
		uint64_t counts[2];
		char parts[64];
	} r = {
		.slice = {
			.type = COROPROF_RECORD_SLICE, .size = (__u16)coroprof_slice_size(flags, 2), .slot = 5,
			.time = end, .duration = end - begin, .id = id, .label = 1, .flags = (__u16)flags,
		},
		.counts = { 1ull << 60, 1ull << 60 },
	};
	const struct coroprof_slice_offcpu offcpu = { .blocked_ns = blocked, .nr_blocked = 1 };
	const struct coroprof_slice_woken woken = { .wake_time = wake, .waker = 3 };
	char *at = r.parts;

	if (blocked) {
		memcpy(at, &offcpu, sizeof(offcpu));
		at += sizeof(offcpu);
	}
	if (wake)
		memcpy(at, &woken, sizeof(woken));
	watch_records(&watch, &thread, &r, r.slice.size);
}

static void test_held(void **state)
{
	(void)state;
	LOOK_FOR("held > 10ms", "two: held > 5ms");
	label(1, "one");
	slice(9, 100, 100 + 10 * MS, 0, 0);
	slice(COROPROF_ID_THREAD | 1, 100, 100 + 90 * MS, 90 * MS, 0);
	assert_null(watch.event.trigger);
	slice(9, 200, 201 + 10 * MS, 0, 0);
	assert_ptr_equal(watch.event.trigger, &triggers[0]);
	assert_int_equal(watch.event.id, 9);
	assert_int_equal(watch.event.begin, 200);
	assert_int_equal(watch.event.ns, 1 + 10 * MS);
	assert_int_equal(watch.event.channel, 7);
	assert_string_equal(watch.event.label, "one");
	/* The first is kept; the others are counted. */
	slice(9, 300, 300 + 20 * MS, 0, 0);
	assert_int_equal(watch.event.begin, 200);
	assert_int_equal(watch.met[0], 2);
	assert_int_equal(watch.met[1], 0);
}

static void test_blocked(void **state)
{
	(void)state;
	LOOK_FOR("blocked > 10ms");
	slice(9, 100, 100 + 50 * MS, 0, 0);
	slice(9, 100, 100 + 50 * MS, 10 * MS, 100);
	assert_null(watch.event.trigger);
	slice(9, 200, 200 + 50 * MS, 11 * MS, 100);
	assert_int_equal(watch.event.ns, 11 * MS);
}

/* From when it was woken on, but not as long as it ran; where that is not known nothing is met. */
static void test_ready(void **state)
{
	(void)state;
	LOOK_FOR("ready > 10ms");
	slice(9, 100 * MS, 101 * MS, 0, 1 * MS);
	assert_null(watch.event.trigger);
	slice(9, 120 * MS, 150 * MS, 0, 111 * MS);
	slice(9, 155 * MS, 156 * MS, 0, 130 * MS);
	slice(9, 190 * MS, 191 * MS, 0, 0);
	assert_null(watch.event.trigger);
	slice(9, 220 * MS, 221 * MS, 0, 205 * MS);
	assert_int_equal(watch.event.ns, 15 * MS);
}

/* Seen again and again while it goes on, and once more when it has ended: that is one. */
static void test_open(void **state)
{
	struct coroprof_channel_status s = {
		.channel_id = 7, .flags = COROPROF_CHANNEL_OPEN, .open_begin = 100 * MS, .open_id = 9,
		.open_since = 105 * MS, .open_label = 1, .open_state = COROPROF_OPEN_BLOCKED,
	};

	(void)state;
	LOOK_FOR("held > 100ms", "blocked > 60ms");
	label(1, "one");
	watch_open(&watch, &s, 1, 150 * MS);
	assert_null(watch.event.trigger);
	watch_open(&watch, &s, 1, 170 * MS);
	assert_ptr_equal(watch.event.trigger, &triggers[1]);
	assert_int_equal(watch.event.ns, 65 * MS);
	assert_true(watch.event.goes_on);
	watch_open(&watch, &s, 1, 250 * MS);
	watch_open(&watch, &s, 1, 300 * MS);
	slice(9, 100 * MS, 310 * MS, 200 * MS, 0);
	assert_int_equal(watch.met[0], 1);
	assert_int_equal(watch.met[1], 1);
	s.open_begin = 320 * MS;
	s.open_id = COROPROF_ID_THREAD | 1;
	watch_open(&watch, &s, 1, 900 * MS);
	s.flags = 0;
	s.open_id = 9;
	watch_open(&watch, &s, 1, 900 * MS);
	assert_int_equal(watch.met[0], 1);
}

static void span(uint32_t label, uint64_t time)
{
	const struct coroprof_record_span s = {
		.type = COROPROF_RECORD_SPAN, .size = sizeof(s), .time = time, .id = 9, .label = label,
	};

	watch_records(&watch, &thread, &s, sizeof(s));
}

/* A label may come behind the span. */
static void test_program(void **state)
{
	(void)state;
	LOOK_FOR("program");
	label(1, "other");
	span(1, 1);
	span(2, 2);
	assert_null(watch.event.trigger);
	label(2, "coroprof_dump:too slow");
	assert_ptr_equal(watch.event.trigger, &triggers[0]);
	assert_string_equal(watch.event.label, "too slow");
	span(2, 3);
	assert_int_equal(watch.met[0], 2);
}

static bool is_gone(void *context, uint32_t process)
{
	(void)context;
	return process == 1;
}

static void test_sift(void **state)
{
	(void)state;
	LOOK_FOR("one: held > 1ms");
	label(1, "one");
	watch_sift(&watch, is_gone, NULL);
	slice(9, 100, 100 + 10 * MS, 0, 0);
	assert_null(watch.event.trigger);
	assert_int_equal(watch.nr_labels, 0);
}

/* What a program writes into its ring may be anything. */
static void test_nonsense(void **state)
{
	struct coroprof_record_slice s[] = {
		{ .type = COROPROF_RECORD_SLICE, .size = sizeof(s[0]), .flags = UINT16_MAX, .time = 1, .duration = MS },
		{ .type = COROPROF_RECORD_SPAN, .size = sizeof(s[0]) },
		{ .type = COROPROF_RECORD_SLICE, .size = 4 },
	};

	(void)state;
	LOOK_FOR("held > 10ms", "blocked > 1ns", "ready > 1ns", "program");
	watch_records(&watch, &thread, s, sizeof(s));
	watch_records(&watch, &thread, s, 7);
	assert_null(watch.event.trigger);
}

/* The least that a quantile may be, of enough slices, of a whole second. */
static void test_seconds(void **state)
{
	(void)state;
	LOOK_FOR("held p99 > 20ms", "two: held p99 > 1ms", "held p90 > 1ms");
	label(1, "one");
	watch_second(&watch, 10000 * MS);
	for (uint64_t i = 0; i < 400; i++)
		slice(9, i * 100 * MS, i * 100 * MS + (i % 50 ? MS : 30 * MS) + i, 0, 0);
	watch_second(&watch, 10999 * MS);
	assert_null(watch.event.trigger);
	watch_second(&watch, 11000 * MS);
	assert_ptr_equal(watch.event.trigger, &triggers[0]);
	assert_in_range(watch.event.quantile_ns, 28 * MS, 30 * MS);
	assert_int_equal(watch.event.ns, 30 * MS + 350);
	assert_int_equal(watch.event.slices, 400);
	assert_int_equal(watch.event.begin, 350 * 100 * MS);
	assert_string_equal(watch.event.label, "one");
	assert_int_equal(watch.met[1] + watch.met[2], 0);
	/* The next second has slices of its own. */
	watch.event.trigger = NULL;
	slice(9, 0, 90 * MS, 0, 0);
	watch_second(&watch, 12000 * MS);
	assert_null(watch.event.trigger);
}

static void count(uint64_t cycles, uint64_t instructions, uint16_t standing)
{
	struct {
		struct coroprof_record_slice slice;
		uint64_t counts[2];
	} r = {
		.slice = { .type = COROPROF_RECORD_SLICE, .size = sizeof(r), .slot = 5, .time = 2 * MS,
			   .duration = MS, .id = 9, .label = 1, .standing = standing },
		.counts = { cycles, instructions },
	};

	watch_records(&watch, &thread, &r, sizeof(r));
}

static void test_ipc(void **state)
{
	uint16_t counted = COROPROF_STANDING_COUNTED | COROPROF_STANDING_COUNTED << 2;

	(void)state;
	LOOK_FOR("one: IPC < 0.5");
	label(1, "one");
	count(10000000, 5000001, counted);
	count(10000000, 10, COROPROF_STANDING_SCALED | COROPROF_STANDING_SCALED << 2);
	watch_second(&watch, 2000 * MS);
	assert_null(watch.event.trigger);
	count(1000, 10, counted);
	watch_second(&watch, 3000 * MS);
	assert_null(watch.event.trigger);
	count(10000000, 4000000, counted);
	watch_second(&watch, 4000 * MS);
	assert_ptr_equal(watch.event.trigger, &triggers[0]);
	assert_true(watch.event.ipc > 0.39 && watch.event.ipc < 0.41);
}

#define WATCH_TEST(f)	cmocka_unit_test_teardown(f, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_refused),
		WATCH_TEST(test_held),
		WATCH_TEST(test_blocked),
		WATCH_TEST(test_ready),
		WATCH_TEST(test_open),
		WATCH_TEST(test_program),
		WATCH_TEST(test_sift),
		WATCH_TEST(test_seconds),
		WATCH_TEST(test_ipc),
		WATCH_TEST(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
