// SPDX-License-Identifier: GPL-2.0
/*
 * The timeline is exact while it is small: each slice is a row. When there are
 * too many, time is divided into buckets of 2^n nanoseconds, and the slices of a
 * label that begin in one bucket become one row, but for those that are as long as
 * a bucket or longer, which stay what they are. So whatever a bucket is large, a row
 * has the exact time of its one label.
 *
 * The size of buckets doubles until there are few enough rows. What has been added
 * up in buckets and then again in larger ones is the same as if it had been added
 * up in these at once, so that the rows depend on nothing but the slices.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "profile/build.h"
#include "profile/coroutines.h"
#include "profile/part.h"
#include "profile/slices.h"
#include "profile/timeline.h"

/* Those of records; what the reader marks them with has other bits. */
#define SLICE_FLAGS	(COROPROF_SLICE_UNREPORTED | (COROPROF_SLICE_UNREPORTED - 1))

#define FIRST_RESOLUTION_NS	64
#define LAST_RESOLUTION_NS	(1ULL << 62)

static uint64_t slice_end(const struct model_slice *s)
{
	return s->begin_ns + s->duration_ns;
}

static bool in_bucket(const struct model_slice *s, uint64_t resolution)
{
	return s->flags & MODEL_SLICE_MERGED || s->duration_ns < resolution;
}

static bool same_bucket(const struct model_slice *a, const struct model_slice *b,
			uint64_t resolution)
{
	return !((a->begin_ns ^ b->begin_ns) & ~(resolution - 1));
}

static void merge_row(struct model_slice *a, const struct model_slice *b)
{
	/* What several have no one of them may be given. */
	if (b->coroutine != a->coroutine)
		a->coroutine = MODEL_NONE;
	if (b->longest_ns > a->longest_ns)
		a->longest_ns = b->longest_ns;
	a->duration_ns += b->duration_ns;
	a->preempted_ns += b->preempted_ns;
	a->blocked_ns += b->blocked_ns;
	a->idle_ns += b->idle_ns;
	a->nr_slices += b->nr_slices;
	a->flags |= b->flags | MODEL_SLICE_MERGED;
	a->valid &= b->valid;
	for (unsigned int i = 0; i < MODEL_SLICE_COUNTERS; i++)
		a->count[i] += b->count[i];
}

/* Sets the room for rows, no less than are in use. Giving memory back costs a system call. */
static void set_capacity(struct build *b, struct profile_channel *c, uint32_t capacity)
{
	struct model_slice *slices = reallocarray(c->slices, capacity, sizeof(*slices));

	if (slices) {
		c->slices = slices;
		c->capacity = capacity;
	} else if (capacity > c->capacity) {
		b->out_of_memory = true;
	}
}

/* Returns a new row behind all others, or NULL without memory. */
static struct model_slice *add_row(struct build *b, struct profile_channel *c)
{
	if (c->nr_slices == c->capacity)
		set_capacity(b, c, c->capacity ? 2 * c->capacity : 1);
	return c->nr_slices < c->capacity ? &c->slices[c->nr_slices++] : NULL;
}

/*
 * Merges the rows of each bucket and label from @from on into the first of them. Rows before @from
 * have been merged, and no bucket reaches across @from. @last: scratch memory, a row for each
 * label.
 */
static void merge_buckets_of_channel(struct build *b, struct profile *p, struct profile_channel *c,
				     uint32_t from, uint32_t *last)
{
	uint64_t resolution = p->resolution;
	const struct model_slice *bucket = NULL;
	uint32_t kept = from, first = from;

	for (uint32_t i = from; i < c->nr_slices; i++) {
		struct model_slice *row = &c->slices[i];
		/* Lost ones have none. */
		uint32_t *known = &last[row->label == MODEL_NONE ?
					p->nr_labels : row->label];

		if (in_bucket(row, resolution)) {
			if (!bucket || !same_bucket(bucket, row, resolution))
				first = kept;
			if (*known >= first && *known < kept &&
			    c->slices[*known].label == row->label &&
			    in_bucket(&c->slices[*known], resolution)) {
				merge_row(&c->slices[*known], row);
				continue;
			}
			bucket = &c->slices[kept];
			*known = kept;
		}
		if (kept++ < i)
			c->slices[kept - 1] = *row;
	}
	p->nr_slices -= c->nr_slices - kept;
	/* With many labels a fold frees few rows, and the next one is near. */
	if (kept < c->nr_slices && kept < c->capacity / 2)
		set_capacity(b, c, kept);
	c->nr_slices = kept;
	c->folded = first;
	memset(c->recent, 0xff, sizeof(c->recent));
}

/* Merges the rows of each bucket in buckets of p->resolution ns. */
static void merge_buckets(struct build *b, struct profile *p)
{
	uint32_t *last = calloc((size_t)p->nr_labels + 1, sizeof(*last));
	bool again = p->folded_to == p->resolution;

	if (!last)
		b->out_of_memory = true;
	for (uint32_t i = 0; last && i < b->model->nr_channels; i++) {
		struct profile_channel *c = &p->channels[i];

		merge_buckets_of_channel(b, p, c, again ? c->folded : 0, last);
	}
	p->folded_to = p->resolution;
	free(last);
}

/* Counts rows by the number of bits in their duration in ns; called while each slice has a row. */
static void count_duration_bits(const struct build *b, uint64_t *nr)
{
	const struct profile *p = b->profile;

	for (uint32_t i = 0; i < b->model->nr_channels; i++) {
		const struct profile_channel *c = &p->channels[i];

		for (uint32_t n = 0; n < c->nr_slices; n++)
			nr[bits_of(c->slices[n].duration_ns)]++;
	}
}

/*
 * The first size of buckets (ns) to try: with smaller ones, the slices that are as long as a bucket
 * are too many rows already.
 */
static uint64_t first_resolution(const struct build *b)
{
	uint64_t resolution = FIRST_RESOLUTION_NS, nr[65] = { 0 }, longer = 0;
	unsigned int bits = 64;

	count_duration_bits(b, nr);
	while (bits && longer + nr[bits] <= b->options.timeline_slices)
		longer += nr[bits--];
	while (resolution < LAST_RESOLUTION_NS && bits_of(resolution - 1) < bits)
		resolution *= 2;
	return resolution;
}

static uint32_t resolution_bits(uint64_t resolution)
{
	return resolution ? bits_of(resolution) - 1 : 0;
}

/*
 * At most this many rows of shard @p become part of rows of the shard before it: those in the first
 * bucket, which both may have.
 */
static uint64_t shared_rows(const struct build *b, const struct profile *p)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; p->resolution && i < b->model->nr_channels; i++) {
		const struct profile_channel *c = &p->channels[i];

		for (uint32_t n = 0; n < c->nr_slices &&
		     same_bucket(&c->slices[0], &c->slices[n], p->resolution); n++)
			nr += in_bucket(&c->slices[n], p->resolution);
	}
	return nr;
}

/* At least this many rows are added by this shard, whatever follows in it. */
static uint64_t own_rows(const struct build *b)
{
	const struct profile *p = b->profile;

	return p->nr_slices - (p->begins ? 0 : shared_rows(b, p));
}

/*
 * Buckets of this shard are no shorter than those of another: a size that was too small for one is
 * so for all.
 */
static uint64_t not_below_others(const struct row_counts *counts, uint64_t resolution)
{
	for (uint32_t i = 0; i < counts->nr; i++) {
		uint64_t published = __atomic_load_n(&counts->published[i], __ATOMIC_RELAXED);
		uint64_t others = UINT64_C(1) << published % (1u << ROW_COUNTS_BITS);

		/* Cells of 1 ns stand for none. */
		if (others > 1 && others > resolution)
			resolution = others;
	}
	return resolution;
}

/*
 * How many rows other shards have: with buckets as long as this shard's, or longer, they have as
 * many in buckets of this size.
 */
static uint64_t rows_of_others(const struct build *b)
{
	const struct row_counts *counts = b->row_counts;
	uint64_t rows = 0;

	for (uint32_t i = 0; i < counts->nr; i++) {
		uint64_t published = __atomic_load_n(&counts->published[i], __ATOMIC_RELAXED);

		if (i != b->shard &&
		    published % (1u << ROW_COUNTS_BITS) >= resolution_bits(b->profile->resolution))
			rows += published >> ROW_COUNTS_BITS;
	}
	return rows;
}

/* The timeline will have too many rows in buckets of this size. */
static bool are_rows_too_many(const struct build *b)
{
	if (b->row_counts)
		return own_rows(b) + rows_of_others(b) > b->options.timeline_slices;
	return b->profile->nr_slices > b->options.timeline_slices;
}

/*
 * Makes buckets @resolution ns long, or longer by as many powers of two as needed to have few
 * enough rows.
 */
void timeline_settle(struct build *b, uint64_t resolution)
{
	uint64_t most = b->options.timeline_slices;
	struct profile *p = b->profile;

	p->resolution = resolution;
	if (b->row_counts)
		p->resolution = not_below_others(b->row_counts, resolution);
	if (p->resolution)
		merge_buckets(b, p);
	while (are_rows_too_many(b) &&
	       p->resolution < LAST_RESOLUTION_NS && !b->out_of_memory) {
		p->resolution = p->resolution ? 2 * p->resolution :
						first_resolution(b);
		merge_buckets(b, p);
	}
	/* Not for every row beyond what may be, as settling goes through all of them. */
	p->settle_at = most + most / 4;
	if (!b->row_counts)
		return;
	/* The more shards there are, the sooner, as each one's share is smaller. */
	p->settle_at = p->nr_slices + most / (8 * b->row_counts->nr);
	__atomic_store_n(&b->row_counts->published[b->shard],
			 own_rows(b) << ROW_COUNTS_BITS | resolution_bits(p->resolution),
			 __ATOMIC_RELAXED);
}

/* A damaged ring may go back in time; a row never begins before the end of the last one, @from. */
static void clip_to_end_of_last(struct model_slice *row, uint64_t from)
{
	uint64_t end = slice_end(row);

	if (row->begin_ns >= from)
		return;
	row->begin_ns = from;
	row->duration_ns = end > from ? end - from : 0;
}

static bool add_to_recent(const struct profile *p, struct profile_channel *c,
			  const struct model_slice *row, uint32_t *recent)
{
	struct model_slice *known = &c->slices[*recent];

	if (*recent >= c->nr_slices || known->label != row->label ||
	    !in_bucket(known, p->resolution) ||
	    !same_bucket(known, row, p->resolution))
		return false;
	merge_row(known, row);
	return true;
}

void timeline_add(struct build *b, const struct model_slice *given)
{
	struct profile *p = b->profile;
	struct profile_channel *c = &p->channels[given->channel];
	uint32_t *recent = &c->recent[given->label % PROFILE_RECENT];
	struct model_slice row = *given, *to;
	bool bucket;

	clip_to_end_of_last(&row, c->drawn_ns);
	c->drawn_ns = slice_end(&row);
	bucket = row.duration_ns < p->resolution;
	if (bucket && add_to_recent(p, c, &row, recent))
		return;
	to = add_row(b, c);
	if (!to)
		return;
	if (bucket)
		*recent = (uint32_t)(to - c->slices);
	*to = row;
	p->nr_slices++;
	if (p->nr_slices > p->settle_at)
		timeline_settle(b, p->resolution);
}

static void set_counts(const struct build *b, struct model_slice *to,
		       const struct record *s)
{
	const struct model_channel *c = &b->model->channels[to->channel];

	for (uint32_t i = 0; i < c->nr_counters; i++) {
		uint8_t counter = c->counters[i];

		if (counter >= MODEL_SLICE_COUNTERS)
			continue;
		to->count[counter] = s->count[i];
		if (COROPROF_STANDING(s->standing, i) ==
		    COROPROF_STANDING_COUNTED)
			to->valid |= 1u << counter;
	}
}

static void add_offcpu(struct model_slice *row, const struct record *s)
{
	row->preempted_ns += s->offcpu.preempted_ns;
	if (s->id & COROPROF_ID_THREAD)
		row->idle_ns += s->offcpu.blocked_ns;
	else
		row->blocked_ns += s->offcpu.blocked_ns;
}

void timeline_row(const struct build *b, struct model_slice *row,
		  uint32_t channel, uint32_t coroutine, uint32_t label,
		  const struct record *s)
{
	*row = (struct model_slice){
		.begin_ns = s->time - s->duration,
		.duration_ns = s->duration,
		.longest_ns = s->running_ns,
		.channel = channel,
		.coroutine = coroutine,
		.label = label,
		.nr_slices = 1,
		.flags = s->flags & SLICE_FLAGS,
	};
	if (is_cut(b, s))
		row->flags |= MODEL_SLICE_PARTED;
	if (s->flags & COROPROF_SLICE_OFFCPU)
		add_offcpu(row, s);
	if (s->flags & COROPROF_SLICE_WOKEN) {
		row->wake_ns = s->woken.wake_time;
		row->waker = s->woken.waker;
	}
	set_counts(b, row, s);
}

/*
 * Adds a slice to the row that its channel has for its label and bucket, with the result that
 * timeline_add() would have, but without a row of its own. False if there is no such row, or its
 * counters are not all COUNTED.
 */
static inline bool add_slice_to_recent_row(const struct build *b, uint32_t channel, uint32_t entry,
					   uint32_t label, const struct record *s)
{
	const struct profile *p = b->profile;
	struct profile_channel *c = &p->channels[channel];
	uint32_t recent = c->recent[label % PROFILE_RECENT], nr = c->nr_counters;
	uint64_t begin = s->time - s->duration;
	struct model_slice *row;

	if (recent >= c->nr_slices)
		return false;
	row = &c->slices[recent];
	if (row->label != label || s->duration >= p->resolution || begin < c->drawn_ns ||
	    (begin ^ row->begin_ns) & ~(p->resolution - 1) ||
	    !slice_is_counted(c, s) || s->flags & RECORD_CUT)
		return false;
	c->drawn_ns = s->time;
	/* Of one that passes, there is none in any row. */
	if (row->coroutine != entry)
		row->coroutine = MODEL_NONE;
	if (s->running_ns > row->longest_ns)
		row->longest_ns = s->running_ns;
	row->duration_ns += s->duration;
	if (s->flags & COROPROF_SLICE_OFFCPU)
		add_offcpu(row, s);
	row->nr_slices++;
	row->flags |= (s->flags & SLICE_FLAGS) | MODEL_SLICE_MERGED;
	row->valid &= ~c->absent;
	for (uint32_t i = 0; i < nr && i < MODEL_SLICE_COUNTERS; i++)
		row->count[i] += s->count[i];
	return true;
}

void timeline_slice(struct build *b, uint32_t channel, uint32_t entry, uint32_t label,
		    const struct record *s)
{
	struct model_slice row;

	if (add_slice_to_recent_row(b, channel, entry, label, s))
		return;
	timeline_row(b, &row, channel, coroutine_row_at(b, entry), label, s);
	timeline_add(b, &row);
}

void timeline_piece(struct build *b, uint32_t channel, uint32_t entry, uint32_t label,
		    const struct record *s)
{
	struct model_slice row;

	timeline_row(b, &row, channel, coroutine_row_at(b, entry), label, s);
	timeline_goes_on(&row);
	timeline_add(b, &row);
}

void timeline_goes_on(struct model_slice *row)
{
	row->nr_slices--;
	row->flags |= MODEL_SLICE_GOES_ON;
}

void timeline_lost(struct build *b, uint32_t channel, uint64_t begin,
		   uint64_t end)
{
	const struct model_slice row = {
		.begin_ns = begin,
		.duration_ns = end - begin,
		.channel = channel,
		.coroutine = MODEL_NONE,
		.label = MODEL_NONE,
		.flags = MODEL_SLICE_LOST,
	};

	if (begin < end)
		timeline_add(b, &row);
}

/*
 * Makes buckets @resolution ns long, no shorter than they are; merges rows that are not merged yet.
 */
static void coarsen_to(struct build *b, struct profile *p, uint64_t resolution)
{
	p->resolution = resolution;
	if (resolution)
		merge_buckets(b, p);
}

/*
 * Gives two shards, before they are merged, buckets of one size in which they have few enough rows
 * together.
 */
void timeline_align(struct build *b, struct profile *next)
{
	struct profile *p = b->profile;
	uint64_t most = b->options.timeline_slices;
	uint64_t resolution = p->resolution > next->resolution ? p->resolution :
								 next->resolution;

	coarsen_to(b, p, resolution);
	coarsen_to(b, next, resolution);
	while (resolution &&
	       p->nr_slices + next->nr_slices - shared_rows(b, next) > most &&
	       resolution < LAST_RESOLUTION_NS && !b->out_of_memory) {
		resolution *= 2;
		coarsen_to(b, p, resolution);
		coarsen_to(b, next, resolution);
	}
}

void timeline_merge(struct build *b, uint32_t channel, struct profile *from,
		    const struct rows *rows)
{
	struct profile *p = b->profile;
	struct profile_channel *to = &p->channels[channel];
	struct profile_channel *c = &from->channels[channel];

	for (uint32_t i = 0; i < c->nr_slices; i++) {
		struct model_slice *row = add_row(b, to);

		if (!row)
			return;
		*row = c->slices[i];
		row->label = row_to(rows->labels, row->label);
		row->coroutine = row_to(rows->entries, row->coroutine);
		p->nr_slices++;
	}
	free(c->slices);
	c->slices = NULL;
	c->nr_slices = c->capacity = 0;
}

/*
 * The row of the waker's coroutine. A row of several slices has none: the waker woke one of them.
 */
static uint32_t waker_row(const struct build *b, const struct model_slice *row)
{
	uint32_t process = b->model->channels[row->channel].process;

	if (row->flags & MODEL_SLICE_MERGED || !row->waker)
		return MODEL_NONE;
	return coroutine_in_table(b, coroutine_row(b, coroutine_find(b->profile, process,
								     row->waker)));
}

/*
 * Places the rows of a bucket one behind the other, each in one piece. They fit, as together they
 * are no longer than the time that they stand for.
 */
static void set_drawn_times(const struct build *b, struct model_slice *rows, uint32_t nr)
{
	uint64_t resolution = b->profile->resolution, at = 0;
	struct model_slice before = { .duration_ns = UINT64_MAX };

	for (uint32_t i = 0; i < nr; i++) {
		struct model_slice *row = &rows[i];

		if (in_bucket(&before, resolution) && in_bucket(row, resolution) &&
		    same_bucket(&before, row, resolution))
			row->flags |= MODEL_SLICE_BESIDE;
		before = *row;
		if (row->begin_ns < at)
			row->begin_ns = at;
		at = slice_end(row);
		row->coroutine = coroutine_in_table(b, row->coroutine);
		row->waker_coroutine = waker_row(b, row);
	}
}

void timeline_finish(struct build *b)
{
	struct profile *p = b->profile;
	struct model *m = b->model;
	uint32_t at = 0;

	timeline_settle(b, p->resolution);
	m->timeline_resolution_ns = p->resolution;
	m->timeline = calloc(p->nr_slices + 1, sizeof(*m->timeline));
	m->timeline_first = calloc((size_t)m->nr_channels + 1,
				   sizeof(*m->timeline_first));
	if (!m->timeline || !m->timeline_first) {
		b->out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		struct profile_channel *c = &p->channels[i];

		m->timeline_first[i] = at;
		if (c->nr_slices)
			memcpy(&m->timeline[at], c->slices,
			       c->nr_slices * sizeof(*m->timeline));
		free(c->slices);
		c->slices = NULL;
		set_drawn_times(b, &m->timeline[at], c->nr_slices);
		at += c->nr_slices;
		c->nr_slices = c->capacity = 0;
	}
	m->timeline_first[m->nr_channels] = at;
	m->nr_timeline = at;
}
