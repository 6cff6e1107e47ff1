// SPDX-License-Identifier: GPL-2.0
/* list.def as tables. */
#include <string.h>

#include "../runtimes/list.h"
#include "base/util.h"
#include "events/events.h"
#include "options/list.h"

#define RUNTIME_HELP(name) #name ", "

const struct command_entry command_list[NR_COMMANDS] = {
#define COMMAND(id, name, arguments, help) { COMMAND_##id, name, arguments, help },
#define GROUP(id, title)
#define OPTION(id, letter, name, argument, commands, group, help)
#include "options/list.def"
};

const char *const option_groups[NR_GROUPS] = {
#define COMMAND(id, name, arguments, help)
#define GROUP(id, title) title,
#define OPTION(id, letter, name, argument, commands, group, help)
#include "options/list.def"
};

#define COMMAND(id, name, arguments, help)
#define GROUP(id, title)
#define OPTION(id, letter, name, argument, commands, group, help) \
	[OPTION_##id] = { letter, name, argument, commands, GROUP_##group, help },
const struct option_entry option_list[NR_OPTIONS] = {
#include "options/list.def"
};

#define COMMAND(id, name, arguments, help)
#define GROUP(id, title)
#define OPTION(id, letter, name, argument, commands, group, help)
#define HELP_FOR(id, commands, help) { OPTION_##id, commands, help },
static const struct {
	enum option_number option;
	unsigned int commands;
	const char *help;
} helps[] = {
#include "options/list.def"
};

#define COMMAND(id, name, arguments, help)
#define GROUP(id, title)
#define OPTION(id, letter, name, argument, commands, group, help)
#define IN_MANUAL(id, help) [OPTION_##id] = help,
static const char *const manuals[NR_OPTIONS] = {
#include "options/list.def"
};

const struct command_entry *command_named(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(command_list[i].name, name))
			return &command_list[i];
	return NULL;
}

const struct command_entry *command_of(enum command command)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (command_list[i].command == command)
			return &command_list[i];
	return NULL;
}

const struct option_entry *option_named(const char *name, size_t length)
{
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		const struct option_entry *option = &option_list[i];

		if (length == 1 ? option->letter == *name :
		    strlen(option->name) == length && !memcmp(option->name, name, length))
			return option;
	}
	return NULL;
}

const char *option_help(const struct option_entry *option, enum command command)
{
	for (size_t i = 0; i < ARRAY_SIZE(helps); i++)
		if (&option_list[helps[i].option] == option && helps[i].commands & command)
			return helps[i].help;
	return option->help;
}

const char *option_manual(const struct option_entry *option)
{
	const char *help = manuals[option - option_list];

	return help ? help : option->help;
}
