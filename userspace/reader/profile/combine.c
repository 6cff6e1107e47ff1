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

#include "profile/build.h"

/**
 * struct adding - two models becoming one
 * @to:      the first, which becomes that of both
 * @from:    the second
 * @stride:  sums of a row of both
 * @counters: for each counter of @from, that of @to, or MODEL_NONE
 * @frames:  likewise frames
 * @locations: likewise
 * @modes:   likewise
 * @failed:  out of memory
 */
struct adding {
	struct model *to;
	struct model *from;
	uint32_t stride;
	uint32_t counters[MODEL_COUNTERS_MAX];
	uint32_t *frames;
	uint32_t *locations;
	uint32_t *modes;
	bool failed;
};

static uint32_t moved(uint32_t row, uint32_t by)
{
	return row == MODEL_NONE ? row : row + by;
}

/* Makes room for @more rows behind @nr, and copies those. */
static void *behind(struct adding *a, void *rows, size_t nr, const void *more,
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

#define BEHIND(a, member, nr)						\
	((a)->to->member = behind(a, (a)->to->member, (a)->to->nr,	\
				  (a)->from->member, (a)->from->nr,	\
				  sizeof(*(a)->to->member)))

/* ---- what recordings say of themselves */

/* Between what several recordings say. */
#define BETWEEN		" | "

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t split(char *text, const char **words)
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
static char *both(struct adding *a, const char *x, const char *y)
{
	size_t size = strlen(x) + strlen(y) + sizeof(BETWEEN), nr;
	char *text = calloc(1, size), *copy = malloc(size);
	const char **words = calloc(size, sizeof(*words));

	if (text && copy && words) {
		snprintf(copy, size, "%s" BETWEEN "%s", x, y);
		nr = split(copy, words);
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

static struct model_info *find_info(const struct model *m, const char *key)
{
	for (uint32_t i = 0; i < m->nr_info; i++)
		if (!strcmp(m->info[i].key, key))
			return &m->info[i];
	return NULL;
}

/* What only one of them says is said of none. */
static void add_info(struct adding *a)
{
	struct model *to = a->to;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < to->nr_info; i++) {
		struct model_info *info = &to->info[i];
		const struct model_info *other = find_info(a->from, info->key);

		if (other && !strcmp(other->value, info->value)) {
			to->info[kept++] = *info;
			continue;
		}
		free(info->key);
		free(info->value);
	}
	to->nr_info = kept;
}

static void add_text(struct adding *a, const char **to, const char *from)
{
	char *text = NULL;

	if (*to || from)
		text = both(a, *to ? *to : from, from ? from : *to);
	*to = text;
	if (!text)
		return;
	a->to->texts = behind(a, a->to->texts, a->to->nr_texts, &text, 1,
			      sizeof(*a->to->texts));
	if (!a->failed)
		a->to->nr_texts++;
}

/* What every recording has, whether it is known or not. */
static void add_metadata(struct adding *a, const char **to, const char *from)
{
	if (!*to && from)
		*to = "n/a";
	add_text(a, to, *to && !from ? "n/a" : from);
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
	char *list = x && y ? both(a, x, y) : NULL, *note = NULL;

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
	char *path = both(a, a->to->path ? a->to->path : "",
			  a->from->path ? a->from->path : "");

	if (!path)
		return;
	free(a->to->path);
	a->to->path = path;
}

static void add_header(struct adding *a)
{
	struct model *to = a->to;
	const struct model *from = a->from;

	add_notes(a);
	add_path(a);
	add_metadata(a, &to->command, from->command);
	add_metadata(a, &to->host, from->host);
	add_metadata(a, &to->kernel, from->kernel);
	add_metadata(a, &to->arch, from->arch);
	add_metadata(a, &to->pmu, from->pmu);
	add_text(a, &to->simulated, from->simulated);
	add_text(a, &to->missing, from->missing);
	add_text(a, &to->sample_event, from->sample_event);
	add_text(a, &to->sample_note, from->sample_note);
	add_info(a);
	to->without_pmu &= from->without_pmu;
	to->hypervisor |= from->hypervisor;
	to->ended &= from->ended;
	to->file_size += from->file_size;
	to->unread_bytes += from->unread_bytes;
	to->unread_records += from->unread_records;
	if (to->cpus != from->cpus)
		to->cpus = 0;
	if (to->exit_status != from->exit_status)
		to->exit_status = -1;
	if (!to->truncated && from->truncated) {
		to->truncated = from->truncated;
		to->truncated_offset = from->truncated_offset;
		a->from->truncated = NULL;
	}
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

/* @to has fewer of them until its header is added. */
static void number_processes(struct adding *a)
{
	for (uint32_t i = 0; i < a->from->nr_processes; i++)
		a->from->processes[i].recording += a->to->recordings;
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
	uint64_t *times[] = { &m->begin_ns, &m->from_ns, &m->end_ns };

	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		*times[i] += *times[i] ? by : 0;
	for (uint32_t i = 0; i < m->nr_processes; i++) {
		m->processes[i].begin_ns += m->processes[i].begin_ns ? by : 0;
		m->processes[i].end_ns += m->processes[i].end_ns ? by : 0;
	}
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		m->channels[i].begin_ns += m->channels[i].begin_ns ? by : 0;
		m->channels[i].end_ns += m->channels[i].end_ns ? by : 0;
	}
	for (uint32_t i = 0; i < m->nr_coroutines; i++) {
		m->coroutines[i].first_ns += by;
		m->coroutines[i].last_ns += by;
		m->coroutines[i].born_ns += m->coroutines[i].born_ns ? by : 0;
	}
	for (uint32_t i = 0; i < m->nr_timeline; i++)
		m->timeline[i].begin_ns += by;
	for (uint32_t i = 0; i < m->nr_timeline; i++)
		m->timeline[i].wake_ns += m->timeline[i].wake_ns ? by : 0;
	for (uint32_t i = 0; i < m->nr_timeline_spans; i++)
		m->timeline_spans[i].end_ns += by;
	for (uint32_t i = 0; i < m->nr_timeline_samples; i++)
		m->timeline_samples[i].time_ns += by;
	for (uint32_t i = 0; i < m->nr_longest; i++) {
		m->longest[i].begin_ns += by;
		m->longest[i].end_ns += by;
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
	to->realtime_known = known;
	if (from->clocks_ns > to->clocks_ns)
		to->clocks_ns = from->clocks_ns;
	to->realtime_offset_ns = known ? first : 0;
	if (from->begin_ns && (!to->begin_ns || from->begin_ns < to->begin_ns))
		to->begin_ns = from->begin_ns;
	if (from->from_ns && (!to->from_ns || from->from_ns < to->from_ns))
		to->from_ns = from->from_ns;
	if (from->end_ns > to->end_ns)
		to->end_ns = from->end_ns;
}

/* ---- counters */

static void add_columns(struct adding *a)
{
	struct model *to = a->to, *from = a->from;

	for (uint32_t i = 0; i < from->nr_counters; i++) {
		struct model_counter *c = &from->counters[i];
		uint32_t n = 0;

		while (n < to->nr_counters &&
		       !same_counter(&to->counters[n].counter, &c->counter))
			n++;
		a->counters[i] = n < MODEL_COUNTERS_MAX ? n : MODEL_NONE;
		to->dropped_counters += n == MODEL_COUNTERS_MAX;
		if (n == MODEL_COUNTERS_MAX)
			continue;
		if (n == to->nr_counters) {
			to->counters[to->nr_counters++] = *c;
			c->name = NULL;
			continue;
		}
		to->counters[n].in_session |= c->in_session;
		to->counters[n].channels += c->channels;
		to->counters[n].failed += c->failed;
		if (!to->counters[n].error_text) {
			to->counters[n].error = c->error;
			to->counters[n].error_text = c->error_text;
		}
	}
	to->dropped_counters += from->dropped_counters;
	a->stride = to->nr_counters ? to->nr_counters : 1;
	counters_of_ipc(to);
}

/**
 * struct table_sums - the sums of a table
 * @sums:    before
 * @nr:      how many rows
 * @stride:  sums of each
 * @counters: where each goes; NULL: to where it is
 * @nr_counters: how many of them are counters
 */
struct table_sums {
	const struct model_sum *sums;
	size_t nr;
	uint32_t stride;
	const uint32_t *counters;
	uint32_t nr_counters;
};

/* Counters that the recording did not have, it does not say anything of. */
static void spread(const struct adding *a, struct model_sum *to,
		   const struct table_sums *from, const uint64_t *running)
{
	for (size_t i = 0; i < from->nr; i++, to += a->stride) {
		for (uint32_t k = 0; k < a->stride; k++)
			to[k] = (struct model_sum){ 0, running[i],
						     SUM_ELSEWHERE };
		for (uint32_t k = 0; k < from->nr_counters; k++) {
			uint32_t at = from->counters ? from->counters[k] : k;

			if (at != MODEL_NONE)
				to[at] = from->sums[i * from->stride + k];
		}
	}
}

static uint32_t stride_of(uint32_t nr_counters)
{
	return nr_counters ? nr_counters : 1;
}

/* Of rows of both, of which @running are the times on a CPU, in order. */
static void add_sums(struct adding *a, struct model_sum **sums, size_t nr,
		     const struct model_sum *more, size_t nr_more,
		     const uint64_t *running, uint32_t old_counters)
{
	struct model_sum *all = calloc((nr + nr_more + 1) * a->stride,
				       sizeof(*all));
	const struct table_sums x = {
		*sums, *sums ? nr : 0, stride_of(old_counters), NULL,
		old_counters,
	};
	const struct table_sums y = {
		more, more ? nr_more : 0, stride_of(a->from->nr_counters),
		a->counters, a->from->nr_counters,
	};

	if (!all) {
		a->failed = true;
		return;
	}
	spread(a, all, &x, running);
	spread(a, all + nr * a->stride, &y, running + nr);
	free(*sums);
	*sums = all;
}

/* The times on a CPU of all rows of both; freed with the sums that it is of. */
#define RUNNING(a, rows, nr, member) __extension__ ({			\
	const size_t n_ = (a)->to->nr, more_ = (a)->from->nr;		\
	uint64_t *running_ = calloc(n_ + more_ + 1, sizeof(*running_));	\
									\
	for (size_t i_ = 0; running_ && i_ < n_ + more_; i_++)		\
		running_[i_] = i_ < n_ ? (a)->to->rows[i_].member :	\
			       (a)->from->rows[i_ - n_].member;		\
	running_;							\
})

#define ADD_SUMS(a, rows, nr, sums, old) do {				\
	uint64_t *running_of_ = RUNNING(a, rows, nr, times.running_ns);	\
									\
	if (running_of_)						\
		add_sums(a, &(a)->to->sums, (a)->to->nr,		\
			 (a)->from->sums, (a)->from->nr, running_of_,	\
			 old);						\
	else								\
		(a)->failed = true;					\
	free(running_of_);						\
} while (0)

/* Total and own, of each row. */
static uint64_t *running_of_sums(const struct model_span_sums *sums, size_t size,
				 size_t nr, uint64_t *to)
{
	for (size_t i = 0; i < nr; i++) {
		const struct model_span_sums *s =
			(const void *)((const char *)sums + i * size);

		*to++ = s->running_ns;
		*to++ = s->own_running_ns;
	}
	return to;
}

#define ADD_SPAN_SUMS(a, rows, nr, of_rows, old) do {			\
	uint64_t *all_ = calloc(2 * ((size_t)(a)->to->nr +		\
				     (a)->from->nr) + 1, sizeof(*all_)); \
	uint64_t *end_ = all_;						\
									\
	if (!all_) {							\
		(a)->failed = true;					\
		break;							\
	}								\
	if ((a)->to->nr)						\
		end_ = running_of_sums(&(a)->to->rows->sums,		\
				       sizeof(*(a)->to->rows),		\
				       (a)->to->nr, end_);		\
	if ((a)->from->nr)						\
		running_of_sums(&(a)->from->rows->sums,			\
				sizeof(*(a)->from->rows),		\
				(a)->from->nr, end_);			\
	add_sums(a, &(a)->to->of_rows, 2 * (size_t)(a)->to->nr,		\
		 (a)->from->of_rows, 2 * (size_t)(a)->from->nr, all_,	\
		 old);							\
	free(all_);							\
} while (0)

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
			       a->counters);
	}
	a->failed |= both && nr && !all;
	free(to->label_span_squares);
	to->label_span_squares = all;
	to->nr_squares = all ? stride : 0;
}

static void add_totals(struct adding *a, uint32_t old)
{
	const uint64_t running[2] = {
		a->to->times.running_ns, a->from->times.running_ns,
	};
	struct model_sum *sums;

	add_sums(a, &a->to->total_sums, 1, a->from->total_sums, 1, running,
		 old);
	sums = a->to->total_sums;
	for (uint32_t i = 0; !a->failed && i < a->stride; i++) {
		const struct model_sum *more = &sums[a->stride + i];

		sums[i].count += more->count;
		sums[i].missing_ns += more->missing_ns;
		sums[i].seen |= more->seen;
	}
	times_sum(&a->to->times, &a->from->times);
}

static void add_all_sums(struct adding *a, uint32_t old)
{
	ADD_SUMS(a, channels, nr_channels, channel_sums, old);
	ADD_SUMS(a, labels, nr_labels, label_sums, old);
	ADD_SUMS(a, coroutines, nr_coroutines, coroutine_sums, old);
	ADD_SUMS(a, longest, nr_longest, longest_sums, old);
	ADD_SPAN_SUMS(a, spans, nr_spans, span_sums, old);
	ADD_SPAN_SUMS(a, label_spans, nr_label_spans, label_span_sums, old);
	ADD_SPAN_SUMS(a, span_nodes, nr_span_nodes, span_node_sums, old);
	add_squares(a);
	add_totals(a, old);
}

/* ---- rows */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void add_modes(struct adding *a)
{
	struct model *to = a->to, *from = a->from;

	a->modes = calloc((size_t)from->nr_modes + 1, sizeof(*a->modes));
	for (uint32_t i = 0; a->modes && !a->failed && i < from->nr_modes; i++) {
		struct model_mode_row *row = &from->modes[i];
		uint32_t n = 0;

		while (n < to->nr_modes &&
		       (to->modes[n].mode != row->mode ||
			to->modes[n].reason != row->reason ||
			!same_text(to->modes[n].found, row->found) ||
			!same_text(to->modes[n].fix, row->fix)))
			n++;
		a->modes[i] = n;
		if (n < to->nr_modes) {
			to->modes[n].threads += row->threads;
			continue;
		}
		to->modes = behind(a, to->modes, n, row, 1, sizeof(*row));
		to->nr_modes += !a->failed;
		row->found = row->fix = NULL;
	}
	a->failed |= !a->modes;
}

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

static void add_channels(struct adding *a)
{
	struct model *to = a->to;

	for (uint32_t i = 0; i < a->from->nr_channels; i++) {
		struct model_channel *c = &a->from->channels[i];

		c->process += to->nr_processes;
		if (c->mode_row != MODEL_NONE)
			c->mode_row = a->modes[c->mode_row];
		for (uint32_t k = 0; k < c->nr_counters; k++)
			if (c->counters[k] != UINT8_MAX)
				c->counters[k] = (uint8_t)a->counters[c->counters[k]];
	}
	BEHIND(a, channels, nr_channels);
}

static void add_coroutines(struct adding *a)
{
	struct model *to = a->to;
	uint32_t by = to->nr_channels % 64;

	for (uint32_t i = 0; i < a->from->nr_coroutines; i++) {
		struct model_coroutine *c = &a->from->coroutines[i];

		c->process += to->nr_processes;
		c->label = moved(c->label, to->nr_labels);
		c->channel = moved(c->channel, to->nr_channels);
		c->threads = by ? c->threads << by | c->threads >> (64 - by) :
				  c->threads;
	}
	BEHIND(a, coroutines, nr_coroutines);
}

static void add_labels(struct adding *a)
{
	for (uint32_t i = 0; i < a->from->nr_labels; i++)
		a->from->labels[i].process = moved(a->from->labels[i].process,
						   a->to->nr_processes);
	BEHIND(a, labels, nr_labels);
}

/* The counts of a slice are of the first counters. */
static void move_counts(const struct adding *a, struct model_slice *s)
{
	uint64_t count[MODEL_SLICE_COUNTERS] = { 0 };
	uint32_t valid = 0;

	for (uint32_t i = 0; i < MODEL_SLICE_COUNTERS; i++) {
		uint32_t at = i < a->from->nr_counters ? a->counters[i] :
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

	for (uint32_t i = 0; i < from->nr_timeline; i++) {
		struct model_slice *s = &from->timeline[i];

		s->channel += to->nr_channels;
		s->coroutine = moved(s->coroutine, to->nr_coroutines);
		s->waker_coroutine = moved(s->waker_coroutine, to->nr_coroutines);
		s->label = moved(s->label, to->nr_labels);
		move_counts(a, s);
	}
	for (uint32_t i = 0; i <= from->nr_channels; i++)
		from->timeline_first[i] += to->nr_timeline;
	to->timeline_first = behind(a, to->timeline_first, to->nr_channels,
				    from->timeline_first,
				    (size_t)from->nr_channels + 1,
				    sizeof(*to->timeline_first));
	BEHIND(a, timeline, nr_timeline);
	if (from->timeline_resolution_ns > to->timeline_resolution_ns)
		to->timeline_resolution_ns = from->timeline_resolution_ns;
}

static void add_timeline_spans(struct adding *a)
{
	struct model *to = a->to, *from = a->from;

	for (uint32_t i = 0; i < from->nr_timeline_spans; i++) {
		struct model_timeline_span *s = &from->timeline_spans[i];

		s->process += to->nr_processes;
		s->coroutine += to->nr_coroutines;
		s->span += to->nr_spans;
		s->channel += to->nr_channels;
	}
	BEHIND(a, timeline_spans, nr_timeline_spans);
	if (from->timeline_spans_least_ns > to->timeline_spans_least_ns)
		to->timeline_spans_least_ns = from->timeline_spans_least_ns;
}

/*
 * All of them, or none, as each recording has them: of some, nobody could say that they are some.
 */
static void drop_some_samples(struct model *to, struct model *from)
{
	bool none = (to->samples && !to->nr_timeline_samples) ||
		    (from->samples && !from->nr_timeline_samples);

	if (none)
		to->nr_timeline_samples = from->nr_timeline_samples = 0;
}

static void add_timeline_samples(struct adding *a)
{
	struct model *to = a->to, *from = a->from;

	drop_some_samples(to, from);
	for (uint32_t i = 0; i < from->nr_timeline_samples; i++) {
		struct model_timeline_sample *s = &from->timeline_samples[i];

		s->channel += to->nr_channels;
		s->coroutine = moved(s->coroutine, to->nr_coroutines);
		s->node += to->nr_sample_nodes;
	}
	BEHIND(a, timeline_samples, nr_timeline_samples);
}

static void add_wakes(struct adding *a)
{
	struct model *to = a->to;

	for (uint32_t i = 0; i < a->from->nr_wakes; i++) {
		struct model_wake *w = &a->from->wakes[i];

		w->waker = moved(w->waker, to->nr_labels);
		w->woken = moved(w->woken, to->nr_labels);
	}
	BEHIND(a, wakes, nr_wakes);
	if (!a->failed)
		wakes_sort(to->wakes, to->nr_wakes + a->from->nr_wakes);
}

static void add_longest(struct adding *a)
{
	struct model *to = a->to;

	for (uint32_t i = 0; i < a->from->nr_longest; i++) {
		struct model_longest *w = &a->from->longest[i];

		w->process += to->nr_processes;
		w->label += to->nr_labels;
		w->channel += to->nr_channels;
		w->coroutine = moved(w->coroutine, to->nr_coroutines);
		w->waker_coroutine = moved(w->waker_coroutine, to->nr_coroutines);
	}
	BEHIND(a, longest, nr_longest);
}

/* Cells of one are not those of the other. */
static void drop_heat_map(struct model *m)
{
	free(m->heat_map);
	m->heat_map = NULL;
	m->nr_heat_map = 0;
}

static uint32_t frame_in(const struct model *m, const struct index *index,
			 const struct model_frame *f, uint64_t key)
{
	uint32_t n = index_get(index, key, f->kind);

	return n != INDEX_NONE && same_text(m->frames[n].name, f->name) &&
	       same_text(m->frames[n].object, f->object) ? n : MODEL_NONE;
}

static uint64_t key_of_frame(const struct model_frame *f)
{
	uint64_t key = 0xcbf29ce484222325ULL;

	for (const char *p = f->name; p && *p; p++)
		key = (key ^ (unsigned char)*p) * 0x100000001b3ULL;
	for (const char *p = f->object; p && *p; p++)
		key = (key ^ (unsigned char)*p) * 0x100000001b3ULL;
	return key;
}

static void add_frames(struct adding *a)
{
	struct model *to = a->to, *from = a->from;
	struct index index = { 0 };

	a->frames = calloc((size_t)from->nr_frames + 1, sizeof(*a->frames));
	for (uint32_t i = 0; i < to->nr_frames; i++)
		a->failed |= !index_put(&index, key_of_frame(&to->frames[i]),
					to->frames[i].kind, i);
	a->failed |= !a->frames;
	for (uint32_t i = 0; !a->failed && i < from->nr_frames; i++) {
		struct model_frame *f = &from->frames[i];
		uint32_t n = frame_in(to, &index, f, key_of_frame(f));

		if (n != MODEL_NONE) {
			to->frames[n].own += f->own;
			to->frames[n].total += f->total;
			a->frames[i] = n;
			continue;
		}
		a->frames[i] = to->nr_frames;
		to->frames = behind(a, to->frames, to->nr_frames, f, 1,
				    sizeof(*f));
		to->nr_frames += !a->failed;
		f->name = f->object = f->file = NULL;
	}
	index_free(&index);
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

static uint64_t key_of_location(const struct model_location *p)
{
	uint64_t key = ((uint64_t)p->frame << 32 | p->line) * 2 + p->inlined;

	for (const char *c = p->file; c && *c; c++)
		key = (key ^ (unsigned char)*c) * 0x100000001b3ULL;
	return key;
}

static bool is_location(const struct model_location *p, const struct model_location *other)
{
	return p->frame == other->frame && p->line == other->line &&
	       p->inlined == other->inlined && same_text(p->file, other->file);
}

/* Frames are those of @to already. */
static void add_location(struct adding *a, struct index *index, uint32_t i)
{
	struct model *to = a->to;
	struct model_location *p = &a->from->locations[i];
	uint32_t n = index_get(index, key_of_location(p), 0);

	if (n != INDEX_NONE && is_location(&to->locations[n], p)) {
		to->locations[n].own += p->own;
		to->locations[n].total += p->total;
		a->locations[i] = n;
		return;
	}
	a->locations[i] = to->nr_locations;
	to->locations = behind(a, to->locations, to->nr_locations, p, 1, sizeof(*p));
	to->nr_locations += !a->failed;
	p->file = NULL;
}

static void add_locations(struct adding *a)
{
	struct model *to = a->to, *from = a->from;
	struct index index = { 0 };

	a->locations = calloc((size_t)from->nr_locations + 1, sizeof(*a->locations));
	a->failed |= !a->locations;
	for (uint32_t i = 0; i < to->nr_locations; i++)
		a->failed |= !index_put(&index, key_of_location(&to->locations[i]), 0, i);
	for (uint32_t i = 0; !a->failed && i < from->nr_locations; i++) {
		from->locations[i].frame = a->frames[from->locations[i].frame];
		add_location(a, &index, i);
	}
	index_free(&index);
}

static void add_lines(struct adding *a)
{
	struct model *to = a->to, *from = a->from;

	add_locations(a);
	for (uint32_t i = 0; !a->failed && i < from->nr_line_nodes; i++) {
		struct model_line_node *n = &from->line_nodes[i];

		n->node += to->nr_sample_nodes;
		n->location = a->locations[n->location];
		n->parent = moved(n->parent, to->nr_line_nodes);
	}
	BEHIND(a, line_nodes, nr_line_nodes);
	to->nr_line_nodes += from->nr_line_nodes;
	if (!to->lines_fault)
		to->lines_fault = from->lines_fault;
	to->lines_sought |= from->lines_sought;
}

static void add_samples(struct adding *a)
{
	struct model *to = a->to, *from = a->from;

	if (to->nr_line_nodes || from->nr_line_nodes) {
		make_locations(a, to);
		make_locations(a, from);
	}
	add_frames(a);
	if (!a->failed)
		add_lines(a);
	for (uint32_t i = 0; !a->failed && i < from->nr_sample_nodes; i++) {
		struct model_sample_node *n = &from->sample_nodes[i];

		n->label += to->nr_labels;
		n->frame = a->frames[n->frame];
		n->parent = moved(n->parent, to->nr_sample_nodes);
	}
	for (uint32_t i = 0; !a->failed && i < from->nr_label_frames; i++) {
		from->label_frames[i].label += to->nr_labels;
		from->label_frames[i].frame =
			a->frames[from->label_frames[i].frame];
	}
	BEHIND(a, sample_nodes, nr_sample_nodes);
	BEHIND(a, label_frames, nr_label_frames);
	to->nr_sample_nodes += from->nr_sample_nodes;
	to->nr_label_frames += from->nr_label_frames;
	to->totals |= from->totals;
	to->sampled |= from->sampled;
	to->samples += from->samples;
	to->lost_samples += from->lost_samples;
	to->lacks_samples |= from->lacks_samples;
	to->throttled += from->throttled;
	to->unsampled += from->unsampled;
	to->clock_sampled += from->clock_sampled;
	if (to->sample_period != from->sample_period)
		to->sample_period = 0;
	if (to->sample_frequency != from->sample_frequency)
		to->sample_frequency = 0;
	if (to->sample_stack_max < from->sample_stack_max)
		to->sample_stack_max = from->sample_stack_max;
}

static void add_spans(struct adding *a)
{
	struct model *to = a->to, *from = a->from;

	for (uint32_t i = 0; i < from->nr_spans; i++)
		from->spans[i].process += to->nr_processes;
	for (uint32_t i = 0; i < from->nr_label_spans; i++) {
		from->label_spans[i].label += to->nr_labels;
		from->label_spans[i].span += to->nr_spans;
	}
	for (uint32_t i = 0; i < from->nr_span_nodes; i++) {
		struct model_span_node *n = &from->span_nodes[i];

		n->label += to->nr_labels;
		n->span = moved(n->span, to->nr_spans);
		n->parent = moved(n->parent, to->nr_span_nodes);
	}
	BEHIND(a, spans, nr_spans);
	BEHIND(a, label_spans, nr_label_spans);
	BEHIND(a, span_nodes, nr_span_nodes);
	to->nr_span_calls += from->nr_span_calls;
	to->lost_spans += from->lost_spans;
	to->dropped_spans += from->dropped_spans;
	to->lacks_spans |= from->lacks_spans;
	to->calls_counted |= from->calls_counted;
	to->impossible_spans += from->impossible_spans;
}

static void add_damage(struct adding *a)
{
	struct model *to = a->to, *from = a->from;

	for (uint32_t i = 0; i < from->nr_damage; i++)
		from->damage[i].channel = moved(from->damage[i].channel,
						to->nr_channels);
	BEHIND(a, damage, nr_damage);
	if (a->failed)
		return;
	to->nr_damage += from->nr_damage;
	to->nr_damage_total += from->nr_damage_total;
	from->nr_damage = 0;
}

/* ---- costs */

static void add_cost(struct model_cost *to, const struct model_cost *from)
{
	if (to->ns < from->ns || to->ns > from->ns)
		to->ns = -1;
	if (to->instructions < from->instructions ||
	    to->instructions > from->instructions)
		to->instructions = -1;
}

/* A sum; what one of them does not know is not in it. */
static double sum_known(double a, double b)
{
	return a < 0 ? b : b < 0 ? a : a + b;
}

static void add_costs(struct adding *a)
{
	struct model *to = a->to;
	const struct model *from = a->from;

	to->overhead_at_least |= from->overhead_at_least;
	to->overhead_estimated |= from->overhead_estimated;
	to->overhead_at_least |= (to->overhead_ns < 0) != (from->overhead_ns < 0);
	to->overhead_ns = sum_known(to->overhead_ns, from->overhead_ns);
	to->naming.ns = sum_known(to->naming.ns, from->naming.ns);
	to->naming.instructions = sum_known(to->naming.instructions,
					    from->naming.instructions);
	for (unsigned int i = 0; i < 2; i++) {
		add_cost(&to->switch_cost[i], &from->switch_cost[i]);
		add_cost(&to->span_cost[i], &from->span_cost[i]);
		add_cost(&to->join_cost[i], &from->join_cost[i]);
	}
	add_cost(&to->ring_cost, &from->ring_cost);
	add_cost(&to->birth_cost, &from->birth_cost);
	add_cost(&to->probe_cost, &from->probe_cost);
	add_cost(&to->probe_birth_cost, &from->probe_birth_cost);
	to->switch_ns = to->switch_cost[COROPROF_MODE_IOCTL].ns;
	to->switch_instructions =
		to->switch_cost[COROPROF_MODE_IOCTL].instructions;
	to->overhead_share = costs_share(to);
}

/* ---- all of it */

/* What @to refers to by now must not be freed with @from. */
static void forget_rows(struct model *from)
{
	from->nr_processes = from->nr_channels = from->nr_labels = 0;
	from->nr_spans = 0;
}

static void add_counts_of_rows(struct model *to, const struct model *from)
{
	to->nr_processes += from->nr_processes;
	to->nr_channels += from->nr_channels;
	to->nr_labels += from->nr_labels;
	to->nr_coroutines += from->nr_coroutines;
	to->nr_timeline += from->nr_timeline;
	to->nr_timeline_spans += from->nr_timeline_spans;
	to->nr_timeline_samples += from->nr_timeline_samples;
	to->nr_wakes += from->nr_wakes;
	to->nr_longest += from->nr_longest;
	to->nr_spans += from->nr_spans;
	to->nr_label_spans += from->nr_label_spans;
	to->nr_span_nodes += from->nr_span_nodes;
	to->nr_folded_coroutines += from->nr_folded_coroutines;
	to->nr_coroutines_total += from->nr_coroutines_total;
	to->nr_dropped_wakes += from->nr_dropped_wakes;
	to->lost += from->lost;
	to->at_least |= from->at_least;
	to->unread |= from->unread;
	to->unreported += from->unreported;
	to->unreported_ns += from->unreported_ns;
	to->failed_checks += from->failed_checks;
}

/* Until all are, @to counts its own rows only: that is where others go. */
static void add_rows(struct adding *a)
{
	uint32_t old = a->to->nr_counters;

	add_columns(a);
	add_all_sums(a, old);
	add_modes(a);
	if (a->failed)
		return;
	add_damage(a);
	add_channels(a);
	add_labels(a);
	add_coroutines(a);
	add_timeline(a);
	add_timeline_spans(a);
	add_timeline_samples(a);
	add_wakes(a);
	add_longest(a);
	drop_heat_map(a->to);
	add_samples(a);
	add_spans(a);
	BEHIND(a, processes, nr_processes);
	if (a->failed)
		return;
	add_counts_of_rows(a->to, a->from);
	forget_rows(a->from);
	sort_modes(a->to);
}

int model_combine(struct model *to, struct model *from, struct error *err)
{
	struct adding a = { .to = to, .from = from };

	add_times(&a);
	name_processes(&a, to);
	name_processes(&a, from);
	number_processes(&a);
	name_damage(&a, to);
	name_damage(&a, from);
	add_header(&a);
	add_rows(&a);
	add_costs(&a);
	free(a.frames);
	free(a.locations);
	free(a.modes);
	model_free(from);
	return a.failed ? error_set(err, ENOMEM, "out of memory while adding recordings up") : 0;
}
