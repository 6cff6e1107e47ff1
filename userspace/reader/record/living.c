// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps the coroutines that live, so that a file of the flight recorder has births that are in no
 * kept record any more. Memory is bounded: coroutines for which there is no room are left out.
 */
#include <stdlib.h>
#include <string.h>

#include "coroprof.h"
#include "cprof/format.h"
#include "record/living.h"
#include "record/packed.h"

#define NONE	UINT32_MAX

/* So many are in one segment. */
#define SEGMENT_MAX	65536u

/**
 * struct living_coroutine - one of them
 * @id:      its number; 0: this row is free
 * @parent:  with @born: who created it
 * @tag:     likewise
 * @begin:   when its first slice began, of those that were seen
 * @tick:    of that slice; of one that has ended, of its last
 * @began:   of one that has ended: of its first
 * @process: whose it is
 * @slot:    where it is; of a free row the next one
 * @label:   its last
 * @born:    its first slice was seen
 */
struct living_coroutine {
	uint64_t id;
	uint64_t parent;
	uint64_t tag;
	uint64_t begin;
	uint64_t tick;
	uint64_t began;
	uint32_t process;
	uint32_t slot;
	uint32_t label;
	bool born;
};

void living_begin(struct living *l, size_t bytes)
{
	*l = (struct living){ .free = NONE };
	/* With the index, which is filled by half at least. */
	l->most = bytes / (sizeof(struct living_coroutine) + 4 * sizeof(struct index_entry));
}

static bool is_full(const struct living *l)
{
	return l->nr_rows + l->nr_ended >= l->most;
}

static uint32_t allocate_row(struct living *l)
{
	uint32_t row = l->free;

	if (row != NONE) {
		l->free = l->rows[row].slot;
		return row;
	}
	if (is_full(l) || !array_grow(&l->rows, l->nr_rows, sizeof(*l->rows)))
		return NONE;
	return l->nr_rows++;
}

static void free_row(struct living *l, uint32_t row)
{
	index_remove(&l->index, l->rows[row].slot, l->rows[row].process);
	l->rows[row] = (struct living_coroutine){ .slot = l->free };
	l->free = row;
}

/* A coroutine that began and ended in one tick is not kept: it goes with all of its slices. */
static void move_to_ended(struct living *l, const struct living_coroutine *c, uint64_t tick)
{
	if (c->tick == tick)
		return;
	if (is_full(l) || !array_grow(&l->ended, l->nr_ended, sizeof(*l->ended))) {
		l->left_out++;
		return;
	}
	l->ended[l->nr_ended] = *c;
	l->ended[l->nr_ended].began = c->tick;
	l->ended[l->nr_ended++].tick = tick;
}

/**
 * struct seen - a slice, and where it is from
 */
struct seen {
	const struct coroprof_record_slice *slice;
	uint32_t process;
	uint64_t tick;
	uint64_t begin;
};

static void set_birth(struct living_coroutine *c, const struct seen *s)
{
	struct packed_parts parts;

	if (!packed_parts(&parts, s->slice))
		return;
	c->parent = parts.fresh.parent;
	c->tag = parts.fresh.tag;
	c->born = true;
}

static uint32_t add_coroutine(struct living *l, const struct seen *s)
{
	uint32_t row = allocate_row(l);

	if (row == NONE)
		goto left_out;
	l->rows[row] = (struct living_coroutine){
		.id = s->slice->id, .begin = s->begin, .tick = s->tick, .process = s->process,
		.slot = s->slice->slot, .label = s->slice->label,
	};
	if (index_put(&l->index, s->slice->slot, s->process, row))
		return row;
	l->rows[row] = (struct living_coroutine){ .slot = l->free };
	l->free = row;
left_out:
	l->left_out++;
	return NONE;
}

/*
 * The row of the slice's coroutine, a new one if need be. Rings are read one after the other, so
 * this slice may be older than one that was read before: then it is ignored.
 */
static uint32_t find_or_add_row(struct living *l, const struct seen *s)
{
	uint32_t row = index_get(&l->index, s->slice->slot, s->process);

	if (row == NONE)
		return add_coroutine(l, s);
	if (l->rows[row].id == s->slice->id)
		return row;
	if (s->begin < l->rows[row].begin)
		return NONE;
	move_to_ended(l, &l->rows[row], s->tick);
	free_row(l, row);
	return add_coroutine(l, s);
}

static uint64_t label_key(uint32_t process, uint32_t label)
{
	return (uint64_t)process << 32 | label;
}

static void update_from_slice(struct living *l, const struct seen *s)
{
	struct living_recent *recent = &l->recent[s->slice->slot % LIVING_RECENT];
	uint32_t row = find_or_add_row(l, s);
	struct living_coroutine *c;

	if (row == NONE)
		return;
	c = &l->rows[row];
	c->label = s->slice->label;
	if (s->slice->flags & COROPROF_SLICE_FRESH)
		set_birth(c, s);
	*recent = (struct living_recent){ c->id, label_key(c->process, c->label) };
	if (s->slice->flags & COROPROF_SLICE_END) {
		move_to_ended(l, c, s->tick);
		free_row(l, row);
		*recent = (struct living_recent){ 0 };
	}
}

#define CHANGES	(COROPROF_SLICE_FRESH | COROPROF_SLICE_END)

/*
 * The common case: the coroutine has been seen, its label is the same, and it neither begins nor
 * ends.
 */
static inline bool is_known_and_goes_on(const struct living *l, uint64_t process,
					const struct coroprof_record_slice *s)
{
	const struct living_recent *recent = &l->recent[s->slot % LIVING_RECENT];

	return recent->id == s->id && recent->key == (process | s->label) && !(s->flags & CHANGES);
}

static __attribute__((noinline)) void handle_slice(struct living *l, uint32_t process_id,
						   uint64_t tick,
						   const struct coroprof_record_slice *slice)
{
	const struct seen s = {
		.slice = slice, .process = process_id, .tick = tick,
		.begin = slice->time - slice->duration,
	};

	if (!(slice->id & COROPROF_ID_THREAD))
		update_from_slice(l, &s);
}

void living_look(struct living *l, uint32_t process_id, uint64_t tick, const void *records,
		 size_t size)
{
	const uint64_t process = label_key(process_id, 0);
	const struct coroprof_record *record;
	const char *at = records;

	while ((record = packed_next(&at, &size))) {
		const struct coroprof_record_slice *slice = (const void *)record;

		if (record->type == COROPROF_RECORD_SLICE && record->size >= sizeof(*slice) &&
		    !is_known_and_goes_on(l, process, slice))
			handle_slice(l, process_id, tick, slice);
	}
}

void living_forget(struct living *l, uint64_t first)
{
	size_t nr = 0;

	while (nr < l->nr_ended && l->ended[nr].tick < first)
		nr++;
	if (!nr)
		return;
	l->nr_ended -= nr;
	memmove(l->ended, l->ended + nr, l->nr_ended * sizeof(*l->ended));
}

void living_sift(struct living *l, bool (*is_gone)(void *context, uint32_t process_id),
		 void *context)
{
	size_t kept = 0;

	for (uint32_t i = 0; i < l->nr_rows; i++)
		if (l->rows[i].id && is_gone(context, l->rows[i].process))
			free_row(l, i);
	for (size_t i = 0; i < l->nr_ended; i++)
		if (!is_gone(context, l->ended[i].process))
			l->ended[kept++] = l->ended[i];
	l->nr_ended = kept;
	memset(l->recent, 0, sizeof(l->recent));
}

static int append_coroutine(struct buffer *payload, const struct living_coroutine *c,
			    struct error *err)
{
	const struct cprof_coroutine to = {
		.id = c->id,
		.parent = c->parent,
		.tag = c->tag,
		.born = c->born ? c->begin : 0,
		.label = c->label,
		.flags = c->born ? CPROF_COROUTINE_BORN : 0,
	};

	return buffer_append(payload, &to, sizeof(to), err);
}

bool living_describe(const struct living *l, uint32_t process_id, uint64_t first,
		     size_t *place, struct buffer *payload, struct error *err)
{
	const struct cprof_coroutines head = { process_id, sizeof(struct cprof_coroutine) };
	size_t all = l->nr_rows + l->nr_ended;
	uint32_t nr = 0;
	int ret;

	payload->size = 0;
	ret = buffer_append(payload, &head, sizeof(head), err);
	for (; !ret && *place < all && nr < SEGMENT_MAX; ++*place) {
		const struct living_coroutine *c = *place < l->nr_rows ? &l->rows[*place] :
						   &l->ended[*place - l->nr_rows];
		bool lives = *place < l->nr_rows;
		uint64_t began = lives ? c->tick : c->began;

		if (!c->id || c->process != process_id || began >= first ||
		    (!lives && c->tick < first))
			continue;
		ret = append_coroutine(payload, c, err);
		nr++;
	}
	return !ret && nr;
}

size_t living_bytes(const struct living *l)
{
	return (l->nr_rows + l->nr_ended) * sizeof(struct living_coroutine) + index_bytes(&l->index);
}

void living_free(struct living *l)
{
	free(l->rows);
	free(l->ended);
	index_free(&l->index);
	*l = (struct living){ .free = NONE };
}
