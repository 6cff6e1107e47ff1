// SPDX-License-Identifier: GPL-2.0
/*
 * Runs where coroprof is built: writes coroprof(1), which comes with the lines @COMMANDS@ and @OPTIONS@
 * in place of what list.def has.
 */
#include <stdio.h>
#include <string.h>

#include "options/list.h"

/* As troff wants it: no line begins with its own signs, and a hyphen of a command can be copied. */
static void put(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '~')
			fputs("\\(ti", stdout);
		else if (*text == '^')
			fputs("\\(ha", stdout);
		else if (*text == '\'')
			fputs("\\(aq", stdout);
		else
			putchar(*text);
	}
}

static void put_commands(void)
{
	for (unsigned int i = 0; i < NR_COMMANDS; i++) {
		printf(".TP\n\\fBcoroprof %s\\fR ", command_list[i].name);
		put(command_list[i].arguments);
		putchar('\n');
		put(command_list[i].help);
		putchar('\n');
	}
}

/* "record, totals" */
static void put_takers(const struct option_entry *option)
{
	const char *between = "(";

	if (option->commands == COMMANDS_ALL)
		return;
	for (unsigned int i = 0; i < NR_COMMANDS; i++)
		if (option->commands & command_list[i].command) {
			printf("%s%s", between, command_list[i].name);
			between = ", ";
		}
	puts(")");
}

static void put_option(const struct option_entry *option)
{
	printf(".TP\n\\fB");
	if (option->letter)
		printf("\\-%c\\fR, \\fB", option->letter);
	printf("\\-\\-");
	put(option->name);
	printf("\\fR");
	if (option->argument)
		printf(" \\fI%s\\fR", option->argument);
	putchar('\n');
	put(option->help);
	putchar('\n');
	put_takers(option);
}

static void put_options(void)
{
	for (unsigned int group = 0; group < NR_GROUPS; group++) {
		const char *title = option_groups[group];

		for (unsigned int i = 0; i < NR_OPTIONS; i++) {
			if (option_list[i].group != group || !option_list[i].commands)
				continue;
			if (title)
				printf(".SS %s\n", title);
			title = NULL;
			put_option(&option_list[i]);
		}
	}
}

int main(void)
{
	char line[4096];

	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "@COMMANDS@\n"))
			put_commands();
		else if (!strcmp(line, "@OPTIONS@\n"))
			put_options();
		else
			fputs(line, stdout);
	}
	return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
