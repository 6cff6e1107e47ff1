// SPDX-License-Identifier: GPL-2.0
/* Tables in files: what is not known is empty, or null, and says why. */
#include <errno.h>

#include "gen/recording.h"
#include "output/csv.h"
#include "output/export.h"
#include "support.h"

static struct model *two_labels(void)
{
	struct gen *g = begin_recording();

	gen_label(g, 1, 3, "say \"a,b\"", 9);
	channel(g, 1, 1000000);
	SLICE(g, 1, 10, 1000000, 3000000, .label = 1, .count = { 6000000, 9000000 });
	SLICE(g, 1, 11, 3000000, 3500000, .label = 3, .count = { 0, 300000 }, .standing = 0xd,
	      .missing_ns = { 500000 });
	SLICE(g, 1, 10, 3500000, 4000000, .label = 1, .wake_time = 3400000,
	      .count = { 1500000, 2250000 }, .flags = COROPROF_SLICE_END);
	return load(g);
}

static char *written(write_fn write, const struct view_options *view)
{
	return written_by(two_labels(), write, view);
}

static void assert_written(write_fn write, const struct view_options *view, const char *want)
{
	char *text = written(write, view);

	if (strcmp(text, want))
		fail_msg("got\n%s---- want\n%s----", text, want);
	free(text);
}

static void csv_says_why_there_is_no_figure(void **state)
{
	(void)state;
	assert_written(
		csv_write,
		&(struct view_options){ .columns = "name,process,running,ready,cycles,object" },
		"row,name,process,process_name,running,running_standing,ready,ready_standing,cycles,cycles_standing,object\r\n"
		"0,a,0,one 100,2500000,counted,100000,counted,7500000,counted,\r\n"
		"1,\"say \"\"a,b\"\"\",0,one 100,500000,counted,0,counted,,not scheduled,\r\n");
}

static void csv_has_the_rows_asked_for(void **state)
{
	(void)state;
	assert_written(csv_write, &(struct view_options){ .table = "coroutines", .sort = "id", .top = 1,
						  .columns = "coroutine,label,flags,tag" },
"row,id,label,label_name,tag,flags\r\n"
"1,11,1,\"say \"\"a,b\"\"\",,\r\n");
}

static void csv_has_the_rows_that_have_something_in_a_column(void **state)
{
	(void)state;
	assert_written(csv_write, &(struct view_options){ .table = "coroutines", .columns = "id,slices",
						  .wheres = { "slices=2" }, .nr_wheres = 1 },
"row,id,slices,slices_standing\r\n"
"0,10,2,counted\r\n");
	assert_written(csv_write, &(struct view_options){ .table = "coroutines", .columns = "id,migrations",
						  .wheres = { "migrations=0", "Label=say*" }, .nr_wheres = 2 },
"row,id,migrations,migrations_standing\r\n"
"1,11,0,counted\r\n");
	assert_written(csv_write, &(struct view_options){ .table = "coroutines", .columns = "id",
						  .wheres = { "label=say*", "id=10" }, .nr_wheres = 2 },
"row,id\r\n");
}

static void csv_has_the_rows_that_conditions_hold_for(void **state)
{
	static const struct {
		const char *where;
		const char *rows;
	} cases[] = {
		{ "slices>1", "0,10\r\n" }, { "slices>=1", "0,10\r\n1,11\r\n" },
		{ "slices<2", "1,11\r\n" }, { "slices<=0", "" },
		{ "label!=say*", "0,10\r\n" }, { "label~^a", "0,10\r\n" }, { "label!~^a", "1,11\r\n" },
		{ "label~b.$", "1,11\r\n" }, { "label>0", "" },
		{ "running>=0.001s", "0,10\r\n" }, { "running>999999", "0,10\r\n" },
	};
	char expected[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(expected, sizeof(expected), "row,id\r\n%s", cases[i].rows);
		assert_written(csv_write, &(struct view_options){ .table = "coroutines", .columns = "id",
							  .wheres = { cases[i].where }, .nr_wheres = 1 }, expected);
	}
}

static void csv_is_sorted_by_several_columns(void **state)
{
	(void)state;
	assert_written(
		csv_write,
		&(struct view_options){ .table = "coroutines", .columns = "id", .sort = "-slices" },
		"row,id\r\n1,11\r\n0,10\r\n");
	assert_written(csv_write,
		       &(struct view_options){
			       .table = "coroutines", .columns = "id", .sort = "process,id" },
		       "row,id\r\n1,11\r\n0,10\r\n");
	assert_written(csv_write,
		       &(struct view_options){
			       .table = "coroutines", .columns = "id", .sort = "process,-id" },
		       "row,id\r\n0,10\r\n1,11\r\n");
}

static void csv_has_no_row_for_what_is_not_known(void **state)
{
	(void)state;
	/* Of neither the birth was seen. */
	for (const char *const *where = (const char *const[]){ "tag=0", "tag=*", NULL }; *where;
	     where++)
		assert_written(csv_write, &(struct view_options){ .table = "coroutines", .columns = "id",
							  .wheres = { *where }, .nr_wheres = 1 },
"row,id\r\n");
}

static void csv_has_the_rows_whose_tag_is_0(void **state)
{
	struct gen *g = begin_recording();
	char *text;

	(void)state;
	channel(g, 1, 1000000);
	SLICE(g, 1, 10, 1000000, 1500000, .label = 1, .flags = COROPROF_SLICE_FRESH, .tag = 7);
	SLICE(g, 1, 11, 1500000, 2000000, .label = 1, .flags = COROPROF_SLICE_FRESH, .tag = 0);
	text = written_by(load(g), csv_write,
			  &(struct view_options){ .table = "coroutines", .columns = "id",
					  .wheres = { "tag=0" }, .nr_wheres = 1 });
	assert_string_equal(text, "row,id\r\n1,11\r\n");
	free(text);
}

/* Programs that guess types take a column with such a number for one of doubles. */
static void csv_has_ids_of_2_63_as_what_no_reader_rounds(void **state)
{
	struct gen *g = begin_recording();
	char *text;

	(void)state;
	channel(g, 1, 1000000);
	SLICE(g, 1, THREAD(1), 1000000, 1100000, .label = 1);
	SLICE(g, 1, INT64_MAX, 1100000, 1500000, .slot = 2, .label = 1, .parent = THREAD(1),
	      .flags = COROPROF_SLICE_FRESH, .tag = UINT64_MAX, .count = { 5, 0 });
	text = written_by(load(g), csv_write,
			  &(struct view_options){ .table = "coroutines",
						  .columns = "id,parent,tag,cycles" });
	assert_string_equal(text,
"row,id,parent,parent_standing,cycles,cycles_standing,tag\r\n"
"0,0x8000000000000001,,n/a,0,counted,\r\n"
"1,9223372036854775807,0x8000000000000001,counted,5,counted,0xffffffffffffffff\r\n");
	free(text);
}

static void rows_are_found_by_ids_however_these_are_written(void **state)
{
	static const struct {
		const char *where;
		const char *rows;
	} cases[] = {
		{ "id=0x8000000000000001", "0\r\n" }, { "id=9223372036854775809", "0\r\n" },
		{ "id=0x8000000000000002", "" }, { "id=10", "1\r\n" }, { "id=0xA", "1\r\n" },
		{ "id!=10", "0\r\n" }, { "id=1*", "1\r\n" }, { "id~^0x", "0\r\n" },
		{ "id=99999999999999999999", "" }, { "id>=0x8000000000000000", "0\r\n" },
	};
	char expected[64], *text;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gen *g = begin_recording();

		channel(g, 1, 1000000);
		SLICE(g, 1, THREAD(1), 1000000, 1100000, .label = 1);
		SLICE(g, 1, 10, 1100000, 1500000, .label = 1);
		text = written_by(load(g), csv_write,
				  &(struct view_options){ .table = "coroutines", .columns = "none",
						  .wheres = { cases[i].where }, .nr_wheres = 1 });
		snprintf(expected, sizeof(expected), "row\r\n%s", cases[i].rows);
		if (strcmp(text, expected))
			fail_msg("%s: got\n%s---- want\n%s----", cases[i].where, text, expected);
		free(text);
	}
}

static void names_the_columns_that_there_are(void **state)
{
	struct model *m = two_labels();
	const struct table *labels = table_named("labels");
	struct error err;

	(void)state;
	assert_int_equal(export_check(m, &(struct view_options){ .columns = "ipc,own_cycles" },
				      tables, nr_tables, &err), 0);
	assert_int_equal(
		export_check(m, &(struct view_options){ .wheres = { "nix=0" }, .nr_wheres = 1 },
			     tables, nr_tables, &err),
		-EINVAL);
	assert_says(err.message, "--where nix: no table that is shown here has any such column");
	assert_int_equal(export_check(m, &(struct view_options){ .sort = "nix" }, tables,
				      nr_tables, &err), -EINVAL);
	assert_says(err.message, "--sort nix: no table that is shown here has any such column");
	assert_int_equal(export_check(m, &(struct view_options){ .columns = "ipc,own_cycles" },
				      &labels, 1, &err), -EINVAL);
	assert_says(err.message, "--columns own_cycles: the table labels has no such column. All columns: coroprof help columns");
	/* One that is near to what was typed; never a list of all. */
	assert_int_equal(export_check(m, &(struct view_options){ .wheres = { "runing>1ms" }, .nr_wheres = 1 },
				      tables, nr_tables, &err), -EINVAL);
	assert_says(err.message, "--where runing: no table that is shown here has any such column; near to it: running. All");
	assert_int_equal(export_check(m, &(struct view_options){ .sort = "r" }, tables, nr_tables,
				      &err),
			 -EINVAL);
	assert_true(strlen(err.message) < 200);
	model_free(m);
}

/* What could not be meant is refused, with what can be: it would silently fit nothing, or all. */
static void conditions_have_units_that_fit_their_columns(void **state)
{
	static const struct {
		const char *where;
		const char *says;
	} cases[] = {
		{ "running>10ms", NULL }, { "running>50", NULL }, { "running>1m30s", NULL },
		{ "slices>2K", NULL }, { "cycles>=512M", NULL }, { "cycles<69.4 k", NULL }, { "slices>=1e3", NULL },
		{ "%>10%", NULL }, { "%>0.1", NULL }, { "%<=1", NULL }, { "ipc>1.5", NULL }, { "ipc>50%", NULL },
		{ "own_share>50", "such as 'own_share>50%'" },
		{ "%>10", "the column % is a share, of which 1 is all: give it in percent, such as '%>10%'" },
		{ "own_share>2k", "such as 'own_share>10%'" },
		{ "running>2k", "the column running is a time: give one, such as 'running>10ms'" },
		{ "running>5%", "is a time" },
		{ "slices>5ms", "the column slices is a count: give a number, such as 'slices>2000' or 'slices>2k'" },
		{ "slices>5%", "is a count" }, { "cycles>5ms", "is a count" },
		{ "label>5", "the column label has no figures, of which one is more than another: use = != ~ or !~" },
	};
	struct model *m = two_labels();
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct view_options view = { .wheres = { cases[i].where }, .nr_wheres = 1 };

		if (!export_check(m, &view, tables, nr_tables, &err) == !!cases[i].says)
			fail_msg("%s: %s", cases[i].where,
				 cases[i].says ? "not refused" : err.message);
		if (cases[i].says)
			assert_says(err.message, cases[i].says);
	}
	model_free(m);
}

static void csv_counts_in_units_of_1000(void **state)
{
	static const char *const wheres[] = { "cycles>=2k", "cycles>=2K", "cycles>=0.002 M" };

	(void)state;
	for (size_t i = 0; i < sizeof(wheres) / sizeof(wheres[0]); i++) {
		struct gen *g = begin_recording();
		char *text;

		channel(g, 1, 1000000);
		SLICE(g, 1, 10, 1000000, 1100000, .label = 1, .flags = COROPROF_SLICE_FRESH,
		      .count = { 1999, 0 });
		SLICE(g, 1, 11, 1100000, 1500000, .label = 1, .flags = COROPROF_SLICE_FRESH,
		      .count = { 2000, 0 });
		text = written_by(load(g), csv_write,
				  &(struct view_options){ .table = "coroutines", .columns = "id",
						  .wheres = { wheres[i] }, .nr_wheres = 1 });
		if (strcmp(text, "row,id\r\n1,11\r\n"))
			fail_msg("%s: %s", wheres[i], text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_says_why_there_is_no_figure),
		cmocka_unit_test(csv_has_the_rows_asked_for),
		cmocka_unit_test(csv_has_the_rows_that_have_something_in_a_column),
		cmocka_unit_test(csv_has_the_rows_that_conditions_hold_for),
		cmocka_unit_test(csv_is_sorted_by_several_columns),
		cmocka_unit_test(csv_has_no_row_for_what_is_not_known),
		cmocka_unit_test(csv_has_the_rows_whose_tag_is_0),
		cmocka_unit_test(csv_has_ids_of_2_63_as_what_no_reader_rounds),
		cmocka_unit_test(rows_are_found_by_ids_however_these_are_written),
		cmocka_unit_test(names_the_columns_that_there_are),
		cmocka_unit_test(conditions_have_units_that_fit_their_columns),
		cmocka_unit_test(csv_counts_in_units_of_1000),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
