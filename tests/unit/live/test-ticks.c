// SPDX-License-Identifier: GPL-2.0
/*
 * Windows of a live recording, of whatever ticks, made of parts that were added up before are those that are
 * added up in one piece, to the bit. What is recorded is random, with all that reaches from one tick into
 * another: coroutines that go from thread to thread, wakes, open spans, births and ends, samples, names that
 * change; and a tick begins on each thread at another time.
 */
#include <stdlib.h>

#include "base/util.h"
#include "cprof/format.h"
#include "gen/dump.h"
#include "live/choices.h"
#include "live/exchange.h"
#include "profile/ticks.h"
#include "support.h"

#if defined(__SANITIZE_ADDRESS__)
#define WORLDS		6u
#else
#define WORLDS		20u
#endif
#define TICKS		30u
#define THREADS		4u
#define THREADS_MAX	64u
#define COROUTINES	24u
#define DEPTH		4u
#define LABELS_MAX	12u
#define COUNTERS	2u

struct span {
	uint64_t begin;
	uint32_t label;
};

struct coroutine {
	uint64_t id;
	uint32_t process;
	uint32_t label;
	bool born;
	bool runs;
	uint64_t last;
	uint32_t depth;
	struct span spans[DEPTH];
};

struct thread {
	struct coroprof_channel_status status;
	uint32_t process;
	uint64_t time;
	struct coroutine *runs;
	bool lost;
	struct buffer ring;
	struct buffer samples;
};

static const struct record_options options = { .quiet = true };
static const struct model_options how = { .no_timeline = true, .no_symbols = true };
static struct channels channels;
static struct flight flight;
static struct exchange exchange;
static struct signals signals;
static struct writer *writer;
static struct thread threads[THREADS];
static struct coroutine coroutines[COROUTINES];
static uint32_t nr_channels, nr_labels[3];
static uint64_t now, next_id, seed;
static bool loses, ends_threads;
static size_t room = 1 << 26;
static struct error err;

static uint64_t any(uint64_t below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 29) % below;
}

static bool one_in(uint64_t n)
{
	return !any(n);
}

static void put(unsigned int type, const void *payload, size_t size)
{
	assert_int_equal(writer_segment(writer, type, payload, size, &err), 0);
}

static void append(struct buffer *to, const void *data, size_t size)
{
	assert_int_equal(buffer_append(to, data, size, &err), 0);
}

/* ---- what there is */

static void put_process(uint32_t id)
{
	const struct coroprof_record_process r = {
		.type = COROPROF_RECORD_PROCESS, .size = sizeof(r), .process_id = id, .pid = (int)id,
		.time = now, .comm = "program",
	};

	put(CPROF_SEGMENT_STREAM, &r, sizeof(r));
}

/* Two processes, whose labels come by turns: where a name is in a table changes all the time. */
static void put_label(uint32_t process)
{
	struct {
		struct coroprof_record_label label;
		char text[8];
	} r = { .label = { COROPROF_RECORD_LABEL, sizeof(r), process, ++nr_labels[process], 0, 0, 1, 0 } };

	/* The first two of a process are one. */
	r.text[0] = (char)('a' + nr_labels[process] / 2);
	put(CPROF_SEGMENT_STREAM, &r, sizeof(r));
}

static void put_counters(void)
{
	struct {
		struct coroprof_counter counter;
		char name[8];
	} counters[COUNTERS] = { { { .config = 0 }, "cycles" }, { { .config = 1 }, "instr" } };

	put(CPROF_SEGMENT_COUNTERS, counters, sizeof(counters));
}

static void begin_thread(struct thread *t, uint32_t process)
{
	struct {
		struct coroprof_record_channel channel;
		struct coroprof_counter_state counters[COUNTERS];
	} r = {
		.channel = {
			.type = COROPROF_RECORD_CHANNEL, .size = sizeof(r), .channel_id = ++nr_channels,
			.time = now, .process_id = process, .tid = (int)nr_channels, .nr_counters = COUNTERS,
			.ring_size = 65536, .comm = "thread", .sample_ring_size = 65536,
		},
	};

	r.counters[1].counter.config = 1;
	*t = (struct thread){
		.status = {
			.size = sizeof(t->status), .channel_id = nr_channels, .nr_counters = COUNTERS,
			.begin = now, .standing = 0xf,
		},
		.process = process, .time = now,
	};
	put(CPROF_SEGMENT_STREAM, &r, sizeof(r));
}

static void drain(struct thread *t)
{
	if (t->ring.size)
		assert_int_equal(writer_records(writer, CPROF_SEGMENT_RING, t->status.channel_id,
						t->ring.data, t->ring.size, &err), 0);
	if (t->samples.size)
		assert_int_equal(writer_records(writer, CPROF_SEGMENT_SAMPLES, t->status.channel_id,
						t->samples.data, t->samples.size, &err), 0);
	t->ring.size = t->samples.size = 0;
}

static void mark(struct thread *t, uint32_t flags)
{
	drain(t);
	t->status.flags = flags;
	put(CPROF_SEGMENT_STATUS, &t->status, sizeof(t->status));
}

/* ---- what happens */

static void put_counts(struct thread *t, struct buffer *to, uint64_t ns, bool slice)
{
	uint64_t counts[COUNTERS] = { any(1000), any(ns + 1) };

	append(to, counts, sizeof(counts));
	for (uint32_t i = 0; slice && i < COUNTERS; i++)
		t->status.count[i] += counts[i];
}

static void end_span(struct thread *t, struct coroutine *c)
{
	const struct span *s = &c->spans[--c->depth];
	const struct coroprof_record_span r = {
		.type = COROPROF_RECORD_SPAN, .size = sizeof(r) + COUNTERS * sizeof(uint64_t),
		.slot = (uint32_t)c->id, .time = now, .duration = now - s->begin, .id = c->id,
		.label = s->label, .standing = 0xffff, .running_ns = (now - s->begin) / (1 + any(3)),
		.depth = c->depth,
	};

	append(&t->ring, &r, sizeof(r));
	put_counts(t, &t->ring, r.duration, false);
}

/* Spans begin and end in slices only, within others. */
static void change_spans(struct thread *t, struct coroutine *c)
{
	while (c->depth && one_in(3))
		end_span(t, c);
	while (c->depth < DEPTH && one_in(4))
		c->spans[c->depth++] = (struct span){ now, 1 + (uint32_t)any(nr_labels[c->process]) };
}

static void take_sample(struct thread *t, const struct coroutine *c)
{
	const uint64_t stack[] = { 0x400000 + 64 * any(5) + 1, 0x400401 };
	const struct coroprof_record_sample r = {
		.type = COROPROF_RECORD_SAMPLE, .size = sizeof(r) + sizeof(stack), .slot = (uint32_t)c->id,
		.time = now, .id = c->id, .label = c->label, .nr = 2,
	};

	append(&t->samples, &r, sizeof(r));
	append(&t->samples, stack, sizeof(stack));
	t->status.samples++;
}

/* How the slice of a coroutine ends, and what it says of its begin. */
static uint16_t flags_of(const struct coroutine *c)
{
	uint16_t flags = 0;

	if (!c->born)
		flags |= COROPROF_SLICE_FRESH;
	if (one_in(2))
		flags |= COROPROF_SLICE_WOKEN;
	if (one_in(5))
		flags |= COROPROF_SLICE_OFFCPU;
	if (one_in(6))
		flags |= COROPROF_SLICE_READY;
	else if (one_in(12))
		flags |= COROPROF_SLICE_END;
	return flags;
}

static void put_slice(struct thread *t, uint64_t id, uint32_t label, uint16_t flags, uint64_t last)
{
	uint64_t duration = now - t->time;
	const struct coroprof_record_slice r = {
		.type = COROPROF_RECORD_SLICE, .size = (__u16)coroprof_slice_size(flags, COUNTERS),
		.slot = (uint32_t)id, .time = now, .duration = duration, .id = id, .label = label,
		.flags = flags, .standing = 0xf,
	};
	const struct coroprof_slice_offcpu off = {
		.preempted_ns = duration / 4, .blocked_ns = duration / 8, .nr_preempted = 1, .nr_blocked = 1,
	};
	const struct coroprof_slice_fresh fresh = { any(COROUTINES), any(100) };
	const struct coroprof_slice_woken woken = {
		last + any(t->time - last + 1), coroutines[any(COROUTINES)].id,
	};

	append(&t->ring, &r, sizeof(r));
	put_counts(t, &t->ring, duration, true);
	if (flags & COROPROF_SLICE_OFFCPU) {
		append(&t->ring, &off, sizeof(off));
		t->status.preempted_ns += off.preempted_ns;
		t->status.blocked_ns += off.blocked_ns;
		duration -= off.preempted_ns + off.blocked_ns;
	}
	if (flags & COROPROF_SLICE_FRESH)
		append(&t->ring, &fresh, sizeof(fresh));
	if (flags & COROPROF_SLICE_WOKEN)
		append(&t->ring, &woken, sizeof(woken));
	t->status.running_ns += duration;
	t->status.slices++;
	t->time = now;
}

static void be_born(struct coroutine *c, uint32_t process)
{
	*c = (struct coroutine){
		.id = ++next_id, .process = process, .label = 1 + (uint32_t)any(nr_labels[process]), .last = now,
	};
}

static void end_slice(struct thread *t)
{
	struct coroutine *c = t->runs;
	uint16_t flags;

	if (!c) {
		put_slice(t, COROPROF_ID_THREAD | t->status.channel_id, 0, 0, t->time);
		return;
	}
	flags = flags_of(c);
	change_spans(t, c);
	if (one_in(8))
		take_sample(t, c);
	if (flags & COROPROF_SLICE_END)
		while (c->depth)
			end_span(t, c);
	put_slice(t, c->id, c->label, flags, c->last);
	c->born = true;
	c->runs = false;
	c->last = now;
	if (flags & COROPROF_SLICE_END)
		be_born(c, c->process);
	else if (one_in(20))
		c->label = 1 + (uint32_t)any(nr_labels[c->process]);
}

static void begin_slice(struct thread *t)
{
	struct coroutine *c = &coroutines[any(COROUTINES)];

	t->runs = one_in(4) || c->runs || c->process != t->process ? NULL : c;
	if (t->runs)
		c->runs = true;
}

static void lose(struct thread *t)
{
	const struct coroprof_record_lost r = {
		.type = COROPROF_RECORD_LOST, .size = sizeof(r), .time = now, .full = 1 + any(3),
	};

	append(&t->ring, &r, sizeof(r));
	t->status.lost += r.full;
}

static void end_thread(struct thread *t)
{
	const struct coroprof_record_channel r = {
		.type = COROPROF_RECORD_CHANNEL_END, .size = sizeof(r), .channel_id = t->status.channel_id,
		.time = t->time,
	};

	if (t->runs)
		t->runs->runs = false;
	put(CPROF_SEGMENT_STREAM, &r, sizeof(r));
	t->status.end = t->time;
	mark(t, COROPROF_CHANNEL_ENDED);
	buffer_free(&t->ring);
	buffer_free(&t->samples);
	begin_thread(t, t->process);
}

/* Now and then, two threads end a slice at the same time. */
static void happen(void)
{
	struct thread *t = &threads[any(THREADS)];

	now += any(4) * any(10 * 1000 * 1000);
	end_slice(t);
	if (loses && one_in(200))
		lose(t);
	begin_slice(t);
	if (one_in(10))
		drain(t);
	if (ends_threads && one_in(300) && nr_channels < THREADS_MAX)
		end_thread(t);
	if (one_in(60) && nr_labels[t->process] < LABELS_MAX)
		put_label(t->process);
}

/* Threads have their totals taken one after the other: between them, others go on. */
static void tick(void)
{
	now += 1000;
	assert_int_equal(keep_tick(&flight.keep, now, &err), 0);
	for (uint32_t i = 0; i < THREADS; i++) {
		for (uint64_t n = any(6); n; n--)
			happen();
		mark(&threads[i], COROPROF_CHANNEL_OPEN);
	}
}

/* ---- what is compared */

static struct dump load(struct live_window *w, struct ticks *ticks, uint32_t *failed)
{
	struct model *m = NULL;
	struct dump dump;

	if (live_window_load(w, &how, ticks, &m, &err))
		fail_msg("%s", err.message);
	*failed = m->failed_checks;
	dump = dump_model(m);
	model_free(m);
	return dump;
}

/* @first to @end; both are there. */
static void compare(uint64_t world, struct ticks *ticks, uint64_t first, uint64_t end)
{
	uint64_t ns = keep_begins(&flight.keep, end) - keep_begins(&flight.keep, first);
	struct live_window *w;
	struct dump whole, parts;
	uint32_t failed;
	bool over;

	exchange_wish(&exchange, &(struct live_wish){
		.wanted = true, .ns = ns > SECOND_NS / 2 ? ns - SECOND_NS / 2 : 0, .end = end,
	});
	exchange_look(&exchange, &flight, &signals);
	w = exchange_take(&exchange, &over);
	assert_non_null(w);
	assert_string_equal(w->why, "");
	whole = load(w, NULL, &failed);
	assert_int_equal(failed, 0);
	parts = load(w, ticks, &failed);
	assert_int_equal(failed, 0);
	if (!dump_same(&whole, &parts))
		fail_msg("world %lu, ticks %lu to %lu: %s", (unsigned long)world,
			 (unsigned long)w->first, (unsigned long)w->end, dump_difference(&whole, &parts));
	dump_free(&whole);
	dump_free(&parts);
	live_window_free(w);
}

static void begin_world(uint64_t world)
{
	seed = world;
	nr_channels = 0;
	next_id = 100;
	flight = (struct flight){ .options = &options, .channels = &channels };
	signals = (struct signals){ .fd = -1 };
	dumps_begin(&flight.dumps, "test-ticks", true);
	assert_int_equal(keep_begin(&flight.keep, 3600 * SECOND_NS, 1 << 26, &err), 0);
	assert_int_equal(writer_open_sink(&writer, &flight.keep.sink, &err), 0);
	assert_int_equal(exchange_begin(&exchange, &err), 0);
	now = keep_from(&flight.keep) + 1000;
	put_counters();
	for (uint32_t process = 1; process <= 2; process++) {
		put_process(process);
		nr_labels[process] = 0;
		put_label(process);
		put_label(process);
	}
	for (uint32_t i = 0; i < THREADS; i++)
		begin_thread(&threads[i], 1 + (i == THREADS - 1));
	for (uint32_t i = 0; i < COROUTINES; i++)
		be_born(&coroutines[i], 1 + (i % 4 == 3));
}

static void end_world(void)
{
	for (uint32_t i = 0; i < THREADS; i++) {
		buffer_free(&threads[i].ring);
		buffer_free(&threads[i].samples);
	}
	exchange_free(&exchange);
	writer_close(writer, &err);
	keep_free(&flight.keep);
}

/* How many shards were not added up again. */
static uint64_t run_world(uint64_t world)
{
	struct ticks *ticks = ticks_new(room, 0);
	uint64_t taken, width = 2 + world % 9;

	assert_non_null(ticks);
	begin_world(world);
	for (uint64_t i = 0; i < TICKS; i++) {
		uint64_t end = keep_end(&flight.keep) - 1;

		for (uint64_t n = any(150); n; n--)
			happen();
		tick();
		end++;
		compare(world, ticks, end > width ? end - width : 0, end);
		/* Somebody looks back, or at another length. */
		if (i > 10 && one_in(4))
			compare(world, ticks, any(5), 6 + any(end - 6));
	}
	taken = ticks_taken(ticks);
	assert_true(ticks_bytes(ticks) <= room);
	end_world();
	ticks_free(ticks);
	return taken;
}

static void windows_are_the_same(void **state)
{
	uint64_t taken = 0;

	(void)state;
	loses = ends_threads = false;
	for (uint64_t world = 1; world <= WORLDS; world++)
		taken += run_world(world);
	print_message("# %lu shards were taken\n", (unsigned long)taken);
	assert_true(taken > 35 * WORLDS);
}

static void so_they_are_where_threads_end(void **state)
{
	uint64_t taken = 0;

	(void)state;
	loses = false;
	ends_threads = true;
	for (uint64_t world = 1; world <= WORLDS; world++)
		taken += run_world(world);
	print_message("# %lu shards were taken\n", (unsigned long)taken);
	assert_true(taken > 35 * WORLDS);
}

/* What is known of a loss depends on where the window ends. */
static void and_where_records_are_lost(void **state)
{
	(void)state;
	loses = ends_threads = true;
	for (uint64_t world = 1; world <= WORLDS; world++)
		run_world(world);
}

/* As much as there is room for, and where there is too little, nothing. */
static void and_where_there_is_no_room(void **state)
{
	(void)state;
	loses = ends_threads = false;
	for (room = 1 << 20; room >= 1 << 12; room /= 4)
		for (uint64_t world = 1; world <= WORLDS / 4; world++)
			run_world(world);
	room = 1 << 26;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_are_the_same),
		cmocka_unit_test(so_they_are_where_threads_end),
		cmocka_unit_test(and_where_records_are_lost),
		cmocka_unit_test(and_where_there_is_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
