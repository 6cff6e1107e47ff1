/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands of this program in messages. In the source they are written as "coroprof record",
 * "coroprof help columns" and so on; users read what they would type, by the name that they
 * have called the program by. Only the option parser knows that name.
 */
#ifndef COROPROF_INVOKED_H
#define COROPROF_INVOKED_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct invoked_form - how a command is typed
 * @command: behind "coroprof "
 * @typed:   in its place behind the program's name, "" for nothing
 */
struct invoked_form {
	const char *command;
	const char *typed;
};

/*
 * From now on "coroprof COMMAND" is reported as @program, and what is typed for the command: the
 * first of @forms that has it, or, without @forms, the same. A form without a command is the
 * last one. Both stay the caller's.
 */
void invoked_as(const char *program, const struct invoked_form *forms);

/*
 * What the user types for a command in place of "slow", such as "--slow", without the program's
 * name.
 */
const char *invoked_typed(const char *command);

/* Copies @text, with commands as the user types them, cut to @capacity. Returns @to. */
char *invoked_text(char *to, size_t capacity, const char *text);

/* Likewise, to be freed; NULL when out of memory. */
char *invoked_copy(const char *text);

/* True if the text begins with a command as users read it. */
bool invoked_begins(const char *text);

#endif /* COROPROF_INVOKED_H */
