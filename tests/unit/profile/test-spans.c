// SPDX-License-Identifier: GPL-2.0
/* Spans: how they nest, whose they are, and what is not known of them. */
#include "gen/recording.h"

/* A span from @begin_ to @end_; it ran all the time. More members may follow. */
#define SPAN(g, channel, id_, label_, depth_, begin_, end_, ...)	\
	gen_span(g, channel, &(struct gen_span){			\
		.id = (id_), .label = (label_), .depth = (depth_),	\
		.time = (end_), .duration = (end_) - (begin_),		\
		.running_ns = (end_) - (begin_), __VA_ARGS__ })

static struct gen *begin_spans(void)
{
	struct gen *g = begin_recording();

	gen_label(g, 1, 11, "main", 4);
	gen_label(g, 1, 12, "parse", 5);
	gen_label(g, 1, 13, "read", 4);
	channel(g, 1, 1000);
	return g;
}

static uint32_t span_row(const struct model *m, const char *name)
{
	for (uint32_t i = 0; i < m->nr_spans; i++)
		if (!strcmp(m->spans[i].name, name))
			return i;
	fail_msg("no span %s", name);
	return MODEL_NONE;
}

static const struct model_span_sums *sums(const struct model *m,
					  const char *name)
{
	return &m->spans[span_row(m, name)].sums;
}

/* "main/parse/read" of a label's tree. */
static const struct model_span_node *node(const struct model *m,
					  const char *label, const char *path)
{
	for (uint32_t i = 0; i < m->nr_span_nodes; i++) {
		const struct model_span_node *n = &m->span_nodes[i];
		char text[256] = "", more[512];

		for (uint32_t k = i; k != MODEL_NONE; k = m->span_nodes[k].parent) {
			uint32_t span = m->span_nodes[k].span;

			snprintf(more, sizeof(more), "%.200s%s%s",
				 span == MODEL_NONE ? "?" : m->spans[span].name,
				 *text ? "/" : "", text);
			snprintf(text, sizeof(text), "%.255s", more);
		}
		if (!strcmp(text, path) &&
		    !strcmp(m->labels[n->label].name, label))
			return n;
	}
	fail_msg("no %s in %s", path, label);
	return NULL;
}

static uint64_t count(const struct model *m, const char *name, bool own)
{
	struct model_value v = model_span_value(m, span_row(m, name), 0, own);

	assert_true(v.present);
	assert_int_equal(v.standing, COROPROF_STANDING_COUNTED);
	return v.count;
}

static void assert_sums(const struct model_span_sums *s, uint64_t calls,
			uint64_t outermost, uint64_t own, uint64_t total)
{
	assert_int_equal(s->calls, calls);
	assert_int_equal(s->outermost, outermost);
	assert_int_equal(s->own_wall_ns, own);
	assert_int_equal(s->wall_ns, total);
	assert_int_equal(s->own_running_ns, own);
	assert_int_equal(s->running_ns, total);
}

static void distinguishes_own_from_total(void **state)
{
	struct gen *g = begin_spans();
	struct model *m;

	(void)state;
	SPAN(g, 1, 10, 13, 2, 1020, 1030, .count = { 10 });
	SPAN(g, 1, 10, 13, 2, 1040, 1045, .count = { 5 });
	SPAN(g, 1, 10, 12, 1, 1010, 1050, .count = { 50 });
	SPAN(g, 1, 10, 13, 1, 1060, 1070, .count = { 10 });
	SPAN(g, 1, 10, 11, 0, 1000, 1100, .count = { 200 });
	SLICE(g, 1, 10, 1000, 1100, .label = 1, .count = { 200, 0 });
	m = load(g);
	assert_int_equal(m->nr_span_calls, 5);
	assert_int_equal(m->nr_spans, 3);
	assert_int_equal(m->nr_span_nodes, 4);
	assert_sums(sums(m, "main"), 1, 1, 50, 100);
	assert_sums(sums(m, "parse"), 1, 1, 25, 40);
	assert_sums(sums(m, "read"), 3, 3, 25, 25);
	assert_int_equal(count(m, "main", true), 140);
	assert_int_equal(count(m, "main", false), 200);
	assert_int_equal(count(m, "parse", true), 35);
	assert_int_equal(count(m, "read", false), 25);
	assert_int_equal(node(m, "a", "main/parse/read")->sums.calls, 2);
	assert_int_equal(node(m, "a", "main/read")->sums.calls, 1);
	assert_int_equal(node(m, "a", "main/parse/read")->depth, 2);
	assert_false(sums(m, "main")->at_most);
	assert_int_equal(m->channels[0].spans, 5);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	model_free(m);
}

/* f calls f calls f; and g, which calls f. */
static void counts_recursion_once(void **state)
{
	struct gen *g = begin_spans();
	struct model *m;

	(void)state;
	SPAN(g, 1, 10, 11, 2, 1020, 1030, .count = { 10 });
	SPAN(g, 1, 10, 11, 1, 1010, 1050, .count = { 40 });
	SPAN(g, 1, 10, 11, 2, 1070, 1080, .count = { 10 });
	SPAN(g, 1, 10, 12, 1, 1060, 1090, .count = { 30 });
	SPAN(g, 1, 10, 11, 0, 1000, 1100, .count = { 100 });
	SPAN(g, 1, 10, 11, 0, 1100, 1110, .count = { 10 });
	SLICE(g, 1, 10, 1000, 1110, .label = 1, .count = { 110, 0 });
	m = load(g);
	/* All of the time is somebody's own, and 110 of it main's in total. */
	assert_sums(sums(m, "main"), 5, 2, 90, 110);
	assert_sums(sums(m, "parse"), 1, 1, 20, 30);
	assert_int_equal(count(m, "main", false), 110);
	assert_int_equal(count(m, "main", true), 90);
	assert_int_equal(m->nr_label_spans, 2);
	assert_int_equal(m->label_spans[0].sums.own_running_ns, 90);
	model_free(m);
}

static void follows_a_coroutine_from_thread_to_thread(void **state)
{
	struct gen *g = begin_spans();
	struct model *m;

	(void)state;
	channel(g, 2, 1000);
	SPAN(g, 1, 10, 13, 1, 1010, 1020, .count = { 10 });
	SLICE(g, 1, 10, 1000, 1050, .label = 1, .count = { 50, 0 });
	/* Another coroutine, between these two in time, has spans as well. */
	SPAN(g, 1, 20, 13, 0, 1060, 1070, .count = { 7 });
	SLICE(g, 1, 20, 1050, 1100, .label = 2, .count = { 50, 0 });
	SLICE(g, 2, THREAD(2), 1000, 1200);
	SPAN(g, 2, 10, 13, 1, 1210, 1220, .count = { 10 });
	gen_span(g, 2, &(struct gen_span){ .id = 10, .label = 11,
		 .time = 1240, .duration = 235, .running_ns = 85,
		 .count = { 85 } });
	SLICE(g, 2, 10, 1200, 1300, .label = 1, .count = { 100, 0 });
	m = load(g);
	assert_int_equal(node(m, "a", "main/read")->sums.calls, 2);
	assert_int_equal(node(m, "b", "read")->sums.calls, 1);
	assert_int_equal(node(m, "a", "main")->sums.wall_ns, 235);
	assert_int_equal(node(m, "a", "main")->sums.own_wall_ns, 215);
	assert_int_equal(node(m, "a", "main")->sums.running_ns, 85);
	assert_int_equal(node(m, "a", "main")->sums.own_running_ns, 65);
	assert_sums(sums(m, "read"), 3, 3, 30, 30);
	assert_false(sums(m, "main")->at_most);
	model_free(m);
}

static void joins_standings_of_spans(void **state)
{
	struct gen *g = begin_spans();
	struct model_value v;
	struct model *m;

	(void)state;
	/* Cycles for half of the time, no instructions at all. */
	SPAN(g, 1, 10, 13, 1, 1010, 1020, .count = { 10, 0 }, .standing = 0x6,
	     .missing_ns = { 5, 10 });
	SPAN(g, 1, 10, 11, 0, 1000, 1100, .count = { 100, 0 }, .standing = 0x6,
	     .missing_ns = { 5, 100 });
	SLICE(g, 1, 10, 1000, 1100, .label = 1);
	m = load(g);
	v = model_span_value(m, span_row(m, "read"), 0, false);
	assert_int_equal(v.standing, COROPROF_STANDING_SCALED);
	assert_int_equal(v.estimate, 20);
	v = model_span_value(m, span_row(m, "main"), 0, true);
	assert_int_equal(v.standing, COROPROF_STANDING_SCALED);
	assert_int_equal(v.count, 90);
	assert_int_equal(v.estimate, 90);
	v = model_span_value(m, span_row(m, "main"), 1, false);
	assert_int_equal(v.standing, COROPROF_STANDING_NOT_SCHEDULED);
	model_free(m);
}

static void marks_what_losses_make_uncertain(void **state)
{
	struct gen *g = begin_spans();
	struct model *m;

	(void)state;
	SPAN(g, 1, 10, 12, 0, 1000, 1010);
	gen_lost_spans(g, 1, 1050, 3);
	SPAN(g, 1, 10, 11, 0, 1020, 1100);
	SPAN(g, 1, 10, 13, 0, 1110, 1120);
	SLICE(g, 1, 10, 1000, 1200, .label = 1);
	m = load(g);
	assert_int_equal(m->lost_spans, 3);
	assert_int_equal(m->lost, 0);
	assert_int_equal(m->channels[0].lost_spans, 3);
	assert_false(sums(m, "parse")->at_most);
	assert_true(sums(m, "main")->at_most);
	assert_false(sums(m, "read")->at_most);
	/* No slice was lost. */
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	model_free(m);
}

/* One parent is lost: the next takes no children that are not its own. */
static void does_not_adopt_what_is_older(void **state)
{
	struct gen *g = begin_spans();
	struct model *m;

	(void)state;
	SPAN(g, 1, 10, 13, 1, 1010, 1020);
	gen_lost_spans(g, 1, 1030, 1);
	SPAN(g, 1, 10, 13, 1, 1050, 1060);
	SPAN(g, 1, 10, 11, 0, 1040, 1100);
	SLICE(g, 1, 10, 1000, 1200, .label = 1);
	m = load(g);
	assert_int_equal(node(m, "a", "main/read")->sums.calls, 1);
	assert_int_equal(node(m, "a", "?/read")->sums.calls, 1);
	assert_int_equal(node(m, "a", "?")->sums.wall_ns, 10);
	assert_int_equal(node(m, "a", "?")->sums.own_wall_ns, 0);
	assert_int_equal(node(m, "a", "?")->sums.calls, 0);
	assert_sums(sums(m, "main"), 1, 1, 50, 60);
	assert_sums(sums(m, "read"), 2, 2, 20, 20);
	model_free(m);
}

static void keeps_what_had_not_ended(void **state)
{
	struct gen *g = begin_spans();
	struct model *m;

	(void)state;
	SPAN(g, 1, 10, 13, 2, 1010, 1020);
	SPAN(g, 1, 10, 12, 1, 1005, 1030);
	SLICE(g, 1, 10, 1000, 1200, .label = 1);
	/* Of one, not even the slice is there. */
	SPAN(g, 1, 20, 13, 0, 1210, 1220);
	m = load(g);
	assert_int_equal(node(m, "a", "?/parse/read")->sums.calls, 1);
	assert_int_equal(node(m, "(no label)", "read")->sums.calls, 1);
	assert_sums(sums(m, "parse"), 1, 1, 15, 25);
	model_free(m);
}

static void marks_what_began_before_the_recording(void **state)
{
	struct gen *g = begin_spans();
	struct model *m;

	(void)state;
	SPAN(g, 1, 10, 11, 0, 900, 1010);
	SLICE(g, 1, 10, 1000, 1020, .label = 1, .flags = COROPROF_SLICE_FIRST);
	/* As far as is known this one is new; it can't have begun before. */
	SPAN(g, 1, 11, 12, 0, 1010, 1030);
	SLICE(g, 1, 11, 1020, 1040, .label = 1);
	SPAN(g, 1, 10, 13, 0, 1050, 1060);
	SLICE(g, 1, 10, 1040, 1070, .label = 1);
	m = load(g);
	assert_true(sums(m, "main")->at_most);
	assert_true(sums(m, "parse")->at_most);
	assert_false(sums(m, "read")->at_most);
	model_free(m);
}

/* What ended before the part is not in it: what it was in has at most what is left. */
static void marks_what_began_before_a_part(void **state)
{
	const struct model_options options = { .from_ns = 50, .to_ns = 150 };
	struct gen *g = begin_spans();
	struct model *m;

	(void)state;
	SPAN(g, 1, 10, 12, 1, 1010, 1040);
	SPAN(g, 1, 10, 12, 1, 1060, 1070);
	SPAN(g, 1, 10, 11, 0, 1005, 1090);
	SLICE(g, 1, 10, 1000, 1100, .label = 1);
	SPAN(g, 1, 10, 13, 0, 1120, 1130);
	SPAN(g, 1, 10, 13, 1, 1160, 1170);
	SPAN(g, 1, 10, 13, 0, 1140, 1180);
	SLICE(g, 1, 10, 1100, 1200, .label = 1);
	m = load_with(g, &options);
	assert_sums(sums(m, "main"), 1, 1, 75, 85);
	assert_sums(sums(m, "parse"), 1, 1, 10, 10);
	assert_sums(sums(m, "read"), 1, 1, 10, 10);
	assert_true(sums(m, "main")->at_most);
	assert_false(sums(m, "parse")->at_most);
	assert_false(sums(m, "read")->at_most);
	model_free(m);
}

static void joins_labels_of_the_same_text(void **state)
{
	struct gen *g = begin_spans();
	struct model *m;

	(void)state;
	gen_label(g, 1, 14, "read", 4);
	gen_label_code(g, 1, 15, "/nonexistent/lib.so", 0x1234);
	SPAN(g, 1, 10, 13, 0, 1000, 1010);
	SPAN(g, 1, 10, 14, 0, 1010, 1020);
	SPAN(g, 1, 10, 15, 0, 1020, 1030);
	SPAN(g, 1, 10, 0, 0, 1030, 1040);
	SPAN(g, 1, 10, 99, 0, 1040, 1050);
	SLICE(g, 1, 10, 1000, 1100, .label = 1);
	m = load(g);
	assert_int_equal(m->nr_spans, 4);
	assert_int_equal(sums(m, "read")->calls, 2);
	assert_string_equal(m->spans[span_row(m, "lib.so+0x1234")].unresolved,
			    "the object file is not here");
	sums(m, "(no name)");
	sums(m, "(label 99, its name is not in the file)");
	model_free(m);
}

static void is_bounded(void **state)
{
	const struct model_options options = { .span_nodes = 16 };
	struct gen *g = begin_spans();
	struct model *m;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		SPAN(g, 1, 10, 100 + i, i % 5, 1000 + i, 1001 + i);
	SPAN(g, 1, 10, 13, UINT32_MAX, 2001, 2002);
	SLICE(g, 1, 10, 1000, 3000, .label = 1);
	m = load_with(g, &options);
	assert_int_equal(m->nr_span_calls, 1001);
	assert_true(m->dropped_spans > 900);
	assert_true(m->nr_span_nodes <= 16);
	model_free(m);
}

static uint64_t square_of(const struct model *m, const char *span, uint32_t figure)
{
	for (uint32_t i = 0; i < m->nr_label_spans; i++)
		if (!strcmp(m->spans[m->label_spans[i].span].name, span))
			return (uint64_t)m->label_span_squares[i * m->nr_squares + figure];
	fail_msg("no span %s", span);
	return 0;
}

/* Own figures of each call, total ones of those that are in no other of the same name. */
static void sums_squares_of_each_call_if_asked(void **state)
{
	const struct model_options options = { .squares = true };
	const uint32_t cycles_of = MODEL_SQUARE_COUNTERS, own_cycles = cycles_of + 1;
	struct gen *g = begin_spans();
	struct model *m;

	(void)state;
	SPAN(g, 1, 10, 12, 2, 1020, 1030, .count = { 10 });
	SPAN(g, 1, 10, 13, 2, 1040, 1045, .count = { 5, 3 });
	SPAN(g, 1, 10, 12, 1, 1010, 1050, .count = { 50, 4 });
	SPAN(g, 1, 10, 11, 0, 1000, 1100, .count = { 200, 9 });
	SPAN(g, 1, 10, 13, 1, 1120, 1130, .count = { 10 });
	SPAN(g, 1, 10, 11, 0, 1110, 1140, .count = { 40 });
	SLICE(g, 1, 10, 1000, 1200, .label = 1, .count = { 300, 9 });
	m = load_with(g, &options);
	assert_int_equal(m->nr_squares, MODEL_SQUARE_COUNTERS + 4);
	assert_int_equal(square_of(m, "main", MODEL_SQUARE_WALL), 100 * 100 + 30 * 30);
	assert_int_equal(square_of(m, "main", MODEL_SQUARE_OWN_WALL), 60 * 60 + 20 * 20);
	assert_int_equal(square_of(m, "main", MODEL_SQUARE_OWN_RUNNING), 60 * 60 + 20 * 20);
	assert_int_equal(square_of(m, "main", cycles_of), 200 * 200 + 40 * 40);
	assert_int_equal(square_of(m, "main", own_cycles), 150 * 150 + 30 * 30);
	assert_int_equal(square_of(m, "main", own_cycles + 2), 5 * 5);
	/* In itself: in its total there is one call, and own figures of both. */
	assert_int_equal(square_of(m, "parse", MODEL_SQUARE_RUNNING), 40 * 40);
	assert_int_equal(square_of(m, "parse", MODEL_SQUARE_OWN_RUNNING), 25 * 25 + 10 * 10);
	assert_int_equal(square_of(m, "parse", own_cycles), 35 * 35 + 10 * 10);
	assert_int_equal(square_of(m, "read", cycles_of), 5 * 5 + 10 * 10);
	model_free(m);
	g = begin_spans();
	SPAN(g, 1, 10, 12, 0, 1020, 1030);
	SLICE(g, 1, 10, 1000, 1200, .label = 1);
	m = load(g);
	assert_null(m->label_span_squares);
	model_free(m);
}

/* A program may claim that a part is more than the whole. */
static void shows_no_negative_figures(void **state)
{
	struct gen *g = begin_spans();
	struct model *m;

	(void)state;
	SPAN(g, 1, 10, 13, 1, 1000, 1090, .count = { 900 });
	SPAN(g, 1, 10, 13, 1, 1000, 1090, .count = { 900 });
	SPAN(g, 1, 10, 11, 0, 1000, 1100, .count = { 100 });
	SLICE(g, 1, 10, 1000, 1100, .label = 1);
	m = load(g);
	assert_int_equal(m->impossible_spans, 1);
	assert_int_equal(sums(m, "main")->own_wall_ns, 0);
	assert_int_equal(count(m, "main", true), 0);
	model_free(m);
}

static void folds_many_calls_into_few_nodes(void **state)
{
	struct gen *g = begin_spans();
	struct model *m;
	uint64_t t = 1000;

	(void)state;
	for (uint32_t i = 0; i < 20000; i++, t += 10) {
		SPAN(g, 1, 10, 13, 2, t + 1, t + 2, .count = { 1 });
		SPAN(g, 1, 10, 12, 1, t, t + 4, .count = { 4 });
		if (i % 100 == 99)
			SLICE(g, 1, 10, t + 10 - 1000, t + 10, .label = 1,
			      .count = { 1000, 0 });
		if (i % 1000 == 999)
			gen_drain(g, 1);
	}
	SPAN(g, 1, 10, 11, 0, 1000, t, .count = { 200000 });
	SLICE(g, 1, 10, t, t + 10, .label = 1);
	m = load(g);
	assert_int_equal(m->nr_span_nodes, 3);
	assert_sums(sums(m, "read"), 20000, 20000, 20000, 20000);
	assert_sums(sums(m, "parse"), 20000, 20000, 60000, 80000);
	assert_sums(sums(m, "main"), 1, 1, 120000, 200000);
	assert_int_equal(count(m, "main", true), 120000);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distinguishes_own_from_total),
		cmocka_unit_test(counts_recursion_once),
		cmocka_unit_test(follows_a_coroutine_from_thread_to_thread),
		cmocka_unit_test(joins_standings_of_spans),
		cmocka_unit_test(marks_what_losses_make_uncertain),
		cmocka_unit_test(does_not_adopt_what_is_older),
		cmocka_unit_test(keeps_what_had_not_ended),
		cmocka_unit_test(marks_what_began_before_the_recording),
		cmocka_unit_test(marks_what_began_before_a_part),
		cmocka_unit_test(joins_labels_of_the_same_text),
		cmocka_unit_test(is_bounded),
		cmocka_unit_test(sums_squares_of_each_call_if_asked),
		cmocka_unit_test(shows_no_negative_figures),
		cmocka_unit_test(folds_many_calls_into_few_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
