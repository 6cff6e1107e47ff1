// SPDX-License-Identifier: GPL-2.0
/*
 * coroprof-tables(5) is what the descriptions say. Prints the page they give
 * with --print; it is put in place by make -C tests/unit manual.
 */
#include <ctype.h>
#include <stdlib.h>

#include "output/help.h"
#include "support.h"
#include "tables/table.h"

static const char head[] =
"'\\\" t\n"
".\\\" SPDX-License-Identifier: GPL-2.0\n"
".\\\" Made of userspace/reader/tables by: make -C tests/unit manual\n"
".TH COROPROF-TABLES 5 2026-11-22 coroprof \"File Formats\"\n"
".SH NAME\n"
"coroprof-tables \\- tables and columns of coroprof-read\n"
".SH DESCRIPTION\n"
"What a recording adds up to is a number of tables.\n"
".BR coroprof-read (1)\n"
"shows some of them as text, all of them with\n"
".BR --table ,\n"
"and writes them to files:\n"
".B --format csv\n"
"one,\n"
".B --format json\n"
"all.\n"
".I COUNTER\n"
"in a name stands for the name of each counter.\n"
".SS Kinds\n"
".TS\n"
"lB l.\n"
"text\ttext\n"
"id\ta number that names something; it is neither added nor rounded\n"
"count\thow many\n"
"events\twhat a counter counted; nanoseconds if it counts time\n"
"ns\tnanoseconds\n"
"time\tnanoseconds since the recording began\n"
"share\t0 to 1\n"
"ratio\ta quotient\n"
"word\tone of a few words\n"
"flags\tseveral of a few words\n"
"row\tthe number of a row of another table\n"
".TE\n"
".SS A part of the time\n"
"Of a part of a recording\n"
".RB ( --from ,\n"
".BR --to ),\n"
"or of a time that is chosen in the page, slices are clipped at its edges.\n"
"A slice is in it if any of its time is; one without length, if it begins in it or at its begin.\n"
"Wall time is exact.\n"
"Of a slice that is cut, a count has the share that is in the part: of a count\n"
".I n\n"
"in a slice of length\n"
".IR l ,\n"
"the part from\n"
".I a\n"
"to\n"
".I b\n"
"after its begin has\n"
".I floor(n*b/l) \\- floor(n*a/l),\n"
"so that parts which follow each other have all of it.\n"
"Time off the CPU is shared in the same way, and running is the rest; of the time off the CPU, blocked, or idle, is shared\n"
"by that.\n"
"Such figures are estimates, and marked; with\n"
".B --exact\n"
"they are n/a, and so is what they would be in.\n"
"The number of slices has each of these as one;\n"
".I cut\n"
"says how many are.\n"
"The length of a slice that is cut is that of its part: the longest is at least that.\n"
"Gaps are those between two slices that are in the part, wakes those of slices that begin in it, samples those taken in it.\n"
"Spans are not clipped: they are those that ended in it, whole.\n"
"Lives are those that begin and end in it.\n"
"Times are those of the recording, so that one of them can be given to\n"
".BR --from .\n"
".SS Files\n"
"CSV has a line of names, then a line for each row, ended by CR and LF (RFC 4180).\n"
"JSON has one object: its member\n"
".I tables\n"
"has one for each table, with\n"
".IR title ,\n"
".I columns\n"
"(what is said below) and\n"
".IR rows ,\n"
"an array of objects.\n"
"Whole numbers beyond 2^53 are strings there.\n"
"In both, beside the columns below,\n"
".TP\n"
".I row\n"
"is the number of the row, from 0 on;\n"
".TP\n"
".IR X _name\n"
"is what the row is called that\n"
".I X\n"
"refers to, where rows have names;\n"
".TP\n"
".IR X _standing\n"
"says how far\n"
".I X\n"
"can be relied on, where that is not always the same.\n";

/* A minus that stays one when it is copied. */
static void put(const char *text, FILE *file)
{
	for (; *text; text++)
		if (*text == '-')
			fputs("\\-", file);
		else if (*text == '\\')
			fputs("\\e", file);
		else
			fputc(*text, file);
}

static void put_name(const char *pattern, FILE *file)
{
	const char *hole = strstr(pattern, "%s");

	if (hole)
		fprintf(file, "%.*s\\fICOUNTER\\fP%s", (int)(hole - pattern), pattern, hole + 2);
	else
		put(pattern, file);
}

static void put_sentence(const char *pattern, FILE *file)
{
	const char *hole = strstr(pattern, "%s");

	if (!hole) {
		fputc(toupper((unsigned char)*pattern), file);
		put(pattern + 1, file);
	} else if (hole == pattern) {
		fputs("The counter", file);
		put(hole + 2, file);
	} else {
		fprintf(file, "%c%.*s\\fICOUNTER\\fP%s", toupper((unsigned char)*pattern),
			(int)(hole - pattern - 1), pattern + 1, hole + 2);
	}
	fputs(".\n", file);
}

static void put_words(const struct column *c, FILE *file)
{
	const char *before = "";

	fputs(c->kind == KIND_WORD ? "One of: " : "Any of: ", file);
	for (const char *const *word = c->words; *word; word++) {
		if (!**word)
			continue;
		fputs(before, file);
		put(*word, file);
		before = ", ";
	}
	fputs(".\n", file);
}

static void put_column(const struct column *c, FILE *file)
{
	fputs(".TP\n.BR \"", file);
	put_name(c->name, file);
	fprintf(file, "\" \" (%s%s%s)\"\n", kind_name(c->kind), c->refers ? " of " : "",
		c->refers ? c->refers : "");
	put_sentence(c->says, file);
	if (c->words)
		put_words(c, file);
	if (c->title && !strstr(c->title, "%s")) {
		fputs("Shown as ", file);
		put(c->title, file);
		fputs(".\n", file);
	}
	if (c->sums != SUMS_NOT)
		fprintf(file, "Of several rows: %s.\n", c->sums == SUMS_ADD ? "the sum" :
			c->sums == SUMS_MAX ? "the largest" : "the smallest");
	if (c->unsure)
		fputs("With a standing.\n", file);
}

static void put_table(const struct table *t, FILE *file)
{
	fprintf(file, ".SH %s\n", t->name);
	put_sentence(t->title, file);
	for (unsigned int c = 0; c < t->nr; c++)
		put_column(&t->columns[c], file);
}

static void put_manual(FILE *file)
{
	fputs(head, file);
	fputs(".PP\nThese are the standings.\n"
	      "From\n.I n/a\non there is no value:\n"
	      ".I X\nis empty, or null, never 0.\n"
	      "A column without one that has no value is not known, or there is none.\n", file);
	for (enum standing s = 0; s < STANDING_NR; s++)
		fprintf(file, ".TP\n.I %s\n%s\n", standing_name(s), standing_says(s));
	for (unsigned int t = 0; t < nr_tables; t++)
		put_table(tables[t], file);
	fputs(".SH SEE ALSO\n.BR coroprof-read (1),\n.BR cprof (5)\n", file);
}

static char *read_page(void)
{
	FILE *file = fopen(MANUAL, "r");
	char *text = calloc(1, 1 << 20);

	assert_non_null(text);
	if (file) {
		text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
		fclose(file);
	}
	return text;
}

static void the_page_is_what_the_descriptions_say(void **state)
{
	char *want = NULL, *got = read_page();
	size_t size;
	FILE *file = open_memstream(&want, &size);

	(void)state;
	put_manual(file);
	fclose(file);
	if (strcmp(got, want))
		fail_msg("%s is not what userspace/reader/tables says; make it anew: make -C tests/unit manual",
			 MANUAL);
	free(want);
	free(got);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_is_what_the_descriptions_say),
	};

	if (argc == 2 && !strcmp(argv[1], "--print")) {
		put_manual(stdout);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
