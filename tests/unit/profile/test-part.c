// SPDX-License-Identifier: GPL-2.0
/*
 * A part of a recording, against what the generators wrote down: each slice that they
 * generate passes through __wrap_gen_slice(). What of it is in a window is computed here, by the
 * rule of coroprof-tables(5), and nothing of that by the reader.
 */
#include "gen/recording.h"

#if defined(__SANITIZE_ADDRESS__)
#define RECORDINGS	20u
#else
#define RECORDINGS	120u
#endif
#define WINDOWS		12u
#define CUTS		6u
#define THREADS		3u
#define IDS		12u

/* ---- what was generated */

struct written {
	uint32_t channel;
	struct gen_slice slice;
};

static struct written *written;
static size_t nr_written, room;

void __real_gen_slice(struct gen *g, uint32_t channel_id, const struct gen_slice *s);
void __wrap_gen_slice(struct gen *g, uint32_t channel_id, const struct gen_slice *s);

void __wrap_gen_slice(struct gen *g, uint32_t channel_id, const struct gen_slice *s)
{
	if (nr_written == room) {
		room = room ? 2 * room : 1024;
		written = reallocarray(written, room, sizeof(*written));
		assert_non_null(written);
	}
	written[nr_written++] = (struct written){ channel_id, *s };
	__real_gen_slice(g, channel_id, s);
}

static uint64_t seed;

static uint64_t below(uint64_t limit)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % limit;
}

static uint64_t odds(uint64_t of)
{
	return !below(of);
}

static void write_slice(struct gen *g, uint32_t channel, uint64_t begin, uint64_t length)
{
	uint64_t off = odds(3) && length ? below(length + 1) : 0;
	uint64_t blocked = odds(2) ? off : below(off + 1);
	bool thread = odds(4);
	struct gen_slice s = {
		.time = begin + length, .duration = length,
		.id = thread ? THREAD(channel) : 100 * channel + below(IDS),
		.label = thread ? 0 : (uint32_t)(1 + below(2)),
		.count = { below(1000000), below(7) },
		.preempted_ns = off - blocked, .blocked_ns = blocked,
		.nr_preempted = off - blocked ? (uint32_t)(1 + below(3)) : 0,
		.nr_blocked = blocked ? (uint32_t)(1 + below(3)) : 0,
	};

	gen_slice(g, channel, &s);
}

/*
 * Spans that end in a slice are reported before it, and there may be a segment's end between them.
 */
static void write_step(struct gen *g, uint32_t channel, uint64_t begin, uint64_t length)
{
	uint32_t spans = odds(5) ? (uint32_t)below(4) : 0;

	for (uint32_t i = 1; i <= spans; i++) {
		gen_span(g, channel, &(struct gen_span){
			.time = begin + length * i / spans, .id = 100 * channel, .label = 2,
			.duration = length / 4, .running_ns = length / 4,
		});
		if (odds(3))
			gen_drain(g, channel);
	}
	write_slice(g, channel, begin, length);
	if (odds(20))
		gen_drain(g, channel);
}

static struct gen *write_random(void)
{
	struct gen *g = begin_recording();

	for (uint32_t n = 1; n <= THREADS; n++)
		channel(g, n, 1000);
	for (uint32_t n = 1; n <= THREADS; n++) {
		uint64_t at = 1000, scale = 1ULL << below(20);

		for (uint64_t left = 1 + below(60); left; left--) {
			uint64_t length = odds(12) ? 0 : 1 + below(scale);

			write_step(g, n, at, length);
			at += length;
		}
	}
	return g;
}

static void write_file(struct gen *(*begin)(void))
{
	struct gen *g;

	nr_written = 0;
	g = begin();
	if (g)
		gen_close(g, true);
}

static struct gen *write_server(void)
{
	unlink(recording_path);
	assert_true(gen_scenario("server", recording_path));
	return NULL;
}

/* ---- the rule */

struct truth {
	uint64_t slices, cut, shared, wall, running, preempted, blocked;
	uint64_t count[2];
};

static uint64_t up_to(uint64_t sum, uint64_t at, uint64_t length)
{
	return length ? (uint64_t)((unsigned __int128)sum * at / length) : 0;
}

static bool is_in(const struct gen_slice *s, uint64_t from, uint64_t to)
{
	uint64_t begin = s->time - s->duration;

	return s->duration ? s->time > from && begin < to : begin >= from && begin < to;
}

static void add_truth(struct truth *t, const struct gen_slice *s, uint64_t from, uint64_t to)
{
	uint64_t begin = s->time - s->duration, off = s->preempted_ns + s->blocked_ns;
	uint64_t a = from > begin ? from - begin : 0;
	uint64_t b = to < s->time ? to - begin : s->duration;
	uint64_t off_a = up_to(off, a, s->duration), off_b = up_to(off, b, s->duration);
	uint64_t blocked = up_to(s->blocked_ns, off_b, off) - up_to(s->blocked_ns, off_a, off);

	t->slices++;
	t->wall += b - a;
	t->running += b - a - (off_b - off_a);
	t->blocked += blocked;
	t->preempted += off_b - off_a - blocked;
	t->cut += b - a < s->duration;
	t->shared += b - a < s->duration && off;
	for (int i = 0; i < 2; i++)
		t->count[i] += s->duration ? up_to(s->count[i], b, s->duration) -
					     up_to(s->count[i], a, s->duration) : s->count[i];
}

/* Of one thread, or of one coroutine, or of all if both are 0. */
static struct truth truth_of(uint32_t channel, uint64_t id, uint64_t from, uint64_t to)
{
	struct truth t = { 0 };

	for (size_t i = 0; i < nr_written; i++)
		if ((!channel || written[i].channel == channel) &&
		    (!id || written[i].slice.id == id) && is_in(&written[i].slice, from, to))
			add_truth(&t, &written[i].slice, from, to);
	return t;
}

static void assert_times(const struct model_times *t, const struct truth *want)
{
	assert_int_equal(t->slices, want->slices);
	assert_int_equal(t->nr_cut, want->cut);
	assert_int_equal(t->nr_shared, want->shared);
	assert_int_equal(t->running_ns, want->running);
	assert_int_equal(t->preempted_ns, want->preempted);
	assert_int_equal(t->blocked_ns + t->idle_ns, want->blocked);
	assert_int_equal(t->running_ns + t->preempted_ns + t->blocked_ns + t->idle_ns, want->wall);
}

static void assert_counts(struct model_value (*value)(const struct model *, uint32_t, uint32_t),
			  const struct model *m, uint32_t row, const struct truth *want)
{
	for (uint32_t i = 0; i < 2 && want->slices; i++) {
		struct model_value v = value(m, row, i);

		assert_int_equal(v.count, want->count[i]);
		assert_int_equal(v.estimate, want->count[i]);
		assert_int_equal(v.standing, want->cut ? COROPROF_STANDING_SCALED :
							  COROPROF_STANDING_COUNTED);
		assert_int_equal(v.shared, !!want->cut);
	}
}

static struct model *load_window(uint64_t begin, uint64_t from, uint64_t to, uint32_t shards)
{
	const struct model_options options = {
		.from_ns = from - begin, .to_ns = to - begin, .shards = shards,
	};

	return load_path(recording_path, &options);
}

/* Rows of the timeline are the slices in it, each with the part of it that is. */
static void assert_timeline(const struct model *m, uint64_t from, uint64_t to)
{
	uint32_t row = 0;

	for (uint32_t n = 0; n < m->nr_channels; n++)
		for (size_t i = 0; i < nr_written; i++) {
			const struct gen_slice *s = &written[i].slice;
			uint64_t begin = s->time - s->duration;

			if (written[i].channel != m->channels[n].id || !is_in(s, from, to))
				continue;
			assert_in_range(row, 0, m->nr_timeline - 1);
			begin = begin < from ? from : begin;
			assert_int_equal(m->timeline[row].begin_ns, begin);
			assert_int_equal(m->timeline[row].duration_ns,
					 (s->time > to ? to : s->time) - begin);
			assert_int_equal(!!(m->timeline[row].flags & MODEL_SLICE_PARTED),
					 m->timeline[row].duration_ns < s->duration);
			row++;
		}
	assert_int_equal(row, m->nr_timeline);
}

static void assert_window(uint64_t begin, uint64_t from, uint64_t to, uint32_t shards)
{
	struct model *m = load_window(begin, from, to, shards);
	struct truth all = truth_of(0, 0, from, to);

	assert_int_equal(m->begin_ns, begin);
	assert_int_equal(m->from_ns, from);
	assert_times(&m->times, &all);
	assert_timeline(m, from, to);
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		struct truth t = truth_of(m->channels[i].id, 0, from, to);

		assert_times(&m->channels[i].times, &t);
		assert_counts(model_channel_value, m, i, &t);
	}
	for (uint32_t i = 0; i < m->nr_coroutines; i++) {
		struct truth t = truth_of(0, m->coroutines[i].id, from, to);

		assert_times(&m->coroutines[i].times, &t);
		assert_counts(model_coroutine_value, m, i, &t);
	}
	model_free(m);
}

/* When the slices of all threads have ended. */
static uint64_t end_of_all(void)
{
	uint64_t end = 0;

	for (size_t i = 0; i < nr_written; i++)
		if (written[i].slice.time > end)
			end = written[i].slice.time;
	return end;
}

/* An edge of a slice, or beside it, or anywhere. */
static uint64_t choose(uint64_t begin, uint64_t end)
{
	const struct gen_slice *s = &written[below(nr_written)].slice;
	uint64_t at = begin + below(end - begin);

	if (odds(2))
		at = s->time - (odds(2) ? s->duration : 0) + below(3) - 1;
	return at < begin + 1 ? begin + 1 : at > end - 1 ? end - 1 : at;
}

static void a_window_has_the_part_of_each_slice_that_is_in_it(void **state)
{
	(void)state;
	for (uint32_t n = 0; n < RECORDINGS; n++) {
		uint64_t end;

		seed = n;
		write_file(write_random);
		end = end_of_all();
		for (uint32_t i = 0; end > 1010 && i < WINDOWS; i++) {
			uint64_t x = choose(1000, end), y = choose(1000, end);

			if (x != y)
				assert_window(1000, x < y ? x : y, x < y ? y : x, 1 + i % 4);
		}
		unlink(recording_path);
	}
}

static void a_window_within_one_slice_has_its_share(void **state)
{
	struct gen *g = begin_recording();
	struct truth t;
	struct model *m;

	(void)state;
	nr_written = 0;
	channel(g, 1, 1000);
	SLICE(g, 1, 7, 1000, 17001000, .label = 1, .count = { 17000, 3 });
	gen_close(g, true);
	m = load_window(1000, 501000, 16501000, 1);
	t = truth_of(0, 0, 501000, 16501000);
	assert_int_equal(t.running, 16000000);
	assert_int_equal(t.count[0], 16000);
	assert_times(&m->times, &t);
	assert_null(m->nothing);
	model_free(m);
	unlink(recording_path);
}

static void sum_up(struct truth *sum, const struct model *m)
{
	sum->slices += m->times.slices;
	sum->cut += m->times.nr_cut;
	sum->running += m->times.running_ns;
	sum->preempted += m->times.preempted_ns;
	sum->blocked += m->times.blocked_ns + m->times.idle_ns;
	for (uint32_t i = 0; i < 2; i++)
		sum->count[i] += model_total_value(m, i).count;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Of windows that follow each other: a slice that is in n of them is counted n times. */
static void assert_partition(uint64_t begin, uint64_t end)
{
	struct truth all = truth_of(0, 0, 0, UINT64_MAX), sum = { 0 };
	uint64_t at[CUTS + 2] = { begin, [CUTS + 1] = end }, again = 0;

	for (uint32_t i = 1; i <= CUTS; i++)
		at[i] = choose(begin, end);
	qsort(at, CUTS + 2, sizeof(*at), by_value);
	for (uint32_t i = 0; i <= CUTS; i++) {
		struct model *m;

		if (at[i] == at[i + 1])
			continue;
		m = load_window(begin, at[i], at[i + 1], 1 + i % 3);
		sum_up(&sum, m);
		again += truth_of(0, 0, at[i], at[i + 1] == end ? UINT64_MAX : at[i + 1]).slices;
		model_free(m);
	}
	assert_int_equal(sum.running, all.running);
	assert_int_equal(sum.preempted, all.preempted);
	assert_int_equal(sum.blocked, all.blocked);
	assert_int_equal(sum.count[0], all.count[0]);
	assert_int_equal(sum.count[1], all.count[1]);
	assert_int_equal(sum.slices, again);
}

static void windows_that_follow_each_other_sum_to_the_recording(void **state)
{
	(void)state;
	for (uint32_t n = 0; n < RECORDINGS; n++) {
		uint64_t end;

		seed = 1000 + n;
		write_file(write_random);
		end = end_of_all();
		if (end > 1010)
			assert_partition(1000, end);
		unlink(recording_path);
	}
}

static void so_do_those_of_a_server(void **state)
{
	struct model *m;
	uint64_t begin;

	(void)state;
	seed = 5;
	write_file(write_server);
	m = load_path(recording_path, NULL);
	begin = m->begin_ns;
	model_free(m);
	for (uint32_t i = 0; i < 3; i++)
		assert_partition(begin, end_of_all());
	unlink(recording_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_has_the_part_of_each_slice_that_is_in_it),
		cmocka_unit_test(a_window_within_one_slice_has_its_share),
		cmocka_unit_test(windows_that_follow_each_other_sum_to_the_recording),
		cmocka_unit_test(so_do_those_of_a_server),
	};
	int ret = cmocka_run_group_tests(tests, NULL, NULL);

	free(written);
	return ret;
}
