// SPDX-License-Identifier: GPL-2.0
/*
 * Joins the pieces of a slice that slices of coroutines of the tool's own have divided; steps.h
 * says when these are one slice. A slice that may have another piece is held back until the next
 * slice of its channel shows whether it does.
 */
#include "profile/build.h"
#include "profile/coroutines.h"
#include "profile/part.h"
#include "profile/split.h"
#include "profile/steps.h"
#include "profile/timeline.h"

/* How a slice, after which its coroutine does not just go on, has ended, or begun. */
#define LEFT	(COROPROF_SLICE_END | COROPROF_SLICE_READY | COROPROF_SLICE_CUT)
#define ENTERED	(COROPROF_SLICE_FRESH | COROPROF_SLICE_WOKEN | COROPROF_SLICE_FIRST)

/* ---- sums */

/* Begins a step with its first piece @s. Members that the record does not have are 0 in the sum. */
static void begin_step(struct profile_step *step, const struct step_at *at, const struct record *s)
{
	*step = (struct profile_step){
		.pieces = 1, .label = at->label, .begin_ns = at->begin_ns, .sum = *s,
	};
	if (!(s->flags & COROPROF_SLICE_OFFCPU))
		step->sum.offcpu = (struct coroprof_slice_offcpu){ 0 };
	if (!(s->flags & COROPROF_SLICE_SCALED))
		memset(step->sum.missing_ns, 0, sizeof(step->sum.missing_ns));
}

/* For each counter, the standing of the sum of two pieces; see COROPROF_STANDING. */
static uint16_t standing_of_both(uint16_t a, uint16_t b)
{
	uint16_t both = 0;

	for (unsigned int i = 0; i < COROPROF_COUNTERS_MAX; i++) {
		unsigned int x = COROPROF_STANDING(a, i), y = COROPROF_STANDING(b, i);

		if (x != y)
			x = !x || !y ? COROPROF_STANDING_UNSUPPORTED : COROPROF_STANDING_SCALED;
		both |= (uint16_t)(x << 2 * i);
	}
	return both;
}

static void add_piece(struct profile_step *step, const struct record *s, uint32_t nr_counters)
{
	struct record *sum = &step->sum;

	step->pieces++;
	step->tool = false;
	step->before = sum->flags;
	sum->time = s->time;
	sum->duration += s->duration;
	sum->running_ns += s->running_ns;
	sum->flags |= s->flags;
	sum->standing = standing_of_both(sum->standing, s->standing);
	if (s->flags & COROPROF_SLICE_OFFCPU) {
		sum->offcpu.preempted_ns += s->offcpu.preempted_ns;
		sum->offcpu.blocked_ns += s->offcpu.blocked_ns;
		sum->offcpu.nr_preempted += s->offcpu.nr_preempted;
		sum->offcpu.nr_blocked += s->offcpu.nr_blocked;
	}
	for (uint32_t i = 0; i < nr_counters; i++) {
		sum->count[i] += s->count[i];
		if (s->flags & COROPROF_SLICE_SCALED)
			sum->missing_ns[i] += s->missing_ns[i];
	}
}

void step_join_times(const struct build *b, struct model_times *t, uint16_t before,
		     const struct record *s)
{
	t->slices--;
	if (!is_cut(b, s) || !(before & RECORD_CUT))
		return;
	t->nr_cut--;
	t->nr_shared -= before & s->flags & COROPROF_SLICE_OFFCPU;
}

/* ---- a shard */

/*
 * Counts the held slice as a whole. The first slice of a shard may be the next piece of one in the
 * shard before, and is kept as the lead until that is known.
 */
static void end_step(struct build *b, uint32_t channel, struct profile_step *step)
{
	if (step->pieces && step->first)
		b->profile->channels[channel].steps->lead = *step;
	else if (step->pieces)
		step_count(b, channel, step->label, step->begin_ns, &step->sum);
	if (step->pieces > 1 && b->split)
		split_step(b, channel, step->begin_ns, &step->sum);
	step->pieces = 0;
}

void step_break(struct build *b, uint32_t channel)
{
	struct profile_steps *steps = b->profile->channels[channel].steps;

	if (!steps)
		return;
	end_step(b, channel, &steps->held);
	steps->open = false;
}

/*
 * True if @s is the next piece of @step. @c: the coroutine of @step, whose last slice it is; NULL
 * if it is not tracked.
 */
static bool is_next_piece(const struct profile_step *step, uint32_t channel,
			  const struct model_coroutine *c, const struct record *s)
{
	if (c && (c->channel != channel || c->last_ns != step->sum.time))
		return false;
	return s->id == step->sum.id && s->label == step->sum.label && !(s->flags & ENTERED);
}

/*
 * True if the held slice ended in a way in which a tool's slice, and then its next piece, may
 * follow.
 */
static bool may_have_next_piece(const struct profile_step *held)
{
	return held->pieces && !held->tool && !(held->sum.flags & LEFT);
}

/*
 * The held slice may have its next piece behind this slice of the tool's, if that @follows it at
 * once.
 */
static void handle_tool_slice(struct build *b, const struct step_at *at, bool follows)
{
	const struct profile_channel *c = &b->profile->channels[at->channel];
	struct profile_steps *steps = c->steps;

	if (follows && may_have_next_piece(&steps->held))
		steps->held.tool = true;
	else
		end_step(b, at->channel, &steps->held);
	if (c->boundary == PROFILE_CHANNEL_OPEN)
		steps->tool_first = true;
	else
		steps->open = false;
}

enum step_part step_take(struct build *b, const struct step_at *at, const struct record *s)
{
	const struct profile_channel *c = &b->profile->channels[at->channel];
	struct profile_step *held = &c->steps->held;
	bool follows = c->last_ns && at->begin_ns == c->last_ns, first;

	if (b->profile->labels[at->label].kind == MODEL_LABEL_TOOL) {
		handle_tool_slice(b, at, follows);
		return STEP_WHOLE;
	}
	if (held->pieces && held->tool && follows && is_next_piece(held, at->channel, at->c, s)) {
		add_piece(held, s, b->model->channels[at->channel].nr_counters);
		return STEP_GOES_ON;
	}
	end_step(b, at->channel, held);
	first = c->steps->open && (follows || c->boundary == PROFILE_CHANNEL_OPEN) &&
		!(s->flags & ENTERED) && (!at->c || at->c->channel == MODEL_NONE);
	c->steps->open = false;
	if (!first && !at->may_go_on)
		return STEP_WHOLE;
	begin_step(held, at, s);
	held->first = first;
	return STEP_BEGINS;
}

/* ---- another shard follows */

/*
 * The first slice of a shard, if it may be the next piece of a slice in the shard before; else
 * NULL.
 */
static struct profile_step *first_step_of(struct profile_steps *steps)
{
	if (steps->lead.pieces)
		return &steps->lead;
	return steps->held.pieces && steps->held.first ? &steps->held : NULL;
}

static bool channels_touch(const struct profile_channel *to, const struct profile_channel *from)
{
	return from->boundary == PROFILE_CHANNEL_SLICE && !from->interrupted && to->last_ns &&
	       from->first.begin_ns == to->last_ns;
}

/* True if the first slice of @from is the next piece of the last slice in build.profile. */
static bool first_is_next_piece(const struct build *b, uint32_t channel,
				const struct profile_channel *from)
{
	const struct profile_channel *to = &b->profile->channels[channel];
	const struct profile_step *held = &to->steps->held, *first = first_step_of(from->steps);

	if (!held->pieces || !first || !channels_touch(to, from) ||
	    (from->steps->tool_first ? !may_have_next_piece(held) : !held->tool))
		return false;
	return is_next_piece(held, channel, coroutine_find(b->profile, to->process, held->sum.id),
			     &first->sum);
}

/*
 * The slice @first is a piece of the slice @held, so the sums of the shard @next count it no more
 * as a slice of its own.
 */
static void join_times_of_first(const struct build *b, struct profile *next, uint32_t process,
				const struct profile_step *held, const struct profile_step *first)
{
	struct model_coroutine *c = coroutine_find(next, process, first->sum.id);
	uint64_t running_ns = held->sum.running_ns + first->sum.running_ns;
	struct profile_first *f;

	step_join_times(b, &next->labels[first->label].times, held->sum.flags, &first->sum);
	if (!c)
		return;
	step_join_times(b, &c->times, held->sum.flags, &first->sum);
	if (running_ns > c->max_ns)
		c->max_ns = running_ns;
	if (next->beside[c - next->coroutines].first == MODEL_NONE)
		return;
	f = &next->firsts[next->beside[c - next->coroutines].first];
	f->goes_on = f->begin_ns == first->begin_ns;
}

void steps_align(struct build *b, struct profile *next)
{
	for (uint32_t i = 0; i < b->model->nr_channels; i++) {
		const struct profile_channel *to = &b->profile->channels[i];
		struct profile_channel *from = &next->channels[i];
		const struct profile_step *first = from->steps ? first_step_of(from->steps) : NULL;

		if (!first)
			continue;
		from->steps->seen = coroutine_find(b->profile, from->process, first->sum.id);
		if (!first_is_next_piece(b, i, from))
			continue;
		from->steps->goes_on = true;
		from->pieces++;
		join_times_of_first(b, next, from->process, &to->steps->held, first);
		if (b->options.no_timeline)
			continue;
		/* It is the first slice of its channel, or the one behind the tool's. */
		if (!from->steps->tool_first)
			timeline_goes_on(&from->first);
		else if (from->nr_slices)
			timeline_goes_on(&from->slices[0]);
	}
}

/*
 * Counts the first slice of a merged shard as one of its own, unless it is the first still
 * (@still_first): then a shard before may have the piece before it.
 */
static void end_first_step(struct build *b, uint32_t channel, struct profile_steps *from,
			   bool still_first)
{
	struct profile_step *first = first_step_of(from);

	if (!first)
		return;
	first->first = still_first;
	if (first == &from->lead)
		end_step(b, channel, first);
}

void step_merge(struct build *b, uint32_t channel, struct profile *from,
		const struct rows *rows)
{
	struct profile_channel *to = &b->profile->channels[channel];
	struct profile_channel *c = &from->channels[channel];
	struct profile_steps *steps = to->steps, *next = c->steps;
	bool touches, empty = to->boundary == PROFILE_CHANNEL_OPEN && !to->interrupted, still_first;

	if (!steps || (c->boundary == PROFILE_CHANNEL_OPEN && !c->interrupted))
		return;
	touches = channels_touch(to, c);
	still_first = steps->open && !next->seen && (empty || (touches && !next->tool_first));
	next->lead.label = row_to(rows->labels, next->lead.label);
	next->held.label = row_to(rows->labels, next->held.label);
	if (next->open && touches && may_have_next_piece(&steps->held)) {
		steps->held.tool = true;
		return;
	}
	if (next->goes_on) {
		const struct profile_step *first = first_step_of(next);
		uint32_t pieces = steps->held.pieces + first->pieces;

		add_piece(&steps->held, &first->sum, b->model->channels[channel].nr_counters);
		steps->held.pieces = pieces;
		steps->held.tool = first->tool;
	}
	if (next->goes_on && !next->lead.pieces)
		return;
	end_step(b, channel, &steps->held);
	if (!next->goes_on)
		end_first_step(b, channel, next, still_first);
	steps->held = next->held;
	if (empty)
		steps->tool_first = next->tool_first;
	steps->open = still_first && next->open;
}

void steps_finish(struct build *b)
{
	for (uint32_t i = 0; i < b->model->nr_channels; i++)
		step_break(b, i);
}
