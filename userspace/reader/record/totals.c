// SPDX-License-Identifier: GPL-2.0
/*
 * Maps the slots of processes in a session of totals, copies them when a process ends, and writes
 * those that had slices, minus what they had when the session began.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/warn.h"
#include "cprof/format.h"
#include "record/totals.h"

/* Slots of a segment: of less than CPROF_PAYLOAD_MAX. */
#define SLOTS_MAX	16384u

/* A slot that changes while it is read is read again so often. */
#define TRIES		4

/**
 * struct before - a slot of COROPROF_ID_ENDED as it was before the recording
 * @number: of it
 * @slot:   what was in it
 */
struct before {
	uint32_t number;
	struct coroprof_slot slot;
};

/**
 * struct seen - one process
 * @process_id: number of the process object
 * @view:       its slots; -1 once it has ended, or if they can't be seen
 * @epoch:      slots of this one or later are of the recording
 * @slots:      mapped, or NULL
 * @bytes:      of that
 * @before:     what had ended before, by number
 * @nr_before:  how many
 * @last:       once it has ended: its slots
 */
struct seen {
	__u32 process_id;
	int view;
	__u32 epoch;
	const struct coroprof_slot *slots;
	size_t bytes;
	struct before *before;
	size_t nr_before;
	struct buffer last;
};

/*
 * Copies a slot that the process may be writing: reads until two copies are equal. If they are, the
 * copy is whole, or a thread was stopped in the middle of an update: then a part of its slice is
 * missing until it goes on.
 */
static struct coroprof_slot copy_slot(const struct coroprof_slot *from)
{
	struct coroprof_slot one, other;
	int tries = TRIES;

	do {
		memcpy(&one, from, sizeof(one));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		__asm__ volatile("" : : : "memory");
		memcpy(&other, from, sizeof(other));
	} while (memcmp(&one, &other, sizeof(one)) && --tries);
	return other;
}

/* Calls @take for each slot that has had slices. */
static int for_each_slot(struct seen *s, int (*take)(struct seen *s, uint32_t number,
						     struct coroprof_slot *slot, void *context,
						     struct error *err),
			 void *context, struct error *err)
{
	__u32 from = 0, nr;
	int ret = 0;

	while (!ret) {
		ret = session_touched(s->view, &from, &nr, err);
		if (ret || !nr)
			break;
		for (__u32 i = from; !ret && i < from + nr; i++) {
			struct coroprof_slot slot = copy_slot(&s->slots[i]);

			if (slot.slices)
				ret = take(s, i, &slot, context, err);
		}
		from += nr;
	}
	return ret;
}

static int note_slot_before(struct seen *s, uint32_t number, struct coroprof_slot *slot,
			    void *context, struct error *err)
{
	void *more;

	(void)context;
	if (!(slot->id & COROPROF_ID_ENDED))
		return 0;
	more = reallocarray(s->before, s->nr_before + 1, sizeof(*s->before));
	if (!more)
		return error_set(err, ENOMEM, "out of memory for slots");
	s->before = more;
	s->before[s->nr_before++] = (struct before){ number, *slot };
	return 0;
}

static const struct coroprof_slot *find_slot_before(const struct seen *s, uint32_t number)
{
	for (size_t i = 0; i < s->nr_before; i++)
		if (s->before[i].number == number)
			return &s->before[i].slot;
	return NULL;
}

/* Slots of ended coroutines only ever grow, so the difference is what was added. */
static void subtract_slot(struct coroprof_slot *slot, const struct coroprof_slot *old)
{
	slot->tag -= old->tag;
	slot->slices -= old->slices;
	slot->running_ns -= old->running_ns;
	slot->preempted_ns -= old->preempted_ns;
	slot->blocked_ns -= old->blocked_ns;
	slot->nr_preempted -= old->nr_preempted;
	slot->nr_blocked -= old->nr_blocked;
	for (unsigned int i = 0; i < COROPROF_COUNTERS_MAX; i++) {
		slot->count[i] -= old->count[i];
		slot->missing_ns[i] -= old->missing_ns[i];
	}
}

static int append_slot(struct seen *s, uint32_t number, struct coroprof_slot *slot,
		       void *context, struct error *err)
{
	const struct coroprof_slot *old = find_slot_before(s, number);

	if ((__s32)(slot->since - s->epoch) < 0)
		return 0;
	if (old && slot->id & COROPROF_ID_ENDED)
		subtract_slot(slot, old);
	return slot->slices ? buffer_append(context, slot, sizeof(*slot), err) : 0;
}

static void close_view(struct seen *s)
{
	if (s->view < 0)
		return;
	session_unmap_view(s->view, s->slots, s->bytes);
	s->view = -1;
	s->slots = NULL;
}

static void free_process(struct seen *s)
{
	close_view(s);
	free(s->before);
	buffer_free(&s->last);
}

static struct seen *add_process(struct totals *t, struct error *err)
{
	size_t capacity = t->capacity ? 2 * t->capacity : 16;
	void *all;

	if (t->nr == t->capacity) {
		all = reallocarray(t->all, capacity, sizeof(*t->all));
		if (!all) {
			error_set(err, ENOMEM, "out of memory for processes");
			return NULL;
		}
		t->all = all;
		t->capacity = capacity;
	}
	t->all[t->nr] = (struct seen){ .view = -1 };
	return &t->all[t->nr++];
}

int totals_begin(struct totals *t, __u32 process_id, struct error *err)
{
	struct seen *s = add_process(t, err);
	struct error why;

	if (!s)
		return -err->code;
	s->process_id = process_id;
	s->view = session_view(t->session, process_id, &s->epoch, &s->slots, &s->bytes, &why);
	if (s->view >= 0)
		return for_each_slot(s, note_slot_before, NULL, err);
	if (!t->failed++)
		warn("%s", why.message);
	return 0;
}

void totals_start(struct totals *t)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->all[i].view >= 0)
			session_epoch(t->session, t->all[i].process_id, &t->all[i].epoch);
}

static struct seen *find_process(struct totals *t, __u32 process_id)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->all[i].process_id == process_id && t->all[i].view >= 0)
			return &t->all[i];
	return NULL;
}

int totals_end(struct totals *t, __u32 process_id, struct error *err)
{
	struct seen *s = find_process(t, process_id);
	int ret;

	if (!s)
		return 0;
	ret = for_each_slot(s, append_slot, &s->last, err);
	close_view(s);
	return ret;
}

/* Writes as many segments as the slots need. */
static int write_slots(struct totals *t, const struct seen *s, const struct buffer *slots,
		       struct error *err)
{
	const struct cprof_totals head = { s->process_id, sizeof(struct coroprof_slot) };
	const size_t most = SLOTS_MAX * sizeof(struct coroprof_slot);
	size_t at = 0, size;
	int ret = 0;

	for (; !ret && at < slots->size; at += size) {
		size = slots->size - at < most ? slots->size - at : most;
		t->payload.size = 0;
		ret = buffer_append(&t->payload, &head, sizeof(head), err);
		if (!ret)
			ret = buffer_append(&t->payload, slots->data + at, size, err);
		if (!ret)
			ret = writer_segment(t->writer, CPROF_SEGMENT_TOTALS, t->payload.data,
					     t->payload.size, err);
	}
	return ret;
}

int totals_write(struct totals *t, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < t->nr; i++) {
		struct seen *s = &t->all[i];
		struct buffer now = { 0 };

		if (s->view >= 0)
			ret = for_each_slot(s, append_slot, &now, err);
		if (!ret)
			ret = write_slots(t, s, s->view >= 0 ? &now : &s->last, err);
		buffer_free(&now);
	}
	return ret;
}

void totals_free(struct totals *t)
{
	for (size_t i = 0; i < t->nr; i++)
		free_process(&t->all[i]);
	free(t->all);
	buffer_free(&t->payload);
	*t = (struct totals){ 0 };
}
