// SPDX-License-Identifier: GPL-2.0
/*
 * --exact: nothing that is shown depends on what slices that are cut counted, or for how long they
 * were off the CPU, for nobody knows how much of that was in the part. Two recordings that differ
 * in these alone are the same, then, in all cells of all tables. Rows have the same order in both:
 * running times of labels are far apart.
 */
#include "gen/recording.h"
#include "tables/findings.h"
#include "tables/summary.h"
#include "tables/table.h"

#define BEGIN	1000000ULL
#define FROM	(BEGIN + 2000000)
#define TO	(BEGIN + 9000000)

/* What a slice that is cut had, in one recording and in the other. */
struct had {
	uint64_t count;
	uint64_t blocked_ns;
	uint64_t preempted_ns;
};

static void write_thread(struct gen *g, uint32_t n, const struct had *had)
{
	uint64_t id = 10 * n;

	channel(g, n, BEGIN);
	SLICE(g, n, id, BEGIN, BEGIN + 3000000, .label = 1,
	      .count = { had->count, had->count / 3 }, .blocked_ns = had->blocked_ns,
	      .preempted_ns = had->preempted_ns, .nr_blocked = 2, .nr_preempted = 1);
	SLICE(g, n, THREAD(n), BEGIN + 3000000, BEGIN + 3020000, .count = { 500, 400 });
	SLICE(g, n, id + 1, BEGIN + 3020000, BEGIN + 3120000, .label = 2,
	      .count = { 900000, 700000 }, .blocked_ns = 10000, .nr_blocked = 1);
	/* Cut, and never off the CPU: its time is known. */
	SLICE(g, n, id + 2, BEGIN + 3120000, BEGIN + 9500000, .label = 3,
	      .count = { 2 * had->count, had->count });
}

static struct model *load_part(const struct had *had, bool exact)
{
	const struct model_options options = {
		.from_ns = FROM - BEGIN, .to_ns = TO - BEGIN, .exact = exact,
	};
	struct gen *g = begin_recording();
	struct model *m;

	write_thread(g, 1, had);
	write_thread(g, 2, had);
	gen_close(g, true);
	m = load_path(recording_path, &options);
	unlink(recording_path);
	/* Of the file, not of slices. */
	m->file_size = 0;
	assert_int_equal(findings_make(m), 0);
	return m;
}

static bool same(enum kind kind, const struct cell *a, const struct cell *b)
{
	if (a->standing != b->standing)
		return false;
	return kind == KIND_TEXT && a->text && b->text ? !strcmp(a->text, b->text) :
							 a->number == b->number;
}

/* How many cells differ; the first of them is named, if none may. */
static unsigned int differ(const struct model *one, const struct model *other, bool may)
{
	unsigned int nr = 0;
	struct sheet a, b;

	for (unsigned int t = 0; t < nr_tables; t++) {
		assert_int_equal(sheet_open(&a, tables[t], one), 0);
		assert_int_equal(sheet_open(&b, tables[t], other), 0);
		if (!may && a.rows != b.rows)
			fail_msg("%s: other rows", tables[t]->name);
		for (uint32_t row = 0; row < a.rows && row < b.rows; row++)
			for (unsigned int c = 0; c < a.nr_columns; c++) {
				struct cell x = sheet_cell(&a, row, c);
				struct cell y = sheet_cell(&b, row, c);

				if (same(a.columns[c].kind, &x, &y))
					continue;
				nr++;
				if (!may)
					fail_msg("%s.%s of row %u depends on slices that are cut",
						 tables[t]->name, a.columns[c].name, row);
			}
		sheet_close(&a);
		sheet_close(&b);
	}
	return nr;
}

static const struct had little = { 3000, 300000, 10000 };
static const struct had much = { 900000, 1200000, 900000 };

static void no_cell_depends_on_what_slices_that_are_cut_had(void **state)
{
	struct model *one = load_part(&little, true), *other = load_part(&much, true);
	char said[SUMMARY_SIZE], again[SUMMARY_SIZE];

	(void)state;
	differ(one, other, false);
	summary_write(one, said);
	summary_write(other, again);
	assert_string_equal(said, again);
	model_free(one);
	model_free(other);
}

static void without_it_many_do(void **state)
{
	struct model *one = load_part(&little, false), *other = load_part(&much, false);

	(void)state;
	assert_in_range(differ(one, other, true), 50, 10000);
	model_free(one);
	model_free(other);
}

static struct cell cell_in(const struct model *m, const char *table, const char *column,
			   uint32_t row)
{
	struct sheet s;
	struct cell cell;

	assert_int_equal(sheet_open(&s, table_named(table), m), 0);
	cell = sheet_cell(&s, row, (unsigned int)sheet_find(&s, column, strlen(column)));
	sheet_close(&s);
	return cell;
}

static void assert_counted(struct cell cell, uint64_t number)
{
	assert_int_equal(cell.standing, STANDING_COUNTED);
	assert_int_equal(cell.number, number);
}

/*
 * What is known stays: of slices that are whole all, of others the time, if none was off the CPU.
 */
static void what_is_known_is_shown(void **state)
{
	struct model *m = load_part(&little, true);
	uint32_t rows[3], nr = 0;

	(void)state;
	for (uint64_t id = 10; id < 13; id++)
		for (uint32_t i = 0; i < m->nr_coroutines; i++)
			if (m->coroutines[i].id == id)
				rows[nr++] = m->coroutines[i].label;
	assert_int_equal(nr, 3);
	assert_int_equal(cell_in(m, "labels", "cycles", rows[0]).standing, STANDING_NA);
	assert_int_equal(cell_in(m, "labels", "running", rows[0]).standing, STANDING_NA);
	assert_int_equal(cell_in(m, "labels", "nr_blocked", rows[0]).standing, STANDING_NA);
	assert_counted(cell_in(m, "labels", "slices", rows[0]), 2);
	assert_counted(cell_in(m, "labels", "cut", rows[0]), 2);
	assert_counted(cell_in(m, "labels", "cycles", rows[1]), 1800000);
	assert_counted(cell_in(m, "labels", "running", rows[1]), 180000);
	assert_counted(cell_in(m, "labels", "blocked", rows[1]), 20000);
	assert_int_equal(cell_in(m, "labels", "cycles", rows[2]).standing, STANDING_NA);
	assert_counted(cell_in(m, "labels", "running", rows[2]), 11760000);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_cell_depends_on_what_slices_that_are_cut_had),
		cmocka_unit_test(without_it_many_do),
		cmocka_unit_test(what_is_known_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
