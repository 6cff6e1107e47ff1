// SPDX-License-Identifier: GPL-2.0
/*
 * play URL [NAME=VALUE]...: --push without a kernel, of what is played (harness/played.h). Each line of
 * standard input is an order: "tick N" plays N seconds, each of which is a request; "pace PERCENT" makes
 * slices of coroutines so long from then on, for the same work; "lose N" loses N slices of 1 ms; "wait MS"
 * waits; "drain" until no request waits; "say" prints a line; "crowd N" plays N seconds of 100 labels
 * beside, whose lengths become ever more different; "dump" writes what is kept, and prints the name of the
 * file; "series" prints how many are being sent; the end of the input ends the recording. Beside the
 * coroutines that are played three with hostile names have a slice of 1 ms in each second. Standard output
 * has the sums, a label a line: its name as hexadecimal digits, slices, ns, and what was counted.
 * URL may be "-": nowhere. With metrics the first line of standard output is the port where they are.
 *   metrics, secret=FILE, delta, labels=LIST, most=N, token=FILE, ca=FILE, cert=FILE, queue=DIR, bytes=N, timeout=MS,
 *   dumps=ADDRESS, dumps-file=FILE, dumps-token=FILE, host=NAME (the machine has it), counters (there are some)
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "base/warn.h"
#include "live/listener.h"
#include "played.h"
/* It is looked at whether a part has been taken. */
#include "push/push.c"

#define LABELS		6
#define CROWD		100u

static struct record_options options = { .quiet = true };
static struct push_options to = {
	.every_ns = SECOND_NS, .choice.most = CHOICE_LABELS,
	.times = { 20 * PLAYED_MS, 100 * PLAYED_MS, 100 * PLAYED_MS }, .metrics = -1,
};
static const char *host;
static char names[LABELS][COROPROF_LABEL_TEXT_MAX];

static void name(uint32_t label, const char *text, size_t size)
{
	memcpy(names[label - 1], text, size);
	if (label > 3)
		played_label(label, text, size);
}

static void begin_recording(void)
{
	char longest[COROPROF_LABEL_TEXT_MAX];

	memset(longest, 'n', sizeof(longest));
	played_begin(&options);
	dumps_begin(&played.flight.dumps, "played", true);
	name(1, "one", 3);
	name(2, "two", 3);
	name(3, "odd", 3);
	name(4, "\x1b[2J\x01\n", 6);
	name(5, "bad \xff\xc3", 6);
	name(6, longest, sizeof(longest) - 1);
}

/* A coroutine that is made ready, runs for once, and ends. */
static void crowd_slice(uint32_t label, uint64_t ns)
{
	static uint64_t id = 1000;
	struct {
		struct coroprof_record_slice slice;
		struct coroprof_slice_fresh fresh;
		struct coroprof_slice_woken woken;
	} r = {
		.slice = {
			.type = COROPROF_RECORD_SLICE, .size = sizeof(r), .slot = (uint32_t)++id,
			.flags = COROPROF_SLICE_FRESH | COROPROF_SLICE_WOKEN | COROPROF_SLICE_END,
			.time = played.now + ns, .duration = ns, .id = id, .label = label,
		},
		.woken = { .wake_time = played.now - ns / 3, .waker = COROPROF_ID_THREAD | 1 },
	};
	struct error err;

	played.now += ns;
	played.status.slices++;
	played.status.running_ns += ns;
	played.status.ring_head += r.slice.size;
	if (writer_records(played.writer, CPROF_SEGMENT_RING, 1, &r, r.slice.size, &err))
		played_fail(&err);
}

/* In each second some are longer than all that were before. */
static void crowd_second(void)
{
	const uint64_t octaves = played.second < 11 ? played.second + 1 : 12;

	for (uint32_t label = 0; label < CROWD; label++) {
		char name[16];
		int size = snprintf(name, sizeof(name), "crowd %u", label);

		if (!played.second)
			played_label(LABELS + 1 + label, name, (size_t)size);
		for (uint64_t i = 0; i < octaves; i++)
			crowd_slice(LABELS + 1 + label, (300ull << i) + label * 17);
	}
	played_second(0);
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

/* Of all that is not of the second that goes on. */
static void dump(struct push *push)
{
	struct keep *keep = &played.flight.keep;
	const struct keep_part part = { keep->first, keep_end(keep) - 1 };
	struct dumps *dumps = &played.flight.dumps;

	if (!flight_dump(&played.flight, "the test", &part))
		exit(1);
	dumps_end(dumps);
	puts(dumps->path);
	push_feed(push)->dumped(push, dumps->path);
}

static void obey(struct push *push, const char *order)
{
	struct record_feed *feed = push_feed(push);
	unsigned int nr;

	const bool crowd = sscanf(order, "crowd %u", &nr) == 1;

	if (crowd || sscanf(order, "tick %u", &nr) == 1)
		while (nr--) {
			if (crowd)
				crowd_second();
			else
				played_second(LABELS - 3);
			feed->look(feed->context, &played.flight, false);
			wait_until_taken(push);
		}
	if (sscanf(order, "pace %u", &nr) == 1)
		played.pace = nr;
	if (sscanf(order, "lose %u", &nr) == 1)
		played_lose(nr);
	if (sscanf(order, "wait %u", &nr) == 1)
		usleep(nr * 1000);
	if (!strncmp(order, "say", 3))
		puts("so far");
	if (!strncmp(order, "dump", 4))
		dump(push);
	/* Nothing is added to it as long as no part comes. */
	if (!strncmp(order, "series", 6))
		printf("%" PRIu64 "\n", book_series(&push->book));
	fflush(stdout);
	while (!strncmp(order, "drain", 5) && __atomic_load_n(&push->delivery.queue.nr, __ATOMIC_ACQUIRE))
		usleep(1000);
}

static void listen_for_metrics(void)
{
	struct listener listener;
	struct error err;

	if (listener_begin(&listener, "127.0.0.1:0", &err))
		played_fail(&err);
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
	else if (!strcmp(text, "dumps"))
		to.dumps.url = value;
	else if (!strcmp(text, "dumps-file"))
		to.dumps.url_file = value;
	else if (!strcmp(text, "dumps-token"))
		to.dumps.token_file = value;
	else if (!strcmp(text, "secret"))
		to.metrics_token = value;
	else if (!strcmp(text, "delta"))
		to.delta = true;
	else if (!strcmp(text, "labels") && choice_parse(&to.choice, value, &err))
		played_fail(&err);
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
		to.to.timeout_ms = to.dumps.timeout_ms = (unsigned int)atoi(value);
	else if (!strcmp(text, "host"))
		host = value;
	else if (!strcmp(text, "counters"))
		played.counted = true;
}

static void say_sums(void)
{
	for (unsigned int i = 0; i < LABELS; i++) {
		for (const char *c = names[i]; *c; c++)
			printf("%02x", (unsigned char)*c);
		printf(" %" PRIu64 " %" PRIu64, played.slices[i + 1], played.running_ns[i + 1]);
		for (unsigned int n = 0; played.counted && n < PLAYED_COUNTERS; n++)
			printf(" %" PRIu64, played.count[i + 1][n]);
		putchar('\n');
	}
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
	if (push_begin(&push, &to, &err))
		played_fail(&err);
	if (host)
		snprintf(push->host.nodename, sizeof(push->host.nodename), "%s", host);
	if (push_feed(push)->begin(push, &err))
		played_fail(&err);
	while (fgets(line, sizeof(line), stdin))
		obey(push, line);
	push_feed(push)->end(push);
	say_sums();
	push_end(push);
	played_end();
	return 0;
}
