// SPDX-License-Identifier: GPL-2.0
/*
 * What a record consists of is written down once, for both directions: number()
 * stores the figure that it is given, or returns the one that is stored, and
 * every line that calls it holds either way. @packing is a constant wherever the
 * compiler meets it.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "coroprof.h"
#include "cprof/columns.h"
#include "cprof/format.h"

#define both_ways static inline __attribute__((always_inline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* The fixed part of a SLICE in words, and of a SPAN up to where they differ. */
#define FIXED_WORDS	(sizeof(struct coroprof_record_slice) / 8)
#define FIXED_SIZE	sizeof(struct coroprof_record_slice)

#define RATE_SHIFT	16
#define NUMBER_MAX	9u

/**
 * struct seen - what was last seen of a slot
 * @id:    its coroutine
 * @label: the label of that
 * @next:  the slot that followed
 */
struct seen {
	uint64_t id;
	uint32_t label;
	uint32_t next;
};

/**
 * struct codec - where packing or unpacking stands
 * @at:         next byte of each column
 * @end:        their ends; of packing, their beginnings
 * @kinds:      met so far, or all there are
 * @counters:   of each: counters_of()
 * @nr_kinds:   how many
 * @kind:       of the record before
 * @hits:       CPROF_HIT_* of this record
 * @short_of:   a column has ended before its last record
 * @slot:       of the record before
 * @time:       of the last SLICE or SPAN
 * @slice_time: of the last SLICE
 * @waker:      the last one
 * @seen:       by slot
 * @rates:      by label
 */
struct codec {
	unsigned char *at[CPROF_COLUMNS];
	unsigned char *end[CPROF_COLUMNS];
	struct cprof_kind kinds[CPROF_KINDS_MAX];
	uint8_t counters[CPROF_KINDS_MAX];
	uint32_t nr_kinds;
	uint32_t kind;
	uint32_t hits;
	bool short_of;
	uint32_t slot;
	uint64_t time;
	uint64_t slice_time;
	uint64_t waker;
	struct seen seen[CPROF_COLUMNS_SLOTS];
	uint64_t rates[CPROF_COLUMNS_LABELS][COROPROF_COUNTERS_MAX];
};

/* ------------------------------------------------------------------------
 * figures
 */

/* Bytes of a figure of so many bits: 7 in each, all of them from 8 bytes on. */
static const unsigned char bytes_of[65] = {
	1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3,
	4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6,
	7, 7, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9,
};

static inline void put(unsigned char **at, uint64_t v)
{
	unsigned int bytes = bytes_of[64 - __builtin_clzll(v | 1)];

	if (unlikely(bytes >= NUMBER_MAX)) {
		**at = 0;
		memcpy(*at + 1, &v, sizeof(v));
		*at += NUMBER_MAX;
		return;
	}
	v = v << bytes | 1ull << (bytes - 1);
	memcpy(*at, &v, sizeof(v));
	*at += bytes;
}

static inline uint64_t get(unsigned char **at)
{
	unsigned int bytes;
	uint64_t v;

	memcpy(&v, *at, sizeof(v));
	if (unlikely(!(v & 0xff))) {
		memcpy(&v, *at + 1, sizeof(v));
		*at += NUMBER_MAX;
		return v;
	}
	bytes = (unsigned int)__builtin_ctzll(v) + 1;
	*at += bytes;
	return v << (64 - 8 * bytes) >> (64 - 7 * bytes);
}

both_ways uint64_t number(struct codec *c, unsigned int column, uint64_t v,
			  const bool packing)
{
	if (packing) {
		put(&c->at[column], v);
		return v;
	}
	if (unlikely(c->at[column] >= c->end[column])) {
		c->short_of = true;
		return 0;
	}
	return get(&c->at[column]);
}

/* Ids of threads have the highest bit set. */
both_ways uint64_t id(struct codec *c, unsigned int column, uint64_t v,
		      const bool packing)
{
	uint64_t rotated = number(c, column, v << 1 | v >> 63, packing);

	return packing ? v : rotated >> 1 | rotated << 63;
}

/* @v as a small figure when it is near @near, above or below. */
both_ways uint64_t close_to(struct codec *c, unsigned int column, uint64_t v,
			    uint64_t near, const bool packing)
{
	uint64_t off = v - near;

	off = number(c, column, off << 1 ^ -(off >> 63), packing);
	return packing ? v : near + (off >> 1 ^ -(off & 1));
}

both_ways bool hit(struct codec *c, unsigned int bit, bool predicted,
		   const bool packing)
{
	if (packing && predicted)
		c->hits |= bit;
	return c->hits & bit;
}

/* ------------------------------------------------------------------------
 * records, as words of 8 bytes
 */

static inline bool has_fixed_part(uint32_t type, uint32_t size)
{
	return size >= FIXED_SIZE && (type == COROPROF_RECORD_SLICE ||
				      type == COROPROF_RECORD_SPAN);
}

both_ways void slot_of(struct codec *c, uint64_t *w, const bool packing)
{
	uint32_t *next = &c->seen[c->slot % CPROF_COLUMNS_SLOTS].next;
	uint32_t slot = (uint32_t)(w[0] >> 32);

	if (hit(c, CPROF_HIT_SLOT, slot == *next, packing))
		slot = *next;
	else
		slot = (uint32_t)number(c, CPROF_COLUMN_SLOT, slot, packing);
	*next = slot;
	c->slot = slot;
	w[0] = (uint64_t)slot << 32 | (uint32_t)w[0];
}

both_ways void times_of(struct codec *c, uint64_t *w, uint32_t type,
			const bool packing)
{
	w[1] = c->time + number(c, CPROF_COLUMN_TIME, w[1] - c->time, packing);
	c->time = w[1];
	if (hit(c, CPROF_HIT_DURATION, w[2] == w[1] - c->slice_time, packing))
		w[2] = w[1] - c->slice_time;
	else
		w[2] = number(c, CPROF_COLUMN_DURATION, w[2], packing);
	if (type == COROPROF_RECORD_SLICE)
		c->slice_time = w[1];
}

/* Returns the label. */
both_ways uint32_t coroutine_of(struct codec *c, uint64_t *w, const bool packing)
{
	struct seen *seen = &c->seen[c->slot % CPROF_COLUMNS_SLOTS];
	uint32_t label = (uint32_t)w[4];

	if (!hit(c, CPROF_HIT_ID, w[3] == seen->id, packing))
		seen->id = id(c, CPROF_COLUMN_ID, w[3], packing);
	if (!hit(c, CPROF_HIT_LABEL, label == seen->label, packing))
		seen->label = (uint32_t)number(c, CPROF_COLUMN_LABEL, label,
					       packing);
	w[3] = seen->id;
	w[4] = (w[4] & ~(uint64_t)UINT32_MAX) | seen->label;
	return seen->label;
}

/* Returns for how long the thread was off the CPU. */
both_ways uint64_t offcpu_of(struct codec *c, uint64_t *w, const bool packing)
{
	uint64_t preempted, blocked;

	w[0] = number(c, CPROF_COLUMN_PREEMPTED, w[0], packing);
	w[1] = number(c, CPROF_COLUMN_BLOCKED, w[1], packing);
	preempted = number(c, CPROF_COLUMN_TIMES, (uint32_t)w[2], packing);
	blocked = number(c, CPROF_COLUMN_TIMES, w[2] >> 32, packing);
	w[2] = blocked << 32 | (uint32_t)preempted;
	return w[0] + w[1];
}

both_ways uint64_t count_of(struct codec *c, uint32_t i, uint64_t v,
			    uint64_t from, uint64_t *rate, const bool packing)
{
	uint64_t predicted = from >> 32 ? 0 : from * *rate >> RATE_SHIFT;
	uint64_t now;

	v = close_to(c, CPROF_COLUMN_COUNT + i, v, predicted, packing);
	if (from && !(v >> 40)) {
		now = (v << RATE_SHIFT) / from;
		*rate = now >> 32 ? 0 : now;
	}
	return v;
}

both_ways void counts_of(struct codec *c, uint64_t *w, uint32_t nr,
			 uint32_t label, uint64_t running, const bool packing)
{
	uint64_t *rates = c->rates[label % CPROF_COLUMNS_LABELS];

	if (!nr)
		return;
	w[0] = count_of(c, 0, w[0], running, &rates[0], packing);
	for (uint32_t i = 1; i < nr; i++)
		w[i] = count_of(c, i, w[i], w[0], &rates[i], packing);
}

both_ways void birth_of(struct codec *c, uint64_t *w, const bool packing)
{
	w[0] = id(c, CPROF_COLUMN_PARENT, w[0], packing);
	w[1] = number(c, CPROF_COLUMN_USER, w[1], packing);
}

both_ways void wake_of(struct codec *c, uint64_t *w, uint64_t time,
		       const bool packing)
{
	w[0] = time - number(c, CPROF_COLUMN_WAKE, time - w[0], packing);
	if (!hit(c, CPROF_HIT_WAKER, w[1] == c->waker, packing))
		c->waker = id(c, CPROF_COLUMN_WAKER, w[1], packing);
	w[1] = c->waker;
}

/* How many counters SLICEs of a kind have; more than any, if they lie. */
static uint8_t counters_of(const struct cprof_kind *k)
{
	uint32_t fixed = coroprof_slice_size(k->flags, 0) / 8;
	uint32_t words = k->size / 8;

	if (words < fixed)
		return UINT8_MAX;
	words = (words - fixed) / (k->flags & COROPROF_SLICE_SCALED ? 2 : 1);
	return words < UINT8_MAX ? (uint8_t)words : UINT8_MAX;
}

/* Behind the fixed part. Returns how many words of the record are done. */
both_ways uint32_t slice_of(struct codec *c, uint64_t *w, uint32_t flags,
			    uint32_t label, const bool packing)
{
	uint32_t nr = c->counters[c->kind], at = FIXED_WORDS + nr;
	uint64_t running = w[2];

	if (unlikely(nr > COROPROF_COUNTERS_MAX))
		return FIXED_WORDS;
	if (flags & COROPROF_SLICE_OFFCPU) {
		running -= offcpu_of(c, w + at, packing);
		at += 3;
	}
	counts_of(c, w + FIXED_WORDS, nr, label, running, packing);
	if (flags & COROPROF_SLICE_FRESH) {
		birth_of(c, w + at, packing);
		at += 2;
	}
	if (flags & COROPROF_SLICE_WOKEN) {
		wake_of(c, w + at, w[1], packing);
		at += 2;
	}
	return at;
}

both_ways uint32_t span_of(struct codec *c, uint64_t *w, uint32_t words,
			   const bool packing)
{
	uint32_t at = FIXED_WORDS;

	for (; at < words && at < sizeof(struct coroprof_record_span) / 8; at++)
		w[at] = number(c, CPROF_COLUMN_RUNNING, w[at], packing);
	return at;
}

/*
 * Of the kind c->kind: w[0] but for the slot, and flags and standing in w[4], are
 * there.
 */
both_ways void record_of(struct codec *c, uint64_t *w, const bool packing)
{
	const struct cprof_kind *k = &c->kinds[c->kind];
	uint32_t words = k->size / 8, at = 1, label;

	slot_of(c, w, packing);
	if (likely(has_fixed_part(k->type, k->size))) {
		times_of(c, w, k->type, packing);
		label = coroutine_of(c, w, packing);
		at = k->type == COROPROF_RECORD_SLICE ?
		     slice_of(c, w, k->flags, label, packing) :
		     span_of(c, w, words, packing);
	}
	for (; at < words; at++)
		w[at] = number(c, CPROF_COLUMN_OTHER, w[at], packing);
}

/* ------------------------------------------------------------------------
 * segments
 */

static struct codec *codec_new(struct columns *c)
{
	if (!c->codec)
		c->codec = malloc(sizeof(*c->codec));
	if (c->codec)
		memset(c->codec, 0, sizeof(*c->codec));
	return c->codec;
}

void columns_free(struct columns *c)
{
	free(c->codec);
	free(c->memory);
	*c = (struct columns){ 0 };
}

static struct cprof_kind kind_of(const uint64_t *w)
{
	struct cprof_kind k = {
		.type = (uint16_t)w[0],
		.size = (uint16_t)(w[0] >> 16),
	};

	if (has_fixed_part(k.type, k.size)) {
		k.flags = (uint16_t)(w[4] >> 32);
		k.standing = (uint16_t)(w[4] >> 48);
	}
	return k;
}

/* Its number, new if need be; CPROF_KINDS_MAX when there are too many. */
static uint32_t kind_number(struct codec *c, const struct cprof_kind *k)
{
	uint32_t i;

	for (i = 0; i < c->nr_kinds; i++) {
		if (!memcmp(&c->kinds[i], k, sizeof(*k)))
			return i;
	}
	if (i == CPROF_KINDS_MAX)
		return i;
	c->kinds[i] = *k;
	c->counters[i] = counters_of(k);
	c->nr_kinds++;
	return i;
}

static bool pack_record(struct codec *c, const uint64_t *record)
{
	struct cprof_kind k = kind_of(record);
	/* Packing writes to each word what is there. */
	uint64_t *w = (uint64_t *)record;

	if (unlikely(memcmp(&c->kinds[c->kind], &k, sizeof(k)))) {
		c->kind = kind_number(c, &k);
		if (c->kind == CPROF_KINDS_MAX)
			return false;
	}
	*c->at[CPROF_COLUMN_KIND]++ = (unsigned char)c->kind;
	c->hits = 0;
	record_of(c, w, true);
	*c->at[CPROF_COLUMN_HITS]++ = (unsigned char)c->hits;
	return true;
}

/*
 * What a column may take, with room for the last figure's store. A record with a
 * fixed part has at most two figures in any but OTHER.
 */
static size_t column_room(unsigned int column, size_t size)
{
	size_t words = size / 8;

	switch (column) {
	case CPROF_COLUMN_KIND:
	case CPROF_COLUMN_HITS:
		return words + NUMBER_MAX;
	case CPROF_COLUMN_SLOT:
	case CPROF_COLUMN_OTHER:
		return (words + 1) * NUMBER_MAX;
	default:
		return (2 * size / FIXED_SIZE + 1) * NUMBER_MAX;
	}
}

static struct codec *packer_new(struct columns *columns, size_t size)
{
	struct codec *c = codec_new(columns);
	unsigned char *at;
	size_t room = 0;

	for (unsigned int i = 0; i < CPROF_COLUMNS; i++)
		room += column_room(i, size);
	if (room > columns->room) {
		free(columns->memory);
		columns->memory = malloc(room);
		columns->room = columns->memory ? room : 0;
	}
	at = columns->memory;
	if (!c || !at)
		return NULL;
	for (unsigned int i = 0; i < CPROF_COLUMNS; i++) {
		c->at[i] = c->end[i] = at;
		at += column_room(i, size);
	}
	return c;
}

static int store(const struct codec *c, struct buffer *to)
{
	size_t kinds = c->nr_kinds * sizeof(c->kinds[0]);
	struct cprof_columns head = {
		.nr_kinds = c->nr_kinds,
		.nr_columns = CPROF_COLUMNS,
	};
	struct error ignored;
	int ret;

	for (unsigned int i = 0; i < CPROF_COLUMNS; i++)
		head.size[i] = (uint32_t)(c->at[i] - c->end[i]);
	to->size = 0;
	ret = buffer_append(to, &head, sizeof(head), &ignored);
	if (!ret)
		ret = buffer_append(to, c->kinds, kinds, &ignored);
	for (unsigned int i = 0; !ret && i < CPROF_COLUMNS; i++)
		ret = buffer_append(to, c->end[i], head.size[i], &ignored);
	return ret;
}

size_t columns_bound(size_t size)
{
	size_t bound = sizeof(struct cprof_columns) +
		       CPROF_KINDS_MAX * sizeof(struct cprof_kind);

	for (unsigned int i = 0; i < CPROF_COLUMNS; i++)
		bound += column_room(i, size);
	return bound;
}

int columns_pack(struct columns *columns, const void *records, size_t size,
		 struct buffer *to)
{
	struct codec *c = packer_new(columns, size);
	const char *at = records, *end = at + size;

	if (!c)
		return -ENOMEM;
	for (; at < end; at += ((const struct coroprof_record *)(const void *)at)->size) {
		if (!pack_record(c, (const void *)at))
			return -ENOTSUP;
	}
	return store(c, to);
}

/* Returns what is wrong, or NULL. */
static const char *open_columns(struct codec *c, const void *stored, size_t size)
{
	unsigned char *at = (unsigned char *)stored, *end = at + size;
	struct cprof_columns head;
	size_t kinds;

	if (size < sizeof(head))
		return "it is too short for its columns";
	memcpy(&head, at, sizeof(head));
	at += sizeof(head);
	kinds = head.nr_kinds * sizeof(c->kinds[0]);
	if (head.nr_kinds > CPROF_KINDS_MAX || head.nr_columns != CPROF_COLUMNS)
		return "it has more kinds of records, or other columns, than can be";
	if ((size_t)(end - at) < kinds)
		return "it is too short for its kinds of records";
	memcpy(c->kinds, at, kinds);
	c->nr_kinds = head.nr_kinds;
	for (uint32_t i = 0; i < c->nr_kinds; i++)
		c->counters[i] = counters_of(&c->kinds[i]);
	at += kinds;
	for (unsigned int i = 0; i < CPROF_COLUMNS; i++) {
		if ((size_t)(end - at) < head.size[i])
			return "it is too short for its columns";
		c->at[i] = at;
		at += head.size[i];
		c->end[i] = at;
	}
	return NULL;
}

/* Returns its size, or 0 if something is wrong. */
static size_t unpack_record(struct codec *c, uint64_t *w, size_t room)
{
	const struct cprof_kind *k;

	if (unlikely(c->at[CPROF_COLUMN_KIND] >= c->end[CPROF_COLUMN_KIND] ||
		     c->at[CPROF_COLUMN_HITS] >= c->end[CPROF_COLUMN_HITS]))
		return 0;
	c->kind = *c->at[CPROF_COLUMN_KIND]++;
	c->hits = *c->at[CPROF_COLUMN_HITS]++;
	if (unlikely(c->kind >= c->nr_kinds))
		return 0;
	k = &c->kinds[c->kind];
	if (unlikely(k->size > room || k->size < 8 || k->size % 8))
		return 0;
	w[0] = (uint32_t)k->size << 16 | k->type;
	if (has_fixed_part(k->type, k->size))
		w[4] = (uint64_t)k->standing << 48 | (uint64_t)k->flags << 32;
	record_of(c, w, false);
	return c->short_of ? 0 : k->size;
}

const char *columns_unpack(struct columns *columns, const void *stored,
			   size_t size, void *records, size_t room)
{
	struct codec *c = codec_new(columns);
	char *at = records;
	const char *fault;
	size_t done;

	if (!c)
		return "there is no memory to unpack it";
	fault = open_columns(c, stored, size);
	for (; !fault && room; room -= done, at += done) {
		done = unpack_record(c, (void *)at, room);
		if (!done)
			fault = "its columns do not fit each other";
	}
	return fault;
}
