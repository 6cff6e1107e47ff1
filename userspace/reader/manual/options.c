// SPDX-License-Identifier: GPL-2.0
/* The commands and options of coroprof(1), as list.def has them. */
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

/* The commands of @left for which it does what it does for the command @of, which go from @left. */
static void put_takers(const struct option_entry *option, enum command of, unsigned int *left)
{
	const char *help = option_help(option, of), *between = "(";
	bool all = *left == COMMANDS_ALL;

	for (unsigned int i = 0; i < NR_COMMANDS; i++) {
		enum command command = command_list[i].command;

		if (!(*left & command) || option_help(option, command) != help)
			continue;
		*left &= ~command;
		if (!all)
			printf("%s%s", between, command_list[i].name);
		between = ", ";
	}
	if (!all)
		puts(")");
}

static void put_option(const struct option_entry *option)
{
	unsigned int left = option->commands;

	printf(".TP\n\\fB");
	if (option->letter)
		printf("\\-%c\\fR, \\fB", option->letter);
	printf("\\-\\-");
	manual_put(option->name);
	printf("\\fR");
	if (option->argument)
		printf(" \\fI%s\\fR", option->argument);
	putchar('\n');
	for (unsigned int i = 0; i < NR_COMMANDS; i++) {
		if (!(left & command_list[i].command))
			continue;
		if (left != option->commands)
			puts(".br");
		manual_put(option_help(option, command_list[i].command));
		putchar('\n');
		put_takers(option, command_list[i].command, &left);
	}
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
			put_option(&option_list[i]);
		}
	}
}
