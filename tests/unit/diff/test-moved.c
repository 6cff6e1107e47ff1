// SPDX-License-Identifier: GPL-2.0
/* Names of which the line moved are paired where there is one candidate, and else said. */
#include "diff/diff.h"
#include "diff/gate.h"
#include "diff/moved.h"
#include "gen/recording.h"

/* Labels of which each has twenty coroutines, of so much work for each. */
struct moved {
	const char *name;
	uint32_t work;
};

static struct model *made(const struct moved *labels)
{
	struct gen *g = begin_file();
	uint64_t now = 1000000, id = 1;

	gen_counter(g, &cycles, "cycles");
	gen_counter(g, &instructions, "instructions");
	gen_process(g, 1, 77, "server", now);
	channel(g, 1, now);
	for (uint32_t i = 0; labels[i].name; i++) {
		gen_label(g, 1, i + 1, labels[i].name, (uint32_t)strlen(labels[i].name));
		for (uint32_t k = 0; k < 20; k++, id++) {
			uint64_t end = now + labels[i].work + k;

			SLICE(g, 1, id, now, end, .label = i + 1, .count = { 2 * (end - now), end - now },
			      .flags = COROPROF_SLICE_FRESH | COROPROF_SLICE_END);
			now = end;
		}
	}
	return load(g);
}

#define LABELS(...)	((const struct moved[]){ __VA_ARGS__, { 0 } })

static struct model *compared(const struct moved *old, const struct moved *new)
{
	struct model *one = made(old), *other = made(new);
	struct error err;

	if (diff_models(other, one, NULL, 0, &err))
		fail_msg("%s", err.message);
	model_free(one);
	return other;
}

static uint32_t count(const struct model *m, enum model_verdict verdict)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < m->nr_changes; i++)
		nr += m->changes[i].verdict == verdict;
	return nr;
}

static void assert_metadata(const struct model *m, const char *name, const char *old,
			    const char *new)
{
	for (uint32_t i = 0; i < m->nr_metadata; i++)
		if (!strcmp(m->metadata[i].name, name)) {
			assert_string_equal(m->metadata[i].text[MODEL_OLD], old);
			assert_string_equal(m->metadata[i].text[MODEL_NEW], new);
			return;
		}
	fail_msg("there is no fact '%s'", name);
}

static uint32_t told;

static void tell(const char *text)
{
	(void)text;
	told++;
}

static bool gate_met(const struct model *m, bool *paired)
{
	struct error err;
	struct gate gate;
	bool met = false;

	assert_int_equal(gate_parse(&gate, "instructions/coroutine > +5%", &err), 0);
	assert_int_equal(gate_check(&gate, m, &met, tell, &err), 0);
	told = 0;
	*paired = gate_paired(m, tell);
	return met;
}

static void a_line_that_moved_is_the_same_label(void **state)
{
	struct model *m = compared(LABELS({ "serve@app.lua:31", 10000 }, { "log@app.lua:60", 10000 }),
				   LABELS({ "serve@app.lua:33", 15000 }, { "log@app.lua:62", 10000 }));
	bool paired;

	(void)state;
	assert_int_equal(count(m, MODEL_VERDICT_ADDED) + count(m, MODEL_VERDICT_GONE), 0);
	assert_string_equal(moved_from(m, "serve@app.lua:33"), "serve@app.lua:31");
	assert_non_null(strstr(m->answers[0].text, "serve@app.lua:33, which was serve@app.lua:31: instructions/coroutine +50.0 %"));
	assert_true(gate_met(m, &paired));
	assert_true(paired);
	model_free(m);
}

static void two_candidates_are_not_paired_and_said(void **state)
{
	struct model *m = compared(LABELS({ "serve@app.lua:31", 10000 }, { "log@b.lua:1", 10000 }),
				   LABELS({ "serve@app.lua:33", 15000 }, { "serve@app.lua:40", 10000 }, { "log@b.lua:1", 10000 }));
	bool paired;

	(void)state;
	assert_metadata(m, MOVED_UNSURE, "serve@app.lua:31", "serve@app.lua:33, serve@app.lua:40");
	assert_int_equal(count(m, MODEL_VERDICT_ADDED), 2);
	assert_int_equal(count(m, MODEL_VERDICT_GONE), 1);
	assert_false(gate_met(m, &paired));
	assert_false(paired);
	assert_int_equal(told, 3);
	model_free(m);
}

static void a_line_that_both_have_is_not_moved(void **state)
{
	struct model *m = compared(LABELS({ "serve@app.lua:31", 10000 }, { "serve@app.lua:50", 20000 }),
				   LABELS({ "serve@app.lua:31", 10000 }, { "serve@app.lua:52", 20000 }));

	(void)state;
	assert_null(moved_from(m, "serve@app.lua:31"));
	assert_string_equal(moved_from(m, "serve@app.lua:52"), "serve@app.lua:50");
	model_free(m);
}

static void what_differs_in_more_than_the_line_is_not_paired(void **state)
{
	static const char *const pairs[][2] = {
		{ "serve@app.lua:31", "serve@other.lua:31" }, { "serve@app.lua:31", "send@app.lua:33" },
		{ "serve@app.lua:31", "serve@app.lua:31x" }, { "GET localhost:80", "GET localhost:81" },
		{ "worker 1", "worker 2" }, { ":1", ":2" }, { ".:1", ".:2" }, { "a.b:", "a.b:1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct model *m = compared(LABELS({ pairs[i][0], 10000 }), LABELS({ pairs[i][1], 10000 }));

		if (moved_from(m, pairs[i][1]))
			fail_msg("'%s' was paired with '%s'", pairs[i][0], pairs[i][1]);
		assert_int_equal(count(m, MODEL_VERDICT_ADDED), 1);
		model_free(m);
	}
}

/* A label that a hundredth of a percent of the time is in may be missing by chance. */
static void a_label_that_hardly_runs_may_be_in_one_recording_only(void **state)
{
	struct model *m = compared(LABELS({ "serve", 100000 }),
				   LABELS({ "serve", 100000 }, { "timer", 10 }));
	bool paired;

	(void)state;
	assert_false(gate_met(m, &paired));
	assert_true(paired);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_that_moved_is_the_same_label),
		cmocka_unit_test(two_candidates_are_not_paired_and_said),
		cmocka_unit_test(a_line_that_both_have_is_not_moved),
		cmocka_unit_test(what_differs_in_more_than_the_line_is_not_paired),
		cmocka_unit_test(a_label_that_hardly_runs_may_be_in_one_recording_only),
	};

	return cmocka_run_group_tests_name("moved", tests, NULL, NULL);
}
