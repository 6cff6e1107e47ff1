// SPDX-License-Identifier: GPL-2.0
/*
 * Unpacks columns of a ring's segment into batches of struct record: the inverse of
 * cprof/columns.c, by the same predictions (cprof/predict.h). It is on the hot path: the common
 * record has a loop of its own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cprof/numbers.h"
#include "cprof/predict.h"
#include "cprof/records.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define always_inline inline __attribute__((always_inline))

/**
 * struct column_reader - where the reading of a column stands
 * @next: of the numbers of the group before, the first not taken
 * @last: their end
 * @at:   the next group; NULL if there is none
 * @end:  the end of the column; NULL if all of its numbers are 0
 * @v:    the numbers of a group
 */
struct column_reader {
	const uint64_t *next;
	const uint64_t *last;
	const unsigned char *at;
	const unsigned char *end;
	uint64_t v[CPROF_GROUP];
};

/* No payload is larger once unpacked, and no record smaller. */
#define RECORDS_MAX	(CPROF_PAYLOAD_MAX / sizeof(struct coroprof_record_lost))

/**
 * struct records_columns - where the reading of records by column stands
 * @predict:     what was seen so far
 * @left:        records not yet read
 * @nr_labels:   of the segment
 * @labels:      these: label, then the rate of each counter
 * @all_count:   each record has counts: there is no LOST
 * @fault:       what is wrong with the record that is read, or NULL
 * @kinds:       those of numbers not in use have type 0
 * @column:      the columns
 */
struct records_columns {
	struct predict predict;
	uint32_t left;
	uint32_t nr_labels;
	const uint32_t *labels;
	bool all_count;
	const char *fault;
	struct cprof_kind kinds[CPROF_KINDS_MAX + 1];
	struct column_reader column[CPROF_COLUMNS];
};

/**
 * struct at_hand - the next numbers of columns in which each record has one
 * @kind:  of %CPROF_COLUMN_KIND
 * @time:  of %CPROF_COLUMN_TIME
 * @count: of the counters, with records_columns.all_count
 */
struct at_hand {
	const uint64_t *kind;
	const uint64_t *time;
	const uint64_t *count[COROPROF_COUNTERS_MAX];
};

/* Records begin as their kind does. */
_Static_assert(offsetof(struct record, type) == offsetof(struct cprof_kind, type) &&
	       offsetof(struct record, stored) == offsetof(struct cprof_kind, stored) &&
	       offsetof(struct record, flags) == offsetof(struct cprof_kind, flags) &&
	       offsetof(struct record, standing) == offsetof(struct cprof_kind, standing),
	       "the beginning of a record");

static const char too_long[] = "it is longer than its time";
static const char too_long_off[] = "its time off the CPU is longer than it is";
static const char too_long_run[] = "it ran for longer than it took";
static const char too_many[] = "it counts more than any machine can in its time";
static const uint32_t no_label[1 + COROPROF_COUNTERS_MAX];
static const char misfit[] = "its columns do not fit each other";

/* ------------------------------------------------------------------------
 * columns
 */

/*
 * Unpacks the next group of a column that has no more numbers unpacked, and returns its first
 * number.
 */
static __attribute__((noinline)) uint64_t next_group(struct records_columns *c,
						     struct column_reader *column)
{
	uint32_t nr = CPROF_GROUP;

	if (column->at)
		column->at = numbers_unpack(column->at, column->end, column->v, &nr);
	if (!column->at) {
		/* A column of nothing but zeroes has no bytes, and no end. */
		if (column->end)
			c->fault = misfit;
		memset(column->v, 0, sizeof(column->v));
	}
	column->next = column->v + 1;
	column->last = column->v + nr;
	return column->v[0];
}

static always_inline uint64_t next(struct records_columns *c, unsigned int column)
{
	struct column_reader *from = &c->column[column];

	if (unlikely(from->next == from->last))
		return next_group(c, from);
	return *from->next++;
}

static always_inline uint32_t next_label(struct records_columns *c)
{
	uint64_t label = next(c, CPROF_COLUMN_LABEL);

	if (likely(label < c->nr_labels))
		return (uint32_t)label;
	c->fault = misfit;
	return 0;
}

/* The fault of a column that does not fit comes before all other faults. */
static inline void set_fault(struct records_columns *c, const char *fault)
{
	if (!c->fault)
		c->fault = fault;
}

/* The entry of a label: its number, then the rate of each of @nr counters. */
static always_inline const uint32_t *label_at(const struct records_columns *c, uint32_t label,
					      uint32_t nr)
{
	return &c->labels[(size_t)label * (1 + nr)];
}

/* Reads slot, coroutine and label of a record. Returns the rates of the label. */
static always_inline const uint32_t *read_identity(struct records_columns *c, struct record *r,
						   uint32_t nr, bool slice)
{
	struct predict_slot *slot = predict_slot(&c->predict, c->predict.slot);
	const uint32_t *label;

	if (r->stored & CPROF_STORED_SLOT)
		slot->next = (uint32_t)next(c, CPROF_COLUMN_SLOT);
	r->slot = c->predict.slot = slot->next;
	slot = predict_slot(&c->predict, slot->next);
	if (r->stored & CPROF_STORED_ID) {
		slot->id = id_unpack(next(c, CPROF_COLUMN_ID));
		if (slice)
			slot->label = next_label(c);
	}
	r->id = slot->id;
	label = label_at(c, slice ? slot->label : next_label(c), nr);
	r->label = label[0];
	return label + 1;
}

static always_inline void read_times(struct records_columns *c, struct record *r)
{
	if (unlikely(r->stored & CPROF_STORED_DURATION))
		r->duration = next(c, CPROF_COLUMN_DURATION);
	else
		r->duration = r->time - c->predict.slice_time;
}

/* @at: the unpacked numbers of the counts' columns, if each record has counts; else NULL. */
static always_inline void read_counts(struct records_columns *c, struct record *r,
				      uint32_t nr, const uint32_t *rate,
				      const struct at_hand *at, uint32_t i)
{
	uint64_t from = r->running_ns, v;

#pragma GCC unroll 4
	for (uint32_t n = 0; n < nr; n++) {
		v = at ? at->count[n][i] : next(c, CPROF_COLUMN_COUNT + n);
		r->count[n] = predict_count(from, rate[n]) + zigzag_unpack(v);
		from = r->count[0];
	}
}

/* Most slices were off the CPU once, for one reason, so the common record has only that. */
static always_inline void read_offcpu(struct records_columns *c, struct record *r)
{
	r->offcpu = (struct coroprof_slice_offcpu){ 0 };
	if (r->stored & CPROF_STORED_PREEMPTED) {
		r->offcpu.preempted_ns = next(c, CPROF_COLUMN_PREEMPTED);
		r->offcpu.nr_preempted = 1;
	}
	if (r->stored & CPROF_STORED_BLOCKED) {
		r->offcpu.blocked_ns = next(c, CPROF_COLUMN_BLOCKED);
		r->offcpu.nr_blocked = 1;
	}
	if (r->stored & CPROF_STORED_TIMES) {
		r->offcpu.nr_preempted = (uint32_t)next(c, CPROF_COLUMN_TIMES);
		r->offcpu.nr_blocked = (uint32_t)next(c, CPROF_COLUMN_TIMES);
	}
}

static always_inline void read_woken(struct records_columns *c, struct record *r)
{
	r->woken.wake_time = r->time - r->duration - next(c, CPROF_COLUMN_WAKE);
	if (r->stored & CPROF_STORED_WAKER)
		c->predict.waker = id_unpack(next(c, CPROF_COLUMN_WAKER));
	r->woken.waker = c->predict.waker;
}

static __attribute__((noinline)) void read_fresh(struct records_columns *c,
						 struct record *r)
{
	r->fresh.parent = id_unpack(next(c, CPROF_COLUMN_PARENT));
	r->fresh.tag = next(c, CPROF_COLUMN_TAG);
}

static __attribute__((noinline)) void read_missing(struct records_columns *c,
						   struct record *r, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		r->missing_ns[i] = next(c, CPROF_COLUMN_MISSING);
}

static const char *offcpu_fault(struct record *r)
{
	uint64_t preempted = r->offcpu.preempted_ns, blocked = r->offcpu.blocked_ns;

	if (unlikely(preempted > r->duration || blocked > r->duration - preempted))
		return too_long_off;
	r->running_ns = r->duration - preempted - blocked;
	return NULL;
}

/*
 * No machine counts so many of anything in a nanosecond: such a count is that of a
 * counter that went down, or made up. What a clock may be off is let pass.
 */
#define COUNT_PER_NS	1024u
#define CLOCK_OFF_NS	(1u << 20)

static always_inline const char *count_fault(const struct record *r, uint32_t nr)
{
	uint64_t most = UINT64_MAX, bits = 0;

	for (uint32_t i = 0; i < nr; i++)
		bits |= r->count[i];
	if (likely(bits < (uint64_t)CLOCK_OFF_NS * COUNT_PER_NS))
		return NULL;
	if (r->duration < UINT64_MAX / COUNT_PER_NS - CLOCK_OFF_NS)
		most = (r->duration + CLOCK_OFF_NS) * COUNT_PER_NS;
	for (uint32_t i = 0; i < nr; i++) {
		if (r->count[i] > most)
			return too_many;
	}
	return NULL;
}

static const char *span_fault(const struct record *r)
{
	if (r->duration > r->time)
		return too_long;
	return r->running_ns > r->duration ? too_long_run : NULL;
}

static always_inline void read_slice(struct records_columns *c, struct record *r, uint32_t nr,
				     const struct at_hand *at, uint32_t i)
{
	const uint32_t *rate = read_identity(c, r, nr, true);
	const char *fault = NULL;

	read_times(c, r);
	c->predict.slice_time = r->time;
	r->running_ns = r->duration;
	r->woken = (struct coroprof_slice_woken){ 0 };
	if (r->flags & COROPROF_SLICE_OFFCPU) {
		read_offcpu(c, r);
		fault = offcpu_fault(r);
	}
	if (unlikely(r->duration > r->time))
		fault = too_long;
	read_counts(c, r, nr, rate, at, i);
	if (!fault)
		fault = count_fault(r, nr);
	if (unlikely(r->flags & COROPROF_SLICE_FRESH))
		read_fresh(c, r);
	if (r->flags & COROPROF_SLICE_WOKEN)
		read_woken(c, r);
	if (unlikely(r->flags & COROPROF_SLICE_SCALED))
		read_missing(c, r, nr);
	if (unlikely(fault != NULL))
		set_fault(c, fault);
}

/*
 * The common slice: it has only what each slice has, and its slot, coroutine and label were
 * predicted.
 */
static always_inline bool has_no_details(const struct record *r)
{
	const struct cprof_kind bare = { .type = COROPROF_RECORD_SLICE };
	const struct cprof_kind mask = {
		.type = UINT16_MAX, .stored = UINT16_MAX,
		.flags = COROPROF_SLICE_OFFCPU | COROPROF_SLICE_FRESH | COROPROF_SLICE_WOKEN |
			 COROPROF_SLICE_SCALED,
	};
	uint64_t is, of;

	memcpy(&is, &bare, sizeof(is));
	memcpy(&of, &mask, sizeof(of));
	return (record_kind(r) & of) == is;
}

/* As read_slice(), for records of which has_no_details() is true. */
static always_inline void read_without_details(struct records_columns *c, struct record *r,
					       uint32_t nr, const struct at_hand *at, uint32_t i)
{
	uint32_t number = predict_slot(&c->predict, c->predict.slot)->next;
	const struct predict_slot *slot = predict_slot(&c->predict, number);
	const uint32_t *label = label_at(c, slot->label, nr);
	uint64_t duration = r->time - c->predict.slice_time;
	const char *fault;

	r->slot = c->predict.slot = number;
	r->label = label[0];
	r->id = slot->id;
	r->duration = r->running_ns = duration;
	r->woken.wake_time = r->woken.waker = 0;
	c->predict.slice_time = r->time;
	read_counts(c, r, nr, label + 1, at, i);
	fault = unlikely(duration > r->time) ? too_long : count_fault(r, nr);
	if (unlikely(fault != NULL))
		set_fault(c, fault);
}

static __attribute__((noinline)) void read_span(struct records_columns *c, struct record *r,
						uint32_t nr, const struct at_hand *at, uint32_t i)
{
	const uint32_t *rate = read_identity(c, r, nr, false);
	const char *fault;

	read_times(c, r);
	r->woken = (struct coroprof_slice_woken){ 0 };
	r->depth = (uint32_t)next(c, CPROF_COLUMN_DEPTH);
	r->running_ns = r->duration - next(c, CPROF_COLUMN_OFF);
	read_counts(c, r, nr, rate, at, i);
	if (r->flags & COROPROF_SPAN_SCALED)
		read_missing(c, r, nr);
	fault = span_fault(r);
	if (!fault)
		fault = count_fault(r, nr);
	if (fault)
		set_fault(c, fault);
}

static __attribute__((noinline)) void read_other(struct records_columns *c, struct record *r,
						 uint32_t nr, const struct at_hand *at, uint32_t i)
{
	if (r->type == COROPROF_RECORD_SPAN) {
		read_span(c, r, nr, at, i);
	} else if (r->type == COROPROF_RECORD_LOST) {
		r->lost_spans = (uint32_t)next(c, CPROF_COLUMN_LOST);
		r->lost = next(c, CPROF_COLUMN_LOST);
	} else {
		c->fault = misfit;
	}
}

/* @at: as in read_counts(). */
static always_inline void read_record(struct records_columns *c, struct record *r, uint32_t nr,
				      const struct at_hand *at, uint32_t i)
{
	if (likely(has_no_details(r)))
		read_without_details(c, r, nr, at, i);
	else if (likely(r->type == COROPROF_RECORD_SLICE))
		read_slice(c, r, nr, at, i);
	else
		read_other(c, r, nr, at, i);
}

/*
 * Sets *@at to the next unpacked numbers of the column, and returns how many these are, at most
 * @nr. At least one is left to read.
 */
static uint32_t unpacked_numbers(struct records_columns *c, unsigned int column, uint32_t nr,
				 const uint64_t **at)
{
	struct column_reader *from = &c->column[column];
	uint32_t left;

	if (from->next == from->last) {
		next_group(c, from);
		from->next--;
	}
	*at = from->next;
	left = (uint32_t)(from->last - from->next);
	return left < nr ? left : nr;
}

/* RECORDS_BATCH of them are less than 2^63. */
#define STEP_MAX	(1ull << 58)

/*
 * Each record has a kind and a time, and with @all_count as many counts: columns of these are read
 * without a check for each record.
 */
static always_inline void read_batch(struct records *r, uint32_t nr_counters, bool all_count)
{
	struct records_columns *c = r->columns;
	uint32_t nr = c->left < RECORDS_BATCH ? c->left : RECORDS_BATCH, i;
	uint64_t first = c->predict.time, steps = 0;
	struct at_hand at;

	if (!nr)
		return;
	nr = unpacked_numbers(c, CPROF_COLUMN_KIND, nr, &at.kind);
	nr = unpacked_numbers(c, CPROF_COLUMN_TIME, nr, &at.time);
	for (uint32_t n = 0; all_count && n < nr_counters; n++)
		nr = unpacked_numbers(c, CPROF_COLUMN_COUNT + n, nr, &at.count[n]);
	for (i = 0; i < nr && !c->fault; i++) {
		struct record *to = &r->record[i];

		memcpy(to, &c->kinds[at.kind[i] % ARRAY_SIZE(c->kinds)], sizeof(c->kinds[0]));
		steps |= at.time[i];
		to->time = c->predict.time += at.time[i];
		read_record(c, to, nr_counters, all_count ? &at : NULL, i);
	}
	/* All of them together wrap once at most: then the last is before the first. */
	r->in_order = steps < STEP_MAX && c->predict.time >= first;
	/* It is reported of the last one, or before the first. */
	r->fault = c->fault;
	r->nr = i && c->fault ? i - 1 : i;
	c->left -= i;
	c->column[CPROF_COLUMN_KIND].next += i;
	c->column[CPROF_COLUMN_TIME].next += i;
	for (uint32_t n = 0; all_count && n < nr_counters; n++)
		c->column[CPROF_COLUMN_COUNT + n].next += i;
}

/* Calls with constant numbers of counters, for which the compiler has no loop. */
static void next_column_batch(struct records *r)
{
	if (!r->columns->all_count)
		return read_batch(r, r->nr_counters, false);
	switch (r->nr_counters) {
	case 1:
		return read_batch(r, 1, true);
	case 2:
		return read_batch(r, 2, true);
	case 3:
		return read_batch(r, 3, true);
	default:
		return read_batch(r, r->nr_counters, true);
	}
}

/*
 * True if the columns have the channel's counters; of a segment without slices and spans that does
 * not matter.
 */
static bool same_counters(const struct records_columns *c,
			  const struct cprof_columns *head, uint32_t nr_counters)
{
	bool counts = false;

	for (uint32_t i = 0; i < head->nr_kinds; i++)
		counts |= c->kinds[i].type != COROPROF_RECORD_LOST;
	return !counts || head->nr_counters == nr_counters;
}

/* True if each kind of records in the segment has counts, and so none is LOST. */
static bool all_count(const struct records_columns *c, uint32_t nr_kinds)
{
	for (uint32_t i = 0; i < nr_kinds; i++)
		if (c->kinds[i].type == COROPROF_RECORD_LOST)
			return false;
	return true;
}

static const char *open_column(struct column_reader *column, const unsigned char **at,
			       const unsigned char *end, size_t size)
{
	column->next = column->last = column->v;
	column->at = column->end = NULL;
	if ((size_t)(end - *at) < size)
		return "it is too short for its columns";
	if (size) {
		column->at = *at;
		column->end = *at + size;
	}
	*at += size;
	return NULL;
}

static const char *open_columns(struct records_columns *c, const unsigned char *at,
				const unsigned char *end, uint32_t nr_counters)
{
	struct cprof_columns head;
	const char *fault = NULL;

	if ((size_t)(end - at) < sizeof(head))
		return "it is too short for its columns";
	memcpy(&head, at, sizeof(head));
	at += sizeof(head);
	if (head.nr_kinds > CPROF_KINDS_MAX || head.nr_columns != CPROF_COLUMNS ||
	    head.nr_counters > COROPROF_COUNTERS_MAX)
		return "it has more kinds of records, more counters, or other columns, than can be";
	/*
	 * Columns of nothing but zeroes take no bytes: a few could claim to be billions of records.
	 */
	if (head.records > RECORDS_MAX)
		return "it has more records than a segment can";
	if ((size_t)(end - at) < head.nr_kinds * sizeof(c->kinds[0]))
		return "it is too short for its kinds of records";
	memset(&c->predict, 0, sizeof(c->predict));
	memset(c->kinds, 0, sizeof(c->kinds));
	memcpy(c->kinds, at, head.nr_kinds * sizeof(c->kinds[0]));
	at += head.nr_kinds * sizeof(c->kinds[0]);
	c->left = head.records;
	c->fault = NULL;
	c->all_count = all_count(c, head.nr_kinds);
	c->labels = (const void *)at;
	c->nr_labels = head.nr_labels;
	if ((size_t)(end - at) / sizeof(uint32_t) / (1 + head.nr_counters) < head.nr_labels)
		return "it is too short for its labels";
	at += sizeof(uint32_t) * (1 + head.nr_counters) * head.nr_labels;
	/* The label of a slot that was never reported is the first. */
	if (!c->nr_labels)
		c->labels = no_label;
	for (unsigned int i = 0; !fault && i < CPROF_COLUMNS; i++)
		fault = open_column(&c->column[i], &at, end, head.size[i]);
	if (!fault && !same_counters(c, &head, nr_counters))
		fault = "its counters are not those of its channel";
	return fault;
}

static const char *begin_columns(struct records *r)
{
	const unsigned char *at = (const void *)r->payload.data;
	struct error ignored;

	if (!r->columns)
		r->columns = malloc(sizeof(*r->columns));
	if (!r->columns || buffer_reserve(&r->payload, NUMBERS_SLACK, &ignored))
		return "there is no memory to unpack it";
	at = (const void *)r->payload.data;
	return open_columns(r->columns, at, at + r->payload.size, r->nr_counters);
}

/* ------------------------------------------------------------------------
 * records as the ring has them
 */

static const void *copy_and_skip(void *to, size_t size, const void *from)
{
	memcpy(to, from, size);
	return (const char *)from + size;
}

static const char *read_packed_slice(struct record *r, const struct coroprof_record_slice *s,
				     uint32_t nr_counters)
{
	size_t counts = nr_counters * sizeof(r->count[0]);
	const char *fault = NULL;
	const void *at = s + 1;

	if (s->size < coroprof_slice_size(s->flags, nr_counters))
		return "it is too short for its counters and flags";
	at = copy_and_skip(r->count, counts, at);
	if (r->flags & COROPROF_SLICE_OFFCPU)
		at = copy_and_skip(&r->offcpu, sizeof(r->offcpu), at);
	if (r->flags & COROPROF_SLICE_FRESH)
		at = copy_and_skip(&r->fresh, sizeof(r->fresh), at);
	if (r->flags & COROPROF_SLICE_WOKEN)
		at = copy_and_skip(&r->woken, sizeof(r->woken), at);
	if (r->flags & COROPROF_SLICE_SCALED)
		copy_and_skip(r->missing_ns, counts, at);
	if (r->duration > r->time)
		return too_long;
	r->running_ns = r->duration;
	if (r->flags & COROPROF_SLICE_OFFCPU)
		fault = offcpu_fault(r);
	return fault ? fault : count_fault(r, nr_counters);
}

static const char *read_packed_span(struct record *r, const struct coroprof_record_span *s,
				    uint32_t nr_counters)
{
	size_t counts = nr_counters * sizeof(r->count[0]);
	bool scaled = s->flags & COROPROF_SPAN_SCALED;
	const char *fault;
	const void *at = s + 1;

	if (s->size < sizeof(*s) + (scaled ? 2 : 1) * counts)
		return "it is too short for its counters and flags";
	r->running_ns = s->running_ns;
	r->depth = s->depth;
	at = copy_and_skip(r->count, counts, at);
	if (scaled)
		copy_and_skip(r->missing_ns, counts, at);
	fault = span_fault(r);
	return fault ? fault : count_fault(r, nr_counters);
}

static const char *read_packed_record(struct record *r, const struct coroprof_record *from,
				      uint32_t nr_counters)
{
	const struct coroprof_record_slice *s = (const void *)from;
	const struct coroprof_record_lost *lost = (const void *)from;

	/* All three have it at the same place. */
	*r = (struct record){ .type = from->type, .time = lost->time };
	if (from->type == COROPROF_RECORD_LOST) {
		r->lost = lost->full;
		r->lost_spans = lost->spans;
		return NULL;
	}
	/* These two begin alike. */
	r->flags = s->flags;
	r->standing = s->standing;
	r->slot = s->slot;
	r->label = s->label;
	r->duration = s->duration;
	r->id = s->id;
	return from->type == COROPROF_RECORD_SLICE ? read_packed_slice(r, s, nr_counters) :
	       read_packed_span(r, (const void *)from, nr_counters);
}

static void next_ring_batch(struct records *r)
{
	const struct coroprof_record *from;

	while (r->nr < RECORDS_BATCH) {
		from = decode_ring(&r->decode);
		r->fault = from ? read_packed_record(&r->record[r->nr], from, r->nr_counters) :
				  r->decode.fault;
		if (!from || r->fault)
			return;
		r->nr++;
	}
}

/* ------------------------------------------------------------------------
 * segments
 */

bool records_next(struct records *r)
{
	r->before += r->nr;
	r->nr = 0;
	r->in_order = false;
	if (r->fault)
		return false;
	if (r->by_column)
		next_column_batch(r);
	else
		next_ring_batch(r);
	return r->nr;
}

void records_end(struct records *r)
{
	r->nr = 0;
	r->fault = NULL;
	if (r->by_column)
		r->columns->left = 0;
	else
		r->decode.position = r->decode.size;
}

const char *records_begin(struct records *r, bool by_column, uint32_t nr_counters)
{
	r->nr = r->before = 0;
	r->fault = NULL;
	r->nr_counters = nr_counters;
	r->by_column = by_column;
	if (by_column)
		return begin_columns(r);
	decode_init(&r->decode, r->payload.data, r->payload.size);
	return NULL;
}

int records_open(struct records *r, const struct file *f, struct file_unpacker *u,
		 size_t segment, uint32_t nr_counters, struct error *err)
{
	bool by_column = f->segments[segment].flags & CPROF_FLAG_COLUMNS;
	const char *fault;
	int ret;

	r->payload.size = 0;
	ret = file_read_records(f, u, segment, &r->payload, err);
	if (ret)
		return ret;
	fault = records_begin(r, by_column, nr_counters);
	return fault ? error_set(err, EINVAL, "%s", fault) : 0;
}

void records_free(struct records *r)
{
	free(r->columns);
	buffer_free(&r->payload);
	r->columns = NULL;
}
