// SPDX-License-Identifier: GPL-2.0
/*
 * Parses --slow, finds the threshold, reads the recording again with its label made two
 * (profile/split.h), and compares both sides as two recordings (diff/diff.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invoked.h"
#include "base/units.h"
#include "base/util.h"
#include "cprof/file.h"
#include "diff/change.h"
#include "diff/internal.h"
#include "diff/slow.h"
#include "profile/histogram.h"
#include "profile/schema.h"
#include "profile/split.h"
#include "profile/times.h"
#include "tables/figure.h"
#include "tables/table.h"

#define GRAMMAR		"LABEL[:of=slices|lives,by=WHAT,above=THRESHOLD], such as 'render:by=ready,above=p99': WHAT is held (of lives: lifetime), running, preempted, blocked, suspended, awaiting, ready or a counter; THRESHOLD is p50 to p99.99, or a figure, such as 2ms"
#define LIST_SIZE	512

/* From begin to end, of a slice and of a life. Both were called wall, which is still understood. */
static const char *const whole[] = { "held", "lifetime" };
#define WHOLE_BEFORE	"wall"

static const char *const times[SPLIT_COUNTER] = {
	NULL, "running", "preempted", "blocked", "suspended", "awaiting", "ready",
};

/* The rest is what was before, so to say. */
static const uint8_t sides[MODEL_AGES] = {
	[MODEL_OLD] = MODEL_SIDE_REST, [MODEL_NEW] = MODEL_SIDE_SLOW,
};

/* ------------------------------------------------------------------------
 * grammar
 */

static const char *const keys[] = { "of=", "by=", "above=" };

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Labels, and counters, may have colons: where the first key follows one. */
static const char *find_keys(const char *text)
{
	for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':'))
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			if (begins(colon + 1, keys[i]))
				return colon;
	return text + strlen(text);
}

/* Counters may have commas, as in cpu/event=1,umask=2/: up to where another key begins. */
static size_t length_of(const char *value)
{
	for (const char *comma = strchr(value, ','); comma; comma = strchr(comma + 1, ','))
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			if (begins(comma + 1, keys[i]))
				return (size_t)(comma - value);
	return strlen(value);
}

static bool is(const char *value, size_t length, const char *word)
{
	return strlen(word) == length && !strncmp(value, word, length);
}

static bool take_key(struct slow *slow, const char *key, const char *value, size_t length)
{
	if (!length)
		return false;
	if (begins(key, "by=")) {
		slow->by = value;
		slow->by_length = length;
	} else if (begins(key, "above=")) {
		slow->above = value;
		slow->above_length = length;
	} else {
		slow->lives = is(value, length, "lives");
		return slow->lives || is(value, length, "slices");
	}
	return true;
}

int slow_parse(struct slow *slow, const char *text, struct error *err)
{
	const char *at = find_keys(text);

	*slow = (struct slow){ .text = text, .label = (size_t)(at - text) };
	while (slow->label && *at) {
		const char *key = at + 1, *value = strchr(key, '=');
		size_t length = value ? length_of(value + 1) : 0;

		if (!value || !take_key(slow, key, value + 1, length))
			break;
		at = value + 1 + length;
	}
	if (slow->label && !*at)
		return 0;
	return error_set(err, EINVAL, "%s '%s': it is " GRAMMAR, invoked_typed("slow"), text);
}

/* "p99.9": 0.999. False if it is none. */
static bool parse_quantile(const char *text, double *quantile)
{
	char *end;

	if (*text != 'p' || text[1] < '0' || text[1] > '9')
		return false;
	*quantile = strtod(text + 1, &end) / 100;
	return !*end && *quantile > 0 && *quantile < 1;
}

/* A time has a unit: of a number alone nobody knows whether it is seconds. */
static bool parse_figure(const char *text, bool time, uint64_t *figure)
{
	double count;

	if (time)
		return *text && strchr("smh", text[strlen(text) - 1]) && units_time(text, figure);
	if (!units_count(text, &count) || count >= 1e18)
		return false;
	*figure = (uint64_t)count;
	return true;
}

/* ------------------------------------------------------------------------
 * what is asked for, of this recording
 */

/**
 * struct slow_search - under way
 * @slow:     what was asked for
 * @path:     of the recording
 * @options:  to read it again with
 * @split:    likewise
 * @lives:    sides of coroutines
 * @of:       what is said of it
 */
struct slow_search {
	const struct slow *slow;
	const char *path;
	struct model_options options;
	struct split split;
	struct index lives;
	struct model_slow_of of;
};

static int no_memory(struct error *err)
{
	return error_set(err, ENOMEM, "out of memory while looking for what is slow");
}

static void list_labels(const struct model *m, char text[LIST_SIZE])
{
	size_t used = 0;

	*text = 0;
	for (uint32_t i = 0; i < m->nr_labels && used < LIST_SIZE; i++)
		if (m->labels[i].kind == MODEL_LABEL_TEXT || m->labels[i].kind == MODEL_LABEL_CODE)
			used += (size_t)snprintf(text + used, LIST_SIZE - used, "%s%s",
						 used ? ", " : "", m->labels[i].name);
	if (used >= LIST_SIZE)
		memcpy(text + LIST_SIZE - 4, "...", 4);
}

static int check_label(const struct slow_search *s, const struct model *m, struct error *err)
{
	char labels[LIST_SIZE];

	for (uint32_t i = 0; i < m->nr_labels; i++)
		if (split_is(&s->split, &m->labels[i]))
			return 0;
	list_labels(m, labels);
	return error_set(err, EINVAL, "%s '%s': no coroutine has the label '%s'. There are: %s",
			 invoked_typed("slow"), s->slow->text, s->of.label,
			 *labels ? labels : "none");
}

static int set_by(struct slow_search *s, const struct model *m, struct error *err)
{
	s->of.time = true;
	s->split.by = SPLIT_WALL;
	if (!strcmp(s->of.by, whole[s->of.lives]))
		return 0;
	for (unsigned int i = SPLIT_WALL + 1; i < SPLIT_COUNTER; i++)
		if (!strcmp(s->of.by, times[i])) {
			s->split.by = (enum split_by)i;
			return 0;
		}
	for (uint32_t i = 0; i < m->nr_counters; i++)
		if (!strcmp(s->of.by, m->counters[i].name)) {
			s->split.by = SPLIT_COUNTER;
			s->split.counter = i;
			s->of.time = model_counter_is_time(&m->counters[i]);
			return 0;
		}
	return error_set(err, EINVAL, "%s '%s': '%s' is no counter of %s, nor one of %s, running, preempted, blocked, suspended, awaiting, ready",
			 invoked_typed("slow"), s->slow->text, s->of.by, m->path, whole[s->of.lives]);
}

static char *word(const char *text, size_t length, const char *otherwise)
{
	return text ? strndup(text, length) : strdup(otherwise);
}

static int begin(struct slow_search *s, const struct model *m, struct error *err)
{
	const struct slow *slow = s->slow;
	bool all = !slow->by || is(slow->by, slow->by_length, WHOLE_BEFORE);

	s->of = (struct model_slow_of){
		.label = strndup(slow->text, slow->label),
		.by = word(all ? NULL : slow->by, slow->by_length, whole[slow->lives]),
		.asked = word(slow->above, slow->above_length, "p95"),
		.lives = slow->lives,
	};
	if (!s->of.label || !s->of.by || !s->of.asked)
		return no_memory(err);
	s->split.label = s->of.label;
	s->split.model = m;
	s->options.split = &s->split;
	s->options.shards = 1;
	s->options.no_timeline = true;
	if (m->totals)
		return error_set(err, EINVAL, "%s is of slices, and %s is a recording of totals, which has none",
				 invoked_typed("slow"), m->path);
	return check_label(s, m, err) ? -EINVAL : set_by(s, m, err);
}

/* Reads the recording again; *@to is NULL where that is not wanted. */
static int read_again(struct slow_search *s, struct model **to, struct error *err)
{
	struct model *m;
	struct file *file;
	int ret = file_open(&file, s->path, err);

	if (ret)
		return ret;
	ret = model_load(&m, file, &s->options, err);
	file_close(file);
	split_end(&s->split);
	if (ret)
		return ret;
	if (to)
		*to = m;
	else
		model_free(m);
	return 0;
}

/* ------------------------------------------------------------------------
 * lives
 */

/* What it has is of all of its slices, and they are of one label. */
static bool is_life(const struct slow_search *s, const struct model *m, uint32_t row)
{
	const struct model_coroutine *c = &m->coroutines[row];
	uint32_t whole = MODEL_COROUTINE_BORN | MODEL_COROUTINE_ENDED;

	return (c->flags & (whole | MODEL_COROUTINE_RENAMED)) == whole &&
	       split_is(&s->split, &m->labels[c->label]);
}

static bool known_gaps(const struct model_coroutine *c)
{
	return c->times.awaiting_ns + c->times.ready_ns == c->times.suspended_ns;
}

/*
 * What a coroutine has of what they are divided by. False if it is not known: in a gap that was
 * not seen there may be a slice.
 */
static bool value_of_life(const struct slow_search *s, const struct model *m, uint32_t row,
			  uint64_t *value)
{
	const struct model_coroutine *c = &m->coroutines[row];
	const uint64_t found[SPLIT_COUNTER] = {
		[SPLIT_WALL] = c->last_ns - c->born_ns,
		[SPLIT_RUNNING] = c->times.running_ns,
		[SPLIT_PREEMPTED] = c->times.preempted_ns,
		[SPLIT_BLOCKED] = c->times.blocked_ns,
		[SPLIT_SUSPENDED] = c->times.suspended_ns,
		[SPLIT_AWAITING] = c->times.awaiting_ns,
		[SPLIT_READY] = c->times.ready_ns,
	};
	struct model_value counted;

	if (c->times.unseen_gaps && s->split.by != SPLIT_WALL)
		return false;
	if (s->split.by == SPLIT_COUNTER) {
		counted = model_coroutine_value(m, row, s->split.counter);
		*value = counted.estimate;
		return standing_has_value(model_value_standing(counted));
	}
	*value = found[s->split.by];
	return s->split.by <= SPLIT_SUSPENDED || known_gaps(c);
}

static bool measure_lives(const struct slow_search *s, const struct model *m, struct histogram *to)
{
	bool done = true;
	uint64_t value;

	for (uint32_t i = 0; i < m->nr_coroutines; i++)
		if (is_life(s, m, i) && value_of_life(s, m, i, &value))
			done &= histogram_count(to, value);
	return done;
}

static int divide_lives(struct slow_search *s, const struct model *m, struct error *err)
{
	bool done = true;
	uint64_t value;

	s->split.lives = &s->lives;
	for (uint32_t i = 0; i < m->nr_coroutines; i++) {
		const struct model_coroutine *c = &m->coroutines[i];

		if (!is_life(s, m, i) || !value_of_life(s, m, i, &value))
			continue;
		done &= index_put(&s->lives, c->id, c->process, value > s->split.above ?
				  MODEL_SIDE_SLOW : MODEL_SIDE_REST);
	}
	return done ? 0 : no_memory(err);
}

/* ------------------------------------------------------------------------
 * the threshold
 */

static int measure(struct slow_search *s, const struct model *m, struct histogram *to,
		   struct error *err)
{
	int ret = 0;

	if (s->of.lives)
		return measure_lives(s, m, to) ? 0 : no_memory(err);
	s->split.measure = to;
	ret = read_again(s, NULL, err);
	s->split.measure = NULL;
	return ret;
}

static int set_quantile(struct slow_search *s, const struct model *m, double quantile,
			struct error *err)
{
	struct histogram *found = histogram_new();
	bool exact = true;
	int ret = found ? measure(s, m, found, err) : no_memory(err);

	if (!ret) {
		histogram_finish(found);
		s->split.above = histogram_quantile(found, quantile, &exact);
		/* What is not distinguished from it is not more. */
		if (!exact)
			s->split.above = histogram_last(s->split.above);
	}
	if (!ret && !found->nr)
		ret = error_set(err, ENODATA, "%s '%s': '%s' is not known of any %s of the label",
				invoked_typed("slow"), s->slow->text, s->of.by,
				s->of.lives ? "coroutine that was seen from its begin to its end" :
					      "slice");
	histogram_free(found);
	return ret;
}

static int set_above(struct slow_search *s, const struct model *m, struct error *err)
{
	double quantile;
	int ret = 0;

	if (parse_quantile(s->of.asked, &quantile))
		ret = set_quantile(s, m, quantile, err);
	else if (!parse_figure(s->of.asked, s->of.time, &s->split.above))
		ret = error_set(err, EINVAL, "%s '%s': '%s' is no threshold: p50 to p99.99, or %s",
				invoked_typed("slow"), s->slow->text, s->of.asked,
				s->of.time ? "a time, such as 2ms" :
					     "a number, as it is counted, such as 5000 or 5k");
	s->of.above = s->split.above;
	return ret;
}

/* ------------------------------------------------------------------------
 * more figures
 */

/**
 * struct side_quotient - one of both sides: @over divided by @under
 * @standing: by enum model_age, if there is something to divide by
 */
struct side_quotient {
	enum model_change_of of;
	const char *name;
	const char *label;
	const char *figure;
	bool time;
	double over[MODEL_AGES];
	double under[MODEL_AGES];
	enum standing standing[MODEL_AGES];
};

static struct model_side side_of(const struct side_quotient *f, enum model_age age)
{
	if (f->under[age] <= 0 || !standing_has_value(f->standing[age]))
		return (struct model_side){ .spread = -1, .error = -1, .standing = STANDING_NA };
	return (struct model_side){
		.spread = -1, .error = -1, .standing = (uint8_t)f->standing[age], .times = f->under[age],
		.value = f->over[age] / f->under[age],
	};
}

static int add_figure(struct model *m, const struct side_quotient *f)
{
	struct model_change *c = change_add(m);

	if (!c)
		return -1;
	*c = (struct model_change){
		.of = f->of, .name = strdup(f->name), .figure = strdup(f->figure),
		.label = f->label ? strdup(f->label) : NULL, .time = f->time, .p = -1,
		.verdict = MODEL_VERDICT_NONE,
		.side = { side_of(f, MODEL_OLD), side_of(f, MODEL_NEW) },
	};
	change_set_difference(c);
	return c->name && c->figure && (c->label || !f->label) ? 0 : -1;
}

/**
 * struct side_sums - of the labels of one side
 * @at_least: slices of theirs are missing
 * @length:   for how long they held their threads, or lived
 */
struct side_sums {
	struct model_times times;
	bool at_least;
	uint64_t length;
	uint64_t lives;
};

static struct side_sums sums_of(const struct model *m, enum model_age age, bool lives)
{
	struct side_sums sums = { 0 };

	for (uint32_t i = 0; i < m->nr_labels; i++) {
		const struct model_label *l = &m->labels[i];
		const struct histogram *histogram =
			l->histograms[lives ? MODEL_LATENCY_LIFETIME : MODEL_LATENCY_HELD];

		if (l->side != sides[age])
			continue;
		times_sum(&sums.times, &l->times);
		sums.at_least |= schema_lacks(m, SCHEMA_LABELS, l, MODEL_PARTIAL_SLICES);
		sums.length += histogram ? histogram->sum : 0;
		sums.lives += lives && histogram ? histogram->nr : 0;
	}
	return sums;
}

/* Of how many there are. */
static enum standing standing_of_number(const struct side_sums *sums)
{
	return standing_seen(sums->at_least);
}

/* Of a sum over them, divided by how many there are. */
static enum standing standing_of_each(enum standing sum, const struct side_sums *sums)
{
	return standing_combined(COMBINE_QUOTIENT, standing_lacking(sum, sums->at_least),
				 standing_of_number(sums));
}

/* Of the length of lives all is known: what is missing, they have more of. */
static enum standing standing_of_state(const struct side_sums *sums, bool lives, bool of_gaps)
{
	enum standing state = model_times_standing(&sums->times, sums->at_least);

	if (of_gaps)
		state = standing_lacking(model_ns_standing(model_suspended(&sums->times)),
					 sums->at_least);
	return standing_combined(COMBINE_QUOTIENT, state,
				 lives ? STANDING_COUNTED : standing_of_number(sums));
}

/* How the time of one is divided. */
static int add_states(struct model *to, const struct slow_search *s,
		      const struct side_sums of[MODEL_AGES])
{
	static const struct {
		const char *figure[2];
		size_t offset;
	} states[] = {
		{ { "running/held", "running/lifetime" }, offsetof(struct model_times, running_ns) },
		{ { "preempted/held", "preempted/lifetime" },
		  offsetof(struct model_times, preempted_ns) },
		{ { "blocked/held", "blocked/lifetime" }, offsetof(struct model_times, blocked_ns) },
		{ { NULL, "suspended/lifetime" }, offsetof(struct model_times, suspended_ns) },
	};
	static const char *const each[] = { "held/slice", "lifetime/coroutine" };
	struct side_quotient f = { .name = s->of.label, .figure = each[s->of.lives] };
	int ret;

	f.time = true;
	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		f.over[age] = (double)of[age].length;
		f.under[age] = (double)s->of.nr[age];
		f.standing[age] = standing_of_each(STANDING_COUNTED, &of[age]);
	}
	ret = add_figure(to, &f);
	f.time = false;
	for (size_t i = 0; !ret && i < ARRAY_SIZE(states); i++) {
		f.figure = states[i].figure[s->of.lives];
		for (unsigned int age = 0; age < MODEL_AGES; age++) {
			const char *sum = (const char *)&of[age].times + states[i].offset;

			f.over[age] = (double)*(const uint64_t *)(const void *)sum;
			f.under[age] = (double)of[age].length;
			f.standing[age] = standing_of_state(&of[age], s->of.lives,
							    !states[i].figure[0]);
		}
		if (f.figure)
			ret = add_figure(to, &f);
	}
	return ret;
}

static const char *waker_name(const struct model *m, uint32_t wake)
{
	uint32_t waker = m->wakes[wake].waker;

	return waker == MODEL_NONE ? "(no coroutine)" : m->labels[waker].name;
}

/**
 * struct waker - all labels of a name, as wakers
 * @name:  theirs
 * @first: row of model.wakes
 * @wakes: how many, by enum model_age
 */
struct waker {
	const char *name;
	uint32_t first;
	uint64_t wakes[MODEL_AGES];
};

static int by_first(const void *a, const void *b)
{
	const struct waker *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

static int by_name(const void *a, const void *b)
{
	int order = strcmp(((const struct waker *)a)->name, ((const struct waker *)b)->name);

	return order ? order : by_first(a, b);
}

/* One for each wake of either side. Returns how many. */
static uint32_t list_wakes(const struct model *m, struct waker *to)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < m->nr_wakes; i++)
		for (unsigned int age = 0; age < MODEL_AGES; age++) {
			if (m->labels[m->wakes[i].woken].side != sides[age])
				continue;
			to[nr] = (struct waker){ .name = waker_name(m, i), .first = i };
			to[nr++].wakes[age] = m->wakes[i].count;
		}
	return nr;
}

/* One for each name, in the order of their first wakes. Returns how many. */
static uint32_t sum_wakers(struct waker *list, uint32_t nr)
{
	uint32_t sums = 0;

	qsort(list, nr, sizeof(*list), by_name);
	for (uint32_t i = 0; i < nr; i++) {
		if (!sums || strcmp(list[sums - 1].name, list[i].name)) {
			list[sums++] = list[i];
			continue;
		}
		for (unsigned int age = 0; age < MODEL_AGES; age++)
			list[sums - 1].wakes[age] += list[i].wakes[age];
	}
	qsort(list, sums, sizeof(*list), by_first);
	return sums;
}

static int add_waker(struct model *to, const struct waker *waker, const struct slow_search *s,
		     const struct side_sums of[MODEL_AGES], bool lacks_wakes)
{
	struct side_quotient f = {
		.of = MODEL_OF_WAKER, .name = waker->name, .figure = "wakes/slice",
		.label = s->of.label,
	};

	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		f.over[age] = (double)waker->wakes[age];
		f.under[age] = (double)of[age].times.slices;
		f.standing[age] = standing_of_each(standing_seen(lacks_wakes), &of[age]);
	}
	return add_figure(to, &f);
}

static int add_wakers(struct model *to, const struct model *m, const struct slow_search *s,
		      const struct side_sums of[MODEL_AGES])
{
	struct waker *list = calloc((size_t)m->nr_wakes + 1, sizeof(*list));
	uint32_t nr = list ? sum_wakers(list, list_wakes(m, list)) : 0;
	int ret = list ? 0 : -1;

	for (uint32_t i = 0; !ret && i < nr; i++)
		ret = add_waker(to, &list[i], s, of, m->nr_dropped_wakes);
	free(list);
	return ret;
}

/* ------------------------------------------------------------------------
 * threads
 */

/* Recorded again, a thread has another channel. */
static bool is_same_thread(const struct model *m, uint32_t one, uint32_t other)
{
	return m->channels[one].tid == m->channels[other].tid &&
	       m->channels[one].process == m->channels[other].process;
}

/* How many slices of each side ran on the thread. False: a channel before it is the same one. */
static bool sum_thread(const struct split_counts *c, const struct model *m, uint32_t channel,
		       double slices[MODEL_AGES])
{
	slices[MODEL_OLD] = slices[MODEL_NEW] = 0;
	for (uint32_t i = 0; i < c->nr_threads; i++) {
		if (!is_same_thread(m, i, channel))
			continue;
		if (i < channel)
			return false;
		for (unsigned int age = 0; age < MODEL_AGES; age++)
			slices[age] += (double)c->threads[i].slices[sides[age]];
	}
	return true;
}

/* Where all run on one thread it says nothing. */
static int add_threads(struct model *to, const struct model *m, const struct slow_search *s,
		       const struct side_sums of[MODEL_AGES])
{
	struct side_quotient f = {
		.of = MODEL_OF_THREAD, .figure = "on thread/slice", .label = s->of.label,
	};
	char name[ROW_TITLE_SIZE];
	int ret = 0;

	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		f.under[age] = (double)of[age].times.slices;
		f.standing[age] = standing_of_each(STANDING_COUNTED, &of[age]);
	}
	for (uint32_t i = 0; !ret && i < s->split.counts.nr_threads; i++) {
		if (!sum_thread(&s->split.counts, m, i, f.over) ||
		    !(f.over[MODEL_OLD] + f.over[MODEL_NEW]) ||
		    f.over[MODEL_OLD] + f.over[MODEL_NEW] ==
			    f.under[MODEL_OLD] + f.under[MODEL_NEW])
			continue;
		f.name = row_title(table_named("threads"), m, i, name);
		ret = add_figure(to, &f);
	}
	return ret;
}

static const char *holder_name(const struct model *m, const struct split_holder *h)
{
	return h->row == MODEL_NONE ? "(no label)" : m->labels[h->row].name;
}

/* All labels of a name are one holder. */
static int add_holders(struct model *to, const struct model *first, const struct slow_search *s,
		       const struct side_sums of[MODEL_AGES])
{
	const struct split_counts *c = &s->split.counts;
	struct side_quotient f = {
		.of = MODEL_OF_HOLDER, .figure = "held while ready/slice", .time = true,
		.label = s->of.label,
	};
	int ret = 0;

	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		f.under[age] = (double)of[age].times.slices;
		f.standing[age] = standing_of_each(standing_seen(c->short_of), &of[age]);
	}
	for (uint32_t i = 0; !ret && i < c->nr_holders; i++) {
		bool seen = false;

		f.name = holder_name(first, &c->holders[i]);
		f.over[MODEL_OLD] = f.over[MODEL_NEW] = 0;
		for (uint32_t k = 0; k < c->nr_holders; k++) {
			if (strcmp(f.name, holder_name(first, &c->holders[k])))
				continue;
			seen |= k < i;
			for (unsigned int age = 0; age < MODEL_AGES; age++)
				f.over[age] += (double)c->holders[k].ns[sides[age]];
		}
		if (!seen && f.over[MODEL_OLD] + f.over[MODEL_NEW])
			ret = add_figure(to, &f);
	}
	return ret;
}

/* ------------------------------------------------------------------------
 * the comparison
 */

static void count(struct slow_search *s, const struct model *m,
		  const struct side_sums of[MODEL_AGES])
{
	uint64_t all = 0;

	for (unsigned int age = 0; age < MODEL_AGES; age++)
		s->of.nr[age] = s->of.lives ? of[age].lives : of[age].times.slices;
	for (uint32_t i = 0; i < m->nr_labels; i++) {
		if (!m->labels[i].side)
			continue;
		all += m->labels[i].times.slices;
		s->of.at_least |= schema_lacks(m, SCHEMA_LABELS, &m->labels[i],
					       MODEL_PARTIAL_SLICES);
	}
	s->of.left_out = s->of.lives ? s->split.left_out :
				       all - s->of.nr[MODEL_OLD] - s->of.nr[MODEL_NEW];
}

static int check_sides(const struct slow_search *s, struct error *err)
{
	const struct model_slow_of *of = &s->of;
	const char *what = of->lives ? "coroutines" : "slices";
	char above[FIGURE_SIZE];

	if (of->nr[MODEL_OLD] && of->nr[MODEL_NEW])
		return 0;
	if (of->time)
		figure_ns(above, of->above);
	else
		snprintf(above, sizeof(above), "%" PRIu64, of->above);
	return error_set(err, ENODATA, "%s '%s': %" PRIu64 " %s have more than %s of '%s', %" PRIu64 " have not, and of %" PRIu64 " it is not known: there is nothing to compare; choose another threshold with above=",
			 invoked_typed("slow"), s->slow->text, of->nr[MODEL_NEW], what, above,
			 of->by, of->nr[MODEL_OLD], of->left_out);
}

/* What there is no test for. */
static void say_why(struct model *m, bool lives)
{
	for (uint32_t i = 0; i < m->nr_changes; i++)
		if (m->changes[i].verdict == MODEL_VERDICT_NONE)
			m->changes[i].why = lives ? m->changes[i].why :
				"slices of one coroutine are not independent of each other";
}

/* The tables of two recordings are empty: these go where those of slow ones are. */
static void keep(struct model *m, struct slow_search *s)
{
	m->slow = m->changes;
	m->nr_slow = m->nr_changes;
	m->slow_nodes = m->change_nodes;
	m->nr_slow_nodes = m->nr_change_nodes;
	m->changes = NULL;
	m->nr_changes = 0;
	m->change_nodes = NULL;
	m->nr_change_nodes = 0;
	for (uint32_t i = 0; i < m->nr_slow_nodes; i++)
		memcpy(m->slow_nodes[i].slices, s->of.nr, sizeof(s->of.nr));
	*m->slow_of = s->of;
	m->nr_slow_of = 1;
	s->of = (struct model_slow_of){ 0 };
}

static int compare(struct model *to, const struct model *m, struct slow_search *s,
		   struct error *err)
{
	const struct model *const models[MODEL_AGES] = { m, m };
	const struct side_sums of[MODEL_AGES] = {
		sums_of(m, MODEL_OLD, s->of.lives), sums_of(m, MODEL_NEW, s->of.lives),
	};
	int ret;

	count(s, m, of);
	ret = check_sides(s, err);
	if (ret)
		return ret;
	to->slow_of = calloc(1, sizeof(*to->slow_of));
	if (!to->slow_of || add_states(to, s, of) ||
	    diff_figures(to, models, sides, s->of.lives) || add_wakers(to, m, s, of) ||
	    add_threads(to, m, s, of) || add_holders(to, to, s, of) ||
	    diff_trees(to, models, sides))
		return no_memory(err);
	say_why(to, s->of.lives);
	keep(to, s);
	return 0;
}

static void end(struct slow_search *s)
{
	index_free(&s->lives);
	split_free_counts(&s->split);
	free(s->of.label);
	free(s->of.by);
	free(s->of.asked);
}

int slow_find(struct model *m, const char *path, const struct slow *slow,
	      const struct model_options *options, struct error *err)
{
	struct slow_search s = { .slow = slow, .path = path, .options = *options };
	struct model *again = NULL;
	int ret = begin(&s, m, err);

	if (!ret)
		ret = set_above(&s, m, err);
	if (!ret && s.of.lives)
		ret = divide_lives(&s, m, err);
	if (!ret)
		ret = read_again(&s, &again, err);
	if (!ret) {
		again->metrics = m->metrics;
		again->nr_metrics = m->nr_metrics;
		ret = compare(m, again, &s, err);
	}
	model_free(again);
	end(&s);
	return ret;
}
