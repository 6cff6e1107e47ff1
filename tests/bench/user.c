// SPDX-License-Identifier: GPL-2.0
/*
 * Switches and spans of the shared library, recorded from user mode. The library
 * is loaded here only: it makes the process known, as other benchmarks do.
 */
#include <coroprof/coroprof.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <time.h>

#include "meter.h"
#include "recording.h"
#include "switches.h"

#define ROUNDS 20u
/* Of 960 slices of 56 bytes each, into a ring of 1 MiB. */
#define FILLING 40u

/* What coroprof-read counts by default; the exact PMU lacks the last. */
static const uint64_t by_default[] = {
	PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CACHE_MISSES,
};

static const uint64_t with_program[] = {
	PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, RECORDING_PROGRAM,
};

static const uint64_t *events = by_default;

static unsigned int nr_counted(unsigned int nr)
{
	unsigned int counted = 0;

	for (unsigned int i = 0; i < nr; i++)
		counted += events[i] != PERF_COUNT_HW_CACHE_MISSES;
	return counted;
}

static struct library {
	__typeof__(coroprof_switch) *to;
	__typeof__(coroprof_new) *make;
	__typeof__(coroprof_status) *status;
	__typeof__(coroprof_span_begin) *span_begin;
	__typeof__(coroprof_span_end) *span_end;
} library, nothing;

static bool load(struct result *result)
{
	void *handle = dlopen("libcoroprof.so.1", RTLD_NOW);

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

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static uint64_t first_switch_ns;

/* Coroutines with handles in a row; the first switch begins the recording. */
static int begin(struct track *track, struct loop *loop, uint32_t coroutines, unsigned int nr,
		 uint32_t flags)
{
	uint64_t before;

	int ret = track_attach(track, events, nr, flags);

	if (ret)
		return ret;
	loop->first = library.make(0, COROPROF_THREAD, 0);
	for (uint32_t i = 1; i < coroutines; i++) {
		if (library.make(0, COROPROF_THREAD, 0) != loop->first + i)
			return -ENOSPC;
	}
	loop->span = coroutines;
	before = clock_ns();
	library.to(loop->first);
	first_switch_ns = clock_ns() - before;
	return track_find(track);
}

/* With the first @nr of the events. */
static bool begin_session(struct track *track, struct loop *loop, int coroutines,
			  unsigned int nr, uint32_t flags, struct result *result)
{
	if (result_failed(result, begin(track, loop, coroutines, nr, flags), "recording"))
		return false;
	if (!track->user)
		result_none(result, "the thread switches by ioctl: reason %u", track->reason);
	return track->user;
}

static bool begin_user(struct track *track, struct loop *loop, int coroutines, unsigned int nr,
		       struct result *result)
{
	return begin_session(track, loop, coroutines, nr, 0, result);
}

static void measure_in(struct loop *loop, int coroutines, unsigned int nr, uint32_t flags,
		       struct cost *cost, struct result *result)
{
	struct track track;

	if (!begin_session(&track, loop, coroutines, nr, flags, result))
		return;
	loop->between = track_drain;
	loop->arg = &track;
	if (result_failed(result, meter_run(loop, cost), "read of the meter") ||
	    result_failed(result, track_verify_counts(&track, RECORDING_COUNTED(nr_counted(nr))),
			  "recording with all counts"))
		return;
	result->measured = true;
}

static void measure(struct loop *loop, int coroutines, unsigned int nr, struct cost *cost,
		    struct result *result)
{
	measure_in(loop, coroutines, nr, 0, cost, result);
}

static void measure_switches(int coroutines, unsigned int nr, struct result *result)
{
	unsigned int all = (coroutines + METER_TURNS - 1) / METER_TURNS;
	bool many = all > ROUNDS;
	struct loop loop = { .warm = many ? all : 2, .rounds = many ? all : ROUNDS };
	struct cost cost;

	if (!load(result))
		return;
	loop.operation = library.to;
	measure(&loop, coroutines, nr, &cost, result);
	if (result->measured)
		result_set(result, many ? cost.mean : cost.least);
}

void measure_switch_user(int coroutines, struct result *result)
{
	measure_switches(coroutines, 2, result);
}

void measure_switch_user_default(int coroutines, struct result *result)
{
	measure_switches(coroutines, 3, result);
}

void measure_switch_user_program(int coroutines, struct result *result)
{
	events = with_program;
	measure_switches(coroutines, 3, result);
}

void measure_switch_user_totals(int coroutines, struct result *result)
{
	struct loop loop = { .warm = 2, .rounds = ROUNDS };
	struct cost cost;

	if (!load(result))
		return;
	loop.operation = library.to;
	measure_in(&loop, coroutines, 2, COROPROF_SESSION_TOTALS, &cost, result);
	if (result->measured)
		result_set(result, cost.least);
}

/*
 * Nobody reads the ring, which the first rounds fill. The mean is over the calls of
 * the kernel, too.
 */
void measure_switch_user_full(int coroutines, struct result *result)
{
	struct loop loop = { .warm = FILLING, .rounds = ROUNDS };
	struct coroprof_channel_status before, after;
	struct track track;
	struct cost cost;

	if (!load(result))
		return;
	loop.operation = library.to;
	if (!begin_user(&track, &loop, coroutines, 2, result) ||
	    result_failed(result, track_status(&track, &before), "status") ||
	    result_failed(result, meter_run(&loop, &cost), "read of the meter") ||
	    result_failed(result, track_status(&track, &after), "status"))
		return;
	if (after.lost - before.lost < ROUNDS * METER_TURNS)
		result_none(result, "the ring was not full");
	else
		result_set(result, cost.mean);
}

/* How long the first switch after a START keeps the thread: its counters, its ring. */
void measure_start_stall(int nr_counters, struct result *result)
{
	struct loop loop = { 0 };
	struct track track;

	if (!load(result) || !begin_user(&track, &loop, 2, nr_counters, result))
		return;
	result->unit = "ns";
	result_set(result, first_switch_ns);
}

/**
 * struct late - a thread that begins after START
 * @track: how the session records it
 * @co:    what it switches to
 * @ns:    how long its first switch kept it
 * @err:   a negative errno, or 0
 */
struct late {
	struct track track;
	coroprof_co co;
	uint64_t ns;
	int err;
};

static void *come_late(void *arg)
{
	struct late *late = arg;
	uint64_t before = clock_ns();

	library.to(late->co);
	late->ns = clock_ns() - before;
	late->err = track_find(&late->track);
	return NULL;
}

/* The session's reader has read by then that the first thread is recorded. */
void measure_join_stall(int nr_counters, struct result *result)
{
	struct loop loop = { 0 };
	struct track track;
	struct late late;
	pthread_t thread;

	if (!load(result) || !begin_user(&track, &loop, 2, nr_counters, result))
		return;
	late = (struct late){ .track = { .session = track.session, .channel = -1 },
			      .co = loop.first + 1 };
	if (result_failed(result, -pthread_create(&thread, NULL, come_late, &late), "thread") ||
	    result_failed(result, -pthread_join(thread, NULL), "thread") ||
	    result_failed(result, late.err, "recording of the thread"))
		return;
	if (!late.track.user) {
		result_none(result, "the thread switches by ioctl: reason %u", late.track.reason);
		return;
	}
	result->unit = "ns";
	result_set(result, late.ns);
}

static __attribute__((noipa)) void no_begin(uint32_t label)
{
	(void)label;
}

static __attribute__((noipa)) void no_end(void)
{
}

static inline void begin_and_end(const struct library *from)
{
	__typeof__(coroprof_span_end) *end = from->span_end;

	from->span_begin(0);
	end();
}

static void span(uint32_t turn)
{
	(void)turn;
	begin_and_end(&library);
}

/* Two calls, as in a span: what they cost is not the library's. */
static void no_span(uint32_t turn)
{
	(void)turn;
	begin_and_end(&nothing);
}

void measure_span_user(int nr_counters, struct result *result)
{
	struct loop loop = { .operation = span, .empty = no_span, .warm = 2, .rounds = ROUNDS };
	struct cost cost;

	nothing.span_begin = no_begin;
	nothing.span_end = no_end;
	if (!load(result))
		return;
	measure(&loop, 1, nr_counters, &cost, result);
	if (result->measured)
		result_set(result, cost.least);
}
