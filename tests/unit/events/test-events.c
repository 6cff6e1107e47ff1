// SPDX-License-Identifier: GPL-2.0
#include "support.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/util.h"
#include "events/events.h"

static struct event events[COROPROF_COUNTERS_MAX];
static unsigned int nr;
static struct error err;

static int parse(const char *list)
{
	nr = 0;
	return events_parse(events, &nr, list, &err);
}

static void expect(const char *name, __u32 type, __u64 config, __u32 flags)
{
	if (parse(name))
		fail_msg("%s: %s", name, err.message);
	assert_int_equal(nr, 1);
	assert_string_equal(events[0].name, name);
	assert_int_equal(events[0].counter.type, type);
	assert_int_equal(events[0].counter.config, config);
	assert_int_equal(events[0].counter.flags, flags);
}

static void refuse(const char *list, int code, const char *words)
{
	assert_int_equal(parse(list), -code);
	assert_says(err.message, words);
}

static void test_default(void **state)
{
	(void)state;
	assert_int_equal(parse(EVENTS_DEFAULT), 0);
	assert_int_equal(nr, 3);
	assert_int_equal(events[0].counter.config, PERF_COUNT_HW_CPU_CYCLES);
	assert_int_equal(events[1].counter.config, PERF_COUNT_HW_INSTRUCTIONS);
	assert_int_equal(events[2].counter.config, PERF_COUNT_HW_CACHE_MISSES);
}

static void test_named(void **state)
{
	(void)state;
	expect("cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0);
	expect("branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0);
	expect("ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 0);
	expect("task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0);
	expect("cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 0);
	expect("faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0);
}

static void test_cache(void **state)
{
	(void)state;
	expect("L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000, 0);
	expect("L1-dcache-loads", PERF_TYPE_HW_CACHE, 0, 0);
	expect("LLC-store-misses", PERF_TYPE_HW_CACHE, 0x10102, 0);
	expect("dTLB-prefetches", PERF_TYPE_HW_CACHE, 0x203, 0);
	expect("branch-load-misses", PERF_TYPE_HW_CACHE, 0x10005, 0);
}

static void test_raw(void **state)
{
	(void)state;
	expect("r1a4", PERF_TYPE_RAW, 0x1a4, 0);
	expect("rFFFFffffFFFFffff", PERF_TYPE_RAW, ~0ull, 0);
	refuse("r10000000000000000", ENOENT, "no event");
	refuse("r", ENOENT, "no event");
	refuse("r12x", ENOENT, "no event");
}

static void test_modifiers(void **state)
{
	(void)state;
	expect("cycles:u", PERF_TYPE_HARDWARE, 0, 0);
	expect("cycles:k", PERF_TYPE_HARDWARE, 0, COROPROF_COUNTER_KERNEL);
	expect("cycles:ukP", PERF_TYPE_HARDWARE, 0,
	       COROPROF_COUNTER_KERNEL | COROPROF_COUNTER_PINNED);
	expect("r3c:P", PERF_TYPE_RAW, 0x3c, COROPROF_COUNTER_PINNED);
	/* A colon may belong to a name, so libpfm4 has its say here. */
	assert_int_not_equal(parse("cycles:x"), 0);
}

static void test_lists(void **state)
{
	(void)state;
	assert_int_equal(parse("r1,r2,r3,r4,r5,r6,r7,r8"), 0);
	assert_int_equal(nr, 8);
	refuse("r1,r2,r3,r4,r5,r6,r7,r8,r9", E2BIG, "8");
	refuse("cycles,cpu-cycles", EINVAL, "cpu-cycles is the same as cycles");
	refuse("", EINVAL, "no name");
	refuse("cycles,", EINVAL, "no name");
	refuse(",cycles", EINVAL, "no name");
	refuse("cycles,nonsense", ENOENT, "'nonsense'");
}

static void test_long_name(void **state)
{
	char name[1000];

	(void)state;
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	refuse(name, EINVAL, "too long");
	memset(name, '/', sizeof(name) - 1);
	refuse(name, EINVAL, "too long");
	/* The longest that is not. */
	name[EVENT_NAME_MAX - 1] = '\0';
	assert_int_not_equal(parse(name), 0);
}

/* A PMU in a folder of our own, as sysfs would show it. */
static char root[] = "/tmp/coroprof-test-XXXXXX";

static void put(const char *path, const char *text)
{
	char name[256];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s", root, path);
	file = fopen(name, "we");
	assert_non_null(file);
	fprintf(file, "%s\n", text);
	fclose(file);
}

static void put_folder(const char *path)
{
	char name[256];

	snprintf(name, sizeof(name), "%s/%s", root, path);
	assert_int_equal(mkdir(name, 0755), 0);
}

static int make_pmus(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(root));
	put_folder("cpu");
	put_folder("cpu/events");
	put_folder("cpu/format");
	put("cpu/type", "4");
	put("cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3");
	put("cpu/events/broken", "event=0x1cd");
	put("cpu/events/circular", "circular");
	put("cpu/format/event", "config:0-7,32-35");
	put("cpu/format/umask", "config:8-15");
	put("cpu/format/edge", "config:18");
	put("cpu/format/ldlat", "config1:0-15");
	put("cpu/format/odd", "config3:0-15");
	put("cpu/format/wild", "config:0-99");
	put("cpu/format/backwards", "config:9-3");
	put_folder("uncore_imc");
	put_folder("uncore_imc/events");
	put("uncore_imc/type", "12");
	put("uncore_imc/events/reads", "config=0x5");
	events_pmu_root = root;
	return 0;
}

static int remove_pmus(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static void test_pmu_terms(void **state)
{
	(void)state;
	expect("cpu/event=0x3c,umask=1/", 4, 0x13c, 0);
	assert_int_equal(events[0].counter.config1, 0);
	expect("cpu/event=0x53c,edge/P", 4, 0x50004003cull, COROPROF_COUNTER_PINNED);
	expect("cpu/mem-loads/:k", 4, 0x1cd, COROPROF_COUNTER_KERNEL);
	assert_int_equal(events[0].counter.config1, 3);
	expect("cpu/mem-loads,ldlat=30/", 4, 0x1cd, 0);
	assert_int_equal(events[0].counter.config1, 30);
	expect("cpu/config=0x7,config2=9/", 4, 7, 0);
	assert_int_equal(events[0].counter.config2, 9);
	assert_int_equal(parse("cpu/event=1,umask=2/,uncore_imc/reads/"), 0);
	assert_int_equal(nr, 2);
	assert_int_equal(events[1].counter.type, 12);
	assert_int_equal(events[1].counter.config, 5);
}

static void test_pmu_bare(void **state)
{
	(void)state;
	expect("mem-loads", 4, 0x1cd, 0);
	/* That of a PMU which does not count what a CPU does. */
	refuse("reads", ENOENT, "no event 'reads'");
}

static void test_pmu_errors(void **state)
{
	(void)state;
	refuse("cpu/event=0x3c", EINVAL, "slash is missing");
	refuse("nopmu/event=1/", EINVAL, "no PMU 'nopmu'");
	refuse("../event=1/", EINVAL, "no PMU '..'");
	refuse("cpu/nothing/", EINVAL, "no event or term 'nothing'");
	refuse("cpu/circular/", EINVAL, "no event or term 'circular'");
	refuse("cpu/umask=0x100/", ERANGE, "does not fit");
	refuse("cpu/event=0x1000/", ERANGE, "does not fit");
	refuse("cpu/event=ten/", EINVAL, "'ten' is not a number");
	refuse("cpu/event=/", EINVAL, "is not a number");
	refuse("cpu/odd=1/", EOPNOTSUPP, "config3");
	refuse("cpu/wild=1/", ERANGE, "does not fit");
	refuse("cpu/backwards=1/", ERANGE, "does not fit");
	refuse("cpu/event=1/x", EINVAL, "unknown modifier 'x'");
	refuse("cpu/a/b/", EINVAL, "a/b");
}

static void test_program(void **state)
{
	(void)state;
	expect("program", COROPROF_TYPE_PROGRAM, 0, 0);
	expect("program:u", COROPROF_TYPE_PROGRAM, 0, 0);
	expect("program/rows read/", COROPROF_TYPE_PROGRAM, 0, 0);
	refuse("program/rows/:k", EINVAL, "the program counts this one itself");
	refuse("program:P", EINVAL, "the program counts this one itself");
	refuse("program//", EINVAL, "no PMU 'program'");
	refuse("program/a/b/", EINVAL, "no PMU 'program'");
	refuse("programs", ENOENT, "no event 'programs'");
	refuse("program,program/rows/", EINVAL, "program/rows/ is the same as program");
}

/* What other profilers have as a source: several events, or none. */
static void test_sources(void **state)
{
	(void)state;
	assert_int_equal(parse("cycles,rusage"), 0);
	assert_int_equal(nr, 4);
	assert_string_equal(events[1].name, "task-clock");
	assert_string_equal(events[2].name, "minor-faults");
	assert_string_equal(events[3].name, "major-faults");
	refuse("rusage,task-clock", EINVAL, "task-clock is the same as task-clock");
	assert_int_equal(parse("hw"), 0);
	assert_int_equal(nr, 3);
	assert_string_equal(events[2].name, "cache-misses");
	assert_int_equal(parse("tsc"), 0);
	assert_int_equal(nr, 0);
	assert_int_equal(parse("tsc,page-faults"), 0);
	assert_int_equal(nr, 1);
	refuse("hw,cycles", EINVAL, "cycles is the same as cycles");
}

static void test_cpu_pmus(void **state)
{
	char names[64];

	(void)state;
	assert_int_equal(events_cpu_pmus(names, sizeof(names)), 1);
	assert_string_equal(names, "cpu");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_modifiers),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_long_name),
		cmocka_unit_test(test_pmu_terms),
		cmocka_unit_test(test_pmu_bare),
		cmocka_unit_test(test_pmu_errors),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_cpu_pmus),
	};

	return cmocka_run_group_tests(tests, make_pmus, remove_pmus);
}
