/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A flight recorder without a kernel: what would be recorded is played by hand, so that it is known
 * second by second. In second k a coroutine "one" has 10 slices of k % 10 + 1 ms, a coroutine "two" 20 of
 * 5 ms, and one "odd" a slice of 1 ms, if k is odd; for the rest the thread runs outside coroutines.
 * Where the program wants it, there are counters, "one" and "odd" wait for 4 ms before they run, and all
 * slices are longer, or shorter, for the same work.
 */
#ifndef PLAYED_H
#define PLAYED_H

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "cprof/format.h"
#include "record/channels.h"
#include "record/flight.h"
#include "record/options.h"

#define PLAYED_MS	1000000ull
#define PLAYED_LABELS	128

/* Of a nanosecond of running time, and of one that the same work takes at the usual pace. */
#define PLAYED_CYCLES		3
#define PLAYED_INSTRUCTIONS	6

static const struct {
	struct coroprof_counter counter;
	const char *name;
} played_counters[] = {
	{ { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS }, "instructions" },
	{ { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES }, "cycles" },
	{ { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CACHE_MISSES }, "cache-misses" },
};

#define PLAYED_COUNTERS	ARRAY_SIZE(played_counters)

/**
 * struct played - it
 * @counted:    there are counters, and those that wait; the program's, as @pace
 * @pace:       percent of the usual length that slices of coroutines have; 0: 100
 * @flight:     what is kept
 * @status:     of its thread
 * @slices, @running_ns, @count: of each label, from 1 on
 */
static struct played {
	bool counted;
	uint32_t pace;
	struct flight flight;
	struct channels channels;
	struct writer *writer;
	struct coroprof_channel_status status;
	uint64_t begun;
	uint64_t now;
	uint64_t second;
	uint64_t slices[PLAYED_LABELS];
	uint64_t running_ns[PLAYED_LABELS];
	uint64_t count[PLAYED_LABELS][PLAYED_COUNTERS];
} played = { .status = { .size = sizeof(played.status), .channel_id = 1 } };

static _Noreturn void played_fail(const struct error *err)
{
	fprintf(stderr, "%s\n", err->message);
	exit(1);
}

static void played_put(uint32_t type, const void *payload, size_t size)
{
	struct error err;

	if (writer_segment(played.writer, type, payload, size, &err))
		played_fail(&err);
}

static void played_label(uint32_t label, const char *text, size_t size)
{
	struct {
		struct coroprof_record_label label;
		char text[COROPROF_LABEL_TEXT_MAX];
	} r = { 0 };
	uint32_t whole = (uint32_t)ALIGN8(sizeof(r.label) + size);

	r.label = (struct coroprof_record_label){ COROPROF_RECORD_LABEL, whole, 1, label, 0, 0, (__u32)size, 0 };
	memcpy(r.text, text, size);
	played_put(CPROF_SEGMENT_STREAM, &r, whole);
}

/* The slice that ends now: its counts, and that it waited. */
static void played_details(struct coroprof_record_slice *r, uint64_t usual_ns)
{
	uint64_t *at = (uint64_t *)(r + 1), ready = r->time - r->duration - 4 * PLAYED_MS;
	const uint64_t counts[PLAYED_COUNTERS] = {
		usual_ns * PLAYED_INSTRUCTIONS, r->duration * PLAYED_CYCLES, usual_ns / 1000,
	};

	r->standing = (uint16_t)~0;
	for (unsigned int i = 0; i < PLAYED_COUNTERS; i++) {
		*at++ = counts[i];
		played.status.count[i] += counts[i];
		played.count[r->label][i] += counts[i];
	}
	if (r->label % 2 && ready >= played.begun) {
		r->flags |= COROPROF_SLICE_WOKEN;
		*at++ = ready;
		*at++ = 0;
	}
	r->size = (uint16_t)((char *)at - (char *)r);
}

/* Of the coroutine with the number of its label, or of the thread: 0. */
static void played_slice(uint32_t label, uint64_t usual_ns)
{
	uint64_t ns = label && played.pace ? usual_ns * played.pace / 100 : usual_ns;
	uint64_t id = label ? label : COROPROF_ID_THREAD | 1;
	struct {
		struct coroprof_record_slice slice;
		uint64_t counts[PLAYED_COUNTERS];
		struct coroprof_slice_woken woken;
	} r = { .slice = {
		.type = COROPROF_RECORD_SLICE, .size = sizeof(r.slice), .slot = (uint32_t)id,
		.time = played.now + ns, .duration = ns, .id = id, .label = label,
	} };
	struct error err;

	if (played.counted)
		played_details(&r.slice, usual_ns);
	played.now += ns;
	played.status.slices++;
	played.status.running_ns += ns;
	played.status.ring_head += r.slice.size;
	played.slices[label]++;
	played.running_ns[label] += ns;
	if (writer_records(played.writer, CPROF_SEGMENT_RING, 1, &r, r.slice.size, &err))
		played_fail(&err);
}

/* So many slices of 1 ms of the thread found the ring full. */
static __attribute__((unused)) void played_lose(uint32_t nr)
{
	struct coroprof_record_lost r = { .type = COROPROF_RECORD_LOST, .size = sizeof(r), .full = nr };
	struct error err;

	played.now += nr * PLAYED_MS;
	r.time = played.now;
	played.status.lost += nr;
	played.status.slices += nr;
	played.status.running_ns += nr * PLAYED_MS;
	played.status.ring_head += r.size;
	if (writer_records(played.writer, CPROF_SEGMENT_RING, 1, &r, r.size, &err))
		played_fail(&err);
}

static void played_mark(uint32_t flags)
{
	played.status.flags = flags;
	played_put(CPROF_SEGMENT_STATUS, &played.status, sizeof(played.status));
}

/* @others: labels from 4 on that have a slice of 1 ms each. */
static void played_second(uint32_t others)
{
	uint64_t end = played.begun + (played.second + 1) * SECOND_NS;
	struct error err;

	for (unsigned int i = 0; i < 10; i++) {
		played_slice(1, (played.second % 10 + 1) * PLAYED_MS);
		played_slice(2, 5 * PLAYED_MS);
		played_slice(2, 5 * PLAYED_MS);
	}
	if (played.second % 2)
		played_slice(3, PLAYED_MS);
	for (uint32_t i = 0; i < others; i++)
		played_slice(4 + i, PLAYED_MS);
	played_slice(0, end - played.now);
	played.second++;
	if (keep_tick(&played.flight.keep, end, &err))
		played_fail(&err);
	played_mark(COROPROF_CHANNEL_OPEN);
}

static void played_names_of_counters(void)
{
	char list[512] = "";
	size_t size = 0;

	for (unsigned int i = 0; i < PLAYED_COUNTERS; i++) {
		memcpy(list + size, &played_counters[i].counter, sizeof(played_counters[i].counter));
		size += sizeof(played_counters[i].counter);
		strcpy(list + size, played_counters[i].name);
		size += ALIGN8(strlen(played_counters[i].name) + 1);
	}
	played_put(CPROF_SEGMENT_COUNTERS, list, size);
	played.status.nr_counters = PLAYED_COUNTERS;
	played.status.standing = ~0u;
}

static void played_channel(void)
{
	struct {
		struct coroprof_record_channel channel;
		struct coroprof_counter_state states[PLAYED_COUNTERS];
	} r = { .channel = {
		.type = COROPROF_RECORD_CHANNEL, .size = sizeof(r.channel), .channel_id = 1,
		.time = played.begun, .process_id = 1, .tid = 4711, .ring_size = 65536, .comm = "worker",
	} };

	if (played.counted) {
		played_names_of_counters();
		for (unsigned int i = 0; i < PLAYED_COUNTERS; i++)
			r.states[i].counter = played_counters[i].counter;
		r.channel.nr_counters = PLAYED_COUNTERS;
		r.channel.size = sizeof(r);
	}
	played_put(CPROF_SEGMENT_STREAM, &r, r.channel.size);
}

static void played_begin(const struct record_options *options)
{
	struct coroprof_record_process process = {
		.type = COROPROF_RECORD_PROCESS, .size = sizeof(process), .process_id = 1, .pid = 4711,
		.comm = "shop",
	};
	struct error err;

	played.flight.options = options;
	played.flight.channels = &played.channels;
	if (keep_begin(&played.flight.keep, 600 * SECOND_NS, 64ull << 20, &err) ||
	    writer_open_sink(&played.writer, &played.flight.keep.sink, &err))
		played_fail(&err);
	played.begun = keep_from(&played.flight.keep);
	played.now = played.begun;
	played.status.begin = played.begun;
	process.time = played.begun;
	played_put(CPROF_SEGMENT_STREAM, &process, sizeof(process));
	played_label(1, "one", 3);
	played_label(2, "two", 3);
	played_label(3, "odd", 3);
	played_channel();
	played_mark(COROPROF_CHANNEL_OPEN);
}

static void played_end(void)
{
	struct error err;

	writer_close(played.writer, &err);
	keep_free(&played.flight.keep);
}

#endif
