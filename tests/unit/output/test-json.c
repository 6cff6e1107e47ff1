// SPDX-License-Identifier: GPL-2.0
/* Tables as JSON: an array for each column, all of one type, and what is known of each cell. */
#include "gen/recording.h"
#include "output/json.h"
#include "support.h"
#include "tables/table.h"

/* The model is used up. */
static char *written(struct model *m, const struct view_options *view)
{
	return written_by(m, json_tables_write, view);
}

static struct gen *begin(void)
{
	struct gen *g = begin_recording();

	channel(g, 1, 1000000);
	return g;
}

static struct model *two_labels(void)
{
	struct gen *g = begin();

	gen_label(g, 1, 3, "say \"a,b\"", 9);
	SLICE(g, 1, 10, 1000000, 3000000, .label = 1, .count = { 6000000, 9000000 });
	SLICE(g, 1, 11, 3000000, 3500000, .label = 3, .count = { 0, 300000 }, .standing = 0xd,
	      .missing_ns = { 500000 });
	SLICE(g, 1, 10, 3500000, 4000000, .label = 1, .wake_time = 3400000,
	      .count = { 1500000, 2250000 }, .flags = COROPROF_SLICE_END);
	return load(g);
}

static void a_table_has_descriptions_columns_and_standings(void **state)
{
	char *text = written(two_labels(),
			     &(struct view_options){ .table = "labels",
						     .columns = "name,cycles,process,object" });

	(void)state;
	assert_string_equal(text,
"{\"format\":\"coroprof-tables\",\"version\":2,\"summary\":\"event loop busy 100.0 %, idle 0.0 %; coroutines blocked 0 ns\",\"tables\":{\n"
"\"labels\":{\"title\":\"labels: all coroutines of one kind\",\"about\":{"
"\"name\":{\"title\":\"label\",\"says\":\"the label, or a text in parentheses where there is none\",\"kind\":\"text\",\"sums\":\"not\"},"
"\"process\":{\"title\":\"process\",\"says\":\"the process it is of\",\"kind\":\"row\",\"sums\":\"not\",\"refers\":\"processes\"},"
"\"cycles\":{\"title\":\"cycles\",\"says\":\"cycles\",\"kind\":\"events\",\"sums\":\"add\"},"
"\"object\":{\"title\":\"object\",\"says\":\"object file that a label which is a code address is in\",\"kind\":\"text\",\"sums\":\"not\"}},"
"\"rows\":2,\"columns\":{"
"\"row\":[0,1]\n"
",\"name\":[\"a\",\"say \\\"a,b\\\"\"]\n"
",\"process\":[0,0]\n"
",\"cycles\":[7500000,null]\n"
",\"object\":[null,null]\n"
",\"standing\":[0,1]\n"
"},\"standings\":{\"cycles\":[\"counted\",\"not scheduled\"]}}\n"
"},\"names\":{"
"\"processes\":[\"one 100\"]\n"
"}}\n");
	free(text);
}

static void a_table_without_rows_has_empty_columns(void **state)
{
	char *text = written(two_labels(), &(struct view_options){ .table = "labels",
								   .columns = "name,cycles",
								   .wheres = { "slices=7" },
								   .nr_wheres = 1 });

	(void)state;
	assert_says(text, "\"rows\":0,\"columns\":{\"row\":[]\n,\"name\":[]\n,\"cycles\":[]\n,\"standing\":[]\n},\"standings\":{\"cycles\":[]}}");
	free(text);
}

/* Which rows they are is known by their numbers. */
static void a_table_has_the_rows_asked_for(void **state)
{
	char *text = written(two_labels(), &(struct view_options){ .table = "labels",
								   .columns = "slices",
								   .sort = "slices",
								   .top = 1 });

	(void)state;
	assert_says(text, "\"rows\":1,\"columns\":{\"row\":[0]\n,\"slices\":[2]\n");
	free(text);
	text = written(two_labels(), &(struct view_options){ .table = "labels", .columns = "slices",
						     .sort = "-slices", .top = 1 });
	assert_says(text, "\"rows\":1,\"columns\":{\"row\":[1]\n,\"slices\":[1]\n");
	free(text);
}

/* What names something is text, whatever it is; figures are numbers, whatever they are. */
static void cells_of_a_column_are_of_one_type(void **state)
{
	struct gen *g = begin();
	char *text;

	(void)state;
	SLICE(g, 1, THREAD(1), 1000000, 1100000, .label = 1);
	SLICE(g, 1, INT64_MAX, 1100000, 1500000, .slot = 2, .label = 1, .parent = THREAD(1),
	      .flags = COROPROF_SLICE_FRESH | COROPROF_SLICE_END, .tag = UINT64_MAX,
	      .count = { 5, 1 });
	SLICE(g, 1, (UINT64_C(1) << 53) + 1, 1500000, 1500000 + (UINT64_C(1) << 53) + 1, .slot = 3,
	      .label = 1, .flags = COROPROF_SLICE_FRESH, .count = { 7, 2 });
	text = written(load(g), &(struct view_options){ .table = "coroutines",
						.columns = "id,parent,tag,running,cycles,cycles_on_pmu,flags" });
	assert_says(text, "\"id\":[\"0x8000000000000001\",\"9223372036854775807\",\"9007199254740993\"]");
	assert_says(text, "\"parent\":[null,\"0x8000000000000001\",null]");
	assert_says(text, "\"tag\":[null,\"0xffffffffffffffff\",\"0\"]");
	assert_says(text, "\"cycles\":[0,5,7]");
	assert_says(text, "\"running\":[100000,400000,9007199254740993]");
	assert_says(text, "\"cycles_on_pmu\":[1,1,1]");
	assert_says(text, "\"flags\":[[\"thread\"],[\"born\",\"ended\"],[\"born\"]]");
	free(text);
}

/* What is no UTF-8, or no text, is replaced; what a page could take for its own is escaped. */
static void texts_are_escaped(void **state)
{
	static const char name[] = "q\" b\\ \n\t\x01 </script> \xff\xfe no \xe2\x80\xa8 e\xcc\x81";
	struct gen *g = begin();
	char *text;

	(void)state;
	gen_label(g, 1, 3, name, sizeof(name) - 1);
	SLICE(g, 1, 10, 1000000, 3000000, .label = 3);
	text = written(load(g), &(struct view_options){ .table = "labels", .columns = "name" });
	assert_says(text, "\"name\":[\"q\\\" b\\\\ \\\\x0a\\\\x09\\\\x01 \\u003c/script> \xef\xbf\xbd\xef\xbf\xbd no \\\\u2028 e\xcc\x81");
	assert_null(strchr(text, '<'));
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		assert_false(*c == 0xff || *c == 0xfe || (*c < ' ' && *c != '\n'));
	free(text);
}

/* Marks ">=", "<=" and "~" of text are words; so is why there is no figure. */
static void standings_are_what_marks_are_in_text(void **state)
{
	struct gen *g = begin();
	char *text;

	(void)state;
	SLICE(g, 1, 10, 1000000, 2000000, .label = 1, .count = { 6000000, 9000000 });
	SLICE(g, 1, 11, 2000000, 3000000, .label = 2, .count = { 3000000, 1 }, .standing = 0xe,
	      .missing_ns = { 500000 });
	SLICE(g, 1, 12, 3000000, 4000000, .label = 2, .count = { 3000000, 1 });
	text = written(load(g),
		       &(struct view_options){ .table = "coroutines", .columns = "cycles,parent" });
	assert_says(text, "\"parent\":[null,null,null]\n,\"cycles\":[6000000,6000000,3000000]\n,\"standing\":[0,1,0]\n");
	assert_says(text, "\"standings\":{\"parent\":[\"n/a\",\"n/a\"],\"cycles\":[\"counted\",\"scaled\"]}");
	free(text);
	g = begin();
	SLICE(g, 1, 10, 1000000, 2000000, .label = 1);
	gen_lost(g, 1, 2500000, 3, true);
	text = written(load(g), &(struct view_options){ .table = "labels", .columns = "slices" });
	assert_says(text, "\"standings\":{\"slices\":[\"at least\"]}");
	free(text);
}

/* How often rows refer to one does not matter; and each reference has one. */
static void names_are_there_once(void **state)
{
	struct gen *g = begin();
	const char *found;
	char *text;

	(void)state;
	gen_label(g, 1, 3, "handle_request", strlen("handle_request"));
	for (uint32_t i = 0; i < 100; i++)
		SLICE(g, 1, 10 + i, 1000000 + 1000 * i, 1000900 + 1000 * i, .label = 3);
	text = written(load(g),
		       &(struct view_options){ .table = "coroutines", .columns = "label" });
	found = strstr(text, "handle_request");
	assert_non_null(found);
	assert_null(strstr(found + 1, "handle_request"));
	assert_says(text, "\"label\":[0,0,0,");
	assert_says(text, "\"refers\":\"labels\"");
	assert_says(text, "\"names\":{\"labels\":[\"handle_request\"]\n}");
	free(text);
}

/* There may be as many as rows, each called in a way of its own. */
static void names_of_coroutines_are_beside_what_refers_to_them(void **state)
{
	char *text = written(two_labels(), &(struct view_options){ .table = "worst",
								   .columns = "coroutine",
								   .top = 1 });

	(void)state;
	assert_says(text, ",\"coroutine\":[0]\n,\"coroutine_name\":[\"a #10\"]\n");
	assert_says(text, "\"names\":{}");
	free(text);
}

static void all_tables_are_there_but_those_of_the_timeline(void **state)
{
	char *text = written(two_labels(), &(struct view_options){ 0 });
	char key[64];

	(void)state;
	for (unsigned int i = 0; i < nr_tables; i++) {
		snprintf(key, sizeof(key), "\n%s\"%s\":{\"title\"", i ? "," : "", tables[i]->name);
		if (table_is_timeline(tables[i]))
			assert_null(strstr(text, key));
		else
			assert_says(text, key);
	}
	free(text);
	text = written(two_labels(),
		       &(struct view_options){ .table = "timeline", .columns = "begin,duration" });
	assert_says(text, "\"begin\":[0,2000000,2500000]\n,\"duration\":[2000000,500000,500000]\n");
	free(text);
}

/* A counter may be called as what JSON and CSV add. */
static void no_column_is_there_twice(void **state)
{
	struct gen *g = begin_file();
	char *text;

	(void)state;
	gen_counter(g, &cycles, "standing");
	gen_counter(g, &instructions, "row");
	gen_process(g, 1, 100, "one", 1000000);
	gen_label(g, 1, 1, "a", 1);
	channel(g, 1, 1000000);
	SLICE(g, 1, 10, 1000000, 2000000, .label = 1, .count = { 5, 6 });
	text = written(load(g),
		       &(struct view_options){ .table = "labels", .columns = "standing_,row_" });
	assert_says(text, "\"columns\":{\"row\":[0]\n,\"standing_\":[5]\n,\"row_\":[6]\n,\"standing\":[0]\n}");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_has_descriptions_columns_and_standings),
		cmocka_unit_test(a_table_without_rows_has_empty_columns),
		cmocka_unit_test(a_table_has_the_rows_asked_for),
		cmocka_unit_test(cells_of_a_column_are_of_one_type),
		cmocka_unit_test(texts_are_escaped),
		cmocka_unit_test(standings_are_what_marks_are_in_text),
		cmocka_unit_test(names_are_there_once),
		cmocka_unit_test(names_of_coroutines_are_beside_what_refers_to_them),
		cmocka_unit_test(all_tables_are_there_but_those_of_the_timeline),
		cmocka_unit_test(no_column_is_there_twice),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
