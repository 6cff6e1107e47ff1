// SPDX-License-Identifier: GPL-2.0
/*
 * Makes one table of the coroutines of a shard and of those of the shards before it. The gap and
 * the wake before a coroutine's first slice in a shard are settled here, where the end of its slice
 * before is known.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "profile/build.h"
#include "profile/coroutine-merge.h"
#include "profile/coroutines.h"
#include "profile/gaps.h"
#include "profile/latency.h"
#include "profile/longest.h"
#include "profile/sums.h"
#include "profile/times.h"
#include "profile/wakes.h"

/*
 * Settles the gap and the wake before the first slice @f of @c in a shard. @before: the same
 * coroutine in the shards before, or NULL.
 */
static void settle_first_slice(struct build *b, const struct profile_first *f,
			       const struct model_coroutine *before,
			       struct model_coroutine *c, const struct wake *wake)
{
	struct profile *p = b->profile;
	const struct model_channel *channels = b->model->channels;
	const struct gap_end end = {
		f->begin_ns, wake_within(b, f->wake_ns), f->lost_until, f->missing_until,
		f->flags,
	};
	struct gap gap = { 0 };
	struct model_wake sums;

	if (before) {
		c->migrations += channels[before->channel].tid !=
				 channels[f->channel].tid;
		if (f->begin_ns < before->last_ns)
			c->flags |= MODEL_COROUTINE_OVERLAP;
	}
	if (f->goes_on || model_label_is_outside(&p->labels[f->label]))
		return;
	if (before)
		gap = gap_after(before->last_ns,
				p->beside[coroutine_entry(p, before)].left, &end);
	gap_add(&p->labels[f->label].times, &gap);
	gap_add(&c->times, &gap);
	latency_gap(b, &p->labels[f->label], &gap);
	longest_gap(b, &(struct longest_end){ c->id, f->waker, f->begin_ns, c->process, f->label,
					  f->channel }, &gap);
	sums = gap_wake(&gap);
	if (f->wake_ns && f->waker_open)
		wake_sum_open(b, wake, &sums);
	else if (f->wake_ns)
		wake_sum(b, f->waker_label, f->label, &sums);
}

static void merge_first_slice(struct build *b, struct profile *from, uint32_t entry,
			      struct profile_first f, const struct rows *rows)
{
	struct profile *p = b->profile;
	struct model_coroutine *c = &from->coroutines[entry];
	const struct model_coroutine *before =
		coroutine_find(p, c->process, c->id);
	const struct profile_process *process = &p->processes[c->process];
	struct wake wake = { c->process, row_to(rows->labels, f.label), f.waker };

	if (process->lost_until > f.lost_until)
		f.lost_until = process->lost_until;
	if (process->missing_until > f.missing_until)
		f.missing_until = process->missing_until;
	f.label = wake.woken;
	if (f.waker_open)
		f.waker_open = !waker_label(p, &wake, &f.waker_label);
	else
		f.waker_label = row_to(rows->labels, f.waker_label);
	from->beside[entry].first = MODEL_NONE;
	if (before || p->begins) {
		settle_first_slice(b, &f, before, c, &wake);
		return;
	}
	/* It is the first in both shards. */
	if (!build_grow(b, &p->firsts, p->nr_firsts, sizeof(*p->firsts)))
		return;
	p->firsts[p->nr_firsts] = f;
	if (f.waker_open)
		wake_open_first(b, &wake, p->nr_firsts);
	from->beside[entry].first = p->nr_firsts++;
}

void firsts_merge(struct build *b, struct profile *from,
		  const struct rows *rows)
{
	for (uint32_t i = 0; i < from->nr_entries; i++) {
		uint32_t first = from->beside[i].first;

		if (first != MODEL_NONE)
			merge_first_slice(b, from, i, from->firsts[first], rows);
	}
}

/* Copies a coroutine that no shard before has seen. Returns its entry. */
static uint32_t merge_new_coroutine(struct build *b, const struct profile *from,
				    uint32_t entry, const struct rows *rows)
{
	struct profile *p = b->profile;
	const struct model_coroutine *c = &from->coroutines[entry];
	uint32_t to = coroutine_take_entry(b, c->process, c->id);

	if (to == MODEL_NONE) {
		p->unordered = true;
		return MODEL_NONE;
	}
	p->coroutines[to] = *c;
	p->coroutines[to].label = row_to(rows->labels, c->label);
	p->beside[to] = from->beside[entry];
	p->beside[to].first_label = row_to(rows->labels,
					   from->beside[entry].first_label);
	memcpy(coroutine_sums(b, p, to), coroutine_sums(b, from, entry),
	       sums_stride(b) * sizeof(*p->coroutine_sums));
	p->nr_folded += to >= b->options.coroutines &&
			entry < b->options.coroutines;
	if (coroutine_is_of_shard(p, c))
		wakes_settle(b, c->process, c->id, p->beside[to].first_label);
	return to;
}

/* @to: the entry that the coroutine has in the shards before. */
static void merge_known_coroutine(struct build *b, const struct profile *from,
				  uint32_t entry, const struct rows *rows,
				  struct model_coroutine *to)
{
	struct profile *p = b->profile;
	const struct model_coroutine *c = &from->coroutines[entry];
	const struct profile_coroutine *beside = &from->beside[entry];
	bool thread = c->flags & MODEL_COROUTINE_THREAD, ends;

	p->unordered |= !thread && (c->flags & MODEL_COROUTINE_BORN ||
				    to->flags & MODEL_COROUTINE_ENDED);
	p->labels[to->label].coroutines--;
	if (to->label != row_to(rows->labels, beside->first_label)) {
		p->labels[to->label].renamed++;
		to->flags |= MODEL_COROUTINE_RENAMED;
	}
	to->label = row_to(rows->labels, c->label);
	times_sum(&to->times, &c->times);
	sums_merge(b, coroutine_sums(b, p, coroutine_entry(p, to)), coroutine_sums(b, from, entry));
	ends = to->flags & MODEL_COROUTINE_BORN && !(to->flags & MODEL_COROUTINE_ENDED) &&
	       c->flags & MODEL_COROUTINE_ENDED && !(c->flags & MODEL_COROUTINE_BORN);
	to->flags |= c->flags;
	to->carried |= c->carried;
	to->migrations += c->migrations;
	to->threads |= c->threads;
	to->channel = c->channel;
	if (c->last_ns > to->last_ns)
		to->last_ns = c->last_ns;
	if (c->max_ns > to->max_ns)
		to->max_ns = c->max_ns;
	p->beside[coroutine_entry(p, to)].left = beside->left;
	p->beside[coroutine_entry(p, to)].number = beside->number;
	if (ends)
		latency_life(b, to, coroutine_sums(b, p, coroutine_entry(p, to)));
	p->nr_folded -= entry >= b->options.coroutines;
	p->nr_coroutines -= !thread;
	p->processes[c->process].coroutines -= !thread;
}

static uint32_t merge_coroutine(struct build *b, const struct profile *from,
				uint32_t entry, const struct rows *rows)
{
	const struct model_coroutine *c = &from->coroutines[entry];
	struct model_coroutine *to = coroutine_find(b->profile, c->process,
						    c->id);
	uint32_t at;

	if (to) {
		at = coroutine_entry(b->profile, to);
		merge_known_coroutine(b, from, entry, rows, to);
	} else {
		at = merge_new_coroutine(b, from, entry, rows);
		if (at == MODEL_NONE)
			return MODEL_NONE;
	}
	to = &b->profile->coroutines[at];
	if (to->flags & MODEL_COROUTINE_ENDED)
		coroutine_end(b, to);
	return coroutine_row_at(b, at);
}

/* So many are merged before their memory is given back. */
#define FORGET_EACH	4096u

void coroutines_merge(struct build *b, const struct profile *from,
		      struct rows *rows)
{
	struct profile *p = b->profile;
	size_t stride = sums_stride(b);

	p->nr_folded += from->nr_folded;
	p->nr_coroutines += from->nr_coroutines;
	for (uint32_t i = 0; i < b->model->nr_processes; i++)
		p->processes[i].coroutines += from->processes[i].coroutines;
	rows->entries = calloc((size_t)from->nr_entries + 1, sizeof(*rows->entries));
	if (!rows->entries)
		b->out_of_memory = true;
	/* In the order of their first slices, as far as they have rows. */
	for (uint32_t i = 0; rows->entries && i < from->nr_entries; i++) {
		const struct model_coroutine *c = &from->coroutines[i];

		/* Those before are not asked for again: both tables together take little more than one. */
		if (i % FORGET_EACH == 0) {
			array_forget(from->coroutines, i * sizeof(*from->coroutines));
			array_forget(from->beside, i * sizeof(*from->beside));
			array_forget(from->coroutine_sums, i * stride * sizeof(*from->coroutine_sums));
		}
		/* A free entry is found by no coroutine. */
		rows->entries[i] = index_get(&from->coroutine_index, c->id, c->process) == i ?
				   merge_coroutine(b, from, i, rows) : MODEL_NONE;
	}
}
