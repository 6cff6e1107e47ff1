// SPDX-License-Identifier: GPL-2.0
/* What is kept of a recording, as it is read again: ticks are played by hand. */
#include "gen/recording.h"

#include <errno.h>
#include <fcntl.h>

#include "cprof/format.h"
#include "cprof/memory.h"
#include "record/describe.h"
#include "record/keep.h"
#include "tables/findings.h"

#define SECOND		1000000000ull
#define SLICE_NS	1000000u
#define PARENT		77u
#define TAG		4711u

/* A thread, as the kernel knows it. */
struct thread {
	struct coroprof_channel_status status;
	uint64_t time;
};

static struct keep keep;
static struct writer *writer;
static struct thread threads[4];
static uint64_t begin;
static struct error err;

static void put_stream(const void *record, size_t size)
{
	assert_int_equal(writer_segment(writer, CPROF_SEGMENT_STREAM, record, size, &err), 0);
}

static void put_process(uint32_t id, uint16_t type)
{
	const struct coroprof_record_process r = {
		.type = type, .size = sizeof(r), .process_id = id, .pid = (int)id, .time = begin,
		.comm = "program",
	};

	put_stream(&r, sizeof(r));
}

static void put_label(uint32_t process, uint32_t label, const char *text)
{
	struct {
		struct coroprof_record_label label;
		char text[8];
	} r = { .label = { COROPROF_RECORD_LABEL, sizeof(r), process, label, 0, 0, (__u32)strlen(text), 0 } };

	memcpy(r.text, text, strlen(text));
	put_stream(&r, sizeof(r));
}

static void begin_thread(uint32_t n, uint32_t id, uint32_t process)
{
	const struct coroprof_record_channel r = {
		.type = COROPROF_RECORD_CHANNEL, .size = sizeof(r), .channel_id = id, .time = begin,
		.process_id = process, .tid = (int)id, .ring_size = 65536, .comm = "thread",
	};

	threads[n] = (struct thread){
		.status = { .size = sizeof(threads[n].status), .channel_id = id, .begin = begin },
		.time = begin,
	};
	put_stream(&r, sizeof(r));
}

static void mark(uint32_t n, uint32_t flags)
{
	threads[n].status.flags = flags;
	assert_int_equal(writer_segment(writer, CPROF_SEGMENT_STATUS, &threads[n].status,
					sizeof(threads[n].status), &err), 0);
}

static void end_thread(uint32_t n)
{
	const struct coroprof_record_channel r = {
		.type = COROPROF_RECORD_CHANNEL_END, .size = sizeof(r),
		.channel_id = threads[n].status.channel_id, .time = threads[n].time,
	};

	put_stream(&r, sizeof(r));
	threads[n].status.end = threads[n].time;
	mark(n, COROPROF_CHANNEL_ENDED);
}

/* What a slice may have beside a time. */
struct what {
	uint32_t slot;
	uint64_t id;
	uint32_t label;
	uint16_t flags;
	uint64_t waker;
};

/* A slice up to @time, from where the one before ended. */
static void run(uint32_t n, uint64_t time, struct what what)
{
	struct thread *t = &threads[n];
	struct {
		struct coroprof_record_slice slice;
		char parts[32];
	} r = {
		.slice = {
			.type = COROPROF_RECORD_SLICE, .size = (__u16)coroprof_slice_size(what.flags, 0),
			.slot = what.slot, .time = time, .duration = time - t->time, .id = what.id,
			.label = what.label, .flags = what.flags,
		},
	};
	const struct coroprof_slice_fresh fresh = { PARENT, TAG };
	const struct coroprof_slice_woken woken = { t->time - 1, what.waker };
	char *part = r.parts;

	if (what.flags & COROPROF_SLICE_FRESH) {
		memcpy(part, &fresh, sizeof(fresh));
		part += sizeof(fresh);
	}
	if (what.flags & COROPROF_SLICE_WOKEN)
		memcpy(part, &woken, sizeof(woken));
	t->status.slices++;
	t->status.running_ns += time - t->time;
	t->status.ring_head += r.slice.size;
	t->time = time;
	assert_int_equal(writer_records(writer, CPROF_SEGMENT_RING, t->status.channel_id, &r,
					r.slice.size, &err), 0);
}

static void tick(uint64_t seconds, uint32_t nr_threads)
{
	assert_int_equal(keep_tick(&keep, begin + seconds * SECOND, &err), 0);
	for (uint32_t n = 0; n < nr_threads; n++)
		mark(n, COROPROF_CHANNEL_OPEN);
}

static void begin_keep(uint64_t seconds, uint64_t bytes)
{
	assert_int_equal(keep_begin(&keep, seconds * SECOND, bytes, &err), 0);
	assert_int_equal(writer_open_sink(&writer, &keep.sink, &err), 0);
	begin = keep_from(&keep);
	put_process(1, COROPROF_RECORD_PROCESS);
	put_label(1, 1, "one");
	put_label(1, 2, "two");
}

static int end_keep(void **state)
{
	(void)state;
	writer_close(writer, &err);
	keep_free(&keep);
	unlink(recording_path);
	return 0;
}

static struct model *dump_for(const struct buffer *info)
{
	struct writer *file;

	name_recording();
	assert_int_equal(writer_open(&file, recording_path, &err), 0);
	assert_int_equal(keep_write(&keep, file, info, -1, &err), 0);
	assert_int_equal(writer_close(file, &err), 0);
	return load_path(recording_path, NULL);
}

static struct model *dump(void)
{
	return dump_for(NULL);
}

/* Ten seconds of a coroutine that was born in the first, and of a thread that does nothing more. */
static void play(void)
{
	begin_keep(3, 1 << 20);
	begin_thread(0, 1, 1);
	begin_thread(1, 2, 1);
	run(1, begin + SLICE_NS, (struct what){ 2, 9, 2, COROPROF_SLICE_FRESH, 0 });
	for (uint64_t s = 0; s < 10; s++) {
		if (s)
			tick(s, 2);
		for (uint64_t i = 1; i <= 10; i++) {
			uint64_t to = begin + s * SECOND + i * 10 * SLICE_NS;

			run(0, to - SLICE_NS, (struct what){ 1, COROPROF_ID_THREAD | 1, 0, 0, 0 });
			run(0, to, (struct what){ 3, 5, 1, s + i == 1 ? COROPROF_SLICE_FRESH : 0, 0 });
		}
	}
	tick(10, 2);
}

static void test_window(void **state)
{
	const struct model_coroutine *c;
	struct model *m;

	(void)state;
	play();
	assert_true(keep_is_full(&keep, begin + 10 * SECOND));
	m = dump();
	assert_true(m->kept);
	assert_int_equal(m->kept_from_ns, begin + 7 * SECOND);
	assert_int_equal(m->kept_ns, 3 * SECOND);
	assert_int_equal(m->nr_channels, 2);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(m->channels[i].check, MODEL_CHECKED);
	assert_int_equal(m->channels[0].times.slices, 3 * 20);
	/* It begins where the last slice before did. */
	assert_int_equal(m->channels[0].begin_ns, begin + 6 * SECOND + 100 * SLICE_NS);
	c = coroutine(m, 1, 5);
	assert_int_equal(c->times.slices, 30);
	assert_int_equal(c->parent, PARENT);
	assert_int_equal(c->tag, TAG);
	assert_true(c->carried);
	assert_false(c->flags & MODEL_COROUTINE_BORN);
	assert_int_equal(c->times.gaps, 29);
	assert_non_null(strstr(m->note, "--keep 3s"));
	model_free(m);
}

static struct model *part(uint64_t first, uint64_t end)
{
	struct writer *file;

	name_recording();
	assert_int_equal(writer_open(&file, recording_path, &err), 0);
	assert_int_equal(keep_write_part(&keep, &(struct keep_part){ first, end }, file, NULL, &err), 0);
	assert_int_equal(writer_close(file, &err), 0);
	return load_path(recording_path, NULL);
}

#define PARTS		12u
#define PART_THREADS	3u

/* What each thread did in each tick, or behind totals of that tick. */
static struct {
	uint64_t slices;
	uint64_t running_ns;
} done[PARTS][PART_THREADS];

/*
 * Sums of all threads that are of these ticks, as far as there are records. Those of a thread without
 * totals at the end may be unknown, and of no other one.
 */
static void expect_part(const struct model *m, uint64_t first, uint64_t end, bool unknown)
{
	uint64_t slices = 0, running_ns = 0;

	for (uint64_t t = first; t < end; t++)
		for (uint32_t n = 0; n < PART_THREADS; n++) {
			slices += done[t][n].slices;
			running_ns += done[t][n].running_ns;
		}
	assert_int_equal(m->times.slices, slices);
	assert_int_equal(m->times.running_ns, running_ns);
	assert_int_equal(m->failed_checks, 0);
	for (uint32_t i = 0; i < m->nr_channels; i++)
		if (!unknown)
			assert_int_equal(m->channels[i].check, MODEL_CHECKED);
}

/*
 * Threads that begin and end in any tick, and do nothing in some: each part of what is kept has
 * the slices of its ticks, and the sums of each of its threads hold. In @skips of four ticks totals
 * of a thread are missing; its records are then of the tick before.
 */
static void play_parts(void **state, unsigned int skips)
{
	uint64_t random = 1;

	for (unsigned int round = 0; round < 20; round++) {
		uint64_t kept = 3 + round % 9;
		bool skipped[PARTS + 1] = { false };
		uint64_t of[PART_THREADS] = { 0 };

		begin_keep(kept, 1 << 20);
		memset(done, 0, sizeof(done));
		memset(threads, 0, sizeof(threads));
		for (uint64_t t = 0; t < PARTS; t++) {
			if (t) {
				assert_int_equal(keep_tick(&keep, begin + t * SECOND, &err), 0);
				for (uint32_t n = 0; n < PART_THREADS; n++) {
					bool skip = (random >> (20 + 2 * n) & 3) < skips;

					if (!threads[n].status.channel_id || threads[n].status.end)
						continue;
					skipped[t] |= skip;
					if (skip)
						continue;
					mark(n, COROPROF_CHANNEL_OPEN);
					of[n] = t;
				}
			}
			for (uint32_t n = 0; n < PART_THREADS; n++) {
				random = random * 6364136223846793005u + 1442695040888963407u;
				if (!threads[n].status.channel_id && random >> 62) {
					begin_thread(n, n + 1, 1);
					threads[n].status.begin = threads[n].time = begin + t * SECOND;
					of[n] = t;
				}
				if (!threads[n].status.channel_id || threads[n].status.end)
					continue;
				for (uint64_t i = 0; i < (random >> 40) % 4; i++) {
					uint64_t to = begin + t * SECOND + (i + 1) * SLICE_NS;

					done[of[n]][n].slices++;
					done[of[n]][n].running_ns += to - threads[n].time;
					run(n, to, (struct what){ 3 + n, 5 + n, 1, 0, 0 });
				}
				if (random >> 32 & 1 && t > 5)
					end_thread(n);
			}
		}
		for (uint64_t first = keep.first; first < PARTS; first++)
			for (uint64_t end = first + 1; end < PARTS; end++) {
				struct model *m = part(first, end);

				expect_part(m, first, end, skipped[end]);
				model_free(m);
			}
		end_keep(state);
	}
	begin_keep(1, 1 << 20);
}

/* What is shared is there for as long as somebody has it, however much is dropped meanwhile. */
static void test_shared(void **state)
{
	struct memory *one, *all;
	struct model *m;
	struct file *file;

	play();
	one = keep_share(&keep, &(struct keep_part){ 7, 8 }, &err);
	all = keep_share(&keep, &(struct keep_part){ 7, 10 }, &err);
	assert_non_null(one);
	assert_non_null(all);
	/* Each slice is a segment. */
	assert_true(memory_size(all) - memory_copied(all) >= 60 * sizeof(struct cprof_segment));
	/* The ticks are gone, and then all that kept them. */
	tick(20, 2);
	assert_int_equal(keep.first, 10);
	assert_int_equal(file_open_memory(&file, "one", one, &err), 0);
	assert_int_equal(model_load(&m, file, &(struct model_options){ 0 }, &err), 0);
	assert_int_equal(m->times.slices, 20);
	assert_int_equal(m->failed_checks, 0);
	model_free(m);
	file_close(file);
	memory_free(one);
	end_keep(state);
	assert_int_equal(file_open_memory(&file, "all", all, &err), 0);
	assert_int_equal(model_load(&m, file, &(struct model_options){ 0 }, &err), 0);
	assert_int_equal(m->times.slices, 60);
	assert_int_equal(m->failed_checks, 0);
	for (uint32_t i = 0; i < m->nr_channels; i++)
		assert_int_equal(m->channels[i].check, MODEL_CHECKED);
	model_free(m);
	file_close(file);
	memory_free(all);
	begin_keep(1, 1 << 20);
}

static void test_parts(void **state)
{
	play_parts(state, 0);
}

static void test_parts_with_skipped_marks(void **state)
{
	for (unsigned int skips = 1; skips < 4; skips++) {
		play_parts(state, skips);
		end_keep(state);
	}
	begin_keep(1, 1 << 20);
}

/* Of a thread without totals at the end of a part it is not known whether its sums hold. */
static void test_part_without_end(void **state)
{
	struct model *m;

	(void)state;
	begin_keep(60, 1 << 20);
	begin_thread(0, 1, 1);
	run(0, begin + SLICE_NS, (struct what){ 3, 5, 1, 0, 0 });
	tick(1, 1);
	run(0, begin + SECOND, (struct what){ 3, 5, 1, 0, 0 });
	assert_int_equal(keep_tick(&keep, begin + 2 * SECOND, &err), 0);
	run(0, begin + 2 * SECOND, (struct what){ 3, 5, 1, 0, 0 });
	tick(3, 1);
	m = part(1, 2);
	assert_int_equal(m->channels[0].check, MODEL_NOT_CHECKED);
	model_free(m);
	m = part(1, 3);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	assert_int_equal(m->times.slices, 2);
	model_free(m);
	/* What came in it is of the tick before: it has nothing, and that adds up. */
	m = part(2, 3);
	assert_int_equal(m->failed_checks, 0);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	assert_int_equal(m->times.slices, 0);
	model_free(m);
}

/* Its last records are of a tick before the part, in which it ends: there they are not looked for. */
static void test_part_of_an_end(void **state)
{
	struct model *m;

	(void)state;
	begin_keep(60, 1 << 20);
	begin_thread(0, 1, 1);
	tick(1, 1);
	run(0, begin + SECOND, (struct what){ 3, 5, 1, 0, 0 });
	assert_int_equal(keep_tick(&keep, begin + 2 * SECOND, &err), 0);
	run(0, begin + 2 * SECOND, (struct what){ 3, 5, 1, 0, 0 });
	end_thread(0);
	assert_int_equal(keep_tick(&keep, begin + 3 * SECOND, &err), 0);
	m = part(2, 3);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	assert_int_equal(m->times.slices, 0);
	model_free(m);
	m = part(1, 2);
	assert_int_equal(m->failed_checks, 0);
	assert_int_equal(m->times.slices, 2);
	model_free(m);
	m = part(1, 3);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	assert_int_equal(m->times.slices, 2);
	model_free(m);
}

/* The sums are those of the window: one count more at its end is found. */
static void test_broken_sums(void **state)
{
	struct model *m;

	(void)state;
	play();
	threads[0].status.running_ns++;
	mark(0, COROPROF_CHANNEL_OPEN);
	m = dump();
	assert_int_equal(m->failed_checks, 1);
	assert_int_equal(m->channels[0].check, MODEL_FAILED);
	model_free(m);
}

/* Without totals behind the last record there is nothing to compare with. */
static void test_open_end(void **state)
{
	struct model *m;

	(void)state;
	play();
	run(0, begin + 11 * SECOND, (struct what){ 3, 5, 1, 0, 0 });
	m = dump();
	assert_int_equal(m->channels[0].check, MODEL_NOT_CHECKED);
	assert_int_equal(m->channels[0].times.slices, 3 * 20 + 1);
	assert_int_equal(m->failed_checks, 0);
	model_free(m);
}

/* All of a short recording is there, from its begin on. */
static void test_short(void **state)
{
	struct model *m;

	(void)state;
	begin_keep(60, 1 << 20);
	begin_thread(0, 1, 1);
	run(0, begin + SLICE_NS, (struct what){ 3, 5, 1, COROPROF_SLICE_FRESH, 0 });
	tick(1, 1);
	run(0, begin + 2 * SECOND, (struct what){ 3, 5, 1, 0, 0 });
	assert_false(keep_is_full(&keep, begin + 2 * SECOND));
	end_thread(0);
	m = dump();
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	assert_int_equal(m->channels[0].begin_ns, begin);
	assert_int_equal(m->channels[0].times.slices, 2);
	assert_true(coroutine(m, 1, 5)->flags & MODEL_COROUTINE_BORN);
	model_free(m);
}

/*
 * Rings begin at different times: on one thread the coroutine's slice before is kept, on the other
 * one that came between is not. Between them nobody knows how long it waited.
 */
static void test_ragged_begin(void **state)
{
	struct model *m;

	(void)state;
	begin_keep(1, 1 << 20);
	begin_thread(0, 1, 1);
	begin_thread(1, 2, 1);
	run(0, begin + SECOND, (struct what){ 1, COROPROF_ID_THREAD | 1, 0, 0, 0 });
	run(1, begin + SECOND, (struct what){ 2, COROPROF_ID_THREAD | 2, 0, 0, 0 });
	assert_int_equal(keep_tick(&keep, begin + SECOND, &err), 0);
	mark(0, COROPROF_CHANNEL_OPEN);
	run(0, begin + SECOND + 10, (struct what){ 3, 5, 1, COROPROF_SLICE_FRESH, 0 });
	run(1, begin + SECOND + 10, (struct what){ 2, COROPROF_ID_THREAD | 2, 0, 0, 0 });
	run(1, begin + SECOND + 20, (struct what){ 3, 5, 1, 0, 0 });
	mark(1, COROPROF_CHANNEL_OPEN);
	run(0, begin + SECOND + 30, (struct what){ 1, COROPROF_ID_THREAD | 1, 0, 0, 0 });
	run(0, begin + SECOND + 40, (struct what){ 3, 5, 1, 0, 0 });
	run(0, begin + SECOND + 50, (struct what){ 1, COROPROF_ID_THREAD | 1, 0, 0, 0 });
	run(0, begin + SECOND + 60, (struct what){ 3, 5, 1, 0, 0 });
	tick(2, 2);
	m = dump();
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	assert_int_equal(m->channels[1].check, MODEL_CHECKED);
	assert_int_equal(coroutine(m, 1, 5)->times.slices, 3);
	assert_int_equal(coroutine(m, 1, 5)->times.unseen_gaps, 1);
	assert_int_equal(coroutine(m, 1, 5)->times.cut_gaps, 1);
	assert_int_equal(coroutine(m, 1, 5)->times.gaps, 1);
	assert_int_equal(coroutine(m, 1, 5)->times.suspended_ns, 10);
	model_free(m);
}

/* One that has no slice any more made another one ready: its label is known, be it over or not. */
static void test_waker(void **state)
{
	struct model *m;

	for (int over = 0; over < 2; over++) {
		begin_keep(1, 1 << 20);
		begin_thread(0, 1, 1);
		run(0, begin + 10, (struct what){ 7, 8, 2, COROPROF_SLICE_FRESH, 0 });
		run(0, begin + 15, (struct what){ 3, 5, 1, COROPROF_SLICE_FRESH, 0 });
		tick(1, 1);
		run(0, begin + SECOND + 10, (struct what){ 7, 8, 2, over ? COROPROF_SLICE_END : 0, 0 });
		tick(2, 1);
		run(0, begin + 2 * SECOND + 10, (struct what){ 3, 5, 1, COROPROF_SLICE_WOKEN, 8 });
		tick(3, 1);
		m = dump();
		assert_int_equal(m->nr_wakes, 1);
		/* What is over goes with the tick in which it ended. */
		if (over) {
			assert_int_equal(m->wakes[0].waker, MODEL_NONE);
		} else {
			assert_int_not_equal(m->wakes[0].waker, MODEL_NONE);
			assert_string_equal(m->labels[m->wakes[0].waker].name, "two");
		}
		model_free(m);
		end_keep(state);
	}
	begin_keep(1, 1 << 20);
}

/* Coroutines in the segments of the file that was written last. */
static uint64_t carried(void)
{
	uint64_t nr = 0;
	struct file *file;

	assert_int_equal(file_open(&file, recording_path, &err), 0);
	for (size_t i = 0; i < file->nr_segments; i++)
		if (file->segments[i].type == CPROF_SEGMENT_COROUTINES)
			nr += (file->segments[i].size - sizeof(struct cprof_coroutines)) /
			      sizeof(struct cprof_coroutine);
	file_close(file);
	return nr;
}

/* More is kept than is written: those that ended before a part are not in it. */
static void test_ended_before_part(void **state)
{
	(void)state;
	begin_keep(60, 1 << 20);
	begin_thread(0, 1, 1);
	for (uint32_t i = 0; i < 10; i++)
		run(0, begin + 10 + i, (struct what){ 10 + i, 100 + i, 2, COROPROF_SLICE_FRESH, 0 });
	run(0, begin + 30, (struct what){ 3, 5, 1, COROPROF_SLICE_FRESH, 0 });
	tick(1, 1);
	for (uint32_t i = 0; i < 10; i++)
		run(0, begin + SECOND + 10 + i, (struct what){ 10 + i, 100 + i, 2, COROPROF_SLICE_END, 0 });
	tick(2, 1);
	run(0, begin + 2 * SECOND + 10, (struct what){ 3, 5, 1, 0, 0 });
	tick(3, 1);
	model_free(part(1, 2));
	assert_int_equal(carried(), 11);
	model_free(part(2, 3));
	assert_int_equal(carried(), 1);
}

/* A slot has one coroutine at a time: that it has another one says that the one before is over. */
static void test_slot_taken_over(void **state)
{
	struct model *m;

	(void)state;
	begin_keep(1, 1 << 20);
	begin_thread(0, 1, 1);
	run(0, begin + 10, (struct what){ 7, 8, 2, COROPROF_SLICE_FRESH, 0 });
	tick(1, 1);
	run(0, begin + SECOND + 10, (struct what){ 7, 9, 1, COROPROF_SLICE_FRESH, 0 });
	tick(2, 1);
	run(0, begin + 2 * SECOND + 10, (struct what){ 7, 9, 1, 0, 0 });
	tick(3, 1);
	assert_int_equal(keep.living.nr_rows, 1);
	m = dump();
	assert_int_equal(coroutine(m, 1, 9)->parent, PARENT);
	model_free(m);
}

/* Of what nothing is kept nothing stays, however much there was. */
static void test_processes(void **state)
{
	uint64_t bytes = 0;
	struct model *m;

	(void)state;
	begin_keep(2, 1 << 20);
	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t id = 100 + i;

		if (i % 10 == 0)
			tick(1 + i / 10, 0);
		put_process(id, COROPROF_RECORD_PROCESS);
		put_label(id, 1, "child");
		begin_thread(0, id, id);
		threads[0].status.begin = threads[0].time = begin + (1 + i / 10) * SECOND;
		run(0, threads[0].time + 10, (struct what){ 1, 1000 + i, 1, COROPROF_SLICE_FRESH, 0 });
		end_thread(0);
		put_process(id, COROPROF_RECORD_PROCESS_END);
		if (i == 509)
			bytes = keep_bytes(&keep);
	}
	assert_true(keep_bytes(&keep) <= bytes + 1000);
	m = dump();
	/* Process 1 has no thread. */
	assert_int_equal(m->nr_processes, 30);
	assert_int_equal(m->nr_channels, 30);
	for (uint32_t i = 0; i < m->nr_channels; i++)
		assert_int_equal(m->channels[i].check, MODEL_CHECKED);
	assert_int_equal(m->nr_coroutines_total, 30);
	model_free(m);
}

/* Time is given up for bytes. */
static void test_bytes(void **state)
{
	struct model *m;

	(void)state;
	begin_keep(1000, 1 << 16);
	begin_thread(0, 1, 1);
	for (uint64_t s = 1; s < 200; s++) {
		for (uint64_t i = 0; i < 100; i++)
			run(0, begin + s * SECOND + i * SLICE_NS, (struct what){ 3, 5, 1, 0, 0 });
		tick(s, 1);
		assert_true(keep_bytes(&keep) <= (1 << 16));
	}
	assert_true(keep.squeezed);
	assert_true(keep_is_full(&keep, begin + 200 * SECOND));
	m = dump();
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	assert_in_range(m->channels[0].times.slices, 100, 10000);
	model_free(m);
}

/* What a program writes into its ring may be anything. */
static void test_nonsense(void **state)
{
	struct coroprof_record_slice s[4] = {
		{ .type = COROPROF_RECORD_SLICE, .size = sizeof(s[0]), .id = 1, .slot = UINT32_MAX,
		  .flags = UINT16_MAX, .time = 5, .duration = 10 },
		{ .type = COROPROF_RECORD_SLICE, .size = 8 },
		{ .type = UINT16_MAX, .size = sizeof(s[0]) },
		{ .type = COROPROF_RECORD_SLICE, .size = 4 },
	};
	struct model *m;

	(void)state;
	begin_keep(1, 1 << 20);
	begin_thread(0, 1, 1);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(writer_records(writer, CPROF_SEGMENT_RING, 1, s, sizeof(s), &err), 0);
		tick(1 + i, 1);
	}
	m = dump();
	assert_int_not_equal(m->channels[0].check, MODEL_CHECKED);
	model_free(m);
}

/* One that could not be written takes nothing from what is kept. */
static void test_disk_full(void **state)
{
	struct writer *file;
	struct model *m;
	int ret;

	(void)state;
	play();
	ret = writer_open(&file, "/dev/full", &err);
	if (!ret) {
		ret = keep_write(&keep, file, NULL, -1, &err);
		writer_close(file, &(struct error){ 0 });
	}
	assert_int_equal(ret, -ENOSPC);
	m = dump();
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	assert_int_equal(m->channels[0].times.slices, 3 * 20);
	model_free(m);
}

/* Rings that could not be read to their end are reported of as long as anything is kept of them. */
static void test_torn(void **state)
{
	static const char torn[] = "torn.1\0nonsense\0torn.9\0other";
	struct model *m;

	(void)state;
	play();
	assert_int_equal(writer_segment(writer, CPROF_SEGMENT_INFO, torn, sizeof(torn), &err), 0);
	m = dump();
	assert_int_equal(m->nr_damage, 1);
	assert_int_equal(m->channels[0].check, MODEL_NOT_CHECKED);
	model_free(m);
}

static void say(struct buffer *info, const char *key, uint64_t value)
{
	assert_int_equal(describe_add(info, key, &err, "%llu", (unsigned long long)value), 0);
}

/* Why it was written comes first, and leads to the slice; to none that is not there. */
static void test_dumped(void **state)
{
	struct buffer info = { 0 };
	struct model *m;

	(void)state;
	play();
	describe_add(&info, "dumped", &err, "held > 5ms: one");
	describe_add(&info, "dumped_figure", &err, "held");
	say(&info, "dumped_channel", 1);
	say(&info, "dumped_id", 5);
	say(&info, "dumped_begin", begin + 8 * SECOND + 9 * SLICE_NS);
	say(&info, "dumped_ns", SLICE_NS);
	m = dump_for(&info);
	assert_string_equal(m->dumped, "held > 5ms: one");
	assert_int_equal(strncmp(m->note, "Written because of held > 5ms: one. ", 36), 0);
	assert_int_equal(findings_make(m), 0);
	assert_string_equal(m->findings[0].text, "this was written because of held > 5ms: one");
	assert_int_equal(m->findings[0].kind, FINDING_HOLDING);
	assert_int_equal(m->coroutines[m->findings[0].coroutine].id, 5);
	assert_int_equal(m->channels[m->findings[0].channel].id, 1);
	assert_int_equal(m->findings[0].begin_ns, begin + 8 * SECOND + 9 * SLICE_NS);
	assert_int_equal(m->findings[0].end_ns, begin + 8 * SECOND + 10 * SLICE_NS);
	model_free(m);
	describe_add(&info, "dumped_figure", &err, "IPC");
	m = dump_for(&info);
	assert_int_equal(findings_make(m), 0);
	assert_int_equal(m->findings[0].kind, FINDING_IPC);
	assert_int_equal(m->findings[0].end_ns, begin + 8 * SECOND + 10 * SLICE_NS);
	model_free(m);
	/* It asked when that slice began: what was before it is of interest. */
	describe_add(&info, "dumped_figure", &err, "program");
	m = dump_for(&info);
	assert_int_equal(findings_make(m), 0);
	assert_int_equal(m->findings[0].kind, FINDING_REQUEST);
	assert_int_equal(m->coroutines[m->findings[0].coroutine].id, 5);
	assert_int_equal(m->findings[0].begin_ns, begin + 7 * SECOND + 9 * SLICE_NS);
	assert_int_equal(m->findings[0].end_ns, begin + 8 * SECOND + 9 * SLICE_NS);
	model_free(m);
	describe_add(&info, "dumped_figure", &err, "held");
	say(&info, "dumped_id", 6);
	m = dump_for(&info);
	assert_int_equal(findings_make(m), 0);
	assert_true(!m->nr_findings || !strstr(m->findings[0].text, "written because"));
	model_free(m);
	say(&info, "dumped_channel", 99);
	say(&info, "dumped_ns", UINT64_MAX);
	model_free(dump_for(&info));
	buffer_free(&info);
}

#define KEEP_TEST(f)	cmocka_unit_test_teardown(f, end_keep)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KEEP_TEST(test_window),
		KEEP_TEST(test_shared),
		KEEP_TEST(test_parts),
		KEEP_TEST(test_parts_with_skipped_marks),
		KEEP_TEST(test_part_without_end),
		KEEP_TEST(test_part_of_an_end),
		KEEP_TEST(test_broken_sums),
		KEEP_TEST(test_open_end),
		KEEP_TEST(test_short),
		KEEP_TEST(test_ragged_begin),
		KEEP_TEST(test_waker),
		KEEP_TEST(test_ended_before_part),
		KEEP_TEST(test_slot_taken_over),
		KEEP_TEST(test_processes),
		KEEP_TEST(test_bytes),
		KEEP_TEST(test_nonsense),
		KEEP_TEST(test_disk_full),
		KEEP_TEST(test_torn),
		KEEP_TEST(test_dumped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
