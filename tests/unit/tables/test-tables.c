// SPDX-License-Identifier: GPL-2.0
/* Descriptions of tables that hold together, and cells that keep to them. */
#include <errno.h>
#include <sys/stat.h>

#include "gen/recording.h"
#include "tables/findings.h"
#include "tables/metric.h"
#include "tables/table.h"

#define RATE	"cache_misses_per_1000_instructions"

/* Small letters, digits, "_", and "%s" for a counter. */
static void assert_name(const char *table, const char *name)
{
	const char *hole = strstr(name, "%s");
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

	if (hole)
		length = (size_t)(hole - name) + 2 +
			 strspn(hole + 2, "abcdefghijklmnopqrstuvwxyz0123456789_");
	if (length != strlen(name) || !strcmp(name, ROW_NUMBER))
		fail_msg("%s: a column must not be called '%s'", table, name);
}

/*
 * The glossary's word for the time from switch-in to switch-out is held; a span has no other than
 * wall.
 */
static void assert_title(const char *table, const char *title)
{
	static const char *const others[] = { "took", "lasted", "wall" };

	for (size_t i = 0; !strstr(table, "span") && i < ARRAY_SIZE(others); i++)
		if (!strcmp(title, others[i]))
			fail_msg("%s has a column with the title '%s': call it held, or its length",
				 table, title);
}

static void assert_kind(const char *table, const struct column *c)
{
	if ((c->kind == KIND_WORD || c->kind == KIND_FLAGS) != !!c->words)
		fail_msg("%s.%s: words go with the kinds word and flags", table, c->name);
	if ((c->kind == KIND_ROW) != !!c->refers)
		fail_msg("%s.%s: a table goes with the kind row", table, c->name);
	if (c->refers && !table_named(c->refers))
		fail_msg("%s.%s refers to '%s', which is no table", table, c->name, c->refers);
	if (c->kind == KIND_EVENTS && c->counted && !strstr(c->name, "%s"))
		fail_msg("%s.%s: each counter needs a name of its own", table, c->name);
	if (!c->get && !c->width)
		fail_msg("%s.%s is got from nowhere", table, c->name);
}

static void descriptions_hold_together(void **state)
{
	(void)state;
	for (unsigned int t = 0; t < nr_tables; t++) {
		assert_ptr_equal(table_named(tables[t]->name), tables[t]);
		for (unsigned int c = 0; c < tables[t]->nr; c++) {
			const struct column *column = &tables[t]->columns[c];

			assert_name(tables[t]->name, column->name);
			assert_kind(tables[t]->name, column);
			assert_title(tables[t]->name, column->title ? column->title : column->name);
			if (!column->says || !*column->says)
				fail_msg("%s.%s: nothing says what it is", tables[t]->name,
					 column->name);
		}
	}
	assert_null(table_named("nix"));
}

/* Samples, spans of which some were lost, a counter scaled, and one that is not there. */
static struct model *rich(void)
{
	const struct coroprof_counter_state states[] = {
		{ .counter = cycles },
		{ .counter = instructions, .error = EOPNOTSUPP },
	};
	struct gen *g = begin_recording();
	struct model *m;

	gen_info(g, "sample_event", "cycles");
	channel(g, 1, 1000000);
	gen_channel(g, 2, 1, 202, "other", 1000000, states, 2);
	gen_channel_error(g, 3, 1, 103, 1000000, ENOMEM);
	gen_span(g, 1, &(struct gen_span){ .id = 10, .label = 2, .time = 1800000,
		 .duration = 700000, .running_ns = 700000, .count = { 800, 1600 } });
	gen_lost_spans(g, 1, 1900000, 1);
	SLICE(g, 1, THREAD(1), 1000000, 1010000, .count = { 9000, 6000 });
	SLICE(g, 1, 10, 1010000, 3010000, .label = 1, .parent = THREAD(1),
	      .count = { 6000000, 9000000 }, .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, 11, 3010000, 3510000, .label = 2, .count = { 1500000, 300000 },
	      .standing = 0xe, .missing_ns = { 250000 });
	SLICE(g, 1, 10, 3510000, 4010000, .label = 1, .wake_time = 3410000, .waker = 11,
	      .count = { 1500000, 2250000 }, .flags = COROPROF_SLICE_END);
	SLICE(g, 2, 12, 1000000, 2000000, .label = 2, .count = { 3000000 }, .standing = 0x3,
	      .missing_ns = { 0, 1000000 });
	gen_sample(g, 1, &(struct gen_sample){ .time = 1500000, .id = 10, .label = 1,
		   .address = { 0x1000 } });
	m = load(g);
	assert_int_equal(findings_make(m), 0);
	assert_true(m->nr_findings);
	return m;
}

static const char *id_of(const struct sheet *s, unsigned int column)
{
	static char id[256];

	snprintf(id, sizeof(id), "%s.%s", s->table->name, s->columns[column].name);
	return id;
}

static void assert_cell(const struct sheet *s, unsigned int column, struct cell cell)
{
	const struct sheet_column *c = &s->columns[column];
	bool plain = cell.standing == STANDING_COUNTED || cell.standing == STANDING_NA ||
		     cell.standing == STANDING_NONE;

	if (!c->unsure && !plain)
		fail_msg("%s is %s, and not described as unsure", id_of(s, column),
			 standing_name(cell.standing));
	if (!has_value(cell) && cell.number)
		fail_msg("%s has no value, and yet one", id_of(s, column));
	if (has_value(cell) && c->kind == KIND_TEXT && !cell.text)
		fail_msg("%s is a text, and there is none", id_of(s, column));
}

static void assert_row(const struct sheet *s, unsigned int column, struct cell cell)
{
	struct sheet other;

	if (s->columns[column].kind != KIND_ROW || !has_value(cell))
		return;
	assert_int_equal(sheet_open(&other, table_named(s->columns[column].is->refers), s->model), 0);
	if (cell.number >= other.rows)
		fail_msg("%s refers to a row that there is not", id_of(s, column));
	sheet_close(&other);
}

static void cells_keep_to_their_descriptions(void **state)
{
	struct model *m = rich();
	uint64_t cells = 0;
	struct sheet s;

	(void)state;
	for (unsigned int t = 0; t < nr_tables; t++) {
		assert_int_equal(sheet_open(&s, tables[t], m), 0);
		for (uint32_t row = 0; row < s.rows; row++)
			for (unsigned int c = 0; c < s.nr_columns; c++, cells++) {
				assert_cell(&s, c, sheet_cell(&s, row, c));
				assert_row(&s, c, sheet_cell(&s, row, c));
			}
		sheet_close(&s);
	}
	assert_true(cells > 500);
	model_free(m);
}

static struct cell cell_at(const struct model *m, const char *table, uint32_t row, const char *name)
{
	struct cell cell;
	struct sheet s;
	int column;

	assert_int_equal(sheet_open(&s, table_named(table), m), 0);
	column = sheet_find(&s, name, strlen(name));
	if (column < 0 || row >= s.rows)
		fail_msg("there is no %s.%s, row %u", table, name, row);
	cell = sheet_cell(&s, row, (unsigned int)column);
	sheet_close(&s);
	return cell;
}

static void assert_figure(const struct model *m, const char *table, uint32_t row, const char *name,
			  enum standing standing, uint64_t number)
{
	struct cell cell = cell_at(m, table, row, name);

	if (cell.standing != standing || cell.number != number)
		fail_msg("%s.%s, row %u: %s %llu", table, name, row, standing_name(cell.standing),
			 (unsigned long long)cell.number);
}

/* There may be more of it, it may be longer, and quantiles are of those that were seen. */
static void figures_of_what_lacks_slices_are_no_counts(void **state)
{
	static const struct {
		const char *table;
		const char *name;
		enum standing standing;
	} wanted[] = {
		{ "labels", "coroutines", STANDING_AT_LEAST }, { "labels", "longest", STANDING_AT_LEAST },
		{ "labels", "shortest", STANDING_AT_MOST }, { "labels", "p50", STANDING_SCALED },
		{ "labels", "p99_9", STANDING_SCALED }, { "labels", "lifetime_p99", STANDING_SCALED },
		{ "labels", "running_mean", STANDING_SCALED }, { "labels", "held_10us", STANDING_AT_LEAST },
		{ "labels", "ipc", STANDING_SCALED }, { "coroutines", "running_share", STANDING_SCALED },
		{ "labels", "running_share", STANDING_SCALED },
		{ "recording", "ipc", STANDING_SCALED }, { "labels", "held_1s", STANDING_AT_LEAST }, { "labels", "nr_preempted", STANDING_AT_LEAST },
		{ "labels", "nr_blocked", STANDING_AT_LEAST }, { "labels", "unreported", STANDING_AT_LEAST },
		{ "latency", "times", STANDING_AT_LEAST }, { "latency", "longest", STANDING_AT_LEAST },
		{ "latency", "mean", STANDING_SCALED }, { "latency", "p50", STANDING_SCALED },
		{ "latency", "p99_9", STANDING_SCALED }, { "lengths", "slices", STANDING_AT_LEAST },
		{ "heat", "slices", STANDING_AT_LEAST },
		{ "coroutines", "longest", STANDING_AT_LEAST },
		{ "coroutines", "migrations", STANDING_AT_LEAST },
		{ "recording", "coroutines", STANDING_AT_LEAST },
	};
	struct model *m = rich();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		uint32_t row = strcmp(wanted[i].table, "labels") ? 0 : 2;
		enum standing got = cell_at(m, wanted[i].table, row, wanted[i].name).standing;

		if (got != wanted[i].standing)
			fail_msg("%s.%s: %s", wanted[i].table, wanted[i].name, standing_name(got));
	}
	model_free(m);
}

static void cells_have_a_standing(void **state)
{
	struct model *m = rich();

	(void)state;
	/* Labels: the threads' own, b, a. */
	/* A thread of their process is not recorded. */
	assert_figure(m, "labels", 2, "slices", STANDING_AT_LEAST, 2);
	assert_figure(m, "labels", 2, "cycles", STANDING_AT_LEAST, 7500000);
	assert_figure(m, "labels", 1, "cycles", STANDING_SCALED, 5400000);
	assert_figure(m, "labels", 1, "cycles_counted", STANDING_AT_LEAST, 4500000);
	assert_figure(m, "labels", 0, "awaiting", STANDING_NONE, 0);
	assert_figure(m, "coroutines", 1, "instructions", STANDING_UNSUPPORTED, 0);
	assert_figure(m, "coroutines", 2, "parent_thread", STANDING_COUNTED, 0);
	assert_figure(m, "coroutines", 2, "born", STANDING_COUNTED, 10000);
	assert_figure(m, "coroutines", 3, "born", STANDING_NA, 0);
	assert_figure(m, "coroutines", 3, "parent", STANDING_NA, 0);
	/* Its first slice and its last were seen; one of a thread; neither. */
	assert_figure(m, "coroutines", 2, "lifetime", STANDING_COUNTED, 3000000);
	assert_figure(m, "coroutines", 0, "lifetime", STANDING_NONE, 0);
	assert_figure(m, "coroutines", 3, "lifetime", STANDING_NA, 0);
	assert_figure(m, "label_spans", 0, "own_running", STANDING_SCALED, 700000);
	assert_figure(m, "label_spans", 0, "running", STANDING_AT_LEAST, 700000);
	assert_figure(m, "threads", 2, "samples", STANDING_NA, 0);
	assert_figure(m, "threads", 2, "switches", STANDING_NONE, 0);
	assert_figure(m, "costs", 4, "ns", STANDING_NA, 0);
	model_free(m);
}

/* All that add up to what the whole recording has. */
static void rows_sum_to_the_recording(void **state)
{
	static const char *const tables_with[] = { "labels", "coroutines", "threads" };
	static const char *const names[] = { "slices", "running", "preempted", "blocked" };
	struct model *m = rich();
	struct sheet s;

	(void)state;
	for (unsigned int i = 0; i < 12; i++) {
		const char *name = names[i % 4];
		uint64_t sum = 0;
		int column;

		assert_int_equal(sheet_open(&s, table_named(tables_with[i / 4]), m), 0);
		column = sheet_find(&s, name, strlen(name));
		assert_true(column >= 0);
		assert_int_equal(s.columns[column].is->sums, SUMS_ADD);
		for (uint32_t row = 0; row < s.rows; row++)
			sum += sheet_cell(&s, row, (unsigned int)column).number;
		assert_int_equal(sum, cell_at(m, "recording", 0, name).number);
		sheet_close(&s);
	}
	model_free(m);
}

/* A file may call a counter as it likes. */
static void no_two_columns_have_one_name(void **state)
{
	struct model *m = rich();
	struct sheet s;

	(void)state;
	strcpy(m->counters[0].name, "slices");
	assert_int_equal(sheet_open(&s, table_named("labels"), m), 0);
	for (unsigned int i = 0; i < s.nr_columns; i++)
		assert_int_equal(sheet_find(&s, s.columns[i].name, strlen(s.columns[i].name)), i);
	sheet_close(&s);
	model_free(m);
}

static struct metric parsed(const char *text)
{
	struct error err = ERROR_NONE;
	struct metric metric;

	if (metric_parse(&metric, text, &err))
		fail_msg("%s", err.message);
	return metric;
}

/* Beside a thread that switches by itself. What is not measured of probes is no estimate. */
static void what_probes_took_is_an_estimate(void **state)
{
	(void)state;
	for (unsigned int measured = 0; measured < 2; measured++) {
		enum standing want = measured ? STANDING_SCALED : STANDING_AT_LEAST;
		struct gen *g = begin_recording();
		struct model *m;

		gen_info(g, "switch_ns", "10");
		if (measured)
			gen_info(g, "probe_ns", "20");
		gen_process(g, 2, 43, "other", 1000);
		gen_mode(g, COROPROF_MODE_IOCTL, COROPROF_REASON_PROBED);
		channel(g, 1, 1000);
		gen_mode(g, COROPROF_MODE_IOCTL, COROPROF_REASON_SESSION);
		gen_channel(g, 2, 2, 43, "other", 1000, NULL, 0);
		SLICE(g, 1, 10, 1000, 1100, .label = 1);
		SLICE(g, 2, 12, 1000, 1300);
		m = load(g);
		assert_int_equal(cell_at(m, "recording", 0, "overhead").standing, want);
		assert_int_equal(cell_at(m, "recording", 0, "overhead_share").standing, want);
		assert_int_equal(cell_at(m, "labels", label_row(m, 1, "a"), "probes").standing,
				 measured ? STANDING_SCALED : STANDING_NA);
		model_free(m);
	}
}

/* "x_standing" is what exports have beside "x", and "label_name" what they have beside "label". */
static void no_column_is_named_as_what_exports_have_beside_one(void **state)
{
	static const struct {
		const char *first, *second, *taken;
	} is[] = {
		{ "running_standing = slices", "y = slices", "running_standing" },
		{ "label_name = slices", "y = slices", "label_name" },
		{ "x = slices", "x_standing = slices", "x_standing" },
		{ "x_standing = slices", "x = slices", "x" },
		{ "x = slices", "x_name = slices", NULL },
		{ "label_names = slices", "running_ = slices", NULL },
	};
	struct model *m = rich();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(is); i++) {
		struct metric metrics[2] = { parsed(is[i].first), parsed(is[i].second) };
		struct error err = ERROR_NONE;
		char want[64];

		m->metrics = metrics;
		m->nr_metrics = 2;
		snprintf(want, sizeof(want), "--metric '%s': the table ", is[i].taken);
		assert_int_equal(!metrics_check(m, &err), !is[i].taken);
		if (is[i].taken && strncmp(err.message, want, strlen(want)))
			fail_msg("%s", err.message);
		m->nr_metrics = 0;
		metric_free(&metrics[0]);
		metric_free(&metrics[1]);
	}
	model_free(m);
}

/* A coroutine that waits, sleeps in the kernel, and ends; and one that does not. */
static struct model *slow(void)
{
	struct gen *g = begin_recording();

	gen_label(g, 1, 3, "parse", 5);
	channel(g, 1, 1000000);
	gen_span(g, 1, &(struct gen_span){ .id = 10, .label = 3, .time = 1800000,
		 .duration = 700000, .running_ns = 700000, .count = { 800, 1600 } });
	SLICE(g, 1, THREAD(1), 1000000, 1010000, .blocked_ns = 5000);
	SLICE(g, 1, 10, 1010000, 3010000, .label = 1, .count = { 6000000, 9000000 },
	      .blocked_ns = 1500000, .nr_blocked = 2, .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, 11, 3010000, 3510000, .label = 2, .count = { 1500000, 300000 });
	SLICE(g, 1, 10, 3510000, 4010000, .label = 1, .wake_time = 3410000, .waker = 11,
	      .count = { 1500000, 2250000 }, .flags = COROPROF_SLICE_END);
	return load(g);
}

/* The row of @table in which @column has @word; fails if there is none. */
static uint32_t row_of_word(const struct model *m, const char *table, const char *column,
			    const char *word)
{
	struct sheet s;
	uint32_t row = 0;
	int at;

	assert_int_equal(sheet_open(&s, table_named(table), m), 0);
	at = sheet_find(&s, column, strlen(column));
	assert_true(at >= 0);
	while (row < s.rows &&
	       strcmp(s.columns[at].is->words[sheet_cell(&s, row, (unsigned int)at).number], word))
		row++;
	if (row == s.rows)
		fail_msg("%s has no %s", table, word);
	sheet_close(&s);
	return row;
}

/* One thread's ring was full, or the recording was cut off; the other process has all. */
static struct model *cut_short(bool lost, bool truncated)
{
	struct gen *g = begin_file();
	struct model *m;
	struct stat file;

	gen_info(g, "switch_ns", "10");
	gen_counter(g, &instructions, "instructions");
	gen_counter(g, &(struct coroprof_counter)HW(PERF_COUNT_HW_CACHE_MISSES), "cache-misses");
	gen_process(g, 1, 100, "part", 900);
	gen_label(g, 1, 1, "a", 1);
	gen_process(g, 2, 200, "whole", 900);
	gen_label(g, 2, 1, "b", 1);
	gen_channel(g, 1, 1, 101, "part", 1000000, NULL, 0);
	gen_channel(g, 2, 2, 201, "whole", 1000000, NULL, 0);
	gen_label(g, 1, 3, "parse", 5);
	gen_span(g, 1, &(struct gen_span){ .id = 10, .label = 3, .time = 1800000,
		 .duration = 700000, .running_ns = 700000 });
	SLICE(g, 1, 10, 1000000, 2000000, .label = 1, .count = { 4000, 2 });
	SLICE(g, 2, 12, 1000000, 3000000, .label = 1, .count = { 4000, 2 });
	if (lost)
		gen_lost(g, 1, 2500000, 1, true);
	if (!truncated)
		return load(g);
	gen_close(g, true);
	assert_int_equal(stat(recording_path, &file), 0);
	assert_int_equal(truncate(recording_path, file.st_size / 2), 0);
	m = load_path(recording_path, NULL);
	assert_non_null(m->truncated);
	unlink(recording_path);
	return m;
}

static void assert_ratio(const struct model *m, const char *table, uint32_t row, const char *name,
			 enum standing standing, double ratio)
{
	struct cell cell = cell_at(m, table, row, name);

	if (cell.standing != standing || cell.fraction < ratio * 0.999 ||
	    cell.fraction > ratio * 1.001)
		fail_msg("%s.%s, row %u: %s %g", table, name, row, standing_name(cell.standing),
			 cell.fraction);
}

/*
 * Of one process as it was counted; of all, what the other lacks is missing, too: at most it has
 * this share.
 */
static void ratios_of_what_lacks_slices_are_estimates(void **state)
{
	struct model *m = cut_short(true, false);

	(void)state;
	assert_ratio(m, "labels", label_row(m, 2, "b"), RATE, STANDING_COUNTED, 0.5);
	assert_ratio(m, "labels", label_row(m, 1, "a"), RATE, STANDING_SCALED, 0.5);
	assert_ratio(m, "labels", label_row(m, 1, "a"), "running_share", STANDING_SCALED, 1.0 / 3);
	assert_ratio(m, "labels", label_row(m, 2, "b"), "running_share", STANDING_AT_MOST, 2.0 / 3);
	model_free(m);
	m = cut_short(false, false);
	assert_ratio(m, "labels", label_row(m, 1, "a"), RATE, STANDING_COUNTED, 0.5);
	assert_ratio(m, "labels", label_row(m, 2, "b"), "running_share", STANDING_COUNTED, 2.0 / 3);
	model_free(m);
}

static void lengths_of_spans_are_estimates_where_any_may_be_missing(void **state)
{
	struct model *m = cut_short(false, true);

	(void)state;
	assert_figure(m, "spans", 0, "p50", STANDING_SCALED, 700000);
	assert_figure(m, "spans", 0, "longest", STANDING_AT_LEAST, 700000);
	assert_figure(m, "latency", row_of_word(m, "latency", "what", "span"), "times",
		      STANDING_AT_LEAST, 1);
	model_free(m);
	m = cut_short(false, false);
	assert_figure(m, "spans", 0, "p50", STANDING_COUNTED, 700000);
	assert_figure(m, "latency", row_of_word(m, "latency", "what", "span"), "times",
		      STANDING_COUNTED, 1);
	model_free(m);
}

/* Losses of process 1, which ran main, and read in it; process 2 ran main as well. */
enum lacks { LACKS_NOTHING, LACKS_SLICES, LACKS_SPANS, LACKS_SPANS_WITHIN, LACKS_THE_END, LACKS_A_THREAD };

static struct model *spans_of_two(enum lacks what)
{
	struct gen *g = begin_file();

	gen_counter(g, &instructions, "instructions");
	for (uint32_t i = 1; i <= 2; i++) {
		gen_process(g, i, (int32_t)i * 100, "program", 900);
		gen_label(g, i, 1, "a", 1);
		gen_label(g, i, 2, "main", 4);
		gen_label(g, i, 3, "read", 4);
		gen_channel(g, i, i, (int32_t)i * 100, "thread", 1000000, NULL, 0);
	}
	if (what == LACKS_SPANS)
		gen_lost_spans(g, 1, 1005000, 1);
	gen_span(g, 1, &(struct gen_span){ .id = 10, .label = 3, .depth = 1, .time = 1400000,
		 .duration = 200000, .running_ns = 200000, .count = { 300 } });
	if (what == LACKS_SPANS_WITHIN)
		gen_lost_spans(g, 1, 1450000, 1);
	for (uint32_t i = 1; i <= 2; i++)
		gen_span(g, i, &(struct gen_span){ .id = 10, .label = 2, .time = 1800000,
			 .duration = 700000, .running_ns = 700000, .count = { 1000 } });
	SLICE(g, 1, 10, 1000000, 2000000, .label = 1, .count = { 4000 });
	SLICE(g, 2, 10, 1000000, 2000000, .label = 1, .count = { 4000 });
	if (what == LACKS_SLICES)
		gen_lost(g, 1, 2500000, 1, true);
	if (what == LACKS_THE_END)
		gen_lost(g, 1, 2500000, 1, false);
	if (what == LACKS_A_THREAD)
		gen_channel_error(g, 3, 1, 103, 1000000, ENOMEM);
	return load(g);
}

static uint32_t span_of_process(const struct model *m, uint32_t process, const char *name)
{
	for (uint32_t i = 0; i < m->nr_spans; i++)
		if (m->spans[i].process == process && !strcmp(m->spans[i].name, name))
			return i;
	fail_msg("no span %s in process %u", name, process);
	return 0;
}

/* In each table that has figures of it. */
static void assert_span(const struct model *m, uint32_t span, const char *figure,
			enum standing standing, uint64_t number)
{
	uint32_t pair = 0, node = 0;

	while (m->label_spans[pair].span != span)
		pair++;
	while (m->span_nodes[node].span != span)
		node++;
	assert_figure(m, "spans", span, figure, standing, number);
	assert_figure(m, "label_spans", pair, figure, standing, number);
	assert_figure(m, "span_tree", node, figure, standing, number);
}

/* Calls and totals are bounded by what was seen, whatever the lost ones were within. */
static void figures_of_spans_are_bounds_where_any_is_missing(void **state)
{
	static const enum lacks all[] = { LACKS_SPANS, LACKS_SPANS_WITHIN, LACKS_THE_END, LACKS_A_THREAD };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct model *m = spans_of_two(all[i]);
		uint32_t lacks = span_of_process(m, 0, "main"),
			 whole = span_of_process(m, 1, "main");
		/* On a thread that is not recorded there may have been spans in any. */
		enum standing of_read = all[i] == LACKS_A_THREAD ? STANDING_SCALED :
								   STANDING_AT_LEAST;
		enum standing own = all[i] == LACKS_SPANS_WITHIN ? STANDING_SCALED : of_read;

		assert_true(m->partial & MODEL_PARTIAL_SPANS);
		assert_span(m, lacks, "calls", STANDING_AT_LEAST, 1);
		assert_span(m, lacks, "outermost", STANDING_SCALED, 1);
		assert_span(m, lacks, "running", STANDING_AT_LEAST, 700000);
		assert_span(m, lacks, "wall", STANDING_AT_LEAST, 700000);
		assert_span(m, lacks, "instructions", STANDING_AT_LEAST, 1000);
		assert_span(m, lacks, "own_running", own, 500000);
		assert_span(m, lacks, "own_wall", own, 500000);
		assert_span(m, lacks, "own_instructions", own, 700);
		assert_span(m, span_of_process(m, 0, "read"), "own_wall", of_read, 200000);
		assert_span(m, whole, "calls", STANDING_COUNTED, 1);
		assert_span(m, whole, "outermost", STANDING_COUNTED, 1);
		assert_span(m, whole, "wall", STANDING_COUNTED, 700000);
		assert_span(m, whole, "own_instructions", STANDING_COUNTED, 1000);
		assert_figure(m, "spans", lacks, "p50", STANDING_SCALED, 700000);
		assert_figure(m, "spans", whole, "p50", STANDING_COUNTED, 700000);
		model_free(m);
	}
}

static void slices_that_were_lost_are_missing_from_no_span(void **state)
{
	static const enum lacks all[] = { LACKS_NOTHING, LACKS_SLICES };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct model *m = spans_of_two(all[i]);
		uint32_t span = span_of_process(m, 0, "main");

		assert_int_equal(!!(m->partial & MODEL_PARTIAL_SLICES), all[i] == LACKS_SLICES);
		assert_false(m->partial & MODEL_PARTIAL_SPANS);
		assert_span(m, span, "calls", STANDING_COUNTED, 1);
		assert_span(m, span, "outermost", STANDING_COUNTED, 1);
		assert_span(m, span, "wall", STANDING_COUNTED, 700000);
		assert_span(m, span, "own_running", STANDING_COUNTED, 500000);
		assert_span(m, span, "instructions", STANDING_COUNTED, 1000);
		assert_figure(m, "spans", span, "longest", STANDING_COUNTED, 700000);
		model_free(m);
	}
}

/* What is missing of the row is missing of the figure, unless its description says why it is not. */
static uint64_t assert_lacking(const struct sheet *s, uint32_t row)
{
	const struct model *m = s->model;
	const void *of = schema_row(m, s->table->rows, s->table->listed ? s->list[row] : row);
	uint64_t nr = 0;

	for (unsigned int c = 0; c < s->nr_columns; c++) {
		const struct column *is = s->columns[c].is;
		struct cell cell = sheet_cell(s, row, c);

		if (!column_is_marked(s->table, is) || !has_value(cell) ||
		    !schema_lacks(m, s->table->rows, of, column_partial(s->table, is)))
			continue;
		if (cell.standing == STANDING_COUNTED)
			fail_msg("%s, row %u: a part is missing, and it is counted", id_of(s, c), row);
		nr++;
	}
	return nr;
}

static void figures_of_rows_that_lack_something_lack_it(void **state)
{
	struct model *m = cut_short(true, false);
	uint64_t lacking = 0;
	struct sheet s;

	(void)state;
	for (unsigned int t = 0; t < nr_tables; t++) {
		assert_int_equal(sheet_open(&s, tables[t], m), 0);
		for (uint32_t row = 0; row < s.rows; row++)
			lacking += assert_lacking(&s, row);
		sheet_close(&s);
	}
	assert_true(lacking > 100);
	assert_figure(m, "recording", 0, "folded_coroutines", STANDING_AT_LEAST, 0);
	assert_figure(m, "recording", 0, "dropped_wakes", STANDING_AT_LEAST, 0);
	assert_figure(m, "recording", 0, "overhead", STANDING_AT_LEAST, 20);
	assert_figure(m, "label_spans", 0, "slices", STANDING_AT_LEAST, 1);
	model_free(m);
}

/* In each process a coroutine is woken by another, and both are sampled. */
static struct model *woken_in_two(bool lost_slices, bool lost_samples, bool ended)
{
	struct gen *g = begin_file();
	struct stat file;

	gen_info(g, "sample_event", "cycles");
	for (uint32_t i = 1; i <= 2; i++) {
		gen_process(g, i, (int32_t)i * 100, "program", 900);
		gen_label(g, i, 1, "a", 1);
		gen_channel(g, i, i, (int32_t)i * 100, "thread", 1000000, NULL, 0);
		SLICE(g, i, 10, 1000000, 1100000, .label = 1, .flags = COROPROF_SLICE_FRESH);
		SLICE(g, i, 11, 1100000, 1200000, .label = 1, .flags = COROPROF_SLICE_FRESH);
		SLICE(g, i, 10, 1200000, 1300000, .label = 1, .wake_time = 1150000, .waker = 11);
		gen_sample(g, i, &(struct gen_sample){ .time = 1050000, .id = 10, .label = 1,
			   .address = { 0x1000 } });
	}
	if (lost_samples)
		gen_lost_samples(g, 1, 1250000, 3);
	if (lost_slices)
		gen_lost(g, 1, 1400000, 2, true);
	SLICE(g, 1, 10, lost_slices ? 1400000 : 1300000, 1500000, .label = 1,
	      .flags = COROPROF_SLICE_END);
	for (uint32_t i = 1; i <= 2; i++)
		gen_drain(g, i);
	gen_drain_stream(g);
	assert_int_equal(stat(recording_path, &file), 0);
	gen_close(g, true);
	if (!ended)
		assert_int_equal(truncate(recording_path, file.st_size), 0);
	return load_path(recording_path, NULL);
}

static uint32_t wakes_of(const struct model *m, uint32_t process)
{
	for (uint32_t i = 0; i < m->nr_wakes; i++)
		if (m->labels[m->wakes[i].woken].process == process)
			return i;
	fail_msg("no wake in process %u", process);
	return 0;
}

static uint32_t coroutine_of(const struct model *m, uint32_t process, uint64_t id)
{
	for (uint32_t i = 0; i < m->nr_coroutines; i++)
		if (m->coroutines[i].process == process && m->coroutines[i].id == id)
			return i;
	fail_msg("no coroutine in process %u", process);
	return 0;
}

/*
 * A slice that was lost may have been woken, may have ended a gap, and may have been on another
 * thread.
 */
static void assert_what_slices_say(const struct model *m, uint32_t process, enum standing standing)
{
	static const char *const gaps[] = { "suspended", "awaiting", "ready", "gaps" };
	uint32_t label = label_row(m, process + 1, "a"), wake = wakes_of(m, process);
	uint32_t woken = coroutine_of(m, process, 10), waker = coroutine_of(m, process, 11);

	assert_figure(m, "wakes", wake, "count", standing, 1);
	assert_figure(m, "wakes", wake, "timed", standing, 1);
	assert_figure(m, "wakes", wake, "ready", standing, 50000);
	assert_figure(m, "labels", label, "renamed", standing, 0);
	assert_figure(m, "coroutines", woken, "threads", standing, 1);
	assert_figure(m, "processes", process, "coroutines", standing, 2);
	/* None of its gaps was seen not to be measured. */
	for (size_t i = 0; i < ARRAY_SIZE(gaps); i++)
		assert_figure(m, "coroutines", waker, gaps[i], standing, 0);
}

static void marks_what_lost_slices_would_have_reported(void **state)
{
	(void)state;
	for (int lost = 0; lost < 2; lost++) {
		struct model *m = woken_in_two(lost, false, true);

		assert_what_slices_say(m, 0, lost ? STANDING_AT_LEAST : STANDING_COUNTED);
		assert_what_slices_say(m, 1, STANDING_COUNTED);
		assert_figure(m, "labels", label_row(m, 1, "a"), "samples", STANDING_COUNTED, 1);
		assert_figure(m, "recording", 0, "duration", STANDING_COUNTED, 500000);
		model_free(m);
	}
	unlink(recording_path);
}

/* More pairs of labels than there is room for. */
#define WAKERS	257u

static void wakes_that_had_no_room_may_be_of_any_pair(void **state)
{
	struct gen *g = begin_recording();
	uint64_t time = 1000;
	char name[16];
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	for (uint32_t i = 0; i < WAKERS; i++) {
		snprintf(name, sizeof(name), "l%u", i);
		gen_label(g, 1, 10 + i, name, (uint32_t)strlen(name));
		SLICE(g, 1, 10 + i, time, time + 10, .label = 10 + i);
		time += 20;
	}
	for (uint32_t i = 0; i < WAKERS; i++)
		for (uint32_t k = 0; k < WAKERS; k++, time += 20)
			SLICE(g, 1, 10 + i, time, time + 10, .label = 10 + i,
			      .wake_time = time - 5, .waker = 10 + k);
	m = load(g);
	assert_true(m->nr_dropped_wakes);
	assert_true(m->partial == MODEL_PARTIAL_WAKES);
	for (uint32_t row = 0; row < m->nr_wakes; row += 1000) {
		assert_figure(m, "wakes", row, "count", STANDING_AT_LEAST, 1);
		assert_figure(m, "wakes", row, "ready", STANDING_AT_LEAST, 5);
	}
	assert_figure(m, "labels", 0, "slices", STANDING_COUNTED, 258);
	model_free(m);
}

/* Of a life: what its slices had, and what is made of that. */
static void a_life_may_lack_slices_and_a_slice_none(void **state)
{
	(void)state;
	for (int lost = 0; lost < 2; lost++) {
		struct model *m = woken_in_two(lost, false, true);
		uint32_t life = row_of_word(m, "worst", "what", "lifetime");

		assert_figure(m, "worst", life, "slices",
			      lost ? STANDING_AT_LEAST : STANDING_COUNTED, 3);
		assert_figure(m, "worst", life, "took", STANDING_COUNTED, 500000);
		assert_figure(m, "worst", row_of_word(m, "worst", "what", "held"), "slices",
			      STANDING_COUNTED, 1);
		model_free(m);
	}
	unlink(recording_path);
}

static void assert_samples(const struct model *m, uint32_t process, enum standing standing)
{
	uint32_t label = label_row(m, process + 1, "a"), function = 0, node = 0;

	while (m->label_frames[function].label != label)
		function++;
	while (m->sample_nodes[node].label != label)
		node++;
	assert_figure(m, "labels", label, "samples", standing, 1);
	assert_figure(m, "threads", process, "samples", standing, 1);
	assert_figure(m, "coroutines", coroutine_of(m, process, 10), "samples", standing, 1);
	assert_figure(m, "label_functions", function, "own", standing, 1);
	assert_figure(m, "sample_tree", node, "total", standing, 1);
	assert_ratio(m, "label_functions", function, "own_share",
		     standing ? STANDING_SCALED : STANDING_COUNTED, 1);
}

/* They are of no slice, wake or span. */
static void marks_what_lost_samples_are_missing_from(void **state)
{
	(void)state;
	for (int lost = 0; lost < 2; lost++) {
		struct model *m = woken_in_two(false, lost, true);
		enum standing standing = lost ? STANDING_AT_LEAST : STANDING_COUNTED;

		assert_samples(m, 0, standing);
		assert_samples(m, 1, STANDING_COUNTED);
		assert_figure(m, "functions", 0, "own", standing, m->frames[0].own);
		assert_figure(m, "recording", 0, "samples", standing, 2);
		assert_what_slices_say(m, 0, STANDING_COUNTED);
		model_free(m);
	}
	unlink(recording_path);
}

static void a_recording_that_was_not_ended_took_longer(void **state)
{
	struct model *m = woken_in_two(false, false, false);

	(void)state;
	assert_figure(m, "recording", 0, "duration", STANDING_AT_LEAST, 500000);
	model_free(m);
	unlink(recording_path);
}

/* Of what is behind the tear nothing is missing from what ended before it. */
static void a_part_of_a_truncated_recording_is_whole_if_it_ends_before(void **state)
{
	const struct {
		struct model_options options;
		enum standing standing;
		uint64_t slices;
	} parts[] = {
		{ { .to_ns = 250000 }, STANDING_COUNTED, 3 },
		{ { .from_ns = 50000 }, STANDING_AT_LEAST, 4 },
		{ { .from_ns = 50000, .to_ns = 450000 }, STANDING_COUNTED, 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		struct model *m;

		model_free(woken_in_two(false, false, false));
		m = load_path(recording_path, &parts[i].options);
		assert_figure(m, "labels", label_row(m, 1, "a"), "slices", parts[i].standing,
			      parts[i].slices);
		assert_figure(m, "threads", 0, "lost", parts[i].standing, 0);
		model_free(m);
	}
	unlink(recording_path);
}

static void what_could_not_be_read_may_have_had_losses(void **state)
{
	(void)state;
	for (int truncated = 0; truncated < 2; truncated++) {
		struct model *m = woken_in_two(false, false, !truncated);
		enum standing standing = truncated ? STANDING_AT_LEAST : STANDING_COUNTED;

		assert_figure(m, "threads", 0, "lost", standing, 0);
		assert_figure(m, "threads", 0, "end", standing, 500000);
		assert_figure(m, "recording", 0, "lost", standing, 0);
		assert_figure(m, "recording", 0, "lost_spans", standing, 0);
		assert_figure(m, "recording", 0, "lost_samples", standing, 0);
		model_free(m);
	}
	unlink(recording_path);
}

static void reports_how_long_things_took(void **state)
{
	static const struct {
		const char *what;
		uint64_t times, p50, longest;
	} want[] = {
		{ "lifetime", 1, 3000000, 3000000 }, { "held", 2, 500000, 2000000 },
		{ "blocked", 1, 1500000, 1500000 }, { "ready", 1, 100000, 100000 },
		{ "awaiting", 1, 400000, 400000 }, { "running", 2, 500000, 500000 },
		{ "span", 1, 700000, 700000 },
	};
	struct model *m = slow();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		uint32_t row = row_of_word(m, "latency", "what", want[i].what);

		assert_int_equal(cell_at(m, "latency", row, "times").number, want[i].times);
		assert_int_equal(cell_at(m, "latency", row, "p50").number, want[i].p50);
		assert_int_equal(cell_at(m, "latency", row, "longest").number, want[i].longest);
	}
	assert_int_equal(cell_at(m, "labels", 1, "held_1ms").number, 1);
	assert_int_equal(cell_at(m, "labels", 1, "held_100us").number, 2);
	assert_int_equal(cell_at(m, "labels", 0, "held_100us").standing, STANDING_NONE);
	assert_int_equal(cell_at(m, "labels", 1, "lifetime_p99").number, 3000000);
	model_free(m);
}

static void lists_the_longest(void **state)
{
	struct model *m = slow();
	uint32_t held = row_of_word(m, "worst", "what", "held");
	uint32_t blocked = row_of_word(m, "worst", "what", "blocked");
	uint32_t ready = row_of_word(m, "worst", "what", "ready");

	(void)state;
	assert_int_equal(cell_at(m, "worst", held, "took").number, 2000000);
	assert_int_equal(cell_at(m, "worst", held, "begin").number, 10000);
	assert_int_equal(cell_at(m, "worst", held, "running").number, 500000);
	assert_int_equal(cell_at(m, "worst", held, "cycles").number, 6000000);
	assert_int_equal(cell_at(m, "worst", held + 1, "took").number, 500000);
	assert_int_equal(cell_at(m, "worst", blocked, "took").number, 1500000);
	assert_int_equal(cell_at(m, "worst", blocked, "nr_blocked").number, 2);
	assert_int_equal(cell_at(m, "worst", ready, "took").number, 100000);
	assert_int_equal(cell_at(m, "worst", ready, "begin").number, 2410000);
	assert_int_equal(cell_at(m, "worst", ready, "waker_id").number, 11);
	/* In a wait nothing runs, and nothing is counted. */
	assert_int_equal(cell_at(m, "worst", ready, "running").standing, STANDING_NONE);
	assert_int_equal(cell_at(m, "worst", ready, "cycles").standing, STANDING_NONE);
	model_free(m);
}

static void makes_columns_of_formulas(void **state)
{
	static const struct {
		const char *formula, *name;
		double value;
	} want[] = {
		{ "per slice = running / slices", "per slice", 500000 },
		{ "1 + 2*3 - 8/4/2", "1 + 2*3 - 8/4/2", 6 },
		{ "x = (1 + 2)*(3 - 5)", "x", -6 },
		{ "ki=1000*\"cycles\"/instructions", "ki", 666.66667 },
	};
	struct model *m = slow();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		struct metric metric = parsed(want[i].formula);
		struct cell cell;

		m->metrics = &metric;
		m->nr_metrics = 1;
		cell = cell_at(m, "labels", 1, want[i].name);
		m->nr_metrics = 0;
		assert_int_equal(cell.standing, STANDING_COUNTED);
		if (cell.fraction < want[i].value - 1e-4 || cell.fraction > want[i].value + 1e-4)
			fail_msg("%s is %f, not %f", want[i].formula, cell.fraction, want[i].value);
		metric_free(&metric);
	}
	model_free(m);
}

static void carries_standings_through_formulas(void **state)
{
	static const struct {
		const char *formula;
		enum standing a, b, want;
	} is[] = {
		{ "a/b", STANDING_COUNTED, STANDING_COUNTED, STANDING_COUNTED },
		{ "a/b", STANDING_SCALED, STANDING_COUNTED, STANDING_SCALED },
		{ "a/b", STANDING_AT_LEAST, STANDING_COUNTED, STANDING_AT_LEAST },
		{ "a/b", STANDING_COUNTED, STANDING_AT_LEAST, STANDING_AT_MOST },
		{ "a - b", STANDING_COUNTED, STANDING_AT_MOST, STANDING_AT_LEAST },
		{ "a*b", STANDING_AT_MOST, STANDING_SCALED, STANDING_SCALED },
		{ "a + b", STANDING_APPROXIMATE, STANDING_COUNTED, STANDING_APPROXIMATE },
		/* As the column IPC: of what was seen. */
		{ "a/b", STANDING_AT_LEAST, STANDING_AT_LEAST, STANDING_SCALED },
		{ "a - b", STANDING_AT_LEAST, STANDING_AT_LEAST, STANDING_NA },
		/* Operands are no parts of one thing. */
		{ "a + b", STANDING_COUNTED, STANDING_UNSUPPORTED, STANDING_UNSUPPORTED },
		{ "a + b", STANDING_NONE, STANDING_SCALED, STANDING_NONE },
		/* What is below 0 turns bounds. */
		{ "a*(1 - 9)", STANDING_AT_LEAST, STANDING_COUNTED, STANDING_NA },
		{ "a*(1 - 9)", STANDING_COUNTED, STANDING_COUNTED, STANDING_COUNTED },
		{ "a/b", STANDING_UNSUPPORTED, STANDING_COUNTED, STANDING_UNSUPPORTED },
		{ "a/b", STANDING_COUNTED, STANDING_NONE, STANDING_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(is); i++) {
		struct metric metric = parsed(is[i].formula);
		const struct metric_operand operands[METRIC_STEPS] = {
			{ 6, is[i].a }, { 3, is[i].b },
		};

		if (metric_cell(&metric, operands).standing != is[i].want)
			fail_msg("%s of %s and %s is %s", is[i].formula, standing_name(is[i].a),
				 standing_name(is[i].b),
				 standing_name(metric_cell(&metric, operands).standing));
		metric_free(&metric);
	}
}

static void refuses_what_is_no_formula(void **state)
{
	static const char *const texts[] = {
		"", "x =", "= 1", "a b", "1 +", "(1", "1)", "x = a,b = 2", "2x", "1e999", "\"a", "a = * 2", "a,b = 1",
		"((((((((((((((((((((((((((((((((((1",
	};
	char *many = calloc(1, 4 * METRIC_STEPS + 2);
	struct error err = ERROR_NONE;
	struct metric metric;

	(void)state;
	assert_non_null(many);
	for (unsigned int i = 0; i <= METRIC_STEPS; i++)
		strcat(many, i ? "+a" : "a");
	assert_int_not_equal(metric_parse(&metric, many, &err), 0);
	free(many);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		err = (struct error)ERROR_NONE;
		if (!metric_parse(&metric, texts[i], &err))
			fail_msg("'%s' is taken for a formula", texts[i]);
		assert_non_null(strstr(err.message, "--metric"));
	}
}

static void says_that_a_column_has_the_name_of_a_metric(void **state)
{
	struct model *m = slow();
	struct metric twice[] = { parsed("x = running/slices"), parsed("x = slices/running") };
	struct metric column = parsed("cycles = 2*running");
	struct error err = ERROR_NONE;

	(void)state;
	m->metrics = &column;
	m->nr_metrics = 1;
	assert_int_not_equal(metrics_check(m, &err), 0);
	assert_non_null(strstr(err.message, "has a column of that name, or exports of it have one beside another column: give it another, such as --metric 'my cycles = ...'"));
	m->metrics = twice;
	assert_int_equal(metrics_check(m, &err), 0);
	m->nr_metrics = 2;
	assert_int_not_equal(metrics_check(m, &err), 0);
	m->nr_metrics = 0;
	model_free(m);
	metric_free(&column);
	metric_free(&twice[0]);
	metric_free(&twice[1]);
}

static void says_that_no_table_has_what_a_formula_is_made_of(void **state)
{
	struct model *m = slow();
	struct metric good = parsed("running/slices"), bad = parsed("x = running/nix"),
		      text = parsed("y = 2*name"), zero = parsed("z = slices/(slices - slices)");
	struct error err = ERROR_NONE;

	(void)state;
	m->nr_metrics = 1;
	m->metrics = &good;
	assert_int_equal(metrics_check(m, &err), 0);
	m->metrics = &bad;
	assert_int_not_equal(metrics_check(m, &err), 0);
	assert_non_null(strstr(err.message, "--metric 'x': no table has all the columns"));
	m->metrics = &text;
	assert_int_not_equal(metrics_check(m, &err), 0);
	m->metrics = &zero;
	assert_int_equal(cell_at(m, "labels", 1, "z").standing, STANDING_NA);
	m->nr_metrics = 0;
	model_free(m);
	metric_free(&good);
	metric_free(&bad);
	metric_free(&text);
	metric_free(&zero);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptions_hold_together),
		cmocka_unit_test(cells_keep_to_their_descriptions),
		cmocka_unit_test(ratios_of_what_lacks_slices_are_estimates),
		cmocka_unit_test(lengths_of_spans_are_estimates_where_any_may_be_missing),
		cmocka_unit_test(figures_of_spans_are_bounds_where_any_is_missing),
		cmocka_unit_test(slices_that_were_lost_are_missing_from_no_span),
		cmocka_unit_test(marks_what_lost_slices_would_have_reported),
		cmocka_unit_test(wakes_that_had_no_room_may_be_of_any_pair),
		cmocka_unit_test(a_life_may_lack_slices_and_a_slice_none),
		cmocka_unit_test(marks_what_lost_samples_are_missing_from),
		cmocka_unit_test(a_recording_that_was_not_ended_took_longer),
		cmocka_unit_test(a_part_of_a_truncated_recording_is_whole_if_it_ends_before),
		cmocka_unit_test(what_could_not_be_read_may_have_had_losses),
		cmocka_unit_test(cells_have_a_standing),
		cmocka_unit_test(figures_of_what_lacks_slices_are_no_counts),
		cmocka_unit_test(rows_sum_to_the_recording),
		cmocka_unit_test(no_two_columns_have_one_name),
		cmocka_unit_test(no_column_is_named_as_what_exports_have_beside_one),
		cmocka_unit_test(what_probes_took_is_an_estimate),
		cmocka_unit_test(reports_how_long_things_took),
		cmocka_unit_test(lists_the_longest),
		cmocka_unit_test(figures_of_rows_that_lack_something_lack_it),
		cmocka_unit_test(makes_columns_of_formulas),
		cmocka_unit_test(carries_standings_through_formulas),
		cmocka_unit_test(refuses_what_is_no_formula),
		cmocka_unit_test(says_that_a_column_has_the_name_of_a_metric),
		cmocka_unit_test(says_that_no_table_has_what_a_formula_is_made_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
