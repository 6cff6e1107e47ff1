// SPDX-License-Identifier: GPL-2.0
/* Writes commands and options of coroprof(1) from list.def. */
#include <stdbool.h>
#include <stdio.h>

#include "manual/manual.h"
#include "options/list.h"

void manual_commands(void)
{
	for (unsigned int i = 0; i < NR_COMMANDS; i++) {
		printf(".TP\n\\fBcoroprof %s\\fR ", command_list[i].name);
		manual_put(command_list[i].arguments);
		putchar('\n');
		manual_put(command_list[i].help);
		putchar('\n');
	}
}

static void write_takers(unsigned int takers)
{
	const char *between = "(";

	for (unsigned int i = 0; i < NR_COMMANDS; i++) {
		if (!(takers & command_list[i].command))
			continue;
		printf("%s%s", between, command_list[i].name);
		between = ", ";
	}
	puts(")");
}

static void write_option(const struct option_entry *option)
{
	printf(".TP\n\\fB");
	if (option->letter)
		printf("\\-%c\\fR, \\fB", option->letter);
	printf("\\-\\-");
	manual_put(option->name);
	printf("\\fR");
	if (option->argument)
		printf(" \\fI%s\\fR", option->argument);
	putchar('\n');
	manual_put(option_manual(option));
	putchar('\n');
	if (option->commands != COMMANDS_ALL)
		write_takers(option->commands);
}

void manual_options(void)
{
	for (unsigned int group = 0; group < NR_GROUPS; group++) {
		const char *title = option_groups[group];

		for (unsigned int i = 0; i < NR_OPTIONS; i++) {
			if (option_list[i].group != group || !option_list[i].commands)
				continue;
			if (title)
				printf(".SS %s\n", title);
			title = NULL;
			write_option(&option_list[i]);
		}
	}
}
