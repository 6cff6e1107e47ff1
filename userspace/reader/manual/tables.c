// SPDX-License-Identifier: GPL-2.0
/*
 * Writes standings, tables and columns of coroprof-tables(5) from the descriptions in
 * userspace/reader/tables.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "manual/manual.h"
#include "tables/table.h"

/* Writes @pattern with COUNTER in place of "%s". */
static void write_pattern(const char *pattern)
{
	const char *blank = strstr(pattern, "%s");
	char before[256];

	if (!blank) {
		manual_put(pattern);
		return;
	}
	snprintf(before, sizeof(before), "%.*s", (int)(blank - pattern), pattern);
	manual_put(before);
	printf("\\fICOUNTER\\fP");
	manual_put(blank + 2);
}

static void write_sentence(const char *pattern)
{
	if (!strncmp(pattern, "%s", 2)) {
		printf("The counter");
		manual_put(pattern + 2);
	} else {
		putchar(toupper((unsigned char)*pattern));
		write_pattern(pattern + 1);
	}
	puts(".");
}

/* Writes the words that cells of a column may have. */
static void write_words(const struct column *c)
{
	const char *before = "";

	printf(c->kind == KIND_WORD ? "One of: " : "Any of: ");
	for (const char *const *word = c->words; *word; word++) {
		if (!**word)
			continue;
		printf("%s", before);
		manual_put(*word);
		before = ", ";
	}
	puts(".");
}

static void write_column(const struct column *c)
{
	printf(".TP\n.BR \"");
	write_pattern(c->name);
	printf("\" \" (%s%s%s)\"\n", kind_name(c->kind), c->refers ? " of " : "",
	       c->refers ? c->refers : "");
	write_sentence(c->says);
	if (c->words)
		write_words(c);
	if (c->title && !strstr(c->title, "%s")) {
		printf("Shown as ");
		manual_put(c->title);
		puts(".");
	}
	if (c->sums != SUMS_NOT)
		printf("Of several rows: %s.\n", c->sums == SUMS_ADD ? "the sum" :
		       c->sums == SUMS_MAX ? "the largest" : "the smallest");
	if (c->unsure)
		puts("With a standing.");
}

void manual_standings(void)
{
	for (enum standing s = 0; s < STANDING_NR; s++) {
		printf(".TP\n.I %s\n", standing_name(s));
		manual_put(standing_says(s));
		puts("");
	}
}

void manual_tables(void)
{
	for (unsigned int t = 0; t < nr_tables; t++) {
		printf(".SH %s\n", tables[t]->name);
		write_sentence(tables[t]->title);
		for (unsigned int c = 0; c < tables[t]->nr; c++)
			write_column(&tables[t]->columns[c]);
	}
}
