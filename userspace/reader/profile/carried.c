// SPDX-License-Identifier: GPL-2.0
/*
 * Coroutines that began before a recording of the last seconds does, from COROUTINES segments: what
 * their first slices, which are not kept, had said.
 */
#include <string.h>

#include "profile/build.h"
#include "profile/carried.h"
#include "profile/labels.h"
#include "profile/wakes.h"

void carried_add(struct build *b, const void *payload, size_t size)
{
	const char *p = payload;
	struct cprof_coroutines head;
	uint32_t process;

	if (size < sizeof(head))
		return;
	memcpy(&head, p, sizeof(head));
	process = index_get(&b->process_index, head.process_id, 0);
	p += sizeof(head);
	size -= sizeof(head);
	if (process == INDEX_NONE || head.size < sizeof(struct cprof_coroutine) || head.size % 8)
		return;
	for (; size >= head.size; p += head.size, size -= head.size) {
		struct cprof_coroutine c;

		memcpy(&c, p, sizeof(c));
		if (b->nr_carried >= b->options.coroutines ||
		    !build_grow(b, &b->carried, b->nr_carried, sizeof(*b->carried)))
			return;
		if (!index_put(&b->carried_index, c.id, process, b->nr_carried)) {
			b->out_of_memory = true;
			return;
		}
		b->carried[b->nr_carried++] = c;
	}
}

const struct cprof_coroutine *carried_find(const struct build *b, uint32_t process, uint64_t id)
{
	uint32_t row = index_get(&b->carried_index, id, process);

	return row == INDEX_NONE ? NULL : &b->carried[row];
}

void carried_set(const struct build *b, struct model_coroutine *c)
{
	const struct cprof_coroutine *carried = carried_find(b, c->process, c->id);

	if (!carried || !(carried->flags & CPROF_COROUTINE_BORN))
		return;
	c->carried = true;
	c->parent = carried->parent;
	c->tag = carried->tag;
}

/*
 * Sets it in each entry in use that has had a slice: free entries have no process, and a coroutine
 * without a slice has no channel.
 */
static void set_carried_of_all_entries(struct build *b)
{
	struct profile *p = b->profile;

	for (uint32_t i = 0; i < p->nr_entries; i++) {
		struct model_coroutine *c = &p->coroutines[i];

		if (c->process != MODEL_NONE && c->channel != MODEL_NONE &&
		    !(c->flags & MODEL_COROUTINE_BORN))
			carried_set(b, c);
	}
}

/*
 * Settles the wakes by coroutines that have no slice in the recording: their label is the carried
 * one.
 */
void carried_finish(struct build *b)
{
	struct profile *p = b->profile;

	if (b->nr_carried && b->in_ticks)
		set_carried_of_all_entries(b);
	for (uint32_t i = 0; b->nr_carried && i < p->nr_open_wakes; i++) {
		const struct profile_wake *open = &p->open_wakes[i];
		const struct cprof_coroutine *c;
		uint32_t label;

		if (!open->waker)
			continue;
		c = carried_find(b, open->process, open->waker);
		label = c ? label_of(b, open->process, c->label, false) : MODEL_NONE;
		if (label != MODEL_NONE)
			wakes_settle(b, open->process, open->waker, label);
	}
}
