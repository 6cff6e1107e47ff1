// SPDX-License-Identifier: GPL-2.0
/* Sums, counters, tables and their bounds. */
#include <errno.h>

#include "gen/recording.h"

static void sums_times_and_counts(void **state)
{
	struct gen *g = begin_recording();
	const struct model_label *l;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1100, .label = 1, .count = { 300, 600 },
	      .preempted_ns = 20, .nr_preempted = 2);
	SLICE(g, 1, 11, 1100, 1140, .label = 1, .count = { 100, 50 },
	      .blocked_ns = 10, .nr_blocked = 1);
	SLICE(g, 1, 20, 1140, 1150, .label = 2, .count = { 7, 3 });
	m = load(g);
	l = label(m, "a");
	assert_int_equal(l->coroutines, 2);
	assert_int_equal(l->times.slices, 2);
	assert_int_equal(l->times.running_ns, 80 + 30);
	assert_int_equal(l->times.preempted_ns, 20);
	assert_int_equal(l->times.blocked_ns, 10);
	assert_int_equal(l->times.nr_preempted, 2);
	assert_int_equal(l->times.nr_blocked, 1);
	assert_int_equal(l->min_ns, 30);
	assert_int_equal(l->max_ns, 80);
	assert_int_equal(model_label_value(m, label_row(m, 1, "a"), 0).count, 400);
	assert_int_equal(model_label_value(m, label_row(m, 1, "a"), 1).count, 650);
	assert_int_equal(model_total_value(m, 0).count, 407);
	assert_int_equal(model_total_value(m, 0).standing,
			 COROPROF_STANDING_COUNTED);
	assert_int_equal(model_channel_value(m, 0, 1).count, 653);
	assert_int_equal(m->times.slices, 3);
	assert_int_equal(m->times.running_ns, 120);
	assert_int_equal(m->begin_ns, 1000);
	assert_int_equal(m->end_ns, 1150);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	assert_true(m->ended);
	model_free(m);
}

/* Asleep, a thread outside any coroutine is idle, and no coroutine is blocked. */
static void distinguishes_idle_from_blocked(void **state)
{
	struct gen *g = begin_recording();
	const struct model_times *t;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, THREAD(1), 1000, 1100, .blocked_ns = 70, .nr_blocked = 2,
	      .preempted_ns = 5, .nr_preempted = 1);
	SLICE(g, 1, 10, 1100, 1140, .label = 1, .blocked_ns = 10, .nr_blocked = 1);
	m = load(g);
	t = &label(m, "(outside coroutines)")->times;
	assert_int_equal(t->idle_ns, 70);
	assert_int_equal(t->nr_idle, 2);
	assert_int_equal(t->blocked_ns, 0);
	assert_int_equal(t->nr_blocked, 0);
	assert_int_equal(t->preempted_ns, 5);
	t = &label(m, "a")->times;
	assert_int_equal(t->idle_ns, 0);
	assert_int_equal(t->blocked_ns, 10);
	t = &m->channels[0].times;
	assert_int_equal(t->idle_ns, 70);
	assert_int_equal(t->blocked_ns, 10);
	assert_int_equal(m->times.idle_ns, 70);
	assert_int_equal(m->timeline[0].idle_ns, 70);
	assert_int_equal(m->timeline[0].blocked_ns, 0);
	assert_int_equal(m->timeline[1].blocked_ns, 10);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	model_free(m);
}

static void scales_what_was_multiplexed(void **state)
{
	struct gen *g = begin_recording();
	struct model_value v;
	struct model *m;
	enum standing standing;

	(void)state;
	channel(g, 1, 1000);
	/* Cycles counted; instructions for 75 of 100, then for all of 60. */
	SLICE(g, 1, 10, 1000, 1100, .label = 1, .count = { 1000, 150 },
	      .standing = 0xb, .missing_ns = { 0, 25 });
	SLICE(g, 1, 10, 1100, 1160, .label = 1, .count = { 600, 120 });
	m = load(g);
	v = model_coroutine_value(m, 0, 1);
	assert_int_equal(v.standing, COROPROF_STANDING_SCALED);
	assert_int_equal(v.count, 270);
	/* 270 * 160 / 135 */
	assert_int_equal(v.estimate, 320);
	assert_true(v.share > 0.84374 && v.share < 0.84376);
	v = model_coroutine_value(m, 0, 0);
	assert_int_equal(v.standing, COROPROF_STANDING_COUNTED);
	assert_int_equal(v.estimate, 1600);
	assert_true(model_ipc(model_coroutine_value(m, 0, 1), v, false, &standing) == 0.2);
	assert_int_equal(standing, STANDING_SCALED);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	model_free(m);
}

/* Standings of one counter in two slices, 100 ns each. */
static struct model_value two_slices(unsigned int first, unsigned int second)
{
	struct gen *g = begin_recording();
	struct model_value v;
	struct model *m;

	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1100, .standing = (uint16_t)(0xc | first),
	      .count = { first >= COROPROF_STANDING_SCALED ? 50 : 0 },
	      .missing_ns = { first == COROPROF_STANDING_COUNTED ? 0 :
			      first == COROPROF_STANDING_SCALED ? 50 : 100 });
	SLICE(g, 1, 10, 1100, 1200, .standing = (uint16_t)(0xc | second),
	      .count = { second >= COROPROF_STANDING_SCALED ? 50 : 0 },
	      .missing_ns = { second == COROPROF_STANDING_COUNTED ? 0 :
			      second == COROPROF_STANDING_SCALED ? 50 : 100 });
	m = load(g);
	v = model_coroutine_value(m, 0, 0);
	model_free(m);
	return v;
}

static void joins_standings(void **state)
{
	const unsigned int none = COROPROF_STANDING_UNSUPPORTED;
	const unsigned int out = COROPROF_STANDING_NOT_SCHEDULED;
	const unsigned int part = COROPROF_STANDING_SCALED;
	const unsigned int all = COROPROF_STANDING_COUNTED;

	(void)state;
	assert_int_equal(two_slices(none, none).standing, none);
	assert_int_equal(two_slices(none, out).standing, out);
	assert_int_equal(two_slices(out, out).standing, out);
	assert_int_equal(two_slices(out, out).estimate, 0);
	assert_int_equal(two_slices(out, all).standing, part);
	assert_int_equal(two_slices(out, all).estimate, 100);
	assert_int_equal(two_slices(all, part).standing, part);
	/* 100 * 200 / 150 */
	assert_int_equal(two_slices(all, part).estimate, 133);
	assert_int_equal(two_slices(all, all).standing, all);
	assert_true(two_slices(none, none).present);
}

static void does_not_confuse_not_counted_with_zero(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;
	enum standing standing;

	(void)state;
	channel(g, 1, 1000);
	m = load(g);
	assert_false(model_total_value(m, 0).present);
	assert_true(model_ipc(model_total_value(m, 1), model_total_value(m, 0),
			      false, &standing) < 0);
	assert_true(m->overhead_share < 0);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	model_free(m);
}

static void has_a_column_for_a_channels_own_counters(void **state)
{
	const struct coroprof_counter_state own[] = {
		{ .counter = { .type = PERF_TYPE_RAW, .config = 0x1b1 } },
		{ .counter = instructions },
		{ .counter = HW(PERF_COUNT_HW_CACHE_MISSES), .error = ENOENT },
	};
	struct gen *g = begin_recording();
	struct model_value v;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	gen_channel(g, 2, 1, 102, "own", 1000, own, 3);
	SLICE(g, 1, 10, 1000, 1100, .label = 1, .count = { 1000, 2000 });
	SLICE(g, 2, THREAD(2), 1000, 1100);
	SLICE(g, 2, 10, 1100, 1200, .label = 1, .count = { 5, 3000, 0 },
	      .standing = 0x0f, .missing_ns = { 0, 0, 100 });
	m = load(g);
	assert_int_equal(m->nr_counters, 4);
	assert_string_equal(m->counters[2].name, "raw:0x1b1");
	assert_string_equal(m->counters[3].name, "cache-misses");
	assert_false(m->counters[2].in_session);
	assert_int_equal(m->counters[1].channels, 2);
	assert_int_equal(m->counters[3].failed, 1);
	assert_int_equal(m->counters[3].error, ENOENT);
	/* Both count instructions. Nobody knows how many cycles it took where none are counted. */
	v = model_coroutine_value(m, 0, 1);
	assert_int_equal(v.standing, COROPROF_STANDING_COUNTED);
	assert_int_equal(v.count, 5000);
	v = model_coroutine_value(m, 0, 0);
	assert_int_equal(v.standing, COROPROF_STANDING_SCALED);
	assert_true(v.at_least);
	assert_int_equal(v.estimate, 1000);
	assert_int_equal(model_coroutine_value(m, 0, 3).standing,
			 COROPROF_STANDING_UNSUPPORTED);
	assert_int_equal(m->channels[1].check, MODEL_CHECKED);
	model_free(m);
}

/* Two in turn, which are seen more than once: from then on their slices are unchanged. */
static void reports_what_no_thread_can_count(void **state)
{
	const struct coroprof_counter misses = HW(PERF_COUNT_HW_CACHE_MISSES);
	const struct coroprof_counter_state states[] = {
		{ .counter = cycles }, { .counter = instructions },
		{ .counter = misses, .error = ENOENT },
	};
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	gen_counter(g, &misses, "cache-misses");
	gen_channel(g, 1, 1, 101, "one", 1000, states, 3);
	for (uint64_t i = 0; i < 10; i++)
		SLICE(g, 1, 10 + i % 2, 1000 + 100 * i, 1100 + 100 * i, .label = 1,
		      .count = { 40, 50 }, .standing = 0x0f);
	m = load(g);
	assert_int_equal(model_channel_value(m, 0, 1).count, 500);
	assert_int_equal(model_coroutine_value(m, 0, 0).count, 200);
	assert_int_equal(model_channel_value(m, 0, 1).standing, COROPROF_STANDING_COUNTED);
	assert_int_equal(model_channel_value(m, 0, 2).standing, COROPROF_STANDING_UNSUPPORTED);
	assert_int_equal(model_coroutine_value(m, 1, 2).standing, COROPROF_STANDING_UNSUPPORTED);
	assert_int_equal(model_label_value(m, (uint32_t)(label(m, "a") - m->labels), 2).standing,
			 COROPROF_STANDING_UNSUPPORTED);
	assert_int_equal(model_total_value(m, 2).standing, COROPROF_STANDING_UNSUPPORTED);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	model_free(m);
}

static void counts_a_counter_asked_for_twice_once(void **state)
{
	const struct coroprof_counter_state twice[] = {
		{ .counter = cycles }, { .counter = cycles },
	};
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	gen_channel(g, 1, 1, 101, "twice", 1000, twice, 2);
	SLICE(g, 1, 10, 1000, 1100, .count = { 40, 40 });
	m = load(g);
	assert_int_equal(model_total_value(m, 0).count, 40);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	model_free(m);
}

static void sums_up_what_was_unreported(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1, .flags = COROPROF_SLICE_UNREPORTED);
	SLICE(g, 1, 11, 1010, 1030, .label = 2);
	SLICE(g, 1, 10, 1030, 1070, .label = 1,
	      .flags = COROPROF_SLICE_UNREPORTED | COROPROF_SLICE_READY);
	SLICE(g, 1, 10, 1070, 1080, .label = 1);
	m = load(g);
	assert_int_equal(label(m, "a")->unreported, 2);
	assert_int_equal(label(m, "a")->unreported_ns, 50);
	assert_int_equal(label(m, "a")->times.running_ns, 60);
	assert_int_equal(label(m, "b")->unreported, 0);
	assert_int_equal(m->unreported, 2);
	assert_int_equal(m->unreported_ns, 50);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	assert_int_equal(m->nr_timeline, 4);
	for (uint32_t i = 0; i < m->nr_timeline; i++)
		assert_int_equal(!!(m->timeline[i].flags & COROPROF_SLICE_UNREPORTED),
				 i % 2 == 0 && i < 3);
	model_free(m);
}

static void follows_a_change_of_label(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1, .flags = COROPROF_SLICE_READY);
	SLICE(g, 1, 11, 1010, 1020, .label = 1);
	SLICE(g, 1, 10, 1020, 1050, .label = 2);
	m = load(g);
	assert_int_equal(label(m, "a")->coroutines, 1);
	assert_int_equal(label(m, "a")->renamed, 1);
	assert_int_equal(label(m, "a")->times.running_ns, 20);
	assert_int_equal(label(m, "b")->coroutines, 1);
	assert_int_equal(label(m, "b")->times.running_ns, 30);
	/* The gap belongs to the slice that ends it. */
	assert_int_equal(label(m, "a")->times.gaps, 0);
	assert_int_equal(label(m, "b")->times.ready_ns, 10);
	assert_int_equal(coroutine(m, 1, 10)->label, label_row(m, 1, "b"));
	model_free(m);
}

static void distinguishes_coroutines_of_one_slot(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .slot = 5, .label = 1,
	      .flags = COROPROF_SLICE_FRESH | COROPROF_SLICE_END);
	SLICE(g, 1, 11, 1010, 1030, .slot = 5, .label = 1,
	      .flags = COROPROF_SLICE_FRESH | COROPROF_SLICE_END);
	m = load(g);
	assert_int_equal(m->nr_coroutines, 2);
	assert_int_equal(coroutine(m, 1, 10)->times.running_ns, 10);
	assert_int_equal(coroutine(m, 1, 11)->times.running_ns, 20);
	assert_int_equal(coroutine(m, 1, 11)->times.gaps, 0);
	model_free(m);
}

static void keeps_processes_apart(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	gen_process(g, 2, 200, "two", 950);
	gen_label(g, 2, 1, "a", 1);
	channel(g, 1, 1000);
	gen_channel(g, 2, 2, 200, "other", 1000, NULL, 0);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	SLICE(g, 2, 10, 1000, 1030, .label = 1);
	gen_process_end(g, 2, 2000);
	m = load(g);
	assert_int_equal(m->nr_processes, 2);
	assert_int_equal(m->nr_coroutines, 2);
	assert_int_equal(m->nr_labels, 2);
	assert_int_equal(coroutine(m, 1, 10)->times.running_ns, 10);
	assert_int_equal(coroutine(m, 2, 10)->times.running_ns, 30);
	assert_int_equal(m->labels[label_row(m, 2, "a")].times.running_ns, 30);
	assert_string_equal(m->processes[1].comm, "two");
	assert_int_equal(m->processes[1].begin_ns, 950);
	assert_int_equal(m->processes[1].end_ns, 2000);
	assert_int_equal(m->processes[0].end_ns, 0);
	model_free(m);
}

static void names_every_label(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	gen_label(g, 1, 3, "a", 1);
	gen_label(g, 1, 4, "", 0);
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	SLICE(g, 1, 11, 1010, 1020, .label = 3);
	SLICE(g, 1, 12, 1020, 1030, .label = 0);
	SLICE(g, 1, 13, 1030, 1040, .label = 99);
	SLICE(g, 1, 14, 1040, 1050, .label = 4);
	SLICE(g, 1, THREAD(1), 1050, 1060, .label = 0);
	m = load(g);
	assert_int_equal(label(m, "a")->coroutines, 2);
	assert_int_equal(label(m, "(no label)")->kind, MODEL_LABEL_NONE);
	assert_int_equal(label(m, "")->coroutines, 1);
	assert_int_equal(label(m, "(outside coroutines)")->kind,
			 MODEL_LABEL_THREAD);
	label(m, "(label 99, its name is not in the file)");
	assert_int_equal(m->nr_labels, 5);
	model_free(m);
}

static void folds_coroutines_over_the_limit(void **state)
{
	const struct model_options options = { .coroutines = 2 };
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	for (uint64_t i = 0; i < 10; i++)
		SLICE(g, 1, 10 + i, 1000 + 10 * i, 1010 + 10 * i, .label = 1,
		      .count = { 3, 4 }, .flags = COROPROF_SLICE_READY |
		      COROPROF_SLICE_FRESH);
	/* A folded one goes on: its gap is measured all the same. */
	SLICE(g, 1, 15, 1100, 1110, .label = 1, .count = { 3, 4 },
	      .flags = COROPROF_SLICE_END);
	m = load_with(g, &options);
	assert_int_equal(m->nr_coroutines, 2);
	assert_int_equal(m->nr_folded_coroutines, 8);
	assert_int_equal(m->nr_coroutines_total, 10);
	assert_int_equal(label(m, "a")->coroutines, 10);
	assert_int_equal(label(m, "a")->times.running_ns, 110);
	assert_int_equal(label(m, "a")->times.ready_ns, 1100 - 1060);
	assert_int_equal(model_total_value(m, 0).count, 33);
	assert_int_equal(m->timeline[0].coroutine, 0);
	assert_int_equal(m->timeline[5].coroutine, MODEL_NONE);
	assert_int_equal(m->timeline[5].label, label_row(m, 1, "a"));
	model_free(m);
}

/* Many short-lived ones over the limit need no more than the live ones do. */
static void forgets_folded_coroutines_that_ended(void **state)
{
	const struct model_options options = { .coroutines = 1 };
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	for (uint64_t i = 0; i < 5000; i++)
		SLICE(g, 1, 10 + i, 1000 + 10 * i, 1010 + 10 * i, .label = 1,
		      .flags = COROPROF_SLICE_FRESH | COROPROF_SLICE_END);
	/* The last one's number again: it is not known any more. */
	SLICE(g, 1, 5009, 51000, 51010, .label = 1);
	m = load_with(g, &options);
	assert_int_equal(m->nr_coroutines, 1);
	assert_int_equal(m->nr_folded_coroutines, 5000);
	assert_int_equal(label(m, "a")->coroutines, 5001);
	assert_int_equal(label(m, "a")->times.slices, 5001);
	model_free(m);
}

static void counts_coroutines_it_has_no_room_to_follow(void **state)
{
	const struct model_options options = { .coroutines = 1 };
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	for (uint64_t i = 0; i < 3000; i++)
		SLICE(g, 1, 10 + i, 1000 + 10 * i, 1010 + 10 * i, .label = 1,
		      .flags = COROPROF_SLICE_FRESH);
	m = load_with(g, &options);
	assert_int_equal(m->nr_coroutines_total, 3000);
	assert_int_equal(m->nr_folded_coroutines, 2999);
	assert_int_equal(label(m, "a")->coroutines, 3000);
	assert_int_equal(label(m, "a")->times.slices, 3000);
	model_free(m);
}

static void folds_labels_over_the_limit(void **state)
{
	const struct model_options options = { .labels = 3 };
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	for (uint32_t i = 0; i < 10; i++)
		SLICE(g, 1, 10 + i, 1000 + 10 * i, 1010 + 10 * i,
		      .label = 100 + i);
	m = load_with(g, &options);
	assert_int_equal(m->nr_labels, 4);
	assert_int_equal(m->labels[3].kind, MODEL_LABEL_OTHER);
	assert_int_equal(m->labels[3].process, MODEL_NONE);
	assert_int_equal(m->labels[3].coroutines, 7);
	assert_int_equal(m->labels[3].times.running_ns, 70);
	model_free(m);
}

/* Lengths from 1 to @nr, each once, in some order. */
static struct model *of_histogram(uint64_t nr, uint64_t scale)
{
	struct gen *g = begin_recording();
	uint64_t at = 1000;

	channel(g, 1, at);
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t ns = scale * (1 + i * 7 % nr);

		SLICE(g, 1, 10, at, at + ns, .label = 1);
		at += ns;
		if (i % 1000 == 999)
			gen_drain(g, 1);
	}
	return load(g);
}

static void has_quantiles_exactly_when_there_are_few_slices(void **state)
{
	const struct model_label *l;
	struct model *m = of_histogram(100, 1013);
	bool exact;

	(void)state;
	l = label(m, "a");
	for (unsigned int percent = 1; percent <= 100; percent++) {
		assert_int_equal(model_label_quantile_ns(l, percent / 100.0, &exact),
				 percent * 1013);
		assert_true(exact);
	}
	assert_int_equal(model_label_quantile_ns(l, 0, &exact), 1013);
	model_free(m);
}

static void has_quantiles_within_a_hundredth(void **state)
{
	const uint64_t scale = 613;
	const struct model_label *l;
	struct model *m = of_histogram(10000, scale);
	bool exact;

	(void)state;
	l = label(m, "a");
	for (unsigned int rank = 10; rank <= 9990; rank += 10) {
		uint64_t want = rank * scale;
		uint64_t got = model_label_quantile_ns(l, rank / 10000.0, &exact);

		assert_false(exact);
		assert_in_range(100 * got, 99 * want, 101 * want);
	}
	assert_int_equal(model_label_quantile_ns(l, 1, &exact), 10000 * scale);
	model_free(m);
}

static void counts_each_slice_in_one_bucket(void **state)
{
	const uint64_t sizes[] = { 50, 3000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct model *m = of_histogram(sizes[i], 7);
		uint64_t slices = 0;

		for (unsigned int b = 0; b < MODEL_HISTOGRAM_BUCKETS; b++)
			slices += model_bucket_count(
				label(m, "a")->histograms[MODEL_LATENCY_RUNNING], b);
		assert_int_equal(slices, sizes[i]);
		model_free(m);
	}
	for (unsigned int i = 0; i + 1 < MODEL_HISTOGRAM_BUCKETS; i++)
		assert_true(model_bucket_ns(i) < model_bucket_ns(i + 1));
}

static void knows_no_ipc_of_what_was_not_seen(void **state)
{
	struct model_value cycles = {
		.present = true, .standing = COROPROF_STANDING_SCALED, .estimate = 5000,
	};
	struct model_value instructions = {
		.present = true, .standing = COROPROF_STANDING_SCALED,
	};
	enum standing standing;

	(void)state;
	assert_true(model_ipc(instructions, cycles, false, &standing) < 0);
	instructions.estimate = 10;
	assert_true(model_ipc(instructions, cycles, false, &standing) > 0);
	assert_int_equal(standing, STANDING_SCALED);
	instructions.standing = COROPROF_STANDING_COUNTED;
	instructions.estimate = 0;
	assert_true(model_ipc(instructions, cycles, false, &standing) == 0);
}

/* What a falsified total makes of a channel that was right. */
static enum model_check check_with(void (*falsify)(
				   struct coroprof_channel_status *))
{
	struct gen *g = begin_recording();
	enum model_check check;
	struct model *m;

	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1100, .count = { 100, 200 }, .preempted_ns = 10,
	      .blocked_ns = 20, .standing = 0xb, .missing_ns = { 0, 30 });
	falsify(gen_status(g, 1));
	m = load(g);
	check = m->channels[0].check;
	assert_int_equal(m->failed_checks, check == MODEL_FAILED);
	assert_true((check == MODEL_CHECKED) == !m->channels[0].check_text);
	model_free(m);
	return check;
}

static void nothing(struct coroprof_channel_status *s) { (void)s; }
static void slices(struct coroprof_channel_status *s) { s->slices++; }
static void running(struct coroprof_channel_status *s) { s->running_ns++; }
static void preempted(struct coroprof_channel_status *s) { s->preempted_ns--; }
static void blocked(struct coroprof_channel_status *s) { s->blocked_ns++; }
static void count0(struct coroprof_channel_status *s) { s->count[0]--; }
static void count1(struct coroprof_channel_status *s) { s->count[1]++; }
static void missing(struct coroprof_channel_status *s) { s->missing_ns[1]++; }
static void begin(struct coroprof_channel_status *s) { s->begin--; }
static void lost(struct coroprof_channel_status *s) { s->lost++; }

static void checks_conservation(void **state)
{
	(void)state;
	assert_int_equal(check_with(nothing), MODEL_CHECKED);
	assert_int_equal(check_with(slices), MODEL_FAILED);
	assert_int_equal(check_with(running), MODEL_FAILED);
	assert_int_equal(check_with(preempted), MODEL_FAILED);
	assert_int_equal(check_with(blocked), MODEL_FAILED);
	assert_int_equal(check_with(count0), MODEL_FAILED);
	assert_int_equal(check_with(count1), MODEL_FAILED);
	assert_int_equal(check_with(missing), MODEL_FAILED);
	assert_int_equal(check_with(begin), MODEL_FAILED);
	assert_int_equal(check_with(lost), MODEL_NOT_CHECKED);
}

static void level1(struct coroprof_channel_status *s)
{
	s->size = COROPROF_CHANNEL_STATUS_SIZE_LEVEL1;
}

static void level1_wrong(struct coroprof_channel_status *s)
{
	level1(s);
	s->slices++;
}

static void grown(struct coroprof_channel_status *s) { s->size += 16; }

static void too_short(struct coroprof_channel_status *s)
{
	s->size = COROPROF_CHANNEL_STATUS_SIZE_LEVEL1 - 8;
}

static void odd(struct coroprof_channel_status *s) { s->size += 4; }

static void checks_totals_of_other_kernels(void **state)
{
	(void)state;
	assert_int_equal(check_with(level1), MODEL_CHECKED);
	assert_int_equal(check_with(level1_wrong), MODEL_FAILED);
	assert_int_equal(check_with(grown), MODEL_CHECKED);
	assert_int_equal(check_with(too_short), MODEL_NOT_CHECKED);
	assert_int_equal(check_with(odd), MODEL_NOT_CHECKED);
}

static void checks_that_slices_follow_each_other(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010);
	SLICE(g, 1, 10, 1012, 1020);
	gen_status(g, 1)->begin = 1002;
	m = load(g);
	assert_int_equal(m->channels[0].check, MODEL_FAILED);
	assert_string_equal(m->channels[0].check_text,
		"1 slices do not begin where the one before ended");
	model_free(m);
}

static void reads_what_the_recorder_said(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	gen_info(g, "command", "./first");
	gen_info(g, "command", "./second \x1b[2J");
	gen_info(g, "switch_ns", "50");
	gen_info(g, "cpus", "many");
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 2000);
	m = load(g);
	assert_string_equal(m->command, "./second \\x1b[2J");
	assert_string_equal(m->simulated, "synthetic");
	assert_int_equal(m->cpus, 0);
	assert_true(m->switch_cost[COROPROF_MODE_IOCTL].instructions < 0);
	assert_true(m->overhead_share > 0.0499 && m->overhead_share < 0.0501);
	assert_true(m->realtime_known);
	assert_int_equal(m->realtime_offset_ns, 1699999999000000000);
	assert_int_equal(m->exit_status, 0);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_times_and_counts),
		cmocka_unit_test(distinguishes_idle_from_blocked),
		cmocka_unit_test(scales_what_was_multiplexed),
		cmocka_unit_test(joins_standings),
		cmocka_unit_test(does_not_confuse_not_counted_with_zero),
		cmocka_unit_test(has_a_column_for_a_channels_own_counters),
		cmocka_unit_test(reports_what_no_thread_can_count),
		cmocka_unit_test(counts_a_counter_asked_for_twice_once),
		cmocka_unit_test(sums_up_what_was_unreported),
		cmocka_unit_test(follows_a_change_of_label),
		cmocka_unit_test(distinguishes_coroutines_of_one_slot),
		cmocka_unit_test(keeps_processes_apart),
		cmocka_unit_test(names_every_label),
		cmocka_unit_test(folds_coroutines_over_the_limit),
		cmocka_unit_test(forgets_folded_coroutines_that_ended),
		cmocka_unit_test(counts_coroutines_it_has_no_room_to_follow),
		cmocka_unit_test(folds_labels_over_the_limit),
		cmocka_unit_test(has_quantiles_exactly_when_there_are_few_slices),
		cmocka_unit_test(has_quantiles_within_a_hundredth),
		cmocka_unit_test(counts_each_slice_in_one_bucket),
		cmocka_unit_test(knows_no_ipc_of_what_was_not_seen),
		cmocka_unit_test(checks_conservation),
		cmocka_unit_test(checks_totals_of_other_kernels),
		cmocka_unit_test(checks_that_slices_follow_each_other),
		cmocka_unit_test(reads_what_the_recorder_said),
	};

	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
