// SPDX-License-Identifier: GPL-2.0
/*
 * A recording in which all is right, as the self-test knows it, and the same with one
 * figure that is not: the check of that figure, and no other, finds it.
 */
#include "profile/sums.h"
#include "support.h"


#include "selftest/judge.h"
#include "selftest/work.h"

#define MS 1000000ull

enum { INSTRUCTIONS, MISSES, FAULTS, COLUMNS };

/* Kinds in the order of their rows. */
static const enum truth_kind kinds[] = {
	TRUTH_SHORT, TRUTH_LONGER, TRUTH_CPU, TRUTH_CPU, TRUTH_MOVES, TRUTH_PREEMPTED,
	TRUTH_BLOCKED, TRUTH_NEAR, TRUTH_FAR, TRUTH_PAGES,
};
enum { SHORT, LONGER, CPU0, CPU1, MOVES, PREEMPTED, BLOCKED, NEAR, FAR, PAGES, ROWS };

/* And of one that is sampled. */
enum { ONE, OTHER, SAMPLED };

static struct model model;
static struct model_channel channel;
static struct model_mode_row mode;
static struct model_coroutine coroutines[ROWS];
static struct model_sum cells[ROWS * COLUMNS];
static struct model_label labels[SAMPLED];
static struct model_frame frames[SAMPLED];
static struct model_label_frame label_frames[SAMPLED];
static struct truth truth;
static struct results results;
static struct evidence evidence;

static void put_coroutine(uint32_t row, enum truth_kind kind, uint64_t instructions)
{
	truth.coroutine[row] = (struct truth_coroutine){
		.kind = kind, .cpu = kind == TRUTH_CPU ? (int32_t)(row - CPU0) : -1,
		.slices = 4, .instructions = instructions,
		.wall_min_ns = 10 * MS, .wall_max_ns = 11 * MS,
		.cpu_min_ns = 10 * MS, .cpu_max_ns = 11 * MS,
	};
	coroutines[row] = (struct model_coroutine){
		.flags = MODEL_COROUTINE_BORN, .tag = row + 1, .label = row % SAMPLED,
		.times = { .slices = 4, .running_ns = 10 * MS + 500000 },
	};
	for (unsigned int i = 0; i < COLUMNS; i++)
		cells[row * COLUMNS + i].seen = SUM_COUNTED;
	cells[row * COLUMNS + INSTRUCTIONS].count = instructions + 1000;
}

static void begin(void)
{
	static struct model_counter columns[COLUMNS] = {
		[INSTRUCTIONS].name = "instructions", [MISSES].name = "cache-misses",
		[FAULTS].name = "page-faults",
	};

	memset(cells, 0, sizeof(cells));
	channel = (struct model_channel){ .mode = COROPROF_MODE_IOCTL, .check = MODEL_CHECKED };
	mode = (struct model_mode_row){ .why = "a reason", .found = NULL, .fix = "a fix" };
	model = (struct model){
		.counters = { columns[0], columns[1], columns[2] }, .nr_counters = COLUMNS,
		.channels = &channel, .nr_channels = 1, .modes = &mode, .nr_modes = 1,
		.coroutines = coroutines, .coroutine_sums = cells,
		.labels = labels, .nr_labels = SAMPLED,
	};
	memset(&truth, 0, sizeof(truth));
	memset(&results, 0, sizeof(results));
	evidence = (struct evidence){
		.results = &results, .how = "by ioctl", .model = &model, .truth = &truth,
	};
}

static void begin_right(void)
{
	begin();
	for (uint32_t i = 0; i < ROWS; i++)
		put_coroutine(i, kinds[i], 2000000);
	truth.nr = model.nr_coroutines = ROWS;
	truth.cpus = 2;
	truth.coroutine[LONGER].instructions += 2000000;
	cells[LONGER * COLUMNS + INSTRUCTIONS].count += 2000000;
	truth.coroutine[PREEMPTED].preempted_min = 3;
	coroutines[PREEMPTED].times.nr_preempted = 4;
	coroutines[PREEMPTED].times.preempted_ns = 1000;
	truth.coroutine[BLOCKED].slept_ns = 5 * MS;
	coroutines[BLOCKED].times.running_ns -= 5 * MS;
	coroutines[BLOCKED].times.blocked_ns = 5 * MS;
	coroutines[BLOCKED].times.nr_blocked = 4;
	truth.coroutine[NEAR].accesses = truth.coroutine[FAR].accesses = 1000;
	cells[NEAR * COLUMNS + MISSES].count = 3;
	cells[FAR * COLUMNS + MISSES].count = 900;
	truth.coroutine[PAGES].pages = cells[PAGES * COLUMNS + FAULTS].count = 256;
}

static void begin_sampled(void)
{
	begin();
	truth.plan.sampled = true;
	put_coroutine(ONE, TRUTH_ONE, 100ull * SAMPLED_PERIOD);
	put_coroutine(OTHER, TRUTH_OTHER, 300ull * SAMPLED_PERIOD);
	truth.nr = model.nr_coroutines = SAMPLED;
	labels[ONE].samples = 100;
	labels[OTHER].samples = 300;
	frames[ONE].name = "selftest_one";
	frames[OTHER].name = "selftest_other";
	label_frames[ONE] = (struct model_label_frame){ .label = ONE, .frame = ONE, .own = 100 };
	label_frames[OTHER] =
		(struct model_label_frame){ .label = OTHER, .frame = OTHER, .own = 300 };
	model.sample_period = SAMPLED_PERIOD;
	model.frames = frames;
	model.nr_frames = SAMPLED;
	model.label_frames = label_frames;
	model.nr_label_frames = SAMPLED;
}

static const struct result *find(const char *check)
{
	for (unsigned int i = 0; i < results.nr; i++) {
		if (!strcmp(results.row[i].check, check))
			return &results.row[i];
	}
	fail_msg("there is no check '%s'", check);
	return NULL;
}

/* The check finds it, in these words, and none other does. */
static void finds(const char *check, const char *words)
{
	judge(&evidence);
	assert_int_equal(find(check)->verdict, VERDICT_WRONG);
	assert_says(find(check)->text, words);
	assert_int_equal(results_count(&results, VERDICT_WRONG), 1);
}

static void finds_nothing_wrong(unsigned int untestable)
{
	judge(&evidence);
	assert_int_equal(results_count(&results, VERDICT_WRONG), 0);
	assert_int_equal(results_count(&results, VERDICT_NONE), untestable);
}

static void finds_all_right(void **state)
{
	(void)state;
	begin_right();
	finds_nothing_wrong(0);
	begin_sampled();
	finds_nothing_wrong(0);
}

static void finds_counts_that_are_wrong(void **state)
{
	(void)state;
	begin_right();
	cells[LONGER * COLUMNS + INSTRUCTIONS].count -= 5000;
	finds("instructions, short slices", "-0.250 %");
	begin_right();
	cells[MOVES * COLUMNS + INSTRUCTIONS].count += 13000;
	finds("instructions, migrated", "that this coroutine did not cause");
	begin_right();
	cells[PREEMPTED * COLUMNS + INSTRUCTIONS].count = 0;
	finds("instructions, preempted", "events are lost");
	begin_right();
	cells[FAR * COLUMNS + MISSES].count = 30;
	finds("cache misses", "30 in 1000 accesses");
	begin_right();
	cells[NEAR * COLUMNS + MISSES].count = 90;
	finds("cache misses", "90 in as many");
	begin_right();
	cells[PAGES * COLUMNS + FAULTS].count = 255;
	finds("page faults", "255 for 256");
	begin_right();
	cells[PAGES * COLUMNS + FAULTS].count = 282;
	finds("page faults", "282 for 256");
}

static void distinguishes_a_cpu_from_a_pmu(void **state)
{
	(void)state;
	begin_right();
	cells[CPU1 * COLUMNS + INSTRUCTIONS].count = 0;
	finds("instructions, each CPU", "1 of 2 CPUs do not count what they run: it is counted on another one, or nowhere; CPU 1: 0 of 2000000");
	begin_right();
	cells[CPU0 * COLUMNS + INSTRUCTIONS].count = cells[CPU1 * COLUMNS + INSTRUCTIONS].count =
		1980000;
	finds("instructions, each CPU", "every CPU counts -1.00 %");
	/* All on one of two, as if the other one had worked. */
	begin_right();
	cells[CPU0 * COLUMNS + INSTRUCTIONS].count = 0;
	cells[CPU1 * COLUMNS + INSTRUCTIONS].count = 4000000;
	finds("instructions, each CPU", "2 of 2 CPUs do not count what they run");
}

static void says_which_cpus_count(void **state)
{
	(void)state;
	begin_right();
	cells[CPU1 * COLUMNS + INSTRUCTIONS].seen = 1u << COROPROF_STANDING_SCALED;
	finds_nothing_wrong(1);
	assert_says(results.row[3].text, "1 of them");
	assert_says(results.row[4].text, "CPU 1: it was not on the PMU all the time");
}

static void finds_times_that_are_wrong(void **state)
{
	(void)state;
	begin_right();
	coroutines[MOVES].times.running_ns = 11 * MS + 9000;
	finds("time of slices", "'': 11.009000 ms, it took from 10.000000 to 11.000000 ms");
	begin_right();
	coroutines[FAR].times.running_ns = 10 * MS - 9000;
	finds("time of slices", "9.991000 ms");
	begin_right();
	for (unsigned int i = 0; i < ROWS; i++)
		truth.coroutine[i].cpu_min_ns = 40 * MS;
	finds("running time", "the scheduler's own clock");
	begin_right();
	for (unsigned int i = 0; i < ROWS; i++) {
		coroutines[i].times.running_ns += 100 * MS;
		truth.coroutine[i].wall_min_ns += 100 * MS;
		truth.coroutine[i].wall_max_ns += 100 * MS;
	}
	finds("running time", "the scheduler's own clock");
	begin_right();
	coroutines[BLOCKED].times.blocked_ns -= MS;
	coroutines[BLOCKED].times.running_ns += MS;
	finds("blocked time", "4.000 ms");
	begin_right();
	coroutines[PREEMPTED].times.nr_preempted = 2;
	finds("preempted", "2 times");
	begin_right();
	truth.back_ns = 5;
	truth.back_to = 1;
	finds("clock, from CPU to CPU", "goes back by 5 ns from CPU 0 to CPU 1");
}

static void finds_slices_that_are_wrong(void **state)
{
	(void)state;
	begin_right();
	coroutines[LONGER].times.slices = 3;
	finds("slices", "has 3 slices of 4");
	begin_right();
	model.nr_coroutines--;
	finds("slices", "has 0 slices of 4");
	begin_right();
	channel.check = MODEL_FAILED;
	channel.check_text = "its sums differ";
	finds("conservation", "its sums differ");
}

static void finds_samples_that_are_wrong(void **state)
{
	(void)state;
	begin_sampled();
	labels[ONE].samples = 93;
	finds("samples", "93 of 100");
	begin_sampled();
	labels[OTHER].samples = 311;
	finds("samples, three times as many", "311 of 300");
	cells[OTHER * COLUMNS + INSTRUCTIONS].seen = SUM_SCALED;
	results.nr = 0;
	finds("samples, three times as many", "311 of 300");
	begin_sampled();
	label_frames[OTHER].label = ONE;
	finds("samples, by function", "100 in the function of their coroutine, 300 in that of another");
}

/* That is no defect of the machine. */
static void says_what_can_not_be_tested(void **state)
{
	(void)state;
	begin_right();
	evidence.user = true;
	finds_nothing_wrong(1);
	assert_int_equal(results.nr, 1);
	assert_says(results.row[0].text, "by ioctl: a reason; a fix");
	begin_right();
	truth.coroutine[PREEMPTED].preempted_min = 0;
	finds_nothing_wrong(1);
	begin_right();
	channel.check = MODEL_NOT_CHECKED;
	channel.check_text = "slices were lost";
	finds_nothing_wrong(1);
	begin_sampled();
	model.throttled = 1;
	finds_nothing_wrong(1);
	begin_sampled();
	cells[OTHER * COLUMNS + INSTRUCTIONS].seen = SUM_SCALED;
	labels[OTHER].samples = 0;
	finds_nothing_wrong(1);
	begin_sampled();
	model.nr_label_frames = 0;
	finds_nothing_wrong(1);
	begin_right();
	model.hypervisor = true;
	cells[FAR * COLUMNS + MISSES].count = 3;
	finds_nothing_wrong(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_all_right),
		cmocka_unit_test(finds_counts_that_are_wrong),
		cmocka_unit_test(distinguishes_a_cpu_from_a_pmu),
		cmocka_unit_test(says_which_cpus_count),
		cmocka_unit_test(finds_times_that_are_wrong),
		cmocka_unit_test(finds_slices_that_are_wrong),
		cmocka_unit_test(finds_samples_that_are_wrong),
		cmocka_unit_test(says_what_can_not_be_tested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
