// SPDX-License-Identifier: GPL-2.0
/*
 * A recording of totals: reads the slots of its processes, as they were at its end, in place of
 * slices. What the threads' own totals have beyond all slots becomes a row of its own, so that all
 * that ran is in some row. Slots are written by the program itself, the threads' totals by the
 * kernel: slots with a larger sum are wrong.
 */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "events/events.h"
#include "profile/build.h"
#include "profile/coroutines.h"
#include "profile/damage.h"
#include "profile/labels.h"
#include "profile/sums.h"
#include "profile/times.h"
#include "profile/totals.h"

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* ---- threads: what the kernel says of them */

/* Without slices, the sums of a thread are the kernel's totals of it. */
static void set_thread_sums(struct build *b, uint32_t channel)
{
	const struct coroprof_channel_status *s = &b->channels[channel].status;
	struct profile_channel *c = &b->profile->channels[channel];
	struct model_sum *sums = &b->profile->channel_sums[(size_t)channel * sums_stride(b)];
	const struct sum_rows rows = { 1, { sums } };
	struct record sum = {
		.flags = COROPROF_SLICE_SCALED, .standing = (uint16_t)s->standing,
		.running_ns = s->running_ns,
	};

	memcpy(sum.count, s->count, sizeof(sum.count));
	memcpy(sum.missing_ns, s->missing_ns, sizeof(sum.missing_ns));
	c->times.slices = s->slices;
	c->times.running_ns = s->running_ns;
	c->times.preempted_ns = s->preempted_ns;
	c->times.blocked_ns = s->blocked_ns;
	c->last_ns = s->begin + s->running_ns + s->preempted_ns + s->blocked_ns;
	if (s->slices)
		sums_add(b, &rows, channel, &sum);
}

static bool have_same_counters(const struct build *b, uint32_t one, uint32_t other)
{
	const struct model_channel *x = &b->model->channels[one];
	const struct model_channel *y = &b->model->channels[other];

	return x->nr_counters == y->nr_counters &&
	       !memcmp(x->counters, y->counters, x->nr_counters);
}

/*
 * True of the program's own counter, to which it may add a negative number: its sums are modulo
 * 2^64.
 */
static bool may_decrease(const struct build *b, uint32_t channel, uint32_t counter)
{
	const struct model_channel *c = &b->model->channels[channel];

	return counter < c->nr_counters && c->counters[counter] != UINT8_MAX &&
	       event_is_program(&b->model->counters[c->counters[counter]].counter);
}

/*
 * Sets the sums of threads, and of each process which counters its slots have: known if all of its
 * threads have the same.
 */
static void set_all_thread_sums(struct build *b)
{
	bool mixed;

	for (uint32_t i = 0; i < b->model->nr_processes; i++) {
		struct build_process *p = &b->processes[i];

		p->counts_as = MODEL_NONE;
		mixed = false;
		for (uint32_t k = 0; k < b->model->nr_channels; k++) {
			if (b->model->channels[k].process != i || !b->channels[k].has_status ||
			    b->model->channels[k].error)
				continue;
			set_thread_sums(b, k);
			if (p->counts_as == MODEL_NONE)
				p->counts_as = k;
			mixed |= !have_same_counters(b, p->counts_as, k);
		}
		if (mixed)
			p->counts_as = MODEL_NONE;
	}
}

/* ---- slots */

/* Counters whose kind is not known for all threads of the process are in none of its sums. */
static void add_slot_counts(struct build *b, uint32_t process, const struct sum_rows *rows,
			    const struct coroprof_slot *slot)
{
	struct build_process *p = &b->processes[process];
	struct record sum = {
		.flags = COROPROF_SLICE_SCALED, .standing = (uint16_t)slot->standing,
		.running_ns = slot->running_ns,
	};

	if (p->counts_as == MODEL_NONE) {
		for (uint32_t row = 0; row < rows->nr; row++)
			for (uint32_t i = 0; i < b->model->nr_counters; i++)
				rows->row[row][i].seen |= SUM_ELSEWHERE;
		return;
	}
	memcpy(sum.count, slot->count, sizeof(sum.count));
	memcpy(sum.missing_ns, slot->missing_ns, sizeof(sum.missing_ns));
	sums_add(b, rows, p->counts_as, &sum);
	for (uint32_t i = 0; i < COROPROF_COUNTERS_MAX; i++)
		p->slots_count[i] = may_decrease(b, p->counts_as, i) ?
				    p->slots_count[i] + slot->count[i] :
				    add_saturated(p->slots_count[i], slot->count[i]);
}

/* A thread's own slot that sleeps outside any coroutine is idle. */
static struct model_times slot_times(const struct coroprof_slot *slot)
{
	bool thread = slot->id & COROPROF_ID_THREAD;

	return (struct model_times){
		.slices = slot->slices, .running_ns = slot->running_ns,
		.preempted_ns = slot->preempted_ns, .nr_preempted = slot->nr_preempted,
		.blocked_ns = thread ? 0 : slot->blocked_ns,
		.nr_blocked = thread ? 0 : slot->nr_blocked,
		.idle_ns = thread ? slot->blocked_ns : 0,
		.nr_idle = thread ? slot->nr_blocked : 0,
	};
}

/*
 * Ended coroutines share one slot for each label, so they have no rows of their own; its tag is
 * their number.
 */
static void count_ended_coroutines(struct build *b, uint32_t process, uint32_t label,
				   const struct coroprof_slot *slot)
{
	struct profile *p = b->profile;

	p->labels[label].coroutines += slot->tag;
	if (slot->id & COROPROF_ID_THREAD)
		return;
	p->nr_folded += slot->tag;
	p->nr_coroutines += slot->tag;
	p->processes[process].coroutines += slot->tag;
}

/* The channel of the thread whose own slot @slot is; MODEL_NONE if it is a coroutine's. */
static uint32_t slot_channel(const struct build *b, uint32_t process,
			     const struct coroprof_slot *slot)
{
	uint32_t row = slot->id & COROPROF_ID_THREAD && slot->tag <= INT32_MAX ?
		       index_get(&b->thread_index, (uint32_t)slot->tag, process) : INDEX_NONE;

	return row == INDEX_NONE ? MODEL_NONE : row;
}

/*
 * The entry of the slot's coroutine, or MODEL_NONE if the slot is that of ended ones, or there is
 * no room.
 */
static uint32_t add_coroutine(struct build *b, uint32_t process, uint32_t label,
			      const struct coroprof_slot *slot)
{
	const struct model_times times = slot_times(slot);
	struct profile *p = b->profile;
	struct model_coroutine *c;
	uint32_t entry;

	if (slot->id & COROPROF_ID_ENDED) {
		count_ended_coroutines(b, process, label, slot);
		return MODEL_NONE;
	}
	entry = coroutine_search(b, process, slot->id);
	p->labels[label].coroutines++;
	if (entry == MODEL_NONE)
		return MODEL_NONE;
	c = &p->coroutines[entry];
	/* Twice in a file it is nobody's: the sums will say. */
	if (c->label != MODEL_NONE)
		p->labels[c->label].coroutines--;
	c->label = label;
	c->parent = slot->parent;
	c->tag = slot->tag;
	c->channel = slot_channel(b, process, slot);
	times_sum(&c->times, &times);
	return entry;
}

static void add_slot(struct build *b, uint32_t process, const struct coroprof_slot *slot)
{
	uint32_t label = label_of(b, process, slot->label, slot->id & COROPROF_ID_THREAD), entry;
	const struct model_times times = slot_times(slot);
	struct model_times *all = &b->processes[process].slots;
	size_t stride = sums_stride(b);
	struct sum_rows rows = { .nr = 0 };

	if (label == MODEL_NONE)
		return;
	entry = add_coroutine(b, process, label, slot);
	if (b->out_of_memory)
		return;
	times_sum(&b->profile->labels[label].times, &times);
	all->slices = add_saturated(all->slices, slot->slices);
	all->running_ns = add_saturated(all->running_ns, slot->running_ns);
	all->preempted_ns = add_saturated(all->preempted_ns, slot->preempted_ns);
	all->blocked_ns = add_saturated(all->blocked_ns, slot->blocked_ns);
	rows.row[rows.nr++] = &b->profile->label_sums[label * stride];
	if (entry != MODEL_NONE)
		rows.row[rows.nr++] = &b->profile->coroutine_sums[entry * stride];
	add_slot_counts(b, process, &rows, slot);
}

/* @size: bytes of the segment's payload @at. */
static void add_totals_segment(struct build *b, const struct file_segment *s, const char *at,
			       size_t size)
{
	struct coroprof_slot slot;
	struct cprof_totals head;
	uint32_t process;

	if (size >= sizeof(head))
		memcpy(&head, at, sizeof(head));
	if (size < sizeof(head) || head.slot_size < sizeof(slot) ||
	    (size - sizeof(head)) % head.slot_size) {
		damage_add(b, s->offset, MODEL_NONE, "totals of an impossible size are skipped");
		return;
	}
	process = index_get(&b->process_index, head.process_id, 0);
	if (process == INDEX_NONE) {
		damage_add(b, s->offset, MODEL_NONE,
			   "totals of process %" PRIu32 ", which no record announces, are skipped",
			   head.process_id);
		return;
	}
	for (size_t i = sizeof(head); i < size && !b->out_of_memory; i += head.slot_size) {
		memcpy(&slot, at + i, sizeof(slot));
		if (slot.slices)
			add_slot(b, process, &slot);
	}
}

/* ---- what is in no slot */

/* The sum of the totals of all threads of a process, in the form of a slot. */
static struct coroprof_slot sum_thread_totals(const struct build *b, uint32_t process)
{
	struct coroprof_slot all = { 0 };

	for (uint32_t i = 0; i < b->model->nr_channels; i++) {
		const struct coroprof_channel_status *s = &b->channels[i].status;

		if (b->model->channels[i].process != process || !b->channels[i].has_status)
			continue;
		all.slices += s->slices;
		all.running_ns += s->running_ns;
		all.preempted_ns += s->preempted_ns;
		all.blocked_ns += s->blocked_ns;
		all.standing |= s->standing;
		for (uint32_t n = 0; n < COROPROF_COUNTERS_MAX; n++)
			all.count[n] += s->count[n];
	}
	return all;
}

static uint64_t less_or_zero(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void add_rest_row(struct build *b, uint32_t process)
{
	const struct build_process *p = &b->processes[process];
	struct coroprof_slot rest = sum_thread_totals(b, process);
	struct model_times times;
	struct sum_rows rows = { .nr = 1 };
	uint32_t label;

	rest.slices = less_or_zero(rest.slices, p->slots.slices);
	rest.running_ns = less_or_zero(rest.running_ns, p->slots.running_ns);
	rest.preempted_ns = less_or_zero(rest.preempted_ns, p->slots.preempted_ns);
	rest.blocked_ns = less_or_zero(rest.blocked_ns, p->slots.blocked_ns);
	for (uint32_t i = 0; i < COROPROF_COUNTERS_MAX; i++)
		rest.count[i] = p->counts_as != MODEL_NONE && may_decrease(b, p->counts_as, i) ?
				rest.count[i] - p->slots_count[i] :
				less_or_zero(rest.count[i], p->slots_count[i]);
	times = slot_times(&rest);
	if (!rest.slices && !rest.running_ns && !rest.preempted_ns && !rest.blocked_ns)
		return;
	label = label_of_rest(b, process);
	if (label == MODEL_NONE)
		return;
	times_sum(&b->profile->labels[label].times, &times);
	rows.row[0] = &b->profile->label_sums[label * sums_stride(b)];
	if (p->counts_as != MODEL_NONE)
		add_slot_counts(b, process, &rows, &rest);
}

void totals_add(struct build *b)
{
	struct buffer payload = { 0 };

	set_all_thread_sums(b);
	for (size_t i = 0; i < b->file->nr_segments; i++) {
		const struct file_segment *s = &b->file->segments[i];
		struct error err = ERROR_NONE;

		if (s->type != CPROF_SEGMENT_TOTALS)
			continue;
		payload.size = 0;
		if (buffer_reserve(&payload, s->size, &err))
			b->out_of_memory = true;
		else if (!file_read(b->file, i, payload.data, &err))
			add_totals_segment(b, s, payload.data, s->size);
		else
			segment_unread(b, s, MODEL_NONE, "totals", &err);
	}
	buffer_free(&payload);
	for (uint32_t i = 0; i < b->model->nr_processes && !b->out_of_memory; i++)
		add_rest_row(b, i);
}

/* Returns NULL if the slots sum to no more than the threads' totals. */
static char *describe_excess(struct build *b, const char *what, uint64_t slots, uint64_t threads)
{
	if (slots <= threads)
		return NULL;
	return build_format(b, "%s: the slots of its process, which the program itself writes, sum to %" PRIu64 ", the totals of its threads say %" PRIu64,
			    what, slots, threads);
}

char *totals_differ(struct build *b, uint32_t channel)
{
	const struct model_channel *c = &b->model->channels[channel];
	const struct build_process *p = &b->processes[c->process];
	const struct coroprof_slot all = sum_thread_totals(b, c->process);
	char *text = describe_excess(b, "number of slices", p->slots.slices, all.slices);

	if (!text)
		text = describe_excess(b, "running ns", p->slots.running_ns, all.running_ns);
	if (!text)
		text = describe_excess(b, "preempted ns", p->slots.preempted_ns, all.preempted_ns);
	if (!text)
		text = describe_excess(b, "blocked ns", p->slots.blocked_ns, all.blocked_ns);
	for (uint32_t i = 0; !text && p->counts_as != MODEL_NONE && i < c->nr_counters; i++)
		if (c->counters[i] != UINT8_MAX && !may_decrease(b, channel, i))
			text = describe_excess(b, b->model->counters[c->counters[i]].name,
					       p->slots_count[i], all.count[i]);
	return text;
}
