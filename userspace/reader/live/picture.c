// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the parts of the screen, from top to bottom: what is recorded and how well, threads and
 * open slices, the table of the view, details of its selected label, and a line for keys.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/printable.h"
#include "live/bar.h"
#include "live/grid.h"
#include "live/layout.h"
#include "live/now.h"
#include "live/picture.h"
#include "output/text/grid.h"
#include "output/text/text.h"
#include "output/where.h"
#include "profile/histogram.h"
#include "tables/figure.h"

/* Lines of things that are wrong, and of slices that go on. */
#define WRONG		3u
#define OPEN		3u
/* Rows of the table, before there are details below it. */
#define ROWS_LEAST	6u
#define DETAILS		14u
#define DETAILS_EACH	4u
#define DISTRIBUTION	24u
/* So many rows are looked through for the one that was selected. */
#define SOUGHT		1000u
/* No line is cut there. */
#define WIDE		1000u

void picture_free(struct picture *p)
{
	if (!p->opened)
		return;
	free(p->order.rows);
	sheet_close(&p->sheet);
	p->opened = false;
}

void picture_show(struct picture *p, const struct model *model, const struct live_window *window)
{
	picture_free(p);
	p->model = model;
	p->window = window;
}

/* ---- the head */

/*
 * Draws, behind the name: the window's length, whether it is paused or ended, coroprof's own CPU
 * time.
 */
static void draw_window_state(const struct picture *p, const struct choices *ch, struct canvas *c)
{
	const struct live_window *w = p->window;
	char length[FIGURE_SIZE], cpu[FIGURE_SIZE];

	if (!w || !p->model) {
		canvas_put(c, 0, STYLE_PLAIN, "  no second is over yet");
		return;
	}
	figure_ns(length, w->end_ns - w->begin_ns);
	canvas_print(c, 0, STYLE_PLAIN, "  %s%s", length,
		     choices_windows[ch->window] == CHOICES_ALL ? " (all that is kept)" : "");
	if (w->ended) {
		canvas_put(c, 0, STYLE_TITLE, "  ended");
		now_put_end(c, 0, w->status);
	}
	if (choices_paused(ch) && w->newest_ns - w->end_ns >= SECOND_NS / 2) {
		figure_ns(length, w->newest_ns - w->end_ns);
		canvas_print(c, 0, STYLE_ALARM, "  %s back", length);
	} else if (choices_paused(ch)) {
		canvas_put(c, 0, STYLE_ALARM, "  paused");
	}
	if (p->cpu >= 0) {
		figure_share(cpu, p->cpu);
		canvas_print(c, 0, STYLE_PLAIN, "  coroprof itself: %s of a CPU", cpu);
	}
	if (p->every > 1)
		canvas_print(c, 0, STYLE_ALARM, ", every %u s, as windows are large", p->every);
}

/* The command's name gets the columns that nothing else needs, and a few in any case. */
static void draw_window(const struct picture *p, const struct choices *ch, struct canvas *c)
{
	struct canvas behind = { 0 };
	unsigned int others, room;
	char *name;

	canvas_begin(&behind, WIDE, 1);
	draw_window_state(p, ch, &behind);
	canvas_put(c, 0, STYLE_TITLE, "coroprof top");
	canvas_put(c, 0, STYLE_PLAIN, "  ");
	others = (c->rows ? c->rows[0].end : 0) + (behind.rows ? behind.rows[0].end : 0);
	room = c->width > others ? c->width - others : 0;
	name = grid_cut(p->name, room > LAYOUT_NAME_LEAST ? room : LAYOUT_NAME_LEAST);
	canvas_put(c, 0, STYLE_PLAIN, name ? name : "");
	draw_window_state(p, ch, c);
	free(name);
	canvas_free(&behind);
}

/*
 * Draws a warning if the window is shorter than chosen, and more time will not make it longer.
 * Returns the next row.
 */
static unsigned int draw_memory_limit(const struct picture *p, const struct choices *ch,
				      struct canvas *c, unsigned int row)
{
	const struct live_window *w = p->window;
	char bytes[FIGURE_SIZE];

	if (!w->squeezed || choices_windows[ch->window] < w->end_ns - w->begin_ns + SECOND_NS)
		return row;
	figure_count(bytes, w->bytes);
	canvas_print(c, row, STYLE_ALARM, "kept        %sB, which is all that --keep-bytes allows: older seconds are gone", bytes);
	return row + 1;
}

/* Returns the next row. */
static unsigned int draw_header(const struct picture *p, struct canvas *c, unsigned int row)
{
	char *text = NULL, *line, *rest;
	size_t size;
	FILE *file = p->model ? open_memstream(&text, &size) : NULL;
	unsigned int first = row;

	if (!file)
		return row;
	text_write_live(p->model, file);
	if (fclose(file))
		return row;
	for (rest = text; (line = strsep(&rest, "\n")) && row <= first + WRONG;) {
		if (!*line)
			continue;
		canvas_put(c, row, row == first ? STYLE_PLAIN : STYLE_ALARM, line);
		row++;
	}
	free(text);
	return row;
}

/* ---- the table */

/* True if what was drawn last was of the same choices, even if of another window. */
static bool shows_same_choices(const struct picture *p, const struct choices *ch)
{
	return p->drawn.view == ch->view && !strcmp(p->drawn.sort, ch->sort[ch->view]) &&
	       !strcmp(p->drawn.filter, ch->filter[ch->view]);
}

static const char *title_of_row(const struct picture *p, uint32_t row, char title[ROW_TITLE_SIZE])
{
	return row_title(p->sheet.table, p->model, p->sheet.table->listed ? p->sheet.list[row] : row, title);
}

/*
 * Rows change places each second: selects the one with the same title, unless it is too far behind.
 */
static void find_selected_again(struct picture *p, struct choices *ch)
{
	char title[ROW_TITLE_SIZE];

	for (uint32_t i = 0; *p->selected && i < p->order.nr && i < SOUGHT; i++)
		if (!strcmp(title_of_row(p, p->order.rows[i], title), p->selected)) {
			ch->row = i;
			return;
		}
}

static void note_selected(struct picture *p, const struct choices *ch)
{
	char title[ROW_TITLE_SIZE];

	*p->selected = '\0';
	if (ch->row < p->order.nr && table_has_names(p->sheet.table))
		snprintf(p->selected, sizeof(p->selected), "%s",
			 title_of_row(p, p->order.rows[ch->row], title));
}

static const char *skip_sign(const char *text)
{
	return text + (*text == '-');
}

/* The sorting of the command line, or of the table as text; "" for the order of rows. */
static const char *default_sort(const struct picture *p)
{
	const struct list list = text_list(p->sheet.table, &(struct view_options){ 0 });

	if (p->view->sort && order_knows(&p->sheet, p->view->sort))
		return p->view->sort;
	return list.by ? list.by : "";
}

/*
 * The sorting that was chosen, or the default. CHOICES_REVERSED: the order of rows, from the last
 * to the first.
 */
static const char *chosen_sort(const struct picture *p, const struct choices *ch,
			       char to[CHOICES_LINE])
{
	const char *sort = ch->sort[ch->view], *own = default_sort(p);

	if (!*sort)
		return own;
	if (strcmp(sort, CHOICES_REVERSED))
		return sort;
	snprintf(to, CHOICES_LINE, "%s%s", *own == '-' ? "" : "-", skip_sign(own));
	return to;
}

static void reverse_order(struct order *order)
{
	for (uint32_t i = 0; i < order->nr / 2; i++) {
		uint32_t row = order->rows[i];

		order->rows[i] = order->rows[order->nr - 1 - i];
		order->rows[order->nr - 1 - i] = row;
	}
}

/* It is no column of the table: rows without a change are as in the table's own order. */
static bool is_by_trend(const struct picture *p, const char *sort)
{
	return p->sheet.table == table_named("labels") && !strcmp(skip_sign(sort), TREND_NAME) &&
	       !order_knows(&p->sheet, sort);
}

static int order_view(struct picture *p, const struct view_options *view, const char *sort)
{
	const struct list list = text_list(p->sheet.table, &(struct view_options){ 0 });
	bool by_trend = is_by_trend(p, sort);
	int ret = order_rows(&p->order, &p->sheet, view, by_trend ? default_sort(p) : sort, list.wanted);

	if (!ret && by_trend)
		trend_sort(&p->trend, p->model, p->order.rows, p->order.nr, *sort == '-');
	return ret;
}

static bool open_view(struct picture *p, struct choices *ch)
{
	const struct table *table = table_named(choices_views[ch->view]);
	const char *filter = ch->filter[ch->view], *sort;
	struct view_options view = { .wheres = { filter }, .nr_wheres = *filter ? 1 : 0 };
	char reversed[CHOICES_LINE];
	bool same = shows_same_choices(p, ch);

	picture_free(p);
	if (sheet_open(&p->sheet, table, p->model))
		return false;
	p->opened = true;
	p->drawn.view = ch->view;
	snprintf(p->drawn.sort, sizeof(p->drawn.sort), "%s", ch->sort[ch->view]);
	snprintf(p->drawn.filter, sizeof(p->drawn.filter), "%s", filter);
	sort = chosen_sort(p, ch, reversed);
	if (order_view(p, &view, sort))
		return false;
	if (!strcmp(sort, CHOICES_REVERSED))
		reverse_order(&p->order);
	if (same)
		find_selected_again(p, ch);
	return true;
}

/* The first column by which rows are sorted; "" if by none. */
static const char *sort_column(const struct picture *p, const struct choices *ch,
			       char to[CHOICES_LINE])
{
	char reversed[CHOICES_LINE];
	const char *sort = skip_sign(chosen_sort(p, ch, reversed));

	snprintf(to, CHOICES_LINE, "%.*s", (int)strcspn(sort, ","), sort);
	return to;
}

/* Views of spans and samples may have nothing to show. */
static unsigned int views_with_rows(const struct model *m)
{
	unsigned int views = 0;

	for (unsigned int i = 0; i < choices_nr_views; i++) {
		const struct table *table = table_named(choices_views[i]);

		if ((table == table_named("label_spans") && !m->nr_label_spans) ||
		    (table == table_named("label_functions") && !m->nr_label_frames) ||
		    (table == table_named("wakes") && !m->nr_wakes))
			continue;
		views |= 1u << i;
	}
	return views;
}

static void draw_view_names(const struct choices *ch, const struct picture *p, struct canvas *c,
			    unsigned int row)
{
	for (unsigned int i = 0; i < choices_nr_views; i++) {
		char name[64];

		if (!(ch->views & 1u << i) && i != ch->view)
			continue;
		snprintf(name, sizeof(name), "%s", choices_views[i]);
		for (char *s = name; (s = strchr(s, '_'));)
			*s = ' ';
		canvas_put(c, row, STYLE_PLAIN, i ? "  " : "");
		canvas_put(c, row, i == ch->view ? STYLE_SELECTED : STYLE_DIM, name);
	}
	canvas_print(c, row, STYLE_PLAIN, "   %" PRIu32 " row%s", p->order.nr, p->order.nr == 1 ? "" : "s");
	if (*ch->filter[ch->view])
		canvas_print(c, row, STYLE_ALARM, " of %" PRIu32 ": %s", p->order.of, ch->filter[ch->view]);
}

/* The first row to draw, so that the selected one is visible. */
static uint32_t first_visible_row(const struct choices *ch, uint32_t page)
{
	return ch->row < page ? 0 : ch->row - page + 1;
}

static void draw_table(struct picture *p, struct choices *ch, struct canvas *c, unsigned int row,
		       unsigned int end)
{
	char sort[CHOICES_LINE];
	uint32_t page = end - row - 1, first;

	choices_rows(ch, p->order.nr, page);
	note_selected(p, ch);
	first = first_visible_row(ch, page);
	live_grid_draw(&(struct live_grid){
		.sheet = &p->sheet, .rows = p->order.rows + first,
		.nr = p->order.nr - first < page ? p->order.nr - first : page,
		.selected = p->order.nr ? ch->row - first : GRID_NO_ROW,
		.sorted = sort_column(p, ch, sort), .columns = p->view->columns,
		.trend = p->sheet.table == table_named("labels") && p->trend.nr > 1 ? &p->trend : NULL,
	}, c, row);
}

/* ---- what belongs to a label */

/**
 * struct detail - a table of which some rows are of a label
 * @table:  its name
 * @column: of it, that has the label
 * @by:     those with most of this first; NULL: as they are
 * @title:  of what is drawn
 */
static const struct detail {
	const char *table;
	const char *column;
	const char *by;
	const char *title;
} details[] = {
	{ "latency", "label", NULL, "latency" },
	{ "coroutines", "label", "running", "coroutines" },
	{ "wakes", "woken", "count", "made ready by" },
};

/* Inserts a row into the list of those with the greatest keys, which is short. */
static void insert_by_key(uint32_t *rows, uint64_t *keys, uint32_t *nr, uint32_t row, uint64_t key)
{
	uint32_t at = *nr;

	while (at && keys[at - 1] < key)
		at--;
	if (at == DETAILS_EACH)
		return;
	if (*nr < DETAILS_EACH)
		++*nr;
	memmove(rows + at + 1, rows + at, (*nr - at - 1) * sizeof(*rows));
	memmove(keys + at + 1, keys + at, (*nr - at - 1) * sizeof(*keys));
	rows[at] = row;
	keys[at] = key;
}

static uint32_t choose_detail_rows(const struct sheet *s, const struct detail *d, uint32_t label,
				   uint32_t rows[DETAILS_EACH])
{
	int column = sheet_find(s, d->column, strlen(d->column));
	int by = d->by ? sheet_find(s, d->by, strlen(d->by)) : -1;
	uint64_t keys[DETAILS_EACH];
	uint32_t nr = 0;

	for (uint32_t row = 0; column >= 0 && row < s->rows; row++) {
		struct cell cell = sheet_cell(s, row, (unsigned int)column);

		if (has_value(cell) && cell.number == label)
			insert_by_key(rows, keys, &nr, row,
				      by < 0 ? 0 : sheet_cell(s, row, (unsigned int)by).number);
	}
	return nr;
}

static unsigned int draw_detail(const struct picture *p, const struct detail *d, uint32_t label,
				struct canvas *c, unsigned int row, unsigned int end)
{
	uint32_t rows[DETAILS_EACH], nr;
	struct sheet s;

	if (sheet_open(&s, table_named(d->table), p->model)) {
		c->out_of_memory = true;
		return row;
	}
	nr = choose_detail_rows(&s, d, label, rows);
	if (row + 2 + nr > end)
		nr = row + 2 < end ? end - row - 2 : 0;
	if (nr) {
		canvas_print(c, row++, STYLE_DIM, "%s", d->title);
		live_grid_draw(&(struct live_grid){ .sheet = &s, .rows = rows, .nr = nr,
						    .selected = GRID_NO_ROW, .sorted = d->by }, c, row);
		row += nr + 1;
	}
	sheet_close(&s);
	return row;
}

/*
 * Draws a bar for each range of lengths, from the shortest to the longest; ranges are of equal size
 * on a logarithmic scale.
 */
static void draw_distribution(const struct model_label *l, struct canvas *c, unsigned int row)
{
	const struct histogram *h = l->histograms[MODEL_LATENCY_HELD];
	uint64_t counts[DISTRIBUTION] = { 0 };
	char bar[BAR_SIZE], from[FIGURE_SIZE], to[FIGURE_SIZE];
	double least, most;

	if (!h || !h->nr)
		return;
	least = log((double)h->least + 1);
	most = log((double)h->most + 1);
	for (unsigned int i = 0; i < MODEL_HISTOGRAM_BUCKETS; i++) {
		uint64_t nr = model_bucket_count(h, i);
		double at = log((double)model_bucket_ns(i) + 1) - least;
		unsigned int column = at <= 0 || most <= least ? 0 : (unsigned int)(at / (most - least) * DISTRIBUTION);

		if (nr)
			counts[column < DISTRIBUTION ? column : DISTRIBUTION - 1] += nr;
	}
	bar_heights(bar, counts, DISTRIBUTION);
	figure_ns(from, h->least);
	figure_ns(to, h->most);
	canvas_print(c, row, STYLE_PLAIN, "   held %s ", from);
	canvas_put(c, row, STYLE_RUNNING, bar);
	canvas_print(c, row, STYLE_PLAIN, " %s", to);
}

/*
 * Draws how the label's share of the running time changed from the first of the last windows to
 * this one.
 */
static void draw_share_change(const struct picture *p, uint32_t label, struct canvas *c,
			      unsigned int row)
{
	char bars[BAR_SIZE], length[FIGURE_SIZE];
	double change;
	uint64_t ns;

	if (!trend_change(&p->trend, p->model, label, &change, &ns))
		return;
	trend_bars(&p->trend, p->model, label, bars);
	figure_ns(length, ns);
	canvas_put(c, row, STYLE_PLAIN, "   share ");
	canvas_put(c, row, STYLE_RUNNING, bars);
	canvas_print(c, row, STYLE_PLAIN, " %+.1f points in %s", 100 * change, length);
}

static void draw_details(const struct picture *p, const struct choices *ch, struct canvas *c,
			 unsigned int row, unsigned int end)
{
	uint32_t label = p->order.rows[ch->row];
	char name[ROW_TITLE_SIZE], *shown = printable_name(title_of_row(p, label, name));

	canvas_put(c, row, STYLE_TITLE, shown ? shown : "");
	free(shown);
	draw_distribution(&p->model->labels[label], c, row);
	draw_share_change(p, label, c, row++);
	for (size_t i = 0; i < ARRAY_SIZE(details); i++)
		row = draw_detail(p, &details[i], label, c, row, end);
}

/* ---- keys */

static const char *const help[] = {
	"Tab           the next table; Shift-Tab: the one before",
	"Up Down       another row; PgUp, PgDn, Home",
	"s             sort by a column: part of its name, Enter; r: the other way round",
	"/             only some rows: a part of the name, or a condition such as running>10ms",
	"+ -           a longer, a shorter window: 1 s, 10 s, 60 s, all that is kept",
	"Space         pause; go on",
	"Left Right    a second back, or forth again; End: now",
	"d             write the window to a file, for 'coroprof report'",
	"q             end; a program that was started is sent SIGTERM. Ctrl-C: SIGINT",
	"",
	"running, preempted, blocked: on a CPU; off it while runnable; asleep in the kernel inside a slice",
	"no mark: counted; ~ an estimate; >= at least; <= at most; n/a: not known",
	"coroprof(1) and coroprof-tables(5) say the rest. Any key goes back.",
};

static void draw_help(struct canvas *c, unsigned int row)
{
	for (size_t i = 0; i < ARRAY_SIZE(help); i++)
		canvas_put(c, row++, STYLE_PLAIN, help[i]);
}

static void draw_prompt(const struct choices *ch, struct canvas *c, unsigned int row)
{
	char *line = printable(ch->line, ch->length);

	canvas_put(c, row, STYLE_TITLE, ch->prompt == PROMPT_SORT ? "sort by: " : "only rows with: ");
	canvas_put(c, row, STYLE_PLAIN, line ? line : "");
	canvas_put(c, row, STYLE_SELECTED, " ");
	if (*ch->why)
		canvas_print(c, row, STYLE_ALARM, "  %s", ch->why);
	free(line);
}

static void draw_foot(const struct picture *p, const struct choices *ch, struct canvas *c)
{
	unsigned int row = c->height - 1;

	if (ch->prompt != PROMPT_NONE)
		draw_prompt(ch, c, row);
	else if (p->message)
		canvas_put(c, row, STYLE_ALARM, p->message);
	else
		canvas_put(c, row, STYLE_DIM, "? help  Tab tables  s sort  / filter  +- window  Space pause  arrows  d dump  q quit");
}

/* ---- all of it */

static bool has_details(const struct picture *p, const struct choices *ch)
{
	return p->order.nr && ch->row < p->order.nr && p->sheet.table == table_named("labels");
}

static void draw_view(struct picture *p, struct choices *ch, struct canvas *c, unsigned int row)
{
	unsigned int end = c->height - 1;
	unsigned int details_at = end;

	if (!(p->opened && shows_same_choices(p, ch)) && !open_view(p, ch)) {
		c->out_of_memory = true;
		return;
	}
	ch->views = views_with_rows(p->model);
	choices_rows(ch, p->order.nr, ch->page);
	draw_view_names(ch, p, c, row++);
	if (row + 1 >= end)
		return;
	if (has_details(p, ch) && row + 1 + ROWS_LEAST + DETAILS <= end) {
		uint32_t rows = p->order.nr < end - row - 1 - DETAILS ? p->order.nr : end - row - 1 - DETAILS;

		details_at = row + 1 + (rows > ROWS_LEAST ? rows : ROWS_LEAST) + 1;
		draw_table(p, ch, c, row, details_at - 1);
		draw_details(p, ch, c, details_at, end);
		return;
	}
	draw_table(p, ch, c, row, end);
}

void picture_draw(struct picture *p, struct choices *ch, struct canvas *c)
{
	unsigned int row = 1;

	if (!c->height)
		return;
	draw_window(p, ch, c);
	if (ch->help) {
		draw_help(c, row + 1);
	} else if (p->model && p->window) {
		row = draw_memory_limit(p, ch, c, draw_header(p, c, row));
		if (!choices_paused(ch) && !p->window->ended)
			row = now_draw(p->window, p->model, p->at, c, row, OPEN);
		draw_view(p, ch, c, row);
	}
	if (c->height > 1)
		draw_foot(p, ch, c);
}

/* ---- what is typed */

/*
 * The column of this name, or else the first whose name begins so, or whose name or title contains
 * it.
 */
static int find_column(const struct sheet *s, const char *text)
{
	size_t length = strlen(text);
	int column = sheet_find(s, text, length), in = -1;

	for (unsigned int i = 0; column < 0 && i < s->nr_columns; i++) {
		const struct sheet_column *c = &s->columns[i];

		if (!strncasecmp(c->name, text, length) || !strncasecmp(c->title, text, length))
			return (int)i;
		if (in < 0 && (strcasestr(c->name, text) || strcasestr(c->title, text)))
			in = (int)i;
	}
	return column < 0 ? in : column;
}

static bool check_sort(const struct sheet *s, const char *text, char to[CHOICES_LINE], char why[256])
{
	int column;

	snprintf(to, CHOICES_LINE, "%s", text);
	if (!*text || order_knows(s, text))
		return true;
	if (!skip_sign(text)[strspn(skip_sign(text), ",")]) {
		snprintf(why, 256, "'%s' names no column: type a part of a column's name, or nothing for the table's own order", text);
		return false;
	}
	column = find_column(s, skip_sign(text));
	if (column < 0 && s->table == table_named("labels") &&
	    !strncasecmp(TREND_NAME, skip_sign(text), strlen(skip_sign(text)))) {
		snprintf(to, CHOICES_LINE, "%s" TREND_NAME, *text == '-' ? "-" : "");
		return true;
	}
	if (column < 0) {
		snprintf(why, 256, "no column of %s is called so; 'coroprof help columns' lists them", s->table->name);
		return false;
	}
	snprintf(to, CHOICES_LINE, "%s%s", *text == '-' ? "-" : "", s->columns[column].name);
	return true;
}

/* A text without an operator is searched in the titles of rows. */
static bool check_filter(const struct sheet *s, const char *text, char to[CHOICES_LINE], char why[256])
{
	unsigned int names = list_names(s);
	struct error err;

	snprintf(to, CHOICES_LINE, "%s", text);
	if (!*text)
		return true;
	if (!where_name(text) && names && snprintf(to, CHOICES_LINE, "%s=*%s*", s->columns[names - 1].name, text) >= (int)CHOICES_LINE) {
		snprintf(why, 256, "that is too long");
		return false;
	}
	if (!where_applies(to, s)) {
		snprintf(why, 256, "%s has no such column; 'coroprof help columns' lists them", s->table->name);
		return false;
	}
	if (!where_check(to, &err) && !where_suits(to, s, &err))
		return true;
	snprintf(why, 256, "%.255s", err.message);
	return false;
}

bool picture_check(struct picture *p, const struct choices *ch, char to[CHOICES_LINE], char why[256])
{
	char *text = printable(ch->line, ch->length);
	bool good = false;

	*to = *why = '\0';
	if (!text || !p->opened)
		snprintf(why, 256, "there is no table yet");
	else
		good = ch->prompt == PROMPT_SORT ? check_sort(&p->sheet, text, to, why) :
						   check_filter(&p->sheet, text, to, why);
	free(text);
	return good;
}
