// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sys/ioctl.h>

#include "meter.h"
#include "recording.h"
#include "switches.h"

#define ROUNDS 20u
#define ROUNDS_MEAN 200u	/* at least: a mean has the interrupts in it */
#define NO_COMMAND _IO(0, 0xff)

static int channel;
static int failure;	/* errno of a switch */

static void no_command(uint32_t turn)
{
	if (ioctl(channel, NO_COMMAND, turn) == 0 || errno != ENOTTY)
		failure = EINVAL;
}

static void switch_to(uint32_t turn)
{
	if (ioctl(channel, COROPROF_IOC_SWITCH, turn))
		failure = errno;
}

/* Two coroutines, and a channel without a session that was started. */
static void measure_unrecorded(operation_fn operation, struct result *result)
{
	struct loop loop = { .operation = operation, .first = RECORDING_FIRST, .span = 2,
			     .warm = 1, .rounds = ROUNDS };
	struct recording recording;
	struct track track;
	struct cost cost;

	if (result_failed(result, recording_open(&recording, 2, 2, 0), "process and session") ||
	    result_failed(result, track_join(&track, &recording, 1), "THREAD"))
		return;
	channel = track.channel;
	if (result_failed(result, meter_run(&loop, &cost), "read of the meter") ||
	    result_failed(result, -failure, "ioctl"))
		return;
	result_set(result, cost.least);
}

void measure_ioctl_null(int variant, struct result *result)
{
	(void)variant;
	measure_unrecorded(no_command, result);
}

void measure_switch_no_session(int variant, struct result *result)
{
	(void)variant;
	measure_unrecorded(switch_to, result);
}

/* The ring is drained between rounds, which is not counted. */
static int run_recorded(struct loop *loop, struct recording *recording, struct track *track,
			struct cost *cost)
{
	int ret = recording_start(recording);

	if (!ret)
		ret = track_join(track, recording, 1);
	if (!ret)
		ret = track_begin(track, 1);
	if (ret)
		return ret;
	channel = track->channel;
	loop->operation = switch_to;
	loop->between = track_drain;
	loop->arg = track;
	ret = meter_run(loop, cost);
	return ret ? ret : -failure;
}

static bool measure_session(struct loop *loop, int nr_counters, uint32_t flags,
			    struct result *result, struct track *track, struct cost *cost)
{
	struct recording recording;

	return !result_failed(result, recording_open(&recording, nr_counters, loop->span, flags),
			      "process and session") &&
	       !result_failed(result, run_recorded(loop, &recording, track, cost),
			      "recording") &&
	       !result_failed(result, track_verify(track, &recording),
			      "recording with all slices and all counts");
}

static bool measure_recorded(struct loop *loop, int nr_counters, struct result *result,
			     struct track *track, struct cost *cost)
{
	return measure_session(loop, nr_counters, 0, result, track, cost);
}

void measure_switch_totals(int nr_counters, struct result *result)
{
	struct loop loop = { .first = RECORDING_FIRST, .span = 2, .warm = 2, .rounds = ROUNDS };
	struct track track;
	struct cost cost;

	if (measure_session(&loop, nr_counters, COROPROF_SESSION_TOTALS, result, &track, &cost))
		result_set(result, cost.least);
}

void measure_switch(int nr_counters, struct result *result)
{
	struct loop loop = { .first = RECORDING_FIRST, .span = 2, .warm = 2, .rounds = ROUNDS };
	struct track track;
	struct cost cost;

	if (measure_recorded(&loop, nr_counters, result, &track, &cost))
		result_set(result, cost.least);
}

void measure_slice_bytes(int nr_counters, struct result *result)
{
	struct loop loop = { .first = RECORDING_FIRST, .span = 2, .warm = 2, .rounds = ROUNDS };
	struct coroprof_channel_status status;
	struct track track;
	struct cost cost;

	if (measure_recorded(&loop, nr_counters, result, &track, &cost) &&
	    !result_failed(result, track_status(&track, &status), "CHANNEL"))
		result_set_bytes(result, (double)status.ring_head / (double)status.slices);
}

/* Every coroutine is visited to warm up, and again to be measured. */
void measure_switch_many(int coroutines, struct result *result)
{
	unsigned int once = (coroutines + METER_TURNS - 1) / METER_TURNS;
	struct loop loop = { .first = RECORDING_FIRST, .span = coroutines, .warm = once,
			     .rounds = once > ROUNDS_MEAN ? once : ROUNDS_MEAN };
	struct track track;
	struct cost cost;

	if (measure_recorded(&loop, 2, result, &track, &cost))
		result_set(result, cost.mean);
}
