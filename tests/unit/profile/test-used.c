// SPDX-License-Identifier: GPL-2.0
/* What processes used of the CPUs, beside what was recorded of them. */
#include "gen/recording.h"

#include "cprof/format.h"
#include "tables/unrecorded.h"

static void used(struct gen *g, uint32_t process_id, uint64_t ns, uint32_t flags, uint32_t threads)
{
	const struct cprof_cpu cpu = {
		.process_id = process_id, .flags = flags, .ns = ns, .threads = threads,
	};

	gen_segment(g, CPROF_SEGMENT_CPU, &cpu, sizeof(cpu));
}

/* One thread of process 1, which ran for 4000 ns. */
static struct gen *begin(void)
{
	struct gen *g = begin_recording();

	channel(g, 1, 1000);
	SLICE(g, 1, 5, 1000, 5000, .label = 1);
	return g;
}

static void assert_said(struct model *m, const char *says)
{
	assert_int_equal(unrecorded_make(m), 0);
	assert_string_equal(m->unrecorded, says);
	model_free(m);
}

static void what_no_slice_has_was_not_recorded(void **state)
{
	struct gen *g = begin();
	struct model *m;

	(void)state;
	used(g, 1, 7000, 0, 9);
	used(g, 1, 10000, 0, 3);
	m = load(g);
	assert_ns(m->processes[0].cpu, MODEL_EXACT, 10000);
	assert_ns(m->processes[0].unrecorded, MODEL_EXACT, 6000);
	assert_int_equal(m->processes[0].others, 3);
	assert_said(m, ">=3 threads without coroutines, 6.00 us of CPU (60.0 % of the process), with what recorded threads ran before their first coroutine; --threads records those of pthread_create()");
}

/* By two clocks it may even seem less than nothing. */
static void all_may_be_recorded(void **state)
{
	struct gen *g = begin();

	(void)state;
	used(g, 1, 3999, 0, 0);
	assert_said(load(g), "no thread without coroutines was seen, 0 ns of CPU (0.0 % of the process), with what recorded threads ran before their first coroutine");
}

static void what_threads_would_have_is_not_said_where_it_was_given(void **state)
{
	struct gen *g = begin();

	(void)state;
	gen_info(g, "threads", "from their begin");
	used(g, 1, 10000, 0, 1);
	assert_said(load(g), ">=1 thread without coroutines, 6.00 us of CPU (60.0 % of the process), with what recorded threads ran before their first coroutine");
}

static void what_was_used_after_the_last_look_is_not_known(void **state)
{
	struct gen *g = begin();
	struct model *m;

	(void)state;
	used(g, 1, 10000, CPROF_CPU_AT_LEAST, 1);
	m = load(g);
	assert_ns(m->processes[0].unrecorded, MODEL_AT_LEAST, 6000);
	assert_said(m, ">=1 thread without coroutines, >=6.00 us of CPU (~60.0 % of the process), with what recorded threads ran before their first coroutine; --threads records those of pthread_create()");
}

/* It is a bound where nothing is known of one of two processes. */
static void sums_of_processes_are_bounds_where_one_is_not_known(void **state)
{
	struct gen *g = begin();

	(void)state;
	gen_process(g, 2, 43, "other", 1000);
	used(g, 1, 10000, 0, 3);
	assert_said(load(g), ">=3 threads without coroutines, >=6.00 us of CPU (~60.0 % of the processes), with what recorded threads ran before their first coroutine; --threads records those of pthread_create()");
}

static void older_files_do_not_tell(void **state)
{
	struct model *m = load(begin());

	(void)state;
	assert_int_equal(m->processes[0].cpu.known, MODEL_NA);
	assert_said(m, "n/a, the recording does not have what its processes used of the CPUs");
}

static void nobody_knows_it_of_a_part(void **state)
{
	const struct model_options part = { .from_ns = 1000 };
	struct gen *g = begin();

	(void)state;
	used(g, 1, 10000, 0, 3);
	assert_said(load_with(g, &part), "n/a of a part of a recording");
}

/* Of processes that nobody knows, and half a one. */
static void nonsense_is_passed_over(void **state)
{
	struct gen *g = begin();

	(void)state;
	used(g, 77, 10000, 0, 3);
	gen_segment(g, CPROF_SEGMENT_CPU, "half", 4);
	assert_said(load(g), "n/a, the recording does not have what its processes used of the CPUs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_no_slice_has_was_not_recorded),
		cmocka_unit_test(all_may_be_recorded),
		cmocka_unit_test(what_threads_would_have_is_not_said_where_it_was_given),
		cmocka_unit_test(what_was_used_after_the_last_look_is_not_known),
		cmocka_unit_test(sums_of_processes_are_bounds_where_one_is_not_known),
		cmocka_unit_test(older_files_do_not_tell),
		cmocka_unit_test(nobody_knows_it_of_a_part),
		cmocka_unit_test(nonsense_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
