// SPDX-License-Identifier: GPL-2.0
/* What is known to differ between two recordings is what the comparison says differs. */
#include <errno.h>
#include <math.h>

#include "cprof/format.h"
#include "diff/diff.h"
#include "diff/gate.h"
#include "gen/recording.h"
#include "support.h"
#include "tables/metric.h"
#include "tables/table.h"

/* ------------------------------------------------------------------------
 * recordings
 */

#define UNIT	10000

/**
 * struct sort - coroutines of one label, of two slices each
 * @label: number
 * @nr:    how many
 * @work:  instructions of a slice, which take as many nanoseconds
 * @off:   each coroutine has up to so many more, or less
 * @late:  so many coroutines, now and then, have ten times the work
 */
struct sort {
	uint32_t label;
	uint32_t nr;
	uint32_t work;
	uint32_t off;
	uint32_t late;
};

static uint64_t next_id, now;

/* As far off as the coroutines before, but in no order that the label knows. */
static uint32_t work_of(const struct sort *sort, uint32_t i)
{
	uint32_t off = sort->off ? i * 2654435761u % (2 * sort->off + 1) : sort->off;
	uint32_t work = sort->work + off - sort->off;

	return sort->late && i % (sort->nr / sort->late) == 3 ? 10 * work : work;
}

static void put_coroutines(struct gen *g, uint32_t channel, const struct sort *sort)
{
	for (uint32_t i = 0; i < sort->nr; i++, next_id++)
		for (int slice = 0; slice < 2; slice++) {
			uint32_t work = work_of(sort, i);

			SLICE(g, channel, next_id, now, now + work, .label = sort->label,
			      .count = { 2 * work, work }, .flags = slice ? COROPROF_SLICE_END :
								    COROPROF_SLICE_FRESH);
			now += work;
		}
}

static struct model *to_compare(struct gen *g)
{
	return load_with(g, &(struct model_options){ .squares = true });
}

static struct gen *begin(void)
{
	struct gen *g = begin_recording();

	next_id = 1;
	now = 1000000;
	channel(g, 1, now);
	return g;
}

static struct model *recorded(const struct sort *sorts)
{
	struct gen *g = begin();

	for (; sorts->nr; sorts++)
		put_coroutines(g, 1, sorts);
	return to_compare(g);
}

/* Of label, number, work and off each. */
#define SORT(label, nr, work, off)	{ label, nr, work, off, 0 }
#define RECORDED(...)	recorded((const struct sort[]){ __VA_ARGS__, { 0 } })

static struct model *compared(struct model *old, struct model *new)
{
	struct error err;

	if (diff_models(new, old, NULL, 0, &err))
		fail_msg("%s", err.message);
	model_free(old);
	return new;
}

static const struct model_change *find(const struct model *m, const char *name, const char *label,
				       const char *figure)
{
	for (uint32_t i = 0; i < m->nr_changes; i++) {
		const struct model_change *c = &m->changes[i];

		if (!strcmp(c->name, name) && !strcmp(c->figure, figure) &&
		    (label ? c->label && !strcmp(c->label, label) : !c->label))
			return c;
	}
	return NULL;
}

static const struct model_change *change(const struct model *m, const char *name,
					 const char *figure)
{
	const struct model_change *c = find(m, name, NULL, figure);

	if (!c)
		fail_msg("%s has no %s", name, figure);
	return c;
}

/* All verdicts that name a label are of this one, and there is one. */
static void assert_only(const struct model *m, const char *name)
{
	bool found = false;

	for (uint32_t i = 0; i < m->nr_changes; i++) {
		const struct model_change *c = &m->changes[i];

		if (c->verdict == MODEL_VERDICT_NOISE || c->verdict == MODEL_VERDICT_NONE)
			continue;
		if (strcmp(c->name, name))
			fail_msg("%s of %s: verdict %d", c->figure, c->name, c->verdict);
		found = true;
	}
	if (!found)
		fail_msg("nothing is said of %s: p %g, factor %g", name,
			 change(m, name, "instructions/slice")->p,
			 change(m, name, "instructions/slice")->factor);
}

static void assert_verdict(const struct model *m, const char *name, const char *figure,
			   enum model_verdict verdict)
{
	const struct model_change *c = change(m, name, figure);

	if (c->verdict != verdict)
		fail_msg("%s of %s: verdict %d, not %d; p %g, factor %g", figure, name, c->verdict,
			 verdict, c->p, c->factor);
}

/* What a machine does differently from run to run is not known from one run each. */
static void assert_of_one_run(const struct model *m, const char *name, const char *figure)
{
	const struct model_change *c = change(m, name, figure);

	assert_int_equal(c->verdict, MODEL_VERDICT_NONE);
	assert_says(c->why, "can't tell from one run each");
}

/* ------------------------------------------------------------------------
 * drifts
 */

#define DRIFTING	40

/* Coroutines of two labels in turns. They rise by as much in all; @steadily, or in no order. */
static struct model *rising(double by, bool steadily)
{
	const struct sort sort = { 0, DRIFTING, UNIT, 500, 0 };
	struct gen *g = begin();

	for (uint32_t i = 0; i < 2 * DRIFTING; i++, next_id++) {
		uint32_t at = steadily ? i / 2 : i / 2 * 23 % DRIFTING;
		uint32_t work = (uint32_t)(work_of(&sort, i) * (1 + by * at / DRIFTING));

		SLICE(g, 1, next_id, now, now + work, .label = 1 + i % 2, .count = { work, work },
		      .flags = COROPROF_SLICE_FRESH | COROPROF_SLICE_END);
		now += work;
	}
	return to_compare(g);
}

/* What rises by as much and more has a verdict, where it is in no order. */
static void what_a_drift_explains_is_not_known_from_one_run_each(void **state)
{
	struct model *drifts = compared(rising(0, true), rising(0.05, true));
	struct model *changed = compared(rising(0, true), rising(0.1, false));
	const struct model_change *c = change(drifts, "a", "instructions/slice");

	(void)state;
	assert_verdict(drifts, "a", "instructions/slice", MODEL_VERDICT_NONE);
	assert_says(c->why, "can't tell from one run each, as a drift from begin to end explains it");
	assert_true(c->change > 0.02 && c->p < 0);
	assert_says(drifts->answers[0].text, "nothing has changed for certain; ");
	assert_says(drifts->answers[0].text, "record several runs of both");
	assert_verdict(changed, "a", "instructions/slice", MODEL_VERDICT_MORE);
	model_free(drifts);
	model_free(changed);
}

/* ------------------------------------------------------------------------
 * labels
 */

static void what_is_heavier_is_named_and_nothing_else(void **state)
{
	struct model *m = compared(RECORDED(SORT(1, 30, UNIT, 500), SORT(2, 30, UNIT, 100)),
				   RECORDED(SORT(1, 40, UNIT, 500), SORT(2, 20, 11000, 100)));
	const struct model_change *c = change(m, "b", "instructions/slice");

	(void)state;
	assert_only(m, "b");
	assert_int_equal(c->verdict, MODEL_VERDICT_MORE);
	assert_of_one_run(m, "b", "running/slice");
	assert_of_one_run(m, "b", "cycles/slice");
	assert_float_equal(c->change, 0.1, 0.02);
	assert_float_equal(c->side[MODEL_NEW].value, 11000, 150);
	assert_int_equal(c->side[MODEL_OLD].units, 30);
	assert_int_equal(c->side[MODEL_NEW].units, 20);
	assert_float_equal(c->side[MODEL_NEW].times, 40, 0);
	assert_true(c->side[MODEL_OLD].spread > 40 && c->side[MODEL_OLD].spread < 80);
	assert_true(c->p < 1e-3);
	assert_true(c->low > 0.08 && c->low < c->change && c->change < c->high && c->high < 0.12);
	assert_true(c->seen > 0 && c->seen < 0.1);
	model_free(m);
}

/* The same slices, and more of them, of those alone that were seen whole. */
static void more_slices_are_more_of_each_coroutine(void **state)
{
	struct gen *g = begin();
	struct model *new, *m;

	(void)state;
	for (int i = 0; i < 20; i++, next_id++)
		for (int slice = 0; slice < 4; slice++, now += UNIT)
			SLICE(g, 1, next_id, now, now + UNIT, .label = 1, .count = { UNIT, UNIT },
			      .flags = slice == 3 ? COROPROF_SLICE_END :
				       slice ? 0 : COROPROF_SLICE_FRESH);
	SLICE(g, 1, next_id++, now, now + UNIT, .label = 1, .count = { UNIT, UNIT },
	      .flags = COROPROF_SLICE_FRESH);
	new = load(g);
	m = compared(RECORDED(SORT(1, 20, UNIT, 0)), new);
	assert_verdict(m, "a", "instructions/slice", MODEL_VERDICT_NOISE);
	assert_verdict(m, "a", "instructions/coroutine", MODEL_VERDICT_MORE);
	assert_float_equal(change(m, "a", "instructions/coroutine")->change, 1, 0);
	assert_float_equal(change(m, "a", "slices/coroutine")->side[MODEL_NEW].value, 4, 0);
	assert_int_equal(change(m, "a", "slices/coroutine")->side[MODEL_NEW].units, 20);
	model_free(m);
}

static void what_is_lighter_is_less(void **state)
{
	struct model *m = compared(RECORDED(SORT(1, 30, UNIT, 100), SORT(2, 30, UNIT, 100)),
				   RECORDED(SORT(1, 30, 9000, 100), SORT(2, 30, UNIT, 100)));

	(void)state;
	assert_only(m, "a");
	assert_verdict(m, "a", "instructions/slice", MODEL_VERDICT_LESS);
	assert_float_equal(change(m, "a", "instructions/slice")->change, -0.1, 0.001);
	model_free(m);
}

static void a_recording_has_not_changed_from_itself(void **state)
{
	struct model *m =
		compared(RECORDED(SORT(1, 30, UNIT, 500)), RECORDED(SORT(1, 30, UNIT, 500)));

	(void)state;
	assert_verdict(m, "a", "instructions/slice", MODEL_VERDICT_NOISE);
	assert_float_equal(change(m, "a", "instructions/slice")->change, 0, 0);
	assert_float_equal(change(m, "a", "instructions/slice")->p, 1, 0);
	model_free(m);
}

/* 5 % are nothing where coroutines differ by half. */
static void less_than_coroutines_differ_is_noise(void **state)
{
	struct model *m = compared(RECORDED(SORT(1, 30, UNIT, 5000)),
				   RECORDED(SORT(1, 30, 10500, 5000)));

	(void)state;
	assert_verdict(m, "a", "instructions/slice", MODEL_VERDICT_NOISE);
	assert_float_equal(change(m, "a", "instructions/slice")->change, 0.05, 0.005);
	model_free(m);
}

static void too_little_is_small_however_sure(void **state)
{
	struct model *m = compared(RECORDED(SORT(1, 50, UNIT, 3)), RECORDED(SORT(1, 50, 10080, 3)));
	const struct model_change *c = change(m, "a", "instructions/slice");

	(void)state;
	assert_int_equal(c->verdict, MODEL_VERDICT_SMALL);
	assert_true(c->p < 1e-6);
	model_free(m);
}

/* The sum grows for a few, while most shrink. */
static void a_few_against_most_are_mixed(void **state)
{
	struct model *m = compared(RECORDED(SORT(1, 40, UNIT, 100)),
				   RECORDED({ 1, 40, 9000, 100, 4 }));

	(void)state;
	assert_verdict(m, "a", "instructions/slice", MODEL_VERDICT_MIXED);
	assert_true(change(m, "a", "instructions/slice")->change > 0.5);
	model_free(m);
}

/* One that is far off moves the mean by 9 %; all others have changed by a hair. */
static void one_far_off_is_no_change(void **state)
{
	struct model *m = compared(RECORDED({ 1, 20, UNIT, 2, 1 }), RECORDED({ 1, 40, 10010, 2, 1 }));
	struct gate gate;
	bool met = false;
	struct error err;

	(void)state;
	assert_true(change(m, "a", "instructions/slice")->change < -0.1);
	assert_verdict(m, "a", "instructions/slice", MODEL_VERDICT_SMALL);
	assert_float_equal(change(m, "a", "instructions/slice")->typical, 0.001, 0.0005);
	assert_int_equal(gate_parse(&gate, "instructions/slice < -5%", &err), 0);
	assert_int_equal(gate_check(&gate, m, &met, NULL, &err), 0);
	assert_false(met);
	model_free(m);
}

static struct model *with_metric(struct model *m, const struct metric *metric)
{
	m->metrics = metric;
	m->nr_metrics = 1;
	return m;
}

static void a_metric_is_compared_as_a_ratio_is(void **state)
{
	struct metric metric;
	struct error err;
	struct model *m;

	(void)state;
	assert_int_equal(metric_parse(&metric, "ns/kI = 1000*running/instructions", &err), 0);
	m = compared(with_metric(RECORDED(SORT(1, 30, UNIT, 5)), &metric),
		     with_metric(RECORDED(SORT(1, 30, 20000, 5)), &metric));
	assert_float_equal(change(m, "a", "ns/kI")->side[MODEL_OLD].value, 1000, 1);
	assert_float_equal(change(m, "a", "ns/kI")->change, 0, 1e-9);
	assert_verdict(m, "a", "ns/kI", MODEL_VERDICT_NONE);
	model_free(m);
	metric_free(&metric);
	assert_int_equal(metric_parse(&metric, "double = 2*instructions/slices", &err), 0);
	m = compared(with_metric(RECORDED(SORT(1, 30, UNIT, 5)), &metric),
		     with_metric(RECORDED(SORT(1, 30, 15000, 5)), &metric));
	assert_float_equal(change(m, "a", "double")->change, 0.5, 0.001);
	assert_verdict(m, "a", "double", MODEL_VERDICT_MORE);
	model_free(m);
	metric_free(&metric);
}

static void too_few_coroutines_have_no_verdict(void **state)
{
	struct model *m = compared(RECORDED(SORT(1, 3, UNIT, 5), SORT(2, 30, UNIT, 5)),
				   RECORDED(SORT(1, 3, 20000, 5), SORT(2, 30, UNIT, 5)));
	const struct model_change *c = change(m, "a", "instructions/slice");

	(void)state;
	assert_int_equal(c->verdict, MODEL_VERDICT_NONE);
	assert_string_equal(c->why, "too few coroutines");
	assert_true(c->p < 0);
	assert_float_equal(c->change, 1, 0.001);
	/* Nor do they weigh on what is tested. */
	assert_verdict(m, "b", "instructions/slice", MODEL_VERDICT_NOISE);
	assert_of_one_run(m, "a", "p99");
	model_free(m);
}

static void what_one_recording_has_is_reported_once(void **state)
{
	struct model *m = compared(RECORDED(SORT(1, 20, UNIT, 5)), RECORDED(SORT(2, 20, UNIT, 5)));

	(void)state;
	assert_int_equal(m->nr_changes, 2);
	assert_verdict(m, "b", "running/slice", MODEL_VERDICT_ADDED);
	assert_verdict(m, "a", "running/slice", MODEL_VERDICT_GONE);
	assert_int_equal(change(m, "a", "running/slice")->side[MODEL_NEW].standing, STANDING_NONE);
	assert_true(change(m, "a", "running/slice")->standing >= STANDING_NA);
	model_free(m);
}

/* ------------------------------------------------------------------------
 * standing
 */

static void nothing_differs_from_what_is_not_known(void **state)
{
	const struct coroprof_counter_state states[] = {
		{ .counter = cycles }, { .counter = instructions, .error = EOPNOTSUPP },
	};
	struct gen *g = begin();
	const struct model_change *c;
	struct model *old, *m;

	(void)state;
	gen_channel(g, 2, 1, 202, "other", now, states, 2);
	for (int i = 0; i < 20; i++, now += UNIT)
		SLICE(g, 2, next_id++, now, now + UNIT, .label = 1, .count = { UNIT },
		      .standing = 0x3);
	old = load(g);
	m = compared(old, RECORDED(SORT(1, 20, UNIT, 5)));
	c = change(m, "a", "instructions/slice");
	assert_int_equal(c->side[MODEL_OLD].standing, STANDING_UNSUPPORTED);
	assert_int_equal(c->side[MODEL_NEW].standing, STANDING_COUNTED);
	assert_true(c->standing >= STANDING_NA);
	assert_int_equal(c->verdict, MODEL_VERDICT_NONE);
	assert_string_equal(c->why, "not known of both recordings");
	model_free(m);
}

static void estimates_make_estimates(void **state)
{
	struct gen *g = begin();
	struct model *new, *m;

	(void)state;
	for (int i = 0; i < 20; i++, now += UNIT)
		SLICE(g, 1, next_id++, now, now + UNIT, .label = 1, .count = { UNIT, UNIT / 2 },
		      .standing = 0xb, .missing_ns = { 0, UNIT / 2 });
	new = load(g);
	m = compared(RECORDED(SORT(1, 20, UNIT, 0)), new);
	assert_int_equal(change(m, "a", "instructions/slice")->standing, STANDING_SCALED);
	assert_float_equal(change(m, "a", "instructions/slice")->change, 0, 1e-9);
	assert_int_equal(change(m, "a", "cycles/slice")->standing, STANDING_COUNTED);
	model_free(m);
}

/* What is left is a mean of what was seen. */
static void lost_slices_make_estimates(void **state)
{
	struct gen *g = begin();
	struct model *new, *m;

	(void)state;
	put_coroutines(g, 1, &(struct sort){ 1, 20, UNIT, 0, 0 });
	gen_lost(g, 1, now, 5, true);
	new = load(g);
	m = compared(RECORDED(SORT(1, 20, UNIT, 0)), new);
	assert_int_equal(change(m, "a", "running/slice")->standing, STANDING_SCALED);
	assert_float_equal(change(m, "a", "running/slice")->change, 0, 1e-9);
	model_free(m);
}

/* ------------------------------------------------------------------------
 * spans, functions, trees, facts
 */

static struct model *with_calls(uint64_t running, int calls, const char *kernel)
{
	struct gen *g = begin();
	uint64_t first = now;

	gen_info(g, "sample_event", "cycles");
	gen_info(g, "kernel", kernel);
	for (int i = 0; i < calls; i++, now += UNIT) {
		/* b in b: one of them is outermost. */
		gen_span(g, 1, &(struct gen_span){ .id = 1, .label = 2, .time = now + running,
			 .duration = running / 2, .running_ns = running / 2, .depth = 1 });
		gen_span(g, 1, &(struct gen_span){ .id = 1, .label = 2, .time = now + running,
			 .duration = running, .running_ns = running });
		SLICE(g, 1, 1, now, now + UNIT, .label = 1, .count = { UNIT, UNIT });
		for (uint64_t s = 0; s < running / 1000; s++)
			gen_sample(g, 1, &(struct gen_sample){ .time = first + 1, .id = 1, .label = 1,
				   .address = { 0x1000 } });
	}
	return to_compare(g);
}

/* Calls that are all alike, of which the first may have been lost. */
static struct model *with_lost_calls(int calls, bool lost)
{
	struct gen *g = begin();

	if (lost)
		gen_lost_spans(g, 1, now, 1);
	for (int i = 0; i < calls; i++, now += UNIT) {
		gen_span(g, 1, &(struct gen_span){ .id = 1, .label = 2, .time = now + UNIT,
			 .duration = UNIT / 2, .running_ns = UNIT / 2, .count = { UNIT, UNIT } });
		SLICE(g, 1, 1, now, now + UNIT, .label = 1, .count = { UNIT, UNIT });
	}
	return to_compare(g);
}

static void lost_spans_make_estimates(void **state)
{
	static const char *const figures[] = {
		"own_running/call", "running/call", "own_wall/call", "wall/call", "own_instructions/call",
		"instructions/call",
	};

	(void)state;
	for (int lost = 0; lost < 2; lost++) {
		struct model *m = compared(with_lost_calls(10, lost), with_lost_calls(20, false));

		for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
			const struct model_change *c = find(m, "b", "a", figures[i]);

			assert_int_equal(c->standing, lost ? STANDING_SCALED : STANDING_COUNTED);
			assert_float_equal(c->change, 0, 1e-9);
		}
		model_free(m);
	}
}

static const struct model_change_node *node(const struct model *m, bool samples, const char *name,
					    const char *parent)
{
	for (uint32_t i = 0; i < m->nr_change_nodes; i++) {
		const struct model_change_node *n = &m->change_nodes[i];
		const char *in = n->parent == MODEL_NONE ? "" : m->change_nodes[n->parent].name;

		if (n->samples == samples && !strcmp(n->name, name) && !strcmp(in, parent))
			return n;
	}
	fail_msg("no node %s in '%s'", name, parent);
	return NULL;
}

static void spans_are_compared_by_call_and_functions_by_slice(void **state)
{
	struct model *m = compared(with_calls(4000, 10, "6.1"), with_calls(6000, 20, "6.1"));
	const struct model_change *own = find(m, "b", "a", "own_running/call");
	const struct model_change *total = find(m, "b", "a", "running/call");
	const struct model_change *samples = find(m, "[unknown]", "a", "own/slice");

	(void)state;
	assert_non_null(own);
	assert_float_equal(own->side[MODEL_OLD].value, 2000, 0);
	assert_float_equal(own->side[MODEL_NEW].value, 3000, 0);
	assert_float_equal(own->side[MODEL_NEW].times, 40, 0);
	assert_float_equal(own->change, 0.5, 1e-9);
	assert_int_equal(own->verdict, MODEL_VERDICT_NONE);
	assert_non_null(total);
	assert_float_equal(total->side[MODEL_OLD].value, 4000, 0);
	assert_float_equal(total->side[MODEL_NEW].times, 20, 0);
	assert_non_null(samples);
	assert_int_equal(samples->of, MODEL_OF_FUNCTION);
	assert_float_equal(samples->side[MODEL_OLD].value, 4, 0);
	assert_float_equal(samples->side[MODEL_NEW].value, 6, 0);
	model_free(m);
}

static void trees_of_both_are_one(void **state)
{
	struct model *m = compared(with_calls(4000, 10, "6.1"), with_calls(6000, 20, "6.1"));
	const struct model_change_node *inner = node(m, false, "b", "b");
	const struct model_change_node *root = node(m, true, "a", "");

	(void)state;
	assert_int_equal(inner->total[MODEL_OLD], 20000);
	assert_int_equal(inner->total[MODEL_NEW], 60000);
	assert_int_equal(node(m, false, "a", "")->total[MODEL_NEW], 120000);
	assert_int_equal(node(m, false, "b", "a")->own[MODEL_NEW], 60000);
	assert_int_equal(root->total[MODEL_OLD], 40);
	assert_int_equal(root->total[MODEL_NEW], 120);
	assert_int_equal(root->slices[MODEL_OLD], 10);
	assert_int_equal(inner->slices[MODEL_NEW], 20);
	model_free(m);
}

static void what_else_differs_is_reported(void **state)
{
	struct model *m = compared(with_calls(4000, 1, "6.1"), with_calls(4000, 1, "6.12"));
	unsigned int differ = 0;

	(void)state;
	for (uint32_t i = 0; i < m->nr_metadata; i++) {
		if (!m->metadata[i].matters || !model_metadata_differs(&m->metadata[i]))
			continue;
		assert_string_equal(m->metadata[i].name, "kernel");
		assert_string_equal(m->metadata[i].text[MODEL_NEW], "6.12");
		differ++;
	}
	assert_int_equal(differ, 1);
	model_free(m);
}

static const char *fact(const struct model *m, const char *name)
{
	for (uint32_t i = 0; i < m->nr_metadata; i++)
		if (!strcmp(m->metadata[i].name, name))
			return m->metadata[i].text[MODEL_NEW];
	fail_msg("nothing is told of %s", name);
	return NULL;
}

/* A file may have samples, and not say how they were taken. */
static struct model *with_sample(const char *frequency)
{
	struct gen *g = begin();

	if (frequency) {
		gen_info(g, "sample_event", "cycles");
		gen_info(g, "sample_frequency", frequency);
	}
	put_coroutines(g, 1, &(struct sort){ 1, 1, UNIT, 0, 0 });
	gen_sample(g, 1, &(struct gen_sample){ .time = now - 1, .id = 1, .label = 1,
					       .address = { 0x1000 } });
	return to_compare(g);
}

static void samples_are_reported_as_far_as_they_are_known(void **state)
{
	struct model *m = compared(RECORDED(SORT(1, 1, UNIT, 0)), with_sample(NULL));

	(void)state;
	assert_string_equal(fact(m, "samples"), "taken, of n/a, how often n/a");
	model_free(m);
	m = compared(with_sample(NULL), with_sample("99"));
	assert_string_equal(fact(m, "samples"), "of cycles, 99 a second");
	model_free(m);
}

static void what_is_not_known_of_one_differs_in_nothing(void **state)
{
	static const struct model_metadata is[] = {
		{ .name = "one", .text = { NULL, (char *)"x" } },
		{ .name = "other", .text = { (char *)"x", NULL } },
		{ .name = "same", .text = { (char *)"x", (char *)"x" } },
	};
	const struct model_metadata differs = { .text = { (char *)"x", (char *)"y" } };

	(void)state;
	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++)
		if (model_metadata_differs(&is[i]))
			fail_msg("%s", is[i].name);
	assert_true(model_metadata_differs(&differs));
}

static struct model *with_cpus(const char *cpus)
{
	struct gen *g = begin();

	gen_info(g, "cpus", cpus);
	put_coroutines(g, 1, &(struct sort){ 1, 1, UNIT, 0, 0 });
	return to_compare(g);
}

static void processors_are_counted_in_words(void **state)
{
	static const char *const want[][2] = {
		{ "0", "x86_64, number of CPUs n/a, PMU" }, { "1", "x86_64, 1 CPU, PMU" },
		{ "2", "x86_64, 2 CPUs, PMU" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct model *m = compared(with_cpus("4"), with_cpus(want[i][0]));

		assert_says(fact(m, "machine"), want[i][1]);
		model_free(m);
	}
}

/* ------------------------------------------------------------------------
 * conditions
 */

static void conditions_say_what_they_look_like(void **state)
{
	static const char *const bad[] = {
		"", "instructions/slice", "instructions/slice >", "instructions/slice > 5%",
		"instructions/slice > -5%", "instructions/slice < +5%", "> +5%",
		"instructions/slice > +5", "instructions/slice > +x%", "instructions/slice > +5% x",
		"instructions/slice = +5%", "instructions/slice > +inf%",
	};
	struct error err;
	struct gate gate;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (gate_parse(&gate, bad[i], &err) != -EINVAL)
			fail_msg("'%s' is taken for a condition", bad[i]);
		assert_says(err.message, "FIGURE > +N% or FIGURE < -N%, such as 'instructions/slice > +5%'");
	}
	assert_int_equal(gate_parse(&gate, " instructions/slice>+2.5 %", &err), 0);
	assert_float_equal(gate.limit, 0.025, 1e-12);
	assert_false(gate.less);
	assert_int_equal(gate_parse(&gate, "ipc < -10%", &err), 0);
	assert_float_equal(gate.limit, -0.1, 1e-12);
	assert_true(gate.less);
}

static char told[4096];

static void keep(const char *text)
{
	strncat(told, text, sizeof(told) - strlen(told) - 2);
	strcat(told, "\n");
}

/* 1: met, 0: not, -1: nothing is known. */
static int checked(const struct model *m, const char *text, struct error *err)
{
	struct gate gate;
	bool met = false;

	told[0] = 0;
	assert_int_equal(gate_parse(&gate, text, err), 0);
	return gate_check(&gate, m, &met, keep, err) ? -1 : met;
}

static void conditions_hold_beyond_noise_alone(void **state)
{
	struct model *m = compared(RECORDED(SORT(1, 30, UNIT, 5000), SORT(2, 30, UNIT, 50)),
				   RECORDED(SORT(1, 30, 10800, 5000), SORT(2, 30, 11000, 50)));
	struct error err;

	(void)state;
	assert_int_equal(checked(m, "instructions/slice > +5%", &err), 1);
	assert_says(told, "label b: instructions/slice was 10.0 k, is 11.0 k (+10.0 %), beyond noise");
	assert_says(told, "'instructions/slice > +5%' is met");
	assert_null(strstr(told, "label a"));
	assert_int_equal(checked(m, "instructions/slice > +11%", &err), 0);
	assert_string_equal(told, "");
	assert_int_equal(checked(m, "instructions/slice < -1%", &err), 0);
	model_free(m);
}

static void conditions_on_what_is_not_known_fail(void **state)
{
	struct model *m = compared(RECORDED(SORT(1, 3, UNIT, 5), SORT(2, 30, UNIT, 5)),
				   RECORDED(SORT(1, 3, 20000, 5), SORT(2, 30, UNIT, 5)));
	struct error err;

	(void)state;
	assert_int_equal(checked(m, "instructions/slice > +5%", &err), 0);
	assert_says(told, "label a: instructions/slice was 10.0 k, is 20.0 k (+100.0 %), which is not held against 'instructions/slice > +5%': too few coroutines");
	assert_int_equal(checked(m, "nix/slice > +5%", &err), -1);
	assert_says(err.message, "no label, span or function has nix/slice in both recordings; there are verdicts on: instructions/slice");
	model_free(m);
	m = compared(RECORDED(SORT(1, 3, UNIT, 5)), RECORDED(SORT(1, 3, 20000, 5)));
	assert_int_equal(checked(m, "p99 > +5%", &err), -1);
	assert_says(err.message, "no verdict on p99 can be given for any label, span or function (can't tell from one run each");
	model_free(m);
}

/* However weak a test of it would be: what is the same is neither more nor less. */
static void conditions_on_what_is_the_same_are_not_met(void **state)
{
	struct model *m = compared(RECORDED(SORT(1, 30, UNIT, 0)), RECORDED(SORT(1, 30, UNIT, 0)));
	struct error err;

	(void)state;
	assert_verdict(m, "a", "p99", MODEL_VERDICT_NONE);
	assert_string_equal(change(m, "a", "p99")->why, "the same in both");
	assert_int_equal(checked(m, "p99(slice) > +10%", &err), 0);
	assert_int_equal(checked(m, "p99 > +0%", &err), 0);
	assert_int_equal(checked(m, "p99 < -0%", &err), 0);
	assert_string_equal(told, "");
	model_free(m);
}

/* ------------------------------------------------------------------------
 * spans, functions and quantiles
 */

#define REQUESTS	400
#define STAYS		3	/* slices of each */
#define SAMPLE_NS	500	/* one each */

/* Numbers of labels and spans, and where what samples are in is mapped. */
enum { OF_A = 1, OF_B, SPAN_A, SPAN_B };
static const uint64_t mapped[] = { 0x100000, 0x200000, 0x300000 };
static const char *const objects[] = { "/none/one.so", "/none/two.so", "/none/heavy.so" };

static uint64_t state_of_chance;

/* 0 up to 1. */
static double chance(void)
{
	state_of_chance ^= state_of_chance << 13;
	state_of_chance ^= state_of_chance >> 7;
	state_of_chance ^= state_of_chance << 17;
	return (double)(state_of_chance >> 11) / (double)(1ULL << 53);
}

static void put_maps(struct gen *g)
{
	for (unsigned int i = 0; i < 3; i++) {
		struct {
			struct cprof_maps head;
			struct cprof_map map;
			char path[16];
		} list = {
			.head = { .process_id = 1, .pid = 100 },
			.map = { .start = mapped[i], .end = mapped[i] + 4096 },
		};

		strcpy(list.path, objects[i]);
		list.map.path_len = (uint16_t)strlen(objects[i]);
		list.map.size = sizeof(list.map) + sizeof(list.path);
		gen_segment(g, CPROF_SEGMENT_MAPS, &list, sizeof(list.head) + list.map.size);
	}
}

/* Samples of some of a slice, all in one function: by chance, as many as it is long. */
static void put_samples(struct gen *g, uint32_t label, unsigned int in, uint64_t begin, double ns)
{
	for (double at = -SAMPLE_NS * log(1 - chance()); at < ns;
	     at += -SAMPLE_NS * log(1 - chance()))
		gen_sample(g, 1, &(struct gen_sample){
			.time = begin + (uint64_t)at, .id = next_id, .label = label,
			.address = { mapped[in] + 1 },
		});
}

/* A slice in a span: so much in each of three functions. Some coroutines have more than others. */
static void put_stay(struct gen *g, uint32_t label, const double work[3], unsigned int nr)
{
	uint64_t woken = now + 100 + (uint64_t)(1000 * chance());
	uint64_t begin = woken + 50 + (uint64_t)(-500 * log(1 - chance())), end = begin;

	for (unsigned int i = 0; i < 3; i++) {
		put_samples(g, label, i, end, work[i]);
		end += (uint64_t)work[i];
	}
	gen_span(g, 1, &(struct gen_span){
		.id = next_id, .label = label + 2, .time = end - 1, .duration = end - begin - 1,
		.running_ns = end - begin - 1,
	});
	SLICE(g, 1, next_id, begin, end, .label = label, .count = { end - begin, end - begin },
	      .wake_time = nr ? woken : 0,
	      .flags = !nr ? COROPROF_SLICE_FRESH : nr == STAYS - 1 ? COROPROF_SLICE_WOKEN |
		       COROPROF_SLICE_END : COROPROF_SLICE_WOKEN);
	now = end;
}

/* @heavier: b does so much more in the third function. */
static struct model *sampled(uint64_t seed, double heavier, const char *frequency)
{
	struct gen *g = begin();

	state_of_chance = 88172645463325252ULL + seed * 0x9e3779b97f4a7c15ULL;
	gen_info(g, "sample_event", "instructions");
	gen_info(g, "sample_frequency", frequency);
	gen_label(g, 1, SPAN_A, "parse", 5);
	gen_label(g, 1, SPAN_B, "render", 6);
	put_maps(g);
	for (int i = 0; i < 2 * REQUESTS; i++, next_id++) {
		uint32_t label = i % 2 ? OF_B : OF_A;
		double size = 3000 + 1000 * chance();

		for (unsigned int nr = 0; nr < STAYS; nr++) {
			double off = size + 300 * chance();
			double more = label == OF_B ? heavier * 3 * off : 0;

			put_stay(g, label, (double[]){ off, off, off + more }, nr);
		}
	}
	return to_compare(g);
}

static struct model *requests(uint64_t seed, double heavier)
{
	return sampled(seed, heavier, "2000000");
}

static bool has_changed(const struct model_change *c)
{
	return c->verdict != MODEL_VERDICT_NOISE && c->verdict != MODEL_VERDICT_NONE;
}

static void the_same_twice_has_not_changed(void **state)
{
	uint32_t tested[MODEL_OF_WAKER] = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct model *m = compared(requests(2 * seed, 0), requests(2 * seed + 1, 0));

		for (uint32_t i = 0; i < m->nr_changes; i++) {
			const struct model_change *c = &m->changes[i];

			if (has_changed(c))
				fail_msg("%s of %s: verdict %d, p %g", c->figure, c->name,
					 c->verdict, c->p);
			tested[c->of] += c->p >= 0;
		}
		model_free(m);
	}
	assert_true(tested[MODEL_OF_LABEL] && tested[MODEL_OF_FUNCTION]);
}

static void assert_more(const struct model *m, const char *name, const char *label,
			const char *figure)
{
	const struct model_change *c = find(m, name, label, figure);

	if (!c)
		fail_msg("%s has no %s", name, figure);
	if (c->verdict != MODEL_VERDICT_MORE)
		fail_msg("%s of %s: verdict %d, p %g", figure, name, c->verdict, c->p);
}

static void ten_percent_are_found_and_nothing_else(void **state)
{
	struct model *m = compared(requests(3, 0), requests(4, 0.1));
	struct error err;

	(void)state;
	assert_more(m, "b", NULL, "instructions/slice");
	assert_more(m, "b", NULL, "instructions/coroutine");
	assert_of_one_run(m, "b", "p50");
	assert_more(m, "[heavy.so]", "b", "own/slice");
	for (uint32_t i = 0; i < m->nr_changes; i++) {
		const struct model_change *c = &m->changes[i];
		bool of_b = !strcmp(c->label ? c->label : c->name, "b") ||
			    !strcmp(c->name, "render");

		if (has_changed(c) && (!of_b || !strcmp(c->name, "[one.so]") ||
				       !strcmp(c->name, "[two.so]") || strstr(c->figure, "ready") ||
				       strstr(c->figure, "awaiting")))
			fail_msg("%s of %s: verdict %d, p %g", c->figure, c->name, c->verdict,
				 c->p);
	}
	assert_int_equal(checked(m, "own/slice > +20%", &err), 1);
	assert_says(told, "function [heavy.so] in b: own/slice was");
	assert_null(strstr(told, "one.so"));
	assert_int_equal(checked(m, "p50(ready) > +5%", &err), -1);
	model_free(m);
}

/* ------------------------------------------------------------------------
 * counters and own figures of spans
 */

enum { SPAN_HANDLE = 5, SPAN_QUERY, SPAN_SEND };

/**
 * struct load_of - what a server does
 * @seed:     of chance
 * @heavier:  query takes so much more of the second counter in coroutines of b
 * @scaled:   the second counter was on the PMU half of the time
 */
struct load_of {
	uint64_t seed;
	double heavier;
	bool scaled;
};

/* What one call has of work: time, and both counters, which go with it but for chance. */
static struct gen_span some_work(double work, double heavier)
{
	double off = 1 + 0.1 * (chance() - 0.5);

	return (struct gen_span){
		.duration = (uint64_t)work, .running_ns = (uint64_t)(work * (1 - 0.05 * chance())),
		.count = { (uint64_t)(2 * work * off), (uint64_t)((1 + heavier) * 3 * work * off) },
	};
}

static void add_work(struct gen_span *to, const struct gen_span *of)
{
	to->duration += of->duration;
	to->running_ns += of->running_ns;
	for (unsigned int i = 0; i < 2; i++)
		to->count[i] += of->count[i];
}

static void put_span(struct gen *g, uint32_t label, uint32_t depth, uint64_t end,
		     struct gen_span span, const struct load_of *load)
{
	span.id = next_id;
	span.label = label;
	span.depth = depth;
	span.time = end;
	if (load->scaled) {
		span.standing = COROPROF_STANDING_COUNTED | COROPROF_STANDING_SCALED << 2;
		span.missing_ns[1] = span.running_ns / 2;
	}
	gen_span(g, 1, &span);
}

/* handle: some of its own, query twice, and send. */
static void put_call(struct gen *g, uint32_t of, double size, unsigned int nr,
		     const struct load_of *load)
{
	struct gen_span all = some_work(size, 0), part;
	uint64_t begin = now + 1000;

	for (unsigned int i = 0; i < 3; i++) {
		part = some_work(size / 2, i < 2 && of == OF_B ? load->heavier : 0);
		add_work(&all, &part);
		put_span(g, i < 2 ? SPAN_QUERY : SPAN_SEND, 1, begin + all.duration, part, load);
	}
	put_span(g, SPAN_HANDLE, 0, begin + all.duration, all, load);
	now = begin + all.duration + 10;
	gen_slice(g, 1, &(struct gen_slice){
		.id = next_id, .label = of, .time = now, .duration = now - begin,
		.count = { all.count[0] + 10, all.count[1] + 10 },
		.flags = !nr ? COROPROF_SLICE_FRESH : nr == STAYS - 1 ? COROPROF_SLICE_END : 0,
	});
}

static struct model *served(const struct load_of *load)
{
	struct gen *g = begin();

	state_of_chance = 88172645463325252ULL + load->seed * 0x9e3779b97f4a7c15ULL;
	gen_label(g, 1, SPAN_HANDLE, "handle", 6);
	gen_label(g, 1, SPAN_QUERY, "query", 5);
	gen_label(g, 1, SPAN_SEND, "send", 4);
	for (int i = 0; i < 2 * REQUESTS; i++, next_id++) {
		double size = 3000 + 1000 * chance();

		for (unsigned int nr = 0; nr < STAYS; nr++)
			put_call(g, i % 2 ? OF_B : OF_A, size, nr, load);
	}
	return to_compare(g);
}

#define SERVED(...)	served(&(struct load_of){ __VA_ARGS__ })

/*
 * One comparison in a hundred may say anything (NOISE_CHANCE): of 200 more than 5 do with
 * a chance of 2 %.
 */
static void the_same_load_seldom_has_changed(void **state)
{
	const uint64_t pairs = 200;
	uint32_t wrong = 0, tested = 0;

	(void)state;
	for (uint64_t pair = 1; pair <= pairs; pair++) {
		struct model *m = compared(SERVED(.seed = 2 * pair), SERVED(.seed = 2 * pair + 1));
		bool said = false;

		for (uint32_t i = 0; i < m->nr_changes; i++) {
			tested += m->changes[i].of == MODEL_OF_SPAN && m->changes[i].p >= 0;
			said |= has_changed(&m->changes[i]);
		}
		wrong += said;
		model_free(m);
	}
	/* Of each of three spans and two labels: own and total of what is no time. */
	assert_true(tested >= pairs * 3 * 2 * 2 * 9 / 10);
	print_message("# %u of %lu comparisons of the same load said that something has changed\n",
		      wrong, (unsigned long)pairs);
	assert_true(wrong <= 5);
}

/* What has it in it, has it too: the spans around it, and the label. */
static bool may_change(const struct model_change *c)
{
	bool counter = strstr(c->figure, "instructions") || !strcmp(c->figure, "ipc");

	if (c->of == MODEL_OF_LABEL)
		return counter && !strcmp(c->name, "b");
	return counter && c->label && !strcmp(c->label, "b") &&
	       (!strcmp(c->name, "query") ||
		(!strcmp(c->name, "handle") && strncmp(c->figure, "own_", 4) != 0));
}

static void ten_percent_of_a_counter_in_a_span_are_found_and_nothing_else(void **state)
{
	struct error err;

	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct model *m = compared(SERVED(.seed = 2 * seed),
					   SERVED(.seed = 2 * seed + 1, .heavier = 0.1));

		assert_more(m, "query", "b", "own_instructions/call");
		assert_more(m, "query", "b", "instructions/call");
		assert_float_equal(find(m, "query", "b", "own_instructions/call")->change, 0.1,
				   0.03);
		for (uint32_t i = 0; i < m->nr_changes; i++)
			if (has_changed(&m->changes[i]) && !may_change(&m->changes[i]))
				fail_msg("%s of %s in %s: p %g", m->changes[i].figure,
					 m->changes[i].name,
					 m->changes[i].label ? m->changes[i].label : "-",
					 m->changes[i].p);
		assert_int_equal(checked(m, "own_instructions/call > +5%", &err), 1);
		assert_says(told, "span query in b: own_instructions/call was");
		assert_null(strstr(told, "handle"));
		assert_null(strstr(told, " in a:"));
		assert_int_equal(checked(m, "own_running/call > +5%", &err), -1);
		model_free(m);
	}
}

/* A sum that was scaled says nothing of what one call had. */
static void estimates_of_spans_have_no_verdict(void **state)
{
	struct model *m = compared(SERVED(.seed = 1),
				   SERVED(.seed = 2, .heavier = 0.5, .scaled = true));
	const struct model_change *c = find(m, "query", "b", "own_instructions/call");
	struct error err;

	(void)state;
	assert_non_null(c);
	assert_int_equal(c->verdict, MODEL_VERDICT_NONE);
	assert_string_equal(c->why, "estimated for all calls together, not counted in each");
	assert_true(checked(m, "own_instructions/call > +5%", &err) < 0);
	assert_says(err.message, "estimated for all calls together");
	assert_says(find(m, "query", "b", "own_cycles/call")->why, "can't tell from one run each");
	model_free(m);
}

static void assert_no_verdict_on_samples(struct model *old, struct model *new, const char *why)
{
	struct model *m = compared(old, new);
	const struct model_change *c = find(m, "[heavy.so]", "b", "own/slice");
	struct error err;

	assert_non_null(c);
	assert_int_equal(c->verdict, MODEL_VERDICT_NONE);
	assert_string_equal(c->why, why);
	assert_true(checked(m, "own/slice > +20%", &err) < 0);
	assert_says(err.message, "no verdict on own/slice");
	assert_says(err.message, why);
	/* What is no sample has one. */
	assert_more(m, "b", NULL, "instructions/slice");
	model_free(m);
}

static void what_is_sampled_otherwise_has_no_verdict(void **state)
{
	static const char why[] = "not sampled alike in both recordings";
	struct model *lost = requests(4, 0.5);

	(void)state;
	assert_no_verdict_on_samples(requests(3, 0), sampled(4, 0.5, "1000000"), why);
	assert_no_verdict_on_samples(sampled(3, 0, "0"), sampled(4, 0.5, "0"), why);
	lost->lost_samples = 1;
	assert_no_verdict_on_samples(requests(3, 0), lost, "samples were lost");
}

/* As many as some recordings have: the message names a part of them, and says so. */
static void names_as_many_figures_as_there_is_room_for(void **state)
{
	struct model *m =
		compared(RECORDED(SORT(1, 30, UNIT, 100)), RECORDED(SORT(1, 30, UNIT, 100)));
	struct error err;
	char *figure;

	(void)state;
	for (uint32_t i = 0; i < m->nr_changes; i++) {
		assert_true(asprintf(&figure, "%s_of_a_counter_whose_name_is_as_long_as_those_that_vendors_give_to_events_of_caches_%u",
				     m->changes[i].figure, i) > 0);
		free(m->changes[i].figure);
		m->changes[i].figure = figure;
		m->changes[i].p = 1;
	}
	assert_true(checked(m, "nix > +5%", &err) < 0);
	assert_says(err.message, "there are verdicts on: running/slice_of");
	assert_says(err.message, ", ...");
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_drift_explains_is_not_known_from_one_run_each),
		cmocka_unit_test(what_is_heavier_is_named_and_nothing_else),
		cmocka_unit_test(more_slices_are_more_of_each_coroutine),
		cmocka_unit_test(what_is_lighter_is_less),
		cmocka_unit_test(a_recording_has_not_changed_from_itself),
		cmocka_unit_test(less_than_coroutines_differ_is_noise),
		cmocka_unit_test(too_little_is_small_however_sure),
		cmocka_unit_test(a_few_against_most_are_mixed),
		cmocka_unit_test(one_far_off_is_no_change),
		cmocka_unit_test(a_metric_is_compared_as_a_ratio_is),
		cmocka_unit_test(too_few_coroutines_have_no_verdict),
		cmocka_unit_test(what_one_recording_has_is_reported_once),
		cmocka_unit_test(nothing_differs_from_what_is_not_known),
		cmocka_unit_test(estimates_make_estimates),
		cmocka_unit_test(lost_slices_make_estimates),
		cmocka_unit_test(lost_spans_make_estimates),
		cmocka_unit_test(spans_are_compared_by_call_and_functions_by_slice),
		cmocka_unit_test(trees_of_both_are_one),
		cmocka_unit_test(what_else_differs_is_reported),
		cmocka_unit_test(samples_are_reported_as_far_as_they_are_known),
		cmocka_unit_test(what_is_not_known_of_one_differs_in_nothing),
		cmocka_unit_test(processors_are_counted_in_words),
		cmocka_unit_test(conditions_say_what_they_look_like),
		cmocka_unit_test(conditions_hold_beyond_noise_alone),
		cmocka_unit_test(conditions_on_what_is_not_known_fail),
		cmocka_unit_test(conditions_on_what_is_the_same_are_not_met),
		cmocka_unit_test(the_same_twice_has_not_changed),
		cmocka_unit_test(ten_percent_are_found_and_nothing_else),
		cmocka_unit_test(the_same_load_seldom_has_changed),
		cmocka_unit_test(ten_percent_of_a_counter_in_a_span_are_found_and_nothing_else),
		cmocka_unit_test(estimates_of_spans_have_no_verdict),
		cmocka_unit_test(what_is_sampled_otherwise_has_no_verdict),
		cmocka_unit_test(names_as_many_figures_as_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
