// SPDX-License-Identifier: GPL-2.0
/* How shares of labels go from window to window. */
#include "gen/recording.h"
#include "live/trend.h"
#include "support.h"

#define SECOND	1000000000ull

static struct trend trend;

/* Labels "a" and "b" have run for so long, in all 1 s; b does not come where that is 0. */
static struct model *some(uint64_t a, uint64_t b)
{
	struct gen *g = begin_recording();

	channel(g, 1, SECOND);
	SLICE(g, 1, 10, SECOND, SECOND + a, .label = 1, .count = { 1, 1 },
	      .flags = COROPROF_SLICE_FIRST | COROPROF_SLICE_FRESH);
	if (b)
		SLICE(g, 1, 11, SECOND + a, SECOND + a + b, .label = 2, .count = { 1, 1 },
		      .flags = COROPROF_SLICE_FRESH);
	return load(g);
}

static uint32_t row(const struct model *m, const char *name)
{
	return (uint32_t)(label(m, name) - m->labels);
}

/* A window up to a tick, of that share of a, in percent. */
static struct model *add(uint64_t end, uint64_t wish, unsigned int percent)
{
	const struct live_window w = { .end = end, .end_ns = end * SECOND, .wish = wish };
	struct model *m = some(percent * (SECOND / 100), (100 - percent) * (SECOND / 100));

	trend_add(&trend, m, &w);
	return m;
}

static void expect(const struct model *m, const char *name, const char *bars)
{
	char shown[BAR_SIZE];

	trend_bars(&trend, m, row(m, name), shown);
	assert_string_equal(shown, bars);
}

static void expect_change(const struct model *m, const char *name, double points, uint64_t seconds)
{
	double change;
	uint64_t ns;

	assert_true(trend_change(&trend, m, row(m, name), &change, &ns));
	assert_true(100 * change > points - 0.001 && 100 * change < points + 0.001);
	assert_int_equal(ns, seconds * SECOND);
}

static int end(void **state)
{
	(void)state;
	trend_free(&trend);
	return 0;
}

/* Each window has a column, as high as the share is of the largest. */
static void test_bars(void **state)
{
	struct model *m = add(1, 0, 25);
	double change;
	uint64_t ns;

	(void)state;
	expect(m, "a", "       \u2588");
	assert_false(trend_change(&trend, m, row(m, "a"), &change, &ns));
	model_free(m);
	model_free(add(2, 0, 50));
	m = add(3, 0, 100);
	expect(m, "a", "     \u2582\u2584\u2588");
	expect_change(m, "a", 75, 2);
	model_free(m);
	/* It was not there in the one before, and the largest shares are those at both ends. */
	m = add(4, 0, 25);
	expect(m, "b", "    \u2588\u2585.\u2588");
	expect_change(m, "b", 0, 3);
	expect_change(m, "a", 0, 3);
	model_free(m);
}

/* There are so many at most, and the oldest go. */
static void test_many(void **state)
{
	struct model *m = NULL;

	(void)state;
	for (unsigned int i = 0; i < 20; i++) {
		model_free(m);
		m = add(1 + i, 0, i < 12 ? 100 : 50);
	}
	assert_int_equal(trend.nr, TREND_WINDOWS);
	expect(m, "a", "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588");
	expect_change(m, "a", 0, 7);
	model_free(m);
}

/* Who looks back sees what was up to there; the same window once more is the same. */
static void test_back(void **state)
{
	struct model *m;

	(void)state;
	model_free(add(1, 0, 50));
	model_free(add(2, 0, 100));
	model_free(add(3, 0, 25));
	model_free(add(3, 0, 25));
	assert_int_equal(trend.nr, 3);
	m = add(2, 0, 100);
	assert_int_equal(trend.nr, 2);
	expect(m, "a", "      \u2584\u2588");
	expect_change(m, "a", 50, 1);
	model_free(m);
}

/* What has grown most is first, or what has shrunk most; without another window nothing is moved. */
static void test_sort(void **state)
{
	struct model *m = add(1, 0, 75);
	uint32_t rows[2] = { row(m, "b"), row(m, "a") };
	uint32_t a, b;

	(void)state;
	trend_sort(&trend, m, rows, 2, false);
	assert_int_equal(rows[0], row(m, "b"));
	model_free(m);
	m = add(2, 0, 25);
	a = row(m, "a");
	b = row(m, "b");
	rows[0] = a;
	rows[1] = b;
	trend_sort(&trend, m, rows, 2, false);
	assert_int_equal(rows[0], b);
	assert_int_equal(rows[1], a);
	trend_sort(&trend, m, rows, 2, true);
	assert_int_equal(rows[0], a);
	assert_int_equal(rows[1], b);
	model_free(m);
	/* Those that have not changed stay as they are. */
	m = add(3, 0, 75);
	rows[0] = row(m, "b");
	rows[1] = row(m, "a");
	trend_sort(&trend, m, rows, 2, true);
	assert_int_equal(rows[0], row(m, "b"));
	model_free(m);
}

/* What is next to nothing is no fall. */
static void test_steady(void **state)
{
	const struct live_window w = { .end = 2, .end_ns = 2 * SECOND };
	struct model *m;
	double change;
	uint64_t ns;

	(void)state;
	model_free(add(1, 0, 50));
	m = some(SECOND / 2 - 1000, SECOND / 2 + 1000);
	trend_add(&trend, m, &w);
	assert_true(trend_change(&trend, m, row(m, "a"), &change, &ns));
	assert_true(change >= 0 && change <= 0);
	model_free(m);
}

/* Windows of another length say something else. */
static void test_other_length(void **state)
{
	struct model *m;

	(void)state;
	model_free(add(1, 1, 50));
	m = add(2, 2, 50);
	assert_int_equal(trend.nr, 1);
	model_free(m);
}

/* A share that is not known is no nothing. */
static void test_unknown(void **state)
{
	const struct live_window w = { .end = 2, .end_ns = 2 * SECOND };
	struct model *m;
	struct gen *g;

	(void)state;
	model_free(add(1, 0, 100));
	g = begin_recording();
	channel(g, 1, SECOND);
	SLICE(g, 1, 10, SECOND, SECOND, .label = 1, .count = { 0, 0 },
	      .flags = COROPROF_SLICE_FIRST | COROPROF_SLICE_FRESH);
	m = load(g);
	trend_add(&trend, m, &w);
	expect(m, "a", "      \u2588 ");
	assert_false(trend_change(&trend, m, row(m, "a"), &(double){ 0 }, &(uint64_t){ 0 }));
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_bars, end),
		cmocka_unit_test_teardown(test_many, end),
		cmocka_unit_test_teardown(test_back, end),
		cmocka_unit_test_teardown(test_sort, end),
		cmocka_unit_test_teardown(test_steady, end),
		cmocka_unit_test_teardown(test_other_length, end),
		cmocka_unit_test_teardown(test_unknown, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
