// SPDX-License-Identifier: GPL-2.0
/*
 * Replaces "coroprof COMMAND" in messages by what the user typed to call this program. Relies on
 * invoked_as(), which the option parser calls first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invoked.h"

#define WRITTEN "coroprof"

/* What a command is followed by, but for the end. */
#define BEHIND " \n\t:;,.'`)"

/* As the source writes them. */
static const struct invoked_form written[] = {
	{ "record", "record" }, { "report", "report" }, { "diff", "diff" }, { "slow", "slow" },
	{ "export", "export" }, { "totals", "totals" }, { "check", "check" },
	{ "selftest", "selftest" }, { "help", "help" }, { NULL, NULL },
};

static const char *name = WRITTEN;
static const struct invoked_form *spelled = written;

void invoked_as(const char *program, const struct invoked_form *forms)
{
	/* It becomes a part of formats. */
	name = strchr(program, '%') ? WRITTEN : program;
	spelled = forms ? forms : written;
}

const char *invoked_typed(const char *command)
{
	for (const struct invoked_form *form = spelled; form->command; form++)
		if (!strcmp(form->command, command))
			return form->typed;
	return command;
}

static bool begins_with_word(const char *at, const char *word)
{
	size_t length = strlen(word);

	return !strncmp(at, word, length) && (!at[length] || strchr(BEHIND, at[length]));
}

/* The form of the command that begins at @at, or NULL. */
static const struct invoked_form *form_at(const char *at)
{
	if (strncmp(at, WRITTEN " ", sizeof(WRITTEN)))
		return NULL;
	for (const struct invoked_form *form = spelled; form->command; form++)
		if (begins_with_word(at + sizeof(WRITTEN), form->command))
			return form;
	return NULL;
}

char *invoked_text(char *to, size_t capacity, const char *text)
{
	size_t used = 0;

	while (*text && used + 1 < capacity) {
		const struct invoked_form *form = form_at(text);

		if (!form) {
			to[used++] = *text++;
			continue;
		}
		used += (size_t)snprintf(to + used, capacity - used, "%s%s%s", name,
					 *form->typed ? " " : "", form->typed);
		text += sizeof(WRITTEN) + strlen(form->command);
	}
	used = used < capacity ? used : capacity - 1;
	to[used] = '\0';
	return to;
}

bool invoked_begins(const char *text)
{
	size_t length = strlen(name);

	if (strncmp(text, name, length) || text[length] != ' ')
		return false;
	text += length + 1;
	for (const struct invoked_form *form = spelled; form->command; form++)
		if (*form->typed ? begins_with_word(text, form->typed) : *text == '-')
			return true;
	return false;
}

char *invoked_copy(const char *text)
{
	/* Each command becomes longer by what the name and a form have more, at most. */
	size_t capacity = strlen(text) * (2 + strlen(name)) + 1;
	char *to = malloc(capacity);

	return to ? invoked_text(to, capacity, text) : NULL;
}
