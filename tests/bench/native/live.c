// SPDX-License-Identifier: GPL-2.0
/*
 * bench-live LABELS COROUTINES RATE SECONDS: plays a recording of four threads that make RATE slices a second
 * of so many coroutines and labels to a flight recorder, second by second, and has the window of so many seconds
 * shown after each of the last, as coroprof top does. Prints, as JSON, the bytes that windows take at most beside
 * what is kept, the processor time of them, and how many they were.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/util.h"
#include "cprof/format.h"
#include "cprof/memory.h"
#include "cprof/writer.h"
#include "live/choices.h"
#include "live/exchange.h"
#include "live/picture.h"
#include "profile/model.h"
#include "profile/ticks.h"

#define THREADS		4u
#define COUNTERS	2u
#define DRAINS		20u	/* a second */
#define WINDOWS		12u

struct thread {
	struct coroprof_channel_status status;
	uint64_t time;
};

static const struct record_options options = { .quiet = true };
static struct channels channels;
static struct flight flight;
static struct exchange exchange;
static struct signals signals;
static struct writer *writer;
static struct thread threads[THREADS];
static struct view_options view;
static struct picture picture;
static struct choices choices;
static struct canvas canvas;
static struct live_window *shown;
static struct ticks *ticks;
static struct model *shown_model;
static uint32_t nr_labels, nr_coroutines, rate, seconds;
static uint64_t begin, kept_bytes, most_bytes, most_copied, show_ns, random_state = 88172645463325252u;
static struct error err;

static void must(int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "bench-live: %s\n", err.message);
	exit(EXIT_FAILURE);
}

static uint64_t any(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % below;
}

static void put(unsigned int type, const void *payload, size_t size)
{
	must(writer_segment(writer, type, payload, size, &err));
}

static void put_counters(void)
{
	static const struct {
		struct coroprof_counter counter;
		char name[16];
	} counters[COUNTERS] = { { { .config = 0 }, "cycles" }, { { .config = 1 }, "instructions" } };
	char payload[256];
	size_t size = 0;

	for (uint32_t i = 0; i < COUNTERS; i++) {
		size_t length = (strlen(counters[i].name) + 8) & ~7ul;

		memcpy(payload + size, &counters[i].counter, sizeof(counters[i].counter));
		memset(payload + size + sizeof(counters[i].counter), 0, length);
		strcpy(payload + size + sizeof(counters[i].counter), counters[i].name);
		size += sizeof(counters[i].counter) + length;
	}
	put(CPROF_SEGMENT_COUNTERS, payload, size);
}

static void put_labels(void)
{
	for (uint32_t i = 1; i <= nr_labels; i++) {
		struct {
			struct coroprof_record_label label;
			char text[16];
		} r = { .label = { COROPROF_RECORD_LABEL, sizeof(r), 1, i, 0, 0, 10, 0 } };

		snprintf(r.text, sizeof(r.text), "kind %05u", i);
		put(CPROF_SEGMENT_STREAM, &r, sizeof(r));
	}
}

static void put_thread(uint32_t n)
{
	struct {
		struct coroprof_record_channel channel;
		struct coroprof_counter_state counters[COUNTERS];
	} r = {
		.channel = {
			.type = COROPROF_RECORD_CHANNEL, .size = sizeof(r), .channel_id = n + 1, .time = begin,
			.process_id = 1, .tid = (int)n + 1, .nr_counters = COUNTERS, .ring_size = 1 << 20,
			.comm = "worker",
		},
	};

	r.counters[1].counter.config = 1;
	threads[n].status = (struct coroprof_channel_status){
		.size = sizeof(threads[n].status), .channel_id = n + 1, .nr_counters = COUNTERS, .begin = begin,
		.standing = 0xf,
	};
	threads[n].time = begin;
	put(CPROF_SEGMENT_STREAM, &r, sizeof(r));
}

static void put_context(void)
{
	const struct coroprof_record_process r = {
		.type = COROPROF_RECORD_PROCESS, .size = sizeof(r), .process_id = 1, .pid = 1, .time = begin,
		.comm = "server",
	};

	put_counters();
	put(CPROF_SEGMENT_STREAM, &r, sizeof(r));
	put_labels();
	for (uint32_t n = 0; n < THREADS; n++)
		put_thread(n);
}

/* A slice up to @time, from where the one before ended. */
static size_t make_slice(struct thread *t, uint64_t time, char *to)
{
	uint32_t id = (uint32_t)any(nr_coroutines);
	uint16_t flags = any(3) ? COROPROF_SLICE_WOKEN : 0;
	struct coroprof_record_slice slice = {
		.type = COROPROF_RECORD_SLICE, .size = (__u16)coroprof_slice_size(flags, COUNTERS),
		.slot = id, .time = time, .duration = time - t->time, .id = id + 1,
		.label = id % nr_labels + 1, .flags = flags, .standing = 0xf,
	};
	const struct coroprof_slice_woken woken = { t->time - any(10000), (id + 1 + any(3)) % nr_coroutines + 1 };
	uint64_t counts[COUNTERS] = { 1000 + any(5000), 2000 + any(9000) };
	size_t size = sizeof(slice);

	memcpy(to, &slice, size);
	memcpy(to + size, counts, sizeof(counts));
	size += sizeof(counts);
	if (flags & COROPROF_SLICE_WOKEN) {
		memcpy(to + size, &woken, sizeof(woken));
		size += sizeof(woken);
	}
	t->status.slices++;
	t->status.running_ns += time - t->time;
	for (uint32_t i = 0; i < COUNTERS; i++)
		t->status.count[i] += counts[i];
	t->status.ring_head += slice.size;
	t->time = time;
	return size;
}

static void drain(struct thread *t, uint64_t from, uint64_t to)
{
	uint32_t nr = rate / THREADS / DRAINS;
	char *records = malloc((size_t)nr * 128);
	size_t size = 0;

	if (!records)
		must(error_set(&err, 1, "out of memory"));
	for (uint32_t i = 1; i <= nr; i++)
		size += make_slice(t, from + (to - from) * i / nr - any(900) - 1, records + size);
	must(writer_records(writer, CPROF_SEGMENT_RING, t->status.channel_id, records, size, &err));
	free(records);
}

static uint64_t bytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* What is there beside what is kept: of the window, and what was copied for it. */
static void note_bytes(void)
{
	uint64_t now = bytes() - kept_bytes;

	if (now > most_bytes)
		most_bytes = now;
}

static void show(bool last)
{
	const struct model_options how = { .no_timeline = true, .no_symbols = true };
	uint64_t before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct live_window *w;
	struct model *model;
	bool over;

	exchange_wish(&exchange, &(struct live_wish){ .wanted = true, .ns = seconds * SECOND_NS });
	exchange_look(&exchange, &flight, &signals);
	w = exchange_take(&exchange, &over);
	if (memory_copied(w->memory) > most_copied)
		most_copied = memory_copied(w->memory);
	must(live_window_load(w, &how, ticks, &model, &err));
	note_bytes();
	live_window_forget(w);
	picture_show(&picture, NULL, NULL);
	model_free(shown_model);
	live_window_free(shown);
	shown = w;
	shown_model = model;
	picture_show(&picture, model, w);
	choices_ticks(&choices, w->oldest, w->newest, w->end);
	canvas_begin(&canvas, 120, 40);
	picture_draw(&picture, &choices, &canvas);
	show_ns += clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before;
	if (model->failed_checks || (last && model->times.slices < rate / 2 * seconds))
		must(error_set(&err, 1, "the window does not have what was played"));
	note_bytes();
}

static void play(void)
{
	uint64_t outside = bytes(), window;

	for (uint32_t s = 0; s < seconds + 3; s++) {
		window = bytes() - kept_bytes - outside;
		for (uint32_t i = 0; i < DRAINS; i++)
			for (uint32_t n = 0; n < THREADS; n++)
				drain(&threads[n], begin + s * SECOND_NS + SECOND_NS * i / DRAINS,
				      begin + s * SECOND_NS + SECOND_NS * (i + 1) / DRAINS);
		must(keep_tick(&flight.keep, begin + (s + 1) * SECOND_NS, &err));
		for (uint32_t n = 0; n < THREADS; n++)
			put(CPROF_SEGMENT_STATUS, &threads[n].status, sizeof(threads[n].status));
		kept_bytes = bytes() - window - outside;
		/* The first of these has all that is to be kept of it. */
		if (s + WINDOWS >= seconds + 3)
			show(s == seconds + 2);
	}
	most_bytes -= outside;
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: bench-live LABELS COROUTINES RATE SECONDS\n");
		return EXIT_FAILURE;
	}
	nr_labels = (uint32_t)strtoul(argv[1], NULL, 10);
	nr_coroutines = (uint32_t)strtoul(argv[2], NULL, 10);
	rate = (uint32_t)strtoul(argv[3], NULL, 10);
	seconds = (uint32_t)strtoul(argv[4], NULL, 10);
	flight = (struct flight){ .options = &options, .channels = &channels };
	signals = (struct signals){ .fd = -1 };
	dumps_begin(&flight.dumps, "bench-live", true);
	must(keep_begin(&flight.keep, (seconds + 1) * SECOND_NS, 4ull << 30, &err));
	must(exchange_begin(&exchange, &err));
	must(writer_open_sink(&writer, &flight.keep.sink, &err));
	picture = (struct picture){ .name = "server", .view = &view, .every = 1 };
	choices_begin(&choices);
	ticks = ticks_new(64u << 20, 128u << 10);
	begin = keep_from(&flight.keep);
	put_context();
	play();
	printf("{ \"window_bytes\": %lu, \"copied_bytes\": %lu, \"shards_bytes\": %zu, \"kept_bytes\": %lu, \"seconds\": %.6f, \"windows\": %u }\n",
	       (unsigned long)most_bytes, (unsigned long)most_copied, ticks_bytes(ticks),
	       (unsigned long)keep_bytes(&flight.keep), (double)show_ns / 1e9, WINDOWS);
	return EXIT_SUCCESS;
}
