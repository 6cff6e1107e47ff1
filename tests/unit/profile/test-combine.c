// SPDX-License-Identifier: GPL-2.0
/* Several recordings in one model, and parts of one. */
#include "gen/dump.h"
#include "gen/recording.h"

static const struct coroprof_counter misses = HW(PERF_COUNT_HW_CACHE_MISSES);

static char paths[2][80];

static struct model *load_part(const char *path, uint64_t from, uint64_t to)
{
	const struct model_options options = { .from_ns = from, .to_ns = to };

	return load_path(path, &options);
}

static struct gen *begin(unsigned int n, const char *host, const char *realtime)
{
	snprintf(paths[n], sizeof(paths[n]), "/tmp/coroprof-add-%ld-%c.cprof",
		 (long)getpid(), 'a' + n);
	unlink(paths[n]);
	struct gen *g = gen_open(paths[n]);

	gen_info(g, "host", host);
	gen_info(g, "clock_monotonic_ns", "5000");
	gen_info(g, "clock_realtime_ns", realtime);
	gen_counter(g, &cycles, "cycles");
	return g;
}

/* A web server on one machine, and the database behind it on another. */
static void write_two(void)
{
	struct gen *g = begin(0, "web1", "1000000000000005000");

	gen_process(g, 1, 100, "server", 900);
	gen_label(g, 1, 1, "handle", 6);
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1100, .label = 1, .count = { 300 });
	SLICE(g, 1, 11, 1100, 1150, .label = 1, .count = { 50 },
	      .wake_time = 1090, .waker = 10);
	gen_close(g, true);
	/* Booted 200 ns later. It counts another thing as well. */
	g = begin(1, "db", "1000000000000005200");
	gen_counter(g, &misses, "misses");
	gen_process(g, 1, 100, "server", 900);
	gen_label(g, 1, 1, "query", 5);
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1, .count = { 20, 7 });
	gen_lost(g, 1, 1100, 3, true);
	gen_close(g, true);
}

static struct model *load_both(unsigned int first)
{
	struct model *m = load_path(paths[first], NULL);
	struct error err;

	assert_int_equal(model_combine(m, load_path(paths[!first], NULL), &err), 0);
	return m;
}

static uint32_t row_of(const struct model *m, const char *label)
{
	for (uint32_t i = 0; i < m->nr_labels; i++)
		if (!strcmp(m->labels[i].name, label))
			return i;
	fail_msg("no label %s", label);
	return MODEL_NONE;
}

static void keeps_recordings_apart_in_one_model(void **state)
{
	struct model *m;
	uint32_t web, db;

	(void)state;
	write_two();
	m = load_both(0);
	web = row_of(m, "handle");
	db = row_of(m, "query");
	assert_int_equal(m->nr_processes, 2);
	assert_non_null(strstr(m->processes[0].comm, "server@coroprof-add-"));
	assert_string_not_equal(m->processes[0].comm, m->processes[1].comm);
	assert_int_equal(m->labels[db].process, 1);
	assert_int_equal(m->nr_coroutines, 3);
	assert_int_equal(m->coroutines[2].label, db);
	assert_int_equal(m->coroutines[2].channel, 1);
	assert_true(m->coroutines[2].threads == 2);
	assert_int_equal(m->times.slices, 3);
	assert_int_equal(m->times.running_ns, 160);
	assert_int_equal(m->lost, 3);
	assert_int_equal(model_total_value(m, 0).count, 370);
	assert_int_equal(model_label_value(m, web, 0).count, 350);
	assert_int_equal(model_label_value(m, db, 0).count, 20);
	/* What web1 did not count is not 0 there. */
	assert_int_equal(m->nr_counters, 2);
	assert_false(model_label_value(m, web, 1).present);
	assert_int_equal(model_label_value(m, db, 1).count, 7);
	assert_int_equal(model_label_value(m, db, 1).standing,
			 COROPROF_STANDING_COUNTED);
	assert_int_equal(model_total_value(m, 1).standing,
			 COROPROF_STANDING_SCALED);
	assert_int_equal(m->nr_wakes, 1);
	assert_int_equal(m->wakes[0].waker, web);
	model_free(m);
}

static void reports_of_each_recording_what_it_is(void **state)
{
	struct model *m = load_both(0);

	(void)state;
	assert_string_equal(m->host, "db | web1");
	assert_int_equal(m->recordings, 2);
	assert_non_null(strstr(m->note, "2 recordings added up: "));
	assert_non_null(strstr(m->note, "-a.cprof (host web1, command"));
	assert_non_null(strstr(m->note, "-b.cprof (host db, command"));
	assert_non_null(strstr(m->note, "2 slices, 0 lost)"));
	assert_non_null(strstr(m->note, "1 slices, 3 lost)"));
	model_free(m);
}

static void puts_them_on_one_clock(void **state)
{
	struct model *m = load_both(0);

	(void)state;
	assert_true(m->realtime_known);
	assert_int_equal(m->coroutines[0].first_ns, 1000);
	assert_int_equal(m->coroutines[2].first_ns, 1200);
	assert_int_equal(m->timeline[2].begin_ns, 1200);
	assert_int_equal(m->end_ns, 1300);
	model_free(m);
}

/* Sums, and rows whatever their order. */
static uint64_t digest(const struct model *m)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < m->nr_coroutines; i++) {
		const struct model_coroutine *c = &m->coroutines[i];
		uint64_t row = c->id;
		const char *texts[] = {
			m->labels[c->label].name, m->processes[c->process].comm,
		};

		for (size_t k = 0; k < 2; k++)
			for (const char *p = texts[k]; *p; p++)
				row = (row ^ (unsigned char)*p) * 0x100000001b3ULL;
		row = (row ^ c->first_ns) * 0x100000001b3ULL;
		row = (row ^ c->times.running_ns) * 0x100000001b3ULL;
		for (uint32_t k = 0; k < m->nr_counters; k++)
			sum += row * model_coroutine_value(m, i, k).count;
		sum += row;
	}
	return sum;
}

/* A crafted file: clocks as far apart as numbers go. */
/* Of a counter that is the first here and the second there; if one has none, the sum has none. */
static void keeps_squares_of_both(void **state)
{
	const struct model_options options = { .squares = true };
	struct model *m;
	struct error err;

	(void)state;
	for (unsigned int n = 0; n < 2; n++) {
		struct gen *g = begin(n, n ? "db" : "web1", "1000000000000005000");

		if (n)
			gen_counter(g, &misses, "misses");
		gen_process(g, 1, 100, "server", 900);
		gen_label(g, 1, 1, "handle", 6);
		gen_label(g, 1, 2, "query", 5);
		channel(g, 1, 1000);
		gen_span(g, 1, &(struct gen_span){ .id = 10, .label = 2, .time = 1080,
			 .duration = 20 + n, .running_ns = 10 + n, .count = { 5 + n, 7 } });
		SLICE(g, 1, 10, 1000, 1100, .label = 1, .count = { 300, 7 });
		gen_close(g, true);
	}
	for (unsigned int first = 0; first < 2; first++) {
		const model_squares *squares;

		m = load_path(paths[first], &options);
		assert_int_equal(model_combine(m, load_path(paths[!first], &options), &err), 0);
		assert_int_equal(m->nr_label_spans, 2);
		for (unsigned int row = 0; row < 2; row++) {
			unsigned int n = row ^ first;

			squares = &m->label_span_squares[row * m->nr_squares];
			assert_int_equal((uint64_t)squares[MODEL_SQUARE_WALL], (20 + n) * (20 + n));
			assert_int_equal((uint64_t)squares[MODEL_SQUARE_OWN_RUNNING],
					 (10 + n) * (10 + n));
			assert_int_equal((uint64_t)squares[MODEL_SQUARE_COUNTERS],
					 (5 + n) * (5 + n));
			assert_int_equal((uint64_t)squares[MODEL_SQUARE_COUNTERS + 2], n ? 49 : 0);
		}
		model_free(m);
		m = load_path(paths[first], &options);
		assert_int_equal(model_combine(m, load_path(paths[!first], NULL), &err), 0);
		assert_null(m->label_span_squares);
		model_free(m);
	}
	unlink(paths[0]);
	unlink(paths[1]);
}

/* One slice with a span and a sample in it; the second machine has another span before. */
static void write_moments(unsigned int n, const char *realtime, const char *span)
{
	struct gen *g = begin(n, n ? "db" : "web1", realtime);

	gen_info(g, "sample_event", "cycles");
	gen_process(g, 1, 100, "server", 900);
	gen_label(g, 1, 1, "handle", 6);
	gen_label(g, 1, 2, span, (uint32_t)strlen(span));
	channel(g, 1, 1000);
	gen_span(g, 1, &(struct gen_span){ .id = 10, .label = 2, .time = 1080,
					   .duration = 60, .running_ns = 60 });
	SLICE(g, 1, 10, 1000, 1100, .label = 1);
	SLICE(g, 1, 11, 1100, 1150, .label = 1, .wake_time = 1090, .waker = 10);
	gen_sample(g, 1, &(struct gen_sample){ .id = 10, .label = 1, .time = 1050,
					       .address = { 0x10 } });
	gen_close(g, true);
}

/*
 * Where one recording has too many to be there one by one, those of the other would be some of all.
 */
static void has_all_samples_one_by_one_or_none(void **state)
{
	const struct model_options few = { .timeline_samples = 2 };

	(void)state;
	for (unsigned int many = 0; many < 2; many++) {
		struct error err = ERROR_NONE;
		struct model *m;

		for (unsigned int n = 0; n < 2; n++) {
			struct gen *g = begin(n, "web1", "1000000000000005000");

			gen_info(g, "sample_event", "cycles");
			gen_process(g, 1, 100, "server", 900);
			gen_label(g, 1, 1, "handle", 6);
			channel(g, 1, 1000);
			SLICE(g, 1, 10, 1000, 1100, .label = 1);
			for (unsigned int i = 0; i < (n == many ? 3u : 1u); i++)
				gen_sample(g, 1, &(struct gen_sample){ .id = 10, .label = 1,
						   .time = 1050 + i, .address = { 0x10 } });
			gen_close(g, true);
		}
		m = load_path(paths[0], &few);
		assert_int_equal(model_combine(m, load_path(paths[1], &few), &err), 0);
		assert_int_equal(m->samples, 4);
		assert_int_equal(m->nr_timeline_samples, 0);
		model_free(m);
	}
	write_two();
}

static void puts_spans_samples_and_wakes_on_one_clock(void **state)
{
	struct model *m;

	(void)state;
	write_moments(0, "1000000000000005000", "parse");
	/* Booted 200 ns later. */
	write_moments(1, "1000000000000005200", "fetch");
	m = load_both(0);
	assert_int_equal(m->nr_timeline_spans, 2);
	assert_int_equal(m->nr_timeline_samples, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct model_timeline_span *s = &m->timeline_spans[i];
		const struct model_timeline_sample *sample = &m->timeline_samples[i];
		const struct model_slice *woken = &m->timeline[2 * i + 1];
		uint64_t by = i * 200;

		assert_string_equal(m->spans[s->span].name, i ? "fetch" : "parse");
		assert_int_equal(s->end_ns, 1080 + by);
		assert_int_equal(s->channel, i);
		assert_int_equal(m->coroutines[s->coroutine].process, i);
		assert_int_equal(m->coroutines[s->coroutine].id, 10);
		assert_int_equal(sample->time_ns, 1050 + by);
		assert_int_equal(sample->channel, i);
		assert_int_equal(m->labels[m->sample_nodes[sample->node].label].process, i);
		assert_int_equal(m->coroutines[sample->coroutine].process, i);
		assert_int_equal(woken->wake_ns, 1090 + by);
		assert_int_equal(woken->waker_coroutine, s->coroutine);
	}
	model_free(m);
	write_two();
}

static void adds_clocks_that_no_machine_has(void **state)
{
	struct model *m;

	(void)state;
	gen_close(begin(0, "late", "9223372036854780807"), true);
	gen_close(begin(1, "early", "9223372036854780808"), true);
	m = load_both(0);
	assert_true(m->realtime_known);
	assert_true(m->realtime_offset_ns == INT64_MIN);
	model_free(m);
	unlink(paths[0]);
	unlink(paths[1]);
}

static void adds_in_any_order(void **state)
{
	struct model *a = load_both(0), *b = load_both(1);

	(void)state;
	assert_true(digest(a) == digest(b));
	assert_string_equal(a->host, b->host);
	assert_string_equal(a->note, b->note);
	assert_string_equal(a->path, b->path);
	assert_int_equal(a->begin_ns, b->begin_ns);
	assert_int_equal(a->end_ns, b->end_ns);
	assert_int_equal(a->times.running_ns, b->times.running_ns);
	assert_int_equal(a->nr_timeline, b->nr_timeline);
	assert_int_equal(a->wakes[0].count, b->wakes[0].count);
	assert_true(a->realtime_offset_ns == b->realtime_offset_ns);
	model_free(a);
	model_free(b);
	unlink(paths[0]);
	unlink(paths[1]);
}

static void adds_all_tables_of_large_recordings(void **state)
{
	struct model *one, *two, *m;
	struct error err;

	(void)state;
	snprintf(paths[0], sizeof(paths[0]), "/tmp/coroprof-add-%ld.cprof",
		 (long)getpid());
	gen_scenario("kept", paths[0]);
	one = load_path(paths[0], NULL);
	two = load_path(paths[0], NULL);
	m = load_path(paths[0], NULL);
	assert_int_equal(model_combine(m, two, &err), 0);
	assert_int_equal(m->nr_span_nodes, 2 * one->nr_span_nodes);
	assert_int_equal(m->nr_spans, 2 * one->nr_spans);
	assert_int_equal(m->nr_frames, one->nr_frames);
	assert_int_equal(m->nr_sample_nodes, 2 * one->nr_sample_nodes);
	assert_int_equal(m->samples, 2 * one->samples);
	for (uint32_t i = 0; i < m->nr_frames; i++)
		assert_int_equal(m->frames[i].total, 2 * one->frames[i].total);
	for (uint32_t i = 0; i < one->nr_span_nodes; i++) {
		const struct model_span_node *n =
			&m->span_nodes[one->nr_span_nodes + i];

		assert_int_equal(n->sums.wall_ns, one->span_nodes[i].sums.wall_ns);
		for (uint32_t k = 0; k < m->nr_counters; k++)
			assert_int_equal(
				model_span_node_value(m, one->nr_span_nodes + i, k, true).count,
				model_span_node_value(one, i, k, true).count);
	}
	assert_int_equal(m->timeline_first[m->nr_channels], m->nr_timeline);
	unlink(paths[0]);
	model_free(one);
	model_free(m);
}

static void parts_have_each_slice_once(void **state)
{
	struct model *all, *part[3];
	uint64_t end, running = 0, slices = 0, cut = 0;

	(void)state;
	snprintf(paths[0], sizeof(paths[0]), "/tmp/coroprof-add-%ld.cprof",
		 (long)getpid());
	gen_scenario("server", paths[0]);
	all = load_path(paths[0], NULL);
	end = all->end_ns - all->begin_ns;
	part[0] = load_part(paths[0], 0, end / 3);
	part[1] = load_part(paths[0], end / 3, end / 2);
	part[2] = load_part(paths[0], end / 2, 0);
	for (unsigned int i = 0; i < 3; i++) {
		assert_true(part[i]->times.slices > 1000);
		slices += part[i]->times.slices;
		running += part[i]->times.running_ns;
		cut += part[i]->times.nr_cut;
		assert_int_equal(part[i]->failed_checks, 0);
		assert_int_equal(part[i]->channels[0].check, MODEL_NOT_CHECKED);
		assert_string_equal(part[i]->channels[0].check_text,
				    "only a part of the recording is shown");
		assert_non_null(
			strstr(part[i]->note, "Only a part of the recording is shown: from"));
		for (uint32_t k = 0; k < part[i]->nr_timeline; k++)
			assert_true(part[i]->timeline[k].begin_ns >=
				    part[i]->begin_ns);
		for (uint32_t k = 0; k < part[i]->nr_coroutines; k++)
			assert_in_range(part[i]->coroutines[k].last_ns,
					part[i]->begin_ns, part[i]->end_ns);
		model_free(part[i]);
	}
	/* One that is cut is in two parts. */
	assert_int_equal(slices, all->times.slices + cut / 2);
	assert_int_equal(running, all->times.running_ns);
	assert_int_equal(all->channels[0].check, MODEL_CHECKED);
	assert_null(strstr(all->note ? all->note : "", "part"));
	model_free(all);
	unlink(paths[0]);
}

static void refuses_a_part_behind_the_end(void **state)
{
	const struct model_options options = { .from_ns = 1000 };
	struct error err = ERROR_NONE;
	struct model *m = NULL;
	struct file *file;

	(void)state;
	write_two();
	assert_int_equal(file_open(&file, paths[0], &err), 0);
	assert_int_not_equal(model_load(&m, file, &options, &err), 0);
	assert_non_null(strstr(err.message, "has nothing from 1e-06 s on: it is 1.5e-07 s long"));
	file_close(file);
	unlink(paths[0]);
	unlink(paths[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_recordings_apart_in_one_model),
		cmocka_unit_test(reports_of_each_recording_what_it_is),
		cmocka_unit_test(puts_them_on_one_clock),
		cmocka_unit_test(adds_in_any_order),
		cmocka_unit_test(adds_all_tables_of_large_recordings),
		cmocka_unit_test(parts_have_each_slice_once),
		cmocka_unit_test(refuses_a_part_behind_the_end),
		cmocka_unit_test(puts_spans_samples_and_wakes_on_one_clock),
		cmocka_unit_test(has_all_samples_one_by_one_or_none),
		cmocka_unit_test(keeps_squares_of_both),
		cmocka_unit_test(adds_clocks_that_no_machine_has),
	};

	return cmocka_run_group_tests_name("add", tests, NULL, NULL);
}
