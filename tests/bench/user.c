// SPDX-License-Identifier: GPL-2.0
/*
 * Switches and spans of the shared library, recorded from user mode. The library
 * is loaded here only: it makes the process known, as other benchmarks do.
 */
#include <coroprof/coroprof.h>
#include <dlfcn.h>
#include <errno.h>

#include "meter.h"
#include "recording.h"
#include "switches.h"

#define ROUNDS 20u

static struct library {
	__typeof__(coroprof_switch) *to;
	__typeof__(coroprof_new) *make;
	__typeof__(coroprof_status) *status;
	__typeof__(coroprof_span_begin) *span_begin;
	__typeof__(coroprof_span_end) *span_end;
} library;

static bool load(struct result *result)
{
	void *handle = dlopen("libcoroprof.so.0", RTLD_NOW);

	if (handle) {
		library.to = dlsym(handle, "coroprof_switch");
		library.make = dlsym(handle, "coroprof_new");
		library.status = dlsym(handle, "coroprof_status");
		library.span_begin = dlsym(handle, "coroprof_span_begin");
		library.span_end = dlsym(handle, "coroprof_span_end");
	}
	if (library.to && library.make && library.status && library.span_begin &&
	    library.span_end)
		return !result_failed(result, library.status(), "libcoroprof");
	result_none(result, "%s", dlerror());
	return false;
}

/* Coroutines with handles in a row; the first switch begins the recording. */
static int begin(struct track *track, struct loop *loop, uint32_t coroutines)
{
	int ret = track_attach(track, 2);

	if (ret)
		return ret;
	loop->first = library.make(0, COROPROF_THREAD, 0);
	for (uint32_t i = 1; i < coroutines; i++) {
		if (library.make(0, COROPROF_THREAD, 0) != loop->first + i)
			return -ENOSPC;
	}
	loop->span = coroutines;
	library.to(loop->first);
	return track_find(track);
}

static void measure(struct loop *loop, int coroutines, struct cost *cost, struct result *result)
{
	struct track track;

	if (result_failed(result, begin(&track, loop, coroutines), "recording"))
		return;
	if (!track.user) {
		result_none(result, "the thread switches by ioctl: reason %u", track.reason);
		return;
	}
	loop->between = track_drain;
	loop->arg = &track;
	if (result_failed(result, meter_run(loop, cost), "read of the meter") ||
	    result_failed(result, track_verify_counts(&track, 2), "recording with all counts"))
		return;
	result->measured = true;
}

void measure_switch_user(int coroutines, struct result *result)
{
	unsigned int all = (coroutines + METER_TURNS - 1) / METER_TURNS;
	bool many = all > ROUNDS;
	struct loop loop = { .warm = many ? all : 2, .rounds = many ? all : ROUNDS };
	struct cost cost;

	if (!load(result))
		return;
	loop.operation = library.to;
	measure(&loop, coroutines, &cost, result);
	if (result->measured)
		result_set(result, many ? cost.mean : cost.least);
}

static void span(uint32_t turn)
{
	__typeof__(coroprof_span_end) *end = library.span_end;

	(void)turn;
	library.span_begin(0);
	end();
}

void measure_span_user(int variant, struct result *result)
{
	struct loop loop = { .operation = span, .warm = 2, .rounds = ROUNDS };
	struct cost cost;

	(void)variant;
	if (!load(result))
		return;
	measure(&loop, 1, &cost, result);
	if (result->measured)
		result_set(result, cost.least);
}
