// SPDX-License-Identifier: GPL-2.0
/* Recordings of totals: slots in place of slices. */
#include "cprof/format.h"
#include "gen/recording.h"
#include "output/text/text.h"
#include "support.h"
#include "tables/table.h"

#define COUNTED	0xfu	/* both counters */

struct totals {
	struct cprof_totals head;
	struct coroprof_slot slot[8];
};

static struct gen *begin_totals(void)
{
	struct gen *g = begin_recording();

	gen_info(g, "totals", "yes");
	return g;
}

/* With cycles, and another counter. */
static struct gen *begin_totals_of(const struct coroprof_counter *counter)
{
	struct gen *g = begin_file();

	gen_counter(g, &cycles, "cycles");
	gen_counter(g, counter, "another");
	gen_process(g, 1, 100, "one", 900);
	gen_label(g, 1, 1, "a", 1);
	gen_label(g, 1, 2, "b", 1);
	gen_info(g, "totals", "yes");
	return g;
}

static struct coroprof_slot slot_of(uint64_t id, uint32_t label, uint64_t slices, uint64_t ns)
{
	return (struct coroprof_slot){
		.id = id, .label = label, .slices = slices, .running_ns = ns,
		.standing = COUNTED, .count = { 10 * ns, 20 * ns }, .tag = 7,
	};
}

static void write_totals(struct gen *g, const struct coroprof_slot *slots, uint32_t nr)
{
	struct totals totals = { .head = { 1, sizeof(*slots) } };

	memcpy(totals.slot, slots, nr * sizeof(*slots));
	gen_segment(g, CPROF_SEGMENT_TOTALS, &totals,
		    (uint32_t)(sizeof(totals.head) + nr * sizeof(*slots)));
}

/* What the kernel says of the thread. */
static void thread_of(struct gen *g, uint32_t id, uint64_t slices, uint64_t ns)
{
	struct coroprof_channel_status *s;

	channel(g, id, 1000);
	s = gen_status(g, id);
	s->begin = 1000;
	s->slices = slices;
	s->running_ns = ns;
	s->standing = COUNTED;
	s->count[0] = 10 * ns;
	s->count[1] = 20 * ns;
}

static struct cell cell(const struct model *m, const char *table, uint32_t row, const char *column)
{
	struct sheet sheet;
	struct cell cell;

	assert_int_equal(sheet_open(&sheet, table_named(table), m), 0);
	cell = sheet_cell(&sheet, row, (unsigned int)sheet_find(&sheet, column, strlen(column)));
	sheet_close(&sheet);
	return cell;
}

static void labels_and_coroutines_have_what_slots_say(void **state)
{
	struct gen *g = begin_totals();
	const struct coroprof_slot slots[] = {
		slot_of(10, 1, 3, 300), slot_of(11, 1, 1, 100), slot_of(12, 2, 2, 50),
		slot_of(13 | COROPROF_ID_THREAD, 0, 4, 30),
	};
	const struct model_label *a;
	struct model *m;

	(void)state;
	thread_of(g, 1, 10, 480);
	write_totals(g, slots, 4);
	m = load(g);
	a = label(m, "a");
	assert_true(m->totals);
	assert_int_equal(a->coroutines, 2);
	assert_int_equal(a->times.slices, 4);
	assert_int_equal(a->times.running_ns, 400);
	assert_int_equal(model_label_value(m, label_row(m, 1, "a"), 1).count, 8000);
	assert_int_equal(m->nr_coroutines, 4);
	assert_int_equal(m->nr_coroutines_total, 3);
	assert_int_equal(model_total_value(m, 0).count, 4800);
	assert_int_equal(m->times.slices, 10);
	assert_int_equal(m->channels[0].times.running_ns, 480);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	assert_int_equal(m->nr_labels, 3);
	model_free(m);
}

/* A column of what only slices say would have n/a in each row. */
static void one_screen_has_labels_and_their_counts(void **state)
{
	const struct coroprof_slot slots[] = { slot_of(10, 1, 3, 300), slot_of(12, 2, 2, 50) };
	struct gen *g = begin_totals();
	char *text;

	(void)state;
	thread_of(g, 1, 5, 350);
	write_totals(g, slots, 2);
	text = written_by(load(g), text_write, &(struct view_options){ .digest = true });
	assert_non_null(strstr(text, "\nlabel  coroutines  slices  running       %  cycles  instructions\n"
			       "a               1       3   300 ns  85.7 %  3.00 k        6.00 k\n"));
	free(text);
}

static void what_only_slices_say_is_not_there(void **state)
{
	static const char *const columns[] = {
		"suspended", "awaiting", "ready", "unseen_gaps", "p50", "p99", "shortest", "longest",
	};
	const struct coroprof_slot slot = slot_of(10, 1, 3, 300);
	struct gen *g = begin_totals();
	struct model *m;

	(void)state;
	thread_of(g, 1, 3, 300);
	write_totals(g, &slot, 1);
	m = load(g);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		assert_int_equal(cell(m, "labels", 0, columns[i]).standing, STANDING_NA);
	assert_int_equal(cell(m, "labels", 0, "running_mean").number, 100);
	assert_int_equal(cell(m, "coroutines", 0, "tag").number, 7);
	assert_int_equal(cell(m, "coroutines", 0, "lifetime").standing, STANDING_NA);
	assert_int_equal(cell(m, "threads", 0, "outside").standing, STANDING_NA);
	model_free(m);
}

static void threads_outside_coroutines_are_idle(void **state)
{
	struct coroprof_slot slots[] = { slot_of(10, 1, 3, 300), slot_of(13 | COROPROF_ID_THREAD, 0, 4, 30) };
	struct gen *g = begin_totals();
	struct model *m;

	(void)state;
	slots[0].blocked_ns = 5;
	slots[1].blocked_ns = 70;
	thread_of(g, 1, 7, 330);
	gen_status(g, 1)->blocked_ns = 75;
	write_totals(g, slots, 2);
	m = load(g);
	assert_int_equal(m->times.blocked_ns, 5);
	assert_int_equal(m->times.idle_ns, 70);
	assert_int_equal(m->nr_labels, 2);
	/* Of a thread only the sum of both is known. */
	assert_int_equal(cell(m, "threads", 0, "blocked").standing, STANDING_NA);
	assert_int_equal(cell(m, "threads", 0, "idle").standing, STANDING_NA);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	model_free(m);
}

static void those_that_have_ended_are_counted(void **state)
{
	struct coroprof_slot slots[] = { slot_of(10, 1, 3, 300), slot_of(1, 1, 50, 700) };
	struct gen *g = begin_totals();
	const struct model_label *a;
	struct model *m;

	(void)state;
	slots[1].id |= COROPROF_ID_ENDED;
	slots[1].tag = 25;
	thread_of(g, 1, 53, 1000);
	write_totals(g, slots, 2);
	m = load(g);
	a = label(m, "a");
	assert_int_equal(a->coroutines, 26);
	assert_int_equal(a->times.slices, 53);
	assert_int_equal(m->nr_coroutines, 1);
	assert_int_equal(m->nr_coroutines_total, 26);
	assert_int_equal(m->nr_folded_coroutines, 25);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	model_free(m);
}

static void what_is_in_no_slot_is_a_row(void **state)
{
	const struct coroprof_slot slot = slot_of(10, 1, 3, 300);
	struct gen *g = begin_totals();
	const struct model_label *rest;
	struct model *m;

	(void)state;
	thread_of(g, 1, 4, 200);
	thread_of(g, 2, 6, 300);
	write_totals(g, &slot, 1);
	m = load(g);
	rest = label(m, "(in no slot)");
	assert_int_equal(rest->kind, MODEL_LABEL_REST);
	assert_int_equal(rest->times.slices, 7);
	assert_int_equal(rest->times.running_ns, 200);
	assert_int_equal(model_label_value(m, label_row(m, 1, "(in no slot)"), 0).count, 2000);
	assert_int_equal(cell(m, "labels", label_row(m, 1, "(in no slot)"), "coroutines").standing,
			 STANDING_NA);
	assert_int_equal(m->times.slices, 10);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	model_free(m);
}

/* Of one figure, and of sums that would wrap to what the threads have. */
static void slots_of_more_than_threads_break_the_sums(void **state)
{
	struct coroprof_slot slots[] = {
		slot_of(10, 1, 3, 300), slot_of(11, 1, 0, 0), slot_of(12, 1, 0, 0),
	};
	struct gen *g = begin_totals();
	struct model *m;

	(void)state;
	slots[1].slices = slots[2].slices = 1ULL << 63;
	thread_of(g, 1, 3, 300);
	write_totals(g, slots, 3);
	m = load(g);
	assert_int_equal(m->channels[0].check, MODEL_FAILED);
	assert_int_equal(m->failed_checks, 1);
	assert_says(m->channels[0].check_text, "number of slices");
	model_free(m);

	g = begin_totals();
	slots[0].count[1]++;
	thread_of(g, 1, 3, 300);
	write_totals(g, slots, 1);
	m = load(g);
	assert_int_equal(m->channels[0].check, MODEL_FAILED);
	assert_says(m->channels[0].check_text, "instructions");
	model_free(m);
}

/* One coroutine takes back more than another has counted: what is in no slot is 6. */
static void the_programs_own_may_go_down(void **state)
{
	static const struct coroprof_counter own = { .type = COROPROF_TYPE_PROGRAM };
	struct gen *g = begin_totals_of(&own);
	struct coroprof_slot slots[] = { slot_of(10, 1, 3, 300), slot_of(11, 2, 1, 100) };
	struct model *m;

	(void)state;
	slots[0].count[1] = 4;
	slots[1].count[1] = -7ULL;
	thread_of(g, 1, 5, 500);
	gen_status(g, 1)->count[1] = 3;
	write_totals(g, slots, 2);
	m = load(g);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	assert_int_equal(model_label_value(m, label_row(m, 1, "a"), 1).count, 4);
	assert_int_equal(model_label_value(m, label_row(m, 1, "b"), 1).count, -7ULL);
	assert_int_equal(model_label_value(m, label_row(m, 1, "(in no slot)"), 1).count, 6);
	model_free(m);
}

static void damaged_totals_are_reported(void **state)
{
	const struct cprof_totals heads[] = { { 1, 16 }, { 99, sizeof(struct coroprof_slot) } };
	struct gen *g = begin_totals();
	struct model *m;

	(void)state;
	thread_of(g, 1, 3, 300);
	gen_segment(g, CPROF_SEGMENT_TOTALS, "1", 1);
	gen_segment(g, CPROF_SEGMENT_TOTALS, &heads[0], sizeof(heads[0]));
	gen_segment(g, CPROF_SEGMENT_TOTALS, &heads[1], sizeof(heads[1]));
	m = load(g);
	assert_int_equal(m->nr_damage, 3);
	assert_says(m->damage[2].text, "process 99");
	assert_int_equal(label(m, "(in no slot)")->times.slices, 3);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_and_coroutines_have_what_slots_say),
		cmocka_unit_test(what_only_slices_say_is_not_there),
		cmocka_unit_test(threads_outside_coroutines_are_idle),
		cmocka_unit_test(those_that_have_ended_are_counted),
		cmocka_unit_test(what_is_in_no_slot_is_a_row),
		cmocka_unit_test(slots_of_more_than_threads_break_the_sums),
		cmocka_unit_test(one_screen_has_labels_and_their_counts),
		cmocka_unit_test(the_programs_own_may_go_down),
		cmocka_unit_test(damaged_totals_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
