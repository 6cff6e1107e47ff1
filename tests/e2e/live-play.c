// SPDX-License-Identifier: GPL-2.0
/*
 * live-play ADDRESS: coroprof serve without a kernel: what would be recorded is played by hand, so that it
 * is known second by second. Each line of standard input is an order: "tick N" plays N seconds, "end" ends
 * the recording; the end of the input ends all. In second k a coroutine "one" has 10 slices of k % 10 + 1
 * ms, a coroutine "two" 20 of 5 ms, and one "odd" a slice of 1 ms, if k is odd.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "base/warn.h"
#include "cprof/format.h"
#include "live/serve.h"
#include "record/channels.h"
#include "record/flight.h"
#include "record/options.h"

#define MS		1000000ull
#define KEPT_NS		(600 * SECOND_NS)
#define KEPT_BYTES	(64ull << 20)

static struct flight flight;
static struct channels channels;
static struct signals signals;
static struct record_options options = { .dump_name = "live-play", .quiet = true };
static struct view_options view;
static struct writer *writer;
static struct coroprof_channel_status status = { .size = sizeof(status), .channel_id = 1 };
static uint64_t begun, now, second;

static _Noreturn void fail(const struct error *err)
{
	fprintf(stderr, "live-play: %s\n", err->message);
	exit(1);
}

static void put(uint32_t type, const void *payload, size_t size)
{
	struct error err;

	if (writer_segment(writer, type, payload, size, &err))
		fail(&err);
}

static void put_label(uint32_t label, const char *text)
{
	struct {
		struct coroprof_record_label label;
		char text[8];
	} r = { .label = { COROPROF_RECORD_LABEL, sizeof(r), 1, label, 0, 0, (__u32)strlen(text), 0 } };

	memcpy(r.text, text, strlen(text));
	put(CPROF_SEGMENT_STREAM, &r, sizeof(r));
}

static void slice(uint64_t id, uint64_t ns)
{
	struct coroprof_record_slice r = {
		.type = COROPROF_RECORD_SLICE, .size = sizeof(r), .slot = (uint32_t)id,
		.time = now + ns, .duration = ns, .id = id,
		.label = id & COROPROF_ID_THREAD ? 0 : (uint32_t)id,
	};
	struct error err;

	now += ns;
	status.slices++;
	status.running_ns += ns;
	status.ring_head += r.size;
	if (writer_records(writer, CPROF_SEGMENT_RING, 1, &r, r.size, &err))
		fail(&err);
}

static void mark(uint32_t flags)
{
	status.flags = flags;
	put(CPROF_SEGMENT_STATUS, &status, sizeof(status));
}

static void play_second(void)
{
	uint64_t end = begun + (second + 1) * SECOND_NS;
	struct error err;

	for (unsigned int i = 0; i < 10; i++) {
		slice(1, (second % 10 + 1) * MS);
		slice(2, 5 * MS);
		slice(2, 5 * MS);
	}
	if (second % 2)
		slice(3, MS);
	/* The thread runs outside coroutines for the rest of it. */
	slice(COROPROF_ID_THREAD | 1, end - now);
	second++;
	if (keep_tick(&flight.keep, end, &err))
		fail(&err);
	mark(COROPROF_CHANNEL_OPEN);
}

static void begin(void)
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

	flight.options = &options;
	flight.channels = &channels;
	dumps_begin(&flight.dumps, options.dump_name, true);
	flight.snapshot.fd = -1;
	if (keep_begin(&flight.keep, KEPT_NS, KEPT_BYTES, &err) ||
	    writer_open_sink(&writer, &flight.keep.sink, &err))
		fail(&err);
	begun = keep_from(&flight.keep);
	now = begun;
	status.begin = begun;
	process.time = begun;
	channel.time = begun;
	put(CPROF_SEGMENT_STREAM, &process, sizeof(process));
	put_label(1, "one");
	put_label(2, "two");
	put_label(3, "odd");
	put(CPROF_SEGMENT_STREAM, &channel, sizeof(channel));
	mark(COROPROF_CHANNEL_OPEN);
}

static void obey(struct record_observer *observer, const char *order)
{
	unsigned int nr;

	if (sscanf(order, "tick %u", &nr) == 1)
		while (nr--)
			play_second();
	else if (!strncmp(order, "end", 3))
		observer->ended(observer->context, 0);
	observer->look(observer->context, &flight, &signals);
}

int main(int argc, char **argv)
{
	struct record_observer *observer;
	struct serve *serve;
	struct error err;
	char line[64];

	if (argc != 2)
		return 2;
	warn_as("live-play");
	begin();
	if (serve_begin(&serve, argv[1], &view, true, &err))
		fail(&err);
	observer = serve_observer(serve);
	if (observer->begin(observer->context, &err))
		fail(&err);
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = STDIN_FILENO, .events = POLLIN },
			{ .fd = observer->fd, .events = POLLIN },
			{ .fd = flight.dumps.fd, .events = POLLIN },
		};

		poll(fds, ARRAY_SIZE(fds), -1);
		if (fds[0].revents) {
			if (!fgets(line, sizeof(line), stdin))
				break;
			obey(observer, line);
		}
		if (fds[2].revents)
			dumps_look(&flight.dumps);
		observer->look(observer->context, &flight, &signals);
	}
	observer->end(observer->context);
	serve_end(serve);
	writer_close(writer, &err);
	keep_free(&flight.keep);
	return 0;
}
