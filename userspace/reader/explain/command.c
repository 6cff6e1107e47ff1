// SPDX-License-Identifier: GPL-2.0
/*
 * Follows a command through shells, wrappers and interpreters to the programs that it runs, without
 * running anything.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "explain/command.h"
#include "explain/program.h"
#include "explain/wrapper.h"

/* Scripts that run scripts are followed so far. */
#define DEPTH_MAX	8
#define COMMANDS_MAX	256
#define SCRIPT_MAX	65536
#define WORD_MAX	256

/**
 * struct command_walk - what is being followed
 * @detections: where it goes
 * @depth:  how much deeper scripts are followed
 * @words:  how many more words are taken for commands
 */
struct command_walk {
	struct detections *detections;
	unsigned int depth;
	unsigned int words;
};

static void check_command(struct command_walk *w, char *const *words);

/* ---- what a shell is given */

/*
 * Copies one word of a shell's text, and returns the text behind it. Quotes and "$" are left out,
 * so that a command in them is found.
 */
static const char *take_word(const char *text, char word[WORD_MAX])
{
	size_t len = strcspn(text, " \t\n;|&()`");
	size_t used = 0;

	for (size_t i = 0; i < len && used < WORD_MAX - 1; i++) {
		if (!strchr("'\"$", text[i]))
			word[used++] = text[i];
	}
	word[used] = '\0';
	return text + len;
}

/* A word before a command that may change its environment: "env -i", but not "nice -i". */
static void check_prefix(struct command_walk *w, const char *word, bool of_env)
{
	if (of_env || strchr(word, '='))
		detect_word(w->detections, word);
}

static void check_shell_text(struct command_walk *w, const char *text)
{
	char word[WORD_MAX];
	char *words[] = { word, NULL };
	bool first = true, of_env = false;

	while (*text) {
		if (strchr("\n;|&()`", *text)) {
			first = true;
			of_env = false;
			text++;
		} else if (*text == ' ' || *text == '\t') {
			text++;
		} else if (*text == '#') {
			text += strcspn(text, "\n");
		} else {
			text = take_word(text, word);
			if (!first || !*word)
				continue;
			check_prefix(w, word, of_env);
			if (wrapper_is_prefix(word)) {
				of_env |= wrapper_is_env(word);
			} else if (*word != '-' || !of_env) {
				check_command(w, words);
				first = false;
			}
		}
	}
}

static void check_shell_script(struct command_walk *w, const char *path)
{
	char *text = malloc(SCRIPT_MAX);

	if (text && read_text(path, text, SCRIPT_MAX))
		check_shell_text(w, text);
	free(text);
}

/* Follows the text behind "-c", or behind several options in one word, as in "-ec". */
static void check_shell(struct command_walk *w, char *const *words)
{
	for (words++; *words; words++) {
		if ((*words)[0] != '-' && (*words)[0] != '+') {
			check_shell_script(w, *words);
			return;
		}
		if ((*words)[0] == '-' && (*words)[1] != '-' &&
		    strchr(*words, 'c')) {
			if (words[1])
				check_shell_text(w, words[1]);
			return;
		}
	}
}

/* ---- what hands on to a command */

static void check_wrapped(struct command_walk *w, char *const *words)
{
	bool of_env = wrapper_is_env(words[0]);
	char path[PATH_MAX];

	for (words++; *words; words++) {
		if (of_env)
			detect_word(w->detections, *words);
		if ((*words)[0] != '-' && !strchr(*words, '=') &&
		    program_find(path, *words)) {
			check_command(w, words);
			return;
		}
	}
}

static void check_chroot(struct command_walk *w, char *const *words)
{
	char path[PATH_MAX];

	for (words++; *words; words++) {
		if ((*words)[0] == '-')
			continue;
		if (realpath(*words, path))
			detect_root(w->detections, path, path, 0);
		return;
	}
}

/* @script: the first line of a script, "INTERPRETER ARGUMENT". */
static void check_interpreter(struct command_walk *w, char *script, const char *path)
{
	char *argument = strpbrk(script, " \t");
	char own[PATH_MAX];
	char *words[4] = { script };
	unsigned int nr = 1;

	if (argument) {
		*argument++ = '\0';
		argument += strspn(argument, " \t");
		if (!strncmp(argument, "-S", 2))
			argument += 2 + strspn(argument + 2, " \t");
		argument[strcspn(argument, " \t")] = '\0';
		if (*argument)
			words[nr++] = argument;
	}
	snprintf(own, sizeof(own), "%s", path);
	words[nr] = own;
	check_command(w, words);
}

static void check_what_it_runs(struct command_walk *w, struct program *program, const char *path,
			       char *const *words)
{
	if (*program->script)
		check_interpreter(w, program->script, path);
	else if (ends_with(path, "/chroot"))
		check_chroot(w, words);
	else if (wrapper_is_shell(path))
		check_shell(w, words);
	else if (wrapper_hands_on(path))
		check_wrapped(w, words);
}

static void check_command(struct command_walk *w, char *const *words)
{
	struct program program;
	char path[PATH_MAX];

	if (!w->depth || !w->words)
		return;
	w->words--;
	if (!program_find(path, words[0]) || !program_look(&program, path, path))
		return;
	detect_program(w->detections, path);
	w->depth--;
	check_what_it_runs(w, &program, path, words);
	w->depth++;
}

void command_look(struct detections *s, char *const *command)
{
	struct command_walk walk = {
		.detections = s,
		.depth = DEPTH_MAX,
		.words = COMMANDS_MAX,
	};

	if (command[0])
		check_command(&walk, command);
}
