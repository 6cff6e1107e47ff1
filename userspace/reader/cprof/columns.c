// SPDX-License-Identifier: GPL-2.0
/*
 * Packs the records of a ring's segment by column. They are read twice: first, to find out how much
 * each label counts per nanosecond, then to be stored, if all of them can be stored so.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "coroprof.h"
#include "cprof/columns.h"
#include "cprof/numbers.h"
#include "cprof/predict.h"

#define LABELS_FIRST	64u
#define KINDS_HASHED	64u
/* So many records say the rates of labels; of other labels their first one does. */
#define RECORDS_SUMMED	256u

/**
 * struct column_writer - a column under way
 * @bytes: its groups
 * @bits:  not all numbers are 0
 * @nr:    how many numbers wait
 * @v:     these
 */
struct column_writer {
	struct buffer bytes;
	bool bits;
	uint32_t nr;
	uint64_t v[CPROF_GROUP];
};

/**
 * struct label_sums - what the records of one label sum to
 * @running: in ns
 * @count:   of each counter
 */
struct label_sums {
	uint64_t running;
	uint64_t count[COROPROF_COUNTERS_MAX];
};

/**
 * struct packer - where packing stands
 * @predict:     what the reader will know
 * @column:      the columns
 * @records:     how many records there are
 * @failed:      out of memory
 * @nr_counters: that each has
 * @counted:     a record has reported @nr_counters
 * @kinds:       met so far
 * @nr_kinds:    how many
 * @kind_hash:   some of them, by hash_place()
 * @labels:      met so far, with @sums; both have room for half of @nr_hashed
 * @sums:        of them
 * @nr_labels:   how many
 * @label_hash:  by hash_place(), which of them, plus 1
 * @nr_hashed:   how many fit there: a power of two
 */
struct packer {
	struct predict predict;
	struct column_writer column[CPROF_COLUMNS];
	uint32_t records;
	bool failed;
	uint32_t nr_counters;
	bool counted;
	struct cprof_kind kinds[CPROF_KINDS_MAX];
	uint32_t nr_kinds;
	uint8_t kind_hash[KINDS_HASHED];
	struct cprof_label *labels;
	struct label_sums *sums;
	uint32_t nr_labels;
	uint32_t *label_hash;
	uint32_t nr_hashed;
};

static inline uint32_t hash_place(uint64_t key, uint32_t nr)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15ULL >> 40) & (nr - 1);
}

/* ------------------------------------------------------------------------
 * labels
 */

/* The place in the hash where the label is, or belongs. */
static inline uint32_t label_place(const struct packer *p, uint32_t label)
{
	uint32_t at = hash_place(label, p->nr_hashed);

	while (p->label_hash[at] && p->labels[p->label_hash[at] - 1].label != label)
		at = (at + 1) & (p->nr_hashed - 1);
	return at;
}

static bool reserve_labels(struct packer *p, uint32_t nr)
{
	void *labels = reallocarray(p->labels, nr / 2, sizeof(*p->labels));
	void *sums, *hash;

	if (!labels)
		return false;
	p->labels = labels;
	sums = reallocarray(p->sums, nr / 2, sizeof(*p->sums));
	if (!sums)
		return false;
	p->sums = sums;
	hash = calloc(nr, sizeof(*p->label_hash));
	if (!hash)
		return false;
	free(p->label_hash);
	p->label_hash = hash;
	p->nr_hashed = nr;
	for (uint32_t i = 0; i < p->nr_labels; i++)
		p->label_hash[label_place(p, p->labels[i].label)] = i + 1;
	return true;
}

static __attribute__((noinline)) uint32_t add_label(struct packer *p, uint32_t label)
{
	uint32_t n = p->nr_labels;

	if (n == p->nr_hashed / 2 && !reserve_labels(p, 2 * p->nr_hashed))
		return UINT32_MAX;
	p->labels[n] = (struct cprof_label){ .label = label };
	p->sums[n] = (struct label_sums){ 0 };
	p->label_hash[label_place(p, label)] = ++p->nr_labels;
	return n;
}

/* The number of the label in this segment, a new one if need be; UINT32_MAX without memory. */
static inline uint32_t find_or_add_label(struct packer *p, uint32_t label)
{
	uint32_t known = p->label_hash[label_place(p, label)];

	return known ? known - 1 : add_label(p, label);
}

static uint32_t compute_rate(uint64_t count, uint64_t from)
{
	uint64_t rate;

	if (!from || count >> (64 - CPROF_RATE_SHIFT))
		return 0;
	rate = (count << CPROF_RATE_SHIFT) / from;
	return rate >> 32 ? 0 : (uint32_t)rate;
}

static void set_rates(struct packer *p, uint32_t label)
{
	const struct label_sums *s = &p->sums[label];

	for (uint32_t n = 0; n < p->nr_counters; n++)
		p->labels[label].rate[n] =
			compute_rate(s->count[n], n ? s->count[0] : s->running);
}

/* ------------------------------------------------------------------------
 * whether they can be stored by column
 */

static bool same_counters(struct packer *p, size_t words, bool scaled)
{
	uint32_t nr = (uint32_t)(scaled ? words / 2 : words);

	if ((scaled && words % 2) || words > 2 * COROPROF_COUNTERS_MAX ||
	    nr > COROPROF_COUNTERS_MAX || (p->counted && nr != p->nr_counters))
		return false;
	p->nr_counters = nr;
	p->counted = true;
	return true;
}

static bool add_sums(struct packer *p, uint32_t label, uint64_t running,
		     const uint64_t *count)
{
	uint32_t n = find_or_add_label(p, label);

	if (n == UINT32_MAX)
		return false;
	p->sums[n].running += running;
	for (uint32_t i = 0; i < p->nr_counters; i++)
		p->sums[n].count[i] += count[i];
	return true;
}

/* The number of the label of a record that is stored; a new label gets the rates of this record. */
static uint32_t label_search(struct packer *p, uint32_t label, uint64_t running,
			     const uint64_t *count)
{
	uint32_t nr = p->nr_labels, n = find_or_add_label(p, label);

	if (n == UINT32_MAX) {
		p->failed = true;
		return 0;
	}
	if (p->nr_labels == nr)
		return n;
	p->sums[n].running = running;
	memcpy(p->sums[n].count, count, p->nr_counters * sizeof(*count));
	set_rates(p, n);
	return n;
}

/* Mostly the label is the last one of its slot, so that is tried first. */
static inline uint32_t label_number(struct packer *p, uint32_t slot, uint32_t label,
				    uint64_t running, const uint64_t *count)
{
	uint32_t n = predict_slot(&p->predict, slot)->label;

	if (n < p->nr_labels && p->labels[n].label == label)
		return n;
	return label_search(p, label, running, count);
}

static inline uint64_t slice_running(const struct coroprof_record_slice *s,
			      uint32_t nr_counters)
{
	const struct coroprof_slice_offcpu *off =
		(const void *)((const uint64_t *)(s + 1) + nr_counters);

	if (!(s->flags & COROPROF_SLICE_OFFCPU))
		return s->duration;
	return s->duration - off->preempted_ns - off->blocked_ns;
}

static inline bool slice_fits(struct packer *p, const struct coroprof_record_slice *s)
{
	size_t fixed = coroprof_slice_size(s->flags, 0);

	return s->size >= fixed &&
	       same_counters(p, (s->size - fixed) / 8, s->flags & COROPROF_SLICE_SCALED);
}

static bool span_fits(struct packer *p, const struct coroprof_record_span *s)
{
	return s->size >= sizeof(*s) && !s->reserved &&
	       same_counters(p, (s->size - sizeof(*s)) / 8, s->flags & COROPROF_SPAN_SCALED);
}

static inline bool can_be_stored(struct packer *p, const struct coroprof_record *r)
{
	if (r->type == COROPROF_RECORD_SLICE)
		return slice_fits(p, (const void *)r);
	if (r->type == COROPROF_RECORD_SPAN)
		return span_fits(p, (const void *)r);
	return r->type == COROPROF_RECORD_LOST && r->size == sizeof(struct coroprof_record_lost);
}

/*
 * Adds the counts and the running time of a record to its label, for the label's rates. False
 * without memory.
 */
static bool add_record_to_sums(struct packer *p, const struct coroprof_record *r)
{
	const struct coroprof_record_slice *slice = (const void *)r;
	const struct coroprof_record_span *span = (const void *)r;

	if (r->type == COROPROF_RECORD_SLICE)
		return add_sums(p, slice->label, slice_running(slice, p->nr_counters),
				(const void *)(slice + 1));
	if (r->type == COROPROF_RECORD_SPAN)
		return add_sums(p, span->label, span->running_ns, (const void *)(span + 1));
	return true;
}

/* ------------------------------------------------------------------------
 * storing
 */

static void flush_column(struct packer *p, struct column_writer *c)
{
	struct error ignored;
	unsigned char *to;
	size_t size;

	if (buffer_reserve(&c->bytes, NUMBERS_BOUND, &ignored)) {
		p->failed = true;
		c->nr = 0;
		return;
	}
	to = (unsigned char *)c->bytes.data + c->bytes.size;
	size = numbers_pack(to, c->v, c->nr);
	c->bits |= size > sizeof(struct cprof_group);
	c->bytes.size += size;
	c->nr = 0;
}

static inline void store_number(struct packer *p, unsigned int column, uint64_t v)
{
	struct column_writer *c = &p->column[column];

	c->v[c->nr++] = v;
	if (c->nr == CPROF_GROUP)
		flush_column(p, c);
}

static uint64_t kind_key(const struct cprof_kind *k)
{
	uint64_t key;

	memcpy(&key, k, sizeof(key));
	return key;
}

/* The number of a kind of records, a new one if need be; CPROF_KINDS_MAX if there are too many. */
static uint32_t kind_number(struct packer *p, const struct cprof_kind *k)
{
	uint64_t key = kind_key(k);
	uint8_t *hashed = &p->kind_hash[hash_place(key, KINDS_HASHED)];
	uint32_t i;

	if (*hashed < p->nr_kinds && kind_key(&p->kinds[*hashed]) == key)
		return *hashed;
	for (i = 0; i < p->nr_kinds && kind_key(&p->kinds[i]) != key; i++)
		;
	if (i == CPROF_KINDS_MAX)
		return i;
	if (i == p->nr_kinds)
		p->kinds[p->nr_kinds++] = *k;
	*hashed = (uint8_t)i;
	return i;
}

static void store_time(struct packer *p, uint64_t time)
{
	store_number(p, CPROF_COLUMN_TIME, time - p->predict.time);
	p->predict.time = time;
}

/*
 * Stores slot, coroutine and label, as far as they are not those that were predicted. Returns flags
 * of what is stored.
 */
static inline uint16_t store_identity(struct packer *p, const struct coroprof_record_slice *s,
			uint32_t label)
{
	bool slice = s->type == COROPROF_RECORD_SLICE;
	struct predict_slot *slot = predict_slot(&p->predict, p->predict.slot);
	uint16_t stored = 0;

	if (slot->next != s->slot) {
		stored |= CPROF_STORED_SLOT;
		store_number(p, CPROF_COLUMN_SLOT, s->slot);
		slot->next = s->slot;
	}
	p->predict.slot = s->slot;
	slot = predict_slot(&p->predict, s->slot);
	if (slot->id != s->id || (slice && slot->label != label)) {
		stored |= CPROF_STORED_ID;
		store_number(p, CPROF_COLUMN_ID, id_pack(s->id));
		slot->id = s->id;
	}
	if (!slice || stored & CPROF_STORED_ID)
		store_number(p, CPROF_COLUMN_LABEL, label);
	if (slice)
		slot->label = label;
	return stored;
}

static inline uint16_t store_duration(struct packer *p, uint64_t time, uint64_t duration)
{
	if (duration == time - p->predict.slice_time)
		return 0;
	store_number(p, CPROF_COLUMN_DURATION, duration);
	return CPROF_STORED_DURATION;
}

static inline __attribute__((always_inline))
void store_each_count(struct packer *p, const uint64_t *count, const uint32_t *rate,
		      uint64_t running, uint32_t nr)
{
	uint64_t from = running;

	for (uint32_t i = 0; i < nr; i++) {
		store_number(p, CPROF_COLUMN_COUNT + i,
			     zigzag_pack(count[i] - predict_count(from, rate[i])));
		from = count[0];
	}
}

/* Calls with constant numbers of counters, for which the compiler has no loop. */
static inline void store_counts(struct packer *p, const uint64_t *count, uint32_t label,
		       uint64_t running)
{
	const uint32_t *rate = p->labels[label].rate;

	switch (p->nr_counters) {
	case 2:
		return store_each_count(p, count, rate, running, 2);
	case 3:
		return store_each_count(p, count, rate, running, 3);
	default:
		return store_each_count(p, count, rate, running, p->nr_counters);
	}
}

static void store_missing_ns(struct packer *p, const uint64_t *missing)
{
	for (uint32_t i = 0; i < p->nr_counters; i++)
		store_number(p, CPROF_COLUMN_MISSING, missing[i]);
}

static uint16_t store_offcpu(struct packer *p, const void *at)
{
	const struct coroprof_slice_offcpu *off = at;
	uint16_t stored = 0;

	if (off->preempted_ns) {
		stored |= CPROF_STORED_PREEMPTED;
		store_number(p, CPROF_COLUMN_PREEMPTED, off->preempted_ns);
	}
	if (off->blocked_ns) {
		stored |= CPROF_STORED_BLOCKED;
		store_number(p, CPROF_COLUMN_BLOCKED, off->blocked_ns);
	}
	if (off->nr_preempted != !!off->preempted_ns ||
	    off->nr_blocked != !!off->blocked_ns) {
		stored |= CPROF_STORED_TIMES;
		store_number(p, CPROF_COLUMN_TIMES, off->nr_preempted);
		store_number(p, CPROF_COLUMN_TIMES, off->nr_blocked);
	}
	return stored;
}

static void store_fresh(struct packer *p, const void *at)
{
	const struct coroprof_slice_fresh *fresh = at;

	store_number(p, CPROF_COLUMN_PARENT, id_pack(fresh->parent));
	store_number(p, CPROF_COLUMN_TAG, fresh->tag);
}

static uint16_t store_woken(struct packer *p, const void *at, uint64_t begin)
{
	const struct coroprof_slice_woken *woken = at;

	store_number(p, CPROF_COLUMN_WAKE, begin - woken->wake_time);
	if (woken->waker == p->predict.waker)
		return 0;
	p->predict.waker = woken->waker;
	store_number(p, CPROF_COLUMN_WAKER, id_pack(woken->waker));
	return CPROF_STORED_WAKER;
}

static uint16_t store_slice(struct packer *p, const struct coroprof_record_slice *s)
{
	const uint64_t *count = (const void *)(s + 1), *at = count + p->nr_counters;
	uint64_t begin = s->time - s->duration;
	uint64_t running = slice_running(s, p->nr_counters);
	uint32_t label = label_number(p, s->slot, s->label, running, count);
	uint16_t stored = store_identity(p, s, label);

	stored |= store_duration(p, s->time, s->duration);
	p->predict.slice_time = s->time;
	store_counts(p, count, label, running);
	if (s->flags & COROPROF_SLICE_OFFCPU) {
		stored |= store_offcpu(p, at);
		at += sizeof(struct coroprof_slice_offcpu) / sizeof(*at);
	}
	if (s->flags & COROPROF_SLICE_FRESH) {
		store_fresh(p, at);
		at += sizeof(struct coroprof_slice_fresh) / sizeof(*at);
	}
	if (s->flags & COROPROF_SLICE_WOKEN) {
		stored |= store_woken(p, at, begin);
		at += sizeof(struct coroprof_slice_woken) / sizeof(*at);
	}
	if (s->flags & COROPROF_SLICE_SCALED)
		store_missing_ns(p, at);
	return stored;
}

static uint16_t store_span(struct packer *p, const struct coroprof_record_span *s)
{
	const uint64_t *count = (const void *)(s + 1);
	uint32_t label = label_number(p, s->slot, s->label, s->running_ns, count);
	/* They begin alike. */
	uint16_t stored = store_identity(p, (const void *)s, label);

	stored |= store_duration(p, s->time, s->duration);
	store_number(p, CPROF_COLUMN_DEPTH, s->depth);
	store_number(p, CPROF_COLUMN_OFF, s->duration - s->running_ns);
	store_counts(p, count, label, s->running_ns);
	if (s->flags & COROPROF_SPAN_SCALED)
		store_missing_ns(p, count + p->nr_counters);
	return stored;
}

static inline bool store_record(struct packer *p, const struct coroprof_record *r)
{
	const struct coroprof_record_slice *s = (const void *)r;
	const struct coroprof_record_lost *lost = (const void *)r;
	struct cprof_kind k = { .type = r->type };
	uint32_t number;

	p->records++;
	/* All three have it at the same place. */
	store_time(p, lost->time);
	if (r->type == COROPROF_RECORD_LOST) {
		store_number(p, CPROF_COLUMN_LOST, lost->spans);
		store_number(p, CPROF_COLUMN_LOST, lost->full);
	} else {
		k.flags = s->flags;
		k.standing = s->standing;
		k.stored = r->type == COROPROF_RECORD_SLICE ?
			   store_slice(p, s) : store_span(p, (const void *)r);
	}
	number = kind_number(p, &k);
	store_number(p, CPROF_COLUMN_KIND, number);
	return number < CPROF_KINDS_MAX;
}

/* ------------------------------------------------------------------------
 * segments
 */

static struct packer *begin_packer(struct columns *c)
{
	struct packer *p = c->packer;

	if (!p)
		p = c->packer = calloc(1, sizeof(*p));
	if (!p || (!p->nr_hashed && !reserve_labels(p, LABELS_FIRST)))
		return NULL;
	memset(&p->predict, 0, sizeof(p->predict));
	memset(p->label_hash, 0, p->nr_hashed * sizeof(*p->label_hash));
	p->nr_labels = p->nr_kinds = p->records = p->nr_counters = 0;
	p->counted = p->failed = false;
	for (unsigned int i = 0; i < CPROF_COLUMNS; i++) {
		p->column[i].bytes.size = 0;
		p->column[i].bits = false;
		p->column[i].nr = 0;
	}
	return p;
}

void columns_free(struct columns *c)
{
	struct packer *p = c->packer;

	if (!p)
		return;
	for (unsigned int i = 0; i < CPROF_COLUMNS; i++)
		buffer_free(&p->column[i].bytes);
	free(p->labels);
	free(p->sums);
	free(p->label_hash);
	free(p);
	c->packer = NULL;
}

static int store_labels(const struct packer *p, struct buffer *to)
{
	size_t size = (1 + p->nr_counters) * sizeof(uint32_t);
	struct error ignored;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < p->nr_labels; i++)
		ret = buffer_append(to, &p->labels[i], size, &ignored);
	return ret;
}

static int write_columns(struct packer *p, struct buffer *to)
{
	struct cprof_columns head = {
		.records = p->records,
		.nr_kinds = p->nr_kinds,
		.nr_labels = p->nr_labels,
		.nr_counters = (uint16_t)p->nr_counters,
		.nr_columns = CPROF_COLUMNS,
	};
	struct error ignored;
	int ret;

	for (unsigned int i = 0; i < CPROF_COLUMNS; i++) {
		struct column_writer *c = &p->column[i];

		if (c->nr)
			flush_column(p, c);
		head.size[i] = c->bits ? (uint32_t)c->bytes.size : 0;
	}
	to->size = 0;
	ret = buffer_append(to, &head, sizeof(head), &ignored);
	if (!ret)
		ret = buffer_append(to, p->kinds, p->nr_kinds * sizeof(p->kinds[0]),
				    &ignored);
	if (!ret)
		ret = store_labels(p, to);
	for (unsigned int i = 0; !ret && i < CPROF_COLUMNS; i++) {
		if (head.size[i])
			ret = buffer_append(to, p->column[i].bytes.data, head.size[i], &ignored);
	}
	return p->failed ? -ENOMEM : ret;
}

static const struct coroprof_record *next_record(const struct coroprof_record *r)
{
	return (const void *)((const char *)r + r->size);
}

int columns_pack(struct columns *c, const void *records, size_t size,
		 struct buffer *to)
{
	const struct coroprof_record *r, *end = (const void *)((const char *)records + size);
	struct packer *p = begin_packer(c);
	uint32_t looked_at = 0;

	if (!p)
		return -ENOMEM;
	for (r = records; r < end && looked_at++ < RECORDS_SUMMED; r = next_record(r)) {
		if (!can_be_stored(p, r) || !add_record_to_sums(p, r))
			return -ENOTSUP;
	}
	for (uint32_t i = 0; i < p->nr_labels; i++)
		set_rates(p, i);
	for (r = records; r < end; r = next_record(r)) {
		if (!can_be_stored(p, r) || !store_record(p, r))
			return -ENOTSUP;
	}
	return write_columns(p, to);
}
