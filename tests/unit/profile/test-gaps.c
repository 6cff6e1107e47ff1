// SPDX-License-Identifier: GPL-2.0
/* Time between slices. All times are small enough to be added in the head. */
#include <errno.h>

#include "gen/recording.h"
#include "profile/histogram.h"

static void assert_gaps(const struct model_coroutine *c, uint64_t gaps,
			uint64_t unseen, uint64_t suspended, uint64_t awaiting,
			uint64_t ready)
{
	assert_int_equal(c->times.gaps, gaps);
	assert_int_equal(c->times.unseen_gaps, unseen);
	assert_int_equal(c->times.suspended_ns, suspended);
	assert_int_equal(c->times.awaiting_ns, awaiting);
	assert_int_equal(c->times.ready_ns, ready);
}

/* From thread to thread, drained in the order that is wrong. */
static void follows_a_coroutine_from_thread_to_thread(void **state)
{
	struct gen *g = begin_recording();
	const struct model_coroutine *c;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	channel(g, 2, 1000);
	SLICE(g, 2, THREAD(2), 1000, 1120, .flags = COROPROF_SLICE_FIRST);
	SLICE(g, 2, 10, 1120, 1135, .label = 1, .wake_time = 1115,
	      .flags = COROPROF_SLICE_READY);
	gen_drain(g, 2);
	SLICE(g, 1, 10, 1000, 1110, .label = 1, .flags = COROPROF_SLICE_FIRST);
	SLICE(g, 1, THREAD(1), 1110, 1140);
	SLICE(g, 1, 10, 1140, 1145, .label = 1);
	m = load(g);
	c = coroutine(m, 1, 10);
	/* 1110 to 1120, woken at 1115; 1135 to 1140, ready all the time. */
	assert_gaps(c, 2, 0, 15, 5, 10);
	assert_ns(model_awaiting(&c->times), MODEL_EXACT, 5);
	assert_ns(model_ready(&c->times), MODEL_EXACT, 10);
	assert_ns(model_suspended(&c->times), MODEL_EXACT, 15);
	assert_int_equal(c->migrations, 2);
	assert_int_equal(model_coroutine_threads(c), 2);
	assert_int_equal(c->times.running_ns, 110 + 15 + 5);
	assert_int_equal(c->first_ns, 1000);
	assert_int_equal(c->last_ns, 1145);
	model_free(m);
}

static void does_not_guess_what_was_not_reported(void **state)
{
	struct gen *g = begin_recording();
	const struct model_coroutine *c;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	SLICE(g, 1, THREAD(1), 1010, 1020);
	SLICE(g, 1, 10, 1020, 1030, .label = 1);
	m = load(g);
	c = coroutine(m, 1, 10);
	assert_gaps(c, 1, 0, 10, 0, 0);
	assert_ns(model_suspended(&c->times), MODEL_EXACT, 10);
	assert_ns(model_awaiting(&c->times), MODEL_NA, 0);
	assert_ns(model_ready(&c->times), MODEL_NA, 0);
	model_free(m);
}

static void reports_what_is_known_in_part(void **state)
{
	struct gen *g = begin_recording();
	const struct model_coroutine *c;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	SLICE(g, 1, THREAD(1), 1010, 1020);
	SLICE(g, 1, 10, 1020, 1030, .label = 1, .wake_time = 1017);
	SLICE(g, 1, THREAD(1), 1030, 1040);
	SLICE(g, 1, 10, 1040, 1050, .label = 1);
	m = load(g);
	c = coroutine(m, 1, 10);
	assert_gaps(c, 2, 0, 20, 7, 3);
	assert_ns(model_awaiting(&c->times), MODEL_AT_LEAST, 7);
	assert_ns(model_ready(&c->times), MODEL_AT_LEAST, 3);
	model_free(m);
}

static uint64_t waits(const struct model *m, enum model_latency what)
{
	const struct histogram *l = m->labels[coroutine(m, 1, 10)->label].histograms[what];

	return l ? l->nr : 0;
}

/* From one slice straight to the next: what was reported of it decides what the wait is of. */
static void counts_waits_of_no_length(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	SLICE(g, 1, 10, 1010, 1020, .label = 1, .flags = COROPROF_SLICE_READY);
	SLICE(g, 1, 10, 1020, 1030, .label = 1);
	SLICE(g, 1, 10, 1030, 1040, .label = 1, .wake_time = 1030);
	SLICE(g, 1, THREAD(1), 1040, 1050);
	SLICE(g, 1, 10, 1050, 1060, .label = 1, .wake_time = 1050);
	SLICE(g, 1, THREAD(1), 1060, 1070);
	SLICE(g, 1, 10, 1070, 1080, .label = 1, .wake_time = 1075);
	m = load(g);
	assert_gaps(coroutine(m, 1, 10), 5, 0, 20, 10, 0);
	assert_int_equal(waits(m, MODEL_LATENCY_READY), 3);
	assert_int_equal(waits(m, MODEL_LATENCY_SUSPENDED), 2);
	assert_int_equal(waits(m, MODEL_LATENCY_AWAITING), 1);
	model_free(m);
}

/* A wake that came before it went to sleep, and one that can't be. */
static void judges_wake_times(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	SLICE(g, 1, 11, 1010, 1020, .label = 1);
	SLICE(g, 1, 10, 1020, 1030, .label = 1, .wake_time = 1005);
	SLICE(g, 1, 11, 1030, 1040, .label = 1, .wake_time = 1035);
	m = load(g);
	assert_gaps(coroutine(m, 1, 10), 1, 0, 10, 0, 10);
	assert_gaps(coroutine(m, 1, 11), 1, 0, 10, 0, 0);
	model_free(m);
}

static void counts_readiness_before_birth(void **state)
{
	struct gen *g = begin_recording();
	const struct model_coroutine *c;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, THREAD(1), 1000, 1050);
	SLICE(g, 1, 10, 1050, 1060, .label = 1, .wake_time = 1030, .parent = 9,
	      .tag = 77, .flags = COROPROF_SLICE_FRESH | COROPROF_SLICE_END);
	SLICE(g, 1, 11, 1060, 1070, .label = 1, .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, 12, 1070, 1080, .label = 1, .wake_time = 1065);
	m = load(g);
	c = coroutine(m, 1, 10);
	assert_gaps(c, 1, 0, 20, 0, 20);
	assert_int_equal(c->born_ns, 1030);
	assert_int_equal(c->parent, 9);
	assert_int_equal(c->tag, 77);
	assert_int_equal(c->flags, MODEL_COROUTINE_BORN | MODEL_COROUTINE_ENDED);
	c = coroutine(m, 1, 11);
	assert_gaps(c, 0, 0, 0, 0, 0);
	assert_int_equal(c->born_ns, 1060);
	assert_ns(model_awaiting(&c->times), MODEL_EXACT, 0);
	/* Not FRESH: it may have waited for long before the recording. */
	c = coroutine(m, 1, 12);
	assert_gaps(c, 0, 0, 0, 0, 0);
	assert_int_equal(c->flags, 0);
	model_free(m);
}

/* The other thread switched to it before this one said that it had left. */
static void accepts_slices_that_overlap(void **state)
{
	struct gen *g = begin_recording();
	const struct model_coroutine *c;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	channel(g, 2, 1000);
	SLICE(g, 1, 10, 1000, 1100, .label = 1);
	SLICE(g, 2, THREAD(2), 1000, 1095);
	SLICE(g, 2, 10, 1095, 1200, .label = 1);
	m = load(g);
	c = coroutine(m, 1, 10);
	assert_gaps(c, 1, 0, 0, 0, 0);
	assert_true(c->flags & MODEL_COROUTINE_OVERLAP);
	assert_int_equal(c->times.running_ns, 205);
	model_free(m);
}

static void does_not_measure_across_a_loss(void **state)
{
	struct gen *g = begin_recording();
	const struct model_coroutine *c;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	channel(g, 2, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	SLICE(g, 1, 11, 1010, 1020, .label = 1);
	gen_lost(g, 1, 1050, 3, true);
	/* Seen before the LOST record is, but begun after the loss did. */
	SLICE(g, 2, THREAD(2), 1000, 1030);
	SLICE(g, 2, 11, 1030, 1040, .label = 1, .flags = COROPROF_SLICE_READY);
	SLICE(g, 2, THREAD(2), 1040, 1060);
	SLICE(g, 1, 10, 1050, 1060, .label = 1, .flags = COROPROF_SLICE_READY);
	SLICE(g, 1, THREAD(1), 1060, 1070);
	SLICE(g, 1, 10, 1070, 1080, .label = 1);
	m = load(g);
	c = coroutine(m, 1, 10);
	assert_gaps(c, 1, 1, 10, 0, 10);
	assert_ns(model_suspended(&c->times), MODEL_AT_LEAST, 10);
	assert_ns(model_ready(&c->times), MODEL_AT_LEAST, 10);
	assert_ns(model_awaiting(&c->times), MODEL_NA, 0);
	assert_gaps(coroutine(m, 1, 11), 0, 1, 0, 0, 0);
	assert_int_equal(m->lost, 3);
	assert_int_equal(m->channels[0].lost, 3);
	assert_int_equal(m->channels[0].check, MODEL_NOT_CHECKED);
	assert_int_equal(m->channels[1].check, MODEL_CHECKED);
	model_free(m);
}

/* A loss in one process says nothing of another. */
static void keeps_a_loss_in_its_process(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	gen_process(g, 2, 200, "two", 900);
	channel(g, 1, 1000);
	gen_channel(g, 2, 2, 200, "other", 1000, NULL, 0);
	gen_lost(g, 1, 1050, 3, true);
	SLICE(g, 2, 10, 1000, 1010, .flags = COROPROF_SLICE_READY);
	SLICE(g, 2, THREAD(1), 1010, 1060);
	SLICE(g, 2, 10, 1060, 1070);
	m = load(g);
	assert_gaps(coroutine(m, 2, 10), 1, 0, 50, 0, 50);
	model_free(m);
}

static void does_not_measure_after_a_loss_at_the_end(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	channel(g, 2, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	gen_lost(g, 1, 1050, 2, false);
	SLICE(g, 2, THREAD(2), 1000, 1060);
	SLICE(g, 2, 10, 1060, 1070, .label = 1, .wake_time = 1050);
	m = load(g);
	assert_gaps(coroutine(m, 1, 10), 0, 1, 0, 0, 0);
	assert_int_equal(m->lost, 2);
	model_free(m);
}

static void does_not_measure_beside_an_unrecorded_thread(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	gen_channel_error(g, 2, 1, 102, 1000, ENOMEM);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	SLICE(g, 1, THREAD(1), 1010, 1020);
	SLICE(g, 1, 10, 1020, 1030, .label = 1);
	m = load(g);
	assert_gaps(coroutine(m, 1, 10), 0, 1, 0, 0, 0);
	assert_int_equal(m->channels[1].error, ENOMEM);
	assert_string_equal(m->channels[1].error_text, "Cannot allocate memory");
	model_free(m);
}

/* Stopped at 1020, started again at 1100. */
static void does_not_measure_across_an_interruption(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1, .flags = COROPROF_SLICE_FIRST);
	SLICE(g, 1, 11, 1010, 1020, .label = 1, .flags = COROPROF_SLICE_CUT);
	gen_channel_end(g, 1);
	gen_channel(g, 2, 1, 101, "thread", 1100, NULL, 0);
	SLICE(g, 2, 11, 1100, 1110, .label = 1, .flags = COROPROF_SLICE_FIRST);
	SLICE(g, 2, 10, 1110, 1120, .label = 1, .flags = COROPROF_SLICE_READY);
	SLICE(g, 2, 11, 1120, 1130, .label = 1);
	SLICE(g, 2, 10, 1130, 1140, .label = 1);
	m = load(g);
	assert_gaps(coroutine(m, 1, 10), 1, 1, 10, 0, 10);
	assert_gaps(coroutine(m, 1, 11), 1, 1, 10, 0, 0);
	assert_int_equal(coroutine(m, 1, 10)->migrations, 0);
	model_free(m);
}

/* Its thread's recording ended in the one, began in the other: it ran on. */
static void does_not_take_an_open_end_for_a_gap(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	channel(g, 2, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1, .flags = COROPROF_SLICE_CUT);
	SLICE(g, 2, 11, 1000, 1020, .label = 1);
	SLICE(g, 2, 10, 1020, 1030, .label = 1);
	channel(g, 3, 1040);
	SLICE(g, 3, 11, 1040, 1050, .label = 1, .flags = COROPROF_SLICE_FIRST);
	m = load(g);
	assert_gaps(coroutine(m, 1, 10), 0, 1, 0, 0, 0);
	assert_gaps(coroutine(m, 1, 11), 0, 1, 0, 0, 0);
	model_free(m);
}

static void has_no_gaps_for_threads(void **state)
{
	struct gen *g = begin_recording();
	const struct model_coroutine *c;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, THREAD(1), 1000, 1010, .label = 1);
	SLICE(g, 1, 10, 1010, 1020, .label = 1);
	SLICE(g, 1, THREAD(1), 1020, 1050, .label = 1);
	m = load(g);
	c = coroutine(m, 1, THREAD(1));
	assert_gaps(c, 0, 0, 0, 0, 0);
	assert_int_equal(c->flags, MODEL_COROUTINE_THREAD);
	assert_int_equal(m->nr_coroutines_total, 1);
	assert_int_equal(m->processes[0].coroutines, 1);
	assert_int_equal(m->channels[0].outside_ns, 40);
	/* The same text, but one row for threads and one for coroutines. */
	assert_int_equal(m->nr_labels, 2);
	assert_int_equal(m->labels[0].kind, MODEL_LABEL_THREAD);
	assert_int_equal(m->labels[1].kind, MODEL_LABEL_TEXT);
	assert_int_equal(m->labels[1].coroutines, 1);
	model_free(m);
}

static void counts_who_wakes_whom(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	SLICE(g, 1, 20, 1010, 1020, .label = 2);
	SLICE(g, 1, 10, 1020, 1030, .label = 1, .wake_time = 1016, .waker = 20);
	SLICE(g, 1, 20, 1030, 1040, .label = 2);
	SLICE(g, 1, 10, 1040, 1050, .label = 1, .wake_time = 1034, .waker = 20);
	SLICE(g, 1, 20, 1050, 1060, .label = 2, .wake_time = 1058, .waker = 99);
	m = load(g);
	assert_int_equal(m->nr_wakes, 2);
	assert_int_equal(m->wakes[0].count, 2);
	assert_int_equal(m->wakes[0].waker, label_row(m, 1, "b"));
	assert_int_equal(m->wakes[0].woken, label_row(m, 1, "a"));
	assert_int_equal(m->wakes[0].ready, 2);
	assert_int_equal(m->wakes[0].ready_ns, 4 + 6);
	/* By one never seen, at a time that can't be. */
	assert_int_equal(m->wakes[1].count, 1);
	assert_int_equal(m->wakes[1].waker, MODEL_NONE);
	assert_int_equal(m->wakes[1].ready, 0);
	model_free(m);
}

/*
 * A slice is reported when it ended: who wakes others in its first one is named after them.
 * Each is the waker's alone, whoever of another process has the same number.
 */
static void names_a_waker_whose_first_slice_goes_on(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	channel(g, 2, 1000);
	for (uint64_t id = 100; id < 1100; id++)
		SLICE(g, 2, id, 2 * id + 900, 2 * id + 902, .label = 2, .wake_time = 1001,
		      .waker = 10, .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 2, 20, 3100, 3200, .label = 2, .wake_time = 3050, .waker = 99);
	SLICE(g, 1, 10, 1000, 4000, .label = 1, .flags = COROPROF_SLICE_FRESH);
	m = load(g);
	assert_int_equal(m->nr_wakes, 2);
	assert_int_equal(m->wakes[0].count, 1000);
	assert_int_equal(m->wakes[0].waker, label_row(m, 1, "a"));
	assert_int_equal(m->wakes[0].woken, label_row(m, 1, "b"));
	assert_int_equal(m->wakes[1].count, 1);
	assert_int_equal(m->wakes[1].waker, MODEL_NONE);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_a_coroutine_from_thread_to_thread),
		cmocka_unit_test(does_not_guess_what_was_not_reported),
		cmocka_unit_test(reports_what_is_known_in_part),
		cmocka_unit_test(judges_wake_times),
		cmocka_unit_test(counts_readiness_before_birth),
		cmocka_unit_test(accepts_slices_that_overlap),
		cmocka_unit_test(does_not_measure_across_a_loss),
		cmocka_unit_test(keeps_a_loss_in_its_process),
		cmocka_unit_test(does_not_measure_after_a_loss_at_the_end),
		cmocka_unit_test(does_not_measure_beside_an_unrecorded_thread),
		cmocka_unit_test(does_not_measure_across_an_interruption),
		cmocka_unit_test(does_not_take_an_open_end_for_a_gap),
		cmocka_unit_test(has_no_gaps_for_threads),
		cmocka_unit_test(counts_waits_of_no_length),
		cmocka_unit_test(counts_who_wakes_whom),
		cmocka_unit_test(names_a_waker_whose_first_slice_goes_on),
	};

	return cmocka_run_group_tests_name("gaps", tests, NULL, NULL);
}
