// SPDX-License-Identifier: GPL-2.0
/* A switch that the program says nothing of: a probe of the session's is at a function. */
#include <asm/perf_regs.h>
#include <errno.h>
#include <fcntl.h>

#include "meter.h"
#include "recording.h"
#include "uprobe.h"

#define ROUNDS 20u

#if defined(__aarch64__)
#define FIRST_ARGUMENT PERF_REG_ARM64_X0
#else
#define FIRST_ARGUMENT PERF_REG_X86_DI
#endif

/**
 * struct target - where the probe is
 * @function: comes by it once
 * @find:     finds it
 */
struct target {
	void (*function)(uint32_t turn);
	bool (*find)(struct uprobe_place *location);
};

static const struct target chosen = { uprobe_go_target, uprobe_find_go_target };
static const struct target entry = { uprobe_target, uprobe_find_target };

/* The coroutine is the function's argument. The session is not started yet. */
static int probe_target(struct track *track, const struct target *target, unsigned int nr_counters)
{
	struct uprobe_place location;
	struct coroprof_probe probe = {
		.size = sizeof(probe),
		.role = COROPROF_PROBE_SWITCH,
		.key = { .kind = COROPROF_WHERE_REGISTER, .reg = FIRST_ARGUMENT },
		.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
	};

	if (!target->find(&location))
		return -ENOENT;
	probe.address = location.address;
	probe.offset = location.offset;
	return track_probe(track, &probe, nr_counters);
}

static int record_by_probe(struct track *track, const struct target *target,
			   unsigned int nr_counters)
{
	int ret = probe_target(track, target, nr_counters);

	if (!ret)
		ret = track_start_probed(track);
	if (ret)
		return ret;
	target->function(1);
	return track_find(track);
}

static void measure_unstarted(const struct target *target, int nr_counters, struct result *result)
{
	struct track track;
	double bare, cost;

	if (result_failed(result, meter_least(target->function, &bare), "read of the meter") ||
	    result_failed(result, probe_target(&track, target, nr_counters), "PROBE") ||
	    result_failed(result, meter_least(target->function, &cost), "read of the meter"))
		return;
	result_set(result, cost - bare);
}

void measure_probe_unstarted(int nr_counters, struct result *result)
{
	measure_unstarted(&chosen, nr_counters, result);
}

void measure_probe_unstarted_entry(int nr_counters, struct result *result)
{
	measure_unstarted(&entry, nr_counters, result);
}

static void measure_switch(const struct target *target, int nr_counters, struct result *result)
{
	struct loop loop = { .operation = target->function, .first = 1, .span = 2, .warm = 2,
			     .rounds = ROUNDS, .between = track_drain };
	struct coroprof_channel_status status;
	struct track track;
	struct cost cost;
	double bare;

	loop.arg = &track;
	if (result_failed(result, meter_least(target->function, &bare), "read of the meter") ||
	    result_failed(result, record_by_probe(&track, target, nr_counters),
			  "recording by a probe") ||
	    result_failed(result, meter_run(&loop, &cost), "read of the meter") ||
	    result_failed(result, track_verify_counts(&track, RECORDING_COUNTED(nr_counters)),
			  "recording with all slices and all counts") ||
	    result_failed(result, track_status(&track, &status), "CHANNEL"))
		return;
	if (status.slices < (uint64_t)ROUNDS * METER_TURNS)
		result_none(result, "the probe was not hit each time");
	else
		result_set(result, cost.least - bare);
}

void measure_switch_uprobe(int nr_counters, struct result *result)
{
	measure_switch(&chosen, nr_counters, result);
}

void measure_switch_uprobe_entry(int nr_counters, struct result *result)
{
	measure_switch(&entry, nr_counters, result);
}
