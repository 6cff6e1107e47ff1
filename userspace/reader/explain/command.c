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

static void look_into(struct command_walk *w, char *const *words);

/* ---- what a shell is given */

/*
 * Takes one word of a shell's text and returns what follows it. Quotes do not
 * matter, but in so far as a command in them is taken for one.
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

/* "env -i", but not "nice -i": what is in front of a command, and changes its environment. */
static void look_at_prefix(struct command_walk *w, const char *word, bool of_env)
{
	if (of_env || strchr(word, '='))
		detect_word(w->detections, word);
}

static void look_at_text(struct command_walk *w, const char *text)
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
			look_at_prefix(w, word, of_env);
			if (wrapper_is_prefix(word)) {
				of_env |= wrapper_is_env(word);
			} else if (*word != '-' || !of_env) {
				look_into(w, words);
				first = false;
			}
		}
	}
}

static void look_at_script(struct command_walk *w, const char *path)
{
	char *text = malloc(SCRIPT_MAX);

	if (text && read_text(path, text, SCRIPT_MAX))
		look_at_text(w, text);
	free(text);
}

/* "-c", or with other options before it, as in "-ec". */
static void look_at_shell(struct command_walk *w, char *const *words)
{
	for (words++; *words; words++) {
		if ((*words)[0] != '-' && (*words)[0] != '+') {
			look_at_script(w, *words);
			return;
		}
		if ((*words)[0] == '-' && (*words)[1] != '-' &&
		    strchr(*words, 'c')) {
			if (words[1])
				look_at_text(w, words[1]);
			return;
		}
	}
}

/* ---- what hands on to a command */

static void look_behind(struct command_walk *w, char *const *words)
{
	bool of_env = wrapper_is_env(words[0]);
	char path[PATH_MAX];

	for (words++; *words; words++) {
		if (of_env)
			detect_word(w->detections, *words);
		if ((*words)[0] != '-' && !strchr(*words, '=') &&
		    program_find(path, *words)) {
			look_into(w, words);
			return;
		}
	}
}

static void look_at_chroot(struct command_walk *w, char *const *words)
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

/* "INTERPRETER ARGUMENT", then the script itself. */
static void look_at_interpreter(struct command_walk *w, char *script, const char *path)
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
	look_into(w, words);
}

static void hand_on(struct command_walk *w, struct program *program, const char *path,
		    char *const *words)
{
	if (*program->script)
		look_at_interpreter(w, program->script, path);
	else if (ends_with(path, "/chroot"))
		look_at_chroot(w, words);
	else if (wrapper_is_shell(path))
		look_at_shell(w, words);
	else if (wrapper_hands_on(path))
		look_behind(w, words);
}

static void look_into(struct command_walk *w, char *const *words)
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
	hand_on(w, &program, path, words);
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
		look_into(&walk, command);
}
