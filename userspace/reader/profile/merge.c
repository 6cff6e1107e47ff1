// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cprof/ahead.h"
#include "cprof/format.h"
#include "profile/build.h"

/* Segments that are not needed yet take no more memory than this. */
#define AHEAD_MAX	(64u << 20)

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
 * @offset:  in the file, of the one that is
 * @payload: its bytes
 * @room:    how many there is room for
 * @decode:  in them
 * @soon:    unpacks the next one, when @asked
 * @asked:   the next one is being unpacked
 * @soon_room: how many bytes soon.payload has room for
 */
struct cursor {
	uint64_t time;
	const struct coroprof_record *record;
	uint64_t last;
	uint32_t channel;
	uint32_t next;
	bool hole;
	uint64_t offset;
	void *payload;
	uint32_t room;
	struct decode decode;
	struct ahead_job soon;
	bool asked;
	uint32_t soon_room;
};

/**
 * struct merge - all cursors that have a record, as a binary heap by time
 * @heap:   the heap
 * @nr:     how many
 * @memory: bytes of all payloads
 * @ahead:  unpacks what comes next
 * @early:  bytes of all payloads that come next
 */
struct merge {
	struct cursor **heap;
	uint32_t nr;
	uint64_t memory;
	struct ahead *ahead;
	uint64_t early;
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

static bool within_memory(struct build *b, const struct merge *m,
			  const struct cursor *c, uint32_t size,
			  struct error *err)
{
	if (size <= c->room ||
	    m->memory - c->room + size <= b->options.memory)
		return true;
	error_set(err, ENOMEM,
		  "more than %" PRIu64 " MiB would be unpacked at once",
		  b->options.memory >> 20);
	return false;
}

static bool grow(void **payload, uint32_t *room, uint64_t *sum, uint32_t size)
{
	void *grown;

	if (size <= *room)
		return true;
	/* What it holds is of no use any more. */
	grown = malloc(size);
	if (!grown)
		return false;
	free(*payload);
	*payload = grown;
	*sum += size - *room;
	*room = size;
	return true;
}

static void forget_early(struct merge *m, struct cursor *c)
{
	free(c->soon.payload);
	c->soon.payload = NULL;
	m->early -= c->soon_room;
	c->soon_room = 0;
}

/* Has the channel's next segment unpacked while this one is read. */
static void ask(struct build *b, struct merge *m, struct cursor *c)
{
	const struct build_channel *bc = &b->channels[c->channel];
	uint32_t size;

	if (c->next == bc->nr_segments) {
		forget_early(m, c);
		return;
	}
	c->soon.segment = bc->segments[c->next];
	size = b->file->segments[c->soon.segment].size;
	if (size > c->soon_room && m->early - c->soon_room + size > AHEAD_MAX)
		forget_early(m, c);
	else if (grow(&c->soon.payload, &c->soon_room, &m->early, size))
		c->asked = true;
	if (c->asked)
		ahead_ask(m->ahead, &c->soon);
}

static void swap(struct merge *m, struct cursor *c)
{
	void *payload = c->payload;
	uint32_t room = c->room;

	m->memory = m->memory - room + c->soon_room;
	m->early = m->early - c->soon_room + room;
	c->payload = c->soon.payload;
	c->room = c->soon_room;
	c->soon.payload = payload;
	c->soon_room = room;
}

/* Its payload becomes that of the segment, if it can be had. */
static bool unpack(struct build *b, struct merge *m, struct cursor *c,
		   uint32_t segment, struct error *err)
{
	uint32_t size = b->file->segments[segment].size;
	bool asked = c->asked;

	c->asked = false;
	if (asked)
		ahead_wait(m->ahead, &c->soon);
	if (!within_memory(b, m, c, size, err))
		return false;
	if (asked && !c->soon.failed) {
		swap(m, c);
		return true;
	}
	if (!grow(&c->payload, &c->room, &m->memory, size)) {
		b->out_of_memory = true;
		return false;
	}
	return !file_read(b->file, segment, c->payload, err);
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
		if (unpack(b, m, c, n, &err)) {
			decode_init(&c->decode, c->payload, s->size);
			ask(b, m, c);
			return true;
		}
		segment_unread(b, s, c->channel, "a part of the ring", &err);
		damaged(b, c);
	}
	return false;
}

/* Nothing that the thread wrote behind that can be believed. */
static void give_up(struct build *b, struct merge *m, struct cursor *c,
		    size_t position, const char *fault)
{
	const struct model_channel *channel = &b->model->channels[c->channel];
	const struct model_process *p = &b->model->processes[channel->process];

	damage_add(b, c->offset, c->channel,
		   "thread %" PRId32 " (%s) of process %" PRId32 " (%s) wrote nonsense into its ring, at byte %zu of its segment: %s; the rest of its ring is torn",
		   channel->tid, channel->comm, p->pid, p->comm ? p->comm : "",
		   position, fault);
	if (c->asked)
		ahead_wait(m->ahead, &c->soon);
	c->asked = false;
	c->next = b->channels[c->channel].nr_segments;
	damaged(b, c);
}

static void tell_fault(struct build *b, struct merge *m, struct cursor *c,
		       size_t position, const char *fault)
{
	if (b->model->channels[c->channel].mode == COROPROF_MODE_USER) {
		give_up(b, m, c, position, fault);
		return;
	}
	damage_add(b, c->offset, c->channel,
		   "a record of the ring of channel %" PRIu32 ", at byte %zu of its segment, is malformed: %s; the rest of the segment is skipped",
		   b->model->channels[c->channel].id,
		   position, fault);
	damaged(b, c);
}

static uint64_t time_of(const struct coroprof_record *r)
{
	/* SLICE, SPAN and LOST have it at the same place. */
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

static void tell_spans_missing(struct build *b, const struct cursor *c)
{
	process_spans_lost(b, b->model->channels[c->channel].process,
			   c->record ? c->time : UINT64_MAX);
}

/* How much is missing before the record reached now. */
static void look_for_gaps(struct build *b, const struct cursor *c)
{
	const struct coroprof_record_lost *lost = NULL;
	bool hole = c->hole ||
		    (!c->record && !channel_complete(b, c->channel));

	if (c->record && c->record->type == COROPROF_RECORD_LOST)
		lost = (const void *)c->record;
	if (hole || (lost && lost->full))
		tell_missing(b, c);
	if (hole || (lost && lost->spans))
		tell_spans_missing(b, c);
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
			tell_fault(b, m, c, c->decode.position,
				   c->decode.fault);
		if (!next_segment(b, m, c))
			break;
	}
	/* A hostile ring may go back in time; the merge does not. */
	if (c->record && time_of(c->record) > c->time)
		c->time = time_of(c->record);
	look_for_gaps(b, c);
	c->hole = false;
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
	uint64_t time = time_of(c->record), last = c->last;

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

static const char *take_span(struct build *b, struct cursor *c)
{
	struct decode_span span;
	const char *fault;

	fault = decode_span(&span, (const void *)c->record,
			    b->model->channels[c->channel].nr_columns);
	if (!fault)
		span_add(b, c->channel, &span);
	return fault;
}

static const char *take_slice(struct build *b, struct cursor *c)
{
	struct decode_slice slice;
	const char *fault;

	fault = decode_slice(&slice, (const void *)c->record,
			     b->model->channels[c->channel].nr_columns);
	if (!fault)
		slice_add(b, c->channel, &slice);
	return fault;
}

static void take(struct build *b, struct merge *m, struct cursor *c)
{
	const struct coroprof_record *r = c->record;
	const char *fault = time_fault(b, c);

	if (!fault && r->type == COROPROF_RECORD_SLICE)
		fault = take_slice(b, c);
	else if (!fault && r->type == COROPROF_RECORD_SPAN)
		fault = take_span(b, c);
	else if (!fault)
		slice_lost(b, c->channel, (const void *)r);
	if (!fault)
		return;
	tell_fault(b, m, c, c->decode.position - r->size, fault);
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
		take(b, m, c);
		advance(b, m, c);
	} while (c->record && (!second || earlier(c, second)));
}

static void release(struct merge *m, struct cursor *c)
{
	m->memory -= c->room;
	free(c->payload);
	c->payload = NULL;
	c->room = 0;
	forget_early(m, c);
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
		.ahead = ahead_start(b->file),
	};

	if (cursors && m.heap && m.ahead) {
		open_cursors(b, &m, cursors);
		merge_all(b, &m);
	} else {
		b->out_of_memory = true;
	}
	ahead_stop(m.ahead);
	for (uint32_t i = 0; cursors && i < nr; i++)
		release(&m, &cursors[i]);
	free(cursors);
	free(m.heap);
}
