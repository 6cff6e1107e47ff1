/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What somebody has chosen to see, by keys. Knows of no terminal, and of no recording but which
 * ticks there are.
 */
#ifndef COROPROF_CHOICES_H
#define COROPROF_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a key can be beside a character of ASCII; what is none of them is not 0 either. */
enum key {
	KEY_OF_TAB = '\t',
	KEY_OF_ENTER = '\n',
	KEY_OF_ESCAPE = 27,
	KEY_OF_BACKSPACE = 127,
	KEY_OF_UP = 256,
	KEY_OF_DOWN,
	KEY_OF_LEFT,
	KEY_OF_RIGHT,
	KEY_OF_PAGE_UP,
	KEY_OF_PAGE_DOWN,
	KEY_OF_HOME,
	KEY_OF_END,
	KEY_OF_BACK_TAB,
	KEY_OF_INTERRUPT,	/* Ctrl-C */
	KEY_OF_NOTHING,
};

/* What is to be done about a key. */
enum action {
	ACTION_NONE,
	ACTION_DRAW,	/* something else is shown */
	ACTION_WINDOW,	/* of another window */
	ACTION_CHECK,	/* @line, as what @prompt says: choices_accept() or choices_refuse() */
	ACTION_DUMP,
	ACTION_QUIT,
	ACTION_INTERRUPT,
};

enum prompt {
	PROMPT_NONE,
	PROMPT_SORT,
	PROMPT_FILTER,
};

/* Names of tables, in the order of Tab. */
extern const char *const choices_views[];
extern const unsigned int choices_nr_views;
#define CHOICES_VIEWS_MAX	16u

/* How long windows are; the last has all that is kept. */
extern const uint64_t choices_windows[];
extern const unsigned int choices_nr_windows;
#define CHOICES_ALL	UINT64_MAX

#define CHOICES_LINE	128u

/* An order: the table's own, the other way round. */
#define CHOICES_REVERSED	"-"

/**
 * struct choices - what is chosen
 * @view:    of choices_views
 * @views:   bit n: there is something in view n
 * @sort:    of each view: a column's name, with "-" before it the other way round; "": its own,
 *           and that may be CHOICES_REVERSED, too
 * @filter:  likewise a condition, see output/where.h, or ""
 * @window:  of choices_windows
 * @end:     the tick behind the window; 0: the newest, and so it goes on
 * @oldest:  which ticks there are: from here
 * @newest:  up to here, this one not included
 * @shown:   the tick behind the window that is shown
 * @row:     selected one
 * @rows:    so many there are
 * @page:    so many are shown
 * @help:    keys are explained
 * @prompt:  what is typed, if anything
 * @line:    so far
 * @length:  of that
 * @why:     it was refused, or ""
 */
struct choices {
	unsigned int view;
	unsigned int views;
	char sort[CHOICES_VIEWS_MAX][CHOICES_LINE];
	char filter[CHOICES_VIEWS_MAX][CHOICES_LINE];
	unsigned int window;
	uint64_t end;
	uint64_t oldest;
	uint64_t newest;
	uint64_t shown;
	uint32_t row;
	uint32_t rows;
	uint32_t page;
	bool help;
	enum prompt prompt;
	char line[CHOICES_LINE];
	size_t length;
	char why[256];
};

void choices_begin(struct choices *choices);

enum action choices_key(struct choices *choices, int key);

/* What was typed is right: @text, its full form, is used from now on. */
void choices_accept(struct choices *choices, const char *text);
/* What was typed is wrong, for the reason @why: it stays, to be corrected. */
void choices_refuse(struct choices *choices, const char *why);

/* Sets which ticks there are at this time, and the end of the window that is shown. */
void choices_ticks(struct choices *choices, uint64_t oldest, uint64_t newest, uint64_t shown);
/* Sets how many rows the table has at this time, and how many of them are visible. */
void choices_rows(struct choices *choices, uint32_t rows, uint32_t page);

/* True if the window ends at a chosen tick, and so does not follow the newest. */
static inline bool choices_paused(const struct choices *c)
{
	return c->end;
}

#endif /* COROPROF_CHOICES_H */
