// SPDX-License-Identifier: GPL-2.0
/*
 * Threads, labels and processes of a recording: each has, alone, what it has in the whole. So the
 * figures of all threads sum to those of the recording, label by label and coroutine by coroutine,
 * and those of all labels likewise, thread by thread: with gaps, wakes, lengths, counts, samples.
 */
#include <errno.h>

#include "base/index.h"
#include "gen/recording.h"
#include "output/text/text.h"
#include "output/view-options.h"
#include "profile/chosen.h"
#include "profile/histogram.h"
#include "tables/derived.h"

static const char *const scenarios[] = {
	"server", "standings", "lost", "hostile", "processes", "own-counters", "damaged", "kept",
	"wakers", "untold", "code", "long", "requests",
};

/* ---- what is summed */

enum of_row {
	SLICES, RUNNING, PREEMPTED, BLOCKED, IDLE, GAPS, SUSPENDED, AWAITING, READY, CUT_GAPS,
	UNSEEN_GAPS, SAMPLES, HELD, LIVES, MIGRATIONS, CYCLES, FIGURES
};

struct figures {
	uint64_t of[FIGURES];
};

static void add_times(struct figures *f, const struct model_times *t)
{
	const uint64_t of[] = {
		t->slices, t->running_ns, t->preempted_ns, t->blocked_ns, t->idle_ns, t->gaps,
		t->suspended_ns, t->awaiting_ns, t->ready_ns, t->cut_gaps, t->unseen_gaps,
	};

	for (unsigned int i = 0; i < sizeof(of) / sizeof(*of); i++)
		f->of[i] += of[i];
}

static void add_value(struct figures *f, const struct model *m, struct model_value v)
{
	if (m->nr_counters)
		f->of[CYCLES] += v.count;
}

static void add_label(struct figures *f, const struct model *m, uint32_t row)
{
	const struct model_label *l = &m->labels[row];
	const struct histogram *held = l->histograms[MODEL_LATENCY_HELD];
	const struct histogram *lives = l->histograms[MODEL_LATENCY_LIFETIME];

	add_times(f, &l->times);
	f->of[SAMPLES] += l->samples;
	f->of[HELD] += held ? held->nr : 0;
	f->of[LIVES] += lives ? lives->nr : 0;
	if (m->nr_counters)
		add_value(f, m, model_label_value(m, row, 0));
}

/* The rows of @whole that rows of a part of it are: processes may have others. */
static uint32_t process_in(const struct model *whole, const struct model *m, uint32_t row)
{
	for (uint32_t i = 0; i < whole->nr_processes; i++)
		if (row != MODEL_NONE && whole->processes[i].id == m->processes[row].id)
			return i;
	return MODEL_NONE;
}

static uint32_t label_in(const struct model *whole, const struct model *m, uint32_t row)
{
	const struct model_label *l = &m->labels[row];

	for (uint32_t i = 0; i < whole->nr_labels; i++) {
		const struct model_label *w = &whole->labels[i];

		if (w->process == process_in(whole, m, l->process) && w->number == l->number && w->kind == l->kind) {
			assert_string_equal(w->name, l->name);
			return i;
		}
	}
	fail_msg("no label %s", l->name);
	return MODEL_NONE;
}

static uint32_t channel_in(const struct model *whole, const struct model_channel *c)
{
	for (uint32_t i = 0; i < whole->nr_channels; i++)
		if (whole->channels[i].id == c->id)
			return i;
	fail_msg("no channel %u", c->id);
	return MODEL_NONE;
}

/* By label, by coroutine, and of wakes and threads all together. */
struct totals {
	struct figures *labels;
	struct figures *coroutines;
	struct figures *channels;
	uint64_t wakes, timeline, slices;
};

static struct totals new_sums(const struct model *whole)
{
	return (struct totals){
		.labels = calloc(whole->nr_labels + 1, sizeof(struct figures)),
		.coroutines = calloc(whole->nr_coroutines + 1, sizeof(struct figures)),
		.channels = calloc(whole->nr_channels + 1, sizeof(struct figures)),
	};
}

static void free_sums(struct totals *s)
{
	free(s->labels);
	free(s->coroutines);
	free(s->channels);
}

static void add_model(struct totals *s, const struct model *whole, const struct index *ids,
		      const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_labels; i++)
		add_label(&s->labels[label_in(whole, m, i)], m, i);
	for (uint32_t i = 0; i < m->nr_coroutines; i++) {
		const struct model_coroutine *c = &m->coroutines[i];
		uint32_t row = index_get(ids, c->id, process_in(whole, m, c->process));

		assert_int_not_equal(row, INDEX_NONE);
		/* No row has nothing in it, and what it is does not depend on what is chosen. */
		assert_true(m == whole || c->times.slices || c->samples);
		assert_true(c->label < m->nr_labels);
		assert_int_equal(c->first_ns, whole->coroutines[row].first_ns);
		assert_int_equal(c->last_ns, whole->coroutines[row].last_ns);
		assert_int_equal(c->tag, whole->coroutines[row].tag);
		add_times(&s->coroutines[row], &c->times);
		s->coroutines[row].of[SAMPLES] += c->samples;
		s->coroutines[row].of[MIGRATIONS] += c->migrations;
		if (m->nr_counters)
			add_value(&s->coroutines[row], m, model_coroutine_value(m, i, 0));
	}
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		struct figures *f = &s->channels[channel_in(whole, &m->channels[i])];

		add_times(f, &m->channels[i].times);
		f->of[SAMPLES] += m->channels[i].samples;
		if (m->nr_counters)
			add_value(f, m, model_channel_value(m, i, 0));
	}
	for (uint32_t i = 0; i < m->nr_wakes; i++)
		s->wakes += m->wakes[i].count;
	for (uint32_t i = 0; i < m->nr_timeline; i++)
		s->timeline += m->timeline[i].flags & MODEL_SLICE_LOST ? 0 : m->timeline[i].nr_slices;
	s->slices += m->times.slices;
}

static struct index ids_of(const struct model *m)
{
	struct index ids = { 0 };

	for (uint32_t i = 0; i < m->nr_coroutines; i++)
		assert_true(index_put(&ids, m->coroutines[i].id, m->coroutines[i].process, i));
	return ids;
}

static void assert_rows(const struct figures *have, const struct figures *want, uint32_t nr,
			const char *what)
{
	for (uint32_t row = 0; row < nr; row++)
		for (unsigned int i = 0; i < FIGURES; i++)
			if (have[row].of[i] != want[row].of[i])
				fail_msg("figure %u of %s %u: %llu, and in the whole %llu", i, what, row,
					 (unsigned long long)have[row].of[i],
					 (unsigned long long)want[row].of[i]);
}

/* ---- what is chosen */

static struct model *load_chosen(const struct model_chosen *chosen, uint64_t from, uint64_t to)
{
	return load_path(recording_path, &(struct model_options){
		.chosen = chosen, .from_ns = from, .to_ns = to,
	});
}

static void assert_parts(const struct model_chosen *parts, uint32_t nr, uint64_t from, uint64_t to)
{
	struct model *whole = load_chosen(NULL, from, to);
	struct totals want = new_sums(whole), have = new_sums(whole);
	struct index ids = ids_of(whole);

	add_model(&want, whole, &ids, whole);
	for (uint32_t i = 0; i < nr; i++) {
		struct model *m = load_chosen(&parts[i], from, to);

		assert_true(m->part);
		assert_non_null(strstr(m->note, parts[i].text));
		add_model(&have, whole, &ids, m);
		model_free(m);
	}
	assert_rows(have.labels, want.labels, whole->nr_labels, "label");
	assert_rows(have.coroutines, want.coroutines, whole->nr_coroutines, "coroutine");
	assert_rows(have.channels, want.channels, whole->nr_channels, "thread");
	assert_int_equal(have.wakes, want.wakes);
	assert_int_equal(have.timeline, want.timeline);
	assert_int_equal(have.slices, want.slices);
	free_sums(&want);
	free_sums(&have);
	index_free(&ids);
	model_free(whole);
}

static void each_thread(const struct model *m, uint64_t from, uint64_t to)
{
	struct model_chosen *parts = calloc(m->nr_channels + 1, sizeof(*parts));
	uint32_t *rows = calloc(m->nr_channels + 1, sizeof(*rows));

	for (uint32_t i = 0; i < m->nr_channels; i++) {
		rows[i] = i;
		parts[i] = (struct model_chosen){ .text = "one", .channels = &rows[i], .nr_channels = 1 };
	}
	assert_parts(parts, m->nr_channels, from, to);
	free(parts);
	free(rows);
}

static void each_label(const struct model *m, uint64_t from, uint64_t to)
{
	struct model_chosen *parts = calloc(m->nr_labels + 1, sizeof(*parts));
	struct model_chosen_label *labels = calloc(m->nr_labels + 1, sizeof(*labels));

	for (uint32_t i = 0; i < m->nr_labels; i++) {
		labels[i] = (struct model_chosen_label){
			m->labels[i].process, m->labels[i].number,
			m->labels[i].kind == MODEL_LABEL_THREAD,
		};
		parts[i] = (struct model_chosen){ .text = "one", .labels = &labels[i], .nr_labels = 1 };
	}
	assert_parts(parts, m->nr_labels, from, to);
	free(parts);
	free(labels);
}

static void of_scenarios(void (*each)(const struct model *, uint64_t, uint64_t))
{
	for (unsigned int i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++) {
		struct model *m;
		uint64_t length;

		unlink(recording_path);
		assert_true(gen_scenario(scenarios[i], recording_path));
		m = load_path(recording_path, NULL);
		length = m->end_ns - m->begin_ns;
		print_message("# %s\n", scenarios[i]);
		each(m, 0, 0);
		if (!m->nr_damage)
			each(m, length / 3, length / 2);
		model_free(m);
	}
	unlink(recording_path);
}

static void threads_sum_to_the_recording(void **state)
{
	(void)state;
	of_scenarios(each_thread);
}

static void labels_sum_to_the_recording(void **state)
{
	(void)state;
	of_scenarios(each_label);
}

static void a_gap_ends_where_the_coroutine_ran_last_on_any_thread(void **state)
{
	const uint32_t first = 0;
	const struct model_chosen one = { .text = "thread", .channels = &first, .nr_channels = 1 };
	struct gen *g = begin_recording();
	const struct model_coroutine *c;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	channel(g, 2, 1000);
	SLICE(g, 1, 10, 1000, 1100, .label = 1);
	SLICE(g, 2, 10, 1250, 1300, .label = 1);
	SLICE(g, 2, 11, 1300, 1350, .label = 1);
	SLICE(g, 1, 10, 1400, 1500, .label = 1);
	m = load_with(g, &(struct model_options){ .chosen = &one });
	assert_int_equal(m->nr_coroutines, 1);
	assert_int_equal(m->nr_coroutines_total, 1);
	assert_int_equal(label(m, "a")->coroutines, 1);
	c = coroutine(m, 1, 10);
	assert_int_equal(c->times.slices, 2);
	assert_int_equal(c->times.running_ns, 200);
	assert_int_equal(c->max_ns, 100);
	assert_int_equal(c->times.gaps, 1);
	assert_int_equal(c->times.suspended_ns, 100);
	/* It is all of a thread's time, and of that thread alone. */
	assert_int_equal(m->nr_channels, 1);
	assert_int_equal(m->channels[0].times.slices, 2);
	assert_false(m->some_labels);
	model_free(m);
}

/* One may end in another slice than those in it, so that a part of them would say little. */
static void spans_are_those_of_whole_processes(void **state)
{
	static const uint32_t rows[] = { 0, 1 };

	(void)state;
	for (uint32_t nr = 1; nr <= 2; nr++) {
		const struct model_chosen chosen = { .text = "x", .channels = rows, .nr_channels = nr };
		struct gen *g = begin_recording();
		struct model *m;

		channel(g, 1, 1000);
		channel(g, 2, 1000);
		gen_span(g, 1, &(struct gen_span){ .time = 1080, .id = 10, .label = 2,
						   .duration = 50, .running_ns = 50 });
		SLICE(g, 1, 10, 1000, 1100, .label = 1);
		SLICE(g, 2, 11, 1000, 1100, .label = 1);
		m = load_with(g, &(struct model_options){ .chosen = &chosen });
		assert_int_equal(m->nr_span_nodes != 0, nr == 2);
		assert_int_equal(!!(m->partial & MODEL_PARTIAL_SPANS), nr == 1);
		assert_int_equal(!!strstr(m->note, "Spans are left out"), nr == 1);
		assert_int_equal(m->nr_channels, nr);
		model_free(m);
	}
}

static void a_label_that_woke_another_keeps_its_name(void **state)
{
	const struct model_chosen_label b = { .process = 0, .number = 2 };
	const struct model_chosen one = { .text = "label b", .labels = &b, .nr_labels = 1 };
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1100, .label = 1);
	SLICE(g, 1, 20, 1100, 1200, .label = 2);
	SLICE(g, 1, 10, 1200, 1300, .label = 1);
	SLICE(g, 1, 20, 1300, 1400, .label = 2, .wake_time = 1250, .waker = 10);
	m = load_with(g, &(struct model_options){ .chosen = &one });
	assert_int_equal(m->nr_labels, 2);
	assert_int_equal(m->nr_coroutines, 1);
	assert_int_equal(label(m, "a")->times.slices, 0);
	assert_int_equal(m->nr_wakes, 1);
	assert_string_equal(m->labels[m->wakes[0].waker].name, "a");
	assert_int_equal(coroutine(m, 1, 20)->times.ready_ns, 50);
	model_free(m);
}

/* It would have all of the CPU time that is shown, whatever it has of the threads'. */
static void a_label_alone_has_no_share_of_threads(void **state)
{
	const struct model_chosen_label a = { .process = 0, .number = 1 };
	const struct model_chosen one = { .text = "label a", .labels = &a, .nr_labels = 1 };
	const struct view_options all = { 0 };

	(void)state;
	for (int chosen = 0; chosen < 2; chosen++) {
		struct gen *g = begin_recording();
		struct model *m;
		char *text;

		channel(g, 1, 1000);
		SLICE(g, 1, 10, 1000, 2001000, .label = 1);
		SLICE(g, 1, 20, 2001000, 5001000, .label = 2);
		m = load_with(g, &(struct model_options){ .chosen = chosen ? &one : NULL });
		assert_int_equal(m->some_labels, chosen);
		assert_int_equal(derived_make(m), 0);
		text = written_by(m, text_write, &all);
		assert_int_equal(!!strstr(text, "of the CPU time"), !chosen);
		assert_int_equal(!!strstr(text, "ms of threads"), !chosen);
		assert_int_equal(!!strstr(text, "only some labels are shown"), chosen);
		assert_int_equal(!!strstr(text, "100.0 %"), 1);
		free(text);
	}
}

static void says_that_there_are_too_many_to_follow(void **state)
{
	const uint32_t first = 0;
	const struct model_chosen one = { .text = "thread", .channels = &first, .nr_channels = 1 };
	const struct model_options options = { .chosen = &one, .coroutines = 1 };
	struct error err = ERROR_NONE;
	struct gen *g = begin_recording();
	struct file *file;
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	for (uint32_t i = 0; i < 9; i++)
		SLICE(g, 1, 10 + i, 1000 + 10 * i, 1010 + 10 * i, .label = 1);
	gen_close(g, true);
	assert_int_equal(file_open(&file, recording_path, &err), 0);
	assert_int_equal(model_load(&m, file, &options, &err), -ENOTSUP);
	assert_non_null(strstr(err.message, "more than can be followed"));
	file_close(file);
	unlink(recording_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_sum_to_the_recording),
		cmocka_unit_test(labels_sum_to_the_recording),
		cmocka_unit_test(a_gap_ends_where_the_coroutine_ran_last_on_any_thread),
		cmocka_unit_test(spans_are_those_of_whole_processes),
		cmocka_unit_test(a_label_that_woke_another_keeps_its_name),
		cmocka_unit_test(a_label_alone_has_no_share_of_threads),
		cmocka_unit_test(says_that_there_are_too_many_to_follow),
	};

	name_recording();
	return cmocka_run_group_tests_name("chosen", tests, NULL, NULL);
}
