// SPDX-License-Identifier: GPL-2.0
#include "profile/build.h"

void process_lost(struct build *b, uint32_t process, uint64_t until)
{
	struct build_process *p = &b->processes[process];

	if (until > p->lost_until)
		p->lost_until = until;
}

void process_spans_lost(struct build *b, uint32_t process, uint64_t until)
{
	struct build_process *p = &b->processes[process];

	if (until <= p->spans_lost_until)
		return;
	p->spans_lost_until = until;
	p->span_losses++;
}

void process_pass_restarts(struct build *b, uint32_t process, uint64_t time)
{
	struct build_process *p = &b->processes[process];

	while (p->next_restart < p->nr_restarts &&
	       p->restarts[p->next_restart] <= time) {
		uint64_t restart = p->restarts[p->next_restart++];

		process_lost(b, process, restart);
		process_spans_lost(b, process, restart);
	}
}

static void times_add(struct model_times *t, const struct record *s)
{
	t->slices++;
	t->running_ns += s->running_ns;
	if (!(s->flags & COROPROF_SLICE_OFFCPU))
		return;
	t->preempted_ns += s->offcpu.preempted_ns;
	t->blocked_ns += s->offcpu.blocked_ns;
	t->nr_preempted += s->offcpu.nr_preempted;
	t->nr_blocked += s->offcpu.nr_blocked;
}

static void add_to_channel(struct build *b, uint32_t channel,
			   const struct record *s)
{
	struct model *m = b->model;
	struct model_channel *c = &m->channels[channel];
	struct build_channel *bc = &b->channels[channel];
	uint64_t begin = s->time - s->duration;

	if (bc->last_ns && begin != bc->last_ns)
		bc->broken++;
	bc->last_ns = s->time;
	times_add(&c->times, s);
	if (s->id & COROPROF_ID_THREAD)
		c->outside_ns += s->running_ns;
}

static void add_to_label(struct build *b, uint32_t label,
			 const struct record *s, const struct gap *gap)
{
	struct model *m = b->model;

	times_add(&m->labels[label].times, s);
	gap_add(&m->labels[label].times, gap);
	label_slice(b, label, s);
}

static void add_to_coroutine(struct build *b, struct model_coroutine *c,
			     uint32_t label, uint32_t channel,
			     const struct record *s,
			     const struct gap *gap)
{
	coroutine_label(b, c, label);
	coroutine_slice(b, c, channel, s);
	times_add(&c->times, s);
	gap_add(&c->times, gap);
}

/* To the channel, the label, and the coroutine if it is followed. */
static void add_counts(struct build *b, uint32_t channel, uint32_t label,
		       const struct model_coroutine *c,
		       const struct record *s)
{
	struct model *m = b->model;
	size_t stride = cells_stride(b);
	struct cell_rows rows = {
		2, {
			&m->channel_cells[channel * stride],
			&m->label_cells[label * stride],
		},
	};

	if (c)
		rows.row[rows.nr++] = coroutine_cells(b, c);
	cells_add(b, &rows, channel, s);
}

/* A coroutine there is no room to follow is only counted. */
static void count_unfollowed(struct build *b, uint32_t process, uint32_t label,
			     const struct record *s)
{
	if (!(s->flags & COROPROF_SLICE_FRESH))
		return;
	b->model->nr_folded_coroutines++;
	b->model->nr_coroutines_total++;
	b->model->processes[process].coroutines++;
	b->model->labels[label].coroutines++;
}

void slice_add(struct build *b, uint32_t channel, const struct record *s)
{
	uint32_t process = b->model->channels[channel].process;
	bool thread = s->id & COROPROF_ID_THREAD;
	uint32_t label = label_of(b, process, s->label, thread);
	struct model_coroutine *c = coroutine_of(b, process, s->id);
	struct gap gap = { 0 };

	if (label == MODEL_NONE)
		return;
	process_pass_restarts(b, process, s->time);
	if (c && !thread)
		gap_before(b, &gap, c, process, s);
	add_to_channel(b, channel, s);
	add_to_label(b, label, s, &gap);
	add_counts(b, channel, label, c, s);
	if (c)
		add_to_coroutine(b, c, label, channel, s, &gap);
	else
		count_unfollowed(b, process, label, s);
	if (s->woken.wake_time && !thread)
		wake_add(b, process, label, s, &gap);
	if (!b->options.no_timeline)
		timeline_add(b, channel, coroutine_row(b, c), label, s);
	if (b->nr_pending_used)
		span_slice(b, process, s->id, label,
			   s->flags & COROPROF_SLICE_END);
	if (c && s->flags & COROPROF_SLICE_END)
		coroutine_end(b, c);
}

void slice_lost(struct build *b, uint32_t channel,
		const struct record *lost)
{
	struct build_channel *bc = &b->channels[channel];
	struct model_channel *c = &b->model->channels[channel];

	c->lost_spans += lost->lost_spans;
	b->model->lost_spans += lost->lost_spans;
	if (!lost->lost)
		return;
	bc->announced += lost->lost;
	c->lost += lost->lost;
	timeline_lost(b, channel, bc->last_ns ? bc->last_ns : c->begin_ns,
		      lost->time);
	if (lost->time > bc->last_ns)
		bc->last_ns = lost->time;
}
