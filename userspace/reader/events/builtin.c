// SPDX-License-Identifier: GPL-2.0
/*
 * Events with generic names, which the kernel has for all machines (linux/perf_event.h), and those
 * of coroprof itself.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "events/events.h"

static const struct named_event {
	const char *name;
	__u32 type;
	__u64 config;
} named_events[] = {
#define HW(name, config) { name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config }
#define SW(name, config) { name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config }
	HW("cycles", CPU_CYCLES),
	HW("cpu-cycles", CPU_CYCLES),
	HW("instructions", INSTRUCTIONS),
	HW("cache-references", CACHE_REFERENCES),
	HW("cache-misses", CACHE_MISSES),
	HW("branches", BRANCH_INSTRUCTIONS),
	HW("branch-instructions", BRANCH_INSTRUCTIONS),
	HW("branch-misses", BRANCH_MISSES),
	HW("bus-cycles", BUS_CYCLES),
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	HW("idle-cycles-backend", STALLED_CYCLES_BACKEND),
	HW("ref-cycles", REF_CPU_CYCLES),
	SW("cpu-clock", CPU_CLOCK),
	SW("task-clock", TASK_CLOCK),
	SW("page-faults", PAGE_FAULTS),
	SW("faults", PAGE_FAULTS),
	SW("minor-faults", PAGE_FAULTS_MIN),
	SW("major-faults", PAGE_FAULTS_MAJ),
	SW("context-switches", CONTEXT_SWITCHES),
	SW("cs", CONTEXT_SWITCHES),
	SW("cpu-migrations", CPU_MIGRATIONS),
	SW("migrations", CPU_MIGRATIONS),
	SW("alignment-faults", ALIGNMENT_FAULTS),
	SW("emulation-faults", EMULATION_FAULTS),
#undef HW
#undef SW
};

static const char *const caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = "L1-dcache",
	[PERF_COUNT_HW_CACHE_L1I] = "L1-icache",
	[PERF_COUNT_HW_CACHE_LL] = "LLC",
	[PERF_COUNT_HW_CACHE_DTLB] = "dTLB",
	[PERF_COUNT_HW_CACHE_ITLB] = "iTLB",
	[PERF_COUNT_HW_CACHE_BPU] = "branch",
	[PERF_COUNT_HW_CACHE_NODE] = "node",
};

static const struct cache_access {
	const char *name;
	__u64 op;
	__u64 result;
} cache_accesses[] = {
#define ACCESS(name, op, result) \
	{ name, PERF_COUNT_HW_CACHE_OP_##op, PERF_COUNT_HW_CACHE_RESULT_##result }
	ACCESS("-loads", READ, ACCESS),
	ACCESS("-load-misses", READ, MISS),
	ACCESS("-stores", WRITE, ACCESS),
	ACCESS("-store-misses", WRITE, MISS),
	ACCESS("-prefetches", PREFETCH, ACCESS),
	ACCESS("-prefetch-misses", PREFETCH, MISS),
#undef ACCESS
};

static bool look_up_named(struct coroprof_counter *counter, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(named_events); i++) {
		if (strcmp(named_events[i].name, name))
			continue;
		counter->type = named_events[i].type;
		counter->config = named_events[i].config;
		return true;
	}
	return false;
}

static bool look_up_access(struct coroprof_counter *counter, __u64 cache,
			   const char *access)
{
	for (size_t i = 0; i < ARRAY_SIZE(cache_accesses); i++) {
		const struct cache_access *a = &cache_accesses[i];

		if (strcmp(a->name, access))
			continue;
		counter->type = PERF_TYPE_HW_CACHE;
		counter->config = cache | a->op << 8 | a->result << 16;
		return true;
	}
	return false;
}

static bool look_up_cache(struct coroprof_counter *counter, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(caches); i++) {
		size_t len = strlen(caches[i]);

		if (!strncmp(caches[i], name, len) &&
		    look_up_access(counter, i, name + len))
			return true;
	}
	return false;
}

static bool look_up_raw(struct coroprof_counter *counter, const char *name)
{
	size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");

	if (name[0] != 'r' || !digits || digits > 16 || name[1 + digits])
		return false;
	counter->type = PERF_TYPE_RAW;
	counter->config = strtoull(name + 1, NULL, 16);
	return true;
}

/* There is one such counter; a name between slashes says what it counts. */
static bool look_up_program(struct coroprof_counter *counter, const char *name)
{
	static const char program[] = "program";
	const char *called = name + strlen(program);
	size_t len;

	if (strncmp(name, program, strlen(program)))
		return false;
	len = strlen(called);
	if (len && (len < 3 || called[0] != '/' || strchr(called + 1, '/') != called + len - 1))
		return false;
	counter->type = COROPROF_TYPE_PROGRAM;
	return true;
}

int events_builtin(struct coroprof_counter *counter, const char *name,
		   struct error *err)
{
	if (look_up_named(counter, name) || look_up_cache(counter, name) ||
	    look_up_raw(counter, name) || look_up_program(counter, name))
		return 0;
	return error_set(err, ENOENT, "the kernel has no name '%s'", name);
}
