// SPDX-License-Identifier: GPL-2.0
/* Words on a terminal: they fit it, and they are the same. */
#include <stdio.h>
#include <stdlib.h>

#include "base/invoked.h"
#include "base/printable.h"
#include "base/util.h"
#include "output/text/wrap.h"
#include "support.h"

static char *head(const char *text, size_t width)
{
	char *copy = strdup(text), *wrapped = NULL;
	size_t size;
	FILE *file = open_memstream(&wrapped, &size);

	assert_true(copy && file);
	wrap_head(copy, &(struct view_options){ .width = (uint32_t)width }, file);
	fclose(file);
	free(copy);
	return wrapped;
}

static char *note(const char *text, uint32_t width)
{
	char *wrapped = NULL;
	size_t size;
	FILE *file = open_memstream(&wrapped, &size);

	assert_non_null(file);
	wrap_note(&(struct view_options){ .width = width }, file, "%s", text);
	fclose(file);
	return wrapped;
}

static char *title(const char *text, uint32_t width)
{
	char *wrapped = NULL;
	size_t size;
	FILE *file = open_memstream(&wrapped, &size);

	assert_non_null(file);
	wrap_title(&(struct view_options){ .width = width }, file, text);
	fclose(file);
	return wrapped;
}

static void assert_wrapped(char *got, const char *want)
{
	if (strcmp(got, want))
		fail_msg("got\n%s---- want\n%s----", got, want);
	free(got);
}

static void notes_say_commands_as_they_are_typed(void **state)
{
	static const struct invoked_form legacy[] = { { "diff", "--diff" }, { NULL, NULL } };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	invoked_as("coroprof-read", legacy);
	wrap_note(&(struct view_options){ 0 }, file, "coroprof diff %s\n", "coroprof diff");
	wrap_note(&(struct view_options){ .width = 80 }, file, "coroprof diff\n");
	invoked_as("coroprof", NULL);
	fclose(file);
	assert_wrapped(text, "coroprof-read --diff coroprof diff\ncoroprof-read --diff\n");
}

static void goes_on_below_the_text_behind_the_title(void **state)
{
	(void)state;
	assert_wrapped(head("time        35.6 s of threads: running 2.6 % (outside coroutines 0.1 %), idle 95.6 %\n"
			    "overhead    n/a\n", 60),
"time        35.6 s of threads: running 2.6 % (outside\n"
"            coroutines 0.1 %), idle 95.6 %\n"
"overhead    n/a\n");
}

static void goes_on_further_where_a_title_has_several_lines(void **state)
{
	(void)state;
	assert_wrapped(head("findings    write_log sleeps in the kernel inside its slices\n"
			    "            route goes from thread to thread: most often here\n"
			    "recorded    nothing at all, not on any day and not for any time\n", 40),
"findings    write_log sleeps in the\n"
"              kernel inside its slices\n"
"            route goes from thread to\n"
"              thread: most often here\n"
"recorded    nothing at all, not on any\n"
"            day and not for any time\n");
}

static void goes_on_indented_in_notes(void **state)
{
	(void)state;
	assert_wrapped(note("\nidle: a thread asleep outside any coroutine\nown: without\n\n", 30),
"\n"
"idle: a thread asleep outside\n"
"  any coroutine\n"
"own: without\n"
"\n");
}

static void leaves_what_fits_and_what_is_no_terminal_as_it_is(void **state)
{
	const char *text = "counters    cycles               counted\n            b  c\n\nnote\n";

	(void)state;
	assert_wrapped(head(text, 41), text);
	assert_wrapped(note("as  wide as it is, which is more than a terminal has\n", 0),
		       "as  wide as it is, which is more than a terminal has\n");
}

static void keeps_numbers_with_their_units(void **state)
{
	(void)state;
	assert_wrapped(note("it took >=1.23 ms (4 times), ~88.4 % of 7\n", 15),
"it took\n"
"  >=1.23 ms\n"
"  (4 times),\n"
"  ~88.4 % of 7\n");
	/* Not so many to a line that it is wider than the terminal. */
	assert_wrapped(note("note 1 2 3 4 5 6 7 8 9\n", 12), "note 1 2 3 4\n  5 6 7 8 9\n");
}

static void keeps_commands_whole(void **state)
{
	(void)state;
	assert_wrapped(head("switches    1 by ioctl (not permitted: record it as root, or sudo sysctl kernel.perf_event_paranoid=2)\n", 60),
"switches    1 by ioctl (not permitted: record it as root, or\n"
"            sudo sysctl kernel.perf_event_paranoid=2)\n");
	assert_wrapped(head("switches    1 by ioctl (off: echo 1 | sudo tee /sys/bus/event_source/devices/cpu/rdpmc), 2 from user mode\n", 60),
"switches    1 by ioctl (off:\n"
"            echo 1 | sudo tee /sys/bus/event_source/devices/cpu/rdpmc),\n"
"            2 from user mode\n");
	assert_wrapped(note("fewer are lost: coroprof record --ring-size 8M -- COMMAND. Or so\n", 40),
"fewer are lost:\n"
"  coroprof record --ring-size 8M -- COMMAND.\n"
"  Or so\n");
	assert_wrapped(note("all of them: --table latency, the worst\n", 24),
"all of them:\n"
"  --table latency, the\n"
"  worst\n");
	assert_wrapped(head("command     ./server --port 80 --config /etc/server/server.conf --verbose\n"
			    "note        ./server\n", 40),
"command     ./server --port 80 --config /etc/server/server.conf --verbose\n"
"note        ./server\n");
}

static void takes_a_label_for_no_command(void **state)
{
	(void)state;
	assert_wrapped(note("echo makes others wait for sudo in all\n", 20),
		       "echo makes others\n  wait for\n  sudo in all\n");
	assert_wrapped(note("coroprof makes others wait longer\n", 20),
		       "coroprof makes\n  others wait longer\n");
}

static void begins_a_line_with_a_word_that_is_wider_than_the_terminal(void **state)
{
	(void)state;
	assert_wrapped(head("reported by /usr/lib/a/very/long/name/of/a/program 7: its\n"
			    "note        a /usr/lib/a/very/long/name/of/a/program here\n", 40),
"reported by /usr/lib/a/very/long/name/of/a/program\n"
"            7: its\n"
"note        a\n"
"            /usr/lib/a/very/long/name/of/a/program\n"
"            here\n");
}

/* Characters of three bytes take two columns, those of two take one. */
static void measures_characters_as_terminals_show_them(void **state)
{
	static const char text[] =
		"\xe6\x97\xa5\xe6\x9c\xac \xe8\xaa\x9e\xe8\xaa\x9e \xc3\xa9\xc3\xa9 z\n";

	(void)state;
	assert_wrapped(note(text, 12),
		       "\xe6\x97\xa5\xe6\x9c\xac \xe8\xaa\x9e\xe8\xaa\x9e \xc3\xa9\xc3\xa9\n  z\n");
	assert_wrapped(note(text, 11),
		       "\xe6\x97\xa5\xe6\x9c\xac \xe8\xaa\x9e\xe8\xaa\x9e\n  \xc3\xa9\xc3\xa9 z\n");
}

/* ------------------------------------------------------------------------
 * whatever the words are
 */

static const char *const words[] = {
	"a", "is", "of", "threads:", "(outside", "coroutines),", "write_response", "1.23 ms", "(4 times)",
	">=95.6 %;", "--table worst", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", "na\xc3\xafve", "\\x1b[31mred",
	"0x7f001234:boost::asio::detail", "17,", "12 k",
};

static void put_words(FILE *file, unsigned int seed)
{
	srand(seed);
	for (int nr = rand() % 60; nr >= 0; nr--)
		fprintf(file, "%s%s", words[(size_t)rand() % ARRAY_SIZE(words)],
			!nr ? "\n" : rand() % 9 ? " " : "   ");
}

static char *any_text(unsigned int seed)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	fprintf(file, "%-11s ", seed % 3 ? "title" : "");
	put_words(file, seed);
	if (seed % 2)
		fprintf(file, "%-11s a %-20s b\n", "", "\xe8\xaa\x9e");
	fclose(file);
	return text;
}

static void assert_lines_fit(const char *text, size_t width)
{
	char *copy = strdup(text), *rest;

	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (printable_width(line) > width)
			fail_msg("wider than %zu: '%s' of\n%s", width, line, text);
	free(copy);
}

static void assert_same_words(const char *a, const char *b)
{
	static const char spaces[] = " \n";

	for (size_t n; *a || *b; a += n, b += n) {
		a += strspn(a, spaces);
		b += strspn(b, spaces);
		n = strcspn(a, spaces);
		if (n != strcspn(b, spaces) || strncmp(a, b, n))
			fail_msg("here they differ: '%s' and '%s'", a, b);
	}
}

/* Of what @text has in a line, each is in a line of @wrapped: as often in all. */
static void assert_not_truncated(const char *text, const char *wrapped)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *a = text, *b = wrapped;

		while ((a = strstr(a, words[i]))) {
			b = strstr(b, words[i]);
			if (!b)
				fail_msg("'%s' is torn in\n%s", words[i], wrapped);
			a++;
			b++;
		}
	}
}

static void fits_any_terminal_with_any_words(void **state)
{
	static const uint32_t widths[] = { 44, 60, 80, 100, 157 };
	size_t wrapped = 0;

	(void)state;
	for (unsigned int seed = 0; seed < 2000; seed++) {
		uint32_t width = widths[seed % ARRAY_SIZE(widths)];
		char *text = any_text(seed), *of[] = { head(text, width), note(text, width) };

		for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
			assert_lines_fit(of[i], width);
			assert_same_words(text, of[i]);
			assert_not_truncated(text, of[i]);
			wrapped += strcmp(text, of[i]) != 0;
			free(of[i]);
		}
		free(text);
	}
	assert_true(wrapped > 1000);
}

static void titles_fit_the_terminal(void **state)
{
	(void)state;
	assert_wrapped(title("what adds up to most first", 12), "\nwhat adds up\n  to most\n  first\n");
	assert_wrapped(title("what adds up to most first", 0), "\nwhat adds up to most first\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notes_say_commands_as_they_are_typed),
		cmocka_unit_test(goes_on_below_the_text_behind_the_title),
		cmocka_unit_test(goes_on_further_where_a_title_has_several_lines),
		cmocka_unit_test(goes_on_indented_in_notes),
		cmocka_unit_test(leaves_what_fits_and_what_is_no_terminal_as_it_is),
		cmocka_unit_test(keeps_numbers_with_their_units),
		cmocka_unit_test(keeps_commands_whole),
		cmocka_unit_test(takes_a_label_for_no_command),
		cmocka_unit_test(begins_a_line_with_a_word_that_is_wider_than_the_terminal),
		cmocka_unit_test(measures_characters_as_terminals_show_them),
		cmocka_unit_test(titles_fit_the_terminal),
		cmocka_unit_test(fits_any_terminal_with_any_words),
	};

	return cmocka_run_group_tests_name("wrap", tests, NULL, NULL);
}
