// SPDX-License-Identifier: GPL-2.0
/*
 * calls-gen OUT.cprof [lost|heavier|slow|slow-lost|sampled|moments|wakes|spans|deep|server|crowd]:
 * a recording made up, of samples in functions of this program, and of spans; with "lost", of
 * which some were lost; with "heavier", of which a label takes more; with "slow", of which a
 * tenth of the slices does; with "sampled", of more samples than a page holds one by one. What
 * the figures are can be told: see pipeline.mjs, changes.mjs, slow.mjs and sampled.mjs. With
 * "spans", spans that go on from slice to slice, and from thread to thread; with "deep", a
 * recursion of many. With "server", one thread in every state, with spans in its lane, deep
 * stacks, and more findings than a page says first; with "crowd", a dozen of such threads.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "cprof/format.h"
#include "gen/gen.h"

#define BEGIN		1000000000ULL
#define SLICE		100000ULL
#define SLICES		400
#define THREADS		2
#define COROUTINES	8	/* of a thread */
#define COUNTERS	2

/* The instructions of slices and spans were counted half of the time. */
#define STANDING	(COROPROF_STANDING_COUNTED | \
			 COROPROF_STANDING_SCALED << 2)

/* One more than MODEL_TIMELINE_SAMPLES of the reader. */
#define MANY_SAMPLES	50001

/* In leaf, called by parse, called by serve. */
#define HEAVY_SAMPLE	2

enum story { PLAIN, LOST, HEAVIER, SLOW, SLOW_LOST, SAMPLED, MOMENTS, WAKES, SPANS, DEEP, SERVER, CROWD };

enum label { EVEN = 1, ODD, OUTER, INNER, INNERMOST };

typedef int (*function)(int);

__attribute__((noinline)) int gen_leaf(int x);
__attribute__((noinline)) int gen_parse(int x);
__attribute__((noinline)) int gen_serve(int x);

int gen_leaf(int x)
{
	return x * 3 + 1;
}

int gen_parse(int x)
{
	return gen_leaf(x) + 1;
}

int gen_serve(int x)
{
	return gen_parse(x) ^ 1;
}

static const function stack[] = { gen_leaf, gen_parse, gen_serve };

static bool holds(const struct cprof_map *map, function of)
{
	return map->start <= (uintptr_t)of && (uintptr_t)of < map->end;
}

/* The mapping of this program that its functions are in. */
static int write_maps(struct gen *g)
{
	struct {
		struct cprof_maps head;
		struct cprof_map map;
		char path[512];
	} list = { .head = { .process_id = 1, .pid = 77, .time = BEGIN } };
	FILE *file = fopen("/proc/self/maps", "r");
	char line[1024];

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		unsigned long start, end, offset;

		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %511s", &start, &end,
			   &offset, list.path) != 4)
			continue;
		list.map.start = start;
		list.map.end = end;
		list.map.offset = offset;
		if (holds(&list.map, gen_leaf))
			break;
	}
	fclose(file);
	list.map.path_len = (uint16_t)strlen(list.path);
	list.map.size = (uint32_t)(sizeof(list.map) +
				   (list.map.path_len + 7u) / 8 * 8);
	gen_segment(g, CPROF_SEGMENT_MAPS, &list,
		    (uint32_t)sizeof(list.head) + list.map.size);
	return 0;
}

/* Every third is in leaf, called by parse, called by serve, and so on. */
static void sample(struct gen *g, uint32_t thread, unsigned int nr,
		   uint64_t id, uint64_t time)
{
	struct gen_sample s = {
		.time = time, .id = id, .label = id % 2 ? ODD : EVEN,
	};
	unsigned int depth = 1 + nr % 3;

	for (unsigned int i = 0; i < depth; i++)
		s.address[i] = (uintptr_t)stack[3 - depth + i] + 1;
	if (nr % 10 == 0)
		s.flags = COROPROF_SAMPLE_IN_KERNEL;
	gen_sample(g, thread, &s);
}

static void span(struct gen *g, uint32_t thread, uint64_t id,
		 enum label label, uint32_t depth, uint64_t end,
		 uint64_t duration)
{
	const struct gen_span s = {
		.time = end, .duration = duration, .id = id, .label = label,
		.standing = STANDING, .running_ns = duration / 2,
		.depth = depth, .count = { duration * 3, duration },
		.missing_ns = { 0, duration / 4 },
	};

	gen_span(g, thread, &s);
}

/* In each slice: outer, in it inner, and in that inner again. */
static void slice(struct gen *g, uint32_t thread, unsigned int nr, enum story story)
{
	uint64_t id = thread * 100 + nr % COROUTINES;
	uint64_t end = BEGIN + (nr + 1) * SLICE;
	bool is_heavy = (story == HEAVIER && id % 2) ||
			((story == SLOW || story == SLOW_LOST) && nr % 10 == 9);
	const struct gen_slice s = {
		.slot = (uint32_t)id, .time = end, .duration = SLICE, .id = id,
		.label = id % 2 ? ODD : EVEN, .standing = STANDING,
		.flags = nr < COROUTINES ? COROPROF_SLICE_FRESH : 0,
		.count = { SLICE * 3 * (is_heavy ? 11 : 10) / 10, SLICE },
		.missing_ns = { 0, SLICE / 2 },
	};

	sample(g, thread, nr, id, end - SLICE / 2);
	if (is_heavy)
		sample(g, thread, HEAVY_SAMPLE, id, end - SLICE / 4);
	if ((story == LOST || story == SLOW_LOST) && nr == SLICES / 2) {
		gen_lost_spans(g, thread, end - SLICE / 2, 2);
		gen_lost_samples(g, thread, end - SLICE / 2, 5);
	} else {
		span(g, thread, id, INNER, 2, end - 4000, 20000);
		span(g, thread, id, INNER, 1, end - 2000, 40000);
	}
	span(g, thread, id, OUTER, 0, end - 1000, 80000);
	gen_slice(g, thread, &s);
}

#define US	1000u

/* A slice of the story of moments: times in us; made by @parent, or woken, if that is not 0. */
static void moment(struct gen *g, uint32_t thread, uint64_t id, uint64_t begin, uint64_t end,
		   uint64_t parent, uint64_t woken, uint64_t waker)
{
	gen_slice(g, thread, &(struct gen_slice){
		.slot = (uint32_t)id, .id = id, .label = id % 2 ? ODD : EVEN,
		.time = BEGIN + end * US, .duration = (end - begin) * US,
		.flags = parent ? COROPROF_SLICE_FRESH : 0,
		.parent = parent, .wake_time = woken ? BEGIN + woken * US : 0, .waker = waker,
		.count = { 3000 * (end - begin), 1500 * (end - begin) },
	});
}

static void part(struct gen *g, uint32_t thread, uint64_t id, enum label name, uint32_t depth,
		 uint64_t begin, uint64_t end)
{
	gen_span(g, thread, &(struct gen_span){
		.time = BEGIN + end * US, .duration = (end - begin) * US, .id = id,
		.label = name, .depth = depth, .running_ns = (end - begin) * US / 2,
	});
}

/*
 * Few things, each at a time that tests know: 1 makes 2 and 3, 2 makes 4. A span of 1
 * goes on while others run.
 */
static void moments(struct gen *g)
{
	const uint64_t no_one = 99;

	sample(g, 1, 2, 1, BEGIN + 10 * US);
	part(g, 1, 1, INNER, 1, 30, 90);
	moment(g, 1, 1, 0, 100, no_one, 0, 0);
	moment(g, 1, 2, 100, 200, 1, 50, 1);
	moment(g, 1, 4, 200, 300, 2, 150, 2);
	sample(g, 1, 1, 1, BEGIN + 330 * US);
	part(g, 1, 1, INNER, 2, 330, 335);
	part(g, 1, 1, INNER, 1, 320, 360);
	part(g, 1, 1, OUTER, 0, 20, 380);
	moment(g, 1, 1, 300, 400, 0, 250, 4);
	moment(g, 2, 3, 0, 120, 1, 0, 0);
	gen_slice(g, 2, &(struct gen_slice){
		.slot = 90, .id = COROPROF_ID_THREAD | 90, .label = EVEN,
		.time = BEGIN + 320 * US, .duration = 200 * US, .blocked_ns = 200 * US,
		.nr_blocked = 1,
	});
	sample(g, 2, 2, 2, BEGIN + 350 * US);
	moment(g, 2, 2, 320, 380, 0, 310, 1);
}

/* 1 wakes more coroutines, in one slice, than there are arrows for. */
static void wakes(struct gen *g)
{
	moment(g, 1, 1, 0, 100, 99, 0, 0);
	for (uint64_t id = 2; id < 72; id++)
		moment(g, 1, id, 80 + 10 * id, 90 + 10 * id, 0, 10 + id, 1);
}

#define CROWDED		12u	/* threads of the crowd */
#define TURNS		40u	/* of its thread, each of one coroutine */
#define KINDS		3u	/* of coroutines */
#define STACK		24u

static void deep_sample(struct gen *g, uint32_t thread, uint64_t id, enum label label,
			uint64_t time)
{
	struct gen_sample s = { .time = time, .id = id, .label = label };

	for (unsigned int i = 0; i < STACK; i++)
		s.address[i] = (uintptr_t)stack[i % 3] + 1;
	gen_sample(g, thread, &s);
}

/*
 * Coroutines of three kinds take turns: one holds the thread, one sleeps in it, one is made
 * ready by the first and waits for it. After each of the last the thread is idle.
 */
static void turns(struct gen *g, uint32_t thread)
{
	uint64_t now = BEGIN;

	for (uint32_t nr = 0; nr < TURNS * KINDS; nr++) {
		uint32_t kind = nr % KINDS;
		uint64_t id = thread * 100 + kind;
		uint64_t begin = now, duration = kind ? SLICE : 20 * SLICE;
		const struct gen_slice s = {
			.slot = (uint32_t)id, .time = begin + duration, .duration = duration, .id = id,
			.label = EVEN + kind, .flags = nr < KINDS ? COROPROF_SLICE_FRESH : 0,
			.count = { duration * 3, kind ? duration : duration * 4 },
			.preempted_ns = kind == 1 ? 0 : SLICE / 4, .nr_preempted = kind != 1,
			.blocked_ns = kind == 1 ? SLICE / 2 : 0, .nr_blocked = kind == 1,
			.wake_time = kind == 2 ? begin - 20 * SLICE : 0, .waker = thread * 100,
		};

		now += duration;
		deep_sample(g, thread, id, s.label, begin + duration / 2);
		span(g, thread, id, INNER, 2, now - 3000, duration / 4);
		span(g, thread, id, INNERMOST, 1, now - 2000, duration / 2);
		span(g, thread, id, INNER, 0, now - 1000, duration / 4 * 3);
		gen_slice(g, thread, &s);
		if (kind + 1 < KINDS)
			continue;
		now += SLICE;
		gen_slice(g, thread, &(struct gen_slice){
			.slot = 90 + thread, .id = COROPROF_ID_THREAD | (90 + thread), .label = EVEN,
			.time = now, .duration = SLICE, .blocked_ns = SLICE / 2, .nr_blocked = 1,
		});
	}
}

#define LEVELS	400u

/* Each has 1 us of its own, and the inmost one what is left. */
static void deep(struct gen *g)
{
	for (uint32_t depth = LEVELS; depth--;)
		part(g, 1, 2, depth + 1 == LEVELS ? INNERMOST : OUTER + depth % 2, depth, depth,
		     1000 - depth);
	moment(g, 1, 2, 0, 1000, 99, 0, 0);
}

#define ROUND		1000u	/* ns, in which each thread runs one coroutine */
#define ROUNDS		2000u
#define TRAVELLERS	9u
#define DEEPEST		4u

/* Of a coroutine: the spans that it is in, and how long it has run. */
struct travel {
	enum label name[DEEPEST];
	uint64_t begin[DEEPEST];
	uint64_t ran[DEEPEST];
	uint64_t running;
	uint32_t depth;
};

static uint32_t any_of(uint32_t nr)
{
	static uint32_t seed = 12345;

	seed = seed * 1103515245u + 12345;
	return (seed >> 16) % nr;
}

static void begin_part(struct travel *c, uint64_t now)
{
	c->name[c->depth] = OUTER + any_of(3);
	c->begin[c->depth] = now;
	c->ran[c->depth++] = c->running;
}

static void end_part(struct gen *g, uint32_t thread, uint64_t id, struct travel *c, uint64_t now)
{
	uint64_t running = c->running - c->ran[--c->depth];

	gen_span(g, thread, &(struct gen_span){
		.time = now, .duration = now - c->begin[c->depth], .id = id, .label = c->name[c->depth],
		.depth = c->depth, .running_ns = running, .count = { 3 * running, running },
	});
}

/* Spans begin and end in it, and some go on: to the next slice, on any thread. */
static void travel(struct gen *g, uint32_t thread, uint64_t id, struct travel *c, uint64_t begin,
		   uint64_t end, bool fresh)
{
	uint64_t now = begin;

	while (now + 100 < end) {
		uint64_t step = 20 + any_of(80);

		now += step;
		c->running += step;
		if (c->depth && (c->depth == DEEPEST || any_of(2)))
			end_part(g, thread, id, c, now);
		else
			begin_part(c, now);
	}
	c->running += end - now;
	gen_slice(g, thread, &(struct gen_slice){
		.slot = (uint32_t)id, .id = id, .tag = id, .label = id % 2 ? ODD : EVEN,
		.time = end, .duration = end - begin, .flags = fresh ? COROPROF_SLICE_FRESH : 0,
		.count = { 3 * (end - begin), end - begin },
	});
}

static void spans(struct gen *g)
{
	struct travel all[TRAVELLERS] = { 0 };
	uint64_t last[THREADS + 1] = { 0, BEGIN, BEGIN };

	for (uint32_t round = 0; round < ROUNDS; round++)
		for (uint32_t thread = 1; thread <= THREADS; thread++) {
			/* No one runs in two rounds that follow each other. */
			uint32_t at = (round * THREADS + thread) % TRAVELLERS;
			uint64_t end = BEGIN + (round + 1) * ROUND - any_of(100);

			travel(g, thread, 1 + at, &all[at], last[thread], end, !all[at].running);
			last[thread] = end;
		}
}

/* Threads of which each slice has spans and a sample. */
static void many_slices(struct gen *g, uint32_t thread, enum story story)
{
	for (unsigned int nr = 0; nr < SLICES; nr++)
		slice(g, thread, nr, story);
	for (unsigned int nr = THREADS * SLICES; story == SAMPLED && thread == 1 && nr < MANY_SAMPLES; nr++)
		sample(g, thread, nr, 100, BEGIN + nr);
	gen_status(g, thread)->throttled = story == LOST;
}

static void label(struct gen *g, enum label nr, const char *text)
{
	gen_label(g, 1, nr, text, (uint32_t)strlen(text));
}

static struct gen *begin(const char *path)
{
	static const struct coroprof_counter cycles = {
		.config = PERF_COUNT_HW_CPU_CYCLES,
	}, instructions = {
		.config = PERF_COUNT_HW_INSTRUCTIONS,
	};
	struct gen *g = gen_open(path);

	gen_counter(g, &cycles, "cycles");
	gen_counter(g, &instructions, "instructions");
	gen_info(g, "sample_event", "cycles");
	gen_info(g, "sample_period", "300000");
	gen_info(g, "sample_stack_max", "48");
	gen_info(g, "perf_event_paranoid", "3");
	gen_info(g, "switch_ns", "85");
	gen_info(g, "switch_user_ns", "11");
	gen_info(g, "span_ns", "300");
	gen_process(g, 1, 77, "calls", BEGIN);
	label(g, EVEN, "even");
	label(g, ODD, "odd");
	label(g, OUTER, "outer");
	label(g, INNER, "inner");
	label(g, INNERMOST, "innermost");
	return g;
}

int main(int argc, char **argv)
{
	enum story story = argc != 3 ? PLAIN : !strcmp(argv[2], "lost") ? LOST :
			   !strcmp(argv[2], "heavier") ? HEAVIER :
			   !strcmp(argv[2], "slow") ? SLOW :
			   !strcmp(argv[2], "slow-lost") ? SLOW_LOST :
			   !strcmp(argv[2], "sampled") ? SAMPLED :
			   !strcmp(argv[2], "moments") ? MOMENTS :
			   !strcmp(argv[2], "wakes") ? WAKES :
			   !strcmp(argv[2], "spans") ? SPANS :
			   !strcmp(argv[2], "deep") ? DEEP :
			   !strcmp(argv[2], "server") ? SERVER :
			   !strcmp(argv[2], "crowd") ? CROWD : PLAIN;
	uint32_t threads = story == SERVER ? 1 : story == CROWD ? CROWDED : THREADS;
	struct gen *g;

	if (argc < 2 || (argc > 2 && story == PLAIN)) {
		fputs("usage: calls-gen OUT.cprof [lost|heavier|slow|slow-lost|sampled|moments|wakes|spans|deep|server|crowd]\n",
		      stderr);
		return 2;
	}
	g = begin(argv[1]);
	if (write_maps(g)) {
		fprintf(stderr, "calls-gen: /proc/self/maps: %s\n",
			strerror(errno));
		return 1;
	}
	for (uint32_t thread = 1; thread <= threads; thread++) {
		gen_mode(g, thread == 1 ? COROPROF_MODE_USER :
			 COROPROF_MODE_IOCTL,
			 thread == 1 ? 0 : COROPROF_REASON_PARANOID);
		gen_channel(g, thread, 1, 76 + (int32_t)thread, "calls", BEGIN,
			    NULL, 0);
		if (story < MOMENTS)
			many_slices(g, thread, story);
		if (story >= SERVER)
			turns(g, thread);
	}
	if (story == MOMENTS)
		moments(g);
	if (story == WAKES)
		wakes(g);
	if (story == SPANS)
		spans(g);
	if (story == DEEP)
		deep(g);
	gen_close(g, true);
	return 0;
}
