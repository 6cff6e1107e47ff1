/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A flight recorder without a kernel: what would be recorded is played by hand, so that it is known
 * second by second. In second k a coroutine "one" has 10 slices of k % 10 + 1 ms, a coroutine "two" 20 of
 * 5 ms, and one "odd" a slice of 1 ms, if k is odd; for the rest the thread runs outside coroutines.
 */
#ifndef PLAYED_H
#define PLAYED_H

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

/**
 * struct played - it
 * @flight:     what is kept
 * @status:     of its thread
 * @slices, @running_ns: of each label, from 1 on
 */
static struct played {
	struct flight flight;
	struct channels channels;
	struct writer *writer;
	struct coroprof_channel_status status;
	uint64_t begun;
	uint64_t now;
	uint64_t second;
	uint64_t slices[PLAYED_LABELS];
	uint64_t running_ns[PLAYED_LABELS];
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

/* Of the coroutine with the number of its label, or of the thread: 0. */
static void played_slice(uint32_t label, uint64_t ns)
{
	uint64_t id = label ? label : COROPROF_ID_THREAD | 1;
	struct coroprof_record_slice r = {
		.type = COROPROF_RECORD_SLICE, .size = sizeof(r), .slot = (uint32_t)id,
		.time = played.now + ns, .duration = ns, .id = id, .label = label,
	};
	struct error err;

	played.now += ns;
	played.status.slices++;
	played.status.running_ns += ns;
	played.status.ring_head += r.size;
	played.slices[label]++;
	played.running_ns[label] += ns;
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

static void played_begin(const struct record_options *options)
{
	struct coroprof_record_process process = {
		.type = COROPROF_RECORD_PROCESS, .size = sizeof(process), .process_id = 1, .pid = 4711,
		.comm = "shop",
	};
	struct coroprof_record_channel channel = {
		.type = COROPROF_RECORD_CHANNEL, .size = sizeof(channel), .channel_id = 1,
		.process_id = 1, .tid = 4711, .ring_size = 65536, .comm = "worker",
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
	channel.time = played.begun;
	played_put(CPROF_SEGMENT_STREAM, &process, sizeof(process));
	played_label(1, "one", 3);
	played_label(2, "two", 3);
	played_label(3, "odd", 3);
	played_put(CPROF_SEGMENT_STREAM, &channel, sizeof(channel));
	played_mark(COROPROF_CHANNEL_OPEN);
}

static void played_end(void)
{
	struct error err;

	writer_close(played.writer, &err);
	keep_free(&played.flight.keep);
}

#endif
