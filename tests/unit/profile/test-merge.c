// SPDX-License-Identifier: GPL-2.0
/*
 * A recording that is cut anywhere, and whose profiles are merged in any
 * grouping, gives the identical profile. The recordings are random, with all that
 * makes what follows depend on what came before: see struct machine.
 */
#include "gen/dump.h"
#include "gen/machine.h"
#include "profile/build.h"
#include "profile/losses.h"
#include "profile/shards.h"
#include "profile/slices.h"
#include "profile/spans.h"
#include "profile/sums.h"
#include "profile/timeline.h"

#if defined(__SANITIZE_ADDRESS__)
#define RECORDINGS	50u
#else
#define RECORDINGS	1000u
#endif
#define CUTTINGS	20u
#define CUTS_MAX	12u

/* The labels, processes and channels of all recordings here. */
static void open_context(struct build *b, const struct machine_options *what,
			 const struct model_options *options)
{
	struct error err = ERROR_NONE;
	struct file *file;

	machine_context(what);
	if (file_open(&file, recording_path, &err))
		fail_msg("%s", err.message);
	build_begin(b, file, options);
	assert_false(b->out_of_memory);
	unlink(recording_path);
}

static void close_context(struct build *b)
{
	b->profile = NULL;
	build_end(b);
	model_free(b->model);
	file_close(b->file);
}

static void feed(struct build *b, const struct machine_event *e)
{
	switch (e->kind) {
	case MACHINE_SLICE:
		slices_add(b, e->channel, &e->record, &e->record + 1, UINT64_MAX);
		channel_add(b, e->channel, &e->record, &e->record + 1);
		break;
	case MACHINE_SPAN:
		span_add(b, e->channel, &e->record);
		break;
	case MACHINE_LOST:
		slice_lost(b, e->channel, &e->record);
		break;
	case MACHINE_HOLE:
		channel_interrupt(b, e->channel);
		break;
	case MACHINE_SLICES_MISSING:
		process_lost(b, e->process, e->until);
		break;
	case MACHINE_SPANS_MISSING:
		process_spans_lost(b, e->process, e->until);
		break;
	}
}

/* Losses that were known before @first, and last beyond it. */
static void report_losses(struct build *b, const struct machine *m, uint32_t first)
{
	for (uint32_t i = 0; i < first; i++) {
		const struct machine_event *e = &m->events[i];

		if ((e->kind == MACHINE_SLICES_MISSING ||
		     e->kind == MACHINE_SPANS_MISSING) &&
		    e->until >= m->events[first].time)
			feed(b, e);
	}
}

static struct profile *shard(struct build *b, const struct machine *m,
			     uint32_t first, uint32_t end)
{
	struct profile *p = profile_new(b, !first);

	b->profile = p;
	if (first)
		report_losses(b, m, first);
	for (uint32_t i = first; i < end; i++)
		feed(b, &m->events[i]);
	slices_end(b);
	/* No cut may make an honest recording look like another. */
	assert_false(p->unordered);
	return p;
}

/* The profile of the whole, of which nothing is left. */
static struct dump finish(struct build *b, struct profile *p)
{
	struct model *context = b->model;
	struct dump dump;

	b->profile = p;
	assert_true(p->begins);
	assert_false(p->unordered);
	spans_end(b);
	b->model = dump_copy_context(context);
	profile_finish(b);
	assert_false(b->out_of_memory);
	dump = dump_model(b->model);
	dump_profile(&dump, b);
	profile_free(b, p);
	model_free(b->model);
	b->model = context;
	return dump;
}

static uint32_t choose_cuts(struct machine *m, uint32_t *at, uint32_t most)
{
	uint32_t nr = 1 + machine_random(m, most), cuts = 0;

	at[cuts++] = 0;
	for (uint32_t i = 1; i < m->nr_events && cuts <= nr; i++)
		if (machine_random(m, m->nr_events / nr + 1) == 0)
			at[cuts++] = i;
	at[cuts] = m->nr_events;
	return cuts;
}

/* Neighbours become one, in random order. */
static struct profile *merge_all(struct build *b, struct machine *m,
				 struct profile **profiles, uint32_t nr)
{
	while (nr > 1) {
		uint32_t i = machine_random(m, nr - 1);

		b->profile = profiles[i];
		profile_merge(b, profiles[i + 1]);
		memmove(&profiles[i + 1], &profiles[i + 2],
			(nr - i - 2) * sizeof(*profiles));
		nr--;
	}
	return profiles[0];
}

static uint32_t cut_once(struct build *b, struct machine *m,
			 const struct dump *whole, uint64_t seed)
{
	struct profile *profiles[CUTS_MAX + 2];
	uint32_t at[CUTS_MAX + 3], nr = choose_cuts(m, at, CUTS_MAX);
	struct dump dump;

	for (uint32_t i = 0; i < nr; i++)
		profiles[i] = shard(b, m, at[i], at[i + 1]);
	dump = finish(b, merge_all(b, m, profiles, nr));
	if (!dump_same(whole, &dump)) {
		print_error("recording %lu cut at", (unsigned long)seed);
		for (uint32_t i = 1; i < nr; i++)
			print_error(" %u", at[i]);
		print_error("\n");
		machine_print(m);
		fail_msg("%s", dump_difference(whole, &dump));
	}
	dump_free(&dump);
	return nr - 1;
}

static uint64_t cut_recordings(const struct machine_options *what,
			       const struct model_options *options,
			       uint64_t recordings)
{
	struct build b;
	uint64_t cuts = 0;

	open_context(&b, what, options);
	for (uint64_t seed = 1; seed <= recordings; seed++) {
		struct machine *m = machine_run(&b, what, seed);
		struct profile *p = shard(&b, m, 0, m->nr_events);
		struct dump whole = finish(&b, p);

		for (uint32_t i = 0; i < CUTTINGS; i++)
			cuts += cut_once(&b, m, &whole, seed);
		dump_free(&whole);
		machine_free(m);
	}
	close_context(&b);
	print_message("# %lu cuts of %lu recordings\n", (unsigned long)cuts,
		      (unsigned long)recordings);
	return cuts;
}

static void any_cuts_give_the_same_profile(void **state)
{
	const struct machine_options what = { .events = 120 };
	const struct model_options options = { .timeline_slices = 1000 };

	(void)state;
	assert_true(cut_recordings(&what, &options, RECORDINGS) > RECORDINGS);
}

static struct model_sum sum_of(const struct build *b, const struct model_sum *sums,
			       uint32_t nr, uint32_t counter)
{
	struct model_sum sum = { 0 };

	for (uint32_t i = 0; i < nr; i++) {
		const struct model_sum *c = &sums[i * sums_stride(b) + counter];

		sum.count += c->count;
		sum.missing_ns += c->missing_ns;
		sum.seen |= c->seen;
	}
	return sum;
}

/* What all labels have is what all threads have. */
static void assert_same_sums(const struct build *b, const struct profile *p)
{
	for (uint32_t i = 0; i < sums_stride(b); i++) {
		struct model_sum labels = sum_of(b, p->label_sums, p->nr_labels, i);
		struct model_sum threads = sum_of(b, p->channel_sums, b->model->nr_channels, i);

		assert_int_equal(labels.count, threads.count);
		assert_int_equal(labels.missing_ns, threads.missing_ns);
		assert_int_equal(labels.seen, threads.seen);
	}
}

/* Frees both. */
static void assert_same(struct dump *whole, struct dump *dump, uint64_t seed,
			const struct model_options *options)
{
	if (!dump_same(whole, dump))
		fail_msg("recording %lu, %u rows: %s", (unsigned long)seed,
			 options->timeline_slices, dump_difference(whole, dump));
	dump_free(dump);
	dump_free(whole);
}

/* The first slice of a shard is never an unchanged one: what is added in few steps is the same. */
static void take_events_alone(const struct machine_options *what,
			      const struct model_options *options)
{
	struct build b;

	open_context(&b, what, options);
	for (uint64_t seed = 1; seed <= RECORDINGS / 20; seed++) {
		struct machine *m = machine_run(&b, what, seed);
		struct profile *p = shard(&b, m, 0, m->nr_events);
		struct dump whole, dump;

		assert_same_sums(&b, p);
		whole = finish(&b, p);
		p = shard(&b, m, 0, 1);

		for (uint32_t i = 1; i < m->nr_events; i++) {
			struct profile *next = shard(&b, m, i, i + 1);

			b.profile = p;
			profile_merge(&b, next);
		}
		dump = finish(&b, p);
		assert_same(&whole, &dump, seed, options);
		machine_free(m);
	}
	close_context(&b);
}

static void events_alone_give_the_same_profile(void **state)
{
	const struct machine_options what = { .events = 60 };
	const struct model_options options = { .timeline_slices = 1000 };

	(void)state;
	take_events_alone(&what, &options);
}

/* In rows of the timeline that are slices, and in such that are added up. */
static void unchanged_slices_alone_give_the_same_profile(void **state)
{
	struct machine_options what = { .events = 150, .alike = true };
	struct model_options options = { 0 };

	(void)state;
	for (int absent = 0; absent < 2; absent++) {
		what.absent = absent;
		for (uint32_t limit = 10; limit <= 1000; limit *= 10) {
			options.timeline_slices = limit;
			take_events_alone(&what, &options);
			cut_recordings(&what, &options, RECORDINGS / 20);
		}
	}
}

static void any_cuts_give_the_same_timeline_in_buckets(void **state)
{
	const struct machine_options what = { .events = 200 };
	struct model_options options = { 0 };

	(void)state;
	for (uint32_t limit = 1; limit < 200; limit *= 3) {
		options.timeline_slices = limit;
		cut_recordings(&what, &options, RECORDINGS / 10);
	}
}

/**
 * struct at_once - shards that are added up by turns, as threads may do
 * @profiles: of each
 * @next:     its next event
 * @counts:   what they say to each other
 */
struct at_once {
	struct profile *profiles[SHARDS_MAX];
	uint32_t next[SHARDS_MAX];
	struct row_counts counts;
};

static void turn_to(struct build *b, struct at_once *all, uint32_t i)
{
	b->profile = all->profiles[i];
	b->row_counts = &all->counts;
	b->shard = i;
}

static void begin_at_once(struct build *b, const struct machine *m, struct at_once *all,
			  const uint32_t *at, uint32_t nr)
{
	*all = (struct at_once){ .counts.nr = nr };
	memcpy(all->next, at, nr * sizeof(*at));
	for (uint32_t i = 0; i < nr; i++) {
		all->profiles[i] = profile_new(b, !i);
		turn_to(b, all, i);
		if (i)
			report_losses(b, m, at[i]);
	}
}

static void end_at_once(struct build *b, struct at_once *all)
{
	for (uint32_t i = 0; i < all->counts.nr; i++) {
		turn_to(b, all, i);
		slices_end(b);
	}
	b->row_counts = NULL;
}

/* Now one of them is ahead, now another. */
static void add_at_once(struct build *b, struct machine *m, struct at_once *all,
			const uint32_t *at, uint32_t nr)
{
	uint32_t left = m->nr_events;

	begin_at_once(b, m, all, at, nr);
	while (left) {
		uint32_t i = machine_random(m, nr), some = 1 + machine_random(m, 50);

		turn_to(b, all, i);
		for (; some && all->next[i] < at[i + 1]; some--, left--)
			feed(b, &m->events[all->next[i]++]);
	}
	end_at_once(b, all);
}

/* Whatever they say to each other, and when, buckets are not larger than they have to be. */
static void shards_at_once_give_the_same_timeline(void **state)
{
	const struct machine_options what = { .events = 200 };
	struct model_options options = { 0 };
	struct build b;

	(void)state;
	for (options.timeline_slices = 1; options.timeline_slices < 200;
	     options.timeline_slices *= 3) {
		open_context(&b, &what, &options);
		for (uint64_t seed = 1; seed <= RECORDINGS / 2; seed++) {
			struct machine *m = machine_run(&b, &what, seed);
			struct dump whole = finish(&b, shard(&b, m, 0, m->nr_events)), dump;
			uint32_t at[SHARDS_MAX + 1], nr = choose_cuts(m, at, SHARDS_MAX - 1);
			struct at_once all;

			add_at_once(&b, m, &all, at, nr);
			dump = finish(&b, merge_all(&b, m, all.profiles, nr));
			assert_same(&whole, &dump, seed, &options);
			machine_free(m);
		}
		close_context(&b);
	}
}

/*
 * Neither waits until it has as many alone as there may be of both, nor for as many more as
 * all labels of all channels would be: each looks after a sixteenth of what there may be.
 */
static void shards_at_once_share_the_rows_there_may_be(void **state)
{
	const struct machine_options what = { .events = 20000 };
	const struct model_options options = { .timeline_slices = 1000 };
	uint64_t most = 0;
	struct build b;

	(void)state;
	open_context(&b, &what, &options);
	struct machine *m = machine_run(&b, &what, 1);
	const uint32_t at[] = { 0, m->nr_events / 2, m->nr_events };
	struct at_once all;

	begin_at_once(&b, m, &all, at, 2);
	for (uint32_t i = 0; i < m->nr_events / 2; i++)
		for (uint32_t n = 0; n < 2; n++) {
			uint64_t rows;

			turn_to(&b, &all, n);
			feed(&b, &m->events[all.next[n]++]);
			rows = all.profiles[0]->nr_slices + all.profiles[1]->nr_slices;
			most = rows > most ? rows : most;
		}
	end_at_once(&b, &all);
	print_message("# at most %lu rows at once\n", (unsigned long)most);
	assert_true(most > options.timeline_slices / 2);
	assert_true(most <= options.timeline_slices + options.timeline_slices / 8);
	for (uint32_t n = 0; n < 2; n++)
		profile_free(&b, all.profiles[n]);
	machine_free(m);
	close_context(&b);
}

/* The first ones seen have rows, wherever cuts are. */
static void any_cuts_give_the_same_rows_of_a_full_table(void **state)
{
	const struct machine_options what = {
		.events = 150, .plain = true, .births = 3,
	};
	struct model_options options = { .timeline_slices = 50 };

	(void)state;
	for (uint32_t limit = 1; limit < 30; limit += 4) {
		options.coroutines = limit;
		cut_recordings(&what, &options, RECORDINGS / 10);
	}
}

static void any_cuts_give_the_same_trees_of_spans(void **state)
{
	const struct machine_options what = { .events = 150, .spans = 4 };
	const struct model_options options = { .no_timeline = true, .squares = true };

	(void)state;
	cut_recordings(&what, &options, RECORDINGS);
}

/* Of a coroutine in a shard nobody knows whether it is wanted but by its id. */
static void any_cuts_give_the_same_spans_of_some_coroutines(void **state)
{
	const struct machine_options what = { .events = 150, .spans = 4 };
	struct index some = { 0 };
	struct model_options options = { .timeline_spans = 50, .selected = &some };

	(void)state;
	for (uint64_t id = 10; id < 40; id += 2)
		for (uint32_t process = 0; process < 4; process++)
			assert_true(index_put(&some, id, process, 0));
	cut_recordings(&what, &options, RECORDINGS);
	/* And of their slices. */
	options.selected_slices = true;
	cut_recordings(&what, &options, RECORDINGS / 5);
	cut_recordings(&(struct machine_options){ .events = 150, .alike = true }, &options,
		       RECORDINGS / 5);
	index_free(&some);
}

/* Those that are left out are the same, whether they fit into a part of it or not. */
static void any_cuts_leave_the_same_spans_in_the_timeline(void **state)
{
	const struct machine_options what = { .events = 150, .spans = 4 };
	struct model_options options = { .timeline_slices = 50 };

	(void)state;
	for (uint32_t limit = 1; limit < 60; limit *= 2) {
		options.timeline_spans = limit;
		cut_recordings(&what, &options, RECORDINGS / 10);
	}
}

/* More than are kept: which of them are does not depend on cuts either. */
static void any_cuts_leave_the_same_longest(void **state)
{
	const struct machine_options what = { .events = 10 * LONGEST_MOST };
	const struct model_options options = { .no_timeline = true };
	struct build b;

	(void)state;
	cut_recordings(&what, &options, RECORDINGS / 20);
	open_context(&b, &what, &options);
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct machine *m = machine_run(&b, &what, seed);
		struct profile *p = shard(&b, m, 0, m->nr_events);

		assert_int_equal(p->longest[MODEL_LATENCY_HELD].nr, LONGEST_MOST);
		assert_true(p->longest[MODEL_LATENCY_READY].nr);
		assert_true(p->longest[MODEL_LATENCY_LIFETIME].nr);
		profile_free(&b, p);
		machine_free(m);
	}
	close_context(&b);
}

/* The model of a file, and how many shards it was made of. */
static struct dump read_as(const char *path, const struct model_options *options, uint32_t *were)
{
	struct error err = ERROR_NONE;
	struct model *m = NULL;
	struct file *file;
	struct dump dump;
	struct build b;

	if (file_open(&file, path, &err))
		fail_msg("%s", err.message);
	build_begin(&b, file, options);
	shards_add(&b);
	*were = b.nr_shards;
	build_end(&b);
	model_free(b.model);
	if (model_load(&m, file, options, &err))
		fail_msg("%s", err.message);
	dump = dump_model(m);
	model_free(m);
	file_close(file);
	return dump;
}

/* Read by so many threads, as many of them as can be. */
static struct dump read_by(const char *path, uint32_t shards, uint32_t *were)
{
	const struct model_options options = { .shards = shards };

	return read_as(path, &options, were);
}

#define SEGMENTS	40u

/* A coroutine that is born twice, in the first of many segments. */
static void write_unordered(void)
{
	struct gen *g = begin_recording();

	channel(g, 1, 1000);
	for (uint64_t i = 0; i < 10 * SEGMENTS; i++) {
		SLICE(g, 1, 10 + i % 5, 1000 + 10 * i, 1010 + 10 * i, .label = 1,
		      .flags = i < 2 * 5 ? COROPROF_SLICE_FRESH : 0);
		if (i % 10 == 9)
			gen_drain(g, 1);
	}
	gen_close(g, true);
}

static void count_call(void *context, uint64_t done, uint64_t total)
{
	assert_true(done <= total);
	(*(uint32_t *)context)++;
}

/*
 * Progress is reported once a segment: by the first thread, and then when all is read again.
 * read_as() reads twice.
 */
static void threads_stop_where_one_is_not_in_order(void **state)
{
	struct model_options options = { .shards = 4, .progress = count_call };
	struct dump whole, dump;
	uint32_t were, calls = 0;

	(void)state;
	write_unordered();
	whole = read_by(recording_path, 1, &were);
	options.context = &calls;
	dump = read_as(recording_path, &options, &were);
	assert_int_equal(were, 1);
	assert_in_range(calls, 2 * (SEGMENTS + 1), 2 * (SEGMENTS + 3));
	if (!dump_same(&whole, &dump))
		fail_msg("%s", dump_difference(&whole, &dump));
	dump_free(&dump);
	dump_free(&whole);
	unlink(recording_path);
}

static void any_number_of_threads_reads_the_same(void **state)
{
	const char *const *scenario = gen_scenarios();
	uint32_t in_shards = 0, were;

	(void)state;
	name_recording();
	for (; *scenario; scenario++) {
		struct dump whole;

		gen_scenario(*scenario, recording_path);
		if (!strcmp(*scenario, "many") || !strcmp(*scenario, "empty"))
			continue;
		whole = read_by(recording_path, 1, &were);
		assert_int_equal(were, 1);
		for (uint32_t i = 2; i < 9; i += 2) {
			struct dump dump = read_by(recording_path, i, &were);

			in_shards += were > 1;
			if (!dump_same(&whole, &dump))
				fail_msg("%s by %u: %s", *scenario, i,
					 dump_difference(&whole, &dump));
			dump_free(&dump);
		}
		dump_free(&whole);
	}
	unlink(recording_path);
	print_message("# %u times in stretches\n", in_shards);
	assert_true(in_shards > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_cuts_give_the_same_profile),
		cmocka_unit_test(events_alone_give_the_same_profile),
		cmocka_unit_test(unchanged_slices_alone_give_the_same_profile),
		cmocka_unit_test(any_cuts_give_the_same_timeline_in_buckets),
		cmocka_unit_test(shards_at_once_give_the_same_timeline),
		cmocka_unit_test(shards_at_once_share_the_rows_there_may_be),
		cmocka_unit_test(any_cuts_give_the_same_rows_of_a_full_table),
		cmocka_unit_test(any_cuts_give_the_same_trees_of_spans),
		cmocka_unit_test(any_cuts_give_the_same_spans_of_some_coroutines),
		cmocka_unit_test(any_cuts_leave_the_same_spans_in_the_timeline),
		cmocka_unit_test(any_cuts_leave_the_same_longest),
		cmocka_unit_test(threads_stop_where_one_is_not_in_order),
		cmocka_unit_test(any_number_of_threads_reads_the_same),
	};

	return cmocka_run_group_tests_name("append", tests, NULL, NULL);
}
