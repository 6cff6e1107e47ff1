// SPDX-License-Identifier: GPL-2.0
/*
 * What one slice adds to: its channel, coroutine and label, the gap before it, the timeline and the
 * distributions. The hot path of the reader: an unchanged slice takes few steps, all else goes
 * through slice_add().
 */
#include <stdlib.h>

#include "profile/build.h"
#include "profile/carried.h"
#include "profile/coroutines.h"
#include "profile/gaps.h"
#include "profile/heat-map.h"
#include "profile/labels.h"
#include "profile/latency.h"
#include "profile/longest.h"
#include "profile/losses.h"
#include "profile/part.h"
#include "profile/slices.h"
#include "profile/spans.h"
#include "profile/steps.h"
#include "profile/sums.h"
#include "profile/timeline.h"
#include "profile/times.h"
#include "profile/wakes.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define always_inline inline __attribute__((always_inline))

static inline void offcpu_add(struct model_times *t, const struct record *s)
{
	t->preempted_ns += s->offcpu.preempted_ns;
	t->nr_preempted += s->offcpu.nr_preempted;
	if (s->id & COROPROF_ID_THREAD) {
		t->idle_ns += s->offcpu.blocked_ns;
		t->nr_idle += s->offcpu.nr_blocked;
	} else {
		t->blocked_ns += s->offcpu.blocked_ns;
		t->nr_blocked += s->offcpu.nr_blocked;
	}
}

static inline void times_add(const struct build *b, struct model_times *t,
			     const struct record *s)
{
	t->slices++;
	t->running_ns += s->running_ns;
	if (unlikely(is_cut(b, s))) {
		t->nr_cut++;
		t->nr_shared += s->flags & COROPROF_SLICE_OFFCPU;
	}
	if (s->flags & COROPROF_SLICE_OFFCPU)
		offcpu_add(t, s);
}

/* ---- channels */

static void forget_last(struct profile_channel *c)
{
	c->last_ns = 0;
	if (c->boundary == PROFILE_CHANNEL_OPEN)
		c->interrupted = true;
}

void channel_interrupt(struct build *b, uint32_t channel)
{
	step_break(b, channel);
	forget_last(&b->profile->channels[channel]);
}

static void add_to_timeline(struct build *b, const struct model_slice *row)
{
	if (!b->options.no_timeline)
		timeline_add(b, row);
}

static inline void continue_at(struct profile_channel *c, uint64_t begin, uint64_t end)
{
	if (unlikely(begin != c->last_ns && c->last_ns))
		c->broken++;
	c->last_ns = end;
}

/* The first of a channel may be behind another one of the shard before. */
static void continue_channel(struct build *b, uint32_t channel,
			     const struct model_slice *row)
{
	struct profile_channel *c = &b->profile->channels[channel];
	uint64_t end = row->begin_ns + row->duration_ns;

	if (c->boundary == PROFILE_CHANNEL_OPEN) {
		c->boundary = PROFILE_CHANNEL_SLICE;
		c->first = *row;
		c->drawn_ns = end;
		c->last_ns = end;
	} else {
		continue_at(c, row->begin_ns, end);
		add_to_timeline(b, row);
	}
}

static void continue_lost(struct build *b, uint32_t channel, uint64_t time)
{
	struct profile_channel *c = &b->profile->channels[channel];
	uint64_t begin = c->last_ns ? c->last_ns :
				      b->model->channels[channel].begin_ns;

	if (begin < b->from)
		begin = b->from;
	if (c->boundary == PROFILE_CHANNEL_OPEN) {
		c->boundary = PROFILE_CHANNEL_LOST;
		c->first = (struct model_slice){ .begin_ns = time };
		c->drawn_ns = time;
	} else if (!b->options.no_timeline) {
		timeline_lost(b, channel, begin, time);
	}
	if (time > c->last_ns)
		c->last_ns = time;
}

void slice_lost(struct build *b, uint32_t channel,
		const struct record *lost)
{
	struct profile *p = b->profile;
	struct profile_channel *c = &p->channels[channel];

	profile_reach(p, lost->time);
	c->lost_spans += lost->lost_spans;
	p->lost_spans += lost->lost_spans;
	c->lost += lost->lost;
	if (!lost->lost)
		return;
	step_break(b, channel);
	continue_lost(b, channel, lost->time);
}

/* ---- slices */

/**
 * struct slice_owner - whose a slice is
 * @of:      channel
 * @c:       coroutine; NULL if it is not tracked
 * @beside:  of that
 * @channel: row
 * @process: row
 * @label:   row
 * @entry:   of the coroutine; MODEL_NONE if it is not tracked
 * @begin:   when the slice began
 */
struct slice_owner {
	struct profile_channel *of;
	struct model_coroutine *c;
	struct profile_coroutine *beside;
	uint32_t channel;
	uint32_t process;
	uint32_t label;
	uint32_t entry;
	uint64_t begin;
};

/* What is not known is settled by the shard before. */
static __attribute__((noinline)) void note_first(struct build *b, struct slice_owner at,
						 const struct record *s)
{
	struct profile *p = b->profile;
	const struct wake wake = { at.process, at.label, s->woken.waker };
	struct profile_first *f;

	if (!build_grow(b, &p->firsts, p->nr_firsts, sizeof(*p->firsts)))
		return;
	at.beside->first = p->nr_firsts;
	f = &p->firsts[p->nr_firsts++];
	*f = (struct profile_first){
		.begin_ns = at.begin,
		.wake_ns = s->woken.wake_time,
		.waker = s->woken.waker,
		.lost_until = p->processes[at.process].lost_until,
		.missing_until = p->processes[at.process].missing_until,
		.label = at.label,
		.channel = at.channel,
		.flags = s->flags,
	};
	f->waker_open = !waker_label(p, &wake, &f->waker_label);
	if (f->waker_open)
		wake_open_first(b, &wake, at.beside->first);
}

static __attribute__((noinline)) void set_label(struct build *b, struct slice_owner at)
{
	struct profile *p = b->profile;
	struct model_coroutine *c = at.c;

	if (c->label == MODEL_NONE) {
		at.beside->first_label = at.label;
	} else {
		coroutine_rename(b, at.entry, at.label);
		p->labels[c->label].coroutines--;
		p->labels[c->label].renamed++;
		c->flags |= MODEL_COROUTINE_RENAMED;
	}
	c->label = at.label;
	at.beside->left &= ~LEFT_COUNTED;
	p->labels[at.label].coroutines++;
}

static void set_born(const struct build *b, struct model_coroutine *c, uint64_t begin,
		     const struct record *s)
{
	uint64_t wake = s->woken.wake_time;

	c->first_ns = begin;
	if (!(s->flags & COROPROF_SLICE_FRESH)) {
		if (b->nr_carried && !b->in_ticks)
			carried_set(b, c);
		return;
	}
	c->flags |= MODEL_COROUTINE_BORN;
	c->parent = s->fresh.parent;
	c->tag = s->fresh.tag;
	c->born_ns = wake && wake < begin ? wake : begin;
}

/* It ran last on another thread, or on none yet. */
static __attribute__((noinline)) void set_channel(struct build *b, struct slice_owner at,
						  const struct record *s)
{
	const struct model_channel *channels = b->model->channels;
	struct model_coroutine *c = at.c;

	if (c->channel == MODEL_NONE)
		set_born(b, c, at.begin, s);
	else
		c->migrations += channels[c->channel].tid !=
				 channels[at.channel].tid;
	c->channel = at.channel;
	c->threads |= 1ULL << (at.channel % 64);
}

static always_inline void add_to_coroutine(struct build *b, const struct slice_owner *at,
				    const struct record *s, enum step_part part)
{
	const struct record *whole = unlikely(part == STEP_GOES_ON) ? &at->of->steps->held.sum : s;
	struct model_coroutine *c = at->c;
	uint16_t flags = s->flags;

	at->beside->number = s->label;
	if (at->begin < c->last_ns)
		c->flags |= MODEL_COROUTINE_OVERLAP;
	if (unlikely(c->channel != at->channel))
		set_channel(b, *at, s);
	if (s->time > c->last_ns)
		c->last_ns = s->time;
	if (whole->running_ns > c->max_ns)
		c->max_ns = whole->running_ns;
	at->beside->left = (flags & (LEFT_READY | LEFT_CUT)) | (at->beside->left & LEFT_COUNTED);
}

static inline void sum_count(struct model_sum *sum, uint64_t count)
{
	sum->count += count;
	sum->seen |= SUM_COUNTED;
}

/* To the coroutine, or to the label if it is not tracked. */
static __attribute__((noinline)) void add_any_counts(struct build *b, struct slice_owner at,
						     const struct record *s)
{
	struct profile *p = b->profile;
	size_t stride = sums_stride(b);
	struct model_sum *label = &p->label_sums[at.label * stride];
	struct sum_rows rows = { 1, { label } };

	if (at.c) {
		rows.row[0] = &p->coroutine_sums[at.entry * stride];
		sums_see(b, label, at.channel, s);
	}
	sums_add(b, &rows, at.channel, s);
}

/* Both say that they were COUNTED; the counts come to the label with the coroutine's. */
static always_inline void count_both(struct model_sum *label, struct model_sum *c,
				     const struct record *s, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		label[i].seen |= SUM_COUNTED;
		sum_count(&c[i], s->count[i]);
	}
}

/* What the compiler knows the number of, it needs not count. */
static always_inline void add_counts(struct build *b, const struct slice_owner *at,
			      const struct record *s)
{
	struct profile *p = b->profile;
	uint32_t nr = at->of->nr_counters;
	struct model_sum *label = &p->label_sums[(size_t)at->label * nr];
	struct model_sum *c = &p->coroutine_sums[(size_t)at->entry * nr];

	if (slice_is_counted(at->of, s))
		at->beside->left |= LEFT_COUNTED;
	if (unlikely(!slice_is_counted(at->of, s) || at->of->absent || s->flags & RECORD_CUT))
		return add_any_counts(b, *at, s);
	switch (nr) {
	case 1:
		return count_both(label, c, s, 1);
	case 2:
		return count_both(label, c, s, 2);
	case 3:
		return count_both(label, c, s, 3);
	default:
		return count_both(label, c, s, nr);
	}
}

/* A coroutine there is no room to track is only counted. */
static void count_untracked(struct profile *p, const struct slice_owner *at,
			    const struct record *s)
{
	if (!(s->flags & COROPROF_SLICE_FRESH))
		return;
	p->nr_folded++;
	p->nr_coroutines++;
	p->processes[at->process].coroutines++;
	p->labels[at->label].coroutines++;
}

/* A gap of which it is not @known how long of it was ready has @ready_ns 0. */
static __attribute__((noinline)) void add_wake(struct build *b, const struct record *s,
					       uint32_t process, uint32_t woken,
					       bool known, uint64_t ready_ns)
{
	const struct wake wake = { process, woken, s->woken.waker };
	const struct model_wake sums = {
		.count = 1, .ready = known, .ready_ns = ready_ns,
	};
	uint32_t label;

	if (waker_label(b->profile, &wake, &label))
		wake_sum(b, label, woken, &sums);
	else
		wake_sum_open(b, &wake, &sums);
}

static always_inline struct gap gap_before(const struct build *b, const struct slice_owner *at,
				const struct record *s)
{
	const struct profile *p = b->profile;
	const struct gap_end end = {
		at->begin, wake_within(b, s->woken.wake_time),
		p->processes[at->process].lost_until, p->processes[at->process].missing_until,
		s->flags,
	};

	return gap_of(at->c, at->beside->left, &end);
}

/* What of @at is the channel's is there. */
static always_inline bool find_owner(struct build *b, struct slice_owner *at,
				     const struct record *s)
{
	struct profile *p = b->profile;

	at->begin = s->time - s->duration;
	at->entry = coroutine_recent(p, at->process, s->id);
	if (unlikely(at->entry == MODEL_NONE))
		at->entry = coroutine_search(b, at->process, s->id);
	at->c = NULL;
	at->beside = NULL;
	if (likely(at->entry != MODEL_NONE)) {
		at->c = &p->coroutines[at->entry];
		at->beside = &p->beside[at->entry];
		at->label = at->c->label;
		if (likely(at->label != MODEL_NONE && at->beside->number == s->label))
			return true;
	}
	at->label = label_of(b, at->process, s->label, s->id & COROPROF_ID_THREAD);
	return at->label != MODEL_NONE;
}

static __attribute__((noinline)) void continue_first(struct build *b, struct slice_owner at,
						     const struct record *s)
{
	struct model_slice row = {
		.begin_ns = at.begin,
		.duration_ns = s->duration,
		.label = MODEL_NONE,
		.coroutine = MODEL_NONE,
	};

	if (!b->options.no_timeline)
		timeline_row(b, &row, at.channel, coroutine_row_at(b, at.entry), at.label, s);
	continue_channel(b, at.channel, &row);
}

/* No honest program has a coroutine that begins twice, or goes on after its end. */
static bool is_odd(const struct model_coroutine *c, const struct record *s)
{
	return c->channel != MODEL_NONE &&
	       !(c->flags & MODEL_COROUTINE_THREAD) &&
	       (c->flags & MODEL_COROUTINE_ENDED ||
		s->flags & COROPROF_SLICE_FRESH);
}

static __attribute__((noinline)) void keep_longest_gap(struct build *b, struct slice_owner at,
						       const struct record *s, struct gap gap)
{
	const struct longest_end end = {
		s->id, s->woken.waker, at.begin, at.process, at.label, at.channel,
	};

	longest_add_gap(b, &end, &gap);
}

static always_inline void add_gap(struct build *b, struct model_label *label,
			   const struct slice_owner *at, const struct record *s,
			   const struct gap *gap)
{
	gap_add(&at->c->times, gap);
	latency_gap(b, label, gap);
	if (unlikely(longest_wants_gap(b->profile, gap)))
		keep_longest_gap(b, *at, s, *gap);
}

static void draw_piece(struct build *b, const struct slice_owner *at, const struct record *s)
{
	if (!b->options.no_timeline)
		timeline_piece(b, at->channel, at->entry, at->label, s);
}

/* To what does not depend on the coroutine. */
static always_inline void add_beside(struct build *b, const struct slice_owner *at,
			      const struct record *s, enum step_part part)
{
	if (unlikely(at->of->boundary == PROFILE_CHANNEL_OPEN)) {
		continue_first(b, *at, s);
	} else {
		continue_at(at->of, at->begin, s->time);
		if (unlikely(part == STEP_GOES_ON))
			draw_piece(b, at, s);
		else if (!b->options.no_timeline)
			timeline_slice(b, at->channel, at->entry, at->label, s);
	}
	if (b->profile->nr_pending_used)
		span_slice(b, at->process, s->id, at->label,
			   s->flags & COROPROF_SLICE_END);
}

/* Of the program, as all of which there are times between slices. */
static inline bool is_coroutine(const struct build *b, const struct slice_owner *at)
{
	return !model_label_is_outside(&b->profile->labels[at->label]);
}

/*
 * Sums of a label come with those of its coroutine, see coroutines_settle(); how long the slice
 * was, once it is whole.
 */
static always_inline void add_step(struct build *b, const struct slice_owner *at,
				   struct model_times *t, const struct record *s,
				   enum step_part part)
{
	times_add(b, t, s);
	if (likely(part == STEP_WHOLE))
		step_count(b, at->channel, at->label, at->begin, s);
	else if (part == STEP_GOES_ON)
		step_join_times(b, t, at->of->steps->held.before, s);
}

static __attribute__((noinline)) void add_untracked(struct build *b, struct slice_owner at,
						    const struct record *s, enum step_part part)
{
	struct profile *p = b->profile;

	add_step(b, &at, &p->labels[at.label].times, s, part);
	add_any_counts(b, at, s);
	count_untracked(p, &at, s);
	if (s->woken.wake_time && is_coroutine(b, &at))
		add_wake(b, s, at.process, at.label, false, 0);
	if (p->begins || s->flags & COROPROF_SLICE_FRESH)
		wakes_settle(b, at.process, s->id, at.label);
	add_beside(b, &at, s, part);
}

/* If it was born in this shard; else the shard before may know when. */
static __attribute__((noinline)) void add_end(struct build *b, struct slice_owner at)
{
	if (at.c->flags & MODEL_COROUTINE_BORN && !(at.c->flags & MODEL_COROUTINE_ENDED))
		latency_life(b, at.c, &b->profile->coroutine_sums[at.entry * sums_stride(b)]);
	/* Another one may take its place. */
	if (coroutine_row_at(b, at.entry) == MODEL_NONE)
		coroutine_settle(b, at.entry);
	coroutine_end(b, at.c);
}

/* Before the first slice of a coroutine there may be those of another shard. */
static inline bool is_open(const struct profile *p, const struct slice_owner *at,
			   const struct record *s)
{
	return at->c->channel == MODEL_NONE && !p->begins &&
	       !(s->flags & COROPROF_SLICE_FRESH);
}

static void add_tracked(struct build *b, const struct slice_owner *at, const struct record *s,
			enum step_part part)
{
	struct profile *p = b->profile;
	bool new = at->c->channel == MODEL_NONE, first = is_open(p, at, s);
	bool coroutine = is_coroutine(b, at);
	struct gap gap = { 0 };

	/* What is added from here on is that label's. */
	if (unlikely(at->c->label != at->label))
		set_label(b, *at);
	if (coroutine && likely(part != STEP_GOES_ON)) {
		gap = gap_before(b, at, s);
		add_gap(b, &p->labels[at->label], at, s, &gap);
	}
	add_step(b, at, &at->c->times, s, part);
	add_counts(b, at, s);
	if (unlikely(is_odd(at->c, s)))
		p->unordered = true;
	add_to_coroutine(b, at, s, part);
	if (unlikely(first))
		note_first(b, *at, s);
	else if (coroutine && s->woken.wake_time)
		add_wake(b, s, at->process, at->label, gap.ready_known,
			 gap.ready_ns);
	if (unlikely(new && !first))
		wakes_settle(b, at->process, s->id, at->label);
	add_beside(b, at, s, part);
	if (unlikely(s->flags & COROPROF_SLICE_END))
		add_end(b, *at);
}

/*
 * None of its slices counts as unchanged: what is added of those is a coroutine's of the program.
 */
static __attribute__((noinline)) void add_tool(const struct slice_owner *at, const struct record *s)
{
	at->of->tool_ns += s->running_ns;
	if (at->beside)
		at->beside->left &= ~LEFT_COUNTED;
}

static enum step_part find_part(struct build *b, const struct slice_owner *at,
				const struct record *s, bool may_go_on)
{
	const struct step_at step = {
		at->channel, at->label, at->begin, at->c, may_go_on,
	};
	enum step_part part = step_take(b, &step, s);

	at->of->pieces += part == STEP_GOES_ON;
	return part;
}

/*
 * A slice that is not chosen: its coroutine ran, and what follows is after it, but none of it is
 * added to anything.
 */
static __attribute__((noinline)) void pass_over(struct build *b, struct slice_owner at,
						const struct record *s)
{
	bool new = at.c && at.c->channel == MODEL_NONE;
	uint32_t migrations;
	uint64_t max_ns;

	continue_at(at.of, at.begin, s->time);
	if (!at.c)
		return;
	migrations = at.c->migrations;
	max_ns = at.c->max_ns;
	if (at.c->label != at.label)
		set_label(b, at);
	add_to_coroutine(b, &at, s, STEP_WHOLE);
	at.c->migrations = migrations;
	at.c->max_ns = max_ns;
	if (new)
		wakes_settle(b, at.process, s->id, at.label);
	if (s->flags & COROPROF_SLICE_END)
		coroutine_end(b, at.c);
}

/* What follows a slice that is left out does not begin where the one before it ended. */
static __attribute__((noinline)) void slice_add(struct build *b, struct slice_owner at,
						const struct record *s, bool may_go_on)
{
	enum step_part part = STEP_WHOLE;
	bool passed = is_passed(b, s);

	if (unlikely(is_outside(b, s) ||
		     (b->options.selected_slices && !build_wants(b, at.process, s->id))))
		return channel_interrupt(b, at.channel);
	if (!find_owner(b, &at, s))
		return;
	if (unlikely(at.of->restarts))
		process_pass_restarts(b, at.process, s->time);
	if (at.of->steps)
		part = find_part(b, &at, s, may_go_on && !passed);
	if (unlikely(passed))
		return pass_over(b, at, s);
	if (likely(at.c))
		add_tracked(b, &at, s, part);
	else
		add_untracked(b, at, s, part);
	if (unlikely(b->profile->labels[at.label].kind == MODEL_LABEL_TOOL))
		add_tool(&at, s);
}

/* ---- unchanged slices */

static always_inline void count_unchanged(struct model_sum *c, const struct record *s, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		c[i].count += s->count[i];
}

/* What is nowhere is missing all the time. */
static always_inline void miss_absent(struct model_sum *c, uint32_t absent, uint64_t running_ns)
{
	for (; absent; absent &= absent - 1)
		c[__builtin_ctz(absent)].missing_ns += running_ns;
}

/* That they are COUNTED, the label's sums say already. */
static always_inline void add_unchanged_counts(const struct profile *p,
					       const struct slice_owner *at, const struct record *s)
{
	uint32_t nr = at->of->nr_counters;
	struct model_sum *c = &p->coroutine_sums[(size_t)at->entry * nr];

	switch (at->of->nr_counted) {
	case 1:
		return count_unchanged(c, s, 1);
	case 2:
		return count_unchanged(c, s, 2);
	case 3:
		return count_unchanged(c, s, 3);
	default:
		count_unchanged(c, s, nr);
		miss_absent(c, at->of->absent, s->running_ns);
	}
}

/* It is known who made it ready, or that it was so all the time; or it did not wait at all. */
static __attribute__((noinline)) void add_reported_gap(struct build *b, struct slice_owner at,
						       const struct record *s)
{
	struct gap gap = gap_before(b, &at, s);

	add_gap(b, &b->profile->labels[at.label], &at, s, &gap);
	if (s->woken.wake_time)
		add_wake(b, s, at.process, at.label, gap.ready_known, gap.ready_ns);
}

static always_inline void add_unchanged_gap(struct build *b, const struct slice_owner *at,
					    const struct record *s, bool no_details)
{
	uint64_t ns = at->begin - at->c->last_ns;
	bool known = !no_details && (at->beside->left & LEFT_READY || s->woken.wake_time);

	if (known || unlikely(!ns))
		return add_reported_gap(b, *at, s);
	at->c->times.gaps++;
	at->c->times.suspended_ns += ns;
	latency_add(b, &b->profile->labels[at->label], MODEL_LATENCY_SUSPENDED, ns);
	if (unlikely(longest_wanted(b->profile, MODEL_LATENCY_SUSPENDED, ns)))
		keep_longest_gap(b, *at, s, (struct gap){ .measured = true, .suspended_ns = ns });
}

/* It was off the CPU in it, or it is a thread outside coroutines. */
static __attribute__((noinline)) void add_other(struct build *b, struct slice_owner at,
						const struct record *s)
{
	if (!(s->id & COROPROF_ID_THREAD)) {
		add_unchanged_gap(b, &at, s, false);
		longest_slice(b, at.channel, at.label, at.begin, s);
		heat_map_add(b, at.label, at.begin, s);
	}
	latency_slice(b, at.label, s);
	if (s->flags & COROPROF_SLICE_OFFCPU)
		offcpu_add(&at.c->times, s);
}

static always_inline void add_on_cpu(struct build *b, const struct slice_owner *at,
				     const struct record *s, bool no_details)
{
	add_unchanged_gap(b, at, s, no_details);
	latency_on_cpu(b, at->label, s->duration);
	heat_map_add(b, at->label, at->begin, s);
	if (unlikely(longest_wanted(b->profile, MODEL_LATENCY_HELD, s->duration)))
		longest_add_slice(b, at->channel, at->label, at->begin, s);
}

/*
 * Of most slices all is known that slice_add() looks for: the coroutine had the label
 * before, a counted slice before, and it ran when the slice before in its channel ended.
 * It neither begins nor ends in the slice. Of one without details, the caller has looked at the
 * flags.
 */
static always_inline bool is_unchanged(const struct slice_owner *at, const struct record *s,
				       uint64_t lost_until, bool no_details)
{
	const struct model_coroutine *c = at->c;

	if (!no_details && ((record_kind(s) & at->of->unchanged_mask) != at->of->unchanged ||
			    (at->beside->left & (LEFT_COUNTED | LEFT_CUT)) != LEFT_COUNTED))
		return false;
	return at->beside->number == s->label && at->begin == at->of->last_ns &&
	       at->begin >= c->last_ns && c->last_ns >= lost_until;
}

/* What slice_add() does with an unchanged slice. False if it is none: nothing is added then. */
static always_inline bool add_unchanged(struct build *b, struct slice_owner at,
					const struct record *s, uint64_t lost_until,
					bool no_details)
{
	struct profile *p = b->profile;

	if (unlikely(!is_unchanged(&at, s, lost_until, no_details)))
		return false;
	if (no_details || likely(!(s->id & COROPROF_ID_THREAD || s->flags & COROPROF_SLICE_OFFCPU)))
		add_on_cpu(b, &at, s, no_details);
	else
		add_other(b, at, s);
	at.c->times.slices++;
	at.c->times.running_ns += s->running_ns;
	add_unchanged_counts(p, &at, s);
	if (unlikely(at.c->channel != at.channel))
		set_channel(b, at, s);
	at.c->last_ns = at.of->last_ns = s->time;
	if (s->running_ns > at.c->max_ns)
		at.c->max_ns = s->running_ns;
	if (!no_details)
		at.beside->left = (s->flags & (LEFT_READY | LEFT_CUT)) | LEFT_COUNTED;
	if (!b->options.no_timeline)
		timeline_slice(b, at.channel, at.entry, at.label, s);
	return true;
}

/*
 * Its record says that a coroutine ran and no more, and so did the one before of its coroutine:
 * that was left as it will be now.
 */
static always_inline bool has_no_details(const struct slice_owner *at, const struct record *s)
{
	return (record_kind(s) & at->of->no_details_mask) == at->of->unchanged &&
	       at->beside->left == LEFT_COUNTED && !(s->id & COROPROF_ID_THREAD);
}

/* Adds it if it is unchanged. */
static always_inline bool add_if_unchanged(struct build *b, struct slice_owner at,
					   const struct record *s, uint64_t lost_until)
{
	struct profile *p = b->profile;

	at.begin = s->time - s->duration;
	at.entry = coroutine_recent(p, at.process, s->id);
	if (unlikely(at.entry == MODEL_NONE))
		return false;
	at.c = &p->coroutines[at.entry];
	at.beside = &p->beside[at.entry];
	at.label = at.c->label;
	if (likely(has_no_details(&at, s)))
		return add_unchanged(b, at, s, lost_until, true);
	return add_unchanged(b, at, s, lost_until, false);
}

/* What is so for all slices of a run. */
static bool may_be_unchanged(const struct build *b, const struct profile_channel *of)
{
	return of->boundary != PROFILE_CHANNEL_OPEN && !of->restarts &&
	       !b->profile->nr_pending_used && !b->chosen &&
	       !(of->steps && (of->steps->open || of->steps->held.pieces));
}

/* A slice of the tool follows it, or what does is not at hand. */
static always_inline bool may_go_on(uint32_t tool, const struct record *s,
				    const struct record *end)
{
	return tool && (s + 1 == end || s[1].label == tool || tool == BUILD_TOOLS);
}

static inline bool goes_on(const struct record *s)
{
	return s->type == COROPROF_RECORD_SLICE && s->time >= s[-1].time;
}

/* Of a channel whose process has a label of the tool. */
static __attribute__((noinline))
const struct record *add_with_tool(struct build *b, struct slice_owner run, const struct record *s,
				   const struct record *end, uint64_t until)
{
	const struct record *first = s;
	bool held;

	do {
		held = may_go_on(run.of->tool, s, end);
		if (!held && may_be_unchanged(b, run.of) &&
		    add_if_unchanged(b, run, s, b->profile->processes[run.process].lost_until))
			continue;
		if (s > first && !goes_on(s))
			break;
		slice_add(b, run, s, held);
	} while (++s < end && s->time < until);
	return s;
}

const struct record *slices_add(struct build *b, uint32_t channel,
				const struct record *s, const struct record *end,
				uint64_t until)
{
	struct profile_channel *of = &b->profile->channels[channel];
	const struct slice_owner run = { .of = of, .channel = channel, .process = of->process };
	uint64_t lost_until = b->profile->processes[of->process].lost_until;
	const struct record *first = s;
	bool unchanged = may_be_unchanged(b, of);

	profile_reach(b->profile, s->time);
	if (unlikely(of->tool))
		return add_with_tool(b, run, s, end, until);
	do {
		/* An unchanged one is a slice, and begins where the one before has ended. */
		if (unchanged && likely(add_if_unchanged(b, run, s, lost_until)))
			continue;
		if (s > first && !goes_on(s))
			break;
		slice_add(b, run, s, false);
	} while (++s < end && s->time < until);
	return s;
}

void slices_end(struct build *b)
{
	labels_settle(b);
	coroutines_settle(b);
}

/* ---- the sums of a channel */

static __attribute__((noinline)) void add_rest(struct build *b, uint32_t channel,
					       const struct record *s)
{
	struct profile_channel *c = &b->profile->channels[channel];
	const struct sum_rows rows = {
		1, { &b->profile->channel_sums[channel * sums_stride(b)] },
	};

	times_add(b, &c->times, s);
	c->outside_ns += s->id & COROPROF_ID_THREAD ? s->running_ns : 0;
	sums_add(b, &rows, channel, s);
}

/* Most are counted. */
static always_inline void add_slices(struct build *b, uint32_t channel, uint32_t nr,
				     const struct record *s, const struct record *end)
{
	struct profile_channel *c = &b->profile->channels[channel];
	struct model_sum *sums = &b->profile->channel_sums[(size_t)channel * nr];
	uint64_t mask = c->unchanged_mask, unchanged = c->unchanged;
	uint64_t count[COROPROF_COUNTERS_MAX] = { 0 }, running_ns = 0, outside_ns = 0;
	uint32_t slices = 0;

	for (; s < end; s++) {
		if (unlikely((record_kind(s) & mask) != unchanged)) {
			if (s->type == COROPROF_RECORD_SLICE && !is_outside(b, s) &&
			    !is_passed(b, s))
				add_rest(b, channel, s);
			continue;
		}
		slices++;
		running_ns += s->running_ns;
		outside_ns += s->id & COROPROF_ID_THREAD ? s->running_ns : 0;
		if (s->flags & COROPROF_SLICE_OFFCPU)
			offcpu_add(&c->times, s);
		for (uint32_t i = 0; i < nr; i++)
			count[i] += s->count[i];
	}
	c->times.slices += slices;
	c->times.running_ns += running_ns;
	c->outside_ns += outside_ns;
	for (uint32_t i = 0; slices && i < nr; i++) {
		sums[i].count += count[i];
		sums[i].seen |= 1u << COROPROF_STANDING(c->standing, i);
	}
	miss_absent(sums, c->absent, running_ns);
}

void channel_add(struct build *b, uint32_t channel, const struct record *s,
		 const struct record *end)
{
	uint32_t nr = b->model->nr_counters;

	switch (nr) {
	case 1:
		return add_slices(b, channel, 1, s, end);
	case 2:
		return add_slices(b, channel, 2, s, end);
	case 3:
		return add_slices(b, channel, 3, s, end);
	default:
		return add_slices(b, channel, nr, s, end);
	}
}

/* ---- another shard follows */

static void merge_first(struct build *b, uint32_t channel,
			const struct profile_channel *from,
			const struct rows *rows)
{
	struct model_slice first = from->first;

	if (from->interrupted)
		forget_last(&b->profile->channels[channel]);
	first.label = row_to(rows->labels, first.label);
	first.coroutine = row_to(rows->entries, first.coroutine);
	if (from->boundary == PROFILE_CHANNEL_SLICE)
		continue_channel(b, channel, &first);
	else if (from->boundary == PROFILE_CHANNEL_LOST)
		continue_lost(b, channel, first.begin_ns);
}

void channels_merge(struct build *b, struct profile *from,
		    const struct rows *rows)
{
	size_t stride = sums_stride(b);

	for (uint32_t i = 0; i < b->model->nr_channels; i++) {
		struct profile_channel *to = &b->profile->channels[i];
		const struct profile_channel *c = &from->channels[i];

		step_merge(b, i, from, rows);
		merge_first(b, i, c, rows);
		times_sum(&to->times, &c->times);
		to->pieces += c->pieces;
		to->outside_ns += c->outside_ns;
		to->tool_ns += c->tool_ns;
		to->lost += c->lost;
		to->lost_spans += c->lost_spans;
		to->spans += c->spans;
		to->broken += c->broken;
		if (c->boundary != PROFILE_CHANNEL_OPEN)
			to->last_ns = c->last_ns;
		sums_merge(b, &b->profile->channel_sums[i * stride],
			   &from->channel_sums[i * stride]);
		timeline_merge(b, i, from, rows);
		if (c->drawn_ns > to->drawn_ns)
			to->drawn_ns = c->drawn_ns;
	}
}
