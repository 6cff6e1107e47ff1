// SPDX-License-Identifier: GPL-2.0
/* How threads switch, why so, and what that cost; rings that threads write. */
#include <errno.h>

#include "cprof/format.h"
#include "explain/reason.h"
#include "gen/recording.h"

static void groups_threads(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	gen_info(g, "perf_event_paranoid", "3");
	gen_mode(g, COROPROF_MODE_IOCTL, COROPROF_REASON_PARANOID);
	channel(g, 1, 1000);
	gen_mode(g, COROPROF_MODE_USER, 0);
	channel(g, 2, 1000);
	gen_mode(g, COROPROF_MODE_IOCTL, COROPROF_REASON_OWN);
	channel(g, 3, 1000);
	channel(g, 4, 1000);
	gen_channel_error(g, 5, 1, 105, 1000, ENOMEM);
	m = load(g);
	assert_int_equal(m->nr_modes, 3);
	assert_int_equal(m->modes[0].mode, COROPROF_MODE_USER);
	assert_int_equal(m->modes[0].threads, 1);
	assert_null(m->modes[0].why);
	assert_int_equal(m->modes[1].reason, COROPROF_REASON_OWN);
	assert_int_equal(m->modes[1].threads, 2);
	assert_null(m->modes[1].fix);
	assert_string_equal(m->modes[2].found, "kernel.perf_event_paranoid is 3");
	assert_string_equal(m->modes[2].fix,
			    "record it as root, or sudo sysctl kernel.perf_event_paranoid=2");
	assert_int_equal(m->channels[0].mode_row, 2);
	assert_int_equal(m->channels[1].mode_row, 0);
	assert_int_equal(m->channels[4].mode, MODEL_MODE_UNKNOWN);
	assert_int_equal(m->channels[4].mode_row, MODEL_NONE);
	model_free(m);
}

static void names_the_event_that_can_not(void **state)
{
	const struct coroprof_counter clock = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
	}, of_cpu = { .type = 8, .config = 1 }, uncore = { .type = 12 };
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	gen_info(g, "cpu_pmu_types", "4,8");
	gen_counter(g, &clock, "task-clock");
	gen_counter(g, &of_cpu, "l2_refill");
	gen_counter(g, &uncore, "uncore/x/");
	gen_mode(g, COROPROF_MODE_IOCTL, COROPROF_REASON_EVENT);
	channel(g, 1, 1000);
	m = load(g);
	assert_string_equal(m->modes[0].found,
			    "not counted by the CPU's PMU: task-clock,uncore/x/");
	assert_string_equal(m->modes[0].fix,
			    "leave task-clock,uncore/x/ out of -e");
	model_free(m);
}

static void assert_reason(unsigned int reason, const struct reason_context *context,
			  const char *found, const char *fix)
{
	char text[REASON_SIZE];

	assert_non_null(reason_mode(reason));
	if (reason_mode_found(text, reason, context))
		assert_string_equal(text, found);
	else
		assert_null(found);
	if (reason_mode_fix(text, reason, context))
		assert_string_equal(text, fix);
	else
		assert_null(fix);
}

static void explains_every_reason(void **state)
{
	struct reason_context arm = { .arch = "aarch64", .user_access = "0",
				    .nr_counters = 7, .not_of_cpu = "" };
	struct reason_context x86 = { .arch = "x86_64", .rdpmc = "0",
				    .mlock_kb = "516", .paranoid = "1",
				    .not_of_cpu = "" };

	(void)state;
	assert_reason(COROPROF_REASON_ACCESS, &arm,
		      "kernel.perf_user_access is 0",
		      "sudo sysctl kernel.perf_user_access=1");
	arm.user_access = NULL;
	assert_reason(COROPROF_REASON_ACCESS, &arm,
		      "there is no kernel.perf_user_access, which arm64 has from Linux 5.17 on",
		      NULL);
	assert_reason(COROPROF_REASON_ACCESS, &x86,
		      "/sys/bus/event_source/devices/cpu/rdpmc is 0",
		      "echo 1 | sudo tee /sys/bus/event_source/devices/cpu/rdpmc");
	assert_reason(COROPROF_REASON_COUNTERS, &arm, "7 events were asked for",
		      "ask for fewer: -e cycles,instructions");
	assert_reason(COROPROF_REASON_MEMORY, &x86,
		      "kernel.perf_event_mlock_kb is 516",
		      "sudo sysctl kernel.perf_event_mlock_kb=2064");
	assert_reason(COROPROF_REASON_DISABLED, &x86,
		      "COROPROF_SWITCH=ioctl was in its environment",
		      "unset COROPROF_SWITCH");
	assert_reason(COROPROF_REASON_SESSION, &x86, NULL,
		      "record without --switch=ioctl");
	assert_reason(COROPROF_REASON_PARANOID, &x86,
		      "kernel.perf_event_paranoid is 1",
		      "record it as root. Not that: 2 is enough, a container's filter or a security module forbids it");
	assert_reason(COROPROF_REASON_NESTED, &x86, NULL, NULL);
	assert_reason(COROPROF_REASON_OWN, &x86, NULL, NULL);
	assert_string_not_equal(reason_mode(COROPROF_REASON_NESTED),
				reason_mode(COROPROF_REASON_PROC + 1));
	assert_reason(COROPROF_REASON_PROC, &x86,
		      "/proc/thread-self/status can't be read in its root directory",
		      "mount it there: sudo mount -t proc proc ROOT/proc");
	assert_string_not_equal(reason_mode(COROPROF_REASON_PROC),
				reason_mode(COROPROF_REASON_PROC + 1));
}

static void warns_of_what_may_end_a_program(void **state)
{
	char text[REASON_SIZE];

	(void)state;
	reason_mode_risk(text, &(struct reason_context){ .arch = "aarch64" });
	assert_non_null(strstr(text, "leave kernel.perf_user_access as it is"));
	assert_non_null(strstr(text, "a program is recorded that blocks SIGILL"));
	assert_non_null(strstr(text, "--switch=ioctl"));
	reason_mode_risk(text, &(struct reason_context){ .arch = "x86_64" });
	assert_non_null(strstr(text, "leave /sys/bus/event_source/devices/cpu/rdpmc as it is"));
	assert_non_null(strstr(text, "a program is recorded that blocks SIGSEGV"));
	assert_null(strstr(text, "SIGILL"));
	assert_true(strlen(text) < sizeof(text) - 1);
}

/* In ns. */
static void know_costs(struct gen *g, const char *of_switch, const char *of_join,
		       const char *of_birth)
{
	gen_info(g, "switch_ns", of_switch);
	gen_info(g, "join_ns", of_join);
	gen_info(g, "birth_ns", of_birth);
}

/* Ten slices by ioctl, five from user mode, and three spans there. */
static struct model *with_costs(bool user)
{
	struct gen *g = begin_recording();

	gen_info(g, "join_ns", "500");
	gen_info(g, "join_user_ns", "700");
	gen_info(g, "switch_ns", "10");
	if (user)
		gen_info(g, "switch_user_ns", "2");
	gen_info(g, "span_user_ns", "1");
	gen_mode(g, COROPROF_MODE_IOCTL, COROPROF_REASON_SESSION);
	channel(g, 1, 1000);
	gen_mode(g, COROPROF_MODE_USER, 0);
	channel(g, 2, 1000);
	for (uint64_t i = 0; i < 10; i++)
		SLICE(g, 1, 10, 1000 + 100 * i, 1100 + 100 * i, .label = 1);
	for (uint64_t i = 0; i < 5; i++) {
		if (i < 3)
			gen_span(g, 2, &(struct gen_span){
				 .id = 11, .time = 1050 + 100 * i,
				 .duration = 10, .running_ns = 10 });
		SLICE(g, 2, 11, 1000 + 100 * i, 1100 + 100 * i, .label = 1);
	}
	return load(g);
}

static void sums_up_costs(void **state)
{
	struct model *m = with_costs(true);

	(void)state;
	assert_true(m->overhead_ns == 10 * 10 + 5 * 2 + 3 * 1 + 500 + 700);
	assert_true(m->overhead_share == 1313.0 / 1500);
	assert_false(m->overhead_at_least);
	model_free(m);
	m = with_costs(false);
	assert_true(m->overhead_ns == 10 * 10 + 3 * 1 + 500 + 700);
	assert_true(m->overhead_at_least);
	model_free(m);
}

/*
 * Each thread that joins, each coroutine that is born, costs; samples, and what an older
 * recorder has not measured, are reported as missing. What a thread takes to join comes before
 * its slices, so it is a share of all that the process used.
 */
static void holds_threads_and_births(void **state)
{
	for (unsigned int measured = 0; measured < 2; measured++) {
		struct gen *g = begin_recording();
		const struct cprof_cpu cpu = { .process_id = 1, .ns = 10000 };
		struct model *m;

		(void)state;
		gen_info(g, "switch_ns", "10");
		if (measured) {
			gen_info(g, "join_ns", "500");
			gen_info(g, "birth_ns", "100");
		}
		channel(g, 1, 1000);
		SLICE(g, 1, THREAD(1), 1000, 1100);
		SLICE(g, 1, 10, 1100, 1200, .label = 1, .flags = COROPROF_SLICE_FRESH);
		SLICE(g, 1, 11, 1200, 1300, .label = 1, .flags = COROPROF_SLICE_FRESH);
		SLICE(g, 1, 10, 1300, 1400, .label = 1);
		gen_segment(g, CPROF_SEGMENT_CPU, &cpu, sizeof(cpu));
		m = load(g);
		assert_true(m->overhead_ns == 40 + (measured ? 500 + 2 * 100 : 0));
		assert_true(m->overhead_at_least == !measured);
		assert_true(m->overhead_share == m->overhead_ns / 10000);
		model_free(m);
	}
}

/*
 * Modules before level 5. Four threads, of which three are recorded at once, and one after the
 * other two: the fourth has the ring of one of these. A thread that begins when another ends has
 * that one's. Of another process it is another ring.
 */
static void charges_rings_that_are_new(void **state)
{
	static const uint64_t begin[] = { 1000, 1000, 1050, 1200, 1000 };
	static const uint64_t end[] = { 1100, 1200, 2000, 1300, 1100 };

	for (unsigned int told = 0; told < 2; told++) {
		struct gen *g = begin_recording();
		struct model *m;

		(void)state;
		know_costs(g, "0", "500", "0");
		if (told)
			gen_info(g, "ring_ns", "70");
		gen_process(g, 2, 43, "other", 1000);
		for (uint32_t i = 0; i < ARRAY_SIZE(begin); i++) {
			gen_channel(g, i + 1, i == 4 ? 2 : 1, i == 4 ? 43 : 42, "thread", begin[i],
				    NULL, 0);
			SLICE(g, i + 1, 10, begin[i], end[i], .label = 0);
			gen_status(g, i + 1)->size = COROPROF_CHANNEL_STATUS_SIZE_LEVEL2;
		}
		m = load(g);
		assert_int_equal(m->nr_channels, 5);
		assert_true(m->overhead_ns == 5 * 500 + (told ? (3 + 1) * 70 : 0));
		/* Whether the fourth thread had a new one is not reported. */
		assert_int_equal(m->overhead_at_least, told);
		model_free(m);
	}
}

/* Of three threads two have waited for their rings. Of one it is not known in the second round. */
static void charges_rings_that_were_made(void **state)
{
	for (uint32_t unknown = 0; unknown < 2; unknown++) {
		struct gen *g = begin_recording();
		struct model *m;

		(void)state;
		know_costs(g, "0", "500", "0");
		gen_info(g, "ring_ns", "70");
		for (uint32_t i = 1; i <= 3; i++) {
			gen_channel(g, i, 1, 42, "thread", 1000, NULL, 0);
			SLICE(g, i, 10, 1000, 1100, .label = 0);
			gen_status(g, i)->ring_made = i > 1;
		}
		if (unknown)
			gen_status(g, 1)->size = COROPROF_CHANNEL_STATUS_SIZE_LEVEL2;
		m = load(g);
		assert_true(m->overhead_ns == 3 * 500 + (2 + unknown) * 70);
		assert_false(m->overhead_at_least);
		model_free(m);
	}
}

/* Two labels, of which one wakes the other; a thread of another process switches by itself. */
static struct model *with_probes(bool measured)
{
	struct gen *g = begin_recording();

	know_costs(g, "10", "500", "100");
	if (measured) {
		gen_info(g, "probe_ns", "20");
		gen_info(g, "probe_birth_ns", "7");
	}
	gen_process(g, 2, 43, "other", 1000);
	gen_mode(g, COROPROF_MODE_IOCTL, COROPROF_REASON_PROBED);
	channel(g, 1, 1000);
	gen_mode(g, COROPROF_MODE_IOCTL, COROPROF_REASON_SESSION);
	gen_channel(g, 2, 2, 43, "other", 1000, NULL, 0);
	SLICE(g, 1, 10, 1000, 1100, .label = 1, .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, 11, 1100, 1130, .label = 2, .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, 10, 1130, 1230, .label = 1);
	SLICE(g, 1, 11, 1230, 1240, .label = 2, .wake_time = 1150, .waker = 10);
	SLICE(g, 1, 11, 1240, 1250, .label = 2, .wake_time = 1245, .waker = 10);
	SLICE(g, 2, 12, 1000, 1300, .label = 0, .flags = COROPROF_SLICE_FRESH);
	return load(g);
}

/*
 * A slice has a half of the probe that begins it and of the one that ends it; who wakes has
 * those that say so. No label has more than it ran.
 */
static void charges_probes_to_labels(void **state)
{
	struct model *m = with_probes(true);

	(void)state;
	assert_int_equal(label(m, "a")->probes_ns, (2 + 2) * 20);
	assert_int_equal(label(m, "b")->times.running_ns, 50);
	assert_int_equal(label(m, "b")->probes_ns, 50);
	assert_true(m->processes[0].probed && !m->processes[1].probed);
	/* Here two births; of the other process a switch, a thread and a birth. */
	assert_true(m->overhead_ns == (5 + 2) * 20 + 2 * 7 + 10 + 500 + 100);
	assert_true(m->overhead_at_least && m->overhead_estimated);
	model_free(m);
	m = with_probes(false);
	assert_int_equal(label(m, "a")->probes_ns, 0);
	assert_true(m->overhead_ns == 10 + 500 + 100);
	assert_true(m->overhead_at_least && !m->overhead_estimated);
	model_free(m);
}

/* Two slices of a program's coroutine, and between them one of an adapter's. */
static struct model *with_naming(bool measured)
{
	struct gen *g = begin_recording();

	if (measured)
		gen_info(g, "switch_ns", "10");
	gen_info(g, "join_ns", "0");
	gen_info(g, "birth_ns", "0");
	gen_label(g, 1, 3, "(coroprof)", 10);
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1100, .label = 1, .count = { 300, 600 });
	SLICE(g, 1, 11, 1100, 1150, .label = 3, .count = { 100, 70 });
	SLICE(g, 1, 10, 1150, 1250, .label = 1, .count = { 300, 600 });
	return load(g);
}

static void counts_naming_as_overhead(void **state)
{
	struct model *m = with_naming(true);

	(void)state;
	assert_true(m->naming.ns == 50);
	assert_true(m->naming.instructions == 70);
	/* Three switches; one of them is in what was run to find names. */
	assert_true(m->overhead_ns == 3 * 10 + 50 - 10);
	assert_false(m->overhead_at_least);
	model_free(m);
	m = with_naming(false);
	assert_true(m->overhead_ns == 50);
	assert_true(m->overhead_at_least);
	model_free(m);
	m = with_costs(true);
	assert_true(m->naming.ns < 0 && m->naming.instructions < 0);
	model_free(m);
}

/* ---- rings that their thread writes */

/* Another channel, of which nothing may be lost. */
static struct gen *begin_hostile(void)
{
	struct gen *g = begin_recording();

	gen_mode(g, COROPROF_MODE_IOCTL, 0);
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 2000, .label = 1, .count = { 100, 200 });
	SLICE(g, 1, 11, 2000, 5000, .label = 1, .count = { 100, 200 });
	gen_mode(g, COROPROF_MODE_USER, 0);
	channel(g, 2, 1000);
	SLICE(g, 2, 20, 1000, 1500, .label = 2, .count = { 7, 7 });
	gen_drain(g, 2);
	return g;
}

static void assert_truncated(struct gen *g, const char *why, uint64_t unread)
{
	struct model *m;

	/* Good records behind it are as little to be believed. */
	SLICE(g, 2, 21, 1500, 1600, .label = 2);
	gen_drain(g, 2);
	SLICE(g, 2, 22, 1600, 1700, .label = 2);
	m = load(g);
	assert_int_equal(m->nr_damage_total, 1);
	if (!strstr(m->damage[0].text, why) ||
	    !strstr(m->damage[0].text, "thread 102 (thread) of process 100 (one)"))
		fail_msg("%s", m->damage[0].text);
	assert_true(m->channels[1].damaged);
	assert_int_equal(m->unread_records, unread);
	assert_int_equal(m->channels[1].times.slices, 1);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	assert_int_equal(m->channels[0].times.slices, 2);
	assert_int_equal(model_channel_value(m, 0, 0).count, 200);
	assert_in_range(m->end_ns, 5000, 5000);
	model_free(m);
}

static void tears_what_makes_no_sense(void **state)
{
	static const uint16_t sizes[] = { 0, 4, 13, 520, 65528 };
	const struct gen_slice too_long = { .id = 20, .time = 1600,
					    .duration = 1700 };
	const struct gen_span odd = { .id = 20, .time = 1600, .duration = 10,
				      .running_ns = 11 };
	struct gen *g;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct coroprof_record r = { COROPROF_RECORD_SLICE,
						   sizes[i], 0 };

		g = begin_hostile();
		gen_ring_bytes(g, 2, &r, sizeof(r));
		assert_truncated(g, "size", 2);
	}
	g = begin_hostile();
	gen_slice(g, 2, &too_long);
	assert_truncated(g, "longer than its time", 3);
	g = begin_hostile();
	gen_span(g, 2, &odd);
	assert_truncated(g, "ran for longer than it took", 3);
}

/* Else one thread could stretch the time of all others. */
static void tears_what_is_of_another_time(void **state)
{
	const uint64_t ms = 1000000, year = 31536000ull * 1000 * ms;
	struct gen *g;

	(void)state;
	g = begin_recording();
	gen_mode(g, COROPROF_MODE_USER, 0);
	channel(g, 2, 1000 * ms);
	SLICE(g, 2, 20, 1000 * ms, 1001 * ms, .label = 2);
	gen_span(g, 2, &(struct gen_span){ .id = 20, .time = 1001 * ms + year });
	SLICE(g, 2, 20, 1001 * ms, 1002 * ms, .label = 2);
	{
		struct model *m = load(g);

		assert_int_equal(m->nr_damage_total, 1);
		assert_non_null(strstr(m->damage[0].text,
				       "not within that of the recording"));
		assert_int_equal(m->nr_span_calls, 0);
		assert_int_equal(m->end_ns, 1002 * ms);
		model_free(m);
	}
	g = begin_recording();
	gen_mode(g, COROPROF_MODE_USER, 0);
	channel(g, 2, 1000 * ms);
	SLICE(g, 2, 20, 1000 * ms, 1010 * ms, .label = 2);
	gen_span(g, 2, &(struct gen_span){ .id = 20, .time = 1005 * ms });
	{
		struct model *m = load(g);

		assert_non_null(strstr(m->damage[0].text, "before that of the record"));
		model_free(m);
	}
}

/* What the recorder could not read, it says. */
static void reports_what_was_truncated_when_recorded(void **state)
{
	struct gen *g = begin_hostile();
	struct model *m;

	(void)state;
	gen_info(g, "torn.2", "thread 102 makes no sense");
	gen_info(g, "torn.x", "nothing");
	m = load(g);
	assert_int_equal(m->nr_damage_total, 1);
	assert_string_equal(m->damage[0].text, "thread 102 makes no sense");
	assert_int_equal(m->damage[0].channel, 1);
	assert_int_equal(m->channels[1].check, MODEL_NOT_CHECKED);
	model_free(m);
}

/* Records at random, of which some look good. */
static void survives_random_rings(void **state)
{
	uint64_t words[512];
	uint32_t seed = 11;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct gen *g = begin_hostile();
		struct model *m;

		for (size_t i = 0; i < 512; i++) {
			seed = seed * 1664525 + 1013904223;
			words[i] = seed % 3 ? seed % 4096 :
				   (uint64_t)(8 * (seed / 256 % 40)) << 16 |
				   (seed / 65536 % 5);
		}
		gen_ring_bytes(g, 2, words, sizeof(words));
		m = load(g);
		assert_int_equal(m->channels[0].check, MODEL_CHECKED);
		assert_int_equal(model_channel_value(m, 0, 0).count, 200);
		model_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_threads),
		cmocka_unit_test(names_the_event_that_can_not),
		cmocka_unit_test(explains_every_reason),
		cmocka_unit_test(warns_of_what_may_end_a_program),
		cmocka_unit_test(sums_up_costs),
		cmocka_unit_test(holds_threads_and_births),
		cmocka_unit_test(charges_rings_that_are_new),
		cmocka_unit_test(charges_rings_that_were_made),
		cmocka_unit_test(counts_naming_as_overhead),
		cmocka_unit_test(charges_probes_to_labels),
		cmocka_unit_test(tears_what_makes_no_sense),
		cmocka_unit_test(tears_what_is_of_another_time),
		cmocka_unit_test(reports_what_was_truncated_when_recorded),
		cmocka_unit_test(survives_random_rings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
