// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "gen/simulate.h"

/* A ring is drained when it holds about so many slices. */
#define DRAIN_SLICES	2000

struct coroutine {
	uint64_t id;
	uint64_t ready;
	uint64_t waker;
	uint32_t slices_left;
	uint32_t kind;
	bool born;
	bool yielded;
};

struct thread {
	uint64_t now;
	uint32_t undrained;
	bool first;
};

/**
 * struct state - a simulation under way
 * @heap:    coroutines, as a binary heap by @ready
 * @nr_heap: how many
 * @random:  state of xorshift64*
 * @last_id: who ran last
 */
struct state {
	struct gen *g;
	const struct simulate *what;
	struct thread *threads;
	struct coroutine *heap;
	uint32_t nr_heap;
	uint64_t random;
	uint64_t last_id;
};

static uint64_t random64(struct state *s)
{
	s->random ^= s->random >> 12;
	s->random ^= s->random << 25;
	s->random ^= s->random >> 27;
	return s->random * 0x2545f4914f6cdd1dULL;
}

static bool one_in(struct state *s, uint32_t n)
{
	return n && random64(s) % n == 0;
}

/* Exponentially distributed, at least 1. */
static uint64_t around(struct state *s, uint64_t mean)
{
	double u = (double)(random64(s) >> 11) / 9007199254740992.0;

	return 1 + (uint64_t)(-log(1.0 - u) * (double)mean);
}

static void sift_up(struct state *s, uint32_t i)
{
	struct coroutine c = s->heap[i];

	for (; i && s->heap[(i - 1) / 2].ready > c.ready; i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = c;
}

static void sift_down(struct state *s)
{
	struct coroutine c = s->heap[0];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < s->nr_heap) {
		if (child + 1 < s->nr_heap &&
		    s->heap[child + 1].ready < s->heap[child].ready)
			child++;
		if (s->heap[child].ready >= c.ready)
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = c;
}

static uint32_t pick_kind(struct state *s)
{
	const struct simulate *w = s->what;
	uint32_t sum = 0, k;
	uint64_t at;

	for (k = 0; k < w->nr_kinds; k++)
		sum += w->kinds[k].weight;
	at = random64(s) % sum;
	for (k = 0; at >= w->kinds[k].weight; k++)
		at -= w->kinds[k].weight;
	return k;
}

/* Births are spread so that the threads are busy about half of the time. */
static void make_coroutines(struct state *s)
{
	const struct simulate *w = s->what;
	uint64_t born = w->begin;

	for (uint32_t i = 0; i < w->coroutines; i++) {
		uint32_t kind = pick_kind(s);

		born += around(s, w->kinds[kind].run_ns * w->slices * 2 /
				  w->threads);
		s->heap[s->nr_heap] = (struct coroutine){
			.id = w->threads + 1 + i,
			.ready = born,
			.slices_left = (uint32_t)around(s, w->slices),
			.kind = kind,
		};
		sift_up(s, s->nr_heap++);
	}
}

static void emit(struct state *s, uint32_t thread, struct gen_slice *slice)
{
	struct thread *t = &s->threads[thread];
	uint32_t channel = s->what->channel + thread;

	t->now += slice->duration;
	slice->time = t->now;
	if (t->first)
		slice->flags |= COROPROF_SLICE_FIRST;
	t->first = false;
	if (s->what->adjust)
		s->what->adjust(s->g, channel, slice);
	gen_slice(s->g, channel, slice);
	if (++t->undrained >= DRAIN_SLICES) {
		gen_drain(s->g, channel);
		t->undrained = 0;
	}
}

static void count(struct state *s, struct gen_slice *slice, double ipc)
{
	uint64_t running = slice->duration - slice->preempted_ns -
			   slice->blocked_ns;

	slice->count[0] = running * 3;
	slice->count[1] = (uint64_t)((double)(running * 3) * ipc);
	slice->count[2] = around(s, running / 200 + 1);
	slice->count[3] = around(s, running / 500 + 1);
}

/* The thread's own slot: it asks what is ready, and sleeps if nothing is. */
static void run_outside(struct state *s, uint32_t thread, uint64_t until)
{
	struct thread *t = &s->threads[thread];
	struct gen_slice slice = {
		.id = COROPROF_ID_THREAD | (thread + 1),
		.label = s->what->thread_label,
		.duration = 200 + random64(s) % 100,
	};

	if (until > t->now + 1000) {
		slice.blocked_ns = until - t->now;
		slice.nr_blocked = 1;
		slice.duration += slice.blocked_ns;
	} else if (s->what->wakes_one && slice.duration < until - t->now) {
		/* What runs next may run elsewhere until then. */
		slice.duration = until - t->now;
	}
	count(s, &slice, 0.8);
	emit(s, thread, &slice);
}

static void take_off_cpu(struct state *s, const struct simulate_kind *kind,
			 struct gen_slice *slice)
{
	if (one_in(s, 40)) {
		slice->preempted_ns = around(s, 50000);
		slice->nr_preempted = 1;
	}
	if (one_in(s, kind->blocked)) {
		slice->blocked_ns = around(s, 400000);
		slice->nr_blocked = 1;
	}
	slice->duration += slice->preempted_ns + slice->blocked_ns;
}

static void fill(struct state *s, struct coroutine *c, struct gen_slice *slice)
{
	const struct simulate_kind *kind = &s->what->kinds[c->kind];

	*slice = (struct gen_slice){
		.id = c->id,
		.label = kind->label,
		.duration = around(s, kind->run_ns),
	};
	take_off_cpu(s, kind, slice);
	count(s, slice, kind->ipc);
	if (!c->born) {
		slice->flags |= COROPROF_SLICE_FRESH;
		slice->parent = s->last_id;
		slice->tag = c->id * 10;
	}
	if (!kind->untold && !c->yielded) {
		slice->wake_time = c->ready;
		slice->waker = c->waker;
	}
	c->born = true;
}

static void run_coroutine(struct state *s, uint32_t thread)
{
	struct coroutine *c = &s->heap[0];
	const struct simulate_kind *kind = &s->what->kinds[c->kind];
	struct gen_slice slice;

	fill(s, c, &slice);
	c->yielded = false;
	if (--c->slices_left == 0)
		slice.flags |= COROPROF_SLICE_END;
	else if (one_in(s, kind->yields)) {
		slice.flags |= COROPROF_SLICE_READY;
		c->yielded = true;
	}
	emit(s, thread, &slice);
	c->ready = s->threads[thread].now;
	if (!c->yielded)
		c->ready += around(s, kind->sleep_ns);
	c->waker = s->last_id;
	s->last_id = c->id;
	if (!c->slices_left)
		s->heap[0] = s->heap[--s->nr_heap];
	if (s->nr_heap)
		sift_down(s);
}

static uint32_t earliest_thread(const struct state *s)
{
	uint32_t best = 0;

	for (uint32_t t = 1; t < s->what->threads; t++)
		if (s->threads[t].now < s->threads[best].now)
			best = t;
	return best;
}

static void begin_threads(struct state *s)
{
	const struct simulate *w = s->what;
	char comm[32];

	for (uint32_t t = 0; t < w->threads; t++) {
		snprintf(comm, sizeof(comm), "worker-%u", t);
		gen_channel(s->g, w->channel + t, w->process_id,
			    w->tid + (int32_t)t, comm, w->begin, NULL, 0);
		s->threads[t] = (struct thread){ .now = w->begin, .first = true };
	}
	gen_drain_stream(s->g);
}

void simulate(struct gen *g, const struct simulate *what)
{
	struct state s = {
		.g = g,
		.what = what,
		.threads = calloc(what->threads, sizeof(*s.threads)),
		.heap = calloc(what->coroutines, sizeof(*s.heap)),
		.random = what->seed * 2 + 1,
	};

	if (!s.threads || !s.heap)
		abort();
	begin_threads(&s);
	make_coroutines(&s);
	while (s.nr_heap) {
		uint32_t t = earliest_thread(&s);
		bool sleeps = s.heap[0].ready > s.threads[t].now;

		if (sleeps)
			run_outside(&s, t, s.heap[0].ready);
		if (!sleeps || what->wakes_one)
			run_coroutine(&s, t);
	}
	for (uint32_t t = 0; t < what->threads; t++) {
		struct gen_slice last = {
			.id = COROPROF_ID_THREAD | (t + 1),
			.label = what->thread_label,
			.duration = 1000,
			.flags = COROPROF_SLICE_CUT,
		};

		count(&s, &last, 0.8);
		emit(&s, t, &last);
	}
	free(s.heap);
	free(s.threads);
}
