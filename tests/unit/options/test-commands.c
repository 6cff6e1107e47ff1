// SPDX-License-Identifier: GPL-2.0
/*
 * The commands of coroprof: each is what coroprof-read does by options, and refuses those of
 * others.
 */
#include <errno.h>
#include <stdlib.h>

#include "options/complete.h"
#include "options/help.h"
#include "options/options.h"
#include "support.h"
#include "tables/table.h"

static struct options o;
static struct error err;

static int parse(const char *line)
{
	static char text[4096];
	static char *argv[256];
	char *rest = text;
	int argc = 0;

	snprintf(text, sizeof(text), "/usr/bin/coroprof %s", line);
	while ((argv[argc] = strsep(&rest, " "))) {
		/* As in a shell, a word that is empty. */
		if (!strcmp(argv[argc], "''"))
			*argv[argc++] = '\0';
		else
			argc += *argv[argc] != '\0';
	}
	return options_parse(&o, argc, argv, &err);
}

static void accept(const char *line)
{
	if (parse(line))
		fail_msg("'%s': %s", line, err.message);
}

static void refuse(const char *line, const char *words)
{
	if (!parse(line))
		fail_msg("'%s' is not refused", line);
	assert_says(err.message, words);
}

static void needs_a_command_or_a_recording(void **state)
{
	(void)state;
	refuse("", "coroprof record -- PROGRAM");
	refuse("./server -x", "'./server' is neither a command nor a recording; to record it: coroprof record -- ./server");
	refuse("reprot server.cprof", "did you mean 'coroprof report'?");
	refuse("recrod -- ./server", "did you mean 'coroprof record'?");
	refuse("hlep", "did you mean 'coroprof help'?");
	refuse("if x", "'if' is neither a command nor a recording; to record it");
	accept("x.cprof -n 3");
	assert_int_equal(o.mode, MODE_CONVERT);
	assert_int_equal(o.view.top, 3);
}

static void top_takes_what_records_and_no_output(void **state)
{
	(void)state;
	accept("top -e cycles --keep 60s -s slices -p 17");
	assert_int_equal(o.mode, MODE_TOP);
	assert_string_equal(o.view.sort, "slices");
	accept("top -- report -o x");
	assert_string_equal(o.record.command[0], "report");
	refuse("top -o x.html prog", "");
	refuse("top", "give a program, or -p PID");
}

static void record_takes_a_program_whatever_its_name(void **state)
{
	(void)state;
	accept("record -o a.html prog.cprof -o b");
	assert_int_equal(o.mode, MODE_RECORD);
	assert_string_equal(o.record.command[0], "prog.cprof");
	assert_string_equal(o.record.command[1], "-o");
	assert_int_equal(o.nr_outputs, 1);
	accept("record -- report");
	assert_string_equal(o.record.command[0], "report");
	accept("record -d 1m30s -p 12 34 56");
	assert_int_equal(o.record.nr_pids, 3);
	assert_int_equal(o.record.duration_ns, 90000000000);
	refuse("record", "nothing to record");
}

static void report_reads_recordings_whatever_their_names(void **state)
{
	(void)state;
	accept("report first second.cprof -t threads -- -third");
	assert_int_equal(o.mode, MODE_CONVERT);
	assert_int_equal(o.source.nr, 3);
	assert_string_equal(o.source.paths[0], "first");
	assert_string_equal(o.source.paths[2], "-third");
	assert_string_equal(o.view.table, "threads");
	refuse("report", "coroprof report FILE.cprof");
	refuse("report a.cprof a.cprof", "a.cprof is given twice");
	refuse("record", "give a program, or -p PID\nTry 'coroprof record --help'.");
	refuse("totals", "Try 'coroprof totals --help'.");
}

static void an_option_of_another_command_names_it(void **state)
{
	(void)state;
	refuse("report -F 99 a.cprof", "-F is an option of 'coroprof record', 'top' and 'serve', not of 'coroprof report'");
	refuse("record --from 3 prog",
	       "--from is an option of 'coroprof report', 'diff', 'slow' and 'export', not of 'coroprof record'");
	refuse("export csv -t coroutines a.cprof",
	       "-t is an option of 'coroprof record', 'report', 'diff', 'slow' and 'totals', not of 'coroprof export'");
	refuse("report --diff a.cprof b.cprof", "there is no option --diff");
	refuse("report --nonsense a.cprof", "Try 'coroprof report --help'");
	refuse("report -o", "-o needs FILE");
	refuse("report --top", "--top needs N");
	refuse("report --fsync=yes a.cprof", "--fsync takes no value");
	refuse("--nonsense", "Try 'coroprof --help'");
}

static void diff_takes_two_recordings_or_several_runs(void **state)
{
	(void)state;
	accept("diff old.cprof new.cprof --fail-if ipc>+5%");
	assert_int_equal(o.source.nr_old, 1);
	assert_string_equal(o.source.old[0], "old.cprof");
	assert_int_equal(o.source.nr, 1);
	assert_string_equal(o.source.paths[0], "new.cprof");
	assert_int_equal(o.source.nr_gates, 1);
	accept("diff a.cprof b.cprof -- c.cprof d.cprof");
	assert_int_equal(o.source.nr_old, 2);
	assert_string_equal(o.source.old[1], "b.cprof");
	assert_int_equal(o.source.nr, 2);
	assert_string_equal(o.source.paths[1], "d.cprof");
	refuse("diff a.cprof", "coroprof diff OLD.cprof NEW.cprof");
	refuse("diff a.cprof b.cprof c.cprof", "coroprof diff OLD1.cprof OLD2.cprof -- NEW1.cprof");
	refuse("diff -- a.cprof b.cprof c.cprof", "coroprof diff OLD.cprof NEW.cprof");
	refuse("diff a.cprof -- b.cprof --fsync", "'--fsync' is no recording");
}

static void slow_takes_a_label_and_a_recording(void **state)
{
	(void)state;
	accept("slow handle:above=p99 a.cprof --from 1s");
	assert_string_equal(o.source.slow.text, "handle:above=p99");
	assert_int_equal(o.source.nr, 1);
	refuse("slow", "coroprof slow LABEL FILE.cprof");
	refuse("slow handle", "coroprof slow LABEL FILE.cprof");
	refuse("slow handle:by= a.cprof", "slow 'handle:by=': it is LABEL");
	refuse("slow handle a.cprof b.cprof", "slow 'handle' is of one recording: coroprof slow handle FILE.cprof");
	refuse("slow handle a.cprof -o a.db", "output 'a.db' says nothing of slow:");
	refuse("diff a.cprof b.cprof -o a.db", "and diff is of two:");
}

static void export_names_its_file_after_the_recording(void **state)
{
	(void)state;
	accept("export pprof dir/a.cprof");
	assert_int_equal(o.outputs[0].format, FORMAT_PPROF);
	assert_string_equal(o.outputs[0].path, "dir/a.pb.gz");
	accept("export csv recording");
	assert_string_equal(o.outputs[0].path, "recording.csv");
	accept("export perfetto -o trace.html a.cprof b.cprof");
	assert_int_equal(o.outputs[0].format, FORMAT_PERFETTO);
	assert_string_equal(o.outputs[0].path, "trace.html");
	refuse("export pprof a.cprof b.cprof", "-o FILE");
	refuse("export pprof -", "-o FILE");
	refuse("export nonsense a.cprof", "export nonsense: there is no such form");
	refuse("export", "coroprof export FORM FILE.cprof");
	refuse("export pprof", "coroprof export FORM FILE.cprof");
}

static void totals_check_and_selftest_are_commands(void **state)
{
	(void)state;
	accept("totals -i 1s prog");
	assert_true(o.record.totals);
	assert_int_equal(o.record.interval_ns, 1000000000);
	refuse("totals -r 1M prog", "-r is an option of 'coroprof record'");
	accept("totals --push https://h prog");
	assert_string_equal(o.push.to.url, "https://h");
	accept("record --push https://h --push-check");
	assert_int_equal(o.mode, MODE_PUSH_CHECK);
	refuse("record --push https://h prog", "--push is of totals, or of --keep");
	accept("serve --push https://h --metrics-listen 127.0.0.1:0 prog");
	accept("report --push https://h x.cprof y.cprof");
	assert_int_equal(o.mode, MODE_PUSH);
	refuse("export pprof --push https://h x.cprof", "not of 'coroprof export'");
	refuse("report --push https://h --push-queue q x.cprof", "--push-queue is an option of 'coroprof record', 'totals', 'top' and 'serve', not of 'coroprof report'");
	accept("check");
	assert_int_equal(o.mode, MODE_CHECK);
	refuse("check prog", "'prog'");
	accept("selftest --selftest-report f");
	assert_int_equal(o.mode, MODE_SELFTEST);
	assert_string_equal(o.selftest_report, "f");
}

/* ---- help */

static char *help_of(const char *line)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	accept(line);
	options_help(&o, options_help_width(out), out);
	fclose(out);
	return text;
}

static void help_of_a_command_has_its_options_alone(void **state)
{
	static const char *const lines[] = { "help report", "report --help", "report -h", "--help report" };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char *text = help_of(lines[i]);

		assert_int_equal(o.mode, MODE_HELP);
		assert_says(text, "Usage: coroprof report [OPTION]... FILE.cprof...");
		assert_says(text, "--from TIME");
		assert_null(strstr(text, "--frequency"));
		free(text);
	}
}

static void help_says_what_the_command_does_with_an_option(void **state)
{
	char *text;

	(void)state;
	for (size_t i = 0; i < NR_COMMANDS; i++) {
		const char *name = command_list[i].name;
		char line[64];

		snprintf(line, sizeof(line), "help %s", name);
		text = help_of(line);
		if (strcmp(name, "record") && strstr(text, "coroprof.cprof"))
			fail_msg("%s: %s", name, text);
		if (strstr(text, " \n"))
			fail_msg("%s: a line ends with a blank", name);
		free(text);
	}
	text = help_of("help export");
	assert_says(text, "in the form that FORM names");
	free(text);
	text = help_of("help diff");
	assert_null(strstr(text, ".folded"));
	assert_says(text, "changes (default of csv)");
	free(text);
	text = help_of("help totals");
	assert_null(strstr(text, ".folded"));
	assert_null(strstr(text, "--functions"));
	assert_says(text, "text, csv or json");
	free(text);
}

static void help_of_all_names_each_command(void **state)
{
	char *text = help_of("--help");

	(void)state;
	for (size_t i = 0; i < NR_COMMANDS; i++)
		assert_says(text, command_list[i].name);
	free(text);
	refuse("help foo", "coroprof help 'foo': there is no such command; there are record, report, diff, slow, export, totals, top, serve, check, selftest. Tables and columns: coroprof help columns");
	accept("help columns");
	assert_int_equal(o.mode, MODE_HELP_COLUMNS);
	accept("version");
	assert_int_equal(o.mode, MODE_VERSION);
}

static void no_line_of_help_is_wider_than_80(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_COMMANDS; i++) {
		char line[64], *text, *rest, *row;

		snprintf(line, sizeof(line), "help %s", command_list[i].name);
		rest = text = help_of(line);
		while ((row = strsep(&rest, "\n")))
			if (strlen(row) > 80 && strncmp(row, "Usage:", 6))
				fail_msg("'%s'", row);
		free(text);
	}
}

/* ---- the list itself */

static void letters_and_names_are_those_of_one_option(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		const struct option_entry *option = &option_list[i];

		assert_ptr_equal(option_named(option->name, strlen(option->name)), option);
		if (option->letter)
			assert_ptr_equal(option_named(&option->letter, 1), option);
	}
}

static void each_option_stands_in_the_manual(void **state)
{
	static char page[1 << 17];
	FILE *file = fopen(OPTIONS_MANUAL, "r");

	(void)state;
	assert_non_null(file);
	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	fclose(file);
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		char name[64];

		snprintf(name, sizeof(name), "--%s", option_list[i].name);
		assert_says(page, name);
	}
}

/* One that does something else for some commands says all of it in one text, in coroprof(1). */
static void an_option_of_several_texts_has_one_for_the_manual(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		const struct option_entry *option = &option_list[i];
		bool differs = false;

		for (size_t c = 0; c < NR_COMMANDS; c++)
			differs |= option_help(option, command_list[c].command) != option->help;
		if (differs != (option_manual(option) != option->help))
			fail_msg("--%s: HELP_FOR without IN_MANUAL, or the other way round",
				 option->name);
	}
}

/* ---- completion */

static void completes(const char *line, const char *expected, bool found)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	accept(line);
	assert_int_equal(o.mode, MODE_COMPLETE);
	options_complete(&o, out);
	fclose(out);
	if (!strstr(text, expected) == found)
		fail_msg("'%s': '%s'", line, text);
	free(text);
}

static void completes_commands_options_and_names(void **state)
{
	(void)state;
	completes("--complete rep", "report\t", true);
	completes("--complete rep", "record\t", false);
	completes("--complete report --f", "--from\t", true);
	completes("--complete report --f", "--frequency\t", false);
	completes("--complete record --f", "--frequency\t", true);
	completes("--complete report --table thr", "threads\t", true);
	completes("--complete report -t thr", "threads\t", true);
	completes("--complete report --table threads --sort slices,run", "slices,running\t", true);
	completes("--complete export pp", "pprof\t", true);
	completes("--complete record --runtime ja", "java\t", true);
	completes("--complete help sl", "slow\t", true);
	completes("--complete report -o x", "", true);
}

/* Of each table, for each option that takes columns. */
static void completes_columns_that_can_be_typed_alone(void **state)
{
	static const char *const options[] = { "-s", "--columns", "-W" };
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		for (unsigned int t = 0; t < nr_tables; t++) {
			snprintf(line, sizeof(line), "--complete report -t %s %s ''",
				 tables[t]->name, options[i]);
			completes(line, "(null)", false);
			completes(line, "%s", false);
		}
	completes("--complete report -t spans -s proc", "process\tthe process it is of\n", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs_a_command_or_a_recording),
		cmocka_unit_test(top_takes_what_records_and_no_output),
		cmocka_unit_test(record_takes_a_program_whatever_its_name),
		cmocka_unit_test(report_reads_recordings_whatever_their_names),
		cmocka_unit_test(an_option_of_another_command_names_it),
		cmocka_unit_test(diff_takes_two_recordings_or_several_runs),
		cmocka_unit_test(slow_takes_a_label_and_a_recording),
		cmocka_unit_test(export_names_its_file_after_the_recording),
		cmocka_unit_test(totals_check_and_selftest_are_commands),
		cmocka_unit_test(help_of_a_command_has_its_options_alone),
		cmocka_unit_test(help_says_what_the_command_does_with_an_option),
		cmocka_unit_test(help_of_all_names_each_command),
		cmocka_unit_test(no_line_of_help_is_wider_than_80),
		cmocka_unit_test(letters_and_names_are_those_of_one_option),
		cmocka_unit_test(each_option_stands_in_the_manual),
		cmocka_unit_test(an_option_of_several_texts_has_one_for_the_manual),
		cmocka_unit_test(completes_commands_options_and_names),
		cmocka_unit_test(completes_columns_that_can_be_typed_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
