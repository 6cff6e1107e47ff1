/* SPDX-License-Identifier: GPL-2.0 */
/* What commands and options there are: list.def as tables. */
#ifndef COROPROF_OPTIONS_LIST_H
#define COROPROF_OPTIONS_LIST_H

#include <stddef.h>

#define SAMPLE_EVENT_DEFAULT	"cycles"
#define SAMPLE_FREQUENCY_DEFAULT	997

enum command_number {
#define COMMAND(id, name, arguments, help) COMMAND_NUMBER_##id,
#define GROUP(id, title)
#define OPTION(id, letter, name, argument, commands, group, help)
#include "options/list.def"
	NR_COMMANDS,
};

/* Sets of commands are sums of these. */
enum command {
	COMMAND_NONE = 0,	/* coroprof-read, whose options say what it is to do */
#define COMMAND(id, name, arguments, help) COMMAND_##id = 1 << COMMAND_NUMBER_##id,
#define GROUP(id, title)
#define OPTION(id, letter, name, argument, commands, group, help)
#include "options/list.def"
	COMMANDS_ALL = (1 << NR_COMMANDS) - 1,
};

enum option_group {
#define COMMAND(id, name, arguments, help)
#define GROUP(id, title) GROUP_##id,
#define OPTION(id, letter, name, argument, commands, group, help)
#include "options/list.def"
	NR_GROUPS,
};

enum option_number {
#define COMMAND(id, name, arguments, help)
#define GROUP(id, title)
#define OPTION(id, letter, name, argument, commands, group, help) OPTION_##id,
#include "options/list.def"
	NR_OPTIONS,
};

/**
 * struct command_entry - a command of coroprof
 * @command:   enum command
 * @name:      what is typed
 * @arguments: what follows it, for the line "Usage:"
 * @help:      a sentence
 */
struct command_entry {
	enum command command;
	const char *name;
	const char *arguments;
	const char *help;
};

/**
 * struct option_entry - an option
 * @letter:   its short form; 0: none
 * @name:     its long form
 * @argument: what its argument is called; NULL: it takes none
 * @commands: those that take it; 0: coroprof-read alone, which takes all
 * @group:    heading of the help that it is below
 * @help:     one or more sentences: see option_help()
 */
struct option_entry {
	char letter;
	const char *name;
	const char *argument;
	unsigned int commands;
	enum option_group group;
	const char *help;
};

extern const struct command_entry command_list[NR_COMMANDS];
extern const struct option_entry option_list[NR_OPTIONS];
extern const char *const option_groups[NR_GROUPS];

/* NULL: there is none of that name. */
const struct command_entry *command_named(const char *name);
const struct command_entry *command_of(enum command command);

/* By name, or as a letter with a '\0' behind it. NULL: there is none. */
const struct option_entry *option_named(const char *name, size_t length);

/* What it does for the command; COMMAND_NONE: for coroprof-read. */
const char *option_help(const struct option_entry *option, enum command command);

/* What it does for all commands, in one text. */
const char *option_manual(const struct option_entry *option);

#endif /* COROPROF_OPTIONS_LIST_H */
