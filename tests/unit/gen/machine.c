// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "gen/machine.h"
#include "profile/streams.h"

#define BEGIN		1000
#define AGAIN		1600
#define NONE		UINT32_MAX

uint32_t machine_random(struct machine *m, uint32_t n)
{
	m->random = m->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)((m->random >> 33) % n);
}

static bool one_in(struct machine *m, uint32_t n)
{
	return !machine_random(m, n);
}

void machine_context(const struct machine_options *options)
{
	const struct coroprof_counter misses = HW(PERF_COUNT_HW_CACHE_MISSES);
	const struct coroprof_counter_state own = { .counter = misses };
	const struct coroprof_counter_state absent[] = {
		{ .counter = cycles }, { .counter = instructions },
		{ .counter = misses, .error = ENOENT },
	};
	const struct coroprof_counter_state *all = options->absent ? absent : NULL;
	const uint32_t nr = options->absent ? ARRAY_SIZE(absent) : 0;
	struct gen *g = begin_recording();

	if (options->absent)
		gen_counter(g, &misses, "cache-misses");

	gen_process(g, 2, 200, "two", 900);
	gen_label(g, 1, 3, "c", 1);
	gen_label(g, 1, 4, "a", 1);
	gen_label(g, 1, 5, MODEL_NAMING, strlen(MODEL_NAMING));
	gen_label(g, 2, 1, "a", 1);
	gen_label(g, 2, 2, "x", 1);
	gen_channel(g, 1, 1, 101, "one", BEGIN, all, nr);
	gen_channel(g, 2, 1, 102, "two", BEGIN, all, nr);
	gen_channel(g, 3, 2, 201, "three", BEGIN, options->alike ? all : &own,
		    options->alike ? nr : 1);
	gen_channel(g, 4, 2, 202, "four", BEGIN, all, nr);
	if (!options->alike)
		gen_channel(g, 5, 1, 102, "two", AGAIN, NULL, 0);
	gen_close(g, true);
}

/* ---- events */

static struct machine_event *add_event(struct machine *m,
				       enum machine_event_kind kind,
				       const struct machine_thread *t)
{
	struct machine_event *e = &m->events[m->nr_events];

	if (m->nr_events == m->room)
		abort();
	m->nr_events++;
	*e = (struct machine_event){
		.kind = kind,
		.channel = t->channel,
		.process = t->process,
		.time = m->now,
	};
	return e;
}

/* But now and then, as only a damaged file says. */
static void choose_absent(struct machine *m, struct machine_event *e)
{
	if (!m->options.absent || one_in(m, 20))
		e->record.count[2] = machine_random(m, 1000);
	else
		e->record.standing &= (uint16_t)~(3u << 2 * 2);
}

static void choose_counts(struct machine *m, struct machine_event *e)
{
	uint16_t *standing = &e->record.standing;
	uint64_t running = e->record.running_ns;

	*standing = 0xffff;
	for (uint32_t i = 0; i < 2; i++) {
		e->record.count[i] = machine_random(m, 1000);
		if (!one_in(m, 6))
			continue;
		*standing &= (uint16_t)~(3u << 2 * i);
		*standing |= (uint16_t)(machine_random(m, 4) << 2 * i);
		/* As it is in slices and in spans. */
		e->record.flags |= e->kind == MACHINE_SLICE ?
				   COROPROF_SLICE_SCALED : COROPROF_SPAN_SCALED;
		e->record.missing_ns[i] = running ?
				   machine_random(m, (uint32_t)running + 1) : 0;
	}
	choose_absent(m, e);
}

/* ---- losses */

static void begin_loss(struct machine *m, struct machine_thread *t, bool slices)
{
	struct machine_event *e;

	if (t->lost_until)
		return;
	t->lost_until = m->now + 1 + machine_random(m, 150);
	t->hole = slices && one_in(m, 2);
	t->lost = slices;
	t->lost_spans = !slices || m->options.plain || one_in(m, 2);
	if (slices) {
		e = add_event(m, MACHINE_SLICES_MISSING, t);
		e->until = t->lost_until;
	}
	if (t->lost_spans || t->hole) {
		e = add_event(m, MACHINE_SPANS_MISSING, t);
		e->until = t->lost_until;
	}
	if (t->hole)
		add_event(m, MACHINE_HOLE, t);
}

static void end_loss(struct machine *m, struct machine_thread *t)
{
	uint64_t now = m->now;
	struct machine_event *e;

	m->now = t->lost_until;
	t->lost_until = 0;
	if (!t->hole) {
		e = add_event(m, MACHINE_LOST, t);
		e->record = (struct record){
			.type = COROPROF_RECORD_LOST,
			.time = m->now,
			.lost = t->lost,
			.lost_spans = t->lost_spans,
		};
	}
	if (t->lost || t->hole)
		t->begin = m->now;
	m->now = now;
}

/* Those of which the first record behind is due, in order. */
static void end_losses(struct machine *m)
{
	for (;;) {
		struct machine_thread *due = NULL;

		for (uint32_t i = 0; i < MACHINE_THREADS; i++) {
			struct machine_thread *t = &m->threads[i];

			if (t->lost_until && t->lost_until <= m->now &&
			    (!due || t->lost_until < due->lost_until))
				due = t;
		}
		if (!due)
			return;
		end_loss(m, due);
	}
}

static bool loses_slices(const struct machine_thread *t)
{
	return t->lost_until && (t->lost || t->hole);
}

static bool loses_spans(const struct machine_thread *t)
{
	return t->lost_until && (t->lost_spans || t->hole);
}

/* ---- slices */

static struct machine_coroutine *add_coroutine(struct machine *m,
					       uint32_t process)
{
	struct machine_coroutine *c = &m->coroutines[m->nr_coroutines];

	if (m->nr_coroutines == MACHINE_COROUTINES)
		return NULL;
	*c = (struct machine_coroutine){
		/* The same numbers in both processes. */
		.id = 10 + m->nr_coroutines / 2,
		.process = process,
		.label = machine_random(m, 6),
		.running = NONE,
	};
	m->nr_coroutines++;
	for (uint32_t i = 0; i + 1 < m->nr_coroutines; i++)
		if (m->coroutines[i].process == process &&
		    m->coroutines[i].id == c->id)
			c->id += 1000 + m->nr_coroutines;
	return c;
}

static void choose_next(struct machine *m, uint32_t thread)
{
	struct machine_thread *t = &m->threads[thread];
	struct machine_coroutine *c = NULL;

	if (machine_random(m, 10) < m->options.births)
		c = add_coroutine(m, t->process);
	for (uint32_t tries = 0; !c && tries < 8; tries++) {
		c = &m->coroutines[machine_random(m, m->nr_coroutines)];
		if (c->process != t->process || c->ended || c == t->runs)
			c = NULL;
		/* Another thread says too late that it has left. */
		else if (c->running != NONE && !one_in(m, 10))
			c = NULL;
		else if (c->running != NONE && c->depth)
			c = NULL;
	}
	if (c && c->running != NONE)
		c->without_spans = true;
	if (!c || one_in(m, 6))
		c = &t->own;
	t->runs = c;
	c->running = thread;
}

static void choose_wake(struct machine *m, struct machine_event *e,
			const struct machine_coroutine *c, uint64_t begin)
{
	const struct machine_coroutine *waker =
		&m->coroutines[machine_random(m, m->nr_coroutines)];
	uint64_t from = c->end < begin ? c->end : begin;

	if (!one_in(m, 2))
		return;
	e->record.flags |= COROPROF_SLICE_WOKEN;
	e->record.woken.wake_time = from - 20 +
		machine_random(m, (uint32_t)(begin - from) + 30);
	if (m->options.plain && waker->ended)
		return;
	if (waker->process == c->process)
		e->record.woken.waker = m->options.plain && !waker->told ? 0 : waker->id;
	else if (one_in(m, 2))
		e->record.woken.waker = 999999;
}

static uint16_t choose_flags(struct machine *m, struct machine_thread *t,
			     struct machine_coroutine *c)
{
	uint16_t flags = 0;

	if (t->first)
		flags |= COROPROF_SLICE_FIRST;
	t->first = false;
	if (one_in(m, 4))
		flags |= COROPROF_SLICE_READY;
	if (one_in(m, 10))
		flags |= COROPROF_SLICE_UNREPORTED;
	if (one_in(m, 40)) {
		flags |= COROPROF_SLICE_CUT;
		t->first = true;
	}
	if (c != &t->own && !c->told)
		flags |= COROPROF_SLICE_FRESH;
	if (c->ended)
		flags |= COROPROF_SLICE_END;
	return flags;
}

static void choose_offcpu(struct machine *m, struct machine_event *e)
{
	uint32_t duration = (uint32_t)e->record.duration;

	e->record.running_ns = duration;
	if (!one_in(m, 4) || !duration)
		return;
	e->record.flags |= COROPROF_SLICE_OFFCPU;
	e->record.offcpu.preempted_ns = machine_random(m, duration / 2 + 1);
	e->record.offcpu.blocked_ns = machine_random(m, duration / 2 + 1);
	e->record.offcpu.nr_preempted = 1;
	e->record.running_ns -= e->record.offcpu.preempted_ns +
			       e->record.offcpu.blocked_ns;
}

static void write_slice(struct machine *m, struct machine_thread *t,
			struct machine_coroutine *c)
{
	struct machine_event *e = add_event(m, MACHINE_SLICE, t);
	uint64_t begin = t->begin;

	/* Where one ends and the next begins is not always reported in one way. */
	if (one_in(m, 30) && begin < m->now)
		begin++;
	e->record = (struct record){
		.type = COROPROF_RECORD_SLICE,
		.id = c->id,
		.label = c->label,
		.time = m->now,
		.duration = m->now - begin,
		.flags = choose_flags(m, t, c),
	};
	choose_offcpu(m, e);
	choose_wake(m, e, c, begin);
	if (e->record.flags & COROPROF_SLICE_FRESH) {
		e->record.fresh.parent = machine_random(m, 20);
		e->record.fresh.tag = machine_random(m, 20);
	}
	choose_counts(m, e);
}

static void end_slice(struct machine *m, uint32_t thread)
{
	struct machine_thread *t = &m->threads[thread];
	struct machine_coroutine *c = t->runs;

	if (c != &t->own && one_in(m, 8) && !c->without_spans)
		c->ended = true;
	if (one_in(m, 15))
		c->label = machine_random(m, 6);
	if (!loses_slices(t))
		write_slice(m, t, c);
	c->told = true;
	c->end = m->now;
	if (c->running == thread)
		c->running = NONE;
	t->begin = m->now;
	choose_next(m, thread);
}

/* ---- spans */

static void write_span(struct machine *m, struct machine_thread *t,
		       struct machine_coroutine *c)
{
	struct machine_event *e = add_event(m, MACHINE_SPAN, t);
	uint64_t begin = c->span_begin[c->depth];

	e->record = (struct record){
		.type = COROPROF_RECORD_SPAN,
		.id = c->id,
		.label = c->span_label[c->depth],
		.depth = c->depth,
		.time = m->now,
		.duration = m->now - begin,
	};
	e->record.running_ns =
		machine_random(m, (uint32_t)e->record.duration + 1);
	choose_counts(m, e);
}

static void step_span(struct machine *m, struct machine_thread *t)
{
	struct machine_coroutine *c = t->runs;

	if (c->without_spans)
		return;
	if (c->depth < MACHINE_DEPTH && (!c->depth || one_in(m, 2))) {
		c->span_begin[c->depth] = m->now;
		c->span_label[c->depth] = machine_random(m, 6);
		c->depth++;
		return;
	}
	c->depth--;
	if (one_in(m, 15))
		begin_loss(m, t, false);
	if (!loses_spans(t))
		write_span(m, t, c);
}

/* ---- all of it */

static void begin_thread(struct machine *m, uint32_t thread,
			 const struct build *context)
{
	struct machine_thread *t = &m->threads[thread];

	*t = (struct machine_thread){
		.process = thread < 2 ? process_of((struct build *)context, 1) :
					process_of((struct build *)context, 2),
		.channel = channel_find(context, thread + 1),
		.begin = BEGIN,
		.first = true,
	};
	t->own = (struct machine_coroutine){
		.id = THREAD(thread),
		.process = t->process,
		.running = NONE,
	};
	choose_next(m, thread);
}

/* Some run since before the recording, and are in spans. */
static void begin_coroutines(struct machine *m)
{
	for (uint32_t i = 0; i < 8; i++) {
		struct machine_coroutine *c = add_coroutine(m, i % 2);

		c->told = true;
		c->end = BEGIN - 50;
		for (; !one_in(m, 3) && c->depth < 3; c->depth++) {
			c->span_begin[c->depth] = BEGIN - 30 + c->depth;
			c->span_label[c->depth] = machine_random(m, 6);
		}
	}
}

static void record_again(struct machine *m)
{
	struct machine_thread *t = &m->threads[1];

	if (m->options.alike || m->now < AGAIN || t->channel == m->again || t->lost_until)
		return;
	t->channel = m->again;
	t->begin = m->now;
	t->first = true;
}

static void step(struct machine *m)
{
	uint32_t thread = machine_random(m, MACHINE_THREADS);
	struct machine_thread *t = &m->threads[thread];

	m->now += machine_random(m, 20);
	end_losses(m);
	record_again(m);
	if (one_in(m, 40))
		begin_loss(m, t, true);
	if (machine_random(m, 10) < m->options.spans)
		step_span(m, t);
	else
		end_slice(m, thread);
}

struct machine *machine_run(const struct build *context,
			    const struct machine_options *options, uint64_t seed)
{
	struct machine *m = calloc(1, sizeof(*m));

	if (!m)
		abort();
	m->options = *options;
	if (!m->options.spans && !m->options.alike)
		m->options.spans = 3;
	if (!m->options.births)
		m->options.births = 1;
	m->random = seed;
	m->now = BEGIN;
	m->room = options->events + 64;
	m->again = channel_find(context, 5);
	m->events = calloc(m->room, sizeof(*m->events));
	if (!m->events)
		abort();
	begin_coroutines(m);
	for (uint32_t i = 0; i < MACHINE_THREADS; i++)
		begin_thread(m, i, context);
	while (m->nr_events < options->events)
		step(m);
	return m;
}

void machine_free(struct machine *m)
{
	free(m->events);
	free(m);
}

void machine_print(const struct machine *m)
{
	static const char *const kinds[] = {
		"slice", "span", "lost", "hole", "slices missing",
		"spans missing",
	};

	for (uint32_t i = 0; i < m->nr_events; i++) {
		const struct machine_event *e = &m->events[i];

		print_error("%u: %lu channel %u %s", i, (unsigned long)e->time,
			    e->channel, kinds[e->kind]);
		if (e->kind == MACHINE_SLICE)
			print_error(" id %lx label %u from %lu flags %x wake %lu by %lx",
				    (unsigned long)e->record.id, e->record.label,
				    (unsigned long)(e->time - e->record.duration),
				    e->record.flags,
				    (unsigned long)e->record.woken.wake_time,
				    (unsigned long)e->record.woken.waker);
		else if (e->kind == MACHINE_SPAN)
			print_error(" id %lx label %u depth %u from %lu",
				    (unsigned long)e->record.id,
				    e->record.label, e->record.depth,
				    (unsigned long)(e->time -
						    e->record.duration));
		else
			print_error(" until %lu", (unsigned long)e->until);
		print_error("\n");
	}
}
