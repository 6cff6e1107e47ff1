// SPDX-License-Identifier: GPL-2.0
/* Adds windows of a recording to what is to be sent. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "profile/histogram.h"
#include "profile/model.h"
#include "push/book.h"
#include "push/digest.h"
#include "push/reading.h"

/* Clocks that are slewed change by less within a window; one that is set, by more. */
#define STEP_NS		((int64_t)SECOND_NS)

/**
 * struct book_before - what the window before had of a name, or a process
 * @points: the largest there was of each figure, whatever its standing
 * @now:    of this window, until it is taken: a thread and coroutines may have one name
 * @nr:     how many
 */
struct book_before {
	struct book_point points[READING_POINTS];
	uint64_t now[READING_POINTS];
	unsigned int nr;
};

static void free_item(struct book_item *item)
{
	free(item->label);
	free(item->points);
	free(item->lengths);
}

static void free_group(struct book_group *group)
{
	for (size_t i = 0; i < group->nr_items; i++)
		free_item(&group->items[i]);
	free(group->items);
	free(group->comm);
}

void book_free(struct book *b)
{
	for (size_t i = 0; i < b->nr_groups; i++)
		free_group(&b->groups[i]);
	free(b->groups);
	for (unsigned int i = 0; i < b->nr_counters; i++)
		free(b->counters[i]);
	free(b->before);
	index_free(&b->before_index);
}

/* ---- series */

static uint64_t series_of_lengths(const struct book *b, const struct book_lengths *l)
{
	return b->classic ? BOOK_CLASSIC :
	       2u + l->seen_zero + (unsigned int)__builtin_popcountll(l->seen);
}

static uint64_t series_of(const struct book *b, const struct book_item *item)
{
	uint64_t nr = item->nr_points;

	for (size_t i = 0; i < item->nr_lengths; i++)
		nr += series_of_lengths(b, &item->lengths[i]);
	return nr;
}

static bool is_named(const struct book_item *item)
{
	return item->label && !item->other;
}

uint64_t book_series(const struct book *b)
{
	uint64_t nr = b->named;

	for (size_t i = 0; i < b->nr_groups; i++)
		nr += b->groups[i].series;
	return nr;
}

static uint64_t at_least(uint64_t nr, uint64_t least)
{
	return nr < least ? least : nr;
}

static uint64_t reserved(const struct book_group *group, uint64_t more)
{
	return at_least(group->series + more,
			group->id == BOOK_OTHER ? BOOK_RESERVE_OTHER : BOOK_RESERVE);
}

/*
 * What is sent of a process without a name has its room, whether it takes it or not, and so has the
 * process of all others, which may come.
 */
static uint64_t taken(const struct book *b)
{
	uint64_t nr = b->named + b->groups[0].series;
	bool other = false;

	for (size_t i = 1; i < b->nr_groups; i++) {
		nr += reserved(&b->groups[i], 0);
		other |= b->groups[i].id == BOOK_OTHER;
	}
	return nr + (other ? 0 : BOOK_RESERVE_OTHER);
}

static bool has_room(const struct book *b, uint64_t more)
{
	return taken(b) + more <= choice_series(b->choice);
}

/* ---- groups and items */

static struct book_group *add_group(struct book *b, uint32_t id, int32_t pid, const char *comm)
{
	char *name = strdup(comm);

	if (!name || !array_grow(&b->groups, b->nr_groups, sizeof(*b->groups))) {
		free(name);
		return NULL;
	}
	b->groups[b->nr_groups] = (struct book_group){
		.id = id, .pid = pid, .comm = name, .window = b->window,
	};
	return &b->groups[b->nr_groups++];
}

static struct book_group *find_group(struct book *b, uint32_t id)
{
	for (size_t i = 0; i < b->nr_groups; i++)
		if (!b->groups[i].own && b->groups[i].id == id)
			return &b->groups[i];
	return NULL;
}

static const struct model_process *process_of(const struct model *m, uint32_t id)
{
	for (uint32_t i = 0; id != BOOK_OTHER && i < m->nr_processes; i++)
		if (m->processes[i].id == id)
			return &m->processes[i];
	return NULL;
}

static struct book_item *add_item(struct book *b, struct book_group *group, char *label)
{
	if (!array_grow(&group->items, group->nr_items, sizeof(*group->items))) {
		free(label);
		return NULL;
	}
	group->items[group->nr_items] = (struct book_item){
		.label = label, .start = b->begin, .window = b->window,
	};
	return &group->items[group->nr_items++];
}

static struct book_item *find_item(struct book_group *group, const char *label, bool other)
{
	for (size_t i = 0; i < group->nr_items; i++) {
		struct book_item *item = &group->items[i];

		if (item->other == other && (!item->label == !label) &&
		    (!label || !strcmp(item->label, label)))
			return item;
	}
	return NULL;
}

/* Of an item that changes: first what it had, then what it has. */
static void count_series(struct book *b, struct book_group *group, const struct book_item *item,
			 int64_t more)
{
	*(is_named(item) ? &b->named : &group->series) += (uint64_t)more;
}

static void remove_item(struct book *b, struct book_group *group, size_t i)
{
	count_series(b, group, &group->items[i], -(int64_t)series_of(b, &group->items[i]));
	b->nr_labels -= is_named(&group->items[i]);
	free_item(&group->items[i]);
	group->items[i] = group->items[--group->nr_items];
}

/* The label that nothing was heard of for longest, if that is long enough. */
static bool make_room(struct book *b)
{
	struct book_group *of = NULL;
	size_t oldest = 0;

	for (size_t g = 0; g < b->nr_groups; g++)
		for (size_t i = 0; i < b->groups[g].nr_items; i++) {
			const struct book_item *item = &b->groups[g].items[i];

			if (!is_named(item) || b->window - item->window < BOOK_IDLE ||
			    (of && of->items[oldest].window <= item->window))
				continue;
			of = &b->groups[g];
			oldest = i;
		}
	if (of)
		remove_item(b, of, oldest);
	return of;
}

static bool is_crowded(const struct book *b)
{
	return b->crowded && b->window - b->crowded < BOOK_IDLE;
}

/* Its room is for others, which it does not get back soon. */
static void give_up(struct book *b, struct book_group *group, size_t i)
{
	uint64_t ran = group->items[i].ran;

	b->crowded_ran = is_crowded(b) ? at_least(b->crowded_ran, ran) : ran;
	b->crowded = b->window;
	remove_item(b, group, i);
}

/*
 * Of labels that nothing came of yet in this window, and that ran for less than @most_ns: the one that
 * was there longest ago, and of these the one that ran least.
 */
static bool make_series(struct book *b, uint64_t most_ns)
{
	const struct book_item *least = NULL;
	struct book_group *of = NULL;

	for (size_t g = 0; g < b->nr_groups; g++)
		for (size_t i = 0; i < b->groups[g].nr_items; i++) {
			const struct book_item *item = &b->groups[g].items[i];

			if (!is_named(item) || item->window == b->window || item->ran >= most_ns ||
			    (least && (least->window < item->window ||
				       (least->window == item->window && least->ran <= item->ran))))
				continue;
			of = &b->groups[g];
			least = item;
		}
	if (of)
		give_up(b, of, (size_t)(least - of->items));
	return of;
}

/* What make_series() would find, all in all. */
static uint64_t findable(const struct book *b, uint64_t most_ns)
{
	uint64_t nr = 0;

	for (size_t g = 0; g < b->nr_groups; g++)
		for (size_t i = 0; i < b->groups[g].nr_items; i++) {
			const struct book_item *item = &b->groups[g].items[i];

			if (is_named(item) && item->window != b->window && item->ran < most_ns)
				nr += series_of(b, item);
		}
	return nr;
}

/* Nobody makes room where that is not enough. */
static bool find_series(struct book *b, uint64_t more, uint64_t most_ns)
{
	if (has_room(b, more))
		return true;
	if (taken(b) + more > choice_series(b->choice) + findable(b, most_ns))
		return false;
	while (!has_room(b, more))
		if (!make_series(b, most_ns))
			return false;
	return true;
}

/* @ran_ns: time that somebody ran who wants to have one */
static struct book_group *group_of(struct book *b, const struct model *m, uint32_t id,
				   uint64_t ran_ns)
{
	const struct model_process *p = process_of(m, id);
	struct book_group *group = find_group(b, id);

	/* Beside coroprof's own; the one of all others may come later. */
	if (!group && p && b->nr_groups - !!find_group(b, BOOK_OTHER) <= BOOK_PROCESSES &&
	    find_series(b, BOOK_RESERVE, ran_ns / 2))
		return add_group(b, id, p->pid, p->comm);
	if (!group)
		group = find_group(b, BOOK_OTHER);
	return group ? group : add_group(b, BOOK_OTHER, 0, "other");
}

static struct book_point *find_point(const struct book_item *item, const struct book_point *p)
{
	for (size_t i = 0; item && i < item->nr_points; i++)
		if (item->points[i].metric == p->metric && item->points[i].which == p->which &&
		    item->points[i].standing == p->standing)
			return &item->points[i];
	return NULL;
}

static struct book_lengths *find_lengths(const struct book_item *item, unsigned int kind,
					 uint8_t standing)
{
	for (size_t i = 0; item && i < item->nr_lengths; i++)
		if (item->lengths[i].kind == kind && item->lengths[i].standing == standing)
			return &item->lengths[i];
	return NULL;
}

static uint64_t buckets_of(const struct histogram *h)
{
	uint64_t seen = 0;

	for (unsigned int i = 0; i < 64; i++)
		if (histogram_between(h, 1ull << i, i < 63 ? 2ull << i : 0))
			seen |= 1ull << i;
	return seen;
}

/* Series that an item gets by that. NULL: it has none yet. */
static uint64_t more_series(const struct book *b, const struct book_item *item,
			    const struct reading *r)
{
	uint64_t nr = 0;

	for (unsigned int i = 0; i < r->nr; i++)
		nr += !find_point(item, &r->points[i]);
	for (unsigned int i = 0; i < BOOK_KINDS; i++) {
		const struct book_lengths *l = find_lengths(item, i, r->standing[i]);
		struct book_lengths then = { 0 };

		if (!r->lengths[i] || !r->lengths[i]->nr)
			continue;
		if (l)
			then = *l;
		then.seen |= buckets_of(r->lengths[i]);
		then.seen_zero |= histogram_between(r->lengths[i], 0, 1) > 0;
		nr += series_of_lengths(b, &then) - (l ? series_of_lengths(b, l) : 0);
	}
	return nr;
}

static struct book_item *unnamed_item(struct book *b, struct book_group *group, bool other)
{
	struct book_item *item = find_item(group, other ? "other" : NULL, other);
	char *label;

	if (item)
		return item;
	label = other ? strdup("other") : NULL;
	item = label || !other ? add_item(b, group, label) : NULL;
	if (item)
		item->other = other;
	return item;
}

/* Where a process has no room for more, and nobody makes any, it is the one of all others. */
static struct book_item *other_item(struct book *b, struct book_group **group,
				    const struct reading *r)
{
	const struct book_group *own = *group;
	const bool other = r->name;
	uint64_t more = more_series(b, find_item(*group, other ? "other" : NULL, other), r);

	if (own->id != BOOK_OTHER &&
	    !find_series(b, reserved(own, more) - reserved(own, 0), UINT64_MAX)) {
		*group = find_group(b, BOOK_OTHER);
		if (!*group)
			*group = add_group(b, BOOK_OTHER, 0, "other");
	}
	return *group ? unnamed_item(b, *group, other) : NULL;
}

/* It takes from others what it has run for at least twice as long as. */
static struct book_item *new_label(struct book *b, struct book_group **group,
				   const struct reading *r, char *label)
{
	const uint64_t ran = reading_running(r);
	struct book_item *item;

	if ((is_crowded(b) && ran / 2 <= b->crowded_ran) ||
	    (b->nr_labels >= b->choice->most && !make_room(b)) ||
	    !find_series(b, more_series(b, NULL, r), ran / 2)) {
		free(label);
		return other_item(b, group, r);
	}
	item = add_item(b, *group, label);
	b->nr_labels += item != NULL;
	return item;
}

/* Where nobody is left that runs less it is one of all others itself, if no part of this window is in it. */
static struct book_item *known_label(struct book *b, struct book_group **group,
				     const struct reading *r, const char *label)
{
	struct book_item *item = find_item(*group, label, false);
	uint64_t window = item->window;
	bool found;

	/* It is none of those that make room. */
	item->window = b->window;
	found = find_series(b, more_series(b, item, r), UINT64_MAX);
	item = find_item(*group, label, false);
	item->window = window;
	if (found)
		return item;
	if (window != b->window)
		give_up(b, *group, (size_t)(item - (*group)->items));
	return other_item(b, group, r);
}

/* *@group: of the process; then that of the item. */
static struct book_item *item_of(struct book *b, struct book_group **group, const struct reading *r)
{
	struct book_item *item;
	char *label;

	if (!r->name || !choice_allows(b->choice, r->name))
		return other_item(b, group, r);
	label = choice_name(b->choice, r->name);
	if (!label)
		return NULL;
	if (!find_item(*group, label, false))
		return new_label(b, group, r, label);
	item = known_label(b, group, r, label);
	free(label);
	return item;
}

/* ---- sums */

static bool add_point(struct book_item *item, const struct book_point *more)
{
	struct book_point *p = find_point(item, more);

	if (p) {
		p->value += more->value;
		p->fresh = true;
		return true;
	}
	if (!array_grow(&item->points, item->nr_points, sizeof(*item->points)))
		return false;
	p = &item->points[item->nr_points++];
	*p = *more;
	p->fresh = true;
	return true;
}

/* Steps of less than an octave add up to octaves; where each is kept by itself, too. */
static void add_counts(struct book_lengths *to, const struct histogram *h)
{
	to->zero += histogram_between(h, 0, 1);
	for (unsigned int i = 0; i < 64; i++)
		to->counts[i] += histogram_between(h, 1ull << i, i < 63 ? 2ull << i : 0);
	to->seen |= buckets_of(h);
	to->seen_zero |= to->zero > 0;
	to->nr += h->nr;
	to->sum += h->sum;
	if (h->least < to->least)
		to->least = h->least;
	if (h->most > to->most)
		to->most = h->most;
	to->fresh = true;
}

static bool add_lengths(struct book_item *item, unsigned int kind, uint8_t standing,
			const struct histogram *h)
{
	struct book_lengths *l = find_lengths(item, kind, standing);

	if (l) {
		add_counts(l, h);
		return true;
	}
	if (!array_grow(&item->lengths, item->nr_lengths, sizeof(*item->lengths)))
		return false;
	item->lengths[item->nr_lengths] = (struct book_lengths){
		.kind = (uint8_t)kind, .standing = standing, .least = UINT64_MAX,
	};
	add_counts(&item->lengths[item->nr_lengths++], h);
	return true;
}

static bool add_reading(struct book *b, const struct model *m, const struct reading *r)
{
	const uint64_t ran = reading_running(r);
	struct book_group *group = group_of(b, m, r->process, ran);
	struct book_item *item = group ? item_of(b, &group, r) : NULL;
	bool done = item;

	if (item)
		count_series(b, group, item, -(int64_t)series_of(b, item));

	for (unsigned int i = 0; done && i < r->nr; i++)
		done = add_point(item, &r->points[i]);
	for (unsigned int i = 0; done && i < BOOK_KINDS; i++)
		if (r->lengths[i] && r->lengths[i]->nr)
			done = add_lengths(item, i, r->standing[i], r->lengths[i]);
	if (!item)
		return false;
	count_series(b, group, item, (int64_t)series_of(b, item));
	item->ran = item->window == b->window ? item->ran + ran : ran;
	item->window = b->window;
	return done;
}

/* ---- of all since the recording began to what is new */

/* INDEX_NONE: out of memory. */
static uint32_t before_of(struct book *b, const struct reading *r)
{
	uint8_t bytes[DIGEST_BYTES];
	uint64_t key = 0;
	uint32_t row;

	if (r->name) {
		digest(r->name, strlen(r->name), bytes);
		memcpy(&key, bytes, sizeof(key));
	}
	row = index_get(&b->before_index, key, r->process);
	if (row != INDEX_NONE)
		return row;
	if (!array_grow(&b->before, b->nr_before, sizeof(*b->before)) ||
	    !index_put(&b->before_index, key, r->process, (uint32_t)b->nr_before))
		return INDEX_NONE;
	b->before[b->nr_before] = (struct book_before){ 0 };
	return (uint32_t)b->nr_before++;
}

static unsigned int point_before(struct book_before *before, const struct book_point *p)
{
	for (unsigned int i = 0; i < before->nr; i++)
		if (before->points[i].metric == p->metric && before->points[i].which == p->which)
			return i;
	before->points[before->nr] = *p;
	before->points[before->nr].value = 0;
	before->now[before->nr] = 0;
	return before->nr++;
}

static bool add_now(struct book *b, struct reading *r)
{
	struct book_before *before;

	r->before = before_of(b, r);
	if (r->before == INDEX_NONE)
		return false;
	before = &b->before[r->before];
	for (unsigned int i = 0; i < r->nr; i++)
		before->now[point_before(before, &r->points[i])] += r->points[i].value;
	return true;
}

/*
 * The first of a name gets what is new of all that have it. What has become less, as an estimate can,
 * counts again when it exceeds what it was. Lengths of all since the begin would count again and
 * again: there are none without slices.
 */
static void take_new(struct book *b, struct reading *r)
{
	struct book_before *before = &b->before[r->before];

	memset(r->lengths, 0, sizeof(r->lengths));
	for (unsigned int i = 0; i < r->nr; i++) {
		unsigned int row = point_before(before, &r->points[i]);
		uint64_t now = before->now[row], *old = &before->points[row].value;

		before->now[row] = 0;
		r->points[i].value = now > *old ? now - *old : 0;
		if (now > *old)
			*old = now;
	}
}

/* ---- windows */

static bool map_counters(struct book *b, const struct model *m, unsigned int *to)
{
	for (uint32_t i = 0; i < m->nr_counters; i++) {
		for (to[i] = 0; to[i] < b->nr_counters; to[i]++)
			if (!strcmp(b->counters[to[i]], m->counters[i].name))
				break;
		if (to[i] < b->nr_counters || b->nr_counters == BOOK_COUNTERS)
			continue;
		b->counters[b->nr_counters] = strdup(m->counters[i].name);
		if (!b->counters[b->nr_counters])
			return false;
		b->nr_counters++;
	}
	return true;
}

static int by_running(const void *a, const void *b)
{
	uint64_t x = reading_running(a), y = reading_running(b);

	return (x < y) - (x > y);
}

/*
 * What runs is not yet in its slot; at the end it is. So what threads of a session of totals ran that
 * is in no slot is not known before.
 */
static bool is_settled(const struct model_label *l, const struct book_window *w)
{
	return l->kind != MODEL_LABEL_REST || w->last;
}

static size_t take_readings(struct book *b, const struct model *m, const struct book_window *w,
			    const unsigned int *counters, struct reading *to)
{
	size_t nr = 0;

	for (uint32_t i = 0; i < m->nr_labels; i++)
		if (is_settled(&m->labels[i], w))
			reading_label(&to[nr++], m, &m->labels[i], counters, w->cut);
	for (uint32_t i = 0; i < m->nr_processes; i++)
		reading_process(&to[nr++], m, i);
	for (size_t i = 0; w->so_far && i < nr; i++)
		if (!add_now(b, &to[i]))
			return SIZE_MAX;
	for (size_t i = 0; w->so_far && i < nr; i++)
		take_new(b, &to[i]);
	return nr;
}

/* They stay as long as they may come to have anything. */
static void keep_groups(struct book *b, const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_processes; i++) {
		struct book_group *group = find_group(b, m->processes[i].id);

		if (group && !m->processes[i].end_ns)
			group->window = b->window;
	}
}

static void drop_ended(struct book *b)
{
	for (size_t i = 1; i < b->nr_groups;) {
		struct book_group *group = &b->groups[i];

		if (group->id == BOOK_OTHER || group->window + 1 >= b->window) {
			i++;
			continue;
		}
		while (group->nr_items)
			remove_item(b, group, group->nr_items - 1);
		free_group(group);
		*group = b->groups[--b->nr_groups];
	}
}

bool book_take(struct book *b, const struct model *m, const struct book_window *w)
{
	struct reading *all = calloc((size_t)m->nr_labels + m->nr_processes + 1, sizeof(*all));
	unsigned int counters[MODEL_COUNTERS_MAX];
	bool done = all && map_counters(b, m, counters);
	size_t nr = done ? take_readings(b, m, w, counters, all) : 0;

	done = done && nr != SIZE_MAX;
	if (done)
		qsort(all, nr, sizeof(*all), by_running);
	for (size_t i = 0; done && i < nr; i++) {
		if (!reading_has_any(&all[i]))
			continue;
		done = add_reading(b, m, &all[i]);
		if (done)
			group_of(b, m, all[i].process, 0)->window = b->window;
	}
	keep_groups(b, m);
	free(all);
	return done;
}

/* Sums that were since a time which now is another one begin anew. */
static void begin_anew(struct book *b)
{
	for (size_t g = 0; g < b->nr_groups; g++)
		for (size_t i = 0; i < b->groups[g].nr_items; i++) {
			count_series(b, &b->groups[g], &b->groups[g].items[i],
				     -(int64_t)series_of(b, &b->groups[g].items[i]));
			b->groups[g].items[i].nr_points = 0;
			b->groups[g].items[i].nr_lengths = 0;
			free(b->groups[g].items[i].points);
			free(b->groups[g].items[i].lengths);
			b->groups[g].items[i].points = NULL;
			b->groups[g].items[i].lengths = NULL;
			b->groups[g].items[i].start = b->begin;
		}
}

void book_turn(struct book *b, const struct book_window *w)
{
	int64_t change = w->offset_ns - b->offset_ns;
	uint64_t end = b->end;

	b->stepped_ns = b->window && (change > STEP_NS || change < -STEP_NS) ? change : 0;
	b->begin = w->begin_ns + (uint64_t)w->offset_ns;
	b->end = w->end_ns + (uint64_t)w->offset_ns;
	b->offset_ns = w->offset_ns;
	/* A clock that is slewed makes no gap between them. */
	if (b->window && !b->stepped_ns && w->begin_ns == b->until_ns)
		b->begin = end;
	b->until_ns = w->end_ns;
	if (!b->window)
		b->groups[0].items[0].start = b->begin;
	b->window++;
	if (b->stepped_ns)
		begin_anew(b);
	else if (b->end <= end)
		b->end = end + 1;
	drop_ended(b);
}

bool book_own(struct book *b, enum book_metric metric, enum standing standing, uint64_t more)
{
	const struct book_point p = { .metric = metric, .standing = standing, .value = more };
	struct book_item *own = &b->groups[0].items[0];

	count_series(b, &b->groups[0], own, !find_point(own, &p));
	return add_point(own, &p);
}

void book_written(struct book *b)
{
	if (b->cumulative)
		return;
	for (size_t g = 0; g < b->nr_groups; g++)
		for (size_t i = 0; i < b->groups[g].nr_items; i++) {
			struct book_item *item = &b->groups[g].items[i];

			for (size_t n = 0; n < item->nr_points; n++) {
				item->points[n].value = 0;
				item->points[n].fresh = false;
			}
			for (size_t n = 0; n < item->nr_lengths; n++)
				item->lengths[n] = (struct book_lengths){
					.kind = item->lengths[n].kind,
					.standing = item->lengths[n].standing,
					.least = UINT64_MAX,
					.seen = item->lengths[n].seen,
					.seen_zero = item->lengths[n].seen_zero,
				};
		}
}

bool book_begin(struct book *b, const struct choice *choice, bool cumulative, const char *name,
		int32_t pid)
{
	struct book_group *own;

	*b = (struct book){ .choice = choice, .cumulative = cumulative };
	own = add_group(b, BOOK_OTHER, pid, name);
	if (!own)
		return false;
	own->own = true;
	return add_item(b, own, NULL);
}
