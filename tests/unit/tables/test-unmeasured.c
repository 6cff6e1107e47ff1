// SPDX-License-Identifier: GPL-2.0
/*
 * Why a gap between slices was not measured. In each of these recordings coroutine 10 runs on
 * thread 1 and goes on elsewhere or later, and one thing alone lies between.
 */
#include <errno.h>

#include "cprof/format.h"
#include "gen/recording.h"
#include "output/unreported.h"
#include "tables/unmeasured.h"

/* Uses up the model. @cut: of the gaps that were not measured. */
static void assert_says(struct model *m, uint64_t gaps, uint64_t cut, const char *lacks,
			const char *says)
{
	const struct model_times *t = &coroutine(m, 1, 10)->times;

	assert_int_equal(unmeasured_make(m), 0);
	assert_int_equal(t->unseen_gaps, gaps);
	assert_int_equal(t->cut_gaps, cut);
	if (lacks)
		assert_string_equal(m->processes[0].lacks, lacks);
	else
		assert_null(m->processes[0].lacks);
	if (says)
		assert_string_equal(m->unmeasured, says);
	else
		assert_null(m->unmeasured);
	model_free(m);
}

/* Thread 2 never has coroutine 10 before 1100. */
static struct gen *begin(void)
{
	struct gen *g = begin_recording();

	channel(g, 1, 1000);
	channel(g, 2, 1000);
	SLICE(g, 2, THREAD(2), 1000, 1100);
	SLICE(g, 2, 10, 1100, 1110, .label = 1);
	gen_drain_stream(g);
	gen_drain(g, 2);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	return g;
}

static void says_nothing_of_a_gap_that_was_measured(void **state)
{
	struct gen *g = begin();

	(void)state;
	SLICE(g, 1, THREAD(1), 1010, 1120);
	assert_says(load(g), 0, 0, NULL, NULL);
}

static void reports_slices_that_found_a_ring_full(void **state)
{
	struct gen *g = begin();

	(void)state;
	gen_lost(g, 1, 1050, 3, true);
	SLICE(g, 1, THREAD(1), 1050, 1120);
	assert_says(load(g), 1, 0, "3 slices found a ring full",
		    "1 not measured: in 1 of them slices may be missing: 3 slices found a ring full");
}

static void reports_a_thread_that_could_not_be_recorded(void **state)
{
	struct gen *g = begin();

	(void)state;
	SLICE(g, 1, THREAD(1), 1010, 1120);
	gen_channel_error(g, 3, 1, 103, 1000, ENOMEM);
	assert_says(load(g), 1, 0, "1 thread could not be recorded",
		    "1 not measured: in 1 of them slices may be missing: 1 thread could not be recorded");
}

static void reports_a_ring_that_made_no_sense(void **state)
{
	static const uint32_t junk[4] = { 0x00030001, 1, 2, 3 };
	struct gen *g = begin();

	(void)state;
	gen_ring_bytes(g, 1, junk, sizeof(junk));
	gen_drain(g, 1);
	SLICE(g, 1, THREAD(1), 1110, 1120);
	assert_says(load(g), 1, 0, "1 thread left a ring of which a part can't be read",
		    "1 not measured: in 1 of them slices may be missing: 1 thread left a ring of which a part can't be read");
}

/* Where the first segment of that type begins, behind @skip others. */
static uint64_t place_of(unsigned int type, unsigned int skip)
{
	struct error err = ERROR_NONE;
	uint64_t place = 0;
	struct file *f;

	assert_int_equal(file_open(&f, recording_path, &err), 0);
	for (size_t i = 0; i < f->nr_segments && !place; i++)
		if (f->segments[i].type == type && !skip--)
			place = f->segments[i].offset;
	file_close(f);
	assert_int_not_equal(place, 0);
	return place;
}

/* Ends it in two segments of thread 1, without an index. */
static void close_in_two(struct gen *g)
{
	gen_drain(g, 1);
	SLICE(g, 1, THREAD(1), 1010, 1120);
	gen_close(g, false);
}

static struct model *load_written(void)
{
	struct model *m = load_path(recording_path, NULL);

	unlink(recording_path);
	return m;
}

static void reports_a_file_that_is_truncated(void **state)
{
	(void)state;
	close_in_two(begin());
	assert_int_equal(truncate(recording_path, (off_t)place_of(CPROF_SEGMENT_RING, 2) + 50), 0);
	assert_says(load_written(), 1, 0, "2 threads ran on where the file is torn",
		    "1 not measured: in 1 of them slices may be missing: 2 threads ran on where the file is torn");
}

static void reports_a_file_that_is_damaged(void **state)
{
	FILE *file;

	(void)state;
	close_in_two(begin());
	file = fopen(recording_path, "r+");
	assert_non_null(file);
	assert_int_equal(fseek(file, (long)place_of(CPROF_SEGMENT_RING, 2), SEEK_SET), 0);
	assert_int_equal(fputc('?', file), '?');
	assert_int_equal(fclose(file), 0);
	assert_says(load_written(), 1, 0, "1 thread ran where the file is damaged",
		    "1 not measured: in 1 of them slices may be missing: 1 thread ran where the file is damaged");
}

static void reports_a_recording_that_was_not_ended(void **state)
{
	(void)state;
	close_in_two(begin());
	assert_int_equal(truncate(recording_path, (off_t)place_of(CPROF_SEGMENT_RING, 2)), 0);
	assert_says(load_written(), 1, 0,
		    "2 threads ran on where the recording was not ended in order",
		    "1 not measured: in 1 of them slices may be missing: 2 threads ran on where the recording was not ended in order");
}

#define CUT(nr) nr " of them a thread was not recorded, as its recording began or ended there"

static void reports_a_thread_that_was_detached(void **state)
{
	struct gen *g = begin_recording();

	(void)state;
	channel(g, 1, 1000);
	channel(g, 2, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1, .flags = COROPROF_SLICE_CUT);
	gen_channel_end(g, 1);
	SLICE(g, 2, THREAD(2), 1000, 1100);
	SLICE(g, 2, 10, 1100, 1110, .label = 1);
	assert_says(load(g), 1, 1, NULL, "1 not measured: in " CUT("1"));
}

static void reports_a_thread_that_joined_late(void **state)
{
	struct gen *g = begin_recording();

	(void)state;
	channel(g, 1, 1000);
	channel(g, 2, 1100);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	SLICE(g, 1, THREAD(1), 1010, 1120);
	SLICE(g, 2, 10, 1100, 1110, .label = 1, .flags = COROPROF_SLICE_FIRST);
	assert_says(load(g), 1, 1, NULL, "1 not measured: in " CUT("1"));
}

/* That it ran in the time between is known of the thread alone, not by its slices. */
static void reports_a_process_that_was_attached_again(void **state)
{
	struct gen *g = begin_recording();

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	SLICE(g, 1, THREAD(1), 1010, 1020, .flags = COROPROF_SLICE_CUT);
	gen_channel_end(g, 1);
	gen_channel(g, 2, 1, 101, "thread", 1090, NULL, 0);
	SLICE(g, 2, THREAD(1), 1090, 1100, .flags = COROPROF_SLICE_FIRST);
	SLICE(g, 2, 10, 1100, 1110, .label = 1);
	assert_says(load(g), 1, 1, NULL, "1 not measured: in " CUT("1"));
}

/* A switch that was not reported, as one that a filter of system calls refuses, is in no gap. */
static void reports_unreported_switches_of_slices(void **state)
{
	struct gen *g = begin();
	struct model *m;
	char *unreported;

	(void)state;
	SLICE(g, 1, 11, 1010, 1120, .label = 2, .flags = COROPROF_SLICE_UNREPORTED);
	m = load(g);
	unreported = unreported_text(m);
	assert_string_equal(unreported,
			    "1 slice, running 110 ns, may be other coroutines' in part, of these labels: b (1 slice, running 110 ns)");
	free(unreported);
	assert_says(m, 0, 0, NULL, NULL);
}

/* What lies outside of it is not missing from it. */
static void says_nothing_of_what_lies_outside_a_part(void **state)
{
	struct gen *g = begin();
	const struct model_options part = { .from_ns = 20, .to_ns = 110 };

	(void)state;
	gen_lost(g, 1, 1015, 3, true);
	SLICE(g, 1, THREAD(1), 1015, 1030);
	SLICE(g, 1, 10, 1030, 1040, .label = 1);
	SLICE(g, 1, THREAD(1), 1040, 1120);
	assert_says(load_with(g, &part), 0, 0, NULL, NULL);
}

static void distinguishes_causes(void **state)
{
	struct gen *g = begin_recording();

	(void)state;
	channel(g, 1, 1000);
	channel(g, 2, 1200);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	gen_lost(g, 1, 1015, 3, true);
	SLICE(g, 1, 10, 1015, 1030, .label = 1);
	SLICE(g, 1, THREAD(1), 1030, 1220);
	SLICE(g, 2, 10, 1200, 1210, .label = 1, .flags = COROPROF_SLICE_FIRST);
	assert_says(load(g), 2, 1, "3 slices found a ring full",
		    "2 not measured: in " CUT("1") "; in 1 of them slices may be missing: 3 slices found a ring full");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_nothing_of_a_gap_that_was_measured),
		cmocka_unit_test(reports_slices_that_found_a_ring_full),
		cmocka_unit_test(reports_a_thread_that_could_not_be_recorded),
		cmocka_unit_test(reports_a_ring_that_made_no_sense),
		cmocka_unit_test(reports_a_file_that_is_truncated),
		cmocka_unit_test(reports_a_file_that_is_damaged),
		cmocka_unit_test(reports_a_recording_that_was_not_ended),
		cmocka_unit_test(reports_a_thread_that_was_detached),
		cmocka_unit_test(reports_a_thread_that_joined_late),
		cmocka_unit_test(reports_a_process_that_was_attached_again),
		cmocka_unit_test(reports_unreported_switches_of_slices),
		cmocka_unit_test(says_nothing_of_what_lies_outside_a_part),
		cmocka_unit_test(distinguishes_causes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
