// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cprof/format.h"
#include "cprof/records.h"
#include "profile/build.h"

/* Kernel and user mode tell the time in ways that may differ by a little. */
#define CLOCKS_APART_NS	2000000

/**
 * struct cursor - where the merge is in one channel's ring
 * @time:    of @record: the merge takes the least first
 * @record:  SLICE, SPAN or LOST
 * @last:    time of the record before
 * @channel: index
 * @next:    in the channel's list of segments, the first not yet reached
 * @hole:    something before @record could not be read
 * @offset:  in the file, of the segment that is
 * @at:      of its records that are decoded, which one is @record
 * @room:    bytes its payload takes
 * @records: of the segment; NULL when nothing is left of the ring
 */
struct cursor {
	uint64_t time;
	const struct record *record;
	uint64_t last;
	uint32_t channel;
	uint32_t next;
	bool hole;
	uint64_t offset;
	uint32_t at;
	size_t room;
	struct records *records;
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

/* What a cursor takes besides its payload. */
static bool make_records(struct build *b, struct cursor *c)
{
	if (!c->records)
		c->records = calloc(1, sizeof(*c->records));
	if (!c->records)
		b->out_of_memory = true;
	return c->records;
}

static bool within_memory(struct build *b, struct merge *m, struct cursor *c,
			  uint32_t size, struct error *err)
{
	if (size <= c->room)
		return true;
	if (m->memory - c->room + size > b->options.memory) {
		error_set(err, ENOMEM,
			  "more than %" PRIu64 " MiB would be unpacked at once",
			  b->options.memory >> 20);
		return false;
	}
	m->memory += size - c->room;
	c->room = size;
	return true;
}

static bool open_segment(struct build *b, struct merge *m, struct cursor *c,
			 uint32_t segment, struct error *err)
{
	uint32_t size = b->file->segments[segment].size;

	return within_memory(b, m, c, size, err) && make_records(b, c) &&
	       !records_open(c->records, b->file, &b->file->unpacker, segment,
			     b->model->channels[c->channel].nr_columns, err);
}

static void tell_progress(struct build *b, const struct file_segment *s)
{
	b->ring_bytes_done += s->stored_size;
	if (b->options.progress)
		b->options.progress(b->options.context, b->ring_bytes_done,
				    b->ring_bytes);
}

/* Goes to the channel's next segment; false if there is none that can be read. */
static bool next_segment(struct build *b, struct merge *m, struct cursor *c)
{
	const struct build_channel *bc = &b->channels[c->channel];
	const struct file_segment *s;
	struct error err = ERROR_NONE;

	while (c->next < bc->nr_segments) {
		uint32_t n = bc->segments[c->next++];

		s = &b->file->segments[n];
		/* Whose the segments are that were in a hole, nobody knows. */
		if (file_has_hole(b->file, c->offset, s->offset))
			damaged(b, c);
		c->offset = s->offset;
		tell_progress(b, s);
		if (open_segment(b, m, c, n, &err))
			return true;
		segment_unread(b, s, c->channel, "a part of the ring", &err);
		damaged(b, c);
	}
	return false;
}

/* Nothing that the thread wrote behind that can be believed. */
static void give_up(struct build *b, struct cursor *c, const char *fault)
{
	const struct model_channel *channel = &b->model->channels[c->channel];
	const struct model_process *p = &b->model->processes[channel->process];

	damage_add(b, c->offset, c->channel,
		   "thread %" PRId32 " (%s) of process %" PRId32 " (%s) wrote nonsense into its ring, in record %" PRIu32 " of its segment: %s; the rest of its ring is torn",
		   channel->tid, channel->comm, p->pid, p->comm ? p->comm : "",
		   c->records->before + c->at + 1, fault);
	c->next = b->channels[c->channel].nr_segments;
	damaged(b, c);
}

/* Of the record at c->at: nothing behind it in the segment can be read. */
static void tell_fault(struct build *b, struct cursor *c, const char *fault)
{
	if (b->model->channels[c->channel].mode == COROPROF_MODE_USER) {
		give_up(b, c, fault);
		return;
	}
	damage_add(b, c->offset, c->channel,
		   "record %" PRIu32 " of a segment of the ring of channel %" PRIu32 " is malformed: %s; the rest of the segment is skipped",
		   c->records->before + c->at + 1,
		   b->model->channels[c->channel].id, fault);
	damaged(b, c);
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

static void tell_spans_missing(struct build *b, const struct cursor *c)
{
	process_spans_lost(b, b->model->channels[c->channel].process,
			   c->record ? c->time : UINT64_MAX);
}

/* How much is missing before the record reached now. */
static void look_for_gaps(struct build *b, const struct cursor *c)
{
	const struct record *lost = NULL;
	bool hole = c->hole ||
		    (!c->record && !channel_complete(b, c->channel));

	if (c->record && c->record->type == COROPROF_RECORD_LOST)
		lost = c->record;
	if (hole || (lost && lost->lost))
		tell_missing(b, c);
	if (hole || (lost && lost->lost_spans))
		tell_spans_missing(b, c);
}

/* A recording with many coroutines does not fit into any cache. */
static void prefetch(const struct build *b, const struct cursor *c)
{
	const struct record *s = c->record;

	if (s->type == COROPROF_RECORD_SLICE)
		index_prefetch(&b->coroutine_index, s->id,
			       b->model->channels[c->channel].process);
}

/* Decodes more: false at the end of the ring. */
static bool decode_more(struct build *b, struct merge *m, struct cursor *c)
{
	c->at = 0;
	while (!c->records || !records_next(c->records)) {
		if (c->records && c->records->fault)
			tell_fault(b, c, c->records->fault);
		if (!next_segment(b, m, c))
			return false;
	}
	return true;
}

/* To the record at c->at; at the end, c->record is NULL. */
static void reach(struct build *b, struct merge *m, struct cursor *c)
{
	c->record = NULL;
	if ((c->records && c->at < c->records->nr) || decode_more(b, m, c))
		c->record = &c->records->record[c->at];
	/* A hostile ring may go back in time; the merge does not. */
	if (c->record && c->record->time > c->time)
		c->time = c->record->time;
	if (!c->record || c->hole || c->record->type == COROPROF_RECORD_LOST)
		look_for_gaps(b, c);
	c->hole = false;
	if (c->record)
		prefetch(b, c);
}

/*
 * Whether a record of a ring that its thread wrote is of the time of its
 * recording, so that it can't stretch that of all the others.
 */
static const char *time_fault(const struct build *b, struct cursor *c)
{
	const struct model_channel *channel = &b->model->channels[c->channel];
	uint64_t end = channel->end_ns ? channel->end_ns : b->end_ns;
	uint64_t time = c->record->time, last = c->last;

	c->last = time;
	if (channel->mode != COROPROF_MODE_USER)
		return NULL;
	if (time + CLOCKS_APART_NS < last)
		return "its time is before that of the record before it";
	if (time + CLOCKS_APART_NS < channel->begin_ns ||
	    (end && time > end + CLOCKS_APART_NS))
		return "its time is not within that of the recording";
	return NULL;
}

/* Takes the record and goes to the next one. */
static void take(struct build *b, struct merge *m, struct cursor *c)
{
	const struct record *r = c->record;
	const char *fault = time_fault(b, c);

	if (fault) {
		tell_fault(b, c, fault);
		records_end(c->records);
	} else {
		if (r->type == COROPROF_RECORD_SLICE)
			slice_add(b, c->channel, r);
		else if (r->type == COROPROF_RECORD_SPAN)
			span_add(b, c->channel, r);
		else
			slice_lost(b, c->channel, r);
		c->at++;
	}
	reach(b, m, c);
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
	do
		take(b, m, c);
	while (c->record && (!second || earlier(c, second)));
}

static void release(struct merge *m, struct cursor *c)
{
	m->memory -= c->room;
	c->room = 0;
	if (c->records)
		records_free(c->records);
	free(c->records);
	c->records = NULL;
}

static void merge_all(struct build *b, struct merge *m)
{
	for (uint32_t i = m->nr / 2; i-- > 0;)
		sift_down(m, i);
	while (m->nr && !b->out_of_memory) {
		struct cursor *c = m->heap[0];

		run(b, m);
		if (!c->record) {
			release(m, c);
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
			reach(b, m, c);
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
		release(&m, &cursors[i]);
	free(cursors);
	free(m.heap);
}
