// SPDX-License-Identifier: GPL-2.0
/*
 * Functions by the tags of the coroutines that called them, in the case that yappi's own tests of
 * tags have: a() and b() called by several with a tag, and by one that has none.
 */
#include "base/warn.h"
#include "gen/recording.h"
#include "output/output.h"
#include "support.h"

#define A	11
#define B	12
#define ROOM	(64 << 10)

static char warned[1024];

/* Stands in for the reader's. What these recordings are made of is no matter here. */
void warn(const char *format, ...)
{
	va_list args;

	if (strstr(format, "simulated PMU"))
		return;
	va_start(args, format);
	vsnprintf(warned, sizeof(warned), format, args);
	va_end(args);
}

/* a() for 10 ns, @calls times, each with b() in it for 4 ns. Returns when it has ended. */
static uint64_t calls_of(struct gen *g, uint64_t id, unsigned int calls, uint64_t at)
{
	for (unsigned int i = 0; i < calls; i++, at += 10) {
		gen_span(g, 1, &(struct gen_span){
			.id = id, .label = B, .depth = 1, .time = at + 5, .duration = 4,
			.running_ns = 4,
		});
		gen_span(g, 1, &(struct gen_span){
			.id = id, .label = A, .time = at + 10, .duration = 10, .running_ns = 10,
		});
	}
	return at;
}

static uint64_t live(struct gen *g, uint64_t id, unsigned int calls, uint64_t at, bool born,
		     uint64_t tag)
{
	uint64_t end = calls_of(g, id, calls, at);

	SLICE(g, 1, id, at, end, .label = 1, .tag = tag,
	      .flags = born ? COROPROF_SLICE_FRESH : 0);
	return end;
}

/* Tag 0 calls a() twice, and three times more later on; 1 once; 2 four times; nobody 8 times. */
static void make(void)
{
	struct gen *g = begin_recording();
	uint64_t at = 1000;

	gen_label(g, 1, A, "a", 1);
	gen_label(g, 1, B, "b", 1);
	channel(g, 1, at);
	at = live(g, 20, 2, at, true, 0);
	at = live(g, 21, 1, at, true, 1);
	at = live(g, 22, 4, at, true, 2);
	at = live(g, 23, 8, at, false, 0);
	live(g, 20, 3, at, false, 0);
	gen_close(g, true);
}

static char *written_anyhow(const struct source *source, const struct view_options *view,
			    enum format format)
{
	char path[] = "/tmp/coroprof-test-XXXXXX";
	const struct output output = { .path = path, .format = format };
	char *text = calloc(1, ROOM);
	struct outcome outcome;
	struct error err;
	FILE *file;

	close(mkstemp(path));
	*warned = '\0';
	if (output_all(source, &output, 1, view, &outcome, &err))
		fail_msg("%s", err.message);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_in_range(fread(text, 1, ROOM - 1, file), 1, ROOM - 2);
	fclose(file);
	unlink(path);
	return text;
}

static char *written_of(const struct source *source, const struct view_options *view,
			enum format format)
{
	char *text = written_anyhow(source, view, format);

	assert_string_equal(warned, "");
	return text;
}

static char *written(const char *table, const char *where, enum format format)
{
	const struct source source = { { recording_path }, .nr = 1 };
	const struct view_options view = {
		.table = table, .columns = format == FORMAT_CSV ? "name,calls,own_wall,wall" : NULL,
		.wheres = { where }, .nr_wheres = where ? 1 : 0,
	};

	return written_of(&source, &view, format);
}

static unsigned int rows_of(const char *text)
{
	unsigned int rows = 0;

	for (text = strchr(text, '\n'); text && text[1]; text = strchr(text + 1, '\n'))
		rows++;
	return rows;
}

static void assert_calls(const char *where, unsigned int calls)
{
	char *text = written("spans", where, FORMAT_CSV), want[64];

	snprintf(want, sizeof(want), "a,%u,counted,%u,counted,%u", calls, 6 * calls, 10 * calls);
	assert_says(text, want);
	snprintf(want, sizeof(want), "b,%u,counted,%u,counted,%u", calls, 4 * calls, 4 * calls);
	assert_says(text, want);
	assert_int_equal(rows_of(text), 2);
	free(text);
}

static void sums_are_of_the_tag_alone(void **state)
{
	(void)state;
	make();
	assert_calls(NULL, 18);
	assert_calls("tag=0", 5);
	assert_calls("tag=1", 1);
	assert_calls("tag=2", 4);
	assert_calls("tag=[12]", 5);
	/* Who has none fits nothing. */
	assert_calls("tag=*", 10);
	unlink(recording_path);
}

static void of_a_tag_that_nobody_has_there_is_nothing(void **state)
{
	char *text;

	(void)state;
	make();
	text = written("spans", "tag=7", FORMAT_CSV);
	assert_int_equal(rows_of(text), 0);
	free(text);
	unlink(recording_path);
}

/* A part that begins after the first calls of tag 0, and ends with its last ones. */
static struct view_options later(const char *table, const char *columns, struct source *source)
{
	*source = (struct source){ { recording_path }, .nr = 1, .from_ns = 60 };
	return (struct view_options){
		.table = table, .columns = columns, .wheres = { "tag=0" }, .nr_wheres = 1
	};
}

static void tags_of_coroutines_born_before_the_part_are_known(void **state)
{
	struct source source;
	struct view_options view = later("spans", "name,calls", &source);
	char *text;

	(void)state;
	make();
	text = written_of(&source, &view, FORMAT_CSV);
	assert_says(text, "a,3,counted\r\n");
	assert_says(text, "b,3,counted\r\n");
	free(text);
	unlink(recording_path);
}

static void it_is_said_of_which_coroutines_a_part_has_no_tag(void **state)
{
	struct source source;
	struct view_options view = later("coroutines", "id", &source);
	char *text;

	(void)state;
	make();
	text = written_anyhow(&source, &view, FORMAT_CSV);
	assert_int_equal(rows_of(text), 0);
	assert_says(warned, "without 1 that fits: a coroutine's tag is recorded when it begins, which was before --from");
	free(text);
	unlink(recording_path);
}

static void text_and_json_have_the_same_sums(void **state)
{
	char *text;

	(void)state;
	make();
	text = written(NULL, "tag=2", FORMAT_TEXT);
	assert_says(text, "2 of 2 rows: tag=2");
	free(text);
	text = written("spans", "tag=2", FORMAT_JSON);
	assert_says(text, "\"calls\":[4,4]");
	assert_null(strstr(text, "\"calls\":[18"));
	free(text);
	unlink(recording_path);
}

/* ------------------------------------------------------------------------
 * samples
 */

#define INNER	0x400100
#define OUTER	0x500201

static void sample_of(struct gen *g, uint64_t id, uint32_t nr, uint64_t at)
{
	for (uint32_t i = 0; i < nr; i++)
		gen_sample(g, 1, &(struct gen_sample){
			.id = id, .label = 1, .time = at + i, .address = { INNER, OUTER },
		});
}

/* Tag 0 has one sample, tag 1 two, tag 2 four, and who has no tag eight. */
static void make_sampled(void)
{
	struct gen *g = begin_recording();

	gen_info(g, "sample_event", "cycles");
	gen_info(g, "sample_period", "1000");
	map_object(g, "/nonexistent/prog", 0x400000);
	map_object(g, "/nonexistent/lib.so", 0x500000);
	channel(g, 1, 1000);
	for (uint32_t i = 0; i < 4; i++) {
		SLICE(g, 1, 20 + i, 1000 + 100 * i, 1100 + 100 * i, .label = 1, .tag = i,
		      .flags = i < 3 ? COROPROF_SLICE_FRESH : 0);
		sample_of(g, 20 + i, 1u << i, 1010 + 100 * i);
	}
	gen_close(g, true);
}

static char *sampled(const char *table, const char *columns, const char *where,
		     enum format format)
{
	const struct source source = { { recording_path }, .nr = 1 };
	const struct view_options view = {
		.table = table, .columns = columns,
		.wheres = { where }, .nr_wheres = where ? 1 : 0,
	};

	return written_of(&source, &view, format);
}

/* One function samples were taken in, called by another one, of one label. */
static void assert_samples(const char *where, unsigned int samples)
{
	static const char *const tables[][2] = {
		{ "functions", "own,total" }, { "label_functions", "own,total" },
		{ "sample_tree", "own,total" },
	};
	char want[2][32];

	snprintf(want[0], sizeof(want[0]), ",%u,counted,%u,counted\r\n", samples, samples);
	snprintf(want[1], sizeof(want[1]), ",0,counted,%u,counted\r\n", samples);
	for (unsigned int i = 0; i < ARRAY_SIZE(tables); i++) {
		char *text = sampled(tables[i][0], tables[i][1], where, FORMAT_CSV);

		assert_says(text, want[0]);
		assert_says(text, want[1]);
		free(text);
	}
}

static void samples_are_of_the_tag_alone(void **state)
{
	(void)state;
	make_sampled();
	assert_samples(NULL, 15);
	assert_samples("tag=0", 1);
	assert_samples("tag=1", 2);
	assert_samples("tag=2", 4);
	assert_samples("tag=[12]", 6);
	assert_samples("tag=*", 7);
	unlink(recording_path);
}

static void text_has_samples_of_the_tag_alone(void **state)
{
	char *text, *rows;

	(void)state;
	make_sampled();
	text = sampled("functions", "own,total", "tag=2", FORMAT_TEXT);
	/* The header is of all of them. */
	assert_says(text, "15 of cycles");
	rows = strstr(text, "2 of 2 rows: tag=2");
	assert_non_null(rows);
	assert_says(rows, "[prog]      4      4");
	assert_null(strstr(rows, "15"));
	free(text);
	text = sampled("functions", "own,total", "tag=7", FORMAT_CSV);
	assert_int_equal(rows_of(text), 0);
	free(text);
	unlink(recording_path);
}

/* ------------------------------------------------------------------------
 * two recordings
 */

#define OLD	"/tmp/coroprof-test-tagged-old.cprof"

/* Each of tag 1 takes 100 ns and calls a() once, each of tag 2 so much; so has who has no tag. */
static void make_one(uint32_t ns)
{
	struct gen *g = begin_recording();
	uint64_t at = 1000;

	gen_label(g, 1, A, "a", 1);
	channel(g, 1, at);
	for (uint64_t id = 20; id < 80; id++) {
		uint64_t end = at + (id % 3 == 1 ? 100 : ns);

		gen_span(g, 1, &(struct gen_span){
			.id = id, .label = A, .time = end, .duration = end - at,
			.running_ns = end - at,
		});
		SLICE(g, 1, id, at, end, .label = 1, .tag = id % 3, .count = { end - at, end - at },
		      .flags = id % 3 ? COROPROF_SLICE_FRESH : 0);
		at = end;
	}
	gen_close(g, true);
}

static char *compared(const char *where, const char *table, enum format format)
{
	const struct source source = { { recording_path }, .nr = 1, .old = { OLD }, .nr_old = 1 };
	const struct view_options view = {
		.table = table,
		.columns = format == FORMAT_CSV ? "name,figure,old,old_coroutines,new,new_coroutines,verdict" : NULL,
		.wheres = { where }, .nr_wheres = where ? 1 : 0,
	};

	return written_of(&source, &view, format);
}

static void make_two(void)
{
	make_one(200);
	assert_int_equal(rename(recording_path, OLD), 0);
	make_one(400);
}

static void remove_two(void)
{
	unlink(recording_path);
	unlink(OLD);
}

static void assert_compared(const char *where, const char *label, const char *span)
{
	char *text = compared(where, NULL, FORMAT_CSV);

	assert_says(text, label);
	assert_says(text, span);
	free(text);
}

/* Labels as well as spans, of both recordings. */
static void recordings_are_compared_by_the_tag_alone(void **state)
{
	(void)state;
	make_two();
	/* Times have no verdict from one run each, instructions have. */
	assert_compared("tag=1", "a,instructions/slice,100,counted,20,100,counted,20,noise",
			"a,running/call,100,counted,,100,counted,,");
	assert_compared("tag=2", "a,instructions/slice,200,counted,20,400,counted,20,more",
			"a,running/call,200,counted,,400,counted,,");
	assert_compared(NULL, "a,instructions/slice,166.666667,counted,60,300,counted,60,more",
			"a,running/call,166.666667,counted,,300,counted,,");
	remove_two();
}

static void text_compares_by_the_tag_alone(void **state)
{
	char *text;

	(void)state;
	make_two();
	text = compared("tag=1", NULL, FORMAT_TEXT);
	assert_says(text, "only what fits, in both recordings: tag=1\n");
	assert_says(text, "no label, span or function has changed beyond noise");
	free(text);
	text = compared("tag=2", NULL, FORMAT_TEXT);
	assert_says(text, "labels that have changed beyond noise");
	assert_says(text, ": tag=2");
	free(text);
	remove_two();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_of_the_tag_alone),
		cmocka_unit_test(of_a_tag_that_nobody_has_there_is_nothing),
		cmocka_unit_test(tags_of_coroutines_born_before_the_part_are_known),
		cmocka_unit_test(it_is_said_of_which_coroutines_a_part_has_no_tag),
		cmocka_unit_test(text_and_json_have_the_same_sums),
		cmocka_unit_test(samples_are_of_the_tag_alone),
		cmocka_unit_test(text_has_samples_of_the_tag_alone),
		cmocka_unit_test(recordings_are_compared_by_the_tag_alone),
		cmocka_unit_test(text_compares_by_the_tag_alone),
	};

	return cmocka_run_group_tests_name("tagged", tests, NULL, NULL);
}
