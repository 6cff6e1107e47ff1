// SPDX-License-Identifier: GPL-2.0
/*
 * Completion for shells: commands, options, and the names that options take, from their
 * descriptions.
 */
#include <stdbool.h>
#include <string.h>

#include "../runtimes/list.h"
#include "base/util.h"
#include "options/complete.h"
#include "options/values.h"
#include "output/export/form.h"
#include "tables/table.h"

/**
 * struct completion - of one word
 * @begin:  what is typed of it
 * @before: typed of it as well, and left alone: "slices," of "--columns slices,run"
 * @kept:   its length
 */
struct completion {
	FILE *out;
	const char *begin;
	const char *before;
	int kept;
};

static void complete(const struct completion *c, const char *name, const char *meaning)
{
	if (!strncmp(name, c->begin, strlen(c->begin)))
		fprintf(c->out, "%.*s%s\t%s\n", c->kept, c->before, name, meaning);
}

/* Shells have a line for it: as much of @text as makes sense alone. */
static void complete_sentence(const struct completion *c, const char *name, const char *text)
{
	char sentence[256];

	snprintf(sentence, sizeof(sentence), "%.*s", (int)strcspn(text, ".:;("), text);
	complete(c, name, sentence);
}

static void complete_option(const struct completion *c, const struct option_entry *option,
			    enum command command)
{
	char name[64];

	snprintf(name, sizeof(name), "--%s", option->name);
	complete_sentence(c, name, option_help(option, command));
}

static void complete_commands(const struct completion *c)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		complete(c, command_list[i].name, command_list[i].help);
	complete(c, "help", "Print what a command does, and its options.");
}

static void complete_options(const struct completion *c, enum command command)
{
	for (size_t i = 0; i < NR_OPTIONS; i++)
		if (!command || option_list[i].commands & command)
			complete_option(c, &option_list[i], command);
}

static void complete_tables(const struct completion *c)
{
	for (unsigned int i = 0; i < nr_tables; i++)
		complete(c, tables[i]->name, tables[i]->title);
}

/* Of the table that is asked for, or of labels. Only a recording says what counters it has. */
static void complete_columns(const struct completion *c, char *const *words)
{
	const struct table *table = table_named("labels");

	for (; *words; words++)
		if ((!strcmp(*words, "--table") || !strcmp(*words, "-t")) && words[1] &&
		    table_named(words[1]))
			table = table_named(words[1]);
	for (unsigned int i = 0; i < table->nr; i++) {
		const struct column *column = &table->columns[i];

		if (!strstr(column->name, "%s"))
			complete_sentence(c, column->name,
					  column->title ? column->title : column->says);
	}
}

static void complete_forms(const struct completion *c)
{
	const char *name;

	for (unsigned int i = 0; (name = options_form_name(i)); i++)
		complete(c, name, "");
	for (unsigned int i = 0; i < form_count(); i++)
		complete(c, form_at(i)->name, form_at(i)->text);
}

static void complete_runtimes(const struct completion *c)
{
#define COMPLETE(name) complete(c, #name, "");
	RUNTIMES(COMPLETE)
#undef COMPLETE
	complete(c, RUNTIMES_NONE, "no adapter at all");
}

static void complete_values(const struct completion *c, enum option_number option,
			    char *const *words)
{
	switch (option) {
	case OPTION_TABLE:
		return complete_tables(c);
	case OPTION_SORT:
	case OPTION_COLUMNS:
	case OPTION_WHERE:
		return complete_columns(c, words);
	case OPTION_FORMAT:
		return complete_forms(c);
	case OPTION_RUNTIME:
		return complete_runtimes(c);
	case OPTION_SWITCH:
		complete(c, "auto", "from user mode where that is possible");
		return complete(c, "ioctl", "by system calls");
	case OPTION_COLOR:
		complete(c, "auto", "on a terminal");
		complete(c, "always", "");
		return complete(c, "never", "");
	default:
		return;
	}
}

/* Whose argument the word behind @word is; NULL: nobody's. */
static const struct option_entry *wants_argument(const char *word)
{
	const struct option_entry *option = NULL;

	if (!strncmp(word, "--", 2) && word[2])
		option = option_named(word + 2, strlen(word + 2));
	else if (*word == '-' && word[1] && !word[2])
		option = option_named(word + 1, 1);
	return option && option->argument ? option : NULL;
}

void options_complete(const struct options *o, FILE *out)
{
	struct completion c = { .out = out, .begin = "", .before = "" };
	const struct command_entry *command = NULL;
	const struct option_entry *option = NULL;
	unsigned int nr = 0;
	const char *comma;

	while (o->words[nr])
		nr++;
	if (!nr)
		return;
	c.begin = o->words[nr - 1];
	if (!o->legacy && nr == 1)
		complete_commands(&c);
	if (!o->legacy && nr > 1)
		command = command_named(o->words[0]);
	if (nr > 1)
		option = wants_argument(o->words[nr - 2]);
	if (option) {
		/* Of a list, the last one is being typed. */
		comma = strrchr(c.begin, ',');
		if (comma) {
			c.before = c.begin;
			c.kept = (int)(comma + 1 - c.begin);
			c.begin = comma + 1;
		}
		complete_values(&c, (enum option_number)(option - option_list), o->words);
	} else if (*c.begin == '-') {
		complete_options(&c, command ? command->command : COMMAND_NONE);
	} else if (nr == 2 && !strcmp(o->words[0], "help")) {
		complete_commands(&c);
		complete(&c, "columns", "Tables and columns.");
	} else if (nr == 2 && command && command->command == COMMAND_EXPORT) {
		complete_forms(&c);
	}
}
