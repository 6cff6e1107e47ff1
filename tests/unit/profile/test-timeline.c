// SPDX-License-Identifier: GPL-2.0
/* The timeline: exact while it fits, and in exact sums when it does not. */
#include "gen/recording.h"

static void keeps_every_slice_while_it_fits(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	channel(g, 2, 1000);
	SLICE(g, 2, 20, 1000, 1100, .label = 2, .count = { 9, 8 },
	      .preempted_ns = 30, .flags = COROPROF_SLICE_FIRST);
	SLICE(g, 1, 10, 1000, 1010, .label = 1, .count = { 5, 6 },
	      .standing = 0xb, .missing_ns = { 0, 2 });
	SLICE(g, 1, 11, 1010, 1030, .label = 1, .count = { 1, 2 });
	m = load(g);
	assert_int_equal(m->nr_timeline, 3);
	assert_int_equal(m->timeline_resolution_ns, 0);
	assert_int_equal(m->timeline_first[0], 0);
	assert_int_equal(m->timeline_first[1], 2);
	assert_int_equal(m->timeline_first[2], 3);
	assert_int_equal(m->timeline[1].begin_ns, 1010);
	assert_int_equal(m->timeline[1].duration_ns, 20);
	assert_int_equal(m->coroutines[m->timeline[1].coroutine].id, 11);
	assert_int_equal(m->timeline[1].valid, 3);
	/* One counter of the first was scaled. */
	assert_int_equal(m->timeline[0].valid, 1);
	assert_int_equal(m->timeline[0].count[0], 5);
	assert_int_equal(m->timeline[2].preempted_ns, 30);
	assert_int_equal(m->timeline[2].channel, 1);
	assert_true(m->timeline[2].flags & COROPROF_SLICE_FIRST);
	model_free(m);
}

static void shows_losses(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	gen_lost(g, 1, 1500, 7, true);
	SLICE(g, 1, 10, 1500, 1510, .label = 1);
	m = load(g);
	assert_int_equal(m->nr_timeline, 3);
	assert_int_equal(m->timeline[1].flags, MODEL_SLICE_LOST);
	assert_int_equal(m->timeline[1].begin_ns, 1010);
	assert_int_equal(m->timeline[1].duration_ns, 490);
	assert_int_equal(m->timeline[1].nr_slices, 0);
	assert_int_equal(m->timeline[1].label, MODEL_NONE);
	model_free(m);
}

/* 20000 short slices and a long one, in 100. */
static struct model *crowded(uint32_t limit)
{
	const struct model_options options = { .timeline_slices = limit };
	struct gen *g = begin_recording();
	uint64_t at = 1000;

	channel(g, 1, at);
	channel(g, 2, at);
	for (uint64_t i = 0; i < 10000; i++, at += 100) {
		uint64_t end = i == 5000 ? at + 900000 : at + 100;

		SLICE(g, 1, 10 + i % 7, at, end, .label = 1, .count = { 1, 2 });
		SLICE(g, 2, 20 + i % 7, at, end, .label = 2, .count = { 3, 4 });
		if (i == 5000)
			at += 900000 - 100;
		if (i % 1000 == 999) {
			gen_drain(g, 1);
			gen_drain(g, 2);
		}
	}
	return load_with(g, &options);
}

static void assert_sound(const struct model *m)
{
	uint64_t slices = 0, cycles_counted = 0;

	for (uint32_t c = 0; c < m->nr_channels; c++) {
		uint64_t end = 0;

		for (uint32_t i = m->timeline_first[c];
		     i < m->timeline_first[c + 1]; i++) {
			const struct model_slice *s = &m->timeline[i];

			assert_int_equal(s->channel, c);
			assert_true(s->begin_ns >= end);
			assert_int_equal((s->flags & MODEL_SLICE_MERGED) != 0,
					 s->nr_slices > 1);
			end = s->begin_ns + s->duration_ns;
			slices += s->nr_slices;
			cycles_counted += s->count[0];
		}
	}
	assert_int_equal(slices, m->times.slices);
	assert_int_equal(cycles_counted, model_total_value(m, 0).count);
}

static void merges_what_does_not_fit(void **state)
{
	struct model *m = crowded(100);
	uint64_t longest = 0;

	(void)state;
	assert_sound(m);
	assert_in_range(m->nr_timeline, 10, 100);
	assert_true(m->timeline_resolution_ns > 0);
	for (uint32_t i = 0; i < m->nr_timeline; i++) {
		const struct model_slice *s = &m->timeline[i];

		/* They all begin in one bucket. */
		assert_true(s->nr_slices == 1 ||
			    s->duration_ns < 2 * m->timeline_resolution_ns);
		if (s->duration_ns > longest)
			longest = s->duration_ns;
	}
	/* What stands out is still as it was. */
	assert_int_equal(longest, 900000);
	model_free(m);
}

static void does_not_merge_what_fits(void **state)
{
	struct model *m = crowded(20000);

	(void)state;
	assert_sound(m);
	assert_int_equal(m->nr_timeline, 20000);
	assert_int_equal(m->timeline_resolution_ns, 0);
	model_free(m);
}

static void merges_to_one_a_channel_at_least(void **state)
{
	struct model *m = crowded(1);

	(void)state;
	assert_sound(m);
	assert_int_equal(m->nr_timeline, 2);
	model_free(m);
}

/* A sum of which a part was not counted is not one. */
static void keeps_what_is_not_counted_out_of_sums(void **state)
{
	const struct model_options options = { .timeline_slices = 1 };
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	SLICE(g, 1, 11, 1010, 1030, .label = 1, .flags = COROPROF_SLICE_END);
	SLICE(g, 1, 10, 1030, 1040, .label = 1, .standing = 0xb,
	      .missing_ns = { 0, 2 });
	m = load_with(g, &options);
	assert_int_equal(m->nr_timeline, 1);
	assert_int_equal(m->timeline[0].valid, 1);
	assert_int_equal(m->timeline[0].nr_slices, 3);
	assert_int_equal(m->timeline[0].flags, COROPROF_SLICE_SCALED |
			 COROPROF_SLICE_END | MODEL_SLICE_MERGED);
	assert_int_equal(m->timeline[0].duration_ns, 40);
	assert_int_equal(m->timeline[0].longest_ns, 20);
	/* It is of two coroutines: none of them has all of it. */
	assert_int_equal(m->timeline[0].coroutine, MODEL_NONE);
	model_free(m);
}

/* What ran for longest does not get the time of the others. */
static void keeps_the_labels_of_a_cell_apart(void **state)
{
	const struct model_options options = { .timeline_slices = 1 };
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	SLICE(g, 1, 11, 1010, 1110, .label = 2, .blocked_ns = 95,
	      .nr_blocked = 1);
	SLICE(g, 1, 10, 1110, 1115, .label = 1);
	m = load_with(g, &options);
	assert_int_equal(m->nr_timeline, 2);
	assert_int_equal(m->timeline[0].label, label_row(m, 1, "a"));
	assert_int_equal(m->timeline[0].begin_ns, 1000);
	assert_int_equal(m->timeline[0].duration_ns, 15);
	/* Behind the other one, in one piece: none covers another. */
	assert_int_equal(m->timeline[1].label, label_row(m, 1, "b"));
	assert_int_equal(m->timeline[1].begin_ns, 1015);
	assert_int_equal(m->timeline[1].duration_ns, 100);
	assert_int_equal(m->timeline[1].blocked_ns, 95);
	assert_int_equal(m->coroutines[m->timeline[0].coroutine].id, 10);
	/* Which of the two was first is not known by where they are drawn. */
	assert_false(m->timeline[0].flags & MODEL_SLICE_BESIDE);
	assert_true(m->timeline[1].flags & MODEL_SLICE_BESIDE);
	model_free(m);
}

/* Four labels, of which one has slices longer than most buckets. */
static struct model *mixed(uint32_t limit)
{
	const struct model_options options = { .timeline_slices = limit };
	struct gen *g = begin_recording();
	uint64_t at[2] = { 1000, 1000 };

	gen_label(g, 1, 3, "c", 1);
	gen_label(g, 1, 4, "d", 1);
	channel(g, 1, 1000);
	channel(g, 2, 1000);
	for (uint64_t i = 0; i < 8000; i++) {
		uint32_t thread = i % 3 == 0, label = 1 + i * i % 7 % 4;
		uint64_t begin = at[thread];
		uint64_t ns = label == 4 ? 5000 + i % 997 : 20 + i % 101;

		SLICE(g, 1 + thread, 10 + i % 50, begin, begin + ns,
		      .label = label, .preempted_ns = i % 5 ? 0 : 7,
		      .nr_preempted = !(i % 5), .blocked_ns = i % 11 ? 0 : 9,
		      .nr_blocked = !(i % 11));
		at[thread] += ns;
	}
	return load_with(g, &options);
}

static void assert_times_as_in_the_table(const struct model *m)
{
	for (uint32_t l = 0; l < m->nr_labels; l++) {
		uint64_t drawn = 0, preempted = 0, blocked = 0, slices = 0;
		const struct model_times *t = &m->labels[l].times;

		for (uint32_t i = 0; i < m->nr_timeline; i++) {
			if (m->timeline[i].label != l)
				continue;
			drawn += m->timeline[i].duration_ns;
			preempted += m->timeline[i].preempted_ns;
			blocked += m->timeline[i].blocked_ns;
			slices += m->timeline[i].nr_slices;
		}
		assert_int_equal(slices, t->slices);
		assert_int_equal(preempted, t->preempted_ns);
		assert_int_equal(blocked, t->blocked_ns);
		assert_int_equal(drawn - preempted - blocked, t->running_ns);
	}
}

static void draws_the_times_of_the_table_at_every_resolution(void **state)
{
	uint64_t resolution = 0;
	unsigned int nr = 0;

	(void)state;
	for (uint32_t limit = 10000; limit; limit = limit * 3 / 4) {
		struct model *m = mixed(limit);

		assert_sound(m);
		assert_times_as_in_the_table(m);
		nr += m->timeline_resolution_ns != resolution;
		assert_true(m->timeline_resolution_ns >= resolution);
		resolution = m->timeline_resolution_ns;
		model_free(m);
	}
	/* From 64 ns to more than the recording. */
	assert_in_range(nr, 8, 60);
}

/* A ring that goes back in time gives a line that does not. */
static void stays_in_order(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 2000, .label = 1);
	SLICE(g, 1, 10, 1500, 1600, .label = 1);
	SLICE(g, 1, 10, 1900, 2100, .label = 1);
	m = load(g);
	assert_int_equal(m->nr_timeline, 3);
	assert_int_equal(m->timeline[1].begin_ns, 2000);
	assert_int_equal(m->timeline[1].duration_ns, 0);
	assert_int_equal(m->timeline[2].begin_ns, 2000);
	assert_int_equal(m->timeline[2].duration_ns, 100);
	assert_int_equal(m->channels[0].check, MODEL_FAILED);
	model_free(m);
}

/* ---- spans, samples and wakes */

#define SPAN(g, channel, id_, begin_, end_, label_, depth_)		\
	gen_span(g, channel, &(struct gen_span){			\
		.id = (id_), .label = (label_), .time = (end_),		\
		.duration = (end_) - (begin_), .depth = (depth_),	\
		.running_ns = ((end_) - (begin_)) / 2 })

/* Of two coroutines: one spans both of its slices, and the other's between them. */
static struct gen *nested(void)
{
	struct gen *g = begin_recording();

	channel(g, 1, 1000);
	SPAN(g, 1, 20, 1020, 1060, 2, 1);
	SLICE(g, 1, 20, 1000, 1100, .label = 1);
	SPAN(g, 1, 10, 1110, 1130, 1, 0);
	SLICE(g, 1, 10, 1100, 1200, .label = 1);
	SPAN(g, 1, 20, 1210, 1211, 2, 2);
	SPAN(g, 1, 20, 1205, 1215, 2, 1);
	SPAN(g, 1, 20, 1010, 1240, 1, 0);
	SLICE(g, 1, 20, 1200, 1300, .label = 1);
	return g;
}

static void assert_span(const struct model *m, uint32_t i, uint64_t id, uint64_t begin,
			uint64_t end, const char *name, uint32_t depth)
{
	const struct model_timeline_span *s = &m->timeline_spans[i];

	assert_int_equal(m->coroutines[s->coroutine].id, id);
	assert_int_equal(s->end_ns, end);
	assert_int_equal(s->end_ns - s->duration_ns, begin);
	assert_int_equal(s->running_ns, (end - begin) / 2);
	assert_string_equal(m->spans[s->span].name, name);
	assert_int_equal(s->depth, depth);
	assert_int_equal(s->channel, 0);
}

static void has_spans_where_they_were(void **state)
{
	struct model *m = load(nested());

	(void)state;
	assert_int_equal(m->nr_timeline_spans, 5);
	assert_int_equal(m->timeline_spans_least_ns, 0);
	/* In the order of coroutines, the outer ones of each first, then in that of time. */
	assert_span(m, 0, 20, 1010, 1240, "a", 0);
	assert_span(m, 1, 20, 1020, 1060, "b", 1);
	assert_span(m, 2, 20, 1205, 1215, "b", 1);
	assert_span(m, 3, 20, 1210, 1211, "b", 2);
	assert_span(m, 4, 10, 1110, 1130, "a", 0);
	model_free(m);
}

static void leaves_out_the_shortest_spans_that_do_not_fit(void **state)
{
	struct model_options options = { .timeline_spans = 4 };
	struct model *m = load_with(nested(), &options);

	(void)state;
	assert_int_equal(m->nr_timeline_spans, 4);
	assert_int_equal(m->timeline_spans_least_ns, 2);
	assert_int_equal(m->nr_span_calls, 5);
	model_free(m);
	options.timeline_spans = 2;
	m = load_with(nested(), &options);
	assert_int_equal(m->nr_timeline_spans, 2);
	assert_int_equal(m->timeline_spans_least_ns, 32);
	assert_span(m, 0, 20, 1010, 1240, "a", 0);
	assert_span(m, 1, 20, 1020, 1060, "b", 1);
	model_free(m);
}

/* There are more of that length than fit: none of them may stand for all. */
static void has_no_spans_of_a_length_of_which_there_are_too_many(void **state)
{
	const struct model_options options = { .timeline_spans = 10 };
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	for (uint64_t i = 0; i < 100; i++)
		SPAN(g, 1, 10, 1000 + 10 * i, 1008 + 10 * i, 1, 1);
	SPAN(g, 1, 10, 1000, 2000, 2, 0);
	SLICE(g, 1, 10, 1000, 2100, .label = 1);
	m = load_with(g, &options);
	assert_int_equal(m->nr_timeline_spans, 1);
	assert_int_equal(m->timeline_spans_least_ns, 16);
	assert_span(m, 0, 10, 1000, 2000, "b", 0);
	model_free(m);
}

static void has_no_spans_of_coroutines_without_a_row(void **state)
{
	const struct model_options options = { .coroutines = 1 };
	struct model *m = load_with(nested(), &options);

	(void)state;
	assert_int_equal(m->nr_timeline_spans, 4);
	for (uint32_t i = 0; i < m->nr_timeline_spans; i++)
		assert_int_equal(m->timeline_spans[i].coroutine, 0);
	model_free(m);
}

static struct model *sampled(uint32_t limit)
{
	const struct model_options options = { .timeline_samples = limit };
	struct gen *g = begin_recording();

	gen_info(g, "sample_event", "cycles");
	channel(g, 1, 1000);
	channel(g, 2, 1000);
	SLICE(g, 1, 10, 1000, 2000, .label = 1);
	SLICE(g, 2, 20, 1000, 2000, .label = 2);
	gen_sample(g, 2, &(struct gen_sample){ .id = 20, .label = 2, .time = 1300,
						.address = { 0x10 } });
	gen_sample(g, 1, &(struct gen_sample){ .id = 10, .label = 1, .time = 1500,
						.address = { 0x10, 0x20 } });
	gen_sample(g, 1, &(struct gen_sample){ .id = 10, .label = 1, .time = 1400,
						.flags = COROPROF_SAMPLE_IN_KERNEL,
						.address = { 0x20 } });
	return load_with(g, &options);
}

static void has_samples_where_they_were(void **state)
{
	static const uint64_t times[] = { 1400, 1500, 1300 };
	struct model *m = sampled(3);

	(void)state;
	assert_int_equal(m->nr_timeline_samples, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct model_timeline_sample *s = &m->timeline_samples[i];

		assert_int_equal(s->time_ns, times[i]);
		assert_int_equal(s->channel, i == 2);
		assert_int_equal(m->coroutines[s->coroutine].id, i == 2 ? 20 : 10);
		assert_int_equal(m->sample_nodes[s->node].label,
				 label_row(m, 1, i == 2 ? "b" : "a"));
		assert_int_equal(m->sample_nodes[s->node].own, 1);
	}
	assert_int_equal(m->frames[m->sample_nodes[m->timeline_samples[0].node].frame].kind,
			 MODEL_FRAME_KERNEL);
	model_free(m);
}

static void has_no_samples_if_not_all_fit(void **state)
{
	struct model *m = sampled(2);

	(void)state;
	assert_int_equal(m->nr_timeline_samples, 0);
	assert_int_equal(m->samples, 3);
	model_free(m);
}

static void knows_who_woke_a_slice(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1100, .label = 1);
	SLICE(g, 1, 20, 1100, 1200, .label = 2, .wake_time = 1050, .waker = 10);
	SLICE(g, 1, 30, 1200, 1300, .label = 2, .wake_time = 1060, .waker = 99);
	m = load(g);
	assert_int_equal(m->timeline[0].waker_coroutine, MODEL_NONE);
	assert_int_equal(m->coroutines[m->timeline[1].waker_coroutine].id, 10);
	assert_int_equal(m->timeline[1].wake_ns, 1050);
	/* Of one that was not seen there is no row. */
	assert_int_equal(m->timeline[2].waker_coroutine, MODEL_NONE);
	assert_int_equal(m->timeline[2].waker, 99);
	model_free(m);
}

/* ------------------------------------------------------------------------
 * how many slices were how long, when
 */

/* Lengths of all kinds, in @labels labels, over a time in which no bucket is of the least size. */
static struct gen *long_and_short(uint32_t labels)
{
	struct gen *g = begin_recording();
	uint64_t at = 1000, seed = 7;

	channel(g, 1, at);
	for (uint32_t i = 0; i < 60000; i++) {
		uint64_t ns;

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		ns = i < 9 ? i : (seed >> 40) >> (seed >> 33) % 24;
		SLICE(g, 1, 10 + i % 9, at, at + ns, .label = 1 + i % labels, .count = { 1, 2 });
		at += ns + (i % 5 ? 0 : 700000);
		if (i % 1000 == 999)
			gen_drain(g, 1);
	}
	return g;
}

static bool is_of(const struct model_heat_bucket *h, const struct model_slice *s)
{
	return s->label == h->label && s->begin_ns >= h->begin_ns && s->begin_ns < h->end_ns &&
	       s->duration_ns >= h->from_ns && s->duration_ns < h->below_ns;
}

static void counts_slices_by_when_and_how_long(void **state)
{
	const struct model_options options = { .timeline_slices = 100000 };
	struct model *m = load_with(long_and_short(3), &options);
	uint64_t all = 0, *found = calloc(m->nr_heat_map, sizeof(*found));

	(void)state;
	assert_non_null(found);
	assert_int_equal(m->timeline_resolution_ns, 0);
	assert_in_range(m->nr_heat_map, 1000, 4096);
	for (uint32_t i = 0; i < m->nr_timeline; i++) {
		uint32_t cells = 0;

		for (uint32_t k = 0; k < m->nr_heat_map; k++)
			if (is_of(&m->heat_map[k], &m->timeline[i])) {
				found[k]++;
				cells++;
			}
		assert_int_equal(cells, 1);
	}
	for (uint32_t k = 0; k < m->nr_heat_map; k++) {
		assert_int_equal(m->heat_map[k].slices, found[k]);
		assert_int_equal(m->heat_map[k].end_ns - m->heat_map[k].begin_ns,
				 m->heat_map[0].end_ns - m->heat_map[0].begin_ns);
		all += found[k];
	}
	assert_int_equal(all, 60000);
	free(found);
	model_free(m);
}

/* Whatever the timeline has room for, and however a recording is cut. */
static void counts_the_same_of_shards(void **state)
{
	const struct model_options one = { .timeline_slices = 100000, .shards = 1 };
	const struct model_options many = { .timeline_slices = 100, .shards = 13 };
	struct model *a = load_with(long_and_short(3), &one);
	struct model *b = load_with(long_and_short(3), &many);

	(void)state;
	assert_int_not_equal(b->timeline_resolution_ns, 0);
	assert_int_equal(a->nr_heat_map, b->nr_heat_map);
	for (uint32_t k = 0; k < a->nr_heat_map; k++)
		assert_memory_equal(&a->heat_map[k], &b->heat_map[k], sizeof(*a->heat_map));
	model_free(a);
	model_free(b);
}

static void counts_none_of_too_many_labels(void **state)
{
	const struct model_options options = { .timeline_slices = 100, .labels = 2000 };
	struct model *m = load_with(long_and_short(1500), &options);

	(void)state;
	assert_int_equal(m->nr_heat_map, 0);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_every_slice_while_it_fits),
		cmocka_unit_test(shows_losses),
		cmocka_unit_test(merges_what_does_not_fit),
		cmocka_unit_test(does_not_merge_what_fits),
		cmocka_unit_test(merges_to_one_a_channel_at_least),
		cmocka_unit_test(keeps_what_is_not_counted_out_of_sums),
		cmocka_unit_test(keeps_the_labels_of_a_cell_apart),
		cmocka_unit_test(draws_the_times_of_the_table_at_every_resolution),
		cmocka_unit_test(stays_in_order),
		cmocka_unit_test(has_spans_where_they_were),
		cmocka_unit_test(leaves_out_the_shortest_spans_that_do_not_fit),
		cmocka_unit_test(has_no_spans_of_a_length_of_which_there_are_too_many),
		cmocka_unit_test(has_no_spans_of_coroutines_without_a_row),
		cmocka_unit_test(has_samples_where_they_were),
		cmocka_unit_test(has_no_samples_if_not_all_fit),
		cmocka_unit_test(knows_who_woke_a_slice),
		cmocka_unit_test(counts_slices_by_when_and_how_long),
		cmocka_unit_test(counts_the_same_of_shards),
		cmocka_unit_test(counts_none_of_too_many_labels),
	};

	return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
