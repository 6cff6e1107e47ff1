// SPDX-License-Identifier: GPL-2.0
/*
 * Translates keys into choices (view, window, sorting, filter, selected row) and says what has to
 * be done for these.
 */
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "base/util.h"
#include "live/choices.h"

const char *const choices_views[] = {
	"labels", "coroutines", "threads", "latency", "worst", "wakes", "label_spans", "label_functions",
};
const unsigned int choices_nr_views = ARRAY_SIZE(choices_views);
_Static_assert(ARRAY_SIZE(choices_views) <= CHOICES_VIEWS_MAX, "each view has its own order");

const uint64_t choices_windows[] = { SECOND_NS, 10 * SECOND_NS, 60 * SECOND_NS, CHOICES_ALL };
const unsigned int choices_nr_windows = ARRAY_SIZE(choices_windows);

#define WINDOW_FIRST	1u

void choices_begin(struct choices *c)
{
	*c = (struct choices){ .window = WINDOW_FIRST, .views = ~0u };
}

/* ---- what is typed */

static void begin_prompt(struct choices *c, enum prompt prompt)
{
	const char *before = prompt == PROMPT_SORT ? c->sort[c->view] : c->filter[c->view];

	/* The table's own order has no name that could be changed. */
	if (prompt == PROMPT_SORT && !strcmp(before, CHOICES_REVERSED))
		before = "";
	c->prompt = prompt;
	c->length = (size_t)snprintf(c->line, sizeof(c->line), "%s", before);
	*c->why = '\0';
}

/* A character of several bytes is deleted as a whole. */
static void delete_last_character(struct choices *c)
{
	if (c->length)
		c->length = printable_cut(c->line, c->length - 1);
	c->line[c->length] = '\0';
}

static enum action key_typed(struct choices *c, int key)
{
	*c->why = '\0';
	switch (key) {
	case KEY_OF_ENTER:
		return ACTION_CHECK;
	case KEY_OF_ESCAPE:
		c->prompt = PROMPT_NONE;
		return ACTION_DRAW;
	case KEY_OF_BACKSPACE:
		delete_last_character(c);
		return ACTION_DRAW;
	case KEY_OF_INTERRUPT:
		return ACTION_INTERRUPT;
	}
	if (key < ' ' || key > 255 || key == KEY_OF_BACKSPACE || c->length + 1 >= sizeof(c->line))
		return ACTION_NONE;
	c->line[c->length++] = (char)key;
	c->line[c->length] = '\0';
	return ACTION_DRAW;
}

void choices_accept(struct choices *c, const char *text)
{
	char *to = c->prompt == PROMPT_SORT ? c->sort[c->view] : c->filter[c->view];

	snprintf(to, CHOICES_LINE, "%s", text);
	c->prompt = PROMPT_NONE;
	c->row = 0;
}

void choices_refuse(struct choices *c, const char *why)
{
	snprintf(c->why, sizeof(c->why), "%s", why);
}

/* ---- time */

/*
 * @end: the tick at which the window ends; 0: it follows the newest. The window has at least one
 * tick.
 */
static enum action set_window_end(struct choices *c, uint64_t end)
{
	uint64_t before = c->end;

	if (end && end <= c->oldest)
		end = c->oldest + 1;
	if (end > c->newest)
		end = 0;
	c->end = end;
	return before == end ? ACTION_NONE : ACTION_WINDOW;
}

static enum action toggle_pause(struct choices *c)
{
	return set_window_end(c, c->end ? 0 : c->shown);
}

static enum action change_window_length(struct choices *c, bool out)
{
	if (out ? c->window + 1 == choices_nr_windows : !c->window)
		return ACTION_NONE;
	c->window += out ? 1 : -1;
	return ACTION_WINDOW;
}

void choices_ticks(struct choices *c, uint64_t oldest, uint64_t newest, uint64_t shown)
{
	c->oldest = oldest;
	c->newest = newest;
	c->shown = shown;
}

/* ---- rows */

static enum action select_row(struct choices *c, int64_t row)
{
	uint32_t before = c->row;

	if (row >= c->rows)
		row = (int64_t)c->rows - 1;
	c->row = row < 0 ? 0 : (uint32_t)row;
	return c->row == before ? ACTION_NONE : ACTION_DRAW;
}

void choices_rows(struct choices *c, uint32_t rows, uint32_t page)
{
	c->rows = rows;
	c->page = page;
	select_row(c, c->row);
}

/* Moves by @by views, over views that have nothing to show. */
static enum action show_next_view(struct choices *c, unsigned int by)
{
	unsigned int view = c->view;

	do {
		view = (view + by) % choices_nr_views;
	} while (view != c->view && !(c->views & 1u << view));
	if (view == c->view)
		return ACTION_NONE;
	c->view = view;
	c->row = 0;
	return ACTION_DRAW;
}

static enum action reverse_sorting(struct choices *c)
{
	char *sort = c->sort[c->view], other[CHOICES_LINE];

	snprintf(other, sizeof(other), "%s%s", *sort == '-' ? "" : "-", sort + (*sort == '-'));
	memcpy(sort, other, sizeof(other));
	return ACTION_DRAW;
}

/* ---- keys */

static enum action handle_key_in_help(struct choices *c, int key)
{
	if (key == 'q')
		return ACTION_QUIT;
	if (key == KEY_OF_INTERRUPT)
		return ACTION_INTERRUPT;
	if (key == KEY_OF_NOTHING)
		return ACTION_NONE;
	c->help = false;
	return ACTION_DRAW;
}

enum action choices_key(struct choices *c, int key)
{
	if (c->help)
		return handle_key_in_help(c, key);
	if (c->prompt != PROMPT_NONE)
		return key_typed(c, key);
	switch (key) {
	case '?':
		c->help = true;
		return ACTION_DRAW;
	case 'q':
		return ACTION_QUIT;
	case KEY_OF_INTERRUPT:
		return ACTION_INTERRUPT;
	case 'd':
		return ACTION_DUMP;
	case 's':
		begin_prompt(c, PROMPT_SORT);
		return ACTION_DRAW;
	case '/':
		begin_prompt(c, PROMPT_FILTER);
		return ACTION_DRAW;
	case 'r':
		return reverse_sorting(c);
	case ' ':
		return toggle_pause(c);
	case '+':
	case '=':
		return change_window_length(c, true);
	case '-':
		return change_window_length(c, false);
	case KEY_OF_LEFT:
		return set_window_end(c, (c->end ? c->end : c->shown) - 1);
	case KEY_OF_RIGHT:
		return c->end ? set_window_end(c, c->end + 1) : ACTION_NONE;
	case KEY_OF_END:
		return set_window_end(c, 0);
	case KEY_OF_UP:
		return select_row(c, (int64_t)c->row - 1);
	case KEY_OF_DOWN:
		return select_row(c, (int64_t)c->row + 1);
	case KEY_OF_PAGE_UP:
		return select_row(c, (int64_t)c->row - c->page);
	case KEY_OF_PAGE_DOWN:
		return select_row(c, (int64_t)c->row + c->page);
	case KEY_OF_HOME:
		return select_row(c, 0);
	case KEY_OF_TAB:
		return show_next_view(c, 1);
	case KEY_OF_BACK_TAB:
		return show_next_view(c, choices_nr_views - 1);
	}
	return ACTION_NONE;
}
