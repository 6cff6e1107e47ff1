// SPDX-License-Identifier: GPL-2.0
/* What is found in recordings of which it is known, and nothing in those without. */
#include "gen/recording.h"
#include "tables/findings.h"
#include "tables/summary.h"

static struct model *found(struct gen *g)
{
	struct model *m = load(g);

	assert_int_equal(findings_make(m), 0);
	return m;
}

static const struct model_finding *finding(const struct model *m, enum finding kind)
{
	for (uint32_t i = 0; i < m->nr_findings; i++)
		if (m->findings[i].kind == kind)
			return &m->findings[i];
	return NULL;
}

static void assert_finding(const struct model *m, enum finding kind, const char *label,
			   const char *text)
{
	const struct model_finding *f = finding(m, kind);

	if (!f)
		fail_msg("'%s' was not found", text);
	else if (strcmp(f->text, text))
		fail_msg("found '%s', not '%s'", f->text, text);
	else
		assert_string_equal(m->labels[f->label].name, label);
}

static void finds_what_blocks_and_holds_its_thread(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000000);
	SLICE(g, 1, 10, 1000000, 4000000, .label = 1, .blocked_ns = 2500000, .nr_blocked = 2);
	SLICE(g, 1, 11, 4000000, 4500000, .label = 2);
	SLICE(g, 1, 10, 4500000, 4600000, .label = 1, .blocked_ns = 50000, .nr_blocked = 1);
	m = found(g);
	assert_finding(m, FINDING_BLOCKING, "a",
		       "a sleeps in the kernel inside its slices, so that nothing else runs on the thread: 3 times, 2.55 ms in all, 2.50 ms at most in a slice");
	assert_int_equal(finding(m, FINDING_BLOCKING)->begin_ns, 1000000);
	assert_int_equal(finding(m, FINDING_BLOCKING)->end_ns, 4000000);
	assert_finding(m, FINDING_RUNNING, "a",
		       "a is 52.4 % of the CPU time and held its thread 3.00 ms at most (1 x 1 ms or more)");
	assert_null(finding(m, FINDING_HOLDING));
	assert_null(finding(m, FINDING_STARVING));
	assert_null(finding(m, FINDING_QUEUE));
	model_free(m);
}

static void finds_who_makes_others_wait(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000000);
	SLICE(g, 1, 10, 1000000, 6000000, .label = 1);
	for (uint64_t i = 0; i < 3; i++)
		SLICE(g, 1, 11 + i, 6000000 + 1000 * i, 6001000 + 1000 * i, .label = 2,
		      .wake_time = 1500000, .flags = COROPROF_SLICE_FRESH);
	m = found(g);
	assert_finding(m, FINDING_STARVING, "a",
		       "a makes others wait: it held their thread during >=13.5 ms of 13.5 ms (the 3 longest waits), 5.00 ms in one slice");
	assert_finding(m, FINDING_QUEUE, "b",
		       "2.70 coroutines were ready and waited for a thread, on average; b waited most: 13.5 ms in all, 99 % of its waits below 4.50 ms, the longest 4.50 ms");
	assert_null(finding(m, FINDING_BLOCKING));
	model_free(m);
}

/* Of one label that runs long and of one whose slices are short, each of 40 slices. */
static struct model *probed(const char *probe_ns)
{
	struct gen *g = begin_recording();
	uint64_t time = 1000000;

	gen_info(g, "probe_ns", probe_ns);
	gen_mode(g, COROPROF_MODE_IOCTL, COROPROF_REASON_PROBED);
	channel(g, 1, time);
	for (int i = 0; i < 40; i++) {
		SLICE(g, 1, 10, time, time + 90000, .label = 1);
		SLICE(g, 1, 11, time + 90000, time + 100000, .label = 2);
		time += 100000;
	}
	return found(g);
}

static void finds_what_probes_ran(void **state)
{
	struct model *m = probed("1500");

	(void)state;
	assert_finding(m, FINDING_PROBES, "b",
		       "b ran for 400 us, and ~60.0 us of that, ~15.0 %, is what its probes took in the kernel: its slices are so short that times say little of the program; instructions of user mode are its own");
	model_free(m);
	m = probed("1000");
	assert_null(finding(m, FINDING_PROBES));
	model_free(m);
}

/* There was room for one label: the other's slices are of labels of whatever process. */
static void finds_what_probes_ran_in_other_labels(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	gen_info(g, "probe_ns", "1500");
	gen_mode(g, COROPROF_MODE_IOCTL, COROPROF_REASON_PROBED);
	channel(g, 1, 1000000);
	SLICE(g, 1, 10, 1000000, 2000000, .label = 1);
	SLICE(g, 1, 11, 2000000, 2010000, .label = 2);
	m = load_with(g, &(struct model_options){ .labels = 1 });
	for (uint32_t i = 0; i < m->nr_labels; i++)
		if (m->labels[i].kind == MODEL_LABEL_OTHER)
			assert_int_equal(m->labels[i].probes_ns, 1500);
	assert_int_equal(m->labels[m->nr_labels - 1].kind, MODEL_LABEL_OTHER);
	model_free(m);
}

/* One long sleep, and many short ones of another label, which are more in all. */
static void names_the_longest_sleep_beside_who_sleeps_most(void **state)
{
	struct gen *g = begin_recording();
	uint64_t now = 1000000;
	struct model *m;

	(void)state;
	channel(g, 1, now);
	for (int i = 0; i < 30; i++, now += 500000)
		SLICE(g, 1, 10, now, now + 500000, .label = 1, .blocked_ns = 400000,
		      .nr_blocked = 1);
	SLICE(g, 1, 11, now, now + 6000000, .label = 2, .blocked_ns = 5000000, .nr_blocked = 1);
	m = found(g);
	assert_finding(m, FINDING_BLOCKING, "a",
		       "a sleeps in the kernel inside its slices, so that nothing else runs on the thread: 30 times, 12.0 ms in all, 400 us at most in a slice; the longest is of b: 5.00 ms");
	assert_int_equal(finding(m, FINDING_BLOCKING)->longest_ns, 5000000);
	assert_int_equal(finding(m, FINDING_BLOCKING)->begin_ns, now);
	model_free(m);
}

/* Waits for another thread are nobody's fault on this one. */
static void blames_nobody_on_another_thread(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000000);
	channel(g, 2, 1000000);
	SLICE(g, 1, 10, 1000000, 6000000, .label = 1);
	SLICE(g, 2, 11, 6000000, 6001000, .label = 2, .wake_time = 1500000,
	      .flags = COROPROF_SLICE_FRESH);
	m = found(g);
	assert_null(finding(m, FINDING_STARVING));
	model_free(m);
}

static void finds_the_lowest_ipc_of_what_runs_much(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000000);
	SLICE(g, 1, 10, 1000000, 1500000, .label = 1, .count = { 1000, 2000 });
	SLICE(g, 1, 11, 1500000, 1600000, .label = 2, .count = { 1000, 500 });
	/* Less than a twentieth of the time. */
	SLICE(g, 1, 12, 1600000, 1601000, .label = 0, .count = { 1000, 1 });
	m = found(g);
	assert_finding(m, FINDING_IPC, "b",
		       "b has the lowest IPC of what runs for more than 5.0 % of the time: 0.50, all together 0.83");
	model_free(m);
}

static void finds_what_goes_from_thread_to_thread(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000000);
	channel(g, 2, 1000000);
	for (uint64_t i = 0; i < 200; i++)
		SLICE(g, 1 + i % 2, 10, 1000000 + 1000 * i, 1001000 + 1000 * i, .label = 1);
	m = found(g);
	assert_finding(m, FINDING_MOVES, "a",
		       "a goes from thread to thread: 199 of 200 slices were on another one than the slice before; most often a #10, 199 times");
	model_free(m);
}

/* 300 of 1 ms and 2.5 ms of sleep in the kernel are more in sum, and do less harm. */
static void reports_one_long_slice_before_many_short_ones(void **state)
{
	struct gen *g = begin_recording();
	uint64_t at = 1000000;
	struct model *m;

	(void)state;
	channel(g, 1, 1000000);
	for (uint64_t i = 0; i < 300; i++, at += 1000000)
		SLICE(g, 1, 10, at, at + 1000000, .label = 1, .blocked_ns = 500000,
		      .nr_blocked = 1);
	SLICE(g, 1, 11, at, at + 100000000, .label = 2);
	m = found(g);
	assert_int_equal(m->findings[0].kind, FINDING_RUNNING);
	assert_finding(m, FINDING_RUNNING, "a",
		       "a is 60.0 % of the CPU time and held its thread 1.00 ms at most (300 x 1 ms or more)");
	assert_int_equal(m->findings[1].kind, FINDING_HOLDING);
	assert_finding(m, FINDING_HOLDING, "b",
		       "b held its thread 100 ms at most (1 x 1 ms or more); most often a did: 300 x, 1.00 ms at most");
	assert_int_equal(m->coroutines[m->findings[1].coroutine].id, 11);
	assert_int_equal(m->findings[1].begin_ns, at);
	assert_int_equal(m->findings[1].end_ns, at + 100000000);
	for (uint32_t i = 2; i < m->nr_findings; i++)
		assert_true(m->findings[i].longest_ns <= m->findings[i - 1].longest_ns);
	assert_non_null(finding(m, FINDING_BLOCKING));
	model_free(m);
}

/*
 * As tables mark it: what is shared is an estimate, and what is cut is longer than what of it is in
 * the part.
 */
static void marks_what_slices_that_are_cut_are_in(void **state)
{
	const struct model_options options = { .from_ns = 1000000 };
	struct gen *g = begin_recording();
	char said[SUMMARY_SIZE];
	struct model *m;

	(void)state;
	channel(g, 1, 1000000);
	SLICE(g, 1, 10, 1000000, 5000000, .label = 1, .blocked_ns = 2000000, .nr_blocked = 2);
	SLICE(g, 1, 11, 5000000, 6000000, .label = 2);
	gen_close(g, true);
	m = load_path(recording_path, &options);
	unlink(recording_path);
	assert_int_equal(findings_make(m), 0);
	assert_finding(m, FINDING_BLOCKING, "a",
		       "a sleeps in the kernel inside its slices, so that nothing else runs on the thread: ~2 times, ~1.50 ms in all, >=1.50 ms at most in a slice");
	assert_finding(m, FINDING_RUNNING, "a",
		       "a is ~60.0 % of the CPU time and held its thread >=3.00 ms at most (>=1 x 1 ms or more)");
	summary_write(m, said);
	assert_string_equal(said, "event loop busy ~62.5 %, idle ~0.0 %; coroutines blocked ~1.50 ms (~37.5 %)");
	model_free(m);
}

static void finds_nothing_where_nothing_is(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	/* None of five takes a quarter of the time. */
	for (uint32_t name = 3; name <= 5; name++)
		gen_label(g, 1, name, (char[]){ (char)('a' + name), '\0' }, 1);
	channel(g, 1, 1000000);
	for (uint64_t i = 0; i < 300; i++)
		SLICE(g, 1, 10 + i % 5, 1000000 + 1000 * i, 1001000 + 1000 * i,
		      .label = 1 + i % 5, .count = { 1000, 2000 });
	m = found(g);
	if (m->nr_findings)
		fail_msg("found '%s'", m->findings[0].text);
	model_free(m);
	m = found(begin_recording());
	assert_int_equal(m->nr_findings, 0);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_blocks_and_holds_its_thread),
		cmocka_unit_test(finds_what_probes_ran),
		cmocka_unit_test(finds_what_probes_ran_in_other_labels),
		cmocka_unit_test(finds_who_makes_others_wait),
		cmocka_unit_test(names_the_longest_sleep_beside_who_sleeps_most),
		cmocka_unit_test(blames_nobody_on_another_thread),
		cmocka_unit_test(finds_the_lowest_ipc_of_what_runs_much),
		cmocka_unit_test(finds_what_goes_from_thread_to_thread),
		cmocka_unit_test(reports_one_long_slice_before_many_short_ones),
		cmocka_unit_test(marks_what_slices_that_are_cut_are_in),
		cmocka_unit_test(finds_nothing_where_nothing_is),
	};

	return cmocka_run_group_tests_name("findings", tests, NULL, NULL);
}
