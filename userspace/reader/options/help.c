// SPDX-License-Identifier: GPL-2.0
/* The text of --help, as wide as the terminal, from list.def. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/invoked.h"
#include "options/help.h"
#include "output/export/form.h"

#define WIDTH_LEAST	60
#define WIDTH_MOST	100
#define WIDTH_OF_FILES	80
/* Where the text of an option begins. */
#define INDENT		26
/* More than this is between it and the name of the option. */
#define GAP		2
#define HELP_SIZE	2048

/**
 * struct page - text that is being printed
 * @out:   to there
 * @width: of a line
 * @at:    so many characters are in this line
 */
struct page {
	FILE *out;
	int width;
	int at;
};

int options_help_width(FILE *out)
{
	struct winsize size;

	if (ioctl(fileno(out), TIOCGWINSZ, &size) || !size.ws_col)
		return WIDTH_OF_FILES;
	return size.ws_col < WIDTH_LEAST ? WIDTH_LEAST :
	       size.ws_col > WIDTH_MOST  ? WIDTH_MOST :
					   size.ws_col;
}

static void go_to(struct page *p, int column)
{
	if (p->at >= column) {
		fputc('\n', p->out);
		p->at = 0;
	}
	p->at += fprintf(p->out, "%*s", column - p->at, "");
}

/* What is between quotes is for copying, and stays in one line. */
static size_t word_length(const char *text)
{
	size_t quoted = *text == '\'' ? strcspn(text + 1, "'") + 2 : 0;

	return quoted + strcspn(text + quoted, " ");
}

static void put_words(struct page *p, const char *text, int indent)
{
	bool first = true;

	while (*text) {
		size_t length = word_length(text);

		if (!first && p->at + 1 + (int)length > p->width)
			go_to(p, indent);
		else if (!first)
			p->at += fprintf(p->out, " ");
		p->at += fprintf(p->out, "%.*s", (int)length, text);
		text += length;
		text += *text == ' ';
		first = false;
	}
	fputc('\n', p->out);
	p->at = 0;
}

static void put_option(struct page *p, const struct option_entry *option, enum command command)
{
	char letter[] = { '-', option->letter, ',', '\0' }, help[HELP_SIZE];

	p->at = fprintf(p->out, "  %3s --%s%s%s", option->letter ? letter : "", option->name,
			option->argument ? " " : "", option->argument ? option->argument : "");
	if (p->at + GAP >= INDENT) {
		fputc('\n', p->out);
		p->at = 0;
	}
	go_to(p, INDENT);
	put_words(p, invoked_text(help, sizeof(help), option_help(option, command)), INDENT);
}

static void put_options(struct page *p, enum command command)
{
	for (unsigned int group = 0; group < NR_GROUPS; group++) {
		bool any = false;

		for (unsigned int i = 0; i < NR_OPTIONS; i++) {
			const struct option_entry *option = &option_list[i];

			if (option->group != group || (command && !(option->commands & command)))
				continue;
			if (!any)
				fprintf(p->out, "\n%s:\n", option_groups[group]);
			any = true;
			put_option(p, option, command);
		}
	}
}

static void put_forms(FILE *out)
{
	fputs("\nForms of other programs, by the end of a file's name, or by name:\n", out);
	form_help(out);
}

static void put_command(struct page *p, const char *program, const struct command_entry *command)
{
	fprintf(p->out, "Usage: %s %s%s%s\n\n", program, command->name,
		*command->arguments ? " " : "", command->arguments);
	put_words(p, command->help, 0);
	put_options(p, command->command);
	if (command->command & (COMMAND_RECORD | COMMAND_REPORT | COMMAND_EXPORT))
		put_forms(p->out);
}

static void put_overview(struct page *p, const char *program)
{
	fprintf(p->out,
		"Usage: %s COMMAND [OPTION]... [ARGUMENT]...\n\n"
		"Hardware counters and time for every coroutine of a program.\n\n"
		"  %s record -o profile.html -- ./server --port 8080\n"
		"  %s record -o profile.html -d 10s -p $(pidof haproxy)\n"
		"  %s report coroprof.cprof\n"
		"  %s diff old.cprof new.cprof --fail-if 'instructions/slice > +5%%'\n\n"
		"Commands:\n", program, program, program, program, program);
	for (unsigned int i = 0; i < NR_COMMANDS; i++) {
		p->at = fprintf(p->out, "  %-10s", command_list[i].name);
		put_words(p, command_list[i].help, 12);
	}
	fprintf(p->out,
		"\n'%s COMMAND --help' lists the options of a command, '%s help columns' all tables and\n"
		"columns; the manual is coroprof(1).\n", program, program);
}

static void put_all(struct page *p, const char *program)
{
	fprintf(p->out,
		"Usage: %s [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
		"       %s [OPTION]... -p PID...\n"
		"       %s [OPTION]... FILE.cprof...\n"
		"       %s [OPTION]... --diff OLD.cprof... [--] NEW.cprof...\n"
		"       %s --check | --selftest\n\n"
		"Records a program, or reads recordings: the commands of coroprof(1), chosen by options.\n",
		program, program, program, program, program);
	put_options(p, COMMAND_NONE);
	put_forms(p->out);
	fputs("\nCtrl-C ends a recording and writes it. The exit status is that of the program, 128+N if signal\n"
	      "N ended it; 125 if the recorder failed; 3 if a recording was damaged, or has no end; 1 if a\n"
	      "condition of --fail-if is met; 4 if a label is in one recording only, with --fail-if.\n", p->out);
}

void options_help(const struct options *o, int width, FILE *out)
{
	const struct command_entry *command = command_of(o->command);
	struct page page = { out, width, 0 };

	if (command)
		put_command(&page, o->program, command);
	else if (o->legacy)
		put_all(&page, o->program);
	else
		put_overview(&page, o->program);
}
