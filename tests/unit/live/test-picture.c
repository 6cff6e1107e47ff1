// SPDX-License-Identifier: GPL-2.0
/* The screen as text, of recordings that are made here. */
#include "base/printable.h"
#include "gen/recording.h"
#include "live/picture.h"
#include "output/text/list.h"
#include "support.h"
#include "tables/figure.h"

#define SECOND	1000000000ull

static const struct view_options as_it_is;
static struct live_window window;
static struct choices choices;
static struct canvas canvas;
static struct picture picture;
static struct model *model;

static struct gen *some(void)
{
	struct gen *g = begin_recording();

	channel(g, 1, 1000000);
	SLICE(g, 1, THREAD(1), 1000000, 1010000, .count = { 9000, 6000 },
	      .flags = COROPROF_SLICE_FIRST);
	SLICE(g, 1, 10, 1010000, 3010000, .label = 1, .count = { 6000000, 9000000 },
	      .preempted_ns = 250000, .nr_preempted = 1, .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, 11, 3010000, 3510000, .label = 2, .count = { 1500000, 300000 },
	      .blocked_ns = 100000, .nr_blocked = 1, .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, 10, 3510000, 4010000, .label = 1, .wake_time = 3410000, .waker = 11,
	      .count = { 1500000, 2250000 });
	return g;
}

static void show(struct gen *g, unsigned int width, unsigned int height)
{
	model = load(g);
	window = (struct live_window){
		.begin_ns = SECOND, .end_ns = 11 * SECOND, .newest_ns = 11 * SECOND,
		.now = 11 * SECOND, .oldest = 1, .newest = 11, .end = 11, .status = -1,
	};
	picture = (struct picture){ .name = "shop", .view = &as_it_is, .cpu = 0.014, .every = 1 };
	choices_begin(&choices);
	choices_ticks(&choices, 1, 11, 11);
	picture_show(&picture, model, &window);
	canvas_begin(&canvas, width, height);
}

static void draw(void)
{
	canvas_begin(&canvas, canvas.width, canvas.height);
	picture_draw(&picture, &choices, &canvas);
	assert_false(canvas.out_of_memory);
	for (unsigned int row = 0; row < canvas.height; row++) {
		char *text = canvas_text(&canvas, row);

		assert_true(printable_width(text) <= canvas.width);
		free(text);
	}
}

static int end(void **state)
{
	(void)state;
	picture_free(&picture);
	trend_free(&picture.trend);
	canvas_free(&canvas);
	model_free(model);
	model = NULL;
	return 0;
}

/* The first row that has the text, or the height. */
static unsigned int find(const char *text)
{
	for (unsigned int row = 0; row < canvas.height; row++) {
		char *line = canvas_text(&canvas, row);
		bool is = strstr(line, text);

		free(line);
		if (is)
			return row;
	}
	return canvas.height;
}

static void assert_shown(const char *text)
{
	if (find(text) < canvas.height)
		return;
	for (unsigned int row = 0; row < canvas.height; row++) {
		char *line = canvas_text(&canvas, row);

		fprintf(stderr, "# %s\n", line);
		free(line);
	}
	fail_msg("'%s' is not on the screen", text);
}

static void assert_not_shown(const char *text)
{
	if (find(text) != canvas.height)
		fail_msg("'%s' is on the screen", text);
}

static void test_head(void **state)
{
	(void)state;
	show(some(), 120, 40);
	draw();
	assert_shown("coroprof top  shop  10.0 s  coroprof itself: 1.4 % of a CPU");
	assert_shown("sums hold, lost 0, overhead");
	assert_shown("now         no thread");
	window.squeezed = true;
	window.bytes = 512000000;
	choices.window = 3;
	picture.every = 4;
	draw();
	assert_shown("(all that is kept)");
	assert_shown("every 4 s");
	assert_shown("kept        512 MB, which is all that --keep-bytes allows");
	choices.end = 5;
	window.end_ns = 6 * SECOND;
	draw();
	assert_shown("5.00 s back");
	assert_not_shown("now         ");
	picture.message = "a warning";
	draw();
	assert_shown("a warning");
}

/* A long name gives way to what is behind it, but is to be seen. */
static void test_long_name(void **state)
{
	char name[200], least[16];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	show(some(), 80, 40);
	picture.name = name;
	draw();
	assert_shown("  10.0 s  coroprof itself: 1.4 % of a CPU");
	assert_int_equal(canvas.rows[0].end, 80);
	canvas_begin(&canvas, 40, 40);
	draw();
	assert_shown("  10.0 s");
	snprintf(least, sizeof(least), "%.4s", name);
	assert_shown(least);
	picture_show(&picture, NULL, NULL);
	draw();
	assert_shown("  no second is");
}

/* What is shown as now says how old it is, where windows come less often. */
static void test_age(void **state)
{
	(void)state;
	show(some(), 120, 40);
	picture.at = window.now + SECOND;
	draw();
	assert_shown("now         no thread");
	assert_not_shown(" ago");
	picture.at = window.now + 5 * SECOND;
	draw();
	assert_shown("now         no thread, 5.00 s ago");
}

/* Every cell that is shown is what the tables of text have for it. */
static void test_rows(void **state)
{
	struct sheet s;
	unsigned int cells = 0;

	(void)state;
	show(some(), 1000, 40);
	draw();
	assert_int_equal(sheet_open(&s, table_named("labels"), model), 0);
	for (uint32_t i = 0; i < picture.order.nr; i++) {
		char *line = canvas_text(&canvas, find("CPU share") + 1 + i);

		for (unsigned int c = 0; c < s.nr_columns; c++) {
			char *text = list_text(&s, picture.order.rows[i], c);

			if (s.columns[c].shown && sheet_cell(&s, picture.order.rows[i], c).standing != STANDING_NONE) {
				assert_says(line, text);
				cells++;
			}
			free(text);
		}
		free(line);
	}
	assert_true(cells > 50);
	sheet_close(&s);
}

/* What belongs to the selected label is below. */
static void test_details(void **state)
{
	(void)state;
	show(some(), 160, 40);
	draw();
	assert_int_equal(picture.order.nr, 3);
	assert_shown("made ready by");
	assert_shown("   held 500 us ");
	/* How it went from the window before to this one: beside the bar, and below. */
	assert_not_shown("trend");
	trend_add(&picture.trend, model, &(struct live_window){ .end = 10, .end_ns = 10 * SECOND });
	trend_add(&picture.trend, model, &window);
	draw();
	assert_shown("CPU share  trend");
	assert_shown("      \u2588\u2588  ");
	assert_shown("   share       \u2588\u2588 +0.0 points in 1.00 s");
	/* Where there is no room the digest is what is shown, and the selected label's below. */
	canvas_begin(&canvas, 110, 40);
	draw();
	assert_not_shown("  trend");
	assert_shown("+0.0 points in 1.00 s");
	/* It is what rows can be sorted by, and then it has room. */
	choices_key(&choices, 's');
	choices_accept(&choices, "-trend");
	draw();
	assert_shown("  trend\u2193");
	choices_key(&choices, 's');
	choices_accept(&choices, "");
	canvas_begin(&canvas, 160, 40);
	/* The thread outside coroutines is last. */
	choices.row = 2;
	draw();
	assert_not_shown("made ready by");
	/* There is no room on a small screen. */
	choices.row = 0;
	canvas_begin(&canvas, 160, 20);
	draw();
	assert_not_shown("made ready by");
}

/* It stays the same label, wherever that goes. */
static void test_selected(void **state)
{
	struct model *before;
	struct gen *g;

	(void)state;
	show(some(), 120, 40);
	draw();
	choices_key(&choices, KEY_OF_DOWN);
	draw();
	assert_string_equal(picture.selected, "b");
	g = some();
	SLICE(g, 1, 11, 4010000, 9010000, .label = 2, .count = { 1500000, 300000 });
	before = model;
	model = load(g);
	picture_show(&picture, model, &window);
	model_free(before);
	draw();
	assert_int_equal(choices.row, 0);
	assert_string_equal(picture.selected, "b");
	/* In another order it is the first again. */
	choices_key(&choices, 's');
	choices_accept(&choices, "-running");
	draw();
	assert_int_equal(choices.row, 0);
	assert_string_not_equal(picture.selected, "b");
}

/* What is less important goes first; what distinguishes rows, and what they are sorted by, stays. */
static void test_narrow(void **state)
{
	(void)state;
	show(some(), 200, 30);
	snprintf(choices.sort[0], CHOICES_LINE, "blocked");
	for (unsigned int width = 200; width > 30; width--) {
		canvas_begin(&canvas, width, 30);
		draw();
		assert_shown("blocked\u2193");
		if (width >= 100)
			assert_shown("CPU share");
	}
	assert_not_shown("CPU share");
	for (unsigned int height = 0; height < 30; height++) {
		canvas_begin(&canvas, 80, height);
		draw();
	}
	canvas_begin(&canvas, 0, 10);
	draw();
	canvas_begin(&canvas, 1, 1);
	draw();
}

static void check(enum prompt prompt, const char *line, const char *want, const char *why_says)
{
	char to[CHOICES_LINE], why[256];

	choices.prompt = prompt;
	choices.length = (size_t)snprintf(choices.line, sizeof(choices.line), "%s", line);
	if (picture_check(&picture, &choices, to, why)) {
		assert_non_null(want);
		assert_string_equal(to, want);
		choices_accept(&choices, to);
		return;
	}
	assert_null(want);
	assert_says(why, why_says);
}

static void test_typed(void **state)
{
	(void)state;
	show(some(), 200, 40);
	draw();
	check(PROMPT_SORT, "slices", "slices", NULL);
	check(PROMPT_SORT, "-bloc", "-blocked", NULL);
	check(PROMPT_SORT, "99", "p99", NULL);
	check(PROMPT_SORT, "tre", "trend", NULL);
	check(PROMPT_SORT, "-Trend", "-trend", NULL);
	check(PROMPT_SORT, "trends", NULL, "no column of labels");
	check(PROMPT_SORT, "", "", NULL);
	check(PROMPT_SORT, "nonsense", NULL, "no column of labels");
	check(PROMPT_SORT, "slices,-running", "slices,-running", NULL);
	check(PROMPT_SORT, ",", NULL, "names no column");
	check(PROMPT_SORT, "-", NULL, "names no column");
	check(PROMPT_SORT, "-,,", NULL, "names no column");
	check(PROMPT_SORT, "foo,bar", NULL, "no column of labels");
	check(PROMPT_FILTER, "running>10", "running>10", NULL);
	check(PROMPT_FILTER, "running>many", NULL, "is no figure");
	check(PROMPT_FILTER, "nonsense>1", NULL, "no such column");
	check(PROMPT_FILTER, "name~(", NULL, "--where");
	check(PROMPT_FILTER, "b", "name=*b*", NULL);
	draw();
	assert_int_equal(picture.order.nr, 1);
	assert_shown("1 row of 3: name=*b*");
	check(PROMPT_FILTER, "", "", NULL);
	draw();
	assert_int_equal(picture.order.nr, 3);
	choices.view = 1;
	draw();
	check(PROMPT_FILTER, "b", "label=*b*", NULL);
}

/* Each table's own order, turned round: by a column, or as rows are. */
static void test_reversed(void **state)
{
	static const char *const views[] = { "labels", "coroutines", "worst" };

	(void)state;
	show(some(), 200, 40);
	for (unsigned int i = 0; i < ARRAY_SIZE(views); i++) {
		uint32_t rows[8], nr;

		for (choices.view = 0; strcmp(choices_views[choices.view], views[i]);)
			choices.view++;
		draw();
		nr = picture.order.nr;
		assert_in_range(nr, 2, 8);
		memcpy(rows, picture.order.rows, nr * sizeof(*rows));
		choices_key(&choices, 'r');
		draw();
		assert_int_equal(picture.order.nr, nr);
		for (uint32_t row = 0; row < nr; row++)
			assert_int_equal(picture.order.rows[row], rows[nr - 1 - row]);
	}
}

/* A hundred thousand rows are as good as three. */
static void test_many(void **state)
{
	struct gen *g = some();

	(void)state;
	for (uint32_t i = 0; i < 100000; i++)
		SLICE(g, 1, 1000 + i, 4010000 + i * 10, 4010010 + i * 10, .label = 1,
		      .count = { 1, 1 }, .flags = COROPROF_SLICE_FRESH);
	show(g, 120, 40);
	draw();
	assert_shown("100001");
	choices_key(&choices, KEY_OF_TAB);
	draw();
	assert_shown("100002 rows");
	choices_key(&choices, KEY_OF_PAGE_DOWN);
	for (int i = 0; i < 10000; i++)
		choices_key(&choices, KEY_OF_PAGE_DOWN);
	draw();
	assert_int_equal(choices.row, 100001);
	choices_key(&choices, '/');
	choices_accept(&choices, "coroutine=99000");
	draw();
	assert_shown("1 row of 100002");
}

/* What a program calls its coroutines, and its threads, steers nothing. */
static void test_hostile(void **state)
{
	struct live_thread thread = {
		.process = 1, .tid = 7, .name = printable("w\033[2J", 5),
		.label = printable("\033]0;x\007\xff\u202e", 10),
		.status = { .flags = COROPROF_CHANNEL_OPEN, .open_id = 9, .open_begin = SECOND,
			    .open_since = SECOND, .open_state = COROPROF_OPEN_BLOCKED },
	};
	struct gen *g = some();

	(void)state;
	gen_label(g, 1, 3, "\033[31m\u5bbd\u5bbd\xff\n\u202e", 16);
	SLICE(g, 1, 12, 4010000, 5010000, .label = 3, .count = { 1, 1 }, .flags = COROPROF_SLICE_FRESH);
	show(g, 120, 40);
	window.threads = &thread;
	window.nr = 1;
	draw();
	assert_shown("\\x1b[31m\u5bbd\u5bbd\ufffd\\x0a\\u202e");
	assert_shown("\\x1b]0;x\\x07");
	for (unsigned int row = 0; row < canvas.height; row++) {
		char *line = canvas_text(&canvas, row);

		for (const char *s = line; *s; s++)
			assert_true((unsigned char)*s >= ' ' && *s != 0x7f);
		free(line);
	}
	/* Wide characters are not cut in half. */
	for (unsigned int width = 1; width < 60; width++) {
		canvas_begin(&canvas, width, 40);
		draw();
	}
	free(thread.name);
	free(thread.label);
}

/* "db_query #88121 has held worker/5003 for 4.2 s, blocked, and goes on" */
static void test_open(void **state)
{
	char worker[] = "worker", label[] = "db_query";
	struct live_thread threads[3] = {
		{ .process = 1, .tid = 5002, .name = worker, .status = {
			.flags = COROPROF_CHANNEL_OPEN, .open_id = THREAD(3), .open_begin = 1,
			.open_since = 1, .open_state = COROPROF_OPEN_BLOCKED } },
		{ .process = 1, .tid = 5003, .name = worker, .label = label, .status = {
			.flags = COROPROF_CHANNEL_OPEN, .open_id = 88121, .open_begin = 6800000000,
			.open_since = 6800000000, .open_state = COROPROF_OPEN_BLOCKED } },
		/* It has no text for a label, but a row. */
		{ .process = 1, .tid = 5004, .name = worker, .status = {
			.flags = COROPROF_CHANNEL_OPEN, .open_id = 10, .open_begin = 9000000000,
			.open_since = 10000000000, .open_state = COROPROF_OPEN_BLOCKED } },
	};

	(void)state;
	show(some(), 120, 40);
	window.threads = threads;
	window.nr = 3;
	draw();
	assert_shown("now         2 blocked in a coroutine, 1 idle");
	assert_shown("open        db_query #88121 has held worker/5003 for 4.20 s, blocked, and goes on");
	assert_shown("            a #10 has held worker/5004 for 2.00 s, blocked for 1.00 s, and goes on");
	threads[1].status.open_state = COROPROF_OPEN_RUNNING;
	threads[2].status.flags = COROPROF_CHANNEL_OPEN_UNKNOWN;
	draw();
	assert_shown("now         1 running, 1 idle, 1 not known");
	assert_shown("has held worker/5003 for 4.20 s, and goes on");
	/* One that has just begun is not worth a line. */
	threads[1].status.open_begin = 11 * SECOND - 100000;
	draw();
	assert_not_shown("has held");
}

static void test_ended(void **state)
{
	(void)state;
	show(some(), 120, 40);
	window.ended = true;
	draw();
	assert_shown("10.0 s  ended  ");
	window.status = 3 << 8;
	draw();
	assert_shown("ended with status 3");
	window.status = 9;
	draw();
	assert_shown("ended by signal 9");
}

static void test_nothing(void **state)
{
	(void)state;
	show(begin_recording(), 100, 20);
	draw();
	assert_shown("labels");
	picture_show(&picture, NULL, NULL);
	draw();
	assert_shown("no second is over yet");
	choices.help = true;
	draw();
	assert_shown("Tab ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_head, end),
		cmocka_unit_test_teardown(test_long_name, end),
		cmocka_unit_test_teardown(test_age, end),
		cmocka_unit_test_teardown(test_rows, end),
		cmocka_unit_test_teardown(test_details, end),
		cmocka_unit_test_teardown(test_selected, end),
		cmocka_unit_test_teardown(test_narrow, end),
		cmocka_unit_test_teardown(test_typed, end),
		cmocka_unit_test_teardown(test_reversed, end),
		cmocka_unit_test_teardown(test_many, end),
		cmocka_unit_test_teardown(test_hostile, end),
		cmocka_unit_test_teardown(test_open, end),
		cmocka_unit_test_teardown(test_ended, end),
		cmocka_unit_test_teardown(test_nothing, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
