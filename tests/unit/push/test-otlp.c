// SPDX-License-Identifier: GPL-2.0
/*
 * What is sent of windows of a recording. Requests are decoded by what is here, written from the
 * .proto files of OpenTelemetry, to a line each figure; sums are compared with the model.
 */
#include <stdbool.h>

#include "gen/recording.h"
#include "profile/histogram.h"
#include "push/choice.h"
#include "push/digest.h"
#include "push/otlp.h"
#include "push/reading.h"

#define OFFSET	1000000000000000000ll

/* ---- a decoder */

static uint64_t varint(const uint8_t **p)
{
	uint64_t v = 0, shift = 0;

	for (;; shift += 7) {
		uint8_t b = *(*p)++;

		v += (uint64_t)(b % 128) << shift;
		if (b < 128)
			return v;
	}
}

static uint64_t fixed(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 7; i >= 0; i--)
		v = v * 256 + p[i];
	return v;
}

/* The n-th field of that number: its value, and for bytes where they are. */
static bool nth(const uint8_t *p, size_t size, unsigned int number, unsigned int n,
		const uint8_t **bytes, uint64_t *value)
{
	const uint8_t *end = p + size;

	while (p < end) {
		uint64_t key = varint(&p);

		*bytes = p;
		if (key % 8 == 0) {
			*value = varint(&p);
		} else if (key % 8 == 1) {
			*value = fixed(p);
			p += 8;
		} else {
			assert_int_equal(key % 8, 2);
			*value = varint(&p);
			*bytes = p;
			p += *value;
		}
		assert_true(p <= end);
		if (key / 8 == number && !n--)
			return true;
	}
	return false;
}

static double real(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, 8);
	return d;
}

static void put_attributes(FILE *to, const uint8_t *p, size_t size, unsigned int number)
{
	const uint8_t *attribute, *key, *any, *text;
	uint64_t length, key_length, any_length, v;

	for (unsigned int i = 0; nth(p, size, number, i, &attribute, &length); i++) {
		assert_true(nth(attribute, length, 1, 0, &key, &key_length));
		assert_true(nth(attribute, length, 2, 0, &any, &any_length));
		fprintf(to, " %.*s=", (int)key_length, key);
		if (nth(any, any_length, 1, 0, &text, &v))
			fprintf(to, "%.*s", (int)v, text);
		else if (nth(any, any_length, 2, 0, &text, &v))
			fprintf(to, v ? "true" : "false");
		else if (nth(any, any_length, 3, 0, &text, &v))
			fprintf(to, "%llu", (unsigned long long)v);
	}
}

static void put_number(FILE *to, const char *name, const uint8_t *p, size_t size,
		       unsigned int number)
{
	const uint8_t *bytes;
	uint64_t v;

	if (nth(p, size, number, 0, &bytes, &v))
		fprintf(to, " %s=%llu", name, (unsigned long long)v);
}

static void put_real(FILE *to, const char *name, const uint8_t *p, size_t size,
		     unsigned int number)
{
	const uint8_t *bytes;
	uint64_t v;

	if (nth(p, size, number, 0, &bytes, &v))
		fprintf(to, " %s=%.0f", name, real(v));
}

static void put_histogram(FILE *to, const uint8_t *p, size_t size)
{
	const uint8_t *buckets, *counts, *at;
	uint64_t length, count_length, v;

	put_number(to, "count", p, size, 4);
	put_real(to, "sum", p, size, 5);
	put_number(to, "scale", p, size, 6);
	put_number(to, "zero", p, size, 7);
	put_real(to, "min", p, size, 12);
	put_real(to, "max", p, size, 13);
	if (!nth(p, size, 8, 0, &buckets, &length))
		return;
	assert_true(nth(buckets, length, 1, 0, &counts, &v));
	fprintf(to, " from=2^%llu", (unsigned long long)v / 2);
	assert_true(nth(buckets, length, 2, 0, &counts, &count_length));
	for (at = counts; at < counts + count_length;)
		fprintf(to, ",%llu", (unsigned long long)varint(&at));
}

static void put_metric(FILE *to, const uint8_t *resource, size_t resource_size, const uint8_t *p,
		       size_t size)
{
	const uint8_t *name, *data, *point, *unit;
	uint64_t name_size, data_size, point_size, unit_size, v;
	bool sum = nth(p, size, 7, 0, &data, &data_size);

	assert_true(nth(p, size, 1, 0, &name, &name_size));
	assert_true(nth(p, size, 3, 0, &unit, &unit_size));
	if (!sum)
		assert_true(nth(p, size, 10, 0, &data, &data_size));
	for (unsigned int i = 0; nth(data, data_size, 1, i, &point, &point_size); i++) {
		fprintf(to, "%.*s", (int)name_size, name);
		put_attributes(to, resource, resource_size, 1);
		put_attributes(to, point, point_size, sum ? 7 : 1);
		assert_true(nth(data, data_size, 2, 0, &unit, &v));
		fprintf(to, v == 1 ? " delta" : " cumulative");
		put_number(to, "start", point, point_size, 2);
		put_number(to, "time", point, point_size, 3);
		if (sum) {
			assert_true(nth(data, data_size, 3, 0, &unit, &v) && v == 1);
			put_number(to, "value", point, point_size, 6);
			put_real(to, "real", point, point_size, 4);
		} else {
			put_histogram(to, point, point_size);
		}
		fputc('\n', to);
	}
}

static char *decoded(const struct proto *p)
{
	const uint8_t *group, *resource, *scope, *metric, *all = (const uint8_t *)p->bytes.data;
	uint64_t group_size, resource_size, scope_size, metric_size;
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	for (unsigned int i = 0; nth(all, p->bytes.size, 1, i, &group, &group_size); i++) {
		assert_true(nth(group, group_size, 1, 0, &resource, &resource_size));
		assert_true(nth(group, group_size, 2, 0, &scope, &scope_size));
		for (unsigned int m = 0; nth(scope, scope_size, 2, m, &metric, &metric_size); m++)
			put_metric(to, resource, resource_size, metric, metric_size);
	}
	fclose(to);
	return text;
}

/* ---- helpers */

static struct choice choice;
static struct book book;

static void begin(bool cumulative, const char *labels)
{
	struct error err;

	choice = (struct choice){ .most = CHOICE_LABELS };
	assert_int_equal(choice_parse(&choice, labels, &err), 0);
	assert_true(book_begin(&book, &choice, cumulative, "coroprof", 7));
}

static void end(void)
{
	book_free(&book);
	choice_free(&choice);
}

/* The request of a window, decoded. */
static char *sent(struct model *m, const struct book_window *w)
{
	struct proto p = { 0 };
	char *text;

	book_turn(&book, w);
	assert_true(!m || book_take(&book, m, w));
	assert_true(otlp_write(&p, &book, "web1"));
	assert_false(p.failed);
	book_written(&book);
	text = decoded(&p);
	proto_free(&p);
	if (m)
		model_free(m);
	return text;
}

static struct book_window window(uint64_t begin_ns, uint64_t end_ns)
{
	return (struct book_window){ begin_ns, end_ns, OFFSET, .cut = false };
}

/* The sum of all values on lines with both texts; -1: there is none. */
static long long sum(const char *text, const char *one, const char *other)
{
	long long sum = -1;

	for (const char *line = text, *next; *line; line = next) {
		char *copy, *value;

		next = strchr(line, '\n') + 1;
		copy = strndup(line, (size_t)(next - line));
		value = strstr(copy, " value=");
		if (strstr(copy, one) && strstr(copy, other) && value)
			sum = (sum < 0 ? 0 : sum) + atoll(value + strlen(" value="));
		free(copy);
	}
	return sum;
}

static void assert_line(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no '%s' in\n%s", line, text);
}

static void assert_no(const char *text, const char *line)
{
	if (strstr(text, line))
		fail_msg("there is '%s' in\n%s", line, text);
}

/* Two labels: a ran 100 + 200 ns of which 40 were blocked, b 300. */
static struct model *two(void)
{
	struct gen *g = begin_recording();

	channel(g, 1, 1000);
	SLICE(g, 1, 5, 1000, 1100, .label = 1, .flags = COROPROF_SLICE_FRESH, .count = { 10, 20 });
	SLICE(g, 1, 6, 1100, 1400, .label = 2, .count = { 30, 40 });
	SLICE(g, 1, 5, 1500, 1740, .label = 1, .wake_time = 1450, .flags = COROPROF_SLICE_WOKEN,
	      .blocked_ns = 40, .nr_blocked = 1, .count = { 1, 2 });
	return load(g);
}

#define A	" coroprof.label=a "
#define B	" coroprof.label=b "

/* ---- tests */

static void sends_each_figure_of_a_label(void **state)
{
	struct book_window w = window(900, 2000);
	char *text;

	(void)state;
	begin(false, NULL);
	text = sent(two(), &w);
	assert_line(text, "coroprof.coroutine.time service.name=one host.name=web1 os.type=linux");
	assert_line(text, " process.pid=100 process.executable.name=one coroprof.label=a coroprof.standing=counted coroprof.state=running delta start=1000000000000000900 time=1000000000000002000 value=300\n");
	assert_int_equal(sum(text, A, "state=blocked"), 40);
	assert_int_equal(sum(text, A, "state=ready"), 50);
	assert_int_equal(sum(text, A, "state=awaiting"), 350);
	assert_int_equal(sum(text, A, "switches"), 2);
	assert_int_equal(sum(text, A, "coroprof.counter.cycles"), 11);
	assert_int_equal(sum(text, B, "coroprof.counter.instructions"), 40);
	assert_int_equal(sum(text, B, "state=blocked"), 0);
	free(text);
	end();
}

static void sends_lengths_by_powers_of_two(void **state)
{
	struct book_window w = window(900, 2000);
	char *text;

	(void)state;
	begin(false, NULL);
	text = sent(two(), &w);
	/* 100 and 240: 2^6 and 2^7. */
	assert_line(text, "coroprof.label=a coroprof.standing=counted delta start=1000000000000000900 time=1000000000000002000 count=2 sum=340 zero=0 min=100 max=240 from=2^6,1,1\n");
	free(text);
	end();
}

/* More of them than are kept one by one. */
static void sends_many_lengths(void **state)
{
	struct gen *g = begin_recording();
	struct book_window w = window(0, 10000000);
	uint64_t at = 1000;
	char *text;

	(void)state;
	channel(g, 1, at);
	for (unsigned int i = 0; i < 1000; i++) {
		uint64_t ns = i % 10 ? 5000 : 127;

		SLICE(g, 1, 5, at, at + ns, .label = 1);
		at += ns;
	}
	begin(false, NULL);
	text = sent(load(g), &w);
	assert_line(text, "count=1000 sum=4512700 zero=0 min=127 max=5000 from=2^6,100,0,0,0,0,0,900\n");
	free(text);
	end();
}

static void leaves_out_what_is_not_known(void **state)
{
	struct gen *g = begin_recording();
	struct book_window w = window(0, 2000);
	char *text;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 5, 1000, 1100, .label = 1, .count = { 10, 0 },
	      .standing = COROPROF_STANDING_COUNTED | COROPROF_STANDING_NOT_SCHEDULED << 2,
	      .missing_ns = { 0, 100 });
	begin(false, NULL);
	text = sent(load(g), &w);
	assert_int_equal(sum(text, A, "coroprof.counter.cycles"), 10);
	assert_no(text, "coroprof.counter.instructions");
	free(text);
	end();
}

static void parts_what_is_counted_from_what_is_estimated(void **state)
{
	struct book_window w = window(0, 2000);
	struct gen *g;
	char *text;

	(void)state;
	begin(true, NULL);
	free(sent(two(), &w));
	g = begin_recording();
	channel(g, 1, 1000);
	SLICE(g, 1, 5, 1000, 1100, .label = 1, .count = { 10, 7 },
	      .standing = COROPROF_STANDING_SCALED | COROPROF_STANDING_COUNTED << 2,
	      .missing_ns = { 50 });
	w = window(2000, 3000);
	text = sent(load(g), &w);
	assert_line(text, "coroprof.event=cycles cumulative");
	assert_int_equal(sum(text, A "coroprof.standing=scaled", "counter.cycles"), 20);
	assert_int_equal(sum(text, A "coroprof.standing=counted", "counter.cycles"), 11);
	free(text);
	end();
}

static void sums_up_what_is_cumulative_and_not_what_is_delta(void **state)
{
	struct book_window first = window(0, 2000), second = window(2000, 3000);
	char *text;

	(void)state;
	begin(true, NULL);
	free(sent(two(), &first));
	text = sent(two(), &second);
	assert_int_equal(sum(text, A, "state=running"), 600);
	assert_line(text, "start=1000000000000000000 time=1000000000000003000 value=600");
	assert_line(text, "count=4 sum=680 zero=0 min=100 max=240 from=2^6,2,2\n");
	free(text);
	end();
	begin(false, NULL);
	free(sent(two(), &first));
	text = sent(two(), &second);
	assert_int_equal(sum(text, A, "state=running"), 300);
	assert_line(text, "start=1000000000000002000 time=1000000000000003000 value=300");
	free(text);
	end();
}

/* 20 labels in 6 windows, each with another one that runs most. */
static void keeps_all_sums_with_few_labels(void **state)
{
	static const char *const labels[] = { NULL, NULL, NULL, "l1*", "hash" };
	static const uint32_t bounds[] = { 3, 0, 1000, 50, 5 };

	(void)state;
	for (unsigned int b = 0; b < 5; b++) {
		uint64_t want = 0, slices = 0, got = 0, switches = 0, counted = 0, events = 0;

		begin(b % 2, labels[b]);
		choice.most = bounds[b];
		for (unsigned int n = 0; n < 6; n++) {
			struct book_window w = window(n * 100000, (n + 1) * 100000);
			struct gen *g = begin_file();
			uint64_t at = n * 100000 + 1;
			struct model *m;
			char *text;

			gen_counter(g, &cycles, "cycles");
			gen_process(g, 1, 100, "one", 900);
			for (uint32_t l = 1; l <= 20; l++) {
				char name[8];

				snprintf(name, sizeof(name), "l%u", l);
				gen_label(g, 1, l, name, strlen(name));
			}
			channel(g, 1, at);
			for (uint32_t l = 1; l <= 20; l++) {
				uint64_t ns = 100 + (l * 7 + n * 31) % 97;

				SLICE(g, 1, l, at, at + ns, .label = l, .count = { ns * 3 });
				at += ns;
			}
			m = load(g);
			want += m->times.running_ns;
			slices += m->times.slices;
			counted += model_total_value(m, 0).count;
			text = sent(m, &w);
			if (book.cumulative)
				got = switches = events = 0;
			got += (uint64_t)sum(text, "state=running", "");
			switches += (uint64_t)sum(text, "coroutine.switches", "");
			events += (uint64_t)sum(text, "counter.cycles", "");
			if (b == 0 || b == 1)
				assert_line(text, " process.pid=100 process.executable.name=one coroprof.label=other otel.metric.overflow=true ");
			if (b == 2)
				assert_no(text, "coroprof.label=other");
			if (b == 3)
				assert_no(text, "coroprof.label=l2 ");
			if (b == 4)
				assert_no(text, "coroprof.label=l");
			free(text);
		}
		assert_int_equal(got, want);
		assert_int_equal(switches, slices);
		assert_int_equal(events, counted);
		assert_true(book.nr_labels <= choice.most);
		end();
	}
}

/* As an engine counts them that makes one of each bucket, of the sum, and of how many there are. */
static uint64_t series_in(const char *text)
{
	uint64_t nr = 0;

	for (const char *line = text, *next; *line; line = next) {
		const char *zero, *at;

		next = strchr(line, '\n') + 1;
		zero = strstr(line, " zero=");
		if (!zero || zero > next) {
			nr++;
			continue;
		}
		nr += 2 + (zero[strlen(" zero=")] != '0');
		at = strstr(zero, " from=2^");
		for (at = at && at < next ? strchr(at, ',') : NULL; at && at < next; at = strchr(at + 1, ','))
			nr += at[1] != '0';
	}
	return nr;
}

/*
 * 60 labels in each of 5 processes, of ever more lengths, each time others of them run most; or of 15
 * processes 12, with eight counters, and lengths of 30 octaves.
 */
static struct model *wide_of(unsigned int n, uint32_t processes)
{
	const bool many = processes > 5;
	struct gen *g = begin_file();

	for (unsigned int i = 0; i < (many ? 8 : 1); i++) {
		static const char *const names[] = { "cycles", "b", "c", "d", "e", "f", "g", "h" };

		gen_counter(g, &cycles, names[i]);
	}
	for (uint32_t p = 1; p <= processes; p++) {
		uint64_t at = 1000;

		gen_process(g, p, 99 + (int)p, "one", 900);
		for (uint32_t l = 1; l <= 60; l++) {
			char name[16];

			snprintf(name, sizeof(name), "p%u-%u", p, l);
			gen_label(g, p, l, name, strlen(name));
		}
		gen_channel(g, p, p, 99 + (int)p, "one", at, NULL, 0);
		for (uint32_t l = 1; l <= (many ? 12 : 60); l++)
			for (unsigned int i = 0; i <= n; i++) {
				uint64_t ns = (100ull << (i * (many ? 2 : 1) + l % 5)) + (l * 7 + n * 31) % 97;

				SLICE(g, p, p << 16 | l << 8 | i, at, at + ns, .label = l, .wake_time = at - 20 * i,
				      .flags = COROPROF_SLICE_FRESH | COROPROF_SLICE_END, .count = { ns });
				at += ns;
			}
	}
	return load(g);
}

static struct model *wide(unsigned int n)
{
	return wide_of(n, 5);
}

static void has_no_more_series_than_its_bound(void **state)
{
	static const uint32_t labels[] = { CHOICE_LABELS, 5, 0, 100, 300, CHOICE_LABELS, 0 };
	uint64_t full = 0;

	(void)state;
	for (unsigned int i = 0; i < 14; i++) {
		uint64_t want = 0, got = 0, most = 0;

		begin(i % 2, NULL);
		choice.most = labels[i / 2];
		for (unsigned int n = 0; n < 14; n++) {
			struct book_window w = window(n * 100000000, (n + 1) * 100000000);
			struct model *m = wide_of(n, i / 2 < 5 ? 5 : 15);
			char *text;

			/* Of the same figures there are two standings. */
			w.cut = n % 2;
			want += m->times.running_ns;
			text = sent(m, &w);
			if (book.cumulative && series_in(text) != book_series(&book))
				fail_msg("%llu series, not %llu", (unsigned long long)series_in(text),
					 (unsigned long long)book_series(&book));
			if (book_series(&book) > choice_series(&choice))
				fail_msg("%llu series of %u labels", (unsigned long long)book_series(&book),
					 choice.most);
			most = book_series(&book);
			got += (uint64_t)sum(text, "state=running", "");
			free(text);
		}
		if (!book.cumulative)
			assert_int_equal(got, want);
		full += most * 10 > choice_series(&choice) * 8;
		assert_true(choice.most < CHOICE_LABELS || i >= 10 || book.nr_labels > 10);
		end();
	}
	/* Where labels would make more they make nearly as many as they may. */
	assert_true(full >= 6);
}

/* One that runs most of all has its name however many are there, and what it replaces does not come back at once. */
static void has_labels_that_run_most(void **state)
{
	unsigned int changes = 0;
	char *text;

	(void)state;
	begin(true, NULL);
	for (unsigned int n = 0; n < 30; n++) {
		struct book_window w = window(n * 100000000, (n + 1) * 100000000);
		uint64_t crowded = book.crowded;

		text = sent(wide(10), &w);
		changes += book.crowded != crowded;
		free(text);
	}
	assert_true(changes < 3);
	for (unsigned int n = 30; n < 32; n++) {
		struct book_window w = window(n * 100000000, (n + 1) * 100000000);
		struct gen *g = begin_recording();

		channel(g, 1, 1000);
		SLICE(g, 1, 5, 1000, 90000000, .label = 1, .count = { 1, 2 });
		text = sent(load(g), &w);
		assert_true(book_series(&book) <= choice_series(&choice));
		assert_true(sum(text, A, "state=running") > 0);
		free(text);
	}
	end();
}

/* A recording of totals says each time what there was from its begin. */
static void sends_of_totals_what_is_new(void **state)
{
	struct book_window first = window(0, 2000), second = window(2000, 3000);
	char *text;

	(void)state;
	first.so_far = second.so_far = true;
	begin(false, NULL);
	text = sent(two(), &first);
	assert_int_equal(sum(text, A, "state=running"), 300);
	free(text);
	assert_true(book_own(&book, BOOK_CPU, STANDING_COUNTED, 5));
	text = sent(two(), &second);
	assert_no(text, "state=running");
	free(text);
	end();
}

/* A thread outside its coroutines has a label of its own, which may have the name of theirs. */
static void adds_up_what_has_one_name(void **state)
{
	struct book_window w = window(0, 2000);
	struct gen *g = begin_recording();
	char *text;

	(void)state;
	w.so_far = true;
	channel(g, 1, 1000);
	SLICE(g, 1, 5, 1000, 1100, .label = 1, .flags = COROPROF_SLICE_FRESH, .count = { 10, 20 });
	SLICE(g, 1, COROPROF_ID_THREAD | 7, 1100, 1400, .label = 1, .count = { 30, 40 });
	begin(false, NULL);
	text = sent(load(g), &w);
	assert_int_equal(sum(text, A, "state=running"), 400);
	assert_int_equal(sum(text, A, "switches"), 2);
	assert_int_equal(sum(text, A, "coroprof.counter.cycles"), 40);
	free(text);
	end();
}

static void marks_what_windows_cut(void **state)
{
	struct book_window w = window(0, 2000);
	char *text;

	(void)state;
	w.cut = true;
	begin(false, NULL);
	text = sent(two(), &w);
	assert_int_equal(sum(text, "standing=at least", "state=ready"), 50);
	assert_int_equal(sum(text, "standing=at least", "state=running"), -1);
	free(text);
	end();
}

static void begins_anew_when_the_clock_is_set(void **state)
{
	struct book_window w = window(0, 2000), back = window(2000, 3000);
	char *text;

	(void)state;
	begin(true, NULL);
	free(sent(two(), &w));
	back.offset_ns -= 3600000000000ll;
	text = sent(two(), &back);
	assert_int_equal(book.stepped_ns, -3600000000000ll);
	assert_int_equal(sum(text, A, "state=running"), 300);
	assert_line(text, "start=999996400000002000 time=999996400000003000 value=300");
	free(text);
	end();
}

/* Figures of labels are the same with a row for each and with one. */
static void needs_no_rows_of_coroutines(void **state)
{
	struct book_window w = window(900, 200000);
	char *texts[2];

	(void)state;
	for (unsigned int rows = 0; rows < 2; rows++) {
		struct gen *g = begin_recording();
		uint64_t at = 1000;
		struct model *m;

		channel(g, 1, 1000);
		for (unsigned int i = 0; i < 600; i++) {
			uint64_t id = 5 + i * 7 % 20, ns = 50 + i * 31 % 100;

			SLICE(g, 1, id, at, at + ns, .label = 1 + id % 2, .wake_time = i % 3 ? at - 20 : 0,
			      .flags = i < 20 ? COROPROF_SLICE_FRESH : i < 580 ? 0 : COROPROF_SLICE_END,
			      .count = { ns, 2 * ns });
			at += ns + 10;
		}
		m = rows ? load_with(g, &reading_options) : load(g);
		assert_int_equal(m->nr_coroutines > 15, !rows);
		begin(true, NULL);
		texts[rows] = sent(m, &w);
		end();
	}
	assert_string_equal(texts[0], texts[1]);
	assert_line(texts[0], "state=awaiting");
	assert_line(texts[0], "coroutine.lifetime");
	free(texts[0]);
	free(texts[1]);
}

/* As NTP does, and as two clocks that are read one after the other differ. */
static void leaves_no_gap_where_the_clock_is_slewed(void **state)
{
	struct book_window w = window(0, 2000), next = window(2000, 3000), later = window(3001, 4000);
	char *text;

	(void)state;
	begin(false, NULL);
	free(sent(two(), &w));
	next.offset_ns -= 7;
	text = sent(two(), &next);
	assert_line(text, "start=1000000000000002000 time=1000000000000002993 value=300");
	free(text);
	text = sent(two(), &later);
	assert_line(text, "start=1000000000000003001 time=1000000000000004000 value=300");
	free(text);
	end();
}

static void makes_any_name_of_a_label_fit(void **state)
{
	struct book_window w = window(0, 2000);
	struct gen *g = begin_recording();
	char name[COROPROF_LABEL_TEXT_MAX], *text;

	(void)state;
	memset(name, 'x', sizeof(name));
	gen_label(g, 1, 3, name, sizeof(name));
	name[sizeof(name) - 1] = 'y';
	gen_label(g, 1, 4, name, sizeof(name));
	gen_label(g, 1, 5, "\x1b[2J\xff\n", 6);
	channel(g, 1, 1000);
	for (uint32_t i = 3; i <= 5; i++)
		SLICE(g, 1, i, 1000 + 10 * i, 1005 + 10 * i, .label = i);
	begin(false, NULL);
	text = sent(load(g), &w);
	assert_no(text, "\x1b");
	assert_line(text, "coroprof.label=\\x1b[2J\xef\xbf\xbd\\x0a ");
	for (const char *line = text; (line = strstr(line, "coroprof.label=x"));) {
		assert_true(strcspn(line, " ") <= strlen("coroprof.label=") + CHOICE_NAME);
		line++;
	}
	assert_int_equal(book.nr_labels, 3);
	free(text);
	end();
}

/* As a name of C++ can be. */
static void cuts_long_names_into_distinct_ones(void **state)
{
	char name[10241], *one, *other;

	(void)state;
	begin(false, NULL);
	for (unsigned int i = 0; i < 10240; i += 2)
		memcpy(&name[i], "\xc3\xa4", 2);
	name[10240] = '\0';
	one = choice_name(&choice, name);
	name[10238] = 'a';
	name[10239] = 'b';
	other = choice_name(&choice, name);
	assert_string_not_equal(one, other);
	assert_true(strlen(one) <= CHOICE_NAME);
	assert_int_equal(strspn(one, "\xc3\xa4") % 2, 0);
	free(one);
	free(other);
	end();
}

static void refuses_words_for_labels(void **state)
{
	static const char *const wrong[] = { "", "a,,b", "a,", ",hash" };
	struct choice c = { 0 };
	struct error err;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_not_equal(choice_parse(&c, wrong[i], &err), 0);
		choice_free(&c);
	}
}

static void hashes_as_the_standard_does(void **state)
{
	char long_text[65], to[65];

	(void)state;
	digest_text("abc", 3, 64, to);
	assert_string_equal(to, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	digest_text("", 0, 64, to);
	assert_string_equal(to, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	memset(long_text, 'a', 64);
	digest_text(long_text, 64, 64, to);
	assert_string_equal(to, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

static void reads_answers(void **state)
{
	struct otlp_answer a;

	(void)state;
	assert_true(otlp_read(&a, "", 0));
	assert_int_equal(a.rejected, 0);
	assert_true(otlp_read(&a, "\x0a\x07\x08\x05\x12\x03" "bad", 9));
	assert_int_equal(a.rejected, 5);
	assert_string_equal(a.message, "bad");
	assert_false(otlp_read(&a, "<html>", 6));
	assert_false(otlp_read(&a, "\x0a\x07\x08", 3));
	assert_false(otlp_read(&a, "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sends_each_figure_of_a_label),
		cmocka_unit_test(sends_lengths_by_powers_of_two),
		cmocka_unit_test(sends_many_lengths),
		cmocka_unit_test(leaves_out_what_is_not_known),
		cmocka_unit_test(parts_what_is_counted_from_what_is_estimated),
		cmocka_unit_test(sums_up_what_is_cumulative_and_not_what_is_delta),
		cmocka_unit_test(keeps_all_sums_with_few_labels),
		cmocka_unit_test(sends_of_totals_what_is_new),
		cmocka_unit_test(adds_up_what_has_one_name),
		cmocka_unit_test(has_no_more_series_than_its_bound),
		cmocka_unit_test(has_labels_that_run_most),
		cmocka_unit_test(marks_what_windows_cut),
		cmocka_unit_test(begins_anew_when_the_clock_is_set),
		cmocka_unit_test(needs_no_rows_of_coroutines),
		cmocka_unit_test(leaves_no_gap_where_the_clock_is_slewed),
		cmocka_unit_test(makes_any_name_of_a_label_fit),
		cmocka_unit_test(cuts_long_names_into_distinct_ones),
		cmocka_unit_test(refuses_words_for_labels),
		cmocka_unit_test(hashes_as_the_standard_does),
		cmocka_unit_test(reads_answers),
	};

	name_recording();
	return cmocka_run_group_tests_name("otlp", tests, NULL, NULL);
}
