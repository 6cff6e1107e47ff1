// SPDX-License-Identifier: GPL-2.0
/* What is known of slow slices, and slow lives, is what --slow reports of them and of the rest. */
#include <errno.h>
#include <math.h>

#include "diff/slow.h"
#include "gen/recording.h"
#include "output/csv.h"
#include "support.h"
#include "tables/metric.h"
#include "tables/table.h"

/* ------------------------------------------------------------------------
 * recordings
 */

/* Ten slices of "a", in turn by two coroutines; the ninth and tenth are slow. Of "b", one. */
#define SLICES	10
#define FAST	1000u
#define SLOW	5000u

static void sample(struct gen *g, uint64_t id, uint64_t time)
{
	gen_sample(g, 1, &(struct gen_sample){ .id = id, .label = 1, .time = time,
					       .address = { 0x400000 } });
}

static void span(struct gen *g, uint64_t id, uint32_t label, uint64_t begin, uint64_t end)
{
	gen_span(g, 1, &(struct gen_span){ .id = id, .label = label, .time = end,
					   .duration = end - begin, .running_ns = end - begin });
}

/* A fast one is woken by "b" and has a span of 400 ns; a slow one neither, and two samples. */
static uint64_t put_slice(struct gen *g, unsigned int i, uint64_t begin)
{
	bool slow = i >= SLICES - 2;
	uint64_t id = 10 + i % 2, end = begin + (slow ? SLOW : FAST);

	span(g, id, slow ? 4 : 3, begin + 100, begin + 500);
	sample(g, id, end);
	if (slow)
		sample(g, id, begin + 1);
	SLICE(g, 1, id, begin, end, .label = 1, .preempted_ns = slow ? 2000 : 0,
	      .nr_preempted = slow, .count = { slow ? 70 : 10, 30 },
	      .wake_time = slow || i < 2 ? 0 : begin - 50, .waker = slow || i < 2 ? 0 : 20,
	      .flags = (i < 2 ? COROPROF_SLICE_FRESH : 0) | (i >= SLICES - 2 ? COROPROF_SLICE_END : 0));
	return end + 100;
}

static void keep(struct gen *g)
{
	gen_close(g, true);
}

static void make_slices(void)
{
	struct gen *g = begin_recording();
	uint64_t now = 1200;

	gen_info(g, "sample_event", "cycles");
	gen_info(g, "sample_period", "1000");
	gen_label(g, 1, 3, "quick", 5);
	gen_label(g, 1, 4, "slowly", 6);
	channel(g, 1, 1000);
	SLICE(g, 1, 20, 1000, 1200, .label = 2, .flags = COROPROF_SLICE_FRESH);
	for (unsigned int i = 0; i < SLICES; i++)
		now = put_slice(g, i, now);
	keep(g);
}

/* @nr coroutines, the last tenth of which have two slices of SLOW, the others of FAST. */
static void make_lives(uint32_t nr)
{
	struct gen *g = begin_recording();
	uint64_t now = 1000;

	channel(g, 1, 1000);
	for (uint32_t i = 0; i < nr; i++)
		for (unsigned int slice = 0; slice < 2; slice++) {
			uint32_t work = (i >= nr - nr / 10 ? SLOW : FAST) + i % 7;

			SLICE(g, 1, 10 + i, now, now + work, .label = 1, .count = { work, 500 },
			      .flags = slice ? COROPROF_SLICE_END : COROPROF_SLICE_FRESH);
			now += work;
		}
	/* Not seen to end. */
	SLICE(g, 1, 5, now, now + 9 * SLOW, .label = 1, .flags = COROPROF_SLICE_FRESH);
	keep(g);
}

static struct model *found(const char *text, const struct model_options *options, struct error *err)
{
	struct model *m = load_path(recording_path, options);
	struct slow slow;

	assert_int_equal(slow_parse(&slow, text, err), 0);
	if (slow_find(m, recording_path, &slow, options, err)) {
		model_free(m);
		return NULL;
	}
	return m;
}

static struct model *find(const char *text)
{
	const struct model_options options = { .shards = 2 };
	struct error err;
	struct model *m = found(text, &options, &err);

	if (!m)
		fail_msg("%s", err.message);
	return m;
}

static const struct model_change *figure(const struct model *m, const char *name,
					 const char *of)
{
	for (uint32_t i = 0; i < m->nr_slow; i++)
		if (!strcmp(m->slow[i].name, name) && !strcmp(m->slow[i].figure, of))
			return &m->slow[i];
	fail_msg("%s has no %s", name, of);
	return NULL;
}

static void assert_figure(const struct model *m, const char *name, const char *of, double rest,
			  double slow)
{
	const struct model_change *c = figure(m, name, of);

	if (fabs(c->side[MODEL_OLD].value - rest) > 1e-9 ||
	    fabs(c->side[MODEL_NEW].value - slow) > 1e-9)
		fail_msg("%s of %s: %g and %g, not %g and %g", of, name,
			 c->side[MODEL_OLD].value, c->side[MODEL_NEW].value, rest, slow);
}

static void assert_sides(const struct model *m, uint64_t slow, uint64_t rest, uint64_t left_out)
{
	assert_int_equal(m->nr_slow_of, 1);
	assert_int_equal(m->slow_of->nr[MODEL_NEW], slow);
	assert_int_equal(m->slow_of->nr[MODEL_OLD], rest);
	assert_int_equal(m->slow_of->left_out, left_out);
}

/* ------------------------------------------------------------------------
 * slices
 */

static void slow_slices_are_distinguished_from_the_rest(void **state)
{
	struct model *m;

	(void)state;
	make_slices();
	m = find("a:above=p80");
	assert_sides(m, 2, 8, 0);
	assert_int_equal(m->slow_of->above, FAST);
	assert_figure(m, "a", "held/slice", FAST, SLOW);
	assert_figure(m, "a", "running/slice", FAST, SLOW - 2000);
	assert_figure(m, "a", "preempted/slice", 0, 2000);
	assert_figure(m, "a", "running/held", 1, 0.6);
	assert_figure(m, "a", "preempted/held", 0, 0.4);
	assert_figure(m, "a", "cycles/slice", 10, 70);
	assert_figure(m, "a", "instructions/slice", 30, 30);
	assert_figure(m, "a", "ipc", 3, 30.0 / 70);
	assert_figure(m, "b", "wakes/slice", 6.0 / 8, 0);
	assert_int_equal(figure(m, "a", "cycles/slice")->verdict, MODEL_VERDICT_NONE);
	assert_non_null(figure(m, "a", "cycles/slice")->why);
	model_free(m);
	unlink(recording_path);
}

/* From begin to end: by the word for it, by the one it had before, and without any. */
static void slices_are_divided_by_how_long_they_held(void **state)
{
	static const char *const same[] = { "a:above=p80", "a:by=held,above=p80", "a:by=wall,above=p80" };
	struct model *m;

	(void)state;
	make_slices();
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		m = find(same[i]);
		assert_sides(m, 2, 8, 0);
		assert_int_equal(m->slow_of->above, FAST);
		assert_string_equal(m->slow_of->by, "held");
		model_free(m);
	}
	unlink(recording_path);
	make_lives(300);
	for (size_t i = 0; i < 2; i++) {
		m = find(i ? "a:of=lives,by=wall,above=p50" : "a:of=lives,by=lifetime,above=p50");
		assert_string_equal(m->slow_of->by, "lifetime");
		model_free(m);
	}
	unlink(recording_path);
}

static void metrics_are_of_both_sides(void **state)
{
	struct metric metric;
	struct model *m;
	struct error err;
	struct slow slow;

	(void)state;
	make_slices();
	assert_int_equal(metric_parse(&metric, "twice = 2*cycles/slices", &err), 0);
	m = load_path(recording_path, &(struct model_options){ 0 });
	m->metrics = &metric;
	m->nr_metrics = 1;
	assert_int_equal(slow_parse(&slow, "a:above=2us", &err), 0);
	assert_int_equal(slow_find(m, recording_path, &slow, &(struct model_options){ 0 }, &err), 0);
	assert_figure(m, "a", "twice", 20, 140);
	assert_int_equal(figure(m, "a", "twice")->verdict, MODEL_VERDICT_NONE);
	model_free(m);
	metric_free(&metric);
	unlink(recording_path);
}

static void csv_has_what_is_slow_unless_asked_otherwise(void **state)
{
	char *text = NULL;
	struct model *m;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_non_null(file);
	make_slices();
	m = find("a:above=2us");
	assert_int_equal(
		csv_write(m, &(struct view_options){ .columns = "name,figure,rest,slow", .top = 1 },
			  file),
		0);
	fclose(file);
	assert_says(text, "row,name,figure,rest,rest_standing,slow,slow_standing\r\n");
	free(text);
	model_free(m);
	unlink(recording_path);
}

static void samples_and_spans_are_of_the_slice_they_were_in(void **state)
{
	struct model *m;
	uint64_t own[2][MODEL_AGES] = { { 0 } };

	(void)state;
	make_slices();
	m = find("a:above=2us");
	assert_figure(m, m->frames[0].name, "own/slice", 1, 2);
	assert_int_equal(figure(m, "quick", "calls/slice")->verdict, MODEL_VERDICT_GONE);
	assert_int_equal(figure(m, "slowly", "calls/slice")->verdict, MODEL_VERDICT_ADDED);
	for (uint32_t i = 0; i < m->nr_slow_nodes; i++) {
		const struct model_change_node *n = &m->slow_nodes[i];

		for (unsigned int age = 0; age < MODEL_AGES; age++)
			own[n->samples][age] += n->own[age];
		assert_int_equal(n->slices[MODEL_OLD], 8);
		assert_int_equal(n->slices[MODEL_NEW], 2);
	}
	assert_int_equal(own[1][MODEL_OLD], 8);
	assert_int_equal(own[1][MODEL_NEW], 4);
	assert_int_equal(own[0][MODEL_OLD], 8 * 400);
	assert_int_equal(own[0][MODEL_NEW], 2 * 400);
	model_free(m);
	unlink(recording_path);
}

static void slices_are_divided_by_whatever_they_have(void **state)
{
	static const char *const by[] = { "running", "preempted", "cycles" };
	char text[64];

	(void)state;
	make_slices();
	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
		struct model *m;

		snprintf(text, sizeof(text), "a:by=%s,above=p80", by[i]);
		m = find(text);
		assert_sides(m, 2, 8, 0);
		assert_figure(m, "a", "held/slice", FAST, SLOW);
		model_free(m);
	}
	unlink(recording_path);
}

/* Of the first ones no gap is known, and of the slow ones not when they were made ready. */
static void what_is_not_known_is_on_neither_side(void **state)
{
	struct error err;

	(void)state;
	make_slices();
	assert_null(found("a:by=ready,above=49ns", &(struct model_options){ 0 }, &err));
	assert_says(err.message, "6 slices have more than 49 ns of 'ready', 0 have not, and of 4 it is not known");
	unlink(recording_path);
}

/* Of both sides a slice with a sample; and samples of a lost slice, and of another coroutine. */
static void samples_of_no_slice_seen_are_on_neither_side(void **state)
{
	uint64_t own[MODEL_AGES] = { 0 };
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	gen_info(g, "sample_event", "cycles");
	gen_info(g, "sample_period", "1000");
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1000 + FAST, .label = 1);
	sample(g, 10, 1500);
	gen_lost(g, 1, 3000, 1, true);
	sample(g, 11, 2500);
	SLICE(g, 1, 12, 3000, 3000 + SLOW, .label = 1);
	sample(g, 12, 4000);
	sample(g, 13, 4500);
	keep(g);
	m = find("a:above=2us");
	for (uint32_t i = 0; i < m->nr_slow_nodes; i++)
		for (unsigned int age = 0; age < MODEL_AGES; age++)
			own[age] += m->slow_nodes[i].own[age];
	assert_int_equal(own[MODEL_OLD], 1);
	assert_int_equal(own[MODEL_NEW], 1);
	model_free(m);
	unlink(recording_path);
}

/*
 * Of "a" one slice of five, the longest, which coroprof has parted into pieces that are shorter
 * than others.
 */
static void pieces_are_on_the_side_of_their_slice(void **state)
{
	struct gen *g = begin_recording();
	uint64_t now = 2000;

	(void)state;
	gen_label(g, 1, 7, MODEL_NAMING, strlen(MODEL_NAMING));
	channel(g, 1, 2000);
	for (unsigned int i = 0; i < 4; i++, now += 2000) {
		SLICE(g, 1, 10, now, now + 1000, .label = 1);
		SLICE(g, 1, THREAD(1), now + 1000, now + 2000);
	}
	for (unsigned int i = 0; i < 5; i++, now += 510) {
		SLICE(g, 1, 10, now, now + 500, .label = 1, .count = { 3 });
		SLICE(g, 1, 50, now + 500, now + 510, .label = 7);
	}
	keep(g);
	for (unsigned int i = 0; i < 2; i++) {
		struct error err = ERROR_NONE;
		struct model *m = load_path(recording_path, NULL);
		struct slow slow;

		assert_int_equal(slow_parse(&slow, i ? "a:above=p50" : "a:above=2us", &err), 0);
		assert_int_equal(
			slow_find(m, recording_path, &slow, &(struct model_options){ 0 }, &err), 0);
		assert_sides(m, 1, 4, 0);
		assert_figure(m, "a", "held/slice", 1000, 2500);
		model_free(m);
	}
	unlink(recording_path);
}

/* Numbers 1 and 3 are "a", three quarters of which 2 and 4, "b", wake. */
static void numbers_of_one_name_are_one_label(void **state)
{
	struct gen *g = begin_recording();
	uint64_t now = 1200;
	struct model *m;

	(void)state;
	gen_label(g, 1, 3, "a", 1);
	gen_label(g, 1, 4, "b", 1);
	channel(g, 1, 1000);
	SLICE(g, 1, 20, 1000, 1100, .label = 2);
	SLICE(g, 1, 21, 1100, 1200, .label = 4);
	for (unsigned int i = 0; i < 8; i++) {
		uint32_t length = i < 4 ? FAST : SLOW;

		SLICE(g, 1, 10 + i, now, now + length, .label = i % 2 ? 1 : 3,
		      .wake_time = now - 50, .waker = i % 4 == 3 ? 0 : 20 + i % 2);
		now += length;
	}
	keep(g);
	m = find("a:above=2us");
	assert_sides(m, 4, 4, 0);
	assert_figure(m, "b", "wakes/slice", 0.75, 0.75);
	assert_figure(m, "(no coroutine)", "wakes/slice", 0.25, 0.25);
	model_free(m);
	unlink(recording_path);
}

/* Of the slow ones three of four ran on the second thread, of the others one of eight. */
static void a_thread_that_is_slow_is_reported(void **state)
{
	struct gen *g = begin_recording();
	uint64_t now = 1000;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	gen_channel(g, 2, 1, 102, "second", 1000, NULL, 0);
	for (unsigned int i = 0; i < 12; i++, now += 2 * SLOW) {
		bool slow = i < 4;

		SLICE(g, i == 0 || i > 4 ? 1 : 2, 10 + i, now, now + (slow ? SLOW : FAST),
		      .label = 1);
	}
	keep(g);
	m = find("a:above=2us");
	assert_sides(m, 4, 8, 0);
	assert_figure(m, "second 102", "on thread/slice", 1.0 / 8, 3.0 / 4);
	assert_int_equal(figure(m, "second 102", "on thread/slice")->of, MODEL_OF_THREAD);
	model_free(m);
	/* All on one thread: there is nothing to say. */
	make_slices();
	m = find("a:above=2us");
	for (uint32_t i = 0; i < m->nr_slow; i++)
		assert_int_not_equal(m->slow[i].of, MODEL_OF_THREAD);
	model_free(m);
	unlink(recording_path);
}

/*
 * Of ten, which wait for 100 ns each, two wait for a collector as well, which holds their thread
 * for 4 us of their wait; another one runs on another thread meanwhile.
 */
static void a_collector_that_holds_others_is_reported(void **state)
{
	struct gen *g = begin_recording();
	uint64_t now = 100000;
	struct model *m;

	(void)state;
	gen_label(g, 1, 3, "collector", 9);
	channel(g, 1, 1000);
	gen_channel(g, 2, 1, 102, "second", 1000, NULL, 0);
	for (unsigned int i = 0; i < 10; i++) {
		bool slow = i % 5 == 4;

		SLICE(g, 1, 10, now, now + FAST, .label = 1, .flags = i ? 0 : COROPROF_SLICE_FRESH,
		      .wake_time = i ? now - (slow ? 4100 : 100) : 0, .waker = i ? 20 : 0);
		now += FAST + 10000;
		/* It begins 1 us before who waits is made ready. */
		if ((i + 1) % 5 == 4) {
			SLICE(g, 1, 20, now - 5100, now - 100, .label = 3);
			SLICE(g, 2, 21, now - 5000, now - 10, .label = 2);
		}
	}
	keep(g);
	m = find("a:by=ready,above=1us");
	assert_sides(m, 2, 7, 1);
	assert_figure(m, "collector", "held while ready/slice", 0, 4000);
	for (uint32_t i = 0; i < m->nr_slow; i++)
		assert_string_not_equal(m->slow[i].name, "b");
	model_free(m);
	unlink(recording_path);
}

/* Of a wait that is longer than what is looked back at. */
static void what_is_not_looked_back_at_is_a_bound(void **state)
{
	struct gen *g = begin_recording();
	uint64_t now = 1000, begin;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, now, now + 100, .label = 1, .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, 10, now + 200, now + 300, .label = 1, .wake_time = now + 150, .waker = 20);
	begin = now += 400;
	for (int i = 0; i < 1030; i++, now += 20)
		SLICE(g, 1, 20, now, now + 10, .label = 2);
	SLICE(g, 1, 10, now, now + 100, .label = 1, .wake_time = begin, .waker = 20);
	keep(g);
	m = find("a:by=ready,above=1us");
	assert_sides(m, 1, 1, 1);
	assert_int_equal(figure(m, "b", "held while ready/slice")->side[MODEL_NEW].standing,
			 STANDING_AT_LEAST);
	assert_float_equal(figure(m, "b", "held while ready/slice")->side[MODEL_NEW].value, 10240, 0);
	model_free(m);
	unlink(recording_path);
}

static void sides_have_rows_however_many_labels_there_are(void **state)
{
	const struct model_options options = { .labels = 1 };
	struct gen *g = begin_recording();
	struct error err;
	struct model *m;
	uint64_t now = 1000;

	(void)state;
	gen_label(g, 1, 3, "c", 1);
	gen_label(g, 1, 4, "d", 1);
	channel(g, 1, 1000);
	for (uint32_t label = 1; label <= 4; label++, now += FAST)
		SLICE(g, 1, 10 + label, now, now + FAST, .label = label);
	SLICE(g, 1, 10, now, now + SLOW, .label = 1);
	keep(g);
	m = found("a:above=2us", &options, &err);
	assert_non_null(m);
	assert_sides(m, 1, 1, 0);
	model_free(m);
	unlink(recording_path);
}

/* A waker, which has the last row that there is room for. */
static void sides_take_no_rows_of_other_labels(void **state)
{
	const struct model_options options = { .labels = 2 };
	struct gen *g = begin_recording();
	struct error err;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1000 + FAST, .label = 1);
	SLICE(g, 1, 11, 2000, 2000 + SLOW, .label = 1);
	SLICE(g, 1, 20, 7000, 7000 + FAST, .label = 2);
	SLICE(g, 1, 12, 8000, 8000 + SLOW, .label = 1, .wake_time = 7500, .waker = 20);
	keep(g);
	m = found("a:above=2us", &options, &err);
	assert_non_null(m);
	assert_figure(m, "b", "wakes/slice", 0, 0.5);
	model_free(m);
	unlink(recording_path);
}

/* Gaps of 300, 800 and 900 ns, in the last of which its thread came back to the recording. */
static void gaps_in_which_recording_began_again_are_on_neither_side(void **state)
{
	static const uint64_t begins[] = { 1000, 1400, 2300, 3300 };
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	for (unsigned int i = 0; i < 4; i++) {
		if (i == 3) {
			gen_channel_end(g, 1);
			gen_channel(g, 2, 1, 101, "thread", 3000, NULL, 0);
		}
		SLICE(g, i == 3 ? 2 : 1, 10, begins[i], begins[i] + 100, .label = 1);
	}
	keep(g);
	m = find("a:by=suspended,above=500ns");
	assert_sides(m, 1, 1, 2);
	model_free(m);
	unlink(recording_path);
}

/* Of one that there is no room to follow no gap is counted, so none is known. */
static void gaps_of_coroutines_not_followed_are_on_neither_side(void **state)
{
	const struct model_options options = { .coroutines = 1 };
	const uint32_t followed = 1 + 1024;
	struct gen *g = begin_recording();
	uint64_t now = 10000;
	struct error err;

	(void)state;
	channel(g, 1, 1000);
	for (uint32_t i = 0; i < followed + 1; i++, now += 1000)
		SLICE(g, 1, 10 + i, now, now + 100, .label = i < followed ? 2 : 1,
		      .wake_time = now - 700, .flags = COROPROF_SLICE_FRESH);
	keep(g);
	assert_null(found("a:by=ready,above=500ns", &options, &err));
	assert_says(err.message, "0 slices have more than 500 ns of 'ready', 0 have not, and of 1 it is not known");
	unlink(recording_path);
}

/* The recording begins in a short and in a long one, ends in a short one, and missed a switch. */
static void make_parts(void)
{
	static const struct {
		uint32_t length;
		uint16_t flags;
	} slices[] = {
		{ 100, COROPROF_SLICE_FIRST }, { FAST, 0 }, { FAST, 0 }, { FAST, 0 }, { FAST, 0 },
		{ SLOW, COROPROF_SLICE_FIRST }, { SLOW, 0 }, { SLOW, COROPROF_SLICE_UNREPORTED },
		{ 100, COROPROF_SLICE_CUT },
	};
	struct gen *g = begin_recording();
	uint64_t now = 1000;

	channel(g, 1, 1000);
	for (size_t i = 0; i < sizeof(slices) / sizeof(slices[0]); i++) {
		SLICE(g, 1, 10 + i, now, now + slices[i].length, .label = 1,
		      .flags = slices[i].flags);
		now += slices[i].length;
	}
	keep(g);
}

static void parts_of_slices_are_only_where_they_surely_are(void **state)
{
	struct model *m;

	(void)state;
	make_parts();
	m = find("a:above=2us");
	assert_sides(m, 2, 4, 3);
	model_free(m);
	unlink(recording_path);
}

static void parts_of_slices_have_no_say_in_a_quantile(void **state)
{
	struct model *m;

	(void)state;
	make_parts();
	m = find("a:above=p20");
	assert_int_equal(m->slow_of->above, FAST);
	assert_sides(m, 2, 4, 3);
	model_free(m);
	unlink(recording_path);
}

/* ------------------------------------------------------------------------
 * against the timeline, which has each slice
 */

struct slice_sums {
	uint64_t nr;
	uint64_t wall;
	uint64_t running;
	uint64_t cycles;
};

static void assert_sums(const struct model *m, const char *label, enum model_age age,
			const struct slice_sums *sums)
{
	double nr = (double)sums->nr;

	assert_int_equal(m->slow_of->nr[age], sums->nr);
	assert_float_equal(figure(m, label, "held/slice")->side[age].value, (double)sums->wall / nr,
			   1e-6);
	assert_float_equal(figure(m, label, "running/slice")->side[age].value,
			   (double)sums->running / nr, 1e-6);
	assert_float_equal(figure(m, label, "cycles/slice")->side[age].value,
			   (double)sums->cycles / nr, 1e-6);
}

static void many_slices_are_divided_as_the_timeline_says(void **state)
{
	const char *label = "handle_request";
	struct slice_sums sums[MODEL_AGES] = { { 0 } };
	struct model *m;

	(void)state;
	name_recording();
	assert_true(gen_scenario("server", recording_path));
	m = find("handle_request:by=cycles,above=p95");
	for (uint32_t i = 0; i < m->nr_timeline; i++) {
		const struct model_slice *s = &m->timeline[i];
		struct slice_sums *to =
			&sums[s->count[0] > m->slow_of->above ? MODEL_NEW : MODEL_OLD];

		assert_int_equal(s->nr_slices, 1);
		if (strcmp(m->labels[s->label].name, label))
			continue;
		assert_true(s->valid & 1);
		to->nr++;
		to->wall += s->duration_ns;
		to->running += s->longest_ns;
		to->cycles += s->count[0];
	}
	assert_true(sums[MODEL_NEW].nr * 20 > sums[MODEL_OLD].nr);
	assert_true(sums[MODEL_NEW].nr * 18 < sums[MODEL_OLD].nr);
	assert_sums(m, label, MODEL_OLD, &sums[MODEL_OLD]);
	assert_sums(m, label, MODEL_NEW, &sums[MODEL_NEW]);
	model_free(m);
	unlink(recording_path);
}

/* ------------------------------------------------------------------------
 * lives
 */

static void slow_lives_are_tested_against_the_rest(void **state)
{
	struct model *m;

	(void)state;
	make_lives(300);
	/* Steps of lengths are 32 ns wide there: the one that has 2012 ends with 2015. */
	m = find("a:of=lives,by=running,above=p90");
	assert_sides(m, 30, 270, 1);
	assert_figure(m, "a", "slices/coroutine", 2, 2);
	assert_int_equal(figure(m, "a", "cycles/coroutine")->verdict, MODEL_VERDICT_MORE);
	assert_int_equal(figure(m, "a", "instructions/coroutine")->verdict, MODEL_VERDICT_NOISE);
	assert_int_equal(figure(m, "a", "cycles/coroutine")->side[MODEL_NEW].units, 30);
	assert_float_equal(figure(m, "a", "lifetime/coroutine")->side[MODEL_NEW].value,
			   2 * SLOW + 6, 7);
	assert_int_equal(m->slow_of->above, 2015);
	model_free(m);
	unlink(recording_path);
}

/* One of each side, and such as left the label, came to it, and came back to it. */
static void lives_whose_label_changed_are_left_out(void **state)
{
	static const struct {
		uint32_t label[3];
		uint32_t length;
	} lives[] = {
		{ { 1, 1, 1 }, FAST }, { { 1, 1, 1 }, SLOW }, { { 1, 1, 2 }, SLOW },
		{ { 2, 2, 1 }, SLOW }, { { 1, 2, 1 }, FAST }, { { 2, 2, 2 }, SLOW },
	};
	struct gen *g = begin_recording();
	uint64_t now = 1000;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	for (size_t i = 0; i < sizeof(lives) / sizeof(lives[0]); i++)
		for (unsigned int k = 0; k < 3; k++) {
			SLICE(g, 1, 10 + i, now, now + lives[i].length, .label = lives[i].label[k],
			      .flags = k == 0 ? COROPROF_SLICE_FRESH : k == 2 ? COROPROF_SLICE_END : 0);
			now += lives[i].length;
		}
	keep(g);
	m = find("a:of=lives,by=running,above=10us");
	assert_sides(m, 1, 1, 3);
	assert_figure(m, "a", "lifetime/coroutine", 3 * FAST, 3 * SLOW);
	model_free(m);
	unlink(recording_path);
}

/* ------------------------------------------------------------------------
 * slices that are missing
 */

static void assert_standing(const struct model *m, const char *of, enum standing standing,
			    enum standing change)
{
	const struct model_change *c = figure(m, "a", of);

	for (unsigned int age = 0; age < MODEL_AGES; age++)
		if (c->side[age].standing != standing)
			fail_msg("%s is %s, not %s", of, standing_name(c->side[age].standing),
				 standing_name(standing));
	assert_int_equal(c->standing, change);
}

static void assert_column(const struct model *m, const char *table, const char *column,
			  enum standing standing)
{
	struct sheet sheet;
	int at;

	assert_int_equal(sheet_open(&sheet, table_named(table), m), 0);
	at = sheet_find(&sheet, column, strlen(column));
	assert_true(at >= 0 && sheet.rows);
	for (uint32_t row = 0; row < sheet.rows; row++)
		assert_int_equal(sheet_cell(&sheet, row, (unsigned int)at).standing, standing);
	sheet_close(&sheet);
}

static void assert_at_least(const struct model *m, const char *column)
{
	assert_column(m, "slow_of", column, STANDING_AT_LEAST);
}

static const char *const tree_columns[] = {
	"rest_own", "slow_own", "rest_total", "slow_total", "rest_slices", "slow_slices",
};

static void assert_tree(const struct model *m, enum standing standing)
{
	for (size_t i = 0; i < ARRAY_SIZE(tree_columns); i++)
		assert_column(m, "slow_tree", tree_columns[i], standing);
}

static struct model *with_spans(void (*lose)(struct gen *g))
{
	struct gen *g = begin_recording();
	struct model *m;

	channel(g, 1, 1000);
	span(g, 10, 2, 1000, 1000 + FAST / 2);
	SLICE(g, 1, 10, 1000, 1000 + FAST, .label = 1);
	span(g, 11, 2, 2000, 2000 + FAST);
	SLICE(g, 1, 11, 2000, 2000 + SLOW, .label = 1);
	if (lose)
		lose(g);
	keep(g);
	m = find("a:above=2us");
	unlink(recording_path);
	return m;
}

static void lose_slices(struct gen *g)
{
	gen_lost(g, 1, 8000, 1, true);
}

static void lose_spans(struct gen *g)
{
	gen_lost_spans(g, 1, 8000, 1);
}

/* In what was lost there may have been more calls. */
static void trees_are_a_bound_where_something_was_lost(void **state)
{
	struct model *m = with_spans(NULL);

	(void)state;
	assert_tree(m, STANDING_COUNTED);
	model_free(m);
	m = with_spans(lose_slices);
	assert_tree(m, STANDING_AT_LEAST);
	model_free(m);
	m = with_spans(lose_spans);
	assert_tree(m, STANDING_AT_LEAST);
	model_free(m);
}

static void what_lost_slices_make_a_bound_is_none_of_all(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1000 + FAST, .label = 1);
	SLICE(g, 1, 11, 2000, 2000 + SLOW, .label = 1);
	gen_lost(g, 1, 8000, 1, true);
	keep(g);
	m = find("a:above=2us");
	assert_standing(m, "held/slice", STANDING_SCALED, STANDING_SCALED);
	assert_standing(m, "running/held", STANDING_SCALED, STANDING_SCALED);
	assert_at_least(m, "slow");
	assert_at_least(m, "rest");
	assert_at_least(m, "left_out");
	model_free(m);
	unlink(recording_path);
}

/* In the gap of each there may be a slice. */
static void lives_with_unseen_gaps_are_known_by_their_length_alone(void **state)
{
	struct gen *g = begin_recording();
	struct error err;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1000 + FAST, .label = 1, .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, 11, 2000, 2000 + SLOW, .label = 1, .flags = COROPROF_SLICE_FRESH);
	gen_lost(g, 1, 8000, 1, true);
	SLICE(g, 1, 10, 8000, 8000 + FAST, .label = 1, .flags = COROPROF_SLICE_END);
	SLICE(g, 1, 11, 20000, 20000 + SLOW, .label = 1, .flags = COROPROF_SLICE_END);
	keep(g);
	m = find("a:of=lives,above=10us");
	assert_standing(m, "lifetime/coroutine", STANDING_SCALED, STANDING_SCALED);
	assert_standing(m, "running/lifetime", STANDING_AT_LEAST, STANDING_NA);
	assert_standing(m, "suspended/lifetime", STANDING_NA, STANDING_NA);
	model_free(m);
	assert_null(found("a:of=lives,by=running,above=5us", &(struct model_options){ 0 }, &err));
	assert_says(err.message, "0 coroutines have more than 5.00 us of 'running', 0 have not, and of 2 it is not known");
	unlink(recording_path);
}

/* ------------------------------------------------------------------------
 * what is asked for
 */

static void words_are_taken_apart_from_labels_with_colons(void **state)
{
	struct error err;
	struct slow slow;

	(void)state;
	assert_int_equal(slow_parse(&slow, "http::serve:by=cpu/event=1,umask=2/,above=p99,of=lives", &err), 0);
	assert_int_equal(slow.label, strlen("http::serve"));
	assert_true(slow.lives);
	assert_int_equal(slow.by_length, strlen("cpu/event=1,umask=2/"));
	assert_memory_equal(slow.above, "p99", 3);
	assert_int_equal(slow.above_length, 3);
}

static void what_can_not_be_asked_says_what_can(void **state)
{
	static const char *const bad[] = { "", ":by=wall", "a:by=", "a:of=x", };
	static const char *const none[][2] = {
		{ "c", "no coroutine has the label 'c'. There are: " },
		{ "a:above=p95,x=1", "'p95,x=1' is no threshold" },
		{ "a:by=nix", "'nix' is no counter of" },
		{ "a:above=95", "'95' is no threshold: p50 to p99.99, or a time" },
		{ "a:by=cycles,above=2ms", "or a number" },
		{ "a:above=1s1m", "'1s1m' is no threshold" },
		{ "a:above=2k", "'2k' is no threshold" },
		{ "a:above=1m30s", "0 slices have more than 1 min 30 s of 'held'" },
		{ "a:by=cycles,above=7M", "0 slices have more than 7000000 of 'cycles'" },
		{ "a:above=1s", "0 slices have more than 1.00 s of 'held', 10 have not" },
		{ "b:of=lives", "'lifetime' is not known of any coroutine" },
		{ "b:of=lives,by=held", "nor one of lifetime, running" },
		{ "a:by=lifetime", "nor one of held, running" },
	};
	struct error err;
	struct slow slow;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(slow_parse(&slow, bad[i], &err), -EINVAL);
		assert_says(err.message, "LABEL[:of=slices|lives,by=WHAT,above=THRESHOLD]");
	}
	make_slices();
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		assert_null(found(none[i][0], &(struct model_options){ 0 }, &err));
		assert_says(err.message, none[i][1]);
	}
	unlink(recording_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_slices_are_distinguished_from_the_rest),
		cmocka_unit_test(slices_are_divided_by_how_long_they_held),
		cmocka_unit_test(metrics_are_of_both_sides),
		cmocka_unit_test(csv_has_what_is_slow_unless_asked_otherwise),
		cmocka_unit_test(samples_and_spans_are_of_the_slice_they_were_in),
		cmocka_unit_test(slices_are_divided_by_whatever_they_have),
		cmocka_unit_test(what_is_not_known_is_on_neither_side),
		cmocka_unit_test(samples_of_no_slice_seen_are_on_neither_side),
		cmocka_unit_test(pieces_are_on_the_side_of_their_slice),
		cmocka_unit_test(numbers_of_one_name_are_one_label),
		cmocka_unit_test(a_thread_that_is_slow_is_reported),
		cmocka_unit_test(a_collector_that_holds_others_is_reported),
		cmocka_unit_test(what_is_not_looked_back_at_is_a_bound),
		cmocka_unit_test(sides_have_rows_however_many_labels_there_are),
		cmocka_unit_test(sides_take_no_rows_of_other_labels),
		cmocka_unit_test(gaps_in_which_recording_began_again_are_on_neither_side),
		cmocka_unit_test(gaps_of_coroutines_not_followed_are_on_neither_side),
		cmocka_unit_test(parts_of_slices_are_only_where_they_surely_are),
		cmocka_unit_test(parts_of_slices_have_no_say_in_a_quantile),
		cmocka_unit_test(many_slices_are_divided_as_the_timeline_says),
		cmocka_unit_test(slow_lives_are_tested_against_the_rest),
		cmocka_unit_test(lives_whose_label_changed_are_left_out),
		cmocka_unit_test(what_lost_slices_make_a_bound_is_none_of_all),
		cmocka_unit_test(trees_are_a_bound_where_something_was_lost),
		cmocka_unit_test(lives_with_unseen_gaps_are_known_by_their_length_alone),
		cmocka_unit_test(words_are_taken_apart_from_labels_with_colons),
		cmocka_unit_test(what_can_not_be_asked_says_what_can),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
