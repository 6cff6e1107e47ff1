// SPDX-License-Identifier: GPL-2.0
/* `coroprof help columns`: prints the descriptions of all tables, wrapped. */
#include <stdlib.h>
#include <string.h>

#include "output/help.h"
#include "tables/table.h"

#define NAME_WIDTH	31
#define KIND_WIDTH	7
#define WIDTH		100

/* Writes a name or text, with HELP_COUNTER in place of "%s". */
static void write_pattern(const char *pattern, FILE *file)
{
	const char *blank = strstr(pattern, "%s");

	if (blank)
		fprintf(file, "%.*s" HELP_COUNTER "%s", (int)(blank - pattern), pattern, blank + 2);
	else
		fputs(pattern, file);
}

static int name_width(const char *pattern)
{
	size_t length = strlen(pattern);

	return (int)(strstr(pattern, "%s") ? length - 2 + strlen(HELP_COUNTER) : length);
}

/* Wraps the text in lines that begin at column @indent. */
static void write_wrapped(const char *text, int indent, FILE *file)
{
	int at = indent;

	while (*text) {
		int length = (int)strcspn(text, " ");

		if (at > indent && at + 1 + length > WIDTH) {
			fprintf(file, "\n%*s", indent, "");
			at = indent;
		}
		at += fprintf(file, "%s%.*s", at > indent ? " " : "", length, text);
		text += length + (text[length] == ' ');
	}
	fputc('\n', file);
}

static void write_meaning(const struct column *column, FILE *file)
{
	char text[512];
	char *says = NULL;
	size_t size;
	FILE *memory = open_memstream(&says, &size);

	if (!memory)
		return;
	write_pattern(column->says, memory);
	fclose(memory);
	snprintf(text, sizeof(text), "%s%s%s", says, column->refers ? "; row of " : "",
		 column->refers ? column->refers : "");
	write_wrapped(text, 2 + NAME_WIDTH + KIND_WIDTH, file);
	free(says);
}

static void write_column(const struct column *column, FILE *file)
{
	fputs("  ", file);
	write_pattern(column->name, file);
	fprintf(file, "%*s%-*s", NAME_WIDTH - name_width(column->name), "", KIND_WIDTH,
		kind_name(column->kind));
	write_meaning(column, file);
}

static const char introduction[] =
"Tables and their columns. --table takes the name of a table; --columns and --sort take\n"
"names of columns, or their titles in tables of text. " HELP_COUNTER " stands for the name of\n"
"each counter.\n"
"\n"
"Kinds: text; id: a number that names something; count: a number of things; events:\n"
"the count of a counter, nanoseconds if it counts time; ns: nanoseconds; time:\n"
"nanoseconds since the recording began; share: 0 to 1; ratio: a quotient; word: one of\n"
"a few words; flags: several of a few words; row: the number of a row of another table.\n"
"\n"
"In CSV, each row has its number, row. If a column X refers to rows with names, X_name\n"
"has the name; if its figures have standings, X_standing has the standing. JSON has\n"
"these in its members names and standings, see coroprof-tables(5). The standings are:\n";

static void write_standings(FILE *file)
{
	for (enum standing s = 0; s < STANDING_NR; s++)
		fprintf(file, "%s%s", s ? "; " : "", standing_name(s));
	fputs(".\nThose from n/a on have no value: X is empty, or null.\n", file);
}

void help_columns(FILE *file)
{
	fputs(introduction, file);
	write_standings(file);
	for (unsigned int t = 0; t < nr_tables; t++) {
		fprintf(file, "\n%s\n  %s\n\n", tables[t]->name, tables[t]->title);
		for (unsigned int c = 0; c < tables[t]->nr; c++)
			write_column(&tables[t]->columns[c], file);
	}
}
