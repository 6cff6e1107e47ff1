// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps the profiles of ticks from one window of a live recording to the next, and merges them into
 * the profile of a window.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "profile/build.h"
#include "profile/labels.h"
#include "profile/names.h"
#include "profile/part.h"
#include "profile/profile.h"
#include "profile/rings.h"
#include "profile/shards.h"
#include "profile/status.h"
#include "profile/streams.h"
#include "profile/sums.h"
#include "profile/ticks.h"

/* With less there is nothing to keep: the first and the last are at edges. */
#define TICKS_LEAST	2u

/* What could not be used once is not tried again at each of so many windows. */
#define REST_LOADS	8u

/**
 * struct tick_channel - what has to be the same in each window
 * @id:          of a channel
 * @process:     row
 * @nr_counters: of it
 * @counters:    of the model
 */
struct tick_channel {
	uint32_t id;
	uint32_t process;
	uint32_t nr_counters;
	uint8_t counters[COROPROF_COUNTERS_MAX];
};

/**
 * struct tick_shard - what is kept
 * @from:    it has the records from this time on
 * @to:      up to that
 * @profile: of them
 * @numbers: of each of its labels and, behind them, its spans: a number of a label of its process
 *           that has its name
 * @nr_processes: of the build that it was made of
 * @channels: likewise
 * @nr_channels: how many
 * @rows:    what these have in this window
 * @bytes:   of all that
 */
struct tick_shard {
	uint64_t from;
	uint64_t to;
	struct profile *profile;
	uint32_t *numbers;
	uint32_t nr_processes;
	struct tick_channel *channels;
	uint32_t nr_channels;
	uint32_t *rows;
	size_t bytes;
};

/**
 * struct ticks - see ticks.h
 * @most:      bytes
 * @worth:     see ticks_new()
 * @first:     number of the first tick of the next window
 * @cuts:      of that
 * @nr_cuts:   how many ticks it has; 0: it is not known
 * @shards:    in no order
 * @nr_shards: how many
 * @bytes:     of them
 * @processes: process_id of each row
 * @nr_processes: how many
 * @nr_counters: of the model
 * @full:      there is no room for all of a window
 * @rest:      so many windows are not tried
 * @taken, @made: see ticks_taken()
 */
struct ticks {
	size_t most;
	size_t worth;
	uint64_t first;
	struct tick_cut *cuts;
	uint32_t nr_cuts;
	struct tick_shard *shards;
	uint32_t nr_shards;
	size_t bytes;
	uint32_t *processes;
	uint32_t nr_processes;
	uint32_t nr_counters;
	bool full;
	uint32_t rest;
	uint64_t taken;
	uint64_t made;
};

struct ticks *ticks_new(size_t most, size_t worth)
{
	struct ticks *t = calloc(1, sizeof(*t));

	if (t)
		*t = (struct ticks){ .most = most, .worth = worth };
	return t;
}

void ticks_set(struct ticks *t, uint64_t first, const struct tick_cut *cuts, uint32_t nr)
{
	struct tick_cut *copy = cuts ? malloc(((size_t)nr + 1) * sizeof(*copy)) : NULL;

	if (copy)
		memcpy(copy, cuts, ((size_t)nr + 1) * sizeof(*copy));
	free(t->cuts);
	t->cuts = copy;
	t->nr_cuts = copy ? nr : 0;
	t->first = first;
}

size_t ticks_bytes(const struct ticks *t)
{
	return t->bytes;
}

uint64_t ticks_taken(const struct ticks *t)
{
	return t->taken;
}

uint64_t ticks_made(const struct ticks *t)
{
	return t->made;
}

/* ---- what is kept */

/*
 * Frees a shard without the build that made it: to free a profile, only its number of channels is
 * needed.
 */
static void free_shard(struct tick_shard *s)
{
	struct model model = { .nr_channels = s->nr_channels };
	const struct build b = { .model = &model };

	profile_free(&b, s->profile);
	free(s->numbers);
	free(s->channels);
	free(s->rows);
}

static void drop_shard(struct ticks *t, uint32_t i)
{
	t->bytes -= t->shards[i].bytes;
	free_shard(&t->shards[i]);
	t->shards[i] = t->shards[--t->nr_shards];
}

static void drop_all_shards(struct ticks *t)
{
	while (t->nr_shards)
		drop_shard(t, t->nr_shards - 1);
}

/* Windows only move forward: a shard outside this one is in no later one. */
static void drop_shards_outside_window(struct ticks *t)
{
	for (uint32_t i = t->nr_shards; i--;)
		if (t->shards[i].from < t->cuts[0].settled ||
		    t->shards[i].to > t->cuts[t->nr_cuts].begin)
			drop_shard(t, i);
}

void ticks_free(struct ticks *t)
{
	if (!t)
		return;
	drop_all_shards(t);
	free(t->shards);
	free(t->cuts);
	free(t->processes);
	free(t);
}

static struct tick_shard *find_shard(struct ticks *t, uint64_t from, uint64_t to)
{
	for (uint32_t i = 0; i < t->nr_shards; i++)
		if (t->shards[i].from == from && t->shards[i].to == to)
			return &t->shards[i];
	return NULL;
}

/*
 * True while a loss of unknown end affects the profile. How it is settled depends on the window's
 * end, so such a profile can't be kept.
 */
static bool has_open_losses(const struct build *b, const struct profile *p)
{
	for (uint32_t i = 0; i < b->model->nr_processes; i++)
		if (p->processes[i].lost_until == UINT64_MAX ||
		    p->processes[i].spans_lost_until == UINT64_MAX)
			return true;
	return false;
}

static uint32_t *label_and_span_numbers(const struct build *b, const struct profile *p)
{
	uint32_t *numbers = malloc(((size_t)p->nr_labels + p->nr_spans + 1) * sizeof(*numbers));

	for (uint32_t i = 0; numbers && i < p->nr_labels; i++)
		numbers[i] = label_number(b, p->label_keys[i].key);
	for (uint32_t i = 0; numbers && i < p->nr_spans; i++)
		numbers[p->nr_labels + i] = name_number(b, p->spans[i].key);
	return numbers;
}

static struct tick_channel describe_channel(const struct build *b, uint32_t row)
{
	const struct model_channel *c = &b->model->channels[row];
	struct tick_channel channel = { c->id, c->process, c->nr_counters, { 0 } };

	for (uint32_t i = 0; i < c->nr_counters && i < COROPROF_COUNTERS_MAX; i++)
		channel.counters[i] = c->counters[i];
	return channel;
}

static bool set_channels(struct tick_shard *s, const struct build *b)
{
	uint32_t nr = b->model->nr_channels;

	s->nr_channels = nr;
	s->channels = calloc((size_t)nr + 1, sizeof(*s->channels));
	s->rows = calloc((size_t)nr + 1, sizeof(*s->rows));
	if (!s->channels || !s->rows)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		s->channels[i] = describe_channel(b, i);
		s->rows[i] = i;
	}
	return true;
}

static size_t shard_bytes(const struct build *b, const struct tick_shard *s)
{
	return profile_bytes(b, s->profile) +
	       ((size_t)s->profile->nr_labels + s->profile->nr_spans) * sizeof(*s->numbers) +
	       s->nr_channels * (sizeof(*s->channels) + sizeof(*s->rows));
}

/* Keeps @p, and owns it then. Returns NULL if it can't be kept: it stays the caller's. */
static struct tick_shard *keep_shard(struct ticks *t, const struct build *b, uint64_t from,
				     uint64_t to, struct profile *p)
{
	struct tick_shard s = {
		.from = from, .to = to, .profile = p, .nr_processes = b->model->nr_processes,
	};

	if (p->unordered || has_open_losses(b, p) || t->full || !profile_trim(p))
		return NULL;
	s.numbers = label_and_span_numbers(b, p);
	if (s.numbers && set_channels(&s, b)) {
		s.bytes = shard_bytes(b, &s);
		t->full = t->bytes + s.bytes > t->most;
		if (!t->full && array_grow(&t->shards, t->nr_shards, sizeof(s))) {
			t->bytes += s.bytes;
			t->shards[t->nr_shards] = s;
			return &t->shards[t->nr_shards++];
		}
	}
	free(s.numbers);
	free(s.channels);
	free(s.rows);
	return NULL;
}

/*
 * Sets the keys of labels and spans to those that this build has for their numbers. False if a
 * number has got a name, or lost it, since the profile was made: then the profile is of no use.
 */
static bool rename_keys(const struct build *b, const struct tick_shard *s, struct profile *p)
{
	bool same = true;

	for (uint32_t i = 0; i < p->nr_labels; i++)
		same &= label_rekey(b, &p->label_keys[i], s->numbers[i]);
	for (uint32_t i = 0; i < p->nr_spans; i++)
		same &= name_rekey(b, p->spans[i].process, s->numbers[p->nr_labels + i],
				   &p->spans[i].key);
	return same;
}

/* ---- rows */

static bool same_channel(const struct tick_channel *a, const struct tick_channel *b)
{
	return a->id == b->id && a->process == b->process && a->nr_counters == b->nr_counters &&
	       !memcmp(a->counters, b->counters, sizeof(a->counters));
}

/*
 * Finds the rows that the shard's channels have in this window. False if it can't be used: a
 * channel that is gone has slices in it, one differs, or rows moved and there are more than 64 to
 * move.
 */
static bool find_channel_rows(const struct build *b, struct tick_shard *s)
{
	bool moved = false;

	for (uint32_t i = 0; i < s->nr_channels; i++) {
		uint32_t row = channel_find(b, s->channels[i].id);
		struct tick_channel channel;

		s->rows[i] = row;
		moved |= row != i;
		if (row == MODEL_NONE) {
			if (s->profile->channels[i].times.slices)
				return false;
			continue;
		}
		channel = describe_channel(b, row);
		if (!same_channel(&s->channels[i], &channel))
			return false;
	}
	return !moved || (s->nr_channels <= 64 && b->model->nr_channels <= 64);
}

/*
 * True if the processes of the window before have the same rows in this one; new ones may follow.
 */
static bool has_same_processes(const struct ticks *t, const struct build *b)
{
	const struct model *m = b->model;

	if (t->nr_counters != m->nr_counters || t->nr_processes > m->nr_processes)
		return false;
	for (uint32_t i = 0; i < t->nr_processes; i++)
		if (t->processes[i] != m->processes[i].id)
			return false;
	return true;
}

/* Drops the shards that don't fit the rows of this window. */
static bool update_rows(struct ticks *t, const struct build *b)
{
	const struct model *m = b->model;

	if (!has_same_processes(t, b)) {
		drop_all_shards(t);
		t->nr_processes = 0;
	}
	for (uint32_t i = t->nr_processes; i < m->nr_processes; i++) {
		if (!array_grow(&t->processes, i, sizeof(*t->processes)))
			return false;
		t->processes[t->nr_processes++] = m->processes[i].id;
	}
	for (uint32_t i = t->nr_shards; i--;)
		if (!find_channel_rows(b, &t->shards[i]))
			drop_shard(t, i);
	t->nr_counters = m->nr_counters;
	return true;
}

/* ---- a window */

/*
 * True if kept ticks may be used for this window: cuts are in order, and nothing that is known of
 * the window's begin lies behind the first cut.
 */
static bool can_use_ticks(const struct build *b, const struct ticks *t)
{
	const struct model *m = b->model;

	if (t->nr_cuts < TICKS_LEAST || b->ring_bytes < t->worth || is_part(b) || b->split ||
	    b->file->nr_corrupt_ranges || !b->options.no_timeline || b->options.selected)
		return false;
	for (uint32_t i = 0; i < t->nr_cuts; i++)
		if (t->cuts[i].settled < t->cuts[i].begin ||
		    t->cuts[i].settled >= t->cuts[i + 1].begin)
			return false;
	for (uint32_t i = 0; i < m->nr_processes; i++)
		if (b->processes[i].unseen)
			return false;
	for (uint32_t i = 0; i < m->nr_channels; i++)
		if (b->channels[i].has_base && m->channels[i].begin_ns > t->cuts[0].settled)
			return false;
	return true;
}

/* Adds up the records between two times into a new profile. */
static struct profile *make_profile(struct build *b, uint64_t from, uint64_t to)
{
	struct profile *window = b->profile, *p = profile_new(b, false);

	b->profile = p;
	if (p)
		merge_rings(b, from, to);
	b->profile = window;
	return p;
}

/* Adds the records between two times to the window alone: they are in no other window. */
static void merge_unkept(struct build *b, uint64_t from, uint64_t to)
{
	struct profile *p = make_profile(b, from, to);

	if (p)
		profile_merge(b, p);
}

/* Merges a copy of a kept profile into the window. False if it can't be used. */
static bool merge_kept(struct build *b, const struct tick_shard *s)
{
	struct profile *p = profile_copy(b, s->profile, s->nr_processes, s->rows,
					 s->nr_channels);

	if (!p)
		return false;
	if (rename_keys(b, s, p)) {
		profile_merge(b, p);
		return true;
	}
	profile_free(b, p);
	return false;
}

/*
 * The tick that was the last of the window before, @open, with the records up to @to that came
 * since.
 */
static struct profile *complete_open_tick(struct build *b, struct ticks *t,
					  const struct tick_shard *open, uint64_t to)
{
	struct profile *window = b->profile, *p = profile_new(b, false);

	b->profile = p;
	if (p && merge_kept(b, open)) {
		merge_unkept(b, open->to, to);
	} else {
		profile_free(b, p);
		p = NULL;
	}
	b->profile = window;
	drop_shard(t, (uint32_t)(open - t->shards));
	return p;
}

/* The profile of tick @i, made from the open one of the window before if there is one. */
static struct profile *make_tick(struct build *b, struct ticks *t, uint32_t i)
{
	const struct tick_cut *cuts = t->cuts;
	const struct tick_shard *open = find_shard(t, cuts[i].settled, cuts[i + 1].begin);

	t->made += !open;
	return open ? complete_open_tick(b, t, open, cuts[i + 1].settled) :
		      make_profile(b, cuts[i].settled, cuts[i + 1].settled);
}

/* Merges a new profile into the window, and keeps it if it can be kept. Owns @p. */
static bool merge_and_keep(struct build *b, struct ticks *t, uint64_t from, uint64_t to,
			   struct profile *p)
{
	const struct tick_shard *s;

	if (!p || b->out_of_memory) {
		profile_free(b, p);
		return false;
	}
	s = keep_shard(t, b, from, to, p);
	if (s)
		return merge_kept(b, s);
	profile_merge(b, p);
	return true;
}

static bool merge_ticks(struct build *b, struct ticks *t, uint32_t i, uint32_t nr);

/*
 * The profile of @nr ticks from @i on, merged from two halves. The halves are kept as well, so that
 * other windows merge them once only.
 */
static struct profile *make_profile_of_ticks(struct build *b, struct ticks *t, uint32_t i,
					     uint32_t nr)
{
	struct profile *window = b->profile, *p;

	if (nr == 1)
		return make_tick(b, t, i);
	p = profile_new(b, false);
	b->profile = p;
	if (p && (!merge_ticks(b, t, i, nr / 2) || !merge_ticks(b, t, i + nr / 2, nr / 2))) {
		profile_free(b, p);
		p = NULL;
	}
	b->profile = window;
	return p;
}

static bool merge_ticks(struct build *b, struct ticks *t, uint32_t i, uint32_t nr)
{
	uint64_t from = t->cuts[i].settled, to = t->cuts[i + nr].settled;
	const struct tick_shard *s = find_shard(t, from, to);

	t->taken += s != NULL;
	return s ? merge_kept(b, s) :
		   merge_and_keep(b, t, from, to, make_profile_of_ticks(b, t, i, nr));
}

/*
 * How many ticks from @i on are merged as one shard: a power of two, at a multiple of itself, so
 * that the next windows have the same shard.
 */
static uint32_t ticks_in_shard(const struct ticks *t, uint32_t i)
{
	uint32_t last = t->nr_cuts - 1, nr = 1;

	while (4 * nr <= t->nr_cuts && (t->first + i) % (2 * nr) == 0 && i + 2 * nr <= last)
		nr *= 2;
	return nr;
}

/* The tick that came last is kept open: the next window completes it. */
static bool merge_last_tick(struct build *b, struct ticks *t, uint64_t from, uint64_t to)
{
	const struct tick_shard *s = find_shard(t, from, to);

	t->taken += s != NULL;
	t->made += !s;
	if (s ? !merge_kept(b, s) : !merge_and_keep(b, t, from, to, make_profile(b, from, to)))
		return false;
	merge_unkept(b, to, UINT64_MAX);
	return true;
}

static bool merge_all_ticks(struct build *b, struct ticks *t)
{
	const struct tick_cut *cuts = t->cuts;
	uint32_t last = t->nr_cuts - 1;
	bool usable = true;

	merge_rings(b, 0, cuts[0].settled);
	for (uint32_t i = 0, nr; usable && i < last; i += nr) {
		nr = ticks_in_shard(t, i);
		usable = merge_ticks(b, t, i, nr);
	}
	return usable && merge_last_tick(b, t, cuts[last].settled, cuts[last + 1].begin) &&
	       !b->out_of_memory;
}

/* False if slices or spans were lost: what that means for one tick depends on records of others. */
static bool has_no_losses(const struct build *b)
{
	for (uint32_t i = 0; i < b->model->nr_channels; i++)
		if (b->profile->channels[i].lost || b->profile->channels[i].lost_spans)
			return false;
	return true;
}

static uint64_t off_cpu_ns(const struct model_times *t)
{
	return t->blocked_ns + t->idle_ns;
}

/*
 * Compares the time of each ended channel with the thread's totals: so a record that one tick
 * misses and another has twice is found.
 */
static bool matches_totals(const struct build *b)
{
	for (uint32_t i = 0; i < b->model->nr_channels; i++) {
		const struct coroprof_channel_status *s = &b->channels[i].status;
		const struct model_times *t = &b->profile->channels[i].times;

		if (channel_is_ended(b, i) &&
		    (t->running_ns != s->running_ns || t->preempted_ns != s->preempted_ns ||
		     off_cpu_ns(t) != s->blocked_ns))
			return false;
	}
	return true;
}

static bool is_window_correct(const struct build *b)
{
	return !b->profile->unordered && has_no_losses(b) && shards_complete(b) &&
	       matches_totals(b);
}

/* Drops all kept ticks, and does without them for the next @loads windows. */
static bool give_up_ticks(struct ticks *t, uint32_t loads)
{
	drop_all_shards(t);
	t->rest = loads;
	return false;
}

bool ticks_add(struct build *b)
{
	struct ticks *t = b->options.ticks;
	struct build window = *b;

	if (t->rest)
		return give_up_ticks(t, t->rest - 1);
	if (!can_use_ticks(b, t) || !update_rows(t, b))
		return give_up_ticks(t, 0);
	t->full = false;
	window.of_shard = window.in_ticks = true;
	window.profile = profile_new(&window, true);
	if (window.profile && merge_all_ticks(&window, t) && is_window_correct(&window)) {
		if (t->full)
			give_up_ticks(t, REST_LOADS);
		drop_shards_outside_window(t);
		b->profile = window.profile;
		b->in_ticks = true;
		return true;
	}
	profile_free(b, window.profile);
	return give_up_ticks(t, REST_LOADS);
}
