// SPDX-License-Identifier: GPL-2.0
/* The shares of labels in the last windows, for bars beside their rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "live/trend.h"
#include "tables/table.h"

/* A share as a whole number, to be drawn. */
#define PARTS	1e9

/* What has changed by less is shown as 0, which has no sign. */
#define LEAST	0.0005

/**
 * struct trend_share - of a row
 * @title:   what it is called
 * @process: process_id, or 0
 * @share:   negative: it is not known
 */
struct trend_share {
	char *title;
	uint32_t process;
	double share;
};

static int compare_shares(const void *a, const void *b)
{
	const struct trend_share *x = a, *y = b;
	int order = strcmp(x->title, y->title);

	return order ? order : (x->process > y->process) - (x->process < y->process);
}

static void free_window(struct trend_window *w)
{
	for (uint32_t i = 0; i < w->nr; i++)
		free(w->shares[i].title);
	free(w->shares);
	*w = (struct trend_window){ 0 };
}

/* The first @nr go. */
static void drop_first_windows(struct trend *t, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		free_window(&t->windows[i]);
	t->nr -= nr;
	memmove(t->windows, t->windows + nr, t->nr * sizeof(*t->windows));
}

void trend_free(struct trend *t)
{
	drop_first_windows(t, t->nr);
}

/* ---- what comes */

static uint32_t process_id(const struct model *m, uint32_t label)
{
	uint32_t process = m->labels[label].process;

	return process == MODEL_NONE ? 0 : m->processes[process].id;
}

/* The column from which bars are drawn, or -1. */
static int share_column(const struct sheet *s)
{
	for (unsigned int i = 0; i < s->nr_columns; i++)
		if (s->columns[i].is->bar)
			return (int)i;
	return -1;
}

static bool set_shares(struct trend_window *w, const struct sheet *s, unsigned int column)
{
	char title[ROW_TITLE_SIZE];

	w->shares = calloc((size_t)s->rows + 1, sizeof(*w->shares));
	for (uint32_t row = 0; w->shares && row < s->rows; row++) {
		struct cell cell = sheet_cell(s, row, column);

		w->shares[row] = (struct trend_share){
			.title = strdup(row_title(s->table, s->model, row, title)),
			.process = process_id(s->model, row),
			.share = has_value(cell) ? cell.fraction : -1,
		};
		if (!w->shares[row].title)
			return false;
		w->nr++;
	}
	if (w->shares)
		qsort(w->shares, w->nr, sizeof(*w->shares), compare_shares);
	return w->shares;
}

void trend_add(struct trend *t, const struct model *m, const struct live_window *window)
{
	struct trend_window w = { .end = window->end, .end_ns = window->end_ns };
	struct sheet s;
	int column;

	if (window->wish != t->wish)
		trend_free(t);
	t->wish = window->wish;
	while (t->nr && t->windows[t->nr - 1].end >= window->end)
		free_window(&t->windows[--t->nr]);
	if (sheet_open(&s, table_named("labels"), m)) {
		trend_free(t);
		return;
	}
	column = share_column(&s);
	if (column >= 0 && !set_shares(&w, &s, (unsigned int)column)) {
		free_window(&w);
		trend_free(t);
	} else if (column >= 0) {
		drop_first_windows(t, t->nr == TREND_WINDOWS);
		t->windows[t->nr++] = w;
	}
	sheet_close(&s);
}

/* ---- what is drawn */

/* The share of a label in a window; 0 if the window does not have it, as it did not run then. */
static double share_in(const struct trend_window *w, const struct trend_share *key)
{
	const struct trend_share *found =
		bsearch(key, w->shares, w->nr, sizeof(*key), compare_shares);

	return found ? found->share : 0;
}

/* Returns how many windows there are, in order of time. */
static unsigned int label_shares(const struct trend *t, const struct model *m, uint32_t label,
				 double shares[TREND_WINDOWS])
{
	char title[ROW_TITLE_SIZE];
	const struct trend_share key = {
		.title = (char *)row_title(table_named("labels"), m, label, title),
		.process = process_id(m, label),
	};

	for (unsigned int i = 0; i < t->nr; i++)
		shares[i] = share_in(&t->windows[i], &key);
	return t->nr;
}

void trend_bars(const struct trend *t, const struct model *m, uint32_t label, char to[BAR_SIZE])
{
	uint64_t figures[TREND_WINDOWS] = { 0 };
	bool is_none[TREND_WINDOWS] = { false };
	double shares[TREND_WINDOWS];
	unsigned int nr = label_shares(t, m, label, shares), before = TREND_WINDOWS - nr,
		     column = 0;

	for (unsigned int i = 0; i < nr; i++) {
		if (shares[i] > 0)
			figures[before + i] = 1 + (uint64_t)(shares[i] * PARTS);
		is_none[before + i] = shares[i] >= 0 && !(shares[i] > 0);
	}
	bar_heights(to, figures, TREND_WINDOWS);
	/* Each column is one character, and each of these begins with no byte of its middle. */
	for (char *s = to; *s; s++) {
		if (((unsigned char)*s & 0xc0) == 0x80)
			continue;
		if (is_none[column++])
			*s = '.';
	}
}

bool trend_change(const struct trend *t, const struct model *m, uint32_t label, double *change,
		  uint64_t *ns)
{
	double shares[TREND_WINDOWS];
	unsigned int nr = label_shares(t, m, label, shares), first = 0;

	while (first < nr && shares[first] < 0)
		first++;
	if (first + 1 >= nr || shares[nr - 1] < 0)
		return false;
	*change = shares[nr - 1] - shares[first];
	if (fabs(*change) < LEAST)
		*change = 0;
	*ns = t->windows[nr - 1].end_ns - t->windows[first].end_ns;
	return true;
}

/**
 * struct changed - a row that is sorted
 * @row:    of a label
 * @place:  where it was
 * @known:  @change is
 * @change: of its share; of the opposite sign if those that have shrunk come first
 */
struct changed {
	uint32_t row;
	uint32_t place;
	bool known;
	double change;
};

static int compare_changes(const void *a, const void *b)
{
	const struct changed *x = a, *y = b;

	if (x->known != y->known)
		return y->known - x->known;
	if (x->known && (x->change > y->change || x->change < y->change))
		return x->change > y->change ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Without memory they stay as they are. */
void trend_sort(const struct trend *t, const struct model *m, uint32_t *rows, uint32_t nr,
		bool shrunk_first)
{
	struct changed *changed = calloc((size_t)nr + 1, sizeof(*changed));
	uint64_t ns;

	for (uint32_t i = 0; changed && i < nr; i++) {
		struct changed *c = &changed[i];

		*c = (struct changed){ .row = rows[i], .place = i };
		c->known = trend_change(t, m, rows[i], &c->change, &ns);
		if (shrunk_first)
			c->change = -c->change;
	}
	if (changed)
		qsort(changed, nr, sizeof(*changed), compare_changes);
	for (uint32_t i = 0; changed && i < nr; i++)
		rows[i] = changed[i].row;
	free(changed);
}
