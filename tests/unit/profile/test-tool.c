// SPDX-License-Identifier: GPL-2.0
/*
 * What coroprof itself ran in a program is in the sums of threads, which are all that a
 * thread did, and in no sum, count or list of the program.
 */
#include "gen/recording.h"

#define TOOL	3u
#define BASE	0x400000

/* Beside two slices of a coroutine, three of the tool, of which two are alike, and wait. */
static struct model *with_tool(bool used)
{
	const uint32_t of = used ? TOOL : 2;
	struct gen *g = begin_recording();

	gen_label(g, 1, TOOL, MODEL_NAMING, strlen(MODEL_NAMING));
	channel(g, 1, 1000);
	SLICE(g, 1, THREAD(1), 1000, 1100, .count = { 10, 20 });
	SLICE(g, 1, 50, 1100, 1150, .label = of, .count = { 100, 70 },
	      .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, 10, 1150, 1200, .label = 1, .count = { 300, 600 },
	      .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, THREAD(1), 1200, 1200);
	SLICE(g, 1, 50, 1200, 1270, .label = of, .count = { 100, 70 });
	SLICE(g, 1, 10, 1270, 1300, .label = 1, .count = { 300, 600 }, .blocked_ns = 5,
	      .nr_blocked = 1, .flags = COROPROF_SLICE_END);
	SLICE(g, 1, 50, 1300, 1400, .label = of, .count = { 100, 70 }, .wake_time = 1290,
	      .waker = 10, .flags = COROPROF_SLICE_END);
	return load(g);
}

static void leaves_the_tool_out_of_all_sums_of_the_program(void **state)
{
	struct model *m = with_tool(true);

	(void)state;
	assert_int_equal(m->times.slices, 4);
	assert_int_equal(m->times.running_ns, 100 + 50 + 30 - 5);
	assert_int_equal(m->times.blocked_ns, 5);
	assert_int_equal(m->times.suspended_ns, 1270 - 1200);
	assert_int_equal(m->times.gaps, 1);
	assert_int_equal(model_total_value(m, 0).count, 10 + 2 * 300);
	assert_int_equal(m->nr_coroutines_total, 1);
	assert_int_equal(m->processes[0].coroutines, 1);
	assert_int_equal(m->nr_wakes, 0);
	for (uint32_t i = 0; i < m->nr_longest; i++)
		assert_int_not_equal(m->longest[i].label, label_row(m, 1, MODEL_NAMING));
	model_free(m);
}

static void shows_the_tool_as_its_own(void **state)
{
	struct model *m = with_tool(true);
	const struct model_label *l = label(m, MODEL_NAMING);
	const struct model_coroutine *c = coroutine(m, 1, 50);

	(void)state;
	assert_int_equal(l->kind, MODEL_LABEL_TOOL);
	assert_int_equal(l->times.running_ns, 50 + 70 + 100);
	assert_int_equal(l->times.slices, 3);
	assert_int_equal(l->times.gaps + l->times.unseen_gaps, 0);
	for (unsigned int i = 0; i < MODEL_LATENCY_NR; i++)
		assert_int_equal(!!l->histograms[i], i == MODEL_LATENCY_RUNNING);
	assert_int_equal(c->times.gaps + c->times.unseen_gaps, 0);
	assert_true(c->flags & MODEL_COROUTINE_TOOL);
	assert_false(coroutine(m, 1, 10)->flags & (MODEL_COROUTINE_TOOL | MODEL_COROUTINE_THREAD));
	assert_true(m->naming.ns == 220);
	model_free(m);
}

/* It wakes a coroutine of the program, in its first slice and in a later one. */
static void names_the_tool_as_no_waker(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	gen_label(g, 1, TOOL, MODEL_NAMING, strlen(MODEL_NAMING));
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1100, .label = 1, .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, 50, 1100, 1200, .label = TOOL, .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, 10, 1200, 1300, .label = 1, .wake_time = 1150, .waker = 50);
	SLICE(g, 1, 50, 1300, 1400, .label = TOOL);
	SLICE(g, 1, 10, 1400, 1500, .label = 1, .wake_time = 1350, .waker = 50);
	m = load(g);
	assert_int_equal(m->nr_wakes, 1);
	assert_int_equal(m->wakes[0].waker, MODEL_NONE);
	assert_int_equal(m->wakes[0].count, 2);
	for (uint32_t i = 0; i < m->nr_timeline; i++)
		assert_true(!m->timeline[i].waker && m->timeline[i].waker_coroutine == MODEL_NONE);
	for (uint32_t i = 0; i < m->nr_longest; i++)
		assert_true(!m->longest[i].waker && m->longest[i].waker_coroutine == MODEL_NONE);
	model_free(m);
}

/* Samples taken in it are of its thread. */
static void has_no_samples_of_the_tool_in_those_of_the_program(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;
	uint64_t own = 0;

	(void)state;
	gen_info(g, "sample_event", "cycles");
	gen_info(g, "sample_period", "1000");
	gen_label(g, 1, TOOL, MODEL_NAMING, strlen(MODEL_NAMING));
	map_object(g, "/nonexistent/prog", BASE);
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 2000, .label = 1, .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, 50, 2000, 3000, .label = TOOL, .flags = COROPROF_SLICE_FRESH);
	for (uint64_t time = 1100; time < 2900; time += 400)
		gen_sample(g, 1, &(struct gen_sample){
			.id = time < 2000 ? 10 : 50, .label = time < 2000 ? 1 : TOOL,
			.time = time, .address = { BASE + 5 },
		});
	m = load(g);
	assert_int_equal(m->channels[0].samples, 5);
	assert_int_equal(label(m, MODEL_NAMING)->samples, 2);
	assert_int_equal(m->samples, 3);
	assert_int_equal(m->nr_timeline_samples, 3);
	for (uint32_t i = 0; i < m->nr_sample_nodes; i++) {
		assert_int_equal(m->sample_nodes[i].label, label_row(m, 1, "a"));
		own += m->sample_nodes[i].own;
	}
	assert_int_equal(own, 3);
	for (uint32_t i = 0; i < m->nr_frames; i++)
		assert_true(m->frames[i].total <= 3);
	model_free(m);
}

/* As if a coroutine of the program had run the same. */
static void has_the_tool_in_the_sums_of_its_thread(void **state)
{
	struct model *m = with_tool(true), *same = with_tool(false);

	(void)state;
	assert_int_equal(m->channels[0].tool_ns, 220);
	assert_int_equal(same->channels[0].tool_ns, 0);
	assert_int_equal(m->channels[0].times.running_ns, same->channels[0].times.running_ns);
	assert_int_equal(m->channels[0].times.running_ns, m->times.running_ns + 220);
	assert_int_equal(m->channels[0].check, same->channels[0].check);
	assert_int_equal(m->failed_checks, 0);
	for (uint32_t i = 0; i < m->nr_counters; i++)
		assert_int_equal(model_channel_value(m, 0, i).count,
				 model_channel_value(same, 0, i).count);
	assert_int_equal(same->nr_coroutines_total, 2);
	assert_int_equal(same->times.slices, 7);
	model_free(m);
	model_free(same);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_the_tool_out_of_all_sums_of_the_program),
		cmocka_unit_test(shows_the_tool_as_its_own),
		cmocka_unit_test(has_the_tool_in_the_sums_of_its_thread),
		cmocka_unit_test(names_the_tool_as_no_waker),
		cmocka_unit_test(has_no_samples_of_the_tool_in_those_of_the_program),
	};

	return cmocka_run_group_tests_name("tool", tests, NULL, NULL);
}
