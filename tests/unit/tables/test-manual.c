// SPDX-License-Identifier: GPL-2.0
/*
 * coroprof-tables(5), as it was built, has each table, column and word that is described; and each
 * word that a column may have comes out of some recording.
 */
#include <errno.h>
#include <stdlib.h>

#include "cprof/format.h"
#include "diff/diff.h"
#include "diff/slow.h"
#include "gen/recording.h"
#include "support.h"
#include "tables/findings.h"
#include "tables/table.h"

#define TABLES_MAX	64
#define COLUMNS_MAX	128

/* By table and column as they are described: a bit for each word that came out. */
static uint64_t seen[TABLES_MAX][COLUMNS_MAX];

static void see_column(const struct sheet *s, unsigned int table, unsigned int column)
{
	const struct column *is = s->columns[column].is;
	uint64_t *words = &seen[table][is - s->table->columns];

	for (uint32_t row = 0; row < s->rows; row++) {
		struct cell cell = sheet_cell(s, row, column);

		if (has_value(cell))
			*words |= is->kind == KIND_FLAGS ? cell.number : 1ull << cell.number;
	}
}

static void see(struct model *m)
{
	struct sheet s;

	assert_int_equal(findings_make(m), 0);
	for (unsigned int t = 0; t < nr_tables; t++) {
		assert_true(t < TABLES_MAX && tables[t]->nr <= COLUMNS_MAX);
		assert_int_equal(sheet_open(&s, tables[t], m), 0);
		for (unsigned int c = 0; c < s.nr_columns; c++)
			if (s.columns[c].is->words)
				see_column(&s, t, c);
		sheet_close(&s);
	}
	model_free(m);
}

/* ------------------------------------------------------------------------
 * recordings
 */

static struct model *scenario(const char *name)
{
	struct model *m;

	gen_close(begin_recording(), true);
	assert_true(gen_scenario(name, recording_path));
	m = load_path(recording_path, &(struct model_options){ .squares = true });
	unlink(recording_path);
	return m;
}

/* "header-only" is no recording, and of "many" there are more than it takes. */
static void see_scenarios(void)
{
	for (const char *const *name = gen_scenarios(); *name; name++)
		if (strcmp(*name, "header-only") && strcmp(*name, "many"))
			see(scenario(*name));
}

/* Counters of each sort, one of them the program's own. */
static void see_counters(void)
{
	static const struct coroprof_counter clock = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
		.flags = COROPROF_COUNTER_KERNEL | COROPROF_COUNTER_PINNED,
	};
	static const struct coroprof_counter own = { .type = COROPROF_TYPE_PROGRAM };
	struct gen *g = begin_file();

	gen_counter(g, &clock, "task-clock");
	gen_counter(g, &own, "program");
	gen_process(g, 1, 100, "one", 900);
	see(load(g));
}

/*
 * Probed for long, outside any label, in two threads at once, cut, with missed switches, parted,
 * and lost.
 */
static void see_slices(void)
{
	struct gen *g = begin_recording();

	gen_info(g, "probe_ns", "1500");
	gen_mode(g, COROPROF_MODE_IOCTL, COROPROF_REASON_PROBED);
	channel(g, 1, 1000000);
	for (uint64_t i = 0; i < 40; i++)
		SLICE(g, 1, 11, 1000000 + i * 10000, 1010000 + i * 10000, .label = 2);
	gen_mode(g, COROPROF_MODE_USER, 0);
	channel(g, 2, 1000000);
	SLICE(g, 2, 11, 1000000, 1005000, .label = 2, .flags = COROPROF_SLICE_UNREPORTED);
	SLICE(g, 2, 12, 1005000, 1006000);
	gen_lost(g, 2, 1106000, 7, true);
	SLICE(g, 2, 12, 1106000, 1107000);
	gen_label(g, 1, 7, MODEL_NAMING, strlen(MODEL_NAMING));
	SLICE(g, 2, 13, 1107000, 1107000, .label = 7);
	SLICE(g, 2, 12, 1107000, 1107000);
	gen_close(g, true);
	see(load_path(recording_path, NULL));
	see(load_path(recording_path, &(struct model_options){ .timeline_slices = 1 }));
	see(load_path(recording_path, &(struct model_options){ .labels = 1 }));
	see(load_path(recording_path, &(struct model_options){ .from_ns = 2000, .to_ns = 5500 }));
	unlink(recording_path);
}

/* Of totals: the kernel knows of more than a slot has. */
static void see_totals(void)
{
	struct {
		struct cprof_totals head;
		struct coroprof_slot slot;
	} totals = {
		.head = { 1, sizeof(totals.slot) },
		.slot = { .id = 10, .label = 1, .slices = 1, .running_ns = 10, .standing = 0xf },
	};
	struct gen *g = begin_recording();
	struct coroprof_channel_status *s;

	gen_info(g, "totals", "yes");
	channel(g, 1, 1000);
	s = gen_status(g, 1);
	s->begin = 1000;
	s->slices = 2;
	s->running_ns = 20;
	s->standing = 0xf;
	gen_segment(g, CPROF_SEGMENT_TOTALS, &totals, sizeof(totals));
	see(load(g));
}

#define BASE	0x10000000ull
#define OTHER	0x20000000ull

/* What the Makefile has built for test-lines, too. */
static const char *inlined(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 100);

	assert_true(n > 0);
	path[n] = '\0';
	strcpy(strrchr(path, '/'), "/../symbols/objects/inlined-5.so");
	if (access(path, R_OK))
		fail_msg("no %s: run by make -C tests/unit check", path);
	return realpath(path, NULL);
}

static void sample(struct gen *g, uint64_t time, uint16_t flags, uint64_t inner, uint64_t outer)
{
	gen_sample(g, 1, &(struct gen_sample){ .id = 10, .label = 1, .time = time, .flags = flags,
					       .address = { inner, outer } });
}

/* In each of an object's first functions, in an object that is not here, in none, in the kernel. */
static void see_samples(void)
{
	struct gen *g = begin_recording();
	char *path = (char *)inlined();

	gen_info(g, "sample_event", "cycles");
	gen_sample_error(g, EOPNOTSUPP, true);
	map_object(g, path, BASE);
	map_object(g, "/nonexistent/lib.so", OTHER);
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 9000, .label = 1);
	sample(g, 1100, COROPROF_SAMPLE_IN_KERNEL, OTHER + 1, 0);
	sample(g, 1200, COROPROF_SAMPLE_CUT, 0x10, 0);
	for (uint64_t at = 0; at < 0x2000; at += 4)
		sample(g, 1300 + at / 4, 0, BASE + at, OTHER + at);
	gen_close(g, true);
	see(load_path(recording_path, NULL));
	see(load_path(recording_path, &(struct model_options){ .frames = 4, .no_inline = true }));
	unlink(recording_path);
	free(path);
}

/* ------------------------------------------------------------------------
 * comparisons
 */

static void see_difference(struct model *old, struct model *new)
{
	struct error err;

	if (diff_models(new, old, NULL, 0, &err))
		fail_msg("%s", err.message);
	model_free(old);
	see(new);
}

/**
 * struct lives - coroutines of label "a", of one slice each, in turns of the rest and of slow ones
 * @rest: instructions of a slice of the former
 * @slow: of the latter, which take longer
 * @late: so much more for one in eight of the slow ones
 */
struct lives {
	uint32_t rest;
	uint32_t slow;
	uint32_t late;
};

#define LIVES	240u
#define FAST	1000u
#define SLOW	5000u

static void put_life(struct gen *g, const struct lives *l, uint32_t i, uint64_t begin)
{
	bool slow = i % 2;
	uint64_t end = begin + (slow ? SLOW : FAST);
	uint32_t work = (slow ? l->slow : l->rest) + i % 7 + (i % 16 == 3 ? l->late : 0);

	gen_span(g, 1, &(struct gen_span){ .id = 10 + i, .label = slow ? 3 : 4, .time = begin + 500,
					   .duration = 400, .running_ns = 400 });
	sample(g, begin + 100, 0, OTHER, 0);
	SLICE(g, 1, 10 + i, begin, end, .label = 1, .count = { 1000 + i % 5, work },
	      .flags = COROPROF_SLICE_FRESH | COROPROF_SLICE_END);
}

static void write_lives(const struct lives *l)
{
	struct gen *g = begin_recording();

	gen_info(g, "sample_event", "cycles");
	gen_info(g, "sample_period", "1000");
	gen_label(g, 1, 3, "slowly", 6);
	gen_label(g, 1, 4, "quick", 5);
	map_object(g, "/nonexistent/lib.so", OTHER);
	channel(g, 1, 1000);
	for (uint32_t i = 0; i < LIVES; i++)
		put_life(g, l, i, 1000 + i * SLOW);
	gen_close(g, true);
}

static struct model *lives(uint32_t rest, uint32_t slow, uint32_t late)
{
	struct model *m;

	write_lives(&(struct lives){ rest, slow, late });
	m = load_path(recording_path, &(struct model_options){ .squares = true });
	unlink(recording_path);
	return m;
}

static void see_slow_ones(const char *text)
{
	const struct model_options options = { .shards = 2 };
	struct model *m = load_path(recording_path, &options);
	struct slow slow;
	struct error err;

	if (slow_parse(&slow, text, &err) || slow_find(m, recording_path, &slow, &options, &err))
		fail_msg("%s", err.message);
	see(m);
}

/* More, less, a hair's breadth, a few against most: of slow lives, and of two recordings. */
static void see_verdicts(void)
{
	static const struct lives of[] = {
		{ 10000, 12000, 0 }, { 12000, 10000, 0 }, { 10000, 10050, 0 }, { 10000, 9000, 90000 },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		write_lives(&of[i]);
		see_slow_ones("a:of=lives,above=2us");
		see_slow_ones("a:by=instructions,above=10003");
		unlink(recording_path);
		see_difference(lives(of[i].rest, of[i].rest, 0),
			       lives(of[i].slow, of[i].slow, of[i].late));
	}
	see_difference(scenario("requests"), scenario("requests-two"));
	see_difference(scenario("requests-two"), scenario("requests"));
}

/* Slow ones are woken by "b", have waited for it, and run on the second thread. */
static void see_who_holds(void)
{
	struct gen *g = begin_recording();
	uint64_t now = 100000;

	channel(g, 1, 1000);
	channel(g, 2, 1000);
	for (uint32_t i = 0; i < 20; i++, now += 20000) {
		uint64_t wait = i % 2 ? 4100 : 100;

		SLICE(g, 1 + i % 2, 20, now - 5100, now - 100, .label = 2);
		SLICE(g, 1 + i % 2, 10, now, now + FAST, .label = 1, .wake_time = now - wait,
		      .waker = 20, .flags = i ? 0 : COROPROF_SLICE_FRESH);
	}
	gen_close(g, true);
	see_slow_ones("a:by=ready,above=1us");
	unlink(recording_path);
}

/* The program asked a flight recorder for it, in its second slice. */
static void see_request(void)
{
	struct gen *g = begin_recording();

	gen_info(g, "kept_from", "1000000");
	gen_info(g, "kept_ns", "60000000000");
	gen_info(g, "dumped", "a request of the program: late");
	gen_info(g, "dumped_channel", "1");
	gen_info(g, "dumped_id", "11");
	gen_info(g, "dumped_begin", "1015000");
	gen_info(g, "dumped_figure", "program");
	channel(g, 1, 1000000);
	for (uint64_t i = 0; i < 2; i++)
		SLICE(g, 1, 11, 1000000 + i * 10000, 1010000 + i * 10000, .label = 2);
	gen_close(g, true);
	see(load_path(recording_path, NULL));
	unlink(recording_path);
}

static void each_word_comes_out_of_some_recording(void **state)
{
	unsigned int missing = 0;

	(void)state;
	see_scenarios();
	see_counters();
	see_slices();
	see_totals();
	see_samples();
	see_verdicts();
	see_who_holds();
	see_request();
	for (unsigned int t = 0; t < nr_tables; t++)
		for (unsigned int c = 0; c < tables[t]->nr; c++) {
			const struct column *is = &tables[t]->columns[c];

			for (unsigned int w = 0; is->words && is->words[w]; w++)
				if (*is->words[w] && !(seen[t][c] >> w & 1)) {
					print_message("# %s.%s: '%s' comes out of no recording\n",
						      tables[t]->name, is->name, is->words[w]);
					missing++;
				}
		}
	assert_int_equal(missing, 0);
}

/* ------------------------------------------------------------------------
 * the page
 */

static char *read_page(void)
{
	char *text = calloc(1, 1 << 20);
	FILE *file = fopen(MANUAL, "r");

	assert_non_null(text);
	assert_non_null(file);
	text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
	fclose(file);
	return text;
}

/* As the page has them: a hyphen is an escape. */
static void put_words(const struct column *c, FILE *file)
{
	const char *before = c->kind == KIND_WORD ? "\nOne of: " : "\nAny of: ";

	for (const char *const *word = c->words; *word; word++) {
		if (!**word)
			continue;
		fputs(before, file);
		for (const char *at = *word; *at; at++)
			fprintf(file, *at == '-' ? "\\-" : "%c", *at);
		before = ", ";
	}
	fputs(".\n", file);
}

/* Its name and kind, and in what is said below that, its words. */
static void assert_column(char *table, const struct column *c)
{
	const char *hole = strstr(c->name, "%s");
	char line[256], *at, *end, *words = NULL;
	size_t size;
	FILE *file;

	snprintf(line, sizeof(line), "\n.TP\n.BR \"%.*s%s%s\" \" (%s",
		 hole ? (int)(hole - c->name) : (int)strlen(c->name), c->name,
		 hole ? "\\fICOUNTER\\fP" : "", hole ? hole + 2 : "", kind_name(c->kind));
	assert_says(table, line);
	if (!c->words)
		return;
	file = open_memstream(&words, &size);
	put_words(c, file);
	fclose(file);
	at = strstr(table, line) + 1;
	end = strstr(at, "\n.TP\n");
	if (end)
		end[1] = '\0';
	assert_says(at, words);
	if (end)
		end[1] = '.';
	free(words);
}

static void the_page_has_what_is_described(void **state)
{
	char *page = read_page(), *at = page;

	(void)state;
	for (unsigned int t = 0; t < nr_tables; t++) {
		char heading[64], *end;

		snprintf(heading, sizeof(heading), "\n.SH %s\n", tables[t]->name);
		at = strstr(at, heading);
		assert_non_null(at);
		end = strstr(++at, "\n.SH ");
		assert_non_null(end);
		end[1] = '\0';
		for (unsigned int c = 0; c < tables[t]->nr; c++)
			assert_column(at, &tables[t]->columns[c]);
		end[1] = '.';
	}
	for (enum standing s = 0; s < STANDING_NR; s++) {
		char line[64];

		snprintf(line, sizeof(line), "\n.TP\n.I %s\n", standing_name(s));
		assert_says(page, line);
	}
	assert_null(strchr(page, '@'));
	free(page);
}

/* The build stops then: the program ends with an error, and says so. */
static void a_page_that_can_not_be_written_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(system("echo @TABLES@ | " MANUAL_PROGRAM " >/dev/null"), 0);
	assert_int_not_equal(system("echo @TABLES@ | " MANUAL_PROGRAM " >/dev/full 2>/dev/null"), 0);
	assert_int_not_equal(system("echo | " MANUAL_PROGRAM " >/dev/full 2>/dev/null"), 0);
	assert_int_not_equal(system(MANUAL_PROGRAM " </ >/dev/null 2>/dev/null"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_that_can_not_be_written_is_an_error),
		cmocka_unit_test(the_page_has_what_is_described),
		cmocka_unit_test(each_word_comes_out_of_some_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
