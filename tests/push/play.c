// SPDX-License-Identifier: GPL-2.0
/*
 * play URL [NAME=VALUE]...: --push without a kernel: what would be recorded is played by hand, so that it
 * is known second by second. Each line of standard input is an order: "tick N" plays N seconds, each of
 * which is a request; "wait MS" waits; "drain" until no request waits; "say" prints a line; the end of the input ends the recording. In second k a coroutine
 * "one" has 10 slices of k % 10 + 1 ms, "two" 20 of 5 ms, "odd" one of 1 ms, if k is odd; and three with
 * hostile names one of 1 ms each. Standard output has the sums, a label a line: its name as hexadecimal
 * digits, slices, ns.
 * URL may be "-": nowhere. With metrics the first line of standard output is the port where they are.
 *   metrics, secret=FILE, delta, labels=LIST, most=N, token=FILE, ca=FILE, cert=FILE, queue=DIR, bytes=N, timeout=MS
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "base/warn.h"
#include "cprof/format.h"
#include "live/listener.h"
#include "record/flight.h"
/* It is looked at whether a part has been taken. */
#include "push/push.c"

#define MS		1000000ull
#define KEPT_NS		(600 * SECOND_NS)
#define KEPT_BYTES	(64ull << 20)
#define LABELS		6

static struct flight flight;
static struct channels channels;
static struct record_options options = { .quiet = true };
static struct push_options to = {
	.every_ns = SECOND_NS, .choice.most = CHOICE_LABELS,
	.first_ns = 20 * MS, .most_ns = 100 * MS, .wrong_ns = 100 * MS, .metrics = -1,
};
static struct writer *writer;
static struct coroprof_channel_status status = { .size = sizeof(status), .channel_id = 1 };
static uint64_t begun, now, second;
static char names[LABELS][COROPROF_LABEL_TEXT_MAX];
static uint64_t slices[LABELS], running_ns[LABELS];

static _Noreturn void fail(const struct error *err)
{
	fprintf(stderr, "play: %s\n", err->message);
	exit(1);
}

static void put(uint32_t type, const void *payload, size_t size)
{
	struct error err;

	if (writer_segment(writer, type, payload, size, &err))
		fail(&err);
}

static void put_label(unsigned int i, const char *text, size_t size)
{
	struct {
		struct coroprof_record_label label;
		char text[COROPROF_LABEL_TEXT_MAX];
	} r = { 0 };
	uint32_t whole = (uint32_t)ALIGN8(sizeof(r.label) + size);

	memcpy(names[i], text, size);
	r.label = (struct coroprof_record_label){ COROPROF_RECORD_LABEL, whole, 1, i + 1, 0, 0, (__u32)size, 0 };
	memcpy(r.text, text, size);
	put(CPROF_SEGMENT_STREAM, &r, whole);
}

static void put_labels(void)
{
	char longest[COROPROF_LABEL_TEXT_MAX];

	memset(longest, 'n', sizeof(longest));
	put_label(0, "one", 3);
	put_label(1, "two", 3);
	put_label(2, "odd", 3);
	put_label(3, "\x1b[2J\x01\n", 6);
	put_label(4, "bad \xff\xc3", 6);
	put_label(5, longest, sizeof(longest) - 1);
}

/* @label: LABELS: the thread outside coroutines */
static void slice(unsigned int label, uint64_t ns)
{
	uint64_t id = label == LABELS ? COROPROF_ID_THREAD | 1 : label + 1;
	struct coroprof_record_slice r = {
		.type = COROPROF_RECORD_SLICE, .size = sizeof(r), .slot = (uint32_t)id,
		.time = now + ns, .duration = ns, .id = id,
		.label = label == LABELS ? 0 : label + 1,
	};
	struct error err;

	now += ns;
	status.slices++;
	status.running_ns += ns;
	status.ring_head += r.size;
	if (label < LABELS) {
		slices[label]++;
		running_ns[label] += ns;
	}
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
		slice(0, (second % 10 + 1) * MS);
		slice(1, 5 * MS);
		slice(1, 5 * MS);
	}
	if (second % 2)
		slice(2, MS);
	for (unsigned int i = 3; i < LABELS; i++)
		slice(i, MS);
	slice(LABELS, end - now);
	second++;
	if (keep_tick(&flight.keep, end, &err))
		fail(&err);
	mark(COROPROF_CHANNEL_OPEN);
}

static void begin_recording(void)
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
	if (keep_begin(&flight.keep, KEPT_NS, KEPT_BYTES, &err) ||
	    writer_open_sink(&writer, &flight.keep.sink, &err))
		fail(&err);
	begun = keep_from(&flight.keep);
	now = begun;
	status.begin = begun;
	process.time = begun;
	channel.time = begun;
	put(CPROF_SEGMENT_STREAM, &process, sizeof(process));
	put_labels();
	put(CPROF_SEGMENT_STREAM, &channel, sizeof(channel));
	mark(COROPROF_CHANNEL_OPEN);
}

/* All that is done with them: each part makes one request. */
static void wait_until_taken(struct push *push)
{
	bool there;

	do {
		usleep(1000);
		pthread_mutex_lock(&push->parts.lock);
		there = push->parts.there;
		pthread_mutex_unlock(&push->parts.lock);
	} while (there);
}

static void obey(struct push *push, const char *order)
{
	struct record_feed *feed = push_feed(push);
	unsigned int nr;

	if (sscanf(order, "tick %u", &nr) == 1)
		while (nr--) {
			play_second();
			feed->look(feed->context, &flight, false);
			wait_until_taken(push);
		}
	if (sscanf(order, "wait %u", &nr) == 1)
		usleep(nr * 1000);
	if (!strncmp(order, "say", 3))
		puts("so far");
	fflush(stdout);
	while (!strncmp(order, "drain", 5) && __atomic_load_n(&push->queue.nr, __ATOMIC_ACQUIRE))
		usleep(1000);
}

static void listen_for_metrics(void)
{
	struct listener listener;
	struct error err;

	if (listener_begin(&listener, "127.0.0.1:0", &err))
		fail(&err);
	to.metrics = listener.fd;
	printf("%u\n", listener.port);
	fflush(stdout);
}

static void take_option(char *text)
{
	struct error err;
	char *value = strchr(text, '=');

	if (value)
		*value++ = '\0';
	if (!strcmp(text, "metrics"))
		listen_for_metrics();
	else if (!strcmp(text, "secret"))
		to.metrics_token = value;
	else if (!strcmp(text, "delta"))
		to.delta = true;
	else if (!strcmp(text, "labels") && choice_parse(&to.choice, value, &err))
		fail(&err);
	else if (!strcmp(text, "most"))
		to.choice.most = (uint32_t)atoi(value);
	else if (!strcmp(text, "token"))
		to.to.token_file = value;
	else if (!strcmp(text, "ca"))
		to.to.ca = value;
	else if (!strcmp(text, "cert"))
		to.to.cert = value;
	else if (!strcmp(text, "queue"))
		to.queue = value;
	else if (!strcmp(text, "bytes"))
		to.queue_bytes = (uint64_t)atoi(value);
	else if (!strcmp(text, "timeout"))
		to.to.timeout_ms = (unsigned int)atoi(value);
}

int main(int argc, char **argv)
{
	struct push *push;
	struct error err;
	char line[64];

	if (argc < 2)
		return 2;
	warn_as("play");
	if (strcmp(argv[1], "-"))
		to.to.url = argv[1];
	for (int i = 2; i < argc; i++)
		take_option(argv[i]);
	begin_recording();
	if (push_begin(&push, &to, &err) || push_feed(push)->begin(push, &err))
		fail(&err);
	while (fgets(line, sizeof(line), stdin))
		obey(push, line);
	push_feed(push)->end(push);
	for (unsigned int i = 0; i < LABELS; i++) {
		for (const char *c = names[i]; *c; c++)
			printf("%02x", (unsigned char)*c);
		printf(" %" PRIu64 " %" PRIu64 "\n", slices[i], running_ns[i]);
	}
	push_end(push);
	writer_close(writer, &err);
	keep_free(&flight.keep);
	return 0;
}
