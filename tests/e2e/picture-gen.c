// SPDX-License-Identifier: GPL-2.0
/*
 * picture-gen OUT.cprof OUT.json [SCENARIO]: a recording, and what was generated for it, written down slice by slice
 * as it was handed to the generator, for tests of pictures. Without a scenario: threads that are idle most of the
 * time, slices of all lengths and states, and a thread that comes later and goes earlier. "names": labels that differ
 * in what can't be seen. "density": bursts of few and of many slices of the same length. "tool":
 * coroutines of coroprof itself beside those of a program, which they wake, and are woken by. Others are those of
 * cprof-gen; a number is about so many slices of its server.
 *
 * Linked with --wrap=gen_slice and --wrap=gen_label.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"

#define US	1000ULL
#define MS	(1000 * US)
#define BEGIN	(100 * 1000 * MS)
#define END	(BEGIN + 6000 * MS)

enum { LOOP = 1, HANDLE, RARE, COMPUTE, PARSE };

void __real_gen_slice(struct gen *g, uint32_t channel_id, const struct gen_slice *s);
void __wrap_gen_slice(struct gen *g, uint32_t channel_id, const struct gen_slice *s);
void __real_gen_label(struct gen *g, uint32_t process_id, uint32_t label, const char *text, uint32_t len);
void __wrap_gen_label(struct gen *g, uint32_t process_id, uint32_t label, const char *text, uint32_t len);

static FILE *truth;

void __wrap_gen_slice(struct gen *g, uint32_t channel_id, const struct gen_slice *s)
{
	fprintf(truth, ",\n{\"channel\":%u,\"coroutine\":%llu,\"label\":%u,\"outside\":%d,\"begin\":%llu,\"end\":%llu,\"preempted\":%llu,\"asleep\":%llu}",
		channel_id, (unsigned long long)s->id, s->label, !!(s->id & COROPROF_ID_THREAD), (unsigned long long)(s->time - s->duration),
		(unsigned long long)s->time, (unsigned long long)s->preempted_ns, (unsigned long long)s->blocked_ns);
	__real_gen_slice(g, channel_id, s);
}

void __wrap_gen_label(struct gen *g, uint32_t process_id, uint32_t label, const char *text, uint32_t len)
{
	fprintf(truth, ",\n{\"name\":%u,\"text\":\"%.*s\"}", label, (int)len, text);
	__real_gen_label(g, process_id, label, text, len);
}

struct thread {
	struct gen *g;
	uint32_t channel;
	uint64_t now;
};

/* What runs on a thread is other coroutines than on another: none is in two places at once. */
static void slice(struct thread *t, uint32_t label, uint64_t duration, uint64_t preempted, uint64_t blocked)
{
	t->now += duration;
	gen_slice(t->g, t->channel, &(struct gen_slice){
		.id = label == LOOP ? COROPROF_ID_THREAD | t->channel : t->channel * 100 + label,
		.label = label, .time = t->now, .duration = duration,
		.preempted_ns = preempted, .nr_preempted = !!preempted,
		.blocked_ns = blocked, .nr_blocked = !!blocked,
	});
}

static void idle_until(struct thread *t, uint64_t time)
{
	slice(t, LOOP, time - t->now, 0, time - t->now - 2 * US);
}

static struct thread begin(struct gen *g, uint32_t channel, uint64_t time)
{
	gen_channel(g, channel, 1, 100 + (int32_t)channel, "picture", time, NULL, 0);
	return (struct thread){ .g = g, .channel = channel, .now = time };
}

/* 600 slices of 100 us; some of them are off the CPU for a while, and some others are much shorter. */
static void idle_thread(struct gen *g)
{
	struct thread t = begin(g, 1, BEGIN);

	for (uint32_t i = 0; t.now < END; i++) {
		slice(&t, HANDLE, 100 * US, i % 10 == 3 ? 20 * US : 0, i % 10 == 7 ? 30 * US : 0);
		if (i % 90 == 50)
			slice(&t, RARE, 300, 0, 0);
		idle_until(&t, BEGIN + (i + 1) * 10 * MS);
	}
	gen_channel_end(g, 1);
}

/* Slices of some columns of pixels each, whatever the zoom, preempted and blocked for parts of any size. */
static void busy_thread(struct gen *g)
{
	struct thread t = begin(g, 2, BEGIN + MS);

	for (uint32_t i = 0; t.now < END - 200 * MS; i++) {
		slice(&t, COMPUTE, (1 + i % 37) * MS + i * US, i % 3 ? 0 : (1 + i % 700) * US, i % 4 ? 0 : MS / 2);
		slice(&t, PARSE, (1 + i % 11) * 70 * US, 0, i % 5 ? 0 : 60 * US);
		slice(&t, COMPUTE, (5 + i % 13) * MS, i % 2 ? 0 : 3 * MS, 0);
		idle_until(&t, t.now + (1 + i % 7) * MS);
	}
	idle_until(&t, END);
	gen_channel_end(g, 2);
}

static void late_thread(struct gen *g)
{
	struct thread t = begin(g, 3, BEGIN + 1500 * MS);

	for (uint32_t i = 0; t.now < END - 1200 * MS; i++) {
		slice(&t, i % 5 ? PARSE : HANDLE, (1 + i * 7919 % 1000) * US, 0, 0);
		if (i % 3 == 0)
			idle_until(&t, t.now + (10 + i * 104729 % 4000) * US);
	}
	gen_channel_end(g, 3);
}

static void threads(const char *path)
{
	static const char *const labels[] = { "event loop", "handle", "rare", "compute", "parse" };
	static const struct coroprof_counter cycles = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES };
	struct gen *g = gen_open(path);

	gen_counter(g, &cycles, "cycles");
	gen_process(g, 1, 100, "picture", BEGIN);
	for (uint32_t i = 0; i < 5; i++)
		gen_label(g, 1, i + 1, labels[i], (uint32_t)strlen(labels[i]));
	idle_thread(g);
	busy_thread(g);
	late_thread(g);
	gen_close(g, true);
}

static void names(const char *path)
{
	static const char *const labels[] = {
		"event loop", "", "same", "same ", " same", "same\u00a0", "same\u200b", "sa\u00adme", "two words", "two  words",
		"two\u2002words", "\u3164", " ", "\u27e8no name\u27e9", "same\u2420", "same\u27e800a0\u27e9",
	};
	struct gen *g = gen_open(path);
	struct thread t;

	gen_process(g, 1, 100, "names", BEGIN);
	for (uint32_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		gen_label(g, 1, i + 1, labels[i], (uint32_t)strlen(labels[i]));
	t = begin(g, 1, BEGIN);
	for (uint32_t round = 0; round < 20; round++)
		for (uint32_t i = 1; i < sizeof(labels) / sizeof(*labels); i++)
			slice(&t, LOOP + i, 10 * MS + i * MS / 10, 0, 0);
	idle_until(&t, t.now + MS);
	gen_channel_end(g, 1);
	gen_close(g, true);
}

static void density(const char *path)
{
	static const uint32_t bursts[] = { 1, 2, 5, 10, 20, 50, 100, 3 };
	struct gen *g = gen_open(path);
	struct thread t;

	gen_process(g, 1, 100, "density", BEGIN);
	gen_label(g, 1, LOOP, "event loop", 10);
	gen_label(g, 1, HANDLE, "handle", 6);
	t = begin(g, 1, BEGIN);
	for (uint32_t i = 0; i < sizeof(bursts) / sizeof(*bursts); i++) {
		idle_until(&t, BEGIN + (i + 1) * 600 * MS);
		for (uint32_t nr = 0; nr < bursts[i]; nr++)
			slice(&t, HANDLE, 20 * US, 0, 0);
	}
	idle_until(&t, END);
	gen_channel_end(g, 1);
	gen_close(g, true);
}

/* Of each 10 ms a thread of the program runs 3, coroprof 2. */
static void tool(const char *path)
{
	static const char *const labels[] = { "event loop", "handle", "(coroprof)", "compute" };
	struct gen *g = gen_open(path);

	gen_process(g, 1, 100, "tool", BEGIN);
	for (uint32_t i = 0; i < 4; i++)
		gen_label(g, 1, i + 1, labels[i], (uint32_t)strlen(labels[i]));
	for (uint32_t channel = 1; channel <= 2; channel++) {
		struct thread t = begin(g, channel, BEGIN);

		for (uint32_t i = 0; i < 500; i++) {
			uint64_t before = t.now;
			const struct gen_slice woken = {
				.id = channel * 10 + i % 3, .label = i % 3 ? HANDLE : COMPUTE,
				.time = t.now + 5 * MS, .duration = 3 * MS, .wake_time = t.now + 1 * MS,
				.waker = channel * 100, .flags = i < 3 ? COROPROF_SLICE_FRESH : 0,
			};

			gen_slice(g, channel, &(struct gen_slice){
				.id = channel * 100, .label = RARE, .time = t.now + 2 * MS, .duration = 2 * MS,
				.wake_time = i ? t.now : 0, .waker = i ? channel * 10 : 0,
				.flags = i ? 0 : COROPROF_SLICE_FRESH,
			});
			gen_slice(g, channel, &woken);
			t.now = woken.time;
			idle_until(&t, before + 10 * MS);
		}
		gen_channel_end(g, channel);
	}
	gen_close(g, true);
}

int main(int argc, char **argv)
{
	if (argc < 3 || argc > 4)
		return 2;
	truth = fopen(argv[2], "w");
	if (!truth)
		return 1;
	fputs("[null", truth);
	if (argc == 3)
		threads(argv[1]);
	else if (!strcmp(argv[3], "names"))
		names(argv[1]);
	else if (!strcmp(argv[3], "tool"))
		tool(argv[1]);
	else if (!strcmp(argv[3], "density"))
		density(argv[1]);
	else if (strtoull(argv[3], NULL, 10))
		gen_slices(argv[1], strtoull(argv[3], NULL, 10));
	else if (!gen_scenario(argv[3], argv[1]))
		return 2;
	fputs("]\n", truth);
	return fclose(truth) ? 1 : 0;
}
