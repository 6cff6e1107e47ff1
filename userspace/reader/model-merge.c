// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "build.h"
#include "cprof.h"

/**
 * struct cursor - where the merge is in one channel's ring
 * @time:    of @record: the merge takes the least first
 * @record:  SLICE or LOST
 * @channel: index
 * @next:    in the channel's list of segments, the first not yet unpacked
 * @hole:    something before @record could not be read
 * @offset:  in the file, of the one that is
 * @payload: its bytes
 * @room:    how many there is room for
 * @decode:  in them
 */
struct cursor {
	uint64_t time;
	const struct coroprof_record *record;
	uint32_t channel;
	uint32_t next;
	bool hole;
	uint64_t offset;
	void *payload;
	uint32_t room;
	struct decode decode;
};

/**
 * struct merge - all cursors that have a record, as a binary heap by time
 * @heap:   the heap
 * @nr:     how many
 * @memory: bytes of all payloads
 */
struct merge {
	struct cursor **heap;
	uint32_t nr;
	uint64_t memory;
};

static bool earlier(const struct cursor *a, const struct cursor *b)
{
	return a->time < b->time || (a->time == b->time &&
				     a->channel < b->channel);
}

static void sift_down(struct merge *m, uint32_t i)
{
	struct cursor *c = m->heap[i];
	uint32_t child;

	while ((child = 2 * i + 1) < m->nr) {
		if (child + 1 < m->nr &&
		    earlier(m->heap[child + 1], m->heap[child]))
			child++;
		if (!earlier(m->heap[child], c))
			break;
		m->heap[i] = m->heap[child];
		i = child;
	}
	m->heap[i] = c;
}

/* The next slice can't begin where the one before ended. */
static void damaged(struct build *b, struct cursor *c)
{
	c->hole = true;
	b->channels[c->channel].last_ns = 0;
}

static bool reserve(struct build *b, struct merge *m, struct cursor *c,
		    uint32_t size, struct error *err)
{
	void *payload;

	if (size <= c->room)
		return true;
	if (m->memory - c->room + size > b->options.memory) {
		error_set(err, ENOMEM,
			  "more than %" PRIu64 " MiB would be unpacked at once",
			  b->options.memory >> 20);
		return false;
	}
	payload = realloc(c->payload, size);
	if (!payload) {
		b->out_of_memory = true;
		return false;
	}
	m->memory += size - c->room;
	c->payload = payload;
	c->room = size;
	return true;
}

/* Unpacks the channel's next segment; false if there is none that can be. */
static bool next_segment(struct build *b, struct merge *m, struct cursor *c)
{
	const struct build_channel *bc = &b->channels[c->channel];
	const struct file_segment *s;
	struct error err = ERROR_NONE;

	while (c->next < bc->nr_segments) {
		uint32_t n = bc->segments[c->next++];

		s = &b->file->segments[n];
		c->offset = s->offset;
		if (reserve(b, m, c, s->size, &err) &&
		    !file_read(b->file, n, c->payload, &err)) {
			decode_init(&c->decode, (char *)c->payload +
				    sizeof(struct cprof_ring),
				    s->size - sizeof(struct cprof_ring));
			return true;
		}
		damage_add(b, s->offset, c->channel,
			   "a part of the ring of channel %" PRIu32 " can't be read and is skipped: %s",
			   b->model->channels[c->channel].id, err.message);
		damaged(b, c);
	}
	return false;
}

static void tell_fault(struct build *b, struct cursor *c, size_t position,
		       const char *fault)
{
	damage_add(b, c->offset, c->channel,
		   "a record of the ring of channel %" PRIu32 ", at byte %zu of its segment, is malformed: %s; the rest of the segment is skipped",
		   b->model->channels[c->channel].id,
		   position + sizeof(struct cprof_ring), fault);
	damaged(b, c);
}

static uint64_t time_of(const struct coroprof_record *r)
{
	/* SLICE and LOST have it at the same place. */
	return ((const struct coroprof_record_lost *)(const void *)r)->time;
}

/*
 * Slices of the process may be missing: until the record reached now, or for
 * good if this was the last.
 */
static void tell_missing(struct build *b, const struct cursor *c)
{
	process_lost(b, b->model->channels[c->channel].process,
		     c->record ? c->time : UINT64_MAX);
}

/* A recording with many coroutines does not fit into any cache. */
static void prefetch(const struct build *b, const struct cursor *c)
{
	const struct coroprof_record_slice *s = (const void *)c->record;

	if (s && s->type == COROPROF_RECORD_SLICE)
		index_prefetch(&b->coroutine_index, s->id,
			       b->model->channels[c->channel].process);
}

/* To the next record; at the end, c->record is NULL. */
static void advance(struct build *b, struct merge *m, struct cursor *c)
{
	while (!(c->record = decode_ring(&c->decode))) {
		if (c->decode.fault)
			tell_fault(b, c, c->decode.position, c->decode.fault);
		if (!next_segment(b, m, c))
			break;
	}
	/* A hostile ring may go back in time; the merge does not. */
	if (c->record && time_of(c->record) > c->time)
		c->time = time_of(c->record);
	if (c->hole || (c->record && c->record->type == COROPROF_RECORD_LOST) ||
	    (!c->record && !channel_complete(b, c->channel)))
		tell_missing(b, c);
	c->hole = false;
	prefetch(b, c);
}

static void take(struct build *b, struct cursor *c)
{
	const struct coroprof_record *r = c->record;
	struct decode_slice slice;
	const char *fault;

	if (r->type == COROPROF_RECORD_LOST) {
		slice_lost(b, c->channel, (const void *)r);
		return;
	}
	fault = decode_slice(&slice, (const void *)r,
			     b->model->channels[c->channel].nr_columns);
	if (!fault) {
		slice_add(b, c->channel, &slice);
		return;
	}
	tell_fault(b, c, c->decode.position - r->size, fault);
	c->decode.position = c->decode.size;
}

/*
 * Takes records of the first cursor as long as it stays the first: threads that
 * take turns rarely do so slice by slice.
 */
static void run(struct build *b, struct merge *m)
{
	struct cursor *c = m->heap[0];
	const struct cursor *second = NULL;

	if (m->nr > 1)
		second = m->heap[1];
	if (m->nr > 2 && earlier(m->heap[2], second))
		second = m->heap[2];
	do {
		take(b, c);
		advance(b, m, c);
	} while (c->record && (!second || earlier(c, second)));
}

static void merge_all(struct build *b, struct merge *m)
{
	for (uint32_t i = m->nr / 2; i-- > 0;)
		sift_down(m, i);
	while (m->nr && !b->out_of_memory) {
		struct cursor *c = m->heap[0];

		run(b, m);
		if (!c->record) {
			m->memory -= c->room;
			free(c->payload);
			c->payload = NULL;
			c->room = 0;
			m->heap[0] = m->heap[--m->nr];
		}
		if (m->nr)
			sift_down(m, 0);
	}
}

static void open_cursors(struct build *b, struct merge *m,
			 struct cursor *cursors)
{
	for (uint32_t i = 0; i < b->model->nr_channels; i++) {
		struct cursor *c = &cursors[i];

		c->channel = i;
		if (b->channels[i].nr_segments)
			advance(b, m, c);
		else if (!channel_complete(b, i))
			tell_missing(b, c);
		if (c->record)
			m->heap[m->nr++] = c;
	}
}

void merge_rings(struct build *b)
{
	uint32_t nr = b->model->nr_channels;
	struct cursor *cursors = calloc(nr + 1, sizeof(*cursors));
	struct merge m = {
		.heap = calloc(nr + 1, sizeof(*m.heap)),
	};

	if (cursors && m.heap) {
		open_cursors(b, &m, cursors);
		merge_all(b, &m);
	} else {
		b->out_of_memory = true;
	}
	for (uint32_t i = 0; cursors && i < nr; i++)
		free(cursors[i].payload);
	free(cursors);
	free(m.heap);
}
