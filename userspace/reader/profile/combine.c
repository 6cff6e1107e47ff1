// SPDX-License-Identifier: GPL-2.0
/*
 * Several recordings in one model. Rows of the second go behind those of the
 * first, with all that refers to them: only counters, functions, modes and the
 * totals are the same rows in both.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/index.h"
#include "base/util.h"
#include "profile/costs.h"
#include "profile/counters.h"
#include "profile/info.h"
#include "profile/modes.h"
#include "profile/profile.h"
#include "profile/schema.h"
#include "profile/split.h"
#include "profile/sums.h"
#include "profile/times.h"
#include "profile/wakes.h"

/**
 * struct moved - where the rows of a table go
 * @to: of each, the row; NULL: all of them
 * @by: behind so many
 */
struct moved {
	uint32_t *to;
	uint32_t by;
};

/**
 * struct adding - two models becoming one
 * @to:      the first, which becomes that of both
 * @from:    the second
 * @stride:  sums of a row of both
 * @moved:   where the rows of each table of @from go
 * @failed:  out of memory
 */
struct adding {
	struct model *to;
	struct model *from;
	uint32_t stride;
	struct moved moved[SCHEMA_NR];
	bool failed;
};

/* Makes room for @more rows behind @nr, and copies those. */
static void *append(struct adding *a, void *rows, size_t nr, const void *more,
		    size_t nr_more, size_t size)
{
	char *grown = reallocarray(rows, nr + nr_more + 1, size);

	if (!grown) {
		a->failed = true;
		return rows;
	}
	if (nr_more)
		memcpy(grown + nr * size, more, nr_more * size);
	return grown;
}

/* ---- what recordings say of themselves */

/* Between what several recordings say. */
#define BETWEEN		" | "

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t split_list(char *text, const char **words)
{
	size_t nr = 0;

	while (text) {
		char *end = strstr(text, BETWEEN);

		words[nr++] = text;
		if (end)
			*end = '\0';
		text = end ? end + strlen(BETWEEN) : NULL;
	}
	return nr;
}

/* What is in either of two lists once, in the order of the alphabet. */
static char *union_of(struct adding *a, const char *x, const char *y)
{
	size_t size = strlen(x) + strlen(y) + sizeof(BETWEEN), nr;
	char *text = calloc(1, size), *copy = malloc(size);
	const char **words = calloc(size, sizeof(*words));

	if (text && copy && words) {
		snprintf(copy, size, "%s" BETWEEN "%s", x, y);
		nr = split_list(copy, words);
		qsort(words, nr, sizeof(*words), by_text);
		for (size_t i = 0; i < nr; i++)
			if (!i || strcmp(words[i], words[i - 1]))
				sprintf(text + strlen(text), "%s%s",
					*text ? BETWEEN : "", words[i]);
	} else {
		a->failed = true;
	}
	free(copy);
	free(words);
	return text;
}

/* What only one of them says is said of none. */
static void add_info(struct adding *a)
{
	struct model *to = a->to;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < to->nr_info; i++) {
		struct model_info *info = &to->info[i];
		const char *other = info_value(a->from, info->key);

		if (other && !strcmp(other, info->value)) {
			to->info[kept++] = *info;
			continue;
		}
		free(info->key);
		free(info->value);
	}
	to->nr_info = kept;
	schema_clear(a->from, SCHEMA_INFO);
}

static void add_text(struct adding *a, const char **to, const char *from)
{
	char *text = NULL;

	if (*to || from)
		text = union_of(a, *to ? *to : from, from ? from : *to);
	*to = text;
	if (!text)
		return;
	a->to->texts = append(a, a->to->texts, a->to->nr_texts, &text, 1,
			      sizeof(*a->to->texts));
	if (!a->failed)
		a->to->nr_texts++;
}

/* A fact is what every recording has, whether it is known or not. */
static void add_texts(struct adding *a)
{
	const struct schema_table *t = &schema_tables[SCHEMA_MODEL];

	for (uint32_t i = 0; i < t->nr_members; i++) {
		const struct schema_member *member = &t->members[i];
		const char **to = (const char **)((char *)a->to + member->at);
		const char **from = (const char **)((char *)a->from + member->at);
		const char *unknown = NULL;

		if (member->role != SCHEMA_FACT && member->role != SCHEMA_TEXTS)
			continue;
		if (member->role == SCHEMA_FACT && !*to != !*from)
			unknown = "n/a";
		*to = *to ? *to : unknown;
		add_text(a, to, *from ? *from : unknown);
	}
}

/* One line of a recording, as it is reported in the note of all. */
static char *describe(const struct model *m)
{
	char *text = NULL;
	int length;

	length = asprintf(&text, "%s (host %s, command %s, %" PRIu64 " slices, %" PRIu64 " lost%s)%s%s",
			  m->path ? m->path : "?", m->host ? m->host : "n/a",
			  m->command ? m->command : "n/a", m->times.slices,
			  m->lost, m->truncated || m->nr_damage ? ", damaged" :
			  m->ended ? "" : ", not ended in order",
			  m->note ? ": " : "", m->note ? m->note : "");
	return length < 0 ? NULL : text;
}

static void add_notes(struct adding *a)
{
	struct model *to = a->to;
	char *x = to->list ? to->list : describe(to);
	char *y = a->from->list ? a->from->list : describe(a->from);
	char *list = x && y ? union_of(a, x, y) : NULL, *note = NULL;

	free(x);
	free(y);
	to->list = list;
	a->from->list = NULL;
	to->recordings += a->from->recordings;
	if (!list || asprintf(&note, "%" PRIu32 " recordings added up: %s",
			      to->recordings, list) < 0) {
		a->failed = true;
		return;
	}
	free(to->own_note);
	to->own_note = note;
	to->note = note;
}

static void add_path(struct adding *a)
{
	char *path = union_of(a, a->to->path ? a->to->path : "",
			      a->from->path ? a->from->path : "");

	if (!path)
		return;
	free(a->to->path);
	a->to->path = path;
}

/* Processes of the same name and number may be of different recordings. */
static void name_processes(struct adding *a, struct model *m)
{
	const char *base = m->path ? strrchr(m->path, '/') : NULL;
	size_t len;

	if (m->recordings > 1 || !m->path)
		return;
	base = base ? base + 1 : m->path;
	len = strlen(base);
	if (ends_with(base, ".cprof"))
		len -= strlen(".cprof");
	for (uint32_t i = 0; i < m->nr_processes; i++) {
		char **comm = &m->processes[i].comm, *name = NULL;

		if (asprintf(&name, "%s@%.*s", *comm ? *comm : "", (int)len,
			     base) < 0) {
			a->failed = true;
			return;
		}
		free(*comm);
		*comm = name;
	}
}

/* Of which recording it is, only its text can say. */
static void name_damage(struct adding *a, struct model *m)
{
	for (uint32_t i = 0; m->recordings == 1 && i < m->nr_damage; i++) {
		char *text = NULL;

		if (asprintf(&text, "%s: %s", m->path, m->damage[i].text) < 0) {
			a->failed = true;
			return;
		}
		free(m->damage[i].text);
		m->damage[i].text = text;
	}
}

/* ---- clocks */

static void move_times(struct model *m, uint64_t by)
{
	for (enum schema_id table = 0; by && table < SCHEMA_NR; table++) {
		const struct schema_table *t = &schema_tables[table];

		for (uint32_t i = 0; i < t->nr_members; i++) {
			char *at = (char *)schema_rows(m, table) + t->members[i].at;
			uint32_t nr = schema_is_time(&t->members[i]) ? schema_nr(m, table) : 0;

			for (uint32_t row = 0; row < nr; row++, at += t->size)
				*(uint64_t *)at += *(uint64_t *)at ? by : 0;
		}
	}
}

/* To the clock of the machine that has run for longest: that has most behind it. */
static void add_times(struct adding *a)
{
	struct model *to = a->to, *from = a->from;
	bool known = to->realtime_known && from->realtime_known;
	int64_t first = to->realtime_offset_ns < from->realtime_offset_ns ?
			to->realtime_offset_ns : from->realtime_offset_ns;

	if (known) {
		move_times(to, (uint64_t)to->realtime_offset_ns - (uint64_t)first);
		move_times(from, (uint64_t)from->realtime_offset_ns - (uint64_t)first);
	}
	to->realtime_offset_ns = known ? first : 0;
}

/* ---- rows that both have */

/* Of numbers, and of pointers. */
static uint64_t sum_of(enum schema_role role, uint64_t x, uint64_t y)
{
	switch (role) {
	case SCHEMA_SUM:
		return x + y;
	case SCHEMA_PARTIAL:
	case SCHEMA_ANY:
		return x | y;
	case SCHEMA_ALL:
		return x & y;
	case SCHEMA_MOST:
	case SCHEMA_END:
		return x > y ? x : y;
	case SCHEMA_BEGIN:
		return !x || (y && y < x) ? y : x;
	case SCHEMA_EQUAL:
		return x == y ? x : 0;
	case SCHEMA_FIRST:
	case SCHEMA_FIRST_TEXT:
		return x ? x : y;
	default:
		return x;
	}
}

static uint64_t number_at(const struct schema_member *member, const void *at)
{
	uint64_t number;

	if (member->size == sizeof(bool))
		return *(const bool *)at;
	if (member->size == sizeof(uint32_t))
		return *(const uint32_t *)at;
	memcpy(&number, at, sizeof(number));
	return number;
}

static void sum_numbers(const struct schema_member *member, void *to, void *from)
{
	uint64_t x = number_at(member, to), sum = sum_of(member->role, x, number_at(member, from));

	if (member->role == SCHEMA_FIRST_TEXT && !x)
		memset(from, 0, member->size);
	if (member->size == sizeof(bool))
		*(bool *)to = sum;
	else if (member->size == sizeof(uint32_t))
		*(uint32_t *)to = (uint32_t)sum;
	else
		memcpy(to, &sum, sizeof(sum));
}

static void sum_known(const struct schema_member *member, double *to, const double *from)
{
	for (size_t i = 0; i < member->size / sizeof(*to); i++)
		if (member->role == SCHEMA_EQUAL_KNOWN)
			to[i] = to[i] < from[i] || to[i] > from[i] ? -1 : to[i];
		else
			to[i] = to[i] < 0 ? from[i] : from[i] < 0 ? to[i] : to[i] + from[i];
}

static void sum_row(enum schema_id table, char *to, char *from)
{
	const struct schema_table *t = &schema_tables[table];

	for (uint32_t i = 0; i < t->nr_members; i++) {
		const struct schema_member *member = &t->members[i];
		void *x = to + member->at, *y = from + member->at;

		if (member->role == SCHEMA_TIMES)
			times_sum(x, y);
		else if (member->role == SCHEMA_SUM_KNOWN || member->role == SCHEMA_EQUAL_KNOWN)
			sum_known(member, x, y);
		else if (member->role >= SCHEMA_SUM && member->role <= SCHEMA_FIRST_TEXT)
			sum_numbers(member, x, y);
	}
}

static bool has_keys(const struct schema_table *t)
{
	for (uint32_t i = 0; i < t->nr_members; i++)
		if (schema_is_key(&t->members[i]))
			return true;
	return false;
}

static const char *text_at(const struct schema_member *member, const char *row)
{
	return *(char *const *)(row + member->at);
}

static bool same_row(const struct schema_table *t, const char *x, const char *y)
{
	for (uint32_t i = 0; i < t->nr_members; i++) {
		const struct schema_member *m = &t->members[i];
		const char *a, *b;

		if (m->role == SCHEMA_KEY && memcmp(x + m->at, y + m->at, m->size))
			return false;
		if (m->role != SCHEMA_KEY_TEXT)
			continue;
		a = text_at(m, x);
		b = text_at(m, y);
		if (a != b && (!a || !b || strcmp(a, b)))
			return false;
	}
	return true;
}

static uint64_t key_of_row(const struct schema_table *t, const char *row)
{
	uint64_t key = HASH_BEGIN;

	for (uint32_t i = 0; i < t->nr_members; i++) {
		const struct schema_member *m = &t->members[i];
		const char *at = row + m->at;
		size_t size = m->size;

		if (m->role == SCHEMA_KEY_TEXT) {
			at = text_at(m, row);
			size = at ? strlen(at) : 0;
		}
		if (schema_is_key(m))
			key = hash_bytes(key, at, size);
	}
	return key;
}

/* Of those that @to has the figures are added, the others go behind. */
static void join_rows(struct adding *a, enum schema_id table)
{
	const struct schema_table *t = &schema_tables[table];
	uint32_t nr = schema_nr(a->to, table), more = schema_nr(a->from, table);
	char *to = schema_rows(a->to, table), *from = schema_rows(a->from, table);
	uint32_t *moved = calloc((size_t)more + 1, sizeof(*moved));
	struct index index = { 0 };

	a->moved[table].to = moved;
	a->failed |= !moved;
	if (!t->most)
		to = append(a, to, nr, from, more, t->size);
	for (uint32_t i = 0; !a->failed && i < nr; i++)
		a->failed |= !index_put(&index, key_of_row(t, to + (size_t)i * t->size), 0, i);
	for (uint32_t i = 0; !a->failed && i < more; i++) {
		char *row = from + (size_t)i * t->size;
		uint32_t n = index_get(&index, key_of_row(t, row), 0);

		if (n != INDEX_NONE && same_row(t, to + (size_t)n * t->size, row)) {
			sum_row(table, to + (size_t)n * t->size, row);
			moved[i] = n;
		} else if (t->most && nr == t->most) {
			moved[i] = MODEL_NONE;
		} else {
			moved[i] = nr;
			memcpy(to + (size_t)nr++ * t->size, row, t->size);
			memset(row, 0, t->size);
		}
	}
	schema_set(a->to, table, to, nr);
	index_free(&index);
}

/* ---- rows that go behind those of the other */

static void move_rows(struct adding *a, enum schema_id table)
{
	const struct schema_table *t = &schema_tables[table];
	uint32_t nr = schema_nr(a->from, table);

	for (uint32_t i = 0; nr && i < t->nr_members; i++) {
		const struct schema_member *m = &t->members[i];
		const struct moved *moved = &a->moved[m->table == SCHEMA_SELF ? table : m->table];
		char *at = (char *)schema_rows(a->from, table) + m->at;

		for (uint32_t k = 0; m->role == SCHEMA_ROW && k < nr; k++, at += t->size) {
			uint32_t *index = (uint32_t *)at;

			if (*index != MODEL_NONE)
				*index = moved->to ? moved->to[*index] : *index + moved->by;
		}
	}
}

/* They are not counted before all tables have theirs. */
static void append_rows(struct adding *a, enum schema_id table)
{
	uint32_t nr = schema_nr(a->to, table), more = schema_nr(a->from, table);

	if (more)
		schema_set(a->to, table, append(a, schema_rows(a->to, table), nr,
						schema_rows(a->from, table), more,
						schema_tables[table].size), nr);
}

/* What @to has by now must not be freed with @from. */
static void count_rows(struct adding *a, enum schema_id table)
{
	schema_set(a->to, table, schema_rows(a->to, table),
		   schema_nr(a->to, table) + schema_nr(a->from, table));
	schema_set(a->from, table, schema_rows(a->from, table), 0);
}

/* ---- counters */

/* Counters that the recording did not have, it does not say anything of. */
static void spread_sums(const struct adding *a, struct model_sum *to, const struct schema_sums *of,
			const struct model *m, const uint32_t *counters, uint32_t nr_counters)
{
	const struct model_sum *sums = *(struct model_sum **)((char *)m + of->sums);
	const struct schema_table *t = &schema_tables[of->table];
	const char *rows = schema_rows(m, of->table);
	size_t nr = sums ? (size_t)schema_nr(m, of->table) * of->of_row : 0;

	for (size_t i = 0; i < nr; i++, to += a->stride, sums += nr_counters ? nr_counters : 1) {
		const char *row = rows + i / of->of_row * t->size;
		uint64_t running = *(const uint64_t *)(row + of->running[i % of->of_row]);

		for (uint32_t k = 0; k < a->stride; k++)
			to[k] = (struct model_sum){ 0, running, SUM_ELSEWHERE };
		for (uint32_t k = 0; k < nr_counters; k++) {
			uint32_t at = counters ? counters[k] : k;

			if (at != MODEL_NONE)
				to[at] = sums[k];
		}
	}
}

/* @old: so many counters @to had before those of @from came. */
static void add_row_sums(struct adding *a, const struct schema_sums *of, uint32_t old)
{
	struct model_sum **sums = (struct model_sum **)((char *)a->to + of->sums), *all;
	size_t nr = (size_t)schema_nr(a->to, of->table) * of->of_row * a->stride;
	size_t more = (size_t)schema_nr(a->from, of->table) * of->of_row * a->stride + 1;
	bool stay = *sums && old == a->to->nr_counters;

	all = stay ? reallocarray(*sums, nr + more, sizeof(*all)) :
		     calloc(nr + more, sizeof(*all));
	if (!all) {
		a->failed = true;
		return;
	}
	if (stay) {
		memset(all + nr, 0, more * sizeof(*all));
	} else {
		spread_sums(a, all, of, a->to, NULL, old);
		free(*sums);
	}
	spread_sums(a, all + nr, of, a->from, a->moved[SCHEMA_COUNTERS].to, a->from->nr_counters);
	*sums = all;
}

/* Of rows of both. What a recording did not count has no squares, nor a standing to use them by. */
static void spread_squares(model_squares *to, uint32_t stride, const struct model *from,
			   const uint32_t *counters)
{
	for (uint32_t row = 0; row < from->nr_label_spans; row++, to += stride) {
		const model_squares *of = &from->label_span_squares[(size_t)row * from->nr_squares];

		for (uint32_t i = 0; i < from->nr_squares; i++) {
			uint32_t behind = i - MODEL_SQUARE_COUNTERS;
			uint32_t counter = i < MODEL_SQUARE_COUNTERS ? 0 :
					  counters ? counters[behind / 2] : behind / 2;

			if (i < MODEL_SQUARE_COUNTERS)
				to[i] = of[i];
			else if (counter != MODEL_NONE)
				to[MODEL_SQUARE_COUNTERS + 2 * counter + behind % 2] = of[i];
		}
	}
}

/* If one has none, neither has the sum. */
static void add_squares(struct adding *a)
{
	struct model *to = a->to;
	uint32_t stride = MODEL_SQUARE_COUNTERS + 2 * to->nr_counters;
	size_t nr = (size_t)to->nr_label_spans + a->from->nr_label_spans;
	bool both = (to->label_span_squares || !to->nr_label_spans) &&
		    (a->from->label_span_squares || !a->from->nr_label_spans);
	model_squares *all = both && nr ? calloc(nr * stride, sizeof(*all)) : NULL;

	if (all) {
		spread_squares(all, stride, to, NULL);
		spread_squares(&all[(size_t)to->nr_label_spans * stride], stride, a->from,
			       a->moved[SCHEMA_COUNTERS].to);
	}
	a->failed |= both && nr && !all;
	free(to->label_span_squares);
	to->label_span_squares = all;
	to->nr_squares = all ? stride : 0;
}

static void add_columns(struct adding *a, uint32_t old)
{
	struct model *to = a->to;
	struct model_sum *total;

	for (uint32_t i = 0; i < a->from->nr_counters; i++)
		to->dropped_counters += a->moved[SCHEMA_COUNTERS].to[i] == MODEL_NONE;
	a->stride = to->nr_counters ? to->nr_counters : 1;
	counters_of_ipc(to);
	for (uint32_t i = 0; i < SCHEMA_SUMS; i++)
		add_row_sums(a, &schema_sums[i], old);
	add_squares(a);
	total = to->total_sums;
	for (uint32_t i = 0; !a->failed && i < a->stride; i++) {
		total[i].count += total[a->stride + i].count;
		total[i].missing_ns += total[a->stride + i].missing_ns;
		total[i].seen |= total[a->stride + i].seen;
	}
}

/* ---- what has rules of its own */

/* Most threads first, as in a model of one recording. */
static void sort_modes(struct model *m)
{
	for (uint32_t i = 1; i < m->nr_modes; i++)
		for (uint32_t k = i; k && mode_order(&m->modes[k - 1],
						     &m->modes[k]) > 0; k--) {
			struct model_mode_row row = m->modes[k];

			m->modes[k] = m->modes[k - 1];
			m->modes[k - 1] = row;
			for (uint32_t c = 0; c < m->nr_channels; c++) {
				uint32_t *at = &m->channels[c].mode_row;

				*at = *at == k ? k - 1 : *at == k - 1 ? k : *at;
			}
		}
}

static void move_channels(struct adding *a)
{
	const uint32_t *counters = a->moved[SCHEMA_COUNTERS].to;

	for (uint32_t i = 0; i < a->from->nr_channels; i++) {
		struct model_channel *c = &a->from->channels[i];

		for (uint32_t k = 0; k < c->nr_counters; k++)
			if (c->counters[k] != UINT8_MAX)
				c->counters[k] = (uint8_t)counters[c->counters[k]];
	}
}

static void move_coroutines(struct adding *a)
{
	uint32_t by = a->to->nr_channels % 64;

	for (uint32_t i = 0; by && i < a->from->nr_coroutines; i++) {
		struct model_coroutine *c = &a->from->coroutines[i];

		c->threads = c->threads << by | c->threads >> (64 - by);
	}
}

/* The counts of a slice are of the first counters. */
static void move_counts(const struct adding *a, struct model_slice *s)
{
	uint64_t count[MODEL_SLICE_COUNTERS] = { 0 };
	uint32_t valid = 0;

	for (uint32_t i = 0; i < MODEL_SLICE_COUNTERS; i++) {
		uint32_t at = i < a->from->nr_counters ? a->moved[SCHEMA_COUNTERS].to[i] :
							MODEL_NONE;

		if (at >= MODEL_SLICE_COUNTERS)
			continue;
		count[at] = s->count[i];
		valid |= (s->valid >> i & 1) << at;
	}
	memcpy(s->count, count, sizeof(count));
	s->valid = valid;
}

static void add_timeline(struct adding *a)
{
	struct model *to = a->to, *from = a->from;

	for (uint32_t i = 0; i < from->nr_timeline; i++)
		move_counts(a, &from->timeline[i]);
	for (uint32_t i = 0; i <= from->nr_channels; i++)
		from->timeline_first[i] += to->nr_timeline;
	to->timeline_first = append(a, to->timeline_first, to->nr_channels,
				    from->timeline_first,
				    (size_t)from->nr_channels + 1,
				    sizeof(*to->timeline_first));
}

/* Of a recording whose lines are not known: each function is a location, without one. */
static void make_locations(struct adding *a, struct model *m)
{
	if (m->nr_line_nodes || !m->nr_sample_nodes)
		return;
	m->locations = calloc(m->nr_frames, sizeof(*m->locations));
	m->line_nodes = calloc(m->nr_sample_nodes, sizeof(*m->line_nodes));
	if (!m->locations || !m->line_nodes) {
		a->failed = true;
		return;
	}
	for (uint32_t i = 0; i < m->nr_frames; i++)
		m->locations[i] = (struct model_location){
			.frame = i, .own = m->frames[i].own, .total = m->frames[i].total,
		};
	for (uint32_t i = 0; i < m->nr_sample_nodes; i++) {
		const struct model_sample_node *n = &m->sample_nodes[i];

		m->line_nodes[i] = (struct model_line_node){
			i, n->frame, n->parent, n->own, n->total,
		};
	}
	m->nr_locations = m->nr_frames;
	m->nr_line_nodes = m->nr_sample_nodes;
}

/* Until all are added, @to counts its own rows only: that is where others go. */
static void add_rows(struct adding *a)
{
	struct model *to = a->to, *from = a->from;
	uint32_t old = to->nr_counters;
	enum schema_id table;

	/* Cells of one are not those of the other. */
	schema_clear(to, SCHEMA_HEAT_MAP);
	schema_clear(from, SCHEMA_HEAT_MAP);
	/* All samples, or none: of some, nobody could say that they are some. */
	if ((to->samples && !to->nr_timeline_samples) || (from->samples && !from->nr_timeline_samples))
		to->nr_timeline_samples = from->nr_timeline_samples = 0;
	if (to->nr_line_nodes || from->nr_line_nodes) {
		make_locations(a, to);
		make_locations(a, from);
	}
	for (table = SCHEMA_MODEL + 1; table < SCHEMA_NR; table++)
		a->moved[table].by = schema_nr(to, table);
	for (table = SCHEMA_MODEL + 1; table < SCHEMA_NR && !a->failed; table++) {
		move_rows(a, table);
		if (has_keys(&schema_tables[table]))
			join_rows(a, table);
	}
	if (a->failed)
		return;
	add_columns(a, old);
	move_channels(a);
	move_coroutines(a);
	add_timeline(a);
	for (table = SCHEMA_MODEL + 1; table < SCHEMA_NR; table++)
		if (!has_keys(&schema_tables[table]))
			append_rows(a, table);
	if (a->failed)
		return;
	for (table = SCHEMA_MODEL + 1; table < SCHEMA_NR; table++)
		if (!has_keys(&schema_tables[table]))
			count_rows(a, table);
	wakes_sort(to->wakes, to->nr_wakes);
	sort_modes(to);
}

/* After the rows: what of them is not known depends on what each has run. */
static void add_sums(struct adding *a)
{
	struct model *to = a->to, *from = a->from;

	to->overhead_at_least |= (to->overhead_ns < 0) != (from->overhead_ns < 0);
	if (to->exit_status != from->exit_status)
		to->exit_status = -1;
	sum_row(SCHEMA_MODEL, (char *)to, (char *)from);
	to->overhead_share = costs_share(to);
}

int model_combine(struct model *to, struct model *from, struct error *err)
{
	struct adding a = { .to = to, .from = from };

	add_times(&a);
	name_processes(&a, to);
	name_processes(&a, from);
	/* @to has fewer of them until its header is added. */
	for (uint32_t i = 0; i < from->nr_processes; i++)
		from->processes[i].recording += to->recordings;
	name_damage(&a, to);
	name_damage(&a, from);
	add_notes(&a);
	add_path(&a);
	add_texts(&a);
	add_info(&a);
	add_rows(&a);
	add_sums(&a);
	for (enum schema_id table = 0; table < SCHEMA_NR; table++)
		free(a.moved[table].to);
	model_free(from);
	return a.failed ? error_set(err, ENOMEM, "out of memory while adding recordings up") : 0;
}
