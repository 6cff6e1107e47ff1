// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the rings of all channels in parallel and gives their records in the order of time, by a
 * heap of cursors; reports what is missing before a record gets to whoever adds it up.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "profile/build.h"
#include "profile/coroutines.h"
#include "profile/damage.h"
#include "profile/losses.h"
#include "profile/part.h"
#include "profile/rings.h"
#include "profile/slices.h"
#include "profile/spans.h"
#include "profile/split.h"
#include "profile/status.h"

/* Kernel and user mode read the clock in ways that may differ by a little. */
#define CLOCKS_APART_NS	2000000

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/**
 * struct cursor - where the merge is in one channel's ring
 * @record:  the next SLICE, SPAN or LOST; NULL when there is none
 * @time:    of @record, or of one before that was later
 * @last:    time of the record before
 * @channel: index
 * @user:    its thread wrote the ring
 * @before:  records up to the first of @from are another shard's
 * @interrupted: something before @record could not be read
 * @next:    in the channel's list of segments, the first not yet reached
 * @end:     likewise, the first of which all is another shard's
 * @offset:  in the file, of the segment that is read
 * @limit:   of its records that are decoded, the first one that is not to be
 *           taken without a further look
 * @wrong:   of them, the first of which the time is wrong, or NULL
 * @fault:   what is wrong with that
 * @added:   of these, its channel has the sums of those before
 * @capacity: bytes that its payload may take
 * @records: of the segment; NULL as long as there was none
 */
struct cursor {
	const struct record *record;
	uint64_t time;
	uint64_t last;
	uint32_t channel;
	bool user;
	bool before;
	bool interrupted;
	uint32_t next;
	uint32_t end;
	uint64_t offset;
	const struct record *limit;
	const struct record *wrong;
	const char *fault;
	const struct record *added;
	size_t capacity;
	struct records *records;
};

/**
 * struct entry - a cursor that has a record
 * @time:   its time: the merge takes the least first
 * @cursor: of two at the same time, that of the lower channel comes first
 */
struct entry {
	uint64_t time;
	struct cursor *cursor;
};

/**
 * struct merge - all cursors that have a record, as a binary heap
 * @b:        what the records are added to
 * @from:     see merge_rings()
 * @to:       likewise
 * @heap:     the heap
 * @nr:       how many
 * @memory:   bytes of all payloads
 * @unpacker: of this thread
 */
struct merge {
	struct build *b;
	uint64_t from;
	uint64_t to;
	struct entry *heap;
	uint32_t nr;
	uint64_t memory;
	struct file_unpacker unpacker;
};

static inline bool earlier(const struct entry *a, const struct entry *b)
{
	return a->time < b->time || (a->time == b->time && a->cursor < b->cursor);
}

static inline void sift_down(struct merge *m, uint32_t i)
{
	struct entry e = m->heap[i];
	uint32_t child;

	while ((child = 2 * i + 1) < m->nr) {
		if (child + 1 < m->nr &&
		    earlier(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (!earlier(&m->heap[child], &e))
			break;
		m->heap[i] = m->heap[child];
		i = child;
	}
	m->heap[i] = e;
}

/* The next slice can't begin where the one before ended. */
static void damaged(struct merge *m, struct cursor *c)
{
	c->interrupted = true;
	channel_interrupt(m->b, c->channel);
}

/* ------------------------------------------------------------------------
 * segments
 */

static bool within_memory(struct merge *m, struct cursor *c, uint32_t size,
			  struct error *err)
{
	uint64_t most = m->b->options.memory;

	if (size <= c->capacity)
		return true;
	if (m->memory - c->capacity + size > most) {
		error_set(err, ENOMEM,
			  "more than %" PRIu64 " MiB would be unpacked at once",
			  most >> 20);
		return false;
	}
	m->memory += size - c->capacity;
	c->capacity = size;
	return true;
}

static bool open_segment(struct merge *m, struct cursor *c, uint32_t segment,
			 struct error *err)
{
	struct build *b = m->b;

	if (!within_memory(m, c, b->file->segments[segment].size, err))
		return false;
	if (!c->records)
		c->records = calloc(1, sizeof(*c->records));
	if (!c->records) {
		b->out_of_memory = true;
		return false;
	}
	return !records_open(c->records, b->file, &m->unpacker, segment,
			     b->model->channels[c->channel].nr_counters, err);
}

/* Goes to the channel's next segment; false if there is none that can be read. */
static bool next_segment(struct merge *m, struct cursor *c)
{
	struct build *b = m->b;
	const struct build_channel *bc = &b->channels[c->channel];
	struct error err = ERROR_NONE;
	bool opened = false;

	/* What another shard has ends within the first segment. */
	c->before = c->before && !c->records;
	while (!opened && c->next < c->end) {
		uint32_t n = bc->segments[c->next++];
		const struct file_segment *s = &b->file->segments[n];

		/* Whose the segments are that were in a hole, nobody knows. */
		if (file_has_corrupt_range(b->file, c->offset, s->offset))
			damaged(m, c);
		c->offset = s->offset;
		if (!c->before) {
			b->ring_bytes_done += s->stored_size;
			if (b->options.progress)
				b->options.progress(b->options.context, b->ring_bytes_done,
						    b->ring_bytes);
		}
		opened = open_segment(m, c, n, &err);
		if (opened)
			break;
		/* What can't be read in a segment that two shards share, the former says. */
		if (!c->before)
			segment_unread(b, s, c->channel, "a part of the ring", &err);
		damaged(m, c);
		c->before = false;
	}
	return opened;
}

/*
 * The first segment that ended at @time or later: the first such record in it is
 * where the ring is cut. So shards that follow each other have all records,
 * and each once, even of a ring that goes back in time.
 */
static uint32_t segment_at(const struct build *b, uint32_t channel, uint64_t time)
{
	const struct build_channel *bc = &b->channels[channel];
	uint32_t i;

	for (i = 0; i < bc->nr_segments; i++)
		if (b->file->segments[bc->segments[i]].last_time >= time)
			break;
	return i;
}

static void open_cursor(struct merge *m, struct cursor *c, uint32_t channel)
{
	const struct build *b = m->b;
	const struct build_channel *bc = &b->channels[channel];
	const struct file_segment *before;

	c->channel = channel;
	c->user = b->model->channels[channel].mode == COROPROF_MODE_USER;
	c->end = bc->nr_segments;
	if (m->to != UINT64_MAX) {
		c->end = segment_at(b, channel, m->to) + 1;
		if (c->end > bc->nr_segments)
			c->end = bc->nr_segments;
	}
	if (!m->from)
		return;
	c->before = true;
	c->next = segment_at(b, channel, m->from);
	if (!c->next)
		return;
	before = &b->file->segments[bc->segments[c->next - 1]];
	c->offset = before->offset;
	c->last = before->last_time;
}

/* ------------------------------------------------------------------------
 * damage
 */

/* Of the segment reached now @read records were read; and nothing of those up to @end. */
static void skip(struct merge *m, struct cursor *c, uint32_t read, uint32_t end)
{
	const struct build_channel *bc = &m->b->channels[c->channel];

	segment_cut(m->b, &m->b->file->segments[bc->segments[c->next - 1]], read);
	for (; c->next < end; c->next++)
		segment_cut(m->b, &m->b->file->segments[bc->segments[c->next]], 0);
}

/* Nothing that the thread wrote behind that can be believed. */
static void give_up(struct merge *m, struct cursor *c, uint32_t nr,
		    const char *fault)
{
	const struct build *b = m->b;
	const struct model_channel *channel = &b->model->channels[c->channel];
	const struct model_process *p = &b->model->processes[channel->process];

	damage_add(m->b, c->offset, c->channel,
		   "thread %" PRId32 " (%s) of process %" PRId32 " (%s) wrote nonsense into its ring, in record %" PRIu32 " of its segment: %s; the rest of its ring is torn",
		   channel->tid, channel->comm, p->pid, p->comm ? p->comm : "",
		   nr, fault);
	skip(m, c, nr - 1, c->end);
}

/* Of the record behind @good others: nothing from there in the segment can be read. */
static void report_fault(struct merge *m, struct cursor *c, uint32_t good,
			 const char *fault)
{
	uint32_t nr = c->records->before + good + 1;

	damaged(m, c);
	records_end(c->records);
	if (c->before)
		return;
	if (c->user) {
		give_up(m, c, nr, fault);
		return;
	}
	skip(m, c, nr - 1, c->next);
	damage_add(m->b, c->offset, c->channel,
		   "record %" PRIu32 " of a segment of the ring of channel %" PRIu32 " is malformed: %s; the rest of the segment is skipped",
		   nr, m->b->model->channels[c->channel].id, fault);
}

/*
 * Slices of the process may be missing: until the record reached now, or for
 * good if this was the last.
 */
static void report_missing(struct build *b, const struct cursor *c)
{
	process_lost(b, b->model->channels[c->channel].process,
		     c->record ? c->time : UINT64_MAX);
}

static void report_spans_missing(struct build *b, const struct cursor *c)
{
	process_spans_lost(b, b->model->channels[c->channel].process,
			   c->record ? c->time : UINT64_MAX);
}

/* How much is missing before the record reached now. */
static void look_for_gaps(struct build *b, const struct cursor *c)
{
	const struct record *lost = NULL;
	bool interrupted = c->interrupted ||
		    (!c->record && !channel_complete(b, c->channel));

	if (c->record && c->record->type == COROPROF_RECORD_LOST)
		lost = c->record;
	if (interrupted || (lost && lost->lost))
		report_missing(b, c);
	if (interrupted || (lost && lost->lost_spans))
		report_spans_missing(b, c);
}

/**
 * struct period - what the times of a ring's records may be
 * @begin: of its recording
 * @end:   of its recording, and what clocks may be apart
 * @last:  time of the record before
 */
struct period {
	uint64_t begin;
	uint64_t end;
	uint64_t last;
};

static struct period period_of(const struct build *b, const struct cursor *c)
{
	const struct model_channel *channel = &b->model->channels[c->channel];
	uint64_t end = channel->end_ns ? channel->end_ns : b->end_ns;

	return (struct period){
		channel->begin_ns, end ? end + CLOCKS_APART_NS : UINT64_MAX, c->last,
	};
}

/*
 * Whether a record of a ring that its thread wrote is of the time of its
 * recording, so that it can't stretch that of all the others.
 */
static inline const char *time_fault(const struct period *p, uint64_t time)
{
	if (unlikely(time + CLOCKS_APART_NS < p->last))
		return "its time is before that of the record before it";
	if (unlikely(time + CLOCKS_APART_NS < p->begin || time > p->end))
		return "its time is not within that of the recording";
	return NULL;
}

/* Of records in order, what is between the first and the last is right if these are. */
static bool times_fit(const struct period *p, uint64_t first, uint64_t last)
{
	const struct period behind = { p->begin, p->end, first };

	return !time_fault(p, first) && !time_fault(&behind, last);
}

/* Of what its thread wrote and is decoded, from @r on. */
static void check_times(const struct merge *m, struct cursor *c, const struct record *r)
{
	struct period period = period_of(m->b, c);
	const char *fault = NULL;

	if (likely(c->records->in_order && times_fit(&period, r->time, c->limit[-1].time))) {
		c->last = c->limit[-1].time;
		c->wrong = NULL;
		return;
	}
	for (; r < c->limit; r++) {
		fault = time_fault(&period, r->time);
		if (unlikely(fault))
			break;
		period.last = r->time;
	}
	c->last = period.last;
	c->fault = fault;
	c->wrong = fault ? r : NULL;
	c->limit = r;
}

/* ------------------------------------------------------------------------
 * records
 */

/* Passes over what is another shard's. Returns the first that is not, or NULL. */
static const struct record *pass(struct merge *m, struct cursor *c)
{
	const struct record *r = c->records->record, *end = r + c->records->nr;

	for (; c->before && r < end; r++) {
		c->before = r->time < m->from;
		if (!c->before)
			break;
		c->last = r->time;
		c->interrupted = false;
	}
	return r < end ? r : NULL;
}

/* Decodes more. Returns the first of it, or NULL at the end of the ring. */
static const struct record *decode_more(struct merge *m, struct cursor *c)
{
	const struct record *r;

	do {
		while (!c->records || !records_next(c->records)) {
			if (c->records && c->records->fault)
				report_fault(m, c, 0, c->records->fault);
			if (!next_segment(m, c))
				return NULL;
		}
		r = pass(m, c);
	} while (!r);
	c->limit = c->records->record + c->records->nr;
	c->added = r;
	if (c->user)
		check_times(m, c, r);
	if (unlikely(is_part(m->b)))
		part_clip(m->b, c->channel, &c->records->record[r - c->records->record],
			  c->limit, c->records->nr_counters);
	coroutines_fetch(m->b, m->b->profile->channels[c->channel].process, r,
			 (uint32_t)(c->limit - r));
	return r;
}

/* A slice that reaches beyond the end of the part of the recording is a slice of it. */
static bool is_beyond(const struct merge *m, const struct record *r)
{
	bool reaches = m->to == m->b->to && r->type == COROPROF_RECORD_SLICE &&
		       r->time - r->duration < m->to;

	return r->time >= m->to && !reaches;
}

/*
 * Where the part of the recording ends: what comes next in the ring but spans that ended behind
 * it. These were reported before the slice that they ended in, which may have begun in the part;
 * it may be in a segment behind the last one of the part.
 */
static const struct record *reach_slice(struct merge *m, struct cursor *c, const struct record *r)
{
	while (r && r != c->wrong && r->type == COROPROF_RECORD_SPAN && is_beyond(m, r)) {
		if (++r < c->records->record + c->records->nr)
			continue;
		c->end += c->next == c->end && c->end < m->b->channels[c->channel].nr_segments;
		r = decode_more(m, c);
	}
	return r;
}

/* Whether what is left of the ring, from @r on, is another shard's. */
static bool is_behind(const struct merge *m, struct cursor *c, const struct record *r)
{
	bool last = c->next == c->end && m->to != UINT64_MAX;

	if (!r)
		return last && c->end < m->b->channels[c->channel].nr_segments;
	/* Each record of the last segment is to be looked at. */
	if (last)
		c->limit = r + 1;
	return last && is_beyond(m, r);
}

/* To @r; at the end, c->record is NULL. */
static inline void reach(const struct merge *m, struct cursor *c,
			 const struct record *r)
{
	c->record = r;
	/* A hostile ring may go back in time; the merge does not. */
	if (r->time > c->time)
		c->time = r->time;
	if (unlikely(c->interrupted || r->type == COROPROF_RECORD_LOST))
		look_for_gaps(m->b, c);
	c->interrupted = false;
}

/* To what comes next, where that is not @r, or not only. */
static __attribute__((noinline)) void go_on(struct merge *m, struct cursor *c,
					    const struct record *r)
{
	bool cut;

	if (!r || r >= c->records->record + c->records->nr)
		r = decode_more(m, c);
	if (m->to == m->b->to && m->to != UINT64_MAX)
		r = reach_slice(m, c, r);
	cut = is_behind(m, c, r);
	if (r && !cut) {
		reach(m, c, r);
		return;
	}
	/* What is missing before the first record behind @to is known here. */
	c->record = r;
	if (r && r->time > c->time)
		c->time = r->time;
	if (r || !cut)
		look_for_gaps(m->b, c);
	c->record = NULL;
}

/* What was taken up to @end, before other records take its place. */
static inline void add_to_channel(const struct merge *m, struct cursor *c,
				  const struct record *end)
{
	channel_add(m->b, c->channel, c->added, end);
	c->added = end;
}

/* What follows the record is to be looked at when its coroutine's slices before are added. */
static __attribute__((noinline)) const struct record *split(const struct merge *m,
							    struct cursor *c)
{
	struct record *first = c->records->record;

	split_slice(m->b, c->channel, &first[c->record - first]);
	return c->record + 1;
}

/* Adds the record, and slices behind it, and returns what comes next. */
static inline const struct record *add_record(const struct merge *m, struct cursor *c,
					      uint64_t until)
{
	const struct record *r = c->record, *end;

	if (likely(r->type == COROPROF_RECORD_SLICE)) {
		end = unlikely(m->b->split) ? split(m, c) : c->limit;
		end = slices_add(m->b, c->channel, r, end, until);
		if (end[-1].time > c->time)
			c->time = end[-1].time;
		return end;
	}
	if (r->type == COROPROF_RECORD_SPAN)
		span_add(m->b, c->channel, r);
	else
		slice_lost(m->b, c->channel, r);
	return r + 1;
}

/* Adds the record, and slices behind it that ended before @until, and goes to the next one. */
static inline void add_and_advance(struct merge *m, struct cursor *c, uint64_t until)
{
	const struct record *r = c->record;

	if (unlikely(r == c->wrong)) {
		add_to_channel(m, c, r);
		report_fault(m, c, (uint32_t)(r - c->records->record), c->fault);
		go_on(m, c, NULL);
		return;
	}
	r = add_record(m, c, until);
	if (likely(r < c->limit)) {
		reach(m, c, r);
		return;
	}
	add_to_channel(m, c, r);
	go_on(m, c, r);
}

/*
 * A shard that is not in order makes those of all threads useless. Which of them sees
 * that first, or when, is of no matter: it is all thrown away.
 */
static inline bool is_in_vain(const struct build *b)
{
	if (!b->in_vain)
		return false;
	if (unlikely(b->profile->unordered))
		__atomic_store_n(b->in_vain, true, __ATOMIC_RELAXED);
	return __atomic_load_n(b->in_vain, __ATOMIC_RELAXED);
}

/*
 * Takes records of the first cursor as long as it stays the first: threads that
 * take turns rarely do so slice by slice.
 */
static void add_run(struct merge *m)
{
	struct entry e = m->heap[0], second = { .time = UINT64_MAX };

	if (m->nr > 1)
		second = m->heap[1];
	if (m->nr > 2 && earlier(&m->heap[2], &second))
		second = m->heap[2];
	do {
		add_and_advance(m, e.cursor, second.time);
		e.time = e.cursor->time;
	} while (e.cursor->record && (m->nr == 1 || earlier(&e, &second)) && !is_in_vain(m->b));
	m->heap[0] = e;
}

static void merge_all(struct merge *m)
{
	for (uint32_t i = m->nr / 2; i-- > 0;)
		sift_down(m, i);
	while (m->nr && !m->b->out_of_memory && !is_in_vain(m->b)) {
		add_run(m);
		if (!m->heap[0].cursor->record)
			m->heap[0] = m->heap[--m->nr];
		if (m->nr)
			sift_down(m, 0);
	}
}

static void open_cursors(struct merge *m, struct cursor *cursors)
{
	for (uint32_t i = 0; i < m->b->model->nr_channels; i++) {
		struct cursor *c = &cursors[i];

		open_cursor(m, c, i);
		if (m->b->channels[i].nr_segments)
			go_on(m, c, NULL);
		else if (!channel_complete(m->b, i))
			report_missing(m->b, c);
		if (c->record)
			m->heap[m->nr++] = (struct entry){ c->time, c };
	}
}

static void close_cursors(struct cursor *cursors, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		if (cursors[i].records)
			records_free(cursors[i].records);
		free(cursors[i].records);
	}
	free(cursors);
}

void merge_rings(struct build *b, uint64_t from, uint64_t to)
{
	uint32_t nr = b->model->nr_channels;
	struct cursor *cursors = calloc(nr + 1, sizeof(*cursors));
	struct merge m = {
		.b = b,
		.from = from,
		.to = to,
		.heap = calloc(nr + 1, sizeof(*m.heap)),
	};
	struct error ignored;

	if (cursors && m.heap && !file_unpacker_init(&m.unpacker, &ignored)) {
		open_cursors(&m, cursors);
		merge_all(&m);
		slices_end(b);
		file_unpacker_free(&m.unpacker);
	} else {
		b->out_of_memory = true;
	}
	close_cursors(cursors, cursors ? nr : 0);
	free(m.heap);
}
