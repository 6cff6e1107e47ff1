// SPDX-License-Identifier: GPL-2.0
/* What is said first of two recordings is the one thing that the generator changed. */
#include "diff/diff.h"
#include "gen/recording.h"
#include "gen/requests.h"

#define PLAIN	{ .queries = 1, .heavy = REQUESTS_HEAVY, .seed = 1 }

static struct model *made(const struct requests *r)
{
	char path[] = "/tmp/answer-XXXXXX";
	int fd = mkstemp(path);
	struct model *m;

	assert_true(fd >= 0);
	close(fd);
	requests_write(path, r);
	m = load_path(path, &(struct model_options){ .squares = true });
	unlink(path);
	return m;
}

static struct model *asked(const struct gate *gates, unsigned int nr, struct requests old,
			   struct requests new)
{
	struct model *one = made(&old), *other = made(&new);
	struct error err;

	if (diff_models(other, one, gates, nr, &err))
		fail_msg("%s", err.message);
	model_free(one);
	assert_true(other->nr_answers > 0);
	return other;
}

static struct model *compared(struct requests old, struct requests new)
{
	return asked(NULL, 0, old, new);
}

static void assert_begins(const char *text, const char *with)
{
	if (strncmp(text, with, strlen(with)))
		fail_msg("'%s' does not begin with '%s'", text, with);
}

/* The same by chance: no more than that differs, to the last count. */
static void one_label_with_more_work_is_all_that_changed(void **state)
{
	struct model *m = compared((struct requests)PLAIN, (struct requests){
		.queries = 1, .heavy = REQUESTS_HEAVY, .seed = 1, .heavier = 10 });

	(void)state;
	assert_int_equal(m->nr_answers, 1);
	assert_string_equal(m->answers[0].name, REQUESTS_HEAVY);
	assert_begins(m->answers[0].text, REQUESTS_HEAVY ": instructions/coroutine +10.0 %, 398 k -> 437 k; that is 100.0 % of all that changed");
	model_free(m);
}

static void one_label_with_more_work_is_named_among_what_differs_by_chance(void **state)
{
	static const uint32_t percents[] = { 10, 20, 100 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(percents); i++)
		for (uint64_t seed = 2; seed < 7; seed++) {
			struct model *m = compared((struct requests)PLAIN, (struct requests){
				.queries = 1, .heavy = REQUESTS_HEAVY, .seed = seed,
				.heavier = percents[i] });

			assert_int_equal(m->nr_answers, 1);
			assert_begins(m->answers[0].text,
				      REQUESTS_HEAVY ": instructions/coroutine +");
			assert_true(m->answers[0].share > 0.5);
			model_free(m);
		}
}

static void what_has_less_to_do_is_named_as_well(void **state)
{
	struct model *m = compared((struct requests){
		.queries = 1, .heavy = REQUESTS_HEAVY, .seed = 1, .heavier = 100 },
		(struct requests)PLAIN);

	(void)state;
	assert_begins(m->answers[0].text, REQUESTS_HEAVY ": instructions/coroutine -50.0 %");
	model_free(m);
}

static void assert_calls(struct requests old, struct requests new, const char *label,
			 const char *span)
{
	struct model *m = compared(old, new);

	assert_int_equal(m->nr_answers, 1);
	assert_string_equal(m->answers[0].name, REQUESTS_HEAVY);
	assert_begins(m->answers[0].text, label);
	if (!strstr(m->answers[0].text, span))
		fail_msg("'%s' does not say '%s'", m->answers[0].text, span);
	model_free(m);
}

static void a_call_that_is_new_or_gone_is_named(void **state)
{
	const struct requests more = {
		.queries = 1, .heavy = REQUESTS_HEAVY, .seed = 2, .audit = "audit@audit.lua:5" };

	(void)state;
	assert_calls((struct requests)PLAIN, more,
		     REQUESTS_HEAVY ": calls/coroutine +100.0 %, 4.00 -> 8.00",
		     "in it audit@audit.lua:5 is new: ");
	assert_calls(more, (struct requests)PLAIN,
		     REQUESTS_HEAVY ": calls/coroutine -50.0 %, 8.00 -> 4.00",
		     "in it audit@audit.lua:5 is gone: ");
}

/* Ten queries where there was one: whether the work of the label is the same, or more. */
static void calls_that_are_made_ten_times_as_often_are_named(void **state)
{
	const struct requests many = { .queries = 10, .heavy = REQUESTS_HEAVY, .seed = 2 };
	struct requests heavier = many;

	(void)state;
	assert_calls((struct requests)PLAIN, many,
		     REQUESTS_HEAVY ": calls/coroutine +900.0 %, 4.00 -> 40.00; that is 100.0 % of all that changed",
		     "in it query@db.lua:7: calls/slice +900.0 %, 1.00 -> 10.00");
	heavier.heavier = 50;
	assert_calls((struct requests)PLAIN, heavier, REQUESTS_HEAVY ": instructions/coroutine +",
		     "in it query@db.lua:7: calls/slice +900.0 %, 1.00 -> 10.00");
}

static void figures_of_what_changed_most_come_first(void **state)
{
	struct model *m = compared((struct requests)PLAIN, (struct requests){
		.queries = 1, .heavy = REQUESTS_HEAVY, .seed = 2, .heavier = 20 });
	uint32_t others = 0;

	(void)state;
	for (uint32_t i = 0; i < m->nr_changes; i++) {
		const struct model_change *c = &m->changes[i];
		bool is_heavy = !strcmp(c->label ? c->label : c->name, REQUESTS_HEAVY);

		if (is_heavy && others)
			fail_msg("%s of heavy comes behind another label's figures", c->figure);
		others += !is_heavy;
	}
	assert_true(others);
	model_free(m);
}

static void nothing_is_said_to_have_changed_where_nothing_has(void **state)
{
	struct model *m = compared((struct requests)PLAIN, (struct requests){
		.queries = 1, .heavy = REQUESTS_HEAVY, .seed = 9 });

	(void)state;
	assert_int_equal(m->nr_answers, 1);
	assert_null(m->answers[0].name);
	assert_string_equal(m->answers[0].text, "nothing has changed beyond noise: no label, span or function");
	model_free(m);
}

static void keep_quiet(const char *text)
{
	(void)text;
}

static bool names(const struct model *m, const char *label)
{
	for (uint32_t i = 0; i < m->nr_answers; i++)
		if (m->answers[i].name && !strcmp(m->answers[i].name, label))
			return true;
	return false;
}

/*
 * So little more is beyond noise among what a condition asks for, and not among all that there
 * is: the answer must go by what the condition goes by.
 */
static void what_meets_a_condition_is_named_in_the_answer(void **state)
{
	unsigned int only_asked = 0;
	struct error err;
	struct gate gate;

	(void)state;
	assert_int_equal(gate_parse(&gate, "instructions/coroutine > +1%", &err), 0);
	for (uint32_t percent = 1; percent < 8; percent++)
		for (uint64_t seed = 2; seed < 22; seed++) {
			const struct requests heavier = {
				.queries = 1, .heavy = REQUESTS_HEAVY, .seed = seed, .heavier = percent };
			struct model *m = asked(&gate, 1, (struct requests)PLAIN, heavier);
			struct model *all = compared((struct requests)PLAIN, heavier);
			bool met = false;

			assert_int_equal(gate_check(&gate, m, &met, keep_quiet, &err), 0);
			if (met != names(m, REQUESTS_HEAVY))
				fail_msg("%u %% more, %s: %s", percent, met ? "met" : "not met",
					 m->answers[0].text);
			only_asked += met && !names(all, REQUESTS_HEAVY);
			model_free(m);
			model_free(all);
		}
	print_message("# %u met by what is noise among all\n", only_asked);
	assert_true(only_asked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_label_with_more_work_is_all_that_changed),
		cmocka_unit_test(one_label_with_more_work_is_named_among_what_differs_by_chance),
		cmocka_unit_test(what_has_less_to_do_is_named_as_well),
		cmocka_unit_test(a_call_that_is_new_or_gone_is_named),
		cmocka_unit_test(calls_that_are_made_ten_times_as_often_are_named),
		cmocka_unit_test(figures_of_what_changed_most_come_first),
		cmocka_unit_test(nothing_is_said_to_have_changed_where_nothing_has),
		cmocka_unit_test(what_meets_a_condition_is_named_in_the_answer),
	};

	return cmocka_run_group_tests_name("answer", tests, NULL, NULL);
}
