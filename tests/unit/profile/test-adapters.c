// SPDX-License-Identifier: GPL-2.0
/* Who reports each process's coroutines, and what they do not see. */
#include "gen/recording.h"

#define ALL (COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_WAKES | COROPROF_SEES_ENDS)

static void says_what_each_does_not_see(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	gen_label_adapter(g, 1, 1, "asyncio", ALL);
	gen_label_adapter(g, 1, 2, "greenlet", ALL & ~COROPROF_SEES_WAKES);
	gen_label_adapter(g, 1, 3, "odd", 0);
	gen_label_adapter(g, 1, 4, "of a later level", ALL | 1ULL << 40);
	channel(g, 1, 1000);
	m = load(g);
	assert_string_equal(m->processes[0].reported_by,
			    "asyncio; greenlet (without wakes); odd (without births, names, wakes, ends); of a later level");
	model_free(m);
}

/* Each is reported once; and no process fills the page with what it claims. */
static void lists_a_few_once(void **state)
{
	struct gen *g = begin_recording();
	const char *all;
	struct model *m;
	char name[80];

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "%c\x1b[31m%060d", 'a' + i / 2 % 26, 0);
		gen_label_adapter(g, 1, i + 1, name, ALL);
	}
	channel(g, 1, 1000);
	m = load(g);
	all = m->processes[0].reported_by;
	assert_int_equal(all[0], 'a');
	assert_null(strchr(all, '\x1b'));
	assert_null(strstr(all, "; a"));
	assert_non_null(strstr(all, "; h"));
	assert_null(strstr(all, "; i"));
	model_free(m);
}

/* It is no name of coroutines, whoever uses its number. */
static void is_no_label(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	gen_label_adapter(g, 1, 7, "asyncio", ALL);
	channel(g, 1, 1000);
	SLICE(g, 1, 2, 1000, 2000, .slot = 2, .label = 7);
	m = load(g);
	for (uint32_t i = 0; i < m->nr_labels; i++)
		assert_string_not_equal(m->labels[i].name, "asyncio");
	model_free(m);
}

static void probes_report_what_knows_nothing(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	gen_mode(g, COROPROF_MODE_IOCTL, COROPROF_REASON_PROBED);
	channel(g, 1, 1000);
	m = load(g);
	assert_string_equal(m->processes[0].reported_by, "probes");
	model_free(m);
}

/* The module was older than what says. */
static void is_unknown_before_level_4(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	m = load(g);
	assert_null(m->processes[0].reported_by);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_each_does_not_see),
		cmocka_unit_test(lists_a_few_once),
		cmocka_unit_test(is_no_label),
		cmocka_unit_test(probes_report_what_knows_nothing),
		cmocka_unit_test(is_unknown_before_level_4),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
